use super::super::{NoFiles, PathContext, PathError, PathGlob};
use super::{BARE, Links, QUOTED, here, star, text};
use crate::shell::WordPiece;

#[test]
fn dynamic_paths() {
    let home = || WordPiece::Home;
    let rows: &[(&str, &[WordPiece], bool)] = &[
        ("~/.ssh/**", &[BARE], true),
        ("~/.ssh/**", &[QUOTED], true),
        ("**/.env", &[text("src/"), BARE], true),
        ("**/.env", &[text("src/"), QUOTED], true),
        ("/etc/passwd", &[text("src/"), QUOTED], true),
        // What follows what is not known is certain, if it is one word.
        ("**/.env", &[QUOTED, text(".txt")], false),
        ("**/.env", &[BARE, text(".txt")], true),
        ("**/.env", &[QUOTED, text(".env")], true),
        ("**/.env", &[QUOTED, text("/.env")], true),
        ("**/.env", &[QUOTED, text("x.env")], false),
        ("**/.env", &[QUOTED, text("/x/../.env")], true),
        ("**/.env", &[QUOTED, text("/.env/..")], true),
        ("~/.ssh/**", &[QUOTED, text("/id_rsa")], true),
        ("~/.ssh/**", &[text("/etc/"), QUOTED, text("/id_rsa")], true),
        ("~/.ssh/*.pub", &[QUOTED, text("/id_rsa")], false),
        ("~/.ssh/*.PUB", &[QUOTED, text("/id_rsa.pub")], true),
        ("/a/**", &[QUOTED, text("/")], true),
        // The shell's patterns stay within a name, and take no dot that comes first.
        ("**/.env", &[star("*")], false),
        ("**/.env", &[text("."), star("*")], true),
        ("**/.env", &[text(".e"), star("??")], true),
        ("**/.env", &[text(".e"), star("?")], false),
        ("**/.env", &[star("*"), text(".txt")], false),
        ("**/x.env", &[star("*"), text("env")], true),
        ("**/x.env", &[text("a/"), star("*"), text("/x.env")], true),
        ("**/x.env", &[text("a/"), star("[xy]"), text(".env")], true),
        ("/srv/app/a/b", &[text("a/"), star("*")], true),
        ("/srv/app/a/b", &[star("*")], false),
        ("/srv/app/a/b", &[text("../app/"), star("*"), text("/b")], true),
        ("/srv/app/a/b", &[text("/srv/other/"), star("*"), text("/b")], false),
        // A link may lead elsewhere, so that its parent is any directory.
        ("/etc/passwd", &[star("*"), text("/../passwd")], true),
        ("~/.ssh/**", &[home(), text("/.ssh/"), star("*")], true),
        ("~/.ssh/**", &[home(), text("/"), star("*")], false),
        ("~/.ssh/**", &[home(), text("/.s"), star("*"), text("/id")], true),
        ("~/.ssh/**", &[home(), text("/docs/"), star("*")], false),
        ("/home/**", &[home(), text("/docs/"), star("*")], true),
        ("**", &[QUOTED], true),
        ("/x/{a,b}.c", &[QUOTED, text("b.c")], true),
        ("/x/{a,b}.c", &[QUOTED, text("d.c")], false),
        ("/x/[a-c].c", &[QUOTED, text("/b.c")], true),
        ("/x/[a-c].c", &[QUOTED, text("/d.c")], false),
        ("/x/**/y", &[QUOTED, text("xy")], false),
        ("/x/**/y/z", &[QUOTED, text("/y/z")], true),
        // Certain after all.
        ("**/foo.txt", &[text("foo.txt")], true),
        ("**/foo.txt", &[text("bar.txt")], false),
        ("/", &[QUOTED], true),
    ];
    for (pattern, pieces, expected) in rows {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        assert_eq!(glob.could_match(pieces, &here()), *expected, "{pattern} {pieces:?}");
    }
    let homeless = PathContext { home: None, ..here() };
    let glob = PathGlob::parse("/etc/passwd", &here()).unwrap();
    assert!(glob.could_match(&[WordPiece::Home, text("/passwd")], &homeless));
}

#[test]
fn dynamic_paths_through_links() {
    let files = Links::new(&[("/srv/app/keys", "/home/u/.ssh"), ("/srv/cur", "/srv/app/v2")]);
    for (pattern, pieces, expected) in [
        ("~/.ssh/**", &[text("keys/"), star("*")][..], true),
        ("~/.ssh/*.pub", &[text("keys/"), star("*"), text(".key")], false),
        ("/srv/app/keys/**", &[text("keys/"), star("*")], true),
        ("/srv/cur/**", &[text("v2/"), star("*")], true),
        ("/srv/cur/**", &[text("v3/"), star("*")], false),
        ("~/.ssh/**", &[text("keys")], false),
        ("~/.ssh", &[text("keys")], true),
        ("**/.env", &[QUOTED], true),
    ] {
        let glob = PathGlob::parse(pattern, &here()).unwrap();
        let could = glob.could_match_through(pieces, &here(), &files);
        assert_eq!(could, Ok(expected), "{pattern} {pieces:?}");
    }
    let glob = PathGlob::parse("~/.ssh/**", &here()).unwrap();
    let pieces = [text("keys/"), star("*")];
    assert_eq!(glob.could_match_through(&pieces, &here(), &NoFiles), Err(PathError::NeedsFiles));
}

#[test]
fn long_ones_are_answered_at_once() {
    let glob = PathGlob::parse(&"/x*".repeat(1300), &here()).unwrap();
    let start = crate::cpu_time::Instant::now();
    assert!(glob.could_match(&[text(&"y/".repeat(2000)), star("*")], &here()));
    let glob = PathGlob::parse(&("/**/".to_owned() + &"*a".repeat(200)), &here()).unwrap();
    assert!(!glob.could_match(&[QUOTED, text(&"a".repeat(2000)), text("b")], &here()));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
