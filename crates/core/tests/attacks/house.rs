//! The project that is attacked, and how lines are tried in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use countersign_core::path::{NearFiles, RealFiles};
use countersign_core::policy::{Effect, Policy};

use crate::verdicts::{self, index, judged, put, text};

/// The id of nothing that is known.
pub(crate) const ID: &str = "9f592eb7d58cbfd81f80bb57846e1e7c4c2e4223";

/// A project as a hostile repository brings it, a home with a secret, and a folder outside.
pub(crate) struct House {
    pub(crate) root: PathBuf,
}

impl House {
    pub(crate) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("attacks-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for folder in [
            "home/.ssh",
            "out",
            "project/sub",
            "project/d",
            "project/src",
            "project/dst",
            "project/ev/.git/hooks",
            "project/h",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for folder in [
            "project/.git/objects",
            "project/.git/refs",
            "project/bare/objects",
            "project/pkg/objects",
            "project/pkg/refs",
            "project/bare/refs",
            "out/evil/.git/objects",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let root = root.canonicalize().unwrap();
        for (file, text) in [
            ("home/.ssh/id_rsa", "SECRET"),
            ("out/victim.txt", "victim"),
            ("project/important.txt", "important"),
            ("project/list", "PWNED"),
            ("project/@list", "x"),
            ("project/.env", "API_KEY=hunter2"),
            ("project/src/c", "PWNED"),
            ("project/ev/.git/hooks/pre-commit", "x"),
            ("project/.git/HEAD", "ref: refs/heads/main"),
            ("project/.git/config", "[core]"),
            ("project/bare/HEAD", "ref: refs/heads/main"),
            ("project/bare/config", "[core]\n\tfsmonitor = touch x"),
            ("project/pkg/HEAD", "ref: refs/heads/main"),
            ("project/pkg/config", "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch x"),
            ("project/src/lib.rs", "x"),
            ("project/server.key", "SECRET"),
            ("out/evil/.git/config", "[core]\n\tfsmonitor = touch x"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        for (link, target) in [
            ("project/keys", "../home/.ssh"),
            ("project/key", "../home/.ssh/id_rsa"),
            ("project/h/f", "../../home/.ssh/id_rsa"),
            ("project/d/l", "../../out/victim.txt"),
            ("project/dst/c", "../../out/victim.txt"),
            ("project/-out", "../out/victim.txt"),
            ("project/sub/00Tree.html", "../../out/victim.txt"),
            ("out/link", "victim.txt"),
            ("project/ol", "../out"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        Self { root }
    }

    /// The same project without the symlinks in it.
    pub(crate) fn without_links(name: &str) -> Self {
        let house = Self::new(name);
        for name in ["keys", "key", "h/f", "d/l", "dst/c", "-out", "sub/00Tree.html", "ol"] {
            fs::remove_file(house.root.join("project").join(name)).unwrap();
        }
        house
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    /// A file, and the folders on the way to it.
    pub(crate) fn put(&self, file: &str, content: impl AsRef<[u8]>) {
        put(&self.root.join(file), content);
    }

    /// What git knows in the project.
    pub(crate) fn track(&self, names: &[&str]) {
        self.put("project/.git/index", index(names));
    }

    pub(crate) fn policy(&self, name: &str) -> Policy {
        let text = match name {
            "ls" => r#"{"version":1,"rule":[{"effect":"allow","commands":["ls"]},{"effect":"deny","commands":["touch","rm"]}]}"#.to_owned(),
            "find" => r#"{"version":1,"rule":[{"effect":"allow","commands":["find","echo"]},{"effect":"deny","commands":["rm","curl"]}]}"#.to_owned(),
            "here" => r#"{"version":1,"rule":[{"effect":"allow","commands":["cat","echo"]},{"effect":"deny","commands":["rm"]}]}"#.to_owned(),
            "deny" => r#"{"version":1,"rule":[{"effect":"allow","commands":["git diff","git log","find","grep","more","diff3","man","apropos","ack","jq","column"]},{"effect":"deny","reads":["~/.ssh/**"]},{"effect":"deny","writes":["/**"]}]}"#.to_owned(),
            "copy" => format!(r#"{{"version":1,"rule":[{{"effect":"allow","commands":["cp","echo"],"writes":["${{project}}/**"]}},{{"effect":"deny","writes":["~/**","{}/**"]}}]}}"#, self.at("out")),
            "pack" => r#"{"version":1,"rule":[{"effect":"allow","commands":["tar","zip"],"writes":["${project}/**"]},{"effect":"deny","reads":["~/.ssh/**"]}]}"#.to_owned(),
            "deny-names" => r#"{"version":1,"rule":[{"effect":"allow","commands":["*"]},{"effect":"deny","reads":["~/.ssh/**","**/.env"]},{"effect":"deny","commands":["rm"]}]}"#.to_owned(),
            "deny-keys" => r#"{"version":1,"rule":[{"effect":"allow","commands":["*"]},{"effect":"deny","reads":["~/.ssh/**"]}]}"#.to_owned(),
            "deny-push" => r#"{"version":1,"default":"allow","rule":[{"effect":"deny","commands":["git push"]}]}"#.to_owned(),
            "deny-out" => format!(r#"{{"version":1,"rule":[{{"effect":"allow","commands":["cp"],"writes":["/**"]}},{{"effect":"deny","writes":["{}/**"]}}]}}"#, self.at("out")),
            preset_name => preset_name.to_owned(),
        };
        started(self, &text, "project")
    }

    pub(crate) fn line(&self, line: &str) -> String {
        line.replace('⏎', "\n")
            .replace("{out}", &self.at("out"))
            .replace("{home}", &self.at("home"))
            .replace("{project}", &self.at("project"))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

pub(crate) fn verdict(policy: &Policy, tool: &str, line: &str) -> (Effect, String) {
    let args = text("command", line);
    let verdict = judged(policy, tool, &args, &RealFiles).unwrap();
    // What is said of what is near is the same.
    let near = judged_near(policy, tool, line);
    assert_eq!(near.unwrap_or(verdict.effect), verdict.effect, "{line}");
    (verdict.effect, verdict.reason)
}

/// The verdict of a thread that must not wait, where it has one.
pub(crate) fn judged_near(policy: &Policy, tool: &str, line: &str) -> Option<Effect> {
    let args = text("command", line);
    let files = NearFiles::new(&policy.context().cwd);
    let verdict = judged(policy, tool, &args, &files).ok()?;
    (!files.is_beyond()).then_some(verdict.effect)
}

/// The policy of this name, or this one, for a session that starts in this folder.
pub(crate) fn started(house: &House, name: &str, folder: &str) -> Policy {
    let text = match name {
        "deny-env" => {
            r#"{"version":1,"rule":[{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/.env"]}]}"#
        }
        text => text,
    };
    verdicts::policy(text, &house.at(folder), &house.at("home"))
}

/// Lines that are not allowed, and lines that are.
pub(crate) fn tried(policy: &Policy, asked: &[&str], allowed: &[&str]) {
    let mut wrong = Vec::new();
    for (lines, allows) in [(asked, false), (allowed, true)] {
        for line in lines {
            let (effect, reason) = verdict(policy, "bash", line);
            if (effect == Effect::Allow) != allows {
                wrong.push(format!("{line}\n    {effect:?}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same with each preset, for a session in the project.
pub(crate) fn tried_in_both(house: &House, asked: &[&str], allowed: &[&str]) {
    for name in ["read-only", "developer"] {
        tried(&started(house, name, "project"), asked, allowed);
    }
}

/// A policy of one's own.
pub(crate) fn own(rules: &str) -> String {
    format!(r#"{{"version":1,"rule":[{rules}]}}"#)
}

/// A project with a secret, and sources.
pub(crate) fn with_secret(name: &str) -> House {
    let house = House::without_links(name);
    for (file, text) in [
        ("project/prod.env", "PASSWORD=x"),
        ("project/a.py", "x = 1\n"),
        ("project/a.js", "x\n"),
        ("project/Cargo.toml", "[package]\nname = \"p\"\n"),
        ("project/src/main.rs", "fn main() {}\n"),
        ("project/tests/test_a.py", "x = 1\n"),
        ("out/x.py", "x = 1\n"),
        ("out/x.sh", "x\n"),
    ] {
        house.put(file, text);
    }
    house
}

/// A symlink of the project, and the folders on the way to it.
pub(crate) fn link(house: &House, target: &str, name: &str) {
    let path = house.root.join("project").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

/// Takes it away.
pub(crate) fn unlink(house: &House, name: &str) {
    let path = house.root.join("project").join(name);
    fs::remove_file(&path).unwrap();
    // And the folders that were made for it.
    for folder in path.ancestors().skip(1) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}
