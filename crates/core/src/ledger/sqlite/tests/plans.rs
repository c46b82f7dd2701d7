//! No look goes through all there is, however much that is.

use super::*;
use crate::ledger::sqlite::{executions, requests, retention, runs};

#[test]
fn every_look_has_its_index() {
    let ledger = temporary();
    for call in 0..50 {
        let id = put(&ledger, request("run", &call.to_string(), 0, Some(1_000)));
        if call % 2 == 0 {
            ledger.decide(id, choose(DecisionChoice::Skip, 0)).unwrap();
        }
    }
    for (table, rest, index) in [
        ("approval a", "WHERE a.id = ?1", "sqlite_autoindex_approval_1"),
        ("approval a", requests::OF_CALL, "approval_call"),
        ("approval a", requests::OF_CALL_ANYWHERE, "approval_call"),
        ("approval a", requests::LAST_OF_CALL, "approval_call"),
        ("approval a", requests::PENDING, "approval_pending"),
        ("approval a", requests::PENDING_OF_RUN, "approval_open"),
        ("approval a", requests::OF_RUN, "approval_run"),
        ("approval a", requests::DUE, "approval_pending"),
        ("approval a", requests::OPEN, "approval_open"),
        ("approval a", requests::OPEN_OF_RUN, "approval_open"),
        ("approval a", requests::PAST, "sqlite_autoindex_approval_1"),
        ("approval a", requests::PAST_OF_RUN, "approval_run"),
        ("approval a", executions::STARTED, "approval_started"),
        ("approval a", retention::FULL, "approval_ended"),
        ("approval a", retention::OLD, "approval_ended"),
        ("run r", runs::OPEN, "run_recent"),
        ("run r", runs::RECENT, "run_recent"),
        ("run r", retention::FULL_RUNS, "run_over"),
        ("run r", retention::OLD_RUNS, "run_over"),
        ("run r", retention::FORKED, "run_forked"),
    ] {
        let plan = ledger
            .look(|connection, _| {
                let all = if table == "run r" { "r.*" } else { "a.*" };
                let sql = format!("EXPLAIN QUERY PLAN SELECT {all} FROM {table} {rest}");
                let mut statement = connection.prepare(&sql)?;
                let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
                let mut rows = statement.query(rusqlite::params_from_iter(nothing))?;
                let mut plan = String::new();
                while let Some(row) = rows.next()? {
                    plan.push_str(&row.get::<_, String>(3)?);
                    plan.push('\n');
                }
                Ok(plan)
            })
            .unwrap();
        assert!(plan.contains(index), "{rest}\n{plan}");
    }
}

/// A statement is prepared once, for all parameters.
#[test]
fn statements_are_not_prepared_anew() {
    use rusqlite::StatementStatus::RePrepare;
    let ledger = temporary();
    let prepared = ledger
        .look(|connection, _| {
            let mut statement =
                connection.prepare("SELECT seq FROM audit WHERE seq > ?1 ORDER BY seq LIMIT ?2")?;
            for at in 0..5 {
                statement.exists([at, at + 1])?;
            }
            Ok(statement.get_status(RePrepare))
        })
        .unwrap();
    assert_eq!(prepared, 0);
}
