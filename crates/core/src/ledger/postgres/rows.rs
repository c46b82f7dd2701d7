//! Requests as they lie in the tables.

use std::time::Instant;

use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::column::ColumnReader;
use super::connection::PlannedConnection;
use super::fault::StepError;
use super::meta::dropped_before;
use super::partitions::{UnixDay, first_id};
use super::pen::{WriteContext, now};
use crate::approval::ApprovalId;
use crate::ledger::LedgerError;
use crate::ledger::row::{ContentSealer, RequestRow, RowColumns, damaged, record_name, time};

/// One look at a request, with what a change of it needs.
pub(super) struct LoadedRequest {
    pub(super) row: Option<RequestRow>,
    /// The number of the leaf that would tell of a change.
    pub(super) seq: u64,
    /// The server's time, in ms since the epoch.
    pub(super) now: u64,
}

/// How many are a few.
const FEW: usize = 8;

/// In the order of [`RequestRow::read`]; behind it what there is of [`StoredRequest`] beside it.
const COLUMNS: &str = "
    a.seq, a.id, a.run_id, a.tool_call_id, a.tool_name, a.digest, a.origin, a.flags, a.allowed, a.supersedes,
    a.created_at, a.duration, a.expires_at, a.needs, a.requester, a.remind, a.contents, a.asked, a.status,
    a.choice, a.stop, o.answer, o.reason, a.decider, a.via, a.decided_at, a.bound, a.executor, o.result,
    a.decided_seq, a.changed_seq, a.ended_at, o.votes, a.told, a.due_at, a.seal,
    c.args, c.context, c.description, c.preview, c.details,
    c.id IS NOT NULL, a.gone_votes, a.gone_asked, a.gone_seal";

/// Looks at a request, to change it.
pub(super) async fn look(
    client: &PlannedConnection, pen: &WriteContext, id: ApprovalId, local: u64,
) -> Result<LoadedRequest, StepError> {
    let sql = pen.sql(&format!(
        "SELECT nextval('@leaf_seq'), {}, {COLUMNS} FROM (SELECT 1) one
         LEFT JOIN @approval a ON a.id = $1 {} LEFT JOIN @content c ON c.id = $1 {} LEFT JOIN @outcome o ON o.id = $1 {}",
        now(2),
        on_its_day("a.id", id),
        on_its_day("c.id", id),
        on_its_day("o.id", id),
    ));
    let asked = Instant::now();
    let found = client
        .query_typed_one(&sql, &[(&id, Type::UUID), (&pen.clock.given(local), Type::INT8)])
        .await?;
    let mut next = ColumnReader::new(&found);
    let (seq, now) = (time(next.get()?), time(next.get()?));
    pen.clock.told(now, asked);
    let row = match next.peek::<Option<i64>>()? {
        None => None,
        Some(_) => {
            let kept = read(&mut next)?;
            Some(checked(client, pen, vec![kept]).await?.pop().ok_or_else(|| lost(id))?)
        }
    };
    Ok(LoadedRequest { row, seq, now })
}

/// Names the day of an id as a constant: so also a plan for any id of that day knows which partition to look into. A plan that
/// knows the day only from the id that it is given looks at all of them first.
pub(super) fn on_its_day(column: &str, id: ApprovalId) -> String {
    let (first, next) = (first_id(day_of(id).start()), first_id(day_of(id).end()));
    // After the last day that an id can be of comes none.
    if next <= first {
        return String::new();
    }
    format!("AND {column} >= '{first}' AND {column} < '{next}'")
}

/// The day of the time that an id begins with.
fn day_of(id: ApprovalId) -> UnixDay {
    UnixDay::of(u64::try_from(id.as_u128() >> 80).unwrap_or_default())
}

fn lost(id: ApprovalId) -> StepError {
    damaged(&record_name(id)).into()
}

/// The requests of these ids, oldest first, each checked against its seals. Ids without a request are left out.
pub(super) async fn by_ids(
    client: &PlannedConnection, pen: &WriteContext, ids: &[ApprovalId],
) -> Result<Vec<RequestRow>, StepError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let kept = kept_by_plan(client, pen, ids).await?;
    let mut rows = checked(client, pen, kept).await?;
    rows.sort_unstable_by_key(|row| row.seq);
    Ok(rows)
}

/// What a request has instead once its contents are dropped.
pub(super) struct DroppedContents {
    /// Without their reasons.
    pub(super) votes: Option<Vec<u8>>,
    pub(super) asked: [u8; 32],
    pub(super) seal: [u8; 32],
}

impl DroppedContents {
    pub(super) fn of(row: &RequestRow, sealer: &ContentSealer) -> Result<Self, LedgerError> {
        let mut row = row.clone();
        row.drop_contents(sealer)?;
        Ok(Self { votes: row.votes, asked: row.asked, seal: row.seal })
    }
}

/// A request as it lies there, not checked.
pub(super) struct StoredRequest {
    row: RequestRow,
    has_contents: bool,
    gone: DroppedContents,
}

impl StoredRequest {
    pub(super) fn id(&self) -> ApprovalId {
        self.row.id
    }

    /// The row, if it is what was written. `dropped_before`: contents of earlier ids may have been dropped with their
    /// partition.
    pub(super) fn check(
        mut self, pen: &WriteContext, dropped_before: ApprovalId,
    ) -> Result<RequestRow, StepError> {
        if !self.has_contents {
            let is_over = self.row.status().is_some_and(|status| status.is_final());
            if !is_over || self.row.id >= dropped_before {
                return Err(lost(self.row.id));
            }
            self.row.votes = None;
            self.row.drop_contents(&pen.sealer)?;
            let DroppedContents { votes, asked, seal } = self.gone;
            (self.row.votes, self.row.asked, self.row.seal) = (votes, asked, seal);
        }
        self.row.check(&pen.sealer)?;
        Ok(self.row)
    }
}

/// These, in no order.
pub(super) async fn kept(
    client: &Client, pen: &WriteContext, ids: &[ApprovalId],
) -> Result<Vec<StoredRequest>, StepError> {
    let sql = select(pen, |_| String::new());
    read_all(&client.query_typed(&sql, &[(&ids, Type::UUID_ARRAY)]).await?)
}

/// The same; if they are a few of one day, by a plan that is made once.
pub(super) async fn kept_by_plan(
    client: &PlannedConnection, pen: &WriteContext, ids: &[ApprovalId],
) -> Result<Vec<StoredRequest>, StepError> {
    match ids {
        [first, rest @ ..]
            if rest.len() < FEW && rest.iter().all(|id| day_of(*id) == day_of(*first)) =>
        {
            let sql = select(pen, |column| on_its_day(column, *first));
            read_all(&client.query_typed(&sql, &[(&ids, Type::UUID_ARRAY)]).await?)
        }
        _ => kept(client, pen, ids).await,
    }
}

/// `and`: what else is known of the ids in a column.
fn select(pen: &WriteContext, and: impl Fn(&str) -> String) -> String {
    // The ids once more for each table: of each only the partitions are looked at that may have them.
    pen.sql(&format!(
        "SELECT {COLUMNS} FROM @approval a LEFT JOIN @content c ON c.id = a.id AND c.id = ANY($1) {}
         LEFT JOIN @outcome o ON o.id = a.id AND o.id = ANY($1) {} WHERE a.id = ANY($1) {}",
        and("c.id"),
        and("o.id"),
        and("a.id"),
    ))
}

fn read_all(found: &[tokio_postgres::Row]) -> Result<Vec<StoredRequest>, StepError> {
    found.iter().map(|columns| read(&mut ColumnReader::new(columns))).collect()
}

/// Contents of ids before this one may have been dropped; asked only where some are not there.
pub(super) async fn gone_before(
    client: &Client, pen: &WriteContext, kept: &[StoredRequest],
) -> Result<ApprovalId, StepError> {
    match kept.iter().all(|kept| kept.has_contents) {
        true => Ok(Uuid::nil()),
        false => dropped_before(client, pen).await,
    }
}

async fn checked(
    client: &Client, pen: &WriteContext, kept: Vec<StoredRequest>,
) -> Result<Vec<RequestRow>, StepError> {
    let before = gone_before(client, pen, &kept).await?;
    kept.into_iter().map(|kept| kept.check(pen, before)).collect()
}

fn read(next: &mut ColumnReader<'_>) -> Result<StoredRequest, StepError> {
    Ok(StoredRequest {
        row: RequestRow::read(next)?,
        has_contents: next.get()?,
        gone: DroppedContents {
            votes: next.some_blob()?,
            asked: next.bytes()?,
            seal: next.bytes()?,
        },
    })
}
