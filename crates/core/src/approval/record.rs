//! A request and what has become of it.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Choice, Decided, DecisionKinds, Event, Refusal, Status, next};
use crate::call::{CanonicalJson, Digest, ToolCall};

/// The id of a request: a UUIDv7, sortable by time and unguessable.
pub type ApprovalId = uuid::Uuid;

/// A call put to a human. It never changes.
#[derive(Debug)]
pub struct Request {
    /// Its id.
    pub id: ApprovalId,
    /// The call.
    pub call: ToolCall,
    /// What an approval is bound to.
    pub digest: Digest,
    /// The path of agents it came from.
    pub origin: Arc<[Box<str>]>,
    /// What the human is told; `None`: made from the call when it is shown, which for a short call is the cheaper way.
    pub description: Option<Box<str>>,
    /// The call as text that is safe to show.
    pub preview: Box<str>,
    /// What most requests do not have.
    pub more: Option<Box<More>>,
    /// What the human may answer.
    pub allowed: DecisionKinds,
    /// ms since the epoch.
    pub created_at: u64,
    /// ms since the epoch; `None`: no deadline.
    pub expires_at: Option<u64>,
}

/// What a request may have beside the call.
#[derive(Debug, Default)]
pub struct More {
    /// What the preview found worth a warning.
    pub flags: Box<[&'static str]>,
    /// The request that was taken back so that this one could be made: a run asks about a call once, unless what was shown
    /// of it has changed.
    pub supersedes: Option<ApprovalId>,
    /// What the policies said of it and what it would change, as the JSON that the program shows.
    pub details: Option<Box<RawValue>>,
    /// Whether its contents are what was asked about.
    pub contents: Contents,
}

/// What is left of the contents of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Contents {
    /// They are what was asked about.
    #[default]
    Kept,
    /// Secrets were taken out before they were kept: nothing can run on them.
    Redacted,
    /// They were dropped, long after nothing could happen to them any more.
    Dropped,
}

impl Contents {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Redacted => "redacted",
            Self::Dropped => "dropped",
        }
    }
}

impl Request {
    /// What the preview found worth a warning.
    pub fn flags(&self) -> &[&'static str] {
        self.more.as_ref().map_or(&[], |more| &more.flags)
    }

    /// Whether its contents are what was asked about.
    pub fn contents(&self) -> Contents {
        self.more.as_ref().map_or(Contents::Kept, |more| more.contents)
    }

    /// The request that was taken back so that this one could be made.
    pub fn supersedes(&self) -> Option<ApprovalId> {
        self.more.as_ref()?.supersedes
    }

    /// Whether its time is up.
    pub fn is_due(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|deadline| deadline <= now)
    }
}

/// A request and what has become of it. Its status changes only as the state machine allows, and there is a decision
/// exactly when it is no longer pending.
#[derive(Debug, Clone)]
pub struct Record {
    request: Arc<Request>,
    status: Status,
    /// One pointer, since most that are kept wait.
    fate: Option<Arc<Fate>>,
}

/// What came after the wait.
#[derive(Debug, Clone)]
struct Fate {
    decided: Arc<Decided>,
    /// What the execution gave, where that is kept.
    result: Option<Arc<RawValue>>,
}

impl Record {
    /// A request that waits.
    pub fn new(request: Arc<Request>) -> Self {
        Self { request, status: Status::Pending, fate: None }
    }

    /// A record as it was kept; `None`: what was kept does not fit together.
    pub fn kept(
        request: Arc<Request>, status: Status, decided: Option<Decided>,
        result: Option<Box<RawValue>>,
    ) -> Option<Self> {
        let fits = match (&decided, status) {
            (None, status) => status == Status::Pending,
            (Some(decided), status) => {
                let reached = next(Status::Pending, decided.decision.choice.event());
                reached == Ok(status) || (status.was_started() && decided.decision.choice.runs())
            }
        };
        let result = result.map(Arc::from);
        let fate = decided.map(|decided| Arc::new(Fate { decided: Arc::new(decided), result }));
        fits.then_some(Self { request, status, fate })
    }

    /// The request.
    pub fn request(&self) -> &Arc<Request> {
        &self.request
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The decision, once there is one.
    pub fn decided(&self) -> Option<&Arc<Decided>> {
        self.fate.as_ref().map(|fate| &fate.decided)
    }

    /// What the model is given as the result of an execution that ended, where it was kept.
    pub fn result(&self) -> Option<&RawValue> {
        self.fate.as_ref()?.result.as_deref()
    }

    /// Takes a decision; a cancellation also takes back an approval that was not started.
    pub fn decide(&mut self, decided: Decided) -> Result<(), Refusal> {
        self.status = next(self.status, decided.decision.choice.event())?;
        self.fate = Some(Arc::new(Fate { decided: Arc::new(decided), result: None }));
        Ok(())
    }

    /// Takes a step of the execution, which is no decision.
    pub fn advance(&mut self, step: Step) -> Result<(), Refusal> {
        self.status = next(self.status, step.event())?;
        Ok(())
    }

    /// Keeps what the execution gave.
    pub fn keep_result(&mut self, result: Option<Box<RawValue>>) {
        if let Some(fate) = &mut self.fate {
            Arc::make_mut(fate).result = result.map(Arc::from);
        }
    }

    /// The arguments that were approved and the digest that they are bound to; `None` unless the call was let run.
    pub fn approved(&self) -> Option<(&CanonicalJson, Digest)> {
        match &self.decided()?.decision.choice {
            Choice::Approve => Some((&self.request.call.args, self.request.digest)),
            Choice::Edit { args, bound } => {
                Some((args, bound.unwrap_or_else(|| self.request.call.digest_with(args))))
            }
            _ => None,
        }
    }

    /// Whether the human changed the arguments.
    pub fn is_edited(&self) -> bool {
        self.decided().is_some_and(|decided| matches!(decided.decision.choice, Choice::Edit { .. }))
    }
}

/// A step of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The one claim.
    Start,
    /// The tool returned.
    Succeed,
    /// The tool threw.
    Fail,
    /// The process is gone.
    Interrupt,
}

impl Step {
    const fn event(self) -> Event {
        match self {
            Self::Start => Event::Start,
            Self::Succeed => Event::Succeed,
            Self::Fail => Event::Fail,
            Self::Interrupt => Event::Interrupt,
        }
    }
}
