//! The one task per gate that expires what is due.
//!
//! It is not what makes a deadline hold: a late decision is refused whether or not the task has come round (see
//! [`Ledger::decide`](crate::ledger::Ledger::decide)). It is what wakes those who wait.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tracing::error;

use super::{EXPIRE_AT_ONCE, Gate, GateError, told};
use crate::ledger::{Retention, UpkeepReport};

/// The longest sleep. The wall clock may jump, and a sleeping machine's timer does not count: look again now and then.
const LONGEST_NAP: Duration = Duration::from_secs(15);

/// The pause after the ledger failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How often a durable ledger is tidied.
const UPKEEP: Duration = Duration::from_secs(600);

/// How many rows are dropped under one hold of the ledger.
const TIDY_AT_ONCE: usize = 200;

impl Gate {
    /// Sees to it that the task runs and wakes up for this deadline.
    pub(super) fn watch_until(&self, deadline: u64) {
        let mut watching = self.watching();
        if !watching.running {
            watching.running = true;
            watching.until = Some(deadline);
            let changed = Arc::clone(&self.deadlines_changed);
            (self.spawn)(Box::pin(expire_for_ever(Weak::clone(&self.me), changed)));
        } else if watching.until.is_none_or(|until| deadline < until) {
            watching.until = Some(deadline);
            self.deadlines_changed.notify_one();
        }
    }

    /// Expires what is due, and says how long to sleep; `None`: until told.
    fn expire_due(&self) -> Option<Duration> {
        loop {
            let now = self.now();
            let expired = match self.ledger.expire_due(now, EXPIRE_AT_ONCE) {
                Ok(expired) => expired,
                Err(error) => {
                    error!(target: "countersign", %error, "could not expire what is due");
                    return Some(AFTER_FAILURE);
                }
            };
            for record in &expired {
                told(record);
            }
            if !expired.is_empty() {
                self.ledger.feed().announce();
            }
            // A full batch: there may be more. The ledger is let go in between.
            if expired.len() == EXPIRE_AT_ONCE {
                continue;
            }
            // Under the lock: a request made from here on finds what we sleep until.
            let mut watching = self.watching();
            let next = self.ledger.next_deadline().unwrap_or(Some(now));
            watching.until = next;
            return next.map(|next| {
                Duration::from_millis(next.saturating_sub(now).max(1)).min(LONGEST_NAP)
            });
        }
    }

    /// Expires what is due, for every process that uses the ledger: one of them may be gone with its deadlines.
    pub fn expire_now(&self) {
        if !self.options.read_only {
            self.expire_due();
        }
    }

    /// Drops what this retention lets go of, a little at a time.
    pub fn tidy_now(&self, retention: Retention) -> Result<UpkeepReport, GateError> {
        let archive = self.archive()?;
        let mut all = UpkeepReport::default();
        loop {
            let tidied = archive.tidy(retention, self.now(), TIDY_AT_ONCE)?;
            if tidied == UpkeepReport::default() {
                return Ok(all);
            }
            all = all + tidied;
            // Others write in between.
            std::thread::sleep(Duration::from_millis(3));
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
    let mut tidied: Option<tokio::time::Instant> = None;
    loop {
        let Some(held) = gate.upgrade() else { return };
        let is_durable = held.is_durable();
        let nap = if is_durable {
            let tidies = tidied.is_none_or(|at| at.elapsed() >= UPKEEP);
            if tidies {
                tidied = Some(tokio::time::Instant::now());
            }
            // It may wait for a disk: not on a thread that others' deadlines need.
            let looked = tokio::task::spawn_blocking(move || {
                let nap = held.expire_due();
                if tidies && let Err(error) = held.tidy_now(held.options.retention) {
                    error!(target: "countersign", %error, "could not tidy the ledger");
                }
                nap
            });
            Some(nap_of_many(looked.await))
        } else {
            let nap = held.expire_due();
            drop(held);
            nap
        };
        match nap {
            // The error is that the time is up, which is what we wait for.
            Some(nap) => drop(tokio::time::timeout(nap, changed.notified()).await),
            None => changed.notified().await,
        }
    }
}

/// How long to sleep where other processes ask, too: of a deadline of theirs nothing tells this one. A panic while it looked must
/// not end what expires: it looks again soon.
fn nap_of_many<ERROR>(looked: Result<Option<Duration>, ERROR>) -> Duration {
    looked.unwrap_or(Some(AFTER_FAILURE)).unwrap_or(LONGEST_NAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_processes_share_is_looked_at_again() {
        let soon = Duration::from_millis(7);
        assert_eq!(nap_of_many::<()>(Ok(Some(soon))), soon);
        // Nothing is due here: another process may have asked since.
        assert_eq!(nap_of_many::<()>(Ok(None)), LONGEST_NAP);
        assert_eq!(nap_of_many(Err("a panic")), AFTER_FAILURE);
    }
}
