//! What can go wrong in a step, before it is told to anybody.

use std::io;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::ledger::{LedgerError, LedgerErrorKind};

/// What a step failed with: an error of SQLite, which still needs the name of the file to be of use to anybody, or an error
/// that is complete. `?` makes one of either.
#[derive(Debug)]
pub enum SqliteFault {
    /// SQLite said no.
    Sqlite(rusqlite::Error),
    /// The step said no.
    Ledger(LedgerError),
}

impl From<rusqlite::Error> for SqliteFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<LedgerError> for SqliteFault {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl SqliteFault {
    /// The error to tell, which names the file and says what to do.
    pub(crate) fn of(self, file: &Path) -> LedgerError {
        match self {
            Self::Ledger(error) => error,
            Self::Sqlite(error) => of_sqlite(&error, file),
        }
    }
}

fn of_sqlite(error: &rusqlite::Error, file: &Path) -> LedgerError {
    use rusqlite::Error as E;
    let kind = match error {
        // "no such column": our statements are what they are, so the schema is not what we made.
        E::SqlInputError { msg, .. } if msg.starts_with("no such ") => LedgerErrorKind::Corrupt,
        E::SqliteFailure(failure, _) | E::SqlInputError { error: failure, .. } => kind_of(*failure),
        // A column that does not hold what its schema says was not written by us.
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::Utf8Error(..)
        | E::InvalidColumnType(..) => LedgerErrorKind::Corrupt,
        _ => LedgerErrorKind::Internal,
    };
    kind.because(format!("the ledger {}: {} ({error})", file.display(), advice(kind)))
}

fn kind_of(failure: ffi::Error) -> LedgerErrorKind {
    use LedgerErrorKind as Kind;
    match failure.code {
        // The log is shorter than what was written to it: somebody cut it off.
        ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_SHORT_READ => {
            Kind::Corrupt
        }
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => Kind::Busy,
        ErrorCode::DiskFull => Kind::Full,
        ErrorCode::ReadOnly => Kind::ReadOnly,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Kind::Corrupt,
        ErrorCode::PermissionDenied
        | ErrorCode::AuthorizationForStatementDenied
        | ErrorCode::CannotOpen => Kind::Permission,
        ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory => Kind::Io,
        _ => Kind::Internal,
    }
}

/// What is the matter and what to do, in half a sentence.
const fn advice(kind: LedgerErrorKind) -> &'static str {
    match kind {
        LedgerErrorKind::Busy => {
            "another process holds it for too long; find it (`fuser` on the file) and let it go on or end it"
        }
        LedgerErrorKind::Full => {
            "its disk is full; free some space, nothing that was acknowledged is lost"
        }
        LedgerErrorKind::ReadOnly => {
            "it cannot be written to; mount its disk for writing or give this user write access"
        }
        LedgerErrorKind::Corrupt => {
            "it is damaged and nothing of it is trusted; restore it from a backup or move it away"
        }
        LedgerErrorKind::Permission => {
            "it cannot be opened; give this user access to the file, its `-wal` and `-shm`, and its directory"
        }
        LedgerErrorKind::Io => {
            "the disk or the memory failed, and nothing was acknowledged; look at the system's log"
        }
        _ => "this is a bug of countersign",
    }
}

/// An error of the file system, when doing something (`"open"`) with a file.
pub(crate) fn of_io(doing: &str, file: &Path, error: &io::Error) -> LedgerError {
    use LedgerErrorKind as Kind;
    let (kind, todo) = match error.kind() {
        io::ErrorKind::PermissionDenied => (Kind::Permission, "give this user access to it"),
        io::ErrorKind::ReadOnlyFilesystem => {
            (Kind::ReadOnly, "mount its disk for writing or open the ledger for reading only")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (Kind::Full, "free some space")
        }
        io::ErrorKind::NotFound => (Kind::Io, "make sure that it and its directory exist"),
        _ => (Kind::Io, "look at the system's log"),
    };
    kind.because(format!("cannot {doing} {}: {error}; {todo}", file.display()))
}
