//! What the files of the project say of programs that are called by a name alone: which one runs under that name, and what it
//! is told beside its words.

use std::sync::Arc;

use super::ActionReader;
use super::programs::{ChosenPrograms, is_of_base};
use super::repository::upwards;
use super::versions::chooses;
use crate::path::{FileLookup, PathError, locate, plain_text};
use crate::policy::action::{ActionKind, PathStart};
use crate::policy::judge::{NeedsFiles, looked_up, places};
use crate::policy::quoted::quoted;
use crate::shell::{FileAccess, Word, WordPiece, base_name, is_builtin};

/// The longest file of settings that is read, in bytes.
pub(super) const MOST_TEXT: usize = 1 << 16;

/// Settings of npm that name no server, no program and no file: what is installed, and what is told of it.
const HARMLESS: &[&str] = &[
    "access",
    "all",
    "audit",
    "audit-level",
    "auto-install-peers",
    "bin-links",
    "color",
    "dedupe-peer-dependents",
    "depth",
    "dry-run",
    "enable-pre-post-scripts",
    "engine-strict",
    "foreground-scripts",
    "fund",
    "hoist",
    "hoist-pattern",
    "ignore-scripts",
    "include",
    "install-links",
    "install-strategy",
    "json",
    "legacy-peer-deps",
    "link-workspace-packages",
    "lockfile",
    "lockfile-version",
    "loglevel",
    "long",
    "min-release-age",
    "node-linker",
    "omit",
    "package-lock",
    "prefer-offline",
    "prefer-workspace-packages",
    "progress",
    "provenance",
    "public-hoist-pattern",
    "resolution-mode",
    "save",
    "save-exact",
    "save-prefix",
    "save-workspace-protocol",
    "shamefully-hoist",
    "strict-peer-dependencies",
    "strict-peer-deps",
    "tag-version-prefix",
    "timing",
    "unicode",
    "update-notifier",
    "workspaces",
    "workspaces-update",
];

impl ActionReader<'_> {
    /// Says so where a file that a manager of versions reads may choose the program that runs under a name.
    pub(super) fn chosen_programs(&mut self) -> Result<(), NeedsFiles> {
        let mut called: Vec<(Arc<PathStart>, Vec<Option<&str>>)> = Vec::new();
        for action in &self.actions {
            let ActionKind::Command { argv, .. } = &action.kind else { continue };
            let name = argv.first().and_then(Word::literal);
            // Of a builtin no file runs.
            if name.is_some_and(|name| name.contains('/') || is_builtin(name)) {
                continue;
            }
            match called.iter_mut().find(|(start, _)| Arc::ptr_eq(start, &action.start)) {
                Some((_, names)) => names.push(name),
                None => called.push((Arc::clone(&action.start), vec![name])),
            }
        }
        let mut why = None;
        for (start, names) in &called {
            why = match looked_up(self.chosen(start, names))? {
                Ok(None) => continue,
                Ok(Some((file, name))) => Some(format!(
                    "{} may choose the program that runs under the name {}, or have it fetched: it does not say a version that is known to be installed",
                    quoted(&file),
                    quoted(name.unwrap_or("of a variable")),
                )),
                Err(error) => Some(format!(
                    "it cannot be told whether a file chooses the program that runs under a name: {error}"
                )),
            };
            break;
        }
        if let Some(why) = why {
            self.unknown_code(why);
        }
        Ok(())
    }

    /// The first file that may choose what runs under one of these names from there, and the name. `None` is any name.
    fn chosen<'n>(
        &self, start: &PathStart, names: &[Option<&'n str>],
    ) -> Result<Option<(String, Option<&'n str>)>, PathError> {
        let of_base = names.iter().all(|name| name.is_some_and(is_of_base));
        let chosen = |programs: ChosenPrograms| {
            let meant = |name: &&Option<&str>| name.is_none_or(|name| programs.may_be(name));
            names.iter().find(meant).copied()
        };
        // A file that the line itself writes is not there yet.
        for action in &self.actions {
            let name = chosen(ChosenPrograms::Managed);
            let written = written_choice(&action.kind)
                .or_else(|| self.is_brought(&action.kind).then_some("a file of another commit"));
            if let Some((file, name)) = written.zip(name) {
                return Ok(Some((file.to_owned(), name)));
            }
        }
        let home = self.context.home.as_deref();
        self.of_folders(start, |folder, files| {
            let found = self.versions.of_folder(folder, home, of_base, files)?;
            let mut found = found.into_iter();
            Ok(found.find_map(|(file, programs)| Some((file, chosen(programs)?))))
        })
    }

    /// Whether git brings all files of another commit here.
    fn is_brought(&self, kind: &ActionKind) -> bool {
        let ActionKind::Path { access: FileAccess::Write, target, extent, by: Some(by) } = kind
        else {
            return false;
        };
        let program = self.actions.get(by.command).map(|it| &it.kind);
        extent.is_recursive()
            && target.literal() == Some(".")
            && program.is_some_and(|program| program.git().is_some())
    }

    /// Whether npm, which runs from there, is told nothing by the project that names a server, a program or a file.
    pub(super) fn is_plain_npm(&self, start: &PathStart) -> Result<bool, PathError> {
        let told = self.of_folders(start, |folder, files| {
            let file = format!("{folder}/.npmrc");
            if !files.has(&file)? {
                return Ok(None);
            }
            let text = plain_text(files, &file, MOST_TEXT);
            Ok(text.is_none_or(|text| !text.lines().all(is_harmless)).then_some(()))
        })?;
        Ok(told.is_none())
    }

    /// Whether shellcheck is told by no settings of the project to go on to the files that this script names. It looks for
    /// them beside the script, and above.
    pub(super) fn is_plain_shellcheck(
        &self, script: &Word, start: &PathStart,
    ) -> Result<bool, PathError> {
        let known = match script.pieces.first() {
            Some(WordPiece::Text(text)) => text.rsplit_once('/').map_or(".", |(dir, _)| dir),
            _ => ".",
        };
        if self.actions.iter().any(|action| may_be_written(&action.kind, SHELLCHECK)) {
            return Ok(false);
        }
        for dir in places(start, self.files)?.0 {
            let located = locate(known, &start.at(&dir), self.files)?;
            for beside in located.reals().chain([dir.as_str()]) {
                for folder in upwards(beside).map_while(|folder| folder) {
                    for name in SHELLCHECK {
                        let file = format!("{folder}/{name}");
                        if self.files.has(&file)?
                            && plain_text(self.files, &file, MOST_TEXT)
                                .is_none_or(|it| names_others(&it))
                            && !self.is_of_user(folder)?
                        {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// The first that is found in the folders that something may run in, and in those above up to the root, of any project.
    pub(super) fn of_folders<T>(
        &self, start: &PathStart,
        mut look: impl FnMut(&str, &dyn FileLookup) -> Result<Option<T>, PathError>,
    ) -> Result<Option<T>, PathError> {
        for dir in places(start, self.files)?.0 {
            // A program sees the folder that a symlink leads to, and what lies above that.
            let real = match self.files.real(&dir) {
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                real => real.ok().filter(|real| *real != dir),
            };
            for from in [Some(dir), real].into_iter().flatten() {
                for folder in upwards(&from).map_while(|folder| folder) {
                    let found = look(folder, self.files)?;
                    // Only where something is found it matters whose the folder is.
                    if found.is_some() && !self.is_of_user(folder)? {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether what lies in this folder tells programs what the user wants: the home itself, unless that is the project.
    pub(super) fn is_of_user(&self, folder: &str) -> Result<bool, PathError> {
        let Some(home) = &self.context.home else { return Ok(false) };
        let is_home = |home: &str| folder == home || folder.strip_prefix(home) == Some("/.config");
        let real = match self.files.real(home) {
            Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
            real => real.unwrap_or_default(),
        };
        Ok([home, &real].into_iter().any(|home| is_home(home))
            && !self.roots()?.iter().any(|root| root == home || *root == real))
    }
}

/// The server that npm asks anyway.
const USUAL_REGISTRY: &[&str] = &["https://registry.npmjs.org", "https://registry.npmjs.org/"];

/// Names of the settings of shellcheck.
const SHELLCHECK: &[&str] = &[".shellcheckrc", "shellcheckrc"];

/// Whether settings of shellcheck may let it go on to the files that a script names.
fn names_others(settings: &str) -> bool {
    let lines = settings.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let mut told = lines.filter(|line| line.contains("external-sources"));
    told.any(|line| line != "external-sources=false")
}

/// Whether the line itself may write a file of one of these names, which is not there yet.
pub(super) fn may_be_written(kind: &ActionKind, names: &[&str]) -> bool {
    let ActionKind::Path { access: FileAccess::Write, target, .. } = kind else { return false };
    names.iter().any(|name| may_be_called(target, base_name(name)))
}

/// Whether a file of this path may be called so, in letters of either case: its end is known, or may be anything. What splits may become
/// several words, and only the last of them ends as it is written.
pub(super) fn may_be_called(path: &Word, name: &str) -> bool {
    if path.pieces.contains(&WordPiece::Unknown { splits: true }) {
        return true;
    }
    let name = name.to_ascii_lowercase();
    match path.pieces.last() {
        Some(WordPiece::Text(end)) => {
            let end = end.trim_end_matches('/').to_ascii_lowercase();
            match end.rsplit_once('/') {
                Some((_, end)) => end == name,
                None if path.pieces.len() == 1 => end == name,
                None => name.ends_with(&end),
            }
        }
        Some(WordPiece::Home) | None => false,
        Some(WordPiece::Glob(_) | WordPiece::Unknown { .. }) => true,
    }
}

/// The file that the line itself writes, where it chooses programs. What only the run will tell is asked about by itself.
fn written_choice(kind: &ActionKind) -> Option<&str> {
    let ActionKind::Path { access: FileAccess::Write, target, .. } = kind else { return None };
    target.literal().map(base_name).filter(|name| chooses(name))
}

/// Whether a line of npm's settings is empty, a comment, or a harmless setting.
fn is_harmless(line: &str) -> bool {
    let line = line.trim();
    let (name, value) = line.split_once('=').unwrap_or((line, ""));
    let name = name.trim().trim_end_matches("[]").to_ascii_lowercase();
    let name = name.strip_prefix("no-").unwrap_or(&name);
    // A value may hold a variable, whose value is told then.
    line.is_empty()
        || line.starts_with(['#', ';'])
        || HARMLESS.contains(&name) && !value.contains("${")
        || name == "registry" && USUAL_REGISTRY.contains(&value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Span;

    fn word(pieces: &[WordPiece]) -> Word {
        Word { span: Span { start: 0, end: 0 }, pieces: pieces.to_vec() }
    }

    #[test]
    fn the_end_of_a_path_tells_what_the_file_is_called() {
        let text = |text: &str| WordPiece::Text(text.to_owned());
        let unknown = WordPiece::Unknown { splits: false };
        for (pieces, expected) in [
            (&[text(".ignore")][..], true),
            (&[text("a/b/.IGNORE")], true),
            (&[text(".ignore/")], true),
            (&[unknown.clone(), text("/.ignore")], true),
            (&[unknown.clone(), text("nore")], true),
            (&[text("a/"), unknown.clone()], true),
            (&[WordPiece::Glob("*".to_owned())], true),
            (&[text("nore")], false),
            (&[text(".ignore/a")], false),
            (&[unknown.clone(), text("/nore")], false),
            (&[unknown, text(".txt")], false),
            (&[WordPiece::Unknown { splits: true }, text(".txt")], true),
            (&[WordPiece::Home], false),
            (&[], false),
        ] {
            assert_eq!(may_be_called(&word(pieces), ".ignore"), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_setting_of_npm_that_names_anything_is_not_harmless() {
        for line in [
            "",
            "  ",
            "# registry=x",
            "; x",
            "save-exact=true",
            "fund = false",
            "no-fund=true",
            "omit[]=dev",
            "registry=https://registry.npmjs.org/",
            "registry = https://registry.npmjs.org",
            "min-release-age=3",
            "lockfile=false",
            "access=public",
            "hoist-pattern[]=*",
            "workspaces=true",
            "foreground-scripts=true",
        ] {
            assert!(is_harmless(line), "{line}");
        }
        for line in [
            "registry=https://a.example",
            "registry=https://registry.npmjs.org.a.example/",
            "@x:registry=https://registry.npmjs.org/",
            "@x:registry=https://a.example",
            "//a.example/:_authToken=${NPM_TOKEN}",
            "script-shell=./x",
            "node-options=--require ./x",
            "logs-dir=/x",
            "cache=/x",
            "init-module=./x",
            "git=./x",
            // They bring another Node, and run gpg.
            "use-node-version=20.0.0",
            "sign-git-tag=true",
            "globalconfig=./x",
            "loglevel=${SECRET}",
            "[x]",
            "\"registry\"=x",
        ] {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
