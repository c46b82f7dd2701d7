//! What a ledger keeps about itself, under keys of its own, and the lock under which its tables are made.

use tokio_postgres::GenericClient;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::fault::StepError;
use super::pen::WriteContext;
use crate::approval::ApprovalId;

/// The key of the id that contents were dropped up to.
const BEFORE: &str = "contents_before";

/// The value of a key of `meta`.
pub(super) async fn meta(
    client: &impl GenericClient, pen: &WriteContext, key: &str,
) -> Result<Option<String>, StepError> {
    let sql = pen.sql("SELECT v FROM @meta WHERE k = $1");
    let found = client.query_typed(&sql, &[(&key, Type::TEXT)]).await?;
    Ok(found.first().map(|row| row.try_get(0)).transpose()?)
}

/// Sets the value of a key.
pub(super) async fn set(
    client: &impl GenericClient, pen: &WriteContext, key: &str, value: &str,
) -> Result<(), StepError> {
    let sql = pen.sql(
        "INSERT INTO @meta (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
    );
    client.execute_typed(&sql, &[(&key, Type::TEXT), (&value, Type::TEXT)]).await?;
    Ok(())
}

/// Contents of requests before this id may have been dropped.
pub(super) async fn dropped_before(
    client: &impl GenericClient, pen: &WriteContext,
) -> Result<ApprovalId, StepError> {
    Ok(meta(client, pen, BEFORE).await?.and_then(|id| id.parse().ok()).unwrap_or(Uuid::nil()))
}

/// From now on contents of requests before this id may be missing.
pub(super) async fn drop_before(
    client: &impl GenericClient, pen: &WriteContext, id: ApprovalId,
) -> Result<(), StepError> {
    set(client, pen, BEFORE, &id.to_string()).await
}

/// Keeps others from making tables of this ledger until the end of the transaction.
pub(super) async fn lock(client: &impl GenericClient, pen: &WriteContext) -> Result<(), StepError> {
    let channel = pen.names.channel();
    client
        .query_typed(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
            &[(&channel, Type::TEXT)],
        )
        .await?;
    Ok(())
}
