//! What can go wrong between us and the server, and what to do about it.

use tokio_postgres::error::SqlState;

use crate::ledger::{LedgerError, LedgerErrorKind};

/// What a step failed with. `?` makes one of either.
#[derive(Debug)]
pub(super) enum StepError {
    /// The server, or the way to it, said no.
    Server(tokio_postgres::Error),
    /// It took longer than we wait: what became of it is unknown.
    Late,
    /// All connections of this process are in use for longer than we wait.
    Exhausted,
    /// The step said no.
    Ledger(LedgerError),
}

impl From<tokio_postgres::Error> for StepError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<LedgerError> for StepError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl StepError {
    /// Whether the same may go well in a moment: the connection was lost, the server starts or fails over, or two were in
    /// each other's way. What a write then did must be looked at first.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Late => true,
            Self::Exhausted | Self::Ledger(_) => false,
            Self::Server(error) => match error.code() {
                None => is_lost(error),
                Some(code) => {
                    ["08", "57P"].iter().any(|class| code.code().starts_with(class))
                        || [
                            SqlState::T_R_SERIALIZATION_FAILURE,
                            SqlState::T_R_DEADLOCK_DETECTED,
                            SqlState::LOCK_NOT_AVAILABLE,
                            SqlState::QUERY_CANCELED,
                            SqlState::TOO_MANY_CONNECTIONS,
                            // The server that was the primary is a standby now, and another one is found by its name.
                            SqlState::READ_ONLY_SQL_TRANSACTION,
                        ]
                        .contains(code)
                }
            },
        }
    }

    /// Whether the connection is of no use any more.
    pub(super) fn spoils(&self) -> bool {
        match self {
            Self::Late => true,
            Self::Exhausted | Self::Ledger(_) => false,
            Self::Server(error) => error.code().is_none_or(|code| {
                *code == SqlState::READ_ONLY_SQL_TRANSACTION || code.code().starts_with("57P")
            }),
        }
    }

    /// Whether it is of this kind.
    pub(super) fn is(&self, state: &SqlState) -> bool {
        matches!(self, Self::Server(error) if error.code() == Some(state))
    }

    /// The error to tell, which names the place and says what to do.
    pub(super) fn of(self, place: &str) -> LedgerError {
        if self.is(&SqlState::CHARACTER_NOT_IN_REPERTOIRE) {
            return LedgerErrorKind::Io.because(format!(
                "the ledger {place}: PostgreSQL keeps no names with a NUL in them, so nothing was done: use another name"
            ));
        }
        let busy = |why: &str| (LedgerErrorKind::Busy, why.to_owned(), None);
        let (kind, why, own) = match self {
            Self::Ledger(error) => return error,
            Self::Late => busy("the server did not answer in time"),
            Self::Exhausted => busy("all connections of this process are in use"),
            Self::Server(error) => (kind_of(&error), told(&error), own_advice(&error)),
        };
        let advice = own.unwrap_or(advice(kind));
        kind.because(format!("the ledger {place}: {advice} ({why})"))
    }
}

/// How an error begins that is about encryption: it is not over in a moment.
const TLS: &str = "error performing TLS handshake";

/// Whether the error is about the way to the server and not about what was asked of it.
fn is_lost(error: &tokio_postgres::Error) -> bool {
    use std::error::Error as _;
    if error.to_string().starts_with(TLS) {
        return false;
    }
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()) || {
        let text = error.to_string();
        text.starts_with("error connecting")
            || text.starts_with("error communicating")
            || text.starts_with("timeout")
    }
}

/// What the server says, without what was asked of it; of the way to it, the cause.
fn told(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    let text = match error.as_db_error() {
        Some(said) => format!("{} {}", said.code().code(), said.message()),
        None => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    };
    crate::preview::text(&text, 500)
}

fn kind_of(error: &tokio_postgres::Error) -> LedgerErrorKind {
    use LedgerErrorKind as Kind;
    let Some(code) = error.code().map(SqlState::code) else {
        return if is_lost(error) || is_refused(error) { Kind::Io } else { Kind::Internal };
    };
    match code {
        "55P03" | "40001" | "40P01" | "57014" | "53300" | "53400" | "55006" => Kind::Busy,
        "25006" => Kind::ReadOnly,
        "42501" => Kind::Permission,
        "53100" | "53200" | "54000" => Kind::Full,
        // "no such table", "no such column": our statements are what they are, so the tables are not what we made.
        "42P01" | "42703" | "42P10" | "XX001" | "XX002" => Kind::Corrupt,
        "3D000" => Kind::Io,
        code if code.starts_with("28") => Kind::Permission,
        code if code.starts_with("08") || code.starts_with("57") || code.starts_with("58") => {
            Kind::Io
        }
        _ => Kind::Internal,
    }
}

/// Whether there is no way in: of TLS, of the password, of the host's name.
fn is_refused(error: &tokio_postgres::Error) -> bool {
    let text = error.to_string();
    [TLS, "authentication error", "invalid configuration", "error connecting"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// As [`advice`], where the server was reached and something else is the matter.
fn own_advice(error: &tokio_postgres::Error) -> Option<&'static str> {
    if error.code() == Some(&SqlState::INVALID_CATALOG_NAME) {
        return Some("there is no such database; create it, or name another one in the URL");
    }
    error.to_string().starts_with(TLS).then_some(
        "the server was reached, and the connection cannot be encrypted as it must be; look at sslmode and sslrootcert in docs/postgres.md",
    )
}

/// What is the matter and what to do, in half a sentence.
const fn advice(kind: LedgerErrorKind) -> &'static str {
    match kind {
        LedgerErrorKind::Busy => {
            "it is in use for too long; look for locks and slow queries, or give more connections (`pool=` in the URL, max_connections of the server)"
        }
        LedgerErrorKind::Full => {
            "the server has no space left; nothing that was acknowledged is lost"
        }
        LedgerErrorKind::ReadOnly => {
            "the server takes no changes, as a standby does; connect to the primary, or open the ledger for reading only"
        }
        LedgerErrorKind::Permission => {
            "this role may not do that; see the grants in docs/postgres-grants.md, and check user and password"
        }
        LedgerErrorKind::Corrupt => {
            "its tables are not those that were made; restore a backup or choose another `schema=`"
        }
        LedgerErrorKind::Io => {
            "the server cannot be reached; nothing was acknowledged: check the URL, the network and sslmode"
        }
        _ => "this is a bug of countersign",
    }
}
