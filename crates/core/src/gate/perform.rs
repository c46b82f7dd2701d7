//! Operations by their names, for a caller on another thread: the same texts in and out as those of [`wire`].

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::wire::{self, ClaimText, RecordText, RecordsText, RequestsText, envelope};
use super::{Error, Gate, NewRequest};
use crate::approval::Record;
use crate::ledger::{Hash, RunInfo, RunStatus, SaveRun, SavedRun, Watch};

/// Performs the operation of this name. `payload` is a JSON array of its arguments; the answer is an envelope.
pub fn perform(gate: &Gate, operation: &str, payload: &str) -> String {
    match operation {
        "open" => envelope(Ok(())),
        "request" => with(payload, |(request,): (Raw,)| {
            gate.request(NewRequest::from_text(request.get())?).map(RecordText)
        }),
        "get" => with(payload, |(id,): (Box<str>,)| match wire::approval_id(&id) {
            // What is no id of ours is the id of no request.
            Err(_) => Ok(None),
            Ok(id) => gate.get(id).map(|record| record.map(RecordText)),
        }),
        "find" => with(payload, |(run, call): (Option<Box<str>>, Box<str>)| {
            gate.find(run.as_deref(), &call).map(RecordsText)
        }),
        "pending" => with(payload, |(run,): (Option<Box<str>>,)| {
            gate.expire_now();
            gate.pending(run.as_deref()).map(RequestsText)
        }),
        "decide" => with(payload, |(id, outcome, meta): (Box<str>, Raw, Raw)| {
            wire::decide(gate, &id, outcome.get(), meta.get()).map(RecordText)
        }),
        "cancelRun" => with(payload, |(run, reason, via): (Box<str>, Box<str>, Box<str>)| {
            gate.cancel_run(&run, &reason, wire::via(&via)?)
        }),
        "revoke" => {
            with(payload, |(id, reason): (Box<str>, Box<str>)| match wire::approval_id(&id) {
                Err(_) => Ok(false),
                Ok(id) => gate.revoke(id, &reason),
            })
        }
        "claim" => with(payload, |(run, id, call): (Option<Box<str>>, Box<str>, Raw)| {
            wire::claim(gate, run.as_deref(), &id, call.get()).map(ClaimText::from)
        }),
        "settle" => with(payload, |(id, succeeded, result): (Box<str>, bool, Option<Raw>)| {
            gate.settle(wire::approval_id(&id)?, succeeded, result)
        }),
        "watch" => {
            with(payload, |(id,): (Box<str>,)| gate.watch(Watch::One(wire::approval_id(&id)?)))
        }
        "close" => with(payload, |(reason,): (Box<str>,)| gate.close(&reason)),
        _ => perform_on_archive(gate, operation, payload),
    }
}

/// What only a ledger that lasts can do.
fn perform_on_archive(gate: &Gate, operation: &str, payload: &str) -> String {
    let archive = match gate.archive() {
        Ok(archive) => archive,
        Err(error) => return envelope::<()>(Err(error)),
    };
    let now = gate.now();
    match operation {
        "records" => with(payload, |(run,): (Box<str>,)| Ok(WholeRecords(archive.records(&run)?))),
        "interrupt" => with(payload, |(run,): (Option<Box<str>>,)| {
            Ok(WholeRecords(archive.interrupt(run.as_deref(), now)?))
        }),
        "saveRun" => with(payload, |(run,): (SaveRunText,)| {
            let save = SaveRun {
                run_id: &run.run_id,
                parent: run.parent.as_deref().map(hash).transpose()?,
                entries: &run.entries,
                state: &run.state,
                status: status(&run.status)?,
                steps: run.steps,
            };
            Ok(archive.save_run(save, now)?.iter().map(hex).collect::<Vec<_>>())
        }),
        "takeRun" => {
            with(payload, |(run,): (Box<str>,)| Ok(SavedRunText(archive.take_run(&run, now)?)))
        }
        "run" => with(payload, |(run,): (Box<str>,)| Ok(archive.run(&run)?.map(SavedRunText))),
        "releaseRun" => with(payload, |(run,): (Box<str>,)| Ok(archive.release_run(&run, now)?)),
        "runs" => with(payload, |(open, limit): (bool, usize)| {
            let runs = archive.runs(open, limit)?;
            Ok(runs.iter().map(RunInfoText::from).collect::<Vec<_>>())
        }),
        _ => envelope::<()>(Err(Error::Internal(format!("there is no operation {operation:?}")))),
    }
}

type Raw = Box<RawValue>;

fn with<ARGS: DeserializeOwned, T: Serialize>(
    payload: &str, work: impl FnOnce(ARGS) -> Result<T, Error>,
) -> String {
    envelope(wire::read(payload).and_then(work))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SaveRunText {
    run_id: Box<str>,
    parent: Option<Box<str>>,
    entries: Vec<Raw>,
    state: Raw,
    status: Box<str>,
    steps: u64,
}

fn status(name: &str) -> Result<RunStatus, Error> {
    RunStatus::from_name(name).ok_or_else(|| Error::Internal(format!("a run cannot be {name:?}")))
}

/// The hash that 64 hexadecimal digits stand for.
fn hash(text: &str) -> Result<Hash, Error> {
    let mut hash = [0; 32];
    let digits = text.as_bytes().chunks_exact(2);
    let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !fits {
        return Err(Error::Internal(format!("{text:?} is no hash")));
    }
    for (byte, pair) in hash.iter_mut().zip(digits) {
        *byte = pair.iter().fold(0, |byte, digit| {
            byte << 4
                | char::from(*digit)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
                    .unwrap_or(0)
        });
    }
    Ok(hash)
}

fn hex(hash: &Hash) -> String {
    hash.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// Records with what only a resume needs of them: what they were judged under, and what their executions gave.
struct WholeRecords(Vec<Record>);

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

struct SavedRunText(SavedRun);

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
struct RunInfoText {
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
