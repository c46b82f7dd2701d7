//! Partial clones: git fetches what is missing, from wherever the settings say.

use std::fs;

use crate::house::{House, ID, own, started, tried};

const LINES: &[&str] = &[
    "git log -p",
    "git log --oneline -3",
    "git status",
    "git show",
    "git diff",
    "git blame src/lib.rs",
    "git cat-file -p HEAD:src/lib.rs",
    "git rev-parse HEAD:src/lib.rs",
    "git branch -v",
    "git show-ref",
    "git grep x",
    "git --no-pager log",
    "cd sub && git log",
];
const STILL: &[&str] = &[
    "git --version",
    "git remote",
    "git config user.name",
    "git rev-parse --show-toplevel",
    "git branch --show-current",
    "git ls-files src",
    "git --no-lazy-fetch log -p src/lib.rs",
    "git --no-lazy-fetch status",
    "git --no-lazy-fetch cat-file -t HEAD",
];

#[test]
#[ignore = "long: npm run test:all"]
fn git_connects_in_a_partial_clone_unless_it_is_told_not_to() {
    let house = House::new("partial");
    let plain = "[core]\n[remote \"origin\"]\n\turl = https://example.com/x\n";
    house.put("project/.git/refs/heads/main", ID);
    house.track(&["src/lib.rs"]);
    let wide =
        own(r#"{"effect":"allow","commands":["git","cd"]},{"effect":"allow","tools":["*"]}"#);
    for (file, settings) in [
        ("project/.git/config", "[remote \"origin\"]\n\tpromisor = true\n"),
        ("project/.git/config", "[remote \"x]\"] partialCloneFilter = blob:none\n"),
        ("project/.git/config", "[Extensions]\n\tPartialClone = origin\n"),
        ("project/.git/more", "[remote.origin]\n\tpromisor\n"),
        ("home/.gitconfig", "[remote \"o\"]\n\tpromisor = 1\n"),
        ("home/.config/git/config", "[extensions] partialclone = o"),
    ] {
        house.put("project/.git/config", plain);
        for name in ["read-only", "developer", wide.as_str()] {
            tried(&started(&house, name, "project"), &[], &LINES[..LINES.len() - 1]);
        }
        house.put(file, settings);
        if file.ends_with("more") {
            house.put("project/.git/config", "[include]\n\tpath = more\n");
        }
        for name in ["read-only", "developer", wide.as_str()] {
            tried(&started(&house, name, "project"), LINES, STILL);
        }
        fs::remove_file(house.root.join(file)).unwrap();
    }
}

#[test]
fn a_submodule_that_is_a_partial_clone_is_no_harmless_one() {
    let house = House::new("partial-submodule");
    house.track(&["m/"]);
    house.put("project/m/.git", "gitdir: ../.git/modules/m\n");
    house.put("project/.git/modules/m/HEAD", "ref: refs/heads/main");
    fs::create_dir_all(house.root.join("project/.git/modules/m/objects")).unwrap();
    fs::create_dir_all(house.root.join("project/.git/modules/m/refs")).unwrap();
    let policy = started(&house, "read-only", "project");
    house.put("project/.git/modules/m/config", "[core]\n\tworktree = ../../../m\n");
    tried(&policy, &[], &["git status", "git diff --stat"]);
    house.put("project/.git/modules/m/config", "[remote \"o\"]\n\tpromisor = true\n");
    tried(&policy, &["git status", "git diff --stat"], &[]);
}
