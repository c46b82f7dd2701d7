//! Settings that name what a checker reads or writes, where its words alone should: in the folders that it looks at, and above.

use super::ActionReader;
use super::chosen::may_be_written;
use super::ignored::is_ignored_below;
use super::loaded::CommandPlace;
use super::looked_at::{MOST_NAMES, MOST_TEXT, folders_with};
use super::repository::upwards;
use super::setting_uses::{self, SettingUses};
use crate::path::{FileLookup, PathContext, PathError, locate, plain_text};
use crate::policy::action::{ByArgument, UseExtent};
use crate::policy::judge::places;
use crate::policy::tokens::base_name;
use crate::shell::{Word, WordPiece, command_of};

/// Folders without settings of a checker.
const PASSED: &[&str] = &["node_modules", ".git"];

/// Folders with many files that `.gitignore` mostly has.
const PRODUCTS: &[&str] = &["target", ".venv", "venv"];

/// Where a checker finds its settings, and what they may say.
struct KnownChecker {
    /// The names of the files.
    names: &'static [&'static str],
    /// The same below the home.
    of_user: &'static [&'static str],
    /// The options that name another.
    options: &'static [&'static str],
    /// Whether those below what it looks at count.
    below: bool,
    /// Whether it passes over what the `.gitignore` names where it runs.
    reads_ignores: bool,
    read: fn(&str, &str) -> SettingUses,
}

const BLACK: KnownChecker = KnownChecker {
    names: &["pyproject.toml"],
    of_user: &[".config/black", ".black"],
    options: &["--config"],
    below: false,
    reads_ignores: false,
    read: setting_uses::of_black,
};

const MYPY: KnownChecker = KnownChecker {
    names: &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
    of_user: &[".config/mypy/config", ".mypy.ini"],
    options: &["--config-file"],
    below: false,
    reads_ignores: false,
    read: setting_uses::of_mypy,
};

const FLAKE8: KnownChecker = KnownChecker {
    names: &[".flake8", "setup.cfg", "tox.ini"],
    of_user: &[".flake8", ".config/flake8"],
    options: &["--config", "--append-config"],
    below: false,
    reads_ignores: false,
    read: setting_uses::of_flake8,
};

const ISORT: KnownChecker = KnownChecker {
    names: &[".isort.cfg", "pyproject.toml", "setup.cfg", "tox.ini", ".editorconfig"],
    of_user: &[".isort.cfg", ".editorconfig"],
    options: &["--sp", "--settings-path", "--settings-file", "--settings"],
    below: false,
    reads_ignores: false,
    read: setting_uses::of_isort,
};

const PYLINT: KnownChecker = KnownChecker {
    names: &[
        ".pylintrc",
        "pylintrc",
        ".pylintrc.toml",
        "pylintrc.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
    ],
    of_user: &[".pylintrc", ".config/pylintrc"],
    options: &["--rcfile"],
    below: false,
    reads_ignores: false,
    read: setting_uses::of_pylint,
};

const PRETTIER: KnownChecker = KnownChecker {
    names: &[
        ".prettierrc",
        ".prettierrc.json",
        ".prettierrc.json5",
        ".prettierrc.toml",
        ".prettierrc.yaml",
        ".prettierrc.yml",
        "package.json",
        "package.yaml",
    ],
    of_user: &[],
    options: &["--config"],
    below: true,
    reads_ignores: true,
    read: setting_uses::of_prettier,
};

const RUBOCOP: KnownChecker = KnownChecker {
    names: &[".rubocop.yml", ".rubocop_todo.yml", ".rubocop", ".config/rubocop/config.yml"],
    of_user: &[".rubocop.yml", ".config/rubocop/config.yml"],
    options: &["-c", "--config"],
    below: true,
    reads_ignores: false,
    read: setting_uses::of_rubocop,
};

impl ActionReader<'_> {
    /// Whether the settings of this checker name no file that its words do not. What mypy is told by them it uses as if an
    /// operand named it.
    pub(super) fn names_no_others(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let command = command_of(self.words(by), usize::MAX);
        let checker = match command.first().and_then(Word::literal).map(base_name) {
            Some("black") => &BLACK,
            Some("flake8") => &FLAKE8,
            Some("isort") => &ISORT,
            Some("mypy") => &MYPY,
            Some("prettier") => &PRETTIER,
            Some("pylint") => &PYLINT,
            Some("rubocop") => &RUBOCOP,
            _ => return Ok(true),
        };
        if self.actions.iter().any(|action| may_be_written(&action.kind, checker.names)) {
            return Ok(false);
        }
        let Some(files) = self.settings_files(checker, by, place)? else { return Ok(false) };
        let mut used = Vec::new();
        for (name, file) in files {
            let text = plain_text(self.files, &file, MOST_TEXT);
            let Some(uses) = text.and_then(|text| (checker.read)(&name, &text)) else {
                return Ok(false);
            };
            used.extend(uses);
        }
        let (dirs, _) = places(place.start, self.files)?;
        for (access, path) in used {
            for dir in &dirs {
                let from = PathContext { cwd: dir.clone(), ..PathContext::default() };
                let path = locate(&path, &from, self.files)?.lexical;
                self.also_uses(by.command, access, path, UseExtent::Tree, place);
            }
        }
        Ok(true)
    }

    /// The files of settings that count for what this command looks at, each with the name that says how it is read.
    fn settings_files(
        &self, checker: &KnownChecker, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<Option<Vec<(String, String)>>, PathError> {
        let looked_at = self.looked_at(by, place)?;
        let mut found = Vec::new();
        let add = |folder: &str, files: &dyn FileLookup, found: &mut Vec<(String, String)>| {
            for name in checker.names {
                let file = format!("{folder}/{name}");
                if files.has(&file)? && !found.iter().any(|(_, it)| *it == file) {
                    found.push(((*name).to_owned(), file));
                }
            }
            Ok::<(), PathError>(())
        };
        for path in &looked_at.above {
            for folder in upwards(path).map_while(|folder| folder) {
                add(folder, self.files, &mut found)?;
            }
        }
        let home = self.context.home.as_deref().unwrap_or_default();
        for name in checker.of_user.iter().filter(|_| !home.is_empty()) {
            let file = format!("{home}/{name}");
            if self.files.has(&file)? {
                found.push(((*name).to_owned(), file));
            }
        }
        for value in named_by_options(self.words(by), checker.options) {
            // One of another name may be read in another way.
            let known =
                value.filter(|it| checker.names.contains(&it.rsplit('/').next().unwrap_or(it)));
            let Some(value) = known else { return Ok(None) };
            for dir in places(place.start, self.files)?.0 {
                let file = locate(value, &place.start.at(&dir), self.files)?.real;
                found.push((value.rsplit('/').next().unwrap_or(value).to_owned(), file));
            }
        }
        let mut left = MOST_NAMES;
        let mut ignored = Vec::new();
        if checker.reads_ignores {
            for name in PRODUCTS {
                let dirs = places(place.start, self.files)?.0;
                if dirs.iter().all(|dir| is_ignored_below(dir, name, self.files)) {
                    ignored.push(*name);
                }
            }
        }
        let goes_in = |name: &str| !PASSED.contains(&name) && !ignored.contains(&name);
        for top in looked_at.tops.iter().filter(|_| checker.below) {
            let folders = folders_with(checker.names, top, goes_in, &mut left, self.files);
            let Some(folders) = folders else { return Ok(None) };
            for folder in folders {
                add(&folder, self.files, &mut found)?;
            }
        }
        Ok(Some(found))
    }
}

/// What the options that name settings are given, also where a program takes their beginnings for them, or letters together. `None`: it is
/// not known.
fn named_by_options<'w>(words: &'w [Word], options: &[&str]) -> Vec<Option<&'w str>> {
    let mut named = Vec::new();
    for (at, word) in words.iter().enumerate().skip(1) {
        let next = || words.get(at + 1).and_then(Word::literal);
        let Some(text) = word.literal() else {
            // Of such an option the beginning alone is known.
            if matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-')) {
                named.push(None);
            }
            continue;
        };
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (text, next()),
        };
        let is_meant = |known: &&str| match (option.strip_prefix("--"), known.strip_prefix("--")) {
            (Some(begins), Some(known)) => !begins.is_empty() && known.starts_with(begins),
            _ => *known == option,
        };
        let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'));
        let is_letter = |known: &&str| {
            let letter = known.strip_prefix('-').filter(|it| it.len() == 1);
            letters.is_some_and(|letters| letter.is_some_and(|letter| letters.contains(letter)))
        };
        if options.iter().any(is_meant) {
            named.push(value);
        } else if options.iter().any(is_letter) {
            named.push(None);
        }
    }
    named
}
