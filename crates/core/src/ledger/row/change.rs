//! What a step makes of a request: its row as it will be, the record that it then is, and the entry of the audit.

use super::DecisionColumns;
use super::codec::{ContentSealer, status_number, whole};
use super::request::RequestRow;
use crate::approval::{ExecutionStep, Record, RecordedDecision, TimerAction, Vote};
use crate::ledger::LedgerError;
use crate::ledger::audit::{AuditNote, NoteKind};

/// A change of a request, sealed, and still to be written: as a whole or not at all.
#[derive(Debug)]
pub(in crate::ledger) struct RequestChange {
    /// The row after it.
    pub(in crate::ledger) row: RequestRow,
    /// The record after it.
    pub(in crate::ledger) record: Record,
    /// The entry of the audit that tells of it.
    pub(in crate::ledger) note: AuditNote,
}

impl RequestChange {
    /// A decision on a request; `None`: the state machine does not take it. `seq` is the number of the entry of the audit
    /// that will tell of it, `at` the time of that entry in ms since the epoch.
    pub(in crate::ledger) fn decide(
        row: &RequestRow, sealer: &ContentSealer, decided: RecordedDecision, seq: u64, at: u64,
    ) -> Result<Option<Self>, LedgerError> {
        let mut record = row.record(sealer)?;
        let mut next = row.clone();
        next.fate = Some(DecisionColumns::new(sealer, record.request(), &decided)?);
        let Ok(()) = record.decide(decided.clone()) else { return Ok(None) };
        next.decided_seq = Some(whole(seq));
        let note = AuditNote::about(NoteKind::Decided, &record).with_decision(&decided);
        Ok(Some(Self::sealed(next, record, note, sealer, seq, at)))
    }

    /// A step of the execution likewise; `change` may add to the row and the record what the step brings.
    pub(in crate::ledger) fn advance(
        row: &RequestRow, sealer: &ContentSealer, step: ExecutionStep, seq: u64, at: u64,
        change: impl FnOnce(&mut RequestRow, &mut Record) -> Result<(), LedgerError>,
    ) -> Result<Option<Self>, LedgerError> {
        let mut record = row.record(sealer)?;
        let Ok(()) = record.advance(step) else { return Ok(None) };
        let mut next = row.clone();
        change(&mut next, &mut record)?;
        let kind = match step {
            ExecutionStep::Start => NoteKind::Started,
            ExecutionStep::Succeed | ExecutionStep::Fail => NoteKind::Settled,
            ExecutionStep::Interrupt => NoteKind::Interrupted,
        };
        let note = AuditNote::about(kind, &record);
        Ok(Some(Self::sealed(next, record, note, sealer, seq, at)))
    }

    /// A vote that is one of several, which are these after it, it being the last.
    pub(in crate::ledger) fn vote(
        row: &RequestRow, sealer: &ContentSealer, votes: Vec<Vote>, decided: &RecordedDecision,
        seq: u64, at: u64,
    ) -> Result<Self, LedgerError> {
        let mut record = row.record(sealer)?;
        let mut next = row.clone();
        record.count(next.add_vote(sealer, votes, seq)?);
        let note = AuditNote::about(NoteKind::Voted, &record).with_decision(decided);
        Ok(Self::sealed(next, record, note, sealer, seq, at))
    }

    /// The next timer action (reminder or escalation) of a pending request; `None` if only its expiry is left.
    pub(in crate::ledger) fn tell(
        row: &RequestRow, sealer: &ContentSealer, seq: u64, at: u64,
    ) -> Result<Option<(Self, TimerAction)>, LedgerError> {
        let mut record = row.record(sealer)?;
        let Some((_, deed)) = record.next_deed() else { return Ok(None) };
        let mut next = row.clone();
        next.told = Some(next.told.unwrap_or_default().saturating_add(1));
        record.tell();
        let kind = match deed {
            TimerAction::Remind => NoteKind::Reminded,
            TimerAction::Escalate => NoteKind::Escalated,
        };
        let note = AuditNote::about(kind, &record);
        Ok(Some((Self::sealed(next, record, note, sealer, seq, at), deed)))
    }

    fn sealed(
        mut row: RequestRow, record: Record, note: AuditNote, sealer: &ContentSealer, seq: u64,
        at: u64,
    ) -> Self {
        row.status = status_number(record.status());
        row.changed_seq = whole(seq);
        row.ended_at = record.status().is_final().then_some(whole(at));
        row.reseal(sealer, false);
        Self { row, record, note }
    }
}
