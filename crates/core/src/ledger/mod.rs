//! What is kept: the requests, their decisions and their executions.

mod archive;
pub mod audit;
#[cfg(test)]
mod conformance;
mod encoding;
mod error;
mod feed;
pub mod history;
mod memory;
mod open;
mod open_options;
pub mod postgres;
mod row;
pub mod seal;
pub mod sqlite;

use std::sync::Arc;

use serde_json::value::RawValue;

pub use archive::{
    DurableLedger, Hash, LedgerDamage, LedgerInfo, Retention, RunInfo, RunStatus, SaveRun,
    SavedRun, UpkeepReport, VerificationReport,
};
pub use encoding::{hash_from_hex, hex};
pub use error::{LedgerError, LedgerErrorKind};
pub use feed::{EventFeed, ExecutionEnd, LedgerEvent, MAX_DRAIN, WakeCallback};
pub use memory::MemoryLedger;
pub use open::{LedgerLocation, open};
pub use open_options::OpenOptions;

use crate::approval::{ApprovalId, ExecutionStep, Record, RecordedDecision, Request, Status};
use crate::call::Digest;

/// How a new request was taken.
#[derive(Debug)]
pub enum RequestOutcome {
    /// It waits.
    Created(Record),
    /// This run already asked about this call id.
    Duplicate(Record),
}

/// How a decision was taken.
#[derive(Debug)]
pub enum DecideOutcome {
    /// It is the one that stands.
    Won(Record),
    /// It was counted, now or before, and more are needed: the request goes on waiting.
    Counted(Record),
    /// It is of somebody who may not take it: the request goes on waiting.
    Refused {
        /// The request.
        record: Record,
        /// Who may: names, and groups as `group:NAME`; empty: everybody who gives a name.
        may: Vec<Box<str>>,
    },
    /// Somebody else was first.
    Already(Record),
    /// Its time was up, which this very step wrote down.
    Expired(Record),
    /// The request does not allow it, and goes on waiting.
    NotAllowed(Record),
    /// There is no such request.
    Unknown,
}

impl DecideOutcome {
    /// A decision by somebody who may not take it at this moment.
    fn refused(record: Record, at: u64) -> Self {
        let may = record.request().approvers(at).into_iter().map(Into::into).collect();
        Self::Refused { record, may }
    }
}

/// How a redemption was taken.
#[derive(Debug)]
pub enum RedeemOutcome {
    /// It is the one use: run it.
    Won(Record),
    /// Its status does not let it start.
    Refused(Status),
    /// What would run is not what was approved. The approval stands.
    Mismatch,
    /// There is no such request.
    Unknown,
}

/// Whose events a ledger tells of. In memory there are no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchScope {
    /// Of this request too, made by anyone.
    One(ApprovalId),
    /// Of every request.
    All,
    /// Of those that were made or watched here.
    Own,
}

/// What to look at of what is no longer pending.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Only of this run and of those that are a part of it.
    pub run: Option<Box<str>>,
    /// Only of this tool.
    pub tool: Option<Box<str>>,
    /// Only requests that were made before this one; it may be gone.
    pub before: Option<ApprovalId>,
    /// At most this many.
    pub limit: usize,
}

impl HistoryQuery {
    fn includes(&self, record: &Record) -> bool {
        let call = &record.request().call;
        let is_part = |run: &str| {
            call.run_id
                .strip_prefix(run)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(PART))
        };
        self.run.as_deref().is_none_or(is_part)
            && self.tool.as_deref().is_none_or(|tool| *call.tool_name == *tool)
    }
}

/// A text that is kept beside the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedText {
    /// The text.
    pub text: Box<str>,
    /// How often it was set, from 1.
    pub version: u64,
}

/// Between the id of a run and that of a part of it, which is a run of its own: `run>call`.
pub(crate) const PART: &str = ">";
/// What comes right after [`PART`]: where the ids of the parts of a run end.
pub(crate) const AFTER_PARTS: &str = "?";

/// Where requests are kept.
///
/// Each method is **one atomic step**: it happens as a whole or not at all, and no other step, of this process or another,
/// comes between its look and its change. What it acknowledges is as durable as the ledger is. A step that fails has
/// changed nothing. A store that several processes share makes its compare-and-set inside one transaction
/// (`UPDATE … WHERE status = 'pending' AND …`), never as a read and a write.
///
/// Times are ms since the epoch and come from the caller, who has the clock. A durable ledger never goes back behind the
/// last time it has written down: where the caller's is earlier, that one counts, and a new request's deadline moves with it.
///
/// Each change is also an event of the [`EventFeed`], in the order of the changes.
pub trait Ledger: Send + Sync {
    /// What happens.
    fn feed(&self) -> &Arc<EventFeed>;

    /// The time that counts here, in ms since the epoch, when it is `local` by the clock of this machine. One that several
    /// machines share goes by a clock of its own.
    fn now(&self, local: u64) -> u64 {
        local
    }

    /// Keeps a request that waits, unless its run already asked about that call id and the last of these requests is not the
    /// cancelled, interrupted or answered one that this one supersedes: [`Request::may_replace`].
    fn request(&self, request: Request) -> Result<RequestOutcome, LedgerError>;

    /// As [`Ledger::request`] for several, one after the other. One that waits for a disk does it once for all.
    fn request_all(&self, requests: Vec<Request>) -> Result<Vec<RequestOutcome>, LedgerError> {
        requests.into_iter().map(|request| self.request(request)).collect()
    }

    /// A record.
    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError>;

    /// The records of a call id, oldest first; over all runs when `run` is `None`.
    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError>;

    /// What waits, oldest first: of a run and of those that are a part of it, or over all runs when `run` is `None`.
    fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, LedgerError>;

    /// Decides, if the request is still open at `decided.at` and allows it. The first decision stands for ever. A decision
    /// at or after the deadline does not count: `expired` is written down instead. Of a request that says who must agree,
    /// [`Request::consider`] says what the decision does; `groups` are those that the person is in.
    fn decide_as(
        &self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, LedgerError>;

    /// As [`Ledger::decide_as`], by somebody who is in no group.
    fn decide(
        &self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<DecideOutcome, LedgerError> {
        self.decide_as(id, decided, &[])
    }

    /// Takes back an approval that was not started; `None`: there was nothing to take back. `decided` is a cancellation.
    fn revoke(
        &self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<Option<Record>, LedgerError>;

    /// The one use of an approval: approved or edited, bound to this digest, becomes started. It succeeds at most once in
    /// the life of a request, over any number of processes.
    fn begin(&self, id: ApprovalId, digest: Digest, at: u64) -> Result<RedeemOutcome, LedgerError>;

    /// Writes down how a started call ended, and what it gave; `None`: it was not running.
    fn finish(
        &self, id: ApprovalId, end: ExecutionStep, result: Option<Box<RawValue>>, at: u64,
    ) -> Result<Option<Record>, LedgerError>;

    /// Does what time does to what waits and is due at `now`: reminds, escalates, or writes `expired` down. The most overdue
    /// first, at most `limit`; each once, over any number of processes.
    fn expire_due(&self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError>;

    /// When time does something next to anything that waits.
    fn next_deadline(&self) -> Result<Option<u64>, LedgerError>;

    /// Cancels what a run waits for and takes back what was approved but not started; of all runs when `run` is `None`.
    /// `decided` is a cancellation.
    fn cancel_run(
        &self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, LedgerError>;

    /// What is no longer pending, the latest request first.
    fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, LedgerError>;

    /// The text that is kept under a key.
    fn value(&self, key: &str) -> Result<Option<VersionedText>, LedgerError>;

    /// Keeps a text under a key if what is there is still of this version; `None`: if nothing is. `false`: it is not.
    fn set_value(&self, key: &str, expected: Option<u64>, text: &str) -> Result<bool, LedgerError>;

    /// Says whose events to tell of, beside those of requests that were made here.
    fn watch(&self, _what: WatchScope) {}

    /// What only a durable ledger has; `None`: this one does not outlive its process.
    fn archive(&self) -> Option<&dyn DurableLedger> {
        None
    }
}
