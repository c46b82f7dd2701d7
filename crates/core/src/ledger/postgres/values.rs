//! Texts beside the requests, each under its key.

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::column::ColumnReader;
use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::pen::WriteContext;
use crate::ledger::VersionedText;
use crate::ledger::row::{KeptValue, RowColumns as _, damaged, whole};

/// From the columns k, version, text and seal.
pub(super) fn read(columns: &Row) -> Result<KeptValue, StepError> {
    let mut next = ColumnReader::new(columns);
    let key = String::from_utf8(next.get()?).map_err(|_| damaged("the key of a value"))?;
    Ok(KeptValue { key, version: next.get()?, text: next.get()?, seal: next.bytes()? })
}

async fn kept(
    client: &Client, pen: &WriteContext, key: &str,
) -> Result<Option<KeptValue>, StepError> {
    let sql = pen.sql("SELECT k, version, text, seal FROM @value WHERE k = $1");
    let found = client.query_typed_opt(&sql, &[(&key.as_bytes(), Type::BYTEA)]).await?;
    found.as_ref().map(read).transpose()
}

pub(super) async fn get(
    client: &Client, pen: &WriteContext, key: &str,
) -> Result<Option<VersionedText>, StepError> {
    let kept = kept(client, pen, key).await?;
    Ok(kept.map(|kept| kept.open(&pen.sealer)).transpose()?)
}

/// Sets it, if what is there is of this version; `None`: if nothing is. An answer that is lost is looked after: what is there
/// is then what was to be written.
pub(super) async fn set(
    core: &LedgerCore, key: &str, expected: Option<u64>, text: &str,
) -> Result<bool, StepError> {
    let pen = &core.pen;
    let (sql, version) = match expected {
        None => (
            "INSERT INTO @value (k, version, text, seal) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            1,
        ),
        Some(version) => (
            "UPDATE @value SET version = $2, text = $3, seal = $4 WHERE k = $1 AND version = $2 - 1",
            whole(version).saturating_add(1),
        ),
    };
    let sql = pen.sql(sql);
    let new = KeptValue::new(&pen.sealer, key, version, text)?;
    let (text, seal) = (new.text.as_slice(), new.seal.as_slice());
    let mut tried = false;
    core.pool
        .again(async |client| {
            if tried && kept(client, pen, key).await?.is_some_and(|kept| kept.seal == new.seal) {
                return Ok(true);
            }
            tried = true;
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&key.as_bytes(), Type::BYTEA),
                (&version, Type::INT8),
                (&text, Type::BYTEA),
                (&seal, Type::BYTEA),
            ];
            Ok(client.execute_typed(&sql, &params).await? == 1)
        })
        .await
}
