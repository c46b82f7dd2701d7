//! Is there one order that explains all answers? The search of Wing and Gong, with Lowe's memory of where it has been.

use std::collections::HashSet;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::Serialize;

use super::{Call, Reply};
use crate::store::{Answer, Seen};

/// An operation on one key.
#[derive(Debug, Clone, Serialize)]
pub struct Op {
    /// Whose.
    pub process: Arc<str>,
    /// What.
    pub call: Call,
    /// When it was called, in ns.
    pub called: u64,
    /// The answer; `None`: there was none, and it may have happened at any time since, or not at all.
    pub reply: Option<Reply>,
    /// When it was answered, in ns; the end of time for what was not.
    pub replied: u64,
}

impl Op {
    /// An operation that was not answered.
    pub fn called(process: &str, call: Call, at: u64) -> Self {
        Self { process: process.into(), call, called: at, reply: None, replied: u64::MAX }
    }

    /// An operation that was answered.
    pub fn answered(process: &str, call: Call, called: u64, reply: Reply, replied: u64) -> Self {
        Self { process: process.into(), call, called, reply: Some(reply), replied }
    }

    /// Whether it was told that it changed something, or was told nothing.
    pub fn may_have_changed(&self) -> bool {
        matches!(
            self.reply,
            None | Some(
                Reply::Asked { created: true, .. }
                    | Reply::Decided(Answer::Won)
                    | Reply::Began(None)
                    | Reply::Finished(true)
            )
        )
    }

    /// Whether it is no operation, but the end of a process.
    pub fn is_death(&self) -> bool {
        self.call == Call::Die
    }
}

/// What a ledger without any concurrency knows of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum State {
    Absent,
    Pending,
    Decided { by: Arc<str>, approve: bool },
    Started { by: Arc<str>, process: Arc<str> },
    Over { by: Arc<str>, interrupted: bool },
}

impl State {
    fn seen(&self) -> Option<Seen> {
        let (status, by) = match self {
            Self::Absent => return None,
            Self::Pending => (Status::Pending, None),
            Self::Decided { by, approve: true } => (Status::Approved, Some(by)),
            Self::Decided { by, approve: false } => (Status::Rejected, Some(by)),
            Self::Started { by, .. } => (Status::Started, Some(by)),
            Self::Over { by, interrupted: true } => (Status::Interrupted, Some(by)),
            Self::Over { by, interrupted: false } => (Status::Succeeded, Some(by)),
        };
        Some(Seen::new(status, by.map(|by| &**by)))
    }

    fn by(&self) -> Option<&Arc<str>> {
        match self {
            Self::Absent | Self::Pending => None,
            Self::Decided { by, .. } | Self::Started { by, .. } | Self::Over { by, .. } => Some(by),
        }
    }

    /// What the ledger answers and where that leaves the key. The id in an answer to a request is left empty.
    fn after(&self, op: &Op) -> (Option<Reply>, Self) {
        let stays = |reply| (Some(reply), self.clone());
        match (&op.call, self) {
            (Call::Request, Self::Absent) => {
                (Some(Reply::Asked { id: "".into(), created: true }), Self::Pending)
            }
            (Call::Request, _) => stays(Reply::Asked { id: "".into(), created: false }),
            (Call::Decide { by, approve }, Self::Pending) => (
                Some(Reply::Decided(Answer::Won)),
                Self::Decided { by: Arc::clone(by), approve: *approve },
            ),
            (Call::Decide { .. }, _) => stays(Reply::Decided(
                self.by().map_or(Answer::Unknown, |by| Answer::Already(Arc::clone(by))),
            )),
            (Call::Begin, Self::Decided { by, approve: true }) => (
                Some(Reply::Began(None)),
                Self::Started { by: Arc::clone(by), process: Arc::clone(&op.process) },
            ),
            (Call::Begin, _) => {
                stays(Reply::Began(Some(self.seen().map_or_else(|| "".into(), |seen| seen.status))))
            }
            (Call::Finish, Self::Started { by, .. }) => {
                (Some(Reply::Finished(true)), Self::Over { by: Arc::clone(by), interrupted: false })
            }
            (Call::Finish, _) => stays(Reply::Finished(false)),
            (Call::Get, _) => stays(Reply::Seen(self.seen())),
            (Call::Die, Self::Started { by, process }) if *process == op.process => {
                (None, Self::Over { by: Arc::clone(by), interrupted: true })
            }
            (Call::Die, _) => (None, self.clone()),
        }
    }
}

/// Whether an answer is the one that the model gives. Ids are compared by [`one_id`].
fn agrees(reply: &Reply, model: Option<&Reply>) -> bool {
    match (reply, model) {
        (Reply::Asked { created, .. }, Some(Reply::Asked { created: expected, .. })) => {
            created == expected
        }
        (reply, model) => Some(reply) == model,
    }
}

/// Whether one key has one id.
fn one_id(ops: &[Op]) -> bool {
    let mut ids = ops.iter().filter_map(|op| match &op.reply {
        Some(Reply::Asked { id, .. }) => Some(id),
        _ => None,
    });
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// Whether one order that keeps to the times explains all answers to the operations on one key.
pub fn is_linearizable(ops: &[Op]) -> bool {
    if !one_id(ops) {
        return false;
    }
    let mut sorted: Vec<&Op> = ops.iter().collect();
    sorted.sort_by_key(|op| op.called);
    let mut search = Search { ops: sorted, been: HashSet::new() };
    let left = vec![true; ops.len()];
    search.explains(left, State::Absent)
}

struct Search<'a> {
    ops: Vec<&'a Op>,
    been: HashSet<(Vec<bool>, State)>,
}

impl Search<'_> {
    /// Whether the operations that are left can follow on this state.
    fn explains(&mut self, mut left: Vec<bool>, state: State) -> bool {
        // What fits now and changes nothing is taken now: later it could only fit worse.
        while let Some(next) = self.idle(&left, &state) {
            set(&mut left, next);
        }
        if self.ops.iter().zip(&left).all(|(op, left)| !left || op.reply.is_none()) {
            return true;
        }
        if !self.been.insert((left.clone(), state.clone())) {
            return false;
        }
        let next: Vec<(usize, State)> = self.next(&left, &state).collect();
        next.into_iter().any(|(next, after)| {
            let mut left = left.clone();
            set(&mut left, next);
            self.explains(left, after)
        })
    }

    /// What may come next and changes nothing.
    fn idle(&self, left: &[bool], state: &State) -> Option<usize> {
        self.next(left, state).find(|(_, after)| after == state).map(|(place, _)| place)
    }

    /// What may come next: no operation that is left was answered before it was called, and its answer fits.
    fn next(&self, left: &[bool], state: &State) -> impl Iterator<Item = (usize, State)> {
        let left_ops = || self.ops.iter().zip(left).enumerate().filter(|(_, (_, left))| **left);
        let first_reply = left_ops().map(|(_, (op, _))| op.replied).min().unwrap_or(u64::MAX);
        left_ops().take_while(move |(_, (op, _))| op.called <= first_reply).filter_map(
            |(place, (op, _))| {
                let (model, after) = state.after(op);
                let fits = op.reply.as_ref().is_none_or(|reply| agrees(reply, model.as_ref()));
                // What was not answered and would change nothing need not have happened.
                let matters = op.reply.is_some() || after != *state;
                (fits && matters).then_some((place, after))
            },
        )
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
