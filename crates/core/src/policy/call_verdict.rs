//! The one verdict on a call: of everything that judges it, the strictest counts. Only grants and the mode answer an ask, and
//! nothing answers a deny.
//!
//! [`call_verdict`] is pure. What only others can say, it asks for: [`CallAnswer`] names the question, and the caller comes again
//! with the answer in [`CallParts`].

use std::borrow::Cow;

use super::Effect;
use super::document::PolicyMode;
use super::review::ReviewBar;

/// What one of those that judge a call says of it. Silence is no opinion: it is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallOpinion<'a> {
    /// What is to be done.
    pub effect: Effect,
    /// Why, in its words.
    pub reason: Option<&'a str>,
    /// Whether it names people who must agree.
    pub names_people: bool,
}

/// What policies say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyOpinion<'a> {
    /// The verdict.
    pub effect: Effect,
    /// Why.
    pub reason: &'a str,
    /// Whether they name people who must agree.
    pub names_people: bool,
    /// Whether a rule of the administrator asks: only a human answers.
    pub managed_ask: bool,
    /// Whether a part of it is asked about each time: no grant answers.
    pub forgets: bool,
    /// Whether each part of it that asks is left to a reviewer.
    pub reviewable: bool,
}

/// A grant that answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantOpinion<'a> {
    /// Allow or deny.
    pub effect: Effect,
    /// Who granted it.
    pub by: &'a str,
    /// What it is for.
    pub label: &'a str,
}

/// All that is known of a call by now.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallParts<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// What policies say: the gate's first, if it has any, then those of the runs that the call is a part of.
    pub policies: &'a [PolicyOpinion<'a>],
    /// Whether the first of `policies` are the gate's.
    pub of_gate: bool,
    /// What `interruptOn`, the tool and the host say; `None`: they were not asked.
    pub own: Option<&'a [CallOpinion<'a>]>,
    /// Whether the gate has a judge of the user's.
    pub has_judge: bool,
    /// What that judge says; `None`: it was not asked.
    pub judge: Option<CallOpinion<'a>>,
    /// The mode of the gate.
    pub mode: PolicyMode,
    /// Whether a policy forbids the mode `auto` by now; `None`: not looked up.
    pub forbids_auto: Option<bool>,
    /// What the preset `read-only` says; `None`: it was not asked.
    pub read_only: Option<CallOpinion<'a>>,
    /// Whether there may be a grant for the call.
    pub may_grant: bool,
    /// The grant for it; `None`: not looked up, or not found.
    pub grant: Option<GrantOpinion<'a>>,
    /// The call asks the human something: neither the mode nor a grant answers it.
    pub is_question: bool,
    /// The call starts agents, whose own calls are judged one by one.
    pub starts_agents: bool,
}

/// What is still to be asked, or the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallAnswer<'a> {
    /// Ask `interruptOn`, the tool and the host: no policy denies the call.
    AskOwn,
    /// Ask the user's judge, who is shown this verdict and the policies' one that it comes from.
    AskJudge {
        /// The verdict so far.
        effect: Effect,
        /// The policies that it comes from, by their place.
        said: Option<usize>,
    },
    /// Ask the preset `read-only`.
    AskReadOnly,
    /// Look for a grant.
    AskGrant {
        /// Whether only a grant for the whole call answers.
        floor: bool,
    },
    /// Look up whether a policy forbids the mode `auto`.
    AskForbidden,
    /// The verdict.
    Verdict(CallVerdict<'a>),
}

/// The verdict on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallVerdict<'a> {
    /// What is to be done.
    pub effect: Effect,
    /// Why.
    pub reason: Option<Cow<'a, str>>,
    /// The policies that it is explained by, by their place.
    pub said: Option<usize>,
    /// Whether something beside the policies asks, so that only a grant for the whole call answers.
    pub floor: bool,
    /// Whose people must agree: places in the policies, with those of `own` counted after them.
    pub approvers: Vec<usize>,
    /// It is an ask that the mode answers with an allow.
    pub by_mode: bool,
    /// Of an ask, why a reviewer may not approve it; `None`: it may.
    pub review_bar: Option<ReviewBar>,
}

impl<'a> CallVerdict<'a> {
    fn new(effect: Effect, reason: Option<&'a str>, said: Option<usize>) -> Self {
        Self {
            effect,
            reason: reason.map(Cow::Borrowed),
            said,
            floor: false,
            approvers: Vec::new(),
            by_mode: false,
            review_bar: Some(ReviewBar::Unmarked),
        }
    }

    fn denied(reason: String, said: Option<usize>) -> CallAnswer<'a> {
        let denied = Self::new(Effect::Deny, None, said);
        CallAnswer::Verdict(Self { reason: Some(Cow::Owned(reason)), ..denied })
    }
}

/// What is to be asked next of a call, or its verdict.
pub fn call_verdict<'a>(parts: &CallParts<'a>) -> CallAnswer<'a> {
    let denied = parts.policies.iter().position(|policy| policy.effect == Effect::Deny);
    let mut verdict = match (denied, parts.own) {
        (Some(at), _) => {
            let reason = parts.policies.get(at).map(|policy| policy.reason);
            return CallAnswer::Verdict(CallVerdict::new(Effect::Deny, reason, Some(at)));
        }
        (None, Some(own)) => combined(parts, own),
        (None, None) => return CallAnswer::AskOwn,
    };
    if verdict.effect == Effect::Deny {
        return CallAnswer::Verdict(verdict);
    }
    if parts.has_judge {
        let Some(judge) = parts.judge else {
            return CallAnswer::AskJudge { effect: verdict.effect, said: verdict.said };
        };
        verdict = judged(verdict, judge);
    }
    verdict.review_bar = review_bar(parts, &verdict);
    if verdict.effect == Effect::Deny || parts.is_question {
        return CallAnswer::Verdict(verdict);
    }
    answered(parts, verdict)
}

/// The strictest of what policies without a deny, `interruptOn`, the tool and the host say.
fn combined<'a>(parts: &CallParts<'a>, opinions: &[CallOpinion<'a>]) -> CallVerdict<'a> {
    let policies = parts.policies;
    let own = strictest(opinions.iter().map(|opinion| opinion.effect));
    let own = own.and_then(|at| opinions.get(at));
    if let Some(denied) = own.filter(|opinion| opinion.effect == Effect::Deny) {
        return CallVerdict::new(Effect::Deny, denied.reason, None);
    }
    let of_gate = usize::from(parts.of_gate);
    let effect_at = |at: usize| policies.get(at).map(|policy| policy.effect);
    let gate = (of_gate > 0 && !policies.is_empty()).then_some(0);
    let narrower = policies.iter().skip(of_gate).map(|policy| policy.effect);
    let run = strictest(narrower).map(|at| at + of_gate);
    let is_ask = |at: Option<usize>| at.and_then(effect_at) == Some(Effect::Ask);
    // What a run allows is allowed when the gate says so as well.
    let said = if is_ask(run) && !is_ask(gate) { run } else { gate.or(run) };
    let of_policies = 0..policies.len();
    if let Some(ask) = own.filter(|opinion| opinion.effect == Effect::Ask) {
        let asking = opinions.iter().enumerate().filter(|(_, each)| each.effect == Effect::Ask);
        let approvers = asking.map(|(at, _)| policies.len() + at).chain(of_policies).collect();
        return CallVerdict {
            floor: true,
            approvers,
            ..CallVerdict::new(Effect::Ask, ask.reason, said)
        };
    }
    if !is_ask(said) {
        return CallVerdict::new(Effect::Allow, None, said);
    }
    let reason = said.and_then(|at| policies.get(at)).map(|policy| policy.reason);
    // Grants answer the gate's own policies. A run's policies that ask are answered for the whole call or not at all.
    CallVerdict {
        floor: is_ask(run),
        approvers: of_policies.collect(),
        ..CallVerdict::new(Effect::Ask, reason, said)
    }
}

/// The place of the strictest; of equals the first.
fn strictest(effects: impl Iterator<Item = Effect>) -> Option<usize> {
    let first = |best: Option<(usize, Effect)>, (at, effect): (usize, Effect)| match best {
        Some((_, strictest)) if strictest >= effect => best,
        _ => Some((at, effect)),
    };
    effects.enumerate().fold(None, first).map(|(at, _)| at)
}

/// What the user's judge makes of it: it only tightens.
fn judged<'a>(verdict: CallVerdict<'a>, judge: CallOpinion<'a>) -> CallVerdict<'a> {
    if judge.effect <= verdict.effect {
        return verdict;
    }
    match judge.effect {
        Effect::Deny => {
            let reason = judge.reason.unwrap_or("Denied by the judge.");
            CallVerdict::new(Effect::Deny, Some(reason), verdict.said)
        }
        effect => {
            let reason = judge.reason.unwrap_or("the judge asks");
            CallVerdict { effect, reason: Some(Cow::Borrowed(reason)), floor: true, ..verdict }
        }
    }
}

/// Grants and the mode, which are there so that a human is asked less.
fn answered<'a>(parts: &CallParts<'a>, verdict: CallVerdict<'a>) -> CallAnswer<'a> {
    let said = verdict.said;
    if parts.mode == PolicyMode::Plan && !parts.starts_agents {
        match parts.read_only {
            None => return CallAnswer::AskReadOnly,
            Some(CallOpinion { effect: Effect::Allow, .. }) => {}
            Some(CallOpinion { reason, .. }) => {
                let why = reason.unwrap_or_default();
                let reason = format!("Plan mode: only what is read-only runs. {why}");
                return CallVerdict::denied(reason, said);
            }
        }
    }
    if verdict.effect != Effect::Ask {
        return CallAnswer::Verdict(verdict);
    }
    let denies_asks = parts.mode == PolicyMode::DenyAllAsks;
    // Where people are named, they are asked each time.
    if names_people(parts, &verdict) {
        return if denies_asks {
            unattended(parts, &verdict)
        } else {
            CallAnswer::Verdict(verdict)
        };
    }
    // The gate's own policies know themselves which asks are their administrator's.
    let managed_ask = parts.policies.iter().skip(parts.of_gate.into()).any(|each| each.managed_ask);
    let no_grant = managed_ask || parts.policies.iter().any(|each| each.forgets);
    match parts.grant.filter(|_| !no_grant) {
        Some(GrantOpinion { effect: Effect::Allow, .. }) => {
            return CallAnswer::Verdict(CallVerdict::new(Effect::Allow, None, said));
        }
        Some(GrantOpinion { by, label, .. }) => {
            return CallVerdict::denied(format!("Always rejected by {by}: {label}"), said);
        }
        None if parts.may_grant && !no_grant => {
            return CallAnswer::AskGrant { floor: verdict.floor };
        }
        None => {}
    }
    match (parts.mode, parts.forbids_auto) {
        (PolicyMode::Auto, None) => CallAnswer::AskForbidden,
        (PolicyMode::Auto, Some(false)) => {
            CallAnswer::Verdict(CallVerdict { effect: Effect::Allow, by_mode: true, ..verdict })
        }
        (PolicyMode::DenyAllAsks, _) => unattended(parts, &verdict),
        (PolicyMode::Auto | PolicyMode::Safe | PolicyMode::Plan, _) => CallAnswer::Verdict(verdict),
    }
}

/// Whether any of those whose people must agree names some: then no grant and no mode answers.
fn names_people(parts: &CallParts<'_>, verdict: &CallVerdict<'_>) -> bool {
    let of_policies = parts.policies.iter().map(|policy| policy.names_people);
    let of_own = parts.own.unwrap_or_default().iter().map(|own| own.names_people);
    let all: Vec<bool> = of_policies.chain(of_own).collect();
    verdict.approvers.iter().any(|at| all.get(*at) == Some(&true))
}

/// Why a reviewer may not approve it: one answers asks of rules alone, where each rule leaves it to one.
fn review_bar(parts: &CallParts<'_>, verdict: &CallVerdict<'_>) -> Option<ReviewBar> {
    let asks = |effect: Effect| effect == Effect::Ask;
    let mut policies = parts.policies.iter().filter(|each| asks(each.effect)).peekable();
    let own = parts.own.unwrap_or_default().iter();
    let is_asked_beside = own.chain(&parts.judge).any(|each| asks(each.effect));
    if parts.is_question {
        Some(ReviewBar::Question)
    } else if names_people(parts, verdict) {
        Some(ReviewBar::People)
    } else if parts.policies.iter().any(|each| each.managed_ask) {
        Some(ReviewBar::Managed)
    } else if is_asked_beside {
        Some(ReviewBar::Beside)
    } else if policies.peek().is_none() || !policies.all(|each| each.reviewable) {
        Some(ReviewBar::Unmarked)
    } else {
        None
    }
}

/// A person must be asked, and this mode is for runs without one.
fn unattended<'a>(parts: &CallParts<'a>, verdict: &CallVerdict<'a>) -> CallAnswer<'a> {
    let said = verdict.said.and_then(|at| parts.policies.get(at));
    let asks = said.filter(|policy| policy.effect == Effect::Ask).map(|policy| policy.reason);
    let why = verdict.reason.as_deref().or(asks).map_or_else(
        || Cow::Owned(format!("{} must be asked about", parts.tool_name)),
        Cow::Borrowed,
    );
    CallVerdict::denied(format!("Nobody is there to be asked: {why}"), verdict.said)
}

#[cfg(test)]
mod tests;
