use std::collections::HashSet;

use super::*;
use crate::approval::{ExecutionStep, Status};
use crate::ledger::{DurableLedger as _, LedgerErrorKind as Kind, RunStatus, SaveRun, WatchScope};

fn kill_all(admin: &Admin) {
    let schema = &admin.names.schema;
    admin.run(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema}'"
    ));
}

/// Kills come with steps that were done, not with time: however slow it is, there is as much work between two of them.
#[test]
fn connections_that_are_killed_lose_nothing_and_double_nothing() {
    let Some(url) = url() else { return };
    let (one, two) = (open(&url), open(&url));
    let admin = Admin::new(&url);
    let (calls, steps_a_kill) = (effort(5, 20), 6);
    let (done, steps) = std::sync::mpsc::channel();
    let (started, wins, kills) = std::thread::scope(|scope| {
        let admin = &admin;
        let killer = scope.spawn(move || {
            let mut kills = 0;
            loop {
                kill_all(admin);
                kills += 1;
                if (0..steps_a_kill).any(|_| steps.recv().is_err()) {
                    return kills;
                }
            }
        });
        let work: Vec<_> = (0..4)
            .map(|worker| {
                let (mine, other) = if worker % 2 == 0 { (&one, &two) } else { (&two, &one) };
                let done = done.clone();
                scope.spawn(move || {
                    let mut won = 0;
                    let mut started = HashSet::new();
                    for call in 0..calls {
                        let id = ask(mine, &format!("run {worker}"), &call.to_string());
                        done.send(()).unwrap();
                        for ledger in [other, mine, other] {
                            won += usize::from(matches!(
                                approve(ledger, id, now()),
                                DecideOutcome::Won(_)
                            ));
                            done.send(()).unwrap();
                        }
                        for ledger in [mine, other] {
                            if matches!(begin(ledger, id), Ok(RedeemOutcome::Won(_))) {
                                assert!(started.insert(id), "started twice");
                            }
                            done.send(()).unwrap();
                        }
                        mine.finish(id, ExecutionStep::Succeed, None, now()).unwrap();
                        done.send(()).unwrap();
                    }
                    (started, won)
                })
            })
            .collect();
        drop(done);
        let done: Vec<_> = work.into_iter().map(|work| work.join().unwrap()).collect();
        (
            done.iter().map(|(started, _)| started.len()).sum::<usize>(),
            done.iter().map(|(_, won)| won).sum::<usize>(),
            killer.join().unwrap(),
        )
    });
    assert_eq!((started, wins), (4 * calls, 4 * calls));
    assert_eq!(kills, 1 + 4 * calls * 7 / steps_a_kill);
    let verified = one.verify().unwrap();
    assert_eq!((verified.faults.as_slice(), verified.records), (&[][..], 4 * calls as u64));
    let audited = admin.number(
        "SELECT count(*) FROM @audit WHERE kind IN ('requested', 'decided', 'started', 'settled')",
    );
    assert_eq!(usize::try_from(audited), Ok(16 * calls));
}

#[test]
fn of_many_who_decide_or_begin_at_once_one_wins() {
    let Some(url) = url() else { return };
    let ledgers = [open(&url), open(&url)];
    for call in 0..effort(5, 15) {
        let id = ask(&ledgers[0], "r", &call.to_string());
        let at_once = |wins: fn(&PostgresLedger, ApprovalId, usize) -> bool| {
            let barrier = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                let all: Vec<_> = (0..8)
                    .map(|worker| {
                        let (ledger, barrier) = (&ledgers[worker % 2], &barrier);
                        scope.spawn(move || {
                            barrier.wait();
                            wins(ledger, id, worker)
                        })
                    })
                    .collect();
                all.into_iter().map(|one| usize::from(one.join().unwrap())).sum::<usize>()
            })
        };
        let won = at_once(|ledger, id, worker| {
            let choice = if worker < 7 {
                DecisionChoice::Approve
            } else {
                DecisionChoice::Reject { stop: false }
            };
            matches!(ledger.decide(id, decided(choice, now())).unwrap(), DecideOutcome::Won(_))
        });
        assert_eq!(won, 1);
        let begun =
            at_once(|ledger, id, _| matches!(begin(ledger, id).unwrap(), RedeemOutcome::Won(_)));
        assert!(
            begun <= 1
                && (begun == 1)
                    == (ledgers[0].get(id).unwrap().unwrap().status() == Status::Started)
        );
    }
    assert_eq!(ledgers[1].verify().unwrap().faults, []);
}

#[test]
fn who_waits_is_woken_though_the_listener_was_killed() {
    let Some(url) = url() else { return };
    let (one, two) = (open(&url), open(&url));
    let admin = Admin::new(&url);
    let id = ask(&one, "r", "1");
    until("the request was told", || !told(&one).is_empty());
    kill_all(&admin);
    approve(&two, id, now());
    until("the decision was told", || {
        told(&one).iter().any(|event| matches!(event, LedgerEvent::Decided { .. }))
    });
}

#[test]
fn a_leaf_that_comes_late_is_told_all_the_same() {
    let Some(url) = url() else { return };
    let one = open(&url);
    let id = ask(&one, "r", "1");
    until("the request was told", || !told(&one).is_empty());
    let late = Admin::new(&url);
    late.run(&format!(
        "BEGIN; INSERT INTO @leaf SELECT nextval('@leaf_seq'), 1, 'started', '{id}', '{{\"at\":1,\"kind\":\"started\",\"seq\":0}}'"
    ));
    one.watch(WatchScope::All);
    ask(&one, "r", "2");
    until("the later one was told", || {
        told(&one).iter().any(|event| matches!(event, LedgerEvent::Requested(_)))
    });
    late.run("COMMIT");
    until("the late one was told", || {
        told(&one)
            .iter()
            .any(|event| matches!(event, LedgerEvent::Started { id: late, .. } if *late == id))
    });
}

#[test]
fn a_process_that_is_taken_for_gone_never_comes_back_under_its_name() {
    let Some(url) = url() else { return };
    let (one, two) = (open(&format!("{url}&lease=600000")), open(&url));
    let [running, next, late] = ["1", "2", "3"].map(|call| {
        let id = ask(&one, "r", call);
        approve(&one, id, now());
        id
    });
    assert!(matches!(begin(&one, running).unwrap(), RedeemOutcome::Won(_)));
    let state = serde_json::value::RawValue::from_string("{}".to_owned()).unwrap();
    let save = |ledger: &PostgresLedger| {
        let save = SaveRun {
            run_id: "r",
            parent: None,
            entries: &[],
            state: &state,
            status: RunStatus::Running,
            steps: 1,
        };
        ledger.save_run(save, now())
    };
    save(&one).unwrap();
    assert_eq!(save(&two).unwrap_err().kind, Kind::RunActive);
    assert_eq!(two.take_run("r", now()).unwrap_err().kind, Kind::RunActive);
    assert!(two.interrupt(None, now()).unwrap().is_empty());
    assert!(two.runs(true, 9).unwrap()[0].active);

    let admin = Admin::new(&url);
    let gone = one.core.pen.owner();
    let lease_is_over = || admin.run(&format!("UPDATE @owner SET until = 1 WHERE id = '{gone}'"));
    lease_is_over();
    // It was not taken for gone: it prolongs its lease and is who it was.
    assert!(matches!(begin(&one, next).unwrap(), RedeemOutcome::Won(_)));
    assert_eq!(one.core.pen.owner(), gone);
    assert!(two.interrupt(None, now()).unwrap().is_empty());

    lease_is_over();
    let lost = two.interrupt(None, now()).unwrap();
    let lost: HashSet<_> = lost.iter().map(|record| record.request().id).collect();
    assert_eq!(lost, HashSet::from([running, next]));
    assert_eq!(two.get(running).unwrap().unwrap().status(), Status::Interrupted);
    assert!(one.finish(running, ExecutionStep::Succeed, None, now()).unwrap().is_none());
    assert!(two.take_run("r", now()).is_ok());

    let beaten =
        one.core.block_on(one.core.pool.once(async |client| {
            owners::beat(client, &one.core.pen, Duration::from_secs(60)).await
        }));
    beaten.unwrap();
    assert_ne!(one.core.pen.owner(), gone);
    assert!(matches!(begin(&one, late).unwrap(), RedeemOutcome::Won(_)));
    // Closing gives it back at once.
    drop(one);
    assert_eq!(two.interrupt(None, now()).unwrap().len(), 1);
}

#[test]
fn a_client_whose_clock_is_wrong_changes_nothing() {
    let Some(url) = url() else { return };
    let one = open(&url);
    let (hour, day) = (3_600_000, 86_400_000);
    // Far from the wrong clock, and wide enough for a machine that stands still for a while.
    let is_right = |at: u64| at.abs_diff(now()) < hour;
    for wrong in [now() + day, now() - day] {
        let record =
            created(one.request(asked("r", &wrong.to_string(), wrong, Some(2 * hour))).unwrap());
        let request = record.request();
        assert!(is_right(request.created_at));
        assert_eq!(request.expires_at, Some(request.created_at + 2 * hour));
        let (seconds, _) = request.id.get_timestamp().unwrap().to_unix();
        assert!(is_right(seconds * 1_000));
        assert!(is_right(one.now(wrong)));
        assert!(one.expire_due(now() + day, 9).unwrap().is_empty());
        let DecideOutcome::Won(record) = approve(&one, request.id, wrong) else {
            panic!("not won")
        };
        assert!(is_right(record.decided().unwrap().at));
    }
}

#[test]
fn a_pool_that_is_used_up_is_told_as_busy() {
    let Some(url) = url() else { return };
    let one = open(&format!("{url}&pool=1&connect_timeout=1"));
    let core = Arc::clone(&one.core);
    std::thread::scope(|scope| {
        let (ready, is_ready) = std::sync::mpsc::channel();
        let (told, was_told) = tokio::sync::oneshot::channel::<()>();
        let held = scope.spawn(move || {
            core.block_on(core.pool.long(async move |_| {
                ready.send(()).unwrap();
                let _ = was_told.await;
                Ok(())
            }))
        });
        is_ready.recv().unwrap();
        assert_eq!(one.pending(None).unwrap_err().kind, Kind::Busy);
        drop(told);
        held.join().unwrap().unwrap();
    });
    until("it was given back", || one.pending(None).is_ok_and(|pending| pending.is_empty()));
}
