//! Looks at several requests: first which, in the small tables that know, then the requests themselves by their ids.

use std::cmp::Reverse;
use std::collections::HashSet;

use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::params::SqlParams;
use super::pen::{WriteContext, now};
use super::rows;
use crate::approval::{ApprovalId, Record, Status};
use crate::ledger::row::{RequestRow, time};
use crate::ledger::{AFTER_PARTS, HistoryQuery, PART};

/// How many requests are read at once.
const BATCH: usize = 2_000;

async fn ids(
    client: &Client, pen: &WriteContext, sql: &str, p: &SqlParams<'_>,
) -> Result<Vec<ApprovalId>, StepError> {
    let found = client.query_typed(&pen.sql(sql), p.as_slice()).await?;
    found.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

async fn records(
    client: &PlannedConnection, pen: &WriteContext, ids: &[ApprovalId],
    keep: impl Fn(&RequestRow) -> bool,
) -> Result<Vec<Record>, StepError> {
    let mut found: Vec<(i64, Record)> = Vec::with_capacity(ids.len());
    for ids in ids.chunks(BATCH) {
        for row in rows::by_ids(client, pen, ids).await? {
            if keep(&row) {
                found.push((row.seq, row.record(&pen.sealer)?));
            }
        }
    }
    found.sort_unstable_by_key(|(seq, _)| *seq);
    Ok(found.into_iter().map(|(_, record)| record).collect())
}

/// These and those that they superseded, oldest first.
async fn with_earlier(
    client: &PlannedConnection, pen: &WriteContext, last: Vec<ApprovalId>,
) -> Result<Vec<Record>, StepError> {
    let mut known: HashSet<ApprovalId> = last.iter().copied().collect();
    let mut next = last;
    let mut found: Vec<RequestRow> = Vec::new();
    while !next.is_empty() {
        let mut earlier = Vec::new();
        for ids in next.chunks(BATCH) {
            let rows = rows::by_ids(client, pen, ids).await?;
            earlier.extend(
                rows.iter().filter_map(|row| row.supersedes).filter(|id| known.insert(*id)),
            );
            found.extend(rows);
        }
        next = earlier;
    }
    found.sort_unstable_by_key(|row| row.seq);
    found.iter().map(|row| Ok(row.record(&pen.sealer)?)).collect()
}

pub(super) async fn get(
    client: &PlannedConnection, pen: &WriteContext, id: ApprovalId,
) -> Result<Option<Record>, StepError> {
    let row = rows::by_ids(client, pen, &[id]).await?.pop();
    Ok(row.map(|row| row.record(&pen.sealer)).transpose()?)
}

pub(super) async fn find(
    client: &PlannedConnection, pen: &WriteContext, run: Option<&str>, tool_call_id: &str,
) -> Result<Vec<Record>, StepError> {
    let mut p = SqlParams::default();
    p.add(&tool_call_id, Type::TEXT);
    p.add(&run, Type::TEXT);
    let sql =
        "SELECT last FROM @call WHERE tool_call_id = $1 AND ($2::text IS NULL OR run_id = $2)";
    let last = ids(client, pen, sql, &p).await?;
    with_earlier(client, pen, last).await
}

pub(super) async fn of_run(
    client: &PlannedConnection, pen: &WriteContext, run: &str,
) -> Result<Vec<Record>, StepError> {
    let mut p = SqlParams::default();
    p.add(&run, Type::TEXT);
    let last = ids(client, pen, "SELECT last FROM @call WHERE run_id = $1", &p).await?;
    with_earlier(client, pen, last).await
}

pub(super) async fn pending(
    client: &PlannedConnection, pen: &WriteContext, run: Option<&str>,
) -> Result<Vec<Record>, StepError> {
    let mut p = SqlParams::default();
    let [first, after] = [PART, AFTER_PARTS].map(|end| [run.unwrap_or_default(), end].concat());
    let waiting = match &run {
        None => ids(client, pen, "SELECT id FROM @waiting", &p).await?,
        Some(run) => {
            p.add(run, Type::TEXT);
            p.add(&first, Type::TEXT);
            p.add(&after, Type::TEXT);
            // By bytes, under any collation of the database.
            let sql =
                "SELECT id FROM @waiting WHERE run_id = $1 OR (run_id ~>=~ $2 AND run_id ~<~ $3)";
            ids(client, pen, sql, &p).await?
        }
    };
    records(client, pen, &waiting, |row| row.status() == Some(Status::Pending)).await
}

/// What is no longer pending, the latest request first.
pub(super) async fn history(
    client: &PlannedConnection, pen: &WriteContext, past: &HistoryQuery,
) -> Result<Vec<Record>, StepError> {
    let before = past.before.unwrap_or(ApprovalId::max());
    let (tool, limit) = (past.tool.as_deref(), i64::try_from(past.limit).unwrap_or(i64::MAX));
    let mut p = SqlParams::default();
    let Some(run) = past.run.as_deref() else {
        p.add(&before, Type::UUID);
        p.add(&tool, Type::TEXT);
        p.add(&limit, Type::INT8);
        let sql = "SELECT id FROM @approval WHERE id < $1 AND status <> 0 AND ($2::text IS NULL OR tool_name = $2)
                   ORDER BY id DESC LIMIT $3";
        let found = ids(client, pen, sql, &p).await?;
        let mut found = records(client, pen, &found, |_| true).await?;
        found.sort_unstable_by_key(|record| Reverse(record.request().id));
        return Ok(found);
    };
    let [first, after] = [PART, AFTER_PARTS].map(|end| [run, end].concat());
    p.add(&run, Type::TEXT);
    p.add(&first, Type::TEXT);
    p.add(&after, Type::TEXT);
    let sql = "SELECT last FROM @call WHERE run_id = $1 OR (run_id ~>=~ $2 AND run_id ~<~ $3)";
    let last = ids(client, pen, sql, &p).await?;
    let mut found = with_earlier(client, pen, last).await?;
    found.retain(|record| {
        let request = record.request();
        request.id < before
            && record.status() != Status::Pending
            && tool.is_none_or(|tool| *request.call.tool_name == *tool)
    });
    found.sort_unstable_by_key(|record| Reverse(record.request().id));
    found.truncate(past.limit);
    Ok(found)
}

/// What a run can still lose, oldest first.
pub(super) async fn open(
    client: &PlannedConnection, pen: &WriteContext, run: Option<&str>,
) -> Result<Vec<ApprovalId>, StepError> {
    let mut p = SqlParams::default();
    let found = match &run {
        None => {
            ids(client, pen, "SELECT id FROM @approval WHERE status IN (0, 1, 2) ORDER BY seq", &p)
                .await?
        }
        Some(run) => {
            p.add(run, Type::TEXT);
            ids(client, pen, "SELECT last FROM @call WHERE run_id = $1", &p).await?
        }
    };
    let mut open: Vec<RequestRow> = Vec::new();
    for ids in found.chunks(BATCH) {
        open.extend(rows::by_ids(client, pen, ids).await?);
    }
    open.retain(|row| {
        row.status().is_some_and(|status| status == Status::Pending || status.may_start())
    });
    open.sort_unstable_by_key(|row| row.seq);
    Ok(open.iter().map(|row| row.id).collect())
}

/// What is due, the most overdue first.
pub(super) async fn due(
    client: &Client, pen: &WriteContext, local: u64, limit: usize,
) -> Result<Vec<ApprovalId>, StepError> {
    let (given, limit) = (pen.clock.given(local), i64::try_from(limit).unwrap_or(i64::MAX));
    let mut p = SqlParams::default();
    p.add(&given, Type::INT8);
    p.add(&limit, Type::INT8);
    let sql =
        format!("SELECT id FROM @waiting WHERE due_at <= {} ORDER BY due_at, id LIMIT $2", now(1));
    ids(client, pen, &sql, &p).await
}

pub(super) async fn next_deadline(
    client: &Client, pen: &WriteContext,
) -> Result<Option<u64>, StepError> {
    let sql = pen.sql("SELECT min(due_at) FROM @waiting WHERE due_at IS NOT NULL");
    let found = client.query_typed_one(&sql, &[]).await?;
    Ok(found.try_get::<_, Option<i64>>(0)?.map(time))
}

/// What runs without anybody who would run it: call [`super::owners::sweep`] first.
pub(super) async fn lost(
    client: &Client, pen: &WriteContext, run: Option<&str>,
) -> Result<Vec<ApprovalId>, StepError> {
    let mut p = SqlParams::default();
    p.add(&run, Type::TEXT);
    let sql = "SELECT r.id FROM @running r WHERE ($1::text IS NULL OR r.run_id = $1)
               AND NOT EXISTS (SELECT FROM @owner o WHERE o.id = r.executor) ORDER BY r.id";
    let found: Vec<Uuid> = ids(client, pen, sql, &p).await?;
    Ok(found)
}
