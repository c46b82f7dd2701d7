use super::*;
use crate::ledger::DurableLedger as _;
use crate::ledger::audit::{AuditNote, NoteKind, verify};

#[test]
fn many_sequencers_make_one_chain() {
    let Some(url) = url() else { return };
    let rounds = effort(10, 30);
    let ledgers: Vec<_> = (0..3).map(|_| open(&url)).collect();
    std::thread::scope(|scope| {
        for ledger in &ledgers {
            scope.spawn(move || {
                for round in 0..rounds {
                    let note = AuditNote {
                        reason: Some("seq\":0,\"at\":1".into()),
                        ..AuditNote::new(NoteKind::Verdict)
                    };
                    ledger.note(&[note.clone(), note], now()).unwrap();
                    if round % 5 == 0 {
                        ledger.head().unwrap();
                    }
                }
            });
        }
    });
    let entries = ledgers[0].audit(0, 1_000).unwrap();
    assert_eq!(entries.len(), 1 + 3 * rounds * 2);
    let chain = verify(Default::default(), &entries, None).unwrap().chain;
    assert_eq!(ledgers[1].head().unwrap(), chain);
    assert_eq!(ledgers[2].about().unwrap().entries, chain.seq);
    assert!(ledgers[2].verify().unwrap().faults.is_empty());
    assert_eq!(Admin::new(&url).number("SELECT count(*) FROM @leaf"), 0);
}

#[test]
fn of_one_request_the_leaves_are_in_the_order_of_its_changes() {
    let Some(url) = url() else { return };
    let one = open(&url);
    let id = ask(&one, "r", "1");
    approve(&one, id, now());
    begin(&one, id).unwrap();
    one.finish(id, crate::approval::ExecutionStep::Fail, None, now()).unwrap();
    let kinds: Vec<String> = one
        .audit(0, 99)
        .unwrap()
        .iter()
        .filter(|entry| entry.body.contains(&id.to_string()))
        .map(|entry| {
            serde_json::from_str::<serde_json::Value>(&entry.body).unwrap()["kind"].to_string()
        })
        .collect();
    assert_eq!(kinds, ["\"requested\"", "\"decided\"", "\"started\"", "\"settled\""]);
}

#[test]
fn what_is_changed_by_hand_is_found() {
    let Some(url) = url() else { return };
    let one = open(&url);
    let admin = Admin::new(&url);
    let ids = ["1", "2", "3"].map(|call| ask(&one, "r", call));
    approve(&one, ids[0], now());
    assert!(one.verify().unwrap().faults.is_empty());
    for (change, undo) in [
        ("UPDATE @approval SET tool_name = 'x'", "UPDATE @approval SET tool_name = 'execute'"),
        (
            "UPDATE @audit SET body = replace(body, 'ada', 'eve')",
            "UPDATE @audit SET body = replace(body, 'eve', 'ada')",
        ),
        (
            "UPDATE @audit SET kind = 'x' WHERE seq = 2",
            "UPDATE @audit SET kind = 'requested' WHERE seq = 2",
        ),
        ("UPDATE @chain SET seq = seq - 1", "UPDATE @chain SET seq = seq + 1"),
        (
            "CREATE TABLE @w AS SELECT * FROM @waiting; DELETE FROM @waiting",
            "INSERT INTO @waiting SELECT * FROM @w; DROP TABLE @w",
        ),
        (
            "UPDATE @call SET last = (SELECT last FROM @call ORDER BY last LIMIT 1)",
            "UPDATE @call k SET last = a.id FROM @approval a WHERE a.tool_call_id = k.tool_call_id",
        ),
        ("UPDATE @meta SET v = '7' WHERE k = 'created_at'", ""),
    ] {
        admin.run(change);
        assert!(!one.verify().unwrap().faults.is_empty(), "{change}");
        if !undo.is_empty() {
            admin.run(undo);
            assert!(
                one.verify().unwrap().faults.is_empty(),
                "{undo}: {:?}",
                one.verify().unwrap().faults
            );
        }
    }
    // What is not what was written is not shown, and nothing is done with it.
    admin.run("UPDATE @approval SET status = 1");
    assert_eq!(one.get(ids[1]).unwrap_err().kind, crate::ledger::LedgerErrorKind::Corrupt);
    admin.run("UPDATE @approval SET status = 0; DELETE FROM @content");
    assert_eq!(one.get(ids[1]).unwrap_err().kind, crate::ledger::LedgerErrorKind::Corrupt);
}

#[test]
fn a_request_that_is_missing_is_told_with_its_last_entry() {
    let Some(url) = url() else { return };
    let one = open(&url);
    let id = ask(&one, "r", "1");
    Admin::new(&url).run(
        "DELETE FROM @approval; DELETE FROM @content; DELETE FROM @waiting; DELETE FROM @call",
    );
    let faults = one.verify().unwrap().faults;
    let told: Vec<_> = faults.iter().map(|fault| (fault.seq, &*fault.what)).collect();
    assert_eq!(told, [(Some(2), "the request is missing")]);
    assert_eq!(faults[0].record.as_deref(), Some(&*id.to_string()));
}
