//! A folder of the look over all that a confined command must not reach, and what is in it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::path::{FileLookup, LocatedPath, PathContext, RawEntry, garbled, lexically, locate};
use crate::policy::run_by_git::GIT;

/// How a folder is looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderKind {
    /// As any.
    Plain,
    /// What git keeps: rules alone speak of it. What git obeys there is looked for by itself.
    Git,
    /// By the name of a symlink that leads there: rules on that name speak of it.
    Linked,
}

/// A folder that is still to be looked through.
#[derive(Debug)]
pub(super) struct OpenFolder {
    /// Its path, as policies read it.
    pub(super) path: String,
    /// Where that really is, where that is elsewhere.
    pub(super) real: Option<String>,
    /// The path as the system has it.
    pub(super) place: PathBuf,
    pub(super) kind: FolderKind,
    /// Whether all below it is kept already.
    pub(super) is_kept: bool,
    /// Whether it is a place that the command was given.
    pub(super) is_top: bool,
}

impl OpenFolder {
    pub(super) fn top(path: &str, files: &dyn FileLookup) -> Self {
        let real = files.real(if path.is_empty() { "/" } else { path }).ok();
        let real = real.map(|real| real.trim_end_matches('/').to_owned());
        Self {
            path: path.to_owned(),
            real: real.filter(|real| real != path),
            place: Path::new(if path.is_empty() { "/" } else { path }).to_owned(),
            kind: FolderKind::Plain,
            is_kept: false,
            is_top: true,
        }
    }

    /// One that a rule names.
    pub(super) fn named(path: &str, files: &dyn FileLookup) -> Self {
        let is_git = path.split('/').any(|name| name == GIT);
        let kind = if is_git { FolderKind::Git } else { FolderKind::Plain };
        Self { kind, is_top: false, ..Self::top(path, files) }
    }

    /// A file that a command could make in it.
    pub(super) fn fresh(&self, name: &str) -> SeenEntry {
        SeenEntry::of(self, RawEntry { name: name.into(), is_link: false, is_dir: false })
    }
}

/// Something in it.
pub(super) struct SeenEntry {
    pub(super) path: String,
    pub(super) real: Option<String>,
    pub(super) place: PathBuf,
    pub(super) name: String,
    pub(super) is_link: bool,
    pub(super) is_dir: bool,
    /// In a folder of git.
    pub(super) by_rules: bool,
    /// Whether it leads to a folder that is looked through by its own name.
    pub(super) leads_inside: bool,
    /// Where rules look for it; `None` in it: that cannot be told.
    pub(super) located: OnceCell<Option<LocatedPath>>,
}

impl SeenEntry {
    pub(super) fn of(folder: &OpenFolder, entry: RawEntry) -> Self {
        let RawEntry { name: raw, is_link, is_dir } = entry;
        let name = garbled(&raw);
        Self {
            path: format!("{}/{name}", folder.path),
            real: folder.real.as_ref().map(|real| format!("{real}/{name}")),
            place: folder.place.join(&raw),
            name,
            is_link,
            is_dir,
            by_rules: folder.kind == FolderKind::Git,
            leads_inside: false,
            located: OnceCell::new(),
        }
    }

    pub(super) fn located(&self, files: &dyn FileLookup) -> Option<&LocatedPath> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        let find = || {
            if self.is_link {
                return locate(&self.path, &from, files).ok();
            }
            // On the way to it are no other symlinks than those on the way to the folder.
            let place = lexically(&self.path, &from).ok()?;
            Some(match &self.real {
                Some(real) => {
                    LocatedPath { real: real.clone(), real_of_lexical: real.clone(), ..place }
                }
                None => place,
            })
        };
        self.located.get_or_init(find).as_ref()
    }

    /// Where it really is, as the system has it.
    pub(super) fn real_place(&self, files: &dyn FileLookup) -> PathBuf {
        let real = if self.is_link { self.located(files).map(|at| at.real.clone()) } else { None };
        real.map_or_else(|| self.place.clone(), PathBuf::from)
    }

    /// Whether it can be told to what keeps it from the command.
    pub(super) fn has_name(&self) -> bool {
        self.place.to_str().is_some()
    }
}
