//! One step: a look and its change in one transaction, at one moment of the ledger's own clock, with its entries of the audit.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, ToSql, params};

use super::column::ColumnReader;
use super::{OwnerId, SqliteFault};
use crate::approval::{ApprovalId, ExecutionStep as Advance, Record, RecordedDecision};
use crate::ledger::LedgerError;
use crate::ledger::audit::{AuditChain, AuditEntry, AuditNote, NoteKind};
use crate::ledger::row::{ContentSealer, RequestChange, RequestRow, whole};

/// By how many ms the clock of the machine must leave that of this process to be told of.
const JUMP: u64 = 5_000;

/// What all steps of an open ledger share.
#[derive(Debug)]
pub(super) struct StepContext {
    pub(super) sealer: ContentSealer,
    pub(super) owner: OwnerId,
    /// A moment by both clocks.
    moment: Mutex<Option<(Instant, u64)>>,
}

impl StepContext {
    pub(super) fn new(sealer: ContentSealer, owner: OwnerId) -> Self {
        Self { sealer, owner, moment: Mutex::default() }
    }

    /// By how much the clock of the machine has jumped since the last step.
    fn jump(&self, now: u64) -> Option<i64> {
        let mut moment = self.moment.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, told) = *moment.get_or_insert_with(|| (Instant::now(), now));
        let passed = u64::try_from(then.elapsed().as_millis()).unwrap_or(u64::MAX);
        let expected = told.saturating_add(passed);
        if expected.abs_diff(now) <= JUMP {
            return None;
        }
        *moment = Some((Instant::now(), now));
        Some(whole(now).saturating_sub(whole(expected)))
    }
}

/// A step under way.
pub(super) struct WriteStep<'a> {
    pub(super) connection: &'a Connection,
    pub(super) pen: &'a StepContext,
    chain: AuditChain,
    now: u64,
    /// When it is, in ms: what the caller says, but never before the last entry of the audit.
    pub(super) at: u64,
}

/// How many statements are kept prepared.
const STATEMENTS: usize = 64;

impl<'a> WriteStep<'a> {
    pub(super) fn begin(
        connection: &'a Connection, pen: &'a StepContext, now: u64,
    ) -> Result<Self, SqliteFault> {
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let chain = chain(connection)?;
        Ok(Self { connection, pen, chain, now, at: now.max(chain.at) })
    }

    pub(super) fn sealer(&self) -> &'a ContentSealer {
        &self.pen.sealer
    }

    /// The number of the next entry.
    pub(super) fn next_seq(&self) -> u64 {
        self.chain.seq.saturating_add(1)
    }

    /// Adds an entry to the audit. What a key hides is not told there either.
    pub(super) fn append(&mut self, mut note: AuditNote) -> Result<(), SqliteFault> {
        if self.sealer().key().is_some() {
            note.reason = None;
        }
        let entry = self.chain.append(&note, self.at);
        self.connection
            .prepare_cached(
                "INSERT INTO audit (seq, at, kind, approval_id, body, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                whole(entry.seq),
                whole(entry.at),
                note.kind.name(),
                note.approval_id.as_ref().map(ApprovalId::as_bytes),
                entry.body,
                entry.hash,
            ])?;
        Ok(())
    }

    /// Notes a jump of the clock since the last step that changed something, before this one changes anything.
    pub(super) fn tell_of_jump(&mut self) -> Result<(), SqliteFault> {
        match self.pen.jump(self.now) {
            Some(by) => self.append(AuditNote::new(NoteKind::ClockJump).with("ms", by)),
            None => Ok(()),
        }
    }

    /// Takes a decision on a request, if what lies there is as `guard` demands; `None`: it is not.
    pub(super) fn decide(
        &mut self, row: &RequestRow, guard: &ChangeGuard, demand: &[(&str, &dyn ToSql)],
        decided: RecordedDecision,
    ) -> Result<Option<Record>, SqliteFault> {
        let change = RequestChange::decide(row, self.sealer(), decided, self.next_seq(), self.at)?;
        // The state machine and the statement must both agree.
        change.map_or(Ok(None), |change| self.make(change, guard, demand))
    }

    /// Takes a step of the execution likewise.
    pub(super) fn advance(
        &mut self, row: &RequestRow, guard: &ChangeGuard, demand: &[(&str, &dyn ToSql)],
        step: Advance,
        change: impl FnOnce(&mut RequestRow, &mut Record) -> Result<(), LedgerError>,
    ) -> Result<Option<Record>, SqliteFault> {
        let seq = self.next_seq();
        let change = RequestChange::advance(row, self.sealer(), step, seq, self.at, change)?;
        change.map_or(Ok(None), |change| self.make(change, guard, demand))
    }

    /// Writes a change down, if what lies there is as `guard` demands; `None`: it is not.
    pub(super) fn make(
        &mut self, change: RequestChange, guard: &ChangeGuard, demand: &[(&str, &dyn ToSql)],
    ) -> Result<Option<Record>, SqliteFault> {
        if change.row.update(guard.statement(self.connection)?, demand)? == 0 {
            return Ok(None);
        }
        self.append(change.note)?;
        Ok(Some(change.record))
    }
}

/// What must be so in the file for a change to be made: the condition of its statement.
#[derive(Debug)]
pub(super) struct ChangeGuard(pub(super) &'static str);

impl ChangeGuard {
    /// It has no decision.
    pub(super) const PENDING: Self = Self("status = 0");
    /// It has no decision, and the time is not up.
    pub(super) const WAITS: Self = Self("status = 0 AND (expires_at IS NULL OR expires_at > :now)");
    /// It has no decision, and the time is up.
    pub(super) const EXPIRE: Self = Self("status = 0 AND expires_at <= :now");
    /// It was approved, and not started.
    pub(super) const REVOKE: Self = Self("status IN (1, 2)");
    /// Nothing runs on it or ever ran.
    pub(super) const CANCEL: Self = Self("status IN (0, 1, 2)");
    /// It was approved, and is bound to this digest.
    pub(super) const BEGIN: Self = Self("status IN (1, 2) AND bound = :digest");
    /// It runs.
    pub(super) const FINISH: Self = Self("status = 8");
    /// It runs, redeemed so.
    pub(super) const INTERRUPT: Self = Self("status = 8 AND executor = :executor");

    fn statement<'a>(&self, connection: &'a Connection) -> rusqlite::Result<CachedStatement<'a>> {
        connection.prepare_cached(&format!(
            "UPDATE approval SET status = ?2, choice = ?3, stop = ?4, answer = ?5, reason = ?6, decider = ?7, via = ?8,
             decided_at = ?9, bound = ?10, executor = ?11, result = ?12, decided_seq = ?13, changed_seq = ?14,
             ended_at = ?15, seal = ?16, votes = ?17, told = ?18, due_at = ?19 WHERE id = ?1 AND {}",
            self.0
        ))
    }
}

/// Where the audit stands.
pub(super) fn chain(connection: &Connection) -> Result<AuditChain, SqliteFault> {
    let last = entries_where(connection, "ORDER BY seq DESC LIMIT 1", [])?.pop();
    Ok(last.map_or_else(AuditChain::default, |last| AuditChain {
        seq: last.seq,
        at: last.at,
        head: last.hash,
    }))
}

/// The entries of the audit that `rest` selects.
pub(super) fn entries_where(
    connection: &Connection, rest: &str, params: impl rusqlite::Params,
) -> Result<Vec<AuditEntry>, SqliteFault> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT seq, at, body, hash FROM audit {rest}"))?;
    let mut rows = statement.query(params)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(AuditEntry::read(&mut ColumnReader::new(row))?);
    }
    Ok(entries)
}

/// The value of a key of `meta`.
pub(super) fn meta<T: rusqlite::types::FromSql>(
    connection: &Connection, key: &str,
) -> Result<Option<T>, SqliteFault> {
    Ok(connection
        .prepare_cached("SELECT v FROM meta WHERE k = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}
