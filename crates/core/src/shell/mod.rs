//! A command line, taken apart into every command, write, read and variable it can run, or *unknown*. Pure.
//!
//! Not a general parser but a prover: it walks the text once and emits facts, and whatever it does not fully understand,
//! and every limit of its work, becomes an [`What::Unknown`], which nothing allows. Its facts are a superset of what the
//! shell can do: a branch not taken, a loop never entered and a function never called count as if they ran.

pub(crate) mod effects;
mod facts;

pub use facts::{Access, Analysis, Command, Dir, Fact, Piece, Role, Shell, Span, What, Why, Word};

/// Everything that `script`, given to `shell -c`, could do.
///
/// For [`Shell::Sh`] the facts of both bash and dash, so that whoever judges them takes the stricter reading.
pub fn analyze(_script: &str, _shell: Shell) -> Analysis {
    Analysis::unknown(Span { start: 0, end: _script.len() }, Why::NotUnderstood)
}
