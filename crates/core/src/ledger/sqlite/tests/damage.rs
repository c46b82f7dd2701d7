//! Any change behind our back is told.

use super::*;
use crate::approval::ExecutionStep as Advance;
use crate::effort::effort;
use crate::ledger::sqlite::row;
use crate::ledger::{LedgerErrorKind, RunStatus, SaveRun};

/// Some of everything.
fn fill(ledger: &SqliteLedger) {
    ledger.set_value("key", None, "text").unwrap();
    let mut head = None;
    for call in 0..40_u32 {
        let mut asked = request("run", &call.to_string(), 0, (call % 3 == 0).then_some(9_000));
        if call % 10 == 0 {
            // Pages of its own.
            asked.call.args = json(&format!("\"{}\"", "word ".repeat(3_000)));
            asked.digest = asked.call.digest();
        }
        if call % 4 == 0 {
            let need =
                r#"{"approvers":["ada","bo"],"quorum":2,"escalate":{"after":100,"to":["cy"]}}"#;
            asked.more.get_or_insert_default().needs = [serde_json::from_str(need).unwrap()].into();
        }
        let id = put(ledger, asked);
        let choice = match call % 6 {
            0 => continue,
            1 => DecisionChoice::Edit { args: json("[1]"), bound: None },
            2 => DecisionChoice::Reject { stop: false },
            3 => DecisionChoice::Respond { output: json("\"no\"") },
            _ => DecisionChoice::Approve,
        };
        ledger.decide(id, choose(choice, 0)).unwrap();
        if call % 6 == 5 {
            let digest = ledger.get(id).unwrap().unwrap().request().digest;
            ledger.begin(id, digest, 0).unwrap();
            ledger.finish(id, Advance::Succeed, Some(raw("\"result\"")), 0).unwrap();
        }
        let (entries, state) =
            ([raw(&format!("\"{}\"", "message ".repeat(40))), raw(&call.to_string())], raw("{}"));
        let save = SaveRun {
            run_id: "run",
            parent: head,
            entries: &entries,
            state: &state,
            status: RunStatus::Running,
            steps: 1,
        };
        head = ledger.save_run(save, 0).unwrap().last().copied();
    }
    ledger.release_run("run", 0).unwrap();
}

/// All that can be read, as it is read, or the error.
fn dump(ledger: &SqliteLedger) -> Result<String, LedgerError> {
    use std::fmt::Write as _;
    let mut text = String::new();
    for record in ledger.records("run")? {
        let request = record.request();
        writeln!(
            text,
            "{request:?} {} {:?} {:?} {:?} {:?}",
            request.call.args.as_str(),
            record.status(),
            record.decided(),
            record.result(),
            record.tally()
        )
        .unwrap();
        writeln!(text, "{:?}", ledger.get(request.id)?.map(|record| record.status())).unwrap();
    }
    let order = |records: Vec<crate::approval::Record>| -> Vec<ApprovalId> {
        records.iter().map(|record| record.request().id).collect()
    };
    writeln!(text, "{:?} {:?}", order(ledger.pending(None)?), ledger.next_deadline()?).unwrap();
    writeln!(text, "{:?}", ledger.run("run")?).unwrap();
    writeln!(text, "{:?} {:?}", ledger.runs(false, 10)?, ledger.audit(0, 10_000)?).unwrap();
    let about = ledger.about()?;
    writeln!(text, "{} {} {} {}", about.schema, about.records, about.pending, about.runs).unwrap();
    Ok(text)
}

fn flip(path: &Path, bit: usize) {
    use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(bit as u64 / 8)).unwrap();
    file.read_exact(&mut byte).unwrap();
    byte[0] ^= 1 << (bit % 8);
    file.seek(SeekFrom::Start(bit as u64 / 8)).unwrap();
    file.write_all(&byte).unwrap();
}

#[test]
fn no_flipped_bit_changes_anything_unseen() {
    let directory = Directory::new();
    let good = {
        let ledger = open(&directory.file());
        fill(&ledger);
        ledger.engine.checkpoint().unwrap();
        verify(&ledger);
        dump(&ledger).unwrap()
    };
    let whole = std::fs::read(directory.file()).unwrap();
    let pages = whole.len() / 4096;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut dice = move |sides: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % sides as u64).unwrap()
    };
    let (mut told, mut silent) = (0, Vec::new());
    // Pages near each other are of a kind.
    let (apart, rounds) = effort((4, 1), (1, 450_usize.div_ceil(pages).max(3)));
    for page in (0..pages).step_by(apart) {
        for _ in 0..rounds {
            let bit = page * 4096 * 8 + dice(4096 * 8);
            let copy = Directory::new();
            std::fs::write(copy.file(), &whole).unwrap();
            flip(&copy.file(), bit);
            let changed = SqliteLedger::open(Some(&copy.file()), options(None));
            let seen = changed.and_then(|ledger| {
                let (read, verified) = (dump(&ledger), ledger.verify()?);
                Ok((read, verified.faults))
            });
            match seen {
                Err(_) => told += 1,
                Ok((read, faults)) => {
                    let is_same = read.as_ref().is_ok_and(|read| *read == good);
                    if faults.is_empty() && !is_same {
                        silent.push((bit, read.map(|_| ())));
                    }
                    told += usize::from(!faults.is_empty());
                }
            }
        }
    }
    assert!(rounds * pages / apart >= effort(10, 400) && told > 0, "{told} of {pages} pages");
    assert_eq!(silent, []);
}

/// Each column of each table, changed to something else of its kind.
#[test]
fn no_changed_column_is_unseen() {
    let directory = Directory::new();
    let ledger = open(&directory.file());
    fill(&ledger);
    let columns: Vec<(String, String, String)> = ledger
        .look(|connection, _| {
            let mut statement = connection.prepare(
                "SELECT t.name, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .unwrap();
    assert!(columns.len() > 50);
    // Columns that stand beside each other are of a kind: where there is little time one of three.
    for (table, column, kind) in columns.into_iter().step_by(effort(3, 1)) {
        // The place of an entry among the others has no meaning.
        if (table.as_str(), column.as_str()) == ("entry", "seq") {
            continue;
        }
        let other = match kind.as_str() {
            "INTEGER" => "coalesce(X, 0) + 1000",
            "TEXT" => "coalesce(X, '') || 'x'",
            "BLOB"
                if matches!(
                    column.as_str(),
                    "args"
                        | "context"
                        | "description"
                        | "preview"
                        | "details"
                        | "answer"
                        | "reason"
                        | "result"
                        | "state"
                        | "body"
                        | "text"
                ) =>
            {
                "CAST(coalesce(X, x'') || ' ' AS BLOB)"
            }
            "BLOB"
                if matches!(
                    column.as_str(),
                    "supersedes" | "executor" | "owner" | "approval_id" | "id"
                ) =>
            {
                "x'000102030405060708090a0b0c0d0e0f'"
            }
            "BLOB" => "x'000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f'",
            _ => "'x'",
        }
        .replace('X', &column);
        let sql = format!(
            "DROP TRIGGER IF EXISTS audit_is_never_changed;
             UPDATE {table} SET {column} = {other} WHERE rowid = (SELECT (min(rowid) + max(rowid)) / 2 FROM {table})"
        );
        let copy = Directory::new();
        ledger.engine.checkpoint().unwrap();
        std::fs::copy(directory.file(), copy.file()).unwrap();
        let raw = rusqlite::Connection::open(copy.file()).unwrap();
        // Power cuts are not the subject here.
        raw.execute_batch("PRAGMA synchronous = OFF").unwrap();
        raw.execute_batch(&sql).unwrap();
        raw.execute_batch(
            "CREATE TRIGGER IF NOT EXISTS audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END",
        )
        .unwrap();
        drop(raw);
        let faults = SqliteLedger::open(Some(&copy.file()), options(None))
            .and_then(|ledger| ledger.verify())
            .map(|verified| verified.faults);
        assert!(faults.as_ref().map_or(true, |faults| !faults.is_empty()), "{table}.{column}");
    }
}

/// A record of uncertain content is not served, nor is anything done with it.
#[test]
fn a_changed_record_is_not_served() {
    let ledger = temporary();
    let id = put(&ledger, request("run", "1", 0, None));
    ledger
        .engine
        .write(|connection| {
            Ok(connection.execute("UPDATE approval SET status = 1, bound = digest", [])?)
        })
        .unwrap();
    let digest = ledger.look(|connection, _| {
        let mut digest = None;
        row::each(connection, "", [], |row| {
            digest = Some(row.digest);
            Ok(())
        })?;
        Ok(digest.unwrap())
    });
    let digest = crate::call::Digest::from_bytes(digest.unwrap());
    let errors = [
        ledger.get(id).unwrap_err(),
        ledger.begin(id, digest, 0).unwrap_err(),
        ledger.decide(id, choose(DecisionChoice::Approve, 0)).unwrap_err(),
        ledger.find(Some("run"), "1").unwrap_err(),
        ledger.cancel_run(None, &choose(DecisionChoice::Cancelled, 0)).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind, LedgerErrorKind::Corrupt);
        assert!(
            error.message.contains(&id.to_string()) && error.message.contains("audit verify"),
            "{error}"
        );
    }
    let faults = ledger.verify().unwrap().faults;
    assert_eq!(faults[0].record.as_deref(), Some(id.to_string().as_str()));
}

#[test]
fn a_dropped_record_or_trigger_is_told() {
    let directory = Directory::new();
    let whole = open(&directory.file());
    fill(&whole);
    whole.engine.checkpoint().unwrap();
    for sql in [
        "DELETE FROM approval WHERE seq = 1",
        "DELETE FROM content WHERE seq = 1",
        "DELETE FROM run",
        "DELETE FROM entry WHERE seq = 3",
        "DELETE FROM meta WHERE k = 'key'",
        "DROP TRIGGER audit_is_never_changed",
        "DROP INDEX approval_ended",
        "CREATE TRIGGER theirs AFTER INSERT ON approval BEGIN UPDATE approval SET status = 1; END",
    ] {
        let copy = Directory::new();
        std::fs::copy(directory.file(), copy.file()).unwrap();
        let ledger = open(&copy.file());
        verify(&ledger);
        ledger.engine.write(move |connection| Ok(connection.execute_batch(sql)?)).unwrap();
        let faults = ledger.verify().unwrap().faults;
        assert_ne!(faults, [], "{sql}");
    }
}
