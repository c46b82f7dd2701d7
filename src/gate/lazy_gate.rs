//! A lazily opened gate: in memory it is there at once, a durable one is opened by the first operation.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign_bridge::operation::Host;
use countersign_bridge::options::NativeGateOptions;
use countersign_core::gate::{Clock, Gate, GateError, GateOptions, SystemClock};
use countersign_core::ledger::seal::ContentKey;
use countersign_core::ledger::{
    EventFeed, LedgerError, LedgerLocation, OpenOptions, WatchScope, open,
};
use napi::bindgen_prelude::spawn;

/// A gate that is there, or is opened by the first operation.
pub(super) struct LazyGate {
    feed: Arc<EventFeed>,
    access: GateAccess,
}

enum GateAccess {
    /// In memory.
    Opened(Arc<Gate>),
    /// In a file or on a server.
    Lazy { source: GateSource, state: Mutex<OpenState> },
}

/// What it is opened with.
struct GateSource {
    /// What cannot be read is told when it is opened: a constructor has no code to give.
    location: Result<LedgerLocation, LedgerError>,
    key: Option<Box<str>>,
    options: GateOptions,
}

#[derive(Clone)]
enum OpenState {
    Unopened { watch_all: bool },
    Open(Arc<Gate>),
    Failed(LedgerError),
    Closed,
}

impl LazyGate {
    pub(super) fn new(text: &str) -> Result<Self, GateError> {
        let text = NativeGateOptions::from_text(text)?;
        let options = text.options()?;
        match LedgerLocation::parse(&text.ledger, Path::new(&*text.cwd)) {
            Ok(LedgerLocation::Memory) => {
                let gate = Gate::new(options, Box::new(SystemClock::new()), spawner());
                gate.feed().hush(text.quiet);
                Ok(Self { feed: Arc::clone(gate.feed()), access: GateAccess::Opened(gate) })
            }
            location => Ok(Self {
                feed: Arc::default(),
                access: GateAccess::Lazy {
                    source: GateSource { location, key: text.key, options },
                    state: Mutex::new(OpenState::Unopened { watch_all: false }),
                },
            }),
        }
    }

    /// The gate, opened if need be.
    fn open(&self) -> Result<Arc<Gate>, GateError> {
        let (source, state) = match &self.access {
            GateAccess::Opened(gate) => return Ok(Arc::clone(gate)),
            GateAccess::Lazy { source, state } => (source, state),
        };
        // Held while it is opened: other operations wait for the same gate.
        let mut state = lock(state);
        if let OpenState::Unopened { watch_all } = *state {
            *state = match source.open(&self.feed) {
                Ok(gate) => {
                    let _set = gate.watch(watch(watch_all));
                    OpenState::Open(gate)
                }
                Err(error) => OpenState::Failed(error),
            };
        }
        match &*state {
            OpenState::Open(gate) => Ok(Arc::clone(gate)),
            OpenState::Failed(error) => Err(GateError::Ledger(error.clone())),
            OpenState::Unopened { .. } | OpenState::Closed => Err(GateError::Closed),
        }
    }
}

impl Host for LazyGate {
    fn gate(&self) -> Result<Arc<Gate>, GateError> {
        self.open()
    }

    fn feed(&self) -> &EventFeed {
        &self.feed
    }

    fn is_durable(&self) -> bool {
        matches!(self.access, GateAccess::Lazy { .. })
    }

    fn watch_all(&self, on: bool) {
        let state = match &self.access {
            // All that happens in memory happens here: events are left out only if they have no reader.
            GateAccess::Opened(_) => return self.feed.hush(!on),
            GateAccess::Lazy { state, .. } => state,
        };
        match &mut *lock(state) {
            OpenState::Unopened { watch_all } => *watch_all = on,
            OpenState::Open(gate) => {
                // Setting it cannot fail; only looking at a request can.
                let _set = gate.watch(watch(on));
            }
            OpenState::Failed(_) | OpenState::Closed => {}
        }
    }

    fn close(&self, reason: &str) -> Result<(), GateError> {
        let closed = match &self.access {
            GateAccess::Opened(gate) => gate.close(reason),
            GateAccess::Lazy { state, .. } => {
                // Taken out first: what comes is refused, and what is under way is waited for.
                match std::mem::replace(&mut *lock(state), OpenState::Closed) {
                    OpenState::Open(gate) => {
                        let closed = gate.close(reason);
                        self.feed.on_wake(None);
                        let_go(gate);
                        closed
                    }
                    _ => return Ok(()),
                }
            }
        };
        // The caller drains what this queued, so no wake-up is needed.
        self.feed.on_wake(None);
        closed
    }
}

/// A door through which only goes what need not wait: of a durable ledger, nothing that its gate does.
pub(super) struct GateAtOnce<'a>(pub(super) &'a LazyGate);

impl Host for GateAtOnce<'_> {
    fn gate(&self) -> Result<Arc<Gate>, GateError> {
        match &self.0.access {
            GateAccess::Opened(gate) => Ok(Arc::clone(gate)),
            GateAccess::Lazy { .. } => {
                Err(GateError::Internal("a durable ledger answers later".to_owned()))
            }
        }
    }

    fn feed(&self) -> &EventFeed {
        self.0.feed()
    }

    fn is_durable(&self) -> bool {
        self.0.is_durable()
    }

    fn watch_all(&self, on: bool) {
        self.0.watch_all(on);
    }

    fn close(&self, reason: &str) -> Result<(), GateError> {
        self.gate().and_then(|_| self.0.close(reason))
    }
}

impl GateSource {
    fn open(&self, feed: &Arc<EventFeed>) -> Result<Arc<Gate>, LedgerError> {
        let clock = SystemClock::new();
        let options = OpenOptions {
            key: self.key.as_deref().map(ContentKey::parse).transpose()?,
            read_only: self.options.read_only,
            feed: Arc::clone(feed),
            now: clock.now(),
        };
        let ledger = open(self.location.as_ref().map_err(Clone::clone)?, options)?;
        Ok(Gate::over(ledger, self.options.clone(), Box::new(clock), spawner()))
    }
}

/// The longest that closing waits for what is still under way.
const PARTING: Duration = Duration::from_secs(2);

/// Closes the files after their last use in this process: who is told that the gate is closed may remove them.
fn let_go(gate: Arc<Gate>) {
    let start = Instant::now();
    let mut gate = gate;
    while start.elapsed() < PARTING {
        gate = match Arc::try_unwrap(gate) {
            Ok(last) => return drop(last),
            Err(shared) => shared,
        };
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn spawner() -> countersign_core::gate::SpawnTask {
    Box::new(|task| drop(spawn(task)))
}

const fn watch(all: bool) -> WatchScope {
    if all { WatchScope::All } else { WatchScope::Own }
}

fn lock(state: &Mutex<OpenState>) -> MutexGuard<'_, OpenState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
