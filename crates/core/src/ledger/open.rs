//! Ledgers by their names: `memory:`, `sqlite:path`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::seal::Key;
use super::sqlite::SqliteLedger;
use super::{Feed, Ledger, LedgerError, LedgerErrorKind};

/// Where a ledger that lasts is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this process' memory.
    Memory,
    /// A file of SQLite; `None`: a temporary one of its own, which goes when it is closed.
    Sqlite(Option<PathBuf>),
}

impl Location {
    /// Reads `memory:` or `sqlite:path`; a relative path starts at `cwd`.
    pub fn parse(name: &str, cwd: &Path) -> Result<Self, LedgerError> {
        match name.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("sqlite", "")) => Ok(Self::Sqlite(None)),
            Some(("sqlite", path)) if !path.contains('\0') => {
                Ok(Self::Sqlite(Some(cwd.join(path))))
            }
            Some(("postgres" | "postgresql", _)) => Err(LedgerErrorKind::Io
                .because("this version has no ledger in PostgreSQL: use 'sqlite:path'")),
            _ => Err(LedgerErrorKind::Io
                .because(format!("{name:?} is no ledger: use 'memory:' or 'sqlite:path'"))),
        }
    }
}

/// How a ledger that lasts is opened.
#[derive(Debug)]
pub struct OpenOptions {
    /// Seals its contents. A ledger is made with a key or without one, and opened with the same.
    pub key: Option<Key>,
    /// Nothing is written, and no file is made.
    pub read_only: bool,
    /// What happens is told here.
    pub feed: Arc<Feed>,
    /// ms since the epoch.
    pub now: u64,
}

/// Opens a ledger of SQLite, and makes it where there is none.
pub fn open(path: Option<&Path>, options: OpenOptions) -> Result<Box<dyn Ledger>, LedgerError> {
    Ok(Box::new(SqliteLedger::open(path, options)?))
}
