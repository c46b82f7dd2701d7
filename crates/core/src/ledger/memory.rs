//! A ledger in this process's memory, for as long as it lives.
//!
//! Built for many requests that wait: a record is one allocation beside its texts, and every change is O(log n).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use super::{
    DecideOutcome, EventFeed, ExecutionEnd, HistoryQuery, Ledger, LedgerError, LedgerErrorKind,
    LedgerEvent, PART, RedeemOutcome, RequestOutcome, VersionedText,
};
use crate::approval::{
    ApprovalId, DecisionResult, ExecutionStep, Record, RecordedDecision, Request, Status, Vote,
};
use crate::call::Digest;

/// The place of a record in the order of arrival.
type ArrivalIndex = u64;

/// [`Ledger`] in memory.
#[derive(Debug)]
pub struct MemoryLedger {
    feed: Arc<EventFeed>,
    kept: Mutex<MemoryRecord>,
}

#[derive(Debug)]
struct MemoryRecord {
    feed: Arc<EventFeed>,
    records: BTreeMap<ArrivalIndex, Record>,
    ids: HashMap<ApprovalId, ArrivalIndex>,
    /// (tool call id, run, seq)
    calls: BTreeSet<(Arc<str>, Arc<str>, ArrivalIndex)>,
    /// What is pending, approved or edited, that is what a run's end takes back: (run, seq).
    open: BTreeSet<(Arc<str>, ArrivalIndex)>,
    /// What is pending.
    pending: BTreeSet<ArrivalIndex>,
    /// When time does something next to what is pending.
    due: BTreeSet<(u64, ArrivalIndex)>,
    /// What is no longer pending.
    past: BTreeSet<(ApprovalId, ArrivalIndex)>,
    /// What nothing can happen to any more, in the order it ended.
    done: VecDeque<ArrivalIndex>,
    keep_done: usize,
    next_seq: ArrivalIndex,
    values: HashMap<Box<str>, VersionedText>,
}

impl MemoryLedger {
    /// An empty ledger. It keeps the latest `keep_done` requests to which nothing can happen any more.
    pub fn new(keep_done: usize) -> Self {
        let feed = Arc::new(EventFeed::default());
        let kept = MemoryRecord {
            feed: Arc::clone(&feed),
            records: BTreeMap::new(),
            ids: HashMap::new(),
            calls: BTreeSet::new(),
            open: BTreeSet::new(),
            pending: BTreeSet::new(),
            due: BTreeSet::new(),
            past: BTreeSet::new(),
            done: VecDeque::new(),
            keep_done,
            next_seq: 0,
            values: HashMap::new(),
        };
        Self { feed, kept: Mutex::new(kept) }
    }

    /// A panic under the lock cannot leave a half change behind that matters: an index that misses an entry delays a waiter,
    /// it does not run a tool.
    fn kept(&self) -> MutexGuard<'_, MemoryRecord> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryRecord {
    fn record(&self, seq: ArrivalIndex) -> Result<&Record, LedgerError> {
        self.records.get(&seq).ok_or_else(|| missing(seq))
    }

    fn record_mut(&mut self, seq: ArrivalIndex) -> Result<&mut Record, LedgerError> {
        self.records.get_mut(&seq).ok_or_else(|| missing(seq))
    }

    /// Applies a change that the state machine was asked for, and brings the indexes up to date.
    fn change(
        &mut self, seq: ArrivalIndex,
        change: impl FnOnce(&mut Record) -> Result<(), crate::approval::StatusRefusal>,
    ) -> Result<Record, LedgerError> {
        let record = self.record_mut(seq)?;
        let due = record.due_at();
        change(record).map_err(|refusal| LedgerErrorKind::Internal.because(refusal.to_string()))?;
        let record = record.clone();
        if let Some(due) = due {
            self.due.remove(&(due, seq));
        }
        if let Some(due) = record.due_at() {
            self.due.insert((due, seq));
        }
        let waits = record.status() == Status::Pending;
        if !waits {
            self.pending.remove(&seq);
            self.past.insert((record.request().id, seq));
        }
        if !waits && !record.status().may_start() {
            self.open.remove(&(Arc::clone(&record.request().call.run_id), seq));
        }
        if record.status().is_final() {
            self.done.push_back(seq);
            self.forget();
        }
        Ok(record)
    }

    /// A change that is a decision.
    fn decision(
        &mut self, seq: ArrivalIndex, decided: RecordedDecision,
    ) -> Result<Record, LedgerError> {
        let record = self.change(seq, |record| record.decide(decided))?;
        if let Some(event) = LedgerEvent::decided(&record) {
            self.feed.push(event);
        }
        Ok(record)
    }

    fn forget(&mut self) {
        while self.done.len() > self.keep_done {
            let Some(seq) = self.done.pop_front() else { return };
            let Some(record) = self.records.remove(&seq) else { continue };
            let request = record.request();
            self.ids.remove(&request.id);
            self.past.remove(&(request.id, seq));
            self.calls.remove(&(
                Arc::clone(&request.call.tool_call_id),
                Arc::clone(&request.call.run_id),
                seq,
            ));
        }
    }

    /// What a run can still lose, oldest first.
    fn open_of(&self, run: Option<&str>) -> Vec<ArrivalIndex> {
        let mut open: Vec<ArrivalIndex> = match run {
            None => self.open.iter().map(|(_, seq)| *seq).collect(),
            Some(run) => {
                let run: Arc<str> = run.into();
                self.open
                    .range((Arc::clone(&run), 0)..=(run, ArrivalIndex::MAX))
                    .map(|(_, seq)| *seq)
                    .collect()
            }
        };
        open.sort_unstable();
        open
    }
}

fn missing(seq: ArrivalIndex) -> LedgerError {
    LedgerErrorKind::Internal.because(format!("record {seq} is missing"))
}

impl MemoryRecord {
    fn request(&mut self, mut request: Request) -> Result<RequestOutcome, LedgerError> {
        if let Some(existing) =
            self.find(Some(&request.call.run_id), &request.call.tool_call_id)?.pop()
            && !request.may_replace(&existing)
        {
            return Ok(RequestOutcome::Duplicate(existing));
        }
        let seq = self.next_seq;
        // The calls of a run share the text of its name, and mostly their origin.
        let key = (Arc::clone(&request.call.run_id), 0);
        if let Some((run, first)) =
            self.open.range(key..).next().filter(|(run, _)| *run == request.call.run_id)
        {
            request.call.run_id = Arc::clone(run);
            let first = self.records.get(first).map(|record| &record.request().origin);
            if let Some(origin) = first.filter(|origin| **origin == request.origin) {
                request.origin = Arc::clone(origin);
            }
        }
        let run = Arc::clone(&request.call.run_id);
        self.ids.insert(request.id, seq);
        self.calls.insert((Arc::clone(&request.call.tool_call_id), Arc::clone(&run), seq));
        self.open.insert((run, seq));
        self.pending.insert(seq);
        let record = Record::new(Arc::new(request));
        if let Some(due) = record.due_at() {
            self.due.insert((due, seq));
        }
        self.records.insert(seq, record.clone());
        self.next_seq += 1;
        self.feed.push(LedgerEvent::Requested(Arc::clone(record.request())));
        Ok(RequestOutcome::Created(record))
    }

    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        self.ids.get(&id).map(|seq| self.record(*seq).cloned()).transpose()
    }

    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError> {
        let call: Arc<str> = tool_call_id.into();
        let first: (Arc<str>, Arc<str>, ArrivalIndex) =
            (Arc::clone(&call), run.unwrap_or_default().into(), 0);
        let mut found: Vec<ArrivalIndex> = self
            .calls
            .range(first..)
            .take_while(|(id, of, _)| *id == call && run.is_none_or(|run| **of == *run))
            .map(|(_, _, seq)| *seq)
            .collect();
        found.sort_unstable();
        found.into_iter().map(|seq| self.record(seq).cloned()).collect()
    }

    fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, LedgerError> {
        match run {
            None => self.pending.iter().map(|seq| self.record(*seq).cloned()).collect(),
            Some(run) => {
                let parts: Arc<str> = [run, PART].concat().into();
                let of_parts = self
                    .open
                    .range((Arc::clone(&parts), 0)..)
                    .take_while(|(of, _)| of.starts_with(&*parts))
                    .map(|(_, seq)| *seq);
                let mut found: Vec<ArrivalIndex> =
                    self.open_of(Some(run)).into_iter().chain(of_parts).collect();
                found.sort_unstable();
                found.retain(|seq| self.pending.contains(seq));
                found.into_iter().map(|seq| self.record(seq).cloned()).collect()
            }
        }
    }

    fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, LedgerError> {
        let before = past.before.map_or((ApprovalId::max(), ArrivalIndex::MAX), |id| (id, 0));
        let mut found = Vec::new();
        for (_, seq) in self.past.range(..before).rev() {
            if found.len() >= past.limit {
                break;
            }
            found.extend(Some(self.record(*seq)?).filter(|record| past.includes(record)).cloned());
        }
        Ok(found)
    }

    fn set_value(&mut self, key: &str, expected: Option<u64>, text: &str) -> bool {
        let version = self.values.get(key).map(|kept| kept.version);
        if version != expected {
            return false;
        }
        let version = version.unwrap_or(0).saturating_add(1);
        self.values.insert(key.into(), VersionedText { text: text.into(), version });
        true
    }

    fn decide(
        &mut self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(DecideOutcome::Unknown) };
        let record = self.record(seq)?;
        match record.decision_result(&decided, groups) {
            DecisionResult::AlreadyDecided => Ok(DecideOutcome::Already(record.clone())),
            DecisionResult::DeadlinePassed(expiry) => {
                self.decision(seq, expiry).map(DecideOutcome::Expired)
            }
            DecisionResult::NotAllowed => Ok(DecideOutcome::NotAllowed(record.clone())),
            DecisionResult::NotEntitled => Ok(DecideOutcome::refused(record.clone(), decided.at)),
            DecisionResult::AlreadyCounted => Ok(DecideOutcome::Counted(record.clone())),
            DecisionResult::Counted(votes) => self.vote(seq, votes).map(DecideOutcome::Counted),
            DecisionResult::Stands(votes) => {
                if let Some(votes) = votes {
                    self.record_mut(seq)?.count(votes);
                }
                self.decision(seq, decided).map(DecideOutcome::Won)
            }
        }
    }

    fn vote(&mut self, seq: ArrivalIndex, votes: Vec<Vote>) -> Result<Record, LedgerError> {
        let last = votes.last().cloned();
        let record = self.change(seq, |record| {
            record.count(votes);
            Ok(())
        })?;
        if let Some(vote) = last {
            self.feed.push(LedgerEvent::Voted { record: record.clone(), vote });
        }
        Ok(record)
    }

    /// Does what time does next to a request that is due.
    fn do_next(&mut self, seq: ArrivalIndex, now: u64) -> Result<Record, LedgerError> {
        let record = self.record(seq)?;
        let next = record.next_deed().filter(|_| !record.request().is_due(now));
        let Some((_, deed)) = next else {
            return self.decision(seq, RecordedDecision::expiry(now));
        };
        let record = self.change(seq, |record| {
            record.tell();
            Ok(())
        })?;
        self.feed.push(LedgerEvent::done(&record, deed, now));
        Ok(record)
    }

    fn revoke(
        &mut self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<Option<Record>, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(None) };
        if !self.record(seq)?.status().may_start() {
            return Ok(None);
        }
        self.decision(seq, decided).map(Some)
    }

    fn begin(
        &mut self, id: ApprovalId, digest: Digest, at: u64,
    ) -> Result<RedeemOutcome, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(RedeemOutcome::Unknown) };
        let record = self.record(seq)?;
        if !record.status().may_start() {
            return Ok(RedeemOutcome::Refused(record.status()));
        }
        if record.approved().is_none_or(|(_, approved)| approved != digest) {
            return Ok(RedeemOutcome::Mismatch);
        }
        let record = self.change(seq, |record| record.advance(ExecutionStep::Start))?;
        self.feed.push(LedgerEvent::Started { id, at });
        Ok(RedeemOutcome::Won(record))
    }

    fn finish(
        &mut self, id: ApprovalId, step: ExecutionStep, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(None) };
        let Some(end) = ExecutionEnd::of(step) else { return Ok(None) };
        if self.record(seq)?.status() != Status::Started {
            return Ok(None);
        }
        let record = self.change(seq, |record| record.advance(step))?;
        self.feed.push(LedgerEvent::Settled { id, end, at });
        Ok(Some(record))
    }

    fn expire_due(&mut self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError> {
        let mut done = Vec::new();
        while done.len() < limit
            && let Some((_, seq)) = self.due.first().copied().filter(|(due, _)| *due <= now)
        {
            done.push(self.do_next(seq, now)?);
        }
        Ok(done)
    }

    fn cancel_run(
        &mut self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, LedgerError> {
        self.open_of(run).into_iter().map(|seq| self.decision(seq, decided.clone())).collect()
    }
}

impl Ledger for MemoryLedger {
    fn feed(&self) -> &Arc<EventFeed> {
        &self.feed
    }

    fn request(&self, request: Request) -> Result<RequestOutcome, LedgerError> {
        self.kept().request(request)
    }

    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        self.kept().get(id)
    }

    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError> {
        self.kept().find(run, tool_call_id)
    }

    fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, LedgerError> {
        self.kept().pending(run)
    }

    fn decide_as(
        &self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, LedgerError> {
        self.kept().decide(id, decided, groups)
    }

    fn revoke(
        &self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<Option<Record>, LedgerError> {
        self.kept().revoke(id, decided)
    }

    fn begin(&self, id: ApprovalId, digest: Digest, at: u64) -> Result<RedeemOutcome, LedgerError> {
        self.kept().begin(id, digest, at)
    }

    /// What it gave is not kept: nothing of this ledger is there to be resumed.
    fn finish(
        &self, id: ApprovalId, end: ExecutionStep, _result: Option<Box<RawValue>>, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        self.kept().finish(id, end, at)
    }

    fn expire_due(&self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError> {
        self.kept().expire_due(now, limit)
    }

    fn next_deadline(&self) -> Result<Option<u64>, LedgerError> {
        Ok(self.kept().due.first().map(|(due, _)| *due))
    }

    fn cancel_run(
        &self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, LedgerError> {
        self.kept().cancel_run(run, decided)
    }

    fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, LedgerError> {
        self.kept().history(past)
    }

    fn value(&self, key: &str) -> Result<Option<VersionedText>, LedgerError> {
        Ok(self.kept().values.get(key).cloned())
    }

    fn set_value(&self, key: &str, expected: Option<u64>, text: &str) -> Result<bool, LedgerError> {
        Ok(self.kept().set_value(key, expected, text))
    }
}
