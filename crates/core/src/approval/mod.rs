//! A request for approval, what a human may answer, and what becomes of it. Pure: no clock, no I/O.

pub mod answer;
mod decide;
mod decision;
mod name;
mod need;
mod record;
mod status;
#[cfg(test)]
mod tests;
mod vote;

pub use answer::InvalidDecision;
pub use decide::DecisionResult;
pub use decision::{Choice, Decided, Decision, DecisionKind, DecisionKinds, Via};
pub use name::{GROUP, is_name, is_same_person};
pub use need::{Deed, Escalate, Need, schedule};
pub use record::{ApprovalId, Contents, More, Record, Request, Step, Tally, new_id};
pub use status::{Event, Refusal, Status, next};
use vote::Considered;
pub use vote::{Vote, decidable};
