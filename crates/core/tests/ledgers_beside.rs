//! What is asked about for the ledger of this gate is asked about for each other one that lies in the project.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::layers::preset;
use countersign_core::path::{PathContext, RealFiles};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, load};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};

/// Lines that may change a ledger in `data`, or make it another's.
const ASKED: &[&str] = &[
    "cp x data/l.db",
    "cp -rT f2 data",
    "cp -r src/. data",
    "cp -r f2/. data/",
    "find data -type f -exec tee {} +",
    "find data -type f -size +10k -exec tee {} +",
    "find . -name '*.db' -exec sed -i s/a/b/ {} +",
    "find data -type f -print0 | xargs -0 tee",
    "touch data/l.db-owners/x",
    "mv data q",
    "mv data/l.db q",
    "rm -rf data",
    "touch data/l.db-wal",
    "echo x > data/*.db",
    "sed -i s/a/b/ data/*",
];

/// Lines that cannot reach it.
const ALLOWED: &[&str] = &[
    "touch data/other",
    "cp -r src/. f2",
    "find src -type f -exec touch {} +",
    "mv f2 q",
    "touch x-owners/y",
];

struct Project(PathBuf);

impl Project {
    fn new() -> Self {
        let temporary = std::env::temp_dir().canonicalize().unwrap();
        let project = Self(temporary.join(format!("ledgers-{}", uuid::Uuid::now_v7())));
        for file in ["data/l.db", "data/notes", "src/a", "f2/b", "x"] {
            let path = project.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        project
    }

    /// From now on `data/l.db` is the ledger of some process.
    fn use_ledger(&self) {
        fs::write(self.0.join("data/l.db-lock"), "").unwrap();
        fs::create_dir(self.0.join("data/l.db-owners")).unwrap();
    }

    fn effect(&self, own: &[&str], line: &str) -> Effect {
        let root = self.0.to_str().unwrap().to_owned();
        let source =
            PolicySource { layer: LayerKind::Code, name: "preset:developer".into(), trusted: true };
        let preset = load(preset("developer").unwrap(), DocumentFormat::Toml, source).unwrap();
        let place = PathContext {
            cwd: root.clone(),
            home: Some("/home/me".to_owned()),
            project: Some(root.clone()),
            project_as: None,
            own: own.iter().map(|name| format!("{root}/{name}")).collect(),
        };
        let policy = Policy::compile(vec![preset], &place).unwrap();
        let args = BTreeMap::from([("command".to_owned(), Json::String(line.to_owned()))]);
        let call = JudgedCall {
            other_names: &[],
            tool_name: "bash",
            args: &Json::Object(args),
            cwd: None,
            annotations: &BTreeMap::new(),
            conditions: &[],
            confined: None,
        };
        judge(&policy, &call, &RealFiles).unwrap().effect
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn another_ledger_in_the_project_is_asked_about_as_the_own_one_is() {
    let project = Project::new();
    let all = || ASKED.iter().chain(ALLOWED).chain(&["cp -r data d2", "cat data/l.db", "ls data"]);
    let own: Vec<_> = all().map(|line| (line, project.effect(&["data/l.db"], line))).collect();
    project.use_ledger();
    let other: Vec<_> = all().map(|line| (line, project.effect(&[], line))).collect();
    assert_eq!(other, own);
    for line in ASKED {
        assert_eq!(project.effect(&[], line), Effect::Ask, "{line}");
    }
    for line in ALLOWED {
        assert_eq!(project.effect(&[], line), Effect::Allow, "{line}");
    }
}
