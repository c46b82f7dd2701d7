//! The audit and the upkeep, as the binding writes and reads them.

use serde::{Deserialize, Serialize};

use super::Host;
use crate::envelope::Raw;
use crate::operations::{Done, Operate};
use crate::request::approval_id;
#[cfg(test)]
use crate::words;
use countersign_core::call::{CanonicalJson, Digest};
use countersign_core::gate::GateError;
use countersign_core::ledger::Retention;
use countersign_core::ledger::audit::{AuditChain, AuditEntry, AuditNote, NoteKind, RuleAt};
use countersign_core::ledger::{LedgerDamage, LedgerInfo, UpkeepReport, VerificationReport, hex};
use countersign_core::policy::Effect;

/// Something to be written down beside what the ledger itself does. The arguments are not kept, their digest is.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeNote {
    #[cfg_attr(
        test,
        ts(type = "'verdict' | 'reviewed' | 'granted' | 'grant-revoked' | 'run-resumed'")
    )]
    kind: Box<str>,
    run_id: Option<Box<str>>,
    tool_call_id: Option<Box<str>>,
    tool_name: Option<Box<str>>,
    approval_id: Option<Box<str>>,
    by: Option<Box<str>>,
    #[cfg_attr(test, ts(as = "Option<words::PolicyEffect>"))]
    effect: Option<Effect>,
    rule: Option<NativeNoteRule>,
    reason: Option<Box<str>>,
    /// What a rule marks it as, and why.
    risk: Option<Box<str>>,
    because: Option<Box<str>>,
    #[cfg_attr(test, ts(optional, type = "unknown"))]
    args: Option<Raw>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    origin: Vec<Box<str>>,
    label: Option<Box<str>>,
    scope: Option<Box<str>>,
    grant_id: Option<Box<str>>,
    expires_at: Option<u64>,
    review: Option<NativeNoteReview>,
}

/// What a reviewer said.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeNoteReview {
    /// The id of the model; `null`: it is a function.
    model: Option<Box<str>>,
    criteria: Box<str>,
    criteria_digest: Box<str>,
    /// The word for it; `failed` without one.
    answer: Box<str>,
    /// Whether it decided.
    decides: bool,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeNoteRule {
    source: Box<str>,
    #[cfg_attr(test, ts(as = "words::PolicyLayer"))]
    layer: Box<str>,
    #[cfg_attr(test, ts(optional = nullable))]
    line: Option<u32>,
}

impl NativeNote {
    pub(crate) fn note(self) -> Result<AuditNote, GateError> {
        // What belongs to a step of the ledger is written down with it, and by it alone.
        let kind = match NoteKind::from_name(&self.kind) {
            Some(
                kind @ (NoteKind::Verdict
                | NoteKind::Reviewed
                | NoteKind::Granted
                | NoteKind::GrantRevoked
                | NoteKind::RunResumed),
            ) => kind,
            _ => {
                return Err(GateError::Internal(format!(
                    "nobody may note {:?} by itself",
                    self.kind
                )));
            }
        };
        let args = self.args.map(|args| CanonicalJson::parse(args.get())).transpose()?;
        let mut note = AuditNote {
            run_id: self.run_id,
            tool_call_id: self.tool_call_id,
            tool_name: self.tool_name,
            approval_id: self.approval_id.map(|id| approval_id(&id)).transpose()?,
            by: self.by,
            effect: self.effect,
            rule: self.rule.map(|NativeNoteRule { source, layer, line }| RuleAt {
                source,
                layer,
                line,
            }),
            reason: self.reason,
            args_digest: args.map(|args| Digest::of_text(args.as_str())),
            origin: self.origin,
            ..AuditNote::new(kind)
        };
        for (name, fact) in [
            ("label", self.label),
            ("scope", self.scope),
            ("grantId", self.grant_id),
            ("risk", self.risk),
            ("because", self.because),
        ] {
            if let Some(fact) = fact {
                note = note.with(name, &*fact);
            }
        }
        if let Some(review) = self.review {
            let NativeNoteReview { model, criteria, criteria_digest, answer, decides } = review;
            note = note.with("answer", &*answer).with("criteria", &*criteria);
            note = note.with("criteriaDigest", &*criteria_digest);
            note = note.with("decides", i64::from(decides));
            if let Some(model) = model {
                note = note.with("model", &*model);
            }
        }
        if let Some(at) = self.expires_at.and_then(|at| i64::try_from(at).ok()) {
            note = note.with("expiresAt", at);
        }
        Ok(note)
    }
}

/// An entry of the audit: the very text that its hash is of, and that hash in hex.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeAuditEntry {
    body: String,
    hash: String,
}

impl From<AuditEntry> for NativeAuditEntry {
    fn from(entry: AuditEntry) -> Self {
        Self { hash: hex(&entry.hash), body: entry.body }
    }
}

/// Where the audit stands.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeHead {
    size: u64,
    hash: String,
    at: u64,
}

impl From<AuditChain> for NativeHead {
    fn from(chain: AuditChain) -> Self {
        Self { size: chain.seq, hash: hex(&chain.head), at: chain.at }
    }
}

/// What a verification found.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeVerified {
    entries: u64,
    head: String,
    records: u64,
    faults: Vec<NativeDamage>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeDamage {
    seq: Option<u64>,
    record: Option<Box<str>>,
    what: Box<str>,
}

impl From<VerificationReport> for NativeVerified {
    fn from(verified: VerificationReport) -> Self {
        let fault = |LedgerDamage { seq, record, what }| NativeDamage { seq, record, what };
        Self {
            entries: verified.entries,
            head: hex(&verified.head),
            records: verified.records,
            faults: verified.faults.into_iter().map(fault).collect(),
        }
    }
}

/// What a ledger holds.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeAbout {
    place: Box<str>,
    schema: u32,
    encrypted: bool,
    records: u64,
    pending: u64,
    runs: u64,
    entries: u64,
    bytes: u64,
}

impl From<LedgerInfo> for NativeAbout {
    fn from(about: LedgerInfo) -> Self {
        let LedgerInfo { place, schema, encrypted, records, pending, runs, entries, bytes } = about;
        Self { place, schema, encrypted, records, pending, runs, entries, bytes }
    }
}

/// What was dropped.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeTidied {
    contents: u64,
    records: u64,
    entries: u64,
    bytes: u64,
}

impl From<UpkeepReport> for NativeTidied {
    fn from(tidied: UpkeepReport) -> Self {
        let UpkeepReport { contents, records, entries, bytes } = tidied;
        Self { contents, records, entries, bytes }
    }
}

/// Writes notes into the audit.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteNotes {
    notes: Vec<NativeNote>,
}

impl Operate<&dyn Host> for WriteNotes {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let (archive, now) = (gate.archive()?, gate.now());
        let notes = self.notes.into_iter().map(NativeNote::note).collect::<Result<Vec<_>, _>>()?;
        archive.note(&notes, now)?;
        Ok(Done)
    }
}

/// The entries of the audit after this number.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadAudit {
    after: u64,
    limit: usize,
}

impl Operate<&dyn Host> for ReadAudit {
    type Answer = Vec<NativeAuditEntry>;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let archive = gate.archive()?;
        let entries = archive.audit(self.after, self.limit)?;
        Ok(entries.into_iter().map(NativeAuditEntry::from).collect())
    }
}

/// Where the audit stands.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadHead {}

impl Operate<&dyn Host> for ReadHead {
    type Answer = NativeHead;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        Ok(gate.archive()?.head()?.into())
    }
}

/// Verifies the whole ledger.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerifyLedger {}

impl Operate<&dyn Host> for VerifyLedger {
    type Answer = NativeVerified;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        Ok(gate.archive()?.verify()?.into())
    }
}

/// What the ledger holds.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribeLedger {}

impl Operate<&dyn Host> for DescribeLedger {
    type Answer = NativeAbout;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        Ok(gate.archive()?.about()?.into())
    }
}

/// Drops what ended longer ago than this, in ms.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct TidyLedger {
    /// `null`: nothing.
    contents: Option<u64>,
    /// `null`: nothing.
    records: Option<u64>,
}

impl Operate<&dyn Host> for TidyLedger {
    type Answer = NativeTidied;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let Self { contents, records } = self;
        Ok(gate.tidy_now(Retention { contents, records })?.into())
    }
}

/// Gives the space of what was dropped back.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompactLedger {}

impl Operate<&dyn Host> for CompactLedger {
    type Answer = NativeTidied;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        Ok(gate.archive()?.compact()?.into())
    }
}
