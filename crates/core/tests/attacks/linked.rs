//! Symlinks below the folder in which a formatter or a checker runs, to files that are protected there.

use std::fs;
use std::os::unix::fs::symlink;

use crate::house::{House, own, started, tried};

/// A project with nothing but a secret, settings and sources.
fn house(name: &str) -> House {
    let house = House::new(name);
    fs::remove_dir_all(house.root.join("project")).unwrap();
    for folder in ["objects", "refs", "hooks"] {
        fs::create_dir_all(house.root.join("project/.git").join(folder)).unwrap();
    }
    for (file, text) in [
        (".git/HEAD", "ref: refs/heads/main"),
        (".git/config", "[core]"),
        (".git/hooks/pre-commit.sample", "x"),
        (".github/workflows/c.yml", "on: push"),
        (".env", "PASSWORD=hunter2"),
        ("src/a.py", "hi = 1\n"),
        ("src/a.rb", "hi\n"),
        ("src/a.zig", "\n"),
    ] {
        house.put(&format!("project/{file}"), text);
    }
    house
}

const SORTS: &[&str] = &[
    "isort .",
    "isort --diff .",
    "isort -c --diff .",
    "isort -c .",
    "python -m isort .",
    "isort src",
    "isort",
];

#[test]
fn a_formatter_of_the_whole_project_goes_through_symlinks_in_it() {
    let house = house("linked-sources");
    let policy = started(&house, "developer", "project");
    let formats = ["zig fmt .", "zig fmt --check .", "zig fmt src"];
    let cops = ["rubocop", "rubocop src", "rubocop -a", "rubocop .", "bundle exec rubocop"];
    tried(&policy, &[], &[SORTS, &formats, &cops].concat());
    let link = |name: &str| house.root.join("project/src").join(name);
    for target in ["../.env", "../.git/config"] {
        for (name, lines) in [("k.py", SORTS), ("k.zig", &formats), ("k.rb", &cops)] {
            symlink(target, link(name)).unwrap();
            // Without a word isort says how it is called.
            let asks: Vec<&str> = lines.iter().copied().filter(|it| *it != "isort").collect();
            tried(&policy, &asks, &[]);
            fs::remove_file(link(name)).unwrap();
        }
    }
    for target in ["../.git/hooks/pre-commit.sample", "../.github/workflows/c.yml", "../.git"] {
        symlink(target, link("k.py")).unwrap();
        tried(&policy, &["isort .", "python -m isort .", "isort src"], &["isort src/a.py"]);
        fs::remove_file(link("k.py")).unwrap();
    }
    // What is no secret there is read and written like anything else, and so is what is called like what it leads to.
    symlink("a.py", link("k.py")).unwrap();
    house.put("project/AGENTS.md", "x");
    symlink("AGENTS.md", house.root.join("project/CLAUDE.md")).unwrap();
    tried(&policy, &[], SORTS);
}

#[test]
fn a_deny_meets_what_symlinks_in_the_whole_project_lead_to() {
    let house = house("linked-denied");
    let policy = own(
        r#"{"effect":"allow","commands":["isort","rubocop","zig fmt"],"writes":["${project}/**"]},{"effect":"deny","reads":["**/x.cfg"]}"#,
    );
    let policy = started(&house, &policy, "project");
    house.put("project/x.cfg", "PASSWORD=hunter2");
    // Of what may take a file of any name it asks anyway.
    let (formats, sorts) = ("zig fmt --check src", "isort -c src");
    let rows: [(&str, &[&str], &[&str]); 2] =
        [("k.zig", &[formats, sorts], &[]), ("k.py", &[sorts], &[formats])];
    for (name, asked, allowed) in rows {
        let link = house.root.join("project/src").join(name);
        tried(&policy, &[], &[formats, sorts]);
        symlink("../x.cfg", &link).unwrap();
        tried(&policy, asked, allowed);
        fs::remove_file(&link).unwrap();
    }
}
