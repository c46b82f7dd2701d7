//! What every ledger must do, over any store: one suite, run over each of them.

mod approvers;

use super::audit::{AuditNote, NoteKind};
use super::postgres::tests::by_callers_clock;
use super::sqlite::SqliteLedger;
use super::*;
use crate::approval::{
    Decision, DecisionChannel, DecisionChoice, DecisionKind, DecisionKinds, RequestExtras,
};
use crate::call::{CanonicalJson, ToolCall};
use crate::effort::effort;

/// Runs the suite over ledgers; `None`: there is no server for this one. Times never go back in it: a durable ledger does not let them.
macro_rules! conformance {
    ($name:ident, $make:expr, $steps:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn keeps_several_in_their_order() {
                $make().map(super::keeps_several_in_their_order);
            }

            #[test]
            fn keeps_and_finds() {
                $make().map(super::keeps_and_finds);
            }

            #[test]
            fn first_decision_stands() {
                $make().map(super::first_decision_stands);
            }

            #[test]
            fn deadline_is_inside_the_decision() {
                $make().map(super::deadline_is_inside_the_decision);
            }

            #[test]
            fn not_allowed_leaves_it_open() {
                $make().map(super::not_allowed_leaves_it_open);
            }

            #[test]
            fn begins_once_on_what_was_approved() {
                $make().map(super::begins_once_on_what_was_approved);
            }

            #[test]
            fn takes_back_only_what_did_not_start() {
                $make().map(super::takes_back_only_what_did_not_start);
            }

            #[test]
            fn expires_in_order_and_in_batches() {
                $make().map(super::expires_in_order_and_in_batches);
            }

            #[test]
            fn what_nothing_runs_on_may_be_superseded() {
                $make().map(super::what_nothing_runs_on_may_be_superseded);
            }

            #[test]
            fn tells_what_happened_in_its_order() {
                $make().map(super::tells_what_happened_in_its_order);
            }

            #[test]
            fn tells_what_happened_before_it_was_closed() {
                $make().map(super::tells_what_happened_before_it_was_closed);
            }

            #[test]
            fn writes_what_was_said_before_a_run_is_kept_or_neither() {
                $make().map(super::writes_what_was_said_before_a_run_is_kept_or_neither);
            }

            #[test]
            fn keeps_what_executions_gave_if_it_lasts() {
                $make().map(super::keeps_what_executions_gave_if_it_lasts);
            }

            #[test]
            fn counts_approvals_until_all_agree() {
                $make().map(approvers::counts_approvals_until_all_agree);
            }

            #[test]
            fn one_who_is_named_ends_it() {
                $make().map(approvers::one_who_is_named_ends_it);
            }

            #[test]
            fn a_deadline_ends_what_was_counted() {
                $make().map(approvers::a_deadline_ends_what_was_counted);
            }

            #[test]
            fn time_escalates_and_reminds_once() {
                $make().map(approvers::time_escalates_and_reminds_once);
            }

            #[test]
            fn history_goes_back_page_by_page() {
                $make().map(super::history_goes_back_page_by_page);
            }

            #[test]
            fn values_change_from_the_version_they_have() {
                $make().map(super::values_change_from_the_version_they_have);
            }

            #[test]
            fn a_random_walk_agrees_with_a_list() {
                $make().map(|ledger| super::a_random_walk_agrees_with_a_list(ledger, $steps));
            }
        }
    };
}

conformance!(memory, || Some(MemoryLedger::new(usize::MAX)), effort(500, 3_000));
conformance!(sqlite, sqlite, effort(100, 400));
conformance!(postgres, by_callers_clock, effort(100, 400));

fn sqlite() -> Option<SqliteLedger> {
    let options = OpenOptions { key: None, read_only: false, feed: Arc::default(), now: 0 };
    Some(SqliteLedger::open(None, options).unwrap())
}

/// Only memory counts what it keeps; a file forgets what is old enough (`DurableLedger::tidy`).
#[test]
fn memory_forgets_the_oldest_that_is_over() {
    forgets_the_oldest_that_is_over(MemoryLedger::new(2));
}

pub(super) fn request(run: &str, call: &str, deadline: Option<u64>) -> Request {
    let call = ToolCall {
        run_id: run.into(),
        tool_call_id: call.into(),
        tool_name: "execute".into(),
        args: CanonicalJson::parse(r#"{"command":"ls"}"#).unwrap(),
        context: None,
    };
    Request {
        id: uuid::Uuid::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into()].into(),
        description: None,
        preview: "execute".into(),
        more: None,
        allowed: DecisionKinds::ALL,
        created_at: 0,
        expires_at: deadline,
    }
}

/// A request made at this moment.
fn asked_at(now: u64, run: &str, call: &str, deadline: Option<u64>) -> Request {
    Request { created_at: now, ..request(run, call, deadline) }
}

fn created(ledger: &impl Ledger, request: Request) -> Record {
    match ledger.request(request).unwrap() {
        RequestOutcome::Created(record) => record,
        RequestOutcome::Duplicate(_) => panic!("a duplicate"),
    }
}

fn put(ledger: &impl Ledger, run: &str, call: &str, deadline: Option<u64>) -> ApprovalId {
    created(ledger, request(run, call, deadline)).request().id
}

fn choose(choice: DecisionChoice, at: u64) -> RecordedDecision {
    RecordedDecision {
        decision: Decision::new(choice, None),
        by: None,
        via: DecisionChannel::Gate,
        at,
    }
}

fn approve(at: u64) -> RecordedDecision {
    choose(DecisionChoice::Approve, at)
}

fn reject(at: u64) -> RecordedDecision {
    choose(DecisionChoice::Reject { stop: false }, at)
}

fn cancel() -> RecordedDecision {
    choose(DecisionChoice::Cancelled, 0)
}

fn status(ledger: &impl Ledger, id: ApprovalId) -> Option<Status> {
    ledger.get(id).unwrap().map(|record| record.status())
}

fn calls(records: &[Record]) -> Vec<String> {
    records
        .iter()
        .map(|record| {
            format!("{}/{}", record.request().call.run_id, record.request().call.tool_call_id)
        })
        .collect()
}

fn keeps_several_in_their_order(ledger: impl Ledger) {
    put(&ledger, "a", "0", None);
    let requests = ["3", "1", "0", "2", "1"].map(|call| asked_at(7, "a", call, Some(9)));
    let ids = requests.each_ref().map(|request| request.id);
    let requested = ledger.request_all(requests.into()).unwrap();
    let created: Vec<bool> = requested
        .iter()
        .map(|requested| matches!(requested, RequestOutcome::Created(record) if record.request().expires_at == Some(9)))
        .collect();
    assert_eq!(created, [true, true, false, true, false]);
    assert_eq!(calls(&ledger.pending(None).unwrap()), ["a/0", "a/3", "a/1", "a/2"]);
    let kept = ids.map(|id| ledger.get(id).unwrap().is_some());
    assert_eq!(kept, [true, true, false, true, false]);
    assert!(ledger.request_all(Vec::new()).unwrap().is_empty());
}

fn keeps_and_finds(ledger: impl Ledger) {
    let first = put(&ledger, "b", "1", None);
    put(&ledger, "a", "1", None);
    put(&ledger, "b", "2", None);
    put(&ledger, "b", "10", None);
    let RequestOutcome::Duplicate(existing) = ledger.request(request("b", "1", None)).unwrap()
    else {
        panic!("no duplicate")
    };
    assert_eq!(existing.request().id, first);

    assert_eq!(status(&ledger, first), Some(Status::Pending));
    assert!(ledger.get(uuid::Uuid::now_v7()).unwrap().is_none());
    assert_eq!(calls(&ledger.find(None, "1").unwrap()), ["b/1", "a/1"]);
    assert_eq!(calls(&ledger.find(Some("b"), "1").unwrap()), ["b/1"]);
    assert!(ledger.find(Some("c"), "1").unwrap().is_empty());
    assert!(ledger.find(None, "").unwrap().is_empty());
    assert_eq!(calls(&ledger.pending(None).unwrap()), ["b/1", "a/1", "b/2", "b/10"]);
    assert_eq!(calls(&ledger.pending(Some("b")).unwrap()), ["b/1", "b/2", "b/10"]);
    assert!(ledger.pending(Some("")).unwrap().is_empty());
    // Those of its parts, of theirs, and of nothing that only begins alike.
    for run in ["p>1", "p", "p2", "p>1>2", "p=", "p?"] {
        put(&ledger, run, "1", None);
    }
    assert_eq!(calls(&ledger.pending(Some("p")).unwrap()), ["p>1/1", "p/1", "p>1>2/1"]);
    assert_eq!(calls(&ledger.pending(Some("p>1")).unwrap()), ["p>1/1", "p>1>2/1"]);

    ledger.decide(first, approve(0)).unwrap();
    assert_eq!(calls(&ledger.pending(Some("b")).unwrap()), ["b/2", "b/10"]);
    let RequestOutcome::Duplicate(existing) = ledger.request(request("b", "1", None)).unwrap()
    else {
        panic!("no duplicate")
    };
    assert_eq!(existing.status(), Status::Approved);
}

fn first_decision_stands(ledger: impl Ledger) {
    let id = put(&ledger, "r", "1", None);
    let DecideOutcome::Won(record) = ledger.decide(id, approve(1)).unwrap() else {
        panic!("not won")
    };
    assert_eq!(record.status(), Status::Approved);
    for late in [approve(1), reject(2), cancel(), choose(DecisionChoice::Expired, 3)] {
        let DecideOutcome::Already(winner) = ledger.decide(id, late).unwrap() else {
            panic!("decided twice")
        };
        assert_eq!(winner.decided().unwrap().at, 1);
        assert_eq!(winner.status(), Status::Approved);
    }
    assert!(matches!(
        ledger.decide(uuid::Uuid::now_v7(), approve(1)).unwrap(),
        DecideOutcome::Unknown
    ));
}

fn deadline_is_inside_the_decision(ledger: impl Ledger) {
    let intime = put(&ledger, "r", "1", Some(100));
    assert!(matches!(ledger.decide(intime, approve(99)).unwrap(), DecideOutcome::Won(_)));
    for at in [100, 101] {
        let late = asked_at(99, "r", &format!("late {at}"), Some(100));
        let late = created(&ledger, late).request().id;
        let DecideOutcome::Expired(record) = ledger.decide(late, approve(at)).unwrap() else {
            panic!("not expired")
        };
        assert_eq!(
            (record.status(), record.decided().unwrap().via),
            (Status::Expired, DecisionChannel::Deadline)
        );
        // Written down: the next one finds it decided.
        let DecideOutcome::Already(record) = ledger.decide(late, approve(0)).unwrap() else {
            panic!("decided twice")
        };
        assert_eq!(record.status(), Status::Expired);
    }
    let expired = put(&ledger, "r", "3", Some(100));
    assert!(matches!(
        ledger.decide(expired, choose(DecisionChoice::Expired, 100)).unwrap(),
        DecideOutcome::Won(_)
    ));
    assert_eq!(ledger.next_deadline().unwrap(), None);
}

fn not_allowed_leaves_it_open(ledger: impl Ledger) {
    let only_respond = DecisionKinds::new([DecisionKind::Respond]).unwrap();
    let id = created(&ledger, Request { allowed: only_respond, ..request("r", "1", Some(100)) })
        .request()
        .id;
    assert!(matches!(ledger.decide(id, approve(1)).unwrap(), DecideOutcome::NotAllowed(_)));
    assert!(matches!(ledger.decide(id, reject(1)).unwrap(), DecideOutcome::NotAllowed(_)));
    assert_eq!(status(&ledger, id), Some(Status::Pending));
    assert_eq!(ledger.next_deadline().unwrap(), Some(100));
    assert!(matches!(
        ledger.decide(id, RecordedDecision { via: DecisionChannel::System, ..reject(1) }).unwrap(),
        DecideOutcome::Won(_)
    ));
    // The deadline is looked at first: what is not allowed is late too.
    let id =
        created(&ledger, Request { allowed: only_respond, ..asked_at(1, "r", "2", Some(100)) })
            .request()
            .id;
    assert!(matches!(ledger.decide(id, approve(100)).unwrap(), DecideOutcome::Expired(_)));
}

fn begins_once_on_what_was_approved(ledger: impl Ledger) {
    let approved = request("r", "1", None);
    let digest = approved.digest;
    let edited_args = CanonicalJson::parse(r#"{"command":"pwd"}"#).unwrap();
    let edited_digest = approved.call.digest_with(&edited_args);
    let id = created(&ledger, approved).request().id;
    assert!(matches!(
        ledger.begin(id, digest, 0).unwrap(),
        RedeemOutcome::Refused(Status::Pending)
    ));
    ledger.decide(id, approve(0)).unwrap();
    assert!(matches!(ledger.begin(id, edited_digest, 0).unwrap(), RedeemOutcome::Mismatch));
    assert_eq!(status(&ledger, id), Some(Status::Approved));
    assert!(matches!(ledger.begin(id, digest, 0).unwrap(), RedeemOutcome::Won(_)));
    assert!(matches!(
        ledger.begin(id, digest, 0).unwrap(),
        RedeemOutcome::Refused(Status::Started)
    ));
    assert!(ledger.finish(id, ExecutionStep::Start, None, 0).unwrap().is_none());
    assert_eq!(
        ledger.finish(id, ExecutionStep::Succeed, None, 0).unwrap().unwrap().status(),
        Status::Succeeded
    );
    assert!(ledger.finish(id, ExecutionStep::Fail, None, 0).unwrap().is_none());
    assert!(matches!(
        ledger.begin(id, digest, 0).unwrap(),
        RedeemOutcome::Refused(Status::Succeeded)
    ));

    let asked = request("s", "1", None);
    let (digest, edited_digest) = (asked.digest, asked.call.digest_with(&edited_args));
    let id = created(&ledger, asked).request().id;
    ledger
        .decide(id, choose(DecisionChoice::Edit { args: edited_args.clone(), bound: None }, 0))
        .unwrap();
    assert!(matches!(ledger.begin(id, digest, 0).unwrap(), RedeemOutcome::Mismatch));
    let RedeemOutcome::Won(record) = ledger.begin(id, edited_digest, 0).unwrap() else {
        panic!("not begun")
    };
    assert_eq!(record.approved().unwrap().0, &edited_args);
    assert_eq!(
        ledger.finish(id, ExecutionStep::Interrupt, None, 0).unwrap().unwrap().status(),
        Status::Interrupted
    );
    assert!(matches!(
        ledger.begin(uuid::Uuid::now_v7(), digest, 0).unwrap(),
        RedeemOutcome::Unknown
    ));
}

fn takes_back_only_what_did_not_start(ledger: impl Ledger) {
    let [pending, approved, started, rejected, other] =
        ["pending", "approved", "started", "rejected", "other"]
            .map(|call| put(&ledger, if call == "other" { "s" } else { "r" }, call, None));
    for id in [approved, started, other] {
        ledger.decide(id, approve(0)).unwrap();
    }
    ledger.decide(rejected, reject(0)).unwrap();
    let digest = ledger.get(started).unwrap().unwrap().request().digest;
    assert!(matches!(ledger.begin(started, digest, 0).unwrap(), RedeemOutcome::Won(_)));

    for id in [pending, started, rejected, uuid::Uuid::now_v7()] {
        assert!(ledger.revoke(id, cancel()).unwrap().is_none());
    }
    assert_eq!(
        calls(&ledger.cancel_run(Some("r"), &cancel()).unwrap()),
        ["r/pending", "r/approved"]
    );
    assert!(ledger.cancel_run(Some("r"), &cancel()).unwrap().is_empty());
    assert_eq!(status(&ledger, other), Some(Status::Approved));
    assert_eq!(ledger.revoke(other, cancel()).unwrap().unwrap().status(), Status::Cancelled);
    let digest = ledger.get(other).unwrap().unwrap().request().digest;
    assert!(matches!(
        ledger.begin(other, digest, 0).unwrap(),
        RedeemOutcome::Refused(Status::Cancelled)
    ));
    put(&ledger, "t", "1", None);
    assert_eq!(calls(&ledger.cancel_run(None, &cancel()).unwrap()), ["t/1"]);
    assert_eq!(status(&ledger, started), Some(Status::Started));
}

fn expires_in_order_and_in_batches(ledger: impl Ledger) {
    for (call, deadline) in [
        ("late", Some(30)),
        ("never", None),
        ("soon", Some(10)),
        ("then", Some(20)),
        ("far", Some(40)),
    ] {
        put(&ledger, "r", call, deadline);
    }
    assert_eq!(ledger.next_deadline().unwrap(), Some(10));
    assert!(ledger.expire_due(9, 10).unwrap().is_empty());
    assert_eq!(calls(&ledger.expire_due(30, 2).unwrap()), ["r/soon", "r/then"]);
    assert_eq!(calls(&ledger.expire_due(30, 2).unwrap()), ["r/late"]);
    assert_eq!(ledger.next_deadline().unwrap(), Some(40));
    assert_eq!(calls(&ledger.pending(None).unwrap()), ["r/never", "r/far"]);
    let far = ledger.find(None, "far").unwrap()[0].request().id;
    ledger.decide(far, approve(39)).unwrap();
    assert_eq!(ledger.next_deadline().unwrap(), None);
    assert!(ledger.expire_due(u64::MAX, 10).unwrap().is_empty());
}

fn forgets_the_oldest_that_is_over(ledger: impl Ledger) {
    let ids: Vec<ApprovalId> =
        (0..6).map(|call| put(&ledger, "r", &call.to_string(), None)).collect();
    ledger.decide(ids[0], approve(0)).unwrap();
    let digest = ledger.get(ids[1]).unwrap().unwrap().request().digest;
    ledger.decide(ids[1], approve(0)).unwrap();
    ledger.begin(ids[1], digest, 0).unwrap();
    for id in &ids[2..5] {
        ledger.decide(*id, reject(0)).unwrap();
    }
    let kept: Vec<bool> = ids.iter().map(|id| ledger.get(*id).unwrap().is_some()).collect();
    assert_eq!(kept, [true, true, false, true, true, true]);
    assert!(matches!(ledger.decide(ids[2], approve(0)).unwrap(), DecideOutcome::Unknown));
    assert!(ledger.find(None, "2").unwrap().is_empty());
    ledger.finish(ids[1], ExecutionStep::Fail, None, 0).unwrap();
    assert_eq!(status(&ledger, ids[3]), None);
    assert_eq!(status(&ledger, ids[1]), Some(Status::Failed));
}

fn superseding(id: ApprovalId) -> Request {
    let more = RequestExtras { supersedes: Some(id), ..RequestExtras::default() };
    Request { more: Some(Box::new(more)), ..request("r", "1", None) }
}

/// Of a call that has the id of one that is gone.
fn of_another_call(id: ApprovalId) -> Request {
    let mut request = superseding(id);
    if let Some(more) = &mut request.more {
        more.call_is_gone = true;
    }
    request
}

/// Approved, begun and ended like this, if it is to be.
fn run(ledger: &impl Ledger, id: ApprovalId, end: Option<ExecutionStep>, result: Option<&str>) {
    let digest = ledger.get(id).unwrap().unwrap().request().digest;
    ledger.decide(id, approve(0)).unwrap();
    assert!(matches!(ledger.begin(id, digest, 0).unwrap(), RedeemOutcome::Won(_)));
    if let Some(end) = end {
        let result = result.map(|text| RawValue::from_string(text.to_owned()).unwrap());
        assert!(ledger.finish(id, end, result, 0).unwrap().is_some());
    }
}

fn what_nothing_runs_on_may_be_superseded(ledger: impl Ledger) {
    let is_duplicate =
        |request| matches!(ledger.request(request).unwrap(), RequestOutcome::Duplicate(_));
    let first = put(&ledger, "r", "1", None);
    assert!(is_duplicate(superseding(first)));
    ledger.decide(first, cancel()).unwrap();
    assert!(is_duplicate(request("r", "1", None)));
    assert!(is_duplicate(superseding(uuid::Uuid::now_v7())));
    let second = created(&ledger, superseding(first)).request().id;
    assert!(is_duplicate(superseding(first)));
    run(&ledger, second, None, None);
    assert!(is_duplicate(superseding(second)));
    ledger.finish(second, ExecutionStep::Interrupt, None, 0).unwrap();
    let third = created(&ledger, superseding(second));
    assert_eq!(third.request().supersedes(), Some(second));
    assert_eq!(ledger.find(Some("r"), "1").unwrap().len(), 3);
    let answer = choose(DecisionChoice::Respond { output: CanonicalJson::parse("1").unwrap() }, 0);
    ledger.decide(third.request().id, answer).unwrap();
    let fourth = created(&ledger, superseding(third.request().id)).request().id;
    // A no stands for its call for ever, and not for another one of its id. What ran stands for both.
    ledger.decide(fourth, reject(0)).unwrap();
    assert!(is_duplicate(superseding(fourth)));
    let fifth = created(&ledger, of_another_call(fourth)).request().id;
    assert_eq!(status(&ledger, fourth), Some(Status::Rejected));
    assert_eq!(status(&ledger, fifth), Some(Status::Pending));
    ledger.decide(fifth, approve(0)).unwrap();
    assert!(is_duplicate(of_another_call(fifth)));
    let digest = ledger.get(fifth).unwrap().unwrap().request().digest;
    assert!(matches!(ledger.begin(fifth, digest, 0).unwrap(), RedeemOutcome::Won(_)));
    assert!(is_duplicate(of_another_call(fifth)));
    ledger.finish(fifth, ExecutionStep::Succeed, None, 0).unwrap();
    assert!(is_duplicate(of_another_call(fifth)));
}

fn tells_what_happened_in_its_order(ledger: impl Ledger) {
    let first = put(&ledger, "r", "1", None);
    let second = put(&ledger, "r", "2", None);
    put(&ledger, "r", "3", Some(10));
    run(&ledger, second, Some(ExecutionStep::Fail), None);
    ledger.decide(first, approve(0)).unwrap();
    // Not decided anew, and so not told.
    ledger.decide(first, reject(0)).unwrap();
    ledger.expire_due(10, 10).unwrap();
    let expected = [
        "requested 1",
        "requested 2",
        "requested 3",
        "approve 2",
        "started",
        "failed",
        "approve 1",
        "expired 3",
    ];
    assert_eq!(told(ledger.feed(), expected.len()), expected);
}

fn tells_what_happened_before_it_was_closed(ledger: impl Ledger) {
    let feed = Arc::clone(ledger.feed());
    let id = put(&ledger, "r", "1", None);
    ledger.decide(id, approve(0)).unwrap();
    drop(ledger);
    assert_eq!(told(&feed, 0), ["requested 1", "approve 1"]);
}

/// What is told of, until there is so much of it; what is there already at least.
fn told(feed: &EventFeed, expected: usize) -> Vec<String> {
    let (mut told, start) = (Vec::new(), std::time::Instant::now());
    loop {
        feed.drain(|event| {
            told.push(name(&event));
            true
        });
        // What takes minutes never comes.
        if told.len() >= expected || start.elapsed().as_secs() >= 240 {
            return told;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// An event in a few words.
pub(super) fn name(event: &LedgerEvent) -> String {
    match event {
        LedgerEvent::Requested(request) => format!("requested {}", request.call.tool_call_id),
        LedgerEvent::Decided { request, decided, .. } => {
            format!("{} {}", decided.decision.choice.name(), request.call.tool_call_id)
        }
        LedgerEvent::Unreadable { error } => format!("unreadable: {error}"),
        LedgerEvent::Started { .. } => "started".to_owned(),
        LedgerEvent::Settled { end, .. } => end.name().to_owned(),
        LedgerEvent::Voted { vote, .. } => format!("voted by {}", vote.by),
        LedgerEvent::Reminded { .. } => "reminded".to_owned(),
        LedgerEvent::Escalated { to, .. } => format!("escalated to {}", to.join(" ")),
    }
}

fn writes_what_was_said_before_a_run_is_kept_or_neither(ledger: impl Ledger) {
    let Some(archive) = ledger.archive() else { return };
    let state = RawValue::from_string("1".to_owned()).unwrap();
    let said = |calls: &[&'static str]| -> Vec<AuditNote> {
        let note = |call: &&'static str| AuditNote {
            tool_call_id: Some((*call).into()),
            ..AuditNote::new(NoteKind::Verdict)
        };
        calls.iter().map(note).collect()
    };
    let save = |notes: &[AuditNote], status: RunStatus| {
        let save =
            SaveRun { run_id: "r", parent: None, entries: &[], state: &state, status, steps: 0 };
        archive.save_run_after(notes, save, 1)
    };
    save(&said(&["1", "2", "3"]), RunStatus::Running).unwrap();
    save(&said(&["4"]), RunStatus::Done).unwrap();
    // It is over: nothing is kept of it, and nothing is written.
    save(&said(&["5"]), RunStatus::Running).unwrap_err();
    archive.note(&said(&["6"]), 1).unwrap();
    let entries = archive.audit(0, 100).unwrap();
    let told: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let body: serde_json::Value = serde_json::from_str(&entry.body).unwrap();
            let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
            let kind = text("kind");
            (kind != "opened").then(|| format!("{kind} {}", text("toolCallId")).trim().to_owned())
        })
        .collect();
    let expected = [
        "verdict 1",
        "verdict 2",
        "verdict 3",
        "run-started",
        "verdict 4",
        "run-ended",
        "verdict 6",
    ];
    assert_eq!(told, expected);
}

fn keeps_what_executions_gave_if_it_lasts(ledger: impl Ledger) {
    let id = put(&ledger, "r", "1", None);
    run(&ledger, id, Some(ExecutionStep::Succeed), Some(r#"{"rows": 3}"#));
    let record = ledger.get(id).unwrap().unwrap();
    let expected = ledger.archive().map(|_| r#"{"rows": 3}"#);
    assert_eq!(record.result().map(RawValue::get), expected);
}

fn history_goes_back_page_by_page(ledger: impl Ledger) {
    let mut ids = Vec::new();
    for (run, call) in [("a", "0"), ("a>0", "1"), ("b", "2"), ("a", "3"), ("a?", "4"), ("a", "5")] {
        let id = created(&ledger, request(run, call, None)).request().id;
        // One in the middle waits.
        if call != "3" {
            ledger.decide(id, reject(0)).unwrap();
        }
        ids.push(id);
    }
    let mut other = request("b", "6", None);
    other.call.tool_name = "read".into();
    let other = created(&ledger, other).request().id;
    run(&ledger, other, Some(ExecutionStep::Succeed), None);

    // By id, which is by time down to a ms.
    let mut expected: Vec<ApprovalId> = ids.iter().copied().chain([other]).collect();
    expected.sort_unstable_by(|left, right| right.cmp(left));
    expected.retain(|id| *id != ids[3]);
    let look = |past: HistoryQuery| -> Vec<ApprovalId> {
        ledger.history(&past).unwrap().iter().map(|record| record.request().id).collect()
    };
    assert_eq!(look(HistoryQuery { limit: 1_000, ..HistoryQuery::default() }), expected);
    let mut paged = Vec::new();
    loop {
        let page = look(HistoryQuery {
            before: paged.last().copied(),
            limit: 2,
            ..HistoryQuery::default()
        });
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, expected);

    let of = |run: Option<&str>, tool: Option<&str>| {
        look(HistoryQuery {
            run: run.map(Into::into),
            tool: tool.map(Into::into),
            before: None,
            limit: 9,
        })
    };
    let only = |some: &[ApprovalId]| -> Vec<ApprovalId> {
        expected.iter().copied().filter(|id| some.contains(id)).collect()
    };
    assert_eq!(of(Some("a"), None), only(&[ids[0], ids[1], ids[5]]));
    assert_eq!(of(Some("b"), Some("read")), [other]);
    assert_eq!(of(None, Some("read")), [other]);
    assert!(of(Some("a"), Some("read")).is_empty());
    assert_eq!(
        look(HistoryQuery { before: Some(expected[0]), limit: 1, ..HistoryQuery::default() }),
        [expected[1]]
    );
    assert!(look(HistoryQuery::default()).is_empty());
}

fn values_change_from_the_version_they_have(ledger: impl Ledger) {
    let value = |key| ledger.value(key).unwrap().map(|kept| (kept.text, kept.version));
    assert_eq!(value("a"), None);
    assert!(!ledger.set_value("a", Some(1), "x").unwrap());
    assert!(!ledger.set_value("a", Some(0), "x").unwrap());
    assert!(ledger.set_value("a", None, "one").unwrap());
    assert!(!ledger.set_value("a", None, "x").unwrap());
    assert!(!ledger.set_value("a", Some(2), "x").unwrap());
    assert_eq!(value("a"), Some(("one".into(), 1)));
    assert!(ledger.set_value("a", Some(1), "").unwrap());
    assert!(!ledger.set_value("a", Some(1), "x").unwrap());
    assert_eq!(value("a"), Some(("".into(), 2)));
    assert_eq!(value("A"), None);
    assert!(ledger.set_value("é\0", None, "two").unwrap());
    assert_eq!(value("é\0"), Some(("two".into(), 1)));
}

/// Many steps in no order, each compared with what a plain list of (id, status) says.
fn a_random_walk_agrees_with_a_list(ledger: impl Ledger, steps: u64) {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut dice = move |sides: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % sides
    };
    let mut list: Vec<(ApprovalId, String, Option<u64>, Status)> = Vec::new();
    for now in 0..steps {
        let run = format!("run {}", dice(5));
        match (dice(8), list.len()) {
            (0..=2, _) | (_, 0) => {
                let deadline = (dice(2) == 0).then(|| now + dice(50));
                list.push((
                    created(&ledger, asked_at(now, &run, &now.to_string(), deadline)).request().id,
                    run,
                    deadline,
                    Status::Pending,
                ));
            }
            (3, _) => {
                let taken = ledger.cancel_run(Some(&run), &cancel()).unwrap().len();
                let open = list.iter_mut().filter(|(_, of, _, status)| {
                    *of == run && (*status == Status::Pending || status.may_start())
                });
                assert_eq!(open.map(|entry| entry.3 = Status::Cancelled).count(), taken);
            }
            (4, _) => {
                let expired = ledger.expire_due(now, usize::MAX).unwrap().len();
                let due = list.iter_mut().filter(|(_, _, deadline, status)| {
                    *status == Status::Pending && deadline.is_some_and(|at| at <= now)
                });
                assert_eq!(due.map(|entry| entry.3 = Status::Expired).count(), expired);
            }
            (step, length) => {
                let index = usize::try_from(dice(length as u64)).unwrap();
                let (id, _, deadline, status) = &mut list[index];
                let late = *status == Status::Pending && deadline.is_some_and(|at| at <= now);
                match step {
                    5 => {
                        let won = matches!(
                            ledger.decide(*id, approve(now)).unwrap(),
                            DecideOutcome::Won(_)
                        );
                        assert_eq!(won, *status == Status::Pending && !late);
                        if *status == Status::Pending {
                            *status = if late { Status::Expired } else { Status::Approved };
                        }
                    }
                    6 => {
                        let digest = ledger.get(*id).unwrap().unwrap().request().digest;
                        let won = matches!(
                            ledger.begin(*id, digest, now).unwrap(),
                            RedeemOutcome::Won(_)
                        );
                        assert_eq!(won, status.may_start());
                        *status = if won { Status::Started } else { *status };
                    }
                    _ => {
                        let ended = ledger
                            .finish(*id, ExecutionStep::Succeed, None, now)
                            .unwrap()
                            .is_some();
                        assert_eq!(ended, *status == Status::Started);
                        *status = if ended { Status::Succeeded } else { *status };
                    }
                }
            }
        }
        let waiting: Vec<ApprovalId> =
            list.iter().filter(|entry| entry.3 == Status::Pending).map(|entry| entry.0).collect();
        let pending: Vec<ApprovalId> =
            ledger.pending(None).unwrap().iter().map(|record| record.request().id).collect();
        assert_eq!(pending, waiting);
    }
    for (id, _, _, expected) in &list {
        assert_eq!(status(&ledger, *id), Some(*expected));
    }
    let next =
        list.iter().filter(|entry| entry.3 == Status::Pending).filter_map(|entry| entry.2).min();
    assert_eq!(ledger.next_deadline().unwrap(), next);
}
