//! What a person may decide of a request that waits, for who shows it to them. What counts is decided when they do:
//! [`Record::decision_result`](super::Record::decision_result).

use super::name::is_same_person;
use super::need::DecidingPerson;
use super::{ApproverNeed, DecisionKind};

/// A request that waits, as far as it matters to who may decide it.
#[derive(Debug, Clone, Copy)]
pub struct WaitingRequest<'a> {
    /// What it may be answered with.
    pub allowed: &'a [DecisionKind],
    /// Who must agree.
    pub needs: &'a [ApproverNeed],
    /// Who has approved it, in the groups that they are known to be in.
    pub voters: &'a [DecidingPerson<'a>],
    /// Who asked for the run.
    pub requester: Option<&'a str>,
    /// ms since it was made.
    pub age: u64,
}

/// What a person may decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRights {
    /// In the order of the request.
    pub kinds: Vec<DecisionKind>,
    /// Why it is less than the request allows; `None`: it is not.
    pub lack: Option<MissingRight>,
}

/// Why a person may not decide all that a request allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingRight {
    /// Other people are named.
    OthersNamed,
    /// They have approved it, and others must, too.
    HasVoted,
    /// They asked for the run, and may not approve it.
    IsRequester,
}

impl WaitingRequest<'_> {
    /// What this person may decide.
    pub fn rights_of(&self, person: DecidingPerson<'_>) -> PersonRights {
        let Self { allowed, needs, voters, requester, age } = *self;
        let Some((only, more)) = needs.split_first() else {
            return PersonRights { kinds: allowed.to_vec(), lack: None };
        };
        let is_requester = requester.is_some_and(|name| is_same_person(name, person.name));
        let mut naming = needs.iter().filter(|need| need.names(person, age)).peekable();
        let is_named = naming.peek().is_some();
        if !is_named && !is_requester {
            return PersonRights { kinds: Vec::new(), lack: Some(MissingRight::OthersNamed) };
        }
        let counts = naming.any(|need| !(need.exclude_requester && is_requester));
        let has_voted = voters.iter().any(|voter| is_same_person(voter.name, person.name));
        let is_alone = more.is_empty() && only.quorum == 1;
        let may = |kind: &DecisionKind| match kind {
            // With several needs, somebody who is named later may count for more than before.
            DecisionKind::Approve => counts && !(has_voted && more.is_empty()),
            DecisionKind::Reject | DecisionKind::Skip => true,
            DecisionKind::Edit | DecisionKind::Respond => is_alone && counts,
        };
        let lack = match (has_voted, counts, is_named) {
            (true, _, _) => Some(MissingRight::HasVoted),
            (false, true, _) => None,
            (false, false, true) => Some(MissingRight::IsRequester),
            (false, false, false) => Some(MissingRight::OthersNamed),
        };
        PersonRights { kinds: allowed.iter().copied().filter(may).collect(), lack }
    }

    /// How many have approved each need. `None`: it names a group, and in which groups a voter was is not kept; where there is one
    /// need alone, each vote was for it.
    pub fn approvals(&self) -> Vec<Option<usize>> {
        let Self { needs, voters, age, .. } = *self;
        if needs.len() == 1 {
            return vec![Some(voters.len())];
        }
        let count = |need: &ApproverNeed| voters.iter().filter(|it| need.names(**it, age)).count();
        needs.iter().map(|need| (!need.names_group()).then(|| count(need))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::EscalationRule;
    use crate::approval::tests::{names, need};

    use DecisionKind::{Approve, Edit, Reject, Respond, Skip};
    use MissingRight::{HasVoted, IsRequester, OthersNamed};

    const ALL: [DecisionKind; 5] = [Approve, Edit, Reject, Respond, Skip];
    const NO: &[DecisionKind] = &[Reject, Skip];

    type RightsRow = (
        Vec<ApproverNeed>,
        &'static [&'static str],
        Option<&'static str>,
        &'static [DecisionKind],
        Option<MissingRight>,
    );

    const fn person(name: &str) -> DecidingPerson<'_> {
        DecidingPerson { name, groups: &[] }
    }

    #[test]
    fn what_a_person_may_decide() {
        let excluding = |need| ApproverNeed { exclude_requester: true, ..need };
        let escalated = |after| ApproverNeed {
            escalate: Some(EscalationRule { after, to: names(&["ada"]) }),
            ..need(&["bo"], 1)
        };
        let two = vec![need(&["ada", "bo"], 2)];
        let table: Vec<RightsRow> = vec![
            // needs, voters, requester: what ada may, and why it is not all
            (vec![], &[], None, &ALL, None),
            (vec![], &[], Some("ada"), &ALL, None),
            (vec![need(&["ada"], 1)], &[], None, &ALL, None),
            (vec![need(&["ADA"], 1)], &[], None, &[], Some(OthersNamed)),
            (vec![need(&["bo"], 1)], &[], None, &[], Some(OthersNamed)),
            (vec![need(&["bo"], 1)], &[], Some("Ada"), NO, Some(OthersNamed)),
            (vec![excluding(need(&["ada"], 1))], &[], Some("ada"), NO, Some(IsRequester)),
            (vec![excluding(need(&[], 1))], &[], Some("bo"), &ALL, None),
            (vec![escalated(10)], &[], None, &ALL, None),
            (vec![escalated(11)], &[], None, &[], Some(OthersNamed)),
            (two.clone(), &[], None, &[Approve, Reject, Skip], None),
            (two, &["ada"], None, NO, Some(HasVoted)),
            (
                vec![need(&["ada"], 1), need(&["bo"], 1)],
                &["ada"],
                None,
                &[Approve, Reject, Skip],
                Some(HasVoted),
            ),
        ];
        for (needs, voters, requester, kinds, lack) in table {
            let voters: Vec<_> = voters.iter().map(|name| person(name)).collect();
            let request = WaitingRequest {
                allowed: &ALL,
                needs: &needs,
                voters: &voters,
                requester,
                age: 10,
            };
            let rights = request.rights_of(person("ada"));
            assert_eq!((&*rights.kinds, rights.lack), (kinds, lack), "{request:?}");
        }
    }

    #[test]
    fn approvals_of_a_group_are_not_known_beside_another_need() {
        let voters = [person("ada"), person("eve")];
        let approvals = |needs: &[ApproverNeed]| {
            let allowed = &ALL;
            WaitingRequest { allowed, needs, voters: &voters, requester: None, age: 0 }.approvals()
        };
        assert_eq!(approvals(&[need(&["group:ops"], 3)]), [Some(2)]);
        assert_eq!(approvals(&[need(&["group:ops"], 1), need(&["ada"], 1)]), [None, Some(1)]);
    }
}
