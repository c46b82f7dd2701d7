//! Who may decide: every small case, and many larger ones.

use proptest::prelude::*;

use super::*;
use crate::call::{CanonicalJson, ToolCall};
use crate::cases::cases;
use crate::effort::effort;

const PEOPLE: [&str; 4] = ["ada", "bo", "cy", "dee"];
const OPS: &str = "group:ops";

/// Who is in the group.
fn groups(name: &str) -> Vec<Box<str>> {
    if matches!(name, "cy" | "dee") { vec!["ops".into()] } else { Vec::new() }
}

pub(super) fn request(needs: Vec<ApproverNeed>, requester: Option<&str>) -> Request {
    let call = ToolCall {
        run_id: "run".into(),
        tool_call_id: "call".into(),
        tool_name: "execute".into(),
        args: CanonicalJson::parse("{}").unwrap(),
        context: None,
    };
    let more = RequestExtras {
        needs: ApproverNeed::checked(needs).unwrap(),
        requester: requester.map(Into::into),
        ..RequestExtras::default()
    };
    Request {
        id: uuid::Uuid::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into()].into(),
        description: None,
        preview: "execute".into(),
        more: Some(Box::new(more)),
        allowed: DecisionKinds::ALL,
        created_at: 1_000,
        expires_at: None,
    }
}

pub(super) fn names(names: &[&str]) -> Vec<Box<str>> {
    names.iter().map(|name| (*name).into()).collect()
}

pub(super) fn need(approvers: &[&str], quorum: u32) -> ApproverNeed {
    let approvers = (!approvers.is_empty()).then(|| names(approvers));
    ApproverNeed { approvers, quorum, exclude_requester: false, escalate: None }
}

pub(super) fn decided(
    by: Option<&str>, choice: DecisionChoice, via: DecisionChannel, at: u64,
) -> RecordedDecision {
    RecordedDecision { decision: Decision::new(choice, None), by: by.map(Into::into), via, at }
}

fn says(
    request: &Request, votes: &[Vote], by: &str, choice: DecisionChoice, at: u64,
) -> VoteOutcome {
    request.consider(votes, &decided(Some(by), choice, DecisionChannel::Gate, at), &groups(by))
}

/// What it becomes when these approve in this order; `None`: it waits.
fn approved_by(request: &Request, people: &[&str], at: u64) -> (bool, Vec<Vote>) {
    let mut votes = Vec::new();
    for by in people {
        match says(request, &votes, by, DecisionChoice::Approve, at) {
            VoteOutcome::Stands(after) => return (true, after.unwrap_or(votes)),
            VoteOutcome::Counts(after) => votes = after,
            VoteOutcome::Known | VoteOutcome::Refused => {}
        }
    }
    (false, votes)
}

/// What must be so for a call to run, written down on its own: each need has as many different people as it asks for.
fn is_agreed(request: &Request, people: &[&str], at: u64) -> bool {
    request.needs().iter().all(|need| {
        let named = PEOPLE.iter().filter(|name| {
            let is = |approver: &str| {
                approver == **name || (approver == OPS && !groups(name).is_empty())
            };
            let by_name = need.approvers.as_ref().is_none_or(|all| all.iter().any(|all| is(all)));
            let later = need.escalate.as_ref().is_some_and(|escalate| {
                1_000 + escalate.after <= at && escalate.to.iter().any(|to| is(to))
            });
            let is_excluded = need.exclude_requester && request.requester() == Some(**name);
            people.contains(*name) && (by_name || later) && !is_excluded
        });
        named.count() >= need.quorum as usize
    })
}

/// Every need of a small world: who is named, how many, whether the requester counts, whom it is escalated to.
fn small_needs() -> Vec<ApproverNeed> {
    let lists: [&[&str]; 5] = [&[], &["ada"], &["ada", "bo"], &[OPS], &["ada", OPS]];
    let mut needs = Vec::new();
    for approvers in lists {
        for quorum in 1..=3 {
            for exclude_requester in [false, true] {
                for to in [None, Some("bo"), Some(OPS)] {
                    let escalate = to.map(|to| EscalationRule { after: 10, to: names(&[to]) });
                    needs.push(ApproverNeed {
                        exclude_requester,
                        escalate,
                        ..need(approvers, quorum)
                    });
                }
            }
        }
    }
    needs.retain(|need| {
        ApproverNeed::checked(vec![need.clone()]).is_ok_and(|kept| !kept.is_empty())
    });
    needs
}

/// All orders of all subsets of people.
fn lines() -> Vec<Vec<&'static str>> {
    let mut lines = vec![Vec::new()];
    let mut last = lines.clone();
    for _ in PEOPLE {
        last = last
            .iter()
            .flat_map(|line| {
                let more = PEOPLE.into_iter().filter(|name| !line.contains(name));
                more.map(|name| [line.as_slice(), &[name]].concat()).collect::<Vec<_>>()
            })
            .collect();
        lines.extend(last.iter().cloned());
    }
    lines
}

#[test]
fn no_call_is_approved_without_every_quorum_whatever_the_order() {
    let (needs, lines) = (small_needs(), lines());
    let mut approved = 0_u32;
    for (index, first) in needs.iter().enumerate() {
        // Each with itself and with every fifth of the others: about 600 pairs.
        let apart = effort(60, 5);
        for second in needs.iter().skip(index % apart).step_by(apart).chain([first]) {
            for requester in
                [None, Some("ada"), Some("cy")].into_iter().skip(index % 3).step_by(effort(3, 1))
            {
                let request = request(vec![first.clone(), second.clone()], requester);
                for at in [1_005, 1_010] {
                    for line in &lines {
                        let (runs, votes) = approved_by(&request, line, at);
                        assert_eq!(runs, is_agreed(&request, line, at), "{request:?} {line:?}");
                        approved += u32::from(runs);
                        let mut by: Vec<_> = votes.iter().map(|vote| &vote.by).collect();
                        by.sort_unstable();
                        by.dedup();
                        assert_eq!(by.len(), votes.len(), "a person counts once");
                    }
                }
            }
        }
    }
    assert!(approved > effort(300, 1_000));
}

#[test]
fn one_who_is_named_ends_it_and_nobody_else() {
    let request = request(
        vec![need(&["ada", OPS], 2), ApproverNeed { exclude_requester: true, ..need(&["bo"], 1) }],
        Some("eve"),
    );
    let votes = approved_by(&request, &["ada", "cy"], 1_000).1;
    assert_eq!(votes.len(), 2);
    for choice in [DecisionChoice::Reject { stop: false }, DecisionChoice::Skip] {
        for (by, expected) in [
            ("ada", VoteOutcome::Stands(None)),
            ("dee", VoteOutcome::Stands(None)),
            ("bo", VoteOutcome::Stands(None)),
            // The requester may always take it back.
            ("eve", VoteOutcome::Stands(None)),
            ("mallory", VoteOutcome::Refused),
            ("ops", VoteOutcome::Refused),
            (OPS, VoteOutcome::Refused),
            ("", VoteOutcome::Refused),
            (" ", VoteOutcome::Refused),
        ] {
            assert_eq!(says(&request, &votes, by, choice.clone(), 1_000), expected, "{by}");
        }
        let nobody = decided(None, choice, DecisionChannel::Callback, 1_000);
        assert_eq!(request.consider(&votes, &nobody, &["ops".into()]), VoteOutcome::Refused);
    }
}

#[test]
fn machines_stop_it_and_never_let_it_run() {
    let request = request(vec![need(&["ada"], 1)], None);
    let answer = CanonicalJson::parse("1").unwrap();
    for via in [DecisionChannel::System, DecisionChannel::Deadline, DecisionChannel::Abort] {
        for choice in [
            DecisionChoice::Expired,
            DecisionChoice::Cancelled,
            DecisionChoice::Reject { stop: false },
        ] {
            let decided = decided(Some("countersign"), choice, via, 1_000);
            assert_eq!(request.consider(&[], &decided, &[]), VoteOutcome::Stands(None));
        }
        for choice in [
            DecisionChoice::Approve,
            DecisionChoice::Edit { args: answer.clone(), bound: None },
            DecisionChoice::Respond { output: answer.clone() },
            DecisionChoice::Skip,
        ] {
            let decided = decided(Some("ada"), choice, via, 1_000);
            assert_eq!(request.consider(&[], &decided, &[]), VoteOutcome::Refused);
        }
    }
}

#[test]
fn what_one_person_decides_that_person_may_change_and_no_other() {
    let answer = CanonicalJson::parse("1").unwrap();
    let alone = request(
        vec![ApproverNeed { exclude_requester: true, ..need(&[OPS, "ada"], 1) }],
        Some("ada"),
    );
    for choice in [
        DecisionChoice::Edit { args: answer.clone(), bound: None },
        DecisionChoice::Respond { output: answer },
    ] {
        for (by, expected) in [
            ("cy", VoteOutcome::Stands(None)),
            ("ada", VoteOutcome::Refused),
            ("bo", VoteOutcome::Refused),
        ] {
            assert_eq!(says(&alone, &[], by, choice.clone(), 1_000), expected, "{by}");
        }
        for needs in [vec![need(&[OPS], 2)], vec![need(&[OPS], 1), need(&["cy"], 1)]] {
            let several = request(needs, None);
            assert_eq!(says(&several, &[], "cy", choice.clone(), 1_000), VoteOutcome::Refused);
        }
    }
    let one = DecisionKinds::new([DecisionKind::Edit]).unwrap();
    assert_eq!(decidable(alone.needs(), one), Some(one));
    assert_eq!(decidable(&[need(&[], 2)], one), None);
    let kinds = decidable(&[need(&[], 2)], DecisionKinds::ALL).unwrap();
    assert_eq!(kinds.names(), "approve, reject, skip");
}

#[test]
fn a_person_counts_once_however_they_write_their_name() {
    let request = request(vec![need(&[], 2)], None);
    let (runs, votes) = approved_by(&request, &["Ada", "ada", " ADA "], 1_000);
    assert_eq!((runs, votes.len()), (false, 1));
    assert!(matches!(
        says(&request, &votes, "ada", DecisionChoice::Approve, 1_000),
        VoteOutcome::Known
    ));
    assert!(matches!(
        says(&request, &votes, "bo", DecisionChoice::Approve, 1_000),
        VoteOutcome::Stands(_)
    ));
}

#[test]
fn neither_form_nor_what_cannot_be_seen_makes_a_second_person() {
    for (name, other) in [
        ("José", "Jose\u{301}"),
        ("ada", "ada\u{200b}"),
        ("ada", "a\u{ad}d\u{2060}a"),
        ("ada", "ada\0"),
        ("ada", "ａｄａ"),
        ("ada", "ada\u{3164}"),
        ("ada", "ada\u{fe0f}"),
        ("straße", "STRASSE"),
        ("ΣΟΦΟΣ", "σοφος"),
        ("Ada Lovelace", "ada\u{a0} lovelace"),
    ] {
        assert!(is_same_person(name, other) && is_same_person(other, name), "{other:?}");
        let excluding = ApproverNeed { exclude_requester: true, ..need(&[], 1) };
        let own = request(vec![excluding], Some(name));
        assert_eq!(says(&own, &[], other, DecisionChoice::Approve, 1_000), VoteOutcome::Refused);
        let (runs, votes) = approved_by(&request(vec![need(&[], 2)], None), &[name, other], 1_000);
        assert_eq!((runs, votes.len()), (false, 1), "{other:?}");
    }
    // Marks that can be seen tell people apart, and so do letters of another alphabet.
    for (name, other) in [("jose", "josé"), ("ada", "аdа"), ("ada1", "adal"), ("o'neil", "oneil")]
    {
        assert!(!is_same_person(name, other), "{other:?}");
    }
}

#[test]
fn what_is_no_name_is_nobodys() {
    let request = request(vec![need(&[], 2)], None);
    for by in [
        "",
        " ",
        "\u{200b}",
        "\u{3164}",
        "\0",
        "group:ops",
        " group:ops",
        "GROUP:ops",
        "\u{feff}group：ops",
    ] {
        assert!(!is_name(by), "{by:?}");
        assert_eq!(
            says(&request, &[], by, DecisionChoice::Approve, 1_000),
            VoteOutcome::Refused,
            "{by:?}"
        );
    }
}

#[test]
fn who_is_named_later_is_counted_for_more_but_as_one() {
    let escalate = Some(EscalationRule { after: 10, to: names(&["ada"]) });
    let request =
        request(vec![need(&["ada"], 1), ApproverNeed { escalate, ..need(&["bo"], 1) }], None);
    let VoteOutcome::Counts(votes) = says(&request, &[], "ada", DecisionChoice::Approve, 1_000)
    else {
        panic!("not counted")
    };
    assert_eq!(says(&request, &votes, "ada", DecisionChoice::Approve, 1_009), VoteOutcome::Known);
    let VoteOutcome::Stands(Some(votes)) =
        says(&request, &votes, "ada", DecisionChoice::Approve, 1_010)
    else {
        panic!("does not stand")
    };
    assert_eq!(votes.len(), 1);
    assert_eq!(request.approvers(1_000), ["ada", "bo"]);
    let excluding = ApproverNeed { exclude_requester: true, ..need(&["ada", OPS], 1) };
    assert_eq!(self::request(vec![excluding], Some("Ada")).approvers(0), [OPS]);
}

#[test]
fn a_need_is_met_by_one_that_says_the_same() {
    let (ada, both) = (need(&["ada"], 1), need(&["bo", "ada"], 2));
    let after = |after| Some(EscalationRule { after, to: names(&["eve"]) });
    let later = ApproverNeed { escalate: after(5), ..ada.clone() };
    let others = [
        later.clone(),
        ApproverNeed { escalate: after(6), ..ada.clone() },
        ApproverNeed { exclude_requester: true, ..ada.clone() },
        need(&["ada"], 2),
        both.clone(),
    ];
    let met = [ada, both];
    assert!(ApproverNeed::all_covered(&[], &[]));
    assert!(ApproverNeed::all_covered(&[need(&[], 1)], &[]), "what everybody satisfies");
    assert!(ApproverNeed::all_covered(&[need(&["ada", "bo", "ada"], 2)], &met));
    assert!(!ApproverNeed::all_covered(&met, &[]));
    for other in others.iter().take(4) {
        assert!(!ApproverNeed::all_covered(std::slice::from_ref(other), &met), "{other:?}");
    }
    assert!(!ApproverNeed::all_covered(&met, &others), "others agreed to more, not to this");
    let [soon, late] = [5, 6].map(|at| ApproverNeed { escalate: after(at), ..need(&["ada"], 1) });
    assert!(ApproverNeed::all_covered(std::slice::from_ref(&soon), std::slice::from_ref(&soon)));
    assert!(!ApproverNeed::all_covered(&[soon], &[late]), "others are named at another time");
}

#[test]
fn needs_are_checked_and_equal_ones_kept_once() {
    let checked = |needs: Vec<ApproverNeed>| ApproverNeed::checked(needs).map(|needs| needs.len());
    assert_eq!(checked(vec![need(&[], 1)]), Ok(0));
    let two = vec![need(&["a", "b", "a"], 1), need(&["b", "a"], 1), need(&["a"], 1)];
    assert_eq!(checked(two.clone()), Ok(2));
    assert_eq!(ApproverNeed::checked(two).unwrap()[0].approvers, Some(names(&["a", "b"])));
    assert_eq!(checked(vec![need(&[OPS], 100)]), Ok(1));
    let escalate = Some(EscalationRule { after: 1, to: names(&["b", "c"]) });
    assert_eq!(checked(vec![ApproverNeed { escalate, ..need(&["a"], 3) }]), Ok(1));
    for (wrong, why) in [
        (need(&["a"], 2), "only 1 person is named"),
        (need(&["a", "A"], 2), "only 1 person is named"),
        (need(&["é", "e\u{301}"], 2), "only 1 person is named"),
        (need(&["Group:ops"], 1), "names of people, or of groups"),
        (need(&["\u{200b}"], 1), "names of people, or of groups"),
        (need(&["a"], 0), "quorum"),
        (need(&[OPS], 101), "quorum"),
        (need(&[""], 1), "approvers"),
        (need(&[" a"], 1), "approvers"),
        (need(&["group:"], 1), "approvers"),
        (ApproverNeed { approvers: Some(Vec::new()), ..need(&[], 1) }, "approvers"),
        (
            ApproverNeed {
                escalate: Some(EscalationRule { after: 0, to: names(&["a"]) }),
                ..need(&[], 1)
            },
            "after",
        ),
        (
            ApproverNeed {
                escalate: Some(EscalationRule { after: 1, to: Vec::new() }),
                ..need(&[], 1)
            },
            "escalate.to",
        ),
    ] {
        let error = ApproverNeed::checked(vec![wrong]).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_time_does_before_the_deadline_and_when() {
    let later = |after| ApproverNeed {
        escalate: Some(EscalationRule { after, to: names(&["a"]) }),
        ..need(&[], 1)
    };
    let needs = [later(100), later(100), later(50), later(500)];
    use TimerAction::{Escalate as E, Remind as R};
    assert_eq!(
        schedule(&needs, 1_000, Some(1_500), Some(400)),
        [(1_050, E), (1_100, E), (1_100, R)]
    );
    assert_eq!(schedule(&needs, 1_000, None, Some(400)), [(1_050, E), (1_100, E), (1_500, E)]);
    // Who was asked a moment ago is not reminded.
    assert_eq!(schedule(&[], 1_000, Some(1_500), Some(500)), []);
    assert_eq!(schedule(&[], 1_000, Some(1_500), Some(u64::MAX)), []);
}

proptest! {
    #![proptest_config(cases(64, 256))]

    /// The same people make the same of it in any order.
    #[test]
    fn the_order_of_approvals_does_not_matter(
        picked in proptest::collection::vec(0..small_needs().len(), 1..5),
        mut line in proptest::collection::vec(0..PEOPLE.len(), 0..8),
        late in any::<bool>(),
        turn in 0..8_usize,
    ) {
        let all = small_needs();
        let needs = picked.iter().map(|index| all[*index].clone()).collect();
        let request = request(needs, Some("bo"));
        let at = if late { 1_010 } else { 1_000 };
        let people = |line: &[usize]| line.iter().map(|name| PEOPLE[*name]).collect::<Vec<_>>();
        let first = approved_by(&request, &people(&line), at).0;
        let middle = turn.min(line.len());
        line.rotate_left(middle);
        prop_assert_eq!(approved_by(&request, &people(&line), at).0, first);
        line.reverse();
        prop_assert_eq!(approved_by(&request, &people(&line), at).0, first);
        prop_assert_eq!(first, is_agreed(&request, &people(&line), at));
    }
}
