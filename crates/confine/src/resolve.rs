//! The way to a path, walked name by name with descriptors: what was looked at is what is used, whoever changes names meanwhile.
//!
//! A symlink in a place that commands may change was perhaps made by one, to be given what it leads to. It is not followed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use crate::plan::Plan;
use crate::sys;

/// As many symlinks as the kernel follows.
const MOST_LINKS: usize = 40;

/// What stands at the end of a way.
pub(crate) struct Found {
    /// Without a symlink in it.
    pub path: PathBuf,
    pub file: OwnedFd,
    /// Those on the way, and where each leads.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl Found {
    pub(crate) fn is_folder(&self) -> io::Result<bool> {
        Ok(File::from(self.file.try_clone()?).metadata()?.is_dir())
    }
}

/// Which symlinks are followed.
pub(crate) struct Ways {
    /// Where commands may write, without symlinks.
    changing: Vec<PathBuf>,
    /// Paths that are those that a human saw, or nothing.
    exact: BTreeSet<PathBuf>,
}

impl Ways {
    pub(crate) fn of(plan: &Plan) -> Self {
        let changing = plan.write.iter().filter_map(|path| Some(find(path, |_| true)?.path));
        Self { changing: changing.collect(), exact: plan.exact.iter().cloned().collect() }
    }

    /// What is at this path; nothing where it is not there, or where a symlink on the way is not to be followed.
    pub(crate) fn find(&self, path: &Path) -> Option<Found> {
        let is_exact = self.exact.contains(path);
        let follows =
            |link: &Path| !is_exact && !self.changing.iter().any(|place| link.starts_with(place));
        find(path, follows)
    }
}

/// What is at this path; nothing where it is not there, or a symlink on the way is not followed.
pub(crate) fn find(path: &Path, follows: impl Fn(&Path) -> bool) -> Option<Found> {
    let root = sys::open_root().ok()?;
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
        let file = sys::open_name(folder, &name).ok()?;
        let Some(target) = sys::link_target(&file).ok()? else {
            way.push((next, file));
            continue;
        };
        if !follows(&next) || links.len() >= MOST_LINKS {
            return None;
        }
        if target.is_absolute() {
            way.clear();
        }
        rest.extend(names_of(&target));
        links.push((next, target));
    }
    let (path, file) = way.pop().unwrap_or_else(|| (PathBuf::from("/"), root));
    Some(Found { path, file, links })
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
        let ways = |exact: &[&str]| Ways {
            changing: vec![root.join("own")],
            exact: exact.iter().map(|name| root.join(name)).collect(),
        };
        let is_found = |ways: &Ways, name: &str| ways.find(&root.join(name)).is_some();
        assert!(is_found(&ways(&[]), "outside/b"));
        assert!(!is_found(&ways(&[]), "own/inside"));
        assert!(!is_found(&ways(&[]), "own/inside/b"));
        assert!(!is_found(&ways(&["outside/b"]), "outside/b"));
        assert!(is_found(&ways(&["a/b"]), "a/b"));
        fs::remove_dir_all(root).unwrap();
    }
}
