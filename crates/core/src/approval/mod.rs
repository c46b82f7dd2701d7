//! A request for approval, what a human may answer, and what becomes of it. Pure: no clock, no I/O.

pub mod answer;
mod consider;
mod decide;
mod decision;
mod name;
mod need;
mod record;
mod rights;
mod status;
#[cfg(test)]
mod tests;
mod vote;

pub use answer::InvalidDecision;
pub use consider::decidable;
pub use decide::DecisionResult;
pub use decision::{
    Decision, DecisionChannel, DecisionChoice, DecisionKind, DecisionKinds, RecordedDecision,
};
pub use name::{GROUP, is_name, is_same_person};
pub use need::{ApproverNeed, DecidingPerson, EscalationRule, TimerAction, schedule};
pub use record::{
    ApprovalId, ContentState, ExecutionStep, Record, Request, RequestExtras, VoteTally, new_id,
};
pub use rights::{MissingRight, PersonRights, WaitingRequest};
pub use status::{Status, StatusEvent, StatusRefusal, next};
pub use vote::Vote;
use vote::VoteOutcome;
