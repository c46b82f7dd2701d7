//! Requests as they lie in the tables.

use std::time::Instant;

use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Client, Row as Columns};
use uuid::Uuid;

use super::fault::Fault;
use super::pen::{Pen, now};
use super::retention::dropped_before;
use crate::approval::ApprovalId;
use crate::ledger::LedgerError;
use crate::ledger::row::{Fate, Row, Sealer, Texts, damaged, record_name, time};

/// One look at a request, with what a change of it needs.
pub(super) struct Look {
    pub(super) row: Option<Row>,
    /// The number of the leaf that would tell of a change.
    pub(super) seq: u64,
    /// The server's time, in ms since the epoch.
    pub(super) now: u64,
}

const COLUMNS: &str = "
    a.id, a.seq, a.run_id, a.tool_call_id, a.tool_name, a.digest, a.origin, a.flags, a.allowed, a.supersedes,
    a.created_at, a.duration, a.expires_at, a.needs, a.requester, a.remind, a.contents, a.asked, a.status, a.choice, a.stop, a.decider, a.via,
    a.decided_at, a.bound, a.executor, a.decided_seq, a.changed_seq, a.ended_at, a.told, a.due_at, a.seal, a.gone_votes, a.gone_asked, a.gone_seal,
    c.id IS NOT NULL, c.args, c.context, c.description, c.preview, c.details, o.answer, o.reason, o.result, o.votes";

/// Looks at a request, to change it.
pub(super) async fn look(
    client: &Client, pen: &Pen, id: ApprovalId, local: u64,
) -> Result<Look, Fault> {
    let sql = pen.sql(&format!(
        "SELECT nextval('@leaf_seq'), {}, {COLUMNS} FROM (SELECT 1) one
         LEFT JOIN @approval a ON a.id = $1 LEFT JOIN @content c ON c.id = $1 LEFT JOIN @outcome o ON o.id = $1",
        now(2)
    ));
    let asked = Instant::now();
    let found = client
        .query_typed_one(&sql, &[(&id, Type::UUID), (&pen.clock.given(local), Type::INT8)])
        .await?;
    let mut next = Column { columns: &found, next: 0 };
    let (seq, now) = (time(next.get()?), time(next.get()?));
    pen.clock.told(now, asked);
    let row = match found.try_get::<_, Option<Uuid>>(next.next)? {
        None => None,
        Some(_) => {
            let kept = read(&mut next)?;
            Some(checked(client, pen, vec![kept]).await?.pop().ok_or_else(|| lost(id))?)
        }
    };
    Ok(Look { row, seq, now })
}

fn lost(id: ApprovalId) -> Fault {
    damaged(&record_name(id)).into()
}

/// The requests of these ids, oldest first, each checked against its seals. Ids without a request are left out.
pub(super) async fn by_ids(
    client: &Client, pen: &Pen, ids: &[ApprovalId],
) -> Result<Vec<Row>, Fault> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let kept = kept(client, pen, "WHERE a.id = ANY($1)", ids).await?;
    let mut rows = checked(client, pen, kept).await?;
    rows.sort_unstable_by_key(|row| row.seq);
    Ok(rows)
}

/// What a request has instead once its contents are dropped.
pub(super) struct Gone {
    /// Without their reasons.
    pub(super) votes: Option<Vec<u8>>,
    pub(super) asked: [u8; 32],
    pub(super) seal: [u8; 32],
}

impl Gone {
    pub(super) fn of(row: &Row, sealer: &Sealer) -> Result<Self, LedgerError> {
        let mut row = row.clone();
        row.drop_contents(sealer)?;
        Ok(Self { votes: row.votes, asked: row.asked, seal: row.seal })
    }
}

/// A request as it lies there, not checked.
pub(super) struct Kept {
    row: Row,
    has_contents: bool,
    gone: Gone,
}

impl Kept {
    pub(super) fn id(&self) -> ApprovalId {
        self.row.id
    }

    /// The row, if it is what was written. `dropped_before`: contents of earlier ids may have been dropped with their
    /// partition.
    pub(super) fn check(mut self, pen: &Pen, dropped_before: ApprovalId) -> Result<Row, Fault> {
        if !self.has_contents {
            let is_over = self.row.status().is_some_and(|status| status.is_final());
            if !is_over || self.row.id >= dropped_before {
                return Err(lost(self.row.id));
            }
            self.row.votes = None;
            self.row.drop_contents(&pen.sealer)?;
            let Gone { votes, asked, seal } = self.gone;
            (self.row.votes, self.row.asked, self.row.seal) = (votes, asked, seal);
        }
        self.row.check(&pen.sealer)?;
        Ok(self.row)
    }
}

/// Those that `rest` selects of these ids, in no order.
pub(super) async fn kept(
    client: &Client, pen: &Pen, rest: &str, ids: &[ApprovalId],
) -> Result<Vec<Kept>, Fault> {
    // The ids once more for each table: of each only the partitions are looked at that may have them.
    let sql = pen.sql(&format!(
        "SELECT {COLUMNS} FROM @approval a LEFT JOIN @content c ON c.id = a.id AND c.id = ANY($1)
         LEFT JOIN @outcome o ON o.id = a.id AND o.id = ANY($1) {rest}"
    ));
    let found = client.query_typed(&sql, &[(&ids, Type::UUID_ARRAY)]).await?;
    found.iter().map(|columns| read(&mut Column { columns, next: 0 })).collect()
}

/// Contents of ids before this one may have been dropped; asked only where some are not there.
pub(super) async fn gone_before(
    client: &Client, pen: &Pen, kept: &[Kept],
) -> Result<ApprovalId, Fault> {
    match kept.iter().all(|kept| kept.has_contents) {
        true => Ok(Uuid::nil()),
        false => dropped_before(client, pen).await,
    }
}

async fn checked(client: &Client, pen: &Pen, kept: Vec<Kept>) -> Result<Vec<Row>, Fault> {
    let before = gone_before(client, pen, &kept).await?;
    kept.into_iter().map(|kept| kept.check(pen, before)).collect()
}

/// The columns of a row, one after the other.
pub(super) struct Column<'a> {
    pub(super) columns: &'a Columns,
    pub(super) next: usize,
}

impl<'a> Column<'a> {
    pub(super) fn get<T: FromSql<'a>>(&mut self) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        Ok(self.columns.try_get(column)?)
    }

    /// Bytes of which there must be so many.
    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes: &[u8] = self.get()?;
        bytes.try_into().map_err(|_| damaged("a column of fixed length").into())
    }

    pub(super) fn some_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Fault> {
        let bytes: Option<&[u8]> = self.get()?;
        let fixed =
            bytes.map(|bytes| bytes.try_into().map_err(|_| damaged("a column of fixed length")));
        Ok(fixed.transpose()?)
    }
}

fn read(next: &mut Column<'_>) -> Result<Kept, Fault> {
    let id = next.get()?;
    let mut row = Row {
        seq: next.get()?,
        id,
        run_id: next.get()?,
        tool_call_id: next.get()?,
        tool_name: next.get()?,
        digest: next.bytes()?,
        origin: next.get()?,
        flags: next.get()?,
        allowed: next.get()?,
        supersedes: next.get()?,
        created_at: next.get()?,
        duration: next.get()?,
        expires_at: next.get()?,
        needs: next.get()?,
        requester: next.get()?,
        remind: next.get()?,
        contents: next.get()?,
        asked: next.bytes()?,
        status: next.get()?,
        fate: None,
        texts: Texts::default(),
        executor: None,
        result: None,
        decided_seq: None,
        changed_seq: 0,
        ended_at: None,
        votes: None,
        told: None,
        due_at: None,
        seal: [0; 32],
    };
    let (choice, stop): (Option<i64>, Option<i64>) = (next.get()?, next.get()?);
    let (by, via): (Option<String>, Option<String>) = (next.get()?, next.get()?);
    let (at, bound): (Option<i64>, _) = (next.get()?, next.some_bytes()?);
    row.executor = next.get::<Option<Uuid>>()?.map(Uuid::into_bytes);
    row.decided_seq = next.get()?;
    row.changed_seq = next.get()?;
    row.ended_at = next.get()?;
    row.told = next.get()?;
    row.due_at = next.get()?;
    row.seal = next.bytes()?;
    let gone = Gone { votes: next.get()?, asked: next.bytes()?, seal: next.bytes()? };
    let has_contents = next.get()?;
    row.texts = Texts {
        args: next.get()?,
        context: next.get()?,
        description: next.get()?,
        preview: next.get()?,
        details: next.get()?,
    };
    let (answer, reason) = (next.get()?, next.get()?);
    row.result = next.get()?;
    row.votes = next.get()?;
    row.fate = match (choice, stop, via, at) {
        (Some(choice), Some(stop), Some(via), Some(at)) => {
            Some(Fate { choice, stop, answer, reason, by, via, at, bound })
        }
        (None, None, None, None) => None,
        _ => return Err(lost(id)),
    };
    Ok(Kept { row, has_contents, gone })
}
