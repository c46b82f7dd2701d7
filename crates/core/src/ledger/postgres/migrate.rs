//! From the schema the server has to the one we know: forward only, all of it or nothing.

use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, GenericClient};

use super::fault::StepError;
use super::meta::{lock, meta, set};
use super::params::SqlParams;
use super::partitions;
use super::pen::{WriteContext, now};
use super::schema::MIGRATIONS;
use crate::ledger::row::{LedgerMeta, check_key, internal, key_of, time};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// What is there.
#[derive(Debug)]
pub(super) enum SchemaFound {
    Nothing,
    Ledger { schema: i64, min_reader: i64, min_writer: i64 },
}

/// What tells that a table `meta` is ours.
const APPLICATION: &str = "countersign";

/// How long anything waits for a lock while the tables are made.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '5s'";

/// The schema that the last of the migrations makes.
pub(super) fn ours() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

/// Looks at what is there. `Foreign`: other tables of these names.
pub(super) async fn look(
    client: &impl GenericClient, pen: &WriteContext,
) -> Result<SchemaFound, StepError> {
    let name = pen.names.quoted("meta");
    // A role without access to the schema is told so here. By itself `to_regclass` answers from what the connection remembers, in
    // which there is nothing of what others made meanwhile; reading a catalog makes it forget.
    let found = client
        .query_typed_one(
            "SELECT to_regclass($1) IS NOT NULL FROM pg_catalog.pg_namespace LIMIT 1",
            &[(&name, Type::TEXT)],
        )
        .await?;
    if !found.try_get::<_, bool>(0)? {
        return Ok(SchemaFound::Nothing);
    }
    let application = match meta(client, pen, "application").await {
        Err(fault)
            if fault.is(&SqlState::UNDEFINED_COLUMN) || fault.is(&SqlState::UNDEFINED_FUNCTION) =>
        {
            None
        }
        application => application?,
    };
    if application.as_deref() != Some(APPLICATION) {
        return Err(LedgerErrorKind::Foreign
            .because(format!(
                "the table {name} is not countersign's, and was left as it is: choose another `schema=` or `prefix=`"
            ))
            .into());
    }
    let number = async |key| {
        let value = meta(client, pen, key).await?;
        // What does not say who may use it is not for us.
        Ok::<_, StepError>(value.and_then(|value| value.parse().ok()).unwrap_or(i64::MAX))
    };
    Ok(SchemaFound::Ledger {
        schema: number("schema").await?,
        min_reader: number("min_reader").await?,
        min_writer: number("min_writer").await?,
    })
}

/// Sees to it that the tables are there and are ones that we can use.
pub(super) async fn open(
    client: &mut Client, pen: &WriteContext, read_only: bool,
) -> Result<(), StepError> {
    let ours = ours();
    let mut found = look(client, pen).await?;
    let is_old = match found {
        SchemaFound::Nothing => true,
        SchemaFound::Ledger { schema, .. } => schema < ours,
    };
    if is_old && read_only {
        return Err(match found {
            SchemaFound::Nothing => LedgerErrorKind::Io.because("there is no ledger in this schema to read"),
            SchemaFound::Ledger { .. } => LedgerErrorKind::ReadOnly.because(
                "an earlier version of countersign made this ledger and it must be brought up to date first: open it once for writing",
            ),
        }
        .into());
    }
    if is_old {
        migrate(client, pen).await.map_err(|fault| may_not(fault, pen))?;
        found = look(client, pen).await?;
    }
    match found {
        SchemaFound::Ledger { schema, min_reader, .. } if ours < min_reader => {
            Err(too_new(schema, "read").into())
        }
        SchemaFound::Ledger { schema, min_writer, .. } if ours < min_writer && !read_only => {
            Err(too_new(schema, "written to").into())
        }
        SchemaFound::Ledger { .. } => Ok(()),
        SchemaFound::Nothing => Err(internal("the tables that were made are not there").into()),
    }
}

fn too_new(theirs: i64, what: &str) -> LedgerError {
    LedgerErrorKind::TooNew.because(format!(
        "a later version of countersign made this ledger (schema {theirs}; this one knows {}) and it cannot be {what} by this \
         one; update countersign",
        ours()
    ))
}

fn may_not(fault: StepError, pen: &WriteContext) -> StepError {
    if !fault.is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return fault;
    }
    LedgerErrorKind::Permission
        .because(format!(
            "this role may not make or change the tables of the ledger. Open it once as a role that may (GRANT CREATE ON DATABASE … \
             TO …, or as the owner of the schema \"{}\"). Then give this one the grants of docs/postgres-grants.md",
            pen.names.schema
        ))
        .into()
}

async fn migrate(client: &mut Client, pen: &WriteContext) -> Result<(), StepError> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(LOCK_TIMEOUT).await?;
    // Another process may be at it: then there is nothing left to do.
    lock(&transaction, pen).await?;
    let theirs = match look(&transaction, pen).await? {
        SchemaFound::Nothing => 0,
        SchemaFound::Ledger { schema, .. } => schema,
    };
    if theirs == 0 {
        let schema = &pen.names.schema;
        let there = transaction
            .query_typed_one(
                "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)",
                &[(schema, Type::TEXT)],
            )
            .await?;
        // Only who may make schemas may say `IF NOT EXISTS`.
        if !there.try_get::<_, bool>(0)? {
            transaction.batch_execute(&format!("CREATE SCHEMA \"{schema}\"")).await?;
        }
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > theirs) {
        transaction.batch_execute(&pen.sql(migration.sql)).await?;
        set(&transaction, pen, "application", APPLICATION).await?;
        set(&transaction, pen, "schema", &migration.version.to_string()).await?;
        set(&transaction, pen, "min_reader", &migration.min_reader.to_string()).await?;
        set(&transaction, pen, "min_writer", &migration.min_writer.to_string()).await?;
    }
    if theirs == 0 {
        partitions::first(&transaction, pen).await?;
        let now = transaction
            .query_typed_one(&format!("SELECT {}", now(1)), &[(&None::<i64>, Type::INT8)])
            .await?;
        set(&transaction, pen, "created_at", &now.try_get::<_, i64>(0)?.to_string()).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// What the ledger says of itself; `None`: it was never opened.
pub(super) async fn about(
    client: &impl GenericClient, pen: &WriteContext,
) -> Result<Option<LedgerMeta>, StepError> {
    let (Some(key), Some(version)) =
        (meta(client, pen, "key").await?, meta(client, pen, "version").await?)
    else {
        return Ok(None);
    };
    let number = async |key| {
        let value = meta(client, pen, key).await?;
        Ok::<_, StepError>(value.and_then(|value| value.parse().ok()).unwrap_or_default())
    };
    Ok(Some(LedgerMeta {
        schema: number("schema").await?,
        min_reader: number("min_reader").await?,
        min_writer: number("min_writer").await?,
        created_at: number("created_at").await?,
        key,
        version,
    }))
}

/// The key must be the one the ledger was made with; a version that is new to it is noted.
pub(super) async fn check(
    client: &mut Client, pen: &WriteContext, read_only: bool, local: u64,
) -> Result<(), StepError> {
    let key = key_of(&pen.sealer);
    let state = about(client, pen).await?;
    match &state {
        Some(about) => check_key(&about.key, &key)?,
        None if read_only => {
            return Err(LedgerErrorKind::ReadOnly
                .because("the ledger was never opened for writing, so there is nothing in it: open it once for writing")
                .into());
        }
        None => {}
    }
    if read_only || is_noted(client, pen, state.as_ref()).await? {
        return Ok(());
    }
    note_opening(client, pen, &key, local).await
}

/// Whether it was noted that this version opened it.
async fn is_noted(
    client: &impl GenericClient, pen: &WriteContext, state: Option<&LedgerMeta>,
) -> Result<bool, StepError> {
    let noted = meta(client, pen, "noted_schema").await?.and_then(|noted| noted.parse().ok());
    Ok(state.is_some_and(|about| {
        about.version == env!("CARGO_PKG_VERSION") && Some(about.schema) == noted
    }))
}

async fn note_opening(
    client: &mut Client, pen: &WriteContext, key: &str, local: u64,
) -> Result<(), StepError> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(LOCK_TIMEOUT).await?;
    lock(&transaction, pen).await?;
    if let Some(about) = about(&transaction, pen).await? {
        // Another process may have been faster, with another key.
        check_key(&about.key, key)?;
        if is_noted(&transaction, pen, Some(&about)).await? {
            return Ok(());
        }
    }
    set(&transaction, pen, "key", key).await?;
    set(&transaction, pen, "version", env!("CARGO_PKG_VERSION")).await?;
    let about = about(&transaction, pen)
        .await?
        .ok_or_else(|| internal("what was written cannot be read"))?;
    let sql = pen.sql(&format!("SELECT nextval('@leaf_seq'), {}", now(1)));
    let found = transaction.query_typed_one(&sql, &[(&pen.clock.given(local), Type::INT8)]).await?;
    let (seq, at): (i64, i64) = (found.try_get(0)?, found.try_get(1)?);
    set(&transaction, pen, "noted_schema", &about.schema.to_string()).await?;
    set(&transaction, pen, "opened_seq", &seq.to_string()).await?;
    let note = about.note();
    let (kind, body) = (note.kind.name(), pen.leaf(&note, time(at)));
    let mut p = SqlParams::default();
    let [id, at, kind, body] = [
        p.add(&seq, Type::INT8),
        p.add(&at, Type::INT8),
        p.add(&kind, Type::TEXT),
        p.add(&body, Type::TEXT),
    ];
    let sql = pen.sql(&format!(
        "INSERT INTO @leaf (id, at, kind, body) VALUES (${id}, ${at}, ${kind}, ${body})"
    ));
    transaction.execute_typed(&sql, p.as_slice()).await?;
    transaction.commit().await?;
    Ok(())
}
