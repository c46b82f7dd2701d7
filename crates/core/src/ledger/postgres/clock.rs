//! The server's clock, which is the only one that counts.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What it is on the server, as far as can be told without asking. Goes on by the steady clock of this machine: what
/// anybody sets its wall clock to changes nothing.
#[derive(Debug)]
pub(super) struct ServerClock {
    anchor: Mutex<Option<ClockAnchor>>,
    /// For tests: the time is what the caller says.
    pub(super) is_callers: bool,
}

#[derive(Debug)]
struct ClockAnchor {
    server: u64,
    at: Instant,
    /// How long the server took to answer; half of it may be the error.
    took: Duration,
}

/// After this long a worse answer is as good as an old one.
const STALE: Duration = Duration::from_secs(30);

impl ServerClock {
    pub(super) fn new(is_callers: bool) -> Self {
        Self { anchor: Mutex::default(), is_callers }
    }

    /// The server said that it is `server` (ms since the epoch), asked at `asked`.
    pub(super) fn told(&self, server: u64, asked: Instant) {
        let (now, took) = (Instant::now(), asked.elapsed());
        let mut anchor = self.anchor.lock().unwrap_or_else(PoisonError::into_inner);
        let is_better = anchor.as_ref().is_none_or(|old| {
            took <= old.took || old.at.elapsed() > STALE || old.now().abs_diff(server) > 1_000
        });
        if is_better {
            *anchor = Some(ClockAnchor {
                server: server.saturating_add(millis(took / 2)),
                at: now,
                took,
            });
        }
    }

    /// Now; `local` where the server was never asked.
    pub(super) fn now(&self, local: u64) -> u64 {
        if self.is_callers {
            return local;
        }
        let anchor = self.anchor.lock().unwrap_or_else(PoisonError::into_inner);
        anchor.as_ref().map_or(local, ClockAnchor::now)
    }

    /// The time for a statement to go by: `None` is the server's own.
    pub(super) fn given(&self, local: u64) -> Option<i64> {
        self.is_callers.then(|| crate::ledger::row::whole(local))
    }
}

impl ClockAnchor {
    fn now(&self) -> u64 {
        self.server.saturating_add(millis(self.at.elapsed()))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
