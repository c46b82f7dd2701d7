use super::super::{NoFiles, PathContext, PathError, PathGlob};
use super::{Links, at, here};

/// pattern, paths that match, paths that do not
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        "/var/tmp/**",
        &["/var/tmp/x", "/var/tmp/a/b", "/var/tmp/.x", "/var/tmp/a\nb"],
        &["/var/tmp", "/var/tmpx", "/var"],
    ),
    ("/a/**/b", &["/a/b", "/a/x/b", "/a/x/y/b", "/a/b/b"], &["/a/xb", "/a/bx", "/a", "/b"]),
    ("/a/**/b/**", &["/a/b/x", "/a/b/b", "/a/x/b/y/z"], &["/a/b", "/a/x/b"]),
    ("/a/**/**", &["/a/x", "/a/x/y"], &["/a"]),
    ("/**", &["/x", "/x/y"], &["/"]),
    ("**", &["/", "/x", "/x/y"], &[]),
    ("/", &["/"], &["/x"]),
    (
        "**/.env",
        &["/.env", "/srv/app/.env", "/x/y/.env"],
        &["/srv/app/.envrc", "/srv/x.env", "/.env/x"],
    ),
    (
        "**/.git/**",
        &["/srv/app/a/.git/x", "/.git/x/y"],
        &["/srv/.git", "/srv/.gitx/y", "/srv/x.git/y"],
    ),
    ("*.rs", &["a.rs", ".rs", "é.rs"], &["a/b.rs", "a.RS", "/a.rs", "a.rsx"]),
    ("src/*", &["src/a", "src/.a"], &["src", "src/a/b", "/src/a"]),
    ("/srv/app/?", &["a", "é", "😀"], &["ab", "a/b"]),
    ("/x?y", &["/xay"], &["/x/y", "/xy"]),
    ("/x*y", &["/xy", "/xaby"], &["/x/y", "/xa/by"]),
    ("/x[!a]y", &["/xby", "/xéy"], &["/xay", "/x/y"]),
    ("/x[^a-c]y", &["/xdy"], &["/xay", "/xby", "/xcy", "/x/y"]),
    ("/x[+-0]y", &["/x+y", "/x.y", "/x0y"], &["/x/y", "/x1y"]),
    ("/[]a]", &["/]", "/a"], &["/b"]),
    ("/[!]a]", &["/b"], &["/]", "/a"]),
    ("/[a-]", &["/a", "/-"], &["/b"]),
    (r"/[\]]", &["/]"], &[r"/\"]),
    (r"/[\!a]", &["/!", "/a"], &["/b"]),
    ("/[{}]", &["/{", "/}"], &["/[{}]"]),
    ("/*.{rs,toml}", &["/a.rs", "/a.toml"], &["/a.r", "/a.rstoml", "/a.{rs,toml}"]),
    ("/{a,b{c,d{e,}}}", &["/a", "/bc", "/bde", "/bd"], &["/b", "/ade"]),
    ("/{a,b/**/c}/d", &["/a/d", "/b/c/d", "/b/x/c/d"], &["/b/d", "/a/c/d"]),
    ("{/x,y}", &["/x", "/srv/app/y"], &["/y", "/srv/app/x"]),
    ("/a{,b}", &["/a", "/ab"], &["/b"]),
    ("/{a}", &["/a"], &["/{a}"]),
    (r"/\{a,b\}", &["/{a,b}"], &["/a", "/b"]),
    (r"/\*\?\[a]", &["/*?[a]"], &["/xya", "/*?a"]),
    (r"/{a\,b,c\}}", &["/a,b", "/c}"], &["/a", "/b,c}"]),
    ("/a,b", &["/a,b"], &["/a", "/b"]),
    ("~/x", &["/home/u/x"], &["/srv/app/~/x"]),
    ("~/.ssh/**", &["~/.ssh/id"], &["~/.ssh"]),
    ("~", &["/home/u"], &["/home/u/x"]),
    (r"\~/x", &["/srv/app/~/x"], &["/home/u/x"]),
    ("a~", &["a~"], &["/home/u"]),
    ("${home}/x", &["/home/u/x"], &[]),
    ("${project}/app/*", &["x", "/srv/app/y"], &["/srv/x"]),
    ("${cwd}", &["/srv/app"], &["/srv"]),
    ("{~/a,${project}/b}", &["/home/u/a", "/srv/b"], &["/srv/a", "a"]),
    (r"/\$\{x\}", &["/${x}"], &["/$x"]),
    (r"/\${x,y}", &["/$x", "/$y"], &["/${x}"]),
    ("/$x", &["/$x"], &[]),
    ("./x", &["x"], &["/x"]),
    ("../x/./*", &["/srv/x/y"], &["/srv/app/x/y"]),
    ("/a//b", &["/a/b"], &["/a"]),
    ("/a/../../b", &["/b"], &["/a/b"]),
    (r"\!x", &["!x"], &["x"]),
];

#[test]
fn patterns() {
    let files = Links::default();
    for (pattern, yes, no) in ROWS {
        let glob =
            PathGlob::parse(pattern, &here()).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(glob.source(), *pattern);
        for path in *yes {
            assert!(
                glob.covers(&at(path, &files), &files).unwrap(),
                "{pattern} does not cover {path}"
            );
            assert!(
                glob.touches(&at(path, &files), &files).unwrap(),
                "{pattern} does not touch {path}"
            );
        }
        for path in *no {
            assert!(!glob.covers(&at(path, &files), &files).unwrap(), "{pattern} covers {path}");
            assert!(!glob.touches(&at(path, &files), &files).unwrap(), "{pattern} touches {path}");
        }
    }
}

#[test]
fn stars_inside_of_names_take_less_where_they_allow() {
    let files = Links::default();
    // pattern, path, covers, touches
    for (pattern, path, covers, touches) in [
        ("/x/**.env", "/x/a.env", true, true),
        ("/x/**.env", "/x/a/b.env", false, true),
        ("/x/a**", "/x/abc", true, true),
        ("/x/a**", "/x/abc/d", false, true),
        ("/x/a**/y", "/x/a/b/y", false, true),
        ("/x/**b**", "/x/1/2b/3", false, true),
        ("/x/**b**", "/x/1b/3", false, true),
        ("/x/**b**", "/x/1/2", false, false),
        ("/x/[**]", "/x/a", false, false),
        (r"/x/\**", "/x/*a", true, true),
        (r"/x/\**", "/x/*a/b", false, false),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.covers(&at(path, &files), &files), Ok(covers), "{pattern} {path}");
        assert_eq!(glob.touches(&at(path, &files), &files), Ok(touches), "{pattern} {path}");
    }
}

#[test]
fn patterns_that_are_refused() {
    let nobody = PathContext { cwd: "/srv".to_owned(), ..PathContext::default() };
    for (pattern, says, at) in [
        ("", "empty", 0),
        ("!x", "list", 0),
        ("/x/", "dir/**", 2),
        (r"/x\", r"\\", 2),
        ("/{a,b", "not closed", 1),
        ("/[a", "not closed", 1),
        ("/[]", "not closed", 1),
        ("/[b-a]", "range", 2),
        ("/[a/b]", "class", 3),
        ("/[[:alpha:]]", "a-zA-Z", 2),
        ("/x\0", "NUL", 2),
        ("~root/x", "looked up", 0),
        ("~*", "looked up", 0),
        ("${nothing}/x", "${project}", 0),
        ("/x/${project}", "beginning", 3),
        ("x${project}", "whole name", 0),
        ("${project", "not closed", 1),
        ("*/../x", "wildcard", 0),
        ("**/../x", "wildcard", 0),
        ("~/x", "no value", 0),
        ("${project}/x", "no value", 0),
    ] {
        let error = PathGlob::parse(pattern, &nobody).expect_err(pattern);
        assert!(error.message.contains(says), "{pattern}: {error}");
        assert_eq!(error.at, at, "{pattern}: {error}");
    }
    for long in [
        "a".repeat(5000),
        "{a,b}".repeat(40),
        "{".repeat(4000),
        "a**".repeat(100),
        "{a,".repeat(300) + &"}".repeat(300),
    ] {
        let start = crate::cpu_time::Instant::now();
        assert!(PathGlob::parse(&long, &here()).is_err(), "{long:.20}");
        assert!(start.elapsed().as_secs() < 10, "{long:.20}: {:?}", start.elapsed());
    }
}

#[test]
fn links_in_paths() {
    let files = Links::new(&[
        ("/var/tmp/l", "/etc"),
        ("/home/u/l", "/srv/app"),
        ("/srv/up", "/srv/app/sub"),
    ]);
    // pattern, path, covers, touches
    for (pattern, path, covers, touches) in [
        ("/var/tmp/**", "/var/tmp/l/x", false, true),
        ("/etc/**", "/var/tmp/l/x", true, true),
        ("/srv/app/**", "/home/u/l/x", true, true),
        // What the link itself is called matters to a deny: a delete takes the link.
        ("/home/u/*", "/home/u/l", false, true),
        // Physical and lexical readings differ: an allow needs both.
        ("/srv/app/**", "/srv/up/../x", false, true),
        ("/srv/*", "/srv/up/../x", false, true),
        ("/srv/**", "/srv/up/../x", true, true),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.covers(&at(path, &files), &files), Ok(covers), "{pattern} {path}");
        assert_eq!(glob.touches(&at(path, &files), &files), Ok(touches), "{pattern} {path}");
    }
}

#[test]
fn links_on_the_way_are_denied_by_their_names() {
    let files = Links::new(&[("/l", "/home/u/.ssh"), ("/home/u/.ssh/keys", "/mnt/keys")]);
    let glob = PathGlob::parse("**/.ssh/**", &here()).unwrap();
    assert_eq!(glob.touches(&at("/l/keys/id", &files), &files), Ok(true));
    assert_eq!(glob.covers(&at("/l/keys/id", &files), &files), Ok(false));
}

#[test]
fn links_in_patterns() {
    let files = Links::new(&[("/srv/cur", "/srv/v2"), ("/root", "/")]);
    for (pattern, path, expected) in [
        ("/srv/cur/**", "/srv/cur/x", true),
        ("/srv/cur/**", "/srv/v2/x", true),
        ("/srv/cur", "/srv/v2", true),
        ("/srv/cur/*.rs", "/srv/v2/x.rs", true),
        ("/srv/cur/**", "/srv/v3/x", false),
        ("/root/**", "/x", true),
        // Only the literal beginning.
        ("/srv/c*/**", "/srv/v2/x", false),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.covers(&at(path, &files), &files), Ok(expected), "{pattern} {path}");
        assert_eq!(glob.touches(&at(path, &files), &files), Ok(expected), "{pattern} {path}");
    }
    let located = at("/x", &files);
    let glob = PathGlob::parse("/srv/**", &here()).unwrap();
    assert_eq!(glob.touches(&located, &NoFiles), Err(PathError::NeedsFiles));
}

#[test]
fn case_is_folded_for_denies_where_the_volume_folds_it() {
    let (folding, plain) = (Links::folding(), Links::default());
    for (pattern, path, folded, exact) in [
        ("**/.env", "/x/.ENV", true, false),
        ("/srv/App/**", "/SRV/aPP/x", true, false),
        ("**/.SSH/**", "/x/.ssh/y", true, false),
        ("**/*.PEM", "/x/y.pem", true, false),
        ("**/[A-C]", "/x/b", true, false),
        ("**/[!a]", "/x/A", true, true),
        // The Kelvin sign, the long s, and a character that is not seen.
        ("**/k", "/x/\u{212a}", true, false),
        ("**/.ssh/**", "/x/.\u{17f}\u{17f}h/y", true, false),
        ("**/.git/**", "/x/.g\u{200c}it/y", true, false),
        ("**/.env", "/x/.enw", false, false),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.touches(&at(path, &folding), &folding), Ok(folded), "{pattern} {path}");
        assert_eq!(glob.touches(&at(path, &plain), &plain), Ok(exact), "{pattern} {path}");
        if cfg!(unix) {
            assert_eq!(glob.covers(&at(path, &folding), &folding), Ok(exact), "{pattern} {path}");
        }
    }
}

#[test]
fn below_a_directory() {
    let files = Links::new(&[("/srv/cur", "/data/v2"), ("/l", "/home/u")]);
    for (pattern, dir, expected) in [
        ("/srv/app/**", "/srv", true),
        ("/srv/app/**", "/srv/app", true),
        ("/srv/app/**", "/srv/app/x/y", true),
        ("/srv/app/**", "/", true),
        ("/srv/app/**", "/srv/ap", false),
        ("/srv/app/**", "/srv/other", false),
        ("/srv/app", "/srv/app", true),
        ("/srv/app", "/srv/app/x", false),
        ("**/.env", "/x", true),
        ("**", "/x", true),
        ("/a/*/c", "/a/b", true),
        ("/a/*/c", "/a/b/d", false),
        ("/a/*.x/c", "/a/b", false),
        ("/a/{b,c}/d", "/a/c", true),
        ("~/.ssh/**", "~", true),
        ("~/.ssh/**", "/l", true),
        ("/srv/cur/secret", "/data", true),
        ("/srv/cur/secret", "/data/v3", false),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.touches_below(&at(dir, &files), &files), Ok(expected), "{pattern} {dir}");
    }
}

#[test]
fn names_that_are_spelled_out() {
    let git = |name: &str| name == ".git";
    let env = |name: &str| name.starts_with(".env");
    let home = |name: &str| name == "home";
    let of = |pattern: &str, name: &dyn Fn(&str) -> bool| {
        PathGlob::parse(pattern, &here()).unwrap().names(name)
    };
    assert!(of("**/.git/**", &git));
    assert!(of("/x/{src,.git}/**", &git));
    assert!(of(".git/config", &git));
    assert!(!of("**", &git) && !of("**/.g*/**", &git) && !of("/x/**", &git));
    assert!(of("**/.env*", &env) && of("**/.env.{a,b}", &env));
    assert!(!of("**/.e*", &env) && !of("**/*", &env));
    assert!(of("/home/x", &home) && !of("~/x", &home));
    let files = Links::default();
    let glob = PathGlob::parse("/x/{src,.git}/**", &here()).unwrap();
    assert_eq!(glob.covers_by_name(&at("/x/.git/y", &files), &files, &git), Ok(true));
    assert_eq!(glob.covers_by_name(&at("/x/src/.git/y", &files), &files, &git), Ok(false));
    assert_eq!(glob.covers(&at("/x/src/.git/y", &files), &files), Ok(true));
}
