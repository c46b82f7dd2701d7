//! Why a verdict is what it is: for each action the rules that speak of it, and what came of each.
//!
//! Not a second judge: the record that the judge itself makes, so that the two never differ.

use super::Effect;
use super::compile::Policy;
use super::judge::{self, JudgedCall, MatchTrace, NeedsFiles};
use super::verdict::{RuleRef, Verdict, VerdictCause};
use crate::path::FileLookup;

/// A verdict, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictExplanation {
    /// What [`judge`](super::judge) says.
    pub verdict: Verdict,
    /// For each action of the verdict, in order, the rules that speak of it.
    pub considered: Vec<Vec<ConsideredRule>>,
}

/// A rule that speaks of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsideredRule {
    /// It.
    pub rule: RuleRef,
    /// What it says of this action: an ask, where it only could match.
    pub effect: Effect,
    /// What is written in it.
    pub written: Effect,
    /// What came of it.
    pub outcome: RuleOutcome,
}

/// What came of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOutcome {
    /// It decided.
    Decided,
    /// It says the same as what decided.
    Agrees,
    /// Something stricter decided.
    Stricter,
    /// It allows what needs no allow, or comes after the first that matches.
    Idle,
    /// It allows, but its document is not trusted.
    Untrusted,
}

impl RuleOutcome {
    /// For humans.
    pub fn text(self) -> &'static str {
        match self {
            Self::Decided => "decides",
            Self::Agrees => "says the same",
            Self::Stricter => "loses: something stricter decides",
            Self::Idle => "is not needed, or comes after the first rule that matches",
            Self::Untrusted => "ignored: the file is not trusted (`npx countersign policy trust`)",
        }
    }
}

/// The verdict on a call, and what led to it.
///
/// # Errors
/// As [`judge`](super::judge).
pub fn explain(
    policy: &Policy, call: &JudgedCall, files: &dyn FileLookup,
) -> Result<VerdictExplanation, NeedsFiles> {
    let mut trace = MatchTrace::default();
    let verdict = judge::judge_traced(policy, call, files, Some(&mut trace))?;
    let mut considered = Vec::with_capacity(verdict.actions.len());
    for (judged, tried) in verdict.actions.iter().zip(trace.actions) {
        let by_rule = matches!(
            judged.cause,
            VerdictCause::Rule | VerdictCause::CouldMatch | VerdictCause::Condition
        );
        let outcome = |rule: &RuleRef, effect: Effect, untrusted: bool| {
            if untrusted {
                RuleOutcome::Untrusted
            } else if by_rule && judged.rule.as_ref() == Some(rule) {
                RuleOutcome::Decided
            } else if effect == judged.effect {
                RuleOutcome::Agrees
            } else if effect < judged.effect {
                RuleOutcome::Stricter
            } else {
                RuleOutcome::Idle
            }
        };
        let rules = tried.into_iter().map(|tried| ConsideredRule {
            outcome: outcome(&tried.rule, tried.effect, tried.untrusted),
            rule: tried.rule,
            effect: tried.effect,
            written: tried.written,
        });
        considered.push(rules.collect());
    }
    Ok(VerdictExplanation { verdict, considered })
}
