//! Why a ledger could not do what it was asked to.

use std::fmt;

/// The ledger could not do what it was asked to. Nothing was changed, and nothing may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerError {
    /// What kind of failure it is.
    pub kind: LedgerErrorKind,
    /// What happened, where, and what to do.
    pub message: String,
}

/// The kinds of failure, each with its own code and cure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LedgerErrorKind {
    /// Somebody else holds it for longer than we wait.
    Busy,
    /// There is no space left.
    Full,
    /// It cannot be written to.
    ReadOnly,
    /// What it holds is not what was written.
    Corrupt,
    /// The file is no ledger of ours.
    Foreign,
    /// A later version of this program made it.
    TooNew,
    /// It lies on a file system that several machines share, where locks cannot be trusted.
    NetworkFs,
    /// The system does not let us.
    Permission,
    /// The key for its contents is missing, wrong, or not needed.
    Key,
    /// A ledger in memory was asked for what only lasts elsewhere.
    Temporary,
    /// Another process that lives continues this run.
    RunActive,
    /// There is no such run.
    UnknownRun,
    /// The run has ended.
    RunOver,
    /// Anything else between us and the disk.
    Io,
    /// A bug of ours.
    Internal,
}

impl LedgerErrorKind {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Busy => "ERR_LEDGER_BUSY",
            Self::Full => "ERR_LEDGER_FULL",
            Self::ReadOnly => "ERR_LEDGER_READ_ONLY",
            Self::Corrupt => "ERR_LEDGER_CORRUPT",
            Self::Foreign => "ERR_LEDGER_FOREIGN",
            Self::TooNew => "ERR_LEDGER_TOO_NEW",
            Self::NetworkFs => "ERR_LEDGER_NETWORK_FS",
            Self::Permission => "ERR_LEDGER_PERMISSION",
            Self::Key => "ERR_LEDGER_KEY",
            Self::Temporary => "ERR_LEDGER_TEMPORARY",
            Self::RunActive => "ERR_RUN_ACTIVE",
            Self::UnknownRun => "ERR_UNKNOWN_RUN",
            Self::RunOver => "ERR_RUN_OVER",
            Self::Io => "ERR_LEDGER_IO",
            Self::Internal => "ERR_INTERNAL",
        }
    }

    /// An error of this kind.
    pub fn because(self, message: impl Into<String>) -> LedgerError {
        LedgerError { kind: self, message: message.into() }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for LedgerError {}
