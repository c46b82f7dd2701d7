//! Settings of cargo that a project brings: they may name programs that run (compilers, runners, aliases of its commands),
//! variables, and folders that it writes into. What is known to be harmless is described here, and all else is asked about.

use toml::{Table, Value};

use super::ActionReader;
use crate::path::{PathError, plain_text};
use crate::policy::action::{ByArgument, PathStart};
use crate::shell::Word;

/// The files that it reads, in each folder from where it runs up.
const NAMES: &[&str] = &[".cargo/config.toml", ".cargo/config"];

/// The longest of them that is read, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// Keys of whole tables whose values are switches, numbers and plain words.
const PLAIN: &[(&str, &[&str])] = &[
    ("net", &["retry", "offline", "git-fetch-with-cli"]),
    ("term", &["quiet", "verbose", "color", "hyperlinks", "unicode"]),
    ("future-incompat-report", &["frequency"]),
];

/// The same of a profile, and of the packages in it.
const PROFILE: &[&str] = &[
    "inherits",
    "opt-level",
    "debug",
    "split-debuginfo",
    "strip",
    "debug-assertions",
    "overflow-checks",
    "lto",
    "panic",
    "incremental",
    "codegen-units",
    "rpath",
];

/// Programs that link, found as all programs are.
const LINKERS: &[&str] = &["cc", "gcc", "clang", "lld", "ld.lld", "rust-lld"];

/// Flags of the compiler with a value, which names no file.
const CODEGEN: &[&str] = &[
    "target-cpu",
    "target-feature",
    "opt-level",
    "debuginfo",
    "debug-assertions",
    "overflow-checks",
    "codegen-units",
    "force-frame-pointers",
    "panic",
    "strip",
];

/// Flags that have the linker be another one of those that are installed.
const LINKED_BY: &[&str] = &["link-arg=-fuse-ld=lld", "link-arg=-fuse-ld=mold"];

impl ActionReader<'_> {
    /// Whether cargo, which runs from there with these words, is told nothing by the project that names a program or a folder.
    pub(super) fn is_plain_cargo(
        &self, by: ByArgument, start: &PathStart,
    ) -> Result<bool, PathError> {
        let words: Vec<&str> = self.words(by).iter().filter_map(Word::literal).collect();
        let told = self.of_folders(start, |folder, files| {
            for name in NAMES {
                let file = format!("{folder}/{name}");
                if !files.has(&file)? {
                    continue;
                }
                let table = plain_text(files, &file, MOST_TEXT).map(|text| text.parse::<Table>());
                if !matches!(table, Some(Ok(table)) if is_harmless(&table, &words)) {
                    return Ok(Some(()));
                }
            }
            Ok(None)
        })?;
        Ok(told.is_none())
    }
}

/// Whether these settings name no program, variable or place, for a command of these words.
fn is_harmless(settings: &Table, words: &[&str]) -> bool {
    settings.iter().all(|(name, value)| {
        let Value::Table(table) = value else { return false };
        match name.as_str() {
            // Any of cargo's commands that is a program of its own, and its short names, may be an alias.
            "alias" => table.keys().all(|alias| !words.contains(&alias.as_str())),
            "build" => table.iter().all(|(key, value)| is_of_build(key, value)),
            "target" => table.values().all(|target| match target {
                Value::Table(target) => target.iter().all(|(key, value)| is_of_target(key, value)),
                _ => false,
            }),
            "profile" => table.values().all(is_profile),
            name => {
                let known = PLAIN.iter().find(|(known, _)| *known == name);
                known.is_some_and(|(_, keys)| {
                    table.iter().all(|(key, value)| keys.contains(&key.as_str()) && is_plain(value))
                })
            }
        }
    })
}

fn is_of_build(key: &str, value: &Value) -> bool {
    match key {
        "jobs" | "incremental" => is_plain(value),
        // Not the file that describes one.
        "target" => match value {
            Value::Array(targets) => targets.iter().all(is_plain),
            target => is_plain(target),
        },
        "rustflags" | "rustdocflags" => are_flags(value),
        _ => false,
    }
}

fn is_of_target(key: &str, value: &Value) -> bool {
    match key {
        "rustflags" | "rustdocflags" => are_flags(value),
        "linker" => value.as_str().is_some_and(|linker| LINKERS.contains(&linker)),
        _ => false,
    }
}

fn is_profile(profile: &Value) -> bool {
    let Value::Table(profile) = profile else { return false };
    profile.iter().all(|(key, value)| match (key.as_str(), value) {
        ("package", Value::Table(packages)) => packages.values().all(is_profile),
        ("build-override", profile) => is_profile(profile),
        (key, value) => PROFILE.contains(&key) && is_plain(value),
    })
}

/// Whether it is a switch, a number or a word of letters.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Boolean(_) | Value::Integer(_) => true,
        Value::String(text) => is_word(text, b"_-"),
        _ => false,
    }
}

fn is_word(text: &str, more: &[u8]) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
}

/// Whether these are flags of the compiler that name no file and no program: lints, conditions, and a few of what it makes.
fn are_flags(value: &Value) -> bool {
    let texts = match value {
        Value::String(text) => Some(vec![text.as_str()]),
        Value::Array(flags) => flags.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(texts) = texts else { return false };
    let mut flags = texts.into_iter().flat_map(str::split_whitespace);
    while let Some(flag) = flags.next() {
        let mut value = |attached: &'_ str| match attached {
            "" => flags.next().map(str::to_owned),
            attached => Some(attached.to_owned()),
        };
        let is_known = if let Some(attached) = flag.strip_prefix("-C") {
            value(attached).is_some_and(|made| is_codegen(&made))
        } else if let Some(lint) =
            ["-D", "-W", "-A", "-F"].iter().find_map(|it| flag.strip_prefix(it))
        {
            value(lint).is_some_and(|lint| is_word(&lint, b"_-:"))
        } else if flag == "--cfg" {
            value("").is_some_and(|name| is_word(&name, b"_-=\""))
        } else {
            false
        };
        if !is_known {
            return false;
        }
    }
    true
}

fn is_codegen(flag: &str) -> bool {
    let plain = |(name, value): (&str, &str)| CODEGEN.contains(&name) && is_word(value, b"_-.,+");
    LINKED_BY.contains(&flag) || flag.split_once('=').is_some_and(plain)
}
