//! What the tables say, as plain data: for trials of the programs themselves, and for a document of them.

use super::spec::{
    MovingCommands, OperandSpec, OperandUse, OptionMeaning, OptionName, OptionTakes, ProgramSpec,
};
use super::tables;

/// A program of the tables, or one of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedProgram {
    /// The first name of the program that this is a command of; for what is deeper all names, with dots: `git.stash`.
    pub parent: Option<&'static str>,
    /// Its names.
    pub names: Vec<&'static str>,
    /// Whether an option that is not listed makes a command unknown.
    pub closed: bool,
    /// Whether long names may be cut short.
    pub abbreviates: bool,
    /// Whether the first operand names one of its commands.
    pub has_commands: bool,
    /// What its operands are used for.
    pub operands: String,
    /// Which of its commands make or move links or folders, with any options. Empty: none.
    pub moves: String,
    /// What a variable of any name is to it: `data`, `settings`, or anything, and then it is empty.
    pub variables: &'static str,
    /// The files that tell it what it does, where it runs and above.
    pub settings: &'static [&'static str],
    /// Those that do so in each folder of what it reads, too.
    pub settings_below: &'static [&'static str],
    /// Those of them that do so in each folder of a workspace.
    pub settings_members: &'static [&'static str],
    /// Those of them that go on in what their `extends` names.
    pub extending: &'static [&'static str],
    /// The names of the files that it opens below a folder. Empty: any.
    pub opens: &'static [&'static str],
    /// Of these names those that it opens where no settings say so. Empty: all.
    pub opens_first: &'static [&'static str],
    /// What stands in the first line of files of other names that it opens, too.
    pub scripts: &'static [&'static str],
    /// Folders that it does not go into.
    pub leaves_out: &'static [&'static str],
    /// Its options. One with several readings stands here once for each.
    pub options: Vec<DescribedOption>,
    /// The options beside which one that only looks keeps its word.
    pub beside: Vec<String>,
}

/// One reading of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedOption {
    /// As it stands on a command line: `-x`, `--name`, or `-name` where long names have one dash.
    pub spelling: String,
    /// Whether it takes a value.
    pub takes: OptionArity,
    /// What it, or its value, is used for.
    pub uses: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptionArity {
    /// None.
    Nothing,
    /// One: attached, after `=`, or the next word.
    Value,
    /// One when it is attached or after `=`.
    Maybe,
    /// The same, or the next word, where that is no option.
    Next,
}

/// All programs and commands that are known.
pub fn described() -> Vec<DescribedProgram> {
    tables().all().map(|(parent, program)| describe(parent, program)).collect()
}

fn describe(parent: Option<&'static str>, program: &'static ProgramSpec) -> DescribedProgram {
    let dashes = if program.style.one_dash() { "-" } else { "--" };
    let shorts = program.shorts.iter().map(|(letter, meaning)| (format!("-{letter}"), meaning));
    let longs = program.longs.iter().map(|(name, meaning)| (format!("{dashes}{name}"), meaning));
    DescribedProgram {
        parent,
        names: program.names.clone(),
        closed: !program.open,
        abbreviates: program.abbreviates,
        has_commands: matches!(program.operands, OperandSpec::Command),
        operands: operands(program.operands),
        moves: moves(program),
        variables: match (program.data_only, program.settings) {
            (true, _) => "data",
            (false, true) => "settings",
            (false, false) => "",
        },
        settings: &program.told_by.here,
        settings_below: &program.told_by.below,
        settings_members: &program.told_by.members,
        extending: &program.told_by.extending,
        opens: &program.opens,
        opens_first: &program.opens_first,
        scripts: &program.scripts,
        leaves_out: &program.leaves_out,
        options: shorts.chain(longs).map(option).collect(),
        beside: program.beside.iter().map(|(_, name)| beside(*name, dashes)).collect(),
    }
}

fn beside(name: OptionName, dashes: &str) -> String {
    match name {
        OptionName::Short(letter) => format!("-{letter}"),
        OptionName::Long(name) => format!("{dashes}{name}"),
    }
}

fn moves(program: &ProgramSpec) -> String {
    match &program.moving {
        _ if program.always.iter().any(|uses| matches!(uses, OperandUse::Moves)) => {
            "always".to_owned()
        }
        MovingCommands::With(names) => names.join(" "),
        MovingCommands::But(names) => format!("all but {}", names.join(" ")),
    }
}

fn option((spelling, meaning): (String, &OptionMeaning)) -> DescribedOption {
    let takes = match meaning.takes {
        OptionTakes::Nothing => OptionArity::Nothing,
        OptionTakes::Value => OptionArity::Value,
        OptionTakes::Maybe => OptionArity::Maybe,
        OptionTakes::Next => OptionArity::Next,
    };
    DescribedOption { spelling, takes, uses: name(meaning.uses) }
}

fn operands(operands: OperandSpec) -> String {
    match operands {
        OperandSpec::All(uses) => name(uses).to_owned(),
        OperandSpec::First(first, rest) => format!("first {} {}", name(first), name(rest)),
        OperandSpec::Copy(source) => format!("copy {}", name(source)),
        OperandSpec::Command => "command".to_owned(),
        OperandSpec::Launches(before) => format!("launches {before}"),
        OperandSpec::Code(_) => "code".to_owned(),
    }
}

/// A use by its name in the tables.
fn name(uses: OperandUse) -> &'static str {
    match uses {
        OperandUse::Nothing => "nothing",
        OperandUse::Read => "read",
        OperandUse::ReadBelow => "read-below",
        OperandUse::Write => "write",
        OperandUse::WriteOut => "write-out",
        OperandUse::WriteBelow => "write-below",
        OperandUse::Clears(_) => "clears",
        OperandUse::Empties(_) => "empties",
        OperandUse::Replaces => "replaces",
        OperandUse::Deletes => "deletes",
        OperandUse::Change => "change",
        OperandUse::Takes => "takes",
        OperandUse::Url => "url",
        OperandUse::Runs => "runs",
        OperandUse::RunsText => "runs-text",
        OperandUse::RunsFile => "runs-file",
        OperandUse::Loads => "loads",
        OperandUse::Connects => "connects",
        OperandUse::Shows => "shows",
        OperandUse::Alters => "alters",
        OperandUse::Into => "into",
        OperandUse::Base => "base",
        OperandUse::Recursive => "recursive",
        OperandUse::Follows => "follows",
        OperandUse::FollowsBelow => "follows-below",
        OperandUse::Moves => "moves",
        OperandUse::Settles => "settles",
        OperandUse::SettlesRead => "settles-read",
        OperandUse::Kinds(_) => "kinds",
        OperandUse::Keep(_) => "keep",
        OperandUse::Looks(_) => "looks",
        OperandUse::Code(_) => "code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_described_once() {
        let all = described();
        assert_eq!(all.iter().filter(|it| it.names.contains(&"git")).count(), 1);
        let log = all.iter().find(|it| it.parent == Some("git") && it.names.contains(&"log"));
        let log = log.unwrap();
        let output = log.options.iter().find(|option| option.spelling == "--output").unwrap();
        assert_eq!((output.takes, output.uses), (OptionArity::Value, "write"));
    }
}
