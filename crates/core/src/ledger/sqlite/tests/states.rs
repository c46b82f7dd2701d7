//! The statements allow what the state machine allows, in every state.

use super::*;
use crate::approval::{ApproverNeed, ExecutionStep as Advance, Status, StatusEvent, next};
use crate::ledger::sqlite::step::ChangeGuard;
use crate::ledger::{DecideOutcome, RedeemOutcome};

#[test]
fn who_may_not_decide_stands_in_the_audit() {
    let ledger = temporary();
    let mut asked = request("r", "1", 1, None);
    let approvers = Some(vec!["bo".into()]);
    let need = ApproverNeed { approvers, quorum: 1, exclude_requester: false, escalate: None };
    asked.more.get_or_insert_default().needs = [need].into();
    let id = put(&ledger, asked);
    let by_ada = choose(DecisionChoice::Approve, 2);
    assert!(matches!(ledger.decide(id, by_ada).unwrap(), DecideOutcome::Refused { .. }));
    let audit = ledger.audit(0, 100).unwrap();
    let last = &audit.last().unwrap().body;
    assert!(last.contains(r#""kind":"refused""#) && last.contains("ada"), "{last}");
}

/// Of two processes with clocks that do not agree, what came later is not written down as earlier.
#[test]
fn what_is_taken_back_is_so_by_the_clock_of_the_ledger() {
    let ledger = temporary();
    let id = put(&ledger, request("r", "1", 100, None));
    ledger.decide(id, choose(DecisionChoice::Approve, 100)).unwrap();
    let record = ledger.revoke(id, choose(DecisionChoice::Cancelled, 5)).unwrap().unwrap();
    assert_eq!(record.decided().unwrap().at, 100);
}

/// A request that stands there.
fn in_state(ledger: &SqliteLedger, status: Status, call: &str) -> ApprovalId {
    let id = put(ledger, request("run", call, 0, Some(1_000_000)));
    let digest = ledger.get(id).unwrap().unwrap().request().digest;
    let approve = || {
        assert!(matches!(
            ledger.decide(id, choose(DecisionChoice::Approve, 0)).unwrap(),
            DecideOutcome::Won(_)
        ))
    };
    let start = || assert!(matches!(ledger.begin(id, digest, 0).unwrap(), RedeemOutcome::Won(_)));
    let end = |step| assert!(ledger.finish(id, step, Some(raw("1")), 0).unwrap().is_some());
    let decide = |choice| {
        assert!(matches!(ledger.decide(id, choose(choice, 0)).unwrap(), DecideOutcome::Won(_)))
    };
    match status {
        Status::Pending => {}
        Status::Approved => approve(),
        Status::Edited => decide(DecisionChoice::Edit { args: json("[1]"), bound: None }),
        Status::Rejected => decide(DecisionChoice::Reject { stop: true }),
        Status::Responded => decide(DecisionChoice::Respond { output: json("2") }),
        Status::Skipped => decide(DecisionChoice::Skip),
        Status::Expired => decide(DecisionChoice::Expired),
        Status::Cancelled => decide(DecisionChoice::Cancelled),
        Status::Started => {
            approve();
            start();
        }
        Status::Succeeded => {
            approve();
            start();
            end(Advance::Succeed);
        }
        Status::Failed => {
            approve();
            start();
            end(Advance::Fail);
        }
        Status::Interrupted => {
            approve();
            start();
            end(Advance::Interrupt);
        }
    }
    assert_eq!(ledger.get(id).unwrap().unwrap().status(), status);
    id
}

/// The condition of the statement alone, without what our code looks at before.
#[test]
fn every_statement_in_every_state() {
    let ledger = temporary();
    for status in Status::ALL {
        let id = in_state(&ledger, status, status.name());
        for event in StatusEvent::ALL {
            let guards: &[ChangeGuard] = match event {
                StatusEvent::Approve
                | StatusEvent::Edit
                | StatusEvent::Reject
                | StatusEvent::Respond
                | StatusEvent::Skip => &[ChangeGuard::WAITS],
                StatusEvent::Expire => &[ChangeGuard::EXPIRE, ChangeGuard::PENDING],
                // A decision of a gate cancels what waits only.
                StatusEvent::Cancel => &[ChangeGuard::CANCEL],
                StatusEvent::Start => &[ChangeGuard::BEGIN],
                StatusEvent::Succeed | StatusEvent::Fail => &[ChangeGuard::FINISH],
                StatusEvent::Interrupt => &[ChangeGuard::FINISH, ChangeGuard::INTERRUPT],
            };
            for guard in guards {
                let condition = guard
                    .0
                    .replace(":now", if event == StatusEvent::Expire { "9e15" } else { "0" })
                    .replace(":digest", "bound")
                    .replace(":executor", "executor");
                let holds = ledger
                    .look(|connection, _| {
                        let sql = format!("SELECT 1 FROM approval WHERE id = ?1 AND {condition}");
                        Ok(connection.prepare(&sql)?.exists([id.as_bytes()])?)
                    })
                    .unwrap();
                assert_eq!(holds, next(status, event).is_ok(), "{status:?} + {event:?}");
            }
        }
    }
    verify(&ledger);
}

/// The same through the front door.
#[test]
fn every_operation_in_every_state() {
    let ledger = temporary();
    for status in Status::ALL {
        for event in StatusEvent::ALL {
            let id = in_state(&ledger, status, &format!("{status:?} {event:?}"));
            let record = ledger.get(id).unwrap().unwrap();
            let bound = record.approved().map_or(record.request().digest, |(_, digest)| digest);
            let decide = |choice| {
                matches!(ledger.decide(id, choose(choice, 0)).unwrap(), DecideOutcome::Won(_))
            };
            let ended = |step| ledger.finish(id, step, None, 0).unwrap().is_some();
            let done = match event {
                StatusEvent::Approve => decide(DecisionChoice::Approve),
                StatusEvent::Edit => decide(DecisionChoice::Edit { args: json("3"), bound: None }),
                StatusEvent::Reject => decide(DecisionChoice::Reject { stop: false }),
                StatusEvent::Respond => decide(DecisionChoice::Respond { output: json("4") }),
                StatusEvent::Skip => decide(DecisionChoice::Skip),
                StatusEvent::Expire => decide(DecisionChoice::Expired),
                StatusEvent::Cancel => {
                    decide(DecisionChoice::Cancelled)
                        || ledger
                            .revoke(id, choose(DecisionChoice::Cancelled, 0))
                            .unwrap()
                            .is_some()
                }
                StatusEvent::Start => {
                    matches!(ledger.begin(id, bound, 0).unwrap(), RedeemOutcome::Won(_))
                }
                StatusEvent::Succeed => ended(Advance::Succeed),
                StatusEvent::Fail => ended(Advance::Fail),
                StatusEvent::Interrupt => ended(Advance::Interrupt),
            };
            let reached = next(status, event);
            assert_eq!(done, reached.is_ok(), "{status:?} + {event:?}");
            let now = ledger.get(id).unwrap().unwrap().status();
            assert_eq!(now, reached.unwrap_or(status), "{status:?} + {event:?}");
        }
    }
    verify(&ledger);
}

/// The schema itself allows one open request for a call.
#[test]
fn a_second_open_request_for_a_call_cannot_be_written() {
    let ledger = temporary();
    put(&ledger, request("run", "1", 0, None));
    let error = ledger
        .engine
        .write(|connection| {
            let copied = "INSERT INTO approval (seq, id, run_id, tool_call_id, tool_name, digest, origin, flags, allowed,
                supersedes, created_at, duration, expires_at, contents, asked, status, choice, stop, answer, reason, decider,
                via, decided_at, bound, executor, result, decided_seq, changed_seq, ended_at, seal) SELECT seq + 100, zeroblob(16), run_id, tool_call_id, tool_name, digest, origin, flags,
                allowed, supersedes, created_at, duration, expires_at, contents, asked, status, choice, stop, answer, reason, decider,
                via, decided_at, bound, executor, result, decided_seq, changed_seq, ended_at, seal FROM approval";
            Ok(connection.execute(copied, [])?)
        })
        .unwrap_err();
    assert!(error.message.contains("UNIQUE"), "{error}");
}

#[test]
fn the_audit_is_only_appended_to() {
    let ledger = temporary();
    put(&ledger, request("run", "1", 0, None));
    for sql in [
        "UPDATE audit SET at = 5",
        "DELETE FROM audit",
        "INSERT INTO audit SELECT seq + 5, at, kind, approval_id, body, hash FROM audit LIMIT 1",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit LIMIT 1",
    ] {
        let error =
            ledger.engine.write(move |connection| Ok(connection.execute(sql, [])?)).unwrap_err();
        assert!(error.message.contains("only appended to"), "{error}");
    }
    verify(&ledger);
}

#[test]
fn the_clock_of_the_ledger_never_goes_back() {
    let ledger = temporary();
    let early = put(&ledger, request("run", "early", 10_000, Some(20_000)));
    ledger
        .decide(
            put(&ledger, request("run", "late", 50_000, None)),
            choose(DecisionChoice::Skip, 50_000),
        )
        .unwrap();
    // The machine says 15,000: the ledger knows better.
    assert!(matches!(
        ledger.decide(early, choose(DecisionChoice::Approve, 15_000)).unwrap(),
        DecideOutcome::Expired(_)
    ));
    let id = put(&ledger, request("run", "shifted", 10_000, Some(10_600)));
    let shifted = ledger.get(id).unwrap().unwrap();
    assert_eq!(
        (shifted.request().created_at, shifted.request().expires_at),
        (50_000, Some(50_600))
    );
    let DecideOutcome::Won(record) =
        ledger.decide(id, choose(DecisionChoice::Approve, 11_000)).unwrap()
    else {
        panic!("not won")
    };
    assert_eq!(record.decided().unwrap().at, 50_000);
    // And the jump back is told of.
    let kinds: Vec<String> =
        ledger.audit(0, 100).unwrap().into_iter().map(|entry| entry.body).collect();
    assert!(kinds.iter().any(|body| body.contains("clock-jump")), "{kinds:?}");
    verify(&ledger);
}
