//! A run as it is kept: its columns, and the seal over them.

use super::codec::{ContentSealer, damaged};
use crate::ledger::seal::RowSeal;
use crate::ledger::{Hash, LedgerError, LedgerErrorKind, RunStatus};

/// A run as it is kept.
#[derive(Debug, Clone)]
pub(in crate::ledger) struct RunRow {
    pub(in crate::ledger) seq: i64,
    pub(in crate::ledger) run_id: String,
    /// Its owner; without a living one, it can be taken.
    pub(in crate::ledger) owner: Option<[u8; 16]>,
    pub(in crate::ledger) status: i64,
    pub(in crate::ledger) steps: i64,
    pub(in crate::ledger) head: Option<Hash>,
    /// Whether there may be entries that the head does not reach.
    pub(in crate::ledger) forked: i64,
    /// 0 kept, 2 dropped, as of requests.
    pub(in crate::ledger) contents: i64,
    pub(in crate::ledger) state: Vec<u8>,
    pub(in crate::ledger) created_at: i64,
    pub(in crate::ledger) updated_at: i64,
    pub(in crate::ledger) seal: [u8; 32],
}

impl RunRow {
    fn sealed(&self, sealer: &ContentSealer) -> [u8; 32] {
        RowSeal::new("run", sealer.key())
            .int("seq", Some(self.seq))
            .text("run_id", Some(&self.run_id))
            .blob("owner", self.owner.as_ref().map(<[u8; 16]>::as_slice))
            .int("status", Some(self.status))
            .int("steps", Some(self.steps))
            .blob("head", self.head.as_ref().map(Hash::as_slice))
            .int("forked", Some(self.forked))
            .int("contents", Some(self.contents))
            .blob("state", Some(&self.state))
            .int("created_at", Some(self.created_at))
            .int("updated_at", Some(self.updated_at))
            .done()
    }

    /// Makes the seal anew.
    pub(in crate::ledger) fn reseal(&mut self, sealer: &ContentSealer) {
        self.seal = self.sealed(sealer);
    }

    /// It must be what was written.
    pub(in crate::ledger) fn check(&self, sealer: &ContentSealer) -> Result<(), LedgerError> {
        if self.sealed(sealer) == self.seal && self.status().is_some() {
            return Ok(());
        }
        Err(damaged(&run_name(&self.run_id)))
    }

    /// How far it is.
    pub(in crate::ledger) fn status(&self) -> Option<RunStatus> {
        usize::try_from(self.status).ok().and_then(|at| RunStatus::ALL.get(at).copied())
    }
}

/// How a run is called in messages.
pub(in crate::ledger) fn run_name(run_id: &str) -> String {
    format!("the run {run_id:?}")
}

/// The number of a status as it is kept.
pub(super) const fn status_number(status: RunStatus) -> i64 {
    status as i64
}

pub(super) fn active(run_id: &str) -> LedgerError {
    LedgerErrorKind::RunActive.because(format!(
        "{} is continued by a process that lives: wait for it, or end it",
        run_name(run_id)
    ))
}

pub(super) fn unknown(run_id: &str) -> LedgerError {
    LedgerErrorKind::UnknownRun.because(format!(
        "there is no {} in this ledger",
        run_name(run_id).trim_start_matches("the ")
    ))
}

pub(super) fn over(run_id: &str, status: RunStatus) -> LedgerError {
    LedgerErrorKind::RunOver.because(format!(
        "{} is {}: start a new one",
        run_name(run_id),
        status.name()
    ))
}
