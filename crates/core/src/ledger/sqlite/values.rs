//! Texts beside the requests, each under its key.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Fault;
use crate::ledger::Versioned;
use crate::ledger::row::{Sealer, damaged, time, whole};
use crate::ledger::seal::RowSeal;

const COLUMN: &str = "text";

/// A value as it lies in the file.
pub(super) struct Kept {
    key: String,
    version: i64,
    text: Vec<u8>,
    seal: [u8; 32],
}

impl Kept {
    fn new(sealer: &Sealer, key: &str, version: i64, text: &str) -> Result<Self, Fault> {
        let text = sealer.seal(key.as_bytes(), COLUMN, text)?;
        let mut kept = Self { key: key.to_owned(), version, text, seal: [0; 32] };
        kept.seal = kept.made(sealer);
        Ok(kept)
    }

    fn made(&self, sealer: &Sealer) -> [u8; 32] {
        RowSeal::new("value", sealer.key())
            .text("k", Some(&self.key))
            .int("version", Some(self.version))
            .blob(COLUMN, Some(&self.text))
            .done()
    }

    /// What it is, if it is what was written.
    pub(super) fn open(&self, sealer: &Sealer) -> Result<Versioned, Fault> {
        if self.made(sealer) != self.seal {
            return Err(damaged(&name(&self.key)).into());
        }
        let text = sealer.open(self.key.as_bytes(), COLUMN, &self.text)?;
        Ok(Versioned { text: text.into(), version: time(self.version) })
    }
}

/// How a value is called in messages.
pub(super) fn name(key: &str) -> String {
    format!("the value {key:?}")
}

/// Shows each value with its key to `see`, unchecked.
pub(super) fn each(connection: &Connection, mut see: impl FnMut(&str, &Kept)) -> Result<(), Fault> {
    let mut statement =
        connection.prepare("SELECT k, version, text, seal FROM value ORDER BY k")?;
    for kept in statement.query_map([], read)? {
        let kept = kept?;
        see(&kept.key, &kept);
    }
    Ok(())
}

pub(super) fn get(
    connection: &Connection, sealer: &Sealer, key: &str,
) -> Result<Option<Versioned>, Fault> {
    let kept = connection
        .prepare_cached("SELECT k, version, text, seal FROM value WHERE k = ?1")?
        .query_row([key], read)
        .optional()?;
    kept.map(|kept| kept.open(sealer)).transpose()
}

/// Sets it, if what is there is of this version; `None`: if nothing is.
pub(super) fn set(
    connection: &Connection, sealer: &Sealer, key: &str, expected: Option<u64>, text: &str,
) -> Result<bool, Fault> {
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
