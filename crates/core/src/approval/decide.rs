//! What a decision does to a request: the one rule for every ledger.

use super::{DecisionChoice, Record, RecordedDecision, Request, Vote, VoteOutcome};

/// What a decision does to a request, at the moment it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionResult {
    /// Nothing: an earlier decision stands.
    AlreadyDecided,
    /// The deadline has passed. This decision of time stands in its place.
    DeadlinePassed(RecordedDecision),
    /// Nothing: the request does not allow this kind of decision.
    NotAllowed,
    /// Nothing: this person may not make it.
    NotEntitled,
    /// Nothing: this approval is counted already, or no need is left that it counts for.
    AlreadyCounted,
    /// It is one of several approvals. The votes as they then are; it is the last.
    Counted(Vec<Vote>),
    /// It stands. The votes as they then are, where votes are counted.
    Stands(Option<Vec<Vote>>),
}

impl Record {
    /// What `decided` does at the moment `decided.at`; `groups` are those that the person is in. The first decision stands for
    /// ever, and none counts at the deadline or after it. That the deadline has passed may be decided at any time: who says
    /// so has the clock.
    pub fn decision_result(
        &self, decided: &RecordedDecision, groups: &[Box<str>],
    ) -> DecisionResult {
        let request = self.request();
        if self.decided().is_some() {
            return DecisionResult::AlreadyDecided;
        }
        if request.is_due(decided.at) && decided.decision.choice != DecisionChoice::Expired {
            return DecisionResult::DeadlinePassed(RecordedDecision::expiry(decided.at));
        }
        if !decided.is_allowed(request.allowed) {
            return DecisionResult::NotAllowed;
        }
        match request.consider(self.votes(), decided, groups) {
            VoteOutcome::Stands(votes) => DecisionResult::Stands(votes),
            VoteOutcome::Counts(votes) => DecisionResult::Counted(votes),
            VoteOutcome::Known => DecisionResult::AlreadyCounted,
            VoteOutcome::Refused => DecisionResult::NotEntitled,
        }
    }
}

impl Request {
    /// Whether this request may take the place of an earlier one of its call: it names that one, and nothing runs on it any more.
    /// A no stands for its call for ever, and not for another call that has its id once the first is gone.
    pub fn may_replace(&self, earlier: &Record) -> bool {
        let status = earlier.status();
        let gives_way =
            status.may_be_superseded() || (self.call_is_gone() && status.is_decided_against());
        gives_way && self.supersedes() == Some(earlier.request().id)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::approval::tests::{decided, need, request};
    use crate::approval::{
        ApproverNeed, DecisionChannel, DecisionKind, DecisionKinds, RequestExtras,
    };

    const DEADLINE: u64 = 5_000;

    fn record(needs: Vec<ApproverNeed>, allowed: DecisionKinds) -> Record {
        let mut request = request(needs, None);
        (request.allowed, request.expires_at) = (allowed, Some(DEADLINE));
        Record::new(Arc::new(request))
    }

    #[test]
    fn every_decision_before_at_and_after_the_deadline() {
        let only_skip = DecisionKinds::new([DecisionKind::Skip]).unwrap();
        let expiry = |at| DecisionResult::DeadlinePassed(RecordedDecision::expiry(at));
        let reject = DecisionChoice::Reject { stop: false };
        let table = [
            // allowed, choice, via, at, result
            (
                DecisionKinds::ALL,
                DecisionChoice::Approve,
                DecisionChannel::Gate,
                DEADLINE - 1,
                DecisionResult::Stands(None),
            ),
            (
                DecisionKinds::ALL,
                DecisionChoice::Approve,
                DecisionChannel::Gate,
                DEADLINE,
                expiry(DEADLINE),
            ),
            (
                DecisionKinds::ALL,
                reject.clone(),
                DecisionChannel::Gate,
                DEADLINE + 9,
                expiry(DEADLINE + 9),
            ),
            // An impossible decision does not hide an expiry.
            (only_skip, DecisionChoice::Approve, DecisionChannel::Gate, DEADLINE, expiry(DEADLINE)),
            (
                only_skip,
                DecisionChoice::Approve,
                DecisionChannel::Gate,
                DEADLINE - 1,
                DecisionResult::NotAllowed,
            ),
            (
                only_skip,
                DecisionChoice::Skip,
                DecisionChannel::Gate,
                DEADLINE - 1,
                DecisionResult::Stands(None),
            ),
            // A machine may always stop a call, but never in place of time.
            (
                only_skip,
                reject.clone(),
                DecisionChannel::System,
                DEADLINE - 1,
                DecisionResult::Stands(None),
            ),
            (only_skip, reject, DecisionChannel::System, DEADLINE, expiry(DEADLINE)),
            (
                only_skip,
                DecisionChoice::Cancelled,
                DecisionChannel::Abort,
                DEADLINE - 1,
                DecisionResult::Stands(None),
            ),
            (
                DecisionKinds::ALL,
                DecisionChoice::Approve,
                DecisionChannel::Deadline,
                1_000,
                DecisionResult::NotAllowed,
            ),
            (
                DecisionKinds::ALL,
                DecisionChoice::Approve,
                DecisionChannel::Abort,
                1_000,
                DecisionResult::NotAllowed,
            ),
            // That the time is up is decided at any time.
            (
                only_skip,
                DecisionChoice::Expired,
                DecisionChannel::Deadline,
                1_000,
                DecisionResult::Stands(None),
            ),
            (
                only_skip,
                DecisionChoice::Expired,
                DecisionChannel::Deadline,
                DEADLINE,
                DecisionResult::Stands(None),
            ),
        ];
        for (allowed, choice, via, at, result) in table {
            let decided = decided(Some("ada"), choice, via, at);
            assert_eq!(
                record(vec![], allowed).decision_result(&decided, &[]),
                result,
                "{decided:?}"
            );
        }
    }

    #[test]
    fn the_first_decision_stands_whatever_comes() {
        let mut first = record(vec![], DecisionKinds::ALL);
        first
            .decide(decided(Some("ada"), DecisionChoice::Skip, DecisionChannel::Gate, 1_000))
            .unwrap();
        for (choice, at) in [
            (DecisionChoice::Approve, 1_001),
            (DecisionChoice::Approve, DEADLINE),
            (DecisionChoice::Expired, DEADLINE),
        ] {
            let later = decided(Some("bo"), choice, DecisionChannel::Gate, at);
            assert_eq!(first.decision_result(&later, &[]), DecisionResult::AlreadyDecided);
        }
    }

    #[test]
    fn who_is_not_named_decides_nothing_and_who_is_counted_is_counted_once() {
        let mut waits = record(vec![need(&["ada", "bo"], 2)], DecisionKinds::ALL);
        let says = |record: &Record, by, at| {
            record.decision_result(
                &decided(Some(by), DecisionChoice::Approve, DecisionChannel::Gate, at),
                &[],
            )
        };
        assert_eq!(says(&waits, "eve", 1_000), DecisionResult::NotEntitled);
        let DecisionResult::Counted(votes) = says(&waits, "ada", 1_000) else {
            panic!("one of two is counted");
        };
        waits.count(votes);
        assert_eq!(says(&waits, "ada", 1_001), DecisionResult::AlreadyCounted);
        assert!(
            matches!(says(&waits, "bo", 1_002), DecisionResult::Stands(Some(votes)) if votes.len() == 2)
        );
        assert!(matches!(says(&waits, "bo", DEADLINE), DecisionResult::DeadlinePassed(_)));
        assert!(matches!(says(&waits, "eve", DEADLINE), DecisionResult::DeadlinePassed(_)));
    }

    #[test]
    fn a_request_replaces_only_the_one_it_names_and_only_where_nothing_runs() {
        let mut earlier = record(vec![], DecisionKinds::ALL);
        let waits = earlier.clone();
        earlier
            .decide(decided(None, DecisionChoice::Cancelled, DecisionChannel::Abort, 1_000))
            .unwrap();
        let mut later = request(vec![], None);
        assert!(!later.may_replace(&earlier));
        let supersedes = Some(earlier.request().id);
        later.more = Some(Box::new(RequestExtras { supersedes, ..RequestExtras::default() }));
        assert!(later.may_replace(&earlier));
        assert!(!later.may_replace(&waits));
        assert!(!later.may_replace(&record(vec![], DecisionKinds::ALL)));
    }

    #[test]
    fn a_request_replaces_one_that_was_decided_against_only_where_its_call_is_gone() {
        let reject = |stop| DecisionChoice::Reject { stop };
        let table = [
            (Some(reject(false)), true),
            (Some(reject(true)), true),
            (Some(DecisionChoice::Skip), true),
            (Some(DecisionChoice::Expired), true),
            (Some(DecisionChoice::Approve), false),
            (None, false),
        ];
        for (choice, expected) in table {
            let mut earlier = record(vec![], DecisionKinds::ALL);
            if let Some(choice) = choice.clone() {
                earlier.decide(decided(None, choice, DecisionChannel::Gate, 1_000)).unwrap();
            }
            let later = |call_is_gone| {
                let supersedes = Some(earlier.request().id);
                let more = RequestExtras { supersedes, call_is_gone, ..RequestExtras::default() };
                Request { more: Some(Box::new(more)), ..request(vec![], None) }
            };
            assert_eq!(later(true).may_replace(&earlier), expected, "{choice:?}");
            assert!(!later(false).may_replace(&earlier), "{choice:?}");
        }
    }
}
