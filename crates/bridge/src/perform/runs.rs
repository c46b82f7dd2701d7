//! Runs, as the binding writes and reads them.

use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Error, Raw, hash, wire};
use countersign_core::approval::Record;
use countersign_core::ledger::{RunInfo, RunStatus, SaveRun, SavedRun, hex};

/// A run to be kept: `{ runId, parent, entries, state, status, steps }`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SaveRunText {
    run_id: Box<str>,
    parent: Option<Box<str>>,
    entries: Vec<Raw>,
    state: Raw,
    status: Box<str>,
    steps: u64,
}

impl SaveRunText {
    pub(super) fn save(&self) -> Result<SaveRun<'_>, Error> {
        let status = RunStatus::from_name(&self.status)
            .ok_or_else(|| Error::Internal(format!("a run cannot be {:?}", self.status)))?;
        Ok(SaveRun {
            run_id: &self.run_id,
            parent: self.parent.as_deref().map(hash).transpose()?,
            entries: &self.entries,
            state: &self.state,
            status,
            steps: self.steps,
        })
    }
}

/// Records with what only a resume needs of them: what they were judged under, and what their executions gave.
pub(super) struct WholeRecords(pub(super) Vec<Record>);

impl Serialize for WholeRecords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for record in &self.0 {
            seq.serialize_element(&WholeRecord(record))?;
        }
        seq.end()
    }
}

struct WholeRecord<'a>(&'a Record);

impl Serialize for WholeRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        wire::write_record(self.0, &mut map)?;
        let context = self.0.request().call.context.as_ref().map(|context| &context.0);
        map.serialize_entry("context", &context)?;
        map.serialize_entry("result", &self.0.result())?;
        map.end()
    }
}

pub(super) struct SavedRunText(pub(super) SavedRun);

impl Serialize for SavedRunText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let (heads, entries): (Vec<String>, Vec<&RawValue>) =
            self.0.entries.iter().map(|(head, entry)| (hex(head), &**entry)).unzip();
        map.serialize_entry("entries", &entries)?;
        map.serialize_entry("heads", &heads)?;
        map.serialize_entry("state", &self.0.state)?;
        map.serialize_entry("info", &RunInfoText::from(&self.0.info))?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunInfoText {
    run_id: Box<str>,
    status: &'static str,
    active: bool,
    steps: u64,
    pending: u64,
    created_at: u64,
    updated_at: u64,
}

impl From<&RunInfo> for RunInfoText {
    fn from(info: &RunInfo) -> Self {
        Self {
            run_id: info.run_id.clone(),
            status: info.status.name(),
            active: info.active,
            steps: info.steps,
            pending: info.pending,
            created_at: info.created_at,
            updated_at: info.updated_at,
        }
    }
}
