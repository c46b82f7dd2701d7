use super::super::{PathContext, PathSet};
use super::{BARE, Links, QUOTED, at, here, text};

#[test]
fn the_last_that_matches_decides() {
    let files =
        Links::new(&[("/l/.env.example", "/l/.env"), ("/w/in", "/w/out"), ("/w/back", "/w/src")]);
    // patterns, path, covers, touches
    let rows: &[(&[&str], &str, bool, bool)] = &[
        (&["/a/**", "!/a/b/**"], "/a/x", true, true),
        (&["/a/**", "!/a/b/**"], "/a/b/x", false, false),
        (&["/a/**", "!/a/b/**"], "/a/b", true, true),
        (&["/a/**", "!/a/b/**", "/a/b/c"], "/a/b/c", true, true),
        (&["!/a/b", "/a/**"], "/a/b", true, true),
        (&["!/a/b"], "/a/c", false, false),
        (&[], "/a", false, false),
        (&["**/.env*", "!**/.env.example"], "/x/.env.example", false, false),
        // The link has the name that is taken out, the file has not: a deny bites.
        (&["**/.env*", "!**/.env.example"], "/l/.env.example", false, true),
        // The file is taken out of the allow, under every name of the way to it.
        (&["/w/**", "!/w/out/**"], "/w/in/x", false, true),
        (&["/w/**", "!/w/back/**"], "/w/back/x", false, true),
        // A name of several readings is allowed by several patterns.
        (&["/w/x", "/w/out/**"], "/w/in/../x", true, true),
    ];
    for (patterns, path, covers, touches) in rows {
        let set = PathSet::parse(patterns.iter().copied(), &here()).unwrap();
        assert_eq!(set.covers(&at(path, &files), &files), Ok(*covers), "{patterns:?} {path}");
        assert_eq!(set.touches(&at(path, &files), &files), Ok(*touches), "{patterns:?} {path}");
    }
}

#[test]
fn a_project_that_is_called_by_a_symlink_is_taken_out_of_a_deny_by_either_name() {
    let files = Links::new(&[("/link", "/srv")]);
    let outside = ["/", "/**", "!${project}", "!${project}/**"];
    let vars = PathContext { project_as: Some("/link".to_owned()), ..here() };
    for (vars, expected) in [(&vars, false), (&here(), true)] {
        let set = PathSet::parse(outside, vars).unwrap();
        assert_eq!(set.touches(&at("/link/app/x", &files), &files), Ok(expected));
        assert_eq!(set.touches_below(&at("/link/app", &files), &files), Ok(expected));
        assert_eq!(set.touches(&at("/srv/app/x", &files), &files), Ok(false));
        assert_eq!(set.touches(&at("/other/x", &files), &files), Ok(true));
    }
    // Where the symlink leads elsewhere by now, that is taken out of nothing, nor allowed.
    let files = Links::new(&[("/link", "/other")]);
    let set = PathSet::parse(outside, &vars).unwrap();
    assert_eq!(set.touches(&at("/link/app/x", &files), &files), Ok(true));
    let set = PathSet::parse(["${project}/**"], &vars).unwrap();
    assert_eq!(set.covers(&at("/link/app/x", &files), &files), Ok(false));
}

#[test]
fn what_is_taken_out_is_folded_for_an_allow_alone() {
    if cfg!(windows) {
        crate::skip::skipped("not on Windows");
        return;
    }
    let files = Links::folding();
    let set = PathSet::parse(["/a/**", "!**/.env"], &here()).unwrap();
    let path = at("/a/.ENV", &files);
    assert_eq!(set.covers(&path, &files), Ok(false));
    assert_eq!(set.touches(&path, &files), Ok(true));
}

#[test]
fn below() {
    let files = Links::default();
    for (patterns, dir, expected) in [
        (["/a/**", "!/a/b/**"], "/a", true),
        (["/a/**", "!/a/b/**"], "/a/b", true),
        (["/a/**", "!/a/b/**"], "/a/b/c", false),
        (["**/.env", "!/tmp/**"], "/tmp", false),
        (["**/.env", "!/tmp/**"], "/tmp/x", false),
        (["**/.env", "!/tmp/*"], "/tmp", true),
        (["**/.env", "!/tmp/x/**"], "/tmp", true),
        (["**/.env", "!**"], "/tmp", false),
    ] {
        let set = PathSet::parse(patterns, &here()).unwrap();
        assert_eq!(set.touches_below(&at(dir, &files), &files), Ok(expected), "{patterns:?} {dir}");
    }
}

#[test]
fn names_and_dynamic_paths() {
    let set = PathSet::parse(["**", "!**/.git/**", "/x/{a,.ssh}/**"], &here()).unwrap();
    assert!(!set.names(&|name| name == ".git"));
    assert!(set.names(&|name| name == ".ssh"));
    assert!(set.could_match(&[BARE], &here()));
    let files = Links::default();
    let ssh = |name: &str| name == ".ssh";
    assert_eq!(set.covers_by_name(&at("/x/.ssh/y", &files), &files, &ssh), Ok(true));
    assert_eq!(set.covers_by_name(&at("/y/.ssh/y", &files), &files, &ssh), Ok(false));
    let env = PathSet::parse(["**/.env", "!/tmp/**"], &here()).unwrap();
    assert!(!env.could_match(&[QUOTED, text(".ts")], &here()));
    assert!(env.could_match(&[QUOTED, text("/.env")], &here()));
}

#[test]
fn errors_say_which() {
    let (index, error) = PathSet::parse(["/a", "!/x/"], &here()).expect_err("a `/` at the end");
    assert_eq!((index, error.at), (1, 3));
}
