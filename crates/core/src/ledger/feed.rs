//! What a ledger tells of, in the order it happened.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::approval::{ApprovalId, Decided, Deed, Record, Request, Step, Tally, Vote};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A call was put to a human.
    Requested(Arc<Request>),
    /// It was decided; a second time when an approval is taken back before its start.
    Decided {
        /// The request.
        request: Arc<Request>,
        /// The decision.
        decided: Arc<Decided>,
        /// What was counted before it; `None`: nothing.
        tally: Option<Arc<Tally>>,
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
    /// Nobody decided in time.
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
    /// Its tool ended.
    Settled {
        /// The request.
        id: ApprovalId,
        /// How.
        end: End,
        /// ms since the epoch.
        at: u64,
    },
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The tool returned.
    Succeeded,
    /// The tool threw.
    Failed,
    /// The process that ran it is gone.
    Interrupted,
}

impl End {
    /// The end that this step is; `None` for the start.
    pub const fn of(step: Step) -> Option<Self> {
        match step {
            Step::Start => None,
            Step::Succeed => Some(Self::Succeeded),
            Step::Fail => Some(Self::Failed),
            Step::Interrupt => Some(Self::Interrupted),
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
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The most events that one [`Feed::drain`] returns.
pub const MAX_DRAIN: usize = 128;

/// A queue of events, and who is told that it is no longer empty.
#[derive(Default)]
pub struct Feed(Mutex<State>);

#[derive(Default)]
struct State {
    queue: VecDeque<Event>,
    wake: Option<Wake>,
    /// The wake was called since the last drain: once is enough.
    woken: bool,
    /// Nobody reads what each caller knows of its own change.
    quiet: bool,
}

impl Feed {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic under the lock leaves the queue whole: at worst an event is missing, which delays a waiter.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an event. Whoever made it happen drains the feed itself; see [`Feed::announce`].
    pub fn push(&self, event: Event) {
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

    /// Tells that there are events which no caller made, once until the next drain.
    pub fn announce(&self) {
        self.state().announce();
    }

    /// `wake` is called by [`Feed::announce`]; `None` forgets it.
    pub fn on_wake(&self, wake: Option<Wake>) {
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
    pub fn drain(&self, mut take: impl FnMut(Event) -> bool) {
        let mut state = self.state();
        state.woken = false;
        let batch = state.queue.len().min(MAX_DRAIN);
        let mut events: VecDeque<Event> = state.queue.drain(..batch).collect();
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

impl Event {
    /// Whether somebody else than its maker waits for it.
    const fn is_awaited(&self) -> bool {
        !matches!(self, Self::Requested(_) | Self::Started { .. } | Self::Settled { .. })
    }

    /// The decision on a request; `None`: there is none.
    pub fn decided(record: &Record) -> Option<Self> {
        let decided = Arc::clone(record.decided()?);
        let (request, tally) = (Arc::clone(record.request()), record.tally().cloned());
        Some(Self::Decided { request, decided, tally })
    }

    /// What time did to a request.
    pub fn done(record: &Record, deed: Deed, at: u64) -> Self {
        let record = record.clone();
        match deed {
            Deed::Remind => Self::Reminded { record, at },
            Deed::Escalate => {
                let to = record.request().escalated_to(at);
                Self::Escalated { record, to, at }
            }
        }
    }
}

impl State {
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

impl fmt::Debug for Feed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Feed").field("queued", &self.state().queue.len()).finish()
    }
}
