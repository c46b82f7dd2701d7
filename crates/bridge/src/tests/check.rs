//! Lines of `check --batch`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::gate::policies::code_source;
use countersign_core::path::{FileLookup, PathContext, PathError};
use countersign_core::policy::document::{DocumentFormat, load};
use countersign_core::policy::{JudgedCall, Policy, Verdict, judge};

use crate::check::{Batch, VerdictOut};

/// A file system without symlinks.
struct NoLinks;

impl FileLookup for NoLinks {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }
}

fn context() -> PathContext {
    PathContext {
        cwd: "/work/app".to_owned(),
        home: Some("/home/me".to_owned()),
        project: Some("/work/app".to_owned()),
        project_as: None,
        own: Vec::new(),
    }
}

/// What these rules say of a command line.
fn verdict(policy: &Policy, command: &str) -> Verdict {
    let args = BTreeMap::from([("command".to_owned(), Json::String(command.to_owned()))]);
    let call = JudgedCall {
        other_names: &[],
        tool_name: "bash",
        args: &Json::Object(args),
        cwd: None,
        annotations: &BTreeMap::new(),
        conditions: &[],
        confined: None,
    };
    judge(policy, &call, &NoLinks).unwrap()
}

fn answer(line: &str) -> Json {
    Batch::new(context(), str::to_owned).check_line(line, &NoLinks).parse().unwrap()
}

fn field<'a>(json: &'a Json, name: &str) -> &'a Json {
    let Json::Object(entries) = json else { panic!("{json:?}") };
    entries.get(name).unwrap_or(&Json::Null)
}

fn text(json: &Json, name: &str) -> String {
    match field(json, name) {
        Json::String(text) => text.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_line_is_answered() {
    let says = answer(
        r#"{"id":7,"policy":{"version":1,"rule":[{"effect":"allow","commands":["git status"]}]},"call":{"toolName":"bash","args":{"command":"git status; X=1 git log > $f"}},"cwd":"/w"}"#,
    );
    assert_eq!(field(&says, "id"), &Json::Number(7.0));
    assert_eq!(text(&says, "effect"), "ask");
    let Json::Array(actions) = field(&says, "actions") else { panic!() };
    let kinds: Vec<String> = actions.iter().map(|action| text(action, "kind")).collect();
    assert!(kinds.contains(&"command".to_owned()) && kinds.contains(&"env".to_owned()));
    assert_eq!(text(&actions[0], "effect"), "allow");
    assert_eq!(text(field(&actions[0], "rule"), "source"), "policy");
}

#[test]
fn toml_and_lists_are_taken() {
    let says = answer(
        r#"{"id":"a","policy":"version = 1\ndefault = \"deny\"","call":{"toolName":"x","args":{}}}"#,
    );
    assert_eq!(text(&says, "effect"), "deny");
    assert_eq!(field(&says, "error"), &Json::Null);
    let says = answer(
        r#"{"id":"a","policy":[{"version":1,"default":"ask"},{"version":1,"default":"allow"}],"call":{"toolName":"x","args":{}}}"#,
    );
    assert_eq!(text(&says, "effect"), "ask");
}

#[test]
fn whatever_is_wrong_is_a_denial_with_the_id() {
    for line in [
        r#"{"id":"a"}"#,
        r#"{"id":"a","policy":{"version":1,"defualt":"allow"},"call":{"toolName":"x","args":{}}}"#,
        r#"{"id":"a","policy":{"version":1},"call":{"toolName":5,"args":{}}}"#,
        r#"{"id":"a","policy":{"version":1},"call":{"toolName":"x"}}"#,
        r#"{"id":"a","policy":{"version":1},"call":"x"}"#,
        r#"{"id":"a","policy":[],"call":{"toolName":"x","args":{}}}"#,
        r#"{"id":"a","policy":{"version":1},"cwd":5,"call":{"toolName":"x","args":{}}}"#,
        r#"{"id":"a","policy":"version = 1\nx","call":{"toolName":"x","args":{}}}"#,
        r#"{"id":"a","policy":{"version":1}"#,
        r#"{"id" : "a", nonsense"#,
    ] {
        let says = answer(line);
        assert_eq!(text(&says, "effect"), "deny", "{line}");
        assert_eq!(text(&says, "id"), "a", "{line}");
        assert!(!text(&says, "error").is_empty(), "{line}");
    }
    assert_eq!(field(&answer("no json"), "id"), &Json::Null);
    assert_eq!(field(&answer(""), "id"), &Json::Null);
}

#[test]
fn of_very_many_actions_the_first_and_the_deciding_are_written() {
    let document = load(
        "version = 1\n[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n[[rule]]\neffect = \"deny\"\nreads = [\"/etc/**\"]\n",
        DocumentFormat::Toml,
        code_source("code.toml"),
    );
    let policy = Policy::compile(vec![document.unwrap()], &context()).unwrap();
    let line = "ls a; ".repeat(150) + &"ls /etc/x; ".repeat(30) + &"true; ".repeat(10);
    let says = verdict(&policy, &line);
    let json: Json = serde_json::to_string(&VerdictOut::from(&says)).unwrap().parse().unwrap();
    let Json::Array(actions) = field(&json, "actions") else { panic!() };
    assert_eq!(actions.len(), 220);
    let left = i32::try_from(says.actions.len() - 220).unwrap();
    assert_eq!(field(&json, "more"), &Json::Number(f64::from(left)));
    for action in &actions[200..] {
        assert_eq!(text(action, "effect"), "deny");
        // Its command is not there.
        assert_eq!(field(action, "command"), &Json::Null);
    }
    for action in actions {
        if let Json::Number(command) = field(action, "command") {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let command = &actions[*command as usize];
            assert_eq!(text(command, "kind"), "command");
        }
    }
    let few = verdict(&policy, "ls");
    let few: Json = serde_json::to_string(&VerdictOut::from(&few)).unwrap().parse().unwrap();
    assert_eq!(field(&few, "more"), &Json::Null);
}
