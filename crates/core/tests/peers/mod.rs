//! What the tests over peers' cases share.
#![allow(dead_code, reason = "each test uses its own part")]

#[path = "../../src/skip.rs"]
mod skip;

use std::collections::BTreeMap;
use std::path::PathBuf;

use countersign_core::path::{PathContext, RealFiles};
use countersign_core::policy::document::PolicyDocument;
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};
use serde_json::Value;
use skip::skipped;

/// A file of cases; `None`, and said so, when it is not there.
pub(crate) fn cases(name: &str) -> Option<Value> {
    let shared = std::env::var_os("COUNTERSIGN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    match std::fs::read_to_string(shared.join("cases").join(name)) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            skipped(format!("no shared cases {name}: COUNTERSIGN_SHARED names none"));
            None
        }
    }
}

/// What policies say about a call in a project.
pub(crate) fn verdict(
    documents: Vec<PolicyDocument>, tool: &str, args: &Value, project: &str,
) -> Effect {
    let context = PathContext {
        cwd: project.to_owned(),
        home: Some("/home/user".to_owned()),
        project: Some(project.to_owned()),
        ..PathContext::default()
    };
    let policy = Policy::compile(documents, &context).unwrap();
    let call = JudgedCall {
        other_names: &[],
        tool_name: tool,
        args: &args.to_string().parse().unwrap(),
        cwd: None,
        annotations: &BTreeMap::new(),
        conditions: &[],
        confined: None,
    };
    judge(&policy, &call, &RealFiles).unwrap().effect
}

/// What policies say about a command line for bash.
pub(crate) fn of_command(documents: Vec<PolicyDocument>, command: &str, project: &str) -> Effect {
    verdict(documents, "bash", &serde_json::json!({ "command": command }), project)
}

/// A command line that runs this argv.
pub(crate) fn line(argv: &Value) -> String {
    let quoted = argv.as_array().unwrap().iter().map(|word| {
        let word = word.as_str().unwrap();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// How a file of cases comes out.
#[derive(Default)]
pub(crate) struct Score {
    name: &'static str,
    rows: u32,
    agreed: u32,
    skipped: u32,
    stricter: Vec<String>,
    looser: Vec<String>,
}

impl Score {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// A row that says nothing about verdicts, or needs files that are not there.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// A row, and what we say. A row that does not say allow must not come out as allow.
    pub(crate) fn row(&mut self, expected: Effect, got: Effect, what: &str) {
        self.rows += 1;
        if expected != Effect::Allow && got == Effect::Allow {
            self.looser.push(format!("{what}: {expected:?} expected, {got:?}"));
        } else if (expected == Effect::Allow) == (got == Effect::Allow) {
            self.agreed += 1;
        } else {
            self.stricter.push(format!("{what}: {expected:?} expected, {got:?}"));
        }
    }

    /// Prints the score, and fails on a row that is looser.
    pub(crate) fn done(self) {
        let stricter = self.stricter.len();
        eprintln!(
            "{}: {} rows, {} agree, {stricter} stricter, {} skipped",
            self.name, self.rows, self.agreed, self.skipped
        );
        if std::env::var_os("COUNTERSIGN_SHOW").is_some() {
            for row in &self.stricter {
                eprintln!("  {row}");
            }
        }
        assert!(self.rows > 0, "{}: no rows", self.name);
        assert!(
            self.looser.is_empty(),
            "{}: looser than expected:\n{}",
            self.name,
            self.looser.join("\n")
        );
    }
}
