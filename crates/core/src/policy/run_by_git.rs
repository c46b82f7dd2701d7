//! What git runs, or obeys, of the files in a folder: the next time that somebody uses it there, outside of any sandbox.

use crate::path::{DirEntry, DirListing, FileLookup};

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
];
/// Where the folders of other repositories lie in it.
const OTHERS: &[&str] = &["modules", "worktrees"];
/// How many of those are looked at, and how deep their names go (`modules/libs/one`).
const MOST_OTHERS: usize = 1_000;
const DEEPEST: usize = 4;
/// The longest settings that are read, in bytes.
const LONGEST: usize = 256 << 10;

/// Files and folders that git runs or obeys. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitFiles {
    /// Those that are there.
    pub kept: Vec<String>,
    /// Those that are not: whoever makes one is obeyed as well. What is above each of them is there.
    pub absent: Vec<String>,
}

/// Of a folder in which somebody may use git, but for the folders further down.
pub fn run_by_git(folder: &str, files: &dyn FileLookup) -> GitFiles {
    let folder = folder.trim_end_matches('/');
    let git = format!("{folder}/{GIT}");
    let mut found = GitFiles::default();
    if !is_there(&git, files) {
        found.absent.push(git);
    } else if is_repository(&git, files) {
        found.add_repository(&git, files);
        found.add_named(folder, &git, files);
    } else {
        // It says where the folder is.
        found.kept.push(git);
    }
    found
}

impl GitFiles {
    fn add_repository(&mut self, git: &str, files: &dyn FileLookup) {
        let mut own = vec![git.to_owned()];
        for others in OTHERS {
            add_others(&mut own, &format!("{git}/{others}"), DEEPEST, files);
        }
        for folder in own {
            for name in OBEYED {
                self.add(&folder, name, files);
            }
        }
    }

    fn add(&mut self, folder: &str, name: &str, files: &dyn FileLookup) {
        let path = format!("{folder}/{name}");
        if is_there(&path, files) {
            return self.kept.push(path);
        }
        // The first that is not there on the way.
        let above = name.split_once('/').map(|(above, _)| format!("{folder}/{above}"));
        self.absent.push(above.filter(|above| !is_there(above, files)).unwrap_or(path));
    }

    /// What its settings name: a folder of hooks, and more settings.
    fn add_named(&mut self, folder: &str, git: &str, files: &dyn FileLookup) {
        let text = files.text(&format!("{git}/config"), LONGEST).unwrap_or_default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let from = match key.trim().to_ascii_lowercase().as_str() {
                "hookspath" => folder,
                "path" => git,
                _ => continue,
            };
            let value = value.trim().trim_matches('"').trim_end_matches('/');
            let is_plain = !value.is_empty() && !value.starts_with('~') && !value.contains('\\');
            if is_plain {
                let path = if value.starts_with('/') {
                    value.to_owned()
                } else {
                    format!("{from}/{value}")
                };
                if is_there(&path, files) {
                    self.kept.push(path);
                }
            }
        }
    }
}

/// The folders of repositories below this one. One that has no `HEAD` is a part of a name.
fn add_others(found: &mut Vec<String>, folder: &str, deep: usize, files: &dyn FileLookup) {
    let DirListing::Names(names) = files.list(folder, MOST_OTHERS) else { return };
    for DirEntry { name, is_dir, .. } in names {
        let path = format!("{folder}/{name}");
        if !is_dir || found.len() > MOST_OTHERS {
            continue;
        }
        if deep > 1 && !is_there(&format!("{path}/HEAD"), files) {
            add_others(found, &path, deep - 1, files);
        }
        found.push(path);
    }
}

/// Not to know counts as yes: it is kept as it is.
fn is_there(path: &str, files: &dyn FileLookup) -> bool {
    files.has(path).unwrap_or(true)
}

/// A folder with neither of these is no repository yet, and is kept whole.
fn is_repository(path: &str, files: &dyn FileLookup) -> bool {
    ["HEAD", "objects"].iter().any(|name| files.has(&format!("{path}/{name}")) == Ok(true))
}
