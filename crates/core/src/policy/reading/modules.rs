//! Modules of Python that are looked for where a command runs, before its own: those of the project, wherever symlinks lead.

use std::collections::BTreeSet;

use super::ActionReader;
use super::loaded::{MOST_FOUND, MOST_NAMES};
use crate::path::{DirEntry, DirListing, NameBudget, PathError, is_below};
use crate::policy::action::{ByArgument, PathStart};
use crate::policy::judge::places;
use crate::shell::Word;

/// The endings of files that Python loads.
const ENDINGS: &[&str] = &[".py", ".pyc", ".so", ".pyd"];

/// What makes a folder a package.
pub(super) const INIT: &str = "__init__";

/// Where Python keeps compiled modules.
pub(super) const COMPILED: &str = "__pycache__";

/// What a package runs.
pub(super) const MAIN: &str = "__main__";

impl ActionReader<'_> {
    /// Whether a dotted name begins with a module that Python finds in the directory before its own, or is a directory. One
    /// without `__init__.py` comes after all modules of that name, so that it is only taken for one under the usual name of
    /// tests, which Python has not.
    pub(super) fn has_module(&self, target: &Word, start: &PathStart) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        let text = target.literal().filter(|_| !adrift && !dirs.is_empty());
        // `-sDIR` and `--start-directory=DIR` have the name behind the option.
        let text = text.map(|text| text.rsplit_once('=').map_or(text, |(_, value)| value));
        let Some(text) = text.filter(|text| !text.starts_with('-')) else { return Ok(false) };
        let name = text.split(['.', ':']).next().unwrap_or_default();
        let forms = match name {
            "" => return Ok(text == "."),
            "tests" => vec![name.to_owned()],
            _ => vec![format!("{name}.py"), format!("{name}/__init__.py")],
        };
        for dir in dirs {
            let mut found = false;
            for form in &forms {
                found |= self.files.has(&format!("{dir}/{form}"))?;
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no module that Python may find in the folder first is a symlink out of the project, or to what is no module: of
    /// that it prints the lines that it does not understand, also of a secret.
    pub(super) fn has_own_modules(
        &self, by: ByArgument, start: &PathStart,
    ) -> Result<bool, PathError> {
        let roots = self.roots()?;
        let words: Vec<&str> = self.words(by).iter().skip(1).filter_map(Word::literal).collect();
        // `-mNAME`, `NAME.part`
        let names = |word: &str, name: &str| {
            let first = word.split('.').next().unwrap_or_default();
            first == name || first.starts_with('-') && first.ends_with(name)
        };
        let mut left = NameBudget::new(MOST_FOUND);
        for dir in places(start, self.files)?.0 {
            let found = match self.files.list(&dir, MOST_NAMES) {
                DirListing::Names(found) => found,
                // Without files at hand, what is said of the words holds.
                DirListing::Unknown => continue,
                DirListing::TooMany => return Ok(false),
            };
            for entry in found {
                // Compiled modules are loaded from there by any name.
                let is_named =
                    entry.name == COMPILED || words.iter().any(|word| names(word, &entry.name));
                let path = format!("{dir}/{}", entry.name);
                if entry.is_link
                    && (is_named || may_be_module(&entry.name))
                    && !self.is_own_module(&path, is_named, &roots)?
                {
                    return Ok(false);
                }
                if (entry.is_link || entry.is_dir)
                    && (is_named || may_be_package(&entry.name))
                    && !self.is_own_package(&path, is_named, &roots, &mut left)?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a symlink that may stand for a module leads to one of the project, or to what is neither a module nor a package.
    fn is_own_module(
        &self, link: &str, is_named: bool, roots: &[String],
    ) -> Result<bool, PathError> {
        let real = self.files.real(link)?;
        let is_inside = roots.iter().any(|root| is_below(&real, root));
        if has_ending(link) {
            return Ok(is_inside && has_ending(&real));
        }
        // A file without an ending is no module. A folder without `__init__` comes after all modules of its name: no package of
        // Python is replaced by a folder of data.
        Ok(is_inside
            || match self.files.list(&real, MOST_FOUND) {
                DirListing::Names(names) if is_named => names.is_empty(),
                DirListing::Names(names) => !names.iter().any(is_init),
                DirListing::Unknown | DirListing::TooMany => false,
            })
    }

    /// The same of what Python loads with this package. Of one that the command names, that is any module in it.
    fn is_own_package(
        &self, top: &str, is_named: bool, roots: &[String], left: &mut NameBudget,
    ) -> Result<bool, PathError> {
        let mut folders = vec![self.files.real(top)?];
        let mut seen = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            if !seen.insert(folder.clone()) {
                continue;
            }
            let found = match left.list(&folder, self.files) {
                DirListing::Names(found) => found,
                DirListing::Unknown => continue,
                DirListing::TooMany => return Ok(false),
            };
            for DirEntry { name, is_link, is_dir } in found {
                let path = format!("{folder}/{name}");
                let first = name.split('.').next();
                let is_loaded =
                    matches!(first, Some(INIT | MAIN)) || is_named && may_be_module(&name);
                if is_link && is_loaded && !self.is_own_module(&path, true, roots)? {
                    return Ok(false);
                }
                if is_named && (is_link || is_dir) && may_be_package(&name) {
                    folders.push(self.files.real(&path)?);
                }
            }
        }
        Ok(true)
    }
}

/// Whether this makes its folder a package.
pub(super) fn is_init(entry: &DirEntry) -> bool {
    entry.name.split('.').next() == Some(INIT)
}

/// Whether Python loads a file of this name as a module.
pub(super) fn has_ending(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a folder of this name may be a package. Packages of npm have no modules of Python.
fn may_be_package(name: &str) -> bool {
    !name.contains(['.', '-', ' ']) && name != "node_modules"
}

fn may_be_module(name: &str) -> bool {
    has_ending(name) || may_be_package(name)
}
