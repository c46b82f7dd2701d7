//! The ledger in a file: SQLite, and what is around it so that several processes may share one and none loses anything.

mod bell;
mod engine;
mod fault;
mod file_system;
mod lock;
mod migrate;
mod owners;
mod place;

pub use bell::ChangeToken;
pub use engine::{Engine, OpenOptions};
pub use fault::Fault;
pub use migrate::Migration;
pub use owners::OwnerId;
