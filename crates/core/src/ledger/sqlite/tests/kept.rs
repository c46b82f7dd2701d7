//! Files of every schema there was are opened; those of later ones are refused.

use rusqlite::Connection;

use super::*;
use crate::approval::{ExecutionStep as Advance, Status};
use crate::ledger::sqlite::schema::MIGRATIONS;
use crate::ledger::sqlite::{OpenOptions as EngineOptions, SchemaMigration, SqliteEngine};
use crate::ledger::{LedgerErrorKind, RunStatus, SaveRun};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/ledger-schema-1.db");

/// A request in each state, and a run.
fn fill(ledger: &SqliteLedger) {
    let ids: Vec<ApprovalId> = (0..7)
        .map(|call| put(ledger, request("run", &call.to_string(), 1_000, Some(9_000_000_000_000))))
        .collect();
    for (id, choice) in ids.iter().skip(1).zip([
        DecisionChoice::Approve,
        DecisionChoice::Edit { args: json("[1]"), bound: None },
        DecisionChoice::Reject { stop: true },
        DecisionChoice::Respond { output: json("2") },
        DecisionChoice::Skip,
    ]) {
        ledger.decide(*id, choose(choice, 2_000)).unwrap();
    }
    ledger.decide(ids[6], choose(DecisionChoice::Approve, 2_000)).unwrap();
    let digest = ledger.get(ids[6]).unwrap().unwrap().request().digest;
    ledger.begin(ids[6], digest, 3_000).unwrap();
    ledger.finish(ids[6], Advance::Succeed, Some(raw(r#"{"ok":true}"#)), 4_000).unwrap();
    let (entries, state) = ([raw(r#""first""#), raw(r#""second""#)], raw(r#"{"v":1}"#));
    let save = SaveRun {
        run_id: "run",
        parent: None,
        entries: &entries,
        state: &state,
        status: RunStatus::Running,
        steps: 2,
    };
    ledger.save_run(save, 5_000).unwrap();
}

/// Writes the fixture, where `COUNTERSIGN_WRITE_FIXTURE` is set. Once for each schema, when it is released: it is never made
/// anew.
#[test]
fn write_the_fixture() {
    if std::env::var_os("COUNTERSIGN_WRITE_FIXTURE").is_none() {
        crate::skip::skipped("COUNTERSIGN_WRITE_FIXTURE is not set");
        return;
    }
    let directory = Directory::new();
    let ledger = open(&directory.file());
    fill(&ledger);
    ledger.engine.vacuum().unwrap();
    drop(ledger);
    std::fs::create_dir_all(Path::new(FIXTURE).parent().unwrap()).unwrap();
    std::fs::copy(directory.file(), FIXTURE).unwrap();
}

#[test]
fn a_file_of_schema_1_is_opened_and_goes_on() {
    let directory = Directory::new();
    std::fs::copy(FIXTURE, directory.file()).unwrap();
    let ledger = open(&directory.file());
    let records = ledger.records("run").unwrap();
    let statuses: Vec<Status> = records.iter().map(|record| record.status()).collect();
    use Status::*;
    assert_eq!(statuses, [Pending, Approved, Edited, Rejected, Responded, Skipped, Succeeded]);
    let record = &records[6];
    assert_eq!(record.result().unwrap().get(), r#"{"ok":true}"#);
    assert_eq!(record.request().call.args.as_str(), r#"{"command":"secret-args"}"#);
    assert_eq!(record.request().digest, record.request().call.digest());
    assert_eq!(record.request().flags(), ["long", "bidi"]);
    assert_eq!(&*record.request().origin, ["main".into(), "sub".into()]);
    let decided = record.decided().unwrap();
    assert_eq!((decided.by(), decided.via, decided.at), ("ada", DecisionChannel::Gate, 2_000));
    assert_eq!(records[2].approved().unwrap().0.as_str(), "[1]");
    let run = ledger.take_run("run", 6_000).unwrap();
    assert_eq!((run.entries.len(), run.state.get(), run.info.steps), (2, r#"{"v":1}"#, 2));
    verify(&ledger);
    ledger.decide(records[0].request().id, choose(DecisionChoice::Skip, 7_000)).unwrap();
    verify(&ledger);
}

/// What a later version may do to the file, which this one must bear or refuse.
const fn later(min_reader: u32, min_writer: u32) -> [SchemaMigration; 3] {
    let sql = "ALTER TABLE run ADD COLUMN title TEXT; UPDATE run SET title = 'a run';";
    [MIGRATIONS[0], MIGRATIONS[1], SchemaMigration { version: 3, min_reader, min_writer, sql }]
}

#[test]
fn a_file_of_a_later_schema_is_read_and_written_as_it_allows() {
    static BOTH: [SchemaMigration; 3] = later(2, 2);
    static READ: [SchemaMigration; 3] = later(2, 3);
    static NONE: [SchemaMigration; 3] = later(3, 3);
    for (migrations, read, write) in
        [(&BOTH, true, true), (&READ, true, false), (&NONE, false, false)]
    {
        let directory = Directory::new();
        let before = open(&directory.file());
        fill(&before);
        let engine = SqliteEngine::open(EngineOptions::new(directory.file()), migrations).unwrap();
        let title = engine.read(|connection| {
            Ok(connection.query_row("SELECT title FROM run", [], |row| row.get::<_, String>(0))?)
        });
        assert_eq!(title.unwrap(), "a run");
        drop(engine);
        // Who has it open is told too.
        let kind =
            |result: Result<_, LedgerError>| result.map(|_: ()| ()).map_err(|error| error.kind);
        let expected = |may| if may { Ok(()) } else { Err(LedgerErrorKind::TooNew) };
        assert_eq!(kind(before.pending(None).map(|_| ())), expected(read));
        assert_eq!(
            kind(before.request(request("run", "new", 0, None)).map(|_| ())),
            expected(write)
        );
        let opened = SqliteLedger::open(Some(&directory.file()), options(None));
        assert_eq!(kind(opened.map(|_| ())), expected(write));
        let read_only = OpenOptions { read_only: true, ..options(None) };
        let opened = SqliteLedger::open(Some(&directory.file()), read_only);
        assert_eq!(
            kind(opened.and_then(|ledger| ledger.pending(None)).map(|_| ())),
            expected(read)
        );
    }
}

/// The file of somebody else stays as it is.
#[test]
fn a_database_of_another_program_is_refused() {
    let directory = Directory::new();
    Connection::open(directory.file()).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let before = std::fs::read(directory.file()).unwrap();
    let error = SqliteLedger::open(Some(&directory.file()), options(None)).unwrap_err();
    assert_eq!(error.kind, LedgerErrorKind::Foreign);
    assert_eq!(std::fs::read(directory.file()).unwrap(), before);
}
