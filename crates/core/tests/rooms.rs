//! Imports run one way: a room knows only those before it.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// What tests share is no room.
const OF_TESTS: [&str; 4] = ["cases", "cpu_time", "effort", "skip"];

/// Each room and those it may know.
const ROOMS: [(&str, &[&str]); 10] = [
    ("call", &[]),
    ("approval", &["call"]),
    ("preview", &["call"]),
    ("shell", &[]),
    ("path", &["shell"]),
    ("policy", &["call", "approval", "shell", "path"]),
    ("layers", &["call", "approval", "shell", "path", "policy"]),
    ("ledger", &["call", "approval", "preview", "policy"]),
    ("files", &["call", "preview"]),
    (
        "gate",
        &["call", "approval", "preview", "shell", "path", "policy", "layers", "ledger", "files"],
    ),
];

#[test]
fn imports_run_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (room, known) in ROOMS {
        let mut files = 0;
        for path in files_below(&src.join(room)) {
            let text = fs::read_to_string(&path).unwrap();
            files += 1;
            for after in text.split("crate::").skip(1) {
                let other: String =
                    after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(
                    other == room
                        || OF_TESTS.contains(&other.as_str())
                        || known.contains(&other.as_str()),
                    "{} knows {other:?}",
                    path.display()
                );
            }
        }
        assert!(files > 0, "{room} is empty");
    }
    let rooms =
        fs::read_dir(&src).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(rooms, ROOMS.len(), "a room is missing in this test");
}

/// Where files of the system are read and written: a room, or a file of one.
const OF_FILES: [&str; 4] = ["layers", "ledger", "files", "path/files.rs"];

#[test]
fn files_of_the_system_are_read_in_the_rooms_that_say_so() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_below(&src) {
        let name = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
        let is_of_tests = name.contains("/tests") || OF_TESTS.iter().any(|of| name.starts_with(of));
        if is_of_tests || OF_FILES.iter().any(|room| name.starts_with(room)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for reads in ["std::fs", "cap_std::"] {
            assert!(!code.contains(reads), "{name} has {reads}");
        }
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_core_knows_no_javascript_runtime() {
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    for name in ["napi", "countersign-bridge"] {
        assert!(!manifest.contains(name), "{name}");
    }
}
