//! Two lines, one behind the other, are judged as strictly as the stricter of them: what one of them does with a file says
//! nothing of what the other does with it.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::fs;
use std::path::PathBuf;

use countersign_core::path::RealFiles;
use countersign_core::policy::{Effect, Policy};

#[path = "../src/effort.rs"]
mod effort;
mod verdicts;

use effort::effort;
use verdicts::{index, put, text};

/// A policy of one's own.
const OWN: &str = r#"{"version":1,"rule":[
    {"effect":"allow","commands":["ls","cat","stat","file","du","head","grep","rg","find","git","cp","tee","sort","wc","test"],
     "writes":["${project}/**"]},
    {"effect":"deny","reads":["**/*.vault","**/.env"]},
    {"effect":"ask","reads":["ops/**"]},
    {"effect":"deny","writes":["keep/**"]}]}"#;

/// The same file, looked at, listed, read, written, searched, packed and shown by git, by name, by pattern and with all of its
/// folder. No line sets a variable or a folder that another looks at.
const LINES: &[&str] = &[
    "ls",
    "ls .env",
    "ls -la .env server.key",
    "ls *",
    "ls ops/*",
    "ls -R .",
    "ls x.vault",
    "stat .env",
    "stat *",
    "file .env",
    "test -f .env",
    "du -a .",
    "wc -c .env",
    "cat a.txt",
    "cat .env",
    "cat *",
    "cat ops/*",
    "cat x.vault",
    "cat < .env",
    "head -5 server.key",
    "sort x.vault",
    "cat keep/x",
    "grep -r hunter .",
    "grep -r hunter ops",
    "grep -r --include='*.c' x .",
    "grep -r --exclude=.env x .",
    "grep x a.txt",
    "rg x .",
    "rg hunter",
    "rg -g '*.c' x .",
    "rg --hidden x .",
    "find .",
    "find . -name '*.c'",
    "find . -type f -exec cat {} +",
    "find ops -type f",
    "cp a.txt b.txt",
    "cp .env b.txt",
    "cp server.key test/x",
    "cp -r ops test/",
    "cp a.txt keep/x",
    "mv ops test/",
    "tee keep/x",
    "tee b.txt",
    "tee x < server.key",
    "echo 1 > b.txt",
    "echo 1 > keep/x",
    "echo 1 > .git/config",
    "sort -o b.txt a.txt",
    "sort -o keep/x a.txt",
    "rm b.txt",
    "touch keep/x",
    "tar cf b.tar .",
    "tar cf b.tar ops",
    "git status",
    "git ls-files",
    "git diff",
    "git diff --stat",
    "git diff --cached",
    "git diff -- src",
    "git show",
    "git show --stat",
    "git log -p -- ops",
    "git log --oneline",
    "git grep hunter",
    "git grep hunter -- src",
    "git add -A",
    "git add .",
    "git add ops",
    "git commit -qm x",
    "git fetch -q .",
    "gofmt -l .",
    "prettier --check .",
    "prettier --write .",
    "ruff check .",
    "black --check .",
    "curl https://a.example/x",
    "curl -o keep/x https://a.example/x",
    "[[ a[\"_\"] -eq 1 ]]",
];

/// A project with secrets; some are known to git.
struct PairHouse(PathBuf);

impl PairHouse {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("pairs-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for folder in ["home", "p/test", "p/.git/objects", "p/.git/refs"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, content) in [
            ("a.txt", "x"),
            (".env", "API_KEY=hunter2"),
            ("server.key", "hunter2"),
            ("ops/id_rsa", "hunter2"),
            ("x.vault", "hunter2"),
            ("keep/x", "x"),
            ("src/m.c", "x"),
            (".git/HEAD", "ref: refs/heads/main"),
            (".git/config", "[core]"),
        ] {
            put(&root.join("p").join(file), content);
        }
        put(&root.join("p/.git/index"), index(&["a.txt", "ops/id_rsa", "src/m.c"]));
        Self(root.canonicalize().unwrap())
    }

    fn policy(&self, name: &str) -> Policy {
        let text = if name == "own" { OWN } else { name };
        let at = |name: &str| self.0.join(name).to_str().unwrap().to_owned();
        verdicts::policy(text, &at("p"), &at("home"))
    }
}

impl Drop for PairHouse {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn judged(policy: &Policy, line: &str) -> Effect {
    verdicts::judged(policy, "bash", &text("command", line), &RealFiles).unwrap().effect
}

#[test]
fn a_line_does_not_disarm_the_line_beside_it() {
    let house = PairHouse::new("all");
    // Each pair is tried by one of the policies, and by all of them where all is tried.
    let stride = effort(97, 1);
    let mut wrong = Vec::new();
    for (shift, name) in ["read-only", "developer", "own"].into_iter().enumerate() {
        let policy = house.policy(name);
        let alone: Vec<Effect> = LINES.iter().map(|line| judged(&policy, line)).collect();
        for effect in [Effect::Allow, Effect::Ask] {
            assert!(alone.iter().filter(|says| **says == effect).count() > 10, "{name} {effect:?}");
        }
        for (a, one) in LINES.iter().enumerate() {
            for (b, other) in LINES.iter().enumerate() {
                let strictest = alone[a].max(alone[b]);
                if strictest == Effect::Allow || (a + b + shift) % stride != 0 {
                    continue;
                }
                for pair in [format!("{one}; {other}"), format!("if {one}; then {other}; fi")] {
                    let says = judged(&policy, &pair);
                    if says < strictest {
                        wrong.push(format!("{name}: {pair}: {says:?}, and not {strictest:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What was once said of the first of two, and taken for what is said of the second.
#[test]
fn what_names_a_file_says_nothing_of_what_reads_it() {
    let house = PairHouse::new("known");
    for (name, line) in [
        ("read-only", "ls .env; cat .env"),
        ("read-only", "ls -la .env server.key && cat .env server.key"),
        ("read-only", "if ls .env; then cat .env; fi"),
        ("read-only", "ls *; cat *"),
        ("read-only", "ls ops/*; cat ops/*"),
        ("read-only", "echo \"$(ls .env)\" \"$(cat .env)\""),
        ("read-only", "rg -g '*.c' x .; grep -r hunter ."),
        ("read-only", "grep -r --include=*.c x .; grep -r hunter ."),
        ("read-only", "ls .env; cat < .env"),
        ("developer", "git add -A; git diff --cached"),
        ("developer", "git add .; git show"),
        ("developer", "git add -A; grep -r hunter ."),
        ("developer", "gofmt -l .; rg hunter ."),
        ("developer", "git add -A; git commit -qm x; git show"),
        ("developer", "git add ops; mv ops test/"),
        ("developer", "ls server.key; cp server.key test/x"),
        ("own", "rg -g '*.c' x .; grep -r hunter ."),
        ("own", "sort -o keep/x a.txt; tee keep/x"),
    ] {
        assert_ne!(judged(&house.policy(name), line), Effect::Allow, "{name}: {line}");
    }
}
