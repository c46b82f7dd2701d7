//! What happened, in order, so that nobody can change it unseen.
//!
//! Each change of the ledger is an [`Entry`]: a canonical JSON text and a hash over it and the hash before it. Whoever has
//! the last hash, as a [`checkpoint::Checkpoint`] that was signed and kept elsewhere, can tell whether anything before it
//! was changed, dropped, added or moved. Pure: no clock, no I/O.

mod chain;
mod note;

pub use chain::{Broken, Chain, Entry, Fault, GENESIS};
pub use note::{Fact, Kind, Note, RuleAt};
