//! Requests that several people decide.

use super::*;
use crate::approval::{ApproverNeed, EscalationRule, Vote};

fn need(approvers: &[&str], quorum: u32) -> ApproverNeed {
    let approvers = Some(approvers.iter().map(|name| (*name).into()).collect());
    ApproverNeed { approvers, quorum, exclude_requester: false, escalate: None }
}

fn escalating(after: u64, to: &str) -> ApproverNeed {
    ApproverNeed {
        escalate: Some(EscalationRule { after, to: vec![to.into()] }),
        ..need(&["ada"], 1)
    }
}

fn asked(
    call: &str, needs: Vec<ApproverNeed>, deadline: Option<u64>, remind: Option<u64>,
) -> Request {
    let needs = ApproverNeed::checked(needs).unwrap();
    let more =
        RequestExtras { needs, requester: Some("eve".into()), remind, ..RequestExtras::default() };
    Request { more: Some(Box::new(more)), ..request("r", call, deadline) }
}

fn says(
    ledger: &impl Ledger, id: ApprovalId, by: &str, choice: DecisionChoice, at: u64,
) -> DecideOutcome {
    let decision = Decision::new(choice, Some("because"));
    let decided =
        RecordedDecision { decision, by: Some(by.into()), via: DecisionChannel::Inbox, at };
    let groups: &[Box<str>] = if by == "cy" { &["ops".into()] } else { &[] };
    ledger.decide_as(id, decided, groups).unwrap()
}

fn votes(ledger: &impl Ledger, id: ApprovalId) -> Vec<(String, u64, u32)> {
    let record = ledger.get(id).unwrap().unwrap();
    let votes = record.votes().iter();
    votes.map(|Vote { by, at, counts_for, .. }| ((**by).to_owned(), *at, *counts_for)).collect()
}

pub(super) fn counts_approvals_until_all_agree(ledger: impl Ledger) {
    let needs = vec![need(&["ada", "bo", "group:ops"], 2), need(&["dee", "group:ops"], 1)];
    let id = created(&ledger, asked("1", needs, None, None)).request().id;
    let approve = |by: &str, at| says(&ledger, id, by, DecisionChoice::Approve, at);
    assert!(
        matches!(approve("eve", 1), DecideOutcome::Refused { may, .. } if may == ["ada", "bo", "group:ops", "dee"].map(Box::from))
    );
    assert!(matches!(ledger.decide(id, super::approve(1)).unwrap(), DecideOutcome::Refused { .. }));
    assert!(votes(&ledger, id).is_empty());
    assert!(matches!(approve("ada", 2), DecideOutcome::Counted(_)));
    // Once, even if said again.
    let DecideOutcome::Counted(record) = approve("ada", 3) else { panic!("not counted") };
    assert_eq!(record.votes().len(), 1);
    assert_eq!(record.votes()[0].reason.as_deref(), Some("because"));
    assert!(matches!(approve("bo", 4), DecideOutcome::Counted(_)));
    assert_eq!(status(&ledger, id), Some(Status::Pending));
    assert!(
        ledger.history(&HistoryQuery { limit: 9, ..HistoryQuery::default() }).unwrap().is_empty()
    );
    assert_eq!(calls(&ledger.pending(None).unwrap()), ["r/1"]);
    let digest = ledger.get(id).unwrap().unwrap().request().digest;
    assert!(matches!(
        ledger.begin(id, digest, 5).unwrap(),
        RedeemOutcome::Refused(Status::Pending)
    ));
    let DecideOutcome::Won(record) = approve("cy", 6) else { panic!("not won") };
    assert_eq!(record.decided().unwrap().by(), "cy");
    assert!(matches!(approve("dee", 7), DecideOutcome::Already(_)));
    let all = [("ada", 2, 1), ("bo", 4, 1), ("cy", 6, 3)];
    assert_eq!(votes(&ledger, id), all.map(|(by, at, needs)| (by.to_owned(), at, needs)));
    assert!(matches!(ledger.begin(id, digest, 8).unwrap(), RedeemOutcome::Won(_)));
    let expected = ["requested 1", "voted by ada", "voted by bo", "approve 1", "started"];
    assert_eq!(told(ledger.feed(), expected.len()), expected);
    let record = ledger.get(id).unwrap().unwrap();
    assert_eq!((record.request().needs().len(), record.request().requester()), (2, Some("eve")));
}

pub(super) fn one_who_is_named_ends_it(ledger: impl Ledger) {
    let two = || vec![need(&["ada", "bo"], 2)];
    for (at, by, ends) in
        [(1, "bo", true), (3, "eve", true), (5, "mallory", false), (7, "cy", false)]
    {
        let call = &at.to_string();
        let id = created(&ledger, asked(call, two(), None, None)).request().id;
        assert!(matches!(
            says(&ledger, id, "ada", DecisionChoice::Approve, at),
            DecideOutcome::Counted(_)
        ));
        let outcome = says(&ledger, id, by, DecisionChoice::Reject { stop: false }, at + 1);
        assert_eq!(matches!(outcome, DecideOutcome::Won(_)), ends, "{by}");
        assert_eq!(matches!(outcome, DecideOutcome::Refused { .. }), !ends, "{by}");
        assert_eq!(votes(&ledger, id), [("ada".to_owned(), at, 1)]);
        let expected = if ends { Status::Rejected } else { Status::Pending };
        assert_eq!(status(&ledger, id), Some(expected));
    }
    // The end of a run ends them as ever.
    assert_eq!(calls(&ledger.cancel_run(Some("r"), &cancel()).unwrap()), ["r/5", "r/7"]);
}

pub(super) fn a_deadline_ends_what_was_counted(ledger: impl Ledger) {
    let asked = asked("1", vec![need(&["ada", "bo"], 2)], Some(100), None);
    let id = created(&ledger, asked).request().id;
    assert!(matches!(
        says(&ledger, id, "ada", DecisionChoice::Approve, 99),
        DecideOutcome::Counted(_)
    ));
    assert_eq!(ledger.next_deadline().unwrap(), Some(100));
    assert!(matches!(
        says(&ledger, id, "bo", DecisionChoice::Approve, 100),
        DecideOutcome::Expired(_)
    ));
    assert_eq!(votes(&ledger, id).len(), 1);
    assert_eq!(ledger.next_deadline().unwrap(), None);
}

pub(super) fn time_escalates_and_reminds_once(ledger: impl Ledger) {
    let needs = vec![escalating(20, "bo"), escalating(40, "group:ops")];
    let id = created(&ledger, asked("1", needs, Some(100), Some(30))).request().id;
    let due = |now| {
        let done = ledger.expire_due(now, 10).unwrap();
        (done.len(), ledger.next_deadline().unwrap())
    };
    assert!(matches!(
        says(&ledger, id, "bo", DecisionChoice::Approve, 19),
        DecideOutcome::Refused { .. }
    ));
    assert_eq!(due(19), (0, Some(20)));
    // Whom it is escalated to may decide, told or not.
    assert!(matches!(
        says(&ledger, id, "bo", DecisionChoice::Approve, 20),
        DecideOutcome::Counted(_)
    ));
    assert_eq!(due(20), (1, Some(40)));
    assert_eq!(due(21), (0, Some(40)));
    let at = |record: &Record| {
        record.tally().and_then(|tally| record.request().escalated_at(tally.told))
    };
    assert_eq!(at(&ledger.get(id).unwrap().unwrap()), Some(20));
    // What was slept over comes in its order, and once.
    assert_eq!(due(75), (2, Some(100)));
    assert_eq!(due(75), (0, Some(100)));
    assert_eq!(due(100), (1, None));
    assert_eq!(status(&ledger, id), Some(Status::Expired));
    let expected = [
        "requested 1",
        "voted by bo",
        "escalated to bo",
        "escalated to bo group:ops",
        "reminded",
        "expired 1",
    ];
    assert_eq!(told(ledger.feed(), expected.len()), expected);

    // A request that is over brings no reminder.
    let late =
        Request { created_at: 200, ..asked("2", vec![escalating(10, "bo")], Some(250), Some(10)) };
    let late = created(&ledger, late).request().id;
    assert_eq!(due(260), (1, None));
    assert_eq!(status(&ledger, late), Some(Status::Expired));
    let decided = Request { created_at: 260, ..asked("3", vec![escalating(10, "bo")], None, None) };
    let decided = created(&ledger, decided).request().id;
    assert!(matches!(
        says(&ledger, decided, "ada", DecisionChoice::Skip, 265),
        DecideOutcome::Won(_)
    ));
    assert_eq!(due(300), (0, None));
}
