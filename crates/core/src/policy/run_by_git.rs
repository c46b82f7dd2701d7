//! What git runs, or obeys, of the files in a folder: the next time that somebody uses it there, outside of any sandbox.

mod named;
mod stores;

use std::collections::BTreeSet;

use super::reading::repository::{SeenFolder, common_dir, linked, seen, upwards};
use crate::path::{DirListing, FileLookup, PathContext, is_below, lexically, links_on, locate};

/// Git's own folder, or the file that names it.
pub(super) const GIT: &str = ".git";

/// What stands in such a folder: programs, settings that name programs, a file that says that the settings are elsewhere, and what is
/// under way, with the commands that go with it (`exec` of a rebase, and the programs that merge).
const OBEYED: &[&str] = &[
    "hooks",
    "config",
    "config.worktree",
    "info/attributes",
    "commondir",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    // Where older versions kept addresses.
    "remotes",
    "branches",
];
/// Where the folders of other repositories lie in it. Git takes over what it finds there as it makes a submodule.
const OTHERS: &[&str] = &["modules", "worktrees"];
/// How many of those are looked at, and how deep their names go (`modules/libs/one`).
const MOST_OTHERS: usize = 1_000;
const DEEPEST: usize = 8;

/// Files and folders that git runs or obeys. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitFiles {
    /// Those that are there, and those that lie behind a symlink which a command could replace: what is on the way to them is to be
    /// kept, also where they are not there.
    pub kept: Vec<String>,
    /// Those that do not exist yet: a new one is obeyed as well.
    pub absent: Vec<String>,
    /// Each repository that is there, with its submodules and worktrees: a new one would be obeyed.
    pub repositories: Vec<String>,
    /// Where they keep what was committed, if that is not below one of them.
    pub stores: Vec<String>,
    /// Whether what was committed may be elsewhere all the same: what names its place could not be read, or a command may put
    /// something else in the place of a symlink on the way there.
    pub unheld: bool,
    /// Whether that is not all: settings, or names, could not be read.
    pub incomplete: bool,
}

/// How it is looked for.
#[derive(Clone, Copy)]
pub struct GitLook<'a> {
    /// Where commands may write: of all else nothing is told. Absolute.
    pub places: &'a [String],
    /// The homes of the user, with settings that count everywhere. Absolute.
    pub homes: &'a [String],
    /// The file system.
    pub files: &'a dyn FileLookup,
}

/// Of a folder in which somebody may use git, but for the folders further down.
pub fn run_by_git(folder: &str, look: &GitLook<'_>) -> GitFiles {
    let folder = folder.trim_end_matches('/');
    let mut finding = Finding::new(look);
    finding.add_folder(folder);
    if look.places.iter().any(|place| place.trim_end_matches('/') == folder) {
        // The settings of a repository further up may name what lies in it.
        for above in upwards(folder).skip(1).map_while(|above| above) {
            finding.add_above(above);
        }
    }
    finding.found.unheld |= finding.may_be_led_elsewhere();
    let GitFiles { repositories, stores, .. } = &mut finding.found;
    stores.retain(|store| !repositories.iter().any(|git| is_below(store, git)));
    finding.found
}

/// Whether it is below one of these.
fn is_in_one_of(path: &str, all: &[String]) -> bool {
    all.iter().any(|each| path != each.trim_end_matches('/') && is_below(path, each))
}

/// What was found so far.
struct Finding<'a> {
    look: &'a GitLook<'a>,
    /// Where commands may write, by each name.
    places: Vec<String>,
    found: GitFiles,
    /// What is told already: by its text, and where that leads.
    told: BTreeSet<(String, String)>,
    /// Where symlinks stand on the way to what was committed.
    links: BTreeSet<String>,
}

impl<'a> Finding<'a> {
    fn new(look: &'a GitLook<'a>) -> Self {
        let (places, found) = (Vec::new(), GitFiles::default());
        let mut finding =
            Self { look, places, found, told: BTreeSet::new(), links: BTreeSet::new() };
        for place in look.places {
            let (path, real) = finding.located(place);
            finding.places.extend([path, real]);
        }
        finding
    }

    fn add_folder(&mut self, folder: &str) {
        let git = format!("{folder}/{GIT}");
        if !self.is_there(&git) {
            return self.keep(&git);
        }
        self.found.repositories.push(git.clone());
        if self.is_repository(&git) {
            self.add_repository(&git, folder);
        } else {
            // It names the folder, or is no repository yet.
            self.keep(&git);
            self.add_way(&git);
            match seen(folder, self.look.files) {
                Ok(SeenFolder::Linked(there)) => {
                    self.add_repository(&linked(folder, there), folder);
                }
                Ok(SeenFolder::Untold) => self.found.unheld = true,
                Ok(_) => {}
                Err(_) => self.found.incomplete = true,
            }
        }
    }

    fn add_above(&mut self, folder: &str) {
        let git = match seen(folder, self.look.files) {
            Ok(SeenFolder::Own) => format!("{folder}/{GIT}"),
            Ok(SeenFolder::Linked(there)) => linked(folder, there),
            Ok(SeenFolder::Nothing | SeenFolder::Husk) => return,
            Ok(SeenFolder::Untold) | Err(_) => return self.found.incomplete = true,
        };
        self.add_stores(&git);
        self.keep_hooks(&format!("{git}/hooks"));
        self.add_named(&git, folder);
    }

    fn add_repository(&mut self, git: &str, top: &str) {
        let common = common_dir(git, self.look.files);
        self.add_stores(git);
        if common != git {
            // Each of the work trees that share it obeys it.
            self.add_own(&common);
        }
        self.add_named(git, top);
        if !self.is_inside(git) && !self.is_inside(&self.located(git).1) {
            // What lies elsewhere runs what a symlink there leads to.
            return self.keep_hooks(&format!("{git}/hooks"));
        }
        self.add_own(git);
        let mut others = Vec::new();
        self.add_others(&mut others, git);
        for other in others {
            self.add_stores(&other);
            self.add_own(&other);
            let text = self.look.files.text(&format!("{other}/gitdir"), named::LONGEST);
            let top = text.as_deref().and_then(|file| file.trim_end().strip_suffix("/.git"));
            self.add_named(&other, top.unwrap_or(&other));
        }
    }

    fn add_own(&mut self, git: &str) {
        for name in OBEYED.iter().filter(|name| **name != "hooks") {
            // The first that is not there on the way.
            let above = name.split_once('/').map(|(above, _)| format!("{git}/{above}"));
            let above = above.filter(|above| !self.is_there(above));
            self.keep(&above.unwrap_or_else(|| format!("{git}/{name}")));
        }
        self.keep_hooks(&format!("{git}/hooks"));
        for name in OTHERS {
            let path = format!("{git}/{name}");
            if !self.is_there(&path) {
                self.keep(&path);
            }
        }
    }

    /// The repositories in this one, and in those.
    fn add_others(&mut self, found: &mut Vec<String>, git: &str) {
        for others in OTHERS {
            self.add_names(found, &format!("{git}/{others}"), DEEPEST);
        }
    }

    /// The folders of repositories below this one. A folder without `HEAD` is a part of a name, and gets none.
    fn add_names(&mut self, found: &mut Vec<String>, folder: &str, deep: usize) {
        let names = match self.look.files.list(folder, MOST_OTHERS) {
            DirListing::Names(names) => names,
            DirListing::Unknown | DirListing::TooMany => return self.found.incomplete = true,
        };
        for entry in names {
            let path = format!("{folder}/{}", entry.name);
            self.found.repositories.push(path.clone());
            if !entry.is_dir || entry.is_link {
                continue;
            }
            if deep == 0 || found.len() >= MOST_OTHERS {
                return self.found.incomplete = true;
            }
            found.push(path.clone());
            if self.is_there(&format!("{path}/HEAD")) {
                self.add_others(found, &path);
            } else {
                self.keep(&format!("{path}/HEAD"));
                self.add_names(found, &path, deep - 1);
            }
        }
    }

    /// What is there stays, and what is not is not made: where it is, and where symlinks say that it is.
    fn keep(&mut self, named: &str) {
        let (path, real) = self.located(named);
        if !self.told.insert((path.clone(), real.clone())) {
            return;
        }
        let is_linked = named != real && self.keep_way(named, &path, &real);
        let is_other = real != path;
        if self.is_inside(&real) {
            if self.is_there(&real) {
                if is_other {
                    self.found.kept.push(real);
                }
            } else {
                self.found.absent.push(real);
            }
        }
        if is_linked || self.is_inside(&path) && self.is_there(&path) {
            self.found.kept.push(path);
        }
    }

    /// The symlinks on the way to what is named so; returns whether some are on the way to its path by the text.
    fn keep_way(&mut self, named: &str, path: &str, real: &str) -> bool {
        let links = self.links_on(named);
        let by_text = if links.is_empty() { Vec::new() } else { self.links_on(path) };
        // With `..` behind a symlink, the text does not go there.
        for link in links.iter().filter(|link| !by_text.contains(link)) {
            let name = real.rsplit('/').next().unwrap_or_default();
            self.found.kept.push(format!("{link}/{name}"));
        }
        !by_text.is_empty()
    }

    /// The symlinks on the way that a command could replace: the path would lead elsewhere then.
    fn links_on(&self, path: &str) -> Vec<String> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        // Where it cannot be told, the path counts as one that is there.
        let mut links = links_on(path, &from, self.look.files).unwrap_or_default();
        links.retain(|link| is_in_one_of(link, &self.places));
        links
    }

    /// A folder of programs that git runs. What a symlink in it leads to is run as well.
    fn keep_hooks(&mut self, folder: &str) {
        let (_, real) = self.located(folder);
        if self.places.iter().any(|place| is_below(place, &real)) {
            // It cannot be kept whole.
            return self.keep_each_hook(folder);
        }
        self.keep(folder);
        match self.look.files.list(folder, MOST_OTHERS) {
            DirListing::Names(names) => {
                for hook in names.iter().filter(|hook| hook.is_link) {
                    self.keep(&format!("{folder}/{}", hook.name));
                }
            }
            DirListing::Unknown | DirListing::TooMany => self.found.incomplete = true,
        }
    }

    fn keep_each_hook(&mut self, folder: &str) {
        for name in named::HOOKS {
            self.keep(&format!("{folder}/{name}"));
        }
    }

    /// The path by its text, and where it leads.
    fn located(&self, path: &str) -> (String, String) {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        let lexical = || lexically(path, &from).map_or_else(|_| path.to_owned(), |it| it.lexical);
        match locate(path, &from, self.look.files) {
            Ok(located) => (located.lexical, located.real),
            Err(_) => (lexical(), lexical()),
        }
    }

    fn is_inside(&self, path: &str) -> bool {
        self.places.iter().any(|place| is_below(path, place))
    }

    /// Not to know counts as yes: it is kept as it is.
    fn is_there(&self, path: &str) -> bool {
        self.look.files.has(path).unwrap_or(true)
    }

    /// A folder with neither of these is no repository yet, and is kept whole.
    fn is_repository(&self, path: &str) -> bool {
        ["HEAD", "objects"]
            .iter()
            .any(|name| self.look.files.has(&format!("{path}/{name}")) == Ok(true))
    }
}
