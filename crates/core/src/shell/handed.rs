//! The variables that a line hands to the programs that it runs, and which of those take more than data from them.
//!
//! `make` expands what stands in a variable of the environment (`CI='$(shell …)'`), and takes one for its own where a makefile
//! has `NAME ?= …`. Runners of tasks and scripts of the project put them into command lines and paths. So what reaches such a
//! program is no better than one more word of it, of which nothing is known.

use std::collections::{HashMap, HashSet};

use super::effects::{has_table, takes_data_only};
use super::programs::{SYSTEM_DIRS, is_builtin, is_looked_through};
use super::{Command, CommandRole, Word};

/// Programs that may take what is in a variable for code, or put it into a command line.
const TAKES_CODE: &[&str] = &[
    "make", "gmake", "bmake", "cmake", "just", "task", "rake", "bazel", "ninja", "meson", "tup",
    "scons", "invoke", "fab", "ant", "gradle", "mvn", "sbt", "dotnet", "npm", "pnpm", "yarn",
    "bun", "deno", "composer", "bundle", "poetry", "tox", "nox",
];

/// Shells: what a script does with variables stands in its file.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];

/// Names in capitals that scripts use for what they go over.
const CAPITALS: &[&str] =
    &["DB", "SRC", "WS", "FILE", "FILES", "LINE", "DIR", "NAME", "COUNT", "OUT", "VAR", "REPLY"];

/// A variable on its way to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HandedVariable {
    /// Its name is one that scripts, and so makefiles, use for anything: `out`, `dir`, `A`.
    everyday: bool,
    /// Its value is a plain word: no path, no code, no option.
    plain: bool,
}

impl HandedVariable {
    /// The variable of this name; no value: only the run will tell.
    pub(crate) fn of(name: &str, value: Option<&str>) -> Self {
        Self { everyday: is_everyday(name), plain: value.is_some_and(is_plain) }
    }
}

/// Whether a name is one that scripts use for anything. Settings are in capitals, or have a `_`.
pub(crate) fn is_everyday(name: &str) -> bool {
    let lower = name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.contains('_');
    lower || name.len() == 1 || CAPITALS.contains(&name)
}

fn is_plain(value: &str) -> bool {
    !value.starts_with('-')
        && !matches!(value, "." | "..")
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Whether this command may take more than data from a variable that it is handed.
pub(crate) fn may_obey(argv: &[Word], role: CommandRole, handed: HandedVariable) -> bool {
    let name = argv.first().and_then(Word::literal).unwrap_or_default();
    let (dir, base) = name.rsplit_once('/').map_or((None, name), |(dir, base)| (Some(dir), base));
    let of_system = dir.is_none_or(|dir| SYSTEM_DIRS.contains(&dir));
    let runs_file = SHELLS.contains(&base) && !is_given_text(argv);
    let looks_through = role == CommandRole::Wrapper && is_looked_through(base) && !runs_file;
    let reads = of_system && (takes_data_only(base) || dir.is_none() && is_builtin(base));
    if reads || looks_through {
        return false;
    }
    let takes_code = !of_system || runs_file || TAKES_CODE.contains(&base) || !has_table(base);
    handed.everyday || (takes_code && !handed.plain)
}

/// Whether a shell is given what it runs as a word (`-c`), which is read here.
fn is_given_text(argv: &[Word]) -> bool {
    let options = argv.iter().skip(1).map(|word| word.literal().unwrap_or_default());
    options
        .take_while(|option| option.starts_with('-'))
        .any(|option| !option.starts_with("--") && option.contains('c'))
}

/// What is set while a line is read.
#[derive(Debug, Default)]
pub(super) struct HandedVariables {
    /// What stands before the command that is being read.
    pub(super) leading: Vec<(String, bool)>,
    /// What the wrappers hand over that are being looked through.
    pub(super) wrapped: Vec<HandedVariable>,
    /// What the shell sets, and whether all that it gives is plain.
    set: HashMap<String, bool>,
    /// What it exports.
    exported: HashSet<String>,
}

impl HandedVariables {
    /// The shell sets this variable.
    pub(super) fn set(&mut self, name: &str, plain: bool) {
        let all = self.set.entry(name.to_owned()).or_insert(true);
        *all &= plain;
    }

    /// The shell exports this variable.
    pub(super) fn export(&mut self, name: &str) {
        self.exported.insert(name.to_owned());
    }

    /// What each program of the line may find in its environment. A setting that the shell sets may be there already.
    pub(super) fn reaching(&self) -> Vec<HandedVariable> {
        let mut reaching = Vec::new();
        for (name, plain) in &self.set {
            let handed = HandedVariable { everyday: is_everyday(name), plain: *plain };
            let reaches = !handed.everyday || self.exported.contains(name);
            if reaches && !reaching.contains(&handed) {
                reaching.push(handed);
            }
        }
        reaching
    }
}

/// Whether a value that is known is a plain word.
pub(super) fn is_plain_word(value: Option<&str>) -> bool {
    value.is_some_and(is_plain)
}

/// Whether this command may take more than data from one of these.
pub(super) fn obeys_one(command: &Command, handed: &[HandedVariable]) -> bool {
    handed.iter().any(|handed| may_obey(&command.argv, command.role, *handed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_a_path_an_option_or_code_is_not_plain() {
        for value in ["", "1", "true", "production", "v1.2-x_3"] {
            assert!(is_plain(value), "{value}");
        }
        for value in
            ["$(shell x)", "a b", "a:b", "a,b", "a/b", "/x", "-x", "..", ".", "a=b", "~", "é"]
        {
            assert!(!is_plain(value), "{value}");
        }
    }
}
