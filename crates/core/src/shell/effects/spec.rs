//! What is known of a program: its options, what they take, and what they and the operands are used for.

use super::walk::{ArgumentPart, ArgumentWalk};
use crate::shell::DoubtReason;

/// What a file, an address or a text given to a program is used for.
#[derive(Clone, Copy)]
pub(super) enum OperandUse {
    /// Nothing that matters here.
    Nothing,
    /// A file that is read.
    Read,
    /// A directory that is read with all that is below it.
    ReadBelow,
    /// A file that is written.
    Write,
    /// A file that is written, or the output where it is `-`.
    WriteOut,
    /// A directory that is written with all that is below it.
    WriteBelow,
    /// A flag: of what it made itself it deletes this, or it makes it, where it runs. No word speaks of it.
    Clears(&'static str),
    /// A flag: it deletes this with all that is in it, where it runs, and so what others have put there. No word speaks of it.
    Empties(&'static str),
    /// A file that an option names for output or a backup: what was in it is gone, and the program does not make it again.
    Replaces,
    /// A file, or a folder with all that is in it, that is deleted.
    Deletes,
    /// A file that is read and written.
    Change,
    /// A file that is read, and then deleted.
    Takes,
    /// An address.
    Url,
    /// It is, or names, or leads to code that runs: the command is unknown.
    Runs,
    /// A script for a shell: the command is unknown, and what the script does is looked at all the same.
    RunsText,
    /// A file whose content decides what runs: read, and the command is unknown.
    RunsFile,
    /// A file or a directory whose content decides what runs, as that of the project does: read, and the command is unknown
    /// unless it is the project's own.
    Loads,
    /// It opens the network, and no word says where to: the command is unknown.
    Connects,
    /// It shows the environment, or secrets that are kept elsewhere: the command is unknown.
    Shows,
    /// It changes what other words mean: the command is unknown.
    Alters,
    /// The directory that the operands are written into (`cp -t`): all of them are sources.
    Into,
    /// The directory that the operands after it are relative to (`tar -C`).
    Base,
    /// A flag: the operands are used with all that is below them.
    Recursive,
    /// A flag: symlinks below the operands are followed, so that a file anywhere may be read.
    Follows,
    /// A flag: symlinks are followed where all that is below the operands is used.
    FollowsBelow,
    /// A flag: it makes or moves links or folders, so that a path behind the command may lead elsewhere than before it.
    Moves,
    /// Stands for what is otherwise the first operand (`grep -e`).
    Settles,
    /// A file that stands for what is otherwise the first operand (`grep -f`).
    SettlesRead,
    /// Which files it takes below a folder, by their endings: these alone are harmless, with commas between them.
    Kinds(&'static str),
    /// Kept under this name for the program's own code.
    Keep(&'static str),
    /// A flag: it only looks where it otherwise writes, as long as no option stands beside it that is not listed with this
    /// name ([`ProgramSpec::beside`]).
    Looks(&'static str),
    /// The program's own code looks at it.
    Code(fn(&mut ArgumentWalk, ArgumentPart)),
}

impl OperandUse {
    /// Whether all that the option can do is to read.
    pub(super) fn only_reads(self) -> bool {
        matches!(
            self,
            Self::Nothing
                | Self::Read
                | Self::ReadBelow
                | Self::Recursive
                | Self::Follows
                | Self::FollowsBelow
                | Self::Settles
                | Self::SettlesRead
        )
    }

    /// Whether it reads a file.
    pub(super) fn reads(self) -> bool {
        matches!(
            self,
            Self::Read | Self::ReadBelow | Self::SettlesRead | Self::Change | Self::Takes
        )
    }
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionTakes {
    /// None.
    Nothing,
    /// One: attached, after `=`, or the next word.
    Value,
    /// One when it is attached or after `=`.
    Maybe,
    /// The same, or the next word, where that is no option.
    Next,
}

impl OptionTakes {
    /// Whether the next word may be the value where nothing is attached.
    pub(super) fn next(self) -> bool {
        matches!(self, Self::Value | Self::Next)
    }
}

/// An option, without its dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionName {
    /// A letter.
    Short(char),
    /// A long name.
    Long(&'static str),
}

/// One reading of an option. Where versions of a program differ, an option has several, and all count.
#[derive(Clone, Copy)]
pub(super) struct OptionMeaning {
    /// Whether it takes a value.
    pub(super) takes: OptionTakes,
    /// What it, or its value, is used for.
    pub(super) uses: OperandUse,
}

/// What the words that are no options are.
#[derive(Clone, Copy)]
pub(super) enum OperandSpec {
    /// All the same.
    All(OperandUse),
    /// The first is one thing, unless an option [`OperandUse::Settles`] it, and the others another.
    First(OperandUse, OperandUse),
    /// The last is written, the others are its sources.
    Copy(OperandUse),
    /// The first says which of the program's commands runs; what follows is that command's.
    Command,
    /// This many operands, and then a command that it runs. Options end at the first of them.
    Launches(usize),
    /// The program's own code looks at them when all options have been seen.
    Code(fn(&mut ArgumentWalk)),
}

impl OperandSpec {
    /// Whether a word among them can be the name of a file that is read.
    pub(super) fn read(self) -> bool {
        match self {
            Self::All(uses) | Self::Copy(uses) => uses.reads(),
            Self::First(first, rest) => first.reads() || rest.reads(),
            Self::Command | Self::Launches(_) | Self::Code(_) => false,
        }
    }
}

/// Which commands of a program make or move links or folders, with any options: `git pull`, `npm install`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MovingCommands {
    /// These.
    With(Vec<&'static str>),
    /// All but these.
    But(Vec<&'static str>),
}

/// How the program tells options from operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionStyle {
    /// Options may stand anywhere before `--`.
    Anywhere,
    /// Options end at the first operand.
    Leading,
    /// As [`OptionStyle::Anywhere`], and a long name has one dash (`-out FILE`) or two, and no abbreviation.
    OneDash,
    /// As [`OptionStyle::OneDash`], and options end at the first operand.
    OneDashLeading,
    /// The program's own code tells them apart: all words are operands. Names in its table have one dash.
    Own,
}

impl OptionStyle {
    /// Whether a long name has one dash.
    pub(super) fn one_dash(self) -> bool {
        matches!(self, Self::OneDash | Self::OneDashLeading | Self::Own)
    }

    /// Whether options end at the first operand.
    pub(super) fn leading(self) -> bool {
        matches!(self, Self::Leading | Self::OneDashLeading)
    }
}

/// What a program is, for those who propose rules about it or judge how broad a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramKind {
    /// Runs what it is told to run, in the language of a shell.
    Shell,
    /// Runs programs in a language.
    Interpreter,
    /// Starts other programs.
    Launcher,
    /// Does entirely different things by its first argument, code included.
    Family,
    /// Reaches other machines: anywhere, and with any content.
    Reaching,
    /// Edits and runs all that is typed.
    Editor,
    /// Destroys or overwrites all that it is pointed at.
    Blunt,
    /// Nothing of that.
    Plain,
}

/// How the script of a shell is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum ScriptLanguage {
    /// As bash does.
    Bash,
    /// As dash or bash does.
    Sh,
    /// Only lists of plain words are known to mean the same.
    Words,
    /// Something else.
    Other,
}

/// The names of files that tell a program what it does, and that no word of its command names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsFiles {
    /// It looks for these where it runs, and in the folders above.
    pub(crate) here: Vec<&'static str>,
    /// It looks for these in each folder of what it reads, too, and in the folders above.
    pub(crate) below: Vec<&'static str>,
    /// Whether more names than are gone through below a folder are no doubt: those of settings are seldom so deep.
    pub(crate) passes_many: bool,
    /// Those of them that it looks for in the other folders that its settings name, such as those of a workspace.
    pub(crate) members: Vec<&'static str>,
    /// The files that name such folders, and the words by which they do.
    pub(crate) members_by: Vec<(&'static str, Vec<&'static str>)>,
    /// Those of them that go on in the files that their `extends` names.
    pub(crate) extending: Vec<&'static str>,
}

impl SettingsFiles {
    /// All of these names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.here.iter().chain(&self.below).copied()
    }
}

/// A program, or one of its commands.
pub(super) struct ProgramSpec {
    /// Its names.
    pub(super) names: Vec<&'static str>,
    /// The first names of the program and of the commands on the way to this, with dots between them.
    pub(super) path: &'static str,
    /// What it is.
    pub(super) kind: ProgramKind,
    /// Those of its names under which it runs nothing but what its arguments say; these are all looked at.
    pub(super) understood: Vec<&'static str>,
    /// How many words say what it does.
    pub(super) words: usize,
    /// First words behind which one word more belongs to what it does.
    pub(super) deeper: Vec<&'static str>,
    /// The letters of its options, sorted.
    pub(super) shorts: Vec<(char, OptionMeaning)>,
    /// The long names of its options, sorted.
    pub(super) longs: Vec<(&'static str, OptionMeaning)>,
    /// Its operands.
    pub(super) operands: OperandSpec,
    /// How options are told from operands.
    pub(super) style: OptionStyle,
    /// Its options are not described: an unlisted one does nothing that is known.
    pub(super) open: bool,
    /// Whether directories among the operands are always used with all that is below them.
    pub(super) recursive: bool,
    /// What is used of the working directory when there is no operand.
    pub(super) here: OperandUse,
    /// Whether `+x` is an option too.
    pub(super) plus: bool,
    /// Whether `-5` is an option, which does nothing.
    pub(super) digits: bool,
    /// Whether a long name may be cut short.
    pub(super) abbreviates: bool,
    /// Whether a value is the next word alone.
    pub(super) separate: bool,
    /// The options beside which one that [`OperandUse::Looks`] keeps its word, each with the name of that.
    pub(super) beside: Vec<(&'static str, OptionName)>,
    /// What counts as if an option had said it.
    pub(super) always: Vec<OperandUse>,
    /// The files and folders that it makes where it runs, and that no word names.
    pub(super) leaves: Vec<&'static str>,
    /// The files of settings that it reads, and that no word names.
    pub(super) told_by: SettingsFiles,
    /// Whether it loads tests of Python: those that its operands name, or those below where it runs.
    pub(super) loads_tests: bool,
    /// The names of the files that it opens below a folder, which are all that it reads there. Empty: any file.
    pub(super) opens: Vec<&'static str>,
    /// Of these names those that it opens where no settings say so. Empty: all.
    pub(super) opens_first: Vec<&'static str>,
    /// It also opens files of any name whose first line names an interpreter in which one of these stands.
    pub(super) scripts: Vec<&'static str>,
    /// Folders of these names it does not go into, or not without settings that are looked at.
    pub(super) leaves_out: Vec<&'static str>,
    /// Whether a letter may have its value attached where long names have one dash (`-Dx`).
    pub(super) glued: bool,
    /// Whether letters in one word are options of their own, even those that take a value: the last takes the next word.
    pub(super) apart: bool,
    /// Whether a word that begins with `@` names a file that holds more words.
    pub(super) at_files: bool,
    /// Whether a command that is not listed is a program that it runs.
    pub(super) otherwise: bool,
    /// Which of its commands make or move links or folders.
    pub(super) moving: MovingCommands,
    /// Whether `NAME=value` may stand before the command that it runs.
    pub(super) assigns: bool,
    /// Whether it takes options for its own that stand behind the command that it runs, unless `--` stands before that.
    pub(super) shared: bool,
    /// Whether it needs no allow of its own, since what it runs needs one.
    pub(super) through: bool,
    /// Whether it takes data alone from the folder that it works in: nothing there says what it does.
    pub(super) data_only: bool,
    /// Whether its words say all that it reads, though the folder that it works in says what runs.
    pub(super) read_by_words: bool,
    /// Whether a variable of any name is a setting to it, and no part of a command line or a path.
    pub(super) settings: bool,
    /// Why it is unknown with any command.
    pub(super) doubt: Option<DoubtReason>,
    /// The language of the scripts that a shell runs.
    pub(super) language: Option<ScriptLanguage>,
}

impl ProgramSpec {
    /// A program that is known by its names alone.
    pub(super) fn new(names: Vec<&'static str>) -> Self {
        Self {
            path: names.first().copied().unwrap_or_default(),
            names,
            kind: ProgramKind::Plain,
            understood: Vec::new(),
            words: 1,
            deeper: Vec::new(),
            shorts: Vec::new(),
            longs: Vec::new(),
            operands: OperandSpec::All(OperandUse::Nothing),
            style: OptionStyle::Anywhere,
            open: false,
            recursive: false,
            here: OperandUse::Nothing,
            plus: false,
            digits: false,
            abbreviates: true,
            separate: false,
            beside: Vec::new(),
            always: Vec::new(),
            leaves: Vec::new(),
            told_by: SettingsFiles::default(),
            loads_tests: false,
            opens: Vec::new(),
            opens_first: Vec::new(),
            scripts: Vec::new(),
            leaves_out: Vec::new(),
            glued: false,
            apart: false,
            at_files: false,
            otherwise: false,
            moving: MovingCommands::With(Vec::new()),
            assigns: false,
            shared: false,
            through: false,
            data_only: false,
            settings: false,
            read_by_words: false,
            doubt: None,
            language: None,
        }
    }

    /// Whether it matters which of its words are operands, and to which option a value belongs.
    pub(super) fn minds_words(&self) -> bool {
        let nothing = |uses: &OperandUse| matches!(uses, OperandUse::Nothing);
        let operands = match &self.operands {
            OperandSpec::All(uses) => nothing(uses),
            OperandSpec::First(first, rest) => nothing(first) && nothing(rest),
            _ => false,
        };
        !operands || self.at_files || self.plus || !self.meanings().all(|it| nothing(&it.uses))
    }

    /// The readings of a letter.
    pub(super) fn short(&self, letter: char) -> &[(char, OptionMeaning)] {
        let from = self.shorts.partition_point(|(known, _)| *known < letter);
        let rest = self.shorts.get(from..).unwrap_or_default();
        let to = rest.partition_point(|(known, _)| *known <= letter);
        rest.get(..to).unwrap_or_default()
    }

    /// The readings of a long name; of one cut short those of all that it could be.
    pub(super) fn long(&self, name: &str) -> &[(&'static str, OptionMeaning)] {
        let from = self.longs.partition_point(|(known, _)| *known < name);
        let rest = self.longs.get(from..).unwrap_or_default();
        let same = rest.partition_point(|(known, _)| *known == name);
        if same > 0 {
            return rest.get(..same).unwrap_or_default();
        }
        if !self.abbreviates || self.style.one_dash() || name.is_empty() {
            return &[];
        }
        let to = rest.partition_point(|(known, _)| known.starts_with(name));
        rest.get(..to).unwrap_or_default()
    }

    /// The readings of a long name that is not cut short.
    pub(super) fn whole(&self, name: &str) -> &[(&'static str, OptionMeaning)] {
        let from = self.longs.partition_point(|(known, _)| *known < name);
        let rest = self.longs.get(from..).unwrap_or_default();
        let to = rest.partition_point(|(known, _)| *known == name);
        rest.get(..to).unwrap_or_default()
    }

    /// Whether a longer name begins so.
    pub(super) fn goes_on(&self, name: &str) -> bool {
        let from = self.longs.partition_point(|(known, _)| *known <= name);
        self.longs.get(from).is_some_and(|(known, _)| known.starts_with(name))
    }

    /// All readings of all options.
    pub(super) fn meanings(&self) -> impl Iterator<Item = &OptionMeaning> {
        let shorts = self.shorts.iter().map(|(_, meaning)| meaning);
        shorts.chain(self.longs.iter().map(|(_, meaning)| meaning))
    }
}
