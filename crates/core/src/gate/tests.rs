//! The gate with a clock that the test holds.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::approval::DecisionKind;

/// Stands still until it is set.
#[derive(Clone, Default)]
struct HandClock(Arc<AtomicU64>);

impl Clock for HandClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Goes with the time of the (paused) runtime.
struct RuntimeClock(tokio::time::Instant);

impl Clock for RuntimeClock {
    fn now(&self) -> u64 {
        1_000 + u64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

const OPTIONS: GateOptions = GateOptions {
    max_argument_bytes: 1024,
    keep_decided: 100,
    read_only: false,
    retention: Retention { contents: None, records: None },
};

/// A gate whose deadline task never runs.
fn gate() -> (Arc<Gate>, HandClock) {
    let clock = HandClock::default();
    clock.0.store(1_000, Ordering::SeqCst);
    (Gate::new(OPTIONS, Box::new(clock.clone()), Box::new(drop)), clock)
}

fn runtime_gate() -> (Arc<Gate>, Arc<AtomicUsize>) {
    let spawn: SpawnTask = Box::new(|task| drop(tokio::spawn(task)));
    let gate = Gate::new(OPTIONS, Box::new(RuntimeClock(tokio::time::Instant::now())), spawn);
    let wakes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&wakes);
    gate.feed().on_wake(Some(Arc::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    })));
    (gate, wakes)
}

fn args(text: &str) -> CanonicalJson {
    CanonicalJson::parse(text).unwrap()
}

fn new(run: &str, call: &str, timeout: Option<u64>) -> NewRequest {
    NewRequest {
        call: ToolCall {
            run_id: run.into(),
            tool_call_id: call.into(),
            tool_name: "execute".into(),
            args: args(r#"{"command":"ls"}"#),
            context: None,
        },
        origin: ["main".into()].into(),
        description: None,
        allowed: DecisionKinds::ALL,
        timeout,
        page: None,
        more: None,
        stored: None,
    }
}

fn ask(gate: &Gate, run: &str, call: &str, timeout: Option<u64>) -> ApprovalId {
    gate.request(new(run, call, timeout)).unwrap().request().id
}

fn decide(
    gate: &Gate, id: ApprovalId, choice: DecisionChoice, via: DecisionChannel,
) -> Result<Record, GateError> {
    gate.decide(
        id,
        Decision::new(choice, None),
        DecidingCaller { by: None, groups: Box::default(), via },
    )
}

fn approve(gate: &Gate, id: ApprovalId) -> Result<Record, GateError> {
    decide(gate, id, DecisionChoice::Approve, DecisionChannel::Gate)
}

fn redeem(gate: &Gate, run: Option<&str>, call: &str) -> Result<RedeemedCall, GateError> {
    gate.redeem(run, call, "execute", args(r#"{"command":"ls"}"#), None)
}

fn code<T>(result: Result<T, GateError>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}

fn events(gate: &Gate) -> Vec<String> {
    let mut names = Vec::new();
    gate.feed().drain(|event| {
        names.push(match event {
            LedgerEvent::Requested(_) => "requested".to_owned(),
            LedgerEvent::Decided { decided, .. } => {
                format!("{} via {}", decided.decision.choice.name(), decided.via.name())
            }
            LedgerEvent::Voted { vote, .. } => format!("voted by {}", vote.by),
            LedgerEvent::Reminded { .. } => "reminded".to_owned(),
            LedgerEvent::Escalated { to, .. } => format!("escalated to {}", to.join(" ")),
            LedgerEvent::Unreadable { error } => format!("unreadable: {error}"),
            LedgerEvent::Started { .. } => "started".to_owned(),
            LedgerEvent::Settled { end, .. } => format!("settled {}", end.name()),
        });
        true
    });
    names
}

#[test]
fn a_call_from_request_to_end() {
    let (gate, _) = gate();
    let id = ask(&gate, "r", "1", Some(500));
    assert_eq!(id.get_version_num(), 7);
    assert_eq!(id.get_timestamp().unwrap().to_unix(), (1, 0));
    let record = gate
        .decide(
            id,
            Decision::new(DecisionChoice::Approve, Some("fine")),
            DecidingCaller {
                by: Some("ada".into()),
                groups: Box::default(),
                via: DecisionChannel::Gate,
            },
        )
        .unwrap();
    assert_eq!((record.status(), record.decided().unwrap().by()), (Status::Approved, "ada"));
    let redeem = redeem(&gate, Some("r"), "1").unwrap();
    assert_eq!(
        (redeem.approval_id, redeem.args.as_str(), redeem.edited),
        (id, r#"{"command":"ls"}"#, false)
    );
    gate.settle(id, false, None).unwrap();
    gate.settle(id, true, None).unwrap();
    assert_eq!(gate.get(id).unwrap().unwrap().status(), Status::Failed);
    assert_eq!(events(&gate), ["requested", "approve via gate", "started", "settled failed"]);
    assert!(events(&gate).is_empty());
}

#[test]
fn what_was_approved_is_what_runs() {
    let (gate, _) = gate();
    let id = ask(&gate, "r", "1", None);
    assert_eq!(code(redeem(&gate, Some("r"), "1")), "ERR_NOT_APPROVED");
    approve(&gate, id).unwrap();
    for (name, text) in [
        ("execute", r#"{"command":"ls "}"#),
        ("other", r#"{"command":"ls"}"#),
        ("execute", "{}"),
        ("execute", "null"),
    ] {
        assert_eq!(
            code(gate.redeem(Some("r"), "1", name, args(text), None)),
            "ERR_DIGEST_MISMATCH"
        );
        assert!(!gate.is_bound(id, name, args(text), None).unwrap());
    }
    assert!(gate.is_bound(id, "execute", args(r#"{"command":"ls"}"#), None).unwrap());
    assert_eq!(code(redeem(&gate, Some("other"), "1")), "ERR_NOT_APPROVED");
    assert_eq!(code(redeem(&gate, Some("r"), "2")), "ERR_NOT_APPROVED");
    assert_eq!(gate.get(id).unwrap().unwrap().status(), Status::Approved);
    assert_eq!(code(redeem(&gate, None, "1")), "ok");
    assert_eq!(code(redeem(&gate, None, "1")), "ERR_ALREADY_STARTED");
}

#[test]
fn an_approval_holds_under_the_policy_it_was_given_under() {
    let (gate, _) = gate();
    let bound = |context: Option<&str>| context.map(|text| Box::new(CallContext(args(text))));
    let asked = |context: Option<&str>| NewRequest {
        call: ToolCall { context: bound(context), ..new("r", "1", None).call },
        ..new("r", "1", None)
    };
    let here = r#"{"cwd":"/work","policy":"00","shell":"bash"}"#;
    let id = gate.request(asked(Some(here))).unwrap().request().id;
    approve(&gate, id).unwrap();
    let redeem = |context: Option<&str>| {
        let command = args(r#"{"command":"ls"}"#);
        code(gate.redeem(Some("r"), "1", "execute", command, bound(context)))
    };
    for other in [None, Some("null"), Some(r#"{"cwd":"/","policy":"00","shell":"bash"}"#)] {
        assert_eq!(redeem(other), "ERR_DIGEST_MISMATCH", "{other:?}");
    }
    assert_eq!(redeem(Some(here)), "ok");
}

#[test]
fn a_call_is_asked_about_again_only_in_the_place_of_a_cancelled_request() {
    let (gate, _) = gate();
    let first = ask(&gate, "r", "1", None);
    let again = |supersedes| {
        gate.request({
            let more = Some(Box::new(RequestExtras { supersedes, ..RequestExtras::default() }));
            NewRequest { more, ..new("r", "1", None) }
        })
    };
    assert_eq!(code(again(Some(first))), "ERR_DUPLICATE_CALL");
    approve(&gate, first).unwrap();
    assert_eq!(code(again(Some(first))), "ERR_DUPLICATE_CALL");
    assert!(gate.revoke(first, "the file changed").unwrap());
    assert_eq!(code(again(None)), "ERR_DUPLICATE_CALL");
    assert_eq!(code(again(Some(ApprovalId::now_v7()))), "ERR_DUPLICATE_CALL");
    let second = again(Some(first)).unwrap().request().id;
    assert_eq!(code(again(Some(first))), "ERR_DUPLICATE_CALL");
    assert_eq!(code(redeem(&gate, Some("r"), "1")), "ERR_NOT_APPROVED");
    approve(&gate, second).unwrap();
    assert_eq!(code(redeem(&gate, Some("r"), "1")), "ok");
    assert_eq!(code(again(Some(second))), "ERR_DUPLICATE_CALL");
}

#[test]
fn an_edit_runs_with_its_own_arguments() {
    let (gate, _) = gate();
    let id = ask(&gate, "r", "1", None);
    decide(
        &gate,
        id,
        DecisionChoice::Edit { args: args(r#"{"command":"pwd"}"#), bound: None },
        DecisionChannel::Callback,
    )
    .unwrap();
    assert_eq!(code(redeem(&gate, Some("r"), "1")), "ERR_DIGEST_MISMATCH");
    let redeem =
        gate.redeem(Some("r"), "1", "execute", args(r#"{ "command": "pwd" }"#), None).unwrap();
    assert_eq!((redeem.args.as_str(), redeem.edited), (r#"{"command":"pwd"}"#, true));
}

#[test]
fn a_call_id_of_several_runs_needs_its_run() {
    let (gate, _) = gate();
    let ids = ["r", "s"].map(|run| ask(&gate, run, "1", None));
    approve(&gate, ids[1]).unwrap();
    assert_eq!(code(redeem(&gate, None, "1")), "ok");
    assert_eq!(code(redeem(&gate, None, "1")), "ERR_ALREADY_STARTED");
    let [t, u] = ["t", "u"].map(|run| ask(&gate, run, "1", None));
    approve(&gate, t).unwrap();
    // It could be the other's call, whose human has not answered yet, or has said no.
    assert_eq!(code(redeem(&gate, None, "1")), "ERR_NOT_APPROVED");
    decide(&gate, u, DecisionChoice::Reject { stop: false }, DecisionChannel::Gate).unwrap();
    assert_eq!(code(redeem(&gate, None, "1")), "ERR_NOT_APPROVED");
    let v = ask(&gate, "v", "1", None);
    approve(&gate, v).unwrap();
    assert_eq!(code(redeem(&gate, None, "1")), "ERR_NOT_APPROVED");
    assert_eq!(code(redeem(&gate, Some("t"), "1")), "ok");
    assert_eq!(code(redeem(&gate, None, "1")), "ok");
}

#[test]
fn a_late_decision_is_an_expiry_though_no_task_ran() {
    let (gate, clock) = gate();
    let ids = ["1", "2"].map(|call| ask(&gate, "r", call, Some(100)));
    clock.0.store(1_099, Ordering::SeqCst);
    approve(&gate, ids[0]).unwrap();
    clock.0.store(1_100, Ordering::SeqCst);
    assert_eq!(code(approve(&gate, ids[1])), "ERR_EXPIRED");
    assert_eq!(code(approve(&gate, ids[1])), "ERR_EXPIRED");
    assert_eq!(code(redeem(&gate, Some("r"), "2")), "ERR_NOT_APPROVED");
    assert_eq!(
        events(&gate),
        ["requested", "requested", "approve via gate", "expired via deadline"]
    );
    // A redemption may come after the deadline: the decision was in time.
    assert_eq!(code(redeem(&gate, Some("r"), "1")), "ok");
}

#[test]
fn limits_are_refused() {
    let (gate, _) = gate();
    let large = args(&format!("\"{}\"", "x".repeat(1023)));
    let mut request = new("r", "1", None);
    request.call.args = large.clone();
    assert_eq!(code(gate.request(request)), "ERR_INVALID_ARGUMENTS");
    let id = ask(&gate, "r", "1", None);
    assert_eq!(
        code(decide(
            &gate,
            id,
            DecisionChoice::Edit { args: large.clone(), bound: None },
            DecisionChannel::Gate
        )),
        "ERR_INVALID_ARGUMENTS"
    );
    assert_eq!(
        code(decide(&gate, id, DecisionChoice::Respond { output: large }, DecisionChannel::Gate)),
        "ERR_INVALID_ARGUMENTS"
    );
    assert_eq!(code(gate.request(new("r", "1", None))), "ERR_DUPLICATE_CALL");
    assert_eq!(code(approve(&gate, id)), "ok");
    assert_eq!(code(approve(&gate, id)), "ERR_ALREADY_DECIDED");
    let only = DecisionKinds::new([DecisionKind::Respond]).unwrap();
    let id =
        gate.request(NewRequest { allowed: only, ..new("r", "2", None) }).unwrap().request().id;
    assert_eq!(code(approve(&gate, id)), "ERR_DECISION_NOT_ALLOWED");
    assert_eq!(
        code(decide(&gate, id, DecisionChoice::Reject { stop: false }, DecisionChannel::System)),
        "ok"
    );
    assert_eq!(code(approve(&gate, ApprovalId::nil())), "ERR_UNKNOWN_APPROVAL");
}

#[test]
fn the_end_of_a_run_takes_everything_back() {
    let (gate, _) = gate();
    let [pending, approved, started, other] =
        ["pending", "approved", "started", "other"].map(|call| {
            let run = if call == "other" { "s" } else { "r" };
            ask(&gate, run, call, None)
        });
    for id in [approved, started] {
        approve(&gate, id).unwrap();
    }
    redeem(&gate, Some("r"), "started").unwrap();
    events(&gate);
    gate.cancel_run("r", "aborted", DecisionChannel::Abort).unwrap();
    assert_eq!(events(&gate), ["cancelled via abort", "cancelled via abort"]);
    assert_eq!(code(redeem(&gate, Some("r"), "approved")), "ERR_NOT_APPROVED");
    assert_eq!(code(approve(&gate, pending)), "ERR_ALREADY_DECIDED");
    assert_eq!(gate.pending(None).unwrap().len(), 1);
    assert!(!gate.revoke(other, "no").unwrap());
    approve(&gate, other).unwrap();
    assert!(gate.revoke(other, "no").unwrap());
    assert_eq!(code(redeem(&gate, None, "other")), "ERR_NOT_APPROVED");
    assert_eq!(gate.get(started).unwrap().unwrap().status(), Status::Started);
}

#[test]
fn a_closed_gate_takes_nothing_and_runs_nothing() {
    let (gate, _) = gate();
    let [pending, approved] = ["1", "2"].map(|call| ask(&gate, "r", call, None));
    approve(&gate, approved).unwrap();
    gate.close("over").unwrap();
    gate.close("again").unwrap();
    for id in [pending, approved] {
        assert_eq!(gate.get(id).unwrap().unwrap().status(), Status::Cancelled);
    }
    assert_eq!(code(redeem(&gate, Some("r"), "2")), "ERR_NOT_APPROVED");
    assert_eq!(code(gate.request(new("r", "3", None))), "ERR_GATE_CLOSED");
}

#[test]
fn events_come_in_order_and_none_is_lost() {
    let (gate, _) = gate();
    let wakes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&wakes);
    gate.feed().on_wake(Some(Arc::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    })));
    for call in 0..300 {
        ask(&gate, "r", &call.to_string(), None);
    }
    let mut seen = Vec::new();
    let mut drain = |most: usize| {
        let mut taken = 0;
        gate.feed().drain(|event| {
            let LedgerEvent::Requested(request) = event else { panic!("not a request") };
            seen.push(request.call.tool_call_id.to_string());
            taken += 1;
            taken < most
        });
        taken
    };
    assert_eq!(
        [drain(1_000), drain(5), drain(1_000), drain(1_000), drain(1_000)],
        [128, 5, 128, 39, 0]
    );
    assert_eq!(seen, (0..300).map(|call| call.to_string()).collect::<Vec<_>>());
    // What was left behind by a drain that was stopped is announced.
    assert_eq!(wakes.load(Ordering::SeqCst), 1);
}

#[test]
fn of_many_decisions_and_claims_one_wins() {
    let (gate, _) = gate();
    let ids: Vec<ApprovalId> =
        (0..500).map(|call| ask(&gate, "r", &call.to_string(), None)).collect();
    let (decided, redeemed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (gate, ids, decided, redeemed) = (&gate, &ids, &decided, &redeemed);
            scope.spawn(move || {
                for step in 0..ids.len() {
                    // Each thread in an order of its own, all of them meeting often.
                    let call = (step + thread * 3) % ids.len();
                    match approve(gate, ids[call]) {
                        Ok(_) => decided.fetch_add(1, Ordering::SeqCst),
                        Err(error) => {
                            assert_eq!(error.code(), "ERR_ALREADY_DECIDED");
                            0
                        }
                    };
                    match redeem(gate, Some("r"), &call.to_string()) {
                        Ok(_) => redeemed.fetch_add(1, Ordering::SeqCst),
                        Err(error) => {
                            assert_eq!(error.code(), "ERR_ALREADY_STARTED");
                            0
                        }
                    };
                }
            });
        }
    });
    assert_eq!((decided.into_inner(), redeemed.into_inner()), (500, 500));
}

#[tokio::test(start_paused = true)]
async fn the_task_expires_what_is_due_and_wakes_once() {
    let (gate, wakes) = runtime_gate();
    ask(&gate, "r", "late", Some(5_000));
    ask(&gate, "r", "soon", Some(1_000));
    ask(&gate, "r", "too", Some(1_000));
    ask(&gate, "r", "never", None);
    events(&gate);
    tokio::time::sleep(Duration::from_millis(990)).await;
    assert!(events(&gate).is_empty());
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(wakes.load(Ordering::SeqCst), 1);
    // Not drained yet: no second wake.
    tokio::time::sleep(Duration::from_millis(5_000)).await;
    assert_eq!(wakes.load(Ordering::SeqCst), 1);
    assert_eq!(events(&gate), ["expired via deadline"; 3]);
    ask(&gate, "r", "after", Some(100));
    tokio::time::sleep(Duration::from_millis(110)).await;
    assert_eq!(wakes.load(Ordering::SeqCst), 2);
    assert_eq!(gate.pending(None).unwrap().len(), 1);
}

#[test]
fn a_look_expires_all_that_is_due_however_much_it_is() {
    let (gate, clock) = gate();
    for call in 0..=2 * EXPIRE_AT_ONCE {
        ask(&gate, "r", &call.to_string(), Some(1_000));
    }
    while !events(&gate).is_empty() {}
    clock.0.store(5_000, Ordering::SeqCst);
    gate.expire_now();
    let mut expired = 0;
    loop {
        let told = events(&gate);
        if told.is_empty() {
            break;
        }
        expired += told.len();
    }
    assert_eq!(expired, 2 * EXPIRE_AT_ONCE + 1);
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_is_looked_at_again_soon() {
    let clock = HandClock::default();
    let spawn: SpawnTask = Box::new(|task| drop(tokio::spawn(task)));
    let gate = Gate::new(OPTIONS, Box::new(clock.clone()), spawn);
    ask(&gate, "r", "c", Some(3_600_000));
    events(&gate);
    tokio::time::sleep(Duration::from_secs(1)).await;
    clock.0.store(7_200_000, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(events(&gate), ["expired via deadline"]);
}

#[tokio::test(start_paused = true)]
async fn a_long_deadline_and_a_large_crowd_expire_too() {
    let (gate, wakes) = runtime_gate();
    for call in 0..1_000 {
        ask(&gate, "r", &call.to_string(), Some(3_600_000));
    }
    tokio::time::sleep(Duration::from_millis(3_600_010)).await;
    assert!(gate.pending(None).unwrap().is_empty());
    assert_eq!(wakes.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_its_gate() {
    let running = Arc::new(());
    let held = Arc::clone(&running);
    let spawn: SpawnTask = Box::new(move |task| {
        let held = Arc::clone(&held);
        drop(tokio::spawn(async move {
            task.await;
            drop(held);
        }));
    });
    let gate = Gate::new(OPTIONS, Box::new(RuntimeClock(tokio::time::Instant::now())), spawn);
    ask(&gate, "r", "1", Some(1_000_000));
    tokio::time::sleep(Duration::from_millis(1)).await;
    let weak = Arc::downgrade(&gate);
    // One here, one in the spawner, one in the task.
    assert_eq!(Arc::strong_count(&running), 3);
    drop(gate);
    assert!(weak.upgrade().is_none());
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(Arc::strong_count(&running), 1);
}

#[test]
fn the_system_clock_never_goes_back() {
    let clock = SystemClock::new();
    let mut last = 1_700_000_000_000;
    for _ in 0..10_000 {
        let now = clock.now();
        assert!(now >= last);
        last = now;
    }
}
