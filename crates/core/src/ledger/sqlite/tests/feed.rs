//! No change by anyone is missed.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;
use crate::approval::ExecutionStep as Advance;
use crate::effort::effort;
use crate::ledger::WatchScope;
use crate::ledger::conformance::name;

/// What takes so long never comes.
const HANGS: Duration = Duration::from_secs(240);

/// Events as they come, or nothing more.
fn next_events(ledger: &SqliteLedger, count: usize) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    ledger.feed().on_wake(Some(Arc::new(move || sender.send(()).unwrap_or_default())));
    let (mut events, start) = (Vec::new(), Instant::now());
    while events.len() < count && start.elapsed() < HANGS {
        let _ = receiver.recv_timeout(Duration::from_millis(100));
        ledger.feed().drain(|event| {
            events.push(name(&event));
            true
        });
    }
    ledger.feed().on_wake(None);
    events
}

/// Nothing was told unasked: what is done now is told next, and all is told in its order.
fn idle(ledger: &SqliteLedger) {
    let now = uuid::Uuid::now_v7().to_string();
    put(ledger, request("now", &now, 0, None));
    assert_eq!(next_events(ledger, 1), [format!("requested {now}")]);
}

#[test]
fn what_is_done_here_is_told_in_its_order() {
    let ledger = temporary();
    let id = put(&ledger, request("run", "1", 0, None));
    let digest = ledger.get(id).unwrap().unwrap().request().digest;
    ledger.decide(id, choose(DecisionChoice::Approve, 1)).unwrap();
    ledger.begin(id, digest, 2).unwrap();
    ledger.finish(id, Advance::Succeed, None, 3).unwrap();
    let other = put(&ledger, request("run", "2", 0, None));
    ledger.decide(other, choose(DecisionChoice::Skip, 4)).unwrap();
    let told = ["requested 1", "approve 1", "started", "succeeded", "requested 2", "skip 2"];
    assert_eq!(next_events(&ledger, 6), told);
    idle(&ledger);
}

/// A caller takes the events of its change with the answer: to be woken for them would be one more way there and back.
#[test]
fn what_was_done_here_is_there_with_the_answer() {
    let directory = Directory::new();
    let [one, two] = [open(&directory.file()), open(&directory.file())];
    let there = |ledger: &SqliteLedger| {
        let mut events = Vec::new();
        ledger.feed().drain(|event| {
            events.push(name(&event));
            true
        });
        events
    };
    let id = put(&one, request("run", "1", 0, None));
    assert_eq!(there(&one), ["requested 1"]);
    let digest = one.get(id).unwrap().unwrap().request().digest;
    // What another process did before is told before.
    two.decide(id, choose(DecisionChoice::Approve, 1)).unwrap();
    let others = one.begin(id, digest, 2).map(|_| there(&one)).unwrap();
    assert!(others.ends_with(&["started".to_owned()]), "{others:?}");
    one.finish(id, Advance::Succeed, None, 3).unwrap();
    assert_eq!(there(&one), ["succeeded"]);
}

#[test]
fn what_is_done_elsewhere_is_told_to_who_watches() {
    let directory = Directory::new();
    let [one, two] = [open(&directory.file()), open(&directory.file())];
    let mine = put(&one, request("run", "mine", 0, None));
    let theirs = put(&two, request("run", "theirs", 0, None));
    let watched = put(&two, request("run", "watched", 0, None));
    assert_eq!(next_events(&one, 1), ["requested mine"]);
    idle(&one);
    one.watch(WatchScope::One(watched));
    for id in [mine, theirs, watched] {
        two.decide(id, choose(DecisionChoice::Skip, 0)).unwrap();
    }
    assert_eq!(next_events(&one, 2), ["skip mine", "skip watched"]);
    one.watch(WatchScope::All);
    put(&two, request("run", "new", 0, None));
    assert_eq!(next_events(&one, 1), ["requested new"]);
    one.watch(WatchScope::Own);
    put(&two, request("run", "newer", 0, None));
    idle(&one);
}

/// An approval that was taken back before anybody was told of it is told as what it is now.
#[test]
fn a_decision_that_stands_no_more_is_not_told() {
    let directory = Directory::new();
    let [one, two] = [open(&directory.file()), open(&directory.file())];
    let id = put(&two, request("run", "1", 0, None));
    two.engine
        .write({
            let pen = Arc::clone(&two.pen);
            move |connection| {
                let mut step = crate::ledger::sqlite::step::WriteStep::begin(connection, &pen, 0)?;
                step.decide_one(id, choose(DecisionChoice::Approve, 0), &[])?;
                step.revoke(id, choose(DecisionChoice::Cancelled, 0))?;
                Ok(())
            }
        })
        .unwrap();
    drop(one);
    assert_eq!(next_events(&two, 2), ["requested 1", "cancelled 1"]);
    idle(&two);
}

/// Not a test of its own: the other process. Decides all that waits, at once, until it is killed.
#[test]
fn decides_at_once() {
    let Some(file) = std::env::var_os("COUNTERSIGN_TEST_LEDGER") else { return };
    let ledger = open(&PathBuf::from(file));
    loop {
        for record in ledger.pending(None).unwrap() {
            ledger.decide(record.request().id, choose(DecisionChoice::Skip, 0)).unwrap();
        }
    }
}

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn no_event_is_lost_when_another_process_decides_at_once() {
    let directory = Directory::new();
    let ledger = open(&directory.file());
    let _program = Program(
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ledger::sqlite::tests::feed::decides_at_once"])
            .env("COUNTERSIGN_TEST_LEDGER", directory.file())
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let calls: Vec<String> = (0..effort(50, 200)).map(|call| call.to_string()).collect();
    for call in &calls {
        put(&ledger, request("run", call, 0, None));
    }
    let events = next_events(&ledger, 2 * calls.len());
    for call in &calls {
        let about: Vec<&String> =
            events.iter().filter(|event| event.ends_with(&format!(" {call}"))).collect();
        assert_eq!(about, [&format!("requested {call}"), &format!("skip {call}")]);
    }
    assert_eq!(events.len(), 2 * calls.len());
}
