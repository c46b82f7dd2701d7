//! What a decision does to a request that says who must agree.

use super::name::is_same_person;
use super::need::DecidingPerson;
use super::vote::VoteOutcome;
use super::{
    ApproverNeed, DecisionChoice, DecisionKind, DecisionKinds, RecordedDecision, Request, Vote,
};

impl Request {
    /// Who must agree; empty: anybody, once.
    pub fn needs(&self) -> &[ApproverNeed] {
        self.more.as_ref().map_or(&[], |more| &more.needs)
    }

    /// Who asked for the run.
    pub fn requester(&self) -> Option<&str> {
        self.more.as_ref()?.requester.as_deref()
    }

    /// Who may approve it now: names, and groups as `group:NAME`. Empty: everybody who gives a name, but who asked for it.
    pub fn approvers(&self, now: u64) -> Vec<&str> {
        let age = now.saturating_sub(self.created_at);
        let requester = self.requester();
        let mut names = Vec::new();
        for need in self.needs() {
            let Some(approvers) = &need.approvers else { return Vec::new() };
            let is_excluded = |name: &str| {
                need.exclude_requester && requester.is_some_and(|by| is_same_person(by, name))
            };
            for name in approvers.iter().chain(need.escalated(age)) {
                if !names.contains(&&**name) && !is_excluded(name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Whom it was escalated to by this moment, each once.
    pub fn escalated_to(&self, now: u64) -> Vec<Box<str>> {
        let age = now.saturating_sub(self.created_at);
        let mut to: Vec<Box<str>> = Vec::new();
        for name in self.needs().iter().flat_map(|need| need.escalated(age)) {
            if !to.contains(name) {
                to.push(name.clone());
            }
        }
        to
    }

    /// What a decision does, as things stand. It is only asked of a request that waits and whose time is not up; `groups` are
    /// those that the person is in.
    pub fn consider(
        &self, votes: &[Vote], decided: &RecordedDecision, groups: &[Box<str>],
    ) -> VoteOutcome {
        let needs = self.needs();
        if needs.is_empty() {
            return VoteOutcome::Stands(None);
        }
        let choice = &decided.decision.choice;
        if decided.via.is_machine() || choice.kind().is_none() {
            // A machine ends it as ever, and never lets it run.
            let ends = matches!(choice, DecisionChoice::Reject { .. }) || choice.kind().is_none();
            return if ends { VoteOutcome::Stands(None) } else { VoteOutcome::Refused };
        }
        let Some(person) = decided.by.as_deref().and_then(|by| DecidingPerson::new(by, groups))
        else {
            return VoteOutcome::Refused;
        };
        let age = decided.at.saturating_sub(self.created_at);
        let is_requester =
            self.requester().is_some_and(|requester| is_same_person(requester, person.name));
        match choice {
            DecisionChoice::Approve => {
                let counts_for = bits(needs, |need| {
                    need.names(person, age) && !(need.exclude_requester && is_requester)
                });
                self.count(votes, decided, person, counts_for)
            }
            DecisionChoice::Reject { .. } | DecisionChoice::Skip => {
                let ends = is_requester || needs.iter().any(|need| need.names(person, age));
                if ends { VoteOutcome::Stands(None) } else { VoteOutcome::Refused }
            }
            // What only one person decides, that person may also change.
            _ => match needs {
                [need]
                    if is_simple(needs)
                        && need.names(person, age)
                        && !(need.exclude_requester && is_requester) =>
                {
                    VoteOutcome::Stands(None)
                }
                _ => VoteOutcome::Refused,
            },
        }
    }

    fn count(
        &self, votes: &[Vote], decided: &RecordedDecision, person: DecidingPerson<'_>,
        counts_for: u32,
    ) -> VoteOutcome {
        let needs = self.needs();
        if counts_for == 0 {
            return VoteOutcome::Refused;
        }
        if is_simple(needs) {
            return VoteOutcome::Stands(None);
        }
        let mut after = votes.to_vec();
        // Somebody who is named later may be counted for more than before, but always as one person.
        let before = after.iter().position(|vote| is_same_person(&vote.by, person.name));
        let known = before.map_or(0, |at| after.remove(at).counts_for);
        let open = bits_of(needs, |index, need| quorum(votes, index) < need.quorum as usize);
        if counts_for & !known & open == 0 {
            return VoteOutcome::Known;
        }
        after.push(Vote {
            by: person.name.into(),
            via: decided.via,
            at: decided.at,
            reason: decided.decision.reason.clone(),
            counts_for: known | counts_for,
            entry: 0,
        });
        let left = bits_of(needs, |index, need| quorum(&after, index) < need.quorum as usize);
        if left == 0 { VoteOutcome::Stands(Some(after)) } else { VoteOutcome::Counts(after) }
    }
}

/// Whether one approval is enough, no matter whose.
fn is_simple(needs: &[ApproverNeed]) -> bool {
    matches!(needs, [ApproverNeed { quorum: 1, .. }])
}

/// What may be decided of a request with these needs, of what is allowed: where one person is not enough, what others agreed to
/// may not be changed. `None`: it could never be approved.
pub fn decidable(needs: &[ApproverNeed], allowed: DecisionKinds) -> Option<DecisionKinds> {
    if needs.is_empty() || is_simple(needs) {
        return Some(allowed);
    }
    let is_kept = |kind: &DecisionKind| !matches!(kind, DecisionKind::Edit | DecisionKind::Respond);
    DecisionKinds::new(allowed.iter().filter(is_kept))
        .filter(|kinds| kinds.contains(DecisionKind::Approve))
}

/// How many people a need has.
fn quorum(votes: &[Vote], index: usize) -> usize {
    votes.iter().filter(|vote| vote.counts_for & (1 << index) != 0).count()
}

fn bits(needs: &[ApproverNeed], is_set: impl Fn(&ApproverNeed) -> bool) -> u32 {
    bits_of(needs, |_, need| is_set(need))
}

/// There are at most 32 needs.
fn bits_of(needs: &[ApproverNeed], is_set: impl Fn(usize, &ApproverNeed) -> bool) -> u32 {
    let set = needs.iter().enumerate().filter(|(index, need)| is_set(*index, need));
    set.fold(0, |bits, (index, _)| bits | 1_u32.checked_shl(index as u32).unwrap_or(0))
}
