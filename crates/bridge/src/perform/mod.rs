//! Operations by their names, for a caller on another thread.

mod audit;
mod runs;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use self::audit::{
    NativeAbout, NativeAuditEntry, NativeHead, NativeNote, NativeTidied, NativeVerified,
};
use self::runs::{NativeRunInfo, NativeSaveRun, NativeSavedRun};
use crate::decision::{decide, via};
use crate::envelope::{Raw, envelope, read};
use crate::record::{RecordText, RecordsText, RequestsText, WholeRecords};
use crate::request::{NativePast, approval_id, claim, new_request};
use countersign_core::gate::{Error, Gate};
use countersign_core::ledger::{Hash, Retention, Versioned, Watch, hash_from_hex, hex};

/// Performs the operation of this name. `payload` is a JSON array of its arguments; the answer is an envelope.
pub fn perform(gate: &Gate, operation: &str, payload: &str) -> String {
    match operation {
        "open" => envelope(Ok(())),
        // Several: an envelope for each.
        "request" => with(payload, |requests: Vec<Raw>| {
            let new = requests.iter().map(|request| new_request(request.get())).collect();
            let records = gate.request_all(new).into_iter();
            records
                .map(|record| raw(envelope(record.map(RecordText))))
                .collect::<Result<Vec<_>, _>>()
        }),
        "get" => with(payload, |(id,): (Box<str>,)| match approval_id(&id) {
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
        "history" => with(payload, |(past,): (NativePast,)| {
            let past = past.past()?;
            gate.expire_now();
            gate.history(&past).map(RecordsText)
        }),
        "value" => with(payload, |(key,): (Box<str>,)| {
            Ok(gate.value(&key)?.map(|Versioned { text, version }| (text, version)))
        }),
        "setValue" => with(payload, |(key, expected, text): (Box<str>, Option<u64>, Box<str>)| {
            gate.set_value(&key, expected, &text)
        }),
        "decide" => with(payload, |(id, outcome, meta): (Box<str>, Raw, Raw)| {
            decide(gate, &id, outcome.get(), meta.get()).map(RecordText)
        }),
        "cancelRun" => with(payload, |(run, reason, by): (Box<str>, Box<str>, Box<str>)| {
            gate.cancel_run(&run, &reason, via(&by)?)
        }),
        "revoke" => with(payload, |(id, reason): (Box<str>, Box<str>)| match approval_id(&id) {
            Err(_) => Ok(false),
            Ok(id) => gate.revoke(id, &reason),
        }),
        "claim" => with(payload, |(run, id, call): (Option<Box<str>>, Box<str>, Raw)| {
            claim(gate, run.as_deref(), &id, call.get())
        }),
        "settle" => with(payload, |(id, succeeded, result): (Box<str>, bool, Option<Raw>)| {
            gate.settle(approval_id(&id)?, succeeded, result)
        }),
        "watch" => with(payload, |(id,): (Box<str>,)| gate.watch(Watch::One(approval_id(&id)?))),
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
        "saveRun" => with(payload, |(run,): (NativeSaveRun,)| {
            Ok(archive.save_run(run.save()?, now)?.iter().map(|hash| hex(hash)).collect::<Vec<_>>())
        }),
        "takeRun" => with(payload, |(run,): (Box<str>,)| {
            Ok(NativeSavedRun::from(archive.take_run(&run, now)?))
        }),
        "run" => {
            with(payload, |(run,): (Box<str>,)| Ok(archive.run(&run)?.map(NativeSavedRun::from)))
        }
        "releaseRun" => with(payload, |(run,): (Box<str>,)| Ok(archive.release_run(&run, now)?)),
        "runs" => with(payload, |(open, limit): (bool, usize)| {
            let runs = archive.runs(open, limit)?;
            Ok(runs.iter().map(NativeRunInfo::from).collect::<Vec<_>>())
        }),
        "note" => with(payload, |(notes,): (Vec<NativeNote>,)| {
            let notes = notes.into_iter().map(NativeNote::note).collect::<Result<Vec<_>, _>>()?;
            Ok(archive.note(&notes, now)?)
        }),
        "audit" => with(payload, |(after, limit): (u64, usize)| {
            let entries = archive.audit(after, limit)?;
            Ok(entries.into_iter().map(NativeAuditEntry::from).collect::<Vec<_>>())
        }),
        "head" => with(payload, |_: [(); 0]| Ok(NativeHead::from(archive.head()?))),
        "verify" => with(payload, |_: [(); 0]| Ok(NativeVerified::from(archive.verify()?))),
        "about" => with(payload, |_: [(); 0]| Ok(NativeAbout::from(archive.about()?))),
        "tidy" => with(payload, |(contents, records): (Option<u64>, Option<u64>)| {
            Ok(NativeTidied::from(gate.tidy_now(Retention { contents, records })?))
        }),
        "compact" => with(payload, |_: [(); 0]| Ok(NativeTidied::from(archive.compact()?))),
        _ => envelope::<()>(Err(Error::Internal(format!("there is no operation {operation:?}")))),
    }
}

fn with<ARGS: DeserializeOwned, T: Serialize>(
    payload: &str, work: impl FnOnce(ARGS) -> Result<T, Error>,
) -> String {
    envelope(read(payload).and_then(work))
}

/// An answer within an answer.
fn raw(text: String) -> Result<Raw, Error> {
    RawValue::from_string(text).map_err(|error| Error::Internal(error.to_string()))
}

/// The hash that 64 hexadecimal digits stand for.
fn hash(text: &str) -> Result<Hash, Error> {
    hash_from_hex(text).ok_or_else(|| Error::Internal(format!("{text:?} is no hash")))
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeNote>()
        .with::<NativeAuditEntry>()
        .with::<NativeHead>()
        .with::<NativeVerified>()
        .with::<NativeAbout>()
        .with::<NativeTidied>()
        .with::<NativeSaveRun>()
        .with::<NativeSavedRun>()
        .with::<NativeRunInfo>()
}
