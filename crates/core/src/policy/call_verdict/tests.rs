use super::*;

use Effect::{Allow, Ask, Deny};
use PolicyMode::{Auto, DenyAllAsks, Plan, Safe};

const fn own(effect: Effect) -> CallOpinion<'static> {
    CallOpinion { effect, reason: Some("own"), names_people: false }
}

const fn named(effect: Effect) -> CallOpinion<'static> {
    CallOpinion { effect, reason: None, names_people: true }
}

const fn says(effect: Effect, reason: &'static str) -> PolicyOpinion<'static> {
    PolicyOpinion {
        effect,
        reason,
        names_people: false,
        managed_ask: false,
        forgets: false,
        reviewable: false,
    }
}

/// A call without any opinion on it.
fn unopposed<'a>() -> CallParts<'a> {
    CallParts { own: Some(&[]), ..CallParts::default() }
}

fn verdict<'a>(parts: &CallParts<'a>) -> CallVerdict<'a> {
    match call_verdict(parts) {
        CallAnswer::Verdict(verdict) => verdict,
        asked => panic!("{asked:?}"),
    }
}

/// The effect, why, and which policies explain it.
fn told(parts: &CallParts<'_>) -> (Effect, Option<String>, Option<usize>) {
    let CallVerdict { effect, reason, said, .. } = verdict(parts);
    (effect, reason.map(Cow::into_owned), said)
}

#[test]
fn the_strictest_of_gate_run_and_own_counts() {
    let effects = [None, Some(Allow), Some(Ask), Some(Deny)];
    for gate in effects {
        for run in effects {
            for of_call in [None, Some(Ask), Some(Deny)] {
                let policies: Vec<_> = [gate, run]
                    .into_iter()
                    .zip(["gate", "run"])
                    .filter_map(|(effect, reason)| Some(says(effect?, reason)))
                    .collect();
                let opinions: Vec<_> = of_call.map(own).into_iter().collect();
                let parts = CallParts {
                    policies: &policies,
                    of_gate: gate.is_some(),
                    own: Some(&opinions),
                    ..unopposed()
                };
                let strictest = [gate, run, of_call].into_iter().flatten().max().unwrap_or(Allow);
                assert_eq!(verdict(&parts).effect, strictest, "{gate:?} {run:?} {of_call:?}");
            }
        }
    }
}

#[test]
fn a_verdict_is_explained_by_the_policies_that_it_comes_from() {
    // gate, run, own: effect, reason, explained by, only a whole grant answers
    let table = [
        (Some(Allow), None, None, (Allow, None, Some(0), false)),
        (Some(Ask), None, None, (Ask, Some("gate"), Some(0), false)),
        (Some(Ask), Some(Allow), None, (Ask, Some("gate"), Some(0), false)),
        (Some(Allow), Some(Ask), None, (Ask, Some("run"), Some(1), true)),
        (Some(Ask), Some(Ask), None, (Ask, Some("gate"), Some(0), true)),
        (None, Some(Ask), None, (Ask, Some("run"), Some(0), true)),
        (Some(Ask), None, Some(Ask), (Ask, Some("own"), Some(0), true)),
        (Some(Allow), Some(Ask), Some(Ask), (Ask, Some("own"), Some(1), true)),
        (Some(Ask), Some(Deny), Some(Deny), (Deny, Some("run"), Some(1), false)),
        (Some(Ask), None, Some(Deny), (Deny, Some("own"), None, false)),
        (None, None, Some(Ask), (Ask, Some("own"), None, true)),
        (None, None, None, (Allow, None, None, false)),
    ];
    for (gate, run, of_call, expected) in table {
        let policies: Vec<_> = [gate.map(|it| says(it, "gate")), run.map(|it| says(it, "run"))]
            .into_iter()
            .flatten()
            .collect();
        let opinions: Vec<_> = of_call.map(own).into_iter().collect();
        let parts = CallParts {
            policies: &policies,
            of_gate: gate.is_some(),
            own: Some(&opinions),
            ..unopposed()
        };
        let CallVerdict { effect, reason, said, floor, .. } = verdict(&parts);
        let got = (effect, reason.as_deref(), said, floor);
        assert_eq!(got, expected, "{gate:?} {run:?} {of_call:?}");
    }
}

#[test]
fn of_several_opinions_the_first_of_the_strictest_is_told_and_the_people_of_all_that_ask_must_agree()
 {
    let first = CallOpinion { effect: Ask, reason: Some("first"), names_people: true };
    let policies = [says(Allow, "gate")];
    let opinions = [first, own(Ask)];
    let parts =
        CallParts { policies: &policies, of_gate: true, own: Some(&opinions), ..unopposed() };
    let asked = verdict(&parts);
    assert_eq!((asked.reason.as_deref(), asked.approvers), (Some("first"), vec![1, 2, 0]));
    let denied = [first, own(Deny)];
    assert_eq!(
        told(&CallParts { own: Some(&denied), ..parts }),
        (Deny, Some("own".to_owned()), None)
    );
}

#[test]
fn the_judge_is_asked_about_what_is_not_denied_and_only_tightens() {
    let allowed = CallParts { has_judge: true, ..unopposed() };
    assert_eq!(call_verdict(&allowed), CallAnswer::AskJudge { effect: Allow, said: None });
    let denied = [own(Deny)];
    assert_eq!(verdict(&CallParts { own: Some(&denied), ..allowed }).effect, Deny);

    let asked = [own(Ask)];
    let silent = |effect| Some(CallOpinion { effect, reason: None, names_people: false });
    let table = [
        (&asked[..0], silent(Allow), (Allow, None)),
        (&asked[..0], silent(Ask), (Ask, Some("the judge asks"))),
        (&asked[..0], silent(Deny), (Deny, Some("Denied by the judge."))),
        (&asked[..0], Some(own(Deny)), (Deny, Some("own"))),
        (&asked[..], silent(Allow), (Ask, Some("own"))),
        (&asked[..], silent(Ask), (Ask, Some("own"))),
        (&asked[..], silent(Deny), (Deny, Some("Denied by the judge."))),
    ];
    for (opinions, judge, (effect, reason)) in table {
        let parts = CallParts { own: Some(opinions), judge, ..allowed };
        assert_eq!(told(&parts), (effect, reason.map(str::to_owned), None), "{judge:?}");
    }
    let parts = CallParts { judge: silent(Ask), ..allowed };
    assert!(verdict(&parts).floor, "a rule's grant answers no judge");
}

#[test]
fn each_mode_answers_an_ask_in_its_way_and_none_answers_a_deny() {
    let nobody = "Nobody is there to be asked: own";
    let read_only = |effect| Some(CallOpinion { effect, reason: Some("why"), names_people: false });
    let plan = "Plan mode: only what is read-only runs. why";
    let table = [
        // mode, own, read-only: effect, reason, by the mode
        (Safe, Some(Ask), None, (Ask, Some("own"), false)),
        (Auto, Some(Ask), None, (Allow, Some("own"), true)),
        (DenyAllAsks, Some(Ask), None, (Deny, Some(nobody), false)),
        (DenyAllAsks, None, None, (Allow, None, false)),
        (Auto, Some(Deny), None, (Deny, Some("own"), false)),
        (Plan, None, read_only(Allow), (Allow, None, false)),
        (Plan, None, read_only(Ask), (Deny, Some(plan), false)),
        (Plan, Some(Ask), read_only(Allow), (Ask, Some("own"), false)),
        (Plan, Some(Ask), read_only(Ask), (Deny, Some(plan), false)),
        (Plan, Some(Deny), None, (Deny, Some("own"), false)),
    ];
    for (mode, of_call, read_only, expected) in table {
        let opinions: Vec<_> = of_call.map(own).into_iter().collect();
        let forbids_auto = Some(false);
        let parts =
            CallParts { mode, own: Some(&opinions), read_only, forbids_auto, ..unopposed() };
        let CallVerdict { effect, reason, by_mode, .. } = verdict(&parts);
        assert_eq!((effect, reason.as_deref(), by_mode), expected, "{mode:?} {of_call:?}");
    }
}

#[test]
fn functions_are_asked_where_no_policy_denies() {
    for effect in [Allow, Ask, Deny] {
        let policies = [says(Allow, "gate"), says(effect, "run")];
        let parts = CallParts { policies: &policies, of_gate: true, ..CallParts::default() };
        match call_verdict(&parts) {
            CallAnswer::AskOwn => assert!(effect < Deny),
            CallAnswer::Verdict(verdict) => {
                assert_eq!((effect, verdict.effect, verdict.said), (Deny, Deny, Some(1)));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_not_known_is_asked_for() {
    let asked = [own(Ask)];
    let parts = CallParts { own: Some(&asked), ..unopposed() };
    let plan = CallParts { mode: Plan, ..parts };
    assert_eq!(call_verdict(&plan), CallAnswer::AskReadOnly);
    assert_eq!(verdict(&CallParts { starts_agents: true, ..plan }).effect, Ask);
    assert_eq!(call_verdict(&CallParts { mode: Auto, ..parts }), CallAnswer::AskForbidden);
    let forbidden = CallParts { mode: Auto, forbids_auto: Some(true), ..parts };
    assert_eq!(verdict(&forbidden).effect, Ask);
    let granted = CallParts { may_grant: true, ..parts };
    assert_eq!(call_verdict(&granted), CallAnswer::AskGrant { floor: true });
    assert_eq!(verdict(&CallParts { is_question: true, ..granted }).effect, Ask);
    let question = CallParts { mode: DenyAllAsks, is_question: true, ..parts };
    assert_eq!(verdict(&question).effect, Ask);
}

#[test]
fn a_grant_answers_where_nobody_is_named_and_no_administrator_asks() {
    let asked = [own(Ask)];
    let grant = |effect| Some(GrantOpinion { effect, by: "ada", label: "rm *" });
    let allowed =
        CallParts { own: Some(&asked), may_grant: true, grant: grant(Allow), ..unopposed() };
    assert_eq!(told(&allowed), (Allow, None, None));
    let rejected = told(&CallParts { grant: grant(Deny), ..allowed });
    assert_eq!(rejected, (Deny, Some("Always rejected by ada: rm *".to_owned()), None));

    let people = [named(Ask)];
    for mode in [Safe, Auto] {
        let parts = CallParts { own: Some(&people), mode, forbids_auto: Some(false), ..allowed };
        assert_eq!(verdict(&parts).effect, Ask, "{mode:?}");
    }
    let unattended =
        told(&CallParts { own: Some(&people), mode: DenyAllAsks, tool_name: "rm", ..allowed });
    let why = "Nobody is there to be asked: rm must be asked about";
    assert_eq!(unattended, (Deny, Some(why.to_owned()), None));

    let managed = [PolicyOpinion { managed_ask: true, ..says(Ask, "managed") }];
    let of_run = CallParts { policies: &managed, own: Some(&[]), ..allowed };
    assert_eq!(verdict(&of_run).effect, Ask);
    let of_gate = CallParts { of_gate: true, ..of_run };
    assert_eq!(verdict(&of_gate).effect, Allow, "the gate's own grants know of its administrator");
}

#[test]
fn the_reason_of_a_policy_is_told_where_the_one_that_asks_gives_none() {
    let policies = [says(Ask, "policy")];
    let people = [named(Ask)];
    let parts = CallParts {
        policies: &policies,
        of_gate: true,
        own: Some(&people),
        mode: DenyAllAsks,
        ..unopposed()
    };
    let why = "Nobody is there to be asked: policy";
    assert_eq!(told(&parts), (Deny, Some(why.to_owned()), Some(0)));
}

#[test]
fn a_reviewer_may_approve_what_rules_alone_ask_about_and_leave_to_it() {
    let left = PolicyOpinion { reviewable: true, ..says(Ask, "left") };
    let managed = PolicyOpinion { managed_ask: true, ..left };
    let people = PolicyOpinion { names_people: true, ..left };
    let judge = Some(own(Ask));
    let table: [(&[PolicyOpinion<'_>], &[CallOpinion<'_>], _, _); 12] = [
        (&[left], &[], None, None),
        (&[says(Allow, "gate"), left], &[], None, None),
        (&[left, left], &[], Some(own(Allow)), None),
        (&[says(Ask, "gate")], &[], None, Some(ReviewBar::Unmarked)),
        (&[left, says(Ask, "run")], &[], None, Some(ReviewBar::Unmarked)),
        (&[], &[own(Ask)], None, Some(ReviewBar::Beside)),
        (&[left], &[own(Ask)], None, Some(ReviewBar::Beside)),
        (&[left], &[], judge, Some(ReviewBar::Beside)),
        (&[says(Allow, "gate")], &[], judge, Some(ReviewBar::Beside)),
        (&[managed], &[], None, Some(ReviewBar::Managed)),
        (&[people], &[], None, Some(ReviewBar::People)),
        (&[left], &[named(Ask)], None, Some(ReviewBar::People)),
    ];
    for (policies, own, judge, expected) in table {
        let parts = CallParts {
            policies,
            own: Some(own),
            has_judge: judge.is_some(),
            judge,
            of_gate: true,
            ..CallParts::default()
        };
        assert_eq!(verdict(&parts).review_bar, expected, "{policies:?} {own:?} {judge:?}");
        let asks = CallParts { is_question: true, ..parts };
        assert_eq!(verdict(&asks).review_bar, Some(ReviewBar::Question));
    }
}
