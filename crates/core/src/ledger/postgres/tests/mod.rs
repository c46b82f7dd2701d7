//! Against a real server: `COUNTERSIGN_TEST_PG=postgres://…`; without it nothing is tested, and that is said.

use super::*;
use crate::ledger::OpenOptions;

/// A schema of its own on the server for tests.
pub(crate) fn url() -> Option<String> {
    let url = std::env::var("COUNTERSIGN_TEST_PG").ok().filter(|url| !url.is_empty());
    let Some(url) = url else {
        eprintln!("skipped: COUNTERSIGN_TEST_PG names no server");
        return None;
    };
    let mark = if url.contains('?') { '&' } else { '?' };
    let schema = format!("t_{}", uuid::Uuid::now_v7().simple());
    Some(format!("{url}{mark}schema={schema}&poll=200"))
}

/// A ledger whose time is what the caller says.
pub(crate) fn by_callers_clock() -> Option<PostgresLedger> {
    let options =
        OpenOptions { key: None, read_only: false, feed: std::sync::Arc::default(), now: 0 };
    Some(PostgresLedger::open_by(Settings::parse(&url()?).unwrap(), options, true).unwrap())
}
