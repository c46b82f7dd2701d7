//! What a step makes of a run: its row as it will be, and the entries of the audit that tell of it.

use super::codec::{ContentSealer, internal, whole};
use super::run::{RunRow, active, over, run_name, status_number, unknown};
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::history::{self, HistoryNode};
use crate::ledger::{Hash, LedgerError, RunStatus, SaveRun};

/// What [`SaveRun`] says, as it will be kept; it can be carried to another thread.
pub(in crate::ledger) struct RunSave {
    pub(in crate::ledger) run_id: String,
    pub(in crate::ledger) parent: Option<Hash>,
    pub(in crate::ledger) entries: Vec<HistoryNode>,
    /// What is written into the audit before what the save itself writes there.
    pub(in crate::ledger) notes: Vec<AuditNote>,
    state: Vec<u8>,
    status: RunStatus,
    steps: u64,
}

impl RunSave {
    /// Compresses and seals, which takes its time: before anybody waits for it.
    pub(in crate::ledger) fn of(
        save: &SaveRun<'_>, notes: &[AuditNote], sealer: &ContentSealer,
    ) -> Result<Self, LedgerError> {
        let mut entries: Vec<HistoryNode> = Vec::with_capacity(save.entries.len());
        for entry in save.entries {
            let parent = entries.last().map(|node| node.hash).or(save.parent);
            entries.push(history::encode(parent, entry.get().as_bytes(), sealer.key())?);
        }
        Ok(Self {
            run_id: save.run_id.to_owned(),
            parent: save.parent,
            entries,
            notes: notes.to_vec(),
            state: sealer.seal(save.run_id.as_bytes(), "state", save.state.get())?,
            status: save.status,
            steps: save.steps,
        })
    }

    /// The hashes of the new entries.
    pub(in crate::ledger) fn hashes(&self) -> Vec<Hash> {
        self.entries.iter().map(|node| node.hash).collect()
    }
}

/// A run as a step finds it.
pub(in crate::ledger) struct FoundRun {
    pub(in crate::ledger) run: Option<RunRow>,
    /// Whether its owner lives.
    pub(in crate::ledger) active: bool,
    /// Whether the entry is there that new ones should follow.
    pub(in crate::ledger) has_parent: bool,
    /// The number that a new run gets.
    pub(in crate::ledger) fresh: i64,
    /// Whose step it is.
    pub(in crate::ledger) me: [u8; 16],
    /// ms since the epoch.
    pub(in crate::ledger) now: u64,
}

/// What a run becomes, still to be sealed and written: as a whole or not at all.
pub(in crate::ledger) struct RunChange {
    pub(in crate::ledger) run: RunRow,
    pub(in crate::ledger) notes: Vec<AuditNote>,
}

impl RunChange {
    /// Keeps how far it came. An unknown run begins.
    pub(in crate::ledger) fn save(found: FoundRun, save: &RunSave) -> Result<Self, LedgerError> {
        let (me, now) = (Some(found.me), found.now);
        let (mut run, news) = match found.run {
            Some(run) => {
                let status = run.status().unwrap_or(RunStatus::Cancelled);
                if status.is_over() {
                    return Err(over(&run.run_id, status));
                }
                if run.owner != me && found.active {
                    return Err(active(&run.run_id));
                }
                let news = (run.owner != me).then_some(NoteKind::RunResumed);
                (run, news)
            }
            None => (begun(&save.run_id, found.fresh, now), Some(NoteKind::RunStarted)),
        };
        if save.parent.is_some() && !found.has_parent {
            return Err(internal(format!(
                "the history of {} does not hold the entry that new ones should follow",
                run_name(&run.run_id)
            )));
        }
        if save.parent != run.head {
            run.forked = 1;
        }
        run.head = save.entries.last().map(|node| node.hash).or(save.parent);
        run.status = status_number(save.status);
        run.owner = me.filter(|_| !save.status.is_over());
        run.steps = whole(save.steps);
        run.state.clone_from(&save.state);
        run.updated_at = whole(now);
        let mut notes = save.notes.clone();
        notes.extend(news.map(|kind| note(&save.run_id, kind)));
        if save.status.is_over() {
            notes.push(note(&save.run_id, NoteKind::RunEnded).with("status", save.status.name()));
        }
        Ok(Self { run, notes })
    }

    /// Takes it to go on with it. One that failed may be taken again: what made it fail may be over.
    pub(in crate::ledger) fn take(found: FoundRun, run_id: &str) -> Result<Self, LedgerError> {
        let mut run = found.run.ok_or_else(|| unknown(run_id))?;
        match run.status() {
            Some(RunStatus::Running | RunStatus::Failed) => {}
            status => return Err(over(run_id, status.unwrap_or(RunStatus::Cancelled))),
        }
        if found.active {
            return Err(active(run_id));
        }
        run.owner = Some(found.me);
        run.status = status_number(RunStatus::Running);
        run.updated_at = whole(found.now);
        Ok(Self { run, notes: vec![note(run_id, NoteKind::RunResumed)] })
    }

    /// Gives it back; `None`: what is not ours is left as it is.
    pub(in crate::ledger) fn release(found: FoundRun) -> Option<Self> {
        let run = found.run.filter(|run| run.owner == Some(found.me))?;
        Some(Self { run: RunRow { owner: None, ..run }, notes: Vec::new() })
    }
}

fn begun(run_id: &str, seq: i64, now: u64) -> RunRow {
    RunRow {
        seq,
        run_id: run_id.to_owned(),
        owner: None,
        status: status_number(RunStatus::Running),
        steps: 0,
        head: None,
        forked: 0,
        contents: 0,
        state: Vec::new(),
        created_at: whole(now),
        updated_at: whole(now),
        seal: [0; 32],
    }
}

fn note(run_id: &str, kind: NoteKind) -> AuditNote {
    AuditNote { run_id: Some(run_id.into()), ..AuditNote::new(kind) }
}
