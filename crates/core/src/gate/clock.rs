//! Time, as deadlines need it.

use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// ms since the epoch, and never back.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> u64;
}

/// The clock of this machine. Set back, it goes on from where it was; set forward, it follows. So a deadline is never
/// later than the human was told.
#[derive(Debug)]
pub struct SystemClock {
    /// The last time that the wall clock was ahead: what it said, and when.
    anchor: Mutex<(u64, Instant)>,
}

impl SystemClock {
    /// The clock.
    pub fn new() -> Self {
        Self { anchor: Mutex::new((0, Instant::now())) }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis);
        let mut anchor = self.anchor.lock().unwrap_or_else(PoisonError::into_inner);
        let steady = anchor.0.saturating_add(millis(anchor.1.elapsed()));
        if wall > steady {
            *anchor = (wall, Instant::now());
        }
        wall.max(steady)
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
