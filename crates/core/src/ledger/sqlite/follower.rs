//! Reads on in the audit, whose order is that of the changes of all processes, and tells the feed.
//!
//! Who changes a request here reads on right after the change, and takes what is told with the answer. The thread reads on for
//! the changes of other processes: only those wake waiting callers.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use tracing::{error, warn};

use super::row;
use super::step::StepContext;
use super::{SqliteEngine, SqliteFault};
use crate::approval::ApprovalId;
use crate::ledger::row::{RequestEntry, RequestRow, time, whole};
use crate::ledger::{EventFeed, LedgerError, LedgerErrorKind, LedgerEvent, WatchScope};

/// How many entries are read at once.
const BATCH: usize = 256;
/// How often to look whether the ledger is still there. Closing wakes us.
const LOOK: Duration = Duration::from_millis(500);
/// How often in a row it could not be read when everybody is told.
const UNREADABLE: usize = 2;
/// How long to leave a ledger alone that cannot be read.
const REST: Duration = Duration::from_millis(250);

/// The thread that reads on.
#[derive(Debug)]
pub(super) struct FileFollower {
    shared: Arc<FollowerShared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct FollowerShared {
    engine: SqliteEngine,
    pen: Arc<StepContext>,
    feed: Arc<EventFeed>,
    interest: Mutex<WatchInterest>,
    /// The last entry that was read; `None`: reading has not begun. Held while it is read on, so that all is told in its order.
    cursor: Mutex<Option<i64>>,
    own: OwnChanges,
    closed: AtomicBool,
}

/// How many changes of this process are being written and have not read on yet. Other processes cannot write meanwhile, or have
/// just done so.
#[derive(Debug, Default)]
struct OwnChanges {
    count: Mutex<usize>,
    none: Condvar,
}

/// What reads on with the changes of this process.
#[derive(Debug, Clone)]
pub(super) struct OwnReader(Arc<FollowerShared>);

/// A change of this process: until this is dropped, the thread leaves it to it to read on.
#[derive(Debug)]
pub(super) struct OwnChange(Arc<FollowerShared>);

/// Whose events are told of.
#[derive(Debug, Default)]
struct WatchInterest {
    all: bool,
    ids: HashSet<ApprovalId>,
}

impl FileFollower {
    /// Reading on begins with the first [`FileFollower::follow`].
    pub(super) fn new(engine: SqliteEngine, pen: Arc<StepContext>, feed: Arc<EventFeed>) -> Self {
        let shared = FollowerShared {
            engine,
            pen,
            feed,
            interest: Mutex::default(),
            cursor: Mutex::default(),
            own: OwnChanges::default(),
            closed: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared), thread: Mutex::default() }
    }

    /// Tells of a request from now on, also of what happens to it before this returns.
    pub(super) fn follow(&self, id: ApprovalId) -> Result<(), LedgerError> {
        self.shared.interest().ids.insert(id);
        self.start()
    }

    /// Tells no more of it.
    pub(super) fn forget(&self, id: ApprovalId) {
        self.shared.interest().ids.remove(&id);
    }

    pub(super) fn watch(&self, what: WatchScope) -> Result<(), LedgerError> {
        match what {
            WatchScope::One(id) => return self.follow(id),
            WatchScope::All => self.shared.interest().all = true,
            WatchScope::Own => self.shared.interest().all = false,
        }
        self.start()
    }

    /// What reads on with the changes of this process.
    pub(super) fn own(&self) -> OwnReader {
        OwnReader(Arc::clone(&self.shared))
    }

    fn start(&self) -> Result<(), LedgerError> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        // What is changed after this call comes after this entry.
        let head = self.shared.engine.read(head)?;
        *self.shared.cursor() = Some(head);
        let shared = Arc::clone(&self.shared);
        let spawned = thread::Builder::new()
            .name("countersign-follower".to_owned())
            .spawn(move || shared.work())
            .map_err(|error| {
                let kind = LedgerErrorKind::Io;
                kind.because(format!("cannot start the thread that follows the ledger: {error}"))
            })?;
        *thread = Some(spawned);
        Ok(())
    }
}

impl Drop for FileFollower {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
        self.shared.engine.wake();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl OwnReader {
    /// To be made by the step that changes something: from then on others do not write.
    pub(super) fn changes(self) -> OwnChange {
        let mut count = self.0.own.count();
        *count = count.saturating_add(1);
        drop(count);
        OwnChange(self.0)
    }
}

impl OwnChange {
    /// Tells what is in the audit by now, without a wake-up. To be called when the change is durable.
    pub(super) fn read_on(self) {
        // What cannot be read the thread tries once more, and tells.
        if let Err(error) = self.0.read_all() {
            warn!(target: "countersign", code = error.kind.code(), %error, "cannot follow the ledger");
        }
    }
}

impl Drop for OwnChange {
    fn drop(&mut self) {
        let mut count = self.0.own.count();
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.0.own.none.notify_all();
        }
    }
}

impl OwnChanges {
    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes back when none is left.
    fn wait(&self) {
        drop(self.none.wait_while(self.count(), |count| *count > 0));
    }
}

impl FollowerShared {
    fn cursor(&self) -> MutexGuard<'_, Option<i64>> {
        self.cursor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interest(&self) -> MutexGuard<'_, WatchInterest> {
        self.interest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all that comes after the cursor; whether anything was told.
    fn read_all(&self) -> Result<bool, LedgerError> {
        let mut cursor = self.cursor();
        let Some(cursor) = cursor.as_mut() else { return Ok(false) };
        let mut told = false;
        while self.engine.read(|connection| self.read_on(connection, cursor, &mut told))? {}
        Ok(told)
    }

    fn work(&self) {
        let mut failures = 0_usize;
        let mut checked = Instant::now();
        loop {
            let now = self.engine.now();
            // What happened before it was closed is still told.
            let is_closed = self.closed.load(Ordering::Acquire);
            self.own.wait();
            let looked = match self.read_all() {
                Ok(true) => {
                    self.feed.announce();
                    Ok(())
                }
                _ if is_closed => return,
                Ok(false) => {
                    self.engine.wait_for_change(now, LOOK);
                    if checked.elapsed() < LOOK {
                        continue;
                    }
                    self.engine.check_there()
                }
                Err(error) => Err(error),
            };
            match looked {
                Ok(()) => {
                    failures = 0;
                    checked = Instant::now();
                }
                Err(error) => {
                    warn!(target: "countersign", code = error.kind.code(), %error, "cannot follow the ledger");
                    failures = failures.saturating_add(1);
                    // Once may pass. Callers would wait for ever.
                    if failures >= UNREADABLE && error.kind != LedgerErrorKind::Busy {
                        self.feed.push(LedgerEvent::Unreadable { error });
                        self.feed.announce();
                    }
                    self.engine.wait_for_change(now, REST);
                    thread::sleep(REST);
                }
            }
        }
    }

    /// Tells what comes after the cursor, and moves it; whether there may be more.
    fn read_on(
        &self, connection: &Connection, cursor: &mut i64, told: &mut bool,
    ) -> Result<bool, SqliteFault> {
        let mut seen = 0;
        let mut statement = connection.prepare_cached(
            "SELECT seq, kind, at, approval_id FROM audit WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        )?;
        let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
        let mut rows = statement.query(params![*cursor, limit])?;
        while let Some(row) = rows.next()? {
            let (seq, id) = (row.get(0)?, row.get::<_, Option<[u8; 16]>>(3)?);
            if let Some(id) = id.map(ApprovalId::from_bytes) {
                let news = RequestEntry { seq, kind: row.get(1)?, at: time(row.get(2)?), id };
                *told |= self.tell(connection, &news)?;
            }
            // What was told is told once, even if the next entry fails.
            *cursor = seq;
            seen += 1;
        }
        Ok(seen == BATCH)
    }

    fn tell(&self, connection: &Connection, news: &RequestEntry) -> Result<bool, SqliteFault> {
        {
            let interest = self.interest();
            if !interest.all && !interest.ids.contains(&news.id) {
                return Ok(false);
            }
        }
        let event = match row::by_id(connection, &self.pen.sealer, news.id)
            .and_then(|row| self.event(news, row.as_ref()))
        {
            Err(SqliteFault::Ledger(fault)) => {
                // Who asks for it is told so.
                error!(target: "countersign", approval_id = %news.id, code = fault.kind.code(), error = %fault, "cannot be told of");
                return Ok(false);
            }
            event => event?,
        };
        let Some(event) = event else { return Ok(false) };
        self.feed.push(event);
        Ok(true)
    }

    fn event(
        &self, news: &RequestEntry, row: Option<&RequestRow>,
    ) -> Result<Option<LedgerEvent>, SqliteFault> {
        let Some(row) = row else { return Ok(None) };
        if news.is_last(row) {
            self.interest().ids.remove(&news.id);
        }
        Ok(news.event(row, &self.pen.sealer)?)
    }
}

/// The number of the last entry of the audit.
fn head(connection: &Connection) -> Result<i64, SqliteFault> {
    Ok(whole(super::step::chain(connection)?.seq))
}
