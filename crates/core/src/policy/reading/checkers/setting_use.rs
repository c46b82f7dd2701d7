//! What settings have a checker use, and what a text among them may be that leads nowhere.

use super::values::SettingValue;
use crate::policy::action::literal;
use crate::shell::{FileAccess, base_name, opens, written_out};

/// What a file of settings has the checker use besides. `None`: that is not known.
pub(super) type SettingUses = Option<Vec<SettingUse>>;

/// One thing that settings have a checker use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SettingUse {
    /// This path, seen from where the checker runs, with all that is below.
    Path(FileAccess, String),
    /// Another file of settings, seen from the folder of the one that names it.
    GoesOn(String),
    /// A module of Python, by its dotted name.
    Module(String),
    /// Packages, which it finds by their names.
    Packages,
    /// What it passes over by itself, too.
    TakesIn,
    /// The `.git` that it passes over by itself.
    Git,
    /// A file or a folder of the project, seen from where the checker runs, or from the folder of the settings.
    Own(String),
    /// A folder in which, and below which, other files of settings count.
    Folder(String),
    /// Words that stand before those of its command line.
    Words(Vec<String>),
}

/// Whether it is one word that leads nowhere.
pub(super) fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+*-".contains(&byte);
    !text.starts_with('-') && text.bytes().all(is_plain)
}

/// Whether it is a path below where it is seen from, without anything that a program could put another text for.
pub(super) fn is_plain_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte);
    !path.is_empty()
        && path.bytes().all(is_plain)
        && !path.starts_with(['/', '-'])
        && path.split('/').all(|name| name != "..")
}

/// Whether patterns find files of kinds that this program opens below a folder, as its settings may say. With some, a pattern for all
/// in a folder adds none.
pub(super) fn are_kinds(program: &str, files: &SettingValue, adds_by_ending: bool) -> bool {
    find_kinds(opens(&[literal(program)]).names, files, adds_by_ending)
}

/// The same of those that it opens without settings.
pub(super) fn are_first_kinds(program: &str, files: &SettingValue) -> bool {
    find_kinds(opens(&[literal(program)]).first, files, true)
}

fn find_kinds(known: &[&str], files: &SettingValue, adds_by_ending: bool) -> bool {
    let is_kind = |pattern: &String| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./*-".contains(&byte);
        let ends = |kind: &&str| match kind.strip_prefix('*') {
            Some(end) => !end.contains('*') && pattern.ends_with(end),
            None => base_name(pattern) == *kind,
        };
        pattern.bytes().all(is_plain) && known.iter().any(ends)
    };
    let is_folder = |pattern: &str| {
        let (folder, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./*-".contains(&byte);
        adds_by_ending && matches!(last, "*" | "**") && folder.bytes().all(is_plain)
    };
    let is_fine = |pattern: &str| {
        is_folder(pattern) || written_out(pattern).is_some_and(|all| all.iter().all(is_kind))
    };
    files.texts().is_some_and(|texts| texts.into_iter().all(is_fine))
}
