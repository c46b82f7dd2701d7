//! What is let go of after a time: whole days at once, and by rows what outlived its day.
//!
//! What still waits, and what ended later than it is kept for, is moved from its day to the rest before the day is dropped.
//! A request whose contents went that way is not written anew: it has the seals of what is left with it, and reads as
//! dropped if it is over and older than the ledger says (`contents_before`).

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, GenericClient, Transaction};

use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::meta::{drop_before, dropped_before};
use super::params::SqlParams;
use super::partitions::{ClosedPartition, UnixDay, days, first_id, run_number, try_lock};
use super::pen::{WriteContext, now};
use super::runs;
use crate::approval::ApprovalId;
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::row::{time, whole};
use crate::ledger::{Retention, UpkeepReport};

/// Nothing waits longer than this for a day to be dropped; it is tried again later.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '2s'";
/// How many runs that were forked are cleaned up at once.
const FORKED: i64 = 16;

/// Lets go of about `limit` rows, or of a day.
pub(super) async fn tidy(
    core: &LedgerCore, retention: Retention, local: u64, limit: usize,
) -> Result<UpkeepReport, StepError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let given = core.pen.clock.given(local);
    let tidied = core
        .pool
        .long(async |client| {
            let pen = &core.pen;
            let found = client
                .query_typed_one(&format!("SELECT {}", now(1)), &[(&given, Type::INT8)])
                .await?;
            let now = time(found.try_get(0)?);
            let before = |age: Option<u64>| age.and_then(|age| now.checked_sub(age));
            let records = before(retention.records);
            // What is gone as a record has no contents either.
            let contents = before(retention.contents).max(records);
            let mut tidied = UpkeepReport::default();
            if let Some(cut) = records {
                tidied = tidied + drop_days(client, pen, "approval", cut, now).await?;
                tidied =
                    tidied + drop_rows(client, pen, RowRetention::Records, cut, limit, now).await?;
                forget_calls(client, pen, cut, limit).await?;
            }
            if let Some(cut) = contents {
                tidied = tidied + drop_days(client, pen, "content", cut, now).await?;
                tidied = tidied
                    + drop_rows(client, pen, RowRetention::Contents, cut, limit, now).await?;
                tidied = tidied + empty_runs(client, pen, cut, records, limit, now).await?;
            }
            Ok(tidied)
        })
        .await?;
    let mut p = SqlParams::default();
    p.add(&FORKED, Type::INT8);
    let forked = core
        .pool
        .once(async |client| {
            runs::select(client, &core.pen, "WHERE r.forked = 1 ORDER BY r.seq LIMIT $1", &p).await
        })
        .await?;
    let mut collected = 0;
    for seen in forked {
        collected += core.collect(&seen.run).await?;
    }
    if collected > 0 {
        core.note(&[pruned(0, 0, collected)], local).await?;
    }
    Ok(tidied + UpkeepReport { entries: collected, ..UpkeepReport::default() })
}

fn pruned(contents: u64, records: u64, entries: u64) -> AuditNote {
    let count = |number| i64::try_from(number).unwrap_or(i64::MAX);
    AuditNote::new(NoteKind::Pruned)
        .with("contents", count(contents))
        .with("records", count(records))
        .with("entries", count(entries))
}

/// Tells of it in the same transaction.
async fn tell(
    client: &impl GenericClient, pen: &WriteContext, note: &AuditNote, at: u64,
) -> Result<(), StepError> {
    let (kind, body, at) = (note.kind.name(), pen.leaf(note, at), whole(at));
    let sql =
        pen.sql("INSERT INTO @leaf (id, at, kind, body) VALUES (nextval('@leaf_seq'), $1, $2, $3)");
    client
        .execute_typed(&sql, &[(&at, Type::INT8), (&kind, Type::TEXT), (&body, Type::TEXT)])
        .await?;
    Ok(())
}

/// Drops the days before `cut` of requests: `table` is `approval` (with all that belongs to it) or `content`.
async fn drop_days(
    client: &mut Client, pen: &WriteContext, table: &str, cut: u64, now: u64,
) -> Result<UpkeepReport, StepError> {
    let mut tidied = UpkeepReport::default();
    for day in days(client, pen, table).await? {
        if day.end() > cut {
            break;
        }
        let transaction = client.transaction().await?;
        transaction.batch_execute(LOCK_TIMEOUT).await?;
        if !try_lock(&transaction, pen).await? {
            break;
        }
        let tables = ["approval", "content", "outcome"];
        let mut closed = Vec::with_capacity(tables.len());
        for table in tables.into_iter().skip_while(|first| *first != table) {
            if let Some(part) = ClosedPartition::of(&transaction, pen, table, day).await? {
                let kept = still_needed(&transaction, pen, &part, day, cut).await?;
                closed.push((table, part, kept));
            }
        }
        let mut done = UpkeepReport::default();
        for (dropped, part, kept) in closed {
            let gone = part.drop_but("id", &kept, Type::UUID_ARRAY).await?;
            match dropped {
                "approval" => done.records = gone,
                "content" if table == "content" => done.contents = gone,
                _ => {}
            }
        }
        move_mark(&transaction, pen, day.end()).await?;
        if done != UpkeepReport::default() {
            tell(&transaction, pen, &pruned(done.contents, done.records, 0), now).await?;
        }
        transaction.commit().await?;
        tidied = tidied + done;
    }
    Ok(tidied)
}

/// From here on contents of what was asked before may be missing.
pub(super) async fn move_mark(
    transaction: &Transaction<'_>, pen: &WriteContext, end: u64,
) -> Result<(), StepError> {
    let mark = first_id(end).max(dropped_before(transaction, pen).await?);
    drop_before(transaction, pen, mark).await
}

/// The requests of this day that wait or ended too late: of those that are there it is so for ever.
async fn still_needed(
    transaction: &Transaction<'_>, pen: &WriteContext, part: &ClosedPartition<'_>, day: UnixDay,
    cut: u64,
) -> Result<Vec<ApprovalId>, StepError> {
    // The ids once more: only the partitions are looked at that may have them.
    let sql = pen.sql(&format!(
        "SELECT p.id FROM @{} p JOIN @approval a ON a.id = p.id AND a.id >= $1 AND a.id < $2
         WHERE a.ended_at IS NULL OR a.ended_at > $3",
        part.name
    ));
    let (first, after) = (first_id(day.start()), first_id(day.end()));
    let asked = [
        (&first as &(dyn ToSql + Sync), Type::UUID),
        (&after, Type::UUID),
        (&whole(cut), Type::INT8),
    ];
    let found = transaction.query_typed(&sql, &asked).await?;
    found.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// What is dropped by rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowRetention {
    Contents,
    Records,
}

/// Drops what outlived its day, or never had one, once it ended before `cut`.
async fn drop_rows(
    client: &mut Client, pen: &WriteContext, rows: RowRetention, cut: u64, limit: i64, now: u64,
) -> Result<UpkeepReport, StepError> {
    let before = first_id(UnixDay::of(cut).start());
    let cut = whole(cut);
    let from = match rows {
        RowRetention::Contents => "@content_rest c JOIN @approval a ON a.id = c.id",
        RowRetention::Records => "@approval_rest a",
    };
    let is_any = pen
        .sql(&format!("SELECT EXISTS (SELECT FROM {from} WHERE a.id < $1 AND a.ended_at <= $2)"));
    let asked = [(&before as &(dyn ToSql + Sync), Type::UUID), (&cut, Type::INT8)];
    if !client.query_typed_one(&is_any, &asked).await?.try_get::<_, bool>(0)? {
        return Ok(UpkeepReport::default());
    }
    let transaction = client.transaction().await?;
    transaction.batch_execute(LOCK_TIMEOUT).await?;
    if !try_lock(&transaction, pen).await? {
        return Ok(UpkeepReport::default());
    }
    let records = match rows {
        RowRetention::Contents => "",
        RowRetention::Records => {
            ", r AS (DELETE FROM @approval_rest WHERE id IN (SELECT id FROM old))"
        }
    };
    let sql = pen.sql(&format!(
        "WITH old AS MATERIALIZED (SELECT a.id FROM {from} WHERE a.id < $1 AND a.ended_at <= $2 LIMIT $3),
         o AS (DELETE FROM @outcome_rest WHERE id IN (SELECT id FROM old)),
         c AS (DELETE FROM @content_rest WHERE id IN (SELECT id FROM old)){records}
         SELECT count(*) FROM old"
    ));
    let gone = transaction
        .query_typed_one(&sql, &[(&before, Type::UUID), (&cut, Type::INT8), (&limit, Type::INT8)])
        .await?;
    let gone = time(gone.try_get(0)?);
    let done = match rows {
        RowRetention::Contents => UpkeepReport { contents: gone, ..UpkeepReport::default() },
        RowRetention::Records => UpkeepReport { records: gone, ..UpkeepReport::default() },
    };
    move_mark(&transaction, pen, UnixDay::of(time(cut)).start()).await?;
    if gone > 0 {
        tell(&transaction, pen, &pruned(done.contents, done.records, 0), now).await?;
    }
    transaction.commit().await?;
    Ok(done)
}

/// Forgets which request was the last of a call, where it is gone.
async fn forget_calls(
    client: &Client, pen: &WriteContext, cut: u64, limit: i64,
) -> Result<(), StepError> {
    let before = first_id(cut);
    let sql = pen.sql(
        "DELETE FROM @call WHERE last IN (SELECT k.last FROM @call k WHERE k.last < $1
         AND NOT EXISTS (SELECT FROM @approval a WHERE a.id = k.last) ORDER BY k.last LIMIT $2)",
    );
    in_parts(client, &sql, (&before, Type::UUID), limit).await
}

/// Deletes all that the statement selects by its first parameter, so much at once as its second one says. None of it counts
/// as let go of, so that no later step would come back for the rest.
async fn in_parts(
    client: &Client, sql: &str, by: (&(dyn ToSql + Sync), Type), limit: i64,
) -> Result<(), StepError> {
    let limit = limit.max(1);
    let params = [by, (&limit, Type::INT8)];
    while whole(client.execute_typed(sql, &params).await?) == limit {}
    Ok(())
}

/// Empties runs that are over, drops the days of their histories, and at last the runs.
async fn empty_runs(
    client: &mut Client, pen: &WriteContext, cut: u64, records: Option<u64>, limit: i64, now: u64,
) -> Result<UpkeepReport, StepError> {
    let mut done = UpkeepReport::default();
    let cut_number = whole(cut);
    while empty_some(client, pen, cut_number, limit).await? {}
    for day in days(client, pen, "entry").await? {
        if day.end() > cut {
            break;
        }
        let transaction = client.transaction().await?;
        transaction.batch_execute(LOCK_TIMEOUT).await?;
        let (first, after) = (run_number(day.start(), 0), run_number(day.end(), 0));
        let sql = pen.sql(
            "SELECT EXISTS (SELECT FROM @run WHERE seq >= $1 AND seq < $2 AND status <> 0 AND contents = 0 AND updated_at <= $3)",
        );
        let asked = [
            (&first as &(dyn ToSql + Sync), Type::INT8),
            (&after, Type::INT8),
            (&cut_number, Type::INT8),
        ];
        // Not all of them are empty yet: the day is dropped when they are.
        if transaction.query_typed_one(&sql, &asked).await?.try_get::<_, bool>(0)?
            || !try_lock(&transaction, pen).await?
        {
            break;
        }
        let Some(part) = ClosedPartition::of(&transaction, pen, "entry", day).await? else {
            continue;
        };
        let sql = pen.sql("SELECT seq FROM @run WHERE seq >= $1 AND seq < $2 AND contents = 0");
        let kept = transaction.query_typed(&sql, &asked[..2]).await?;
        let kept: Vec<i64> = kept.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        let gone = part.drop_but("run", &kept, Type::INT8_ARRAY).await?;
        if gone > 0 {
            tell(&transaction, pen, &pruned(0, 0, gone), now).await?;
        }
        transaction.commit().await?;
        done.entries += gone;
    }
    let sql = pen.sql(
        "DELETE FROM @entry_rest WHERE (run, hash) IN (SELECT e.run, e.hash FROM @entry_rest e JOIN @run r ON r.seq = e.run
         WHERE r.contents = 2 LIMIT $1)",
    );
    let gone = client.execute_typed(&sql, &[(&limit, Type::INT8)]).await?;
    if gone > 0 {
        tell(client, pen, &pruned(0, 0, gone), now).await?;
        done.entries += gone;
    }
    if let Some(cut) = records.map(whole) {
        let sql = pen.sql(
            "DELETE FROM @run WHERE seq IN (SELECT r.seq FROM @run r WHERE r.status <> 0 AND r.contents = 2 AND r.updated_at <= $1
             AND NOT EXISTS (SELECT FROM @entry e WHERE e.run = r.seq) LIMIT $2)",
        );
        in_parts(client, &sql, (&cut, Type::INT8), limit).await?;
    }
    Ok(done)
}

/// Empties `limit` runs that are over; whether there may be more.
async fn empty_some(
    client: &Client, pen: &WriteContext, cut: i64, limit: i64,
) -> Result<bool, StepError> {
    let limit = limit.max(1);
    let mut p = SqlParams::default();
    p.add(&cut, Type::INT8);
    p.add(&limit, Type::INT8);
    let full = "WHERE r.status <> 0 AND r.contents = 0 AND r.updated_at <= $1 ORDER BY r.updated_at LIMIT $2";
    let mut emptied = 0;
    for seen in runs::select(client, pen, full, &p).await? {
        let old_seal = seen.run.seal;
        let mut run = seen.run;
        run.state = pen.sealer.seal(run.run_id.as_bytes(), "state", "null")?;
        (run.head, run.contents, run.forked) = (None, 2, 0);
        run.reseal(&pen.sealer);
        let (old_seal, state, seal) =
            (old_seal.as_slice(), run.state.as_slice(), run.seal.as_slice());
        let sql = pen.sql(
            "UPDATE @run SET head = NULL, contents = 2, forked = 0, state = $3, seal = $4 WHERE seq = $1 AND seal = $2",
        );
        emptied += client
            .execute_typed(
                &sql,
                &[
                    (&run.seq, Type::INT8),
                    (&old_seal, Type::BYTEA),
                    (&state, Type::BYTEA),
                    (&seal, Type::BYTEA),
                ],
            )
            .await?;
    }
    Ok(whole(emptied) == limit)
}
