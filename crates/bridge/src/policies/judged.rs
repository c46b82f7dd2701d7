//! Verdicts on their way to JavaScript, with spans as JavaScript counts. Every call waits for one to be written and read: what
//! most of them do not have is left out.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::PolicyProblem;
use crate::check::shown;
use crate::record::ApprovalNeed;
use crate::units::Units;
#[cfg(test)]
use crate::words;
use countersign_core::call::Json;
use countersign_core::gate::policies::{Grant, GrantDuration};
use countersign_core::layers::LayerProblem;
use countersign_core::policy::Effect;
use countersign_core::policy::action::ActionKind;
use countersign_core::policy::document::{LayerKind, RiskLevel};
use countersign_core::policy::{
    CallOpinion, ConfinedWrites, GrantOpinion, JudgedAction, PolicyOpinion, RuleRef, Verdict,
    VerdictCause, VerdictRisk,
};
use countersign_core::shell::{CommandRole, FileAccess, FileLoss, Word};

/// What the policies say of a call: [`NativeJudged`], owned.
#[derive(Debug)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeJudged"))]
pub(crate) struct PolicyJudgement {
    verdict: Verdict,
    /// The span of each action, in units of UTF-16.
    spans: Vec<Option<[usize; 2]>>,
    asks: JudgedAsks,
    grant: Option<Grant>,
    problems: Option<Vec<LayerProblem>>,
    /// What the policies judge under, where that is asked for.
    context: Option<Json>,
    /// How many actions are left out.
    more: usize,
}

/// Who may answer what it asks.
#[derive(Debug)]
struct JudgedAsks {
    managed_ask: bool,
    forgets: bool,
    reviewable: bool,
    code_asks: bool,
}

/// What is said beside the verdict.
#[derive(Debug, Default)]
pub(super) struct JudgedBeside {
    pub(super) grant: Option<Grant>,
    pub(super) problems: Option<Vec<LayerProblem>>,
    pub(super) context: Option<Json>,
}

impl PolicyJudgement {
    /// What was said of a call with these arguments.
    pub(super) fn new(mut verdict: Verdict, args: &Json, beside: JudgedBeside) -> Self {
        let JudgedBeside { grant, problems, context } = beside;
        let managed_ask = verdict.actions.iter().any(|judged| judged.managed_ask);
        let forgets = verdict.forgets();
        let reviewable = verdict.is_reviewable();
        let code_asks = verdict.actions.iter().any(asks_in_code);
        let shown = shown(&verdict);
        let more = verdict.actions.len() - shown.len();
        if more > 0 {
            let actions = std::mem::take(&mut verdict.actions).into_iter().enumerate();
            verdict.actions = actions
                .filter(|(at, _)| shown.binary_search(at).is_ok())
                .map(|(_, judged)| judged)
                .collect();
        }
        let mut texts = Texts { args, last: None };
        let spans = verdict.actions.iter().map(|judged| texts.span(judged)).collect();
        let asks = JudgedAsks { managed_ask, forgets, reviewable, code_asks };
        Self { verdict, spans, asks, grant, problems, context, more }
    }

    /// What an approval is bound to, where that was asked for.
    pub(super) fn bound(&self) -> Option<NativeBound<'_>> {
        let context = BoundContext { verdict: &self.verdict, under: self.context.as_ref()? };
        let denied = self.verdict.effect == Effect::Deny;
        Some(NativeBound { context, denied: denied.then_some(&*self.verdict.reason) })
    }

    /// Whether the call is denied.
    pub(super) fn is_denial(&self) -> bool {
        self.verdict.effect == Effect::Deny
    }

    /// Whether a human is to be asked.
    pub(super) fn is_ask(&self) -> bool {
        self.verdict.effect == Effect::Ask
    }

    /// Whether a part of it is asked about each time: nothing of it is remembered.
    pub(super) fn forgets(&self) -> bool {
        self.asks.forgets
    }

    /// What counts of it for the one verdict on the call.
    pub(crate) fn opinion(&self) -> PolicyOpinion<'_> {
        let Verdict { effect, reason, who, .. } = &self.verdict;
        PolicyOpinion {
            effect: *effect,
            reason,
            names_people: !who.needs.is_empty(),
            managed_ask: self.asks.managed_ask,
            forgets: self.asks.forgets,
            reviewable: self.asks.reviewable,
        }
    }

    /// The same of something that is no policy of the user's.
    pub(crate) fn own_opinion(&self) -> CallOpinion<'_> {
        let Verdict { effect, reason, .. } = &self.verdict;
        CallOpinion { effect: *effect, reason: Some(reason), names_people: false }
    }

    /// The grant that answers the call, where there is one.
    pub(crate) fn grant_opinion(&self) -> Option<GrantOpinion<'_>> {
        let Grant { effect, by, label, .. } = self.grant.as_ref()?;
        Some(GrantOpinion { effect: *effect, by, label })
    }

    /// What is wrong with the policy files, where they changed.
    pub(super) fn problems(&self) -> Option<Vec<PolicyProblem<'_>>> {
        self.problems.as_deref().map(super::problems_out)
    }
}

/// Whether a rule or the default of a policy that the program gives asks about it.
fn asks_in_code(judged: &JudgedAction) -> bool {
    let source = match (&judged.rule, &judged.cause) {
        (Some(rule), _) => Some(&rule.source),
        (None, VerdictCause::Default(source)) => Some(source),
        _ => None,
    };
    judged.effect == Effect::Ask && source.is_some_and(|source| source.layer == LayerKind::Code)
}

/// What an approval of a call is bound to, as the policies and the files are now, and whether it may run at all.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeBound<'a> {
    /// `{ cwd, project, policy, shell }`, with `places`, a digest of where its paths led that lead elsewhere than they say, and
    /// `who` must agree.
    #[cfg_attr(test, ts(type = "object"))]
    pub(super) context: BoundContext<'a>,
    /// Why no approval lets it run.
    pub(super) denied: Option<&'a str>,
}

pub(super) struct BoundContext<'a> {
    verdict: &'a Verdict,
    under: &'a Json,
}

impl Serialize for BoundContext<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Json::Object(under) = self.under {
            for (key, value) in under {
                map.serialize_entry(key, value)?;
            }
        }
        if let Some(places) = &self.verdict.places {
            map.serialize_entry("places", places)?;
        }
        if let Some(who) = NativeWho::of(self.verdict) {
            map.serialize_entry("who", &who)?;
        }
        map.end()
    }
}

impl Serialize for PolicyJudgement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Verdict { effect, rule, reason, confined, risks, actions, .. } = &self.verdict;
        let actions = actions.iter().zip(&self.spans);
        let judged = NativeJudged {
            verdict: PolicyVerdict {
                effect: *effect,
                rule: rule.as_ref().map(PolicyRuleRef::from),
                reason,
                confined: confined.map(ConfinedWrites::name),
                risks: risks.iter().map(PolicyRisk::from).collect(),
                actions: actions.map(|(judged, span)| PolicyAction::new(judged, *span)).collect(),
                more: self.more,
            },
            managed_ask: self.asks.managed_ask,
            forgets: self.asks.forgets,
            reviewable: self.asks.reviewable,
            code_asks: self.asks.code_asks,
            problems: self.problems(),
            who: NativeWho::of(&self.verdict),
            bound: self.bound(),
        };
        judged.serialize(serializer)
    }
}

/// What the policies say of a call.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeJudged<'a> {
    verdict: PolicyVerdict<'a>,
    /// An administrator's rule asks: only a human answers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    managed_ask: bool,
    /// A part of it is asked about each time: no grant answers, and nothing of it is remembered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    forgets: bool,
    /// Each part of it that asks is left to a reviewer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    reviewable: bool,
    /// A policy that the program gives asks: no rule of a file answers that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    code_asks: bool,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    problems: Option<Vec<PolicyProblem<'a>>>,
    /// Who must agree, as all rules that ask say together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    who: Option<NativeWho<'a>>,
    /// What an approval of it is bound to, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    bound: Option<NativeBound<'a>>,
}

/// What is said of a call.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PolicyVerdict<'a> {
    #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
    effect: Effect,
    /// The deciding rule.
    rule: Option<PolicyRuleRef<'a>>,
    reason: &'a str,
    /// It holds only where the command runs confined, to no more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "'project' | 'nothing'"))]
    confined: Option<&'static str>,
    /// What rules mark as a risk that speak of the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<PolicyRisk<'a>>>"))]
    risks: Vec<PolicyRisk<'a>>,
    actions: Vec<PolicyAction<'a>>,
    /// How many actions are left out.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(test, ts(optional, as = "Option<u32>"))]
    more: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Who must agree.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeWho<'a> {
    #[cfg_attr(test, ts(as = "crate::types::List<ApprovalNeed<'static>>"))]
    needs: Vec<ApprovalNeed<'a>>,
    /// ms before the deadline.
    remind: Option<u64>,
}

impl<'a> NativeWho<'a> {
    /// `None`, as mostly: the verdict asks for no particular people.
    fn of(Verdict { who, .. }: &'a Verdict) -> Option<Self> {
        (!who.needs.is_empty() || who.remind.is_some()).then(|| Self {
            needs: who.needs.iter().map(ApprovalNeed::from).collect(),
            remind: who.remind,
        })
    }
}

/// Where a rule stands.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PolicyRuleRef<'a> {
    source: &'a str,
    #[cfg_attr(test, ts(as = "words::PolicyLayer"))]
    layer: LayerKind,
    /// From 1; `null` for objects.
    line: Option<u32>,
    column: Option<u32>,
    /// Its index in the document, from 0.
    index: usize,
}

impl<'a> From<&'a RuleRef> for PolicyRuleRef<'a> {
    fn from(RuleRef { source, at, index, reason: _ }: &'a RuleRef) -> Self {
        let known = at.line > 0;
        Self {
            source: &source.name,
            layer: source.layer,
            line: known.then_some(at.line),
            column: known.then_some(at.column),
            index: *index,
        }
    }
}

/// A rule that marks what it speaks of as a risk.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PolicyRisk<'a> {
    #[cfg_attr(test, ts(type = "'high'"))]
    level: RiskLevel,
    /// Why, as the rule says it.
    because: Option<&'a str>,
    rule: PolicyRuleRef<'a>,
}

impl<'a> From<&'a VerdictRisk> for PolicyRisk<'a> {
    fn from(VerdictRisk { rule, level, because }: &'a VerdictRisk) -> Self {
        Self { level: *level, because: because.as_deref(), rule: PolicyRuleRef::from(rule) }
    }
}

/// A part of a call, and what is said of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PolicyAction<'a> {
    #[serde(flatten)]
    part: NativePart<'a>,
    #[cfg_attr(test, ts(as = "words::PolicyEffect"))]
    effect: Effect,
    rule: Option<PolicyRuleRef<'a>>,
    /// Where it stands in the command line, in units of UTF-16.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "[start: number, end: number]"))]
    span: Option<[usize; 2]>,
}

/// A part of a call.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "lowercase")]
enum NativePart<'a> {
    Command {
        /// `null` where only the run will tell.
        argv: Vec<Option<&'a str>>,
        text: String,
        /// What it runs is a part of its own.
        wrapper: bool,
    },
    Read {
        path: Option<&'a str>,
        text: String,
    },
    Write {
        path: Option<&'a str>,
        text: String,
        /// What becomes of what is in the file; absent: it stays, or nothing was there.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "'replaced' | 'deleted'"))]
        loss: Option<&'static str>,
    },
    Url {
        url: Option<&'a str>,
        text: String,
    },
    Env {
        name: &'a str,
    },
    Tool {
        name: &'a str,
    },
    Unknown {
        reason: String,
    },
}

impl<'a> PolicyAction<'a> {
    fn new(judged: &'a JudgedAction, span: Option<[usize; 2]>) -> Self {
        let action = &judged.action;
        let part = match &action.kind {
            ActionKind::Command { argv, role } => NativePart::Command {
                argv: argv.iter().map(Word::literal).collect(),
                text: action.text(),
                wrapper: *role == CommandRole::Wrapper,
            },
            ActionKind::Path { target, access, .. } => {
                let (path, text) = (target.literal(), action.text());
                match access {
                    FileAccess::Read => NativePart::Read { path, text },
                    FileAccess::Write => {
                        let loss = match judged.loss {
                            FileLoss::Nothing | FileLoss::Moved => None,
                            FileLoss::ReplacedFile | FileLoss::Replaced => Some("replaced"),
                            FileLoss::Deleted => Some("deleted"),
                        };
                        NativePart::Write { path, text, loss }
                    }
                }
            }
            ActionKind::Url { target, .. } => {
                NativePart::Url { url: target.literal(), text: action.text() }
            }
            ActionKind::Env { name } => NativePart::Env { name },
            ActionKind::Tool { name } => NativePart::Tool { name },
            ActionKind::Unknown { .. } => NativePart::Unknown { reason: judged.reason() },
        };
        Self {
            part,
            effect: judged.effect,
            rule: judged.rule.as_ref().map(PolicyRuleRef::from),
            span,
        }
    }
}

/// A remembered decision.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Grant"))]
#[serde(rename_all = "camelCase")]
pub(super) struct NativeGrant<'a> {
    #[cfg_attr(test, ts(type = "string"))]
    id: uuid::Uuid,
    #[cfg_attr(test, ts(type = "'allow' | 'deny'"))]
    effect: Effect,
    #[cfg_attr(test, ts(as = "words::GrantScope"))]
    scope: GrantDuration,
    run_id: Option<&'a str>,
    project: Option<&'a str>,
    label: &'a str,
    #[cfg_attr(test, ts(type = "PolicyRule[]"))]
    rules: &'a RawValue,
    by: &'a str,
    /// ms since the epoch.
    created_at: u64,
    /// ms since the epoch; `null`: until it is revoked.
    expires_at: Option<u64>,
    /// How many calls it still answers; absent: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    times: Option<u64>,
    /// What was offered, where a human made it narrower: it answers nothing that these rules do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "PolicyRule[]"))]
    within: Option<&'a RawValue>,
}

impl<'a> From<&'a Grant> for NativeGrant<'a> {
    fn from(grant: &'a Grant) -> Self {
        let Grant {
            id,
            effect,
            scope,
            run_id,
            project,
            label,
            rules,
            by,
            created_at,
            expires_at,
            times,
            within,
        } = grant;
        Self {
            id: *id,
            effect: *effect,
            scope: *scope,
            run_id: run_id.as_deref(),
            project: project.as_deref(),
            label,
            rules,
            by,
            created_at: *created_at,
            expires_at: *expires_at,
            times: *times,
            within: within.as_deref(),
        }
    }
}

/// A grant of one's own.
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "Grant"))]
pub(super) struct GrantText(pub(super) Grant);

impl Serialize for GrantText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NativeGrant::from(&self.0).serialize(serializer)
    }
}

/// The arguments that spans are places in.
struct Texts<'a> {
    args: &'a Json,
    /// The last one that was looked at: mostly there is one.
    last: Option<(&'a str, Units<'a>)>,
}

impl<'a> Texts<'a> {
    /// `None` also for what is inside another argument, or in a list: the place would point nowhere.
    fn span(&mut self, judged: &'a JudgedAction) -> Option<[usize; 2]> {
        let span = judged.action.span?;
        let argument = judged.action.argument.as_deref()?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != argument) {
            let Json::Object(args) = self.args else { return None };
            let Some(Json::String(text)) = args.get(argument) else { return None };
            self.last = Some((argument, Units::of(text)));
        }
        let (_, units) = self.last.as_ref()?;
        Some([units.before(span.start), units.before(span.end)])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use countersign_core::policy::action::{Action, PathStart};
    use countersign_core::policy::document::RuleApprovers;
    use countersign_core::shell::Span;

    fn judged(argument: Option<&str>, managed_ask: bool) -> PolicyJudgement {
        let action = Action {
            kind: ActionKind::Env { name: "X".to_owned() },
            span: Some(Span { start: 3, end: 4 }),
            argument: argument.map(Into::into),
            needs_allow: true,
            mentioned: false,
            loss: FileLoss::Nothing,
            start: Arc::new(PathStart::default()),
        };
        let cause = VerdictCause::Uncovered;
        let action = JudgedAction {
            action,
            effect: Effect::Ask,
            rule: None,
            cause,
            managed_ask,
            forgets: false,
            reviewable: false,
            loss: FileLoss::Nothing,
        };
        let verdict = Verdict {
            effect: Effect::Ask,
            rule: None,
            reason: "so".to_owned(),
            actions: vec![action],
            who: RuleApprovers::default(),
            risks: Vec::new(),
            places: None,
            confined: None,
        };
        let args = BTreeMap::from([("command".to_owned(), Json::String("€X=1".to_owned()))]);
        PolicyJudgement::new(verdict, &Json::Object(args), JudgedBeside::default())
    }

    #[test]
    fn what_most_verdicts_do_not_have_is_left_out() {
        let text = |judged| serde_json::to_string(&judged).unwrap();
        let there = r#"{"verdict":{"effect":"ask","rule":null,"reason":"so","actions":[{"kind":"env","name":"X","effect":"ask","rule":null,"span":[1,2]}]}}"#;
        assert_eq!(text(judged(Some("command"), false)), there);
        // A place in an argument that is not a text of the call would point nowhere.
        for argument in [None, Some("other")] {
            let nowhere = r#"{"verdict":{"effect":"ask","rule":null,"reason":"so","actions":[{"kind":"env","name":"X","effect":"ask","rule":null}]},"managedAsk":true}"#;
            assert_eq!(text(judged(argument, true)), nowhere);
        }
    }
}
