//! `docs/programs.md`, made from the tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::described::{DescribedOption, DescribedProgram, OptionArity, described};

const HEAD: &str = "# Programs

What the policies know about each program: what its words, options and variables do. The page is generated from the tables of the
prover (`crates/core/src/shell/effects/programs/`), by `cargo run -p countersign-core --example programs > docs/programs.md`.

A rule that allows a program also allows its entries under _nothing_ and _reads_. For a program that is not only allowed as
read-only, it also allows what the program writes and fetches ([what an allow covers](policy-verdicts.md)). Denies and asks apply to
each file and address. Entries under **asks** are asked about, and so is **any option that is not listed here**, unless a rule
contains exactly those words: an option that is not described is not allowed. A program that is not on this page is only known by
its name. A rule for it allows everything that it does; a deny of a file that its words name still applies.

- An option may be listed twice: versions of the program differ, and then all readings count.
- A word that is only known when the line runs counts as any option, as long as the program takes options. A pattern (`*`) is
  resolved, and asks if it may match a name that begins like an option.
- `-` also counts as a file with that name: it may be a symlink. If it means the output, nothing is written by it.
- _loads_: asks if the file, or the target of a link, is not the project's.
- A command that makes or moves links or folders makes the paths after it in the same line uncertain.
- _open_: the options are not described. No preset allows such a program.
- _replaces_, _deletes_: it writes this file, and what was in it is gone; or it deletes this, with all that is in it. The program
  does not make it again.
- _only looks_: such an option counts as read-only if all other options are also listed there, or as _keep it so_.
- _variables_: a variable of any name is data for it, or a setting ([possible values](policy-verdicts.md#variables)). For any other
  program it may be code, or a path.
- _settings_: files that control it, and that no word names. They are searched in its folder and in the folders above, and those
  under _below_ in each folder that it reads, too. If settings name other folders of the project, such as those of a workspace,
  those _of members_ are searched in all folders there. The target of a symlink in their place counts as read. It asks if the
  target is outside of the project, and if the line itself writes such a file.
- _opens below a folder_: of the files there it only reads those with these names
  ([paths](policy-paths.md#paths)). Any other program may read each file.
- _kinds_: the files that it takes below a folder. Any value except endings of its own sources (`py`, `.py`, `*.py`) asks.
- _looked at_: code of the prover reads these words, as it does scripts of `sed` and `awk`.
";

/// What is told of the uses, in this order.
const USES: [(&str, &[&str]); 11] = [
    (
        "asks",
        &["runs", "runs-text", "runs-file", "loads", "connects", "shows", "alters", "follows"],
    ),
    ("writes", &["write", "write-out", "write-below", "change", "takes", "clears", "into"]),
    ("replaces", &["replaces"]),
    ("deletes", &["deletes", "empties"]),
    ("fetches", &["url"]),
    ("reads", &["read", "read-below", "settles-read", "base", "recursive", "follows-below"]),
    ("makes or moves links or folders", &["moves"]),
    ("only looks", &["looks"]),
    ("kinds", &["kinds"]),
    ("looked at", &["code", "keep", "other"]),
    ("nothing", &["nothing", "settles"]),
];

/// The document.
pub fn programs_document() -> String {
    let mut text = HEAD.to_owned();
    let mut commands: BTreeMap<&str, Vec<DescribedProgram>> = BTreeMap::new();
    let mut programs: Vec<DescribedProgram> = Vec::new();
    for described in described() {
        match described.parent {
            Some(parent) => commands.entry(parent).or_default().push(described),
            None => programs.push(described),
        }
    }
    programs.sort_by(|a, b| a.names.cmp(&b.names));
    for program in &programs {
        section(&mut text, "##", program, &quoted(program.names.iter()));
        let Some(first) = program.names.first() else { continue };
        let deeper = format!("{first}.");
        let own =
            commands.iter().filter(|(parent, _)| *parent == first || parent.starts_with(&deeper));
        for (parent, below) in own {
            let mut below: Vec<&DescribedProgram> = below.iter().collect();
            below.sort_by(|a, b| a.names.cmp(&b.names));
            let parent = parent.replace('.', " ");
            for command in below {
                let names: Vec<String> =
                    command.names.iter().map(|name| format!("{parent} {name}")).collect();
                section(&mut text, "###", command, &quoted(names.iter()));
            }
        }
    }
    text
}

fn listed(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

fn quoted(names: impl Iterator<Item = impl std::fmt::Display>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn section(text: &mut String, level: &str, program: &DescribedProgram, names: &str) {
    text.push('\n');
    let names: Vec<String> = names.split(", ").map(|name| format!("{name},")).collect();
    let mut head = String::new();
    wrapped(&mut head, level, &names);
    // A title is one line: of many names the first few.
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { " …" } else { "" };
    let _ = writeln!(text, "{}{more}\n", first.trim_end_matches(','));
    if !program.closed {
        let _ = writeln!(text, "- _open_");
    }
    let operands = if program.has_commands { "one of its commands" } else { &program.operands };
    let _ = writeln!(text, "- operands: {operands}");
    if !program.variables.is_empty() && program.parent.is_none() {
        let _ = writeln!(text, "- variables: {}", program.variables);
    }
    for (title, names) in [
        ("- settings:", program.settings),
        ("- settings below:", program.settings_below),
        ("- settings of members:", program.settings_members),
        ("- settings that go on elsewhere:", program.extending),
    ] {
        if !names.is_empty() {
            wrapped(text, title, &listed(names));
        }
    }
    for (title, names) in [
        ("- opens below a folder:", program.opens),
        ("- of these without settings:", program.opens_first),
        ("- and scripts for:", program.scripts),
        ("- leaves out:", program.leaves_out),
    ] {
        if !names.is_empty() {
            wrapped(text, title, &listed(names));
        }
    }
    if !program.moves.is_empty() {
        let names: Vec<String> = program.moves.split(' ').map(str::to_owned).collect();
        wrapped(text, "- makes or moves links or folders:", &names);
    }
    for (title, uses) in USES {
        let mut options: Vec<String> = program
            .options
            .iter()
            .filter(|option| uses.contains(&option.uses))
            .map(|option| spelled(option, title))
            .collect();
        options.sort();
        options.dedup();
        if !options.is_empty() {
            wrapped(text, &format!("- {title}:"), &options);
            if title == "only looks" && !program.beside.is_empty() {
                let mut beside: Vec<String> =
                    program.beside.iter().map(|name| format!("`{name}`")).collect();
                beside.sort();
                beside.dedup();
                wrapped(text, "- keep it so:", &beside);
            }
        }
    }
}

/// The longest line, in bytes.
const WIDTH: usize = 130;

/// An item of a list with these words, in lines that one can read.
fn wrapped(text: &mut String, item: &str, words: &[String]) {
    let mut line = item.to_owned();
    for word in words {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            " ".clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}

fn spelled(DescribedOption { spelling, takes, uses }: &DescribedOption, title: &str) -> String {
    let value = match takes {
        OptionArity::Nothing => "",
        OptionArity::Value => "=",
        OptionArity::Maybe => "[=]",
        OptionArity::Next => "[=]?",
    };
    match (title, *uses) {
        ("asks", why) => format!("`{spelling}{value}` ({why})"),
        _ => format!("`{spelling}{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_of_an_option_has_a_place() {
        for program in described() {
            for option in program.options {
                let told = USES.iter().filter(|(_, uses)| uses.contains(&option.uses)).count();
                assert_eq!(told, 1, "{}", option.uses);
            }
        }
    }

    #[test]
    fn the_page_is_what_the_tables_say() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/programs.md");
        let page = std::fs::read_to_string(page).unwrap_or_default();
        assert!(
            page == programs_document(),
            "docs/programs.md is stale: cargo run -p countersign-core --example programs > docs/programs.md"
        );
    }
}
