//! The semantics of policies, sentence by sentence.

mod commands;
mod dash;
mod doors;
mod folders;
mod handed;
mod kinds;
mod layers;
mod links;
mod narrower;
mod network;
mod paths;
mod properties;
mod propose;
mod reviewer;
mod run_by_git;
mod saved;
mod tools;
mod who;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::document::{DocumentFormat, LayerKind, PolicyDocument, PolicySource, read};
use super::{Effect, JudgedCall, Policy, Verdict, judge};
use crate::call::Json;
use crate::path::{FileLookup, PathContext, PathError};

/// A file system of nothing but symlinks.
#[derive(Default)]
pub(super) struct Links(HashMap<String, String>);

impl Links {
    pub(super) fn of(links: &[(&str, &str)]) -> Self {
        Self(links.iter().map(|(link, target)| ((*link).into(), (*target).into())).collect())
    }
}

impl FileLookup for Links {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(self.0.get(path).map(PathBuf::from))
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }
}

pub(super) fn context() -> PathContext {
    PathContext {
        cwd: "/work/app".to_owned(),
        home: Some("/home/me".to_owned()),
        project: Some("/work/app".to_owned()),
        project_as: None,
        own: Vec::new(),
    }
}

pub(super) fn document(toml: &str, layer: LayerKind, trusted: bool) -> PolicyDocument {
    let name = format!("{layer:?}.toml").to_lowercase();
    let text = format!("version = 1\n{toml}");
    read(&text, DocumentFormat::Toml, PolicySource { layer, name: name.into(), trusted })
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

pub(super) fn policy(toml: &str) -> Policy {
    pooled(vec![document(toml, LayerKind::Code, true)])
}

pub(super) fn pooled(documents: Vec<PolicyDocument>) -> Policy {
    Policy::compile(documents, &context()).unwrap()
}

/// A call, owned.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) args: Json,
    pub(super) hints: BTreeMap<String, bool>,
    pub(super) conditions: Vec<Option<bool>>,
}

impl Call {
    pub(super) fn new(tool: &str, args: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            args: args.parse().unwrap(),
            hints: BTreeMap::new(),
            conditions: Vec::new(),
        }
    }

    pub(super) fn run(command: &str) -> Self {
        let args = BTreeMap::from([("command".to_owned(), Json::String(command.to_owned()))]);
        Self { args: Json::Object(args), ..Self::new("bash", "{}") }
    }

    pub(super) fn judged(&self) -> JudgedCall<'_> {
        JudgedCall {
            other_names: &[],
            tool_name: &self.tool,
            args: &self.args,
            cwd: None,
            annotations: &self.hints,
            conditions: &self.conditions,
            confined: None,
        }
    }
}

pub(super) fn verdict(policy: &Policy, call: &Call) -> Verdict {
    judge(policy, &call.judged(), &Links::default()).unwrap()
}

/// The effect on a command line.
pub(super) fn run(toml: &str, command: &str) -> Effect {
    verdict(&policy(toml), &Call::run(command)).effect
}

pub(super) fn effect(name: &str) -> Effect {
    match name {
        "allow" => Effect::Allow,
        "ask" => Effect::Ask,
        "deny" => Effect::Deny,
        other => panic!("{other}"),
    }
}

/// Lines of `effect command`.
pub(super) fn runs(toml: &str, table: &[(&str, &str)]) {
    let policy = policy(toml);
    for (expected, command) in table {
        let verdict = verdict(&policy, &Call::run(command));
        assert_eq!(verdict.effect, effect(expected), "{command}: {verdict:#?}");
    }
}

/// Rows of effect, tool and arguments.
pub(super) fn calls(toml: &str, table: &[(&str, &str, &str)]) {
    let policy = policy(toml);
    for (expected, tool, args) in table {
        let verdict = verdict(&policy, &Call::new(tool, args));
        assert_eq!(verdict.effect, effect(expected), "{tool} {args}: {verdict:#?}");
    }
}
