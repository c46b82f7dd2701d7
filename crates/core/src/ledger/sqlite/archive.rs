//! [`Archive`] over the file.

use super::codec::whole;
use super::ledger::SqliteLedger;
use super::requests::look;
use super::step;
use crate::approval::Record;
use crate::ledger::audit::{Chain, Entry, Note};
use crate::ledger::{
    About, Archive, Hash, LedgerError, Retention, RunInfo, SaveRun, SavedRun, Tidied, Verified,
};

impl Archive for SqliteLedger {
    fn records(&self, run: &str) -> Result<Vec<Record>, LedgerError> {
        self.look(|connection, sealer| look::of_run(connection, sealer, run))
    }

    fn interrupt(&self, run: Option<&str>, now: u64) -> Result<Vec<Record>, LedgerError> {
        self.interrupt_lost(run, now)
    }

    fn save_run(&self, save: SaveRun<'_>, now: u64) -> Result<Vec<Hash>, LedgerError> {
        let _ = (save, now);
        Err(step::internal("not yet"))
    }

    fn run(&self, run: &str) -> Result<Option<SavedRun>, LedgerError> {
        let _ = run;
        Err(step::internal("not yet"))
    }

    fn take_run(&self, run: &str, now: u64) -> Result<SavedRun, LedgerError> {
        let _ = (run, now);
        Err(step::internal("not yet"))
    }

    fn release_run(&self, run: &str, now: u64) -> Result<(), LedgerError> {
        let _ = (run, now);
        Err(step::internal("not yet"))
    }

    fn runs(&self, open: bool, limit: usize) -> Result<Vec<RunInfo>, LedgerError> {
        let _ = (open, limit);
        Err(step::internal("not yet"))
    }

    fn note(&self, notes: &[Note], now: u64) -> Result<(), LedgerError> {
        let notes = notes.to_vec();
        self.step(now, move |step| notes.into_iter().try_for_each(|note| step.append(note)))
    }

    fn audit(&self, after: u64, limit: usize) -> Result<Vec<Entry>, LedgerError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.look(|connection, _| {
            let rest = "WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            step::entries_where(connection, rest, [whole(after), limit])
        })
    }

    fn head(&self) -> Result<Chain, LedgerError> {
        self.look(|connection, _| step::chain(connection))
    }

    fn verify(&self) -> Result<Verified, LedgerError> {
        Err(step::internal("not yet"))
    }

    fn about(&self) -> Result<About, LedgerError> {
        Err(step::internal("not yet"))
    }

    fn tidy(&self, retention: Retention, now: u64, limit: usize) -> Result<Tidied, LedgerError> {
        let _ = (retention, now, limit);
        Ok(Tidied::default())
    }

    fn compact(&self) -> Result<Tidied, LedgerError> {
        Err(step::internal("not yet"))
    }
}
