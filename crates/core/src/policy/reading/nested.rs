//! The repositories that lie in another one: those that git goes into, with the settings and the files that they have.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use super::ignored::is_ignored;
use super::repository::{SeenFolder, common_dir, is_plain, seen, work_tree};
use crate::path::{
    DirListing, FileLookup, GIT_SETTINGS_OF_MACHINE, PathContext, PathError, is_below, locate,
    plain_text,
};
use crate::policy::git;
use crate::policy::judge::{KnownFiles, KnownNames, NestedFolders};
use crate::policy::quoted::quoted;

/// The most repositories in each other that are looked at.
const MOST_NESTED: usize = 256;

/// The most names that are gone through to find repositories.
const MOST_NAMES: usize = 300_000;

/// What is kept of a folder of git to say which others there are: git keeps those of its submodules there.
const MODULES: &str = "modules";

/// Folders of packages and products.
const PACKAGES: &[&str] = &["node_modules", "target", ".venv"];

/// The most settings that are read of one file, in bytes, and the most files that name each other.
const MOST_SETTINGS: usize = 1 << 16;
const MOST_FILES: usize = 32;

/// What is known of git's own files from earlier verdicts.
#[derive(Debug, Default)]
pub(crate) struct KnownGit {
    folders: NestedFolders,
    names: KnownNames,
    settings: KnownFiles<SeenSettings>,
}

/// What a file of settings says of other repositories.
#[derive(Debug, Default)]
struct SeenSettings {
    /// Whether git may go into them.
    names_others: bool,
    /// Whether git fetches objects that are not there, from a server that the settings name.
    fetches_lazily: bool,
    /// The lists of commits that `git blame` passes over; `None` for one that is not understood.
    ignored_revisions: Vec<Option<String>>,
    /// Whether a worktree may have a file of its own.
    of_worktree: bool,
    /// The files that it goes on in, as it names them.
    includes: Vec<String>,
}

impl SeenSettings {
    fn of(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let mut seen = Self {
            names_others: git::names_others(text),
            fetches_lazily: git::names_promisor(text),
            ignored_revisions: git::values_of(text, "ignorerevsfile"),
            of_worktree: lower.contains("worktreeconfig"),
            includes: Vec::new(),
        };
        let goes_on = lower.contains("[include");
        for value in goes_on.then(|| git::values_of(text, "path")).into_iter().flatten() {
            let is_plain =
                |path: &String| !path.starts_with(['~', '%', ':']) || path.starts_with("~/");
            if let Some(path) = value.filter(is_plain) {
                seen.includes.push(path);
            } else {
                // It is not known where that is.
                seen.names_others = true;
                seen.fetches_lazily = true;
            }
        }
        seen
    }
}

impl KnownGit {
    /// The names in its indexes.
    pub(in crate::policy) fn names(&self) -> &KnownNames {
        &self.names
    }

    /// Whether settings may make git go from this repository, whose own files lie in this folder, into others.
    pub(in crate::policy) fn settings_name_others(
        &self, git: &str, home: Option<&str>, files: &dyn FileLookup,
    ) -> bool {
        self.any_settings(git, home, files, |seen| seen.names_others)
    }

    /// Whether this repository, whose own files lie in this folder, may be a partial clone: git fetches what is missing there
    /// when it is first read.
    pub(super) fn fetches_lazily(
        &self, git: &str, home: Option<&str>, files: &dyn FileLookup,
    ) -> bool {
        self.any_settings(git, home, files, |seen| seen.fetches_lazily)
    }

    /// The files that `git blame` reads for settings of this repository; `None`: it cannot be told which.
    pub(super) fn ignored_revisions(
        &self, git: &str, home: Option<&str>, files: &dyn FileLookup,
    ) -> Option<Vec<String>> {
        let known = RefCell::new(Vec::new());
        let is_untold = self.any_settings(git, home, files, |seen| {
            seen.ignored_revisions.iter().any(|file| match file {
                Some(file) => {
                    let file = file.strip_prefix(":(optional)").unwrap_or(file);
                    known.borrow_mut().push(file.to_owned());
                    file.starts_with(['%', ':'])
                }
                None => true,
            })
        });
        (!is_untold).then(|| known.into_inner())
    }

    /// Whether that is so of settings that git reads there, or may be: of the repository's own, those of the user, or those of
    /// the machine.
    fn any_settings(
        &self, git: &str, home: Option<&str>, files: &dyn FileLookup,
        says: impl Fn(&SeenSettings) -> bool,
    ) -> bool {
        let common = common_dir(git, files);
        let machine = GIT_SETTINGS_OF_MACHINE.iter().map(|file| (*file).to_owned());
        let mut left: Vec<String> = machine.collect();
        left.push(format!("{common}/config"));
        if let Some(home) = home {
            left.extend([format!("{home}/.gitconfig"), format!("{home}/.config/git/config")]);
        }
        let mut looked = 0;
        while let Some(file) = left.pop() {
            looked += 1;
            let seen = self.settings.of(&file, files, || {
                if files.has(&file) == Ok(false) {
                    return Some(Arc::default());
                }
                plain_text(files, &file, MOST_SETTINGS)
                    .map(|text| Arc::new(SeenSettings::of(&text)))
            });
            // An unread one could say so.
            let Some(seen) = seen.filter(|_| looked <= MOST_FILES) else { return true };
            if says(&seen) {
                return true;
            }
            if seen.of_worktree {
                left.push(format!("{git}/config.worktree"));
            }
            for path in &seen.includes {
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                left.push(match path.strip_prefix("~/") {
                    Some(rest) => format!("{}/{rest}", home.unwrap_or_default()),
                    None if path.starts_with('/') => path.clone(),
                    None => format!("{folder}/{path}"),
                });
            }
        }
        false
    }
}

/// A repository that git may go into, whose settings may say what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NestedRepository {
    /// It lies in this folder.
    In(String),
    /// There may be some in this folder: its index is not understood, or there is too much to look at.
    Perhaps(String),
}

impl NestedRepository {
    /// What is said to the human.
    pub(super) fn why(&self) -> String {
        match self {
            Self::In(folder) => format!(
                "`git` goes into the repository in {}, whose settings may say what git runs",
                quoted(folder)
            ),
            Self::Perhaps(folder) => format!(
                "`git` may go into a repository in {}, whose settings may say what git runs: it can not be told which there are",
                quoted(folder)
            ),
        }
    }
}

/// The repositories that lie in one, and those of them that are the user's own: git itself keeps these, below its own folder
/// for that one.
pub(super) struct NestedRepositories<'a> {
    pub(super) top: &'a str,
    pub(super) git: &'a str,
    pub(super) known: &'a KnownGit,
    pub(super) files: &'a dyn FileLookup,
    kept: OnceCell<String>,
}

/// The folders in which no repository is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassedFolders {
    /// None.
    Nothing,
    /// Those that git does not add.
    Ignored,
    /// Of these, those of packages and products: another commit may hold what this one ignores, but what lies there runs
    /// wherever the project does, and is too much to look through.
    Packages,
}

/// What git finds in one folder.
enum EnteredFolder {
    Nothing,
    /// A repository that is known to run nothing, and the folder of its own files.
    Harmless(String),
    Harmful,
}

impl<'a> NestedRepositories<'a> {
    pub(super) fn of(
        (top, git): (&'a str, &'a str), known: &'a KnownGit, files: &'a dyn FileLookup,
    ) -> Self {
        Self { top, git, known, files, kept: OnceCell::new() }
    }

    /// One in the index, or in the index of such a one.
    pub(super) fn in_index(&self) -> Result<Option<NestedRepository>, PathError> {
        self.from(self.top.to_owned(), self.git.to_owned())
    }

    /// The one in this folder, or one in its index.
    pub(super) fn in_folder(&self, folder: &str) -> Result<Option<NestedRepository>, PathError> {
        match self.entered(folder)? {
            EnteredFolder::Nothing => Ok(None),
            EnteredFolder::Harmless(git) => self.from(folder.to_owned(), git),
            EnteredFolder::Harmful => Ok(Some(NestedRepository::In(folder.to_owned()))),
        }
    }

    /// One that lies below this folder, but for those that are passed over.
    pub(super) fn below(
        &self, folder: &str, passed: PassedFolders,
    ) -> Result<Option<NestedRepository>, PathError> {
        let passes = |folder: &str, name: &str| {
            let is_meant = match passed {
                PassedFolders::Nothing => false,
                PassedFolders::Ignored => true,
                PassedFolders::Packages => PACKAGES.contains(&name),
            };
            is_meant && is_ignored(folder, name, self.top, self.files)
        };
        let Some(found) = self.files.repositories_below(folder, &passes, MOST_NAMES) else {
            return Ok(Some(NestedRepository::Perhaps(folder.to_owned())));
        };
        for folder in &found {
            // git passes over what is no repository yet.
            if matches!(seen(folder, self.files)?, SeenFolder::Husk) {
                continue;
            }
            if let Some(found) = self.in_folder(folder)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn from(&self, top: String, git: String) -> Result<Option<NestedRepository>, PathError> {
        let mut left = vec![(top, git)];
        let mut looked = 0;
        while let Some((top, git)) = left.pop() {
            looked += 1;
            let nested = match self.known.folders.of(&git, self.files)? {
                Some(nested) if looked <= MOST_NESTED => nested,
                _ => return Ok(Some(NestedRepository::Perhaps(top))),
            };
            for nested in nested.iter() {
                let folder = format!("{top}/{}", nested.name);
                if !nested.is_repository {
                    // What is not there holds none.
                    if self.files.has(&folder)? {
                        return Ok(Some(NestedRepository::Perhaps(folder)));
                    }
                    continue;
                }
                match self.entered(&folder)? {
                    EnteredFolder::Nothing => {}
                    EnteredFolder::Harmless(git) => left.push((folder, git)),
                    EnteredFolder::Harmful => return Ok(Some(NestedRepository::In(folder))),
                }
            }
        }
        Ok(None)
    }

    fn entered(&self, folder: &str) -> Result<EnteredFolder, PathError> {
        let inner = match seen(folder, self.files)? {
            SeenFolder::Nothing => return Ok(EnteredFolder::Nothing),
            SeenFolder::Own => format!("{folder}/.git"),
            SeenFolder::Husk | SeenFolder::Untold => return Ok(EnteredFolder::Harmful),
            SeenFolder::Linked(there) => {
                let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
                locate(&there, &from, self.files)?.real
            }
        };
        let kept = self.kept.get_or_init(|| {
            let common = common_dir(self.git, self.files);
            self.files.real(&common).unwrap_or(common)
        });
        // The user's own may be a partial clone, too. Settings of the user and of the machine are looked at for the one above.
        let is_own =
            || is_below(&inner, kept) && !self.known.fetches_lazily(&inner, None, self.files);
        let is_harmless = is_plain(&inner, self.files) || is_own();
        Ok(if is_harmless { EnteredFolder::Harmless(inner) } else { EnteredFolder::Harmful })
    }
}

/// All folders below this one in which git finds a repository of their own. `None`: it cannot be told, or git shows one that
/// lies in no folder.
pub(in crate::policy) fn all_below(root: &str, files: &dyn FileLookup) -> Option<Vec<String>> {
    let Some((top, git)) = work_tree(root, files).ok()? else { return Some(Vec::new()) };
    let folders = files.repositories_below(&top, &|_, _| false, MOST_NAMES)?;
    let mut found = Vec::new();
    for folder in &folders {
        if let Some((_, git)) = work_tree(folder, files).ok()? {
            let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
            found.push(locate(&git, &from, files).ok()?.real);
        }
    }
    let mut left =
        vec![format!("{}/{MODULES}", common_dir(&git, files)), format!("{git}/{MODULES}")];
    let mut looked = 0;
    while let Some(folder) = left.pop() {
        looked += 1;
        let DirListing::Names(names) = files.list(&folder, MOST_NESTED) else { return None };
        for entry in names.iter().filter(|entry| entry.is_dir || entry.is_link) {
            let inner = format!("{folder}/{}", entry.name);
            if files.has(&format!("{inner}/HEAD")).ok()? {
                let real = files.real(&inner).ok()?;
                (looked <= MOST_NESTED && found.contains(&real)).then_some(())?;
                left.push(format!("{inner}/{MODULES}"));
            } else {
                left.push(inner);
            }
        }
    }
    Some(folders.into_iter().filter(|folder| is_below(folder, root)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_go_on_elsewhere_are_followed_or_not_trusted() {
        for (settings, includes) in [
            ("[include]\n\tpath = more\n\tpath = \"~/a b\"\n", &["more", "~/a b"][..]),
            ("[includeIf \"gitdir:~/\"] Path=/x", &["/x"]),
            ("[difftool \"x\"]\n\tpath = /usr/bin/x", &[]),
            ("[include]\n path = a ; x\n path = \"a]b\" # x\n path = a\\\nb", &["a", "a]b", "ab"]),
        ] {
            let seen = SeenSettings::of(settings);
            assert_eq!(seen.includes, includes, "{settings}");
            assert!(!seen.names_others, "{settings}");
        }
        for path in ["\"a", "a\\x", "~you/a", "%(prefix)/a", ":(optional)a"] {
            let settings = format!("[include]\n\tpath = {path}\n");
            assert!(SeenSettings::of(&settings).names_others, "{settings}");
        }
    }
}
