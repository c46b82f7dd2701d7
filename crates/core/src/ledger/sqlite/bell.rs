//! Who waits for a change is told of it: by its maker in this process, by the doorbell when another process makes it, and by a
//! slow look at the ledger when that one died between its change and the bell.
//!
//! The `-wal` file itself cannot be the bell: it changes before its change can be read, and not again after.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rusqlite::Connection;

use super::place;
use crate::ledger::LedgerError;

/// How long a change of a process that did not live to ring the bell may go unseen.
pub(crate) const POLL: Duration = Duration::from_millis(250);

/// A moment in the life of a ledger, to be compared with the next: take one, read, then wait for what comes after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeToken(u64);

/// The bell of a ledger, as one process has it.
#[derive(Debug)]
pub(crate) struct ChangeBell {
    path: PathBuf,
    /// `None`: we only read.
    file: Option<File>,
    changes: Arc<ChangeCount>,
    watch: Mutex<Option<FileWatch>>,
}

/// How often something changed, as far as we know; spurious ones are counted too.
#[derive(Debug, Default)]
struct ChangeCount {
    count: Mutex<u64>,
    more: Condvar,
}

/// What sees the changes of other processes, from the first time that somebody here waits.
#[derive(Debug)]
struct FileWatch {
    /// `None`: the system has no more watches for us, and the poll must do.
    _watcher: Option<RecommendedWatcher>,
    look: Connection,
    seen: Option<i64>,
}

impl ChangeCount {
    fn add(&self) {
        let mut count = place::lock(&self.count);
        *count = count.wrapping_add(1);
        self.more.notify_all();
    }
}

impl ChangeBell {
    /// The bell in this file, which is made if it is missing.
    pub(crate) fn open(path: PathBuf) -> Result<Self, LedgerError> {
        let mut file = place::private_file(&path)?;
        // It is written to: a file of somebody else, by another name, must not be. Who listens to that one still has the poll.
        if place::has_other_names(&file).unwrap_or(true) {
            file = place::new_private_file(&path)?;
        }
        Ok(Self { file: Some(file), ..Self::listen(path) })
    }

    /// For somebody who only listens.
    pub(crate) fn listen(path: PathBuf) -> Self {
        Self { path, file: None, changes: Arc::default(), watch: Mutex::default() }
    }

    /// Tells everybody. If it fails, the poll still finds the change.
    pub(crate) fn ring(&self) {
        if let Some(file) = &self.file {
            let _ = place::write_at_start(file, b"!");
        }
        self.changes.add();
    }

    /// Tells who waits in this process.
    pub(crate) fn wake(&self) {
        self.changes.add();
    }

    /// The present moment. From now on changes are watched, on a connection that `connect` opens.
    pub(crate) fn now(
        &self, connect: impl FnOnce() -> Result<Connection, LedgerError>,
    ) -> ChangeToken {
        let mut watch = place::lock(&self.watch);
        if watch.is_none() {
            // Without a connection the poll counts each time as a change: who waits looks for himself.
            *watch = connect().ok().map(|look| {
                let mut watch = FileWatch { _watcher: self.watcher(), look, seen: None };
                watch.changed();
                watch
            });
        }
        drop(watch);
        ChangeToken(*place::lock(&self.changes.count))
    }

    fn watcher(&self) -> Option<RecommendedWatcher> {
        let changes = Arc::clone(&self.changes);
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                // Others open and close the file too; what cannot be told apart counts.
                if event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                    return;
                }
                changes.add();
            })
            .ok()?;
        watcher.watch(Path::new(&self.path), RecursiveMode::NonRecursive).ok()?;
        Some(watcher)
    }

    /// The first moment after this one, or this one when nothing happens for `timeout`; each `poll` it looks for itself.
    pub(crate) fn wait(
        &self, after: ChangeToken, timeout: Duration, poll: Duration,
    ) -> ChangeToken {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            let mut count = place::lock(&self.changes.count);
            if *count == after.0 && !left.is_zero() {
                count = place::wait(&self.changes.more, count, left.min(poll));
            }
            if *count != after.0 {
                return ChangeToken(*count);
            }
            drop(count);
            if self.poll() {
                self.changes.add();
            } else if left.is_zero() {
                return after;
            }
        }
    }

    /// Whether the system tells us of others. Not so when it has no more watches for us.
    #[cfg(test)]
    pub(crate) fn is_heard(&self) -> bool {
        place::lock(&self.watch).as_ref().is_some_and(|watch| watch._watcher.is_some())
    }

    fn poll(&self) -> bool {
        place::lock(&self.watch).as_mut().is_none_or(FileWatch::changed)
    }
}

impl FileWatch {
    /// Whether anybody has committed since the last time. Not to know counts as yes.
    fn changed(&mut self) -> bool {
        let version = self.look.pragma_query_value(None, "data_version", |row| row.get(0)).ok();
        let changed = version.is_none() || version != self.seen;
        self.seen = version;
        changed
    }
}
