use tokio_postgres::types::Type;

use super::*;
use crate::approval::ExecutionStep;
use crate::ledger::DurableLedger as _;
use crate::ledger::postgres::connection::MOST;

/// How many statements the one connection of a ledger has prepared.
fn prepared(ledger: &PostgresLedger) -> i64 {
    number(ledger, "SELECT count(*) FROM pg_prepared_statements")
}

/// By a statement that is not prepared.
fn number(ledger: &PostgresLedger, sql: &str) -> i64 {
    let core = &ledger.core;
    let found = core.pool.once(async |client| Ok((**client).query_typed_one(sql, &[]).await?));
    core.block_on(found).unwrap().get(0)
}

fn run(ledger: &PostgresLedger, sql: &str) {
    let core = &ledger.core;
    let done = core.block_on(core.pool.once(async |client| Ok(client.batch_execute(sql).await?)));
    done.unwrap();
}

/// Asked, approved, begun and settled, each once, each after `before`.
fn goes_on(ledger: &PostgresLedger, call: &str, before: impl Fn()) {
    before();
    let id = ask(ledger, "r", call);
    before();
    assert!(matches!(approve(ledger, id, now()), DecideOutcome::Won(_)));
    before();
    assert!(matches!(begin(ledger, id).unwrap(), RedeemOutcome::Won(_)));
    assert!(matches!(approve(ledger, id, now()), DecideOutcome::Already(_)));
    assert!(!matches!(begin(ledger, id).unwrap(), RedeemOutcome::Won(_)));
    before();
    assert!(ledger.finish(id, ExecutionStep::Succeed, None, now()).unwrap().is_some());
}

fn is_whole(ledger: &PostgresLedger, calls: u64) {
    let verified = ledger.verify().unwrap();
    assert_eq!((verified.faults.as_slice(), verified.records), (&[][..], calls));
    // One for the opening.
    assert_eq!(verified.entries, 4 * calls + 1);
}

#[test]
fn statements_are_planned_once_unless_it_is_said_otherwise() {
    let Some(url) = url() else { return };
    for (setting, are_prepared) in
        [("", true), ("&prepare=auto", true), ("&prepare=on", true), ("&prepare=off", false)]
    {
        let ledger = open(&format!("{url}&pool=1{setting}"));
        goes_on(&ledger, setting, || {});
        goes_on(&ledger, &format!("{setting} again"), || {});
        assert_eq!(prepared(&ledger) > 0, are_prepared, "{setting}");
        let twice = "SELECT count(*) - count(DISTINCT statement) FROM pg_prepared_statements";
        assert_eq!(number(&ledger, twice), 0);
    }
}

#[test]
fn what_is_listened_to_past_a_pooler_prepares_nothing() {
    let prepare = |query: &str| {
        PostgresSettings::parse(&format!("postgres://u@pooler/d?{query}")).unwrap().prepare
    };
    assert_eq!(prepare(""), settings::StatementCaching::Auto);
    assert_eq!(prepare("listen_host=server"), settings::StatementCaching::Off);
    assert_eq!(prepare("listen_port=5432"), settings::StatementCaching::Off);
    assert_eq!(prepare("listen_host=server&prepare=on"), settings::StatementCaching::On);
}

#[test]
fn plans_that_are_dropped_are_gone_for_good_and_nothing_else() {
    let Some(url) = url() else { return };
    for (call, drop) in ["DEALLOCATE ALL", "DISCARD ALL"].into_iter().enumerate() {
        let ledger = open(&format!("{url}&pool=1"));
        goes_on(&ledger, &format!("{call} before"), || {});
        assert!(ledger.core.pool.prepares.are_on() && prepared(&ledger) > 0);
        goes_on(&ledger, &call.to_string(), || run(&ledger, drop));
        assert!(!ledger.core.pool.prepares.are_on());
        assert_eq!(prepared(&ledger), 0);
    }
    is_whole(&open(&url), 4);
}

#[test]
fn plans_are_made_anew_after_the_tables_were_altered() {
    let Some(url) = url() else { return };
    let ledger = open(&format!("{url}&pool=1"));
    let admin = Admin::new(&url);
    goes_on(&ledger, "before", || {});
    let is_other = std::cell::Cell::new(false);
    goes_on(&ledger, "between", || {
        let kind = if is_other.replace(!is_other.get()) { "text" } else { "varchar" };
        admin.run(&format!("ALTER TABLE @approval ALTER COLUMN via TYPE {kind}"));
    });
    goes_on(&ledger, "after", || {});
    assert!(ledger.core.pool.prepares.are_on() && prepared(&ledger) > 0);
    is_whole(&ledger, 3);
}

#[test]
fn a_connection_keeps_so_many_statements_and_no_more() {
    let Some(url) = url() else { return };
    let ledger = open(&format!("{url}&pool=1"));
    let core = &ledger.core;
    let asked = core.block_on(core.pool.long(async |client| {
        for number in 0..3 * MOST {
            let sql = format!("SELECT $1 + {number}");
            for _ in 0..2 {
                let row = client.query_typed_one(&sql, &[(&1_i64, Type::INT8)]).await?;
                assert_eq!(usize::try_from(row.get::<_, i64>(0)), Ok(number + 1));
            }
        }
        Ok(())
    }));
    asked.unwrap();
    let kept = usize::try_from(prepared(&ledger)).unwrap();
    assert!((1..=MOST).contains(&kept), "{kept}");
}

#[test]
fn ids_of_any_day_are_looked_for() {
    let Some(url) = url() else { return };
    let ledger = open(&format!("{url}&pool=1"));
    for id in [Uuid::nil(), Uuid::max(), Uuid::from_u128(u128::MAX >> 1), Uuid::now_v7()] {
        for _ in 0..2 {
            assert!(ledger.get(id).unwrap().is_none());
            assert!(matches!(approve(&ledger, id, now()), DecideOutcome::Unknown));
        }
    }
    // Of a day that has no partition: it lies with the rest. After the last of them comes none.
    let ledger = open_by_callers(&url.replace("schema=t_", "schema=u_"));
    for (call, id) in [("first", Uuid::from_u128(0x7 << 76)), ("last", Uuid::max())] {
        let asked = Request { id, ..asked("r", call, now(), None) };
        assert_eq!(created(ledger.request(asked).unwrap()).request().id, id);
        for _ in 0..2 {
            assert!(ledger.get(id).unwrap().is_some());
        }
        assert!(matches!(approve(&ledger, id, now()), DecideOutcome::Won(_)));
        assert!(matches!(begin(&ledger, id).unwrap(), RedeemOutcome::Won(_)));
    }
}
