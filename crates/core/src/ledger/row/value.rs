//! A text beside the requests, as it is kept under its key.

use super::codec::{ContentSealer, damaged, time};
use crate::ledger::seal::RowSeal;
use crate::ledger::{LedgerError, VersionedText};

const COLUMN: &str = "text";

/// A value as it is kept.
pub(in crate::ledger) struct KeptValue {
    pub(in crate::ledger) key: String,
    pub(in crate::ledger) version: i64,
    pub(in crate::ledger) text: Vec<u8>,
    pub(in crate::ledger) seal: [u8; 32],
}

impl KeptValue {
    pub(in crate::ledger) fn new(
        sealer: &ContentSealer, key: &str, version: i64, text: &str,
    ) -> Result<Self, LedgerError> {
        let text = sealer.seal(key.as_bytes(), COLUMN, text)?;
        let mut kept = Self { key: key.to_owned(), version, text, seal: [0; 32] };
        kept.seal = kept.made(sealer);
        Ok(kept)
    }

    fn made(&self, sealer: &ContentSealer) -> [u8; 32] {
        RowSeal::new("value", sealer.key())
            .text("k", Some(&self.key))
            .int("version", Some(self.version))
            .blob(COLUMN, Some(&self.text))
            .done()
    }

    /// What it is, if it is what was written.
    pub(in crate::ledger) fn open(
        &self, sealer: &ContentSealer,
    ) -> Result<VersionedText, LedgerError> {
        if self.made(sealer) != self.seal {
            return Err(damaged(&value_name(&self.key)));
        }
        let text = sealer.open(self.key.as_bytes(), COLUMN, &self.text)?;
        Ok(VersionedText { text: text.into(), version: time(self.version) })
    }
}

/// How a value is called in messages.
pub(super) fn value_name(key: &str) -> String {
    format!("the value {key:?}")
}
