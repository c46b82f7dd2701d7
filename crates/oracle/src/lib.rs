//! What a command line really runs, compared with what the prover says it can run.
//!
//! - [`sandbox`]: bash and dash among logging stubs
//! - [`generate`]: command lines, from a seed
//! - [`policy`]: what the campaign allows
//! - [`engine`]: the same policy, judged as users get it
//! - [`explain`]: whether what ran is among the facts
//! - [`check`]: one script
//! - [`minimize`]: a smaller script that goes wrong in the same way
//! - [`opinion`]: what other parsers see in a script
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
#[cfg(target_os = "linux")]
mod spaces;
mod wire;
