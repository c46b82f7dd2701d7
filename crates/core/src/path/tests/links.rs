//! Symlinks that come and go between verdicts: the index sees what looking at each pattern sees.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::*;

use super::super::files::{DirEntry, DirListing};
use super::super::{DirStamp, FileLookup, PartialPath, PathError, PathIndex, PathSet, locate};
use super::here;
use crate::cases::cases;

/// Directories, symlinks, and how often each directory has changed.
#[derive(Default)]
struct Tree {
    links: RefCell<BTreeMap<String, String>>,
    dirs: RefCell<BTreeSet<String>>,
    changes: RefCell<BTreeMap<String, u64>>,
    /// Stamps are told.
    settled: Cell<bool>,
    lists: bool,
}

impl Tree {
    /// Nothing, a directory or a symlink, where there may have been something else.
    fn change(&self, path: &str, kind: u8, target: &str) {
        for (end, _) in path.match_indices('/').skip(1) {
            if !self.dirs.borrow().contains(&path[..end]) {
                self.put(&path[..end], 1, "");
            }
        }
        self.put(path, kind, target);
    }

    fn put(&self, path: &str, kind: u8, target: &str) {
        let (dir, _) = path.rsplit_once('/').unwrap();
        let dir = if dir.is_empty() { "/" } else { dir };
        let stays = |other: &String| other != path && !other.starts_with(&format!("{path}/"));
        self.links.borrow_mut().retain(|link, _| stays(link));
        self.dirs.borrow_mut().retain(stays);
        match kind {
            0 => {}
            1 => drop(self.dirs.borrow_mut().insert(path.to_owned())),
            _ => drop(self.links.borrow_mut().insert(path.to_owned(), target.to_owned())),
        }
        // What is made is another one than what was there.
        for changed in [dir, path] {
            *self.changes.borrow_mut().entry(changed.to_owned()).or_default() += 1;
        }
    }
}

impl FileLookup for Tree {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        // What the path is called once the directories before it are resolved.
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        if dir.is_empty() || !self.links.borrow().keys().any(|link| path.starts_with(link)) {
            return Ok(self.links.borrow().get(path).map(PathBuf::from));
        }
        if let Some(found) = self.links.borrow().get(path) {
            return Ok(Some(PathBuf::from(found)));
        }
        match self.real(dir) {
            Ok(real) if real != dir => {
                self.read_link(&format!("{}/{name}", real.trim_end_matches('/')))
            }
            _ => Ok(None),
        }
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }

    fn stamp(&self, dir: &str) -> Option<DirStamp> {
        if !self.settled.get() {
            return None;
        }
        let Ok(real) = self.real(dir) else { return None };
        let there = real == "/" || self.dirs.borrow().contains(&real);
        if !there {
            return Some(DirStamp::missing());
        }
        let number = real.bytes().fold(7_u64, |sum, byte| sum * 31 + u64::from(byte)) << 20;
        Some(DirStamp::numbered(number + self.changes.borrow().get(&real).copied().unwrap_or(0)))
    }

    fn list(&self, dir: &str, _most: usize) -> DirListing {
        let Some(real) = self.real(dir).ok().filter(|_| self.lists) else {
            return DirListing::Unknown;
        };
        let inside = |path: &str| {
            let name = path.strip_prefix(real.trim_end_matches('/'))?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        };
        let dirs = self.dirs.borrow();
        let links = self.links.borrow();
        let dirs = dirs.iter().filter_map(|path| {
            Some(DirEntry { name: inside(path)?, is_link: false, is_dir: true })
        });
        let links = links.keys().filter_map(|path| {
            Some(DirEntry { name: inside(path)?, is_link: true, is_dir: false })
        });
        DirListing::Names(dirs.chain(links).collect())
    }
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&["a", "b", "c"][..]), 1..4)
        .prop_map(|names| format!("/{}", names.join("/")))
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        path(),
        Just("/".to_owned()),
        Just("..".to_owned()),
        Just("../b".to_owned()),
        Just("c".to_owned())
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        path().prop_map(|path| format!("{path}/**")),
        path(),
        path().prop_map(|path| format!("{path}/*")),
        Just("**/b".to_owned()),
        Just("/**".to_owned()),
    ]
}

proptest! {
    #![proptest_config(cases(30, if cfg!(debug_assertions) { 400 } else { 20_000 }))]

    #[test]
    fn what_the_index_leaves_out_meets_nothing(
        patterns in prop::collection::vec(pattern(), 1..8),
        changes in prop::collection::vec((path(), 0_u8..4, target(), any::<bool>()), 1..12),
        paths in prop::collection::vec(path(), 1..4), lists in any::<bool>(),
        glob in prop::sample::select(&["*", "?", "/*", "[x"][..]), end in prop::sample::select(&["", "/b", "/../c"][..]),
    ) {
        let mut patterns = patterns;
        if lists {
            // Enough to have directories listed.
            patterns.extend((0..20).map(|number| format!("/x{number}/**")));
            patterns.extend((0..20).map(|number| format!("/a/x{number}/**")));
        }
        let sets: Vec<PathSet> = patterns
            .iter()
            .map(|pattern| PathSet::parse([pattern.as_str()], &here()).unwrap())
            .collect();
        let index = PathIndex::new(&sets);
        let files = Tree { lists, ..Tree::default() };
        for (path, kind, target, settled) in changes {
            files.settled.set(settled);
            files.change(&path, kind, &target);
            let links = index.links(&files).unwrap();
            for path in &paths {
                let Ok(located) = locate(path, &here(), &files) else { continue };
                let found = index.candidates(&located, &links);
                let below = index.candidates_below(&located, &links);
                let pieces = [super::text(path), super::star(glob), super::text(end)];
                let partial = PartialPath::of(&pieces, &here(), &files);
                let partly = match &partial {
                    Ok(partial) => index.candidates_for(partial, &links),
                    Err(_) => None,
                };
                for (number, set) in sets.iter().enumerate() {
                    if let (Ok(partial), Some(partly)) = (&partial, &partly) {
                        let could = set.could_be(partial, &files, &Cell::new(usize::MAX)).unwrap();
                        prop_assert!(!could || partly.contains(&number), "{} {pieces:?}", patterns[number]);
                    }
                    let pattern = &patterns[number];
                    prop_assert!(!set.touches(&located, &files).unwrap() || found.contains(&number), "{pattern} {path}");
                    prop_assert!(!set.covers(&located, &files).unwrap() || found.contains(&number), "{pattern} {path}");
                    prop_assert!(!set.touches_below(&located, &files).unwrap() || below.contains(&number), "{pattern} below {path}");
                }
            }
        }
    }
}

#[test]
fn a_symlink_in_the_project_widens_no_allow() {
    let files = super::Links::new(&[
        ("/srv/dist", "/"),
        ("/srv/own", "/srv/real"),
        ("/srv/a", "b"),
        ("/srv/b", "../etc"),
        ("/home/u/data", "/data"),
        ("/opt", "/data/opt"),
        ("/alias", "/srv"),
        ("/srv/app/out", "/home/u"),
    ]);
    // Here `/srv` is the project.
    for (pattern, path, covers) in [
        ("${project}/dist/**", "/etc/passwd", false),
        ("${project}/dist/**", "/srv/dist/etc/passwd", false),
        ("/srv/dist/**", "/etc/passwd", false),
        ("/alias/dist/**", "/etc/passwd", false),
        ("${project}/dist/etc/passwd", "/etc/passwd", false),
        ("${project}/a/**", "/etc/passwd", false),
        ("out/**", "/home/u/x", false),
        ("out/**", "out/x", false),
        ("${project}/own/**", "/srv/real/x", true),
        ("${project}/own/**", "/srv/own/x", true),
        ("~/data/**", "/data/x", true),
        ("/opt/**", "/opt/x", true),
        ("/alias/**", "/srv/real/x", true),
    ] {
        let set = PathSet::parse([pattern], &here()).unwrap();
        let path = super::at(path, &files);
        assert_eq!(set.covers(&path, &files), Ok(covers), "{pattern} {path:?}");
        // A deny means all the more.
        assert_eq!(set.touches(&path, &files), Ok(true), "{pattern} {path:?}");
    }
}

#[test]
fn a_path_that_is_a_symlink_is_that_too() {
    let files = super::Links::new(&[
        ("/tmp", "/private/tmp"),
        ("/private/tmp/l", "/srv/x"),
        ("/srv/x", "y"),
        ("/in", "/srv"),
    ]);
    for (path, itself) in [
        ("/tmp/l", &["/private/tmp/l"][..]),
        ("/tmp/l/z", &[]),
        ("/tmp/z", &[]),
        ("/in/x", &["/srv/x"]),
        ("/in", &["/in"]),
        ("/tmp/l/../x", &["/srv/x"]),
    ] {
        assert_eq!(super::at(path, &files).itself, itself, "{path}");
    }
}
