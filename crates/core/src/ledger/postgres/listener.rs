//! The one connection of this process on which the server tells of changes. What it tells is only a hint: a receiver reads then.
//! When the connection is made anew, all are told to read.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::broadcast;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::PostgresSettings;
use super::pool::{RetryPolicy, runtime};
use super::settings::TlsMode;
use crate::ledger::LedgerError;

/// How many hints wait for a ledger that is slow to read; it then reads once for all.
const HINTS: usize = 256;
/// How often the connection is tried when nothing comes over it: one whose other end is gone says nothing by itself.
const TRIAL: Duration = Duration::from_secs(10);

/// Hears of changes for all ledgers of this process that are in the same place.
#[derive(Debug)]
pub(super) struct ChangeListener {
    hints: broadcast::Sender<Arc<str>>,
}

/// Those of this process, by what they listen on.
static LISTENERS: Mutex<Option<HashMap<String, Weak<ChangeListener>>>> = Mutex::new(None);

impl ChangeListener {
    /// The listener of this place; made by the first who needs it, gone with the last.
    pub(super) fn of(
        settings: &PostgresSettings, channel: &str, tls: MakeRustlsConnect,
    ) -> Result<Arc<Self>, LedgerError> {
        // The password is a part of it: another one may be another's.
        let key = format!(
            "{channel} {:?} {:?} {:?}",
            settings.listen,
            settings.listen.get_password(),
            settings.tls
        );
        let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = listeners.get_or_insert_default();
        known.retain(|_, listener| listener.strong_count() > 0);
        if let Some(listener) = known.get(&key).and_then(Weak::upgrade) {
            return Ok(listener);
        }
        let listener = Arc::new(Self { hints: broadcast::Sender::new(HINTS) });
        known.insert(key, Arc::downgrade(&listener));
        let work = ListenerWork {
            listener: Arc::downgrade(&listener),
            config: settings.listen.clone(),
            tls: (settings.tls.mode != TlsMode::Disable).then_some(tls),
            listen: format!("LISTEN \"{channel}\""),
            limit: settings.connect_timeout,
        };
        runtime()?.spawn(work.run());
        Ok(listener)
    }

    /// Hints from now on: the payload of a notification, or nothing when some may have been missed.
    pub(super) fn hints(&self) -> broadcast::Receiver<Arc<str>> {
        self.hints.subscribe()
    }
}

struct ListenerWork {
    listener: Weak<ChangeListener>,
    config: Config,
    tls: Option<MakeRustlsConnect>,
    listen: String,
    limit: Duration,
}

impl ListenerWork {
    async fn run(self) {
        let mut failures = 0;
        while self.listener.strong_count() > 0 {
            let ended = match &self.tls {
                Some(tls) => match timeout(self.limit, self.config.connect(tls.clone())).await {
                    Ok(Ok((client, connection))) => {
                        self.hear(client, connection, &mut failures).await
                    }
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "no answer".to_owned(),
                },
                None => match timeout(self.limit, self.config.connect(NoTls)).await {
                    Ok(Ok((client, connection))) => {
                        self.hear(client, connection, &mut failures).await
                    }
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "no answer".to_owned(),
                },
            };
            if self.listener.strong_count() == 0 {
                return;
            }
            tracing::debug!(target: "countersign", error = ended, "nobody listens to the ledger: it is looked at now and then");
            failures += 1;
            sleep(RetryPolicy::after(failures)).await;
        }
    }

    /// Listens until it ends; why.
    async fn hear<S, T>(
        &self, client: Client, mut connection: Connection<S, T>, failures: &mut u32,
    ) -> String
    where
        S: AsyncRead + AsyncWrite + Unpin,
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let mut messages = std::pin::pin!(async {
            loop {
                match poll_fn(|context| connection.poll_message(context)).await {
                    Some(Ok(AsyncMessage::Notification(said))) => {
                        if !self.tell(said.payload()) {
                            return "nobody waits".to_owned();
                        }
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return error.to_string(),
                    None => return "the connection is closed".to_owned(),
                }
            }
        });
        let mut trials = std::pin::pin!(async {
            let mut ask = self.listen.as_str();
            loop {
                match timeout(self.limit, client.batch_execute(ask)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return error.to_string(),
                    Err(_) => return "the server does not answer".to_owned(),
                }
                // From here on nothing is missed; what was before may have been.
                if ask != "SELECT 1" {
                    *failures = 0;
                    self.tell("");
                    ask = "SELECT 1";
                }
                sleep(TRIAL).await;
                if self.listener.strong_count() == 0 {
                    return "nobody waits".to_owned();
                }
            }
        });
        tokio::select! {
            ended = &mut messages => ended,
            ended = &mut trials => ended,
        }
    }

    fn tell(&self, payload: &str) -> bool {
        let Some(listener) = self.listener.upgrade() else { return false };
        // It fails while there is no follower, which needs no hint.
        let _ = listener.hints.send(payload.into());
        true
    }
}
