//! Files by name and by content.

use super::*;

#[test]
fn a_glob_finds_what_git_would_not_ignore() {
    let house = House::new();
    for path in [
        "a.ts",
        "src/b.ts",
        "src/deep/c.ts",
        "src/deep/c.js",
        "src/gen/d.ts",
        "dist/e.ts",
        "src/keep.log",
        "src/x.log",
        ".env",
        ".github/f.ts",
        "src/.hidden/g.ts",
    ] {
        house.put(path, "x");
    }
    house.put(".gitignore", "\u{feff}# no pattern\n/dist\n*.log\n");
    house.put("src/.gitignore", "gen/\n!keep.log\n");
    for (pattern, expected) in [
        ("**/*.ts", vec!["a.ts", "src/b.ts", "src/deep/c.ts"]),
        ("*.ts", vec!["a.ts"]),
        ("./src/*.ts", vec!["src/b.ts"]),
        ("src/**/*.{ts,js}", vec!["src/b.ts", "src/deep/c.js", "src/deep/c.ts"]),
        ("**/*.log", vec!["src/keep.log"]),
        (".env", vec![".env"]),
        (".git*/**", vec![".github/f.ts"]),
        ("{.github,src}/*.ts", vec![".github/f.ts", "src/b.ts"]),
        ("**/.*/*.ts", vec![".github/f.ts", "src/.hidden/g.ts"]),
        ("dist/*", vec![]),
    ] {
        assert_eq!(house.glob(pattern), expected, "{pattern}");
    }
    let absolute = house.at("src/*.ts");
    assert_eq!(house.glob(absolute.to_str().unwrap()), ["src/b.ts"]);
    let below = |pattern: &str, path: &str| {
        house.root.glob(pattern, path, 10, &CancelFlag::default()).map(|found| found.paths)
    };
    assert_eq!(below("*.ts", "src/deep").unwrap(), ["src/deep/c.ts"]);
    assert_eq!(below("**/*.log", "src").unwrap(), ["src/keep.log"]);
    for (pattern, fault) in [
        ("[", FileFault::Pattern),
        ("", FileFault::Pattern),
        ("!*.ts", FileFault::Pattern),
        ("../*", FileFault::Pattern),
        ("/etc/*", FileFault::OutsideRoot),
    ] {
        assert_eq!(below(pattern, "").unwrap_err().fault, fault, "{pattern}");
    }
    assert_eq!(below("*", "a.ts").unwrap_err().fault, FileFault::NotADirectory);
}

#[test]
fn what_changed_last_comes_first_and_a_limit_keeps_it() {
    let house = House::new();
    let start = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    for (name, age) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] {
        house.put(name, "x");
        let file = fs::File::options().write(true).open(house.at(name)).unwrap();
        file.set_modified(start - std::time::Duration::from_secs(age)).unwrap();
    }
    let found = |limit| house.root.glob("*", "", limit, &CancelFlag::default()).unwrap();
    assert_eq!(
        found(4),
        GlobMatches { paths: ["a", "b", "c", "d"].map(String::from).into(), truncated: false }
    );
    assert_eq!(
        found(2),
        GlobMatches { paths: ["a", "b"].map(String::from).into(), truncated: true }
    );
    let listed = house.root.list("", 2, &CancelFlag::default()).unwrap();
    assert!(listed.truncated);
    assert_eq!(
        listed.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
}

#[test]
fn a_search_finds_lines() {
    let house = House::new();
    house.put("a.rs", "fn main() {\r\n  let é = 1;\n}\n");
    house.put("src/b.rs", "fn other() {}");
    house.put("src/c.txt", "fn no\n");
    house.put("binary", b"fn\0binary\nfn late\n");
    house.put("late-binary", [b"fn first\n".repeat(20_000), b"\0".to_vec()].concat());
    house.put(".env", "fn hidden");
    house.put("ignored/d.rs", "fn ignored");
    house.put(".gitignore", "ignored\n");
    assert_eq!(
        house.grep("^fn (main|other)", None),
        ["a.rs:1:fn main() {", "src/b.rs:1:fn other() {}"]
    );
    assert_eq!(house.grep("fn", Some("*.txt")), ["src/c.txt:1:fn no"]);
    assert_eq!(house.grep("fn", Some("src/*.rs")), ["src/b.rs:1:fn other() {}"]);
    assert_eq!(house.grep("fn", Some(".env")), [".env:1:fn hidden"]);
    assert_eq!(house.grep("let .", None), ["a.rs:2:  let é = 1;"]);
    assert_eq!(house.grep("nothing", None), [""; 0]);
    let ask = |pattern, path, ignore_case, limit| {
        let query = GrepQuery { pattern, path, glob: None, ignore_case, limit };
        house.root.grep(&query, &CancelFlag::default())
    };
    // What is named is searched, though git ignores it.
    assert_eq!(ask("FN", "ignored/d.rs", true, 9).unwrap().files, 1);
    assert_eq!(ask("fn", "ignored", false, 9).unwrap().files, 1);
    let found = ask("fn", "", false, 1).unwrap();
    assert_eq!((found.matches.len(), found.files, found.truncated), (1, 1, true));
    assert!(!ask("fn", "src", false, 2).unwrap().truncated);
    assert_eq!(ask("(", "", false, 9).unwrap_err().fault, FileFault::Pattern);
    assert_eq!(ask("a\\nb", "", false, 9).unwrap_err().fault, FileFault::Pattern);
    assert_eq!(ask(r"\w{100}{100}{100}", "", false, 9).unwrap_err().fault, FileFault::Pattern);
    assert_eq!(ask("a", "missing", false, 9).unwrap_err().fault, FileFault::NoSuchFile);
}

#[test]
fn of_a_long_line_there_is_what_matches() {
    let house = House::new();
    house.put("a.min.js", format!("{}needle{}\n", "é".repeat(5_000), "x".repeat(5_000)));
    house.put("b.min.js", format!("{}needle", "x".repeat(10 << 20)));
    let query = GrepQuery { pattern: "needle", path: "", glob: None, ignore_case: false, limit: 9 };
    let found = house.root.grep(&query, &CancelFlag::default()).unwrap();
    assert_eq!(found.matches.len(), 1);
    // The line of the other is too long to be looked at, and that is said.
    assert!(found.truncated);
    let text = &found.matches[0].text;
    assert!(text.starts_with("…é") && text.contains("éneedlex") && text.ends_with("x…"), "{text}");
    assert!(text.len() < 1_100);
}

#[test]
fn a_search_that_is_cancelled_ends() {
    let house = House::new();
    house.put("a.txt", "needle\n");
    let cancel = CancelFlag::default();
    cancel.cancel();
    let query = GrepQuery { pattern: "needle", path: "", glob: None, ignore_case: false, limit: 9 };
    assert_eq!(house.root.grep(&query, &cancel).unwrap_err().fault, FileFault::Cancelled);
    assert_eq!(house.root.glob("*", "", 9, &cancel).unwrap_err().fault, FileFault::Cancelled);
    assert_eq!(house.root.list("", 9, &cancel).unwrap_err().fault, FileFault::Cancelled);
    assert_eq!(house.root.read("a.txt", 1, 9, &cancel).unwrap_err().fault, FileFault::Cancelled);
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_walked() {
    let house = House::new();
    house.put("a/b.txt", "needle");
    house.link("out", "../outside");
    house.link("a/loop", "..");
    house.link("c.txt", "a/b.txt");
    assert_eq!(house.glob("**/*"), ["a/b.txt"]);
    assert_eq!(house.grep("needle|secret", None), ["a/b.txt:1:needle"]);
    house.put("real-ignore", "a\n");
    house.link(".gitignore", "real-ignore");
    assert_eq!(house.glob("a/*"), ["a/b.txt"]);
}
