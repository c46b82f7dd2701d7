//! What lies below a directory that is read with all that is in it: a file there that a rule names, or that is protected, is read
//! as if it were spelled out.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::Arc;

use super::sieve::SearchSieve;
use super::tracked::{self, KnownNames, NameSuspicion, TrackedBelow, TrackedFiles};
use crate::path::{
    CaseFolding, DirEntry, DirListing, FileLookup, LocatedPath, NameBudget, PathContext, PathError,
    lexically,
};
use crate::policy::git::GitReach;
use crate::policy::protected;
use crate::policy::reading::nested::{self, KnownGit};
use crate::policy::reading::repository;
use crate::shell::{TakenBelow, WordPiece};

/// How many names below one path are looked at.
const MOST_NAMES: usize = if cfg!(test) { 500 } else { 20_000 };

/// Where most names are, and few that somebody keeps secrets in: looked at last.
pub(super) const BULKY: &[&str] = &["node_modules", ".git", "target", ".venv", "vendor", "dist"];

/// Whether it lies where tools put what they make again.
pub(crate) fn is_product(path: &str) -> bool {
    path.split('/').any(|name| name != ".git" && BULKY.contains(&name))
}

/// Where most names are in a `.git`. Settings lie beside them, and in its folders of submodules and of worktrees.
const BULKY_OF_GIT: &[&str] = &["objects", "refs", "logs", "lfs", "annex"];

/// Where packages and objects lie, which hold no secrets of the user.
const FOREIGN: &[&str] = &[PACKAGES, ".git"];
const PACKAGES: &str = "node_modules";

/// The files below some directories. No symlinks: who follows those says so. Looked at when they are first asked for.
#[derive(Debug)]
pub(crate) struct FilesBelow {
    roots: Vec<String>,
    folding: CaseFolding,
    sieve: SearchSieve,
    /// How surely what is read is told: printed, copied, packed.
    tells: TakenBelow,
    /// Who says which files these are.
    by: Lists,
    /// What is known of git, and how it goes on into the repositories that lie there, and shows what those know.
    others: Option<GoesOn>,
    /// The names of folders in which nothing is the user's own.
    foreign: &'static [&'static str],
    found: OnceCell<FoundBelow>,
}

/// Who says which files lie below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    /// The folders.
    Folders,
    /// The index of git, which shows what it knows alone.
    Index,
    /// The index, and the folders: the line puts files into it, or git may look at others.
    Both,
    /// Neither: the line makes another index.
    Nobody,
}

/// How far a command of git goes that shows what is in files.
#[derive(Debug)]
pub(super) struct GoesOn {
    pub(super) by_words: GitReach,
    pub(super) home: Option<String>,
    pub(super) known: Arc<KnownGit>,
}

impl GoesOn {
    /// Whether it goes on from the repository that it finds from here.
    fn is_from(&self, root: &str, files: &dyn FileLookup) -> bool {
        let Ok(Some((_, git))) = repository::work_tree(root, files) else { return false };
        let home = self.home.as_deref();
        let name_others = || self.known.settings_name_others(&git, home, files);
        self.by_words.with_settings(name_others) >= GitReach::Further
    }
}

#[derive(Debug)]
struct FoundBelow {
    /// Each with where its name begins below the directory that is read.
    files: Vec<(String, usize)>,
    /// Those that indexes of git name, with the same.
    tracked: Vec<(TrackedBelow, usize)>,
    /// Whether these are all.
    complete: bool,
    /// Whether these are all but foreign ones.
    complete_own: bool,
}

/// A file below that is meant.
pub(super) enum MeantFile {
    /// There is one.
    Yes,
    /// There may be one.
    Perhaps,
    /// None is meant.
    No,
}

impl FilesBelow {
    /// The files below these directories, as far as the sieve does not pass over them.
    pub(super) fn of(
        dirs: &[LocatedPath], sieve: SearchSieve, tells: TakenBelow, by: Lists,
    ) -> Self {
        let folding = dirs.first().map_or(CaseFolding::Ask, |dir| dir.folding);
        let mut roots: Vec<String> =
            dirs.iter().map(|dir| dir.real.trim_end_matches('/').to_owned()).collect();
        roots.dedup();
        Self {
            roots,
            folding,
            sieve,
            tells,
            by,
            others: None,
            foreign: FOREIGN,
            found: OnceCell::new(),
        }
    }

    /// The same, with what other repositories know that lie there.
    pub(super) fn with_others(self, others: Option<GoesOn>) -> Self {
        Self { others, ..self }
    }

    /// The files below these directories that a program changes. `leaves_out`: what it does not go into.
    pub(super) fn changed(
        dirs: &[LocatedPath], sieve: SearchSieve, tells: TakenBelow, leaves_out: &[&str],
    ) -> Self {
        let foreign = if leaves_out.contains(&".git") { FOREIGN } else { &[PACKAGES] };
        Self { foreign, ..Self::of(dirs, sieve, tells, Lists::Folders) }
    }

    /// What is gone with these directories. What tools make again is no loss. `repositories`: those that lie there are gone,
    /// too.
    pub(super) fn deleted(dirs: &[LocatedPath], repositories: bool) -> Self {
        let own = dirs.iter().filter(|dir| !is_product(&dir.real)).cloned();
        let own: Vec<LocatedPath> = own.collect();
        let foreign = if repositories { &[PACKAGES] } else { FOREIGN };
        Self {
            foreign,
            ..Self::of(&own, SearchSieve::of_products(), TakenBelow::All, Lists::Folders)
        }
    }

    fn found(&self, files: &dyn FileLookup) -> &FoundBelow {
        self.found.get_or_init(|| {
            let mut found = FoundBelow {
                files: Vec::new(),
                tracked: Vec::new(),
                complete: true,
                complete_own: true,
            };
            for root in &self.roots {
                match self.by {
                    Lists::Folders => found.look(root, self.sieve.products, files),
                    Lists::Nobody => found.hold_more(),
                    Lists::Index | Lists::Both => {
                        let Some(others) = &self.others else {
                            found.hold_more();
                            continue;
                        };
                        let known = tracked::below(root, others.known.names(), files);
                        if known.in_folders || self.by == Lists::Both {
                            found.look(root, self.sieve.products, files);
                        }
                        found.track(root, known);
                        if others.is_from(root, files) {
                            found.nested(root, others.known.names(), files);
                        }
                    }
                }
            }
            found
        })
    }

    /// One of them, as a path: none is a symlink, and none lies below one.
    ///
    /// # Errors
    /// When its name cannot be part of a path.
    pub(super) fn located(&self, path: &str) -> Result<LocatedPath, PathError> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        Ok(LocatedPath { folding: self.folding, ..lexically(path, &from)? })
    }

    /// Whether one of them is meant. `may_mean`: what may be said of a file whose name is known in part.
    pub(super) fn meant(
        &self, is_meant: impl Fn(&str) -> bool, may_mean: impl Fn(&[WordPiece]) -> bool,
        files: &dyn FileLookup,
    ) -> MeantFile {
        let found = self.found(files);
        let is_read =
            |path: &str, from| is_meant(path) && !self.sieve.passes_over(path, from, files);
        let meant = found.files.iter().any(|(path, from)| is_read(path, *from))
            || (found.tracked.iter())
                .any(|(tracked, from)| tracked.paths().any(|path| is_read(&path, *from)));
        match (meant, self.tells) {
            (true, TakenBelow::All) => MeantFile::Yes,
            (false, _) if found.complete || !self.may_be_read(may_mean) => MeantFile::No,
            _ => MeantFile::Perhaps,
        }
    }

    /// Whether this may be said of a file that was not looked at, by the names of those that are read.
    fn may_be_read(&self, may_mean: impl Fn(&[WordPiece]) -> bool) -> bool {
        self.roots.iter().any(|root| {
            let forms = self.sieve.forms(root);
            forms.is_none_or(|forms| forms.iter().any(|form| may_mean(form)))
        })
    }

    /// What is said of the first of the user's own that has an answer, where what is read is told. Of none of those that are not
    /// suspected anything is said.
    pub(crate) fn told<T>(
        &self, suspicion: &NameSuspicion<'_>, said: impl Fn(&str) -> Option<T>,
        files: &dyn FileLookup,
    ) -> Option<T> {
        if self.tells == TakenBelow::Unknown {
            return None;
        }
        let found = self.found(files);
        // Settings of git hold a secret where one can be seen in them.
        let own = |path: &str, from: usize| {
            !is_in(path, from, self.foreign)
                || is_settings(path, from) && repository::tells_secret(path, files)
        };
        let said = |path: &str, from: usize| {
            let meant = || {
                own(path, from)
                    && !self.sieve.needs_settings(path)
                    && !self.sieve.passes_over(path, from, files)
            };
            said(path).filter(|_| meant())
        };
        found.files.iter().find_map(|(path, from)| said(path, *from)).or_else(|| {
            found.tracked.iter().find_map(|(tracked, from)| {
                tracked.suspects(suspicion).iter().find_map(|path| said(path, *from))
            })
        })
    }

    /// Whether settings of git that hold a secret are among them, where what is read is told.
    pub(crate) fn tells_settings(&self, files: &dyn FileLookup) -> bool {
        let is_told = |path: &str, from: usize| {
            let name = path.rsplit('/').next().unwrap_or_default();
            protected::is_settings(name)
                && is_in(path, 0, &[".git"])
                && repository::tells_secret(path, files)
                && !self.sieve.needs_settings(path)
                && !self.sieve.passes_over(path, from, files)
        };
        self.tells != TakenBelow::Unknown
            && self.found(files).files.iter().any(|(path, from)| is_told(path, *from))
    }

    /// Whether there may be more of the user's own than those that were looked at, where what is read is told.
    /// `may_mean`: what may be asked about of a file whose name is known in part.
    pub(crate) fn may_tell_more(
        &self, may_mean: impl Fn(&[WordPiece]) -> bool, files: &dyn FileLookup,
    ) -> bool {
        self.tells != TakenBelow::Unknown
            && !self.found(files).complete_own
            && self.may_be_read(may_mean)
    }
}

/// Whether it is a file of git's settings, below a `.git` that lies below the directory.
fn is_settings(path: &str, from: usize) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    protected::is_settings(name) && is_in(path, from, &[".git"])
}

/// Whether a part of the path below the directory has one of these names.
fn is_in(path: &str, from: usize, names: &[&str]) -> bool {
    path.get(from..).unwrap_or_default().split('/').any(|part| names.contains(&part))
}

/// Whether a directory of this name is looked through last.
fn is_bulky(dir: &str, name: &str) -> bool {
    BULKY.contains(&name) || below_git(dir).is_some() && BULKY_OF_GIT.contains(&name)
}

/// Whether git's settings may lie in this directory of its own, or below it.
fn holds_settings(dir: &str) -> bool {
    below_git(dir).is_some_and(|mut names| names.all(|name| !BULKY_OF_GIT.contains(&name)))
}

/// The names behind the first `.git` of a path. Those before it are the user's, and may be called anything.
fn below_git(path: &str) -> Option<impl Iterator<Item = &str>> {
    let mut names = path.split('/');
    names.any(|name| name == ".git").then_some(names)
}

impl FoundBelow {
    /// There are others, and they are unknown.
    fn hold_more(&mut self) {
        self.complete = false;
        self.complete_own = false;
    }

    /// What git knows below this directory.
    fn track(&mut self, root: &str, known: TrackedFiles) {
        self.tracked.extend(known.files.map(|files| (files, root.len() + 1)));
        if !known.complete {
            self.hold_more();
        }
    }

    /// What the repositories know that lie below this directory.
    fn nested(&mut self, root: &str, names: &KnownNames, files: &dyn FileLookup) {
        match nested::all_below(root, files) {
            Some(folders) => folders.iter().for_each(|folder| {
                let known = tracked::below(folder, names, files);
                let complete = known.complete && !known.in_folders;
                self.track(root, TrackedFiles { complete, ..known });
            }),
            None => self.hold_more(),
        }
    }

    /// Looks through a directory. `products`: who reads passes over those.
    fn look(&mut self, root: &str, products: bool, files: &dyn FileLookup) {
        let from = root.len() + 1;
        let mut left = NameBudget::new(MOST_NAMES);
        let mut dirs = VecDeque::from([root.to_owned()]);
        let mut bulky = VecDeque::new();
        while let Some(dir) = dirs.pop_front().or_else(|| bulky.pop_front()) {
            let names = match left.list(if dir.is_empty() { "/" } else { &dir }, files) {
                DirListing::Names(names) => names,
                // Without files at hand, what is said of paths holds.
                DirListing::Unknown => {
                    self.complete = false;
                    continue;
                }
                DirListing::TooMany => {
                    self.complete = false;
                    self.complete_own &= !holds_settings(&dir)
                        && (is_in(&dir, from, FOREIGN) || products && is_in(&dir, from, BULKY));
                    continue;
                }
            };
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{dir}/{name}");
                match (is_dir, is_link) {
                    (_, true) => {}
                    // Few names, and settings among them.
                    (true, false) if holds_settings(&path) => dirs.push_front(path),
                    (true, false) if is_bulky(&dir, &name) => bulky.push_back(path),
                    (true, false) => dirs.push_back(path),
                    (false, false) => self.files.push((path, from)),
                }
            }
        }
    }
}
