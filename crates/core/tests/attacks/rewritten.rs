//! Programs that rewrite the sources below a folder: what is protected there, and is a source to them, is asked about.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};
use crate::settings_of_checkers::house;

/// What a plain project has, and no such program changes.
fn plain(house: &House) {
    for (file, text) in [
        (".git/hooks/pre-commit.sample", "#!/bin/sh\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        (".vscode/settings.json", "{}\n"),
        (".env", "PASSWORD=hunter2\n"),
        ("CLAUDE.md", "x\n"),
        ("run", "#!/bin/sh\n"),
        ("tool", "#!/usr/bin/env python3\n"),
        ("node_modules/.bin/eslint", "x\n"),
    ] {
        house.put(&format!("project/{file}"), text);
    }
}

/// A source below a protected folder, with which these lines ask, and without which they run.
fn asks_beside(house: &House, name: &str, text: &str, lines: &[&str]) {
    let policy = started(house, "developer", "project");
    tried(&policy, &[], lines);
    house.put(&format!("project/{name}"), text);
    tried(&policy, lines, &[]);
    fs::remove_file(house.root.join("project").join(name)).unwrap();
}

const SORTS: &[&str] = &["isort .", "isort a.py .", "python -m isort ."];
const SHELLS: &[&str] = &["shfmt -w .", "shfmt -l -w ."];
const LINTS: &[&str] = &[
    "eslint --fix .",
    "eslint --fix",
    "npx --no-install eslint --fix .",
    "oxlint --fix",
    "oxlint --fix .",
];

#[test]
fn what_a_formatter_rewrites_below_protected_folders_is_asked_about() {
    let house = house("rewritten");
    plain(&house);
    house.put("project/Cargo.toml", "[package]\nname = \"x\"\n");
    house.put("project/go.mod", "module x\n");
    for folder in [".claude/hooks", ".vscode", ".github/scripts", ".husky"] {
        asks_beside(&house, &format!("{folder}/x.py"), "import sys\nimport os\n", SORTS);
        asks_beside(&house, &format!("{folder}/x.sh"), "a\n", SHELLS);
        asks_beside(&house, &format!("{folder}/x.js"), "a\n", LINTS);
        asks_beside(&house, &format!("{folder}/x.mts"), "a\n", LINTS);
        asks_beside(
            &house,
            &format!("{folder}/x.go"),
            "a\n",
            &["gofmt -w .", "gofmt -s -w .", "golangci-lint run --fix"],
        );
        asks_beside(&house, &format!("{folder}/x.rb"), "a\n", &["rubocop -a", "rubocop -A ."]);
        asks_beside(&house, &format!("{folder}/x.zig"), "a\n", &["zig fmt ."]);
        asks_beside(&house, &format!("{folder}/x.rs"), "a\n", &["cargo fmt", "cargo clippy --fix"]);
        asks_beside(
            &house,
            &format!("{folder}/z.py"),
            "a\n",
            &["black .", "ruff format", "ruff check --fix"],
        );
    }
    // What only looks changes nothing.
    house.put("project/.claude/hooks/x.py", "import sys\n");
    house.put("project/.claude/hooks/x.go", "a\n");
    tried(
        &started(&house, "developer", "project"),
        &[],
        &["isort --check .", "gofmt -l .", "gofmt -d .", "isort src", "black --check ."],
    );
}

#[test]
fn scripts_are_sources_by_their_first_line() {
    let house = house("rewritten-scripts");
    plain(&house);
    for name in [".env", ".envrc", "prod.env", ".claude/hooks/pre", ".vscode/x.txt"] {
        let _ = fs::rename(house.root.join("project/.env"), house.root.join("project/env"));
        asks_beside(&house, name, "#!/usr/bin/env python3\nimport sys\nimport os\n", SORTS);
        asks_beside(&house, name, "#! /usr/bin/python2.7 -u\n", SORTS);
    }
    for name in [".claude/hooks/noext", ".husky/pre-commit"] {
        asks_beside(&house, name, "#!/bin/sh\necho   a\n", SHELLS);
        asks_beside(&house, name, "#!/usr/bin/env bash\n", SHELLS);
        asks_beside(&house, name, "#!/usr/bin/env ruby\n", &["rubocop -a"]);
    }
    let policy = started(&house, "developer", "project");
    // In another line, or of another interpreter, it has no.
    for text in ["x\n#!/usr/bin/env python3\n", "#!/usr/bin/perl\n", "#", "", "python"] {
        house.put("project/.claude/hooks/pre", text);
        tried(&policy, &[], SORTS);
    }
    // It shows what it would change.
    house.put("project/.env", "#!/usr/bin/python\nPASSWORD=hunter2\n");
    tried(&policy, &["isort --diff .", "isort -c --diff ."], &["isort --diff src"]);
}

#[test]
fn isort_goes_into_git_where_it_leaves_out_other_folders() {
    let house = house("rewritten-git");
    plain(&house);
    let policy = started(&house, "developer", "project");
    let hook = "project/.git/hooks/pre-commit";
    let settings = [
        (".isort.cfg", "[settings]\nskip = zzz\n"),
        (".isort.cfg", "[settings]\nskip = .github\n"),
        ("pyproject.toml", "[tool.isort]\nskip = ['.venv', 'build']\n"),
    ];
    for (file, text) in settings {
        house.put(&format!("project/{file}"), text);
        // As long as it finds nothing there.
        tried(&policy, &[], SORTS);
        house.put(hook, "#!/usr/bin/env python3\nimport sys\nimport os\n");
        tried(&policy, SORTS, &["isort src", "isort --check ."]);
        fs::remove_file(house.root.join(hook)).unwrap();
        house.put("project/.git/x.py", "import sys\n");
        tried(&policy, SORTS, &[]);
        fs::remove_file(house.root.join("project/.git/x.py")).unwrap();
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    house.put(hook, "#!/usr/bin/env python3\nimport sys\nimport os\n");
    let skips = ["isort --skip zzz .", "isort -s zzz .", "isort . --skip=zzz", "isort --ski x ."];
    let leaves = [
        "isort .",
        "isort --skip .git .",
        "isort --skip zzz --skip=.git .",
        "isort --extend-skip x .",
    ];
    tried(&policy, &skips, &leaves);
    for text in ["[settings]\nskip = .git,zzz\n", "[settings]\nextend_skip = zzz\n"] {
        house.put("project/.isort.cfg", text);
        tried(&policy, &[], SORTS);
    }
}

#[test]
fn eslint_changes_files_of_other_kinds_where_settings_say_so() {
    let house = house("rewritten-kinds");
    plain(&house);
    let policy = started(&house, "developer", "project");
    house.put(
        "project/.eslintrc.json",
        r#"{"overrides":[{"files":["*.yml"],"parser":"yaml-eslint-parser"}]}"#,
    );
    tried(&policy, &["eslint --fix .", "eslint -f json ."], &["eslint ."]);
    house.put("project/.eslintrc.json", r#"{"overrides":[{"files":["*.ts","src/**/*.vue"]}]}"#);
    tried(
        &policy,
        &["eslint --fix --ext .js,.yml ."],
        &["eslint --fix .", "eslint --fix --ext .js,.ts ."],
    );
}

#[test]
fn a_deny_of_ones_own_meets_what_is_rewritten_below() {
    let house = house("rewritten-denied");
    house.put("project/secret/k.py", "a\n");
    house.put("project/secret/k.go", "a\n");
    house.put("project/secret/k.js", "a\n");
    let rules = r#"{"effect":"allow","commands":["isort","gofmt","oxlint"],"writes":["${project}/**"]},{"effect":"deny","reads":["**/secret/**"]}"#;
    let policy = started(&house, &own(rules), "project");
    for line in ["isort .", "gofmt -w ."] {
        assert_eq!(verdict(&policy, "bash", line).0, Effect::Deny, "{line}");
    }
    // Whether it opens all of them its settings say.
    assert_eq!(verdict(&policy, "bash", "oxlint --fix").0, Effect::Ask);
}

#[test]
fn what_lies_behind_links_to_folders_is_looked_at_as_the_rest_is() {
    let house = house("behind-links");
    plain(&house);
    let policy = started(&house, "developer", "project");
    let at = |name: &str| house.root.join("project").join(name);
    let reads = [
        "eslint src",
        "eslint .",
        "eslint -f json src",
        "oxlint src",
        "pyright",
        "pyright src",
        "tsc --noEmit",
        "mypy src",
    ];
    fs::create_dir_all(at("lib")).unwrap();
    fs::create_dir_all(at("node_modules/x")).unwrap();
    house.put("project/tsconfig.json", "{}");
    house.put("project/lib/ok.js", "a\n");
    symlink("../lib", at("src/d")).unwrap();
    tried(&policy, &[], &reads);
    let kinds = ["js", "ts", "py"];
    let lead = |folder: &str, target: &str| {
        for kind in kinds {
            symlink(target, at(&format!("{folder}/k.{kind}"))).unwrap();
        }
    };
    let undo = |folder: &str| {
        kinds.iter().for_each(|kind| fs::remove_file(at(&format!("{folder}/k.{kind}"))).unwrap())
    };
    for (folder, link) in [("lib", "../lib"), ("node_modules/x", "../node_modules/x")] {
        fs::remove_file(at("src/d")).unwrap();
        symlink(link, at("src/d")).unwrap();
        tried(&policy, &[], &reads);
        lead(folder, &house.at("project/.env"));
        tried(&policy, &reads, &["ruff check src", "flake8 src", "eslint a.ts"]);
        // A deny of one's own is met, too.
        let rules = r#"{"effect":"allow","commands":["eslint","tsc","pyright"]},{"effect":"deny","reads":["**/.env"]}"#;
        let denied = started(&house, &own(rules), "project");
        tried(&denied, &["eslint src", "tsc --noEmit", "pyright src"], &[]);
        undo(folder);
    }
    // Through another link, and in a circle.
    fs::create_dir_all(at("more/a")).unwrap();
    symlink("../../lib", at("more/a/b")).unwrap();
    symlink("..", at("more/a/up")).unwrap();
    symlink("../more", at("src/e")).unwrap();
    tried(&policy, &[], &reads);
    lead("lib", &house.at("project/.env"));
    fs::remove_file(at("src/d")).unwrap();
    tried(&policy, &reads, &[]);
    undo("lib");
    // What is written behind them.
    symlink("../.git/hooks/pre-commit.sample", at("node_modules/x/h.js")).unwrap();
    symlink("../node_modules/x", at("src/f")).unwrap();
    tried(&policy, &["eslint --fix src", "eslint --fix ."], &[]);
}

#[test]
fn settings_behind_links_to_folders_count() {
    let house = house("settings-behind-links");
    let policy = started(&house, "developer", "project");
    let at = |name: &str| house.root.join("project").join(name);
    house.put("project/lib/.eslintrc.json", r#"{"parser":"../../outside-evil.js"}"#);
    house.put("project/node_modules/x/.eslintrc.json", r#"{"parser":"../../../outside-evil.js"}"#);
    tried(&policy, &[], &["eslint src"]);
    for target in ["../lib", "../node_modules/x"] {
        symlink(target, at("src/d")).unwrap();
        tried(&policy, &["eslint src"], &[]);
        fs::remove_file(at("src/d")).unwrap();
    }
}

#[test]
fn more_names_than_are_looked_at_behind_a_link_ask() {
    let house = house("many-behind-links");
    let policy = started(&house, "developer", "project");
    let folder = house.root.join("project/node_modules/x");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..20_010 {
        fs::File::create(folder.join(format!("{number}.js"))).unwrap();
    }
    tried(&policy, &[], &["eslint src", "eslint ."]);
    symlink("../node_modules/x", house.root.join("project/src/d")).unwrap();
    tried(&policy, &["eslint src", "eslint .", "tsc --noEmit"], &[]);
    fs::remove_file(house.root.join("project/src/d")).unwrap();
    // What is closed to the user the program cannot read either.
    let closed = house.root.join("project/closed");
    fs::create_dir_all(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    tried(&policy, &[], &["eslint ."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}
