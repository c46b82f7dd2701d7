//! Reads on in the audit, whose order is that of the changes of all processes, and tells the feed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
/// How often to look whether the ledger is still there. Whoever ends us wakes us.
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
    closed: AtomicBool,
}

/// Whose events are told of.
#[derive(Debug, Default)]
struct WatchInterest {
    all: bool,
    ids: HashSet<ApprovalId>,
}

impl FileFollower {
    /// Nobody reads on before the first [`FileFollower::follow`].
    pub(super) fn new(engine: SqliteEngine, pen: Arc<StepContext>, feed: Arc<EventFeed>) -> Self {
        let shared = FollowerShared {
            engine,
            pen,
            feed,
            interest: Mutex::default(),
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

    fn start(&self) -> Result<(), LedgerError> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        // What is changed after this call comes after this entry.
        let cursor = self.shared.engine.read(head)?;
        let shared = Arc::clone(&self.shared);
        let spawned = thread::Builder::new()
            .name("countersign-follower".to_owned())
            .spawn(move || shared.work(cursor))
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

impl FollowerShared {
    fn interest(&self) -> MutexGuard<'_, WatchInterest> {
        self.interest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut cursor: i64) {
        let mut failures = 0_usize;
        let mut checked = Instant::now();
        loop {
            let now = self.engine.now();
            // What happened before it was closed is still told.
            let is_closed = self.closed.load(Ordering::Acquire);
            let looked = match self.engine.read(|connection| self.read_on(connection, &mut cursor))
            {
                Ok(true) => Ok(()),
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
                    // Once may pass. Whoever waits for a decision would wait for ever.
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
    fn read_on(&self, connection: &Connection, cursor: &mut i64) -> Result<bool, SqliteFault> {
        let mut seen = 0;
        let mut told = false;
        let mut statement = connection.prepare_cached(
            "SELECT seq, kind, at, approval_id FROM audit WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        )?;
        let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
        let mut rows = statement.query(params![*cursor, limit])?;
        while let Some(row) = rows.next()? {
            let (seq, id) = (row.get(0)?, row.get::<_, Option<[u8; 16]>>(3)?);
            if let Some(id) = id.map(ApprovalId::from_bytes) {
                let news = RequestEntry { seq, kind: row.get(1)?, at: time(row.get(2)?), id };
                told |= self.tell(connection, &news)?;
            }
            // What was told is told once, whatever comes after it.
            *cursor = seq;
            seen += 1;
        }
        if told {
            self.feed.announce();
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
