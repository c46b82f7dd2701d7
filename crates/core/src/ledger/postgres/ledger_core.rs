//! What all who work on an open ledger share.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use uuid::Uuid;

use super::PostgresSettings;
use super::clock::ServerClock;
use super::cursor::FeedCursor;
use super::fault::StepError;
use super::listener::ChangeListener;
use super::names::TableNames;
use super::pen::WriteContext;
use super::pool::{ConnectionPool, runtime};
use crate::approval::ApprovalId;
use crate::ledger::row::ContentSealer;
use crate::ledger::{EventFeed, LedgerError, LedgerErrorKind, OpenOptions};

/// What all who work on an open ledger share.
#[derive(Debug)]
pub(super) struct LedgerCore {
    pub(super) pool: ConnectionPool,
    pub(super) pen: WriteContext,
    pub(super) feed: Arc<EventFeed>,
    pub(super) read_only: bool,
    pub(super) place: String,
    pub(super) listener: Arc<ChangeListener>,
    /// Tells our own notifications from those of others.
    pub(super) tag: Uuid,
    /// Where the follower starts; `None`: it has not begun.
    pub(super) follows: watch::Sender<Option<FeedCursor>>,
    interest: Mutex<WatchInterest>,
    /// We changed something ourselves: the follower need not be told by the server.
    pub(super) news: Notify,
    /// Leaves that others are to be told of.
    pub(super) outbox: Mutex<Vec<i64>>,
    pub(super) posted: Notify,
    /// There are leaves of ours to be chained.
    pub(super) unchained: Notify,
    pub(super) closed: watch::Sender<bool>,
}

/// Whose events are told of.
#[derive(Debug, Default)]
struct WatchInterest {
    all: bool,
    ids: HashSet<ApprovalId>,
}

impl LedgerCore {
    /// `is_callers`: times are those that callers give, not the server's.
    pub(super) fn new(
        settings: PostgresSettings, options: OpenOptions, is_callers: bool,
    ) -> Result<Self, LedgerError> {
        let names = TableNames { schema: settings.schema.clone(), prefix: settings.prefix.clone() };
        let place = settings.place();
        let pen =
            WriteContext::new(names, ContentSealer::new(options.key), ServerClock::new(is_callers));
        let pool = ConnectionPool::new(settings)?;
        let listener = ChangeListener::of(&pool.settings, &pen.names.channel(), pool.tls())?;
        Ok(Self {
            pool,
            pen,
            feed: options.feed,
            read_only: options.read_only,
            place,
            listener,
            tag: Uuid::now_v7(),
            follows: watch::Sender::new(None),
            interest: Mutex::default(),
            news: Notify::new(),
            outbox: Mutex::default(),
            posted: Notify::new(),
            unchained: Notify::new(),
            closed: watch::Sender::new(false),
        })
    }

    /// Waits for the server, on a thread that may wait.
    pub(super) fn block_on<R>(
        &self, work: impl Future<Output = Result<R, StepError>>,
    ) -> Result<R, LedgerError> {
        runtime()?.block_on(work).map_err(|fault| fault.of(&self.place))
    }

    /// These leaves were written: tells those that wait.
    pub(super) fn changed(&self, leaves: &[i64]) {
        self.news.notify_one();
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner).extend(leaves);
        self.posted.notify_one();
        self.unchained.notify_one();
    }

    fn interest(&self) -> MutexGuard<'_, WatchInterest> {
        self.interest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn follow(&self, id: ApprovalId) {
        self.interest().ids.insert(id);
    }

    pub(super) fn follow_all(&self, all: bool) {
        self.interest().all = all;
    }

    pub(super) fn forget(&self, id: ApprovalId) {
        self.interest().ids.remove(&id);
    }

    pub(super) fn is_followed(&self, id: ApprovalId) -> bool {
        let interest = self.interest();
        interest.all || interest.ids.contains(&id)
    }

    pub(super) fn only_read(&self) -> Result<(), LedgerError> {
        if !self.read_only {
            return Ok(());
        }
        Err(LedgerErrorKind::ReadOnly.because(format!(
            "the ledger {} was opened for reading only; open it for writing",
            self.place
        )))
    }

    /// Waits until it is closed.
    pub(super) async fn until_closed(&self) {
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }
}
