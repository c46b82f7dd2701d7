//! Verdicts as JSON, and `countersign policy check --batch`: one line in, one line out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use countersign_core::call::Json;
use countersign_core::path::{FileLookup, PathContext};
use countersign_core::policy::action::{ActionKind, word_text};
use countersign_core::policy::document::{
    self, DocumentFormat, LayerKind, PolicySource, RiskLevel,
};
use countersign_core::policy::{
    Effect, JudgedAction, JudgedCall, NeedsFiles, Policy, RuleRef, Verdict, VerdictRisk, judge,
    narrow,
};
use countersign_core::shell::{CommandRole, Word};

/// How many actions are written, from the first.
const FIRST_SUBJECTS: usize = 200;
/// How many of those that decide are written besides.
const DECIDING_SUBJECTS: usize = 20;

/// A verdict, as it is written. Of very many actions, the first 200 and the first 20 of the strictest: a reader has to wait for
/// each.
#[derive(Debug, Serialize)]
pub struct VerdictOut<'a> {
    effect: Effect,
    rule: Option<RuleOut<'a>>,
    reason: &'a str,
    /// What rules mark as a risk that speak of the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    risks: Vec<RiskOut<'a>>,
    actions: Vec<ActionOut<'a>>,
    /// How many actions are left out; none is stricter than the listed ones.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[derive(Debug, Serialize)]
struct RuleOut<'a> {
    source: &'a str,
    /// 0 for objects, which have no lines.
    line: u32,
    column: u32,
    index: usize,
    layer: LayerKind,
}

#[derive(Debug, Serialize)]
struct RiskOut<'a> {
    level: RiskLevel,
    because: Option<&'a str>,
    rule: RuleOut<'a>,
}

#[derive(Debug, Serialize)]
struct ActionOut<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    argv: Option<Vec<Option<&'a str>>>,
    /// `None` for a path that is known only in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<&'a str>,
    /// The index in this list of the command that covers it, unless that is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrapper: Option<bool>,
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleOut<'a>>,
    reason: String,
}

impl<'a> From<&'a Verdict> for VerdictOut<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let shown = shown(verdict);
        let actions = shown.iter().filter_map(|at| {
            let mut out = ActionOut::from(verdict.actions.get(*at)?);
            out.command = out.command.and_then(|command| shown.binary_search(&command).ok());
            Some(out)
        });
        Self {
            effect: verdict.effect,
            rule: verdict.rule.as_ref().map(RuleOut::from),
            reason: &verdict.reason,
            risks: verdict.risks.iter().map(RiskOut::from).collect(),
            more: verdict.actions.len() - shown.len(),
            actions: actions.collect(),
        }
    }
}

/// The actions that are written, as indices in order.
pub fn shown(verdict: &Verdict) -> Vec<usize> {
    let first = verdict.actions.len().min(FIRST_SUBJECTS);
    if first == verdict.actions.len() {
        return (0..first).collect();
    }
    let rest = || verdict.actions.iter().enumerate().skip(first);
    let strictest = verdict.actions.iter().map(|judged| judged.effect).max();
    let strictest = rest().filter(|(_, judged)| Some(judged.effect) == strictest);
    // What the verdict names as its reason is among them: a rule's word goes before what no rule says.
    let (by_rule, others): (Vec<_>, Vec<_>) =
        strictest.partition(|(_, judged)| judged.rule.is_some());
    let deciding = by_rule.into_iter().chain(others).map(|(at, _)| at).take(DECIDING_SUBJECTS);
    let mut shown: Vec<usize> = (0..first).chain(deciding).collect();
    shown.sort_unstable();
    shown
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl<'a> From<&'a RuleRef> for RuleOut<'a> {
    fn from(rule: &'a RuleRef) -> Self {
        Self {
            source: &rule.source.name,
            line: rule.at.line,
            column: rule.at.column,
            index: rule.index,
            layer: rule.source.layer,
        }
    }
}

impl<'a> From<&'a VerdictRisk> for RiskOut<'a> {
    fn from(VerdictRisk { rule, level, because }: &'a VerdictRisk) -> Self {
        Self { level: *level, because: because.as_deref(), rule: RuleOut::from(rule) }
    }
}

impl<'a> From<&'a JudgedAction> for ActionOut<'a> {
    fn from(judged: &'a JudgedAction) -> Self {
        let action = &judged.action;
        let mut out = Self {
            kind: action.kind_name(),
            argv: None,
            path: None,
            url: None,
            name: None,
            text: None,
            span: action.span.map(|span| [span.start, span.end]),
            argument: action.argument.as_deref(),
            command: None,
            wrapper: None,
            effect: judged.effect,
            rule: judged.rule.as_ref().map(RuleOut::from),
            reason: judged.reason(),
        };
        match &action.kind {
            ActionKind::Command { argv, role } => {
                out.argv = Some(argv.iter().map(Word::literal).collect());
                out.text = Some(action.text());
                out.wrapper = Some(*role == CommandRole::Wrapper);
            }
            ActionKind::Path { target, by, .. } => {
                out.path = Some(target.literal());
                out.text = Some(word_text(target));
                out.command = by.map(|by| by.command);
            }
            ActionKind::Url { target, by } => {
                out.url = Some(target.literal());
                out.text = Some(word_text(target));
                out.command = by.map(|by| by.command);
            }
            ActionKind::Env { name } => out.name = Some(name),
            ActionKind::Tool { name } => out.name = Some(name),
            ActionKind::Unknown { named, .. } => out.command = named.map(|by| by.command),
        }
        out
    }
}

/// Judges lines, and keeps the last policy ready for the next.
#[derive(Debug)]
pub struct Batch {
    /// What stands for `cwd`, `home` and `project` where a line says nothing.
    defaults: PathContext,
    /// The project that a directory is in.
    project_of: fn(&str) -> String,
    last: Option<Ready>,
}

/// Policies that are ready, and what they were made of.
#[derive(Debug)]
struct Ready {
    text: String,
    context: PathContext,
    policies: Vec<Policy>,
}

#[derive(Serialize)]
struct LineOut<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    verdict: VerdictOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Batch {
    /// For lines which, where they say nothing else, mean this directory, home and project.
    pub fn new(defaults: PathContext, project_of: fn(&str) -> String) -> Self {
        Self { defaults, project_of, last: None }
    }

    /// The answer to one line, itself a line without its end. Any error in the line is a denial, with an `error`.
    pub fn check_line(&mut self, line: &str, files: &dyn FileLookup) -> String {
        let fields: Result<BTreeMap<Cow<'_, str>, &RawValue>, _> = serde_json::from_str(line);
        let (id, result) = match &fields {
            Ok(fields) => (fields.get("id").map(|id| (*id).to_owned()), self.check(fields, files)),
            Err(error) => (lost_id(line), Err(format!("the line is not a JSON object: {error}"))),
        };
        let (verdict, error) = match result {
            Ok(verdict) => (verdict, None),
            Err(error) => (Verdict::refuse(error.clone()), Some(error)),
        };
        let out =
            LineOut { id: id.as_deref(), verdict: (&verdict).into(), error: error.as_deref() };
        serde_json::to_string(&out).unwrap_or_else(|error| {
            format!(r#"{{"id":null,"effect":"deny","rule":null,"reason":"not writable","actions":[],"error":{:?}}}"#, error.to_string())
        })
    }

    fn check(
        &mut self, fields: &BTreeMap<Cow<'_, str>, &RawValue>, files: &dyn FileLookup,
    ) -> Result<Verdict, String> {
        let text = |name: &str| match fields.get(name).map(|value| value.get()) {
            None | Some("null") => Ok(None),
            Some(value) => serde_json::from_str::<String>(value)
                .map(Some)
                .map_err(|_| format!("`{name}` must be a text")),
        };
        let cwd = text("cwd")?;
        let context = PathContext {
            home: text("home")?.or_else(|| self.defaults.home.clone()),
            project: match (text("project")?, &cwd) {
                (Some(project), _) => Some(project),
                // As in the API: a call from elsewhere is of the project there.
                (None, Some(cwd)) => Some((self.project_of)(cwd)),
                (None, None) => self.defaults.project.clone(),
            },
            cwd: cwd.unwrap_or_else(|| self.defaults.cwd.clone()),
            project_as: None,
            own: Vec::new(),
        };
        let policy = fields.get("policy").ok_or("`policy` is missing")?.get();
        let call = fields.get("call").ok_or("`call` is missing")?.get();
        let call: CallIn = serde_json::from_str(call)
            .map_err(|error| format!("`call` cannot be read: {error}"))?;
        let annotations = call.annotations.unwrap_or_default();
        let judged = JudgedCall {
            other_names: &[],
            tool_name: &call.tool_name,
            args: &call.args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: None,
        };
        let mut verdict = None;
        for policy in self.policies(policy, context)? {
            let says =
                judge(policy, &judged, files).map_err(|NeedsFiles| NeedsFiles.to_string())?;
            verdict = Some(match verdict {
                None => says,
                Some(parent) => narrow(parent, says),
            });
        }
        verdict.ok_or_else(|| "`policy` is an empty list".to_owned())
    }

    fn policies(&mut self, text: &str, context: PathContext) -> Result<&[Policy], String> {
        let known =
            self.last.as_ref().is_some_and(|last| last.text == text && last.context == context);
        if !known {
            self.last = None;
            let policies = compile(text, &context)?;
            self.last = Some(Ready { text: text.to_owned(), context, policies });
        }
        Ok(self.last.as_ref().map_or(&[], |last| &last.policies))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallIn {
    tool_name: String,
    args: Json,
    annotations: Option<BTreeMap<String, bool>>,
}

/// One policy for each document, the parent's first.
fn compile(text: &str, context: &PathContext) -> Result<Vec<Policy>, String> {
    let parts: Vec<&RawValue> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map_err(|error| format!("`policy` cannot be read: {error}"))?
    } else {
        vec![
            serde_json::from_str(text)
                .map_err(|error| format!("`policy` cannot be read: {error}"))?,
        ]
    };
    let one = parts.len() == 1;
    let policies = parts.into_iter().enumerate().map(|(index, part)| {
        let name = if one { "policy".to_owned() } else { format!("policy[{index}]") };
        let source = PolicySource { layer: LayerKind::Code, name: name.into(), trusted: true };
        let (text, format) = match serde_json::from_str::<String>(part.get()) {
            Ok(toml) => (Cow::Owned(toml), DocumentFormat::Toml),
            Err(_) => (Cow::Borrowed(part.get()), DocumentFormat::Object),
        };
        let document = document::read(&text, format, source).map_err(|errors| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        })?;
        Policy::compile(vec![document], context).map_err(|error| error.to_string())
    });
    policies.collect()
}

/// The id of a line that is no JSON otherwise, so that the answer can be told from others.
fn lost_id(line: &str) -> Option<Box<RawValue>> {
    let (_, after) = line.split_once("\"id\"")?;
    let after = after.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(after).into_iter::<Box<RawValue>>();
    values.next()?.ok()
}
