//! Opens a ledger, and keeps it going until it is closed.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::pool::{RetryPolicy, runtime};
use super::{PostgresSettings, migrate, notify, owners, partitions, sequencer};
use crate::ledger::{LedgerError, LedgerErrorKind, OpenOptions};

/// How long leaves are gathered before they are chained.
const GATHER: Duration = Duration::from_millis(200);
/// The longest that closing waits for the server.
const PARTING: Duration = Duration::from_secs(1);

/// Opens it: its tables are there afterwards, and this process is one of its owners.
pub(super) fn open(
    settings: PostgresSettings, options: OpenOptions, is_callers: bool,
) -> Result<Arc<LedgerCore>, LedgerError> {
    let now = options.now;
    let core = LedgerCore::new(settings, options, is_callers)?;
    core.block_on(core.prepare(now))?;
    Ok(Arc::new(core))
}

impl LedgerCore {
    async fn prepare(&self, local: u64) -> Result<(), StepError> {
        let (pen, read_only) = (&self.pen, self.read_only);
        self.pool.again(async |client| migrate::open(client, pen, read_only).await).await?;
        self.pool.again(async |client| migrate::check(client, pen, read_only, local).await).await?;
        if read_only {
            return Ok(());
        }
        let lease = self.pool.settings.lease;
        self.pool
            .again(async |client| {
                owners::register(client, pen, lease).await?;
                owners::beat(client, pen, lease).await
            })
            .await?;
        self.make_room().await;
        Ok(())
    }

    /// Makes the partitions of the next days; without them all goes to the last one.
    async fn make_room(&self) {
        let made = self.pool.once(async |client| partitions::ahead(client, &self.pen).await).await;
        if let Err(fault) = made {
            let error = fault.of(&self.place);
            tracing::debug!(target: "countersign", %error, "no partitions were made ahead");
        }
    }

    /// Prolongs our lease, again and again.
    async fn live(&self) {
        let lease = self.pool.settings.lease;
        loop {
            sleep(lease / 3).await;
            let beaten =
                self.pool.urgent(async |client| owners::beat(client, &self.pen, lease).await);
            // Late is as good as never: then it is tried anew.
            match timeout(lease / 3, beaten).await {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => {
                    let error = fault.of(&self.place);
                    tracing::warn!(target: "countersign", code = error.kind.code(), %error, "cannot prolong the lease");
                }
                Err(_) => {
                    tracing::warn!(target: "countersign", "the lease was not prolonged in time")
                }
            }
        }
    }

    /// Chains what was written, and once in a while what others left.
    async fn chain(&self) {
        let idle = self.pool.settings.poll * 10;
        let mut failures = 0;
        loop {
            let _ = timeout(idle, self.unchained.notified()).await;
            sleep(GATHER).await;
            match self
                .pool
                .once(async |client| sequencer::sequence(client, &self.pen, false).await)
                .await
            {
                Ok(sequencer::SequencerProgress::All) => failures = 0,
                // Somebody else is at it, and may not have seen what we wrote last.
                Ok(sequencer::SequencerProgress::Some) => self.unchained.notify_one(),
                Err(fault) => {
                    failures += 1;
                    let error = fault.of(&self.place);
                    if error.kind == LedgerErrorKind::Corrupt {
                        tracing::error!(target: "countersign", code = error.kind.code(), %error, "the audit cannot be chained");
                    } else {
                        tracing::debug!(target: "countersign", code = error.kind.code(), %error, "the audit was not chained");
                    }
                    sleep(RetryPolicy::after(failures)).await;
                    if error.kind != LedgerErrorKind::Permission {
                        self.unchained.notify_one();
                    }
                }
            }
        }
    }

    /// Makes room for the days to come.
    async fn plan(&self) {
        loop {
            sleep(Duration::from_secs(3_600)).await;
            self.make_room().await;
        }
    }

    /// What goes on until it is closed, and a little longer where the server is slow.
    async fn keep(&self) {
        let reading = async {
            let late = async {
                self.until_closed().await;
                sleep(PARTING).await;
            };
            tokio::select! {
                () = late => {}
                () = self.read_on() => {}
            }
        };
        let work = async {
            if self.read_only {
                return;
            }
            let work = async {
                tokio::join!(self.live(), self.chain(), notify::post(self), self.plan());
            };
            tokio::select! {
                () = self.until_closed() => {}
                () = work => {}
            }
            let _ = timeout(PARTING, self.part()).await;
        };
        tokio::join!(reading, work);
    }

    async fn part(&self) {
        let parted = self.pool.once(async |client| {
            // First what it frees: others find nothing that is still taken.
            owners::release(client, &self.pen).await?;
            notify::flush(client, self).await?;
            sequencer::sequence(client, &self.pen, false).await
        });
        if let Err(fault) = parted.await {
            let error = fault.of(&self.place);
            tracing::debug!(target: "countersign", %error, "the lease was not given back");
        }
    }
}

/// The thread on which it goes on. Ends when this is dropped.
#[derive(Debug)]
pub(super) struct UpkeepThread {
    core: Arc<LedgerCore>,
    thread: Option<JoinHandle<()>>,
}

impl UpkeepThread {
    pub(super) fn start(core: &Arc<LedgerCore>) -> Result<Self, LedgerError> {
        let runtime = runtime()?;
        let kept = Arc::clone(core);
        let thread = thread::Builder::new()
            .name("countersign-keeper".to_owned())
            .spawn(move || runtime.block_on(kept.keep()))
            .map_err(|error| {
                LedgerErrorKind::Io
                    .because(format!("cannot start the thread that keeps the ledger: {error}"))
            })?;
        Ok(Self { core: Arc::clone(core), thread: Some(thread) })
    }
}

impl Drop for UpkeepThread {
    fn drop(&mut self) {
        self.core.closed.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
