//! Remembered approvals.

use super::Effect;
use super::action::{Action, ActionKind, ByArgument};
use super::compile::{Policy, PolicyError};
use super::document::{LayerKind, MatchOrder, PolicyDocument, PolicyRule, PolicySource};
use super::judge::{CallJudge, JudgedCall, NeedsFiles};
use super::looking::looks;
use super::verdict::Verdict;
use crate::path::{FileLookup, PathContext};
use crate::shell::{FileAccess, is_everyday};

/// Rules that answer asks: "always allow", for a run, a session or for ever. Cheap to clone, never changes.
///
/// They never answer a deny, what is unknown, nor what a managed document asks about. Their paths are the files that were
/// shown: a symlink that takes the place of one leads to another file, and that is asked about.
#[derive(Debug, Clone)]
pub struct GrantRules {
    policy: Policy,
}

impl GrantRules {
    /// Makes these rules ready; all of them allow.
    ///
    /// # Errors
    /// When a pattern cannot be taken.
    pub fn compile(rules: Vec<PolicyRule>, context: &PathContext) -> Result<Self, PolicyError> {
        let rules = rules
            .into_iter()
            .filter(|rule| rule.effect == Effect::Allow)
            .enumerate()
            .map(|(index, rule)| PolicyRule { index, ..rule })
            .collect();
        let source =
            PolicySource { layer: LayerKind::Session, name: "grants".into(), trusted: true };
        let document = PolicyDocument {
            source,
            default: None,
            matching: MatchOrder::Strictest,
            tools: std::collections::BTreeMap::default(),
            rules,
            forbid: Vec::new(),
            network: None,
            forgets: false,
        };
        Ok(Self { policy: Policy::compile_pinned(document, context)? })
    }

    /// Whether they answer every ask of this verdict on this call, so that it may run.
    ///
    /// # Errors
    /// When the file system is needed to tell where a path points.
    pub fn answers(
        &self, call: &JudgedCall, verdict: &Verdict, files: &dyn FileLookup,
    ) -> Result<bool, NeedsFiles> {
        if verdict.effect != Effect::Ask || verdict.forgets() || verdict.actions.is_empty() {
            return Ok(false);
        }
        let asked = || verdict.actions.iter().filter(|judged| judged.effect != Effect::Allow);
        if !asked().all(super::JudgedAction::is_grantable) || asked().next().is_none() {
            return Ok(false);
        }
        let actions: Vec<Action> =
            verdict.actions.iter().map(|judged| judged.action.clone()).collect();
        let judge = CallJudge::new(&self.policy, call, None, files, &actions);
        let host = call.directory(self.policy.context());
        let mut hits = Vec::new();
        for judged in asked() {
            // The same words in another folder are another deed, and the yes was not about that folder.
            if judged.action.start.has_left(host) && judged.action.kind.depends_on_folder() {
                return Ok(false);
            }
            if is_fed(&judged.action) {
                return Ok(false);
            }
            if !is_to_look(&judged.action) {
                // With a variable before it the command is another: that one has to be granted as well.
                for action in settings(verdict) {
                    hits.clear();
                    let action = Action { needs_allow: true, ..action.clone() };
                    if judge.action(&action, &mut hits, None)?.effect != Effect::Allow {
                        return Ok(false);
                    }
                }
            }
            hits.clear();
            // An ask about a file that a command's allow would cover needs an answer about the file.
            let mut action = judged.action.clone();
            action.needs_allow = true;
            let says = judge.action(&action, &mut hits, None)?;
            let spelled = match &action.kind {
                ActionKind::Path { by: Some(by), .. } | ActionKind::Url { by: Some(by), .. } => {
                    judge.is_spelled_out(*by)
                }
                _ => false,
            };
            if says.effect != Effect::Allow && !spelled {
                return Ok(false);
            }
        }
        for (action, by) in effects(verdict) {
            hits.clear();
            let action = Action { needs_allow: true, ..action.clone() };
            let asked =
                verdict.actions.get(by.command).is_some_and(|it| it.effect != Effect::Allow);
            if asked && judge.action(&action, &mut hits, None)?.effect != Effect::Allow {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether the line may give a command something to read that says what it does, or what it sends: the yes was not about that,
/// and its words do not tell. Of a command that only looks, they do.
fn is_fed(action: &Action) -> bool {
    let ActionKind::Command { argv, .. } = &action.kind else { return false };
    let Some(line) = action.start.line.as_deref().filter(|_| !looks(argv)) else { return false };
    let before = action.span.and_then(|span| line.get(..span.start)).unwrap_or(line);
    line.contains('<') || before.replace("||", "").contains('|')
}

/// Whether it is no command, or one whose allow is meant for looking.
fn is_to_look(action: &Action) -> bool {
    match &action.kind {
        ActionKind::Command { argv, .. } => looks(argv),
        _ => true,
    }
}

/// The variables that commands may find in their environment. What a script sets under a name that scripts use for anything is
/// its own; where it is handed on, that is unknown.
pub(crate) fn settings(verdict: &Verdict) -> impl Iterator<Item = &Action> {
    verdict
        .actions
        .iter()
        .map(|judged| &judged.action)
        .filter(|action| matches!(&action.kind, ActionKind::Env { name } if !is_everyday(name)))
}

/// What commands write and fetch through their arguments. A rule of a policy that allows a command covers that; a person who said
/// "always" to one command line did not mean all that could be appended to it.
pub(crate) fn effects(verdict: &Verdict) -> impl Iterator<Item = (&Action, ByArgument)> {
    verdict.actions.iter().filter_map(|judged| match &judged.action.kind {
        ActionKind::Path { access: FileAccess::Write, by: Some(by), .. }
        | ActionKind::Url { by: Some(by), .. } => Some((&judged.action, *by)),
        _ => None,
    })
}
