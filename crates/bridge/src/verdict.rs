//! The one verdict on a call, of everything that judges it; and whether who agreed to a request agreed to another.

use std::sync::Arc;

use countersign_core::approval::ApproverNeed;
use countersign_core::call::Json;
use countersign_core::gate::GateError;
use countersign_core::gate::policies::{OfferOptions, Policies};
use countersign_core::policy::document::PolicyMode;
use countersign_core::policy::{
    CallAnswer, CallOpinion, CallParts, CallVerdict, Effect, PolicyOpinion, ReviewBar, call_verdict,
};
use serde::{Deserialize, Serialize};

use crate::envelope::{Raw, raw, read};
use crate::policies::bound::{LookFailure, NativeAsked, PolicyLook, refused};
use crate::policies::calls::{Also, LONGEST_AT_ONCE, forbidding};
use crate::policies::judged::PolicyJudgement;
#[cfg(test)]
use crate::words;

/// All that is known of a call by now.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativeCallParts {
    #[cfg_attr(test, ts(type = "string"))]
    tool_name: Box<str>,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Json,
    /// How the policies that come with it are asked.
    asked: NativeAsked,
    /// Whose the first of these policies are.
    first: FirstPolicies,
    /// What those that have rules say, the gate's first. Absent: they are still to judge the call.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    policies: Option<Vec<NativePolicyOpinion>>,
    /// Of `interruptOn`, the tool and the host. Who says nothing is left out. Absent: they were not asked.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    own: Option<Vec<NativeOpinion>>,
    has_judge: bool,
    /// Absent: it was not asked.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    judge: Option<NativeOpinion>,
    #[cfg_attr(test, ts(as = "words::PolicyMode"))]
    mode: PolicyMode,
    is_question: bool,
    starts_agents: bool,
}

/// Whose the first policies are of those that have a say about a call.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum FirstPolicies {
    /// The gate's.
    Gate,
    /// The gate has none: this one knows no rules, reads calls and keeps grants.
    Reader,
    /// A run's. Nothing was granted at the gate.
    Run,
}

/// What one of those that judge a call says.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativeOpinion {
    #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
    effect: Effect,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "string | undefined"))]
    reason: Option<Box<str>>,
    /// Whether it names people who must agree.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    names_people: bool,
}

/// What policies say of a call.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativePolicyOpinion {
    #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
    effect: Effect,
    #[cfg_attr(test, ts(type = "string"))]
    reason: Box<str>,
    names_people: bool,
    managed_ask: bool,
    forgets: bool,
    reviewable: bool,
}

impl NativeOpinion {
    fn opinion(&self) -> CallOpinion<'_> {
        let Self { effect, reason, names_people } = self;
        CallOpinion { effect: *effect, reason: reason.as_deref(), names_people: *names_people }
    }
}

impl NativePolicyOpinion {
    fn opinion(&self) -> PolicyOpinion<'_> {
        let Self { effect, reason, names_people, managed_ask, forgets, reviewable } = self;
        PolicyOpinion {
            effect: *effect,
            reason,
            names_people: *names_people,
            managed_ask: *managed_ask,
            forgets: *forgets,
            reviewable: *reviewable,
        }
    }
}

/// What is still to be asked, or the verdict.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "camelCase")]
enum NativeAnswer<'a> {
    /// Ask `interruptOn`, the tool and the host.
    AskOwn,
    /// Ask the user's judge.
    AskJudge {
        /// The verdict so far.
        #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
        effect: Effect,
        /// The policies that it comes from, by their place.
        said: Option<usize>,
    },
    Verdict {
        verdict: NativeVerdict<'a>,
    },
}

/// The verdict on a call.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeVerdict<'a> {
    #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
    effect: Effect,
    /// `null`: those that ask give none.
    reason: Option<&'a str>,
    /// The policies that it is explained by, by their place.
    said: Option<usize>,
    /// Only a grant for the whole call answers.
    floor: bool,
    /// Whose people must agree: places in the policies, with those of `own` counted after them.
    approvers: &'a [usize],
    /// It is an ask that the mode answers with an allow.
    by_mode: bool,
    /// Of an ask, why a reviewer may not approve it; `null`: it may.
    #[cfg_attr(test, ts(as = "Option<words::ReviewBar>"))]
    review_bar: Option<ReviewBar>,
}

/// What is to be asked next of a call, with what its policies say of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeWeighed<'a> {
    /// Of each of the policies that were asked for it, up to the first that denies.
    judged: &'a [PolicyJudgement],
    next: NativeAnswer<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeWeighed"))]
struct WeighedText(Raw);

/// What is to be asked next of a call, or its verdict: `NativeCallParts` to `NativeWeighed`. Waits for files where that is needed.
pub fn weigh(parts: &str, policies: &[Arc<Policies>]) -> Result<impl Serialize + use<>, GateError> {
    weighed(parts, PolicyLook { policies, may_wait: true }).map_err(refused)
}

/// The same, from what is known; `None`: it has to wait for files, or takes long.
pub fn weigh_near(
    parts: &str, policies: &[Arc<Policies>],
) -> Option<Result<impl Serialize + use<>, GateError>> {
    if !policies.is_empty() && parts.len() > LONGEST_AT_ONCE {
        return None;
    }
    match weighed(parts, PolicyLook { policies, may_wait: false }) {
        Ok(weighed) => Some(Ok(weighed)),
        Err(LookFailure::NeedsFiles) => None,
        Err(LookFailure::Refused(error)) => Some(Err(error)),
    }
}

/// What was looked up for one verdict, since it came to that.
#[derive(Default)]
struct VerdictLooks {
    read_only: Option<PolicyJudgement>,
    /// Of a grant that answers.
    grant: Option<PolicyJudgement>,
    is_grant_known: bool,
    forbids_auto: Option<bool>,
}

fn weighed(parts: &str, look: PolicyLook<'_>) -> Result<WeighedText, LookFailure> {
    let parts: NativeCallParts = read(parts)?;
    let of_gate = parts.first == FirstPolicies::Gate;
    let keeper = if parts.first == FirstPolicies::Run { None } else { look.policies.first() };
    let from = usize::from(parts.first == FirstPolicies::Reader).min(look.policies.len());
    let rules = PolicyLook { policies: look.policies.split_at(from).1, ..look };
    let mut call = parts.asked.call(parts.args);
    let judged = match parts.policies {
        Some(_) => Vec::new(),
        None => parts.asked.judged_call(&mut call, &Also::default(), rules)?,
    };
    let told = parts.policies.iter().flatten().map(NativePolicyOpinion::opinion);
    let policies: Vec<_> = told.chain(judged.iter().map(PolicyJudgement::opinion)).collect();
    let own: Option<Vec<_>> =
        parts.own.as_ref().map(|own| own.iter().map(NativeOpinion::opinion).collect());
    let mut looks = VerdictLooks::default();
    loop {
        let may_grant = !looks.is_grant_known && keeper.is_some_and(|all| all.grant_count() > 0);
        let answer = call_verdict(&CallParts {
            tool_name: &parts.tool_name,
            policies: &policies,
            of_gate,
            own: own.as_deref(),
            has_judge: parts.has_judge,
            judge: parts.judge.as_ref().map(NativeOpinion::opinion),
            mode: parts.mode,
            forbids_auto: looks.forbids_auto,
            read_only: looks.read_only.as_ref().map(PolicyJudgement::own_opinion),
            may_grant,
            grant: looks.grant.as_ref().and_then(PolicyJudgement::grant_opinion),
            is_question: parts.is_question,
            starts_agents: parts.starts_agents,
        });
        let next = match &answer {
            CallAnswer::AskOwn => NativeAnswer::AskOwn,
            CallAnswer::AskJudge { effect, said } => {
                NativeAnswer::AskJudge { effect: *effect, said: *said }
            }
            CallAnswer::Verdict(verdict) => NativeAnswer::Verdict { verdict: verdict.into() },
            CallAnswer::AskReadOnly => {
                let also = Also { read_only: true, ..Also::default() };
                looks.read_only = Some(parts.asked.judged_by(keeper, &mut call, &also, look)?);
                continue;
            }
            CallAnswer::AskGrant { floor } => {
                let offers = OfferOptions { floor: *floor, unruled: false };
                let also = Also { grants: true, offers, ..Also::default() };
                looks.grant = Some(parts.asked.judged_by(keeper, &mut call, &also, look)?);
                looks.is_grant_known = true;
                continue;
            }
            CallAnswer::AskForbidden => {
                looks.forbids_auto = Some(forbids_auto(rules)?);
                continue;
            }
        };
        return Ok(WeighedText(raw(&NativeWeighed { judged: &judged, next })?));
    }
}

/// Whether a policy forbids the mode `auto`: a file that changed since may.
fn forbids_auto(look: PolicyLook<'_>) -> Result<bool, LookFailure> {
    if !look.may_wait && !look.policies.is_empty() {
        return Err(LookFailure::NeedsFiles);
    }
    Ok(look.policies.iter().any(|policies| {
        policies.refresh();
        forbidding(policies, PolicyMode::Auto).is_some()
    }))
}

impl<'a> From<&'a CallVerdict<'_>> for NativeVerdict<'a> {
    fn from(verdict: &'a CallVerdict<'_>) -> Self {
        let CallVerdict { effect, reason, said, floor, approvers, by_mode, review_bar } = verdict;
        Self {
            effect: *effect,
            reason: reason.as_deref(),
            said: *said,
            floor: *floor,
            approvers,
            by_mode: *by_mode,
            review_bar: *review_bar,
        }
    }
}

/// Who agreed to one request, and who must agree to another.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ComparedNeeds {
    #[cfg_attr(test, ts(as = "crate::types::List<crate::record::ApprovalNeed<'static>>"))]
    met: Vec<ApproverNeed>,
    #[cfg_attr(test, ts(as = "crate::types::List<crate::record::ApprovalNeed<'static>>"))]
    asked: Vec<ApproverNeed>,
}

/// Whether who met the needs `met` met all of `asked`, too: `ComparedNeeds` to a `boolean`.
pub fn covers(needs: &str) -> Result<bool, GateError> {
    let ComparedNeeds { met, asked } = read(needs)?;
    Ok(ApproverNeed::all_covered(&asked, &met))
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeCallParts>().with::<NativeWeighed<'static>>().with::<ComparedNeeds>()
}
