//! Lines that once ran unasked and did more than they showed: none is allowed, and none passes a deny that names it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod counted;
mod expanded;
mod files_of_settings;
mod handed;
mod house;
mod kinds;
mod launchers;
mod led_elsewhere;
mod linked;
mod linked_modules;
mod linked_settings;
mod linked_sources;
mod partial;
mod patterns;
mod programs;
mod repositories;
mod rewritten;
mod rights;
mod runners_told;
mod secrets;
mod settings;
mod settings_of_checkers;
mod settings_of_runners;
mod shown;
#[path = "../../src/skip.rs"]
mod skip;
mod swapped;
mod taken;
mod told;
mod unnamed;
#[path = "../verdicts/mod.rs"]
mod verdicts;
mod versions;

use std::collections::BTreeMap;

use countersign_core::policy::{Effect, Policy};

use house::{House, started, tried, verdict};

const LINES: &str = include_str!("lines.txt");

/// What is described, or only mentioned, costs no question where nothing is said against it.
#[test]
fn what_is_meant_to_run_still_runs() {
    let house = House::new("meant");
    let mut wrong = Vec::new();
    for (name, line) in [
        ("developer", "prettier --check 'src/**/*.{ts,tsx}'"),
        ("developer", "prettier --write \"**/*.md\""),
        ("developer", "prettier --check . '!**/dist/**'"),
        ("developer", "eslint 'src/**/*.ts' --fix"),
        ("developer", "eslint 'app/[id]/page.tsx'"),
        ("developer", "mocha 'test/**/*.spec.js'"),
        ("developer", "mocha --spec 'test/{a,b}/*.js'"),
        ("developer", "jest 'foo\\.test' 'src/(a|b)'"),
        ("developer", "jest --config jest.config.js"),
        ("developer", "pytest 'tests/a.py::test_x[1-2]'"),
        ("developer", "vitest list --json=out.json"),
        ("developer", "rustfmt --check src/a.rs"),
        ("read-only", "ls -R src"),
        ("read-only", "ls -L src"),
        ("deny-names", "aws s3 cp out.txt s3://bucket/x"),
        ("deny-names", "docker run -v ./src:/x img npm test"),
        ("deny-names", "docker run --rm img ls"),
        ("deny-names", "gls -la"),
    ] {
        let (effect, reason) = verdict(&house.policy(name), "bash", line);
        if effect != Effect::Allow {
            wrong.push(format!("{name}: {line}\n    {effect:?}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_that_once_got_through_is_allowed() {
    let house = House::new("lines");
    let mut policies: BTreeMap<&str, Policy> = BTreeMap::new();
    let mut wrong = Vec::new();
    let rows: Vec<&str> =
        LINES.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
    assert!(rows.len() > 180, "{} lines", rows.len());
    for row in rows {
        let mut parts = row.splitn(4, ' ');
        let [name, tool, expected, line] = std::array::from_fn(|_| parts.next().unwrap());
        let names: &[&str] = match name {
            "both" => &["read-only", "developer"],
            name => &[name],
        };
        for name in names {
            let policy = policies.entry(name).or_insert_with(|| house.policy(name));
            let (effect, reason) = verdict(policy, tool, &house.line(line));
            let holds = match expected {
                "!" => effect == Effect::Deny,
                _ => effect != Effect::Allow,
            };
            if !holds {
                wrong.push(format!("{name} {tool}: {line}\n    {effect:?}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} got through:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_only_looks_is_not_asked_about() {
    let house = House::new("everyday");
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project"),
            &[
                "cat .env",
                "ls .ssh",
                "ls ~/.ssh",
                "ls .e*",
                "git -C .. status",
                "git log --help",
                "git for-each-ref --format='%(raw)'",
                "git rev-parse --resolve-git-dir ~/.ssh/id_rsa",
                "unzip -l z.zip -d ../new",
                "busybox unzip -l z.zip -d ../new",
            ],
            &[
                "ls -la .env",
                "ls -la server.key src",
                "npm --version",
                "git log -h",
                "git config user.name",
                "unzip -l z.zip",
                "git for-each-ref --format='%(refname)'",
            ],
        );
    }
}
