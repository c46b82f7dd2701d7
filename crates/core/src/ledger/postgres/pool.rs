//! Connections: a few of them, each taken for one step and given back. Every wait has an end.
//!
//! It is a pool of our own since there is so little to it: a connection that anything went wrong on is dropped.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::{CancelToken, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{PlannedConnection, PrepareSwitch};
use super::fault::StepError;
use super::settings::{PostgresSettings, TlsMode};
use super::tls::connector;
use crate::ledger::{LedgerError, LedgerErrorKind};

/// How long one step may take on the server before it is cancelled and looked after.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long work on everything may take: no step waits for it.
const LONG: Duration = Duration::from_secs(3_600);
/// How long is waited for the server to say that it has cancelled it: then its outcome is known.
const GRACE: Duration = Duration::from_secs(2);
/// How long a step is tried anew while the server cannot be reached or others are in its way.
const STAMINA: Duration = Duration::from_secs(15);
/// How often is looked anew because others were faster.
const LOOKS: usize = 64;
/// The first pause between two tries, and the longest.
const PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// What drives the connections of all ledgers of this process.
const THREADS: usize = 2;

pub(super) struct ConnectionPool {
    pub(super) settings: PostgresSettings,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<PlannedConnection>>,
    permits: Semaphore,
    pub(super) prepares: Arc<PrepareSwitch>,
}

impl ConnectionPool {
    pub(super) fn new(settings: PostgresSettings) -> Result<Self, LedgerError> {
        let tls = connector(&settings.tls)?;
        let permits = Semaphore::new(settings.pool);
        let prepares = Arc::new(PrepareSwitch::new(settings.prepare));
        Ok(Self { settings, tls, idle: Mutex::default(), permits, prepares })
    }

    /// Works on a connection, alone, for not longer than [`PATIENCE`].
    pub(super) async fn once<R>(
        &self, work: impl AsyncFnOnce(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        self.within(PATIENCE, work).await
    }

    /// The same for what looks at everything, or drops much.
    pub(super) async fn long<R>(
        &self, work: impl AsyncFnOnce(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        self.within(LONG, work).await
    }

    /// The same for what must not wait until others are done: if need be on a connection more than there should be.
    pub(super) async fn urgent<R>(
        &self, work: impl AsyncFnOnce(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        self.work(PATIENCE, work).await
    }

    async fn within<R>(
        &self, limit: Duration,
        work: impl AsyncFnOnce(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        let permit = timeout(self.settings.connect_timeout, self.permits.acquire());
        let Ok(Ok(_permit)) = permit.await else { return Err(StepError::Exhausted) };
        self.work(limit, work).await
    }

    async fn work<R>(
        &self, limit: Duration,
        work: impl AsyncFnOnce(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        let kept = self.idle().pop().filter(|client| !client.is_closed());
        let mut client = match kept {
            Some(client) => client,
            None => self.connect(&self.settings.config).await?,
        };
        let token = client.cancel_token();
        let done = {
            let mut working = pin!(work(&mut client));
            match timeout(limit, working.as_mut()).await {
                Ok(done) => done,
                Err(_) => {
                    self.cancel(token);
                    timeout(GRACE, working).await.unwrap_or(Err(StepError::Late))
                }
            }
        };
        match &done {
            Err(fault) if fault.spoils() => {}
            _ => {
                let mut idle = self.idle();
                if idle.len() < self.settings.pool {
                    idle.push(client);
                }
            }
        }
        done
    }

    /// The same, tried anew while it is a passing fault that stops it: only for what may be done twice.
    pub(super) async fn again<R>(
        &self, mut work: impl AsyncFnMut(&mut PlannedConnection) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        self.settle(async |client| work(client).await.map(Some)).await
    }

    /// The same for a look with a change of what was looked at; `None`: somebody else was faster, and it looks anew.
    pub(super) async fn settle<R>(
        &self, mut work: impl AsyncFnMut(&mut PlannedConnection) -> Result<Option<R>, StepError>,
    ) -> Result<R, StepError> {
        let mut patience = RetryPolicy::default();
        let mut looks = 0;
        loop {
            match self.once(&mut work).await {
                Ok(Some(done)) => return Ok(done),
                Ok(None) if looks == LOOKS => return Err(StepError::Late),
                Ok(None) => looks += 1,
                Err(fault) if fault.is_passing() => {
                    // After a restart of the server all that are kept are broken.
                    self.idle().retain(|client| !client.is_closed());
                    if !patience.pause().await {
                        return Err(fault);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// A connection that is not shared.
    pub(super) async fn connect(&self, config: &Config) -> Result<PlannedConnection, StepError> {
        let connecting = async {
            let client = if self.settings.tls.mode == TlsMode::Disable {
                let (client, connection) = config.connect(NoTls).await?;
                runtime()?.spawn(connection);
                client
            } else {
                let (client, connection) = config.connect(self.tls.clone()).await?;
                runtime()?.spawn(connection);
                client
            };
            Ok(PlannedConnection::new(client, Arc::clone(&self.prepares)))
        };
        timeout(self.settings.connect_timeout, connecting).await.unwrap_or(Err(StepError::Late))
    }

    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }

    /// Asks the server to let go of abandoned work.
    fn cancel(&self, token: CancelToken) {
        let (tls, limit) = (self.tls.clone(), self.settings.connect_timeout);
        if let Ok(runtime) = runtime() {
            runtime.spawn(async move {
                let _ = timeout(limit, token.cancel_query(tls)).await;
            });
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<PlannedConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ConnectionPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// How long and how often something is tried anew.
pub(super) struct RetryPolicy {
    start: Instant,
    next: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { start: Instant::now(), next: PAUSE }
    }
}

impl RetryPolicy {
    /// Waits before the next try, each time twice as long; `false`: it was tried for long enough.
    async fn pause(&mut self) -> bool {
        if self.start.elapsed() + self.next > STAMINA {
            return false;
        }
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(LONGEST_PAUSE);
        true
    }

    /// The pause after this many failures of something that is tried for ever.
    pub(super) fn after(failures: u32) -> Duration {
        (PAUSE * 2u32.saturating_pow(failures.min(10))).min(LONGEST_PAUSE)
    }
}

/// What drives the connections; made by the first who needs it.
pub(super) fn runtime() -> Result<&'static Runtime, LedgerError> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    RUNTIME
        .get_or_init(|| {
            Builder::new_multi_thread()
                .worker_threads(THREADS)
                .thread_name("countersign-postgres")
                .enable_all()
                .build()
                .ok()
        })
        .as_ref()
        .ok_or_else(|| {
            LedgerErrorKind::Io.because("the system gave no threads for connections to PostgreSQL")
        })
}
