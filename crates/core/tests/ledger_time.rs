//! Promise G5 under clocks that jump, and under two clocks that do not agree: an expired approval never becomes valid again,
//! and a clock that runs ahead expires early rather than late.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should panic"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use countersign_core::approval::{
    ApprovalId, Decision, DecisionChannel, DecisionChoice, DecisionKinds, Status,
};
use countersign_core::call::{CanonicalJson, ToolCall};
use countersign_core::gate::{Clock, DecidingCaller, Gate, GateError, GateOptions, NewRequest};
use countersign_core::ledger::{LedgerLocation, OpenOptions, Retention, open};
use serde_json::Value;

const START: u64 = 1_800_000_000_000;
const MINUTE: u64 = 60_000;

/// A clock that is set by hand.
#[derive(Debug, Clone)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn new(now: u64) -> Self {
        Self(Arc::new(AtomicU64::new(now)))
    }

    fn set(&self, now: u64) {
        self.0.store(now, Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A file of its own, removed in the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        let directory =
            std::env::temp_dir().join(format!("countersign-time-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&directory).unwrap();
        Self(directory)
    }

    /// A gate as a process with this clock has it. No task of it looks at the time: only what is done does.
    fn gate(&self, clock: &Hand) -> Arc<Gate> {
        let options =
            OpenOptions { key: None, read_only: false, feed: Arc::default(), now: clock.now() };
        let ledger = open(&LedgerLocation::Sqlite(Some(self.0.join("a.db"))), options).unwrap();
        let options = GateOptions {
            max_argument_bytes: 1_000,
            keep_decided: 100,
            retention: Retention { contents: None, records: None },
            read_only: false,
        };
        Gate::over(ledger, options, Box::new(clock.clone()), Box::new(drop))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ask(gate: &Gate, call: &str, timeout: u64) -> ApprovalId {
    let call = ToolCall {
        run_id: "run".into(),
        tool_call_id: call.into(),
        tool_name: "execute".into(),
        args: CanonicalJson::parse(r#"{"command":"ls"}"#).unwrap(),
        context: None,
    };
    let request = NewRequest {
        call,
        origin: ["main".into()].into(),
        description: None,
        allowed: DecisionKinds::ALL,
        timeout: Some(timeout),
        page: None,
        more: None,
        stored: None,
    };
    gate.request(request).unwrap().request().id
}

fn approve(gate: &Gate, id: ApprovalId) -> Result<Status, GateError> {
    let decision = Decision::new(DecisionChoice::Approve, None);
    gate.decide(
        id,
        decision,
        DecidingCaller { by: None, groups: Box::default(), via: DecisionChannel::Gate },
    )
    .map(|record| record.status())
}

fn is_expired(result: &Result<Status, GateError>) -> bool {
    matches!(result, Err(GateError::Expired(_)))
}

fn status(gate: &Gate, id: ApprovalId) -> Status {
    gate.get(id).unwrap().unwrap().status()
}

/// The jumps that the audit tells of, in ms.
fn jumps(gate: &Gate) -> Vec<i64> {
    let entries = gate.archive().unwrap().audit(0, 1_000).unwrap();
    entries
        .iter()
        .map(|entry| serde_json::from_str::<Value>(&entry.body).unwrap())
        .filter(|body| body["kind"] == "clock-jump")
        .map(|body| body["more"]["ms"].as_i64().unwrap())
        .collect()
}

fn is_sound(gate: &Gate) -> bool {
    gate.archive().unwrap().verify().unwrap().faults.is_empty()
}

#[test]
fn a_clock_set_back_makes_nothing_valid_again() {
    let place = Place::new();
    let clock = Hand::new(START);
    let gate = place.gate(&clock);
    let (one, two) = (ask(&gate, "1", MINUTE), ask(&gate, "2", 10 * MINUTE));
    clock.set(START + MINUTE);
    assert!(is_expired(&approve(&gate, one)));
    for back in [START, START + MINUTE - 1, START - 24 * 60 * MINUTE, 0] {
        clock.set(back);
        assert!(is_expired(&approve(&gate, one)), "at {back}");
        // Nor for a process that begins then.
        assert!(is_expired(&approve(&place.gate(&clock), one)), "at {back}");
        assert_eq!(status(&gate, one), Status::Expired);
    }
    // What has time left can be approved, and its time has not become more.
    assert_eq!(status(&gate, two), Status::Pending);
    clock.set(START + 10 * MINUTE);
    assert!(is_expired(&approve(&gate, two)));
    assert!(is_sound(&gate));
}

/// Without a look between the deadline and the jump, what was written down since says how late it is.
#[test]
fn a_deadline_that_passed_unseen_has_passed_though_the_clock_goes_back() {
    let place = Place::new();
    let clock = Hand::new(START);
    let gate = place.gate(&clock);
    let one = ask(&gate, "1", MINUTE);
    clock.set(START + 2 * MINUTE);
    ask(&gate, "2", 10 * MINUTE);
    clock.set(START + 1);
    assert!(is_expired(&approve(&gate, one)));
    assert!(is_expired(&approve(&place.gate(&clock), one)));
    assert!(is_sound(&gate));
}

#[test]
fn a_clock_set_forward_expires_early_and_says_so() {
    let place = Place::new();
    let clock = Hand::new(START);
    let gate = place.gate(&clock);
    let one = ask(&gate, "1", MINUTE);
    assert_eq!(jumps(&gate), Vec::<i64>::new());
    clock.set(START + 60 * MINUTE);
    assert!(is_expired(&approve(&gate, one)));
    let told = jumps(&gate);
    assert_eq!(told.len(), 1);
    assert!(
        told.iter().all(|ms| (59 * MINUTE..=60 * MINUTE).contains(&ms.unsigned_abs())),
        "{told:?}"
    );
    // And it stays expired when somebody sets the clock right.
    clock.set(START + 1);
    assert!(is_expired(&approve(&gate, one)));
    assert!(is_sound(&gate));
}

/// The later clock counts as soon as it has written something down.
#[test]
fn two_processes_whose_clocks_do_not_agree() {
    let place = Place::new();
    let (right, behind) = (Hand::new(START), Hand::new(START - 60 * MINUTE));
    let (first, second) = (place.gate(&right), place.gate(&behind));
    let one = ask(&first, "1", MINUTE);
    let two = ask(&second, "2", MINUTE);
    // Asked behind, it has the same minute from the ledger's moment on, and not one that passed before.
    let deadline = |id| first.get(id).unwrap().unwrap().request().expires_at;
    assert_eq!([deadline(one), deadline(two)], [Some(START + MINUTE); 2]);
    right.set(START + MINUTE);
    assert!(is_expired(&approve(&first, one)));
    // By its own clock, the gate behind has an hour left.
    assert!(is_expired(&approve(&second, one)));
    assert!(is_expired(&approve(&second, two)));
    for gate in [&first, &second] {
        assert_eq!([status(gate, one), status(gate, two)], [Status::Expired; 2]);
    }
    assert!(is_sound(&first));
}

/// The other way round: nothing is approved late because the one who asked has a clock that is behind.
#[test]
fn a_process_that_is_ahead_expires_what_others_think_has_time_left() {
    let place = Place::new();
    let (right, ahead) = (Hand::new(START), Hand::new(START + 60 * MINUTE));
    let first = place.gate(&right);
    let one = ask(&first, "1", MINUTE);
    let second = place.gate(&ahead);
    assert!(is_expired(&approve(&second, one)));
    assert!(is_expired(&approve(&first, one)));
    // What is asked from now on has all of its time, by the ledger's clock.
    let two = ask(&first, "2", MINUTE);
    assert_eq!(approve(&first, two).unwrap(), Status::Approved);
    assert!(is_sound(&first));
}

/// An approval that came in time holds, however the clocks go before it is used.
#[test]
fn an_approval_in_time_outlives_any_jump() {
    let place = Place::new();
    let clock = Hand::new(START);
    let gate = place.gate(&clock);
    let one = ask(&gate, "1", MINUTE);
    clock.set(START + MINUTE - 1);
    assert_eq!(approve(&gate, one).unwrap(), Status::Approved);
    for now in [START + 60 * MINUTE, START - 60 * MINUTE] {
        clock.set(now);
        let other = place.gate(&clock);
        assert_eq!(status(&other, one), Status::Approved);
    }
    assert!(is_sound(&gate));
}
