//! The stores that the tools work on.

mod ledger;
mod lines;
mod sqlite;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::{Deserialize, Serialize};

/// A tool or a store failed. After an operation that failed, it is unknown whether it happened.
#[derive(Debug)]
pub struct ProofError(pub String);

impl fmt::Display for ProofError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ProofError {}

macro_rules! failure_from { ($($error:ty),*) => { $(
    impl From<$error> for ProofError {
        fn from(error: $error) -> Self {
            Self(error.to_string())
        }
    }
)* } }
failure_from!(
    std::io::Error,
    countersign_core::ledger::LedgerError,
    rusqlite::Error,
    serde_json::Error,
    String
);

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAnswer {
    /// Its id.
    pub id: Arc<str>,
    /// Whether this step made it.
    pub created: bool,
}

/// The answer to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecideAnswer {
    /// This decision stands.
    Won,
    /// The decision of this decider stands.
    Already(Arc<str>),
    /// There is no such request.
    Unknown,
}

/// The state of a request, as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestState {
    /// The name of its [`Status`].
    pub status: Arc<str>,
    /// Who decided.
    pub by: Option<Arc<str>>,
}

impl RequestState {
    /// A status and who decided.
    pub fn new(status: Status, by: Option<&str>) -> Self {
        Self { status: status.name().into(), by: by.map(Into::into) }
    }
}

/// A request in the store.
#[derive(Debug, Clone)]
pub struct RequestRow {
    /// Its id.
    pub id: Arc<str>,
    /// Its key.
    pub key: Arc<str>,
    /// Its state.
    pub state: RequestState,
}

/// An entry of the audit log.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// `requested`, `decided`, `started`, `settled`, …
    pub kind: Arc<str>,
    /// The request it is about.
    pub id: Arc<str>,
    /// Who decided.
    pub by: Option<Arc<str>>,
}

/// The whole contents of a store.
#[derive(Debug, Default)]
pub struct StoreSnapshot {
    /// Every request.
    pub rows: Vec<RequestRow>,
    /// Every entry of the audit log, in order.
    pub audit: Vec<AuditEntry>,
    /// The damage that the store itself found: a broken chain, a damaged page, a seal that does not fit.
    pub damage: Vec<String>,
}

/// A ledger, as far as the tools need one. Each method is one atomic step, and durable once it answers.
pub trait ProofStore: Send + Sync {
    /// Makes a request under a key, once: the same key again finds the existing request.
    fn request(&self, key: &str) -> Result<RequestAnswer, ProofError>;
    /// Approves or rejects. The first decision stands.
    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<DecideAnswer, ProofError>;
    /// Redeems an approval, once. The error is the status of the request, `None` if it is unknown.
    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, ProofError>;
    /// A started call has succeeded; `false`: it was not running.
    fn finish(&self, id: &str) -> Result<bool, ProofError>;
    /// The state of a request.
    fn get(&self, id: &str) -> Result<Option<RequestState>, ProofError>;
    /// The whole contents, with every check of the store.
    fn examine(&self) -> Result<StoreSnapshot, ProofError>;
}

/// The names of all stores, with their descriptions.
pub const NAMES: &[(&str, &str)] = &[
    ("ledger", "the ledger of countersign in SQLite: keeps its word"),
    ("engine", "its engine alone, under a small schema: keeps its word"),
    ("sqlite-full", "SQLite, synchronous=FULL: keeps its word"),
    ("sqlite-normal", "SQLite, synchronous=NORMAL: loses commits when the power goes"),
    ("sqlite-off", "SQLite, synchronous=OFF: loses commits, or all, when the power goes"),
    ("sqlite-racy", "SQLite, where a decision is a read and then a write: decides twice"),
    ("lines", "a file of lines, synced before each answer; one process"),
    ("lines-late", "the same, answered before it is synced: loses lines when the power goes"),
    ("lines-buffered", "the same, answered before it is written: loses lines to a kill"),
];

/// Opens or makes the store of this name in a folder.
pub fn open(name: &str, dir: &Path) -> Result<Box<dyn ProofStore>, ProofError> {
    use lines::{LineStore, SyncPolicy};
    use sqlite::{DecideMode, SqliteStore};
    Ok(match name {
        "ledger" => Box::new(ledger::LedgerStore::open(dir)?),
        "engine" => Box::new(SqliteStore::on_the_engine(dir)?),
        "sqlite-full" => Box::new(SqliteStore::open(dir, "FULL", DecideMode::Once)?),
        "sqlite-normal" => Box::new(SqliteStore::open(dir, "NORMAL", DecideMode::Once)?),
        "sqlite-off" => Box::new(SqliteStore::open(dir, "OFF", DecideMode::Once)?),
        "sqlite-racy" => Box::new(SqliteStore::open(dir, "FULL", DecideMode::LookThenWrite)?),
        "lines" => Box::new(LineStore::open(dir, SyncPolicy::Synced)?),
        "lines-late" => Box::new(LineStore::open(dir, SyncPolicy::Late)?),
        "lines-buffered" => Box::new(LineStore::open(dir, SyncPolicy::Buffered)?),
        _ => {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(ProofError(format!("no store {name:?}; there are {}", names.join(", "))));
        }
    })
}
