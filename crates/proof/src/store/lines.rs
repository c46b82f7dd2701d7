//! A ledger that is a file of lines and a table in memory: the plainest thing to cut the power of. For one process.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_core::approval::Status;
use countersign_core::call::Digest;

use super::{Answer, Asked, Entry, Examination, Failure, Row, Seen, Store};

/// When an answer is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// After the line is synced.
    Synced,
    /// After it is written; every sixteenth is synced.
    Late,
    /// Before it is written; every eighth answer writes.
    Buffered,
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    by_key: HashMap<Arc<str>, usize>,
    by_id: HashMap<Arc<str>, usize>,
    audit: Vec<Entry>,
}

struct Inner {
    file: File,
    table: Table,
    unwritten: Vec<u8>,
    steps: u64,
}

pub(super) struct Lines {
    inner: Mutex<Inner>,
    care: Care,
}

impl Lines {
    pub(super) fn open(dir: &Path, care: Care) -> Result<Self, Failure> {
        let path = dir.join("store.lines");
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
        // A new name lasts once its folder is synced.
        File::open(dir)?.sync_all()?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut table = Table::default();
        let mut whole = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            // What is torn is the end: nothing after it was ever acknowledged.
            let Some((key, entry)) = read(line) else { break };
            table.apply(&key, entry);
            whole += line.len();
        }
        file.set_len(whole as u64)?;
        file.sync_all()?;
        file.seek(SeekFrom::End(0))?;
        let inner = Inner { file, table, unwritten: Vec::new(), steps: 0 };
        Ok(Self { inner: Mutex::new(inner), care })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, inner: &mut Inner, key: &str, entry: Entry) -> Result<(), Failure> {
        let body = format!(
            "{key}\t{}\t{}\t{}",
            entry.kind,
            entry.id,
            entry.by.as_deref().unwrap_or_default()
        );
        inner.unwritten.extend(format!("{body}\t{}\n", Digest::of_text(&body)).bytes());
        inner.table.apply(key, entry);
        inner.steps += 1;
        if self.care != Care::Buffered || inner.steps.is_multiple_of(8) {
            let lines = std::mem::take(&mut inner.unwritten);
            inner.file.write_all(&lines)?;
        }
        // When lines wait to be written: a sync takes longest, so that is where most kills strike.
        if self.care == Care::Synced || inner.steps % 16 == 4 {
            inner.file.sync_data()?;
        }
        Ok(())
    }
}

/// A line that is whole: its key and its entry.
fn read(line: &[u8]) -> Option<(String, Entry)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (body, digest) = line.rsplit_once('\t')?;
    if Digest::of_text(body).to_string() != digest {
        return None;
    }
    let mut parts = body.split('\t');
    let key = parts.next()?.to_owned();
    let (kind, id, by) = (parts.next()?, parts.next()?, parts.next()?);
    let by = (!by.is_empty()).then(|| by.into());
    Some((key, Entry { kind: kind.into(), id: id.into(), by }))
}

impl Table {
    fn seen(&self, id: &str) -> Option<&Seen> {
        self.rows.get(*self.by_id.get(id)?).map(|row| &row.seen)
    }

    fn apply(&mut self, key: &str, entry: Entry) {
        self.audit.push(entry.clone());
        if &*entry.kind == "requested" {
            let place = self.rows.len();
            self.by_key.insert(key.into(), place);
            self.by_id.insert(Arc::clone(&entry.id), place);
            let seen = Seen::new(Status::Pending, None);
            self.rows.push(Row { id: entry.id, key: key.into(), seen });
            return;
        }
        let Some(row) = self.by_id.get(&entry.id).and_then(|place| self.rows.get_mut(*place))
        else {
            return;
        };
        match &*entry.kind {
            // The key of a decision says what it was.
            "decided" => row.seen = Seen { status: key.into(), by: entry.by },
            "started" => row.seen.status = Status::Started.name().into(),
            _ => row.seen.status = Status::Succeeded.name().into(),
        }
    }
}

impl Store for Lines {
    fn request(&self, key: &str) -> Result<Asked, Failure> {
        let mut inner = self.inner();
        let there = inner.table.by_key.get(key).and_then(|place| inner.table.rows.get(*place));
        if let Some(row) = there {
            return Ok(Asked { id: Arc::clone(&row.id), created: false });
        }
        let id: Arc<str> = uuid::Uuid::now_v7().to_string().into();
        let entry = Entry { kind: "requested".into(), id: Arc::clone(&id), by: None };
        self.add(&mut inner, key, entry)?;
        Ok(Asked { id, created: true })
    }

    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<Answer, Failure> {
        let mut inner = self.inner();
        let Some(seen) = inner.table.seen(id) else { return Ok(Answer::Unknown) };
        if let Some(by) = &seen.by {
            return Ok(Answer::Already(Arc::clone(by)));
        }
        let status = if approve { Status::Approved } else { Status::Rejected };
        let entry = Entry { kind: "decided".into(), id: id.into(), by: Some(by.into()) };
        self.add(&mut inner, status.name(), entry)?;
        Ok(Answer::Won)
    }

    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, Failure> {
        let mut inner = self.inner();
        let Some(seen) = inner.table.seen(id) else { return Ok(Err(None)) };
        if &*seen.status != Status::Approved.name() {
            return Ok(Err(Some(Arc::clone(&seen.status))));
        }
        let entry = Entry { kind: "started".into(), id: id.into(), by: None };
        self.add(&mut inner, "", entry)?;
        Ok(Ok(()))
    }

    fn finish(&self, id: &str) -> Result<bool, Failure> {
        let mut inner = self.inner();
        if inner.table.seen(id).is_none_or(|seen| &*seen.status != Status::Started.name()) {
            return Ok(false);
        }
        let entry = Entry { kind: "settled".into(), id: id.into(), by: None };
        self.add(&mut inner, "", entry)?;
        Ok(true)
    }

    fn get(&self, id: &str) -> Result<Option<Seen>, Failure> {
        Ok(self.inner().table.seen(id).cloned())
    }

    fn examine(&self) -> Result<Examination, Failure> {
        let inner = self.inner();
        Ok(Examination {
            rows: inner.table.rows.clone(),
            audit: inner.table.audit.clone(),
            damage: Vec::new(),
        })
    }
}
