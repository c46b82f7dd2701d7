//! Linearizability: whether one order explains all answers. The search of Wing and Gong, with Lowe's memory of visited states.

use std::collections::HashSet;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::Serialize;

use super::{OperationCall, OperationReply};
use crate::store::{DecideAnswer, RequestState};

/// An operation of a history: a call on one key and its answer, with the times of both.
#[derive(Debug, Clone, Serialize)]
pub struct HistoryOperation {
    /// The process that called it.
    pub process: Arc<str>,
    /// The call.
    pub call: OperationCall,
    /// When it was called, in ns.
    pub called: u64,
    /// The answer; `None`: there was none, and the operation may have happened at any time since, or not at all.
    pub reply: Option<OperationReply>,
    /// When it was answered, in ns; `u64::MAX` without an answer.
    pub replied: u64,
}

impl HistoryOperation {
    /// An operation that was not answered.
    pub fn called(process: &str, call: OperationCall, at: u64) -> Self {
        Self { process: process.into(), call, called: at, reply: None, replied: u64::MAX }
    }

    /// An operation that was answered.
    pub fn answered(
        process: &str, call: OperationCall, called: u64, reply: OperationReply, replied: u64,
    ) -> Self {
        Self { process: process.into(), call, called, reply: Some(reply), replied }
    }

    /// Whether it changed the key by its answer, or had no answer.
    pub fn may_have_changed(&self) -> bool {
        matches!(
            self.reply,
            None | Some(
                OperationReply::Asked { created: true, .. }
                    | OperationReply::Decided(DecideAnswer::Won)
                    | OperationReply::Began(None)
                    | OperationReply::Finished(true)
            )
        )
    }

    /// Whether it is the end of a process, and not an operation.
    pub fn is_death(&self) -> bool {
        self.call == OperationCall::Die
    }
}

/// The state of a key in the model: a ledger without any concurrency.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum KeyState {
    Absent,
    Pending,
    Decided { by: Arc<str>, approve: bool },
    Started { by: Arc<str>, process: Arc<str> },
    Over { by: Arc<str>, interrupted: bool },
}

impl KeyState {
    fn request_state(&self) -> Option<RequestState> {
        let (status, by) = match self {
            Self::Absent => return None,
            Self::Pending => (Status::Pending, None),
            Self::Decided { by, approve: true } => (Status::Approved, Some(by)),
            Self::Decided { by, approve: false } => (Status::Rejected, Some(by)),
            Self::Started { by, .. } => (Status::Started, Some(by)),
            Self::Over { by, interrupted: true } => (Status::Interrupted, Some(by)),
            Self::Over { by, interrupted: false } => (Status::Succeeded, Some(by)),
        };
        Some(RequestState::new(status, by.map(|by| &**by)))
    }

    fn by(&self) -> Option<&Arc<str>> {
        match self {
            Self::Absent | Self::Pending => None,
            Self::Decided { by, .. } | Self::Started { by, .. } | Self::Over { by, .. } => Some(by),
        }
    }

    /// The answer of the model and the next state of the key. The id in an answer to a request is left empty.
    fn after(&self, operation: &HistoryOperation) -> (Option<OperationReply>, Self) {
        let stays = |reply| (Some(reply), self.clone());
        match (&operation.call, self) {
            (OperationCall::Request, Self::Absent) => {
                (Some(OperationReply::Asked { id: "".into(), created: true }), Self::Pending)
            }
            (OperationCall::Request, _) => {
                stays(OperationReply::Asked { id: "".into(), created: false })
            }
            (OperationCall::Decide { by, approve }, Self::Pending) => (
                Some(OperationReply::Decided(DecideAnswer::Won)),
                Self::Decided { by: Arc::clone(by), approve: *approve },
            ),
            (OperationCall::Decide { .. }, _) => stays(OperationReply::Decided(
                self.by().map_or(DecideAnswer::Unknown, |by| DecideAnswer::Already(Arc::clone(by))),
            )),
            (OperationCall::Begin, Self::Decided { by, approve: true }) => (
                Some(OperationReply::Began(None)),
                Self::Started { by: Arc::clone(by), process: Arc::clone(&operation.process) },
            ),
            (OperationCall::Begin, _) => stays(OperationReply::Began(Some(
                self.request_state().map_or_else(|| "".into(), |state| state.status),
            ))),
            (OperationCall::Finish, Self::Started { by, .. }) => (
                Some(OperationReply::Finished(true)),
                Self::Over { by: Arc::clone(by), interrupted: false },
            ),
            (OperationCall::Finish, _) => stays(OperationReply::Finished(false)),
            (OperationCall::Get, _) => stays(OperationReply::Seen(self.request_state())),
            (OperationCall::Die, Self::Started { by, process })
                if *process == operation.process =>
            {
                (None, Self::Over { by: Arc::clone(by), interrupted: true })
            }
            (OperationCall::Die, _) => (None, self.clone()),
        }
    }
}

/// Whether an answer is the one that the model gives. Ids are compared by [`one_id`].
fn agrees(reply: &OperationReply, model: Option<&OperationReply>) -> bool {
    match (reply, model) {
        (
            OperationReply::Asked { created, .. },
            Some(OperationReply::Asked { created: expected, .. }),
        ) => created == expected,
        (reply, model) => Some(reply) == model,
    }
}

/// Whether one key has one id.
fn one_id(operations: &[HistoryOperation]) -> bool {
    let mut ids = operations.iter().filter_map(|operation| match &operation.reply {
        Some(OperationReply::Asked { id, .. }) => Some(id),
        _ => None,
    });
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// Whether one order that keeps to the times explains all answers to the operations on one key.
pub fn is_linearizable(operations: &[HistoryOperation]) -> bool {
    if !one_id(operations) {
        return false;
    }
    let mut sorted: Vec<&HistoryOperation> = operations.iter().collect();
    sorted.sort_by_key(|operation| operation.called);
    let mut search = OrderSearch { operations: sorted, been: HashSet::new() };
    let left = vec![true; operations.len()];
    search.explains(left, KeyState::Absent)
}

/// The search for an order of the operations on one key.
struct OrderSearch<'a> {
    operations: Vec<&'a HistoryOperation>,
    been: HashSet<(Vec<bool>, KeyState)>,
}

impl OrderSearch<'_> {
    /// Whether the remaining operations can follow on this state.
    fn explains(&mut self, mut left: Vec<bool>, state: KeyState) -> bool {
        // An operation that fits now and changes nothing is taken now: it would not fit better later.
        while let Some(next) = self.idle(&left, &state) {
            set(&mut left, next);
        }
        if self
            .operations
            .iter()
            .zip(&left)
            .all(|(operation, left)| !left || operation.reply.is_none())
        {
            return true;
        }
        if !self.been.insert((left.clone(), state.clone())) {
            return false;
        }
        let next: Vec<(usize, KeyState)> = self.next(&left, &state).collect();
        next.into_iter().any(|(next, after)| {
            let mut left = left.clone();
            set(&mut left, next);
            self.explains(left, after)
        })
    }

    /// An operation that may come next and changes nothing.
    fn idle(&self, left: &[bool], state: &KeyState) -> Option<usize> {
        self.next(left, state).find(|(_, after)| after == state).map(|(place, _)| place)
    }

    /// The operations that may come next: none of the remaining ones was answered before their call, and their answers fit.
    fn next(&self, left: &[bool], state: &KeyState) -> impl Iterator<Item = (usize, KeyState)> {
        let left_ops =
            || self.operations.iter().zip(left).enumerate().filter(|(_, (_, left))| **left);
        let first_reply =
            left_ops().map(|(_, (operation, _))| operation.replied).min().unwrap_or(u64::MAX);
        left_ops()
            .take_while(move |(_, (operation, _))| operation.called <= first_reply)
            .filter_map(|(place, (operation, _))| {
                let (model, after) = state.after(operation);
                let fits =
                    operation.reply.as_ref().is_none_or(|reply| agrees(reply, model.as_ref()));
                // An operation without an answer that would change nothing need not have happened.
                let matters = operation.reply.is_some() || after != *state;
                (fits && matters).then_some((place, after))
            })
    }
}

fn set(left: &mut [bool], place: usize) {
    if let Some(left) = left.get_mut(place) {
        *left = false;
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
