//! From what happened to the chain: leaves are written with the changes they tell of, and any process puts them, some at a
//! time, into the hash chain. One chain for all, appended to in each change, would let one change through at a time.
//!
//! A leaf that is not chained yet can be taken away unseen by a role that may write the table; that is until somebody sequences,
//! mostly less than a second. Of one request the leaves are chained in the order of its changes.

use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::column::ColumnReader;
use super::fault::StepError;
use super::pen::WriteContext;
use crate::ledger::audit::{AuditChain, AuditEntry};
use crate::ledger::row::{damaged, whole};

/// How many leaves are chained in one transaction.
const BATCH: i64 = 1_000;

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SequencerProgress {
    /// All that was there is chained.
    All,
    /// Somebody else is at it.
    Some,
}

/// Chains what is there. `wait`: for another at it.
pub(super) async fn sequence(
    client: &mut Client, pen: &WriteContext, wait: bool,
) -> Result<SequencerProgress, StepError> {
    loop {
        match batch(client, pen, wait).await? {
            None => return Ok(SequencerProgress::Some),
            Some(chained) if chained < BATCH => return Ok(SequencerProgress::All),
            Some(_) => {}
        }
    }
}

/// Where the chain ends.
pub(super) async fn head(client: &Client, pen: &WriteContext) -> Result<AuditChain, StepError> {
    let sql = pen.sql("SELECT seq, at, head FROM @chain WHERE one");
    let Some(found) = client.query_typed_opt(&sql, &[]).await? else {
        return Err(damaged("the end of the audit log").into());
    };
    AuditChain::read(&mut ColumnReader::new(&found))
}

/// How many it were; `None`: somebody else is at it.
async fn batch(
    client: &mut Client, pen: &WriteContext, wait: bool,
) -> Result<Option<i64>, StepError> {
    let transaction = client.transaction().await?;
    if wait {
        transaction.batch_execute("SET LOCAL lock_timeout = '5s'").await?;
    }
    let skip = if wait { "" } else { "SKIP LOCKED" };
    let sql = pen.sql(&format!("SELECT seq, at, head FROM @chain WHERE one FOR UPDATE {skip}"));
    let Some(found) = transaction.query_typed_opt(&sql, &[]).await? else { return Ok(None) };
    let mut chain = AuditChain::read(&mut ColumnReader::new(&found))?;
    let sql = pen.sql("SELECT id, kind, approval_id, body FROM @leaf ORDER BY id LIMIT $1");
    let leaves = transaction.query_typed(&sql, &[(&BATCH, Type::INT8)]).await?;
    if leaves.is_empty() {
        return Ok(Some(0));
    }
    let mut ids: Vec<i64> = Vec::with_capacity(leaves.len());
    let (mut kinds, mut about): (Vec<&str>, Vec<Option<Uuid>>) = Default::default();
    let mut entries: Vec<AuditEntry> = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        let id: i64 = leaf.try_get(0)?;
        let entry = chain.adopt(leaf.try_get(3)?).ok_or_else(|| {
            damaged(&format!("what is to be entry {} of the audit log", chain.seq + 1))
        })?;
        ids.push(id);
        kinds.push(leaf.try_get(1)?);
        about.push(leaf.try_get(2)?);
        entries.push(entry);
    }
    let seqs: Vec<i64> = entries.iter().map(|entry| whole(entry.seq)).collect();
    let times: Vec<i64> = entries.iter().map(|entry| whole(entry.at)).collect();
    let bodies: Vec<&str> = entries.iter().map(|entry| entry.body.as_str()).collect();
    let hashes: Vec<&[u8]> = entries.iter().map(|entry| entry.hash.as_slice()).collect();
    let (seq, at, head) = (whole(chain.seq), whole(chain.at), chain.head.as_slice());
    let sql = pen.sql(
        "WITH gone AS (DELETE FROM @leaf WHERE id = ANY($5)),
         ends AS (UPDATE @chain SET seq = $8, at = $9, head = $10 WHERE one)
         INSERT INTO @audit (seq, at, kind, approval_id, leaf, body, hash)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bytea[])",
    );
    transaction
        .execute_typed(
            &sql,
            &[
                (&seqs, Type::INT8_ARRAY),
                (&times, Type::INT8_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
                (&about, Type::UUID_ARRAY),
                (&ids, Type::INT8_ARRAY),
                (&bodies, Type::TEXT_ARRAY),
                (&hashes, Type::BYTEA_ARRAY),
                (&seq, Type::INT8),
                (&at, Type::INT8),
                (&head, Type::BYTEA),
            ],
        )
        .await?;
    transaction.commit().await?;
    Ok(Some(i64::try_from(ids.len()).unwrap_or(BATCH)))
}
