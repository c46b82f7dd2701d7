//! What an approval is bound to beside its call: the tool, and what the policies say of the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::gate::policies::{
    GrantUse, OfferOptions, Policies, PolicyCall, ShownCall, context_change,
};
use countersign_core::gate::{GateError, PreparedPage};
use countersign_core::policy::NeedsFiles;
use countersign_core::preview::{Flag, Preview};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::PolicyProblem;
use super::calls::{Also, ConditionAnswers, NativeConfinedRun, NativeSeen, conditions_of, judged};
use super::judged::{BoundContext, PolicyJudgement};
use super::shown::{NativeShown, ShownDetails};
use crate::envelope::{Raw, raw, read};

/// The policies that have a say about a call: those of the gate first, if it has any, then those of the runs that it is a part of.
#[derive(Clone, Copy)]
pub struct PolicyLook<'a> {
    /// In this order.
    pub policies: &'a [Arc<Policies>],
    /// Whether files may be waited for.
    pub may_wait: bool,
}

/// Why policies said nothing.
pub enum LookFailure {
    /// Files must be looked at, and may not be waited for.
    NeedsFiles,
    /// A question that they do not answer.
    Refused(GateError),
}

impl From<NeedsFiles> for LookFailure {
    fn from(NeedsFiles: NeedsFiles) -> Self {
        Self::NeedsFiles
    }
}

impl From<GateError> for LookFailure {
    fn from(error: GateError) -> Self {
        Self::Refused(error)
    }
}

/// Where files may be waited for, nothing is left that would have to wait for them.
pub(crate) fn refused(failure: LookFailure) -> GateError {
    match failure {
        LookFailure::NeedsFiles => GateError::Internal("files were not waited for".to_owned()),
        LookFailure::Refused(error) => error,
    }
}

/// How the policies that come with an operation are asked about its call.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeAsked {
    /// What rules know the tool by.
    rule_name: Box<str>,
    /// Other names that its server gives it, which only tighten.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    other_names: Vec<String>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, boolean>"))]
    annotations: BTreeMap<String, bool>,
    /// Its run, for grants.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    run_id: Option<Box<str>>,
    /// How it runs where no human approves it: for the verdict alone.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    confined: Option<NativeConfinedRun>,
    /// Which grants with `times` are used once by their answer; absent: none.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "'denials' | 'only-denials' | 'all'"))]
    uses_grants: GrantUse,
    /// ms since the epoch, for grants.
    now: f64,
    /// What the functions of the rules said, for each of the policies; absent: none of them has any.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly Readonly<Record<string, boolean | null>>[]"))]
    conditions: Vec<ConditionAnswers>,
}

impl NativeAsked {
    /// What each of the policies says of the call with these arguments. Nothing answers a deny: it is the last.
    fn judged(
        &self, args: Json, also: &Also, look: PolicyLook<'_>,
    ) -> Result<Vec<PolicyJudgement>, LookFailure> {
        self.judged_call(&mut self.call(args), also, look)
    }

    /// The call as policies are asked about it, without what the functions of their rules said.
    pub(crate) fn call(&self, args: Json) -> PolicyCall {
        PolicyCall {
            tool_name: self.rule_name.to_string(),
            other_names: self.other_names.clone(),
            args,
            annotations: self.annotations.clone(),
            conditions: Vec::new(),
            confined: self.confined.as_ref().map(NativeConfinedRun::run),
            run_id: self.run_id.as_deref().map(str::to_owned),
            now: self.now.max(0.0) as u64,
            uses_grants: self.uses_grants,
        }
    }

    /// What the functions of the rules of one of the policies said.
    fn conditions_at(&self, at: usize) -> Result<Vec<Option<bool>>, GateError> {
        conditions_of(self.conditions.get(at).cloned().unwrap_or_default())
    }

    /// What the first of the policies says, which reads calls and keeps the grants where it is the gate's.
    pub(crate) fn judged_by(
        &self, first: Option<&Arc<Policies>>, call: &mut PolicyCall, also: &Also,
        look: PolicyLook<'_>,
    ) -> Result<PolicyJudgement, LookFailure> {
        let policies =
            first.ok_or_else(|| GateError::Internal("no policy reads the call".to_owned()))?;
        call.conditions = self.conditions_at(0)?;
        // What is granted runs without walls as well.
        call.confined = None;
        Ok(judged(policies, call, also, look.may_wait)?)
    }

    /// As [`NativeAsked::judged`].
    pub(crate) fn judged_call(
        &self, call: &mut PolicyCall, also: &Also, look: PolicyLook<'_>,
    ) -> Result<Vec<PolicyJudgement>, LookFailure> {
        let mut all = Vec::with_capacity(look.policies.len());
        for (at, policies) in look.policies.iter().enumerate() {
            call.conditions = self.conditions_at(at)?;
            all.push(judged(policies, call, also, look.may_wait)?);
            if all.last().is_some_and(PolicyJudgement::is_denial) {
                break;
            }
        }
        Ok(all)
    }
}

/// What an approval is bound to beside its call.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct CallBinding {
    /// Which tool it is.
    tool: Box<str>,
    asked: NativeAsked,
    /// For an edit: the files that it writes, as they were seen. Absent: it writes none that is known.
    #[serde(default)]
    #[cfg_attr(
        test,
        ts(optional, type = "readonly { target: string | null, before: string | null }[]")
    )]
    files: Option<Raw>,
}

/// What a call is bound to as things are now.
pub(crate) struct BoundNow {
    tool: Box<str>,
    files: Option<Raw>,
    /// Of each of the policies, up to the first that denies.
    judged: Vec<PolicyJudgement>,
}

/// `{ policy, tool }`, and for an edit `files`: a part of the digest of an approval.
#[derive(Serialize)]
struct CallContextOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a RawValue>,
    policy: PolicyContextOut<'a>,
    tool: &'a str,
}

/// That of one policy staleness alone, and of none it is `null`.
#[derive(Serialize)]
#[serde(untagged)]
enum PolicyContextOut<'a> {
    None(()),
    One(BoundContext<'a>),
    More(Vec<BoundContext<'a>>),
}

impl CallBinding {
    /// What it is now.
    pub(crate) fn look(&self, args: Json, look: PolicyLook<'_>) -> Result<BoundNow, LookFailure> {
        let also = Also { bound: true, ..Also::default() };
        let judged = self.asked.judged(args, &also, look)?;
        Ok(BoundNow { tool: self.tool.clone(), files: self.files.clone(), judged })
    }
}

impl<'a> PolicyContextOut<'a> {
    fn of(judged: &'a [PolicyJudgement]) -> Self {
        let mut all: Vec<_> =
            judged.iter().filter_map(PolicyJudgement::bound).map(|bound| bound.context).collect();
        match (all.pop(), all.is_empty()) {
            (None, _) => Self::None(()),
            (Some(only), true) => Self::One(only),
            (Some(last), false) => {
                all.push(last);
                Self::More(all)
            }
        }
    }
}

impl BoundNow {
    /// The context that a digest is made with, as text.
    pub(crate) fn context(&self) -> Result<Raw, GateError> {
        let policy = PolicyContextOut::of(&self.judged);
        raw(&CallContextOut { files: self.files.as_deref(), policy, tool: &self.tool })
    }

    /// Why no approval lets it run.
    pub(crate) fn denied(&self) -> Option<&str> {
        denial(&self.judged)
    }

    /// What is wrong with the policy files, where any changed.
    pub(crate) fn problems(&self) -> Option<Vec<PolicyProblem<'_>>> {
        problems(&self.judged)
    }
}

/// Why no approval lets a call run.
fn denial(judged: &[PolicyJudgement]) -> Option<&str> {
    judged.iter().filter_map(PolicyJudgement::bound).find_map(|bound| bound.denied)
}

/// What is wrong with the policy files, where any changed.
fn problems(judged: &[PolicyJudgement]) -> Option<Vec<PolicyProblem<'_>>> {
    let mut changed = judged.iter().filter_map(PolicyJudgement::problems).peekable();
    changed.peek()?;
    Some(changed.flatten().collect())
}

/// What was shown of a call, which may be another by now.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StalenessCheck {
    asked: NativeAsked,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Raw,
    /// Whether the policies have rules. Without any, one that knows none looks at the files.
    has_rules: bool,
    /// What the policies judged the call under; `null`: there were none.
    #[cfg_attr(test, ts(type = "unknown"))]
    policy: Raw,
    /// The files that it was shown to change.
    changes: Vec<NativeSeen>,
}

/// Whether a call still is what was shown.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct CallStaleness {
    /// Why not; absent: it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    objection: Option<String>,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<PolicyProblem<'static>>>"))]
    problems: Option<Raw>,
}

impl StalenessCheck {
    /// What is the case now.
    pub(crate) fn look(&self, look: PolicyLook<'_>) -> Result<CallStaleness, LookFailure> {
        let Self { asked, args, has_rules, policy, changes } = self;
        let rules = PolicyLook { policies: if *has_rules { look.policies } else { &[] }, ..look };
        let changed = match look.policies.first() {
            Some(_) if changes.is_empty() => None,
            Some(_) if !look.may_wait => return Err(LookFailure::NeedsFiles),
            Some(policies) => {
                policies.changed(changes.iter().map(NativeSeen::shown)).into_iter().next()
            }
            None => None,
        };
        let also = Also { bound: true, ..Also::default() };
        let judged = asked.judged(given(args)?, &also, rules)?;
        let objection = match (changed, denial(&judged)) {
            (Some(changed), _) => Some(format!("{changed} changed since its diff was shown.")),
            (None, Some(denied)) => Some(format!("It is denied by now: {denied}")),
            (None, None) => {
                let now = raw(&PolicyContextOut::of(&judged))?;
                context_change(&given(policy)?, &given(&now)?).map(str::to_owned)
            }
        };
        let problems = problems(&judged).map(|problems| raw(&problems)).transpose()?;
        Ok(CallStaleness { objection, problems })
    }
}

/// JSON of the caller's. What we do not take is told as arguments that cannot be bound.
pub(crate) fn given(text: &RawValue) -> Result<Json, GateError> {
    text.get().parse().map_err(GateError::InvalidArguments)
}

/// What is to be looked up of a call that somebody is asked about.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeLook {
    binding: CallBinding,
    /// `null`: nothing is shown but the arguments.
    show: Option<NativeShowing>,
}

/// How the call is shown.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeShowing {
    /// Whether the policies have rules. Without any, one that knows none reads the call, and binds nothing.
    has_rules: bool,
    /// Whether the first of them are the gate's, which keeps the grants.
    of_gate: bool,
    /// Whether something beside the policies asks: only a grant for the whole call answers.
    floor: bool,
    /// Whether something is offered to be remembered.
    offers: bool,
}

/// What was looked up.
pub(crate) struct LookedUp {
    bound: BoundNow,
    shown: Option<ShownCall>,
}

impl NativeLook {
    /// What an approval is bound to as things are now, and then what is shown: what changes in between is a change.
    pub(crate) fn look(&self, args: Json, look: PolicyLook<'_>) -> Result<LookedUp, LookFailure> {
        let Self { binding: CallBinding { tool, asked, files }, show } = self;
        let mut call = asked.call(args);
        let has_rules = show.as_ref().is_none_or(|show| show.has_rules);
        let rules = PolicyLook { policies: if has_rules { look.policies } else { &[] }, ..look };
        let also = Also { bound: true, ..Also::default() };
        let judged = asked.judged_call(&mut call, &also, rules)?;
        let shown = match show {
            Some(showing) => Some(showing.shown(asked, &mut call, &judged, look)?),
            None => None,
        };
        let bound = BoundNow { tool: tool.clone(), files: files.clone(), judged };
        Ok(LookedUp { bound, shown })
    }
}

impl NativeShowing {
    fn shown(
        &self, asked: &NativeAsked, call: &mut PolicyCall, judged: &[PolicyJudgement],
        look: PolicyLook<'_>,
    ) -> Result<ShownCall, LookFailure> {
        let unruled = self.has_rules && !self.of_gate;
        let offers = OfferOptions { floor: self.floor, unruled };
        let mut show = |at: usize| -> Result<ShownCall, LookFailure> {
            let policies = look.policies.get(at).ok_or_else(|| {
                GateError::Internal("there is no policy to show the call by".to_owned())
            })?;
            call.conditions = asked.conditions_at(at)?;
            if look.may_wait {
                let shown = policies.show_with_files(call, offers);
                Ok(shown.map_err(GateError::InvalidConfig)?)
            } else {
                Ok(policies.show(call, offers)?)
            }
        };
        let by = self.shown_by(judged);
        let mut shown = show(by)?;
        // Of what the rules of a run ask each time its gate remembers nothing either.
        if !self.offers || judged.iter().any(PolicyJudgement::forgets) {
            (shown.allow, shown.deny) = (None, None);
        } else if self.of_gate && by > 0 {
            let ShownCall { allow, deny, .. } = show(0)?;
            (shown.allow, shown.deny) = (allow, deny);
        }
        Ok(shown)
    }

    /// By whose rules the parts of the call are marked: by those that ask, the gate's before those of runs.
    fn shown_by(&self, judged: &[PolicyJudgement]) -> usize {
        let asking = judged.iter().position(PolicyJudgement::is_ask);
        asking.unwrap_or_else(|| usize::from(self.of_gate && judged.len() > 1))
    }
}

impl LookedUp {
    /// What is wrong with the policy files, where any changed.
    pub(crate) fn problems(&self) -> Option<Vec<PolicyProblem<'_>>> {
        self.bound.problems()
    }

    /// What an approval of the call is bound to beside it.
    pub(crate) fn context(&self) -> Result<Raw, GateError> {
        self.bound.context()
    }

    /// What is kept of it with the request, beside these details.
    pub(crate) fn details(&self, beside: Option<&RawValue>) -> Result<Option<Raw>, GateError> {
        let Some(shown) = &self.shown else { return Ok(beside.map(RawValue::to_owned)) };
        let beside = beside.map_or(Ok(BTreeMap::new()), |beside| read(beside.get()))?;
        raw(&DetailsOut { beside, shown: ShownDetails::from(shown) }).map(Some)
    }

    /// What is shown of the call itself; `None`: its arguments.
    pub(crate) fn page(&self) -> Option<PreparedPage> {
        let Preview { text, flags } = &self.shown.as_ref()?.page;
        Some(PreparedPage {
            text: text.as_str().into(),
            flags: flags.iter().map(Flag::name).collect(),
        })
    }

    /// All of it.
    pub(crate) fn told(&self) -> Result<Raw, GateError> {
        raw(&NativeLooked {
            context: self.context()?,
            shown: self.shown.as_ref().map(NativeShown::from),
            problems: self.problems(),
        })
    }
}

/// What was looked up.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeLooked<'a> {
    /// What an approval is bound to beside its call.
    #[cfg_attr(test, ts(type = "object"))]
    context: Raw,
    /// `null`: nothing but the arguments.
    shown: Option<NativeShown<'a>>,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    problems: Option<Vec<PolicyProblem<'a>>>,
}

/// What is kept of it with a request.
#[derive(Serialize)]
struct DetailsOut<'a> {
    #[serde(flatten)]
    beside: BTreeMap<String, Raw>,
    #[serde(flatten)]
    shown: ShownDetails<'a>,
}

#[cfg(test)]
pub(super) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<CallBinding>().with::<NativeLook>()
}
