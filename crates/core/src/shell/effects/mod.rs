//! What well-known programs do with their arguments: which files they read and write, which addresses they use, and which
//! of their options run code. Pure tables.
//!
//! The tables are texts in `programs/`, with one reader ([`read`]) for all that is asked about programs. What does not fit a
//! table (the scripts of sed and awk, `dd of=`) is a small function that a table names ([`special`]). The tables are a superset:
//! where two versions of a program differ, both readings count. A program's options are all in its table, and any other makes the
//! command unknown; a program whose options are not described says so (`open`).

mod archives;
mod awk;
mod checkers;
mod classify;
mod copy;
mod described;
mod document;
mod download;
mod editors;
mod expansion;
mod git;
mod git_refs;
mod git_shown;
mod interpreters;
pub(super) mod launch;
mod modules;
mod moves;
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

pub(crate) use self::checkers::CompilerWords;
pub(super) use self::search::searched;
pub(crate) use classify::{
    EffectKnowledge, LinksRead, OpenedFiles, PassedOver, TakenBelow, command_of, deletes,
    is_command_name, is_formatter, is_understood, kind, knowledge_of, links_read, loads_tests,
    only_reads, opens, opens_no_file, option_marks, passes_links, reads_names_only, replaces,
    settings_of, special_like, takes_addresses, takes_below, takes_data_only, takes_settings,
    tells_reads, without_g,
};
pub use classify::{is_interpreter_or_launcher, subcommand_depth};
pub(super) use classify::{keeps_output, launches_unseen, leads};
pub use described::{DescribedOption, DescribedProgram, OptionArity, described};
pub use document::programs_document;
pub(crate) use expansion::written_out;
pub(crate) use parts::{CommandParts, parts};
pub(super) use spec::ScriptLanguage;
pub(crate) use spec::{ProgramKind, SettingsFiles};
pub(crate) use system::only_asks;
pub(crate) use words::stays_below;
pub(super) use words::{beginning, doubt_of_value, joined, without};

use self::read::ProgramTables;
use self::spec::ProgramSpec;
use super::{DoubtReason, FileAccess, FileLoss, Word};

/// What a command does through its arguments. Indices are into its argv.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CommandEffects {
    /// Files used. What is used without an argument that says so (`ls`, `grep -r x`) has the index 0.
    pub(crate) paths: Vec<PathUse>,
    /// Code, and settings that decide what runs, which must be the project's own: the argument, and the file or directory.
    pub(crate) loads: Vec<(usize, Word)>,
    /// Addresses used: the argument, and the address in it.
    pub(crate) urls: Vec<(usize, Word)>,
    /// Arguments that make the command unknown: options that run code, and what is no option that the program is known to
    /// have where such an option could be meant. Of an option with a value it is the word that holds the value. An index
    /// past the last argument says that no rule can name what runs (a shell that reads its standard input).
    pub(crate) unknown: Vec<(usize, DoubtReason)>,
    /// Scripts for a shell in its words: what they do counts as well, as far as it is known.
    pub(crate) scripts: Vec<Word>,
    /// Whether it makes or moves links or folders: behind it a path may lead elsewhere than the files now say.
    pub(crate) moves: bool,
    /// Whether it makes links that lead to where their targets say, from where they lie.
    pub(crate) makes_links: bool,
    /// From which argument on, and behind how many of its bytes, stands a command that it runs.
    pub(crate) launches: Option<(usize, usize)>,
}

/// A file used by a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PathUse {
    /// The argument.
    pub(crate) arg: usize,
    /// How.
    pub(crate) access: FileAccess,
    /// The file: the argument or a part of it.
    pub(crate) target: Word,
    /// All that is below it too.
    pub(crate) recursive: bool,
    /// What becomes of what is in it.
    pub(crate) loss: FileLoss,
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

static TABLES: LazyLock<ProgramTables> = LazyLock::new(|| ProgramTables::new(TEXTS));

/// All that is known of programs.
fn tables() -> &'static ProgramTables {
    &TABLES
}

/// The last part of a path: of a program's, as denies and asks compare it.
pub(crate) fn base_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    if cfg!(windows) { name.rsplit('\\').next().unwrap_or(name) } else { name }
}

/// The program that is called by this name, or by a path that ends with it.
fn called(name: &str) -> Option<&'static ProgramSpec> {
    tables().program(base_name(name))
}

/// What the words of this command have it use, whichever commands stand beside it.
pub(crate) fn used_by(argv: &[Word]) -> CommandEffects {
    of(argv, &[])
}

/// What a command does to links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinksPut {
    /// It puts none anywhere.
    Nothing,
    /// It puts those that it takes elsewhere.
    Taken,
    /// It makes some.
    Made,
}

/// What this command, or the one that it starts, does to links.
pub(crate) fn links_put(argv: &[Word]) -> LinksPut {
    let effects = used_by(argv);
    let own = match effects {
        CommandEffects { makes_links: true, .. } => LinksPut::Made,
        CommandEffects { moves: true, .. } => LinksPut::Taken,
        _ => LinksPut::Nothing,
    };
    match effects.launches.and_then(|(from, _)| argv.get(from..)) {
        Some(launched) if own == LinksPut::Nothing && launched.len() < argv.len() => {
            links_put(launched)
        }
        _ => own,
    }
}

/// What this command does with its arguments. A program that is not known does nothing that could be said.
///
/// `files`: words that stand for one file or several, never for an option, even where they split (what `find -exec` adds below a
/// root that is known).
pub(crate) fn of(argv: &[Word], files: &[Word]) -> CommandEffects {
    let Some(name) = argv.first().and_then(Word::literal) else { return CommandEffects::default() };
    match called(name) {
        Some(program) => walk::walk(program, argv, files, 1),
        None => CommandEffects::default(),
    }
}
