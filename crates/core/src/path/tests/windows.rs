use super::super::locate::locate_as;
use super::super::syntax::PathSyntax;
use super::super::{PathContext, PathError, PathGlob};
use super::Links;

fn app() -> PathContext {
    PathContext {
        cwd: r"C:\app".to_owned(),
        home: Some(r"C:\Users\u".to_owned()),
        ..PathContext::default()
    }
}

#[test]
fn places() {
    for (path, place) in [
        ("x", "C:/app/x"),
        (r"C:\app\..\x", "C:/x"),
        ("c:/APP/x", "C:/APP/x"),
        (r"\x", "C:/x"),
        (r"..\..\..\x", "C:/x"),
        (r"~\x", "C:/Users/u/x"),
        (r"\\Server\Share\a\..\b", "//server/share/b"),
        (r"\\?\D:\x", "D:/x"),
        (r"\\?\UNC\srv\share\x", "//srv/share/x"),
        ("x.txt...  ", "C:/app/x.txt"),
        ("com12", "C:/app/com12"),
        (r"a~b", "C:/app/a~b"),
    ] {
        let located = locate_as(PathSyntax::Windows, path, &app(), &Links::default()).unwrap();
        assert_eq!(located.lexical, place, "{path}");
        assert_eq!(located.real, place, "{path}");
    }
}

#[test]
fn what_cannot_be_told() {
    for path in [
        "C:x",
        "C:",
        r"\\.\pipe\x",
        r"\\?\",
        "NUL",
        "nul.txt",
        "sub/con .x",
        "COM1",
        "lpt².x",
        "PROGRA~1/x",
        "file.txt::$DATA",
        "a:b",
        "a*b",
        "a\tb",
        ". .",
        "x/.../y",
        r"\\server",
    ] {
        let located = locate_as(PathSyntax::Windows, path, &app(), &Links::default());
        assert!(
            matches!(located, Err(PathError::Ambiguous(_) | PathError::Unreadable(_))),
            "{path}: {located:?}"
        );
    }
}

#[test]
fn patterns() {
    let links = Links::folding();
    // pattern, path, matches
    for (pattern, path, expected) in [
        ("C:/app/**", r"C:\app\..\x", false),
        ("C:/app/**", "c:/APP/x", true),
        ("c:/app/**", r"C:\app\sub\x", true),
        ("${cwd}/**", r"C:\app\x", true),
        ("~/.ssh/**", r"C:\Users\U\.SSH\id", true),
        ("src/*", r"src\x", true),
        ("**/.env", r"D:\x\.Env", true),
        ("**/.env", r"\\s\share\.env", true),
        ("D:/**", r"C:\x", false),
    ] {
        let glob = PathGlob::parse_as(PathSyntax::Windows, pattern, &app()).unwrap();
        let located = locate_as(PathSyntax::Windows, path, &app(), &links).unwrap();
        // `Files::real` knows the native syntax alone: as written is what counts here.
        assert_eq!(glob.touches(&located, &links), Ok(expected), "{pattern} {path}");
    }
}

#[test]
fn links() {
    let files =
        Links::new(&[("C:/app/l", r"D:\data"), ("C:/app/r", r"..\other"), ("C:/app/t", r"\top")]);
    for (path, real) in
        [("l/x", "D:/data/x"), (r"r\x", "C:/other/x"), ("t/x", "C:/top/x"), (r"l\..\..\x", "D:/x")]
    {
        let located = locate_as(PathSyntax::Windows, path, &app(), &files).unwrap();
        assert_eq!(located.real, real, "{path}");
    }
}
