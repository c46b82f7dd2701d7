//! The programs and commands of the tables, and their options.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use countersign_core::shell::{DescribedProgram, OptionArity, described};
use serde::{Deserialize, Serialize};

/// A program, or a command of one, whose options are tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramTarget {
    /// The words that every line begins with: `git log`.
    pub words: Vec<String>,
    /// The options of its table, with whether one of their readings takes a value.
    pub options: BTreeMap<String, bool>,
    /// Whether all its options are described, and those of its parents.
    pub closed: bool,
}

impl ProgramTarget {
    /// The words, with blanks.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }
}

/// The programs and commands of the tables that can be run by a single name.
pub fn all() -> Vec<ProgramTarget> {
    let table = described();
    let mut targets = Vec::new();
    for entry in &table {
        let Some(prefixes) = prefixes(&table, entry) else { continue };
        for (prefix, closed) in &prefixes {
            for name in &entry.names {
                let mut words = prefix.clone();
                words.push((*name).to_owned());
                targets.push(ProgramTarget {
                    words,
                    options: options(entry),
                    closed: *closed && entry.closed,
                });
            }
        }
    }
    targets.sort_by(|a, b| a.words.cmp(&b.words));
    targets.dedup_by(|a, b| a.words == b.words);
    targets
}

/// The words before an entry's own name, in each way that its parents are called; with whether they are all closed.
fn prefixes(
    table: &[DescribedProgram], entry: &DescribedProgram,
) -> Option<Vec<(Vec<String>, bool)>> {
    let Some(parent) = entry.parent else { return Some(vec![(Vec::new(), true)]) };
    let mut parts = parent.split('.');
    let first = parts.next()?;
    let program = table.iter().find(|it| it.parent.is_none() && it.names.contains(&first))?;
    let mut words: Vec<(Vec<String>, bool)> =
        program.names.iter().map(|name| (vec![(*name).to_owned()], program.closed)).collect();
    let mut above = first.to_owned();
    for part in parts {
        let command =
            table.iter().find(|it| it.parent == Some(above.as_str()) && it.names.contains(&part));
        for (words, closed) in &mut words {
            words.push(part.to_owned());
            *closed &= command.is_none_or(|command| command.closed);
        }
        above = format!("{above}.{part}");
    }
    Some(words)
}

fn options(entry: &DescribedProgram) -> BTreeMap<String, bool> {
    let mut options = BTreeMap::new();
    for option in &entry.options {
        *options.entry(option.spelling.clone()).or_default() |=
            option.takes != OptionArity::Nothing;
    }
    options
}

/// The directories in which programs are looked for: those of the system first.
pub fn path() -> Vec<PathBuf> {
    let system = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];
    let own = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::split_paths(&own).filter(|dir| {
        // A script that chooses a version by the directory reads everywhere.
        dir.is_absolute() && !dir.ends_with("shims") && !dir.starts_with("/tmp")
    });
    let mut seen = BTreeSet::new();
    system.iter().map(PathBuf::from).chain(own).filter(|dir| seen.insert(dir.clone())).collect()
}

/// The file that this name runs.
pub fn which(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    path().into_iter().map(|dir| dir.join(name)).find(|file| {
        file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    })
}

/// The source of a manual page, `git log` being that of `git-log`, in which options stand as they are typed.
pub fn manual(words: &[String]) -> Option<String> {
    let (first, commands) = words.split_first()?;
    let first = first.rsplit('/').next().unwrap_or(first);
    let names = std::iter::once(first).chain(commands.iter().map(String::as_str));
    let name = names.collect::<Vec<_>>().join("-");
    let file = ["/usr/share/man", "/usr/local/share/man"]
        .iter()
        .flat_map(|dir| ["1", "8"].map(|part| format!("{dir}/man{part}/{name}.{part}.gz")))
        .find(|file| std::path::Path::new(file).exists())?;
    let read = std::process::Command::new("gzip").args(["-dc", &file]).output().ok()?;
    let text = String::from_utf8_lossy(&read.stdout).replace("\\-", "-");
    Some(
        ["\\fB", "\\fI", "\\fR", "\\fP", "\\&"]
            .iter()
            .fold(text, |text, font| text.replace(font, " ")),
    )
}

/// The options that a help text or a manual page names.
pub fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for negatable in ["[no-]", "[no]", "(no-)"] {
        for (at, _) in text.match_indices(negatable) {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + negatable.len()..).unwrap_or_default();
            if before.ends_with("--") {
                let name: String = after.chars().take_while(|char| in_name(*char)).collect();
                found.insert(format!("--{name}"));
            }
        }
    }
    let mut before = ' ';
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let boundary = before.is_whitespace() || "[({,|'\"/`<=:‘".contains(before);
        if char == '-' && boundary {
            let dashes = rest.chars().take_while(|char| *char == '-').count();
            let name: String =
                rest.chars().skip(dashes).take_while(|char| in_name(*char)).collect();
            let name = name.trim_end_matches(['-', '.']);
            if dashes <= 2 && !name.is_empty() && name.len() < 40 {
                found.insert(format!("{}{name}", "-".repeat(dashes)));
            }
            let length = dashes + name.len();
            before = rest.get(..length).and_then(|it| it.chars().last()).unwrap_or('-');
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        before = char;
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    found
}

fn in_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-_.+?#@".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_behind_all_names_of_their_program() {
        let all = all();
        let has = |words: &[&str]| all.iter().any(|target| target.words == words);
        assert!(has(&["git", "log"]) && has(&["git"]) && has(&["cat"]));
    }

    #[test]
    fn options_are_read_off_a_help_text() {
        let text = "usage: x [-v | --version] [--exec-path[=<path>]]\n  -o, --output=FILE  well-known\n  --[no-]color\n  -name\n";
        let found: Vec<String> = named(text).into_iter().collect();
        assert_eq!(found, ["--color", "--exec-path", "--output", "--version", "-name", "-o", "-v"]);
    }
}
