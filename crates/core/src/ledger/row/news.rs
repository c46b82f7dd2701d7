//! From an entry of the audit about a request to the event that is told of it.

use std::sync::Arc;

use super::codec::{Sealer, whole};
use super::request::Row;
use crate::approval::{ApprovalId, Deed, Status};
use crate::ledger::audit::Kind;
use crate::ledger::{End, Event, LedgerError};

/// An entry of the audit that is about a request.
#[derive(Debug)]
pub(in crate::ledger) struct News {
    /// Its number, as the rows know it.
    pub(in crate::ledger) seq: i64,
    /// What happened.
    pub(in crate::ledger) kind: String,
    /// ms since the epoch.
    pub(in crate::ledger) at: u64,
    /// The request.
    pub(in crate::ledger) id: ApprovalId,
}

impl News {
    /// Whether nothing can come after it.
    pub(in crate::ledger) fn is_last(&self, row: &Row) -> bool {
        row.ended_at.is_some() && row.changed_seq <= self.seq
    }

    /// What is told of it; `None`: nothing.
    pub(in crate::ledger) fn event(
        &self, row: &Row, sealer: &Sealer,
    ) -> Result<Option<Event>, LedgerError> {
        let (id, at) = (self.id, self.at);
        Ok(match Kind::from_name(&self.kind) {
            Some(Kind::Requested) => {
                Some(Event::Requested(Arc::clone(row.record(sealer)?.request())))
            }
            // An approval that was taken back meanwhile is told of as that, once.
            Some(Kind::Decided) if row.decided_seq == Some(self.seq) => {
                Event::decided(&row.record(sealer)?)
            }
            Some(Kind::Voted) => {
                let record = row.record(sealer)?;
                let vote =
                    record.votes().iter().find(|vote| whole(vote.entry) == self.seq).cloned();
                vote.map(|vote| Event::Voted { record, vote })
            }
            Some(Kind::Reminded) => Some(Event::done(&row.record(sealer)?, Deed::Remind, at)),
            Some(Kind::Escalated) => Some(Event::done(&row.record(sealer)?, Deed::Escalate, at)),
            Some(Kind::Started) => Some(Event::Started { id, at }),
            Some(Kind::Settled) => match row.status() {
                Some(Status::Succeeded) => Some(Event::Settled { id, end: End::Succeeded, at }),
                Some(Status::Failed) => Some(Event::Settled { id, end: End::Failed, at }),
                _ => None,
            },
            Some(Kind::Interrupted) => Some(Event::Settled { id, end: End::Interrupted, at }),
            _ => None,
        })
    }
}
