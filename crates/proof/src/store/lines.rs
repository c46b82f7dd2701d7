//! A ledger that is a file of lines and a table in memory: the plainest thing to cut the power of. For one process.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_core::approval::Status;
use countersign_core::call::Digest;

use super::{
    AuditEntry, DecideAnswer, ProofError, ProofStore, RequestAnswer, RequestRow, RequestState,
    StoreSnapshot,
};

/// When a store answers: before or after its line is written and synced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncPolicy {
    /// After the line is synced.
    Synced,
    /// After it is written; every sixteenth is synced.
    Late,
    /// Before it is written; every eighth answer writes.
    Buffered,
}

/// The requests and the audit log in memory.
#[derive(Default)]
struct MemoryTable {
    rows: Vec<RequestRow>,
    by_key: HashMap<Arc<str>, usize>,
    by_id: HashMap<Arc<str>, usize>,
    audit: Vec<AuditEntry>,
}

/// The file and the table, behind one lock.
struct LineState {
    file: File,
    table: MemoryTable,
    unwritten: Vec<u8>,
    steps: u64,
}

/// The store: a file of lines and a table.
pub(super) struct LineStore {
    inner: Mutex<LineState>,
    sync_policy: SyncPolicy,
}

impl LineStore {
    pub(super) fn open(dir: &Path, sync_policy: SyncPolicy) -> Result<Self, ProofError> {
        let path = dir.join("store.lines");
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
        // A new name lasts once its folder is synced.
        File::open(dir)?.sync_all()?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut table = MemoryTable::default();
        let mut whole = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            // A torn line is the end: nothing after it was ever acknowledged.
            let Some((key, entry)) = read(line) else { break };
            table.apply(&key, entry);
            whole += line.len();
        }
        file.set_len(whole as u64)?;
        file.sync_all()?;
        file.seek(SeekFrom::End(0))?;
        let inner = LineState { file, table, unwritten: Vec::new(), steps: 0 };
        Ok(Self { inner: Mutex::new(inner), sync_policy })
    }

    fn inner(&self) -> MutexGuard<'_, LineState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, inner: &mut LineState, key: &str, entry: AuditEntry) -> Result<(), ProofError> {
        let body = format!(
            "{key}\t{}\t{}\t{}",
            entry.kind,
            entry.id,
            entry.by.as_deref().unwrap_or_default()
        );
        inner.unwritten.extend(format!("{body}\t{}\n", Digest::of_text(&body)).bytes());
        inner.table.apply(key, entry);
        inner.steps += 1;
        if self.sync_policy != SyncPolicy::Buffered || inner.steps.is_multiple_of(8) {
            let lines = std::mem::take(&mut inner.unwritten);
            inner.file.write_all(&lines)?;
        }
        // When lines wait to be written: a sync takes longest, so that is where most kills strike.
        if self.sync_policy == SyncPolicy::Synced || inner.steps % 16 == 4 {
            inner.file.sync_data()?;
        }
        Ok(())
    }
}

/// A line that is whole: its key and its entry.
fn read(line: &[u8]) -> Option<(String, AuditEntry)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (body, digest) = line.rsplit_once('\t')?;
    if Digest::of_text(body).to_string() != digest {
        return None;
    }
    let mut parts = body.split('\t');
    let key = parts.next()?.to_owned();
    let (kind, id, by) = (parts.next()?, parts.next()?, parts.next()?);
    let by = (!by.is_empty()).then(|| by.into());
    Some((key, AuditEntry { kind: kind.into(), id: id.into(), by }))
}

impl MemoryTable {
    fn state(&self, id: &str) -> Option<&RequestState> {
        self.rows.get(*self.by_id.get(id)?).map(|row| &row.state)
    }

    fn apply(&mut self, key: &str, entry: AuditEntry) {
        self.audit.push(entry.clone());
        if &*entry.kind == "requested" {
            let place = self.rows.len();
            self.by_key.insert(key.into(), place);
            self.by_id.insert(Arc::clone(&entry.id), place);
            let state = RequestState::new(Status::Pending, None);
            self.rows.push(RequestRow { id: entry.id, key: key.into(), state });
            return;
        }
        let Some(row) = self.by_id.get(&entry.id).and_then(|place| self.rows.get_mut(*place))
        else {
            return;
        };
        match &*entry.kind {
            // The key of a decision is the new status.
            "decided" => row.state = RequestState { status: key.into(), by: entry.by },
            "started" => row.state.status = Status::Started.name().into(),
            _ => row.state.status = Status::Succeeded.name().into(),
        }
    }
}

impl ProofStore for LineStore {
    fn request(&self, key: &str) -> Result<RequestAnswer, ProofError> {
        let mut inner = self.inner();
        let there = inner.table.by_key.get(key).and_then(|place| inner.table.rows.get(*place));
        if let Some(row) = there {
            return Ok(RequestAnswer { id: Arc::clone(&row.id), created: false });
        }
        let id: Arc<str> = uuid::Uuid::now_v7().to_string().into();
        let entry = AuditEntry { kind: "requested".into(), id: Arc::clone(&id), by: None };
        self.add(&mut inner, key, entry)?;
        Ok(RequestAnswer { id, created: true })
    }

    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<DecideAnswer, ProofError> {
        let mut inner = self.inner();
        let Some(state) = inner.table.state(id) else { return Ok(DecideAnswer::Unknown) };
        if let Some(by) = &state.by {
            return Ok(DecideAnswer::Already(Arc::clone(by)));
        }
        let status = if approve { Status::Approved } else { Status::Rejected };
        let entry = AuditEntry { kind: "decided".into(), id: id.into(), by: Some(by.into()) };
        self.add(&mut inner, status.name(), entry)?;
        Ok(DecideAnswer::Won)
    }

    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, ProofError> {
        let mut inner = self.inner();
        let Some(state) = inner.table.state(id) else { return Ok(Err(None)) };
        if &*state.status != Status::Approved.name() {
            return Ok(Err(Some(Arc::clone(&state.status))));
        }
        let entry = AuditEntry { kind: "started".into(), id: id.into(), by: None };
        self.add(&mut inner, "", entry)?;
        Ok(Ok(()))
    }

    fn finish(&self, id: &str) -> Result<bool, ProofError> {
        let mut inner = self.inner();
        if inner.table.state(id).is_none_or(|state| &*state.status != Status::Started.name()) {
            return Ok(false);
        }
        let entry = AuditEntry { kind: "settled".into(), id: id.into(), by: None };
        self.add(&mut inner, "", entry)?;
        Ok(true)
    }

    fn get(&self, id: &str) -> Result<Option<RequestState>, ProofError> {
        Ok(self.inner().table.state(id).cloned())
    }

    fn examine(&self) -> Result<StoreSnapshot, ProofError> {
        let inner = self.inner();
        Ok(StoreSnapshot {
            rows: inner.table.rows.clone(),
            audit: inner.table.audit.clone(),
            damage: Vec::new(),
        })
    }
}
