//! From the schema a file has to the one we know: forward only, all of it or nothing.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::fault::SqliteFault;
use crate::ledger::{LedgerError, LedgerErrorKind};

/// One step of the schema. The first one creates the table `meta(k TEXT PRIMARY KEY, v)`; the engine keeps `schema`,
/// `min_reader`, `min_writer` and `created_at` (ms) in it.
#[derive(Debug, Clone, Copy)]
pub struct SchemaMigration {
    /// The schema after it; from 1, each one more than the one before.
    pub version: u32,
    /// The oldest schema whose programs can still read the file.
    pub min_reader: u32,
    /// The oldest schema whose programs can still write to the file.
    pub min_writer: u32,
    /// What it does. Runs inside a transaction of its own, so without `BEGIN` and `COMMIT`.
    pub sql: &'static str,
}

/// What may be done with a file whose schema is not newer than we can bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// All.
    Full,
    /// A later version keeps something there that we would break.
    ReadOnly {
        /// Its schema.
        theirs: u32,
    },
}

/// The schema that the last of the migrations makes.
pub(crate) fn ours(migrations: &[SchemaMigration]) -> u32 {
    migrations.last().map_or(0, |last| last.version)
}

/// The schema of the file.
pub(crate) fn theirs(connection: &Connection) -> Result<u32, SqliteFault> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// What a program of our schema may do with the file; `TooNew`: nothing.
pub(crate) fn access(connection: &Connection, ours: u32) -> Result<FileAccess, SqliteFault> {
    let theirs = theirs(connection)?;
    if theirs <= ours {
        return Ok(FileAccess::Full);
    }
    if ours < minimum(connection, "min_reader")? {
        return Err(too_new(theirs, ours, "read").into());
    }
    if ours < minimum(connection, "min_writer")? {
        return Ok(FileAccess::ReadOnly { theirs });
    }
    Ok(FileAccess::Full)
}

/// The error for a file whose schema is newer than ours.
pub(crate) fn too_new(theirs: u32, ours: u32, what: &str) -> LedgerError {
    LedgerErrorKind::TooNew.because(format!(
        "a later version of countersign made this ledger (schema {theirs}; this one knows {ours}) and it cannot be {what} by \
         this one; update countersign"
    ))
}

fn minimum(connection: &Connection, key: &str) -> Result<u32, SqliteFault> {
    let found = connection
        .query_row("SELECT v FROM meta WHERE k = ?1", [key], |row| row.get(0))
        .optional()?;
    // A newer file that does not say who may use it is not for us.
    Ok(found.unwrap_or(u32::MAX))
}

/// Brings the file to our schema, in one transaction. The caller holds the gate; `now` is ms since the epoch.
pub(crate) fn migrate(
    connection: &mut Connection, migrations: &[SchemaMigration], now: u64,
) -> Result<FileAccess, SqliteFault> {
    let ours = ours(migrations);
    // Whether there is anything to do is asked inside: another process may have done it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let theirs = theirs(&transaction)?;
    for migration in migrations.iter().filter(|migration| migration.version > theirs) {
        transaction.execute_batch(migration.sql)?;
        let mut set = transaction.prepare(
            "INSERT INTO meta (k, v) VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
        )?;
        set.execute(params!["schema", migration.version])?;
        set.execute(params!["min_reader", migration.min_reader])?;
        set.execute(params!["min_writer", migration.min_writer])?;
        drop(set);
        transaction.execute(
            "INSERT INTO meta (k, v) VALUES ('created_at', ?1) ON CONFLICT (k) DO NOTHING",
            [i64::try_from(now).unwrap_or(i64::MAX)],
        )?;
        transaction.pragma_update(None, "user_version", migration.version)?;
    }
    if theirs < ours {
        transaction.commit()?;
    } else {
        transaction.rollback()?;
    }
    access(connection, ours)
}
