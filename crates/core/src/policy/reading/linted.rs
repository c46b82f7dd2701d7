//! Settings that let ruff change files while it checks them, read others than sources, or keep its cache in any folder: those of each
//! folder that it looks at, of those above, and of the user.

use std::collections::BTreeSet;

use super::ActionReader;
use super::chosen::may_be_written;
use super::loaded::CommandPlace;
use super::looked_at::{LookedAt, MOST_NAMES, MOST_TEXT, folders_with};
use super::repository::upwards;
use crate::path::{FileLookup, NameBudget, PathError, plain_text};
use crate::policy::action::{ByArgument, UseExtent};
use crate::policy::judge::places;
use crate::shell::Word;

/// The file that holds the settings of many tools, and those of ruff alone.
const SHARED: &str = "pyproject.toml";
const SETTINGS: &[&str] = &[SHARED, "ruff.toml", ".ruff.toml"];

/// Where the user keeps some, below the home.
const OF_USER: &[&str] = &[".config/ruff", "Library/Application Support/ruff"];

/// Where it keeps what it found, in each folder that has settings, and where it runs.
const CACHE: &str = ".ruff_cache";

/// Folders that it does not go into, unless settings or an option say otherwise.
const EXCLUDED: &[&str] = &[
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pytype",
    CACHE,
    ".svn",
    ".tox",
    ".venv",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
];

/// The ends of the names of sources.
const SOURCES: &[&str] = &[".py", ".pyi", ".ipynb", SHARED];

/// The settings that only say what is looked at and how it is told. Any other may change files, name the folder of the cache or
/// another file of settings, or is not known.
const HARMLESS: &[&str] = &[
    "analyze",
    "builtins",
    EXCLUDE,
    "extend-exclude",
    "extend-ignore",
    "extend-select",
    "fixable",
    "force-exclude",
    "format",
    "ignore",
    "indent-width",
    "line-length",
    "lint",
    "namespace-packages",
    "output-format",
    "per-file-ignores",
    "per-file-target-version",
    "preview",
    "required-version",
    "respect-gitignore",
    "select",
    "show-fixes",
    "src",
    "target-version",
    "unfixable",
    "unsafe-fixes",
];

/// What changes files, where it is not switched off.
const FIXES: &[&str] = &["fix", "fix-only"];

/// The setting that takes the place of the folders that it does not go into, and the option.
const EXCLUDE: &str = "exclude";

/// The settings that say which files are sources.
const INCLUDES: &[&str] = &["include", "extend-include"];

/// The folders in which there are settings, and whether those leave others out than usual.
#[derive(Default)]
struct SettingFolders {
    found: BTreeSet<String>,
    excludes: bool,
}

impl ActionReader<'_> {
    /// Whether ruff, which runs from there, does what its words say alone: it changes no file that it should only check, and reads
    /// none but sources. Its cache is a write of the command.
    pub(super) fn lints_only(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let words: Option<Vec<&str>> = self.words(by).iter().skip(1).map(Word::literal).collect();
        let Some(words) = words.filter(|words| !words.iter().any(|it| it.starts_with("--config")))
        else {
            return Ok(false);
        };
        let has = |option: &str| words.iter().take_while(|it| **it != "--").any(|it| *it == option);
        let (dirs, _) = places(place.start, self.files)?;
        let mut kept: BTreeSet<String> = dirs.iter().cloned().collect();
        if !has("--isolated") {
            let excludes = words.iter().any(|word| word.starts_with("--exclude"));
            match self.folders_of_ruff(by, place, excludes)? {
                Some(folders) => kept.extend(folders.found),
                None => return Ok(false),
            }
        }
        if !has("--no-cache") && !has("-n") {
            for folder in kept {
                self.also_writes(by.command, format!("{folder}/{CACHE}"), UseExtent::Tree, place);
            }
        }
        Ok(true)
    }

    /// The folders that have settings which count for what this command looks at. `None`: one of them may be harmful, or it
    /// cannot be told.
    fn folders_of_ruff(
        &self, by: ByArgument, place: CommandPlace<'_>, excludes: bool,
    ) -> Result<Option<SettingFolders>, PathError> {
        if self.actions.iter().any(|action| may_be_written(&action.kind, SETTINGS)) {
            return Ok(None);
        }
        let mut folders = SettingFolders { excludes, ..SettingFolders::default() };
        let (_, adrift) = places(place.start, self.files)?;
        if adrift {
            return Ok(None);
        }
        for below in self
            .context
            .home
            .iter()
            .flat_map(|home| OF_USER.iter().map(move |it| format!("{home}/{it}")))
        {
            if !SettingFolders::default().add(&below, self.files)? {
                return Ok(None);
            }
        }
        let LookedAt { above, tops, certain } = self.looked_at(by, place)?;
        if !certain {
            return Ok(None);
        }
        for folder in above.iter().flat_map(|path| upwards(path).map_while(|folder| folder)) {
            if !folders.add(folder, self.files)? {
                return Ok(None);
            }
        }
        loop {
            let excludes = folders.excludes;
            for top in &tops {
                if !folders.add_below(top, self.files)? {
                    return Ok(None);
                }
            }
            if folders.excludes == excludes {
                return Ok(Some(folders));
            }
        }
    }
}

impl SettingFolders {
    /// Takes this folder up, where it has settings; the answer is whether those are harmless.
    fn add(&mut self, folder: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
        for name in SETTINGS {
            let file = format!("{folder}/{name}");
            if !files.has(&file)? {
                continue;
            }
            let Some(Some(settings)) =
                plain_text(files, &file, MOST_TEXT).map(|text| settings(name, &text))
            else {
                return Ok(false);
            };
            let Some(settings) = settings else { continue };
            if !only_reads(&settings) {
                return Ok(false);
            }
            self.excludes |= settings.contains_key(EXCLUDE);
            self.found.insert(folder.to_owned());
        }
        Ok(true)
    }

    /// The same of all folders below this one that it goes into.
    fn add_below(&mut self, top: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
        let goes_in = |name: &str| self.excludes || !EXCLUDED.contains(&name);
        let mut left = NameBudget::new(MOST_NAMES);
        let Some(folders) = folders_with(SETTINGS, top, goes_in, false, &mut left, files) else {
            return Ok(false);
        };
        for folder in folders {
            if !self.add(&folder, files)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The settings of ruff in a file of this name: none, where it has those of others alone. `None`: they cannot be read.
fn settings(name: &str, text: &str) -> Option<Option<toml::Table>> {
    let mut table = text.parse::<toml::Table>().ok()?;
    if name != SHARED {
        return Some(Some(table));
    }
    match table.remove("tool") {
        Some(toml::Value::Table(mut tools)) => match tools.remove("ruff") {
            None => Some(None),
            Some(toml::Value::Table(ruff)) => Some(Some(ruff)),
            Some(_) => None,
        },
        None => Some(None),
        Some(_) => None,
    }
}

/// Whether each of these settings is known to change no file, and to name none but sources.
fn only_reads(settings: &toml::Table) -> bool {
    settings.iter().all(|(key, value)| {
        let is_off = || FIXES.contains(&key.as_str()) && value.as_bool() == Some(false);
        let is_known = HARMLESS.contains(&key.as_str()) || is_off();
        let is_include = || INCLUDES.contains(&key.as_str()) && all(value, is_source);
        (is_known || is_include()) && (key != "lint" || adds_nothing(value))
    })
}

/// Whether a pattern finds sources alone.
fn is_source(pattern: &str) -> bool {
    SOURCES.iter().any(|end| pattern.ends_with(end))
}

/// Whether no rule puts code of the settings into what it checks.
fn adds_nothing(lint: &toml::Value) -> bool {
    let imports = lint.get("isort").and_then(|isort| isort.get("required-imports"));
    imports.is_none_or(|it| all(it, |import| import.starts_with("from __future__ import ")))
}

fn all(list: &toml::Value, is_fine: impl Fn(&str) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().all(|it| it.as_str().is_some_and(&is_fine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(name: &str, text: &str) -> bool {
        settings(name, text).is_some_and(|it| it.is_none_or(|it| only_reads(&it)))
    }

    #[test]
    fn settings_of_ruff_that_change_files_are_told_from_others() {
        for (name, text) in [
            (SHARED, ""),
            (SHARED, "[tool.black]\nfix = true"),
            (
                SHARED,
                "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nextend-select = ['I']\nfixable = ['ALL']",
            ),
            (SHARED, "[tool.ruff]\nfix = false"),
            ("ruff.toml", "unsafe-fixes = true\n[lint]\nfixable = ['E']"),
            ("ruff.toml", "extend-include = ['*.ipynb', 'tools/*.py']\nexclude = []"),
            ("ruff.toml", "lint.isort.required-imports = ['from __future__ import annotations']"),
        ] {
            assert!(reads(name, text), "{text}");
        }
        for (name, text) in [
            (SHARED, "[tool.ruff]\nfix = true"),
            (SHARED, "tool.ruff.fix = true"),
            (SHARED, "[tool]\nruff = { \"fix-only\" = true }"),
            (SHARED, "[tool.ruff]\ncache-dir = '../x'"),
            (SHARED, "[tool.ruff]\nextend = '../ruff.toml'"),
            (SHARED, "not toml"),
            ("ruff.toml", "include = ['.env']"),
            ("ruff.toml", "extend-include = ['*.py', 'server.key']"),
            ("ruff.toml", "include = '*.py'"),
            ("ruff.toml", "extension = { env = 'python' }"),
            ("ruff.toml", "lint.isort.required-imports = ['from evil import run']"),
            ("ruff.toml", "fix = 1"),
            ("ruff.toml", "fix-everything = true"),
            (SHARED, "[tool]\nruff = 1"),
            (".ruff.toml", "\"fix\" = true"),
        ] {
            assert!(!reads(name, text), "{text}");
        }
    }
}
