//! [`Ledger`] over the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::value::RawValue;

use super::executions;
use super::follower::FileFollower;
use super::opening;
use super::requests::look;
use super::schema::MIGRATIONS;
use super::step::{StepContext, WriteStep};
use super::values;
use super::{SqliteEngine, SqliteFault};
use crate::approval::{ApprovalId, ExecutionStep as Advance, Record, RecordedDecision, Request};
use crate::call::Digest;
use crate::ledger::row::{ContentSealer, internal, key_of};
use crate::ledger::{
    DecideOutcome, DurableLedger, EventFeed, HistoryQuery, Ledger, LedgerError, LedgerErrorKind,
    OpenOptions, RedeemOutcome, RequestOutcome, VersionedText, WatchScope,
};

/// [`Ledger`] in a file of SQLite that several processes may share.
#[derive(Debug)]
pub struct SqliteLedger {
    // Dropped in this order.
    follower: FileFollower,
    pub(super) engine: SqliteEngine,
    pub(super) pen: Arc<StepContext>,
    feed: Arc<EventFeed>,
    _temporary: Option<TemporaryFolder>,
}

impl SqliteLedger {
    /// Opens a file, and makes it where it is missing; `None`: a temporary one, which goes when this is dropped.
    ///
    /// # Errors
    /// As [`SqliteEngine::open`]; `Key`: the key for its contents is missing, wrong, or not needed; `Corrupt`.
    pub fn open(path: Option<&Path>, options: OpenOptions) -> Result<Self, LedgerError> {
        let temporary = if path.is_none() { Some(TemporaryFolder::new()?) } else { None };
        let file = match (path, &temporary) {
            (Some(path), _) => path.to_owned(),
            (None, Some(temporary)) => temporary.0.join(FILE),
            (None, None) => return Err(internal("no place for a ledger")),
        };
        let mut how = super::OpenOptions::new(file);
        how.read_only = options.read_only;
        let engine = SqliteEngine::open(how, MIGRATIONS)?;
        let pen = Arc::new(StepContext::new(ContentSealer::new(options.key), engine.owner()));
        let feed = options.feed;
        let follower = FileFollower::new(engine.clone(), Arc::clone(&pen), Arc::clone(&feed));
        let ledger = Self { follower, engine, pen, feed, _temporary: temporary };
        let key = key_of(&ledger.pen.sealer);
        let state = ledger.look(|connection, _| opening::state(connection))?;
        if opening::is_news(state.as_ref(), &key, ledger.engine.is_writable())? {
            ledger.step(options.now, move |step| step.note_opening(&key))?;
        }
        if ledger.engine.is_writable() {
            ledger.interrupt_lost(None, options.now)?;
        }
        Ok(ledger)
    }

    /// One step that changes something, at this moment.
    pub(super) fn step<R: Send + 'static>(
        &self, now: u64,
        step: impl FnOnce(&mut WriteStep<'_>) -> Result<R, SqliteFault> + Send + 'static,
    ) -> Result<R, LedgerError> {
        let pen = Arc::clone(&self.pen);
        self.engine.write(move |connection| step(&mut WriteStep::begin(connection, &pen, now)?))
    }

    /// A step that changes requests. What happened is in the feed when this comes back, without a wake-up.
    fn change<R: Send + 'static>(
        &self, now: u64,
        step: impl FnOnce(&mut WriteStep<'_>) -> Result<R, SqliteFault> + Send + 'static,
    ) -> Result<R, LedgerError> {
        let own = self.follower.own();
        let (done, change) = self.step(now, move |begun| {
            let change = own.changes();
            Ok((step(begun)?, change))
        })?;
        change.read_on();
        Ok(done)
    }

    /// One look.
    pub(super) fn look<R>(
        &self, look: impl FnOnce(&Connection, &ContentSealer) -> Result<R, SqliteFault>,
    ) -> Result<R, LedgerError> {
        self.engine.read(|connection| look(connection, &self.pen.sealer))
    }

    pub(super) fn interrupt_lost(
        &self, run: Option<&str>, now: u64,
    ) -> Result<Vec<Record>, LedgerError> {
        let started =
            self.look(|connection, sealer| executions::started(connection, sealer, run))?;
        let lost = executions::lost(&self.engine, started);
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        self.step(now, move |step| step.interrupt(&lost))
    }
}

impl Ledger for SqliteLedger {
    fn feed(&self) -> &Arc<EventFeed> {
        &self.feed
    }

    fn request(&self, request: Request) -> Result<RequestOutcome, LedgerError> {
        let id = request.id;
        self.follower.follow(id)?;
        let requested = self.change(request.created_at, move |step| step.request(request));
        if !matches!(requested, Ok(RequestOutcome::Created(_))) {
            self.follower.forget(id);
        }
        requested
    }

    fn request_all(&self, requests: Vec<Request>) -> Result<Vec<RequestOutcome>, LedgerError> {
        let ids: Vec<ApprovalId> = requests.iter().map(|request| request.id).collect();
        for id in &ids {
            self.follower.follow(*id)?;
        }
        let now = requests.iter().map(|request| request.created_at).max().unwrap_or_default();
        let requested = self.change(now, move |step| {
            requests.into_iter().map(|request| step.request(request)).collect::<Result<Vec<_>, _>>()
        });
        let made = requested.as_deref().unwrap_or_default();
        let made: Vec<ApprovalId> = made
            .iter()
            .filter_map(|requested| match requested {
                RequestOutcome::Created(record) => Some(record.request().id),
                RequestOutcome::Duplicate(_) => None,
            })
            .collect();
        for id in ids.iter().filter(|id| !made.contains(id)) {
            self.follower.forget(*id);
        }
        requested
    }

    fn get(&self, id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        self.look(|connection, sealer| look::get(connection, sealer, id))
    }

    fn find(&self, run: Option<&str>, tool_call_id: &str) -> Result<Vec<Record>, LedgerError> {
        self.look(|connection, sealer| look::find(connection, sealer, run, tool_call_id))
    }

    fn pending(&self, run: Option<&str>) -> Result<Vec<Record>, LedgerError> {
        self.look(|connection, sealer| look::pending(connection, sealer, run))
    }

    fn decide_as(
        &self, id: ApprovalId, decided: RecordedDecision, groups: &[Box<str>],
    ) -> Result<DecideOutcome, LedgerError> {
        let groups = groups.to_vec();
        self.change(decided.at, move |step| step.decide_one(id, decided, &groups))
    }

    fn revoke(
        &self, id: ApprovalId, decided: RecordedDecision,
    ) -> Result<Option<Record>, LedgerError> {
        self.change(decided.at, move |step| step.revoke(id, decided))
    }

    fn begin(&self, id: ApprovalId, digest: Digest, at: u64) -> Result<RedeemOutcome, LedgerError> {
        self.change(at, move |step| step.begin_one(id, digest))
    }

    fn finish(
        &self, id: ApprovalId, end: Advance, result: Option<Box<RawValue>>, at: u64,
    ) -> Result<Option<Record>, LedgerError> {
        self.change(at, move |step| step.finish(id, end, result))
    }

    fn expire_due(&self, now: u64, limit: usize) -> Result<Vec<Record>, LedgerError> {
        // Mostly there is nothing to do, which needs no gate.
        if !self.look(|connection, _| look::is_any_due(connection, now))? {
            return Ok(Vec::new());
        }
        self.step(now, move |step| step.expire_due(limit))
    }

    fn next_deadline(&self) -> Result<Option<u64>, LedgerError> {
        self.look(|connection, _| look::next_deadline(connection))
    }

    fn cancel_run(
        &self, run: Option<&str>, decided: &RecordedDecision,
    ) -> Result<Vec<Record>, LedgerError> {
        let (run, decided) = (run.map(str::to_owned), decided.clone());
        self.change(decided.at, move |step| step.cancel_run(run.as_deref(), &decided))
    }

    fn history(&self, past: &HistoryQuery) -> Result<Vec<Record>, LedgerError> {
        self.look(|connection, sealer| look::history(connection, sealer, past))
    }

    fn value(&self, key: &str) -> Result<Option<VersionedText>, LedgerError> {
        self.look(|connection, sealer| values::get(connection, sealer, key))
    }

    fn set_value(&self, key: &str, expected: Option<u64>, text: &str) -> Result<bool, LedgerError> {
        let (pen, key, text) = (Arc::clone(&self.pen), key.to_owned(), text.to_owned());
        self.engine
            .write(move |connection| values::set(connection, &pen.sealer, &key, expected, &text))
    }

    fn watch(&self, what: WatchScope) {
        if let Err(error) = self.follower.watch(what) {
            tracing::error!(target: "countersign", code = error.kind.code(), %error, "cannot follow the ledger");
        }
    }

    fn archive(&self) -> Option<&dyn DurableLedger> {
        Some(self)
    }
}

/// A directory of its own for a ledger that is not to stay.
#[derive(Debug)]
struct TemporaryFolder(PathBuf);

/// How the directory of a temporary ledger is called, before its id, and the file in it.
const TEMPORARY: &str = "countersign-temporary-";
const FILE: &str = "ledger.db";

/// After how long without a change the directory of a temporary ledger is removed, if no process has it open.
const ABANDONED: Duration = Duration::from_secs(600);

impl TemporaryFolder {
    fn new() -> Result<Self, LedgerError> {
        Self::sweep(&std::env::temp_dir());
        let name = format!("{TEMPORARY}{}", uuid::Uuid::now_v7());
        let directory = std::env::temp_dir().join(name);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        // Fails if it is there: it is ours alone.
        builder.create(&directory).map_err(|error| {
            LedgerErrorKind::Io.because(format!(
                "cannot make a directory for a temporary ledger in {}: {error}; set TMPDIR to one that can be written to",
                std::env::temp_dir().display()
            ))
        })?;
        Ok(Self(directory))
    }

    /// Removes what processes that did not live to do it left behind. What is another user's cannot be removed, and stays.
    fn sweep(folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY));
            let is_ours = id.is_some_and(|id| uuid::Uuid::try_parse(id).is_ok());
            // A young one may be just being made, and have no owner yet.
            let is_old = || {
                let changed = entry.metadata().and_then(|about| about.modified()).ok();
                changed.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > ABANDONED)
            };
            if is_ours && is_old() && super::owners::none_lives(&entry.path().join(FILE)) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_a_temporary_ledger_left_behind_is_removed_and_nothing_else() {
        let folder =
            std::env::temp_dir().join(format!("countersign-sweep-{}", uuid::Uuid::now_v7()));
        let old = SystemTime::now() - 2 * ABANDONED;
        let make = |name: &str, owner: bool, old: Option<SystemTime>| {
            let directory = folder.join(name);
            fs::create_dir_all(directory.join("ledger.db-owners")).unwrap();
            let file = directory.join("ledger.db-owners").join(uuid::Uuid::now_v7().to_string());
            let file = fs::File::create(file).unwrap();
            if owner {
                file.lock().unwrap();
            }
            if let Some(old) = old {
                fs::File::open(&directory).unwrap().set_modified(old).unwrap();
            }
            (directory, file)
        };
        let name = || format!("{TEMPORARY}{}", uuid::Uuid::now_v7());
        let (left, _) = make(&name(), false, Some(old));
        let kept = [
            make(&name(), true, Some(old)),
            make(&name(), false, None),
            make("countersign-temporary-of-somebody", false, Some(old)),
        ];
        TemporaryFolder::sweep(&folder);
        assert!(!left.exists());
        for (directory, _) in &kept {
            assert!(directory.exists(), "{}", directory.display());
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
