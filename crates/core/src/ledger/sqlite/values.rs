//! Texts beside the requests, each under its key.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::SqliteFault;
use crate::ledger::VersionedText;
use crate::ledger::row::{ContentSealer, KeptValue as Kept, whole};

/// Shows each value to `see`, unchecked.
pub(super) fn each(connection: &Connection, mut see: impl FnMut(&Kept)) -> Result<(), SqliteFault> {
    let mut statement =
        connection.prepare("SELECT k, version, text, seal FROM value ORDER BY k")?;
    for kept in statement.query_map([], read)? {
        see(&kept?);
    }
    Ok(())
}

pub(super) fn get(
    connection: &Connection, sealer: &ContentSealer, key: &str,
) -> Result<Option<VersionedText>, SqliteFault> {
    let kept = connection
        .prepare_cached("SELECT k, version, text, seal FROM value WHERE k = ?1")?
        .query_row([key], read)
        .optional()?;
    Ok(kept.map(|kept| kept.open(sealer)).transpose()?)
}

/// Sets it, if what is there is of this version; `None`: if nothing is.
pub(super) fn set(
    connection: &Connection, sealer: &ContentSealer, key: &str, expected: Option<u64>, text: &str,
) -> Result<bool, SqliteFault> {
    let (sql, version) = match expected {
        None => (
            "INSERT INTO value (k, version, text, seal) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            1,
        ),
        Some(version) => (
            "UPDATE value SET version = ?2, text = ?3, seal = ?4 WHERE k = ?1 AND version = ?2 - 1",
            whole(version).saturating_add(1),
        ),
    };
    let kept = Kept::new(sealer, key, version, text)?;
    let params = params![kept.key, kept.version, kept.text, kept.seal];
    Ok(connection.prepare_cached(sql)?.execute(params)? == 1)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Kept> {
    Ok(Kept { key: row.get(0)?, version: row.get(1)?, text: row.get(2)?, seal: row.get(3)? })
}
