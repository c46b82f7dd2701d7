//! The programs that a command line really runs, compared with those that the prover says it can run.
//!
//! - [`sandbox`]: bash and dash among logging stubs
//! - [`generate`]: command lines, from a seed
//! - [`policy`]: the policy of the campaign
//! - [`engine`]: the same policy, judged as users get it
//! - [`explain`]: whether the effects of a script are among the facts
//! - [`check`]: one script
//! - [`minimize`]: a smaller script that goes wrong in the same way
//! - [`opinion`]: the commands that other parsers see in a script
//! - [`campaign`]: many scripts
//! - [`options`]: the same for the options of programs

pub mod campaign;
pub mod check;
pub mod engine;
pub mod explain;
pub mod generate;
pub mod minimize;
pub mod opinion;
pub mod options;
pub mod policy;
pub mod sandbox;
#[cfg(test)]
#[path = "../../core/src/skip.rs"]
mod skip;
#[cfg(target_os = "linux")]
mod spaces;
mod wire;
