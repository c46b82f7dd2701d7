//! The rooms before this one, put to work: a live object that asks, binds, waits and wakes.
//!
//! Every method is synchronous and is one step of the ledger, which queues what happened as an [`LedgerEvent`] of
//! its [`EventFeed`]. Over a durable ledger, a method may wait for a disk.

mod clock;
mod deadline;
mod error;
pub mod policies;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::value::RawValue;
use tokio::sync::Notify;
use tracing::{debug, info, trace};

use crate::approval::{
    ApprovalId, ContentState, Decision, DecisionChannel, DecisionChoice, DecisionKinds,
    ExecutionStep, Record, RecordedDecision, Request, RequestExtras, Status, decidable, new_id,
};
use crate::call::{CallContext, CanonicalJson, Json, ToolCall};
use crate::ledger::{
    DecideOutcome, DurableLedger, EventFeed, HistoryQuery, Ledger, LedgerErrorKind, MemoryLedger,
    RedeemOutcome, RequestOutcome, Retention, VersionedText, WatchScope,
};
use crate::preview::{self, Flag};

pub use crate::ledger::{LedgerEvent, WakeCallback};
pub use clock::{Clock, SystemClock};
pub use error::GateError;

/// What a gate is made with.
#[derive(Debug, Clone)]
pub struct GateOptions {
    /// The largest arguments of one call, in bytes of canonical JSON.
    pub max_argument_bytes: usize,
    /// How many requests are kept after nothing can happen to them any more.
    pub keep_decided: usize,
    /// For how long a durable ledger keeps things.
    pub retention: Retention,
    /// Only to look: what is due is not written down, and nothing is tidied.
    pub read_only: bool,
}

/// A call to be put to a human.
#[derive(Debug)]
pub struct NewRequest {
    /// The call.
    pub call: ToolCall,
    /// The path of agents it came from.
    pub origin: Arc<[Box<str>]>,
    /// What the human is told; `None`: made from the call.
    pub description: Option<Box<str>>,
    /// What the human may answer.
    pub allowed: DecisionKinds,
    /// ms; `None`: no deadline.
    pub timeout: Option<u64>,
    /// The preview, from a caller that knows more; `None`: made from the call.
    pub page: Option<PreparedPage>,
    /// What most requests do not have.
    pub more: Option<Box<RequestExtras>>,
    /// What is kept instead of the arguments, since these hold secrets. The digest is that of the arguments.
    pub stored: Option<CanonicalJson>,
}

/// A preview that was made before.
#[derive(Debug)]
pub struct PreparedPage {
    /// Text that is safe to show.
    pub text: Box<str>,
    /// What was found worth a warning.
    pub flags: Box<[&'static str]>,
}

/// Who decides, and through what.
#[derive(Debug)]
pub struct DecidingCaller {
    /// A name, when there is one.
    pub by: Option<Box<str>>,
    /// The groups that this person is in.
    pub groups: Box<[Box<str>]>,
    /// Through what.
    pub via: DecisionChannel,
}

/// What may be executed.
#[derive(Debug)]
pub struct RedeemedCall {
    /// The approval that it used up.
    pub approval_id: ApprovalId,
    /// The gate's own copy of what was approved.
    pub args: CanonicalJson,
    /// Whether the human changed the arguments.
    pub edited: bool,
}

/// Starts the deadline task on the task runtime.
pub type SpawnTask = Box<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// The longest id or tool name, in bytes.
pub const MAX_NAME: usize = 1024;

/// The longest value, in bytes.
const MAX_VALUE: usize = 1024 * 1024;

/// From here on a description is made once and kept, in bytes of arguments.
const LONG_ARGUMENTS: usize = 1024;

/// How many requests expire under one hold of the lock.
const EXPIRE_AT_ONCE: usize = 256;

/// The live object that asks, waits and wakes. The first decision wins.
pub struct Gate {
    options: GateOptions,
    clock: Box<dyn Clock>,
    spawn: SpawnTask,
    /// Tells the deadline task that the next deadline changed, or that the gate is gone.
    deadlines_changed: Arc<Notify>,
    me: Weak<Gate>,
    ledger: Box<dyn Ledger>,
    watch: Mutex<DeadlineWatch>,
}

/// What the deadline task is doing.
#[derive(Debug, Default)]
struct DeadlineWatch {
    /// It sleeps until this.
    until: Option<u64>,
    /// It runs.
    running: bool,
    closed: bool,
}

impl Gate {
    /// A gate over a ledger in memory.
    pub fn new(options: GateOptions, clock: Box<dyn Clock>, spawn: SpawnTask) -> Arc<Self> {
        Self::over(Box::new(MemoryLedger::new(options.keep_decided)), options, clock, spawn)
    }

    /// A gate over any ledger.
    pub fn over(
        ledger: Box<dyn Ledger>, options: GateOptions, clock: Box<dyn Clock>, spawn: SpawnTask,
    ) -> Arc<Self> {
        let gate = Arc::new_cyclic(|me| Self {
            options,
            clock,
            spawn,
            deadlines_changed: Arc::new(Notify::new()),
            me: Weak::clone(me),
            ledger,
            watch: Mutex::default(),
        });
        // What lasts may hold deadlines of processes that are gone, and needs its upkeep.
        if gate.is_durable() && !gate.options.read_only {
            gate.watch_until(gate.now());
        }
        gate
    }

    /// Whether what is asked here outlives this process.
    pub fn is_durable(&self) -> bool {
        self.ledger.archive().is_some()
    }

    /// What only a durable ledger has.
    pub fn archive(&self) -> Result<&dyn DurableLedger, GateError> {
        self.ledger.archive().ok_or_else(|| {
            let message = "the ledger 'memory:' keeps nothing that lasts: use createGate({ ledger: 'sqlite:approvals.db' })";
            LedgerErrorKind::Temporary.because(message).into()
        })
    }

    /// Now, as this gate counts.
    pub fn now(&self) -> u64 {
        self.ledger.now(self.clock.now())
    }

    fn watching(&self) -> MutexGuard<'_, DeadlineWatch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whose events are told of beside those of requests made here. To wait for a request, watch it first, and then look.
    pub fn watch(&self, what: WatchScope) -> Result<(), GateError> {
        self.ledger.watch(what);
        if let WatchScope::One(id) = what
            && let Some(record) = self.ledger.get(id)?
            && let Some(due) = record.due_at()
        {
            self.watch_until(due);
        }
        Ok(())
    }

    /// Puts a call to a human.
    pub fn request(&self, new: NewRequest) -> Result<Record, GateError> {
        let requested = self.ledger.request(self.prepare(new)?)?;
        self.requested(requested)
    }

    /// Puts calls to humans, in this order: each by itself, but where the ledger waits for a disk, once for all.
    pub fn request_all(
        &self, new: Vec<Result<NewRequest, GateError>>,
    ) -> Vec<Result<Record, GateError>> {
        let mut requests = Vec::with_capacity(new.len());
        let places: Vec<Result<(), GateError>> = new
            .into_iter()
            .map(|new| new.and_then(|new| self.prepare(new)).map(|request| requests.push(request)))
            .collect();
        let mut requested = match self.ledger.request_all(requests) {
            Ok(requested) => Ok(requested.into_iter()),
            Err(error) => Err(error),
        };
        let mut next = || match &mut requested {
            Ok(requested) => {
                requested.next().map(|requested| self.requested(requested)).unwrap_or_else(|| {
                    Err(GateError::Internal(
                        "the ledger took fewer requests than it was given".to_owned(),
                    ))
                })
            }
            Err(error) => Err(GateError::Ledger(error.clone())),
        };
        places.into_iter().map(|place| place.and_then(|()| next())).collect()
    }

    fn prepare(&self, new: NewRequest) -> Result<Request, GateError> {
        self.check_size("the arguments", &new.call.args)?;
        let digest = new.call.digest();
        // Once per request, and without the lock: showing a long text takes its time.
        let args = shown(new.stored.as_ref().unwrap_or(&new.call.args));
        let page = new.page.unwrap_or_else(|| {
            let preview = preview::render(&new.call.tool_name, &args, None);
            PreparedPage {
                text: preview.text.into(),
                flags: preview.flags.iter().map(Flag::name).collect(),
            }
        });
        let is_long = new.call.args.as_str().len() > LONG_ARGUMENTS;
        let description = new
            .description
            .or_else(|| is_long.then(|| preview::describe(&new.call.tool_name, &args, &[]).into()));
        let mut more = new.more;
        let allowed =
            more.as_ref().map_or(Ok(new.allowed), |more| who_decides(more, new.allowed))?;
        if !page.flags.is_empty() {
            more.get_or_insert_default().flags = page.flags;
        }
        if self.watching().closed {
            return Err(GateError::Closed);
        }
        let now = self.now();
        let mut call = new.call;
        if let Some(stored) = new.stored {
            call.args = stored;
            more.get_or_insert_default().contents = ContentState::Redacted;
        }
        Ok(Request {
            id: new_id(now),
            digest,
            call,
            origin: new.origin,
            description,
            preview: page.text,
            more,
            allowed,
            created_at: now,
            expires_at: new.timeout.map(|timeout| now.saturating_add(timeout)),
        })
    }

    fn requested(&self, requested: RequestOutcome) -> Result<Record, GateError> {
        let record = match requested {
            RequestOutcome::Created(record) => record,
            RequestOutcome::Duplicate(record) => return Err(GateError::Duplicate(record)),
        };
        let request = record.request();
        info!(target: "countersign", approval_id = %request.id, run_id = &*request.call.run_id, tool_call_id = &*request.call.tool_call_id,
            tool_name = &*request.call.tool_name, expires_at = request.expires_at, "requested");
        trace!(target: "countersign", approval_id = %request.id, args = request.call.args.as_str(), "requested");
        if let Some(due) = record.due_at() {
            self.watch_until(due);
        }
        Ok(record)
    }

    /// A record.
    pub fn get(&self, id: ApprovalId) -> Result<Option<Record>, GateError> {
        Ok(self.ledger.get(id)?)
    }

    /// The records of a call id, oldest first; over all runs when `run` is `None`.
    pub fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, GateError> {
        Ok(self.ledger.find(run, tool_call_id)?)
    }

    /// What waits, oldest first; over all runs when `run` is `None`.
    pub fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, GateError> {
        Ok(self.ledger.pending(run)?)
    }

    /// What is no longer pending, the latest request first.
    pub fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, GateError> {
        Ok(self.ledger.history(past)?)
    }

    /// The text that is kept under a key.
    pub fn value(&self, key: &str) -> Result<Option<VersionedText>, GateError> {
        Ok(self.ledger.value(key)?)
    }

    /// Keeps a text under a key if what is there is still of this version; `None`: if nothing is. `false`: it is not.
    pub fn set_value(
        &self, key: &str, expected: Option<u64>, text: &str,
    ) -> Result<bool, GateError> {
        for (what, size, limit) in
            [("the key", key.len(), MAX_NAME), ("the value", text.len(), MAX_VALUE)]
        {
            if size > limit {
                return Err(GateError::Internal(format!(
                    "{what} is {size} bytes long, and the ledger takes at most {limit}"
                )));
            }
        }
        Ok(self.ledger.set_value(key, expected, text)?)
    }

    /// Decides, if the request is still open.
    pub fn decide(
        &self, id: ApprovalId, decision: Decision, decider: DecidingCaller,
    ) -> Result<Record, GateError> {
        match &decision.choice {
            DecisionChoice::Edit { args, .. } => self.check_size("the edited arguments", args)?,
            DecisionChoice::Respond { output } => self.check_size("the output", output)?,
            _ => {}
        }
        let decided =
            RecordedDecision { decision, by: decider.by, via: decider.via, at: self.now() };
        let by = decided.by.clone();
        match self.ledger.decide_as(id, decided, &decider.groups)? {
            DecideOutcome::Won(record) => {
                told(&record);
                Ok(record)
            }
            DecideOutcome::Expired(record) => {
                told(&record);
                Err(GateError::Expired(id))
            }
            DecideOutcome::Already(record) if record.status() == Status::Expired => {
                Err(GateError::Expired(id))
            }
            DecideOutcome::Already(record) => Err(GateError::AlreadyDecided(record)),
            DecideOutcome::NotAllowed(record) => {
                Err(GateError::NotAllowed { id, allowed: record.request().allowed })
            }
            DecideOutcome::Counted(record) => {
                info!(target: "countersign", approval_id = %id, run_id = &*record.request().call.run_id,
                    tool_name = &*record.request().call.tool_name, voted_by = by.as_deref(), votes = record.votes().len(), "voted");
                Ok(record)
            }
            DecideOutcome::Refused { record, may } => {
                info!(target: "countersign", approval_id = %id, run_id = &*record.request().call.run_id,
                    tool_name = &*record.request().call.tool_name, by = by.as_deref(), "refused: no approver");
                Err(GateError::NotApprover { id, by, approvers: may })
            }
            DecideOutcome::Unknown => Err(GateError::UnknownApproval(id.to_string())),
        }
    }

    /// Cancels what a run waits for and takes back what was approved but not started.
    pub fn cancel_run(
        &self, run: &str, reason: &str, via: DecisionChannel,
    ) -> Result<(), GateError> {
        self.cancel(Some(run), reason, via)
    }

    fn cancel(
        &self, run: Option<&str>, reason: &str, via: DecisionChannel,
    ) -> Result<(), GateError> {
        let decided = self.cancellation(reason, via);
        for record in self.ledger.cancel_run(run, &decided)? {
            told(&record);
        }
        Ok(())
    }

    /// Takes back an approval that was not started; `false`: there was nothing to take back.
    pub fn revoke(&self, id: ApprovalId, reason: &str) -> Result<bool, GateError> {
        let revoked = self.ledger.revoke(id, self.cancellation(reason, DecisionChannel::System))?;
        if let Some(record) = &revoked {
            told(record);
        }
        Ok(revoked.is_some())
    }

    fn cancellation(&self, reason: &str, via: DecisionChannel) -> RecordedDecision {
        RecordedDecision {
            decision: Decision::new(DecisionChoice::Cancelled, Some(reason)),
            by: None,
            via,
            at: self.now(),
        }
    }

    /// The one use of an approval, checked against the digest of what was approved. `context` is what the policies would
    /// judge the call under now.
    pub fn redeem(
        &self, run: Option<&str>, tool_call_id: &str, tool_name: &str, args: CanonicalJson,
        context: Option<Box<CallContext>>,
    ) -> Result<RedeemedCall, GateError> {
        let candidates = self.ledger.find(run, tool_call_id)?;
        let mut open = candidates.iter().filter(|record| record.status().may_start());
        let record = match (open.next(), open.next()) {
            // Where another run asked about a call of this id since, that may be the call to run.
            (Some(record), None)
                if candidates
                    .last()
                    .is_some_and(|last| last.request().id == record.request().id) =>
            {
                record
            }
            (Some(record), _) => return Err(GateError::Ambiguous { status: record.status() }),
            (None, _) => {
                let status = candidates.last().map(Record::status);
                let started = candidates.iter().find(|record| record.status().was_started());
                return Err(match started {
                    Some(record) => GateError::AlreadyStarted { status: record.status() },
                    None => GateError::NotApproved { status },
                });
            }
        };
        let request = record.request();
        let asked = ToolCall {
            run_id: Arc::clone(&request.call.run_id),
            tool_call_id: Arc::clone(&request.call.tool_call_id),
            tool_name: tool_name.into(),
            args,
            context,
        };
        let record = match self.ledger.begin(request.id, asked.digest(), self.now())? {
            RedeemOutcome::Won(record) => record,
            RedeemOutcome::Mismatch => {
                info!(target: "countersign", approval_id = %request.id, tool_name = asked.tool_name, "digest mismatch: not started");
                return Err(GateError::DigestMismatch);
            }
            // Another process was faster.
            RedeemOutcome::Refused(status) if status.was_started() => {
                return Err(GateError::AlreadyStarted { status });
            }
            RedeemOutcome::Refused(status) => {
                return Err(GateError::NotApproved { status: Some(status) });
            }
            RedeemOutcome::Unknown => return Err(GateError::NotApproved { status: None }),
        };
        let Some((args, _)) = record.approved() else {
            return Err(GateError::NotApproved { status: Some(record.status()) });
        };
        let id = record.request().id;
        info!(target: "countersign", approval_id = %id, "started");
        Ok(RedeemedCall { approval_id: id, args: args.clone(), edited: record.is_edited() })
    }

    /// Whether an approval is bound to a call of this tool with these arguments, judged under this context.
    pub fn is_bound(
        &self, id: ApprovalId, tool_name: &str, args: CanonicalJson,
        context: Option<Box<CallContext>>,
    ) -> Result<bool, GateError> {
        let Some(record) = self.get(id)? else { return Ok(false) };
        let tool_name = tool_name.into();
        let call = ToolCall { tool_name, args, context, ..record.request().call.clone() };
        Ok(record.approved().is_some_and(|(_, bound)| bound == call.digest()))
    }

    /// Writes down how a started call ended, and what it gave, for a resume. What was not running is left as it is.
    pub fn settle(
        &self, id: ApprovalId, succeeded: bool, result: Option<Box<RawValue>>,
    ) -> Result<(), GateError> {
        let step = if succeeded { ExecutionStep::Succeed } else { ExecutionStep::Fail };
        if self.ledger.finish(id, step, result, self.now())?.is_some() {
            info!(target: "countersign", approval_id = %id, succeeded, "settled");
        }
        Ok(())
    }

    /// What happens.
    pub fn feed(&self) -> &Arc<EventFeed> {
        self.ledger.feed()
    }

    /// Refuses what comes. What waits in memory only is cancelled, and what was approved there but not started is taken back;
    /// what lasts is left for another process. Idempotent.
    pub fn close(&self, reason: &str) -> Result<(), GateError> {
        let was_closed = std::mem::replace(&mut self.watching().closed, true);
        if was_closed {
            return Ok(());
        }
        debug!(target: "countersign", "closed");
        if self.is_durable() {
            return Ok(());
        }
        self.cancel(None, reason, DecisionChannel::System)
    }

    fn check_size(&self, what: &'static str, json: &CanonicalJson) -> Result<(), GateError> {
        let (size, limit) = (json.as_str().len(), self.options.max_argument_bytes);
        if size > limit { Err(GateError::TooLarge { what, size, limit }) } else { Ok(()) }
    }
}

/// What may be decided of a request that says who must agree.
fn who_decides(more: &RequestExtras, allowed: DecisionKinds) -> Result<DecisionKinds, GateError> {
    if more.requester.is_none() && more.needs.iter().any(|need| need.exclude_requester) {
        return Err(GateError::InvalidConfig(
            "the requester is not to approve this call, and nobody said who that is: name them with `requester`"
                .to_owned(),
        ));
    }
    decidable(&more.needs, allowed).ok_or_else(|| {
        GateError::InvalidConfig(format!(
            "several people must approve this call, and `allowedDecisions` has only: {}. Add approve",
            allowed.names()
        ))
    })
}

/// A line in the log.
fn told(record: &Record) {
    let Some(decided) = record.decided() else { return };
    let request = record.request();
    info!(target: "countersign", approval_id = %request.id, run_id = &*request.call.run_id, tool_name = &*request.call.tool_name,
        decision = decided.decision.choice.name(), decided_by = decided.by(), via = decided.via.name(), "decided");
}

/// The arguments as a value, for showing them.
pub fn shown(args: &CanonicalJson) -> Json {
    // Canonical text always parses; what does not is shown as nothing at all rather than wrongly.
    args.to_json().unwrap_or(Json::Null)
}
