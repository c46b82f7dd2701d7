//! The shell rows that are shared with us as data. They are no part of this project: without them this test says that it
//! is skipped. `COUNTERSIGN_SHARED` names the folder; otherwise it is looked for beside the project.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and what was counted is told"
)]

#[path = "../src/skip.rs"]
mod skip;

use std::collections::BTreeMap;
use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::path::{NoLinks, PathContext};
use countersign_core::policy::document::{
    DocumentFormat, LayerKind, PolicyDocument, PolicySource, read,
};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};
use serde_json::{Value, json};
use skip::skipped;

fn rows(name: &str) -> Option<String> {
    let shared = std::env::var_os("COUNTERSIGN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    std::fs::read_to_string(shared.join("cases").join(name)).ok()
}

/// The rules of a row as a document.
fn document(rules: &Value) -> PolicyDocument {
    let list = |name: &str| rules.get(name).cloned().unwrap_or_else(|| json!([]));
    let mut all = Vec::new();
    for effect in ["allow", "ask", "deny"] {
        if list(effect).as_array().is_some_and(|commands| !commands.is_empty()) {
            all.push(json!({ "effect": effect, "commands": list(effect) }));
        }
    }
    for (key, matcher) in [("allow_write", "writes"), ("allow_env", "env")] {
        if list(key).as_array().is_some_and(|items| !items.is_empty()) {
            all.push(json!({ "effect": "allow", matcher: list(key) }));
        }
    }
    let text = json!({
        "version": 1,
        "tools": { "execute": { "command": "command", "shell": rules["shell"] } },
        "rule": all,
    });
    let source = PolicySource { layer: LayerKind::Code, name: "row".into(), trusted: true };
    read(&text.to_string(), DocumentFormat::Object, source).unwrap()
}

/// Rows that are answered more strictly than they say: words that only the run will tell stand where an option that runs code
/// could (`rg --pre`, `cargo test --config`), or what a search finds without `-type f` may be a symlink to a secret.
const ARGUED: [&str; 4] = ["sh-p-030", "sh-p-036", "sh-p-052", "sh-p-054"];

#[test]
fn shared_shell_rows() {
    let Some(rows) = rows("public_shell.jsonl") else {
        skipped("no shared cases: COUNTERSIGN_SHARED names none");
        return;
    };
    let mut seen = 0;
    let mut wrong = Vec::new();
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let cwd = row["rules"]["cwd"].as_str().unwrap().to_owned();
        let context = PathContext {
            cwd: cwd.clone(),
            home: Some("/home/user".into()),
            project: Some(cwd),
            ..PathContext::default()
        };
        let policy = Policy::compile(vec![document(&row["rules"])], &context).unwrap();
        let command = row["command"].as_str().unwrap().to_owned();
        let args = Json::Object(BTreeMap::from([("command".to_owned(), Json::String(command))]));
        let call = JudgedCall {
            other_names: &[],
            tool_name: "execute",
            args: &args,
            cwd: None,
            annotations: &BTreeMap::new(),
            conditions: &[],
            confined: None,
        };
        let verdict = judge(&policy, &call, &NoLinks).unwrap();
        let expected: Effect = serde_json::from_value(row["expect"].clone()).unwrap();
        let right =
            verdict.effect == expected || (verdict.effect > expected && row["cmp"] == "at_least");
        let id = row["id"].as_str().unwrap();
        if !right && verdict.effect > expected && ARGUED.contains(&id) {
            eprintln!("{id}: {:?} instead of {expected:?}: {}", verdict.effect, verdict.reason);
        } else if !right {
            let kind = if verdict.effect < expected { "LESS STRICT" } else { "stricter" };
            wrong.push(format!(
                "{} {kind}: {:?} instead of {expected:?}: {} ({})",
                row["id"], verdict.effect, row["command"], verdict.reason
            ));
        }
        seen += 1;
    }
    assert!(seen > 0);
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}
