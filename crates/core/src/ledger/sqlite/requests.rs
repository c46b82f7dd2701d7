//! Steps of requests and decisions.

use rusqlite::params;

use super::SqliteFault;
use super::row;
use super::step::{ChangeGuard, WriteStep};
use crate::approval::{
    ApprovalId, DecisionChoice, DecisionResult, Record, RecordedDecision, Request, Vote,
};
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::row::{RequestChange, RequestRow, internal, time, whole};
use crate::ledger::{AFTER_PARTS, DecideOutcome, HistoryQuery, LedgerError, PART, RequestOutcome};

/// The last request of a call comes last.
pub(super) const OF_CALL: &str = "WHERE a.tool_call_id = ?1 AND a.run_id = ?2 ORDER BY a.seq";
pub(super) const OF_CALL_ANYWHERE: &str = "WHERE a.tool_call_id = ?1 ORDER BY a.seq";
pub(super) const LAST_OF_CALL: &str =
    "WHERE a.tool_call_id = ?1 AND a.run_id = ?2 ORDER BY a.seq DESC LIMIT 1";
pub(super) const PENDING: &str =
    "WHERE a.seq IN (SELECT seq FROM approval INDEXED BY approval_pending WHERE status = 0)
     ORDER BY a.seq";
pub(super) const PENDING_OF_RUN: &str =
    "WHERE a.seq IN (SELECT seq FROM approval INDEXED BY approval_open
     WHERE run_id = ?1 AND status IN (0, 1, 2, 8) AND status = 0
     UNION ALL SELECT seq FROM approval INDEXED BY approval_open
     WHERE run_id >= ?2 AND run_id < ?3 AND status IN (0, 1, 2, 8) AND status = 0) ORDER BY a.seq";
pub(super) const OF_RUN: &str = "WHERE a.run_id = ?1 ORDER BY a.seq";
/// The most overdue first.
pub(super) const DUE: &str = "WHERE a.status = 0 AND a.due_at IS NOT NULL AND a.due_at <= ?1
    ORDER BY a.due_at, a.seq LIMIT ?2";
/// The latest first; `?1` is the id they come before, `?2` a tool.
pub(super) const PAST: &str =
    "WHERE a.id < ?1 AND a.status <> 0 AND (?2 IS NULL OR a.tool_name = ?2)
    ORDER BY a.id DESC LIMIT ?3";
pub(super) const PAST_OF_RUN: &str =
    "WHERE a.seq IN (SELECT seq FROM approval INDEXED BY approval_run WHERE run_id = ?4
     UNION ALL SELECT seq FROM approval INDEXED BY approval_run WHERE run_id >= ?5 AND run_id < ?6)
     AND a.id < ?1 AND a.status <> 0 AND (?2 IS NULL OR a.tool_name = ?2) ORDER BY a.id DESC LIMIT ?3";

/// What a run can still lose.
pub(super) const OPEN: &str = "WHERE a.seq IN (SELECT seq FROM approval INDEXED BY approval_open
     WHERE status IN (0, 1, 2, 8) AND status <> 8) ORDER BY a.seq";
pub(super) const OPEN_OF_RUN: &str =
    "WHERE a.seq IN (SELECT seq FROM approval INDEXED BY approval_open
     WHERE run_id = ?1 AND status IN (0, 1, 2, 8) AND status <> 8) ORDER BY a.seq";

/// The row and the statement disagree, within one transaction.
fn torn() -> LedgerError {
    internal("a request took no change that its state allows")
}

impl WriteStep<'_> {
    pub(super) fn request(&mut self, mut request: Request) -> Result<RequestOutcome, SqliteFault> {
        let last = row::select(
            self.connection,
            self.sealer(),
            LAST_OF_CALL,
            params![&*request.call.tool_call_id, &*request.call.run_id],
        )?;
        if let Some(last) = last.first() {
            let earlier = last.record(self.sealer())?;
            if !request.may_replace(&earlier) {
                return Ok(RequestOutcome::Duplicate(earlier));
            }
        }
        self.tell_of_jump()?;
        // The clock of the ledger is ahead of the machine's: the time to decide stays as long.
        let ahead = self.at.saturating_sub(request.created_at);
        request.created_at = request.created_at.saturating_add(ahead);
        request.expires_at = request.expires_at.map(|at| at.saturating_add(ahead));
        let seq = self
            .connection
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM approval")?
            .query_row([], |row| row.get(0))?;
        RequestRow::new(self.sealer(), seq, self.next_seq(), &request)?.insert(self.connection)?;
        let record = Record::new(request.into());
        self.append(AuditNote::about(NoteKind::Requested, &record))?;
        Ok(RequestOutcome::Created(record))
    }

    pub(super) fn decide_one(
        &mut self, id: ApprovalId, mut decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, SqliteFault> {
        let Some(mut row) = row::by_id(self.connection, self.sealer(), id)? else {
            return Ok(DecideOutcome::Unknown);
        };
        self.tell_of_jump()?;
        decided.at = self.at;
        let record = row.record(self.sealer())?;
        match record.decision_result(&decided, groups) {
            DecisionResult::AlreadyDecided => Ok(DecideOutcome::Already(record)),
            DecisionResult::DeadlinePassed(_) => {
                Ok(DecideOutcome::Expired(self.expire(&row)?.ok_or_else(torn)?))
            }
            DecisionResult::NotAllowed => Ok(DecideOutcome::NotAllowed(record)),
            DecisionResult::NotEntitled => {
                self.append(AuditNote::refused(&record, &decided))?;
                Ok(DecideOutcome::refused(record, self.at))
            }
            DecisionResult::AlreadyCounted => Ok(DecideOutcome::Counted(record)),
            DecisionResult::Counted(votes) => self.vote(&row, votes, &decided),
            DecisionResult::Stands(votes) => {
                if let Some(votes) = votes {
                    row.add_vote(self.sealer(), votes, self.next_seq())?;
                }
                let now = whole(self.at);
                let decided = match decided.decision.choice {
                    DecisionChoice::Expired => {
                        self.decide(&row, &ChangeGuard::PENDING, &[], decided)?
                    }
                    _ => self.decide(&row, &ChangeGuard::WAITS, &[(":now", &now)], decided)?,
                };
                Ok(DecideOutcome::Won(decided.ok_or_else(torn)?))
            }
        }
    }

    fn vote(
        &mut self, row: &RequestRow, votes: Vec<Vote>, decided: &RecordedDecision,
    ) -> Result<DecideOutcome, SqliteFault> {
        let seq = self.next_seq();
        let change = RequestChange::vote(row, self.sealer(), votes, decided, seq, self.at)?;
        match self.make(change, &ChangeGuard::WAITS, &[(":now", &whole(self.at))])? {
            Some(record) => Ok(DecideOutcome::Counted(record)),
            None => Err(torn().into()),
        }
    }

    /// Takes the next timer action of a request that is due.
    fn do_next(&mut self, row: &RequestRow) -> Result<Record, SqliteFault> {
        let now = whole(self.at);
        let (sealer, seq) = (self.sealer(), self.next_seq());
        let done = if row.expires_at.is_some_and(|deadline| deadline <= now) {
            self.expire(row)?
        } else if let Some((change, _)) = RequestChange::tell(row, sealer, seq, self.at)? {
            self.make(change, &ChangeGuard::WAITS, &[(":now", &now)])?
        } else {
            None
        };
        Ok(done.ok_or_else(|| internal("a request that is due has nothing to be done"))?)
    }

    fn expire(&mut self, row: &RequestRow) -> Result<Option<Record>, SqliteFault> {
        let now = whole(self.at);
        self.decide(row, &ChangeGuard::EXPIRE, &[(":now", &now)], RecordedDecision::expiry(self.at))
    }

    pub(super) fn revoke(
        &mut self, id: ApprovalId, mut decided: RecordedDecision,
    ) -> Result<Option<Record>, SqliteFault> {
        let Some(row) = row::by_id(self.connection, self.sealer(), id)? else { return Ok(None) };
        decided.at = self.at;
        self.decide(&row, &ChangeGuard::REVOKE, &[], decided)
    }

    /// The most overdue first.
    pub(super) fn expire_due(&mut self, limit: usize) -> Result<Vec<Record>, SqliteFault> {
        let mut done = Vec::new();
        while done.len() < limit {
            let left = i64::try_from(limit - done.len()).unwrap_or(i64::MAX);
            let due =
                row::select(self.connection, self.sealer(), DUE, params![whole(self.at), left])?;
            if due.is_empty() {
                break;
            }
            self.tell_of_jump()?;
            for row in &due {
                done.push(self.do_next(row)?);
            }
        }
        Ok(done)
    }

    pub(super) fn cancel_run(
        &mut self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, SqliteFault> {
        let (connection, sealer) = (self.connection, self.sealer());
        let open = match run {
            None => row::select(connection, sealer, OPEN, [])?,
            Some(run) => row::select(connection, sealer, OPEN_OF_RUN, [run])?,
        };
        let mut cancelled = Vec::with_capacity(open.len());
        for row in &open {
            let decided = RecordedDecision { at: self.at, ..decided.clone() };
            cancelled.extend(self.decide(row, &ChangeGuard::CANCEL, &[], decided)?);
        }
        Ok(cancelled)
    }
}

/// Looks at requests, in a step or on a snapshot.
pub(super) mod look {
    use super::*;
    use crate::ledger::row::ContentSealer;
    use rusqlite::Connection;

    pub(in super::super) fn get(
        connection: &Connection, sealer: &ContentSealer, id: ApprovalId,
    ) -> Result<Option<Record>, SqliteFault> {
        let row = row::by_id(connection, sealer, id)?;
        Ok(row.map(|row| row.record(sealer)).transpose()?)
    }

    pub(in super::super) fn find(
        connection: &Connection, sealer: &ContentSealer, run: Option<&str>, tool_call_id: &str,
    ) -> Result<Vec<Record>, SqliteFault> {
        match run {
            Some(run) => records(connection, sealer, OF_CALL, params![tool_call_id, run]),
            None => records(connection, sealer, OF_CALL_ANYWHERE, [tool_call_id]),
        }
    }

    pub(in super::super) fn pending(
        connection: &Connection, sealer: &ContentSealer, run: Option<&str>,
    ) -> Result<Vec<Record>, SqliteFault> {
        match run {
            None => records(connection, sealer, PENDING, []),
            Some(run) => {
                let [first, after] = [PART, AFTER_PARTS].map(|end| [run, end].concat());
                records(connection, sealer, PENDING_OF_RUN, [run, &first, &after])
            }
        }
    }

    pub(in super::super) fn history(
        connection: &Connection, sealer: &ContentSealer, past: &HistoryQuery,
    ) -> Result<Vec<Record>, SqliteFault> {
        let before = past.before.unwrap_or(ApprovalId::max());
        let limit = i64::try_from(past.limit).unwrap_or(i64::MAX);
        let tool = past.tool.as_deref();
        let Some(run) = past.run.as_deref() else {
            return records(connection, sealer, PAST, params![before.as_bytes(), tool, limit]);
        };
        let [first, after] = [PART, AFTER_PARTS].map(|end| [run, end].concat());
        let params = params![before.as_bytes(), tool, limit, run, first, after];
        records(connection, sealer, PAST_OF_RUN, params)
    }

    pub(in super::super) fn of_run(
        connection: &Connection, sealer: &ContentSealer, run: &str,
    ) -> Result<Vec<Record>, SqliteFault> {
        records(connection, sealer, OF_RUN, [run])
    }

    /// Whether anything that waits is due, at the latest by this clock or the ledger's.
    pub(in super::super) fn is_any_due(
        connection: &Connection, now: u64,
    ) -> Result<bool, SqliteFault> {
        let now = now.max(crate::ledger::sqlite::step::chain(connection)?.at);
        Ok(next_deadline(connection)?.is_some_and(|deadline| deadline <= now))
    }

    pub(in super::super) fn next_deadline(
        connection: &Connection,
    ) -> Result<Option<u64>, SqliteFault> {
        let next: Option<i64> = connection
            .prepare_cached(
                "SELECT min(due_at) FROM approval INDEXED BY approval_pending
                 WHERE status = 0 AND due_at IS NOT NULL",
            )?
            .query_row([], |row| row.get(0))?;
        Ok(next.map(time))
    }

    /// One record in memory more than its row at any time.
    fn records(
        connection: &Connection, sealer: &ContentSealer, rest: &str, params: impl rusqlite::Params,
    ) -> Result<Vec<Record>, SqliteFault> {
        let mut found = Vec::new();
        row::each(connection, rest, params, |row| {
            row.check(sealer)?;
            found.push(row.record(sealer)?);
            Ok(())
        })?;
        Ok(found)
    }
}
