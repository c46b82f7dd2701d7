//! The rules that speak of an action, made one answer.
//!
//! Within a document: the strictest, or the first. Within a layer: the strictest of its documents, and where none of their
//! rules speaks the strictest default that one states. Over the layers: the strictest, so that their order never matters.

use super::ActionVerdict;
use super::matching::{MatchStrength, RuleHit};
use crate::policy::Effect;
use crate::policy::action::{Action, ActionKind};
use crate::policy::compile::Policy;
use crate::policy::document::{LayerKind, MatchOrder};
use crate::policy::verdict::{RuleRef, VerdictCause, is_managed};

/// A record of what was compared, for explanations.
#[derive(Debug, Default)]
pub(crate) struct MatchTrace {
    /// For each action, in order, the rules that speak of it.
    pub(crate) actions: Vec<Vec<TriedRule>>,
}

/// A rule that speaks of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TriedRule {
    pub(crate) rule: RuleRef,
    /// What it says, by itself: an ask, where it only could match.
    pub(crate) effect: Effect,
    /// What is written in it.
    pub(crate) written: Effect,
    /// Its allows do not count.
    pub(crate) untrusted: bool,
}

/// One answer, and where it comes from.
#[derive(Debug, Clone)]
struct PoolAnswer {
    effect: Effect,
    rule: Option<usize>,
    how: Option<MatchStrength>,
    document: usize,
}

pub(super) fn pool(
    policy: &Policy, hits: &[RuleHit], action: &Action, needs_allow: bool,
    trace: Option<&mut MatchTrace>,
) -> ActionVerdict {
    let mut layers: [Option<PoolAnswer>; 5] = [None, None, None, None, None];
    // Whether some rule of the layer surely speaks of the action, so that no default of the layer has to.
    let mut spoken = [false; 5];
    let mut managed_ask = false;
    let mut forgets = policy.forgets().is_some();
    let mut reviewable = true;
    let mut who = Vec::new();
    let mut risks = Vec::new();
    let mut merge = |answer: PoolAnswer, layers: &mut [Option<PoolAnswer>; 5]| {
        let Some(document) = policy.documents().get(answer.document) else { return };
        let asks = answer.effect == Effect::Ask;
        managed_ask |= is_managed(&document.source) && asks;
        // A rule that asks each time is heard, though the verdict may name another rule.
        forgets |= asks && answer.rule.and_then(|at| policy.rule(at)).is_some_and(|it| it.forgets);
        reviewable &= !asks || is_left_to_reviewer(policy, &answer);
        let Some(slot) = layers.get_mut(document.source.layer as usize) else { return };
        // Documents come in a fixed order, and so do their rules: the first of the strictest is kept.
        if slot.as_ref().is_none_or(|known| answer.effect > known.effect) {
            *slot = Some(answer);
        }
    };
    // A document whose first rule decides needs its rules in order.
    let mut sorted = Vec::new();
    let hits_in_order = if policy.has_first() {
        sorted.extend_from_slice(hits);
        sorted.sort_unstable_by_key(|hit| hit.rule);
        &sorted
    } else {
        hits
    };
    let mut decided_document = None;
    for hit in hits_in_order {
        if hit.how == MatchStrength::Untrusted {
            continue;
        }
        let first = policy
            .documents()
            .get(hit.document)
            .is_some_and(|document| document.matching == MatchOrder::First);
        if first {
            if decided_document == Some(hit.document) {
                continue;
            }
            if hit.how == MatchStrength::Surely {
                decided_document = Some(hit.document);
            }
        }
        if hit.effect == Effect::Allow && !counts(action, hit) {
            continue;
        }
        // Where it is not certain that a rule speaks, the default does as well.
        if hit.how == MatchStrength::Surely
            && let Some(document) = policy.documents().get(hit.document)
            && let Some(spoken) = spoken.get_mut(document.source.layer as usize)
        {
            *spoken = true;
        }
        if policy.rule(hit.rule).is_some_and(|rule| rule.risk.is_some()) {
            risks.push(hit.rule);
        }
        // A rule that asks is heard, though the verdict may name another rule.
        if hit.effect == Effect::Ask && policy.rule(hit.rule).is_some_and(|rule| rule.who.is_some())
        {
            who.push(hit.rule);
        }
        let answer = PoolAnswer {
            effect: hit.effect,
            rule: Some(hit.rule),
            how: Some(hit.how),
            document: hit.document,
        };
        merge(answer, &mut layers);
    }
    for (index, document) in policy.documents().iter().enumerate() {
        let Some(default) = document.default.filter(|_| needs_allow) else { continue };
        if !spoken.get(document.source.layer as usize).copied().unwrap_or(false) {
            let answer = PoolAnswer { effect: default, rule: None, how: None, document: index };
            merge(answer, &mut layers);
        }
    }
    let strictest = layers
        .into_iter()
        .flatten()
        .reduce(|known, answer| if answer.effect > known.effect { answer } else { known });
    let says = match strictest {
        Some(answer) => {
            let cause = match answer.how {
                Some(MatchStrength::Could) => VerdictCause::CouldMatch,
                Some(MatchStrength::Condition) => VerdictCause::Condition,
                Some(MatchStrength::Surely | MatchStrength::Untrusted) => VerdictCause::Rule,
                None => policy
                    .documents()
                    .get(answer.document)
                    .map_or(VerdictCause::Uncovered, |document| {
                        VerdictCause::Default(document.source.clone())
                    }),
            };
            let reviewable = reviewable && answer.effect == Effect::Ask;
            let PoolAnswer { effect, rule, .. } = answer;
            ActionVerdict { effect, rule, cause, managed_ask, forgets, reviewable, who, risks }
        }
        None if needs_allow => {
            let unknown = matches!(action.kind, ActionKind::Unknown { .. });
            let cause = if unknown { VerdictCause::Unknown } else { VerdictCause::Uncovered };
            let (effect, reviewable) = (Effect::Ask, false);
            ActionVerdict {
                effect,
                rule: None,
                cause,
                managed_ask,
                forgets,
                reviewable,
                who,
                risks,
            }
        }
        None => ActionVerdict {
            effect: Effect::Allow,
            rule: None,
            cause: VerdictCause::Covered,
            managed_ask,
            forgets,
            reviewable: false,
            who,
            risks,
        },
    };
    if let Some(trace) = trace {
        trace.actions.push(tried(policy, hits));
    }
    says
}

/// Whether what asks is a rule that surely speaks of the action and lets a reviewer answer. Whose allows do not count cannot leave
/// anything to a reviewer either: it would allow by one.
fn is_left_to_reviewer(policy: &Policy, answer: &PoolAnswer) -> bool {
    let is_trusted =
        policy.documents().get(answer.document).is_some_and(|document| document.source.trusted);
    is_trusted
        && answer.how == Some(MatchStrength::Surely)
        && answer.rule.and_then(|rule| policy.rule(rule)).is_some_and(|rule| rule.reviewer)
}

/// Whether an allow is worth anything here: what nothing needs to allow, no rule has to.
fn counts(action: &Action, hit: &RuleHit) -> bool {
    action.needs_allow && (!matches!(action.kind, ActionKind::Unknown { .. }) || hit.names_unknown)
}

fn tried(policy: &Policy, hits: &[RuleHit]) -> Vec<TriedRule> {
    let tried = hits.iter().filter_map(|hit| {
        let untrusted = hit.how == MatchStrength::Untrusted;
        let written = policy.rule(hit.rule)?.effect;
        Some(TriedRule {
            rule: policy.reference(hit.rule)?,
            effect: hit.effect,
            written,
            untrusted,
        })
    });
    tried.collect()
}

const _: () = assert!(LayerKind::Session as usize == 4, "a slot for each layer");
