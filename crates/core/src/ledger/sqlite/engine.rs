//! The file: how it is opened, written and read.

mod connect;
mod group;
mod open;
#[cfg(test)]
mod tests;
mod upkeep;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use self::group::{GroupWriter, WriteGroups};
use self::upkeep::CheckpointThread;
use super::anchor::LockAnchor;
use super::bell::{ChangeBell, ChangeToken, POLL};
use super::fault::SqliteFault;
use super::lock::FileLock;
use super::migrate::{self, FileAccess, SchemaMigration};
use super::owners::{OwnerFile, OwnerId};
use super::place::{self, FileIdentity, FoundFile, LedgerFiles};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// How to open a ledger.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Its file. An absent or empty one becomes a ledger; its directory must exist.
    pub path: PathBuf,
    /// Whether to read only: then the file must be there, and nothing is made or changed. Default `false`.
    pub read_only: bool,
    /// How long to wait for another process that writes, before the error is `ERR_LEDGER_BUSY`. Default 10 s.
    pub busy_timeout: Duration,
    /// Whether to trust a file system that several machines may share. For tests of this very thing. Default `false`.
    pub any_file_system: bool,
}

impl OpenOptions {
    /// The defaults for a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            read_only: false,
            busy_timeout: Duration::from_secs(10),
            any_file_system: false,
        }
    }
}

/// An open file. Clones share it; it is closed with the last of them.
#[derive(Clone)]
pub struct SqliteEngine(Arc<OpenFile>);

/// What is closed with the last [`SqliteEngine`]: first the thread, then the rest.
struct OpenFile {
    keeper: Option<CheckpointThread>,
    core: Arc<EngineCore>,
}

/// What the threads of an engine share.
struct EngineCore {
    place: LedgerFiles,
    identity: Option<FileIdentity>,
    /// The write-ahead log that was there when it was opened for writing.
    log: Option<FileIdentity>,
    busy: Duration,
    migrations: &'static [SchemaMigration],
    mode: FileMode,
    /// The last schema that was found to be one we can read.
    readable: AtomicU32,
    writer: Mutex<GroupWriter>,
    groups: WriteGroups,
    readers: Mutex<Vec<Connection>>,
    /// The gate for what is done beside the steps; made when it is first needed.
    upkeep: Mutex<Option<FileLock>>,
    bell: ChangeBell,
    owner: OwnerFile,
    /// Last: dropped when there is no connection any more.
    _anchor: Option<Arc<LockAnchor>>,
}

/// What can be done with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileMode {
    /// Read and write.
    Write,
    /// Read.
    Read,
    /// Read, as a file that cannot be written to, because of its disk or its directory.
    Frozen,
}

/// How many connections for reading are kept open.
const READERS: usize = 4;

impl SqliteEngine {
    /// Opens a file and brings it to the last schema of `migrations`.
    ///
    /// Errors by kind: `Foreign` (some other file, left as it is), `TooNew`, `NetworkFs`, `Full` (less than 1 MiB left),
    /// `ReadOnly`, `Permission`, `Busy`, `Corrupt`, `Io`.
    pub fn open(
        options: OpenOptions, migrations: &'static [SchemaMigration],
    ) -> Result<Self, LedgerError> {
        open::open(options, migrations)
    }

    /// One atomic and durable step. Steps of several threads share a transaction, each in a savepoint of its own, and one
    /// sync to the disk; an answer comes after it. A step that fails, or panics, undoes only itself; when the commit fails,
    /// all that shared it fail.
    ///
    /// It may run on another thread. It must not commit, and must not call `write` of the same engine.
    pub fn write<R, F>(&self, step: F) -> Result<R, LedgerError>
    where
        R: Send + 'static,
        F: FnOnce(&Connection) -> Result<R, SqliteFault> + Send + 'static,
    {
        self.0.core.write(step, self.0.keeper.as_ref())
    }

    /// Looks at one consistent moment of the file; writers are not in its way.
    pub fn read<R>(
        &self, look: impl FnOnce(&Connection) -> Result<R, SqliteFault>,
    ) -> Result<R, LedgerError> {
        self.0.core.read(look).map_err(|fault| self.fault(fault))
    }

    /// Fails when the ledger is not the one that was opened any more, or cannot be read: a connection does not look again at
    /// what it has read, and reads on in a file that was removed.
    pub fn check_there(&self) -> Result<(), LedgerError> {
        let core = &self.0.core;
        if self.is_writable() {
            core.check_place()?;
        }
        core.check_first_page().map_err(|fault| self.fault(fault))?;
        let connection = core.reader()?;
        core.check_readable(&connection).map_err(|fault| self.fault(fault))
    }

    /// The present moment: what is read after this call shows all that happened before it.
    pub fn now(&self) -> ChangeToken {
        let core = &self.0.core;
        core.bell.now(|| core.reader())
    }

    /// The first moment after this one: comes back as soon as this or another process has changed something, or for no
    /// reason at all, and with the same token when `timeout` is over. Call [`SqliteEngine::now`], read, then wait: no change
    /// between the two is missed.
    pub fn wait_for_change(&self, after: ChangeToken, timeout: Duration) -> ChangeToken {
        self.0.core.bell.wait(after, timeout, POLL)
    }

    /// Lets everybody in this process who waits for a change go on, as when they are to end.
    pub fn wake(&self) {
        self.0.core.bell.wake();
    }

    /// Who we are, for others who have the same file open.
    pub fn owner(&self) -> OwnerId {
        self.0.core.owner.id()
    }

    /// Whether an owner still has the file open. `Permission`: its file is another user's, and it cannot be told.
    pub fn is_alive(&self, owner: OwnerId) -> Result<bool, LedgerError> {
        self.0.core.owner.is_alive(owner)
    }

    /// The file, with links resolved.
    pub fn path(&self) -> &Path {
        self.0.core.place.file()
    }

    /// Whether steps can be written.
    pub fn is_writable(&self) -> bool {
        self.0.core.mode == FileMode::Write
    }

    /// Moves what the write-ahead log holds into the file itself, as far as readers let it, and makes the log short.
    pub fn checkpoint(&self) -> Result<(), LedgerError> {
        self.0
            .core
            .checkpoint(upkeep::CheckpointPace::Thorough)
            .map(|_| ())
            .map_err(|fault| self.fault(fault))
    }

    /// Writes the whole file anew, without what is free in it. Writers wait meanwhile.
    pub fn vacuum(&self) -> Result<(), LedgerError> {
        self.0.core.vacuum().map_err(|fault| self.fault(fault))
    }

    /// Gives at most `pages` free pages (of 4096 bytes) back to the file system: one durable step.
    pub fn incremental_vacuum(&self, pages: u32) -> Result<(), LedgerError> {
        self.write(move |connection| upkeep::give_back(connection, pages))
    }

    /// An error because the ledger is gone says so, instead of what SQLite found first: it does not pass, and its callers are to
    /// wait no more.
    fn fault(&self, fault: SqliteFault) -> LedgerError {
        let error = fault.of(self.path());
        let may_be_lost = matches!(error.kind, LedgerErrorKind::Permission | LedgerErrorKind::Io);
        match self.0.core.check_place() {
            Err(lost) if may_be_lost && self.is_writable() => lost,
            _ => error,
        }
    }
}

impl EngineCore {
    /// The schema we know.
    fn schema(&self) -> u32 {
        migrate::ours(self.migrations)
    }

    fn read<R>(
        &self, look: impl FnOnce(&Connection) -> Result<R, SqliteFault>,
    ) -> Result<R, SqliteFault> {
        let kept = place::lock(&self.readers).pop();
        let mut connection = kept.map_or_else(|| self.reader(), Ok)?;
        let snapshot = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        self.check_readable(&snapshot)?;
        let seen = look(&snapshot);
        drop(snapshot);
        let mut readers = place::lock(&self.readers);
        if readers.len() < READERS && connection.is_autocommit() {
            readers.push(connection);
        }
        seen
    }

    /// A later version may have come since we looked last. One without a schema is not the ledger that was opened.
    fn check_readable(&self, connection: &Connection) -> Result<(), SqliteFault> {
        let theirs = migrate::theirs(connection)?;
        if theirs == 0 {
            return Err(self.lost("was emptied").into());
        }
        if theirs != self.readable.load(Ordering::Relaxed) {
            migrate::access(connection, self.schema())?;
            self.readable.store(theirs, Ordering::Relaxed);
        }
        Ok(())
    }

    /// `TooNew`: a later version has come, and keeps there what we would break.
    fn check_writable(&self, connection: &Connection) -> Result<(), SqliteFault> {
        let ours = self.schema();
        match migrate::access(connection, ours)? {
            FileAccess::Full => Ok(()),
            FileAccess::ReadOnly { theirs } => {
                Err(migrate::too_new(theirs, ours, "written to").into())
            }
        }
    }

    /// One more connection for reading.
    fn reader(&self) -> Result<Connection, LedgerError> {
        let how = if self.mode == FileMode::Frozen {
            connect::ConnectionUse::Frozen
        } else {
            connect::ConnectionUse::Read
        };
        connect::connect(&self.place, how, self.busy).map_err(|fault| fault.of(self.place.file()))
    }

    fn only_read(&self) -> LedgerError {
        LedgerErrorKind::ReadOnly.because(format!(
            "the ledger {} was opened for reading only; open it for writing",
            self.place.file().display()
        ))
    }

    /// The file and its log must still be those that were opened, and not be empty: what is written to others is lost.
    fn check_place(&self) -> Result<(), LedgerError> {
        if self.place.identity() != self.identity || self.place.identity_beside("-wal") != self.log
        {
            return Err(self.lost("or its `-wal` was removed or replaced"));
        }
        match self.place.look() {
            Ok(FoundFile::Empty) => Err(self.lost("was emptied")),
            _ => Ok(()),
        }
    }

    /// What is in the log hides the file: SQLite may not read its first page for as long as somebody has it open.
    fn check_first_page(&self) -> Result<(), SqliteFault> {
        match connect::application(&self.place) {
            Ok(connect::APPLICATION_ID) => Ok(()),
            Err(error) if error.sqlite_error_code() != Some(ErrorCode::NotADatabase) => {
                Err(error.into())
            }
            _ => Err(self.lost("was overwritten").into()),
        }
    }

    /// No error of the system, which may pass: the ledger is not there any more.
    fn lost(&self, how: &str) -> LedgerError {
        LedgerErrorKind::Corrupt.because(format!(
            "the ledger {} {how} while it was open; nothing is written to it: start this program again",
            self.place.file().display()
        ))
    }
}

impl fmt::Debug for SqliteEngine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Engine")
            .field("path", &self.path())
            .field("owner", &self.owner())
            .finish_non_exhaustive()
    }
}
