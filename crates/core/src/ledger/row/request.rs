//! A request as it is kept: its columns, and the seals over them.

use super::codec::{ContentSealer, DROPPED, damaged, status_number, time, whole};
use crate::approval::{ApprovalId, ApproverNeed, Status, schedule};
use crate::ledger::LedgerError;
use crate::ledger::seal::RowSeal;

/// The columns of `approval` and `content`, as they are kept: what is sealed is sealed here too.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ledger) struct RequestRow {
    pub(in crate::ledger) seq: i64,
    pub(in crate::ledger) id: ApprovalId,
    pub(in crate::ledger) run_id: String,
    pub(in crate::ledger) tool_call_id: String,
    pub(in crate::ledger) tool_name: String,
    pub(in crate::ledger) digest: [u8; 32],
    /// A JSON array.
    pub(in crate::ledger) origin: String,
    /// Names with spaces between.
    pub(in crate::ledger) flags: String,
    /// A bit for each kind of decision.
    pub(in crate::ledger) allowed: i64,
    pub(in crate::ledger) supersedes: Option<ApprovalId>,
    pub(in crate::ledger) created_at: i64,
    pub(in crate::ledger) duration: Option<i64>,
    pub(in crate::ledger) expires_at: Option<i64>,
    /// Who must agree: JSON.
    pub(in crate::ledger) needs: Option<String>,
    pub(in crate::ledger) requester: Option<String>,
    /// How long before the deadline everybody is told once more.
    pub(in crate::ledger) remind: Option<i64>,
    pub(in crate::ledger) contents: i64,
    pub(in crate::ledger) texts: RequestTexts,
    /// The seal over all of the above, which only retention changes.
    pub(in crate::ledger) asked: [u8; 32],
    pub(in crate::ledger) status: i64,
    pub(in crate::ledger) fate: Option<DecisionColumns>,
    /// Who runs it or ran it.
    pub(in crate::ledger) executor: Option<[u8; 16]>,
    pub(in crate::ledger) result: Option<Vec<u8>>,
    /// The entry of the audit that is its last decision.
    pub(in crate::ledger) decided_seq: Option<i64>,
    /// The entry of the audit that is its last change.
    pub(in crate::ledger) changed_seq: i64,
    pub(in crate::ledger) ended_at: Option<i64>,
    /// The approvals that were counted: JSON.
    pub(in crate::ledger) votes: Option<Vec<u8>>,
    /// How many reminders and escalations were told.
    pub(in crate::ledger) told: Option<i64>,
    /// When time does something next, as long as it waits. It follows from the rest, so no seal has it.
    pub(in crate::ledger) due_at: Option<i64>,
    pub(in crate::ledger) seal: [u8; 32],
}

/// What retention lets go of, and a key hides.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::ledger) struct RequestTexts {
    pub(in crate::ledger) args: Option<Vec<u8>>,
    pub(in crate::ledger) context: Option<Vec<u8>>,
    pub(in crate::ledger) description: Option<Vec<u8>>,
    pub(in crate::ledger) preview: Option<Vec<u8>>,
    pub(in crate::ledger) details: Option<Vec<u8>>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ledger) struct DecisionColumns {
    pub(in crate::ledger) choice: i64,
    pub(in crate::ledger) stop: i64,
    /// The edited arguments, or the given result.
    pub(in crate::ledger) answer: Option<Vec<u8>>,
    pub(in crate::ledger) reason: Option<Vec<u8>>,
    pub(in crate::ledger) by: Option<String>,
    pub(in crate::ledger) via: String,
    pub(in crate::ledger) at: i64,
    /// The digest that an approval is bound to.
    pub(in crate::ledger) bound: Option<[u8; 32]>,
}

impl RequestRow {
    /// Makes the seals anew, that over what was asked only if that has changed.
    pub(in crate::ledger) fn reseal(&mut self, sealer: &ContentSealer, asked: bool) {
        self.due_at = self.due();
        if asked {
            self.asked = self.asked_seal(sealer);
        }
        self.seal = self.whole_seal(sealer);
    }

    /// It must be what was written.
    pub(in crate::ledger) fn check(&self, sealer: &ContentSealer) -> Result<(), LedgerError> {
        if self.asked_seal(sealer) == self.asked
            && self.whole_seal(sealer) == self.seal
            && self.due_at == self.due()
        {
            return Ok(());
        }
        Err(damaged(&record_name(self.id)))
    }

    /// As [`Record::due_at`](crate::approval::Record::due_at), for its row.
    fn due(&self) -> Option<i64> {
        if self.status != status_number(Status::Pending) {
            return None;
        }
        let told = self.told.and_then(|told| usize::try_from(told).ok()).unwrap_or_default();
        let (created_at, expires_at) = (time(self.created_at), self.expires_at.map(time));
        let needs = self.needs().unwrap_or_default();
        let deeds = schedule(&needs, created_at, expires_at, self.remind.map(time));
        deeds.get(told).map(|(at, _)| whole(*at)).or(self.expires_at)
    }

    /// Who must agree; `None`: that is not what was written.
    pub(super) fn needs(&self) -> Option<Vec<ApproverNeed>> {
        self.needs.as_ref().map_or(Some(Vec::new()), |needs| serde_json::from_str(needs).ok())
    }

    /// Columns that schema 1 did not have are in the seals only where there is something in them.
    fn asked_seal(&self, sealer: &ContentSealer) -> [u8; 32] {
        let RequestTexts { args, context, description, preview, details } = &self.texts;
        let seal = RowSeal::new("content", sealer.key())
            .int("seq", Some(self.seq))
            .blob("id", Some(self.id.as_bytes()))
            .text("run_id", Some(&self.run_id))
            .text("tool_call_id", Some(&self.tool_call_id))
            .text("tool_name", Some(&self.tool_name))
            .blob("digest", Some(&self.digest))
            .text("origin", Some(&self.origin))
            .text("flags", Some(&self.flags))
            .int("allowed", Some(self.allowed))
            .blob("supersedes", self.supersedes.as_ref().map(|id| id.as_bytes().as_slice()))
            .int("created_at", Some(self.created_at))
            .int("duration", self.duration)
            .int("expires_at", self.expires_at)
            .int("contents", Some(self.contents))
            .blob("args", args.as_deref())
            .blob("context", context.as_deref())
            .blob("description", description.as_deref())
            .blob("preview", preview.as_deref())
            .blob("details", details.as_deref());
        let seal = self.needs.iter().fold(seal, |seal, needs| seal.text("needs", Some(needs)));
        let seal = self.requester.iter().fold(seal, |seal, by| seal.text("requester", Some(by)));
        self.remind.iter().fold(seal, |seal, ms| seal.int("remind", Some(*ms))).done()
    }

    fn whole_seal(&self, sealer: &ContentSealer) -> [u8; 32] {
        let fate = self.fate.as_ref();
        let seal = RowSeal::new("approval", sealer.key())
            .blob("asked", Some(&self.asked))
            .int("status", Some(self.status))
            .int("choice", fate.map(|fate| fate.choice))
            .int("stop", fate.map(|fate| fate.stop))
            .blob("answer", fate.and_then(|fate| fate.answer.as_deref()))
            .blob("reason", fate.and_then(|fate| fate.reason.as_deref()))
            .text("decider", fate.and_then(|fate| fate.by.as_deref()))
            .text("via", fate.map(|fate| fate.via.as_str()))
            .int("decided_at", fate.map(|fate| fate.at))
            .blob("bound", fate.and_then(|fate| fate.bound.as_ref()).map(<[u8; 32]>::as_slice))
            .blob("executor", self.executor.as_ref().map(<[u8; 16]>::as_slice))
            .blob("result", self.result.as_deref())
            .int("decided_seq", self.decided_seq)
            .int("changed_seq", Some(self.changed_seq))
            .int("ended_at", self.ended_at);
        let seal = self.votes.iter().fold(seal, |seal, votes| seal.blob("votes", Some(votes)));
        self.told.iter().fold(seal, |seal, at| seal.int("told", Some(*at))).done()
    }

    /// Lets go of its contents.
    pub(in crate::ledger) fn drop_contents(
        &mut self, sealer: &ContentSealer,
    ) -> Result<(), LedgerError> {
        if self.votes.is_some() {
            let mut votes = self.votes(sealer)?.ok_or_else(|| damaged(&record_name(self.id)))?;
            votes.iter_mut().for_each(|vote| vote.reason = None);
            self.set_votes(sealer, &votes)?;
        }
        self.texts = RequestTexts::default();
        self.contents = DROPPED;
        self.result = None;
        if let Some(fate) = &mut self.fate {
            (fate.answer, fate.reason) = (None, None);
        }
        self.reseal(sealer, true);
        Ok(())
    }
}

/// How a record is called in messages.
pub(in crate::ledger) fn record_name(id: ApprovalId) -> String {
    format!("the request {id}")
}
