//! No path leads out of the root.
#![cfg(unix)]

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::cases::cases;
use crate::effort::effort;

/// All that can be done with a path; everything that comes back, as text.
fn try_all(house: &House, path: &str) -> String {
    let (root, cancel) = (&house.root, CancelFlag::default());
    let edit = crate::preview::TextEdit { old: SECRET, new: "changed", everywhere: true };
    let query = GrepQuery { pattern: ".", path, glob: None, ignore_case: false, limit: 100 };
    let read = root.read(path, 1, 100, &cancel);
    let list = root.list(path, 100, &cancel);
    let glob = root.glob("**/*", path, 100, &cancel);
    let grep = root.grep(&query, &cancel);
    let edit = root.edit(path, edit, &ExpectedFile::Anything, &cancel);
    let write = root.write(path, "written", &ExpectedFile::Anything, &cancel);
    let new = root.write(&format!("{path}/new/file"), "written", &ExpectedFile::Absent, &cancel);
    format!("{read:?} {list:?} {glob:?} {grep:?} {edit:?} {write:?} {new:?}")
}

fn faults(house: &House, path: &str) -> [Option<FileFault>; 4] {
    let (root, cancel) = (&house.root, CancelFlag::default());
    [
        house.text(path).err(),
        house.write(path, "written", ExpectedFile::Anything).err(),
        house.edit(path, SECRET, "changed", true).err(),
        root.list(path, 100, &cancel).err().map(|error| error.fault),
    ]
}

#[test]
fn what_is_outside_is_refused() {
    let house = House::new();
    house.put("a/b.txt", "inside");
    house.link("out", "../outside");
    house.link("a/out", "../../outside");
    house.link("abs", house.place.join("outside"));
    house.link("etc", "/etc/passwd");
    house.link("chain", "a/out/inner");
    house.link("up", "..");
    let before = house.all("outside");
    let outside = house.place.join("outside/secret.txt");
    let sibling = format!("{}x/secret.txt", house.at("").to_str().unwrap().trim_end_matches('/'));
    for path in [
        "..",
        "../outside/secret.txt",
        "a/../../outside/secret.txt",
        "/etc/passwd",
        "/",
        outside.to_str().unwrap(),
        &sibling,
        "out/secret.txt",
        "out/new.txt",
        "a/out/secret.txt",
        "a/out/../secret.txt",
        "abs/secret.txt",
        "etc",
        "chain/secret.txt",
        "chain/../../root/a/b.txt",
        "up/outside/secret.txt",
        house.at("../outside/secret.txt").to_str().unwrap(),
        house.at("out/secret.txt").to_str().unwrap(),
    ] {
        assert_eq!(faults(&house, path), [Some(FileFault::OutsideRoot); 4], "{path}");
    }
    assert_eq!(house.all("outside"), before);
}

#[test]
fn what_is_inside_is_found() {
    let house = House::new();
    house.put("a/b/c.txt", "inside");
    house.put("d.txt", "other");
    house.link("link", "a/b");
    house.link("a/up", "../d.txt");
    house.link("absolute", house.at("a/b"));
    house.link("later", "a/new.txt");
    for (path, content) in [
        ("a/b/c.txt", "inside"),
        ("./a//b/./c.txt", "inside"),
        // The system would say that this is no folder.
        ("a/b/c.txt/.", "inside"),
        ("a/b/../b/c.txt", "inside"),
        ("link/c.txt", "inside"),
        // `..` is of where the link leads, as for the system.
        ("link/../b/c.txt", "inside"),
        ("a/up", "other"),
        ("absolute/c.txt", "inside"),
        (house.at("link/c.txt").to_str().unwrap(), "inside"),
    ] {
        assert_eq!(house.text(path).as_deref(), Ok(content), "{path}");
    }
    // It is the target that is written, and the link stays one.
    assert_eq!(house.write("a/up", "new", ExpectedFile::Anything), Ok(false));
    assert_eq!(house.write("later", "new", ExpectedFile::Absent), Ok(true));
    assert_eq!(fs::read_to_string(house.at("d.txt")).unwrap(), "new");
    assert_eq!(fs::read_to_string(house.at("a/new.txt")).unwrap(), "new");
    assert!(house.at("a/up").is_symlink() && house.at("later").is_symlink());
}

#[test]
fn what_leads_to_another_file_than_the_expected_one_is_not_written() {
    let house = House::new();
    house.put("a/x.txt", "one");
    house.put("b/x.txt", "one");
    house.link("now", "a");
    let a = fs::canonicalize(house.at("a/x.txt")).unwrap();
    let content = ExpectedFile::Anything;
    let written = |path: &str, target: Option<&str>| {
        let place = ExpectedPlace { content: &content, target };
        let write = house.root.write(path, "two", place, &CancelFlag::default());
        let edit = crate::preview::TextEdit { old: "two", new: "one", everywhere: false };
        let edited = house.root.edit(path, edit, place, &CancelFlag::default());
        (
            write.map(drop).map_err(|error| error.fault),
            edited.map(drop).map_err(|error| error.fault),
        )
    };
    let expected = a.to_str();
    assert_eq!(written("now/x.txt", expected), (Ok(()), Ok(())));
    fs::remove_file(house.at("now")).unwrap();
    house.link("now", "b");
    let refused = Err(FileFault::Changed);
    assert_eq!(written("now/x.txt", expected), (refused, refused));
    assert_eq!(
        written("a/x.txt", fs::canonicalize(house.at("b/x.txt")).unwrap().to_str()),
        (refused, refused)
    );
    assert_eq!(house.text("b/x.txt").as_deref(), Ok("one"));
    assert_eq!(written("now/x.txt", None), (Ok(()), Ok(())));
}

#[test]
fn odd_paths_are_refused() {
    let house = House::new();
    house.put("file", "x");
    house.link("loop", "loop");
    let long = "x".repeat(5000);
    for (path, fault) in [
        ("loop", FileFault::Io),
        ("file/x", FileFault::NotADirectory),
        ("a\0b", FileFault::NoSuchFile),
        (long.as_str(), FileFault::NoSuchFile),
        ("", FileFault::NotAFile),
        (".", FileFault::NotAFile),
    ] {
        assert_eq!(house.text(path), Err(fault), "{path}");
        assert_eq!(house.write(path, "y", ExpectedFile::Anything), Err(fault), "{path}");
    }
    assert_eq!(house.text("missing/x"), Err(FileFault::NoSuchFile));
    assert_eq!(
        house.write("missing/../x", "y", ExpectedFile::Anything),
        Err(FileFault::NoSuchFile)
    );
    assert_eq!(house.all("root").len(), 2);
}

#[test]
fn a_root_that_became_another_folder_is_refused() {
    let house = House::new();
    house.put("a.txt", "inside");
    fs::rename(house.at(""), house.place.join("moved")).unwrap();
    assert_eq!(house.text("a.txt"), Err(FileFault::OutsideRoot));
    std::os::unix::fs::symlink(house.place.join("outside"), house.place.join("root")).unwrap();
    assert_eq!(house.text("secret.txt"), Err(FileFault::OutsideRoot));
    assert_eq!(house.write("new.txt", "x", ExpectedFile::Anything), Err(FileFault::OutsideRoot));
    fs::remove_file(house.place.join("root")).unwrap();
    fs::rename(house.place.join("moved"), house.at("")).unwrap();
    assert_eq!(house.text("a.txt").as_deref(), Ok("inside"));
}

#[test]
fn what_is_special_is_refused_at_once() {
    let house = House::new();
    let pipe = house.at("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(house.at("socket")).unwrap();
    house.put("text.txt", "text");
    for path in ["pipe", "socket"] {
        assert_eq!(house.text(path), Err(FileFault::NotAFile), "{path}");
        assert_eq!(
            house.write(path, "x", ExpectedFile::Anything),
            Err(FileFault::NotAFile),
            "{path}"
        );
        assert_eq!(house.edit(path, "", "x", false), Err(FileFault::NotAFile), "{path}");
    }
    assert_eq!(house.grep("text", None), ["text.txt:1:text"]);
    assert_eq!(house.glob("*"), ["text.txt"]);
    let kinds: Vec<_> = house.root.list("", 10, &CancelFlag::default()).unwrap().entries;
    let kinds: Vec<_> = kinds.iter().map(|entry| (entry.kind, entry.size)).collect();
    assert_eq!(
        kinds,
        [(EntryKind::Other, None), (EntryKind::Other, None), (EntryKind::File, Some(4))]
    );
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread swaps folders and files for symlinks out of the root and back; the other must never get there.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn what_is_swapped_meanwhile_leads_nowhere_else() {
    let house = House::new();
    for name in ["a", "b"] {
        house.put(&format!("{name}/inner/secret.txt"), "public");
        house.put(&format!("{name}/secret.txt"), "public");
    }
    house.link("link", "../outside");
    let before = house.all("outside");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // `a` is a folder, then a symlink, and never nothing; the file in `b` is one or the other, too.
                let (one, other) = (house.at("a"), house.at("link"));
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                let _ = fs::remove_file(house.at("b/secret.txt"));
                let _ = std::os::unix::fs::symlink(
                    "../../outside/secret.txt",
                    house.at("b/secret.txt"),
                );
            }
        });
        // Set also when an assertion fails: the other thread would go on for ever.
        let _done = OnDrop(&done);
        // Until it met enough of both: how often depends on who else works on this machine.
        let (mut reached, mut refused) = (0, 0);
        let enough = effort(10, 100);
        for round in 0_u64.. {
            let (root, cancel) = (&house.root, CancelFlag::default());
            let query =
                GrepQuery { pattern: ".", path: "", glob: None, ignore_case: false, limit: 100 };
            match round % 5 {
                0 => match house.text("a/inner/secret.txt") {
                    Ok(text) => {
                        assert_eq!(text, "public");
                        reached += 1;
                    }
                    Err(_) => refused += 1,
                },
                1 => drop(house.write("a/secret.txt", "public", ExpectedFile::Anything)),
                2 => drop(house.write("b/secret.txt", "public", ExpectedFile::Anything)),
                3 => drop(house.write("a/new/file.txt", "public", ExpectedFile::Anything)),
                _ => {
                    let found = root.grep(&query, &cancel).unwrap();
                    assert!(found.matches.iter().all(|line| line.text != SECRET), "{found:?}");
                    let found = root.glob("a/**", "", 100, &cancel).unwrap();
                    assert!(found.paths.iter().all(|path| !path.contains("private")), "{found:?}");
                }
            }
            if round >= 10 * enough && reached > enough && refused > enough {
                break;
            }
        }
    });
    assert_eq!(house.all("outside"), before);
    let left = house.all("root");
    assert!(left.iter().all(|(path, _)| !path.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "secret.txt"]),
        2 => Just(".."),
        1 => prop::sample::select(vec![".", "", "outside", "root", "inner"]),
    ];
    (prop::collection::vec(name, 1..6), 0..6_u8).prop_map(|(names, start)| {
        let path = names.join("/");
        match start {
            0 => format!("/OUT/{path}"),
            1 => format!("/ROOT/{path}"),
            _ => path,
        }
    })
}

#[derive(Debug, Clone)]
enum Made {
    File(String),
    Folder(String),
    Link(String, String),
}

fn made() -> impl Strategy<Value = Made> {
    prop_oneof![
        path().prop_map(Made::File),
        path().prop_map(Made::Folder),
        (path(), path()).prop_map(|(path, target)| Made::Link(path, target)),
        (path(), path()).prop_map(|(path, target)| Made::Link(path, target)),
    ]
}

proptest! {
    #![proptest_config(cases(30, 100))]

    /// With any links, nothing outside is seen or changed, and what is read is what the system has there.
    #[test]
    fn no_tree_and_no_path_leads_out(made in prop::collection::vec(made(), 0..12), paths in prop::collection::vec(path(), 1..6)) {
        let house = House::new();
        let real = |path: &str| {
            path.replace("/OUT", house.place.join("outside").to_str().unwrap())
                .replace("/ROOT", house.at("").to_str().unwrap().trim_end_matches('/'))
        };
        for made in &made {
            // Made with the system's own means, and only within the root.
            let inside = |path: &str| -> Option<PathBuf> {
                let path = house.at(&real(path));
                let parent = path.parent()?.canonicalize().ok()?;
                let path = parent.join(path.file_name()?);
                parent.starts_with(house.at("").canonicalize().ok()?).then_some(path)
            };
            let _ = match made {
                Made::File(path) => inside(path).map(|path| {
                    if !path.is_symlink() { drop(fs::write(path, "public")) }
                }),
                Made::Folder(path) => inside(path).map(|path| drop(fs::create_dir(path))),
                Made::Link(path, target) => {
                    inside(path).map(|path| drop(std::os::unix::fs::symlink(real(target), path)))
                }
            };
        }
        let before = house.all("outside");
        let root = house.at("").canonicalize().unwrap();
        for path in &paths {
            let path = real(path);
            if let Ok(text) = house.text(&path) {
                // Where the system says of `a/.` that `a` is no folder, it is the file here.
                let there: PathBuf = house.at(&path).components().collect();
                let there = there.canonicalize().unwrap();
                prop_assert!(there.starts_with(&root), "{path} is {there:?}");
                prop_assert_eq!(text, fs::read_to_string(there).unwrap());
            }
            let told = try_all(&house, &path);
            prop_assert!(!told.contains(SECRET), "{} tells {}", path, told);
            prop_assert_eq!(&house.all("outside"), &before);
        }
    }
}
