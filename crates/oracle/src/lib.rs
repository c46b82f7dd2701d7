//! What a command line really runs, compared with what the prover says it can run.
//!
//! - [`sandbox`]: bash and dash among logging stubs
//! - [`generate`]: command lines, from a seed

pub mod sandbox;
