//! Settings of the project that let ruff change files while it checks them, or keep its cache in any folder.

use super::ActionReader;
use super::chosen::may_be_written;
use crate::path::PathError;
use crate::policy::action::{ByArgument, PathStart};
use crate::shell::Word;

/// The longest file of settings that is read, in bytes.
const MOST_TEXT: usize = 1 << 18;

/// The file that holds the settings of many tools, and those of ruff alone.
const SHARED: &str = "pyproject.toml";
const SETTINGS: &[&str] = &[SHARED, "ruff.toml", ".ruff.toml"];

/// The settings that only say what is looked at and how it is told. Any other may change files, name the folder of the cache or
/// another file of settings, or is not known.
const HARMLESS: &[&str] = &[
    "analyze",
    "builtins",
    "exclude",
    "extend-exclude",
    "extend-ignore",
    "extend-include",
    "extend-select",
    "fixable",
    "force-exclude",
    "format",
    "ignore",
    "include",
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

impl ActionReader<'_> {
    /// Whether ruff, which runs from there, only reads: its settings are those of the project, and none of them changes a file.
    pub(super) fn lints_only(&self, by: ByArgument, start: &PathStart) -> Result<bool, PathError> {
        let names_others = |word: &Word| word.literal().is_none_or(|it| it.starts_with("--config"));
        if self.words(by).iter().skip(1).any(names_others)
            || self.actions.iter().any(|action| may_be_written(&action.kind, SETTINGS))
        {
            return Ok(false);
        }
        let changes = self.of_folders(start, |folder, files| {
            for name in SETTINGS {
                let file = format!("{folder}/{name}");
                if files.has(&file)?
                    && files.text(&file, MOST_TEXT).is_none_or(|text| !only_reads(name, &text))
                {
                    return Ok(Some(()));
                }
            }
            Ok(None)
        })?;
        Ok(changes.is_none())
    }
}

/// Whether each setting of a file is known to change none.
fn only_reads(name: &str, text: &str) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let ruff = match name {
        SHARED => match table.get("tool").and_then(|tool| tool.get("ruff")) {
            None => return true,
            Some(ruff) => ruff.as_table(),
        },
        _ => Some(&table),
    };
    let is_harmless = |(key, value): (&String, &toml::Value)| {
        HARMLESS.contains(&key.as_str()) || value.as_bool() == Some(false)
    };
    ruff.is_some_and(|ruff| ruff.iter().all(is_harmless))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert!(only_reads(name, text), "{text}");
        }
        for (name, text) in [
            (SHARED, "[tool.ruff]\nfix = true"),
            (SHARED, "tool.ruff.fix = true"),
            (SHARED, "[tool]\nruff = { \"fix-only\" = true }"),
            (SHARED, "[tool.ruff]\ncache-dir = '../x'"),
            (SHARED, "[tool.ruff]\nextend = '../ruff.toml'"),
            (SHARED, "not toml"),
            ("ruff.toml", "fix = 1"),
            ("ruff.toml", "fix-everything = true"),
            (SHARED, "[tool]\nruff = 1"),
            (".ruff.toml", "\"fix\" = true"),
        ] {
            assert!(!only_reads(name, text), "{text}");
        }
    }
}
