//! Who has the ledger open: each a lease, which its process prolongs. Who does not in time may be taken for gone by anybody,
//! which is what removing the lease means: it is never made anew under the same id.

use std::time::{Duration, Instant};

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::pen::{WriteContext, server_now};
use crate::ledger::row::time;

/// One more owner.
pub(super) async fn register(
    client: &PlannedConnection, pen: &WriteContext, lease: Duration,
) -> Result<(), StepError> {
    let sql = pen.sql(&format!(
        "INSERT INTO @owner (id, until) VALUES ($1, {} + $2) ON CONFLICT (id) DO NOTHING",
        server_now()
    ));
    client.execute_typed(&sql, &params(&pen.owner(), &ms(lease))).await?;
    Ok(())
}

/// We are still there. An owner that was taken for gone is another from now on.
pub(super) async fn beat(
    client: &PlannedConnection, pen: &WriteContext, lease: Duration,
) -> Result<(), StepError> {
    let sql = pen.sql(&format!(
        "UPDATE @owner SET until = {now} + $2 WHERE id = $1 RETURNING until - $2",
        now = server_now()
    ));
    let asked = Instant::now();
    let alive = client.query_typed_opt(&sql, &params(&pen.owner(), &ms(lease))).await?;
    match alive {
        Some(row) => pen.clock.told(time(row.try_get(0)?), asked),
        None => {
            let gone = pen.owner();
            let owner = pen.renew_owner();
            tracing::warn!(target: "countersign", %gone, %owner, "this process was not heard of for longer than its lease: what it ran may be told as interrupted");
            register(client, pen, lease).await?;
        }
    }
    Ok(())
}

/// Takes those for gone whose lease is over.
pub(super) async fn sweep(client: &PlannedConnection, pen: &WriteContext) -> Result<(), StepError> {
    // Locked rows are those of somebody who is just beginning something, or prolonging.
    let sql = pen.sql(&format!(
        "DELETE FROM @owner WHERE id IN (SELECT id FROM @owner WHERE until <= {} FOR UPDATE SKIP LOCKED)",
        server_now()
    ));
    client.execute_typed(&sql, &[]).await?;
    Ok(())
}

/// We go.
pub(super) async fn release(
    client: &PlannedConnection, pen: &WriteContext,
) -> Result<(), StepError> {
    let sql = pen.sql("DELETE FROM @owner WHERE id = $1");
    client.execute_typed(&sql, &[(&pen.owner(), Type::UUID)]).await?;
    Ok(())
}

fn params<'a>(
    owner: &'a Uuid, lease: &'a i64,
) -> [(&'a (dyn tokio_postgres::types::ToSql + Sync), Type); 2] {
    [(owner, Type::UUID), (lease, Type::INT8)]
}

fn ms(lease: Duration) -> i64 {
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}
