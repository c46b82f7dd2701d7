//! What is looked at when a ledger is opened: whether the key is the one it was made with, and who made it.

use rusqlite::{Connection, params};

use super::Fault;
use super::ledger::SqliteLedger;
use super::step::{Step, meta};
use crate::ledger::row::{About, check_key, internal, key_of, whole};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// What `meta` says; `None`: nobody has opened it yet.
pub(super) fn about(connection: &Connection) -> Result<Option<About>, Fault> {
    let number = |key| Ok::<_, Fault>(meta(connection, key)?.unwrap_or_default());
    let (Some(key), Some(version)) = (meta(connection, "key")?, meta(connection, "version")?)
    else {
        return Ok(None);
    };
    Ok(Some(About {
        schema: number("schema")?,
        min_reader: number("min_reader")?,
        min_writer: number("min_writer")?,
        created_at: number("created_at")?,
        key,
        version,
    }))
}

/// The key must be the one the ledger was made with; a version that is new to it is noted.
pub(super) fn check(ledger: &SqliteLedger, now: u64) -> Result<(), LedgerError> {
    let key = key_of(&ledger.pen.sealer);
    let state = ledger.look(|connection, _| state(connection))?;
    match &state {
        Some((about, _)) => check_key(&about.key, &key)?,
        None if !ledger.engine.is_writable() => {
            return Err(LedgerErrorKind::ReadOnly.because(
                "the ledger was never opened for writing, so there is nothing in it: open it once for writing",
            ));
        }
        None => {}
    }
    let known = state.is_some_and(|(about, noted)| {
        about.version == env!("CARGO_PKG_VERSION") && about.schema == noted
    });
    if known || !ledger.engine.is_writable() {
        return Ok(());
    }
    ledger.step(now, move |step| step.note_opening(&key))
}

impl Step<'_> {
    fn note_opening(&mut self, key: &str) -> Result<(), Fault> {
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
fn state(connection: &Connection) -> Result<Option<(About, i64)>, Fault> {
    let noted: Option<i64> = meta(connection, "noted_schema")?;
    Ok(about(connection)?.zip(noted))
}
