use std::cell::Cell;
use std::path::PathBuf;

use super::super::{DirStamp, FileLookup, NoFiles, PathError, PathIndex, PathSet, RealFiles};
use super::{Links, at, here};

#[test]
fn what_the_index_leaves_out_does_not_touch() {
    let files =
        Links::new(&[("/srv/cur", "/data/v2"), ("/srv/app/l", "/home/u/.ssh"), ("/top", "/")]);
    let folding = Links::folding();
    let patterns = [
        "/srv/app/**",
        "/srv/cur/**",
        "/data/v2",
        "**/.env",
        "**/.git/**",
        "**/*.rs",
        "**",
        "~/.ssh/**",
        "/srv/{app,cur}/x",
        "/srv/app/*.{a,b}",
        "**/a/**/b",
        "/",
        "/**",
        "/top/**",
        "/srv/a**b",
        "!/srv/**",
    ];
    let sets: Vec<PathSet> =
        patterns.iter().map(|pattern| PathSet::parse([*pattern], &here()).unwrap()).collect();
    let index = PathIndex::new(&sets);
    let paths = [
        "/",
        "/srv",
        "/srv/app",
        "/srv/app/x",
        "/srv/cur/x",
        "/data/v2",
        "/data/v2/x/y.rs",
        "/data",
        "/x/.ENV",
        "/srv/app/l/id",
        "~/.ssh/id",
        "/x/.git/y",
        "/srv/APP/x.b",
        "/a/b",
        "/x/a/y/b",
        "/srv/ax/yb",
        "l/../x",
    ];
    for path in paths {
        for files in [&files, &folding] {
            let located = at(path, files);
            let links = index.links(files).unwrap();
            let found = index.candidates(&located, &links);
            let below = index.candidates_below(&located, &links);
            for (number, set) in sets.iter().enumerate() {
                let pattern = patterns[number];
                let touches = set.touches(&located, files).unwrap();
                assert!(!touches || found.contains(&number), "{pattern} {path}");
                let touches = set.touches_below(&located, files).unwrap();
                assert!(!touches || below.contains(&number), "{pattern} below {path}");
            }
        }
    }
    assert!(index.candidates(&at("/nowhere/x", &files), &index.links(&files).unwrap()).len() < 6);
    assert_eq!(index.links(&NoFiles).err(), Some(PathError::NeedsFiles));
}

#[cfg(unix)]
#[test]
fn links_that_change_are_noticed() {
    use std::fs;
    use std::os::unix::fs::symlink;

    let dir = std::env::temp_dir().canonicalize().unwrap();
    let dir = dir.join(format!("countersign-index-{}", std::process::id()));
    fs::create_dir_all(dir.join("v1")).unwrap();
    let pattern = format!("{}/current/**", dir.display());
    let index = PathIndex::new(&[PathSet::parse([pattern.as_str()], &here()).unwrap()]);
    let found = |version: &str| {
        let path = at(&format!("{}/{version}/x", dir.display()), &RealFiles);
        index.candidates(&path, &index.links(&RealFiles).unwrap()).len()
    };
    let link = dir.join("current");
    let mut seen = Vec::new();
    for version in ["v1", "v2", "v3"] {
        fs::remove_file(&link).ok();
        symlink(version, &link).unwrap();
        seen.push((found("v1"), found("v2"), found("v3")));
    }
    fs::remove_dir_all(&dir).unwrap();
    seen.push((found("v1"), found("v2"), found("v3")));
    assert_eq!(seen, [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]);
}

/// Directories that never change, and a count of what is asked.
#[derive(Default)]
struct Settled {
    asked: Cell<usize>,
    changed: Cell<bool>,
}

impl FileLookup for Settled {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        self.asked.set(self.asked.get() + 1);
        let link = path == "/srv/d7" && self.changed.get() || path == "/srv/d5";
        Ok(link.then(|| PathBuf::from("/data")))
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }

    fn stamp(&self, dir: &str) -> Option<DirStamp> {
        Some(DirStamp::numbered(u64::from(dir == "/srv" && self.changed.get())))
    }
}

#[test]
fn what_has_not_changed_is_not_looked_up_again() {
    let sets: Vec<PathSet> = (0..100)
        .map(|number| PathSet::parse([format!("/srv/d{number}/**").as_str()], &here()).unwrap())
        .collect();
    let index = PathIndex::new(&sets);
    let files = Settled::default();
    let path = at("/data/x", &files);
    assert_eq!(index.candidates(&path, &index.links(&files).unwrap()), [5]);
    assert!(files.asked.take() > 100);
    assert_eq!(index.candidates(&path, &index.links(&files).unwrap()), [5]);
    assert!(files.asked.take() < 10);
    files.changed.set(true);
    assert_eq!(index.candidates(&path, &index.links(&files).unwrap()), [5, 7]);
}
