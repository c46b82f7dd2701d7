//! [`Ledger`] on the server.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::open::{UpkeepThread, open};
use super::{PostgresSettings, lists, owners, values};
use crate::approval::{ApprovalId, ExecutionStep as Advance, Record, RecordedDecision, Request};
use crate::call::Digest;
use crate::ledger::{
    DecideOutcome, DurableLedger, EventFeed, HistoryQuery, Ledger, LedgerError, OpenOptions,
    RedeemOutcome, RequestOutcome, VersionedText, WatchScope,
};

/// [`Ledger`] in PostgreSQL, which several machines may share. Its methods wait for the server: call them where that is
/// allowed.
#[derive(Debug)]
pub struct PostgresLedger {
    // Dropped in this order.
    _keeper: UpkeepThread,
    pub(super) core: Arc<LedgerCore>,
}

impl PostgresLedger {
    /// Opens a ledger, and makes its tables where they are missing and this role may.
    ///
    /// # Errors
    /// By kind: `Foreign` (other tables of its names), `TooNew`, `Permission`, `ReadOnly` (a standby), `Key`, `Busy`, `Io`.
    pub fn open(settings: PostgresSettings, options: OpenOptions) -> Result<Self, LedgerError> {
        Self::open_by(settings, options, false)
    }

    /// `is_callers`: for tests of what every ledger does, the time is what the caller says.
    pub(super) fn open_by(
        settings: PostgresSettings, options: OpenOptions, is_callers: bool,
    ) -> Result<Self, LedgerError> {
        let now = options.now;
        let core = open(settings, options, is_callers)?;
        let ledger = Self { _keeper: UpkeepThread::start(&core)?, core };
        if !ledger.core.read_only {
            ledger.interrupt_lost(None, now)?;
        }
        Ok(ledger)
    }

    pub(super) fn interrupt_lost(
        &self, run: Option<&str>, now: u64,
    ) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        core.only_read()?;
        core.block_on(async {
            let lost = core
                .pool
                .again(async |client| {
                    owners::sweep(client, &core.pen).await?;
                    lists::lost(client, &core.pen, run).await
                })
                .await?;
            let mut interrupted = Vec::new();
            for id in lost {
                interrupted.extend(core.interrupt(id, now).await?);
            }
            Ok(interrupted)
        })
    }

    /// A step that changes something.
    fn write<R>(&self, step: impl Future<Output = Result<R, StepError>>) -> Result<R, LedgerError> {
        self.core.only_read()?;
        self.core.block_on(step)
    }

    async fn request_one(&self, request: Request) -> Result<RequestOutcome, StepError> {
        let id = request.id;
        let requested = self.core.request(request).await;
        if !matches!(requested, Ok(RequestOutcome::Created(_))) {
            self.core.forget(id);
        }
        requested
    }
}

impl Ledger for PostgresLedger {
    fn feed(&self) -> &Arc<EventFeed> {
        &self.core.feed
    }

    fn now(&self, local: u64) -> u64 {
        self.core.pen.clock.now(local)
    }

    fn request(&self, request: Request) -> Result<RequestOutcome, LedgerError> {
        self.write(async {
            self.core.start_following().await?;
            self.request_one(request).await
        })
    }

    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| lists::get(client, &core.pen, id).await))
    }

    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        core.block_on(
            core.pool.again(async |client| lists::find(client, &core.pen, run, tool_call_id).await),
        )
    }

    fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| lists::pending(client, &core.pen, run).await))
    }

    fn decide_as(
        &self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, LedgerError> {
        self.write(self.core.decide(id, decided, groups))
    }

    fn revoke(
        &self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<Option<Record>, LedgerError> {
        self.write(self.core.cancel(id, &decided, false))
    }

    fn begin(&self, id: ApprovalId, digest: Digest, at: u64) -> Result<RedeemOutcome, LedgerError> {
        self.write(self.core.begin(id, digest, at))
    }

    fn finish(
        &self, id: ApprovalId, end: Advance, result: Option<Box<RawValue>>, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        self.write(self.core.finish(id, end, result, at))
    }

    /// Each by itself: an error in between leaves the others as they are.
    fn expire_due(&self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        self.write(async {
            let mut done = Vec::new();
            while done.len() < limit {
                let left = limit - done.len();
                let due = core
                    .pool
                    .again(async |client| lists::due(client, &core.pen, now, left).await)
                    .await?;
                let before = done.len();
                for id in due {
                    done.extend(core.do_next(id, now).await?);
                }
                // Nothing is due any more, or others did it.
                if done.len() == before {
                    break;
                }
            }
            Ok(done)
        })
    }

    fn next_deadline(&self) -> Result<Option<u64>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| lists::next_deadline(client, &core.pen).await))
    }

    /// Each by itself: an error in between leaves the others as they are.
    fn cancel_run(
        &self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        self.write(async {
            let open =
                core.pool.again(async |client| lists::open(client, &core.pen, run).await).await?;
            let mut cancelled = Vec::with_capacity(open.len());
            for id in open {
                cancelled.extend(core.cancel(id, decided, true).await?);
            }
            Ok(cancelled)
        })
    }

    fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| lists::history(client, &core.pen, past).await))
    }

    fn value(&self, key: &str) -> Result<Option<VersionedText>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| values::get(client, &core.pen, key).await))
    }

    fn set_value(&self, key: &str, expected: Option<u64>, text: &str) -> Result<bool, LedgerError> {
        self.write(values::set(&self.core, key, expected, text))
    }

    fn watch(&self, what: WatchScope) {
        match what {
            WatchScope::One(id) => self.core.follow(id),
            WatchScope::All => self.core.follow_all(true),
            WatchScope::Own => self.core.follow_all(false),
        }
        if let Err(error) = self.core.block_on(self.core.start_following()) {
            tracing::error!(target: "countersign", code = error.kind.code(), %error, "cannot follow the ledger");
        }
    }

    fn archive(&self) -> Option<&dyn DurableLedger> {
        Some(self)
    }
}
