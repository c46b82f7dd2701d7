//! Reads on in what happened, of all processes, and tells the feed.

use std::collections::HashMap;

use tokio::sync::broadcast::error::RecvError;
use tokio::time::{sleep, timeout};

use super::connection::PlannedConnection;
use super::cursor::FeedCursor;
use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::pool::RetryPolicy;
use super::rows;
use crate::approval::ApprovalId;
use crate::ledger::row::{RequestEntry, RequestRow};

impl LedgerCore {
    /// The caller is told of what happens from now on.
    pub(super) async fn start_following(&self) -> Result<(), StepError> {
        if self.follows.borrow().is_some() {
            return Ok(());
        }
        let cursor =
            self.pool.again(async |client| FeedCursor::start(client, &self.pen).await).await?;
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
                    let _ = timeout(RetryPolicy::after(failures), self.until_closed()).await;
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
    async fn read_batch(
        &self, client: &PlannedConnection, cursor: &mut FeedCursor,
    ) -> Result<bool, StepError> {
        let read = cursor.read(client, &self.pen).await?;
        let news: Vec<&RequestEntry> = read
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
        &self, client: &PlannedConnection, news: &[&RequestEntry],
    ) -> Result<HashMap<ApprovalId, RequestRow>, StepError> {
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
                Err(StepError::Ledger(error)) => cannot_tell(id, &error),
                Err(fault) => return Err(fault),
            }
        }
        Ok(rows)
    }
}

fn cannot_tell(id: ApprovalId, error: &crate::ledger::LedgerError) {
    tracing::error!(target: "countersign", approval_id = %id, code = error.kind.code(), %error, "cannot be told of");
}
