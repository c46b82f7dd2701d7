//! The ledger on a server: PostgreSQL, for several machines.
//!
//! Each change is one statement that changes a row if it is still as it was looked at, and writes its leaf of the audit with
//! it. Times are the server's. What others are told through (`NOTIFY`) is only a hint; what counts is read.

mod archive;
mod check;
mod clock;
mod column;
mod connection;
mod cursor;
mod fault;
mod follower;
mod held;
mod ledger;
mod ledger_core;
mod listener;
mod lists;
mod meta;
mod migrate;
mod names;
mod notify;
mod open;
mod owners;
mod params;
mod partitions;
mod pen;
mod pool;
mod retention;
mod rows;
mod run_steps;
mod runs;
mod schema;
mod sequencer;
mod settings;
mod steps;
#[cfg(test)]
pub(super) mod tests;
mod tls;
mod values;
mod write;

pub use ledger::PostgresLedger;
pub use settings::PostgresSettings;
