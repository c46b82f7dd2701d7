//! The files below a folder, without those that are ignored by git, hidden or behind symlinks.

use std::ffi::OsStr;
use std::ops::ControlFlow;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::cancel::CancelFlag;
use super::error::FileError;
use super::list::EntryKind;
use super::open::{open_file, read_all};
use super::root::{FileRoot, OpenFolder, below};

/// How many names one walk looks at.
const MOST_NAMES: usize = 1_000_000;

/// How deep it goes: each folder on the way is held open.
const MOST_DEEP: usize = 100;

/// Of a `.gitignore`, in bytes.
const LARGEST_IGNORE: u64 = 1 << 20;

/// A file that a walk found.
pub(super) struct FoundFile<'a> {
    pub(super) dir: &'a Dir,
    pub(super) name: &'a str,
    /// From the root.
    pub(super) path: &'a str,
    /// From where the walk began.
    pub(super) below: &'a str,
}

/// Goes through folders in the order of their names.
pub(super) struct FolderWalk<'a> {
    cancel: &'a CancelFlag,
    /// Whether a name that starts with a dot is meant.
    hidden: &'a dyn Fn(&str) -> bool,
    /// The innermost last; with how much of a path is that of its folder.
    ignores: Vec<(usize, Gitignore)>,
    base: usize,
    left: usize,
    /// Not everything was looked at.
    pub(super) truncated: bool,
}

type WalkStep = Result<ControlFlow<()>, FileError>;

impl<'a> FolderWalk<'a> {
    pub(super) fn new(cancel: &'a CancelFlag, hidden: &'a dyn Fn(&str) -> bool) -> Self {
        Self { cancel, hidden, ignores: Vec::new(), base: 0, left: MOST_NAMES, truncated: false }
    }

    /// Everything below this folder, until `on` breaks.
    pub(super) fn run(
        &mut self, root: &FileRoot, from: &OpenFolder, on: &mut dyn FnMut(&FoundFile) -> WalkStep,
    ) -> Result<(), FileError> {
        self.ignores_above(root, from);
        self.base = if from.path.is_empty() { 0 } else { from.path.len() + 1 };
        self.folder(&from.dir, &from.path, 0, on).map(|_| ())
    }

    fn folder(
        &mut self, dir: &Dir, path: &str, deep: usize, on: &mut dyn FnMut(&FoundFile) -> WalkStep,
    ) -> WalkStep {
        let names = match self.names(dir, path) {
            Ok(names) => names,
            // What one may not see is not there, but for where the walk begins.
            Err(_) if deep > 0 => Vec::new(),
            Err(error) => return Err(FileError::io(path, &error)),
        };
        self.cancel.check(path)?;
        let ignores = self.ignores.len();
        self.read_ignore(dir, path);
        for (name, kind) in &names {
            self.cancel.check(path)?;
            let path = below(path, name);
            let is_dir = *kind == EntryKind::Directory;
            if self.is_left_out(name, &path, is_dir) {
                continue;
            }
            let step = match kind {
                EntryKind::File => {
                    let below = path.get(self.base..).unwrap_or_default();
                    on(&FoundFile { dir, name, path: &path, below })?
                }
                EntryKind::Directory if deep == MOST_DEEP => {
                    self.truncated = true;
                    ControlFlow::Continue(())
                }
                EntryKind::Directory => match dir.open_dir_nofollow(name) {
                    Ok(inner) => self.folder(&inner, &path, deep + 1, on)?,
                    Err(_) => ControlFlow::Continue(()),
                },
                EntryKind::Symlink | EntryKind::Other => ControlFlow::Continue(()),
            };
            if step.is_break() {
                return Ok(step);
            }
        }
        self.ignores.truncate(ignores);
        Ok(ControlFlow::Continue(()))
    }

    /// The names in a folder that are text: no other could be named.
    fn names(&mut self, dir: &Dir, path: &str) -> std::io::Result<Vec<(String, EntryKind)>> {
        let mut names = Vec::new();
        for entry in dir.entries()? {
            if self.left == 0 || self.cancel.check(path).is_err() {
                self.truncated = true;
                break;
            }
            self.left -= 1;
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, EntryKind::of(entry.file_type()?)));
            }
        }
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    }

    fn is_left_out(&self, name: &str, path: &str, is_dir: bool) -> bool {
        if name.starts_with('.') && !(self.hidden)(name) {
            return true;
        }
        let said = self.ignores.iter().rev().find_map(|(own, ignore)| {
            match ignore.matched(path.get(*own..)?, is_dir) {
                Match::None => None,
                said => Some(said.is_ignore()),
            }
        });
        said.unwrap_or(false)
    }

    fn ignores_above(&mut self, root: &FileRoot, from: &OpenFolder) {
        let Ok(mut dir) = root.folder_at("").map(|folder| folder.dir) else { return };
        let mut path = String::new();
        for name in from.path.split('/').filter(|name| !name.is_empty()) {
            self.read_ignore(&dir, &path);
            let Ok(inner) = dir.open_dir_nofollow(name) else { return };
            dir = inner;
            path = below(&path, name);
        }
    }

    /// As git does, it reads none that is a symlink.
    fn read_ignore(&mut self, dir: &Dir, path: &str) {
        let name = ".gitignore";
        let content = open_file(dir, OsStr::new(name), name)
            .and_then(|mut file| read_all(&mut file, name, LARGEST_IGNORE, self.cancel));
        let Ok(content) = content else { return };
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&content).trim_start_matches('\u{feff}').lines() {
            // git passes over what is no pattern.
            let _ = builder.add_line(None, line);
        }
        if let Ok(ignore) = builder.build() {
            let own = if path.is_empty() { 0 } else { path.len() + 1 };
            self.ignores.push((own, ignore));
        }
    }
}
