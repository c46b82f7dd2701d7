//! Runs, as the binding writes and reads them.

use serde::{Deserialize, Serialize};

use super::Host;
use super::audit::NativeNote;
use crate::envelope::Raw;
use crate::operations::{Done, Operate};
use crate::record::WholeRecords;
#[cfg(test)]
use crate::words;
use countersign_core::gate::GateError;
use countersign_core::ledger::{Hash, hash_from_hex};
use countersign_core::ledger::{RunInfo, RunStatus, SaveRun, SavedRun, hex};

/// A run to be kept.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeSaveRun {
    run_id: Box<str>,
    /// What the new entries follow: the hash of one of this run's; `null`: the beginning. What stood behind it is dropped.
    parent: Option<Box<str>>,
    /// What is new of the history: any JSON.
    #[cfg_attr(test, ts(type = "readonly unknown[]"))]
    entries: Vec<Raw>,
    /// Any JSON, small: it is written each time.
    #[cfg_attr(test, ts(type = "unknown"))]
    state: Raw,
    #[cfg_attr(test, ts(as = "words::NativeRunStatus"))]
    status: Box<str>,
    steps: u64,
    /// What was said of its calls, for the audit: it is written before.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly NativeNote[]"))]
    notes: Vec<NativeNote>,
}

impl NativeSaveRun {
    pub(crate) fn save(&self) -> Result<SaveRun<'_>, GateError> {
        let status = RunStatus::from_name(&self.status)
            .ok_or_else(|| GateError::Internal(format!("a run cannot be {:?}", self.status)))?;
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

/// A run as it was kept.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeSavedRun {
    #[cfg_attr(test, ts(type = "unknown[]"))]
    entries: Vec<Raw>,
    /// The hash of each entry.
    heads: Vec<String>,
    #[cfg_attr(test, ts(type = "unknown"))]
    state: Raw,
    info: NativeRunInfo,
}

impl From<SavedRun> for NativeSavedRun {
    fn from(SavedRun { entries, state, info }: SavedRun) -> Self {
        let (heads, entries) = entries.into_iter().map(|(head, entry)| (hex(&head), entry)).unzip();
        Self { entries, heads, state, info: (&info).into() }
    }
}

/// Where a run stands.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeRunInfo {
    run_id: Box<str>,
    #[cfg_attr(test, ts(as = "words::NativeRunStatus"))]
    status: &'static str,
    /// Whether a process that lives continues it.
    active: bool,
    steps: u64,
    /// Requests that wait.
    pending: u64,
    /// ms since the epoch.
    created_at: u64,
    /// ms since the epoch.
    updated_at: u64,
}

impl From<&RunInfo> for NativeRunInfo {
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

/// The hash that 64 hexadecimal digits stand for.
fn hash(text: &str) -> Result<Hash, GateError> {
    hash_from_hex(text).ok_or_else(|| GateError::Internal(format!("{text:?} is not a hash")))
}

impl Operate<&dyn Host> for NativeSaveRun {
    /// The hash of each new entry.
    type Answer = Vec<String>;

    fn perform(mut self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let notes = std::mem::take(&mut self.notes);
        let notes = notes.into_iter().map(NativeNote::note).collect::<Result<Vec<_>, _>>()?;
        let hashes = gate.archive()?.save_run_after(&notes, self.save()?, gate.now())?;
        Ok(hashes.iter().map(|hash| hex(hash)).collect())
    }
}

/// Makes a run this process' own.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakeRun {
    run_id: Box<str>,
}

impl Operate<&dyn Host> for TakeRun {
    type Answer = NativeSavedRun;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let (archive, now) = (gate.archive()?, gate.now());
        Ok(archive.take_run(&self.run_id, now)?.into())
    }
}

/// A run as it was kept; `null`: no such run.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadRun {
    run_id: Box<str>,
}

impl Operate<&dyn Host> for ReadRun {
    type Answer = Option<NativeSavedRun>;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let archive = gate.archive()?;
        Ok(archive.run(&self.run_id)?.map(NativeSavedRun::from))
    }
}

/// Lets go of a run, so that another process may take it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseRun {
    run_id: Box<str>,
}

impl Operate<&dyn Host> for ReleaseRun {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let (archive, now) = (gate.archive()?, gate.now());
        archive.release_run(&self.run_id, now)?;
        Ok(Done)
    }
}

/// Runs, the latest change first.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListRuns {
    /// Only those that can be continued.
    open: bool,
    limit: usize,
}

impl Operate<&dyn Host> for ListRuns {
    type Answer = Vec<NativeRunInfo>;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let archive = gate.archive()?;
        let runs = archive.runs(self.open, self.limit)?;
        Ok(runs.iter().map(NativeRunInfo::from).collect())
    }
}

/// What a run asked about, oldest first.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListRecords {
    run_id: Box<str>,
}

impl Operate<&dyn Host> for ListRecords {
    type Answer = WholeRecords;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let archive = gate.archive()?;
        Ok(WholeRecords(archive.records(&self.run_id)?))
    }
}

/// Writes down that what a process that is gone had started was interrupted, and gives these records.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct InterruptRuns {
    /// `null`: of all runs.
    run_id: Option<Box<str>>,
}

impl Operate<&dyn Host> for InterruptRuns {
    type Answer = WholeRecords;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let (archive, now) = (gate.archive()?, gate.now());
        Ok(WholeRecords(archive.interrupt(self.run_id.as_deref(), now)?))
    }
}
