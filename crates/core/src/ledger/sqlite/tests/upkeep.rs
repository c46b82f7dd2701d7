//! What is kept for how long, and the space it took.

use super::*;
use crate::approval::{ContentState, ExecutionStep as Advance};
use crate::ledger::{DecideOutcome, Retention, RunStatus, SaveRun, UpkeepReport};

#[test]
fn contents_go_first_and_records_later_and_the_audit_stays() {
    let ledger = temporary();
    let waiting = put(&ledger, request("run", "waiting", 0, None));
    let approved = put(&ledger, request("run", "approved", 0, None));
    ledger.decide(approved, choose(DecisionChoice::Approve, 0)).unwrap();
    let done: Vec<ApprovalId> = (0..5)
        .map(|call| {
            let id = put(&ledger, request("run", &call.to_string(), 0, None));
            let choice = DecisionChoice::Edit { args: json("[7]"), bound: None };
            ledger.decide(id, choose(choice, 0)).unwrap();
            let digest = ledger.get(id).unwrap().unwrap().approved().unwrap().1;
            ledger.begin(id, digest, 0).unwrap();
            ledger.finish(id, Advance::Succeed, Some(raw("8")), 100).unwrap();
            id
        })
        .collect();
    let before = ledger.get(done[0]).unwrap().unwrap();
    let retention = Retention { contents: Some(1_000), records: Some(5_000) };
    assert_eq!(ledger.tidy(retention, 1_099, 10).unwrap(), UpkeepReport::default());
    // A slice at a time.
    assert_eq!(ledger.tidy(retention, 1_100, 3).unwrap().contents, 3);
    assert_eq!(ledger.tidy(retention, 1_100, 3).unwrap().contents, 2);
    assert_eq!(ledger.tidy(retention, 1_100, 3).unwrap(), UpkeepReport::default());
    let after = ledger.get(done[0]).unwrap().unwrap();
    assert_eq!(after.request().contents(), ContentState::Dropped);
    assert_eq!(
        (after.status(), after.request().digest),
        (before.status(), before.request().digest)
    );
    assert_eq!(
        after.approved().map(|(_, digest)| digest),
        before.approved().map(|(_, digest)| digest)
    );
    assert!(after.result().is_none() && after.decided().unwrap().decision.reason.is_none());
    assert_eq!(after.request().call.args.as_str(), "null");
    assert_eq!(&*after.request().preview, "");
    verify(&ledger);

    assert_eq!(ledger.tidy(retention, 5_100, 3).unwrap().records, 3);
    assert_eq!(ledger.tidy(retention, 5_100, 3).unwrap().records, 2);
    assert!(ledger.get(done[0]).unwrap().is_none());
    assert!(matches!(
        ledger.decide(done[0], choose(DecisionChoice::Skip, 0)).unwrap(),
        DecideOutcome::Unknown
    ));
    // What something can still happen to is as it was.
    for id in [waiting, approved] {
        assert_eq!(
            ledger.get(id).unwrap().unwrap().request().call.args.as_str(),
            r#"{"command":"secret-args"}"#
        );
    }
    let audit = ledger.audit(0, 1_000).unwrap();
    assert_eq!(audit.iter().filter(|entry| entry.body.contains(&done[0].to_string())).count(), 4);
    verify(&ledger);
}

#[test]
fn runs_that_are_over_lose_their_history_and_then_themselves() {
    let ledger = temporary();
    let (entries, state) = ([raw("1"), raw("2"), raw("3")], raw("4"));
    for (run, status) in [("open", RunStatus::Running), ("done", RunStatus::Done)] {
        let save = SaveRun {
            run_id: run,
            parent: None,
            entries: &entries,
            state: &state,
            status,
            steps: 1,
        };
        ledger.save_run(save, 0).unwrap();
    }
    let retention = Retention { contents: Some(1_000), records: Some(5_000) };
    assert_eq!(ledger.tidy(retention, 1_000, 2).unwrap().entries, 2);
    verify(&ledger);
    assert_eq!(ledger.tidy(retention, 1_000, 2).unwrap().entries, 1);
    assert_eq!(ledger.tidy(retention, 1_000, 2).unwrap(), UpkeepReport::default());
    let done = ledger.run("done").unwrap().unwrap();
    assert_eq!((done.entries.len(), done.state.get()), (0, "null"));
    verify(&ledger);
    ledger.tidy(retention, 5_000, 2).unwrap();
    assert!(ledger.run("done").unwrap().is_none());
    assert_eq!(ledger.tidy(retention, 5_000, 2).unwrap(), UpkeepReport::default());
    assert_eq!(ledger.run("open").unwrap().unwrap().entries.len(), 3);
    verify(&ledger);
}

#[test]
fn what_was_dropped_is_given_back() {
    let ledger = temporary();
    for call in 0..20 {
        let mut large = request("run", &call.to_string(), 0, None);
        large.call.args = json(&format!("\"{}\"", "x".repeat(100_000)));
        large.digest = large.call.digest();
        let id = put(&ledger, large);
        ledger.decide(id, choose(DecisionChoice::Skip, 0)).unwrap();
    }
    ledger.engine.checkpoint().unwrap();
    let before = ledger.about().unwrap();
    assert_eq!((before.records, before.pending, before.encrypted), (20, 0, false));
    // The clock of this test stands still: where the machine is slow, that is told as a jump.
    assert!((41..50).contains(&before.entries), "{} entries", before.entries);
    let all = Retention { contents: Some(0), records: None };
    assert_eq!(ledger.tidy(all, 10, 100).unwrap().contents, 20);
    let given = ledger.compact().unwrap().bytes;
    let after = ledger.about().unwrap();
    assert!(
        given > 1_900_000 && after.bytes + given <= before.bytes,
        "{before:?} {after:?} {given}"
    );
    assert_eq!(ledger.compact().unwrap().bytes, 0);
    verify(&ledger);
}
