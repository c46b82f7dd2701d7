//! What a ledger says of itself, which the audit vouches for.

use super::codec::ContentSealer;
use crate::ledger::audit::{AuditChain, AuditEntry, AuditNote, NoteKind};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// What `meta` says of a ledger.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::ledger) struct LedgerMeta {
    pub(in crate::ledger) schema: i64,
    pub(in crate::ledger) min_reader: i64,
    pub(in crate::ledger) min_writer: i64,
    pub(in crate::ledger) created_at: i64,
    /// The id of its key; `none`: it has none.
    pub(in crate::ledger) key: String,
    /// The version of the program that opened it last for the first time.
    pub(in crate::ledger) version: String,
}

const NO_KEY: &str = "none";

impl LedgerMeta {
    /// The entry of the audit that says the same.
    pub(in crate::ledger) fn note(&self) -> AuditNote {
        AuditNote::new(NoteKind::Opened)
            .with("schema", self.schema)
            .with("minReader", self.min_reader)
            .with("minWriter", self.min_writer)
            .with("createdAt", self.created_at)
            .with("key", self.key.as_str())
            .with("version", self.version.as_str())
    }

    /// Whether this is the entry that says the same.
    pub(in crate::ledger) fn is_in(&self, entry: &AuditEntry) -> bool {
        let mut chain = AuditChain { seq: entry.seq.saturating_sub(1), at: 0, head: [0; 32] };
        chain.append(&self.note(), entry.at).body == entry.body
    }
}

/// The id of the key, or the word for none.
pub(in crate::ledger) fn key_of(sealer: &ContentSealer) -> String {
    sealer.key().map_or_else(|| NO_KEY.to_owned(), |key| key.id().to_string())
}

/// The key must be the one that the ledger was made with.
pub(in crate::ledger) fn check_key(ours: &str, given: &str) -> Result<(), LedgerError> {
    let message = match (ours, given) {
        (ours, given) if ours == given => return Ok(()),
        (NO_KEY, _) => {
            "the ledger is not encrypted, and a key was given: open it without one, or name another file to make one that is"
                .to_owned()
        }
        (ours, NO_KEY) => {
            format!("the ledger is encrypted: give the key it was made with (its id is {ours})")
        }
        (ours, given) => {
            format!("the ledger is encrypted with another key: its id is {ours}, that of the given one is {given}")
        }
    };
    Err(LedgerErrorKind::Key.because(message))
}
