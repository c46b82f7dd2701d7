//! With a key, nothing of the contents can be read without it.

use super::*;
use crate::approval::ExecutionStep as Advance;
use crate::ledger::{LedgerErrorKind, RunStatus, SaveRun};

fn fill(ledger: &SqliteLedger) -> ApprovalId {
    let edited = put(ledger, request("run", "1", 0, None));
    let choice = DecisionChoice::Edit { args: json(r#""secret-edit""#), bound: None };
    ledger.decide(edited, choose(choice, 0)).unwrap();
    let digest = ledger.get(edited).unwrap().unwrap().approved().unwrap().1;
    ledger.begin(edited, digest, 0).unwrap();
    ledger.finish(edited, Advance::Succeed, Some(raw(r#""secret-result""#)), 0).unwrap();
    let responded = put(ledger, request("run", "2", 0, None));
    ledger
        .decide(
            responded,
            choose(DecisionChoice::Respond { output: json(r#""secret-output""#) }, 0),
        )
        .unwrap();
    let (entries, state) = ([raw(r#""secret-entry""#)], raw(r#""secret-state""#));
    let save = SaveRun {
        run_id: "run",
        parent: None,
        entries: &entries,
        state: &state,
        status: RunStatus::Running,
        steps: 1,
    };
    ledger.save_run(save, 0).unwrap();
    edited
}

fn bytes(path: &Path) -> Vec<u8> {
    ["", "-wal"]
        .iter()
        .flat_map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            std::fs::read(name).unwrap_or_default()
        })
        .collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn nothing_of_the_contents_is_in_the_file() {
    for key in [None, Some("1")] {
        let directory = Directory::new();
        let ledger = try_open(&directory.file(), key).unwrap();
        let id = fill(&ledger);
        assert_eq!(holds(&bytes(&directory.file()), "secret"), key.is_none());
        let record = ledger.get(id).unwrap().unwrap();
        assert_eq!(record.approved().unwrap().0.as_str(), r#""secret-edit""#);
        assert_eq!(record.result().unwrap().get(), r#""secret-result""#);
        assert_eq!(record.request().description.as_deref(), Some("secret-description"));
        assert_eq!(ledger.run("run").unwrap().unwrap().state.get(), r#""secret-state""#);
        verify(&ledger);
        drop(ledger);
        assert_eq!(holds(&bytes(&directory.file()), "secret"), key.is_none());
        // Names can be read, so that the ledger can be looked after.
        assert!(holds(&bytes(&directory.file()), "execute"));
        verify(&try_open(&directory.file(), key).unwrap());
    }
}

#[test]
fn another_key_is_told_when_the_ledger_is_opened() {
    for (made, opened, hint) in [
        (None, Some("1"), "open it without one"),
        (Some("1"), None, "give the key"),
        (Some("1"), Some("2"), "another key"),
    ] {
        let directory = Directory::new();
        drop(try_open(&directory.file(), made).unwrap());
        let error = try_open(&directory.file(), opened).unwrap_err();
        assert_eq!(error.kind, LedgerErrorKind::Key);
        assert!(error.message.contains(hint), "{error}");
        let read_only = OpenOptions { read_only: true, ..options(opened) };
        let error = SqliteLedger::open(Some(&directory.file()), read_only).unwrap_err();
        assert_eq!(error.kind, LedgerErrorKind::Key);
        let read_only = OpenOptions { read_only: true, ..options(made) };
        let reader = SqliteLedger::open(Some(&directory.file()), read_only).unwrap();
        verify(&reader);
        let error = reader.request(request("run", "1", 0, None)).unwrap_err();
        assert_eq!(error.kind, LedgerErrorKind::ReadOnly);
    }
}

/// A sealed text in the place of another one is not read.
#[test]
fn what_is_sealed_cannot_be_moved() {
    let directory = Directory::new();
    let ledger = try_open(&directory.file(), Some("1")).unwrap();
    let [one, two] = ["1", "2"].map(|call| put(&ledger, request("run", call, 0, None)));
    ledger
        .engine
        .write(|connection| {
            Ok(connection.execute(
                "UPDATE content SET args = (SELECT args FROM content WHERE seq = 1) WHERE seq = 2",
                [],
            )?)
        })
        .unwrap();
    assert!(ledger.get(one).is_ok());
    assert_eq!(ledger.get(two).unwrap_err().kind, LedgerErrorKind::Corrupt);
    assert_eq!(ledger.verify().unwrap().faults.len(), 1);
}
