//! What a gate is asked to do: a type for each operation, with its arguments, its answer and what it does.

mod asking;
mod audit;
mod runs;

use std::sync::Arc;

use countersign_core::gate::{Error, Gate};
use countersign_core::ledger::Feed;
use serde::{Deserialize, Serialize};

use self::asking::{
    AskLasting, CancelRun, ClaimApproval, CloseGate, DecideRequest, DrainEvents, FindRecords,
    GetRecord, ListPending, OpenLedger, ParseAnswer, ReadValue, RequestApprovals, RevokeApproval,
    SetValue, SettleCall, WatchAll, WatchRequest,
};
use self::audit::{
    CompactLedger, DescribeLedger, ReadAudit, ReadHead, TidyLedger, VerifyLedger, WriteNotes,
};
use self::runs::{
    InterruptRuns, ListRecords, ListRuns, NativeSaveRun, ReadRun, ReleaseRun, TakeRun,
};
use crate::envelope::{envelope, raw, read};
use crate::record::drain;
use crate::request::NativePast;

/// What operations are done on.
pub trait Host {
    /// The gate. It may be opened for this, and that may wait for a disk.
    ///
    /// # Errors
    /// When it cannot be opened, or not without waiting where nothing may wait.
    fn gate(&self) -> Result<Arc<Gate>, Error>;

    /// What happens, also before there is a gate.
    fn feed(&self) -> &Feed;

    /// Whether what is asked here outlives this process.
    fn lasts(&self) -> bool;

    /// Whether the events of every process are told of.
    fn watch_all(&self, on: bool);

    /// Closes the gate, if there is one.
    ///
    /// # Errors
    /// When the ledger fails.
    fn close(&self, reason: &str) -> Result<(), Error>;
}

/// Something that can be asked: its arguments.
trait Operate {
    /// What it answers.
    type Answer: Serialize;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, Error>;
}

/// Nothing is answered but that it is done.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "void"))]
struct Done;

macro_rules! operations {
    ($($name:ident($arguments:ty),)*) => {
        /// What is asked: `{ name: arguments }`. The name is written in this form, the arguments are read without a copy.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        enum Operation {
            $($name($arguments),)*
        }

        impl Operation {
            fn perform(self, host: &dyn Host) -> String {
                match self {
                    $(Self::$name(arguments) => envelope(arguments.perform(host)),)*
                }
            }
        }

        #[cfg(test)]
        pub(crate) fn types(mut all: crate::types::Declarations) -> crate::types::Declarations {
            let mut rows = String::new();
            $(
                all = all.with::<$arguments>().with::<<$arguments as Operate>::Answer>();
                let takes = all.name_of::<$arguments>();
                let answers = all.name_of::<<$arguments as Operate>::Answer>();
                let name = stringify!($name);
                let (first, rest) = name.split_at(1);
                let name = format!("{}{rest}", first.to_lowercase());
                rows.push_str(&format!("  {name}: {{ takes: {takes}; answers: {answers} }};\n"));
            )*
            all.declare(
                "Operations",
                &format!("/** What a gate can be asked to do. */\nexport type Operations = {{\n{rows}}};"),
            )
        }
    };
}

operations! {
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
    // What cannot be written down is left to `drain`, which says so.
    if let Ok(events) = drain(host.feed()).and_then(|events| raw(&events)) {
        let _end = answer.pop();
        answer.push_str(r#","events":"#);
        answer.push_str(events.get());
        answer.push('}');
    }
    answer
}
