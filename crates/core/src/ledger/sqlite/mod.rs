//! The ledger in a file: SQLite, and what is around it so that several processes may share one and none loses anything.

mod anchor;
mod archive;
mod bell;
mod check;
mod column;
mod engine;
mod executions;
mod fault;
mod file_system;
mod follower;
mod ledger;
mod lock;
mod migrate;
mod opening;
mod owners;
mod place;
mod requests;
mod retention;
mod row;
mod run_steps;
mod runs;
mod schema;
mod step;
#[cfg(test)]
mod tests;
mod values;

pub use bell::ChangeToken;
pub use engine::{OpenOptions, SqliteEngine};
pub use fault::SqliteFault;
pub use ledger::SqliteLedger;
pub use migrate::SchemaMigration;
pub use owners::OwnerId;
