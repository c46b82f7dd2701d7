//! What the tables say, as plain data: for whoever tries the programs themselves, and for a document of them.

use super::spec::{Meaning, Moving, Operands, Program, Takes, Use};
use super::tables;

/// A program of the tables, or one of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
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
    /// Which of its commands make or move links or folders, whatever their options say. Empty: none.
    pub moves: String,
    /// Its options. One with several readings stands here once for each.
    pub options: Vec<DescribedOption>,
}

/// One reading of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedOption {
    /// As it stands on a command line: `-x`, `--name`, or `-name` where long names have one dash.
    pub spelling: String,
    /// Whether it takes a value.
    pub takes: Arity,
    /// What it, or its value, is used for.
    pub uses: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arity {
    /// None.
    Nothing,
    /// One: attached, after `=`, or the next word.
    Value,
    /// One when it is attached or after `=`.
    Maybe,
}

/// All programs and commands that are known.
pub fn described() -> Vec<Described> {
    tables().all().map(|(parent, program)| describe(parent, program)).collect()
}

fn describe(parent: Option<&'static str>, program: &Program) -> Described {
    let dashes = if program.style.one_dash() { "-" } else { "--" };
    let shorts = program.shorts.iter().map(|(letter, meaning)| (format!("-{letter}"), meaning));
    let longs = program.longs.iter().map(|(name, meaning)| (format!("{dashes}{name}"), meaning));
    Described {
        parent,
        names: program.names.clone(),
        closed: !program.open,
        abbreviates: program.abbreviates,
        has_commands: matches!(program.operands, Operands::Command),
        operands: operands(program.operands),
        moves: moves(program),
        options: shorts.chain(longs).map(option).collect(),
    }
}

fn moves(program: &Program) -> String {
    match &program.moving {
        _ if program.always.iter().any(|uses| matches!(uses, Use::Moves)) => "always".to_owned(),
        Moving::With(names) => names.join(" "),
        Moving::But(names) => format!("all but {}", names.join(" ")),
    }
}

fn option((spelling, meaning): (String, &Meaning)) -> DescribedOption {
    let takes = match meaning.takes {
        Takes::Nothing => Arity::Nothing,
        Takes::Value => Arity::Value,
        Takes::Maybe => Arity::Maybe,
    };
    DescribedOption { spelling, takes, uses: name(meaning.uses) }
}

fn operands(operands: Operands) -> String {
    match operands {
        Operands::All(uses) => name(uses).to_owned(),
        Operands::First(first, rest) => format!("first {} {}", name(first), name(rest)),
        Operands::Copy(source) => format!("copy {}", name(source)),
        Operands::Command => "command".to_owned(),
        Operands::Launches(before) => format!("launches {before}"),
        Operands::Code(_) => "code".to_owned(),
    }
}

/// A use by its name in the tables.
fn name(uses: Use) -> &'static str {
    match uses {
        Use::Nothing => "nothing",
        Use::Read => "read",
        Use::ReadBelow => "read-below",
        Use::Write => "write",
        Use::WriteBelow => "write-below",
        Use::Change => "change",
        Use::Url => "url",
        Use::Runs => "runs",
        Use::RunsFile => "runs-file",
        Use::Loads => "loads",
        Use::Connects => "connects",
        Use::Shows => "shows",
        Use::Alters => "alters",
        Use::Into => "into",
        Use::Base => "base",
        Use::Recursive => "recursive",
        Use::Follows => "follows",
        Use::FollowsBelow => "follows-below",
        Use::Moves => "moves",
        Use::Settles => "settles",
        Use::SettlesRead => "settles-read",
        Use::Keep(_) => "keep",
        Use::Code(_) => "code",
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
        assert_eq!((output.takes, output.uses), (Arity::Value, "write"));
    }
}
