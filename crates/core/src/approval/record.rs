//! A request and what has become of it.

use std::sync::Arc;

use serde_json::value::RawValue;
use uuid::{NoContext, Timestamp, Uuid};

use super::{
    ApproverNeed, DecisionChoice, DecisionKinds, RecordedDecision, Status, StatusEvent,
    StatusRefusal, TimerAction, Vote, next, schedule,
};
use crate::call::{CanonicalJson, Digest, ToolCall};

/// The id of a request: a UUIDv7, sortable by time and unguessable.
pub type ApprovalId = Uuid;

/// A new id of this moment, in ms since the epoch. All 74 bits beside the time are random: none are spent on a counter, so that
/// an id seen tells nothing of the next.
pub fn new_id(now: u64) -> ApprovalId {
    let nanos = u32::try_from(now % 1_000).unwrap_or_default() * 1_000_000;
    Uuid::new_v7(Timestamp::from_unix(NoContext, now / 1_000, nanos))
}

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
    pub more: Option<Box<RequestExtras>>,
    /// What the human may answer.
    pub allowed: DecisionKinds,
    /// ms since the epoch.
    pub created_at: u64,
    /// ms since the epoch; `None`: no deadline.
    pub expires_at: Option<u64>,
}

/// What a request may have beside the call.
#[derive(Debug, Default)]
pub struct RequestExtras {
    /// What the preview found worth a warning.
    pub flags: Box<[&'static str]>,
    /// The request that was taken back so that this one could be made: a run asks about a call once, unless what was shown
    /// of it has changed.
    pub supersedes: Option<ApprovalId>,
    /// Whether the conversation no longer holds the call of that one: this request is of another call with the same id. Only of
    /// use where the request is made, so that it is not kept.
    pub call_is_gone: bool,
    /// What the policies said of it and what it would change, as the JSON that the program shows.
    pub details: Option<Box<RawValue>>,
    /// Whether its contents are what was asked about.
    pub contents: ContentState,
    /// Who must agree; empty: anybody, once.
    pub needs: Box<[ApproverNeed]>,
    /// Who asked for the run.
    pub requester: Option<Box<str>>,
    /// How many ms before the deadline everybody is told once more.
    pub remind: Option<u64>,
}

/// What is left of the contents of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContentState {
    /// They are what was asked about.
    #[default]
    Kept,
    /// Secrets were taken out before they were kept: nothing can run on them.
    Redacted,
    /// They were dropped, long after nothing could happen to them any more.
    Dropped,
}

impl ContentState {
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
    pub fn contents(&self) -> ContentState {
        self.more.as_ref().map_or(ContentState::Kept, |more| more.contents)
    }

    /// The request that was taken back so that this one could be made.
    pub fn supersedes(&self) -> Option<ApprovalId> {
        self.more.as_ref()?.supersedes
    }

    /// Whether the conversation no longer holds the call of the request that it takes the place of.
    pub fn call_is_gone(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.call_is_gone)
    }

    /// What time does to it before its deadline, and when, in order.
    pub fn schedule(&self) -> Vec<(u64, TimerAction)> {
        let remind = self.more.as_ref().and_then(|more| more.remind);
        schedule(self.needs(), self.created_at, self.expires_at, remind)
    }

    /// Since when those may decide that it is escalated to, in ms since the epoch, where so much of its schedule was done.
    pub fn escalated_at(&self, told: usize) -> Option<u64> {
        let schedule = self.schedule();
        let mut done = schedule.iter().take(told);
        done.find(|(_, deed)| *deed == TimerAction::Escalate).map(|(at, _)| *at)
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
    fate: Option<Arc<RequestFate>>,
}

/// What came after it was asked.
#[derive(Debug, Clone, Default)]
struct RequestFate {
    decided: Option<Arc<RecordedDecision>>,
    /// What the execution gave, where that is kept.
    result: Option<Arc<RawValue>>,
    tally: Arc<VoteTally>,
}

/// What was counted of a request that needs several people, and told of one that waits long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VoteTally {
    /// The approvals, one of each person.
    pub votes: Vec<Vote>,
    /// How much of its [`Request::schedule`] was done.
    pub told: usize,
}

impl Record {
    /// A request that waits.
    pub fn new(request: Arc<Request>) -> Self {
        Self { request, status: Status::Pending, fate: None }
    }

    /// A record as it was kept; `None`: what was kept does not fit together.
    pub fn kept(
        request: Arc<Request>, status: Status, decided: Option<RecordedDecision>,
        result: Option<Box<RawValue>>, tally: VoteTally,
    ) -> Option<Self> {
        let fits = match (&decided, status) {
            (None, status) => status == Status::Pending,
            (Some(decided), status) => {
                let reached = next(Status::Pending, decided.decision.choice.event());
                reached == Ok(status) || (status.was_started() && decided.decision.choice.runs())
            }
        };
        let is_untouched = decided.is_none() && result.is_none() && tally == VoteTally::default();
        let fate = RequestFate {
            decided: decided.map(Arc::new),
            result: result.map(Arc::from),
            tally: Arc::new(tally),
        };
        let fate = (!is_untouched).then(|| Arc::new(fate));
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
    pub fn decided(&self) -> Option<&Arc<RecordedDecision>> {
        self.fate.as_ref()?.decided.as_ref()
    }

    /// What the model is given as the result of an execution that ended, where it was kept.
    pub fn result(&self) -> Option<&RawValue> {
        self.fate.as_ref()?.result.as_deref()
    }

    /// Takes a decision; a cancellation also takes back an approval that was not started.
    pub fn decide(&mut self, decided: RecordedDecision) -> Result<(), StatusRefusal> {
        self.status = next(self.status, decided.decision.choice.event())?;
        let fate = self.fate_mut();
        (fate.decided, fate.result) = (Some(Arc::new(decided)), None);
        Ok(())
    }

    fn fate_mut(&mut self) -> &mut RequestFate {
        Arc::make_mut(self.fate.get_or_insert_default())
    }

    /// What was counted and told so far; `None`: nothing.
    pub fn tally(&self) -> Option<&Arc<VoteTally>> {
        self.fate.as_ref().map(|fate| &fate.tally)
    }

    /// The approvals that were counted, in their order.
    pub fn votes(&self) -> &[Vote] {
        self.tally().map_or(&[], |tally| &tally.votes)
    }

    /// Counts an approval that is one of several.
    pub fn count(&mut self, votes: Vec<Vote>) {
        Arc::make_mut(&mut self.fate_mut().tally).votes = votes;
    }

    /// What time does next before the deadline, and when.
    pub fn next_deed(&self) -> Option<(u64, TimerAction)> {
        let told = self.tally().map_or(0, |tally| tally.told);
        self.request.schedule().get(told).copied()
    }

    /// When time does something next; `None`: it waits for ever, or no longer.
    pub fn due_at(&self) -> Option<u64> {
        if self.status != Status::Pending {
            return None;
        }
        self.next_deed().map(|(at, _)| at).or(self.request.expires_at)
    }

    /// What time does next was done.
    pub fn tell(&mut self) {
        let tally = Arc::make_mut(&mut self.fate_mut().tally);
        tally.told = tally.told.saturating_add(1);
    }

    /// Takes a step of the execution, which is no decision.
    pub fn advance(&mut self, step: ExecutionStep) -> Result<(), StatusRefusal> {
        self.status = next(self.status, step.event())?;
        Ok(())
    }

    /// Keeps what the execution gave.
    pub fn keep_result(&mut self, result: Option<Box<RawValue>>) {
        self.fate_mut().result = result.map(Arc::from);
    }

    /// The arguments that were approved and the digest that they are bound to; `None` unless the call was let run.
    pub fn approved(&self) -> Option<(&CanonicalJson, Digest)> {
        match &self.decided()?.decision.choice {
            DecisionChoice::Approve => Some((&self.request.call.args, self.request.digest)),
            DecisionChoice::Edit { args, bound } => {
                Some((args, bound.unwrap_or_else(|| self.request.call.digest_with(args))))
            }
            _ => None,
        }
    }

    /// Whether the human changed the arguments.
    pub fn is_edited(&self) -> bool {
        self.decided()
            .is_some_and(|decided| matches!(decided.decision.choice, DecisionChoice::Edit { .. }))
    }
}

/// A step of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionStep {
    /// The one use of the approval.
    Start,
    /// The tool returned.
    Succeed,
    /// The tool threw.
    Fail,
    /// The process is gone.
    Interrupt,
}

impl ExecutionStep {
    const fn event(self) -> StatusEvent {
        match self {
            Self::Start => StatusEvent::Start,
            Self::Succeed => StatusEvent::Succeed,
            Self::Fail => StatusEvent::Fail,
            Self::Interrupt => StatusEvent::Interrupt,
        }
    }
}
