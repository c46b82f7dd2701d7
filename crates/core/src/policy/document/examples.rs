//! Examples: what a rule, by itself, must and must not match. Checked when the document is read, so that a rule that does
//! not say what its author meant is found before it counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::call::Json;
use crate::path::{NoLinks, Vars};
use crate::policy::judge::judge_held;
use crate::policy::{Effect, JudgedCall, Policy, RuleConfinement, Verdict, VerdictCause};

use super::error::quoted;
use super::read::nowhere;
use super::{
    DocumentError, DocumentPlace, ErrorCode, LayerKind, MAX_ERRORS, MatchOrder, PlacedValue,
    PolicyDocument, PolicyRule, PolicySource, ToolReading,
};

/// The examples that their rules do not keep, the first [`MAX_ERRORS`].
///
/// They are judged as if nothing on the disk were a symlink, in the project `/project` and with the home `/home/user`, so
/// that the answer is the same on every machine.
pub fn check_examples(document: &PolicyDocument) -> Vec<DocumentError> {
    let mut errors = Vec::new();
    let mut left = WORK;
    for rule in &document.rules {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let examples = &rule.examples;
        if examples.matching.is_empty() && examples.not_matching.is_empty() {
            continue;
        }
        let Some(rest) = left.checked_sub(work(rule, document)) else {
            let message =
                "the examples up to here are too many, or too long, to be checked".to_owned();
            let mut error = failed(document, rule, rule.at, message);
            error.hint = Some("keep the telling ones".to_owned());
            errors.push(error);
            break;
        };
        left = rest;
        let trial = match RuleTrial::new(rule, document) {
            Ok(trial) => trial,
            Err((at, message)) => {
                errors.push(failed(document, rule, at, message));
                continue;
            }
        };
        for example in &examples.matching {
            if let Some(why) = trial.misses(&example.value) {
                errors.push(failed(
                    document,
                    rule,
                    example.at,
                    format!(
                        "{} must be matched by this rule, but is not{why}",
                        quoted(&example.value)
                    ),
                ));
            }
        }
        for example in &examples.not_matching {
            if trial.hits(&example.value) {
                errors.push(failed(
                    document,
                    rule,
                    example.at,
                    format!("{} must not be matched by this rule, but is", quoted(&example.value)),
                ));
            }
        }
    }
    errors.truncate(MAX_ERRORS);
    errors
}

/// Bytes of examples times patterns that are compared at most: a hostile file must not hold up who reads it.
const WORK: usize = 20_000_000;

fn work(rule: &PolicyRule, document: &PolicyDocument) -> usize {
    // What a comparison costs, however short.
    const LEAST: usize = 64;
    let bytes: usize = rule
        .examples
        .matching
        .iter()
        .chain(&rule.examples.not_matching)
        .map(|example| example.value.len() + LEAST)
        .sum();
    let patterns = rule.commands.len()
        + rule.reads.len()
        + rule.writes.len()
        + rule.urls.len()
        + rule.env.len()
        + rule.tools.as_ref().map_or(0, Vec::len);
    // The shells of the tools are looked up for each rule.
    bytes.saturating_mul(patterns.max(1)).saturating_add(document.tools.len().saturating_mul(LEAST))
}

fn failed(
    document: &PolicyDocument, rule: &PolicyRule, place: DocumentPlace, message: String,
) -> DocumentError {
    DocumentError {
        code: ErrorCode::Example,
        message,
        source_name: document.source.name.to_string(),
        place,
        path: format!("rule[{}].examples", rule.index),
        hint: None,
    }
}

/// A rule, ready to be tried.
struct RuleTrial<'a> {
    rule: &'a PolicyRule,
    /// The rule for each shell that its tools may have.
    policies: Vec<Policy>,
    arguments: Vec<&'static str>,
}

/// The tool of the examples. No tool has this name, so that nothing is known of it but what is stated.
const TOOL: &str = "countersign example";

impl<'a> RuleTrial<'a> {
    fn new(
        rule: &'a PolicyRule, document: &PolicyDocument,
    ) -> Result<Self, (DocumentPlace, String)> {
        let mut arguments = Vec::new();
        let kinds = [
            // A variable is set by a command line.
            (
                "command",
                !rule.commands.is_empty()
                    || !rule.env.is_empty()
                    || rule.confined.is_some() && rule.is_whole(),
            ),
            ("read", !rule.reads.is_empty()),
            ("write", !rule.writes.is_empty()),
            ("url", !rule.urls.is_empty()),
        ];
        arguments.extend(kinds.iter().filter(|(_, has)| *has).map(|(kind, _)| *kind));
        let policies = shells(rule, document)
            .into_iter()
            .map(|shell| {
                let policy =
                    Policy::compile(vec![alone(rule, &document.source.name, shell)], &nowhere());
                policy.map_err(|error| (error.at.1, error.message))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { rule, policies, arguments })
    }

    /// Why the example is not matched, if so.
    fn misses(&self, example: &str) -> Option<String> {
        if self.arguments.is_empty() {
            return (!self.names(example)).then(String::new);
        }
        let mut why = None;
        for argument in &self.arguments {
            let verdicts = self.verdicts(argument, example);
            match verdicts.iter().find(|verdict| !self.is_matched(verdict)) {
                None => return None,
                Some(verdict) => drop(why.get_or_insert_with(|| reason(verdict))),
            }
        }
        why
    }

    /// Whether the example is matched, or could be.
    fn hits(&self, example: &str) -> bool {
        if self.arguments.is_empty() {
            return self.names(example);
        }
        self.arguments.iter().any(|argument| {
            self.verdicts(argument, example).iter().any(|verdict| match self.rule.effect {
                Effect::Allow => verdict.effect == Effect::Allow,
                _ => verdict.actions.iter().any(|judged| judged.rule.is_some()),
            })
        })
    }

    /// An allow covers everything; the others bite something, and surely.
    fn is_matched(&self, verdict: &Verdict) -> bool {
        match self.rule.effect {
            Effect::Allow => verdict.effect == Effect::Allow,
            _ => verdict
                .actions
                .iter()
                .any(|judged| judged.cause == VerdictCause::Rule && judged.rule.is_some()),
        }
    }

    /// One for each shell.
    fn verdicts(&self, argument: &str, example: &str) -> Vec<Verdict> {
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let is_variable =
            argument == "command" && !self.rule.env.is_empty() && self.rule.commands.is_empty();
        let text = match argument {
            _ if is_variable && example.chars().all(is_name) => format!("{example}=C"),
            // In a file the directories are meant; a tool could also have a file of the name `~`.
            "read" | "write" => put_in(example, &nowhere()),
            _ => example.to_owned(),
        };
        let args = Json::Object([(argument.to_owned(), Json::String(text))].into_iter().collect());
        let annotations = BTreeMap::new();
        self.policies
            .iter()
            .map(|policy| {
                let call = JudgedCall {
                    other_names: &[],
                    tool_name: &format!("{TOOL} {argument}"),
                    args: &args,
                    cwd: None,
                    annotations: &annotations,
                    conditions: &[],
                    confined: None,
                };
                let held = match self.rule.confined {
                    Some(RuleConfinement::To(most)) => Some(most),
                    Some(RuleConfinement::Unconfined) | None => None,
                };
                judge_held(policy, &call, held, &NoLinks, None)
                    .unwrap_or_else(|error| Verdict::refuse(error.to_string()))
            })
            .collect()
    }

    /// A rule for whole calls has names of tools for examples.
    fn names(&self, tool: &str) -> bool {
        let tools = self.rule.tools.as_deref();
        tools.is_none_or(|names| names.iter().any(|name| super::wild(name, tool)))
    }
}

/// A path with what `~` and `${project}` stand for.
fn put_in(path: &str, vars: &Vars) -> String {
    for (name, value) in [("~", &vars.home), ("${project}", &vars.project)] {
        if let (Some(rest), Some(value)) = (path.strip_prefix(name), value)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("{value}{rest}");
        }
    }
    path.to_owned()
}

/// What the human can do with it.
fn reason(verdict: &Verdict) -> String {
    let strictest = verdict.actions.iter().max_by_key(|judged| judged.effect);
    match strictest.map(|judged| &judged.cause) {
        None | Some(VerdictCause::Uncovered | VerdictCause::Rule) => String::new(),
        Some(_) => format!(": {}", verdict.reason.escape_debug()).replace("\\'", "'"),
    }
}

/// The shells that run the command lines of this rule's tools, as far as the document says.
fn shells(rule: &PolicyRule, document: &PolicyDocument) -> BTreeSet<Option<String>> {
    let speaks = |tool: &str| {
        rule.tools.as_deref().is_none_or(|names| names.iter().any(|name| super::wild(name, tool)))
    };
    let mut shells: BTreeSet<_> = document
        .tools
        .iter()
        .filter(|(tool, reading)| speaks(tool) && reading.value.shell.is_some())
        .map(|(_, reading)| reading.value.shell.clone())
        .collect();
    if shells.is_empty() {
        shells.insert(None);
    }
    shells
}

/// A document of this rule alone, for the tools of the examples.
fn alone(rule: &PolicyRule, name: &Arc<str>, shell: Option<String>) -> PolicyDocument {
    let reading = |argument: &str| {
        let names = |kind: &str| {
            if kind == argument { vec![argument.to_owned()] } else { Vec::new() }
        };
        let value = ToolReading {
            command: names("command"),
            read: names("read"),
            write: names("write"),
            url: names("url"),
            cwd: Vec::new(),
            ignore: Vec::new(),
            shell: shell.clone(),
        };
        (format!("{TOOL} {argument}"), PlacedValue { value, at: rule.at })
    };
    PolicyDocument {
        source: PolicySource { layer: LayerKind::Code, name: Arc::clone(name), trusted: true },
        default: None,
        matching: MatchOrder::Strictest,
        tools: ["command", "read", "write", "url"].map(reading).into_iter().collect(),
        rules: vec![PolicyRule {
            index: 0,
            tools: None,
            annotations: BTreeMap::new(),
            condition: None,
            who: None,
            reviewer: false,
            risk: None,
            // Its examples are names: no files are there that git could have.
            tracked: false,
            forgets: false,
            ..rule.clone()
        }],
        forbid: Vec::new(),
        network: None,
        forgets: false,
    }
}

#[cfg(test)]
mod tests;
