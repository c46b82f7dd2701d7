use super::super::{PathIndex, PathSet};
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
            let links = index.links(files).unwrap();
            let located = at(path, files);
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
    let links = index.links(&files).unwrap();
    assert!(index.candidates(&at("/nowhere/x", &files), &links).len() < 6);
}
