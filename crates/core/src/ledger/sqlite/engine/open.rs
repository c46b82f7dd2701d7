//! Opening: what is there, whether it is ours, and what it lacks.

use std::fs;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode};

use super::connect::{self, APPLICATION_ID, How};
use super::group::{Groups, Writer};
use super::upkeep::Keeper;
use super::{Core, Engine, Mode, Open, OpenOptions};
use crate::ledger::sqlite::anchor::Anchor;
use crate::ledger::sqlite::bell::Bell;
use crate::ledger::sqlite::fault::{Fault, of_io};
use crate::ledger::sqlite::lock::Gate;
use crate::ledger::sqlite::migrate::{self, Migration};
use crate::ledger::sqlite::owners::Owner;
use crate::ledger::sqlite::place::{self, Found, Place};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// Before it the write-ahead log could lose commits.
const OLDEST_SQLITE: i32 = 3_051_003;

pub(super) fn open(
    options: OpenOptions, migrations: &'static [Migration],
) -> Result<Engine, LedgerError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(LedgerErrorKind::Internal.because(format!(
            "SQLite {} can lose what it acknowledged; build countersign with 3.51.3 or later",
            rusqlite::version()
        )));
    }
    let place = Place::resolve(&options.path)?;
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
    place: &Place, options: &OpenOptions, migrations: &'static [Migration],
) -> Result<Engine, Fault> {
    let found = place.look()?;
    check_ours(place, found)?;
    place.is_writable(found)?;
    place.has_room(false)?;

    let mut gate = Gate::open(place.beside("-lock"))?;
    let held = gate.acquire(options.busy_timeout)?;
    // Another process may have been here since.
    let found = place.look()?;
    check_ours(place, found)?;
    if found != Found::File {
        make(place, options)?;
    }
    let mut connection = connect::connect(place, How::Write, options.busy_timeout)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    migrate::migrate(&mut connection, migrations, now())?;
    let bell = Bell::open(place.beside("-bell"))?;
    let owner = Owner::register(place.beside("-owners"))?;
    place.sync_directory()?;
    let anchor = Some(Anchor::hold(place)?);
    let core = core(place, options, migrations, Mode::Write, bell, owner, anchor);
    drop(held);
    *place::lock(&core.writer) = Writer { gate: Some(gate), connection: Some(connection) };
    let keeper = Some(Keeper::start(&core)?);
    Ok(Engine(Arc::new(Open { keeper, core })))
}

fn to_read(
    place: &Place, options: &OpenOptions, migrations: &'static [Migration],
) -> Result<Engine, Fault> {
    let found = place.look()?;
    if found != Found::File {
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
    let bell = Bell::listen(place.beside("-bell"));
    let owner = Owner::reader(place.beside("-owners"));
    let core = core(place, options, migrations, mode, bell, owner, None);
    place::lock(&core.readers).push(connection);
    Ok(Engine(Arc::new(Open { keeper: None, core })))
}

fn core(
    place: &Place, options: &OpenOptions, migrations: &'static [Migration], mode: Mode, bell: Bell,
    owner: Owner, anchor: Option<Arc<Anchor>>,
) -> Arc<Core> {
    Arc::new(Core {
        identity: place.identity(),
        log: place.identity_beside("-wal"),
        place: place.clone(),
        busy: options.busy_timeout,
        migrations,
        mode,
        readable: AtomicU32::new(migrate::ours(migrations)),
        writer: Mutex::new(Writer { gate: None, connection: None }),
        groups: Groups::default(),
        readers: Mutex::default(),
        upkeep: Mutex::default(),
        bell,
        owner,
        _anchor: anchor,
    })
}

/// A connection for reading. On a disk or in a directory that cannot be written to, a log cannot be shared: then the file is
/// read alone, if nobody has left a log with something in it.
fn reader(place: &Place, options: &OpenOptions) -> Result<(Mode, Connection), Fault> {
    let tried = connect::connect(place, How::Read, options.busy_timeout)
        .and_then(|connection| migrate_probe(&connection).map(|()| connection));
    match tried {
        Ok(connection) => Ok((Mode::Read, connection)),
        Err(rusqlite::Error::SqliteFailure(failure, _))
            if matches!(failure.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly)
                && fs::metadata(place.beside("-wal")).map_or(true, |log| log.len() == 0) =>
        {
            Ok((Mode::Frozen, connect::connect(place, How::Frozen, options.busy_timeout)?))
        }
        Err(error) => Err(error.into()),
    }
}

fn migrate_probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Refuses a file that is not ours, without changing a byte of it: no lock is taken, and no journal or log of it is played.
fn check_ours(place: &Place, found: Found) -> Result<(), Fault> {
    if found != Found::File {
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

/// Makes an empty ledger beside its place and moves it there: what lies at the place is at all times nothing or a ledger.
fn make(place: &Place, options: &OpenOptions) -> Result<(), Fault> {
    let path = place.beside("-new");
    drop(place::new_private_file(&path)?);
    let fresh = Place::resolve(&path)?;
    let connection = connect::connect(&fresh, How::Write, options.busy_timeout)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = 4096;
         PRAGMA auto_vacuum = INCREMENTAL;
         PRAGMA application_id = {APPLICATION_ID};"
    ))?;
    drop(connection);
    fs::rename(&path, place.file()).map_err(|error| of_io("make", place.file(), &error))?;
    Ok(place.sync_directory()?)
}

/// ms since the epoch.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
