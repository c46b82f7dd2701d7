//! Opening: what is there, whether it is ours, and what it lacks.

use std::fs;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode};

use super::connect::{self, APPLICATION_ID, ConnectionUse};
use super::group::{GroupWriter, WriteGroups};
use super::upkeep::CheckpointThread;
use super::{EngineCore, FileMode, OpenFile, OpenOptions, SqliteEngine};
use crate::ledger::sqlite::anchor::LockAnchor;
use crate::ledger::sqlite::bell::ChangeBell;
use crate::ledger::sqlite::fault::{SqliteFault, of_io};
use crate::ledger::sqlite::lock::FileLock;
use crate::ledger::sqlite::migrate::{self, SchemaMigration};
use crate::ledger::sqlite::owners::OwnerFile;
use crate::ledger::sqlite::place::{self, FoundFile, LedgerFiles};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// Before it the write-ahead log could lose commits.
const OLDEST_SQLITE: i32 = 3_051_003;

pub(super) fn open(
    options: OpenOptions, migrations: &'static [SchemaMigration],
) -> Result<SqliteEngine, LedgerError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(LedgerErrorKind::Internal.because(format!(
            "SQLite {} can lose what it acknowledged; build countersign with 3.51.3 or later",
            rusqlite::version()
        )));
    }
    let place = LedgerFiles::resolve(&options.path)?;
    if !options.any_file_system {
        place.is_local()?;
    }
    let opened = if options.read_only {
        to_read(&place, &options, migrations)
    } else {
        to_write(&place, &options, migrations)
    };
    opened.map_err(|fault| fault.of(place.file()))
}

fn to_write(
    place: &LedgerFiles, options: &OpenOptions, migrations: &'static [SchemaMigration],
) -> Result<SqliteEngine, SqliteFault> {
    let found = place.look()?;
    check_ours(place, found)?;
    place.is_writable(found)?;
    place.has_room(false)?;

    let mut gate = FileLock::open(place.beside("-lock"))?;
    let held = gate.acquire(options.busy_timeout)?;
    // Another process may have been here since.
    let found = place.look()?;
    check_ours(place, found)?;
    if found != FoundFile::File {
        make(place, options)?;
    }
    let mut connection = connect::connect(place, ConnectionUse::Write, options.busy_timeout)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    migrate::migrate(&mut connection, migrations, now())?;
    place.take_journal_name()?;
    let bell = ChangeBell::open(place.beside("-bell"))?;
    let owner = OwnerFile::register(place.beside("-owners"))?;
    place.sync_directory()?;
    let anchor = Some(LockAnchor::hold(place)?);
    let core = core(place, options, migrations, FileMode::Write, bell, owner, anchor);
    drop(held);
    *place::lock(&core.writer) = GroupWriter { gate: Some(gate), connection: Some(connection) };
    let keeper = Some(CheckpointThread::start(&core)?);
    Ok(SqliteEngine(Arc::new(OpenFile { keeper, core })))
}

fn to_read(
    place: &LedgerFiles, options: &OpenOptions, migrations: &'static [SchemaMigration],
) -> Result<SqliteEngine, SqliteFault> {
    let found = place.look()?;
    if found != FoundFile::File {
        return Err(LedgerErrorKind::Io
            .because(format!("there is no ledger at {} to read", place.file().display()))
            .into());
    }
    check_ours(place, found)?;
    place.has_room(true)?;
    let (mode, connection) = reader(place, options)?;
    migrate::access(&connection, migrate::ours(migrations))?;
    if migrate::theirs(&connection)? < migrate::ours(migrations) {
        return Err(LedgerErrorKind::ReadOnly
            .because(format!(
                "an earlier version of countersign made {} and it must be brought up to date first: open it once for writing",
                place.file().display()
            ))
            .into());
    }
    let bell = ChangeBell::listen(place.beside("-bell"));
    let owner = OwnerFile::reader(place.beside("-owners"));
    let core = core(place, options, migrations, mode, bell, owner, None);
    place::lock(&core.readers).push(connection);
    Ok(SqliteEngine(Arc::new(OpenFile { keeper: None, core })))
}

fn core(
    place: &LedgerFiles, options: &OpenOptions, migrations: &'static [SchemaMigration],
    mode: FileMode, bell: ChangeBell, owner: OwnerFile, anchor: Option<Arc<LockAnchor>>,
) -> Arc<EngineCore> {
    Arc::new(EngineCore {
        identity: place.identity(),
        log: place.identity_beside("-wal"),
        place: place.clone(),
        busy: options.busy_timeout,
        migrations,
        mode,
        readable: AtomicU32::new(migrate::ours(migrations)),
        writer: Mutex::new(GroupWriter { gate: None, connection: None }),
        groups: WriteGroups::default(),
        readers: Mutex::default(),
        upkeep: Mutex::default(),
        bell,
        owner,
        _anchor: anchor,
    })
}

/// A connection for reading. On a disk or in a directory that cannot be written to, a log cannot be shared: then the file is
/// read alone, unless a log with something in it was left.
fn reader(
    place: &LedgerFiles, options: &OpenOptions,
) -> Result<(FileMode, Connection), SqliteFault> {
    let tried = connect::connect(place, ConnectionUse::Read, options.busy_timeout)
        .and_then(|connection| Ok(migrate_probe(&connection).map(|()| connection)?));
    match tried {
        Ok(connection) => Ok((FileMode::Read, connection)),
        Err(SqliteFault::Sqlite(rusqlite::Error::SqliteFailure(failure, _)))
            if matches!(failure.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly)
                && fs::metadata(place.beside("-wal")).map_or(true, |log| log.len() == 0) =>
        {
            Ok((
                FileMode::Frozen,
                connect::connect(place, ConnectionUse::Frozen, options.busy_timeout)?,
            ))
        }
        Err(fault) => Err(fault),
    }
}

fn migrate_probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Refuses a file that is not ours, without changing a byte of it: no lock is taken, and no journal or log of it is played.
fn check_ours(place: &LedgerFiles, found: FoundFile) -> Result<(), SqliteFault> {
    if found != FoundFile::File {
        return Ok(());
    }
    match connect::application(place) {
        Ok(APPLICATION_ID) => Ok(()),
        Err(rusqlite::Error::SqliteFailure(failure, _))
            if failure.code != ErrorCode::NotADatabase =>
        {
            Err(rusqlite::Error::SqliteFailure(failure, None).into())
        }
        _ => Err(LedgerErrorKind::Foreign
            .because(format!(
                "{} is not a ledger of countersign, and was left as it is; name another file",
                place.file().display()
            ))
            .into()),
    }
}

/// Makes an empty ledger beside its place and moves it there: what lies at the place is at all times nothing or a ledger. It has a
/// log from the beginning: the change to one needs a journal, which beside a ledger is never ours.
fn make(place: &LedgerFiles, options: &OpenOptions) -> Result<(), SqliteFault> {
    let path = place.beside("-new");
    drop(place::new_private_file(&path)?);
    let fresh = LedgerFiles::resolve(&path)?;
    fresh.remove_beside()?;
    let connection = connect::connect(&fresh, ConnectionUse::Write, options.busy_timeout)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = 4096;
         PRAGMA auto_vacuum = INCREMENTAL;
         PRAGMA application_id = {APPLICATION_ID};"
    ))?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    drop(connection);
    fresh.remove_beside()?;
    fs::rename(&path, place.file()).map_err(|error| of_io("make", place.file(), &error))?;
    Ok(place.sync_directory()?)
}

/// ms since the epoch.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
