//! The rules, the state machine and the ledger behind countersign, without any JavaScript.
//!
//! The rooms; each knows only those before it:
//!
//! - [`call`]: a tool call, its canonical text and its digest
//! - [`approval`]: the request, the decision and the state machine between them. Pure
//! - [`preview`]: what the human sees. Pure
//! - [`shell`]: a command line, taken apart into all that it can do. Pure
//! - [`path`]: where a path really points, and patterns for paths and addresses
//! - [`policy`]: actions, rules and layers; what must be asked about. No clock, and no I/O but through [`path::FileLookup`]
//! - [`layers`]: the policies that count: files, presets, trust, changes
//! - [`ledger`]: what is kept, and the one atomic step for each change
//! - [`files`]: what tools do to the files below one root, and nothing outside of it
//! - [`gate`]: the rooms above, put to work: deadlines, redemptions, events, wake-ups
//!
//! On any failure on the way of a call, the tool does not run: every refusal is a typed value, and no path panics.

pub mod approval;
pub mod call;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod cpu_time;
#[cfg(test)]
mod effort;
pub mod files;
pub mod gate;
pub mod layers;
pub mod ledger;
pub mod path;
pub mod policy;
pub mod preview;
pub mod shell;
#[cfg(test)]
mod skip;
