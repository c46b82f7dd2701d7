//! What a human who is asked is shown: a diff of what is written, a command taken apart, and what "always" would save.

use std::path::Path;

use crate::call::Json;
use crate::files::state_at;
use crate::path::{self, PathContext, RealFiles};
use crate::policy::document::PolicyRule;
use crate::policy::{ActionKind, Effect, RuleSuggestion, Verdict, VerdictExplanation, VerdictRisk};
use crate::preview::{
    self, CommandSegments, FileChange, FileState, MarkEffect, Preview, SeenState, SegmentMark,
};

/// What is shown beside a request.
#[derive(Debug)]
pub struct ShownCall {
    /// What "always allow" would save.
    pub allow: Option<AlwaysOffer>,
    /// What "always reject" would save.
    pub deny: Option<AlwaysOffer>,
    /// The files that would change.
    pub changes: Vec<FileChange>,
    /// The call, as text that is safe to show.
    pub page: Preview,
    /// What is proven of all that it would do; `None`: nothing.
    pub proven: Option<ProvenCall>,
}

/// What is proven of a call that does no lasting harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvenCall {
    /// It only looks.
    Reads,
    /// It changes a file of the project, which neither runs by itself nor holds secrets, and the diff says all of that.
    Changes,
}

/// What a call may change whose diff is shown.
pub(super) const OWN_FILES: &str = r#"
version = 1
[[rule]]
effect = "allow"
reads = ["${project}/**"]
writes = ["${project}/**"]
"#;

/// What nothing is known of, or what leaves the machine.
pub(super) fn is_beyond_proof(kind: &ActionKind) -> bool {
    matches!(kind, ActionKind::Tool { .. } | ActionKind::Unknown { .. } | ActionKind::Url { .. })
}

/// What "always" would save.
#[derive(Debug, Clone)]
pub struct AlwaysOffer {
    /// One sentence.
    pub label: String,
    /// As a document has them.
    pub rules: Vec<PolicyRule>,
    /// What else it speaks of, in words.
    pub also: Vec<String>,
}

impl AlwaysOffer {
    pub(super) fn of(verb: &str, RuleSuggestion { rules, also }: RuleSuggestion) -> Self {
        let also: Vec<String> = also.iter().map(|text| preview::text(text, 200)).collect();
        Self { label: format!("{verb} {}", also.join(" and ")), rules, also }
    }
}

/// The files that the call would change, as they are now. Blocks.
pub(super) fn changes(tool_name: &str, args: &Json, cwd: &str) -> Vec<FileChange> {
    let read = |path: &str| look(path, cwd);
    let mut change = preview::change_of(tool_name, args, &read);
    if let Some(change) = &mut change {
        change.target = target(&change.path, cwd);
    }
    change.into_iter().collect()
}

/// A file as a human was shown it.
#[derive(Debug, Clone, Copy)]
pub struct ShownFile<'a> {
    /// As the call names it.
    pub path: &'a str,
    /// The file itself, see [`FileChange::target`].
    pub target: Option<&'a str>,
    /// The digest of its content, `unreadable`, or `None` where there was none.
    pub before: Option<&'a str>,
}

/// Where a path leads now.
fn target(path: &str, cwd: &str) -> Option<String> {
    let from = PathContext { cwd: cwd.to_owned(), ..PathContext::default() };
    path::locate(path, &from, &RealFiles).ok().map(|located| located.real)
}

/// Which of these files are no longer what was seen. Blocks.
pub(super) fn changed<'a>(seen: impl Iterator<Item = ShownFile<'a>>, cwd: &str) -> Vec<String> {
    let is_changed = |file: &ShownFile<'_>| {
        target(file.path, cwd).as_deref() != file.target
            || named(&SeenState::of(&look(file.path, cwd))).as_deref() != file.before
    };
    seen.filter(is_changed).map(|file| file.path.to_owned()).collect()
}

/// As the API names it: a digest, nothing, or `unreadable`.
fn named(seen: &SeenState) -> Option<String> {
    match seen {
        SeenState::Absent => None,
        SeenState::Content(digest) => Some(digest.to_string()),
        SeenState::Unreadable => Some("unreadable".to_owned()),
    }
}

fn look(path: &str, cwd: &str) -> FileState {
    state_at(&Path::new(cwd).join(path))
}

/// The call as text, with what is known of it. `verdict`: what the rules say of its parts, where there are rules.
pub(super) fn page(
    tool_name: &str, args: &Json, verdict: Option<&Verdict>, change: Option<&FileChange>,
) -> Preview {
    let Some(verdict) = verdict else {
        return preview::page(tool_name, args, None, change, None);
    };
    let command = verdict.actions.iter().find_map(|judged| {
        judged.action.span?;
        judged.action.argument.as_deref()
    });
    let marks: Vec<SegmentMark> = verdict
        .actions
        .iter()
        .filter(|judged| judged.action.argument.as_deref() == command)
        .filter_map(|judged| {
            let span = judged.action.span?;
            let effect = match judged.effect {
                Effect::Allow => MarkEffect::Allow,
                Effect::Ask => MarkEffect::Ask,
                Effect::Deny => MarkEffect::Deny,
            };
            let reason =
                if judged.effect == Effect::Allow { String::new() } else { judged.reason() };
            Some(SegmentMark { start: span.start, end: span.end, effect, reason })
        })
        .collect();
    let segments = command.map(|argument| CommandSegments { argument, marks: &marks });
    preview::page(tool_name, args, None, change, segments)
}

/// Why a verdict is what it is: a paragraph for each part of the call.
pub(super) fn explanation(explanation: &VerdictExplanation) -> String {
    const END: usize = 200;
    let verdict = &explanation.verdict;
    let mut lines =
        vec![format!("{}: {}", effect(verdict.effect), preview::text(&verdict.reason, END))];
    for (judged, considered) in verdict.actions.iter().zip(&explanation.considered) {
        let kind = judged.action.kind_name();
        let reason = preview::text(&judged.reason(), END);
        lines.push(format!("\n  {:<5} {kind}  {reason}", effect(judged.effect)));
        for rule in considered {
            let at = preview::text(&rule.rule.to_string(), END);
            let said = effect(rule.written);
            // Otherwise it could match, and it is not certain that it does.
            let could =
                if rule.effect == rule.written { "" } else { " and could match, which asks" };
            lines.push(format!("        {at} says {said}{could}: {}", rule.outcome.text()));
        }
    }
    for VerdictRisk { rule, level, because } in &verdict.risks {
        let at = preview::text(&rule.to_string(), END);
        let why = because.as_ref().map(|because| format!(": {}", preview::text(because, END)));
        lines.push(format!("\n  {at} marks a {} risk{}", level.name(), why.unwrap_or_default()));
    }
    lines.join("\n")
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}
