use tokio_postgres::types::Type;

use super::partitions::{ClosedPartition, UnixDay, make_day};
use super::retention::move_mark;
use super::*;
use crate::approval::{ContentState, ExecutionStep, Status};
use crate::ledger::{DurableLedger as _, Hash, Retention, RunStatus, SaveRun, UpkeepReport};

const DAY: u64 = 86_400_000;

fn tidy(
    ledger: &PostgresLedger, contents: Option<u64>, records: Option<u64>, at: u64,
) -> UpkeepReport {
    let retention = Retention { contents, records };
    let mut all = UpkeepReport::default();
    loop {
        let tidied = ledger.tidy(retention, at, 2).unwrap();
        all = all + tidied;
        if tidied == UpkeepReport::default() {
            return all;
        }
    }
}

/// Makes the partitions of the day of this moment.
fn make(ledger: &PostgresLedger, at: u64) {
    let core = &ledger.core;
    let made = core.pool.once(async |client| make_day(client, &core.pen, UnixDay::of(at)).await);
    core.block_on(made).unwrap();
}

fn save(
    ledger: &PostgresLedger, run_id: &str, parent: Option<Hash>, texts: &[&str], status: RunStatus,
    at: u64,
) -> Vec<Hash> {
    let json = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    let entries: Vec<_> = texts.iter().map(|text| json(text)).collect();
    let state = json(r#"{"a":1}"#);
    let save = SaveRun { run_id, parent, entries: &entries, state: &state, status, steps: 1 };
    ledger.save_run(save, at).unwrap()
}

#[test]
fn whole_days_go_and_what_still_waits_stays() {
    let Some(url) = url() else { return };
    let ledger = open_by_callers(&url);
    let admin = Admin::new(&url);
    let first = 1_700_000_000_000 / DAY * DAY;
    (0..3).for_each(|day| make(&ledger, first + day * DAY));
    let at = |day: u64| first + day * DAY + 1_000;
    let ask = |call: &str, day| {
        created(ledger.request(asked("r", call, at(day), None)).unwrap()).request().id
    };
    let (waits, ends, late, next) =
        (ask("waits", 0), ask("ends", 0), ask("late", 0), ask("next", 1));
    let run = |id, day| {
        approve(&ledger, id, at(day));
        let digest = ledger.get(id).unwrap().unwrap().request().digest;
        assert!(matches!(ledger.begin(id, digest, at(day)).unwrap(), RedeemOutcome::Won(_)));
        let result = serde_json::value::RawValue::from_string("7".to_owned()).unwrap();
        ledger.finish(id, ExecutionStep::Succeed, Some(result), at(day)).unwrap().unwrap();
    };
    run(ends, 0);
    run(next, 1);
    run(late, 9);
    let contents = |id| ledger.get(id).unwrap().map(|record| record.request().contents());
    // Nothing is old enough.
    assert_eq!(tidy(&ledger, Some(10 * DAY), None, at(9)), UpkeepReport::default());

    let tidied = tidy(&ledger, Some(8 * DAY), None, at(9));
    assert_eq!((tidied.contents, tidied.records), (1, 0));
    let record = ledger.get(ends).unwrap().unwrap();
    assert_eq!(
        (record.status(), record.request().contents()),
        (Status::Succeeded, ContentState::Dropped)
    );
    assert!(record.result().is_none() && record.decided().unwrap().decision.reason.is_none());
    assert_eq!([waits, late, next].map(contents), [Some(ContentState::Kept); 3]);
    assert_eq!(ledger.verify().unwrap().faults, []);
    // What waited for so long is decided as ever.
    approve(&ledger, waits, at(9));

    let tidied = tidy(&ledger, Some(8 * DAY), Some(30 * DAY), at(20));
    assert_eq!((tidied.contents, tidied.records), (2, 0));
    assert_eq!([late, next].map(contents), [Some(ContentState::Dropped); 2]);
    assert_eq!(ledger.verify().unwrap().faults, []);

    let tidied = tidy(&ledger, Some(8 * DAY), Some(30 * DAY), at(60));
    assert_eq!(tidied.records, 3);
    assert_eq!([ends, late, next].map(contents), [None; 3]);
    assert_eq!(contents(waits), Some(ContentState::Kept));
    assert_eq!(ledger.verify().unwrap().faults, []);
    assert_eq!(admin.number("SELECT count(*) FROM @call"), 1);
    // Its call may be asked about again, now that it is forgotten.
    ask("ends", 2);
    assert_eq!(ledger.verify().unwrap().faults, []);
}

#[test]
fn only_who_writes_to_a_day_that_goes_waits_and_loses_nothing() {
    let Some(url) = url() else { return };
    let (one, two) = (open_by_callers(&url), open_by_callers(&url));
    let admin = Admin::new(&url);
    let first = 1_700_000_000_000 / DAY * DAY;
    make(&one, first);
    let ask =
        |call: &str, at| created(two.request(asked("r", call, at, None)).unwrap()).request().id;
    let [waits, over] = ["waits", "over"].map(|call| ask(call, first));
    two.decide(over, decided(DecisionChoice::Skip, first)).unwrap();
    let (day, late) = (UnixDay::of(first), first + 9 * DAY);
    let waiting = format!(
        "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
         WHERE NOT l.granted AND c.relnamespace = '{}'::regnamespace",
        admin.names.schema
    );
    std::thread::scope(|scope| {
        let core = &one.core;
        let gone = core.block_on(core.pool.once(async |client| {
            let transaction = client.transaction().await?;
            let pen = &core.pen;
            let content = ClosedPartition::of(&transaction, pen, "content", day).await?.unwrap();
            let outcome = ClosedPartition::of(&transaction, pen, "outcome", day).await?.unwrap();
            let others = scope.spawn(|| (ask("new", late), two.get(waits).unwrap().unwrap()));
            let (new, seen) = others.join().unwrap();
            assert!(new != waits && seen.request().contents() == ContentState::Kept);
            scope.spawn(|| assert!(matches!(approve(&two, waits, late), DecideOutcome::Won(_))));
            scope
                .spawn(|| until("the writer waits", || admin.number(&waiting) == 1))
                .join()
                .unwrap();
            let gone = content.drop_but("id", &vec![waits], Type::UUID_ARRAY).await?;
            outcome.drop_but("id", &vec![waits], Type::UUID_ARRAY).await?;
            move_mark(&transaction, pen, day.end()).await?;
            transaction.commit().await?;
            Ok(gone)
        }));
        // Of two who wait for each other the server lets one go on.
        if let Ok(gone) = gone {
            assert_eq!(gone, 1);
        }
    });
    assert_eq!(two.get(waits).unwrap().unwrap().status(), Status::Approved);
    tidy(&one, Some(8 * DAY), None, late);
    let contents = |id| two.get(id).unwrap().unwrap().request().contents();
    assert_eq!([waits, over].map(contents), [ContentState::Kept, ContentState::Dropped]);
    assert_eq!(one.verify().unwrap().faults, []);
}

#[test]
fn runs_that_are_over_lose_their_history_and_then_themselves() {
    let Some(url) = url() else { return };
    let ledger = open_by_callers(&url);
    let admin = Admin::new(&url);
    let first = 1_700_000_000_000 / DAY * DAY;
    make(&ledger, first);
    let hashes = save(&ledger, "over", None, &["1", "2", "3"], RunStatus::Running, first);
    save(&ledger, "over", Some(hashes[1]), &["4"], RunStatus::Done, first);
    save(&ledger, "open", None, &["1", "2"], RunStatus::Running, first);
    // What the edit left behind goes at once.
    assert_eq!(tidy(&ledger, None, None, first).entries, 1);
    let texts = |run: &str| {
        let saved = ledger.run(run).unwrap().unwrap();
        saved.entries.iter().map(|(_, text)| text.get().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts("over"), ["1", "2", "4"]);
    assert_eq!(tidy(&ledger, Some(5 * DAY), None, first + 9 * DAY).entries, 3);
    assert!(texts("over").is_empty());
    assert_eq!(texts("open"), ["1", "2"]);
    assert_eq!(admin.number("SELECT count(*) FROM @entry_rest"), 2);
    assert_eq!(ledger.verify().unwrap().faults, []);
    tidy(&ledger, Some(5 * DAY), Some(20 * DAY), first + 30 * DAY);
    assert!(ledger.run("over").unwrap().is_none());
    assert_eq!(texts("open"), ["1", "2"]);
    assert_eq!(ledger.verify().unwrap().faults, []);
}

#[test]
fn what_is_not_counted_goes_all_at_once_too() {
    let Some(url) = url() else { return };
    let ledger = open_by_callers(&url);
    let admin = Admin::new(&url);
    let first = 1_700_000_000_000 / DAY * DAY;
    make(&ledger, first);
    for run in ["a", "b", "c", "d", "e"] {
        let id = created(ledger.request(asked(run, "1", first, None)).unwrap()).request().id;
        ledger.decide(id, decided(DecisionChoice::Skip, first)).unwrap();
        save(&ledger, run, None, &["1"], RunStatus::Done, first);
    }
    // Two at a time, and as long as something is let go of.
    let tidied = tidy(&ledger, Some(5 * DAY), None, first + 9 * DAY);
    assert_eq!((tidied.contents, tidied.entries), (5, 5));
    let tidied = tidy(&ledger, Some(5 * DAY), Some(20 * DAY), first + 30 * DAY);
    assert_eq!(tidied.records, 5);
    for table in ["call", "run"] {
        assert_eq!(admin.number(&format!("SELECT count(*) FROM @{table}")), 0, "{table}");
    }
    assert_eq!(ledger.verify().unwrap().faults, []);
}

#[test]
fn a_change_of_status_stays_on_its_page() {
    let Some(url) = url() else { return };
    let ledger = open(&url);
    let admin = Admin::new(&url);
    let calls = effort(10, 40);
    for call in 0..calls {
        let id = ask(&ledger, "r", &call.to_string());
        approve(&ledger, id, now());
        begin(&ledger, id).unwrap();
        ledger.finish(id, ExecutionStep::Succeed, None, now()).unwrap();
    }
    drop(ledger);
    let schema = &admin.names.schema;
    let counts = || {
        let sum = |column: &str| {
            admin.number(&format!(
                "SELECT coalesce(sum({column}), 0)::bigint FROM pg_stat_all_tables WHERE schemaname = '{schema}' AND relname LIKE 'approval_%'"
            ))
        };
        (sum("n_tup_upd"), sum("n_tup_hot_upd"))
    };
    until("the server counted", || counts().0 == 3 * calls);
    assert_eq!(counts().1, 3 * calls);
}
