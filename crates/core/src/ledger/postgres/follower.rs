//! Reads on in what happened, of all processes, and tells the feed.
//!
//! Leaves are numbered before they are written, so a later number may be seen first. Numbers that were not seen are
//! remembered for a while and looked for again; of one request they always come in the order of its changes.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use tokio::sync::broadcast::error::RecvError;
use tokio::time::{sleep, timeout};
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::Connection;
use super::fault::Fault;
use super::open::Core;
use super::partitions::Day;
use super::pool::Patience;
use super::rows;
use crate::approval::ApprovalId;
use crate::ledger::row::{News, Row, time};

/// How many leaves are read at once, once there were more than [`FEW`].
const BATCH: usize = 512;
/// How many are looked for otherwise. The plan for so few goes by the indexes whatever was read so far, so it is made once.
const FEW: usize = 16;
/// For how long a number that was not seen is looked for: longer than any step takes.
const MISSING: Duration = Duration::from_secs(60);
/// How many are looked for at most: the server itself leaves out some numbers when it is restarted.
const MOST_MISSING: usize = 10_000;
/// How far back it is looked, in ms: days before it need not be looked at.
const BACK: u64 = 3_600_000;

/// How far it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Cursor {
    /// The greatest number that was seen.
    seq: i64,
    /// The latest time that was seen.
    at: u64,
    /// Numbers before it that were not seen, and since when.
    missing: BTreeMap<i64, Instant>,
    /// There was more than was read.
    is_behind: bool,
}

impl Cursor {
    /// What comes now is new, and what is under way.
    async fn start(client: &Connection, core: &Core) -> Result<Self, Fault> {
        let sql = core
            .pen
            .sql(&format!("SELECT last_value, {} FROM @leaf_seq", super::pen::server_now()));
        let found = client.query_typed_one(&sql, &[]).await?;
        let last: i64 = found.try_get(0)?;
        let mut cursor = Self {
            seq: last.saturating_sub(1_000).max(0),
            at: time(found.try_get(1)?),
            missing: BTreeMap::new(),
            is_behind: true,
        };
        while cursor.is_behind {
            let seen = cursor.read(client, core).await?;
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
    async fn read(
        &self, client: &Connection, core: &Core,
    ) -> Result<Vec<(i64, Option<News>)>, Fault> {
        let missing: Vec<i64> = self.missing.keys().copied().collect();
        let back = if core.pen.clock.is_callers { self.at } else { BACK };
        // A constant: so the plan for any time of this day knows in which days to look.
        let since = Day::of(self.at.saturating_sub(back)).start();
        let part = |leaf, table, which| {
            format!(
                "(SELECT {leaf}, kind, at, approval_id FROM {table} WHERE {leaf} {which} ORDER BY {leaf} LIMIT {limit})",
                limit = self.limit()
            )
        };
        let audit = |which| part("leaf", "@audit", format!("{which} AND at >= {since}"));
        let sql = core.pen.sql(&format!(
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
                    Some(id) => {
                        Some(News { seq, kind: row.try_get(1)?, at: time(row.try_get(2)?), id })
                    }
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
    fn pass(&mut self, seen: &[(i64, Option<News>)]) {
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

impl Core {
    /// Whoever calls this is told of what happens from now on.
    pub(super) async fn start_following(&self) -> Result<(), Fault> {
        if self.follows.borrow().is_some() {
            return Ok(());
        }
        let cursor = self.pool.again(async |client| Cursor::start(client, self).await).await?;
        self.follows.send_if_modified(|follows| {
            let is_first = follows.is_none();
            if is_first {
                *follows = Some(cursor);
            }
            is_first
        });
        Ok(())
    }

    /// Reads on until it is closed, once somebody follows.
    pub(super) async fn read_on(&self) {
        let mut hints = self.listener.hints();
        let mut follows = self.follows.subscribe();
        let mut cursor = tokio::select! {
            // Who follows is told, however soon it is closed.
            biased;
            Ok(cursor) = follows.wait_for(Option::is_some) => cursor.clone().unwrap_or_default(),
            () = self.until_closed() => return,
        };
        let own = self.tag.to_string();
        let mut failures = 0;
        loop {
            // What happened before it was closed is still told.
            let is_closed = *self.closed.borrow();
            match self.pool.once(async |client| self.read_batch(client, &mut cursor).await).await {
                Ok(true) => continue,
                _ if is_closed => return,
                Ok(false) => failures = 0,
                Err(fault) => {
                    failures += 1;
                    let error = fault.of(&self.place);
                    tracing::warn!(target: "countersign", code = error.kind.code(), %error, "cannot follow the ledger");
                    let _ = timeout(Patience::after(failures), self.until_closed()).await;
                    continue;
                }
            }
            let poll = sleep(self.pool.settings.poll);
            tokio::pin!(poll);
            loop {
                tokio::select! {
                    () = self.until_closed() => break,
                    () = self.news.notified() => break,
                    () = &mut poll => break,
                    hint = hints.recv() => match hint {
                        // Of what we did ourselves we know.
                        Ok(hint) if hint.starts_with(&own) => {}
                        Ok(_) | Err(RecvError::Lagged(_)) => break,
                        Err(RecvError::Closed) => {
                            poll.as_mut().await;
                            break;
                        }
                    },
                }
            }
        }
    }

    /// Tells what comes after the cursor, and moves it; whether there may be more.
    async fn read_batch(&self, client: &Connection, cursor: &mut Cursor) -> Result<bool, Fault> {
        let read = cursor.read(client, self).await?;
        let news: Vec<&News> = read
            .iter()
            .filter_map(|(_, news)| news.as_ref())
            .filter(|news| self.is_followed(news.id))
            .collect();
        let rows = self.rows_of(client, &news).await?;
        let mut told = false;
        for news in news {
            let Some(row) = rows.get(&news.id) else { continue };
            if news.is_last(row) {
                self.forget(news.id);
            }
            match news.event(row, &self.pen.sealer) {
                Ok(Some(event)) => {
                    self.feed.push(event);
                    told = true;
                }
                Ok(None) => {}
                Err(error) => cannot_tell(news.id, &error),
            }
        }
        cursor.pass(&read);
        if told {
            self.feed.announce();
        }
        Ok(cursor.is_behind)
    }

    async fn rows_of(
        &self, client: &Connection, news: &[&News],
    ) -> Result<HashMap<ApprovalId, Row>, Fault> {
        let mut ids: Vec<ApprovalId> = news.iter().map(|news| news.id).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let kept = rows::kept_by_plan(client, &self.pen, &ids).await?;
        let before = rows::gone_before(client, &self.pen, &kept).await?;
        let mut rows = HashMap::new();
        for kept in kept {
            let id = kept.id();
            match kept.check(&self.pen, before) {
                Ok(row) => drop(rows.insert(id, row)),
                // Who asks for it is told so.
                Err(Fault::Ledger(error)) => cannot_tell(id, &error),
                Err(fault) => return Err(fault),
            }
        }
        Ok(rows)
    }
}

fn cannot_tell(id: ApprovalId, error: &crate::ledger::LedgerError) {
    tracing::error!(target: "countersign", approval_id = %id, code = error.kind.code(), %error, "cannot be told of");
}
