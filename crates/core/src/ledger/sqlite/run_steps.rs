//! Steps of runs.

use rusqlite::{Connection, params};
use serde_json::value::RawValue;

use super::runs::{by_name, is_active};
use super::step::Step;
use super::{Engine, Fault};
use crate::ledger::audit::{Kind, Note};
use crate::ledger::history::Node;
use crate::ledger::row::{Run, active, over, run_name, run_status_number, unknown, whole};
use crate::ledger::{Hash, LedgerError, LedgerErrorKind, RunStatus};

/// What [`crate::ledger::SaveRun`] says, to be carried to another thread.
pub(super) struct Save {
    pub(super) run_id: String,
    pub(super) parent: Option<Hash>,
    pub(super) entries: Vec<Node>,
    pub(super) state: Box<RawValue>,
    pub(super) status: RunStatus,
    pub(super) steps: u64,
}

impl Step<'_> {
    /// Fails when another process that lives has it.
    fn may_own(&self, engine: &Engine, run: &Run) -> Result<(), LedgerError> {
        if run.owner != Some(*self.pen.owner.as_bytes()) && is_active(engine, run)? {
            return Err(active(&run.run_id));
        }
        Ok(())
    }

    pub(super) fn save_run(&mut self, engine: &Engine, save: &Save) -> Result<Vec<Hash>, Fault> {
        let (connection, sealer) = (self.connection, self.sealer());
        let me = Some(*self.pen.owner.as_bytes());
        let found = by_name(connection, sealer, &save.run_id)?;
        let (mut run, news) = match found {
            Some(run) => {
                let status = run.status().unwrap_or(RunStatus::Cancelled);
                if status.is_over() {
                    return Err(over(&run.run_id, status).into());
                }
                self.may_own(engine, &run)?;
                let news = (run.owner != me).then_some(Kind::RunResumed);
                (run, news)
            }
            None => (self.new_run(&save.run_id)?, Some(Kind::RunStarted)),
        };
        if let Some(parent) = &save.parent
            && !has_entry(connection, run.seq, parent)?
        {
            return Err(LedgerErrorKind::Internal
                .because(format!(
                    "the history of {} does not hold the entry that new ones should follow",
                    run_name(&run.run_id)
                ))
                .into());
        }
        if save.parent != run.head {
            run.forked = 1;
        }
        run.head = save.parent;
        for node in &save.entries {
            self.keep_entry(run.seq, node)?;
            run.head = Some(node.hash);
        }
        run.status = run_status_number(save.status);
        run.owner = me.filter(|_| !save.status.is_over());
        run.steps = whole(save.steps);
        run.state = sealer.seal(save.run_id.as_bytes(), "state", save.state.get())?;
        run.updated_at = whole(self.at);
        run.put(connection, sealer)?;
        let ended = save.status.is_over().then_some(Kind::RunEnded);
        for kind in news.into_iter().chain(ended) {
            let mut note = Note { run_id: Some(save.run_id.as_str().into()), ..Note::new(kind) };
            if kind == Kind::RunEnded {
                note = note.with("status", save.status.name());
            }
            self.append(note)?;
        }
        Ok(save.entries.iter().map(|node| node.hash).collect())
    }

    fn new_run(&self, run_id: &str) -> Result<Run, Fault> {
        let seq = self
            .connection
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM run")?
            .query_row([], |row| row.get(0))?;
        Ok(Run {
            seq,
            run_id: run_id.to_owned(),
            owner: None,
            status: run_status_number(RunStatus::Running),
            steps: 0,
            head: None,
            forked: 0,
            contents: 0,
            state: Vec::new(),
            created_at: whole(self.at),
            updated_at: whole(self.at),
            seal: [0; 32],
        })
    }

    /// An entry that is there already is kept once.
    fn keep_entry(&self, run: i64, node: &Node) -> Result<(), Fault> {
        self.connection
            .prepare_cached(
                "INSERT INTO entry (run, hash, parent, enc, body) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (run, hash) DO NOTHING",
            )?
            .execute(params![run, node.hash, node.parent, node.encoding.number(), node.body])?;
        Ok(())
    }

    /// A run that failed may be taken again: what made it fail may be over.
    pub(super) fn take_run(&mut self, engine: &Engine, run_id: &str) -> Result<(), Fault> {
        let (connection, sealer) = (self.connection, self.sealer());
        let mut run = by_name(connection, sealer, run_id)?.ok_or_else(|| unknown(run_id))?;
        match run.status() {
            Some(RunStatus::Running | RunStatus::Failed) => {}
            status => {
                return Err(over(run_id, status.unwrap_or(RunStatus::Cancelled)).into());
            }
        }
        if is_active(engine, &run)? {
            return Err(active(run_id).into());
        }
        run.owner = Some(*self.pen.owner.as_bytes());
        run.status = run_status_number(RunStatus::Running);
        run.updated_at = whole(self.at);
        run.put(connection, sealer)?;
        let note = Note { run_id: Some(run_id.into()), ..Note::new(Kind::RunResumed) };
        self.append(note)
    }

    /// What is not ours is left as it is.
    pub(super) fn release_run(&mut self, run_id: &str) -> Result<(), Fault> {
        let found = by_name(self.connection, self.sealer(), run_id)?;
        let Some(mut run) = found.filter(|run| run.owner == Some(*self.pen.owner.as_bytes()))
        else {
            return Ok(());
        };
        run.owner = None;
        run.put(self.connection, self.sealer())
    }

    /// Drops the entries of a run that its head does not reach: how many there were.
    pub(super) fn collect(&mut self, run: &mut Run) -> Result<u64, Fault> {
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

fn has_entry(connection: &Connection, run: i64, hash: &Hash) -> Result<bool, Fault> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM entry WHERE run = ?1 AND hash = ?2")?
        .exists(params![run, hash])?)
}
