//! What is let go of after a time, and the space given back.

use rusqlite::{Connection, params};

use super::row;
use super::runs;
use super::step::{WriteStep, chain};
use super::{SqliteEngine, SqliteFault};
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::row::whole;
use crate::ledger::{LedgerError, Retention, UpkeepReport};

/// How many pages are given back in one step: others wait no longer than for 1 MiB.
const PAGES: u32 = 256;

pub(super) const FULL: &str =
    "WHERE a.ended_at IS NOT NULL AND a.contents IN (0, 1) AND a.ended_at <= ?1
    ORDER BY a.contents, a.ended_at LIMIT ?2";
pub(super) const OLD: &str =
    "WHERE a.ended_at IS NOT NULL AND a.contents IN (0, 1, 2) AND a.ended_at <= ?1
    ORDER BY a.contents, a.ended_at LIMIT ?2";
pub(super) const FULL_RUNS: &str = "WHERE r.status <> 0 AND r.contents = 0 AND r.updated_at <= ?1
    ORDER BY r.updated_at LIMIT ?2";
pub(super) const OLD_RUNS: &str =
    "WHERE r.status <> 0 AND r.contents IN (0, 2) AND r.updated_at <= ?1
    ORDER BY r.contents, r.updated_at LIMIT ?2";
pub(super) const FORKED: &str = "WHERE r.forked = 1 ORDER BY r.seq LIMIT ?1";

/// The last moment of what is that old.
fn before(now: u64, age: Option<u64>) -> Option<i64> {
    age.and_then(|age| now.checked_sub(age)).map(whole)
}

/// Whether there is anything to let go of.
pub(super) fn is_any(
    connection: &Connection, retention: Retention, now: u64,
) -> Result<bool, SqliteFault> {
    let now = now.max(chain(connection)?.at);
    let exists = |from: &str, rest: &str, at: Option<i64>| match at {
        None => Ok(false),
        Some(at) => {
            connection.prepare_cached(&format!("SELECT 1 FROM {from} {rest}"))?.exists([at, 1])
        }
    };
    let (contents, records) = (before(now, retention.contents), before(now, retention.records));
    Ok(exists("approval a", FULL, contents)?
        || exists("run r", FULL_RUNS, contents)?
        || exists("approval a", OLD, records)?
        || exists("run r", OLD_RUNS, records)?
        || connection.prepare_cached(&format!("SELECT 1 FROM run r {FORKED}"))?.exists([1])?)
}

impl WriteStep<'_> {
    /// What is too old as a record is not first emptied.
    pub(super) fn tidy(
        &mut self, retention: Retention, limit: usize,
    ) -> Result<UpkeepReport, SqliteFault> {
        let mut tidied = UpkeepReport::default();
        let left = |tidied: &UpkeepReport| {
            let done =
                tidied.contents.saturating_add(tidied.records).saturating_add(tidied.entries);
            whole(u64::try_from(limit).unwrap_or(u64::MAX).saturating_sub(done))
        };
        if let Some(at) = before(self.at, retention.records) {
            tidied.records += self.drop_records(at, left(&tidied))?;
            self.drop_runs(at, left(&tidied), &mut tidied)?;
        }
        if let Some(at) = before(self.at, retention.contents) {
            tidied.contents += self.drop_contents(at, left(&tidied))?;
            self.empty_runs(at, left(&tidied), &mut tidied)?;
        }
        for mut run in
            runs::select(self.connection, self.sealer(), FORKED, [left(&tidied).min(16)])?
        {
            tidied.entries += self.collect(&mut run)?;
        }
        if tidied.contents + tidied.records + tidied.entries > 0 {
            let count = |number| i64::try_from(number).unwrap_or(i64::MAX);
            let note = AuditNote::new(NoteKind::Pruned)
                .with("contents", count(tidied.contents))
                .with("records", count(tidied.records))
                .with("entries", count(tidied.entries));
            self.append(note)?;
        }
        Ok(tidied)
    }

    fn drop_records(&mut self, at: i64, limit: i64) -> Result<u64, SqliteFault> {
        let old = row::select(self.connection, self.sealer(), OLD, [at, limit])?;
        for row in &old {
            self.connection
                .prepare_cached("DELETE FROM content WHERE seq = ?1")?
                .execute([row.seq])?;
            self.connection
                .prepare_cached("DELETE FROM approval WHERE seq = ?1 AND ended_at IS NOT NULL")?
                .execute([row.seq])?;
        }
        Ok(old.len() as u64)
    }

    fn drop_contents(&mut self, at: i64, limit: i64) -> Result<u64, SqliteFault> {
        let full = row::select(self.connection, self.sealer(), FULL, [at, limit])?;
        let dropped = full.len() as u64;
        for mut row in full {
            row.drop_contents(self.sealer())?;
            self.connection
                .prepare_cached(
                    "UPDATE content SET args = NULL, context = NULL, description = NULL, preview = NULL, details = NULL
                     WHERE seq = ?1",
                )?
                .execute([row.seq])?;
            self.connection
                .prepare_cached(
                    "UPDATE approval SET contents = ?2, asked = ?3, answer = NULL, reason = NULL, result = NULL, seal = ?4,
                     votes = ?5 WHERE seq = ?1 AND ended_at IS NOT NULL",
                )?
                .execute(params![row.seq, row.contents, row.asked, row.seal, row.votes])?;
        }
        Ok(dropped)
    }

    /// A run goes with all of its history, however long: a record for each.
    fn drop_runs(
        &mut self, at: i64, limit: i64, tidied: &mut UpkeepReport,
    ) -> Result<(), SqliteFault> {
        for run in runs::select(self.connection, self.sealer(), OLD_RUNS, [at, limit])? {
            let left = whole(u64::try_from(limit).unwrap_or(0).saturating_sub(tidied.entries));
            if !self.drop_history(run.seq, left, tidied)? {
                break;
            }
            self.connection.prepare_cached("DELETE FROM run WHERE seq = ?1")?.execute([run.seq])?;
        }
        Ok(())
    }

    fn empty_runs(
        &mut self, at: i64, limit: i64, tidied: &mut UpkeepReport,
    ) -> Result<(), SqliteFault> {
        for mut run in runs::select(self.connection, self.sealer(), FULL_RUNS, [at, limit])? {
            let left = whole(u64::try_from(limit).unwrap_or(0).saturating_sub(tidied.entries));
            // Without its head the run does not lead to what is dropped in several steps.
            run.head = None;
            run.state = self.sealer().seal(run.run_id.as_bytes(), "state", "null")?;
            let all = self.drop_history(run.seq, left, tidied)?;
            if all {
                (run.contents, run.forked) = (2, 0);
            }
            run.put(self.connection, self.sealer())?;
            if !all {
                break;
            }
        }
        Ok(())
    }

    /// Drops at most `limit` entries of a run; whether these were all.
    fn drop_history(
        &mut self, run: i64, limit: i64, tidied: &mut UpkeepReport,
    ) -> Result<bool, SqliteFault> {
        let dropped = self
            .connection
            .prepare_cached(
                "DELETE FROM entry WHERE seq IN (SELECT seq FROM entry WHERE run = ?1 LIMIT ?2)",
            )?
            .execute([run, limit])?;
        tidied.entries += dropped as u64;
        Ok(!self.connection.prepare_cached("SELECT 1 FROM entry WHERE run = ?1")?.exists([run])?)
    }
}

/// Gives free pages back, a slice at a time, and makes the write-ahead log short.
pub(super) fn compact(engine: &SqliteEngine) -> Result<UpkeepReport, LedgerError> {
    let pages = |name: &'static str| {
        engine.read(move |connection| {
            Ok(connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))?)
        })
    };
    let before = pages("page_count")?;
    let mut free = pages("freelist_count")?;
    while free > 0 {
        engine.incremental_vacuum(PAGES)?;
        let left = pages("freelist_count")?;
        if left >= free {
            break;
        }
        free = left;
    }
    engine.checkpoint()?;
    let given = before.saturating_sub(pages("page_count")?).saturating_mul(pages("page_size")?);
    Ok(UpkeepReport { bytes: u64::try_from(given).unwrap_or(0), ..UpkeepReport::default() })
}
