//! Entries, each bound to all before it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

use super::AuditNote;
use super::note::MOST_WHOLE;
use crate::call::CanonicalJson;

/// The hash before the first entry.
pub const GENESIS: [u8; 32] = [0; 32];

/// Something that happened, bound to all that happened before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number, from 1. There are no gaps.
    pub seq: u64,
    /// When, in ms since the epoch; never before the entry before it.
    pub at: u64,
    /// What: canonical JSON, which also says `seq` and `at`.
    pub body: String,
    /// `SHA-256("countersign-audit-v1\0" ‖ the hash before it ‖ body)`.
    pub hash: [u8; 32],
}

/// How far a chain has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditChain {
    /// The number of the last entry; 0: no entry.
    pub seq: u64,
    /// When the last entry was made, in ms since the epoch.
    pub at: u64,
    /// The hash of the last entry.
    pub head: [u8; 32],
}

impl Default for AuditChain {
    fn default() -> Self {
        Self { seq: 0, at: 0, head: GENESIS }
    }
}

/// The chain does not go on with what stands in the place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} of the audit log {fault}")]
pub struct BrokenLink {
    /// The number of the first entry that is not what was written.
    pub seq: u64,
    /// What is wrong there.
    pub fault: EntryFault,
}

/// What is wrong in the place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// It is not the text that its hash was made of.
    #[error("was changed")]
    Changed,
    /// It is gone: a later one stands there.
    #[error("is missing: entry {found} stands in its place")]
    Missing {
        /// The number of the entry that stands there.
        found: u64,
    },
    /// It comes later: another one stands there.
    #[error("is out of order: entry {found} stands in its place")]
    OutOfOrder {
        /// The number of the entry that stands there.
        found: u64,
    },
    /// An earlier one stands there once more.
    #[error("is not there: entry {found} stands in its place once more")]
    Duplicate {
        /// The number of the entry that stands there.
        found: u64,
    },
    /// The log does not begin where it should.
    #[error("should be the first, and entry {found} is")]
    WrongFirst {
        /// The number of the entry that comes first.
        found: u64,
    },
}

/// What every body says.
#[derive(Deserialize)]
pub(super) struct BodyFields {
    pub(super) seq: u64,
    pub(super) at: u64,
    #[serde(rename = "kind")]
    _kind: String,
}

impl AuditChain {
    /// Adds an entry. Its time is `at`, or that of the entry before it where that is later.
    pub fn append(&mut self, note: &AuditNote, at: u64) -> AuditEntry {
        let seq = self.seq.saturating_add(1);
        let at = at.max(self.at).min(MOST_WHOLE);
        let body = note.body(seq, at);
        let hash = self.hash(&body);
        *self = Self { seq, at, head: hash };
        AuditEntry { seq, at, body, hash }
    }

    /// Adds what was written before it had a place: the text of [`AuditNote::leaf`]. Its time is its own, or that of the entry
    /// before it where that is later. `None`: it is no such text, and the chain is as it was.
    pub(in crate::ledger) fn adopt(&mut self, leaf: &str) -> Option<AuditEntry> {
        let said: BodyFields = serde_json::from_str(leaf).ok()?;
        let seq = self.seq.saturating_add(1);
        let at = said.at.max(self.at).min(MOST_WHOLE);
        let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_str(leaf).ok()?;
        let place = [("seq", seq), ("at", at)].map(|(name, value)| (name, to_raw_value(&value)));
        for (name, value) in &place {
            fields.insert(name, value.as_ref().ok()?);
        }
        let body = serde_json::to_string(&fields).ok()?;
        // Only the canonical text is one that can be checked.
        read(&body)?;
        let hash = self.hash(&body);
        *self = Self { seq, at, head: hash };
        Some(AuditEntry { seq, at, body, hash })
    }

    /// The chain after this entry.
    ///
    /// # Errors
    /// The entry is not the next one, or not as it was written.
    pub fn check(&self, entry: &AuditEntry) -> Result<Self, BrokenLink> {
        let seq = self.seq.saturating_add(1);
        let fault = |fault| Err(BrokenLink { seq, fault });
        // First the hash: only what was written here has it, even if the columns beside the text were changed.
        if self.hash(&entry.body) == entry.hash {
            let said = read(&entry.body).filter(|said| {
                said.seq == seq && entry.seq == seq && said.at == entry.at && said.at >= self.at
            });
            return match said {
                Some(said) => Ok(Self { seq, at: said.at, head: entry.hash }),
                None => fault(EntryFault::Changed),
            };
        }
        let found = entry.seq;
        if found > seq {
            return fault(if self.seq == 0 {
                EntryFault::WrongFirst { found }
            } else {
                EntryFault::Missing { found }
            });
        }
        // Changed, unless it is the entry before it to the bit.
        let again = found == self.seq && entry.hash == self.head;
        fault(if again || found < self.seq {
            EntryFault::Duplicate { found }
        } else {
            EntryFault::Changed
        })
    }

    fn hash(&self, body: &str) -> [u8; 32] {
        Sha256::new()
            .chain_update(b"countersign-audit-v1\0")
            .chain_update(self.head)
            .chain_update(body)
            .finalize()
            .into()
    }
}

/// What a body says of its place, if it is the canonical text of an object that says so.
pub(super) fn read(body: &str) -> Option<BodyFields> {
    // An array of the same values would be read too.
    let said: BodyFields = serde_json::from_str(body).ok().filter(|_| body.starts_with('{'))?;
    let canonical = CanonicalJson::parse(body).ok()?;
    (canonical.as_str() == body && said.seq.max(said.at) <= MOST_WHOLE).then_some(said)
}
