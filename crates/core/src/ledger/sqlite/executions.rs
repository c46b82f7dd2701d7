//! Steps of executions: the one use of an approval, its end, and those whose process is gone.

use rusqlite::{Connection, params};

use super::row;
use super::step::{ChangeGuard, WriteStep};
use super::{OwnerId, SqliteEngine, SqliteFault};
use crate::approval::{ApprovalId, ExecutionStep as Advance, Record};
use crate::call::Digest;
use crate::ledger::RedeemOutcome;
use crate::ledger::row::{ContentSealer, RequestRow};

/// What runs; that is little.
pub(super) const STARTED: &str =
    "WHERE a.status = 8 AND (?1 IS NULL OR a.run_id = ?1) ORDER BY a.seq";

impl WriteStep<'_> {
    pub(super) fn begin_one(
        &mut self, id: ApprovalId, digest: Digest,
    ) -> Result<RedeemOutcome, SqliteFault> {
        let Some(row) = row::by_id(self.connection, self.sealer(), id)? else {
            return Ok(RedeemOutcome::Unknown);
        };
        let owner = *self.pen.owner.as_bytes();
        let begun = self.advance(
            &row,
            &ChangeGuard::BEGIN,
            &[(":digest", digest.bytes())],
            Advance::Start,
            |row, _| {
                row.executor = Some(owner);
                Ok(())
            },
        )?;
        if let Some(record) = begun {
            return Ok(RedeemOutcome::Won(record));
        }
        let status = row.record(self.sealer())?.status();
        Ok(if status.may_start() {
            RedeemOutcome::Mismatch
        } else {
            RedeemOutcome::Refused(status)
        })
    }

    pub(super) fn finish(
        &mut self, id: ApprovalId, end: Advance, result: Option<Box<serde_json::value::RawValue>>,
    ) -> Result<Option<Record>, SqliteFault> {
        let Some(row) = row::by_id(self.connection, self.sealer(), id)? else { return Ok(None) };
        if end == Advance::Start {
            return Ok(None);
        }
        let sealer = self.sealer();
        let kept = result
            .as_ref()
            .map(|result| sealer.seal(id.as_bytes(), "result", result.get()))
            .transpose()?;
        self.advance(&row, &ChangeGuard::FINISH, &[], end, |row, record| {
            row.result = kept;
            record.keep_result(result);
            Ok(())
        })
    }

    /// `lost`: calls whose executor was found to be gone.
    pub(super) fn interrupt(
        &mut self, lost: &[(ApprovalId, [u8; 16])],
    ) -> Result<Vec<Record>, SqliteFault> {
        let mut interrupted = Vec::new();
        for (id, executor) in lost {
            let Some(row) = row::by_id(self.connection, self.sealer(), *id)? else { continue };
            interrupted.extend(self.advance(
                &row,
                &ChangeGuard::INTERRUPT,
                &[(":executor", executor)],
                Advance::Interrupt,
                |_, _| Ok(()),
            )?);
        }
        Ok(interrupted)
    }
}

/// What runs, and who redeemed it, oldest first.
pub(super) fn started(
    connection: &Connection, sealer: &ContentSealer, run: Option<&str>,
) -> Result<Vec<(ApprovalId, [u8; 16])>, SqliteFault> {
    let rows: Vec<RequestRow> = row::select(connection, sealer, STARTED, params![run])?;
    Ok(rows.iter().filter_map(|row| Some((row.id, row.executor?))).collect())
}

/// Those of them whose process is gone. An owner, once gone, never comes back, so this stays true; of whom it cannot be told
/// may live.
pub(super) fn lost(
    engine: &SqliteEngine, started: Vec<(ApprovalId, [u8; 16])>,
) -> Vec<(ApprovalId, [u8; 16])> {
    started
        .into_iter()
        .filter(|(_, executor)| !engine.is_alive(OwnerId::from_bytes(*executor)).unwrap_or(true))
        .collect()
}
