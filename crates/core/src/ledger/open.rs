//! Ledgers by their names: `memory:`, `sqlite:path`, `postgres://…`.

use std::path::{Path, PathBuf};

use super::postgres::{PostgresLedger, PostgresSettings};
use super::sqlite::SqliteLedger;
use super::{Ledger, LedgerError, LedgerErrorKind, OpenOptions};

/// Where a durable ledger is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerLocation {
    /// In this process' memory.
    Memory,
    /// A file of SQLite; `None`: a temporary one of its own, which goes when it is closed.
    Sqlite(Option<PathBuf>),
    /// On a server.
    Postgres(Box<PostgresSettings>),
}

impl LedgerLocation {
    /// Reads `memory:`, `sqlite:path` or `postgres://…`; a relative path starts at `cwd`.
    pub fn parse(name: &str, cwd: &Path) -> Result<Self, LedgerError> {
        match name.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("sqlite", "")) => Ok(Self::Sqlite(None)),
            Some(("sqlite", path)) if !path.contains('\0') => {
                Ok(Self::Sqlite(Some(cwd.join(path))))
            }
            Some(("postgres" | "postgresql", _)) => {
                Ok(Self::Postgres(Box::new(PostgresSettings::parse(name)?)))
            }
            _ => Err(LedgerErrorKind::Io
                .because(format!("{:?} is not a ledger: {OTHER}", harmless_beginning(name)))),
        }
    }
}

const OTHER: &str = "use 'memory:', 'sqlite:path' or 'postgres://user@host/database'";

/// What may be shown of a text that is no ledger. It may hold a password all the same, in any form that others have:
/// `jdbc:postgresql://…?password=…`, `host=… password=…`, `user:password@host`. So all behind its first `:`, `=` or blank is
/// left out, and all of one with an `@`.
fn harmless_beginning(name: &str) -> String {
    if name.contains('@') {
        return "…".to_owned();
    }
    match name.find([':', '=', ' ']) {
        Some(at) => format!("{}…", name.get(..=at).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Opens a durable ledger, and makes it where it is missing.
///
/// # Errors
/// As [`SqliteLedger::open`] and [`PostgresLedger::open`]; `Temporary`: a ledger in memory, which is not opened.
pub fn open(
    location: &LedgerLocation, options: OpenOptions,
) -> Result<Box<dyn Ledger>, LedgerError> {
    match location {
        LedgerLocation::Memory => {
            Err(LedgerErrorKind::Temporary.because("a ledger in memory is not opened"))
        }
        LedgerLocation::Sqlite(path) => Ok(Box::new(SqliteLedger::open(path.as_deref(), options)?)),
        LedgerLocation::Postgres(settings) => {
            Ok(Box::new(PostgresLedger::open((**settings).clone(), options)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ledger_is_shown_as_far_as_it_holds_no_password() {
        for (name, shown) in [
            ("host=127.0.0.1 password=SECRET", "\"host=…\""),
            ("jdbc:postgresql://h/x?user=a&password=SECRET", "\"jdbc:…\""),
            ("postgress://a:SECRET@h/x", "\"…\""),
            ("a:SECRET@h", "\"…\""),
            ("mysql://h/SECRET", "\"mysql:…\""),
            ("h SECRET", "\"h …\""),
            ("ledger.db", "\"ledger.db\""),
        ] {
            let error = LedgerLocation::parse(name, Path::new("/")).unwrap_err().message;
            assert!(error.contains(shown) && !error.contains("SECRET"), "{error}");
        }
    }
}
