//! What a command is called, for those who propose rules about it.

use std::borrow::Cow;

use super::spec::{
    OperandSpec, OperandUse, OptionMeaning, ProgramKind, ProgramSpec, SettingsFiles,
};
use super::{called, read, tables, words};
use crate::shell::{DoubtReason, Word};

/// What the program of this name is. Versions count as the program (`python3.12`), paths by their last component.
pub(crate) fn kind(name: &str) -> ProgramKind {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let plain =
        base.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    let known = |name: &str| tables().program(name).map(|program| program.kind);
    match known(base) {
        None | Some(ProgramKind::Plain) if !plain.is_empty() => {
            known(plain).unwrap_or(ProgramKind::Plain)
        }
        found => found.unwrap_or(ProgramKind::Plain),
    }
}

/// Whether the program of this name takes data alone from the folder that it works in: nothing there says what it does. Of a
/// program without a table that is not known.
pub(crate) fn takes_data_only(name: &str) -> bool {
    called(name).is_some_and(|program| program.data_only)
}

/// Whether an option of this program, in lower case and without its dashes, writes nothing and runs nothing.
pub(crate) fn only_reads(name: &str, option: &str) -> bool {
    let is_read = |meaning: &OptionMeaning| {
        meaning.uses.only_reads() || matches!(meaning.uses, OperandUse::Loads | OperandUse::Keep(_))
    };
    let longs = called(name).into_iter().flat_map(|program| &program.longs);
    let mut meant = longs.filter(|(known, _)| known.eq_ignore_ascii_case(option)).peekable();
    meant.peek().is_some() && meant.all(|(_, meaning)| is_read(meaning))
}

/// Whether the operands of this program are addresses; some programs of its kind take names of files as well.
pub(crate) fn takes_addresses(name: &str) -> bool {
    called(name)
        .is_some_and(|program| matches!(program.operands, OperandSpec::All(OperandUse::Url)))
}

/// Whether the table of this program says all that it reads. Of what runs a project (tests, checkers, compilers) it says what runs.
pub(crate) fn tells_reads(name: &str) -> bool {
    called(name).is_some_and(|program| program.data_only || program.read_by_words)
}

/// Whether the program of this name takes settings alone from variables of any name: neither it nor what it runs puts one into a
/// command line or a path. Of a program without a table that is not known.
pub(crate) fn takes_settings(name: &str) -> bool {
    called(name).is_some_and(|program| program.settings)
}

/// A program that is more than plain and whose name is meant.
pub(crate) fn special_like(is_meant: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut names: Vec<&'static str> = tables().programs().filter(|name| is_meant(name)).collect();
    // The shortest is the one that people know.
    names.sort_unstable_by_key(|name| (name.len(), *name));
    names.into_iter().find(|name| kind(name) != ProgramKind::Plain)
}

/// Whether all that the program of this name runs stands in its arguments, which are looked at: what it would run is judged by
/// itself. Of an interpreter it is not (`python x.py` runs what stands in the file).
pub(crate) fn is_understood(name: &str) -> bool {
    tables().program(name).is_some_and(|program| program.understood.contains(&name))
}

/// Whether the bare name of a program is too broad to be allowed for ever: it runs what it is told, starts other programs,
/// reaches any machine, or does entirely different things by its first argument.
pub fn is_interpreter_or_launcher(name: &str) -> bool {
    kind(name) != ProgramKind::Plain
}

/// How many of the leading words say what a command does: `git status` 2, `npm run test` 3, `ls -la` 1.
///
/// An option ends the count, so that `git -C dir status` is 1: nothing after it is where one would look for it. An empty
/// argv is 0.
pub fn subcommand_depth(argv: &[&str]) -> usize {
    let Some((first, rest)) = argv.split_first() else { return 0 };
    let second = rest.first().copied().unwrap_or("");
    let depth = called(first)
        .map_or(1, |program| program.words + usize::from(program.deeper.contains(&second)));
    let words = rest.iter().take_while(|word| !word.is_empty() && !word.starts_with(['-', '+']));
    1 + words.take(depth - 1).count()
}

/// Whether this program needs no allow of its own, and a command may stand right behind its name.
pub(in crate::shell) fn leads(name: &str) -> bool {
    let direct = |operands| matches!(operands, OperandSpec::Launches(0));
    tables().program(name).is_some_and(|program| program.through && direct(program.operands))
}

/// The characters that a word of this program may begin with and be no operand. Of what has commands all of them.
pub(crate) fn option_marks(name: &str) -> &'static [char] {
    match called(name) {
        Some(program) if matches!(program.operands, OperandSpec::Command) => &['-', '+', '@'],
        Some(program) => match (program.plus, program.at_files) {
            (false, false) => &['-'],
            (true, false) => &['-', '+'],
            (false, true) => &['-', '@'],
            (true, true) => &['-', '+', '@'],
        },
        None => &['-', '+', '@'],
    }
}

/// The name without the `g` that programs of GNU have beside those of the system (`grm`): where that is a program.
pub(crate) fn without_g(name: &str) -> Option<&str> {
    read::plain(name).filter(|plain| tables().has(plain))
}

/// The command among these words to which this argument belongs: what a launcher runs, or the launcher itself.
pub(crate) fn command_of(argv: &[Word], arg: usize) -> Cow<'_, [Word]> {
    command_at(argv, arg).0
}

/// Whether this argument is the name of a command: of the first one, or of one that a launcher runs.
pub(crate) fn is_command_name(argv: &[Word], arg: usize) -> bool {
    command_at(argv, arg).1 == arg
}

/// The same command, and which of the words is its name.
fn command_at(argv: &[Word], arg: usize) -> (Cow<'_, [Word]>, usize) {
    let (mut words, mut from) = (Cow::Borrowed(argv), 0);
    while let Some((at, skip)) = super::of(&words, &[]).launches
        && at > 0
        && from + at <= arg
    {
        let mut rest = words.get(at..).unwrap_or_default().to_vec();
        if let Some(first) = rest.first_mut() {
            *first = words::without(first, skip);
        }
        (words, from) = (Cow::Owned(rest), from + at);
    }
    (words, from)
}

/// Which files a command opens below a folder.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OpenedFiles {
    /// Those of these names: `*.py`. Empty: any file, or it cannot be told.
    pub(crate) names: &'static [&'static str],
    /// Of these names those that it opens where no settings say so. Empty: all.
    pub(crate) first: &'static [&'static str],
    /// It also opens files of any name whose first line names an interpreter in which one of these stands.
    pub(crate) scripts: &'static [&'static str],
    /// Folders that it does not go into.
    pub(crate) leaves_out: &'static [&'static str],
}

/// What the table of this command says of the files that it opens below a folder.
pub(crate) fn opens(argv: &[Word]) -> OpenedFiles {
    let is_other = |word: &Word| words::begins_unknown(word) || word.splits();
    let words = argv.get(1..).unwrap_or_default();
    // An option that names other kinds is one of these.
    let alters = |(_, why): &(usize, DoubtReason)| *why == DoubtReason::Alters;
    if words.iter().any(is_other) || super::of(argv, &[]).unknown.iter().any(alters) {
        return OpenedFiles::default();
    }
    let opening = specs_of(argv).into_iter().flatten().find(|spec| !spec.opens.is_empty());
    opening.map_or_else(OpenedFiles::default, |spec| OpenedFiles {
        names: &spec.opens,
        first: &spec.opens_first,
        scripts: &spec.scripts,
        leaves_out: &spec.leaves_out,
    })
}

/// The tables of this command: of one of a program's commands, where nothing before it could be its name, and of the program.
fn specs_of(argv: &[Word]) -> [Option<&'static ProgramSpec>; 2] {
    let program = argv.first().and_then(Word::literal).and_then(called);
    let command = program.zip(argv.get(1).and_then(Word::literal));
    [command.and_then(|(program, name)| tables().command(program.path, name)), program]
}

/// The files that tell this command what it does, and that none of its words names. Of a program without a table it is not known.
pub(crate) fn settings_of(argv: &[Word]) -> Option<&'static SettingsFiles> {
    let told_by = &called(argv.first().and_then(Word::literal)?)?.told_by;
    told_by.names().next().is_some().then_some(told_by)
}

/// Whether this command loads tests of Python.
pub(crate) fn loads_tests(argv: &[Word]) -> bool {
    let program = argv.first().and_then(Word::literal).and_then(called);
    program.is_some_and(|program| program.loads_tests)
}

/// Of the symlinks below a directory, those that are read through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinksRead {
    /// None.
    Nothing,
    /// Those to files.
    Files,
    /// Those to folders, too.
    All,
}

/// Which symlinks this program reads through, given a directory. Of one that does what the project says all, unless it was seen
/// to leave them alone. The tables of others say which options follow links.
pub(crate) fn links_read(name: &str) -> LinksRead {
    if passes_links(name) {
        LinksRead::Nothing
    } else if always_keeps(name, "past-linked-folders") {
        LinksRead::Files
    } else if always_keeps(name, "through") || !tells_reads(name) {
        LinksRead::All
    } else {
        LinksRead::Nothing
    }
}

/// Whether this program, over all that is below a directory, leaves the symlinks there alone.
pub(crate) fn passes_links(name: &str) -> bool {
    always_keeps(name, "past-links")
}

/// How surely a command shows, or changes, the files of its kinds below a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TakenBelow {
    /// Nothing is known of that.
    Unknown,
    /// Some, as its settings say.
    Some,
    /// Each of them.
    All,
}

/// What this command takes of the files below a directory.
pub(crate) fn takes_below(argv: &[Word]) -> TakenBelow {
    let has = |kept: &str| specs_of(argv).into_iter().flatten().any(|spec| keeps(spec, kept));
    match (has("all-below"), has("some-below")) {
        (true, _) => TakenBelow::All,
        (_, true) => TakenBelow::Some,
        _ => TakenBelow::Unknown,
    }
}

/// What this program, over all that is below a directory, surely does not go into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PassedOver {
    /// Packages of others: `node_modules`.
    pub(crate) modules: bool,
    /// What is no text: the interpreter that a virtual environment links to.
    pub(crate) interpreters: bool,
}

impl PassedOver {
    /// What the program of this name passes over.
    pub(crate) fn by(name: &str) -> Self {
        Self {
            modules: always_keeps(name, "past-modules"),
            interpreters: always_keeps(name, "past-interpreters"),
        }
    }
}

/// Whether the program of this name formats sources: each file that it writes says what it said.
pub(crate) fn is_formatter(program: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "autopep8",
        "biome",
        "black",
        "clang-format",
        "eslint",
        "gofmt",
        "isort",
        "oxlint",
        "prettier",
        "ruff",
        "rustfmt",
        "shfmt",
    ];
    PROGRAMS.contains(&program)
}

/// Whether this program reads of directories the names alone of what is in them.
pub(crate) fn reads_names_only(name: &str) -> bool {
    always_keeps(name, "names")
}

/// Whether this program reads of no file what is in it, whichever of its words names that.
pub(crate) fn opens_no_file(name: &str) -> bool {
    always_keeps(name, "opens-none")
}

/// Whether what this program writes is gone then.
pub(crate) fn deletes(name: &str) -> bool {
    always_keeps(name, "deletes")
}

/// Whether this program may take away what it is given to write, put something else in its place, or change who may do what
/// with it, and so what `/dev/null` is.
pub(crate) fn replaces(name: &str) -> bool {
    deletes(name) || always_keeps(name, "replaces")
}

/// Whether this program runs a command that stands somewhere behind its own words, where it is not looked for.
pub(in crate::shell) fn launches_unseen(name: &str) -> bool {
    always_keeps(name, "opaque")
}

/// Whether what this program runs writes into a file of its own where its output is a terminal.
pub(in crate::shell) fn keeps_output(name: &str) -> bool {
    always_keeps(name, "nohup")
}

fn always_keeps(name: &str, kept: &str) -> bool {
    called(name).is_some_and(|program| keeps(program, kept))
}

fn keeps(program: &ProgramSpec, kept: &str) -> bool {
    let is_it = |uses: &OperandUse| matches!(uses, OperandUse::Keep(name) if *name == kept);
    program.always.iter().any(is_it)
}

/// How much is known of what a command does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectKnowledge {
    /// Nothing: no table has it.
    No,
    /// The options that do something; others count as harmless.
    InPart,
    /// All: an option that is not listed makes it unknown.
    Wholly,
}

/// How much is known of the command that begins with these words: of `git log` what is known of git's command `log`.
pub(crate) fn knowledge_of(words: &[&str]) -> EffectKnowledge {
    let Some((first, mut rest)) = words.split_first() else { return EffectKnowledge::No };
    let Some(mut program) = called(first) else { return EffectKnowledge::No };
    let by = |program: &ProgramSpec| {
        if program.open { EffectKnowledge::InPart } else { EffectKnowledge::Wholly }
    };
    while let Some(parent) = program.names.first() {
        let operand = rest.iter().enumerate().find(|(_, word)| !word.starts_with('-'));
        let Some((at, name)) = operand else { break };
        match tables().command(parent, name) {
            Some(command) => program = command,
            // A command that no table has may be anything.
            None if matches!(program.operands, OperandSpec::Command) => return EffectKnowledge::No,
            None => break,
        }
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    by(program)
}
