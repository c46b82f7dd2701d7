//! Paths, resolved name by name with descriptors: the file that was checked is the file that is used, even if names change.
//!
//! A symlink in a place that commands may change may have been made by one, to get access to its target. It is not followed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use crate::plan::LaunchPlan;
use crate::sys;

/// As many symlinks as the kernel follows.
const MOST_LINKS: usize = 40;

/// A path that was resolved, and the file there, held by a descriptor.
pub(crate) struct ResolvedPath {
    /// The path without symlinks.
    pub path: PathBuf,
    /// The file or folder at the path.
    pub file: OwnedFd,
    /// The symlinks on the way, and the target of each.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl ResolvedPath {
    pub(crate) fn is_folder(&self) -> io::Result<bool> {
        Ok(File::from(self.file.try_clone()?).metadata()?.is_dir())
    }
}

/// Resolves the paths of a plan. It knows which symlinks are followed.
pub(crate) struct PathResolver {
    /// The paths where commands may write, without symlinks.
    changing: Vec<PathBuf>,
    /// Paths that are resolved without following any symlink: a human approved exactly these.
    exact: BTreeSet<PathBuf>,
}

impl PathResolver {
    pub(crate) fn of(plan: &LaunchPlan) -> Self {
        let changing = plan.write.iter().filter_map(|path| Some(find(path, |_| true)?.path));
        Self { changing: changing.collect(), exact: plan.exact.iter().cloned().collect() }
    }

    /// Resolves a path; `None` if nothing is there, or if a symlink on the way is not followed.
    pub(crate) fn find(&self, path: &Path) -> Option<ResolvedPath> {
        let is_exact = self.exact.contains(path);
        let follows =
            |link: &Path| !is_exact && !self.changing.iter().any(|place| link.starts_with(place));
        find(path, follows)
    }
}

/// Resolves a path; `None` if nothing is there, or if a symlink on the way is not followed.
pub(crate) fn find(path: &Path, follows: impl Fn(&Path) -> bool) -> Option<ResolvedPath> {
    walk(path, follows).ok()
}

/// What ends the way to a path that is not there: anything but a folder, in which something could be made.
pub(crate) fn way_end(path: &Path) -> Option<PathBuf> {
    let (last, file) = walk(path, |_| true).err()??;
    File::from(file).metadata().is_ok_and(|about| !about.is_dir()).then_some(last)
}

/// Resolves a path; where it goes no further, the last file or folder on the way.
fn walk(
    path: &Path, follows: impl Fn(&Path) -> bool,
) -> Result<ResolvedPath, Option<(PathBuf, OwnedFd)>> {
    let root = sys::open_root().map_err(|_| None)?;
    let mut links = Vec::new();
    // The folders down to where we are, below the root.
    let mut way: Vec<(PathBuf, OwnedFd)> = Vec::new();
    let mut rest = names_of(path);
    while let Some(name) = rest.pop() {
        if name == Path::new("..") {
            way.pop();
            continue;
        }
        let (above, folder) = match way.last() {
            Some((path, file)) => (path.as_path(), file),
            None => (Path::new("/"), &root),
        };
        let next = above.join(&name);
        let Ok(file) = sys::open_name(folder, &name) else { return Err(way.pop()) };
        let Some(target) = sys::link_target(&file).map_err(|_| None)? else {
            way.push((next, file));
            continue;
        };
        if !follows(&next) || links.len() >= MOST_LINKS {
            return Err(None);
        }
        if target.is_absolute() {
            way.clear();
        }
        rest.extend(names_of(&target));
        links.push((next, target));
    }
    let (path, file) = way.pop().unwrap_or_else(|| (PathBuf::from("/"), root));
    Ok(ResolvedPath { path, file, links })
}

/// The symlinks on the way to a path, as far as there is one.
pub(crate) fn links_on(path: &Path) -> Vec<PathBuf> {
    let links = RefCell::new(Vec::new());
    find(path, |link| {
        links.borrow_mut().push(link.to_path_buf());
        true
    });
    links.into_inner()
}

/// The names in a path, the last one first.
fn names_of(path: &Path) -> Vec<PathBuf> {
    let names = path
        .components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    names.map(|part| part.as_os_str().into()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("way-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/b")).unwrap();
        folder.canonicalize().unwrap()
    }

    #[test]
    fn a_way_is_what_the_kernel_finds() {
        let root = folder("kernel");
        symlink("a", root.join("link")).unwrap();
        symlink(root.join("link/b"), root.join("a/far")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("/", root.join("top")).unwrap();
        for name in [
            "",
            "a",
            "a/b",
            "link",
            "link/b",
            "a/far",
            "link/../a/far/..",
            "loop",
            "none",
            "a/none",
            "top",
            "top/..",
        ] {
            let path = root.join(name);
            let found = find(&path, |_| true).map(|found| found.path);
            assert_eq!(found, fs::canonicalize(&path).ok(), "{name}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_symlink_where_commands_write_is_not_followed_nor_one_on_an_exact_way() {
        let root = folder("changing");
        symlink(root.join("a"), root.join("outside")).unwrap();
        fs::create_dir(root.join("own")).unwrap();
        symlink(root.join("a"), root.join("own/inside")).unwrap();
        let resolver = |exact: &[&str]| PathResolver {
            changing: vec![root.join("own")],
            exact: exact.iter().map(|name| root.join(name)).collect(),
        };
        let is_found =
            |resolver: &PathResolver, name: &str| resolver.find(&root.join(name)).is_some();
        assert!(is_found(&resolver(&[]), "outside/b"));
        assert!(!is_found(&resolver(&[]), "own/inside"));
        assert!(!is_found(&resolver(&[]), "own/inside/b"));
        assert!(!is_found(&resolver(&["outside/b"]), "outside/b"));
        assert!(is_found(&resolver(&["a/b"]), "a/b"));
        fs::remove_dir_all(root).unwrap();
    }
}
