//! What becomes of a reviewer's answer.

use countersign_core::gate::GateError;
use countersign_core::policy::{
    EarlierCall, ReviewAnswer, ReviewBar, ReviewEffect, ReviewParts, review_effect,
};
use serde::{Deserialize, Serialize};

use crate::envelope::read;
#[cfg(test)]
use crate::words;

/// An answer, and all that says what it may do.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativeReviewParts {
    #[cfg_attr(test, ts(as = "words::ReviewAnswer"))]
    answer: ReviewAnswer,
    may_approve: bool,
    /// What bars the verdict; `null`: nothing.
    #[cfg_attr(test, ts(as = "Option<words::ReviewBar>"))]
    bar: Option<ReviewBar>,
    names_people: bool,
    is_approvable: bool,
    started_before: bool,
    is_whole: bool,
    /// Those that came right before it in the run.
    rejections: u32,
    /// Of the same tool in the run, and in all that is a part of it.
    earlier: Vec<NativeEarlierCall>,
}

/// What became of another call of the tool.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativeEarlierCall {
    /// Whether it was approved as it was asked; `null`: it still waits.
    approved: Option<bool>,
    by_person: bool,
    /// Whether a reviewer decided to approve it; `null`: none was asked.
    reviewer_approved: Option<bool>,
}

/// What an answer does.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeReview {
    /// Whether it decides; else the human does.
    decides: bool,
    /// Why it does not; `null`: the reviewer does not want to.
    #[cfg_attr(test, ts(as = "Option<words::ReviewBar>"))]
    bar: Option<ReviewBar>,
}

/// What a reviewer's answer does: `NativeReviewParts` to `NativeReview`.
///
/// # Errors
/// When the parts cannot be read.
pub fn weigh(parts: &str) -> Result<impl Serialize + use<>, GateError> {
    let parts: NativeReviewParts = read(parts)?;
    let earlier: Vec<EarlierCall> = parts
        .earlier
        .iter()
        .map(|call| EarlierCall {
            approved: call.approved,
            by_person: call.by_person,
            reviewer_approved: call.reviewer_approved,
        })
        .collect();
    let effect = review_effect(&ReviewParts {
        answer: parts.answer,
        may_approve: parts.may_approve,
        bar: parts.bar,
        names_people: parts.names_people,
        is_approvable: parts.is_approvable,
        started_before: parts.started_before,
        is_whole: parts.is_whole,
        rejections: parts.rejections,
        earlier: &earlier,
    });
    Ok(match effect {
        ReviewEffect::Approve | ReviewEffect::Reject => NativeReview { decides: true, bar: None },
        ReviewEffect::Advise(bar) => NativeReview { decides: false, bar },
    })
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeEarlierCall>().with::<NativeReviewParts>().with::<NativeReview>()
}
