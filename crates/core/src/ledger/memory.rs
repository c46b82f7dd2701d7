//! A ledger in this process's memory, for as long as it lives.
//!
//! Built for many requests that wait: a record is one allocation beside its texts, and every change is O(log n).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use super::{
    Begun, End, Event, Feed, Ledger, LedgerError, LedgerErrorKind, Outcome, PART, Past, Requested,
    Versioned,
};
use crate::approval::{ApprovalId, Decided, DecisionResult, Record, Request, Status, Step, Vote};
use crate::call::Digest;

/// The place of a record in the order of arrival.
type Seq = u64;

/// [`Ledger`] in memory.
#[derive(Debug)]
pub struct MemoryLedger {
    feed: Arc<Feed>,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    feed: Arc<Feed>,
    records: BTreeMap<Seq, Record>,
    ids: HashMap<ApprovalId, Seq>,
    /// (tool call id, run, seq)
    calls: BTreeSet<(Arc<str>, Arc<str>, Seq)>,
    /// What is pending, approved or edited, that is what a run's end takes back: (run, seq).
    open: BTreeSet<(Arc<str>, Seq)>,
    /// What is pending.
    pending: BTreeSet<Seq>,
    /// When time does something next to what is pending.
    due: BTreeSet<(u64, Seq)>,
    /// What is no longer pending.
    past: BTreeSet<(ApprovalId, Seq)>,
    /// What nothing can happen to any more, in the order it ended.
    done: VecDeque<Seq>,
    keep_done: usize,
    next_seq: Seq,
    values: HashMap<Box<str>, Versioned>,
}

impl MemoryLedger {
    /// An empty ledger that keeps so many requests after nothing can happen to them any more, the latest ones.
    pub fn new(keep_done: usize) -> Self {
        let feed = Arc::new(Feed::default());
        let kept = Kept {
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
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn record(&self, seq: Seq) -> Result<&Record, LedgerError> {
        self.records.get(&seq).ok_or_else(|| missing(seq))
    }

    fn record_mut(&mut self, seq: Seq) -> Result<&mut Record, LedgerError> {
        self.records.get_mut(&seq).ok_or_else(|| missing(seq))
    }

    /// Applies a change that the state machine was asked for, and brings the indexes up to date.
    fn change(
        &mut self, seq: Seq,
        change: impl FnOnce(&mut Record) -> Result<(), crate::approval::Refusal>,
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
    fn decision(&mut self, seq: Seq, decided: Decided) -> Result<Record, LedgerError> {
        let record = self.change(seq, |record| record.decide(decided))?;
        if let Some(event) = Event::decided(&record) {
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
    fn open_of(&self, run: Option<&str>) -> Vec<Seq> {
        let mut open: Vec<Seq> = match run {
            None => self.open.iter().map(|(_, seq)| *seq).collect(),
            Some(run) => {
                let run: Arc<str> = run.into();
                self.open
                    .range((Arc::clone(&run), 0)..=(run, Seq::MAX))
                    .map(|(_, seq)| *seq)
                    .collect()
            }
        };
        open.sort_unstable();
        open
    }
}

fn missing(seq: Seq) -> LedgerError {
    LedgerErrorKind::Internal.because(format!("record {seq} is missing"))
}

impl Kept {
    fn request(&mut self, mut request: Request) -> Result<Requested, LedgerError> {
        if let Some(existing) =
            self.find(Some(&request.call.run_id), &request.call.tool_call_id)?.pop()
            && !request.may_replace(&existing)
        {
            return Ok(Requested::Duplicate(existing));
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
        self.feed.push(Event::Requested(Arc::clone(record.request())));
        Ok(Requested::Created(record))
    }

    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        self.ids.get(&id).map(|seq| self.record(*seq).cloned()).transpose()
    }

    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError> {
        let call: Arc<str> = tool_call_id.into();
        let first: (Arc<str>, Arc<str>, Seq) =
            (Arc::clone(&call), run.unwrap_or_default().into(), 0);
        let mut found: Vec<Seq> = self
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
                let mut found: Vec<Seq> =
                    self.open_of(Some(run)).into_iter().chain(of_parts).collect();
                found.sort_unstable();
                found.retain(|seq| self.pending.contains(seq));
                found.into_iter().map(|seq| self.record(seq).cloned()).collect()
            }
        }
    }

    fn history(&self, past: &Past) -> Result<Vec<Record>, LedgerError> {
        let before = past.before.map_or((ApprovalId::max(), Seq::MAX), |id| (id, 0));
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
        self.values.insert(key.into(), Versioned { text: text.into(), version });
        true
    }

    fn decide(
        &mut self, id: ApprovalId, decided: Decided, groups: &[Box<str>],
    ) -> Result<Outcome, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(Outcome::Unknown) };
        let record = self.record(seq)?;
        match record.decision_result(&decided, groups) {
            DecisionResult::AlreadyDecided => Ok(Outcome::Already(record.clone())),
            DecisionResult::DeadlinePassed(expiry) => {
                self.decision(seq, expiry).map(Outcome::Expired)
            }
            DecisionResult::NotAllowed => Ok(Outcome::NotAllowed(record.clone())),
            DecisionResult::NotEntitled => Ok(Outcome::refused(record.clone(), decided.at)),
            DecisionResult::AlreadyCounted => Ok(Outcome::Counted(record.clone())),
            DecisionResult::Counted(votes) => self.vote(seq, votes).map(Outcome::Counted),
            DecisionResult::Stands(votes) => {
                if let Some(votes) = votes {
                    self.record_mut(seq)?.count(votes);
                }
                self.decision(seq, decided).map(Outcome::Won)
            }
        }
    }

    fn vote(&mut self, seq: Seq, votes: Vec<Vote>) -> Result<Record, LedgerError> {
        let last = votes.last().cloned();
        let record = self.change(seq, |record| {
            record.count(votes);
            Ok(())
        })?;
        if let Some(vote) = last {
            self.feed.push(Event::Voted { record: record.clone(), vote });
        }
        Ok(record)
    }

    /// Does what time does next to a request that is due.
    fn do_next(&mut self, seq: Seq, now: u64) -> Result<Record, LedgerError> {
        let record = self.record(seq)?;
        let next = record.next_deed().filter(|_| !record.request().is_due(now));
        let Some((_, deed)) = next else { return self.decision(seq, Decided::expiry(now)) };
        let record = self.change(seq, |record| {
            record.tell();
            Ok(())
        })?;
        self.feed.push(Event::done(&record, deed, now));
        Ok(record)
    }

    fn revoke(&mut self, id: ApprovalId, decided: Decided) -> Result<Option<Record>, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(None) };
        if !self.record(seq)?.status().may_start() {
            return Ok(None);
        }
        self.decision(seq, decided).map(Some)
    }

    fn begin(&mut self, id: ApprovalId, digest: Digest, at: u64) -> Result<Begun, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(Begun::Unknown) };
        let record = self.record(seq)?;
        if !record.status().may_start() {
            return Ok(Begun::Refused(record.status()));
        }
        if record.approved().is_none_or(|(_, approved)| approved != digest) {
            return Ok(Begun::Mismatch);
        }
        let record = self.change(seq, |record| record.advance(Step::Start))?;
        self.feed.push(Event::Started { id, at });
        Ok(Begun::Won(record))
    }

    fn finish(
        &mut self, id: ApprovalId, step: Step, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        let Some(&seq) = self.ids.get(&id) else { return Ok(None) };
        let Some(end) = End::of(step) else { return Ok(None) };
        if self.record(seq)?.status() != Status::Started {
            return Ok(None);
        }
        let record = self.change(seq, |record| record.advance(step))?;
        self.feed.push(Event::Settled { id, end, at });
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
        &mut self, run: Option<&str>, decided: &Decided,
    ) -> Result<Vec<Record>, LedgerError> {
        self.open_of(run).into_iter().map(|seq| self.decision(seq, decided.clone())).collect()
    }
}

impl Ledger for MemoryLedger {
    fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    fn request(&self, request: Request) -> Result<Requested, LedgerError> {
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
        &self, id: ApprovalId, decided: Decided, groups: &[Box<str>],
    ) -> Result<Outcome, LedgerError> {
        self.kept().decide(id, decided, groups)
    }

    fn revoke(&self, id: ApprovalId, decided: Decided) -> Result<Option<Record>, LedgerError> {
        self.kept().revoke(id, decided)
    }

    fn begin(&self, id: ApprovalId, digest: Digest, at: u64) -> Result<Begun, LedgerError> {
        self.kept().begin(id, digest, at)
    }

    /// What it gave is not kept: nothing of this ledger is there to be resumed.
    fn finish(
        &self, id: ApprovalId, end: Step, _result: Option<Box<RawValue>>, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        self.kept().finish(id, end, at)
    }

    fn expire_due(&self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError> {
        self.kept().expire_due(now, limit)
    }

    fn next_deadline(&self) -> Result<Option<u64>, LedgerError> {
        Ok(self.kept().due.first().map(|(due, _)| *due))
    }

    fn cancel_run(&self, run: Option<&str>, decided: &Decided) -> Result<Vec<Record>, LedgerError> {
        self.kept().cancel_run(run, decided)
    }

    fn history(&self, past: &Past) -> Result<Vec<Record>, LedgerError> {
        self.kept().history(past)
    }

    fn value(&self, key: &str) -> Result<Option<Versioned>, LedgerError> {
        Ok(self.kept().values.get(key).cloned())
    }

    fn set_value(&self, key: &str, expected: Option<u64>, text: &str) -> Result<bool, LedgerError> {
        Ok(self.kept().set_value(key, expected, text))
    }
}
