//! Rules for the project's policy, from what was asked about in it.

use countersign_core::call::Json;
use countersign_core::gate::GateError;
use countersign_core::gate::policies::{
    AskedCall, LeftOutOffer, Policies, PolicyProposal, ProposedOffer, SavedOffer,
};
use countersign_core::policy::{Effect, LeftOutWhy, PastAnswer, ReplayProof};
use serde::{Deserialize, Serialize};

use crate::envelope::Raw;
use crate::operations::Operate;

/// The smallest set of rules that would have saved questions.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct ProposeRules {
    asked: Vec<NativeAnsweredCall>,
}

/// A call that a human was asked about.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeAnsweredCall {
    /// What rules know the tool by.
    tool_name: String,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Json,
    cwd: String,
    answer: NativePastAnswer,
    /// Whether a rule could have answered.
    answerable: bool,
    /// What "always" would have saved for this answer.
    offer: Option<NativeSavedOffer>,
}

/// What a human made of it. `changed`: it did not run as it was asked about.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum NativePastAnswer {
    Approved,
    Rejected,
    Changed,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeSavedOffer {
    label: String,
    #[cfg_attr(test, ts(type = "readonly PolicyRule[]"))]
    rules: Raw,
}

impl From<NativeAnsweredCall> for AskedCall {
    fn from(asked: NativeAnsweredCall) -> Self {
        let NativeAnsweredCall { tool_name, args, cwd, answer, answerable, offer } = asked;
        let answer = match answer {
            NativePastAnswer::Approved => PastAnswer::Approved,
            NativePastAnswer::Rejected => PastAnswer::Rejected,
            NativePastAnswer::Changed => PastAnswer::Changed,
        };
        let offer = offer.map(|NativeSavedOffer { label, rules }| SavedOffer { label, rules });
        Self { tool_name, args, cwd, answer, answerable, offer }
    }
}

/// Rules for the project's policy, and what they would have saved.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(super) struct NativeProposal {
    /// The file.
    path: String,
    /// What stands in it; `null`: there is no file.
    before: Option<String>,
    /// What would stand in it: the same, with rules at its end.
    after: String,
    /// Whether the user trusts what stands there.
    trusted: bool,
    /// The most useful first.
    offers: Vec<NativeProposed>,
    /// Those that would have saved enough, and may not.
    left_out: Vec<NativeLeftOut>,
    /// How many questions rules that stand there answer by now.
    answered: usize,
    /// How many questions these rules would have saved.
    saved: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeProposed {
    #[cfg_attr(test, ts(type = "'allow' | 'deny'"))]
    effect: Effect,
    label: String,
    /// How many questions it alone would have saved.
    saves: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeLeftOut {
    label: String,
    why: NativeLeftOutWhy,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
enum NativeLeftOutWhy {
    AllowsRejected,
    DeniesApproved,
    AllowsUnknown,
    NoRule,
    TooMany,
}

impl From<LeftOutWhy> for NativeLeftOutWhy {
    fn from(why: LeftOutWhy) -> Self {
        match why {
            LeftOutWhy::AllowsRejected => Self::AllowsRejected,
            LeftOutWhy::DeniesApproved => Self::DeniesApproved,
            LeftOutWhy::AllowsUnknown => Self::AllowsUnknown,
            LeftOutWhy::NoRule => Self::NoRule,
            LeftOutWhy::TooMany => Self::TooMany,
        }
    }
}

impl From<PolicyProposal> for NativeProposal {
    fn from(proposal: PolicyProposal) -> Self {
        let PolicyProposal { path, before, after, trusted, offers, left_out, answered, proof } =
            proposal;
        let ReplayProof { saved, .. } = proof;
        let offered =
            |ProposedOffer { effect, label, saves }| NativeProposed { effect, label, saves };
        let left =
            |LeftOutOffer { label, why }: LeftOutOffer| NativeLeftOut { label, why: why.into() };
        Self {
            path,
            before,
            after,
            trusted,
            offers: offers.into_iter().map(offered).collect(),
            left_out: left_out.into_iter().map(left).collect(),
            answered,
            saved,
        }
    }
}

impl Operate<&Policies> for ProposeRules {
    type Answer = NativeProposal;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let asked: Vec<AskedCall> = self.asked.into_iter().map(AskedCall::from).collect();
        policies.propose(&asked).map(NativeProposal::from).map_err(GateError::InvalidConfig)
    }
}
