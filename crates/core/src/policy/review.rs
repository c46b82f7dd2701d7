//! What becomes of a reviewer's answer. A reviewer stands between the policies and the human: a program, mostly a model. What it
//! was told may have been written by an attacker, so that its yes counts only where a rule leaves it to one; its no costs a call.

use serde::{Deserialize, Serialize};

/// How many rejections in a row go to the human: a model that tries the same again and again, and a reviewer that rejects all, need one.
pub const MOST_REJECTIONS: u32 = 3;

/// What a reviewer says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewAnswer {
    /// It may run.
    Approve,
    /// It must not run.
    Reject,
    /// The human is to say.
    Unsure,
}

/// Why a reviewer's answer is advice, and the human decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewBar {
    /// The call asks the human something.
    Question,
    /// People are named who must agree.
    People,
    /// A rule of the administrator asks.
    Managed,
    /// Something beside the rules asks: `interruptOn`, the tool, the host, a judge.
    Beside,
    /// A part of the call is asked about by no rule, or by one that does not leave it to a reviewer; or its effect is unknown.
    Unmarked,
    /// The reviewer only advises.
    Advises,
    /// The call was started before, and may have had its effect.
    Started,
    /// The request may not be approved as it is.
    NotAllowed,
    /// The reviewer has not seen the whole call.
    Cut,
    /// It is one rejection too many in a row.
    Repeated,
    /// A person, or the reviewer itself, did not approve another call of the tool in the run.
    Refused,
    /// Another call of the tool waits for an answer in the run.
    Open,
}

/// What became of another call of the same tool that the run has asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierCall {
    /// Whether it was approved as it was asked: an edit or an answer in its place is no approval. `None`: it still waits.
    pub approved: Option<bool>,
    /// Whether a person has decided it.
    pub by_person: bool,
    /// Whether a reviewer decided to approve it; `None`: none was asked.
    pub reviewer_approved: Option<bool>,
}

impl EarlierCall {
    /// Why no further call of the tool is approved by a reviewer; `None`: it says nothing against that.
    ///
    /// A person's no holds for all calls of the tool: which of them are like the one that was refused, no reading of arguments
    /// can say. What the reviewer did not approve itself, only a person's yes settles.
    fn bar(self) -> Option<ReviewBar> {
        match (self.approved, self.reviewer_approved) {
            // What it has approved is about to be decided.
            (Some(true), _) | (None, Some(true)) => None,
            (None, _) => Some(ReviewBar::Open),
            (Some(false), Some(false)) => Some(ReviewBar::Refused),
            // A policy, a deadline or an abort ended it.
            (Some(false), _) => self.by_person.then_some(ReviewBar::Refused),
        }
    }
}

/// An answer, and all that says what it may do.
#[derive(Debug, Clone, Copy)]
pub struct ReviewParts<'a> {
    /// The answer.
    pub answer: ReviewAnswer,
    /// Whether this reviewer may approve at all.
    pub may_approve: bool,
    /// What bars the verdict from being answered by a reviewer.
    pub bar: Option<ReviewBar>,
    /// Whether the request names people who must agree.
    pub names_people: bool,
    /// Whether the request may be approved.
    pub is_approvable: bool,
    /// Whether a process that is gone had started the call.
    pub started_before: bool,
    /// Whether the reviewer has seen the whole call.
    pub is_whole: bool,
    /// How many rejections of reviewers came right before it in the run.
    pub rejections: u32,
    /// The other calls of the tool in the run, and in all that is a part of it.
    pub earlier: &'a [EarlierCall],
}

/// What an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewEffect {
    /// The call is approved.
    Approve,
    /// The call is rejected.
    Reject,
    /// The human decides, and is shown it. `None`: as the reviewer wants it.
    Advise(Option<ReviewBar>),
}

/// What this answer does.
pub fn review_effect(parts: &ReviewParts<'_>) -> ReviewEffect {
    match parts.answer {
        // It is the human who was asked.
        _ if parts.bar == Some(ReviewBar::Question) => {
            ReviewEffect::Advise(Some(ReviewBar::Question))
        }
        ReviewAnswer::Unsure => ReviewEffect::Advise(None),
        ReviewAnswer::Reject if parts.rejections.saturating_add(1) >= MOST_REJECTIONS => {
            ReviewEffect::Advise(Some(ReviewBar::Repeated))
        }
        ReviewAnswer::Reject => ReviewEffect::Reject,
        ReviewAnswer::Approve => match approval_bar(parts) {
            Some(bar) => ReviewEffect::Advise(Some(bar)),
            None => ReviewEffect::Approve,
        },
    }
}

/// Why it may not approve; `None`: it may.
fn approval_bar(parts: &ReviewParts<'_>) -> Option<ReviewBar> {
    if let Some(bar) = parts.bar {
        return Some(bar);
    }
    let bars = [
        (parts.names_people, ReviewBar::People),
        (!parts.is_approvable, ReviewBar::NotAllowed),
        (parts.started_before, ReviewBar::Started),
        (!parts.is_whole, ReviewBar::Cut),
        (!parts.may_approve, ReviewBar::Advises),
    ];
    let barred = bars.into_iter().find_map(|(is_barred, bar)| is_barred.then_some(bar));
    barred.or_else(|| earlier_bar(parts.earlier))
}

/// A no weighs more than an answer that is still to come.
fn earlier_bar(earlier: &[EarlierCall]) -> Option<ReviewBar> {
    let bars = || earlier.iter().filter_map(|call| call.bar());
    bars().find(|bar| *bar == ReviewBar::Refused).or_else(|| bars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: ReviewParts<'static> = ReviewParts {
        answer: ReviewAnswer::Approve,
        may_approve: true,
        bar: None,
        names_people: false,
        is_approvable: true,
        started_before: false,
        is_whole: true,
        rejections: 0,
        earlier: &[],
    };

    #[test]
    fn it_approves_only_where_nothing_at_all_stands_against_it() {
        assert_eq!(review_effect(&FREE), ReviewEffect::Approve);
        for bar in [
            ReviewBar::Question,
            ReviewBar::People,
            ReviewBar::Managed,
            ReviewBar::Beside,
            ReviewBar::Unmarked,
        ] {
            let barred = ReviewParts { bar: Some(bar), ..FREE };
            assert_eq!(review_effect(&barred), ReviewEffect::Advise(Some(bar)));
        }
        for (barred, bar) in [
            (ReviewParts { names_people: true, ..FREE }, ReviewBar::People),
            (ReviewParts { is_approvable: false, ..FREE }, ReviewBar::NotAllowed),
            (ReviewParts { started_before: true, ..FREE }, ReviewBar::Started),
            (ReviewParts { is_whole: false, ..FREE }, ReviewBar::Cut),
            (ReviewParts { may_approve: false, ..FREE }, ReviewBar::Advises),
        ] {
            assert_eq!(review_effect(&barred), ReviewEffect::Advise(Some(bar)));
        }
    }

    #[test]
    fn the_third_rejection_in_a_row_goes_to_the_human() {
        let rejects = |rejections| {
            let answer = ReviewAnswer::Reject;
            review_effect(&ReviewParts { answer, rejections, may_approve: false, ..FREE })
        };
        assert_eq!([0, 1].map(rejects), [ReviewEffect::Reject; 2]);
        for more in [2, 3, u32::MAX] {
            assert_eq!(rejects(more), ReviewEffect::Advise(Some(ReviewBar::Repeated)));
        }
    }

    #[test]
    fn what_it_is_unsure_of_and_what_the_human_was_asked_is_the_humans() {
        let answer = ReviewAnswer::Unsure;
        assert_eq!(review_effect(&ReviewParts { answer, ..FREE }), ReviewEffect::Advise(None));
        for answer in [ReviewAnswer::Approve, ReviewAnswer::Reject, ReviewAnswer::Unsure] {
            let bar = Some(ReviewBar::Question);
            let effect = review_effect(&ReviewParts { answer, bar, ..FREE });
            assert_eq!(effect, ReviewEffect::Advise(bar));
        }
    }

    const fn earlier(
        approved: Option<bool>, by_person: bool, reviewer_approved: Option<bool>,
    ) -> EarlierCall {
        EarlierCall { approved, by_person, reviewer_approved }
    }

    #[test]
    fn a_no_to_a_call_of_a_tool_bars_its_yes_to_each_other_call_of_it() {
        let effect = |earlier: &[EarlierCall]| review_effect(&ReviewParts { earlier, ..FREE });
        let refused = ReviewEffect::Advise(Some(ReviewBar::Refused));
        let open = ReviewEffect::Advise(Some(ReviewBar::Open));
        let (yes, no) = (Some(true), Some(false));
        for (call, what) in [
            // A person has approved it, or the reviewer has.
            (earlier(yes, true, no), ReviewEffect::Approve),
            (earlier(yes, true, None), ReviewEffect::Approve),
            (earlier(yes, false, yes), ReviewEffect::Approve),
            // A person has said no, also to what the reviewer approved.
            (earlier(no, true, None), refused),
            (earlier(no, true, no), refused),
            (earlier(no, true, yes), refused),
            // The reviewer has said no, or was unsure and no person has approved it.
            (earlier(no, false, no), refused),
            // A policy denied it; or it was approved, and then taken back since a file had changed.
            (earlier(no, false, None), ReviewEffect::Approve),
            (earlier(no, false, yes), ReviewEffect::Approve),
            // It waits: for a person, or for the yes of the reviewer to be written down.
            (earlier(None, false, no), open),
            (earlier(None, false, None), open),
            (earlier(None, false, yes), ReviewEffect::Approve),
        ] {
            assert_eq!(effect(&[call]), what, "{call:?}");
        }
        let (waits, said_no) = (earlier(None, false, no), earlier(no, true, no));
        assert_eq!(effect(&[waits, said_no, earlier(yes, true, no)]), refused);
    }

    #[test]
    fn a_no_bars_no_other_no() {
        let answer = ReviewAnswer::Reject;
        let earlier = &[earlier(Some(false), true, Some(false))];
        assert_eq!(review_effect(&ReviewParts { answer, earlier, ..FREE }), ReviewEffect::Reject);
    }
}
