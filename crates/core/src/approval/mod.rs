//! A request for approval, what a human may answer, and what becomes of it. Pure: no clock, no I/O.

pub mod answer;
mod decision;
mod record;
mod status;

pub use answer::InvalidDecision;
pub use decision::{Choice, Decided, Decision, DecisionKind, DecisionKinds, Via};
pub use record::{ApprovalId, Contents, More, Record, Request, Step};
pub use status::{Event, Refusal, Status, next};
