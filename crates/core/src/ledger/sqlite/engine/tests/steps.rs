use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Directory, HANGS, beside, count, counted, text};
use crate::ledger::sqlite::lock::FileLock;
use crate::ledger::{LedgerError, LedgerErrorKind};

type Answers = Vec<Result<thread::ThreadId, LedgerError>>;

/// Lets steps gather before a gate that is shut, then opens it.
fn together(directory: &Directory, names: &[&'static str]) -> Answers {
    let engine = directory.engine();
    let mut gate = FileLock::open(beside(&directory.file(), "-lock")).unwrap();
    let held = gate.acquire(HANGS).unwrap();
    thread::scope(|scope| {
        let steps: Vec<_> = names
            .iter()
            .map(|name| {
                let (engine, name) = (engine.clone(), *name);
                scope.spawn(move || {
                    engine.write(move |connection| {
                        match name {
                            "panics" => {
                                connection.execute("INSERT INTO counter VALUES ('panics', 1)", [])?;
                                panic!("as it should");
                            }
                            "fails" => {
                                connection.execute("INSERT INTO counter VALUES ('fails', 1)", [])?;
                                return Err(LedgerErrorKind::UnknownRun.because("no").into());
                            }
                            "orphan" => {
                                connection.execute("INSERT INTO child VALUES ('nobody')", [])?;
                            }
                            "commits" => connection.execute_batch("COMMIT")?,
                            name => {
                                connection.execute(
                                    "INSERT INTO counter VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
                                    [name],
                                )?;
                            }
                        }
                        Ok(thread::current().id())
                    })
                })
            })
            .collect();
        while engine.0.core.groups.count() < names.len() {
            thread::yield_now();
        }
        drop(held);
        steps.into_iter().map(|step| step.join().unwrap()).collect()
    })
}

fn kinds(answers: &Answers) -> Vec<Option<LedgerErrorKind>> {
    answers.iter().map(|answer| answer.as_ref().err().map(|error| error.kind)).collect()
}

#[test]
fn steps_that_wait_together_are_one_commit() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    engine.checkpoint().unwrap();
    let answers = together(&directory, &["a"; 16]);
    let leaders: HashSet<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(leaders.len(), 1, "who led ran them all");
    assert_eq!(counted(&engine, "a"), 17);
    let log = rusqlite::Connection::open(directory.file()).unwrap();
    let pages = log.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get::<_, i64>(1));
    assert_eq!(pages, Ok(1), "one page was written once");
}

#[test]
fn a_step_that_fails_or_panics_undoes_itself_alone() {
    let directory = Directory::new();
    let answers = together(&directory, &["a", "fails", "b", "panics", "a"]);
    assert_eq!(
        kinds(&answers),
        [None, Some(LedgerErrorKind::UnknownRun), None, Some(LedgerErrorKind::Internal), None]
    );
    let engine = directory.engine();
    assert_eq!(["a", "b", "fails", "panics"].map(|name| counted(&engine, name)), [2, 1, 0, 0]);
}

#[test]
fn a_commit_that_fails_fails_all_and_the_next_works() {
    for bad in ["orphan", "commits"] {
        let directory = Directory::new();
        let answers = together(&directory, &["a", bad, "b"]);
        if bad == "orphan" {
            assert!(answers.iter().all(Result::is_err), "{bad}: {answers:?}");
            assert!(answers[0].as_ref().is_err_and(|error| error.message.contains("ledger.db")));
            let engine = directory.engine();
            assert_eq!(["a", "b"].map(|name| counted(&engine, name)), [0, 0], "{bad}");
        }
        let engine = directory.engine();
        let before = counted(&engine, "a");
        count(&engine, "a").unwrap();
        assert_eq!(counted(&engine, "a"), before + 1);
    }
}

#[test]
fn a_step_cannot_begin_another_one() {
    let directory = Directory::new();
    let engine = directory.engine();
    let inner = engine.clone();
    let nested = engine.write(move |_| Ok(count(&inner, "a").unwrap_err())).unwrap();
    assert_eq!(nested.kind, LedgerErrorKind::Internal);
    count(&engine, "a").unwrap();
}

#[test]
fn two_engines_of_one_process_exclude_each_other() {
    let directory = Directory::new();
    let engines = [directory.engine(), directory.engine()];
    thread::scope(|scope| {
        for engine in &engines {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| count(engine, "a").unwrap()));
            }
        }
    });
    assert_eq!(counted(&engines[0], "a"), 200);
}

#[test]
fn a_read_is_of_one_moment() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let seen = engine.read(|connection| {
        let value =
            || connection.query_row("SELECT value FROM counter", [], |row| row.get::<_, i64>(0));
        let first = value()?;
        count(&engine, "a")?;
        Ok((first, value()?))
    });
    assert_eq!(seen, Ok((1, 1)));
    assert_eq!(counted(&engine, "a"), 2);
    let written = engine.read(|connection| Ok(connection.execute("DELETE FROM counter", [])?));
    assert_eq!(written.unwrap_err().kind, LedgerErrorKind::ReadOnly);
}

#[test]
fn nobody_waits_for_a_change_in_vain() {
    let directory = Directory::new();
    let engine = directory.engine();
    let over = Arc::new(AtomicBool::new(false));
    let writer = thread::spawn({
        let (engine, over) = (engine.clone(), Arc::clone(&over));
        move || {
            for _ in 0..200 {
                count(&engine, "a").unwrap();
            }
            over.store(true, Ordering::Release);
        }
    });
    loop {
        let token = engine.now();
        if counted(&engine, "a") == 200 {
            break;
        }
        assert_ne!(engine.wait_for_change(token, HANGS), token);
    }
    writer.join().unwrap();
    // Each write is told, at most twice; then nothing happens, until somebody calls.
    let mut token = engine.now();
    let is_quiet = (0..500).any(|_| {
        let before = token;
        token = engine.wait_for_change(before, Duration::from_millis(100));
        token == before
    });
    assert!(is_quiet);
    engine.wake();
    assert_ne!(engine.wait_for_change(token, HANGS), token);
}

#[test]
fn what_another_process_did_without_the_bell_is_seen() {
    let directory = Directory::new();
    let (engine, other) = (directory.engine(), directory.engine());
    let token = engine.now();
    std::fs::remove_file(beside(&directory.file(), "-bell")).unwrap();
    count(&other, "a").unwrap();
    assert_ne!(engine.wait_for_change(token, HANGS), token);
}

#[test]
fn the_log_goes_to_the_file_in_the_background() {
    let directory = Directory::new();
    let engine = directory.engine();
    engine
        .write(|connection| Ok(connection.execute_batch("CREATE TABLE big (body BLOB)")?))
        .unwrap();
    let grown = || std::fs::metadata(directory.file()).unwrap().len() > 4 * 1024 * 1024;
    for _ in 0..40 {
        engine
            .write(|connection| {
                Ok(connection.execute("INSERT INTO big VALUES (randomblob(262144))", [])?)
            })
            .unwrap();
    }
    let start = Instant::now();
    while !grown() {
        assert!(start.elapsed() < HANGS, "the log stays as it is");
        thread::sleep(Duration::from_millis(5));
    }

    let size = || std::fs::metadata(directory.file()).unwrap().len();
    engine.checkpoint().unwrap();
    assert_eq!(std::fs::metadata(beside(&directory.file(), "-wal")).unwrap().len(), 0);
    let full = size();
    engine.write(|connection| Ok(connection.execute("DELETE FROM big", [])?)).unwrap();
    engine.incremental_vacuum(1000).unwrap();
    engine.checkpoint().unwrap();
    let less = size();
    // What maps the pages shrinks with them.
    assert!((1000..1010).contains(&((full - less) / 4096)), "{full} {less}");
    engine.vacuum().unwrap();
    assert!(size() < 100_000, "{}", size());
    assert_eq!(text(&engine, "PRAGMA integrity_check"), "ok");
}

#[test]
fn what_is_done_to_the_file_while_it_is_open_is_noticed() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    std::fs::rename(directory.file(), beside(&directory.file(), ".away")).unwrap();
    assert_eq!(count(&engine, "a").unwrap_err().kind, LedgerErrorKind::Corrupt);
    std::fs::rename(beside(&directory.file(), ".away"), directory.file()).unwrap();
    count(&engine, "a").unwrap();
    // Removing the file of the lock does not get past it.
    std::fs::remove_file(beside(&directory.file(), "-lock")).unwrap();
    let other = directory.engine();
    thread::scope(|scope| {
        for engine in [&engine, &other] {
            scope.spawn(move || (0..50).for_each(|_| count(engine, "a").unwrap()));
        }
    });
    assert_eq!(counted(&engine, "a"), 102);
}

#[test]
fn a_read_that_finds_no_file_says_that_the_ledger_is_gone() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let away = directory.0.with_extension("away");
    std::fs::rename(&directory.0, &away).unwrap();
    // A connection is opened by the path: none was kept.
    let read = engine.read(|_| Ok(()));
    std::fs::rename(&away, &directory.0).unwrap();
    assert_eq!(read.unwrap_err().kind, LedgerErrorKind::Corrupt);
}

#[test]
fn what_a_column_should_not_hold_is_damage() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let read = engine.read(|connection| {
        Ok(connection.query_row("SELECT name FROM counter", [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(read.unwrap_err().kind, LedgerErrorKind::Corrupt);
}
