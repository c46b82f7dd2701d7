//! Steps of runs.

use rusqlite::{Connection, params};

use super::runs::{by_name, is_active};
use super::step::WriteStep;
use super::{SqliteEngine, SqliteFault};
use crate::ledger::Hash;
use crate::ledger::history::HistoryNode;
use crate::ledger::row::{FoundRun, RunChange, RunRow, RunSave};

impl WriteStep<'_> {
    pub(super) fn save_run(
        &mut self, engine: &SqliteEngine, save: &RunSave,
    ) -> Result<Vec<Hash>, SqliteFault> {
        let found = self.find_run(engine, &save.run_id, save.parent.as_ref())?;
        self.turn(RunChange::save(found, save)?, &save.entries)?;
        Ok(save.hashes())
    }

    pub(super) fn take_run(
        &mut self, engine: &SqliteEngine, run_id: &str,
    ) -> Result<(), SqliteFault> {
        let found = self.find_run(engine, run_id, None)?;
        self.turn(RunChange::take(found, run_id)?, &[])
    }

    pub(super) fn release_run(
        &mut self, engine: &SqliteEngine, run_id: &str,
    ) -> Result<(), SqliteFault> {
        let found = self.find_run(engine, run_id, None)?;
        RunChange::release(found).map_or(Ok(()), |turn| self.turn(turn, &[]))
    }

    fn find_run(
        &self, engine: &SqliteEngine, run_id: &str, parent: Option<&Hash>,
    ) -> Result<FoundRun, SqliteFault> {
        let connection = self.connection;
        let run = by_name(connection, self.sealer(), run_id)?;
        let (active, has_parent, fresh) = match (&run, parent) {
            (None, _) => (false, false, self.fresh_run()?),
            (Some(run), None) => (is_active(engine, run)?, false, run.seq),
            (Some(run), Some(parent)) => {
                (is_active(engine, run)?, has_entry(connection, run.seq, parent)?, run.seq)
            }
        };
        let me = *self.pen.owner.as_bytes();
        Ok(FoundRun { run, active, has_parent, fresh, me, now: self.at })
    }

    fn turn(&mut self, turn: RunChange, entries: &[HistoryNode]) -> Result<(), SqliteFault> {
        let RunChange { mut run, notes } = turn;
        entries.iter().try_for_each(|node| self.keep_entry(run.seq, node))?;
        run.put(self.connection, self.sealer())?;
        notes.into_iter().try_for_each(|note| self.append(note))
    }

    fn fresh_run(&self) -> Result<i64, SqliteFault> {
        Ok(self
            .connection
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM run")?
            .query_row([], |row| row.get(0))?)
    }

    /// An entry that is there already is kept once.
    fn keep_entry(&self, run: i64, node: &HistoryNode) -> Result<(), SqliteFault> {
        self.connection
            .prepare_cached(
                "INSERT INTO entry (run, hash, parent, enc, body) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (run, hash) DO NOTHING",
            )?
            .execute(params![run, node.hash, node.parent, node.encoding.number(), node.body])?;
        Ok(())
    }

    /// Drops the entries of a run that its head does not reach: how many there were.
    pub(super) fn collect(&mut self, run: &mut RunRow) -> Result<u64, SqliteFault> {
        let dropped = self
            .connection
            .prepare_cached(
                "DELETE FROM entry WHERE run = ?1 AND hash NOT IN (
                     WITH RECURSIVE chain (hash, parent) AS (
                         SELECT hash, parent FROM entry WHERE run = ?1 AND hash = ?2
                         UNION
                         SELECT e.hash, e.parent FROM chain JOIN entry e ON e.run = ?1 AND e.hash = chain.parent
                     ) SELECT hash FROM chain)",
            )?
            .execute(params![run.seq, run.head])?;
        run.forked = 0;
        run.put(self.connection, self.sealer())?;
        Ok(u64::try_from(dropped).unwrap_or(u64::MAX))
    }
}

fn has_entry(connection: &Connection, run: i64, hash: &Hash) -> Result<bool, SqliteFault> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM entry WHERE run = ?1 AND hash = ?2")?
        .exists(params![run, hash])?)
}
