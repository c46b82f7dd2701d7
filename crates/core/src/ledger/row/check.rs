//! A look at everything: is it what was written? A ledger reads what it keeps; what is wrong with it is found here.

use std::collections::HashMap;

use serde::Deserialize;

use super::codec::ContentSealer;
use super::request::RequestRow;
use super::run::{RunRow, run_name};
use super::value::{KeptValue, value_name};
use crate::approval::{ApprovalId, ContentState, Record, Status};
use crate::ledger::audit::{AuditChain, AuditEntry, LogVerifier};
use crate::ledger::{LedgerDamage, LedgerError, VerificationReport};

/// How many faults are told at most: a reader needs no more of them.
const MOST: usize = 1_000;

/// What an entry of the audit says that a record must agree with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::ledger) struct AuditedFields {
    kind: Box<str>,
    approval_id: Option<ApprovalId>,
    status: Option<Box<str>>,
    decision: Option<Box<str>>,
    digest: Option<Box<str>>,
    #[serde(default)]
    more: HashMap<Box<str>, serde_json::Value>,
}

impl AuditedFields {
    /// From the text of an entry; `None`: not an entry.
    pub(in crate::ledger) fn in_text(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }
}

/// The last entry about a request.
struct LastEntry {
    /// The number that the row has of it.
    number: i64,
    /// Its place in the audit, once it has one.
    seq: Option<u64>,
    /// Where the request stood then.
    status: Status,
}

/// What was found so far.
pub(in crate::ledger) struct CheckFindings {
    found: VerificationReport,
    verifier: LogVerifier,
    chain: AuditChain,
    last: HashMap<ApprovalId, LastEntry>,
    /// How many records were let go of.
    pruned: u64,
}

impl Default for CheckFindings {
    fn default() -> Self {
        Self {
            found: VerificationReport::default(),
            verifier: LogVerifier::new(AuditChain::default(), None),
            chain: AuditChain::default(),
            last: HashMap::new(),
            pruned: 0,
        }
    }
}

impl CheckFindings {
    /// All of it.
    pub(in crate::ledger) fn done(self) -> VerificationReport {
        self.found
    }

    /// How many requests were seen.
    pub(in crate::ledger) fn records(&self) -> u64 {
        self.found.records
    }

    /// Something is wrong: with this entry of the audit, with this record, or with all.
    pub(in crate::ledger) fn fault(
        &mut self, seq: Option<u64>, record: Option<String>, what: impl Into<Box<str>>,
    ) {
        if self.found.faults.len() < MOST {
            let record = record.map(Into::into);
            self.found.faults.push(LedgerDamage { seq, record, what: what.into() });
        }
    }

    /// The next entry of the audit.
    pub(in crate::ledger) fn chained(&mut self, entry: &AuditEntry) {
        self.verifier.see(entry);
        if self.verifier.broken().is_none() {
            self.chain = AuditChain { seq: entry.seq, at: entry.at, head: entry.hash };
        }
    }

    /// The columns of an entry beside its text, and what this says of its request, whose row knows the entry by `number`.
    /// `seq`: its place in the audit, once it has one.
    pub(in crate::ledger) fn entry(
        &mut self, seq: Option<u64>, number: i64, body: &str, kind: &str, about: Option<ApprovalId>,
    ) {
        let said = AuditedFields::in_text(body);
        let Some(said) = said.filter(|said| *said.kind == *kind && said.approval_id == about)
        else {
            self.fault(seq, None, "its columns do not say what its text does");
            return;
        };
        if let (Some(id), Some(status)) =
            (said.approval_id, said.status.as_deref().and_then(of_name))
        {
            self.last.insert(id, LastEntry { number, seq, status });
        }
        if *said.kind == *"pruned" {
            let records = said.more.get("records").and_then(serde_json::Value::as_u64);
            self.pruned = self.pruned.saturating_add(records.unwrap_or(0));
        }
    }

    /// The audit has no more entries: where it ends, if none of them is broken.
    pub(in crate::ledger) fn end_of_audit(&mut self) -> Option<AuditChain> {
        (self.found.entries, self.found.head) = (self.chain.seq, self.chain.head);
        let Some(broken) = self.verifier.broken() else { return Some(self.chain) };
        let damage =
            LedgerDamage { seq: Some(broken.seq), record: None, what: broken.to_string().into() };
        // What is wrong first comes first.
        self.found.faults.insert(0, damage);
        None
    }

    /// A request that is there: the record that it is, and what the entry says that is its last decision.
    pub(in crate::ledger) fn record(
        &mut self, row: &RequestRow, record: Result<Record, LedgerError>,
        said: Option<&AuditedFields>,
    ) {
        let fault = match record {
            Err(error) => Some(error.message),
            Ok(record) => self.disagrees(row, &record, said).map(str::to_owned),
        };
        self.seen(row.id, fault);
    }

    /// A request that is there and not what was written.
    pub(in crate::ledger) fn bad_record(&mut self, id: ApprovalId, error: LedgerError) {
        self.seen(id, Some(error.message));
    }

    fn seen(&mut self, id: ApprovalId, fault: Option<String>) {
        self.found.records += 1;
        self.last.remove(&id);
        if let Some(fault) = fault {
            self.fault(None, Some(id.to_string()), fault);
        }
    }

    /// In what a record is not as the audit says.
    fn disagrees(
        &self, row: &RequestRow, record: &Record, said: Option<&AuditedFields>,
    ) -> Option<&'static str> {
        let last = self.last.get(&row.id).map(|last| (last.number, last.status));
        if last != Some((row.changed_seq, record.status())) {
            return Some("it is not where the audit log says that it stands");
        }
        let request = record.request();
        if request.contents() == ContentState::Kept && request.call.digest() != request.digest {
            return Some("its digest is not that of its call");
        }
        let (Some(decided), Some(_)) = (record.decided(), row.decided_seq) else {
            let is_undecided = record.decided().is_none() && row.decided_seq.is_none();
            return (!is_undecided).then_some("its decision has no entry in the audit log");
        };
        let bound = record.approved().map_or(request.digest, |(_, digest)| digest).to_string();
        let agrees = said.is_some_and(|said| {
            said.approval_id == Some(row.id)
                && *said.kind == *"decided"
                && said.decision.as_deref() == Some(decided.decision.choice.name())
                && said.digest.as_deref() == Some(bound.as_str())
        });
        (!agrees).then_some("its decision is not the one in the audit log")
    }

    /// There are no more requests: those that the audit knows and that were not seen are missing.
    pub(in crate::ledger) fn end_of_records(&mut self) {
        let mut gone: Vec<(ApprovalId, LastEntry)> = self.last.drain().collect();
        gone.sort_unstable_by_key(|(_, last)| last.number);
        let (over, open): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|(_, last)| last.status.is_final());
        for (id, last) in open {
            self.fault(last.seq, Some(id.to_string()), "the request is missing");
        }
        let (over, pruned) = (over.len() as u64, self.pruned);
        if over != pruned {
            let what = format!("{over} requests are missing, and {pruned} were let go of");
            self.fault(None, None, what);
        }
    }

    /// What is wrong with a run.
    pub(in crate::ledger) fn bad_run(&mut self, run: &RunRow, what: impl Into<Box<str>>) {
        self.fault(None, Some(run_name(&run.run_id)), what);
    }

    /// A value that is there.
    pub(in crate::ledger) fn value(&mut self, kept: &KeptValue, sealer: &ContentSealer) {
        if kept.open(sealer).is_err() {
            let what = format!("{} is not what was written", value_name(&kept.key));
            self.fault(None, None, what);
        }
    }

    /// What the ledger says of itself, `agrees` with the audit or not.
    pub(in crate::ledger) fn about(&mut self, agrees: bool) {
        if !agrees {
            self.fault(None, None, "what the ledger says of itself is not what the audit log says");
        }
    }
}

fn of_name(name: &str) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.name() == name)
}
