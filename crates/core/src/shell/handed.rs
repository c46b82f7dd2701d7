//! The variables that a line hands to the programs that it runs, and which of those take no more than data from them.
//!
//! `make` expands what stands in a variable of the environment (`CI='$(shell …)'`), and takes one for its own where a makefile
//! has `NAME ?= …`. Runners of tasks and scripts of the project put them into command lines and paths. So what reaches a program
//! is no better than one more word of it, of which nothing is known, unless its table says what it takes from variables.

use std::collections::{HashMap, HashSet};

use super::effects::{takes_data_only, takes_settings};
use super::programs::{SYSTEM_DIRS, is_builtin, is_looked_through};
use super::{Command, CommandRole, Word};

/// Builtins before which assignments stay: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_15
const SPECIAL_BUILTINS: &[&str] = &[
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
];

/// Variables of the system that say how text is shown, and when it is.
const SHOWN: &[&str] =
    &["LANG", "LANGUAGE", "TZ", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"];

/// Shells: what a script does with variables stands in its file.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];

/// Names in capitals that scripts use for what they go over.
const CAPITALS: &[&str] =
    &["DB", "SRC", "WS", "FILE", "FILES", "LINE", "DIR", "NAME", "COUNT", "OUT", "VAR", "REPLY"];

/// What the value of a variable can be taken for, beside data; from the most harmless on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HandedValue {
    /// A plain word: no path, no code, no option.
    Plain,
    /// Data as settings have it (`app:*`, `debug,hyper=warn`, an address): no path, and nothing that a shell would read.
    Setting,
    /// Anything. Only the run may tell.
    Anything,
}

impl HandedValue {
    /// That of a text; without one only the run will tell.
    pub(super) fn of(text: Option<&str>) -> Self {
        match text {
            Some(text) if is_plain(text) => Self::Plain,
            Some(text) if is_setting(text) => Self::Setting,
            _ => Self::Anything,
        }
    }
}

/// A variable on its way to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HandedVariable {
    /// Its name is one that scripts, and so makefiles, use for anything: `out`, `dir`, `A`.
    everyday: bool,
    /// Its name says how text is shown: `TZ`, `LC_ALL`.
    shown: bool,
    value: HandedValue,
}

impl HandedVariable {
    /// The variable of this name; no value: only the run will tell.
    pub(crate) fn of(name: &str, value: Option<&str>) -> Self {
        Self::with(name, HandedValue::of(value))
    }

    /// The variable of this name with such a value.
    pub(super) fn with(name: &str, value: HandedValue) -> Self {
        let shown = SHOWN.contains(&name) || name.starts_with("LC_");
        Self { everyday: is_everyday(name), shown, value }
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

/// An address has slashes; elsewhere they make a path, as a `~` does.
fn is_setting(value: &str) -> bool {
    let inert = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:,=*@%+/".contains(&byte);
    let is_address =
        ["http://", "https://", "postgres://", "postgresql://", "mysql://", "redis://"]
            .iter()
            .any(|scheme| value.starts_with(scheme));
    value.bytes().all(inert)
        && !value.starts_with(['-', '.', '@'])
        && !value.contains("..")
        && (is_address || !value.contains('/'))
}

/// Whether this command may take more than data from a variable that it is handed.
pub(crate) fn may_obey(argv: &[Word], role: CommandRole, handed: HandedVariable) -> bool {
    let name = argv.first().and_then(Word::literal).unwrap_or_default();
    let (dir, base) = name.rsplit_once('/').map_or((None, name), |(dir, base)| (Some(dir), base));
    let of_system = dir.is_none_or(|dir| SYSTEM_DIRS.contains(&dir));
    let runs_file = SHELLS.contains(&base) && !is_given_text(argv);
    let looks_through = role == CommandRole::Wrapper && is_looked_through(base) && !runs_file;
    if looks_through || (dir.is_none() && is_builtin(base)) {
        return false;
    }
    if of_system && takes_data_only(base) {
        // Some take options, and programs to run, from a variable of a name of their own.
        let own = !handed.everyday && !handed.shown;
        return own && handed.value == HandedValue::Anything;
    }
    let most = match of_system && !runs_file && takes_settings(base) {
        true => HandedValue::Setting,
        false => HandedValue::Plain,
    };
    handed.everyday || handed.value > most
}

/// Whether an assignment before the builtin of this name is one of the shell.
pub(super) fn is_special_builtin(name: &str) -> bool {
    SPECIAL_BUILTINS.contains(&name)
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
    pub(super) leading: Vec<(String, HandedValue)>,
    /// What the wrappers hand over that are being looked through.
    pub(super) wrapped: Vec<HandedVariable>,
    /// What the shell sets, with the least harmless that it gives.
    set: HashMap<String, HandedValue>,
    /// What it exports.
    exported: HashSet<String>,
}

impl HandedVariables {
    /// The shell sets this variable.
    pub(super) fn set(&mut self, name: &str, value: HandedValue) {
        let most = self.set.entry(name.to_owned()).or_insert(value);
        *most = value.max(*most);
    }

    /// The shell exports this variable.
    pub(super) fn export(&mut self, name: &str) {
        self.exported.insert(name.to_owned());
    }

    /// What each program of the line may find in its environment. A setting that the shell sets may be there already.
    pub(super) fn reaching(&self) -> Vec<HandedVariable> {
        let mut reaching = Vec::new();
        for (name, value) in &self.set {
            let handed = HandedVariable::with(name, *value);
            let reaches = !handed.everyday || self.exported.contains(name);
            if reaches && !reaching.contains(&handed) {
                reaching.push(handed);
            }
        }
        reaching
    }
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
            assert_eq!(HandedValue::of(Some(value)), HandedValue::Plain, "{value}");
        }
        for value in
            ["a:b", "a,b", "a=b", "app:*", "debug,hyper::proto=warn", "postgres://me@localhost/db"]
        {
            assert_eq!(HandedValue::of(Some(value)), HandedValue::Setting, "{value}");
        }
        for value in [
            "$(shell x)",
            "a b",
            "a/b",
            "/x",
            "-x",
            "..",
            ".",
            "~",
            "é",
            "a:../b",
            "x;y",
            "`x`",
            "@file",
            "a=~/b",
            "file:///etc/passwd",
            "http://h/$x",
            "a\nb",
            "ssh://-oProxyCommand=x/y",
        ] {
            assert_eq!(HandedValue::of(Some(value)), HandedValue::Anything, "{value}");
        }
        assert_eq!(HandedValue::of(None), HandedValue::Anything);
    }
}
