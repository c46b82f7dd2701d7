//! What the tools work on.

mod ledger;
mod lines;
mod sqlite;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::{Deserialize, Serialize};

/// A store could not do it. The tools treat it as an operation of which nobody knows whether it happened.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

macro_rules! failure_from { ($($error:ty),*) => { $(
    impl From<$error> for Failure {
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

/// How a request was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Its id.
    pub id: Arc<str>,
    /// Whether this very step made it.
    pub created: bool,
}

/// How a decision was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It stands.
    Won,
    /// This decider's stands.
    Already(Arc<str>),
    /// There is no such request.
    Unknown,
}

/// Where a request stands, as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The name of its [`Status`].
    pub status: Arc<str>,
    /// Who decided.
    pub by: Option<Arc<str>>,
}

impl Seen {
    /// A status and who decided.
    pub fn new(status: Status, by: Option<&str>) -> Self {
        Self { status: status.name().into(), by: by.map(Into::into) }
    }
}

/// A request in the store.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id.
    pub id: Arc<str>,
    /// What it was asked under.
    pub key: Arc<str>,
    /// Where it stands.
    pub seen: Seen,
}

/// An entry of the audit log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `requested`, `decided`, `started`, `settled`, …
    pub kind: Arc<str>,
    /// The request it is about.
    pub id: Arc<str>,
    /// Who decided.
    pub by: Option<Arc<str>>,
}

/// All that a store holds.
#[derive(Debug, Default)]
pub struct Examination {
    /// Every request.
    pub rows: Vec<Row>,
    /// Every entry of the audit log, in order.
    pub audit: Vec<Entry>,
    /// What the store itself found wrong: a broken chain, a damaged page, a seal that does not fit.
    pub damage: Vec<String>,
}

/// A ledger, as far as the tools need one. Each method is one atomic step, and durable once it answers.
pub trait Store: Send + Sync {
    /// Asks under a key, once: the same key again finds what is there.
    fn request(&self, key: &str) -> Result<Asked, Failure>;
    /// Approves or rejects. The first decision stands.
    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<Answer, Failure>;
    /// The one claim on an approval; else where it stands, `None` for what is unknown.
    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, Failure>;
    /// A started call has succeeded; `false`: it was not running.
    fn finish(&self, id: &str) -> Result<bool, Failure>;
    /// Where a request stands.
    fn get(&self, id: &str) -> Result<Option<Seen>, Failure>;
    /// All of it, with every check the store has.
    fn examine(&self) -> Result<Examination, Failure>;
}

/// The names of all stores, with what each is for.
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
pub fn open(name: &str, dir: &Path) -> Result<Box<dyn Store>, Failure> {
    use lines::{Care, Lines};
    use sqlite::{Decide, Sqlite};
    Ok(match name {
        "ledger" => Box::new(ledger::Ledger::open(dir)?),
        "engine" => Box::new(Sqlite::on_the_engine(dir)?),
        "sqlite-full" => Box::new(Sqlite::open(dir, "FULL", Decide::Once)?),
        "sqlite-normal" => Box::new(Sqlite::open(dir, "NORMAL", Decide::Once)?),
        "sqlite-off" => Box::new(Sqlite::open(dir, "OFF", Decide::Once)?),
        "sqlite-racy" => Box::new(Sqlite::open(dir, "FULL", Decide::LookThenWrite)?),
        "lines" => Box::new(Lines::open(dir, Care::Synced)?),
        "lines-late" => Box::new(Lines::open(dir, Care::Late)?),
        "lines-buffered" => Box::new(Lines::open(dir, Care::Buffered)?),
        _ => {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(Failure(format!("no store {name:?}; there are {}", names.join(", "))));
        }
    })
}
