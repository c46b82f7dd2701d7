//! The audit and the upkeep, as the binding writes and reads them.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::{Error, Raw, wire};
use countersign_core::call::{CanonicalJson, Digest};
use countersign_core::ledger::audit::{Chain, Entry, Kind, Note, RuleAt};
use countersign_core::ledger::{About, Damage, Tidied, Verified, hex};
use countersign_core::policy::Effect;

/// Something to be written down: `{ kind, runId?, toolCallId?, toolName?, approvalId?, by?, effect?, rule?, reason?, args?,
/// origin?, label?, scope?, grantId?, expiresAt? }`. The arguments are not kept, their digest is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteText {
    kind: Box<str>,
    run_id: Option<Box<str>>,
    tool_call_id: Option<Box<str>>,
    tool_name: Option<Box<str>>,
    approval_id: Option<Box<str>>,
    by: Option<Box<str>>,
    effect: Option<Effect>,
    rule: Option<RuleText>,
    reason: Option<Box<str>>,
    args: Option<Raw>,
    #[serde(default)]
    origin: Vec<Box<str>>,
    label: Option<Box<str>>,
    scope: Option<Box<str>>,
    grant_id: Option<Box<str>>,
    expires_at: Option<u64>,
}

#[derive(Deserialize)]
struct RuleText {
    source: Box<str>,
    layer: Box<str>,
    line: Option<u32>,
}

impl NoteText {
    pub(super) fn note(self) -> Result<Note, Error> {
        // What belongs to a step of the ledger is written down with it, and by it alone.
        let kind = match Kind::from_name(&self.kind) {
            Some(
                kind @ (Kind::Verdict | Kind::Granted | Kind::GrantRevoked | Kind::RunResumed),
            ) => kind,
            _ => {
                return Err(Error::Internal(format!("nobody may note {:?} by itself", self.kind)));
            }
        };
        let args = self.args.map(|args| CanonicalJson::parse(args.get())).transpose()?;
        let mut note = Note {
            run_id: self.run_id,
            tool_call_id: self.tool_call_id,
            tool_name: self.tool_name,
            approval_id: self.approval_id.map(|id| wire::approval_id(&id)).transpose()?,
            by: self.by,
            effect: self.effect,
            rule: self.rule.map(|RuleText { source, layer, line }| RuleAt { source, layer, line }),
            reason: self.reason,
            args_digest: args.map(|args| Digest::of_text(args.as_str())),
            origin: self.origin,
            ..Note::new(kind)
        };
        for (name, fact) in
            [("label", self.label), ("scope", self.scope), ("grantId", self.grant_id)]
        {
            if let Some(fact) = fact {
                note = note.with(name, &*fact);
            }
        }
        if let Some(at) = self.expires_at.and_then(|at| i64::try_from(at).ok()) {
            note = note.with("expiresAt", at);
        }
        Ok(note)
    }
}

/// An entry: `{ body, hash }`, the body as the very text that its hash is of.
pub(super) struct EntryText(pub(super) Entry);

impl Serialize for EntryText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("body", &self.0.body)?;
        map.serialize_entry("hash", &hex(&self.0.hash))?;
        map.end()
    }
}

#[derive(Serialize)]
pub(super) struct HeadText {
    size: u64,
    hash: String,
    at: u64,
}

impl From<Chain> for HeadText {
    fn from(chain: Chain) -> Self {
        Self { size: chain.seq, hash: hex(&chain.head), at: chain.at }
    }
}

#[derive(Serialize)]
pub(super) struct VerifiedText {
    entries: u64,
    head: String,
    records: u64,
    faults: Vec<DamageText>,
}

#[derive(Serialize)]
struct DamageText {
    seq: Option<u64>,
    record: Option<Box<str>>,
    what: Box<str>,
}

impl From<Verified> for VerifiedText {
    fn from(verified: Verified) -> Self {
        let fault = |Damage { seq, record, what }| DamageText { seq, record, what };
        Self {
            entries: verified.entries,
            head: hex(&verified.head),
            records: verified.records,
            faults: verified.faults.into_iter().map(fault).collect(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct AboutText {
    place: Box<str>,
    schema: u32,
    encrypted: bool,
    records: u64,
    pending: u64,
    runs: u64,
    entries: u64,
    bytes: u64,
}

impl From<About> for AboutText {
    fn from(about: About) -> Self {
        let About { place, schema, encrypted, records, pending, runs, entries, bytes } = about;
        Self { place, schema, encrypted, records, pending, runs, entries, bytes }
    }
}

#[derive(Serialize)]
pub(super) struct TidiedText {
    contents: u64,
    records: u64,
    entries: u64,
    bytes: u64,
}

impl From<Tidied> for TidiedText {
    fn from(tidied: Tidied) -> Self {
        let Tidied { contents, records, entries, bytes } = tidied;
        Self { contents, records, entries, bytes }
    }
}
