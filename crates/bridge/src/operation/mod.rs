//! What a gate is asked to do: a type for each operation, with its arguments, its answer and what it does.

mod asking;
mod audit;
mod runs;

use std::sync::Arc;

use countersign_core::gate::policies::Policies;
use countersign_core::gate::{Gate, GateError};
use countersign_core::ledger::EventFeed;

use self::asking::{
    AskDurable, CancelRun, CheckBound, CheckStaleness, CloseGate, DecideRequest, DrainEvents,
    FindRecords, GetRecord, ListPending, LookAtCall, OpenLedger, ParseAnswer, ReadValue,
    RedeemApproval, RequestApprovals, RevokeApproval, SetValue, SettleCall, WatchAll, WatchRequest,
};
use self::audit::{
    CompactLedger, DescribeLedger, ReadAudit, ReadHead, TidyLedger, VerifyLedger, WriteNotes,
};
use self::runs::{
    InterruptRuns, ListRecords, ListRuns, NativeSaveRun, ReadRun, ReleaseRun, TakeRun,
};
use crate::envelope::{envelope, raw, read};
use crate::operations::operations;
use crate::policies::bound::{LookFailure, PolicyLook, refused};
use crate::policies::calls::LONGEST_AT_ONCE;
use crate::record::drain;
use crate::request::NativePast;

/// What operations are done on.
pub trait Host {
    /// The gate. It may be opened for this, and that may wait for a disk.
    ///
    /// # Errors
    /// When it cannot be opened, or not without waiting where nothing may wait.
    fn gate(&self) -> Result<Arc<Gate>, GateError>;

    /// What happens, also before there is a gate.
    fn feed(&self) -> &EventFeed;

    /// Whether what is asked here outlives this process.
    fn is_durable(&self) -> bool;

    /// Whether the events of every process are told of.
    fn watch_all(&self, on: bool);

    /// Closes the gate, if there is one.
    ///
    /// # Errors
    /// When the ledger fails.
    fn close(&self, reason: &str) -> Result<(), GateError>;
}

operations! {
    Operations, "What a gate can be asked to do.", &dyn Host:
    IsDurable(AskDurable),
    Open(OpenLedger),
    Request(RequestApprovals),
    Look(LookAtCall),
    Staleness(CheckStaleness),
    Get(GetRecord),
    Find(FindRecords),
    Pending(ListPending),
    History(NativePast),
    Value(ReadValue),
    SetValue(SetValue),
    ParseAnswer(ParseAnswer),
    Decide(DecideRequest),
    CancelRun(CancelRun),
    Revoke(RevokeApproval),
    Redeem(RedeemApproval),
    IsBound(CheckBound),
    Settle(SettleCall),
    Watch(WatchRequest),
    WatchAll(WatchAll),
    Drain(DrainEvents),
    Close(CloseGate),
    SaveRun(NativeSaveRun),
    TakeRun(TakeRun),
    Run(ReadRun),
    ReleaseRun(ReleaseRun),
    Runs(ListRuns),
    Records(ListRecords),
    Interrupt(InterruptRuns),
    Note(WriteNotes),
    Audit(ReadAudit),
    Head(ReadHead),
    Verify(VerifyLedger),
    About(DescribeLedger),
    Tidy(TidyLedger),
    Compact(CompactLedger),
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    Operation::types(all).with::<crate::policies::bound::NativeLooked<'static>>()
}

/// What was answered.
pub struct PerformedOperation {
    text: String,
    /// Whether what happened belongs to it: it may have made it happen.
    is_change: bool,
}

/// An operation that was read, with what policies say of its call.
pub struct ReadyOperation(Result<Operation, GateError>);

impl ReadyOperation {
    /// Reads an operation, and asks these policies what belongs to it. Waits for files where that is needed.
    pub fn new(operation: &str, policies: &[Arc<Policies>]) -> Self {
        let look = PolicyLook { policies, may_wait: true };
        Self(read(operation).and_then(|operation| looked(operation, look).map_err(refused)))
    }

    /// The same, from what is known; `None`: it has to wait for files, or takes long.
    pub fn near(operation: &str, policies: &[Arc<Policies>]) -> Option<Self> {
        if !policies.is_empty() && operation.len() > LONGEST_AT_ONCE {
            return None;
        }
        let look = PolicyLook { policies, may_wait: false };
        match read(operation).map(|operation| looked(operation, look)) {
            Ok(Ok(operation)) => Some(Self(Ok(operation))),
            Ok(Err(LookFailure::NeedsFiles)) => None,
            Ok(Err(LookFailure::Refused(error))) | Err(error) => Some(Self(Err(error))),
        }
    }

    /// Does what is asked: an envelope with the answer.
    pub fn perform(self, host: &dyn Host) -> PerformedOperation {
        match self.0 {
            Ok(operation) => {
                let is_change = operation.is_change();
                PerformedOperation { text: operation.perform(host), is_change }
            }
            Err(error) => PerformedOperation::failed(error),
        }
    }

    /// As [`ReadyOperation::perform`], with what happened in memory since the last time, for every operation. The answer of
    /// `drain` is just that, and what it leaves is left.
    pub fn perform_now(self, host: &dyn Host) -> String {
        let operation = match self.0 {
            Ok(operation) => operation,
            Err(error) => return envelope::<()>(Err(error)),
        };
        let is_change = !host.is_durable() && !matches!(operation, Operation::Drain(_));
        PerformedOperation { text: operation.perform(host), is_change }.with_events(host.feed())
    }
}

/// The operation, with what the policies say of its call.
fn looked(mut operation: Operation, look: PolicyLook<'_>) -> Result<Operation, LookFailure> {
    match &mut operation {
        Operation::Request(requests) => requests.look(look)?,
        Operation::Look(call) => call.look(look)?,
        Operation::Decide(decision) => decision.look(look)?,
        Operation::Staleness(call) => call.look(look)?,
        Operation::Redeem(redeem) => redeem.call.look(look)?,
        Operation::IsBound(check) => check.call.look(look)?,
        _ => {}
    }
    Ok(operation)
}

impl Operation {
    /// Whether it changes requests, which events report.
    const fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Request(_)
                | Self::Decide(_)
                | Self::CancelRun(_)
                | Self::Revoke(_)
                | Self::Redeem(_)
                | Self::Settle(_)
                | Self::Close(_)
        )
    }
}

impl PerformedOperation {
    /// Nothing was done.
    pub fn failed(error: GateError) -> Self {
        Self { text: envelope::<()>(Err(error)), is_change: true }
    }

    /// The answer, and what happened since the last time: `{ ok, events }`, `{ error, events }`. To be called where answers are
    /// told one after the other: events are in the order in which they happened.
    pub fn with_events(self, feed: &EventFeed) -> String {
        let Self { mut text, is_change } = self;
        if !is_change || feed.is_empty() || !text.ends_with('}') {
            return text;
        }
        let events = match drain(feed).and_then(|events| raw(&events)) {
            Ok(events) => events,
            // The events cannot be told: the caller must not go on as if they were.
            Err(error) => return envelope::<()>(Err(error)),
        };
        let _end = text.pop();
        text.push_str(r#","events":"#);
        text.push_str(events.get());
        text.push('}');
        text
    }
}
