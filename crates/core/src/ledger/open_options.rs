//! What a ledger is opened with.

use std::sync::Arc;

use super::EventFeed;
use super::seal::ContentKey;

/// How a durable ledger is opened.
#[derive(Debug)]
pub struct OpenOptions {
    /// Seals its contents. A ledger is made with a key or without one, and opened with the same.
    pub key: Option<ContentKey>,
    /// Nothing is written, and no file is made.
    pub read_only: bool,
    /// What happens is told here.
    pub feed: Arc<EventFeed>,
    /// ms since the epoch.
    pub now: u64,
}
