//! [`DurableLedger`] on the server.

use tokio_postgres::types::{ToSql, Type};

use super::column::ColumnReader;
use super::fault::StepError;
use super::ledger::PostgresLedger;
use super::ledger_core::LedgerCore;
use super::pen::now;
use super::sequencer::head;
use super::{check, lists, retention, runs, sequencer};
use crate::approval::Record;
use crate::ledger::archive::taken;
use crate::ledger::audit::{AuditChain, AuditEntry, AuditNote};
use crate::ledger::row::{RunSave, time, whole};
use crate::ledger::{
    DurableLedger, Hash, LedgerError, LedgerInfo, Retention, RunInfo, SaveRun, SavedRun,
    UpkeepReport, VerificationReport,
};

impl DurableLedger for PostgresLedger {
    fn records(&self, run: &str) -> Result<Vec<Record>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| lists::of_run(client, &core.pen, run).await))
    }

    fn interrupt(&self, run: Option<&str>, now: u64) -> Result<Vec<Record>, LedgerError> {
        self.interrupt_lost(run, now)
    }

    fn save_run_after(
        &self, notes: &[AuditNote], save: SaveRun<'_>, now: u64,
    ) -> Result<Vec<Hash>, LedgerError> {
        self.core.only_read()?;
        let save = RunSave::of(&save, notes, &self.core.pen.sealer)?;
        self.core.block_on(self.core.save_run(save, now))
    }

    fn run(&self, run: &str) -> Result<Option<SavedRun>, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| {
            match runs::by_name(client, &core.pen, run).await? {
                Some(seen) => runs::saved(client, &core.pen, &seen).await.map(Some),
                None => Ok(None),
            }
        }))
    }

    fn take_run(&self, run: &str, now: u64) -> Result<SavedRun, LedgerError> {
        self.core.only_read()?;
        self.core.block_on(self.core.take_run(run, now))?;
        taken(self, run, now)
    }

    fn release_run(&self, run: &str, now: u64) -> Result<(), LedgerError> {
        self.core.only_read()?;
        self.core.block_on(self.core.release_run(run, now))
    }

    fn runs(&self, open: bool, limit: usize) -> Result<Vec<RunInfo>, LedgerError> {
        let core = &self.core;
        core.block_on(
            core.pool.again(async |client| runs::list(client, &core.pen, open, limit).await),
        )
    }

    fn note(&self, notes: &[AuditNote], now: u64) -> Result<(), LedgerError> {
        self.core.only_read()?;
        self.core.block_on(self.core.note(notes, now))
    }

    fn audit(&self, after: u64, limit: usize) -> Result<Vec<AuditEntry>, LedgerError> {
        let core = &self.core;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        core.block_on(async {
            core.chain_now().await?;
            core.pool
                .again(async |client| entries(client, &core.pen, whole(after), limit).await)
                .await
        })
    }

    fn head(&self) -> Result<AuditChain, LedgerError> {
        let core = &self.core;
        core.block_on(async {
            core.chain_now().await?;
            core.pool.again(async |client| head(client, &core.pen).await).await
        })
    }

    fn verify(&self) -> Result<VerificationReport, LedgerError> {
        let core = &self.core;
        core.block_on(check::verify(core))
    }

    fn about(&self) -> Result<LedgerInfo, LedgerError> {
        let core = &self.core;
        core.block_on(core.pool.again(async |client| check::about(client, core).await))
    }

    fn tidy(
        &self, retention: Retention, now: u64, limit: usize,
    ) -> Result<UpkeepReport, LedgerError> {
        self.core.only_read()?;
        self.core.block_on(retention::tidy(&self.core, retention, now, limit))
    }

    /// Dropped partitions gave their space back at once, and what is dropped by rows the server uses again by itself.
    fn compact(&self) -> Result<UpkeepReport, LedgerError> {
        Ok(UpkeepReport::default())
    }
}

impl LedgerCore {
    /// Chains what is there, before somebody looks at the chain. A read-only ledger sees it as far as others have chained it.
    pub(super) async fn chain_now(&self) -> Result<(), StepError> {
        if self.read_only {
            return Ok(());
        }
        self.pool.again(async |client| sequencer::sequence(client, &self.pen, true).await).await?;
        Ok(())
    }

    /// Writes leaves about no request. What is there already, since an answer was lost, is not written twice.
    pub(super) async fn note(&self, notes: &[AuditNote], local: u64) -> Result<(), StepError> {
        if notes.is_empty() {
            return Ok(());
        }
        let pen = &self.pen;
        let count = i64::try_from(notes.len()).unwrap_or(i64::MAX);
        let sql = pen
            .sql(&format!("SELECT nextval('@leaf_seq'), {} FROM generate_series(1, $1)", now(2)));
        let given = pen.clock.given(local);
        let found = self
            .pool
            .again(async |client| {
                Ok(client.query_typed(&sql, &[(&count, Type::INT8), (&given, Type::INT8)]).await?)
            })
            .await?;
        let mut leaves: Vec<i64> = Vec::with_capacity(notes.len());
        let mut at = 0;
        for row in &found {
            leaves.push(row.try_get(0)?);
            at = row.try_get(1)?;
        }
        let kinds: Vec<&str> = notes.iter().map(|note| note.kind.name()).collect();
        let about: Vec<Option<uuid::Uuid>> = notes.iter().map(|note| note.approval_id).collect();
        let bodies: Vec<String> = notes.iter().map(|note| pen.leaf(note, time(at))).collect();
        let sql = pen.sql(
            "INSERT INTO @leaf (id, at, kind, approval_id, body)
             SELECT n.id, $2, n.kind, n.about, n.body FROM unnest($1::bigint[], $3::text[], $4::uuid[], $5::text[]) n (id, kind, about, body)
             WHERE NOT EXISTS (SELECT FROM @audit WHERE leaf = n.id AND at >= $2) ON CONFLICT (id) DO NOTHING",
        );
        self.pool
            .again(async |client| {
                let params: [(&(dyn ToSql + Sync), Type); 5] = [
                    (&leaves, Type::INT8_ARRAY),
                    (&at, Type::INT8),
                    (&kinds, Type::TEXT_ARRAY),
                    (&about, Type::UUID_ARRAY),
                    (&bodies, Type::TEXT_ARRAY),
                ];
                Ok(client.execute_typed(&sql, &params).await?)
            })
            .await?;
        self.changed(&leaves);
        Ok(())
    }
}

/// Entries of the audit after this number, in order.
pub(super) async fn entries(
    client: &tokio_postgres::Client, pen: &super::pen::WriteContext, after: i64, limit: i64,
) -> Result<Vec<AuditEntry>, StepError> {
    let sql =
        pen.sql("SELECT seq, at, body, hash FROM @audit WHERE seq > $1 ORDER BY seq LIMIT $2");
    let found = client.query_typed(&sql, &[(&after, Type::INT8), (&limit, Type::INT8)]).await?;
    found.iter().map(|columns| AuditEntry::read(&mut ColumnReader::new(columns))).collect()
}
