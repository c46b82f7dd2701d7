//! What a ledger tells of, in the order it happened.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::LedgerError;
use crate::approval::{
    ApprovalId, ExecutionStep, Record, RecordedDecision, Request, TimerAction, Vote, VoteTally,
};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum LedgerEvent {
    /// A call was put to a human.
    Requested(Arc<Request>),
    /// It was decided; a second time when an approval is taken back before its start.
    Decided {
        /// The request.
        request: Arc<Request>,
        /// The decision.
        decided: Arc<RecordedDecision>,
        /// What was counted before it; `None`: nothing.
        tally: Option<Arc<VoteTally>>,
    },
    /// An approval was counted, and more are needed.
    Voted {
        /// The request, as it is when this is told.
        record: Record,
        /// The approval.
        vote: Vote,
    },
    /// Its deadline is near.
    Reminded {
        /// The request, as it is when this is told.
        record: Record,
        /// ms since the epoch.
        at: u64,
    },
    /// No decision came in time.
    Escalated {
        /// The request, as it is when this is told.
        record: Record,
        /// Who may decide now, too: names, and groups as `group:NAME`.
        to: Vec<Box<str>>,
        /// ms since the epoch.
        at: u64,
    },
    /// Its tool starts.
    Started {
        /// The request.
        id: ApprovalId,
        /// ms since the epoch.
        at: u64,
    },
    /// The ledger cannot be read: until it can, nothing is told of what others do, nor of what is done here.
    Unreadable {
        /// Why.
        error: LedgerError,
    },
    /// Its tool ended.
    Settled {
        /// The request.
        id: ApprovalId,
        /// How.
        end: ExecutionEnd,
        /// ms since the epoch.
        at: u64,
    },
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionEnd {
    /// The tool returned.
    Succeeded,
    /// The tool threw.
    Failed,
    /// The process that ran it is gone.
    Interrupted,
}

impl ExecutionEnd {
    /// The end that this step is; `None` for the start.
    pub const fn of(step: ExecutionStep) -> Option<Self> {
        match step {
            ExecutionStep::Start => None,
            ExecutionStep::Succeed => Some(Self::Succeeded),
            ExecutionStep::Fail => Some(Self::Failed),
            ExecutionStep::Interrupt => Some(Self::Interrupted),
        }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Told that events wait. It is called under a lock: it must not block and must not call what told it.
pub type WakeCallback = Arc<dyn Fn() + Send + Sync>;

/// The most events that one [`EventFeed::drain`] returns.
pub const MAX_DRAIN: usize = 128;

/// A queue of events, and who is told that it is no longer empty.
#[derive(Default)]
pub struct EventFeed(Mutex<FeedState>);

#[derive(Default)]
struct FeedState {
    queue: VecDeque<LedgerEvent>,
    wake: Option<WakeCallback>,
    /// The wake was called since the last drain: once is enough.
    woken: bool,
    /// No reader needs what each caller knows of its own change.
    quiet: bool,
}

impl EventFeed {
    fn state(&self) -> MutexGuard<'_, FeedState> {
        // A panic under the lock leaves the queue whole: at worst an event is missing, which delays a waiter.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an event. The caller drains the feed itself; see [`EventFeed::announce`].
    pub fn push(&self, event: LedgerEvent) {
        let mut state = self.state();
        if !state.quiet || event.is_awaited() {
            state.queue.push_back(event);
        }
    }

    /// Whether requests, starts and ends are left out: who makes them knows of them by the answer.
    pub fn hush(&self, quiet: bool) {
        self.state().quiet = quiet;
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.state().queue.is_empty()
    }

    /// Announces events that no caller made, once until the next drain.
    pub fn announce(&self) {
        self.state().announce();
    }

    /// `wake` is called by [`EventFeed::announce`]; `None` forgets it.
    pub fn on_wake(&self, wake: Option<WakeCallback>) {
        let mut state = self.state();
        let old = std::mem::replace(&mut state.wake, wake);
        // What came before anybody listened.
        if !state.queue.is_empty() {
            state.announce();
        }
        drop(state);
        // The old one is dropped without the lock: it may be anything.
        drop(old);
    }

    /// What happened since the last call, oldest first, at most [`MAX_DRAIN`] and while `take` says so. What is left when
    /// `take` stops early is announced.
    pub fn drain(&self, mut take: impl FnMut(LedgerEvent) -> bool) {
        let mut state = self.state();
        state.woken = false;
        let batch = state.queue.len().min(MAX_DRAIN);
        let mut events: VecDeque<LedgerEvent> = state.queue.drain(..batch).collect();
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
            state.queue.push_front(event);
        }
        state.announce();
    }
}

impl LedgerEvent {
    /// Whether somebody else than its maker waits for it.
    const fn is_awaited(&self) -> bool {
        !matches!(self, Self::Requested(_) | Self::Started { .. } | Self::Settled { .. })
    }

    /// The decision on a request; `None`: not decided.
    pub fn decided(record: &Record) -> Option<Self> {
        let decided = Arc::clone(record.decided()?);
        let (request, tally) = (Arc::clone(record.request()), record.tally().cloned());
        Some(Self::Decided { request, decided, tally })
    }

    /// What time did to a request.
    pub fn done(record: &Record, deed: TimerAction, at: u64) -> Self {
        let record = record.clone();
        match deed {
            TimerAction::Remind => Self::Reminded { record, at },
            TimerAction::Escalate => {
                let to = record.request().escalated_to(at);
                Self::Escalated { record, to, at }
            }
        }
    }
}

impl FeedState {
    fn announce(&mut self) {
        if self.woken {
            return;
        }
        if let Some(wake) = &self.wake {
            self.woken = true;
            wake();
        }
    }
}

impl fmt::Debug for EventFeed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Feed").field("queued", &self.state().queue.len()).finish()
    }
}
