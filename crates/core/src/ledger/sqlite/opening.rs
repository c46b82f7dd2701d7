//! What is looked at when a ledger is opened: whether the key is the one it was made with, and who made it.

use rusqlite::{Connection, params};

use super::SqliteFault;
use super::step::{WriteStep, meta};
use crate::ledger::row::{LedgerMeta, check_key, internal, whole};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// What `meta` says; `None`: it was never opened.
pub(super) fn about(connection: &Connection) -> Result<Option<LedgerMeta>, SqliteFault> {
    let number = |key| Ok::<_, SqliteFault>(meta(connection, key)?.unwrap_or_default());
    let (Some(key), Some(version)) = (meta(connection, "key")?, meta(connection, "version")?)
    else {
        return Ok(None);
    };
    Ok(Some(LedgerMeta {
        schema: number("schema")?,
        min_reader: number("min_reader")?,
        min_writer: number("min_writer")?,
        created_at: number("created_at")?,
        key,
        version,
    }))
}

/// Whether it must be noted that this version opens it. The key must be the one that the ledger was made with.
pub(super) fn is_news(
    state: Option<&OpeningState>, key: &str, is_writable: bool,
) -> Result<bool, LedgerError> {
    let Some((about, noted)) = state else {
        if is_writable {
            return Ok(true);
        }
        return Err(LedgerErrorKind::ReadOnly.because(
            "the ledger was never opened for writing, so there is nothing in it: open it once for writing",
        ));
    };
    check_key(&about.key, key)?;
    let is_noted = about.version == env!("CARGO_PKG_VERSION") && about.schema == *noted;
    Ok(is_writable && !is_noted)
}

impl WriteStep<'_> {
    pub(super) fn note_opening(&mut self, key: &str) -> Result<(), SqliteFault> {
        let set = |name: &str, value: &dyn rusqlite::ToSql| {
            self.connection.execute(
                "INSERT INTO meta (k, v) VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
                params![name, value],
            )
        };
        if let Some((about, _)) = state(self.connection)? {
            // Another process may have been faster, with another key.
            check_key(&about.key, key)?;
        }
        set("key", &key)?;
        set("version", &env!("CARGO_PKG_VERSION"))?;
        let Some(about) = about(self.connection)? else {
            return Err(internal("what was written cannot be read").into());
        };
        set("noted_schema", &about.schema)?;
        set("opened_seq", &whole(self.next_seq()))?;
        self.append(about.note())
    }
}

/// What `meta` says, and the schema it had when that was noted.
pub(super) type OpeningState = (LedgerMeta, i64);

/// As things are; `None`: it was never opened.
pub(super) fn state(connection: &Connection) -> Result<Option<OpeningState>, SqliteFault> {
    let noted: Option<i64> = meta(connection, "noted_schema")?;
    Ok(about(connection)?.zip(noted))
}
