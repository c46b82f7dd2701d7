//! What happened, in order, chained so that a later change is detected.
//!
//! Each change of the ledger is an [`AuditEntry`]: a canonical JSON text and a hash over it and the hash before it. A holder of
//! the last hash, as a [`Checkpoint`] that was signed and kept elsewhere, can tell whether anything before it was changed,
//! dropped, added or moved. Without such a head, a writer of the file can make a whole new chain, or drop its end, unseen. Pure:
//! no clock, no I/O.

mod chain;
mod checkpoint;
mod line;
mod note;
mod signed;
#[cfg(test)]
mod tests;
mod verify;

pub use chain::{AuditChain, AuditEntry, BrokenLink, EntryFault, GENESIS};
pub use checkpoint::{Checkpoint, InvalidCheckpoint};
pub use line::{ExportLine, InvalidLine};
pub use note::{AuditNote, NoteKind, NoteValue, RuleAt};
pub use signed::{InvalidNote, SigningKey, VerifiedNote, VerifyingKey, open, sign};
pub use verify::{HeadStanding, LogHead, LogVerifier, VerifiedLog, verify};
