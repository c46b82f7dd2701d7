//! The rooms before this one, put to work: a live object that asks, binds, waits and wakes.
//!
//! Every method is synchronous and changes the state under one lock. What it changed is queued as an [`Event`] until
//! [`Gate::drain`].

mod clock;
mod deadline;
mod error;
mod event;
pub mod policies;
#[cfg(test)]
mod tests;
pub mod wire;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;
use tracing::{debug, info, trace};
use uuid::{NoContext, Timestamp, Uuid};

use crate::approval::{
    ApprovalId, Choice, Decided, Decision, DecisionKinds, More, Record, Request, Status, Step, Via,
};
use crate::call::{CanonicalJson, Context, Json, ToolCall};
use crate::ledger::{Begun, Ledger, MemoryLedger, Outcome, Requested};
use crate::preview::{self, Flag};

pub use clock::{Clock, SystemClock};
pub use error::Error;
pub use event::Event;

/// What a gate is made with.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The largest arguments of one call, in bytes of canonical JSON.
    pub max_argument_bytes: usize,
    /// How many requests are kept after nothing can happen to them any more.
    pub keep_decided: usize,
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
    /// The preview, made by whoever knows more of the call; `None`: made from the call.
    pub page: Option<Page>,
    /// What most requests do not have.
    pub more: Option<Box<More>>,
}

/// A preview that was made before.
#[derive(Debug)]
pub struct Page {
    /// Text that is safe to show.
    pub text: Box<str>,
    /// What was found worth a warning.
    pub flags: Box<[&'static str]>,
}

/// Who decides, and through what.
#[derive(Debug)]
pub struct Decider {
    /// A name, when there is one.
    pub by: Option<Box<str>>,
    /// Through what.
    pub via: Via,
}

/// What may be executed.
#[derive(Debug)]
pub struct Claim {
    /// The approval that it used up.
    pub approval_id: ApprovalId,
    /// The gate's own copy of what was approved.
    pub args: CanonicalJson,
    /// Whether the human changed the arguments.
    pub edited: bool,
}

/// Starts the deadline task on whatever runs tasks here.
pub type Spawn = Box<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// Told that events wait which no caller of the gate made. It is called under the gate's lock: it must not block and must
/// not call the gate.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The most events that one [`Gate::drain`] returns.
pub const MAX_DRAIN: usize = 128;

/// The longest id or tool name, in bytes.
pub(crate) const MAX_NAME: usize = 1024;

/// From here on a description is made once and kept, in bytes of arguments.
const LONG_ARGUMENTS: usize = 1024;

/// How many requests expire under one hold of the lock.
const EXPIRE_AT_ONCE: usize = 256;

/// The live object that asks, waits and wakes. The first decision wins.
pub struct Gate {
    options: Options,
    clock: Box<dyn Clock>,
    spawn: Spawn,
    /// Tells the deadline task that the next deadline changed, or that the gate is gone.
    deadlines_changed: Arc<Notify>,
    me: Weak<Gate>,
    state: Mutex<State>,
}

struct State {
    ledger: Box<dyn Ledger>,
    outbox: VecDeque<Event>,
    wake: Option<Wake>,
    /// The wake was called since the last drain: once is enough.
    woken: bool,
    /// The deadline task runs, and sleeps until this.
    watched: Option<u64>,
    watching: bool,
    closed: bool,
}

impl Gate {
    /// A gate over a ledger in memory.
    pub fn new(options: Options, clock: Box<dyn Clock>, spawn: Spawn) -> Arc<Self> {
        Self::over(Box::new(MemoryLedger::new(options.keep_decided)), options, clock, spawn)
    }

    /// A gate over any ledger.
    pub fn over(
        ledger: Box<dyn Ledger>, options: Options, clock: Box<dyn Clock>, spawn: Spawn,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            options,
            clock,
            spawn,
            deadlines_changed: Arc::new(Notify::new()),
            me: Weak::clone(me),
            state: Mutex::new(State {
                ledger,
                outbox: VecDeque::new(),
                wake: None,
                woken: false,
                watched: None,
                watching: false,
                closed: false,
            }),
        })
    }

    /// A panic under the lock cannot leave a half change behind that matters: each step of the ledger is atomic, and an
    /// event that is missing delays a waiter, it does not run a tool.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `wake` is called when events were queued by something other than a call of the gate: once until the next drain.
    /// `None` forgets it.
    pub fn on_wake(&self, wake: Option<Wake>) {
        // The old one is dropped without the lock: it may be anything.
        let _old = std::mem::replace(&mut self.state().wake, wake);
    }

    /// Puts a call to a human.
    pub fn request(&self, new: NewRequest) -> Result<Record, Error> {
        self.check_size("the arguments", &new.call.args)?;
        let digest = new.call.digest();
        // Once per request, and without the lock: showing a long text takes its time.
        let args = shown(&new.call.args);
        let page = new.page.unwrap_or_else(|| {
            let preview = preview::render(&new.call.tool_name, &args, None);
            Page {
                text: preview.text.into(),
                flags: preview.flags.iter().map(Flag::name).collect(),
            }
        });
        let is_long = new.call.args.as_str().len() > LONG_ARGUMENTS;
        let description = new
            .description
            .or_else(|| is_long.then(|| preview::describe(&new.call.tool_name, &args).into()));
        let mut more = new.more;
        if !page.flags.is_empty() {
            more.get_or_insert_default().flags = page.flags;
        }
        let mut state = self.state();
        if state.closed {
            return Err(Error::Closed);
        }
        let now = self.clock.now();
        let request = Request {
            id: new_id(now),
            digest,
            call: new.call,
            origin: new.origin,
            description,
            preview: page.text,
            more,
            allowed: new.allowed,
            created_at: now,
            expires_at: new.timeout.map(|timeout| now.saturating_add(timeout)),
        };
        let record = match state.ledger.request(request)? {
            Requested::Created(record) => record,
            Requested::Duplicate(record) => return Err(Error::Duplicate(record)),
        };
        let request = record.request();
        info!(target: "countersign", approval_id = %request.id, run_id = &*request.call.run_id, tool_call_id = &*request.call.tool_call_id,
            tool_name = &*request.call.tool_name, expires_at = request.expires_at, "requested");
        trace!(target: "countersign", approval_id = %request.id, args = request.call.args.as_str(), "requested");
        state.outbox.push_back(Event::Requested(Arc::clone(request)));
        if let Some(deadline) = request.expires_at {
            self.watch(&mut state, deadline);
        }
        Ok(record)
    }

    /// A record.
    pub fn get(&self, id: ApprovalId) -> Result<Option<Record>, Error> {
        Ok(self.state().ledger.get(id)?)
    }

    /// The records of a call id, oldest first; over all runs when `run` is `None`.
    pub fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, Error> {
        Ok(self.state().ledger.find(run, tool_call_id)?)
    }

    /// What waits, oldest first; over all runs when `run` is `None`.
    pub fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, Error> {
        Ok(self.state().ledger.pending(run)?)
    }

    /// Decides, if the request is still open.
    pub fn decide(
        &self, id: ApprovalId, decision: Decision, decider: Decider,
    ) -> Result<Record, Error> {
        match &decision.choice {
            Choice::Edit { args } => self.check_size("the edited arguments", args)?,
            Choice::Respond { output } => self.check_size("the output", output)?,
            _ => {}
        }
        let mut state = self.state();
        let decided = Decided { decision, by: decider.by, via: decider.via, at: self.clock.now() };
        match state.ledger.decide(id, decided)? {
            Outcome::Won(record) => {
                state.decided(&record);
                Ok(record)
            }
            Outcome::Expired(record) => {
                state.decided(&record);
                Err(Error::Expired(id))
            }
            Outcome::Already(record) if record.status() == Status::Expired => {
                Err(Error::Expired(id))
            }
            Outcome::Already(record) => Err(Error::AlreadyDecided(record)),
            Outcome::NotAllowed(record) => {
                Err(Error::NotAllowed { id, allowed: record.request().allowed })
            }
            Outcome::Unknown => Err(Error::UnknownApproval(id.to_string())),
        }
    }

    /// Cancels what a run waits for and takes back what was approved but not started.
    pub fn cancel_run(&self, run: &str, reason: &str, via: Via) -> Result<(), Error> {
        self.cancel(&mut self.state(), Some(run), reason, via)
    }

    fn cancel(
        &self, state: &mut State, run: Option<&str>, reason: &str, via: Via,
    ) -> Result<(), Error> {
        let decided = self.cancellation(reason, via);
        for record in state.ledger.cancel_run(run, &decided)? {
            state.decided(&record);
        }
        Ok(())
    }

    /// Takes back an approval that was not started; `false`: there was nothing to take back.
    pub fn revoke(&self, id: ApprovalId, reason: &str) -> Result<bool, Error> {
        let mut state = self.state();
        let revoked = state.ledger.revoke(id, self.cancellation(reason, Via::System))?;
        if let Some(record) = &revoked {
            state.decided(record);
        }
        Ok(revoked.is_some())
    }

    fn cancellation(&self, reason: &str, via: Via) -> Decided {
        Decided {
            decision: Decision::new(Choice::Cancelled, Some(reason)),
            by: None,
            via,
            at: self.clock.now(),
        }
    }

    /// The one claim on an approval, checked against the digest of what was approved. `context` is what the policies would
    /// judge the call under now.
    pub fn claim(
        &self, run: Option<&str>, tool_call_id: &str, tool_name: &str, args: CanonicalJson,
        context: Option<Box<Context>>,
    ) -> Result<Claim, Error> {
        let mut state = self.state();
        let candidates = state.ledger.find(run, tool_call_id)?;
        let mut open = candidates.iter().filter(|record| record.status().may_start());
        let record = match (open.next(), open.next()) {
            (Some(record), None) => record,
            (Some(record), Some(_)) => return Err(Error::Ambiguous { status: record.status() }),
            (None, _) => {
                let status = candidates.last().map(Record::status);
                let started = candidates.iter().find(|record| record.status().was_started());
                return Err(match started {
                    Some(record) => Error::AlreadyStarted { status: record.status() },
                    None => Error::NotApproved { status },
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
        let record = match state.ledger.begin(request.id, asked.digest())? {
            Begun::Won(record) => record,
            Begun::Mismatch => {
                info!(target: "countersign", approval_id = %request.id, tool_name = asked.tool_name, "digest mismatch: not started");
                return Err(Error::DigestMismatch);
            }
            // Another process was faster.
            Begun::Refused(status) if status.was_started() => {
                return Err(Error::AlreadyStarted { status });
            }
            Begun::Refused(status) => return Err(Error::NotApproved { status: Some(status) }),
            Begun::Unknown => return Err(Error::NotApproved { status: None }),
        };
        let Some((args, _)) = record.approved() else {
            return Err(Error::NotApproved { status: Some(record.status()) });
        };
        let id = record.request().id;
        info!(target: "countersign", approval_id = %id, "started");
        state.outbox.push_back(Event::Started { id, at: self.clock.now() });
        Ok(Claim { approval_id: id, args: args.clone(), edited: record.is_edited() })
    }

    /// Writes down how a started call ended. What was not running is left as it is.
    pub fn settle(&self, id: ApprovalId, succeeded: bool) -> Result<(), Error> {
        let mut state = self.state();
        let step = if succeeded { Step::Succeed } else { Step::Fail };
        if state.ledger.finish(id, step)?.is_some() {
            info!(target: "countersign", approval_id = %id, succeeded, "settled");
            state.outbox.push_back(Event::Settled { id, succeeded, at: self.clock.now() });
        }
        Ok(())
    }

    /// What happened since the last call, oldest first, at most [`MAX_DRAIN`] and while `take` says so. What is left when
    /// `take` stops early is announced through the wake.
    pub fn drain(&self, mut take: impl FnMut(Event) -> bool) {
        let mut state = self.state();
        state.woken = false;
        let batch = state.outbox.len().min(MAX_DRAIN);
        let mut events: VecDeque<Event> = state.outbox.drain(..batch).collect();
        drop(state);
        // Showing an event may be slow: without the lock.
        while let Some(event) = events.pop_front() {
            if !take(event) {
                break;
            }
        }
        if events.is_empty() {
            return;
        }
        let mut state = self.state();
        while let Some(event) = events.pop_back() {
            state.outbox.push_front(event);
        }
        state.wake();
    }

    /// Cancels what waits, takes back what was approved but not started, and refuses what comes. Idempotent.
    pub fn close(&self, reason: &str) -> Result<(), Error> {
        let mut state = self.state();
        if state.closed {
            return Ok(());
        }
        state.closed = true;
        debug!(target: "countersign", "closed");
        self.cancel(&mut state, None, reason, Via::System)
    }

    fn check_size(&self, what: &'static str, json: &CanonicalJson) -> Result<(), Error> {
        let (size, limit) = (json.as_str().len(), self.options.max_argument_bytes);
        if size > limit { Err(Error::TooLarge { what, size, limit }) } else { Ok(()) }
    }
}

impl State {
    fn decided(&mut self, record: &Record) {
        let Some(decided) = record.decided() else { return };
        let request = record.request();
        info!(target: "countersign", approval_id = %request.id, run_id = &*request.call.run_id, tool_name = &*request.call.tool_name,
            decision = decided.decision.choice.name(), decided_by = decided.by(), via = decided.via.name(), "decided");
        self.outbox.push_back(Event::Decided {
            request: Arc::clone(request),
            decided: Arc::clone(decided),
        });
    }

    /// Announces what no caller made, once until the next drain.
    fn wake(&mut self) {
        if self.woken {
            return;
        }
        if let Some(wake) = &self.wake {
            self.woken = true;
            wake();
        }
    }
}

/// A UUIDv7 of this moment. All 74 bits beside the time are random: none are spent on a counter, so that an id seen tells
/// nothing of the next.
fn new_id(now: u64) -> Uuid {
    let nanos = u32::try_from(now % 1000).unwrap_or_default() * 1_000_000;
    Uuid::new_v7(Timestamp::from_unix(NoContext, now / 1000, nanos))
}

/// The arguments as a value, for showing them.
pub(crate) fn shown(args: &CanonicalJson) -> Json {
    // Canonical text always parses; what does not is shown as nothing at all rather than wrongly.
    args.to_json().unwrap_or(Json::Null)
}
