//! [`DurableLedger`] over the file.

use super::ledger::SqliteLedger;
use super::requests::look;
use super::runs;
use super::step;
use crate::approval::Record;
use crate::ledger::archive::taken;
use crate::ledger::audit::{AuditChain, AuditEntry, AuditNote};
use crate::ledger::row::{RunSave, whole};
use crate::ledger::{
    DurableLedger, Hash, LedgerError, LedgerInfo, Retention, RunInfo, SaveRun, SavedRun,
    UpkeepReport, VerificationReport,
};

impl DurableLedger for SqliteLedger {
    fn records(&self, run: &str) -> Result<Vec<Record>, LedgerError> {
        self.look(|connection, sealer| look::of_run(connection, sealer, run))
    }

    fn interrupt(&self, run: Option<&str>, now: u64) -> Result<Vec<Record>, LedgerError> {
        self.interrupt_lost(run, now)
    }

    fn save_run_after(
        &self, notes: &[AuditNote], save: SaveRun<'_>, now: u64,
    ) -> Result<Vec<Hash>, LedgerError> {
        let save = RunSave::of(&save, notes, &self.pen.sealer)?;
        let engine = self.engine.clone();
        self.step(now, move |step| step.save_run(&engine, &save))
    }

    fn run(&self, run: &str) -> Result<Option<SavedRun>, LedgerError> {
        self.look(|connection, sealer| {
            runs::by_name(connection, sealer, run)?
                .map(|run| runs::saved(connection, &self.engine, sealer, &run))
                .transpose()
        })
    }

    fn take_run(&self, run: &str, now: u64) -> Result<SavedRun, LedgerError> {
        let (engine, name) = (self.engine.clone(), run.to_owned());
        self.step(now, move |step| step.take_run(&engine, &name))?;
        taken(self, run, now)
    }

    fn release_run(&self, run: &str, now: u64) -> Result<(), LedgerError> {
        let (engine, run) = (self.engine.clone(), run.to_owned());
        self.step(now, move |step| step.release_run(&engine, &run))
    }

    fn runs(&self, open: bool, limit: usize) -> Result<Vec<RunInfo>, LedgerError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rest = if open { runs::OPEN } else { runs::RECENT };
        self.look(|connection, sealer| {
            let found = runs::select(connection, sealer, rest, [limit])?;
            found.iter().map(|run| runs::info(connection, &self.engine, run)).collect()
        })
    }

    fn note(&self, notes: &[AuditNote], now: u64) -> Result<(), LedgerError> {
        let notes = notes.to_vec();
        self.step(now, move |step| notes.into_iter().try_for_each(|note| step.append(note)))
    }

    fn audit(&self, after: u64, limit: usize) -> Result<Vec<AuditEntry>, LedgerError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.look(|connection, _| {
            let rest = "WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            step::entries_where(connection, rest, [whole(after), limit])
        })
    }

    fn head(&self) -> Result<AuditChain, LedgerError> {
        self.look(|connection, _| step::chain(connection))
    }

    fn verify(&self) -> Result<VerificationReport, LedgerError> {
        self.look(super::check::verify)
    }

    fn about(&self) -> Result<LedgerInfo, LedgerError> {
        self.look(|connection, sealer| super::check::about(connection, sealer, &self.engine))
    }

    fn tidy(
        &self, retention: Retention, now: u64, limit: usize,
    ) -> Result<UpkeepReport, LedgerError> {
        // Mostly there is nothing to do, which needs no gate.
        if !self.look(|connection, _| super::retention::is_any(connection, retention, now))? {
            return Ok(UpkeepReport::default());
        }
        self.step(now, move |step| step.tidy(retention, limit))
    }

    fn compact(&self) -> Result<UpkeepReport, LedgerError> {
        super::retention::compact(&self.engine)
    }
}
