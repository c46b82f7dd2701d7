//! The way to a gate: it is here, or it is opened by the first who needs it.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign_bridge::envelope::envelope;
use countersign_bridge::options::NativeGateOptions;
use countersign_bridge::perform::perform;
use countersign_core::gate::{Clock, Error, Gate, Options, SystemClock};
use countersign_core::ledger::seal::Key;
use countersign_core::ledger::{Feed, LedgerError, Location, OpenOptions, Watch, open};
use napi::bindgen_prelude::spawn;

/// The way to a gate.
pub(super) struct Door {
    feed: Arc<Feed>,
    way: Way,
}

enum Way {
    /// In memory.
    Here(Arc<Gate>),
    /// In a file or on a server.
    There { how: How, state: Mutex<State> },
}

/// How it is opened.
struct How {
    /// What cannot be read is told when it is opened: a constructor has no code to give.
    location: Result<Location, LedgerError>,
    key: Option<Box<str>>,
    options: Options,
}

#[derive(Clone)]
enum State {
    Unopened { watch_all: bool },
    Open(Arc<Gate>),
    Failed(LedgerError),
    Closed,
}

impl Door {
    pub(super) fn new(text: &str) -> Result<Self, Error> {
        let text = NativeGateOptions::from_text(text)?;
        let options = text.options()?;
        match Location::parse(&text.ledger, Path::new(&*text.cwd)) {
            Ok(Location::Memory) => {
                let gate = Gate::new(options, Box::new(SystemClock::new()), spawner());
                Ok(Self { feed: Arc::clone(gate.feed()), way: Way::Here(gate) })
            }
            location => Ok(Self {
                feed: Arc::default(),
                way: Way::There {
                    how: How { location, key: text.key, options },
                    state: Mutex::new(State::Unopened { watch_all: false }),
                },
            }),
        }
    }

    pub(super) fn lasts(&self) -> bool {
        matches!(self.way, Way::There { .. })
    }

    pub(super) fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// The gate, where none of its operations waits for a disk.
    pub(super) fn here(&self) -> Result<&Arc<Gate>, Error> {
        match &self.way {
            Way::Here(gate) => Ok(gate),
            Way::There { .. } => {
                Err(Error::Internal("a ledger that lasts answers later".to_owned()))
            }
        }
    }

    /// Whether the events of every process' requests are told of.
    pub(super) fn watch_all(&self, on: bool) {
        let Way::There { state, .. } = &self.way else { return };
        match &mut *lock(state) {
            State::Unopened { watch_all } => *watch_all = on,
            State::Open(gate) => {
                // Setting it cannot fail; only looking at a request can.
                let _set = gate.watch(watch(on));
            }
            State::Failed(_) | State::Closed => {}
        }
    }

    /// An operation. It may open the ledger, and may wait.
    pub(super) fn perform(&self, operation: &str, payload: &str) -> String {
        let gate = match self.gate(operation == "close") {
            Ok(Some(gate)) => gate,
            Ok(None) => return envelope(Ok(())),
            Err(error) => return envelope::<()>(Err(error)),
        };
        let answer = perform(&gate, operation, payload);
        if operation == "close" {
            self.feed.on_wake(None);
            let_go(gate);
        }
        answer
    }

    /// The gate, opened if need be; to be closed, it is taken out, and `None` says that there is nothing to close.
    fn gate(&self, close: bool) -> Result<Option<Arc<Gate>>, Error> {
        let (how, state) = match &self.way {
            Way::Here(gate) => return Ok(Some(Arc::clone(gate))),
            Way::There { how, state } => (how, state),
        };
        // Held while it is opened: whoever comes meanwhile waits for the same gate.
        let mut state = lock(state);
        if close {
            return Ok(match std::mem::replace(&mut *state, State::Closed) {
                State::Open(gate) => Some(gate),
                _ => None,
            });
        }
        if let State::Unopened { watch_all } = *state {
            *state = match how.open(&self.feed) {
                Ok(gate) => {
                    let _set = gate.watch(watch(watch_all));
                    State::Open(gate)
                }
                Err(error) => State::Failed(error),
            };
        }
        match &*state {
            State::Open(gate) => Ok(Some(Arc::clone(gate))),
            State::Failed(error) => Err(Error::Ledger(error.clone())),
            State::Unopened { .. } | State::Closed => Err(Error::Closed),
        }
    }
}

impl How {
    fn open(&self, feed: &Arc<Feed>) -> Result<Arc<Gate>, LedgerError> {
        let clock = SystemClock::new();
        let options = OpenOptions {
            key: self.key.as_deref().map(Key::parse).transpose()?,
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

/// Closes the files, once nobody here uses them any more: who is told that the gate is closed may remove them.
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

fn spawner() -> countersign_core::gate::Spawn {
    Box::new(|task| drop(spawn(task)))
}

const fn watch(all: bool) -> Watch {
    if all { Watch::All } else { Watch::Own }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
