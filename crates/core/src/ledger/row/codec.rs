//! Values as they are kept.

use crate::approval::{ContentState, Status};
use crate::ledger::seal::{ContentKey, SealedPlace};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// The greatest number that JavaScript holds, and so the last moment there is.
const MOST: u64 = (1 << 53) - 1;

/// A time or a count, as it is kept.
pub(in crate::ledger) fn whole(number: u64) -> i64 {
    i64::try_from(number.min(MOST)).unwrap_or(i64::MAX)
}

/// A time or a count, as it was kept; less than nothing is nothing.
pub(in crate::ledger) fn time(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The number of a status as it is kept: its place among all of them.
pub(in crate::ledger) const fn status_number(status: Status) -> i64 {
    status as i64
}

/// What is left of contents, as it is kept.
pub(in crate::ledger) const fn contents_number(contents: ContentState) -> i64 {
    match contents {
        ContentState::Kept => 0,
        ContentState::Redacted => 1,
        ContentState::Dropped => 2,
    }
}

/// The number of contents that were dropped.
pub(in crate::ledger) const DROPPED: i64 = contents_number(ContentState::Dropped);

/// The same, as it was kept.
pub(in crate::ledger) const fn contents_of(number: i64) -> Option<ContentState> {
    match number {
        0 => Some(ContentState::Kept),
        1 => Some(ContentState::Redacted),
        2 => Some(ContentState::Dropped),
        _ => None,
    }
}

/// What was read is not what was written.
pub(in crate::ledger) fn damaged(what: &str) -> LedgerError {
    LedgerErrorKind::Corrupt.because(format!(
        "{what} is not what was written, and nothing is done with it: run `countersign audit verify` and restore a backup"
    ))
}

/// A bug of ours.
pub(in crate::ledger) fn internal(message: impl Into<String>) -> LedgerError {
    LedgerErrorKind::Internal.because(message)
}

/// Seals contents, where there is a key.
#[derive(Debug, Default)]
pub(in crate::ledger) struct ContentSealer(Option<ContentKey>);

impl ContentSealer {
    pub(in crate::ledger) fn new(key: Option<ContentKey>) -> Self {
        Self(key)
    }

    pub(in crate::ledger) fn key(&self) -> Option<&ContentKey> {
        self.0.as_ref()
    }

    /// A text as it is kept in this column of this row.
    pub(in crate::ledger) fn seal(
        &self, row: &[u8], column: &'static str, text: &str,
    ) -> Result<Vec<u8>, LedgerError> {
        match &self.0 {
            Some(key) => key.seal(SealedPlace { row, column }, text.as_bytes()),
            None => Ok(text.into()),
        }
    }

    /// The text that is kept in this column of this row.
    pub(in crate::ledger) fn open(
        &self, row: &[u8], column: &'static str, kept: &[u8],
    ) -> Result<String, LedgerError> {
        let plain = match &self.0 {
            Some(key) => key.open(SealedPlace { row, column }, kept)?,
            None => kept.to_vec(),
        };
        String::from_utf8(plain).map_err(|_| damaged(&format!("a text in the column `{column}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_statuses_stay() {
        let names = [
            "pending",
            "approved",
            "edited",
            "rejected",
            "responded",
            "skipped",
            "expired",
            "cancelled",
            "started",
            "succeeded",
            "failed",
            "interrupted",
        ];
        assert_eq!(Status::ALL.map(Status::name), names);
        for (place, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status_number(status), place as i64);
        }
    }

    #[test]
    fn times_are_those_of_javascript() {
        assert_eq!(whole(u64::MAX), 9_007_199_254_740_991);
        assert_eq!((whole(5), time(5), time(-1)), (5, 5, 0));
    }
}
