//! What keeps the file small: checkpoints off the hot path, and pages given back.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;

use super::{EngineCore, FileMode, OpenFile, connect};
use crate::ledger::LedgerError;
use crate::ledger::sqlite::fault::{SqliteFault, of_io};
use crate::ledger::sqlite::lock::FileLock;
use crate::ledger::sqlite::place;

/// How many pages in the write-ahead log make a checkpoint due: 4 MB.
const LONG: i64 = 1024;
/// From how many on the readers are asked to wait for a moment, since they are why it cannot begin anew: 16 MB.
const TOO_LONG: i64 = 4 * LONG;
/// How long readers are waited for then.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long to leave it alone when readers did not let it end.
const REST: Duration = Duration::from_secs(1);

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckpointPace {
    /// What can be done without waiting for anybody but the gate.
    Easy,
    /// All of it, and the log made short.
    Thorough,
    /// What can be done while the gate is free.
    Parting,
}

/// Whether so much is in the log that it should go to the file.
pub(super) fn is_long(connection: &Connection) -> bool {
    let state = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    });
    state.is_ok_and(|(pages, done)| pages.saturating_sub(done) >= LONG)
}

/// Gives free pages back to the file system.
pub(super) fn give_back(connection: &Connection, pages: u32) -> Result<(), SqliteFault> {
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

impl EngineCore {
    /// Moves the log to the file; whether all of it could be.
    pub(super) fn checkpoint(&self, pace: CheckpointPace) -> Result<bool, SqliteFault> {
        let limit = match pace {
            CheckpointPace::Parting => Duration::ZERO,
            // Who closes the ledger waits for us.
            CheckpointPace::Easy => self.busy.min(REST),
            CheckpointPace::Thorough => self.busy,
        };
        self.alone(limit, PATIENCE, |connection| {
            let moved = |mode| {
                connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
                    Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
                })
            };
            let (mut pages, mut done) =
                moved(if pace == CheckpointPace::Thorough { "TRUNCATE" } else { "PASSIVE" })?;
            if pace == CheckpointPace::Easy && pages >= TOO_LONG {
                (pages, done) = moved("RESTART")?;
            }
            Ok(done >= pages)
        })
    }

    /// Writes the file anew.
    pub(super) fn vacuum(&self) -> Result<(), SqliteFault> {
        self.alone(self.busy, self.busy, |connection| {
            self.check_writable(connection)?;
            Ok(connection.execute_batch("VACUUM")?)
        })?;
        self.bell.ring();
        self.checkpoint(CheckpointPace::Thorough).map(|_| ())
    }

    /// Works under the gate, beside the steps, on a connection of its own that waits so long for readers.
    fn alone<R>(
        &self, limit: Duration, patience: Duration,
        work: impl FnOnce(&Connection) -> Result<R, SqliteFault>,
    ) -> Result<R, SqliteFault> {
        if self.mode != FileMode::Write {
            return Err(self.only_read().into());
        }
        let mut upkeep = place::lock(&self.upkeep);
        let gate = match &mut *upkeep {
            Some(gate) => gate,
            none => none.insert(FileLock::open(self.place.beside("-lock"))?),
        };
        let held = gate.acquire(limit)?;
        self.check_place()?;
        let connection = connect::connect(&self.place, connect::ConnectionUse::Write, patience)?;
        let done = work(&connection);
        drop(connection);
        drop(held);
        done
    }
}

/// The thread that makes checkpoints.
pub(super) struct CheckpointThread {
    shared: Arc<UpkeepShared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct UpkeepShared {
    state: Mutex<UpkeepState>,
    changed: Condvar,
}

#[derive(Default)]
struct UpkeepState {
    due: bool,
    closed: bool,
}

impl CheckpointThread {
    pub(super) fn start(core: &Arc<EngineCore>) -> Result<Self, LedgerError> {
        let shared = Arc::new(UpkeepShared::default());
        let (core, theirs) = (Arc::clone(core), Arc::clone(&shared));
        let thread = thread::Builder::new()
            .name("countersign-checkpoint".to_owned())
            .spawn({
                let core = Arc::clone(&core);
                move || theirs.work(&core)
            })
            .map_err(|error| of_io("start a thread for", core.place.file(), &error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// A checkpoint is due.
    pub(super) fn due(&self) {
        place::lock(&self.shared.state).due = true;
        self.shared.changed.notify_all();
    }
}

impl UpkeepShared {
    fn work(&self, core: &EngineCore) {
        let mut state = place::lock(&self.state);
        while !state.closed {
            if !std::mem::take(&mut state.due) {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            drop(state);
            let done = core.checkpoint(CheckpointPace::Easy);
            state = place::lock(&self.state);
            // Readers hold it back, or the gate: as well later.
            if !matches!(done, Ok(true)) && !state.closed {
                state = place::wait(&self.changed, state, REST);
            }
        }
    }
}

impl Drop for CheckpointThread {
    fn drop(&mut self) {
        place::lock(&self.shared.state).closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.keeper = None;
        if self.core.mode == FileMode::Write {
            // What is left in the log is safe there.
            let _ = self.core.checkpoint(CheckpointPace::Parting);
        }
    }
}
