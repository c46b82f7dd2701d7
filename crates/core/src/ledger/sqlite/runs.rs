//! Runs: whose they are, how far they are, and their histories.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::value::RawValue;

use super::column::ColumnReader;
use super::{OwnerId, SqliteEngine, SqliteFault};
use crate::ledger::history::{self, HistoryNode, NodeEncoding};
use crate::ledger::row::{ContentSealer, RunRow, damaged, run_name, time};
use crate::ledger::{Hash, LedgerError, RunInfo, SavedRun};

/// In the order of [`RunRow::read`].
const COLUMNS: &str = "
    r.seq, r.run_id, r.owner, r.status, r.steps, r.head, r.forked, r.contents, r.state, r.created_at, r.updated_at,
    r.seal FROM run r";

impl RunRow {
    /// Keeps it, new or not.
    pub(super) fn put(
        &mut self, connection: &Connection, sealer: &ContentSealer,
    ) -> Result<(), SqliteFault> {
        self.reseal(sealer);
        connection
            .prepare_cached(
                "INSERT INTO run (seq, run_id, owner, status, steps, head, forked, contents, state, created_at, updated_at, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                 ON CONFLICT (seq) DO UPDATE SET owner = ?3, status = ?4, steps = ?5, head = ?6, forked = ?7, contents = ?8,
                 state = ?9, updated_at = ?11, seal = ?12",
            )?
            .execute(params![
                self.seq,
                self.run_id,
                self.owner,
                self.status,
                self.steps,
                self.head,
                self.forked,
                self.contents,
                self.state,
                self.created_at,
                self.updated_at,
                self.seal,
            ])?;
        Ok(())
    }
}

/// The latest change first.
pub(super) const OPEN: &str = "WHERE r.status = 0 ORDER BY r.updated_at DESC, r.seq DESC LIMIT ?1";
pub(super) const RECENT: &str = "ORDER BY r.updated_at DESC, r.seq DESC LIMIT ?1";

/// The runs that `rest` selects, each checked against its seal.
pub(super) fn select(
    connection: &Connection, sealer: &ContentSealer, rest: &str, params: impl rusqlite::Params,
) -> Result<Vec<RunRow>, SqliteFault> {
    let mut found = Vec::new();
    each(connection, rest, params, |run| {
        run.check(sealer)?;
        found.push(run);
        Ok(())
    })?;
    Ok(found)
}

/// Shows each run that `rest` selects to `see`, unchecked.
pub(super) fn each(
    connection: &Connection, rest: &str, params: impl rusqlite::Params,
    mut see: impl FnMut(RunRow) -> Result<(), SqliteFault>,
) -> Result<(), SqliteFault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} {rest}"))?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        see(RunRow::read(&mut ColumnReader::new(row))?)?;
    }
    Ok(())
}

/// The run of this name.
pub(super) fn by_name(
    connection: &Connection, sealer: &ContentSealer, run_id: &str,
) -> Result<Option<RunRow>, SqliteFault> {
    Ok(select(connection, sealer, "WHERE r.run_id = ?1", [run_id])?.pop())
}

/// Whether its owner lives, where it has one.
pub(super) fn is_active(engine: &SqliteEngine, run: &RunRow) -> Result<bool, LedgerError> {
    run.owner.map_or(Ok(false), |owner| engine.is_alive(OwnerId::from_bytes(owner)))
}

/// Where a run can be said to be, on a snapshot.
pub(super) fn info(
    connection: &Connection, engine: &SqliteEngine, run: &RunRow,
) -> Result<RunInfo, SqliteFault> {
    let pending: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM approval INDEXED BY approval_open
             WHERE run_id = ?1 AND status IN (0, 1, 2, 8) AND status = 0",
        )?
        .query_row([&run.run_id], |row| row.get(0))?;
    Ok(RunInfo {
        run_id: run.run_id.as_str().into(),
        status: run.status().ok_or_else(|| damaged(&run_name(&run.run_id)))?,
        active: is_active(engine, run)?,
        steps: time(run.steps),
        pending: time(pending),
        created_at: time(run.created_at),
        updated_at: time(run.updated_at),
    })
}

/// A run with its history, on a snapshot.
pub(super) fn saved(
    connection: &Connection, engine: &SqliteEngine, sealer: &ContentSealer, run: &RunRow,
) -> Result<SavedRun, SqliteFault> {
    let mut entries = Vec::new();
    let mut next = run.head;
    while let Some(hash) = next {
        // A circle is impossible: an entry's hash is made of its parent's.
        let node =
            node(connection, run.seq, &hash)?.ok_or_else(|| damaged(&run_name(&run.run_id)))?;
        let text = history::decode(&node, sealer.key())?;
        let entry = String::from_utf8(text).ok().and_then(|text| RawValue::from_string(text).ok());
        entries.push((hash, entry.ok_or_else(|| damaged(&run_name(&run.run_id)))?));
        next = node.parent;
    }
    entries.reverse();
    let state = sealer.open(run.run_id.as_bytes(), "state", &run.state)?;
    let state = RawValue::from_string(state).map_err(|_| damaged(&run_name(&run.run_id)))?;
    Ok(SavedRun { entries, state, info: info(connection, engine, run)? })
}

/// An entry that the history of a run lacks, if it does.
pub(super) fn gap(connection: &Connection, run: &RunRow) -> Result<Option<Hash>, SqliteFault> {
    let mut left: i64 = connection
        .prepare_cached("SELECT count(*) FROM entry WHERE run = ?1")?
        .query_row([run.seq], |row| row.get(0))?;
    let mut next = run.head;
    while let Some(hash) = next {
        // More than there are: what is damaged may be a circle.
        left -= 1;
        match node(connection, run.seq, &hash)? {
            Some(node) if left >= 0 => next = node.parent,
            _ => return Ok(Some(hash)),
        }
    }
    Ok(None)
}

fn node(
    connection: &Connection, run: i64, hash: &Hash,
) -> Result<Option<HistoryNode>, SqliteFault> {
    let found = connection
        .prepare_cached("SELECT parent, enc, body FROM entry WHERE run = ?1 AND hash = ?2")?
        .query_row(params![run, hash], |row| {
            Ok((row.get::<_, Option<Hash>>(0)?, row.get::<_, u8>(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((parent, encoding, body)) = found else { return Ok(None) };
    let encoding =
        NodeEncoding::from_number(encoding).ok_or_else(|| damaged("an entry of a history"))?;
    Ok(Some(HistoryNode { hash: *hash, parent, encoding, body }))
}
