//! What only a durable ledger has: runs and their history, and its upkeep.

use serde_json::value::RawValue;

use super::LedgerError;
use super::audit::{AuditChain, AuditEntry, AuditNote};
use super::row::internal;
use crate::approval::Record;

/// A SHA-256.
pub type Hash = [u8; 32];

/// How far a run has come, as it says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// It goes on, or would if its process lived.
    Running,
    /// It came to its end.
    Done,
    /// It ended with an error.
    Failed,
    /// It was aborted or left.
    Cancelled,
}

impl RunStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status with this very name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether nothing more can come.
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Running)
    }
}

/// Where a run stands, to be kept.
#[derive(Debug)]
pub struct SaveRun<'a> {
    /// The run.
    pub run_id: &'a str,
    /// What the new entries follow: the hash of an entry of this run, or `None` for the beginning. Entries behind it that
    /// are not among the new ones are no longer part of the run.
    pub parent: Option<Hash>,
    /// What is new of its history: JSON texts, kept as they are.
    pub entries: &'a [Box<RawValue>],
    /// All else that a resume needs, small.
    pub state: &'a RawValue,
    /// How far it is.
    pub status: RunStatus,
    /// How many approvals' worth of steps it has done, for a list of runs.
    pub steps: u64,
}

/// A run as it was kept.
#[derive(Debug)]
pub struct SavedRun {
    /// Its history, oldest first, each with its hash.
    pub entries: Vec<(Hash, Box<RawValue>)>,
    /// What else was kept.
    pub state: Box<RawValue>,
    /// What a list shows of it.
    pub info: RunInfo,
}

/// What a list shows of a run.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// The run.
    pub run_id: Box<str>,
    /// How far it is.
    pub status: RunStatus,
    /// Whether a process that lives continues it.
    pub active: bool,
    /// Steps done.
    pub steps: u64,
    /// Requests that wait.
    pub pending: u64,
    /// ms since the epoch.
    pub created_at: u64,
    /// ms since the epoch.
    pub updated_at: u64,
}

/// For how long things are kept, in ms; `None`: for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Arguments, previews, decisions' contents, results and history after nothing can happen to them any more. Digests and
    /// audit stay.
    pub contents: Option<u64>,
    /// The records themselves, and runs that are over. The audit stays.
    pub records: Option<u64>,
}

/// What an upkeep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpkeepReport {
    /// Records that lost their contents.
    pub contents: u64,
    /// Records that are gone.
    pub records: u64,
    /// Entries of histories that are gone.
    pub entries: u64,
    /// Bytes of the file given back.
    pub bytes: u64,
}

impl std::ops::Add for UpkeepReport {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            contents: self.contents + more.contents,
            records: self.records + more.records,
            entries: self.entries + more.entries,
            bytes: self.bytes + more.bytes,
        }
    }
}

/// What a look at everything found.
#[derive(Debug, Clone, Default)]
pub struct VerificationReport {
    /// Entries of the audit that are as they were written, from the first on.
    pub entries: u64,
    /// The hash of the last of these.
    pub head: Hash,
    /// Records looked at.
    pub records: u64,
    /// What is wrong, the first bad entry first; empty: nothing.
    pub faults: Vec<LedgerDamage>,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerDamage {
    /// The entry of the audit, where it is one.
    pub seq: Option<u64>,
    /// The record, where it is one.
    pub record: Option<Box<str>>,
    /// What is wrong with it.
    pub what: Box<str>,
}

/// What a ledger is.
#[derive(Debug, Clone)]
pub struct LedgerInfo {
    /// Where it is.
    pub place: Box<str>,
    /// The version of its schema.
    pub schema: u32,
    /// Whether its contents are encrypted.
    pub encrypted: bool,
    /// Requests that are kept, and of them those that wait.
    pub records: u64,
    /// Requests that wait.
    pub pending: u64,
    /// Runs that are kept.
    pub runs: u64,
    /// Entries of the audit.
    pub entries: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// What only a durable ledger has. Like [`Ledger`](super::Ledger)'s, each method is one atomic, durable step.
pub trait DurableLedger: Send + Sync {
    /// The records of a run, oldest first.
    fn records(&self, run: &str) -> Result<Vec<Record>, LedgerError>;

    /// Writes `interrupted` down for what was started by a process that is gone; of all runs when `run` is `None`.
    fn interrupt(&self, run: Option<&str>, now: u64) -> Result<Vec<Record>, LedgerError>;

    /// Keeps where a run stands, and returns the hash of each new entry. The first save makes the run this process' own;
    /// it fails with `RunActive` when the run is another living process', and with `RunOver` when it has ended.
    fn save_run(&self, save: SaveRun<'_>, now: u64) -> Result<Vec<Hash>, LedgerError> {
        self.save_run_after(&[], save, now)
    }

    /// As [`DurableLedger::save_run`], and writes these notes into the audit before: both in one step, or neither.
    fn save_run_after(
        &self, notes: &[AuditNote], save: SaveRun<'_>, now: u64,
    ) -> Result<Vec<Hash>, LedgerError>;

    /// A run as it was kept.
    fn run(&self, run: &str) -> Result<Option<SavedRun>, LedgerError>;

    /// Makes a run this process' own, to continue it. Fails with `UnknownRun`, `RunActive` (also when this process itself
    /// continues it) and `RunOver`: it is done or cancelled. One that failed may go on.
    fn take_run(&self, run: &str, now: u64) -> Result<SavedRun, LedgerError>;

    /// Lets go of a run that is not over, so that another process may take it.
    fn release_run(&self, run: &str, now: u64) -> Result<(), LedgerError>;

    /// Runs, the latest change first, at most `limit`; `open`: only those that are not over.
    fn runs(&self, open: bool, limit: usize) -> Result<Vec<RunInfo>, LedgerError>;

    /// Writes down what happened beside the life of requests: verdicts, grants.
    fn note(&self, notes: &[AuditNote], now: u64) -> Result<(), LedgerError>;

    /// The entries of the audit after this number, in order, at most `limit`.
    fn audit(&self, after: u64, limit: usize) -> Result<Vec<AuditEntry>, LedgerError>;

    /// Where the audit stands: its head is what can be published.
    fn head(&self) -> Result<AuditChain, LedgerError>;

    /// Looks at everything: the chain, each record against its seal and against the chain, the file itself.
    fn verify(&self) -> Result<VerificationReport, LedgerError>;

    /// What this ledger is.
    fn about(&self) -> Result<LedgerInfo, LedgerError>;

    /// Drops what retention lets go of: at most about `limit` rows at a time, to keep other steps from waiting long. Nothing
    /// left to do: all zero.
    fn tidy(
        &self, retention: Retention, now: u64, limit: usize,
    ) -> Result<UpkeepReport, LedgerError>;

    /// Gives the space of what was dropped back to the system.
    fn compact(&self) -> Result<UpkeepReport, LedgerError>;
}

/// A run that was just taken. It is ours now, and stays unchanged while it is read; what cannot be read is given back.
pub(super) fn taken(
    archive: &impl DurableLedger, run: &str, now: u64,
) -> Result<SavedRun, LedgerError> {
    match archive.run(run) {
        Ok(Some(saved)) => Ok(saved),
        failed => {
            let _ = archive.release_run(run, now);
            Err(failed.err().unwrap_or_else(|| internal("a run that was taken is gone")))
        }
    }
}
