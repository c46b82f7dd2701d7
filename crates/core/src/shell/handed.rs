//! The variables that a line hands to the programs that it runs, and which of those take no more than data from them.
//!
//! `make` expands what stands in a variable of the environment (`CI='$(shell …)'`), and takes one for its own where a makefile
//! has `NAME ?= …`. Runners of tasks and scripts of the project put them into command lines and paths. So what reaches a program
//! is no better than one more unknown word of it, unless its table says what it takes from variables.
//!
//! Of most names it is not known who reads them, and what for: `PIP_PYTHON` and `CC` name programs, `LD_LIBRARY_PATH` a folder,
//! and a plain word is a path there. So the names that are data to all their readers are a closed list, and any other makes each
//! program unknown that finds it in its environment.

use std::collections::{HashMap, HashSet};

use super::effects::{takes_data_only, takes_settings};
use super::programs::{SYSTEM_DIRS, is_builtin, is_looked_through};
use super::values::GivenValue;
use super::{Command, CommandRole, Word, WordPiece};

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

/// Names in capitals that scripts use for what they go over, and those that the shell itself sets on its way.
const CAPITALS: &[&str] = &[
    "DB", "SRC", "WS", "FILE", "FILES", "LINE", "DIR", "NAME", "COUNT", "OUT", "VAR", "REPLY",
    "OPTARG", "OPTIND", "IFS",
];

/// Settings that are data to every program that reads them: what they say is how much, how loud, for which stage or for which
/// system. None names a program, a module, a file or options, or says how words are read.
const SETTINGS: &[&str] = &[
    "APP_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "BLOCK_SIZE",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TERM_COLOR",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "CUDA_VISIBLE_DEVICES",
    "DATABASE_URL",
    "DEBIAN_FRONTEND",
    "DEBUG",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    "DO_NOT_TRACK",
    "ENVIRONMENT",
    "FLASK_DEBUG",
    "FLASK_ENV",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "GO111MODULE",
    "GOARCH",
    "GOGC",
    "GOMAXPROCS",
    "GOOS",
    "GOTRACEBACK",
    "HOST",
    "HUSKY",
    "LOGLEVEL",
    "LOG_LEVEL",
    "MIX_ENV",
    "MKL_NUM_THREADS",
    "NEXT_TELEMETRY_DISABLED",
    "NODE_DISABLE_COLORS",
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_INPUT",
    "PORT",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "QUIET",
    "RACK_ENV",
    "RAILS_ENV",
    "REDIS_URL",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_MIN_STACK",
    "RUST_TEST_THREADS",
    "SOURCE_DATE_EPOCH",
    "STAGE",
    "TERM",
    "TEST_DATABASE_URL",
    "TF_CPP_MIN_LOG_LEVEL",
    "TOKENIZERS_PARALLELISM",
    "TURBO_TELEMETRY_DISABLED",
    "VERBOSE",
];

/// What the value of a variable can be taken for, beside data; from the most harmless on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HandedValue {
    /// None: the variable is taken away.
    Absent,
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

    /// That of what the shell gives. A number may be negative, and is an option then.
    pub(super) fn given(given: GivenValue) -> Self {
        match given {
            GivenValue::Word([]) => Self::Plain,
            GivenValue::Word([WordPiece::Text(text)]) => Self::of(Some(text)),
            _ => Self::Anything,
        }
    }
}

/// What is known of the name of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum HandedName {
    /// Scripts, and so makefiles, use it for anything: `out`, `dir`, `A`.
    Everyday,
    /// It says how text is shown: `TZ`, `LC_ALL`.
    Shown,
    /// It is data to all that read it: `CI`, `RUST_LOG`.
    Setting,
    /// Nothing: some program may take orders from it.
    Other,
}

impl HandedName {
    fn of(name: &str) -> Self {
        if SHOWN.contains(&name) || name.starts_with("LC_") {
            Self::Shown
        } else if SETTINGS.contains(&name) {
            Self::Setting
        } else if is_everyday(name) {
            Self::Everyday
        } else {
            Self::Other
        }
    }
}

/// A variable on its way to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HandedVariable {
    name: HandedName,
    value: HandedValue,
}

impl HandedVariable {
    /// The variable of this name; no value: only the run will tell.
    pub(crate) fn of(name: &str, value: Option<&str>) -> Self {
        Self::with(name, HandedValue::of(value))
    }

    /// The variable of this name, taken away. Without the one that says where programs are, some shells look for them in the
    /// folder that they work in: that is one more folder for it.
    pub(super) fn without(name: &str) -> Self {
        let value = if name == "PATH" { HandedValue::Anything } else { HandedValue::Absent };
        Self::with(name, value)
    }

    /// What it can be taken for.
    pub(super) fn value(self) -> HandedValue {
        self.value
    }

    /// The variable of this name with such a value.
    pub(super) fn with(name: &str, value: HandedValue) -> Self {
        Self { name: HandedName::of(name), value }
    }

    /// Whether it may give orders to all that is started with it, a shell among that: `LD_PRELOAD`, `BASH_ENV`.
    pub(crate) fn may_give_orders(self) -> bool {
        self.name == HandedName::Other
    }
}

/// Whether no program takes orders from a variable of this name. Closed: what is not known may name a program, a file or options.
pub(crate) fn takes_no_orders(name: &str) -> bool {
    HandedName::of(name) != HandedName::Other
}

/// The same of all names that begin so.
pub(crate) fn none_takes_orders(begins: &str) -> bool {
    begins.starts_with("LC_")
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
    if dir.is_none() && is_builtin(base) {
        return false;
    }
    let data_only = of_system && takes_data_only(base);
    let most = match of_system && !runs_file && takes_settings(base) {
        true => HandedValue::Setting,
        false => HandedValue::Plain,
    };
    match handed.name {
        // It may have kept a program from what it would do.
        HandedName::Other if handed.value == HandedValue::Absent => !(data_only || looks_through),
        _ if handed.value == HandedValue::Absent => false,
        // The loader of the system, or a wrapper itself, may read it.
        HandedName::Other => true,
        _ if looks_through => false,
        HandedName::Everyday => !data_only,
        HandedName::Shown => !data_only && handed.value > most,
        HandedName::Setting if data_only => handed.value == HandedValue::Anything,
        HandedName::Setting => handed.value > most,
    }
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
    leading: Vec<(String, HandedValue)>,
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

    /// These stand before the command that is read now; what stood before the one around it is given back.
    pub(super) fn begin(&mut self) -> Vec<(String, HandedValue)> {
        std::mem::take(&mut self.leading)
    }

    /// What stood before the command, which has been read.
    pub(super) fn end(&mut self, outer: Vec<(String, HandedValue)>) -> Vec<(String, HandedValue)> {
        std::mem::replace(&mut self.leading, outer)
    }

    /// This stands before the command that is being read.
    pub(super) fn stands_before(&mut self, name: &str, value: HandedValue) {
        self.leading.push((name.to_owned(), value));
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
            let reaches = handed.name != HandedName::Everyday || self.exported.contains(name);
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
