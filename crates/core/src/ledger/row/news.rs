//! From an entry of the audit about a request to the event that is told of it.

use std::sync::Arc;

use super::codec::{ContentSealer, whole};
use super::request::RequestRow;
use crate::approval::{ApprovalId, Status, TimerAction};
use crate::ledger::audit::NoteKind;
use crate::ledger::{ExecutionEnd, LedgerError, LedgerEvent};

/// An entry of the audit that is about a request.
#[derive(Debug)]
pub(in crate::ledger) struct RequestEntry {
    /// Its number, as the rows know it.
    pub(in crate::ledger) seq: i64,
    /// What happened.
    pub(in crate::ledger) kind: String,
    /// ms since the epoch.
    pub(in crate::ledger) at: u64,
    /// The request.
    pub(in crate::ledger) id: ApprovalId,
}

impl RequestEntry {
    /// Whether nothing can come after it.
    pub(in crate::ledger) fn is_last(&self, row: &RequestRow) -> bool {
        row.ended_at.is_some() && row.changed_seq <= self.seq
    }

    /// What is told of it; `None`: nothing.
    pub(in crate::ledger) fn event(
        &self, row: &RequestRow, sealer: &ContentSealer,
    ) -> Result<Option<LedgerEvent>, LedgerError> {
        let (id, at) = (self.id, self.at);
        Ok(match NoteKind::from_name(&self.kind) {
            Some(NoteKind::Requested) => {
                Some(LedgerEvent::Requested(Arc::clone(row.record(sealer)?.request())))
            }
            // An approval that was taken back meanwhile is told of as that, once.
            Some(NoteKind::Decided) if row.decided_seq == Some(self.seq) => {
                LedgerEvent::decided(&row.record(sealer)?)
            }
            Some(NoteKind::Voted) => {
                let record = row.record(sealer)?;
                let vote =
                    record.votes().iter().find(|vote| whole(vote.entry) == self.seq).cloned();
                vote.map(|vote| LedgerEvent::Voted { record, vote })
            }
            Some(NoteKind::Reminded) => {
                Some(LedgerEvent::done(&row.record(sealer)?, TimerAction::Remind, at))
            }
            Some(NoteKind::Escalated) => {
                Some(LedgerEvent::done(&row.record(sealer)?, TimerAction::Escalate, at))
            }
            Some(NoteKind::Started) => Some(LedgerEvent::Started { id, at }),
            Some(NoteKind::Settled) => match row.status() {
                Some(Status::Succeeded) => {
                    Some(LedgerEvent::Settled { id, end: ExecutionEnd::Succeeded, at })
                }
                Some(Status::Failed) => {
                    Some(LedgerEvent::Settled { id, end: ExecutionEnd::Failed, at })
                }
                _ => None,
            },
            Some(NoteKind::Interrupted) => {
                Some(LedgerEvent::Settled { id, end: ExecutionEnd::Interrupted, at })
            }
            _ => None,
        })
    }
}
