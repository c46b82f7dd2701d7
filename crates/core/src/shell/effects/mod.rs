//! What well-known programs do with their arguments: which files they read and write, which addresses they use, and which
//! of their options run code. Pure tables.
//!
//! The tables are texts in `programs/`, with one reader ([`read`]) for all that is asked about programs. What does not fit
//! a table (the scripts of sed and awk, `dd of=`) is a small function that a table names ([`special`]). The tables are a
//! superset: where two versions of a program differ, both readings count. A program's options are all in its table, and one
//! that is not makes the command unknown; a program whose options are not described says so (`open`).

mod archives;
mod awk;
mod checkers;
mod classify;
mod copy;
mod described;
mod document;
mod download;
mod editors;
mod git;
mod git_refs;
mod interpreters;
pub(super) mod launch;
mod network;
mod packages;
mod parts;
mod read;
mod readers;
mod search;
mod sed;
mod spec;
mod special;
mod system;
#[cfg(test)]
mod tests;
mod text;
mod uses;
mod walk;
mod words;
mod writers;

use std::sync::LazyLock;

pub(super) use self::search::{Search, searched};
pub(crate) use classify::{
    Knowledge, goes_through_links, kind, knowledge_of, reads_names_only, special_like,
    takes_data_only,
};
pub use classify::{is_interpreter_or_launcher, subcommand_depth};
pub(super) use classify::{language, leads};
pub use described::{Arity, Described, DescribedOption, described};
pub use document::programs_document;
pub(crate) use parts::{Parts, parts};
pub(crate) use spec::Kind;
pub(super) use spec::Language;

use self::read::Tables;
use super::{Access, Why, Word};

/// What a command does through its arguments. Indices are into its argv.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Effects {
    /// Files used. What is used without an argument that says so (`ls`, `grep -r x`) has the index 0.
    pub(crate) paths: Vec<PathUse>,
    /// Addresses used: the argument, and the address in it.
    pub(crate) urls: Vec<(usize, Word)>,
    /// Arguments that make the command unknown: options that run code, and what is no option that the program is known to
    /// have where such an option could be meant. Of an option with a value it is the word that holds the value. An index
    /// past the last argument says that no rule can name what runs (a shell that reads its standard input).
    pub(crate) unknown: Vec<(usize, Why)>,
    /// From which argument on, and behind how many of its bytes, stands a command that it runs.
    pub(crate) launches: Option<(usize, usize)>,
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

/// The tables, one per kind of program.
const TEXTS: &[&str] = &[
    include_str!("programs/download.txt"),
    include_str!("programs/archives.txt"),
    include_str!("programs/checkers.txt"),
    include_str!("programs/editors.txt"),
    include_str!("programs/git.txt"),
    include_str!("programs/interpreters.txt"),
    include_str!("programs/network.txt"),
    include_str!("programs/others.txt"),
    include_str!("programs/packages.txt"),
    include_str!("programs/readers.txt"),
    include_str!("programs/search.txt"),
    include_str!("programs/system.txt"),
    include_str!("programs/text.txt"),
    include_str!("programs/writers.txt"),
];

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(TEXTS));

/// All that is known of programs.
fn tables() -> &'static Tables {
    &TABLES
}

/// What this command does with its arguments. A program that is not known does nothing that could be said.
///
/// `files`: words that stand for one file or several, none of which is an option, even where they split (what `find -exec`
/// adds below a root that is known).
pub(crate) fn of(argv: &[Word], files: &[Word]) -> Effects {
    let Some(name) = argv.first().and_then(Word::literal) else { return Effects::default() };
    let base = name.rsplit('/').next().unwrap_or(name);
    match tables().program(base) {
        Some(program) => walk::walk(program, argv, files, 1),
        None => Effects::default(),
    }
}
