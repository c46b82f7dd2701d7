//! Code of Python that no word names: runners of tests load it, and plugins of a program. A symlink in the place of such a file counts
//! as a read of what it leads to.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ActionReader;
use super::loaded::LoadedFile;
use super::looked_at::MOST_NAMES;
use super::modules::{COMPILED, INIT, MAIN, has_ending, is_init};
use super::repository::upwards;
use super::settings::MOST_WAYS;
use crate::path::{DirEntry, DirListing, NameBudget, PathError, is_below, locate};
use crate::policy::action::{ActionKind, PathStart};
use crate::policy::judge::{NeedsFiles, is_product, looked_up, places};
use crate::policy::quoted::quoted;
use crate::shell::{DoubtReason, Word, WordPiece, base_name, loads_tests};

/// What pytest loads of each folder on the way to a test.
const CONFTEST: &str = "conftest";

/// What marks a virtual environment, into which no runner of tests goes unless it is a package.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// The options whose value says where something else lies than tests.
const OTHERS: &[&str] = &[
    "-c",
    "-t",
    "--config-file",
    "--rootdir",
    "--confcutdir",
    "--cov-config",
    "--top-level-directory",
];

/// The folders of plugins and releases that a project brings, and the programs that load any file of them.
const BROUGHT: &[(&str, &[&str])] = &[
    ("poetry", &[".poetry/plugins"]),
    ("yarn", &[".yarn/plugins", ".yarn/releases"]),
    ("yarnpkg", &[".yarn/plugins", ".yarn/releases"]),
];

/// Which symlinks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeReach {
    /// Those to code, or to packages of Python.
    Packages,
    /// Those to code, or to folders with code.
    Folders,
    /// All.
    All,
}

/// What is gone through for code.
struct CodeSearch {
    roots: Vec<String>,
    reach: CodeReach,
    /// How many names may still be looked at.
    left: NameBudget,
    /// The symlinks.
    found: BTreeSet<String>,
}

impl ActionReader<'_> {
    /// Takes the symlinks in the place of code that runners of tests load for files that they read, and those of plugins.
    pub(super) fn linked_tests(&mut self) -> Result<(), NeedsFiles> {
        let mut told = BTreeSet::new();
        for at in 0..self.actions.len() {
            let Some(action) = self.actions.get(at) else { break };
            let ActionKind::Command { argv, .. } = &action.kind else { continue };
            let program = argv.first().and_then(Word::literal).map(base_name).unwrap_or_default();
            let (program, start) = (program.to_owned(), Arc::clone(&action.start));
            let found = if loads_tests(argv) {
                let is_unittest = program == "unittest";
                let reach = if is_unittest { CodeReach::Packages } else { CodeReach::Folders };
                looked_up(self.code_of_tests(at, reach, &start))?
            } else if let Some((_, folders)) = BROUGHT.iter().find(|(name, _)| *name == program) {
                looked_up(self.code_brought(folders, &start))?
            } else {
                continue;
            };
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    let program = quoted(&program);
                    self.unknown_code(format!("it cannot be told what {program} loads: {error}"));
                    continue;
                }
            };
            for link in found {
                if told.insert(link.clone()) {
                    self.reads_unnamed(&link, &program, "loads it", &start)?;
                }
            }
        }
        Ok(())
    }

    /// Symlinks to code on the way to the tests that the words name; where they name none, below where it runs.
    fn code_of_tests(
        &self, command: usize, reach: CodeReach, start: &PathStart,
    ) -> Result<BTreeSet<String>, PathError> {
        let (mut ways, mut tops) = (BTreeSet::new(), BTreeSet::new());
        for dir in places(start, self.files)?.0 {
            let from = start.at(&dir);
            let here = locate(".", &from, self.files)?.real;
            let mut names_none = true;
            for file in self.loads.iter().filter(|it| self.names_tests(it, command)) {
                let name = match (file.target.literal(), file.target.pieces.first()) {
                    (Some(name), _) => name,
                    // What is not spelled out may be anywhere below. The endings of a module stand beside its name.
                    (None, Some(WordPiece::Text(text))) if !text.ends_with('.') => {
                        let folder = text.rsplit_once('/').map_or(".", |(folder, _)| folder);
                        text.split_once("::").map_or(folder, |(file, _)| file)
                    }
                    (None, _) => continue,
                };
                names_none = false;
                let located = locate(name, &from, self.files)?;
                // Of a dotted name the packages on the way are no folders of tests.
                let own = self.words(file.by).get(file.by.arg).and_then(Word::literal);
                let is_whole = own.is_none_or(|own| own.ends_with(name) || name.ends_with(own));
                if is_whole && let DirListing::Names(_) = self.files.list(&located.real, MOST_NAMES)
                {
                    tops.insert(located.real.clone());
                }
                ways.insert(located.real);
            }
            if names_none {
                tops.insert(here.clone());
            }
            ways.insert(here);
        }
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let roots = self.roots()?;
        for way in ways.iter().take(MOST_WAYS) {
            let top = roots.iter().filter(|root| is_below(way, root)).map(String::len).min();
            let inside = |folder: &&str| top.is_some_and(|top| folder.len() >= top);
            for folder in upwards(way).map_while(|folder| folder).take_while(inside) {
                if !seen.insert(folder.to_owned()) {
                    break;
                }
                let DirListing::Names(names) = self.files.list(folder, MOST_NAMES) else {
                    continue;
                };
                for DirEntry { name, is_link, is_dir } in names {
                    let path = format!("{folder}/{name}");
                    if is_link && (is_of_folder(&name) || name == COMPILED) {
                        found.insert(path);
                    } else if is_dir
                        && name == COMPILED
                        && let DirListing::Names(compiled) = self.files.list(&path, MOST_NAMES)
                    {
                        let links = compiled.into_iter().filter(|it| it.is_link);
                        found.extend(links.map(|it| format!("{path}/{}", it.name)));
                    }
                }
            }
        }
        let mut search = CodeSearch { roots, reach, left: NameBudget::new(MOST_NAMES), found };
        for top in tops {
            self.code_below(top, &mut search)?;
        }
        Ok(search.found)
    }

    /// Whether this is what a word of the command names as tests.
    fn names_tests(&self, file: &LoadedFile, command: usize) -> bool {
        let words = self.words(file.by);
        let word = |at: usize| words.get(at).and_then(Word::literal).unwrap_or_default();
        let (own, before) = (word(file.by.arg), word(file.by.arg.saturating_sub(1)));
        let is_start = own.starts_with("-s") || own.starts_with("--start-directory");
        matches!(file.why, DoubtReason::RunsCode)
            && self.is_word_of(file.by, command)
            && (is_start || !own.starts_with('-'))
            && !OTHERS.contains(&before)
    }

    /// Symlinks below folders that the project brings. One in the place of a folder counts, too.
    fn code_brought(
        &self, folders: &[&str], start: &PathStart,
    ) -> Result<BTreeSet<String>, PathError> {
        let (mut tops, mut found) = (BTreeSet::new(), BTreeSet::new());
        let roots = self.roots()?;
        self.of_folders(start, |top, files| {
            let inside = roots.iter().any(|root| is_below(top, root));
            for folder in folders.iter().filter(|_| inside) {
                let path = format!("{top}/{folder}");
                if !files.has(&path)? {
                    continue;
                }
                if files.real(&path)? == format!("{}/{folder}", files.real(top)?) {
                    tops.insert(path);
                } else {
                    found.insert(path);
                }
            }
            Ok(None::<()>)
        })?;
        let mut search =
            CodeSearch { roots, reach: CodeReach::All, left: NameBudget::new(MOST_NAMES), found };
        for top in tops {
            self.code_below(top, &mut search)?;
        }
        Ok(search.found)
    }

    /// Adds the symlinks to code below a folder. Where tools put what they make again is looked at last.
    fn code_below(&self, top: String, search: &mut CodeSearch) -> Result<(), PathError> {
        let (mut folders, mut products) = (vec![top], Vec::new());
        while let Some(folder) = folders.pop().or_else(|| products.pop()) {
            let names = self.names_for(&folder, search);
            if !names.iter().any(is_init) && names.iter().any(|it| it.name == ENVIRONMENT) {
                continue;
            }
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{folder}/{name}");
                // Nothing goes into hidden folders, or into packages of npm.
                let is_passed = name.starts_with('.') || name == "node_modules";
                if is_link {
                    if search.reach == CodeReach::All
                        || is_code(&folder, &name)
                        || !is_passed && self.leads_to_code(&path, search)?
                    {
                        search.found.insert(path);
                    }
                } else if is_dir && !is_passed {
                    if is_product(&name) { &mut products } else { &mut folders }.push(path);
                }
            }
        }
        Ok(())
    }

    /// Whether a symlink leads to a folder outside of the project that has code in it.
    fn leads_to_code(&self, link: &str, search: &mut CodeSearch) -> Result<bool, PathError> {
        let real = match self.files.real(link) {
            Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
            // It leads nowhere.
            Err(_) => return Ok(false),
            Ok(real) => real,
        };
        if search.roots.iter().any(|root| is_below(&real, root)) {
            return Ok(false);
        }
        if base_name(link) == COMPILED {
            return Ok(true);
        }
        let mut folders = vec![real];
        while let Some(folder) = folders.pop() {
            let names = self.names_for(&folder, search);
            if search.reach == CodeReach::Packages {
                return Ok(names.iter().any(is_init));
            }
            if names.iter().any(|it| is_code(&folder, &it.name)) {
                return Ok(true);
            }
            let inner = names.iter().filter(|it| it.is_dir && !it.is_link);
            folders.extend(inner.map(|it| format!("{folder}/{}", it.name)));
        }
        Ok(false)
    }

    /// The names in a folder. None where there are more than are looked at.
    fn names_for(&self, folder: &str, search: &mut CodeSearch) -> Vec<DirEntry> {
        match search.left.list(folder, self.files) {
            DirListing::Names(names) => names,
            DirListing::Unknown | DirListing::TooMany => Vec::new(),
        }
    }
}

/// Whether Python loads a file of this name with its folder, or a runner of tests does.
fn is_of_folder(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    has_ending(name) && [INIT, MAIN, CONFTEST].contains(&first)
}

/// Whether it may be found as code. Of what is compiled others import it.
fn is_code(folder: &str, name: &str) -> bool {
    name.ends_with(".py") || is_of_folder(name) || base_name(folder) == COMPILED && has_ending(name)
}
