//! The one task per gate that expires what is due.
//!
//! It is not what makes a deadline hold: a late decision is refused whether or not the task has come round (see
//! [`Ledger::decide`](crate::ledger::Ledger::decide)). It is what wakes those who wait.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tracing::error;

use super::{EXPIRE_AT_ONCE, Gate, State};

/// The longest sleep. The wall clock may jump, and a sleeping machine's timer does not count: look again now and then.
const LONGEST_NAP: Duration = Duration::from_secs(30);

/// The pause after the ledger failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

impl Gate {
    /// Sees to it that the task runs and wakes up for this deadline.
    pub(super) fn watch(&self, state: &mut State, deadline: u64) {
        if !state.watching {
            state.watching = true;
            state.watched = Some(deadline);
            (self.spawn)(Box::pin(expire_for_ever(
                Weak::clone(&self.me),
                Arc::clone(&self.deadlines_changed),
            )));
        } else if state.watched.is_none_or(|watched| deadline < watched) {
            state.watched = Some(deadline);
            self.deadlines_changed.notify_one();
        }
    }

    /// Expires what is due, and says how long to sleep; `None`: until told.
    fn expire_due(&self) -> Option<Duration> {
        loop {
            let mut state = self.state();
            let now = self.clock.now();
            let expired = match state.ledger.expire_due(now, EXPIRE_AT_ONCE) {
                Ok(expired) => expired,
                Err(error) => {
                    error!(target: "countersign", %error, "could not expire what is due");
                    return Some(AFTER_FAILURE);
                }
            };
            for record in &expired {
                state.decided(record);
            }
            if !expired.is_empty() {
                state.wake();
            }
            // A full batch: there may be more. The lock is let go in between.
            if expired.len() == EXPIRE_AT_ONCE {
                continue;
            }
            let next = state.ledger.next_deadline().unwrap_or(Some(now));
            state.watched = next;
            return next.map(|next| {
                Duration::from_millis(next.saturating_sub(now).max(1)).min(LONGEST_NAP)
            });
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // The task finds the gate gone and ends.
        self.deadlines_changed.notify_one();
    }
}

/// Holds the gate only while it looks, so that dropping the gate ends the task.
async fn expire_for_ever(gate: Weak<Gate>, changed: Arc<Notify>) {
    loop {
        let Some(nap) = gate.upgrade().map(|gate| gate.expire_due()) else { return };
        match nap {
            // The error is that the time is up, which is what we wait for.
            Some(nap) => drop(tokio::time::timeout(nap, changed.notified()).await),
            None => changed.notified().await,
        }
    }
}
