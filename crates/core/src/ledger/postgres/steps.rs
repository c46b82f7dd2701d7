//! Steps of requests: a look, and a change if what was looked at is still so; again until it is known what became of it.

use std::time::Instant;

use serde_json::value::RawValue;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::owners;
use super::pen::now;
use super::rows;
use super::write::{self, ChangeGuard};
use crate::approval::{
    ApprovalId, DecisionChoice, DecisionResult, ExecutionStep as Advance, Record, RecordedDecision,
    Request, new_id,
};
use crate::call::Digest;
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::row::{ContentSealer, RequestChange, RequestRow, internal, time, whole};
use crate::ledger::{DecideOutcome, LedgerError, RedeemOutcome, RequestOutcome};

/// What is to be done after a look.
pub(super) enum StepVerdict<R> {
    /// Nothing: this is the answer.
    Done(R),
    /// Write this change, then build the result from the new record.
    Change(Box<RequestChange>, ChangeGuard, fn(Record) -> R),
}

/// The number of a leaf whose fate is not known, and what is made of the record if it was written.
type PendingLeaf<R> = (i64, fn(Record) -> R);

/// By how many ms the time in an id may be another than the server's.
const ID_SLACK: u64 = 1_000;

impl LedgerCore {
    /// One atomic step on one request. A write whose outcome is not known is looked after: its leaf has a number of its own,
    /// which the row then bears.
    pub(super) async fn step<R>(
        &self, id: ApprovalId, local: u64,
        mut judge: impl FnMut(Option<RequestRow>, u64, u64) -> Result<StepVerdict<R>, LedgerError>,
    ) -> Result<R, StepError> {
        let mut tried: Vec<PendingLeaf<R>> = Vec::new();
        self.pool
            .settle(async |client| self.attempt(client, id, local, &mut judge, &mut tried).await)
            .await
    }

    /// `None`: somebody else was faster.
    async fn attempt<R>(
        &self, client: &PlannedConnection, id: ApprovalId, local: u64,
        judge: &mut impl FnMut(Option<RequestRow>, u64, u64) -> Result<StepVerdict<R>, LedgerError>,
        tried: &mut Vec<PendingLeaf<R>>,
    ) -> Result<Option<R>, StepError> {
        let mut look = rows::look(client, &self.pen, id, local).await?;
        if look.row.is_none() {
            // It may have been moved while this look waited for the day it was kept in: then the next one finds it.
            look = rows::look(client, &self.pen, id, local).await?;
        }
        if let Some(row) = &look.row {
            let ours = tried
                .iter()
                .find(|(seq, _)| row.changed_seq == *seq || row.decided_seq == Some(*seq));
            if let Some((seq, made)) = ours {
                self.changed(&[*seq]);
                return Ok(Some(made(row.record(&self.pen.sealer)?)));
            }
        }
        let old = look.row.clone();
        let (change, guard, made) = match judge(look.row, look.seq, look.now)? {
            StepVerdict::Done(done) => return Ok(Some(done)),
            StepVerdict::Change(change, guard, made) => (change, guard, made),
        };
        let Some(old) = old else { return Err(internal("a change of nothing").into()) };
        let seq = whole(look.seq);
        tried.push((seq, made));
        if write::change(client, &self.pen, &old, &change, guard, look.now, local).await? {
            self.changed(&[seq]);
            return Ok(Some(made(change.record)));
        }
        tried.pop();
        Ok(None)
    }

    pub(super) async fn decide(
        &self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, StepError> {
        let done = self.step(id, decided.at, |row, seq, now| {
            let decided = RecordedDecision { at: now, ..decided.clone() };
            self.judge(row, decided, groups, seq, now)
        });
        let done = done.await?;
        if let DecideOutcome::Refused { record, .. } = &done {
            self.note(&[AuditNote::refused(record, &decided)], decided.at).await?;
        }
        Ok(done)
    }

    /// What a decision at this moment comes to.
    fn judge(
        &self, row: Option<RequestRow>, decided: RecordedDecision, groups: &[Box<str>], seq: u64,
        now: u64,
    ) -> Result<StepVerdict<DecideOutcome>, LedgerError> {
        let sealer = &self.pen.sealer;
        let Some(mut row) = row else { return Ok(StepVerdict::Done(DecideOutcome::Unknown)) };
        let record = row.record(sealer)?;
        Ok(StepVerdict::Done(match record.decision_result(&decided, groups) {
            DecisionResult::AlreadyDecided => DecideOutcome::Already(record),
            DecisionResult::DeadlinePassed(expiry) => {
                return changed(
                    &row,
                    sealer,
                    expiry,
                    seq,
                    now,
                    ChangeGuard::Due,
                    DecideOutcome::Expired,
                );
            }
            DecisionResult::NotAllowed => DecideOutcome::NotAllowed(record),
            DecisionResult::NotEntitled => DecideOutcome::refused(record, now),
            DecisionResult::AlreadyCounted => DecideOutcome::Counted(record),
            DecisionResult::Counted(votes) => {
                let change = RequestChange::vote(&row, sealer, votes, &decided, seq, now)?;
                return Ok(StepVerdict::Change(
                    Box::new(change),
                    ChangeGuard::InTime,
                    DecideOutcome::Counted,
                ));
            }
            DecisionResult::Stands(votes) => {
                if let Some(votes) = votes {
                    row.add_vote(sealer, votes, seq)?;
                }
                let guard = match decided.decision.choice {
                    DecisionChoice::Expired => ChangeGuard::None,
                    _ => ChangeGuard::InTime,
                };
                return changed(&row, sealer, decided, seq, now, guard, DecideOutcome::Won);
            }
        }))
    }

    /// Takes a cancellation, if the request stands where it may be: `open`, also while it waits.
    pub(super) async fn cancel(
        &self, id: ApprovalId, decided: &RecordedDecision, open: bool,
    ) -> Result<Option<Record>, StepError> {
        let sealer = &self.pen.sealer;
        self.step(id, decided.at, |row, seq, now| {
            let may = |row: &RequestRow| {
                row.status()
                    .is_some_and(|status| status.may_start() || (open && row.fate.is_none()))
            };
            let Some(row) = row.filter(may) else { return Ok(StepVerdict::Done(None)) };
            changed(
                &row,
                sealer,
                RecordedDecision { at: now, ..decided.clone() },
                seq,
                now,
                ChangeGuard::None,
                Some,
            )
        })
        .await
    }

    /// Takes the next timer action of a request that is due: once, over any number of processes.
    pub(super) async fn do_next(
        &self, id: ApprovalId, local: u64,
    ) -> Result<Option<Record>, StepError> {
        let sealer = &self.pen.sealer;
        self.step(id, local, |row, seq, now| {
            let is_due = |row: &RequestRow| row.due_at.is_some_and(|at| at <= whole(now));
            let Some(row) = row.filter(is_due) else { return Ok(StepVerdict::Done(None)) };
            if row.expires_at.is_some_and(|at| at <= whole(now)) {
                return changed(
                    &row,
                    sealer,
                    RecordedDecision::expiry(now),
                    seq,
                    now,
                    ChangeGuard::Due,
                    Some,
                );
            }
            let change = RequestChange::tell(&row, sealer, seq, now)?.map(|(change, _)| change);
            Ok(advanced(change, ChangeGuard::InTime))
        })
        .await
    }

    pub(super) async fn begin(
        &self, id: ApprovalId, digest: Digest, local: u64,
    ) -> Result<RedeemOutcome, StepError> {
        if let Some(begun) = self.begin_as_owner(id, digest, local).await? {
            return Ok(begun);
        }
        // The server was away for longer than our lease. Under another name we are as good as anybody.
        let lease = self.pool.settings.lease;
        self.pool.again(async |client| owners::beat(client, &self.pen, lease).await).await?;
        self.begin_as_owner(id, digest, local).await?.ok_or_else(|| lease_is_over().into())
    }

    /// `None`: our lease is over.
    async fn begin_as_owner(
        &self, id: ApprovalId, digest: Digest, local: u64,
    ) -> Result<Option<RedeemOutcome>, StepError> {
        let sealer = &self.pen.sealer;
        let mut refused = 0;
        self.step(id, local, |row, seq, now| {
            let Some(row) = row else { return Ok(StepVerdict::Done(Some(RedeemOutcome::Unknown))) };
            let owner = self.pen.owner();
            let is_bound =
                row.fate.as_ref().and_then(|fate| fate.bound.as_ref()) == Some(digest.bytes());
            let change =
                RequestChange::advance(&row, sealer, Advance::Start, seq, now, |row, _| {
                    row.executor = Some(*owner.as_bytes());
                    Ok(())
                })?;
            match change {
                Some(change) if is_bound => {
                    // As it was looked at, and still refused: it is our lease.
                    refused += 1;
                    if refused > 3 {
                        return Ok(StepVerdict::Done(None));
                    }
                    Ok(StepVerdict::Change(Box::new(change), ChangeGuard::OwnLease, |record| {
                        Some(RedeemOutcome::Won(record))
                    }))
                }
                Some(_) => Ok(StepVerdict::Done(Some(RedeemOutcome::Mismatch))),
                None => {
                    let status = row.record(sealer)?.status();
                    Ok(StepVerdict::Done(Some(RedeemOutcome::Refused(status))))
                }
            }
        })
        .await
    }

    pub(super) async fn finish(
        &self, id: ApprovalId, end: Advance, result: Option<Box<RawValue>>, local: u64,
    ) -> Result<Option<Record>, StepError> {
        let sealer = &self.pen.sealer;
        let kept = result
            .as_ref()
            .map(|result| sealer.seal(id.as_bytes(), "result", result.get()))
            .transpose()?;
        self.step(id, local, |row, seq, now| {
            let Some(row) = row.filter(|_| end != Advance::Start) else {
                return Ok(StepVerdict::Done(None));
            };
            let change = RequestChange::advance(&row, sealer, end, seq, now, |row, record| {
                row.result.clone_from(&kept);
                record.keep_result(result.clone());
                Ok(())
            })?;
            Ok(advanced(change, ChangeGuard::None))
        })
        .await
    }

    /// Writes down that its executor is gone, if that is so.
    pub(super) async fn interrupt(
        &self, id: ApprovalId, local: u64,
    ) -> Result<Option<Record>, StepError> {
        let mut tries = 0;
        self.step(id, local, |row, seq, now| {
            tries += 1;
            // Refused as it was looked at: the executor lives.
            let Some(row) = row.filter(|_| tries <= 2) else { return Ok(StepVerdict::Done(None)) };
            let change = RequestChange::advance(
                &row,
                &self.pen.sealer,
                Advance::Interrupt,
                seq,
                now,
                |_, _| Ok(()),
            )?;
            Ok(advanced(change, ChangeGuard::ExecutorGone))
        })
        .await
    }

    pub(super) async fn request(&self, mut request: Request) -> Result<RequestOutcome, StepError> {
        let local = request.created_at;
        let duration = request.expires_at.map(|at| at.saturating_sub(request.created_at));
        let mut tried = false;
        let asked = self.pool.settle(async |client| {
            self.ask(client, &mut request, duration, local, &mut tried).await
        });
        match asked.await? {
            RequestWrite::Created(seq) => {
                self.changed(&[seq]);
                Ok(RequestOutcome::Created(Record::new(request.into())))
            }
            RequestWrite::Other(requested) => Ok(*requested),
        }
    }

    async fn ask(
        &self, client: &PlannedConnection, request: &mut Request, duration: Option<u64>,
        local: u64, tried: &mut bool,
    ) -> Result<Option<RequestWrite>, StepError> {
        let pen = &self.pen;
        let sql = pen.sql(&format!(
            "SELECT nextval('@leaf_seq'), {}, (SELECT last FROM @call WHERE tool_call_id = $1 AND run_id = $2)",
            now(3)
        ));
        let (call, run) = (&*request.call.tool_call_id, &*request.call.run_id);
        let asked = Instant::now();
        let found = client
            .query_typed_one(
                &sql,
                &[(&call, Type::TEXT), (&run, Type::TEXT), (&pen.clock.given(local), Type::INT8)],
            )
            .await?;
        let (seq, at) = (found.try_get::<_, i64>(0)?, time(found.try_get(1)?));
        pen.clock.told(at, asked);
        let last: Option<Uuid> = found.try_get(2)?;
        let row = match last {
            Some(last) => rows::by_ids(client, pen, &[last]).await?.pop(),
            None => None,
        };
        if let Some(row) = row {
            let record = row.record(&pen.sealer)?;
            if *tried && row.id == request.id {
                // Ours, whose answer was lost.
                self.changed(&[row.seq]);
                return Ok(Some(RequestWrite::Other(Box::new(RequestOutcome::Created(record)))));
            }
            if !request.may_replace(&record) {
                return Ok(Some(RequestWrite::Other(Box::new(RequestOutcome::Duplicate(record)))));
            }
        }
        // One that may be there already keeps its id: that is what it is known by.
        if !*tried {
            if !pen.clock.is_callers && time_of(request.id).abs_diff(at) > ID_SLACK {
                self.forget(request.id);
                request.id = new_id(at);
            }
            self.follow(request.id);
        }
        request.created_at = at;
        request.expires_at = duration.map(|duration| at.saturating_add(duration));
        let row = RequestRow::new(&pen.sealer, seq, time(seq), request)?;
        let note = note(&row, &pen.sealer)?;
        *tried = true;
        let made = write::request(client, pen, &row, &note, last).await?;
        Ok(made.then_some(RequestWrite::Created(seq)))
    }
}

/// What became of a request that was to be written.
enum RequestWrite {
    Created(i64),
    Other(Box<RequestOutcome>),
}

fn note(row: &RequestRow, sealer: &ContentSealer) -> Result<AuditNote, LedgerError> {
    Ok(AuditNote::about(NoteKind::Requested, &row.record(sealer)?))
}

fn changed<R>(
    row: &RequestRow, sealer: &ContentSealer, decided: RecordedDecision, seq: u64, now: u64,
    guard: ChangeGuard, made: fn(Record) -> R,
) -> Result<StepVerdict<R>, LedgerError> {
    let change = RequestChange::decide(row, sealer, decided, seq, now)?
        .ok_or_else(|| internal("the state machine refuses what the row allows"))?;
    Ok(StepVerdict::Change(Box::new(change), guard, made))
}

fn advanced(change: Option<RequestChange>, guard: ChangeGuard) -> StepVerdict<Option<Record>> {
    match change {
        Some(change) => StepVerdict::Change(Box::new(change), guard, Some),
        None => StepVerdict::Done(None),
    }
}

fn lease_is_over() -> LedgerError {
    crate::ledger::LedgerErrorKind::Busy.because(
        "this process was not heard of for longer than its lease, so nothing starts on its behalf. Try again, and see that it \
         reaches the server (or give a longer `lease=` in the URL)",
    )
}

/// ms since the epoch, of a UUIDv7.
fn time_of(id: ApprovalId) -> u64 {
    id.get_timestamp().map_or(0, |at| {
        let (seconds, nanos) = at.to_unix();
        seconds.saturating_mul(1_000).saturating_add(u64::from(nanos / 1_000_000))
    })
}
