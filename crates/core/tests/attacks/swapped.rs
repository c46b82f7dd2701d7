//! What was approved, once a symlink has taken its place.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::path::RealFiles;
use countersign_core::policy::Policy;

use crate::house::{House, started};
use crate::verdicts::{judged, text};

/// Where the paths of the line lead, as the verdict says.
fn places(policy: &Policy, line: &str) -> Option<String> {
    judged(policy, "bash", &text("command", line), &RealFiles).unwrap().places
}

#[test]
fn what_is_swapped_for_a_symlink_is_not_what_was_approved() {
    let house = House::new("swapped");
    let at = |path: &str| house.root.join(path);
    let policy = started(&house, r#"{"version":1,"default":"ask"}"#, "project");
    let lines = [
        "./run.sh",
        "env ./run.sh",
        "./r*.sh",
        "sub/bin/tool x",
        "cd sub && make test",
        "(cd sub; ls)",
        "pushd sub; make test",
        "env -C sub make test",
        "make -C sub test",
        "pytest sub",
        "pytest sub/bin",
        "python3 -m unittest sub.x",
        "mocha 'su?/*.js'",
        "mocha 'tests/**/*.js'",
        "cat s*/f.txt",
        "cat sub/*.txt",
        "cat sub/$x",
        "for f in sub/*; do cat \"$f\"; done",
        "cat sub/f.txt",
        "cmake --build sub",
        "prettier --write 'su{b,x}/*.js'",
    ];
    let put = || {
        for path in ["project/sub", "project/run.sh", "project/tests/one"] {
            let path = at(path);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        fs::create_dir_all(at("project/sub/bin")).unwrap();
        fs::create_dir_all(at("project/tests/one")).unwrap();
        house.put("project/sub/f.txt", "");
        house.put("project/run.sh", "");
    };
    fs::create_dir_all(at("project/other")).unwrap();
    house.put("project/other/f.txt", "");
    let mut wrong = Vec::new();
    for line in lines {
        put();
        let before = places(&policy, line);
        house.put("project/sub/new.txt", "");
        if places(&policy, line) != before {
            wrong.push(format!("{line}: a file that is made is no other place"));
        }
        for (path, to) in [
            ("project/sub", "other"),
            ("project/run.sh", "other/f.txt"),
            ("project/tests/one", "../other"),
        ] {
            let path = at(path);
            fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).unwrap();
            symlink(to, path).unwrap();
        }
        if places(&policy, line) == before {
            wrong.push(format!("{line}: leads elsewhere, and nobody says so"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_that_is_swapped_for_a_symlink_is_not_the_one_that_a_line_was_approved_in() {
    let house = House::new("swapped-folder");
    let policy = started(&house, r#"{"version":1,"default":"ask"}"#, "project/sub");
    let before = places(&policy, "make test");
    fs::remove_dir_all(house.root.join("project/sub")).unwrap();
    symlink("src", house.root.join("project/sub")).unwrap();
    assert_ne!(places(&policy, "make test"), before);
}
