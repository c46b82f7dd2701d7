//! A partition for each day, made ahead by the first process and dropped as a whole. What has no day of its own, since that was
//! not made in time or since it outlived its day, is in the last one (`…_rest`).

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, GenericClient, Transaction};
use uuid::Uuid;

use super::fault::StepError;
use super::meta::lock;
use super::pen::{WriteContext, server_now};
use crate::ledger::row::time;

/// How many days there are partitions for from today on.
const AHEAD: usize = 3;
/// ms
const DAY: u64 = 86_400_000;
/// 2020-01-01, from which the numbers of runs count: so they are ones that JavaScript can hold until 2089.
const FIRST: u64 = 1_577_836_800_000;
/// How many runs can begin in one ms.
const RUNS_PER_MS: i64 = 1 << 12;

/// What is partitioned, by what, and with what room for changes on each page.
const TABLES: [(&str, By, &str); 5] = [
    ("approval", By::Id, " WITH (fillfactor = 70)"),
    ("content", By::Id, ""),
    ("outcome", By::Id, " WITH (fillfactor = 70)"),
    ("entry", By::Run, ""),
    ("audit", By::Time, ""),
];

#[derive(Debug, Clone, Copy)]
enum By {
    /// The time in the id of a request.
    Id,
    /// The time in the number of a run.
    Run,
    /// The time of an entry of the audit.
    Time,
}

impl By {
    fn bound(self, at: u64) -> String {
        match self {
            Self::Id => format!("'{}'", first_id(at)),
            Self::Run => run_number(at, 0).to_string(),
            Self::Time => at.to_string(),
        }
    }
}

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UnixDay(pub(super) u64);

impl UnixDay {
    pub(super) const fn of(at: u64) -> Self {
        Self(at / DAY)
    }

    /// ms since the epoch.
    pub(super) const fn start(self) -> u64 {
        self.0 * DAY
    }

    /// The start of the day after it.
    pub(super) const fn end(self) -> u64 {
        (self.0 + 1) * DAY
    }

    /// Its year, month and day (Howard Hinnant's `civil_from_days`), as `20261122`.
    fn digits(self) -> String {
        let z = self.0 + 719_468;
        let (era, doe) = (z / 146_097, z % 146_097);
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = doy - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + u64::from(month <= 2);
        format!("{year:04}{month:02}{day:02}")
    }

    /// The partition of a table for this day.
    pub(super) fn table(self, table: &str) -> String {
        format!("{table}_{}", self.digits())
    }
}

/// The first id that a request of this moment can have.
pub(super) fn first_id(at: u64) -> Uuid {
    Uuid::from_u128(u128::from(at & 0xffff_ffff_ffff) << 80)
}

/// The number of a run that begins now; `count` tells those of one ms apart.
pub(super) fn run_number(now: u64, count: i64) -> i64 {
    let since = i64::try_from(now.saturating_sub(FIRST)).unwrap_or(i64::MAX / RUNS_PER_MS);
    since.saturating_mul(RUNS_PER_MS) + count.rem_euclid(RUNS_PER_MS)
}

/// Makes the partitions of the next days, where they are missing. Opening the ledger waits for it: what is asked before its day
/// has a partition goes to the rest, and then that day cannot have one.
pub(super) async fn ahead(client: &mut Client, pen: &WriteContext) -> Result<(), StepError> {
    for day in next_days(client).await? {
        make_day(client, pen, day).await?;
    }
    Ok(())
}

/// The same with the tables themselves, in their transaction.
pub(super) async fn first(
    transaction: &Transaction<'_>, pen: &WriteContext,
) -> Result<(), StepError> {
    for day in next_days(transaction).await? {
        for table in TABLES {
            transaction.batch_execute(&sql(pen, day, table)).await?;
        }
    }
    Ok(())
}

async fn next_days(client: &impl GenericClient) -> Result<[UnixDay; AHEAD], StepError> {
    let found = client.query_typed_one(&format!("SELECT {}", server_now()), &[]).await?;
    let today = UnixDay::of(time(found.try_get(0)?));
    Ok(std::array::from_fn(|ahead| UnixDay(today.0 + ahead as u64)))
}

pub(super) async fn make_day(
    client: &mut Client, pen: &WriteContext, day: UnixDay,
) -> Result<(), StepError> {
    for table in TABLES {
        if exists(client, pen, &day.table(table.0)).await? {
            continue;
        }
        let transaction = client.transaction().await?;
        // A short limit, so that others do not queue behind us: it can be made later as well.
        transaction.batch_execute("SET LOCAL lock_timeout = '2s'").await?;
        lock(&transaction, pen).await?;
        transaction.batch_execute(&sql(pen, day, table)).await?;
        transaction.commit().await?;
    }
    Ok(())
}

fn sql(pen: &WriteContext, day: UnixDay, (table, by, with): (&str, By, &str)) -> String {
    pen.sql(&format!(
        "CREATE TABLE IF NOT EXISTS @{} PARTITION OF @{table} FOR VALUES FROM ({}) TO ({}){with}",
        day.table(table),
        by.bound(day.start()),
        by.bound(day.end()),
    ))
}

/// Whether there is a table of this name.
pub(super) async fn exists(
    client: &impl GenericClient, pen: &WriteContext, table: &str,
) -> Result<bool, StepError> {
    let name = pen.names.quoted(table);
    let found = client
        .query_typed_one("SELECT to_regclass($1) IS NOT NULL", &[(&name, Type::TEXT)])
        .await?;
    Ok(found.try_get(0)?)
}

/// Keeps others from making or dropping tables of this ledger until the end of the transaction; `false`: another is at it.
pub(super) async fn try_lock(
    client: &impl GenericClient, pen: &WriteContext,
) -> Result<bool, StepError> {
    let channel = pen.names.channel();
    let locked = client
        .query_typed_one(
            "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
            &[(&channel, Type::TEXT)],
        )
        .await?;
    Ok(locked.try_get(0)?)
}

/// The days that a table has partitions for, the oldest first.
pub(super) async fn days(
    client: &Client, pen: &WriteContext, table: &str,
) -> Result<Vec<UnixDay>, StepError> {
    let parent = pen.names.quoted(table);
    let found = client
        .query_typed(
            "SELECT (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint
             FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = to_regclass($1) AND c.relname ~ '_[0-9]{8}$' ORDER BY 1",
            &[(&parent, Type::TEXT)],
        )
        .await?;
    found.iter().map(|row| Ok(UnixDay(time(row.try_get(0)?)))).collect()
}

/// A partition that is about to be dropped. Until the end of the transaction it takes no writes, while all of it is read and all
/// else written to: what is slow is done before anybody waits.
pub(super) struct ClosedPartition<'a> {
    transaction: &'a Transaction<'a>,
    pen: &'a WriteContext,
    table: &'static str,
    pub(super) name: String,
    rows: u64,
}

impl<'a> ClosedPartition<'a> {
    /// `None`: the table has no partition for this day.
    pub(super) async fn of(
        transaction: &'a Transaction<'a>, pen: &'a WriteContext, table: &'static str, day: UnixDay,
    ) -> Result<Option<Self>, StepError> {
        let name = day.table(table);
        if !exists(transaction, pen, &name).await? {
            return Ok(None);
        }
        transaction.batch_execute(&pen.sql(&format!("LOCK TABLE @{name} IN SHARE MODE"))).await?;
        let sql = pen.sql(&format!("SELECT count(*) FROM @{name}"));
        let rows = time(transaction.query_typed_one(&sql, &[]).await?.try_get(0)?);
        Ok(Some(Self { transaction, pen, table, name, rows }))
    }

    /// Drops it, after the rows whose `key` is one of these went to the rest: how many are gone. Users of the table wait for
    /// this, and a writer that waits for the partition already makes it fail: nothing is dropped then.
    pub(super) async fn drop_but(
        self, key: &str, kept: &(dyn ToSql + Sync), kind: Type,
    ) -> Result<u64, StepError> {
        let Self { transaction, pen, table, name, rows } = self;
        transaction
            .batch_execute(&pen.sql(&format!("ALTER TABLE @{table} DETACH PARTITION @{name}")))
            .await?;
        let sql = format!("INSERT INTO @{table} SELECT p.* FROM @{name} p WHERE p.{key} = ANY($1)");
        let kept = transaction.execute_typed(&pen.sql(&sql), &[(kept, kind)]).await?;
        transaction.batch_execute(&pen.sql(&format!("DROP TABLE @{name}"))).await?;
        Ok(rows.saturating_sub(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (at, digits) in [
            (0, "19700101"),
            (951_782_400_000, "20000229"),
            (1_795_305_600_000, "20261122"),
            (4_107_542_400_000, "21000301"),
        ] {
            assert_eq!(UnixDay::of(at + 5).digits(), digits);
            assert_eq!(UnixDay::of(at).end() - UnixDay::of(at).start(), DAY);
        }
    }

    #[test]
    fn bounds_are_in_the_order_of_time() {
        let at = 1_795_305_600_000;
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, at / 1000, 0));
        assert!(first_id(at) <= id && id < first_id(at + 1));
        assert!(run_number(at, 4_095) < run_number(at + 1, 0));
        assert_eq!(run_number(at, 4_096), run_number(at, 0));
        assert!(run_number(3_700_000_000_000, 4_095) < 1 << 53);
    }
}
