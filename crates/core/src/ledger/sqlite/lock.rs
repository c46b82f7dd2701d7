//! The gate: a writer holds the lock of a file beside the ledger.
//!
//! SQLite locks as well, but its locks belong to the process and not to the one who took them: when any other copy of SQLite
//! in this process opens and closes the file, they are gone. The lock of the gate (`flock`) belongs to our own open file and
//! stays. It is also fairer: who waits for it sleeps in the system's queue instead of trying again and again.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::fault::of_io;
use super::place;
use crate::ledger::{LedgerError, LedgerErrorKind};

/// A way to the lock, for one user at a time. Two of them exclude each other, in one process as well as in two.
#[derive(Debug)]
pub(crate) struct FileLock {
    path: PathBuf,
    queue: Arc<LockQueue>,
}

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct FileLockGuard<'a> {
    queue: &'a LockQueue,
}

/// What the gate and its helper thread share. The system has no lock with a time limit, so the helper waits for it, and the
/// one who wants it waits for the helper.
#[derive(Debug)]
struct LockQueue {
    file: File,
    stage: Mutex<LockStage>,
    changed: Condvar,
}

#[derive(Debug)]
enum LockStage {
    /// No helper waits in the system's queue.
    Idle,
    /// The helper waits there; whether anybody still wants it.
    Waiting { wanted: bool },
    /// The helper has got it, for the one who waits.
    Got,
    /// The helper could not wait.
    Failed(io::Error),
}

impl FileLock {
    /// A way to the lock in this file, which is made if it is missing.
    pub(crate) fn open(path: PathBuf) -> Result<Self, LedgerError> {
        let queue = LockQueue::open(&path)?;
        Ok(Self { path, queue })
    }

    /// Takes the lock, and waits for it no longer than `limit`; then the error is `Busy`.
    pub(crate) fn acquire(&mut self, limit: Duration) -> Result<FileLockGuard<'_>, LedgerError> {
        let start = Instant::now();
        loop {
            self.queue.acquire(&self.path, limit.saturating_sub(start.elapsed()))?;
            // Somebody may have removed the file: then the lock of ours is not the one that others take.
            if place::is_at(&self.queue.file, &self.path) {
                return Ok(FileLockGuard { queue: &self.queue });
            }
            self.queue = LockQueue::open(&self.path)?;
        }
    }
}

impl Drop for FileLockGuard<'_> {
    fn drop(&mut self) {
        // It can only fail for a file that is not open.
        let _ = self.queue.file.unlock();
    }
}

impl LockQueue {
    fn open(path: &Path) -> Result<Arc<Self>, LedgerError> {
        let file = place::private_file(path)?;
        Ok(Arc::new(Self { file, stage: Mutex::new(LockStage::Idle), changed: Condvar::new() }))
    }

    fn acquire(self: &Arc<Self>, path: &Path, limit: Duration) -> Result<(), LedgerError> {
        let mut stage = place::lock(&self.stage);
        match &mut *stage {
            LockStage::Waiting { wanted } => *wanted = true,
            LockStage::Idle | LockStage::Got | LockStage::Failed(_) => match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) if limit.is_zero() => return Err(busy(path, limit)),
                Err(TryLockError::WouldBlock) => {
                    let helper = Arc::clone(self);
                    thread::Builder::new()
                        .name("countersign-gate".to_owned())
                        .spawn(move || helper.wait_in_line())
                        .map_err(|error| of_io("wait for the lock of", path, &error))?;
                    *stage = LockStage::Waiting { wanted: true };
                }
                Err(TryLockError::Error(error)) => return Err(of_io("lock", path, &error)),
            },
        }
        let start = Instant::now();
        while matches!(*stage, LockStage::Waiting { .. }) {
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                *stage = LockStage::Waiting { wanted: false };
                return Err(busy(path, limit));
            }
            stage = place::wait(&self.changed, stage, left);
        }
        match std::mem::replace(&mut *stage, LockStage::Idle) {
            LockStage::Failed(error) => Err(of_io("lock", path, &error)),
            _ => Ok(()),
        }
    }

    /// The helper's work: stands in the system's queue, and passes the lock on, or back when it is no longer wanted. It ends with
    /// that. It cannot be interrupted, so no thread joins it: at the latest it ends with the holder of the lock.
    fn wait_in_line(&self) {
        let got = self.file.lock();
        let mut stage = place::lock(&self.stage);
        *stage = match (got, &*stage) {
            (Err(error), _) => LockStage::Failed(error),
            (Ok(()), LockStage::Waiting { wanted: true }) => LockStage::Got,
            (Ok(()), _) => {
                let _ = self.file.unlock();
                LockStage::Idle
            }
        };
        self.changed.notify_all();
    }
}

fn busy(path: &Path, limit: Duration) -> LedgerError {
    LedgerErrorKind::Busy.because(format!(
        "another process has held {} for more than {} ms; it may be stopped: let it go on or end it",
        path.display(),
        limit.as_millis(),
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    use std::{fs, thread};

    use super::FileLock;
    use crate::ledger::LedgerErrorKind;

    /// For hangs alone.
    const LONG: Duration = Duration::from_secs(240);

    fn path(name: &str) -> std::path::PathBuf {
        let unique = uuid::Uuid::now_v7();
        std::env::temp_dir().join(format!("countersign-gate-{name}-{unique}"))
    }

    #[test]
    fn who_waits_too_long_is_told_and_leaves_the_line() {
        let path = path("line");
        let (mut first, mut second) =
            (FileLock::open(path.clone()).unwrap(), FileLock::open(path.clone()).unwrap());
        let held = first.acquire(Duration::ZERO).unwrap();
        for limit in [0, 1, 20] {
            let error = second.acquire(Duration::from_millis(limit)).unwrap_err();
            assert_eq!(error.kind, LedgerErrorKind::Busy);
            assert!(error.message.contains(path.to_str().unwrap()), "{error}");
        }
        // The helper of the second still waits, and what it gets it gives back.
        drop(held);
        drop(first.acquire(LONG).unwrap());
        drop(second.acquire(LONG).unwrap());
        drop(first.acquire(LONG).unwrap());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn whoever_removes_the_file_does_not_get_past_it() {
        let path = path("removed");
        let mut first = FileLock::open(path.clone()).unwrap();
        drop(first.acquire(LONG).unwrap());
        fs::remove_file(&path).unwrap();
        let mut second = FileLock::open(path.clone()).unwrap();
        let held = second.acquire(LONG).unwrap();
        assert_eq!(first.acquire(Duration::ZERO).unwrap_err().kind, LedgerErrorKind::Busy);
        drop(held);
        drop(first.acquire(LONG).unwrap());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn one_at_a_time_holds_it_however_they_come() {
        let path = path("one");
        let inside = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut gate = FileLock::open(path.clone()).unwrap();
                    let mut done = 0;
                    while done < 200 {
                        // Some give up; what they leave in the line must not pass for a holder.
                        let limit = if done % 3 == 0 { LONG } else { Duration::from_micros(50) };
                        let Ok(held) = gate.acquire(limit) else {
                            done += 1;
                            continue;
                        };
                        assert!(!inside.swap(true, Ordering::SeqCst));
                        thread::yield_now();
                        inside.store(false, Ordering::SeqCst);
                        drop(held);
                        done += 1;
                    }
                });
            }
        });
        fs::remove_file(path).unwrap();
    }
}
