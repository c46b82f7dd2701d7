//! A request for approval, what a human may answer, and what becomes of it. Pure: no clock, no I/O.

pub mod answer;
mod decision;
mod name;
mod need;
mod record;
mod status;
#[cfg(test)]
mod tests;
mod vote;

pub use answer::InvalidDecision;
pub use decision::{Choice, Decided, Decision, DecisionKind, DecisionKinds, Via};
pub use name::{is_name, is_same_person};
pub use need::{Deed, Escalate, GROUP, Need, schedule};
pub use record::{ApprovalId, Contents, More, Record, Request, Step, Tally};
pub use status::{Event, Refusal, Status, next};
pub use vote::{Considered, Vote, decidable};
