//! What must be asked about: actions, rules and layers make a verdict. No clock, and no I/O but through
//! [`Files`](crate::path::Files).

pub mod action;
mod call_verdict;
mod compile;
mod confined;
pub mod document;
mod effect;
mod explain;
mod foreign_tools;
mod git;
mod grants;
pub mod interrupt;
mod judge;
mod ledgers;
pub mod lint;
mod looking;
mod names;
mod narrower;
mod network;
mod propose;
mod protected;
mod quoted;
mod reading;
mod renamed;
mod review;
mod run_by_git;
mod sealed;
mod secrets;
mod spelled;
mod suggest;
mod tokens;
mod verdict;

pub(crate) use action::ActionKind;
pub use call_verdict::{
    CallAnswer, CallOpinion, CallParts, CallVerdict, GrantOpinion, PolicyOpinion, call_verdict,
};
pub use compile::{Policy, PolicyError};
pub use confined::{ConfinedRun, ConfinedWrites, RuleConfinement};
pub use effect::Effect;
pub use explain::{ConsideredRule, RuleOutcome, VerdictExplanation, explain};
pub use grants::GrantRules;
pub use judge::{JudgedCall, NeedsFiles, judge};
pub use names::{denies_all_of, mcp_name, rule_names};
pub use narrower::{NotNarrower, check_narrower, rule_in_words, with_exact_words};
pub use network::NetworkReach;
pub use propose::{
    ChosenOffer, LEAST_CALLS, LeftOutWhy, OfferChoice, PastAnswer, PastCall, PastOffer,
    ProposeError, ReplayGround, ReplayProof, propose, prove, rules_of,
};
pub use protected::TOOLCHAIN_SECRETS;
pub use reading::builtin_tools;
pub use renamed::renamed;
pub use review::{
    EarlierCall, MOST_REJECTIONS, ReviewAnswer, ReviewBar, ReviewEffect, ReviewParts, review_effect,
};
pub use run_by_git::{GitFiles, GitLook, run_by_git};
pub use sealed::{FileOpener, SealedFiles, SealedLook, sealed};
pub use suggest::{RuleSuggestion, suggest, suggest_reject};
pub use verdict::{JudgedAction, RuleRef, Verdict, VerdictCause, VerdictRisk, narrow};

#[cfg(test)]
mod tests;
