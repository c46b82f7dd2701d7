//! What a gate is asked to do: a type for each operation, with its arguments, its answer and what it does.

mod asking;
mod audit;
mod runs;

use std::sync::Arc;

use countersign_core::gate::{Gate, GateError};
use countersign_core::ledger::EventFeed;

use self::asking::{
    AskLasting, CancelRun, CheckBound, ClaimApproval, CloseGate, DecideRequest, DrainEvents,
    FindRecords, GetRecord, ListPending, OpenLedger, ParseAnswer, ReadValue, RequestApprovals,
    RevokeApproval, SetValue, SettleCall, WatchAll, WatchRequest,
};
use self::audit::{
    CompactLedger, DescribeLedger, ReadAudit, ReadHead, TidyLedger, VerifyLedger, WriteNotes,
};
use self::runs::{
    InterruptRuns, ListRecords, ListRuns, NativeSaveRun, ReadRun, ReleaseRun, TakeRun,
};
use crate::envelope::{envelope, raw, read};
use crate::operations::operations;
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
    fn lasts(&self) -> bool;

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
    Lasts(AskLasting),
    Open(OpenLedger),
    Request(RequestApprovals),
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
    Claim(ClaimApproval),
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
    Operation::types(all)
}

/// Does what is asked: the text of an operation to an envelope with its answer.
pub fn perform(host: &dyn Host, operation: &str) -> String {
    match read::<Operation>(operation) {
        Ok(operation) => operation.perform(host),
        Err(error) => envelope::<()>(Err(error)),
    }
}

/// As [`perform`]. In memory the answer brings what happened since the last time: `{ ok, events }`, `{ error, events }`. That of
/// `drain` is just that, and what it leaves is left.
pub fn perform_now(host: &dyn Host, operation: &str) -> String {
    let operation = match read::<Operation>(operation) {
        Ok(operation) => operation,
        Err(error) => return envelope::<()>(Err(error)),
    };
    let brings = !host.lasts() && !matches!(operation, Operation::Drain(_));
    let mut answer = operation.perform(host);
    if !brings || host.feed().is_empty() || !answer.ends_with('}') {
        return answer;
    }
    let events = match drain(host.feed()).and_then(|events| raw(&events)) {
        Ok(events) => events,
        // Nobody can be told what happened: whoever asked must not go on as if they were.
        Err(error) => return envelope::<()>(Err(error)),
    };
    let _end = answer.pop();
    answer.push_str(r#","events":"#);
    answer.push_str(events.get());
    answer.push('}');
    answer
}
