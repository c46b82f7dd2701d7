//! The reader of the tables in `programs/`, one text for each kind of program.
//!
//! A table is a list of blocks; a `#` begins a comment, and a line that begins with a blank belongs to the block above it:
//!
//! | line | what it says |
//! |---|---|
//! | `program NAME…` | a program, by all its names |
//! | `command PARENT NAME…` | a command of a program; of a command of a command with a dot, `command git.stash list`; `--` is what stands behind `--` |
//! | `folder data` | the programs from here on take data alone from the folder that they work in, and none says what they do; `folder code` ends that, and both may stand in a block |
//! | `variables settings` | a variable of any name is a setting to it, or data: it puts none into a command line or a path |
//! | `read-by-words` | it runs what the project says, and all the same its words say all that it reads |
//! | `set NAME` | lines that several have: `include NAME` |
//! | `kind KIND` | what it is: `shell`, `interpreter`, `launcher`, `family`, `reaching`, `editor`, `blunt` |
//! | `understood NAME…` | under these names it runs nothing that its arguments do not say, and all of them are looked at |
//! | `words N [AFTER…]` | how many words say what it does; one more behind these first words |
//! | `style STYLE` | how options are told from operands: `anywhere`, `leading`, `one-dash`, `one-dash-leading`, `own` (none is) |
//! | `exact` | long names are not cut short |
//! | `digits` | `-5` is an option, which does nothing |
//! | `plus` | `+x` is an option, which makes the command unknown |
//! | `recursive` | directories are used with all that is below them |
//! | `here USE` | what is used of the working directory without an operand |
//! | `operands USE` | what all operands are used for; also `first USE USE`, `copy USE`, `command` and `code:NAME` |
//! | `replaces OPTION…` | a use: a file that is written, and what was in it is gone; `write` says so of a program that takes data alone, any other makes that file again |
//! | `runs-text OPTION…` | a use: a script for a shell; the command is unknown, and what the script does counts as well |
//! | `deletes OPTION…` | a use: a file, or a folder with all that is in it, that is deleted |
//! | `write-out OPTION…` | a use: a file that is written, and `-` is the output; anywhere else it is a file called so as well |
//! | `separate` | a value is the next word alone: a name with `=` behind it is no option |
//! | `leaves NAME…` | files and folders that it makes where it runs, unless an option is `keep:leaves-none` |
//! | `settings NAME…` | of a program: the files that tell it what it does, and that no word names, where it runs and above |
//! | `settings-below NAME…` | the same in each folder of what it reads, too |
//! | `settings-deep NAME…` | the same, and where there are too many names to look at all, that raises no question |
//! | `settings-members NAME…` | those of these files that members of a workspace have, too: see `members-by` |
//! | `members-by NAME WORD…` | the file of settings that names other folders of the project, and words by which it does |
//! | `tests python` | a runner of tests of Python: it loads code that no word names, see `policy/reading/tested.rs` |
//! | `extends NAME…` | those of these files that go on in what their `extends` names |
//! | `opens NAME…` | of a folder it opens the files of these names alone |
//! | `opens-first NAME…` | of these names those that it opens where no settings say so |
//! | `scripts WORD…` | it also opens files of any name whose first line is `#!` with one of these in it |
//! | `leaves-out NAME…` | folders of these names it does not go into, or not without settings that are looked at |
//! | `kinds:LIST OPTION…` | a use: which files it takes below a folder, by endings; any value but those of the list asks |
//! | `always USE` | what counts as if an option had said it |
//! | `operands launches N` | N operands, and then a command that it runs: its own options are read strictly |
//! | `otherwise launches` | a command that is not listed is a program that it runs |
//! | `glued` | in a style with one dash, a name may have its value attached: `-Dx` |
//! | `apart` | letters in one word are options of their own, with a number or `=` behind them at most |
//! | `at-files` | a word that begins with `@` names a file with more words: unknown |
//! | `shared` | options behind that command are its own too, unless `--` stands before it |
//! | `through` | it needs no allow of its own, since that command needs one |
//! | `moves-with WORD…` | the commands of these names make or move links or folders |
//! | `moves-but WORD…` | all its commands do, but for these |
//! | `follows-below OPTION…` | a use: symlinks are followed where all that is below the operands is used |
//! | `assigns` | `NAME=value` may stand before that command |
//! | `doubt REASON` | unknown with any command: `runs`, `elsewhere`, `privileged` |
//! | `language LANGUAGE` | what a shell reads: `bash`, `sh` (bash or dash), `words` (plain words only), `other` |
//! | `open` | its options are not described: an unlisted one does nothing that is known |
//! | `looks:NAME OPTION…` | a use: it only looks where it otherwise writes, if only these and the following stand in the line |
//! | `beside:NAME OPTION…` | options, spelled without a value, beside which those of `looks:NAME` keep their word |
//! | `clears:PATH OPTION…` | a use: of what the program made itself it deletes this, where it runs; `leaves:PATH`: it makes this there |
//! | `empties:PATH OPTION…` | a use: it deletes this with all that is in it, where it runs |
//! | `USE OPTION…` | what these options, or their values, are used for |
//!
//! A use is a variant of [`OperandUse`]; `keep:NAME` and `code:NAME` name what the program's own code looks at. An option is
//! written as it stands on a command line: `-x`, `-xyz` (three letters), `--name`, `--[no-]name`, and `=` behind it says that
//! it takes a value, `[=]` that it takes one only where it is attached, and `[=]?` that this may as well be the next word. A
//! lone `-` is an option of what launches. An option may stand in several lines: then all count.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::spec::{
    MovingCommands, OperandSpec, OperandUse, OptionMeaning, OptionName, OptionStyle, OptionTakes,
    ProgramKind, ProgramSpec, ScriptLanguage,
};
use super::special;
use crate::shell::DoubtReason;

/// A block of a table, read when it is first asked for.
struct TableBlock {
    /// Of a command, what it is a command of.
    parent: Option<&'static str>,
    names: &'static str,
    body: &'static str,
    /// Whether it stands where the text says `folder data`.
    data_only: bool,
    program: OnceLock<ProgramSpec>,
}

/// All programs.
pub(super) struct ProgramTables {
    blocks: Vec<TableBlock>,
    programs: HashMap<&'static str, usize>,
    commands: HashMap<(&'static str, &'static str), usize>,
    sets: HashMap<&'static str, &'static str>,
    twice: Vec<&'static str>,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableFault(pub(super) String);

impl ProgramTables {
    /// The blocks of these texts.
    pub(super) fn new(texts: &[&'static str]) -> Self {
        let mut tables = Self {
            blocks: Vec::new(),
            programs: HashMap::new(),
            commands: HashMap::new(),
            sets: HashMap::new(),
            twice: Vec::new(),
        };
        for text in texts {
            tables.add(text);
        }
        tables
    }

    fn add(&mut self, text: &'static str) {
        let mut data_only = false;
        let heads = |line: &str| !line.is_empty() && !line.starts_with([' ', '#']);
        let mut rest = text;
        while let Some(line) = rest.split('\n').next() {
            let after = rest.get(line.len() + 1..).unwrap_or_default();
            if !heads(line) {
                if after.is_empty() {
                    return;
                }
                rest = after;
                continue;
            }
            let length: usize =
                after.split_inclusive('\n').take_while(|line| !heads(line)).map(str::len).sum();
            let (body, next) = after.split_at_checked(length).unwrap_or((after, ""));
            match line {
                "folder data" => data_only = true,
                "folder code" => data_only = false,
                _ => self.block(line, body, data_only),
            }
            rest = next;
        }
    }

    fn block(&mut self, line: &'static str, body: &'static str, data_only: bool) {
        let (head, names) = line.split_once(' ').unwrap_or((line, ""));
        if head == "set" {
            self.sets.insert(names, body);
            return;
        }
        let number = self.blocks.len();
        let mut of = None;
        let names = match head {
            "command" => {
                let (parent, names) = names.split_once(' ').unwrap_or((names, ""));
                of = Some(parent);
                for name in names.split_ascii_whitespace() {
                    if self.commands.insert((parent, name), number).is_some() {
                        self.twice.push(name);
                    }
                }
                names
            }
            _ => {
                for name in names.split_ascii_whitespace() {
                    if self.programs.insert(name, number).is_some() {
                        self.twice.push(name);
                    }
                }
                names
            }
        };
        self.blocks.push(TableBlock {
            parent: of,
            names,
            body,
            data_only,
            program: OnceLock::new(),
        });
    }

    /// The program of this name. GNU's have a `g` before their names where the system has others.
    pub(super) fn program(&self, name: &str) -> Option<&ProgramSpec> {
        let number = self.programs.get(name).or_else(|| self.programs.get(plain(name)?));
        let number = number.or_else(|| self.programs.get(loader(name)?));
        self.get(*number?)
    }

    /// Whether there is a program of exactly this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.programs.contains_key(name)
    }

    /// The command of this name; the parent is the program's first name, and of what is deeper all names with dots.
    pub(super) fn command(&self, parent: &str, name: &str) -> Option<&ProgramSpec> {
        let commands: &HashMap<(&str, &str), usize> = &self.commands;
        self.get(*commands.get(&(parent, name))?)
    }

    /// The names of all programs.
    pub(super) fn programs(&self) -> impl Iterator<Item = &'static str> {
        self.programs.keys().copied()
    }

    /// All programs and commands, each with the program that it is a command of.
    pub(super) fn all(&self) -> impl Iterator<Item = (Option<&'static str>, &ProgramSpec)> {
        let parents: HashMap<usize, &'static str> =
            self.commands.iter().map(|((parent, _), number)| (*number, *parent)).collect();
        (0..self.blocks.len())
            .filter_map(move |number| Some((parents.get(&number).copied(), self.get(number)?)))
    }

    /// The names of all programs, sorted.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.programs.keys().copied().collect();
        names.sort_unstable();
        names
    }

    fn get(&self, number: usize) -> Option<&ProgramSpec> {
        let block = self.blocks.get(number)?;
        Some(block.program.get_or_init(|| {
            // A table that cannot be read describes nothing, and what is not described is not allowed. Tests read all.
            self.read(block).unwrap_or_else(|_| ProgramSpec {
                operands: OperandSpec::Code(super::editors::whole),
                ..ProgramSpec::new(Vec::new())
            })
        }))
    }

    /// The faults of all lines, and names that stand in several blocks.
    #[cfg(test)]
    pub(super) fn check(&self) -> Vec<TableFault> {
        let mut faults: Vec<TableFault> =
            self.blocks.iter().filter_map(|block| self.read(block).err()).collect();
        faults.extend(self.twice.iter().map(|name| TableFault(format!("{name} stands twice"))));
        faults
    }

    fn read(&self, block: &TableBlock) -> Result<ProgramSpec, TableFault> {
        let mut program = ProgramSpec::new(block.names.split_ascii_whitespace().collect());
        if let Some(parent) = block.parent {
            program.path = Box::leak(format!("{parent}.{}", program.path).into_boxed_str());
        }
        program.data_only = block.data_only;
        self.lines(block.body, &mut program, 0)
            .map_err(|TableFault(what)| TableFault(format!("{}: {what}", block.names)))?;
        program.shorts.sort_by_key(|(letter, _)| *letter);
        program.longs.sort_by_key(|(name, _)| *name);
        Ok(program)
    }

    fn lines(
        &self, body: &'static str, program: &mut ProgramSpec, depth: usize,
    ) -> Result<(), TableFault> {
        for line in body.lines() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.line(line, program, depth)
                    .ok_or_else(|| TableFault(format!("`{line}` is not understood")))?;
            }
        }
        Ok(())
    }

    fn line(&self, line: &'static str, program: &mut ProgramSpec, depth: usize) -> Option<()> {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (key, rest) {
            ("open", "") => program.open = true,
            ("exact", "") => program.abbreviates = false,
            ("digits", "") => program.digits = true,
            ("plus", "") => program.plus = true,
            ("recursive", "") => program.recursive = true,
            ("separate", "") => program.separate = true,
            ("always", _) => program.always.push(use_of(rest)?),
            ("leaves", _) => program.leaves = names(rest),
            ("settings", _) => program.told_by.here.extend(names(rest)),
            ("settings-below", _) => program.told_by.below.extend(names(rest)),
            ("settings-deep", _) => {
                program.told_by.below.extend(names(rest));
                program.told_by.passes_many = true;
            }
            ("settings-members", _) => program.told_by.members.extend(names(rest)),
            ("members-by", _) => {
                let (file, words) = rest.split_once(' ')?;
                program.told_by.members_by.push((file, names(words)));
            }
            ("tests", "python") => program.loads_tests = true,
            ("extends", _) => program.told_by.extending.extend(names(rest)),
            ("opens", _) => program.opens.extend(names(rest)),
            ("opens-first", _) => program.opens_first.extend(names(rest)),
            ("scripts", _) => program.scripts.extend(names(rest)),
            ("leaves-out", _) => program.leaves_out.extend(names(rest)),
            ("folder", "data") => program.data_only = true,
            ("folder", "code") => program.data_only = false,
            ("variables", "settings") => program.settings = true,
            ("read-by-words", "") => program.read_by_words = true,
            ("otherwise", "launches") => program.otherwise = true,
            ("apart", "") => program.apart = true,
            ("glued", "") => program.glued = true,
            ("at-files", "") => program.at_files = true,
            ("shared", "") => program.shared = true,
            ("through", "") => program.through = true,
            ("understood", _) => program.understood = names(rest),
            ("moves-with", _) => program.moving = MovingCommands::With(names(rest)),
            ("moves-but", _) => program.moving = MovingCommands::But(names(rest)),
            ("assigns", "") => program.assigns = true,
            ("doubt", _) => program.doubt = Some(doubt(rest)?),
            ("language", _) => program.language = Some(language(rest)?),
            ("here", _) => program.here = use_of(rest)?,
            ("kind", _) => program.kind = kind(rest)?,
            ("style", _) => program.style = style(rest)?,
            ("operands", _) => program.operands = operands(rest)?,
            ("words", _) => {
                let mut words = rest.split_ascii_whitespace();
                program.words = words.next()?.parse().ok()?;
                program.deeper = words.collect();
            }
            ("include", _) if depth < 4 => {
                self.lines(self.sets.get(rest)?, program, depth + 1).ok()?;
            }
            _ if key.starts_with("beside:") => {
                let name = key.strip_prefix("beside:")?;
                for option in rest.split_ascii_whitespace() {
                    besides(option, name, program)?;
                }
            }
            _ => {
                let uses = use_of(key)?;
                for option in rest.split_ascii_whitespace() {
                    option_of(option, uses, program)?;
                }
            }
        }
        Some(())
    }
}

/// The name of the loader of programs, where this is one of it: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`.
fn loader(name: &str) -> Option<&'static str> {
    let begins = ["ld-", "ld.", "ld64."].iter().any(|begin| name.starts_with(begin));
    (begins && name.contains(".so")).then_some("ld.so")
}

/// A name without the `g` before it.
pub(super) fn plain(name: &str) -> Option<&str> {
    name.strip_prefix('g').filter(|plain| plain.len() > 1)
}

fn names(text: &'static str) -> Vec<&'static str> {
    text.split_ascii_whitespace().collect()
}

fn option_of(text: &'static str, uses: OperandUse, program: &mut ProgramSpec) -> Option<()> {
    let (name, takes) = if let Some(name) = text.strip_suffix("[=]?") {
        (name, OptionTakes::Next)
    } else if let Some(name) = text.strip_suffix("[=]") {
        (name, OptionTakes::Maybe)
    } else if let Some(name) = text.strip_suffix('=') {
        (name, OptionTakes::Value)
    } else {
        (text, OptionTakes::Nothing)
    };
    let meaning = OptionMeaning { takes, uses };
    if let Some(name) = name.strip_prefix("--[no-]") {
        program.longs.push((name, meaning));
        let negated = text.get("--[".len()..)?;
        let negated: &'static str =
            Box::leak(format!("no-{}", negated.get("no-]".len()..)?).into_boxed_str());
        let negated = negated.trim_end_matches('?').trim_end_matches("[=]").trim_end_matches('=');
        program.longs.push((negated, OptionMeaning { takes: OptionTakes::Nothing, uses }));
    } else if let Some(name) = name.strip_prefix("--") {
        program.longs.push((name, meaning));
    } else {
        let name = name.strip_prefix('-')?;
        if name.is_empty() {
            program.shorts.push(('-', meaning));
        } else if program.style.one_dash() {
            program.longs.push((name, meaning));
        } else {
            program.shorts.extend(name.chars().map(|letter| (letter, meaning)));
        }
    }
    Some(())
}

fn besides(text: &'static str, name: &'static str, program: &mut ProgramSpec) -> Option<()> {
    let mut add = |option| program.beside.push((name, option));
    match text.strip_prefix("--") {
        Some(long) => add(OptionName::Long(long)),
        None => {
            let letters = text.strip_prefix('-')?;
            if program.style.one_dash() {
                add(OptionName::Long(letters));
            } else {
                letters.chars().for_each(|letter| add(OptionName::Short(letter)));
            }
        }
    }
    Some(())
}

fn use_of(text: &'static str) -> Option<OperandUse> {
    if let Some(name) = text.strip_prefix("keep:") {
        return Some(OperandUse::Keep(name));
    }
    if let Some(name) = text.strip_prefix("looks:") {
        return Some(OperandUse::Looks(name));
    }
    if let Some(name) = text.strip_prefix("clears:").or_else(|| text.strip_prefix("leaves:")) {
        return Some(OperandUse::Clears(name));
    }
    if let Some(name) = text.strip_prefix("empties:") {
        return Some(OperandUse::Empties(name));
    }
    if let Some(kinds) = text.strip_prefix("kinds:") {
        return Some(OperandUse::Kinds(kinds));
    }
    if let Some(name) = text.strip_prefix("code:") {
        return special::option(name).map(OperandUse::Code);
    }
    Some(match text {
        "nothing" => OperandUse::Nothing,
        "read" => OperandUse::Read,
        "read-below" => OperandUse::ReadBelow,
        "write" => OperandUse::Write,
        "write-out" => OperandUse::WriteOut,
        "write-below" => OperandUse::WriteBelow,
        "replaces" => OperandUse::Replaces,
        "deletes" => OperandUse::Deletes,
        "change" => OperandUse::Change,
        "takes" => OperandUse::Takes,
        "url" => OperandUse::Url,
        "runs" => OperandUse::Runs,
        "runs-text" => OperandUse::RunsText,
        "runs-file" => OperandUse::RunsFile,
        "loads" => OperandUse::Loads,
        "connects" => OperandUse::Connects,
        "shows" => OperandUse::Shows,
        "alters" => OperandUse::Alters,
        "into" => OperandUse::Into,
        "base" => OperandUse::Base,
        "recursive" => OperandUse::Recursive,
        "follows" => OperandUse::Follows,
        "follows-below" => OperandUse::FollowsBelow,
        "moves" => OperandUse::Moves,
        "settles" => OperandUse::Settles,
        "settles-read" => OperandUse::SettlesRead,
        _ => return None,
    })
}

fn operands(text: &'static str) -> Option<OperandSpec> {
    let words: Vec<&'static str> = text.split_ascii_whitespace().collect();
    Some(match words.as_slice() {
        ["command"] => OperandSpec::Command,
        ["first", first, rest] => OperandSpec::First(use_of(first)?, use_of(rest)?),
        ["copy", source] => OperandSpec::Copy(use_of(source)?),
        ["launches", count] => OperandSpec::Launches(count.parse().ok()?),
        [uses] => match uses.strip_prefix("code:") {
            Some(name) => OperandSpec::Code(special::operands(name)?),
            None => OperandSpec::All(use_of(uses)?),
        },
        _ => return None,
    })
}

fn doubt(text: &str) -> Option<DoubtReason> {
    Some(match text {
        "runs" => DoubtReason::RunsCode,
        "elsewhere" => DoubtReason::Elsewhere,
        "privileged" => DoubtReason::Privileged,
        _ => return None,
    })
}

fn language(text: &str) -> Option<ScriptLanguage> {
    Some(match text {
        "bash" => ScriptLanguage::Bash,
        "sh" => ScriptLanguage::Sh,
        "words" => ScriptLanguage::Words,
        "other" => ScriptLanguage::Other,
        _ => return None,
    })
}

fn style(text: &str) -> Option<OptionStyle> {
    Some(match text {
        "anywhere" => OptionStyle::Anywhere,
        "leading" => OptionStyle::Leading,
        "one-dash" => OptionStyle::OneDash,
        "one-dash-leading" => OptionStyle::OneDashLeading,
        "own" => OptionStyle::Own,
        _ => return None,
    })
}

fn kind(text: &str) -> Option<ProgramKind> {
    Some(match text {
        "shell" => ProgramKind::Shell,
        "interpreter" => ProgramKind::Interpreter,
        "launcher" => ProgramKind::Launcher,
        "family" => ProgramKind::Family,
        "reaching" => ProgramKind::Reaching,
        "editor" => ProgramKind::Editor,
        "blunt" => ProgramKind::Blunt,
        _ => return None,
    })
}
