//! What well-known programs do with their arguments: which files they read and write, which addresses they use, and which
//! of their options run code. Pure tables.

use super::{Access, Why, Word};

/// What a command does through its arguments. Indices are into its argv.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Effects {
    /// Files used.
    pub(crate) paths: Vec<PathUse>,
    /// Addresses used: the argument, and the address in it.
    pub(crate) urls: Vec<(usize, Word)>,
    /// Arguments that make the command unknown: options that run code, and what is no option that the program is known to
    /// have where such an option could be meant.
    pub(crate) unknown: Vec<(usize, Why)>,
}

/// A file used by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathUse {
    /// The argument.
    pub(crate) arg: usize,
    /// How.
    pub(crate) access: Access,
    /// The file: the argument or a part of it.
    pub(crate) target: Word,
    /// All that is below it too.
    pub(crate) recursive: bool,
}

/// What this command does with its arguments. A program that is not known does nothing that could be said.
pub(crate) fn of(_argv: &[Word]) -> Effects {
    Effects::default()
}
