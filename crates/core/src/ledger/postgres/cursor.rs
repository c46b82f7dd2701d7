//! How far the events of all processes were read.
//!
//! Leaves are numbered before they are written, so a later number may be seen first. Numbers that were not seen are
//! remembered for a while and looked for again; of one request they always come in the order of its changes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::partitions::UnixDay;
use super::pen::{WriteContext, server_now};
use crate::ledger::row::{RequestEntry, time};

/// How many leaves are read at once, once there were more than [`FEW`].
const BATCH: usize = 512;
/// How many are looked for otherwise. The plan for so few goes by the indexes from any position, so it is made once.
const FEW: usize = 16;
/// For how long a number that was not seen is looked for: longer than any step takes.
const MISSING: Duration = Duration::from_secs(60);
/// How many are looked for at most: the server itself leaves out some numbers when it is restarted.
const MOST_MISSING: usize = 10_000;
/// How far back it is looked, in ms: days before it need not be looked at.
const BACK: u64 = 3_600_000;

/// How far it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct FeedCursor {
    /// The greatest number that was seen.
    seq: i64,
    /// The latest time that was seen.
    at: u64,
    /// Numbers before it that were not seen, and since when.
    missing: BTreeMap<i64, Instant>,
    /// There was more than was read.
    pub(super) is_behind: bool,
}

impl FeedCursor {
    /// What comes now is new, and what is under way.
    pub(super) async fn start(
        client: &PlannedConnection, pen: &WriteContext,
    ) -> Result<Self, StepError> {
        let sql = pen.sql(&format!("SELECT last_value, {} FROM @leaf_seq", server_now()));
        let found = client.query_typed_one(&sql, &[]).await?;
        let last: i64 = found.try_get(0)?;
        let mut cursor = Self {
            seq: last.saturating_sub(1_000).max(0),
            at: time(found.try_get(1)?),
            missing: BTreeMap::new(),
            is_behind: true,
        };
        while cursor.is_behind {
            let seen = cursor.read(client, pen).await?;
            cursor.pass(&seen);
        }
        // Numbers that are already given away and not seen yet.
        let now = Instant::now();
        (cursor.seq.saturating_add(1)..=last).for_each(|number| {
            cursor.missing.insert(number, now);
        });
        cursor.seq = cursor.seq.max(last);
        Ok(cursor)
    }

    /// What comes next, in the order of the numbers.
    pub(super) async fn read(
        &self, client: &PlannedConnection, pen: &WriteContext,
    ) -> Result<Vec<(i64, Option<RequestEntry>)>, StepError> {
        let missing: Vec<i64> = self.missing.keys().copied().collect();
        let back = if pen.clock.is_callers { self.at } else { BACK };
        // A constant: so the plan for any time of this day knows in which days to look.
        let since = UnixDay::of(self.at.saturating_sub(back)).start();
        let part = |leaf, table, which| {
            format!(
                "(SELECT {leaf}, kind, at, approval_id FROM {table} WHERE {leaf} {which} ORDER BY {leaf} LIMIT {limit})",
                limit = self.limit()
            )
        };
        let audit = |which| part("leaf", "@audit", format!("{which} AND at >= {since}"));
        let sql = pen.sql(&format!(
            "{} UNION ALL {} UNION ALL {} UNION ALL {} ORDER BY 1 LIMIT {}",
            part("id", "@leaf", "> $1".to_owned()),
            part("id", "@leaf", "= ANY($2)".to_owned()),
            audit("> $1"),
            audit("= ANY($2)"),
            self.limit(),
        ));
        let found = client
            .query_typed(&sql, &[(&self.seq, Type::INT8), (&missing, Type::INT8_ARRAY)])
            .await?;
        found
            .iter()
            .map(|row| {
                let seq = row.try_get(0)?;
                let about: Option<Uuid> = row.try_get(3)?;
                let news = match about {
                    Some(id) => Some(RequestEntry {
                        seq,
                        kind: row.try_get(1)?,
                        at: time(row.try_get(2)?),
                        id,
                    }),
                    None => None,
                };
                Ok((seq, news))
            })
            .collect()
    }

    fn limit(&self) -> usize {
        if self.is_behind { BATCH } else { FEW }
    }

    /// Comes behind what was read.
    pub(super) fn pass(&mut self, seen: &[(i64, Option<RequestEntry>)]) {
        let now = Instant::now();
        self.is_behind = seen.len() == self.limit();
        for (seq, news) in seen {
            self.missing.remove(seq);
            for number in self.seq.saturating_add(1)..*seq {
                if self.missing.len() >= MOST_MISSING {
                    break;
                }
                self.missing.insert(number, now);
            }
            self.seq = self.seq.max(*seq);
            self.at = self.at.max(news.as_ref().map_or(0, |news| news.at));
        }
        self.missing.retain(|_, since| since.elapsed() < MISSING);
    }
}
