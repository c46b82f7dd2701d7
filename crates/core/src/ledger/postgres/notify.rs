//! Tells others that something has changed: a hint, sent after the commit, for many changes at once.

use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_postgres::types::{ToSql, Type};

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::pool::RetryPolicy;

/// How long changes are gathered after the last notification: one costs the server more than a change does. What comes after
/// a pause is told at once.
const GATHER: Duration = Duration::from_millis(1);
/// The most of a payload that the server takes is 7999 bytes.
const MOST: usize = 350;

/// Sends what is to be sent, for ever, on a connection of its own: no step waits for it.
pub(super) async fn post(core: &LedgerCore) {
    let mut own: Option<PlannedConnection> = None;
    let mut failures = 0;
    loop {
        core.posted.notified().await;
        let client = match own.take().filter(|client| !client.is_closed()) {
            Some(client) => Ok(client),
            None => core.pool.connect(&core.pool.settings.config).await,
        };
        let sent = match client {
            Ok(client) => flush(&client, core).await.map(|()| client),
            Err(fault) => Err(fault),
        };
        match sent {
            Ok(client) => {
                failures = 0;
                own = Some(client);
                sleep(GATHER).await;
            }
            Err(fault) => {
                // A waiting process looks by itself before long.
                failures += 1;
                let error = fault.of(&core.place);
                tracing::debug!(target: "countersign", code = error.kind.code(), %error, "others were not told of a change");
                sleep(RetryPolicy::after(failures)).await;
            }
        }
    }
}

/// Sends what is there: who sends, and the numbers of the leaves (none: too many).
pub(super) async fn flush(client: &PlannedConnection, core: &LedgerCore) -> Result<(), StepError> {
    let leaves = std::mem::take(&mut *core.outbox.lock().unwrap_or_else(PoisonError::into_inner));
    if leaves.is_empty() {
        return Ok(());
    }
    let numbers: Vec<String> = leaves.iter().take(MOST).map(i64::to_string).collect();
    let numbers = if leaves.len() > MOST { String::new() } else { numbers.join(",") };
    let payload = format!("{}:{numbers}", core.tag);
    let channel = core.pen.names.channel();
    let said: [(&(dyn ToSql + Sync), Type); 2] = [(&channel, Type::TEXT), (&payload, Type::TEXT)];
    let limit = core.pool.settings.connect_timeout;
    let told = client.query_typed("SELECT pg_notify($1, $2)", &said);
    timeout(limit, told).await.map_err(|_| StepError::Late)??;
    Ok(())
}
