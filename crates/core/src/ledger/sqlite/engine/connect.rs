//! Connections to the file, set up so that what they acknowledge lasts.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

use crate::ledger::sqlite::fault::SqliteFault;
use crate::ledger::sqlite::place::LedgerFiles;

/// "CSG1": that a file is a ledger of ours.
pub(super) const APPLICATION_ID: u32 = 0x4353_4731;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionUse {
    /// Everything. The file must be there: SQLite never makes it, since it would make it for everybody to read.
    Write,
    /// Reading.
    Read,
    /// Reading a file that cannot change, without its locks, its log and a journal.
    Frozen,
}

/// A connection. SQLite plays a rollback journal that it finds when it first reads, so there must be none.
pub(super) fn connect(
    place: &LedgerFiles, how: ConnectionUse, busy: Duration,
) -> std::result::Result<Connection, SqliteFault> {
    if how != ConnectionUse::Frozen {
        place.has_no_journal()?;
    }
    let access = match how {
        ConnectionUse::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        ConnectionUse::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        ConnectionUse::Frozen => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    };
    // One thread has it at a time. The place is resolved, so a link there now is somebody's trick.
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = if how == ConnectionUse::Frozen {
        Connection::open_with_flags(frozen_uri(place.file()), flags)?
    } else {
        Connection::open_with_flags(place.file(), flags)?
    };
    set_up(&connection, busy)?;
    Ok(connection)
}

/// What every connection of ours has.
pub(super) fn set_up(connection: &Connection, busy: Duration) -> Result<()> {
    connection.busy_timeout(busy)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // Otherwise a statement with parameters is prepared anew at each use: its plan could be another for other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A checkpoint is made under the gate or not at all.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA temp_store = MEMORY;
         PRAGMA mmap_size = 0;
         PRAGMA cell_size_check = ON;
         PRAGMA foreign_keys = ON;",
    )
}

/// The application that a file says it is of, without a lock on it, and without its journal or its log.
pub(super) fn application(place: &LedgerFiles) -> Result<u32> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(frozen_uri(place.file()), flags)?;
    // In the middle of a checkpoint, or after one that was cut off, the file is shorter than its first page says, and only
    // the log makes it whole. This lets SQLite read that page nevertheless.
    connection.pragma_update(None, "writable_schema", true)?;
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

fn frozen_uri(file: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
