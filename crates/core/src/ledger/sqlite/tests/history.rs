//! Runs: whose they are, and that each entry is kept once.

use super::*;
use crate::effort::effort;
use crate::ledger::{Hash, LedgerErrorKind, RunStatus, SaveRun};

fn save(
    ledger: &SqliteLedger, run: &str, parent: Option<Hash>, entries: &[&str], status: RunStatus,
) -> Result<Vec<Hash>, LedgerError> {
    let entries: Vec<Box<RawValue>> = entries.iter().map(|entry| raw(entry)).collect();
    let state = raw(r#"{"secret-state":1}"#);
    let save = SaveRun { run_id: run, parent, entries: &entries, state: &state, status, steps: 1 };
    ledger.save_run(save, 0)
}

fn texts(ledger: &SqliteLedger, run: &str) -> Vec<String> {
    let saved = ledger.run(run).unwrap().unwrap();
    saved.entries.iter().map(|(_, entry)| entry.get().to_owned()).collect()
}

fn kinds(ledger: &SqliteLedger) -> Vec<String> {
    let entries = ledger.audit(0, 1_000).unwrap();
    let kind = |body: &str| {
        body.split(r#""kind":""#).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    entries.iter().map(|entry| kind(&entry.body)).collect()
}

#[test]
fn a_run_grows_forks_and_ends() {
    let ledger = temporary();
    let running = RunStatus::Running;
    let first = save(&ledger, "r", None, &["1", "2", "3"], running).unwrap();
    assert_eq!(texts(&ledger, "r"), ["1", "2", "3"]);
    // Not behind its end: what came after it is not of the run any more.
    let second = save(&ledger, "r", Some(first[1]), &["4", "5"], running).unwrap();
    assert_eq!(texts(&ledger, "r"), ["1", "2", "4", "5"]);
    assert_eq!(save(&ledger, "r", Some(second[1]), &[], running).unwrap(), [[0; 32]; 0]);
    // An entry of another run is not in this one.
    let other = save(&ledger, "s", None, &["9"], running).unwrap();
    assert!(save(&ledger, "r", Some(other[0]), &["6"], running).is_err());
    assert_eq!(texts(&ledger, "r"), ["1", "2", "4", "5"]);
    // Two runs that begin alike have their own entries.
    assert_eq!(save(&ledger, "t", None, &["1"], running).unwrap(), [first[0]]);

    let retention = crate::ledger::Retention { contents: None, records: None };
    assert_eq!(ledger.tidy(retention, 0, 100).unwrap().entries, 1);
    assert_eq!(ledger.tidy(retention, 0, 100).unwrap(), crate::ledger::UpkeepReport::default());
    assert_eq!(texts(&ledger, "r"), ["1", "2", "4", "5"]);

    save(&ledger, "r", Some(second[1]), &["6"], RunStatus::Done).unwrap();
    assert_eq!(save(&ledger, "r", None, &[], running).unwrap_err().kind, LedgerErrorKind::RunOver);
    assert_eq!(ledger.take_run("r", 0).unwrap_err().kind, LedgerErrorKind::RunOver);
    let info = ledger.run("r").unwrap().unwrap().info;
    assert_eq!((info.status, info.active, info.steps), (RunStatus::Done, false, 1));
    assert_eq!(
        kinds(&ledger),
        ["opened", "run-started", "run-started", "run-started", "pruned", "run-ended"]
    );
    verify(&ledger);
}

#[test]
fn a_run_is_one_process_at_a_time() {
    let directory = Directory::new();
    let [one, two] = [open(&directory.file()), open(&directory.file())];
    let entries = save(&one, "r", None, &["1"], RunStatus::Running).unwrap();
    let kind = |result: Result<_, LedgerError>| result.map(|_: ()| ()).unwrap_err().kind;
    // Not even by its own.
    for ledger in [&one, &two] {
        assert_eq!(kind(ledger.take_run("r", 0).map(|_| ())), LedgerErrorKind::RunActive);
    }
    let saved = save(&two, "r", Some(entries[0]), &["2"], RunStatus::Running);
    assert_eq!(kind(saved.map(|_| ())), LedgerErrorKind::RunActive);
    two.release_run("r", 0).unwrap();
    assert!(two.run("r").unwrap().unwrap().info.active);
    assert_eq!(kind(two.take_run("none", 0).map(|_| ())), LedgerErrorKind::UnknownRun);

    one.release_run("r", 0).unwrap();
    assert!(!two.run("r").unwrap().unwrap().info.active);
    put(&two, request("r", "1", 0, None));
    let taken = two.take_run("r", 0).unwrap();
    assert_eq!((taken.info.active, taken.info.pending, taken.entries.len()), (true, 1, 1));
    assert_eq!(kind(one.take_run("r", 0).map(|_| ())), LedgerErrorKind::RunActive);
    // Its process is gone, and with it its hold.
    drop(two);
    assert_eq!(one.runs(true, 10).unwrap().len(), 1);
    one.take_run("r", 0).unwrap();
    // What failed may go on later, what was left not.
    save(&one, "r", Some(entries[0]), &[], RunStatus::Failed).unwrap();
    one.take_run("r", 0).unwrap();
    save(&one, "r", Some(entries[0]), &[], RunStatus::Cancelled).unwrap();
    assert_eq!(kind(one.take_run("r", 0).map(|_| ())), LedgerErrorKind::RunOver);
    assert_eq!((one.runs(true, 10).unwrap().len(), one.runs(false, 10).unwrap().len()), (0, 1));
    let told = [
        "opened",
        "run-started",
        "requested",
        "run-resumed",
        "run-resumed",
        "run-ended",
        "run-resumed",
        "run-ended",
    ];
    assert_eq!(kinds(&one), told);
    verify(&one);
}

/// Bytes of the file after a run of this many approvals, each after three more entries of its history.
fn bytes_of(approvals: usize) -> u64 {
    let ledger = temporary();
    let mut head = None;
    for step in 0..approvals {
        let entries: Vec<String> = (0..3)
            .map(|turn| {
                // Text that compresses like text does, and is another each time.
                let words: Vec<String> = (0..150)
                    .map(|word| format!("w{:x}", (step * 7919 + turn * 104_729 + word * 31) % 4096))
                    .collect();
                format!("\"{}\"", words.join(" "))
            })
            .collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        head = save(&ledger, "r", head, &entries, RunStatus::Running).unwrap().last().copied();
        put(&ledger, request("r", &step.to_string(), 0, None));
    }
    assert!(approvals == 0 || texts(&ledger, "r").len() == 3 * approvals);
    ledger.engine.checkpoint().unwrap();
    std::fs::metadata(ledger.engine.path()).unwrap().len()
}

#[test]
fn bytes_grow_with_the_run_and_not_with_its_square() {
    let once = effort(30, 50);
    let sizes = [0, once, 2 * once, 4 * once].map(bytes_of);
    let [empty, one, two, four] = sizes;
    let (first, second, fourth) = (one - empty, two - one, four - two);
    assert!(second < first * 13 / 10 && fourth < second * 23 / 10, "{sizes:?}");
}

/// What was started by a process that is gone is told as interrupted, also when the ledger is opened next.
#[test]
fn what_a_dead_process_started_is_interrupted() {
    use crate::approval::Status;
    use crate::ledger::RedeemOutcome;
    let directory = Directory::new();
    let start = |ledger: &SqliteLedger, run: &str| {
        let id = put(ledger, request(run, "1", 0, None));
        let digest = ledger.get(id).unwrap().unwrap().request().digest;
        ledger.decide(id, choose(DecisionChoice::Approve, 0)).unwrap();
        assert!(matches!(ledger.begin(id, digest, 0).unwrap(), RedeemOutcome::Won(_)));
        id
    };
    let status = |ledger: &SqliteLedger, id| ledger.get(id).unwrap().unwrap().status();
    let [one, two] = [open(&directory.file()), open(&directory.file())];
    let [first, second] = [start(&one, "r"), start(&one, "s")];
    assert!(two.interrupt(None, 0).unwrap().is_empty());
    assert!(one.interrupt(None, 0).unwrap().is_empty());
    drop(one);
    assert_eq!(status(&two, first), Status::Started);
    assert_eq!(two.interrupt(Some("r"), 0).unwrap().len(), 1);
    assert_eq!((status(&two, first), status(&two, second)), (Status::Interrupted, Status::Started));
    let three = open(&directory.file());
    assert_eq!(status(&three, second), Status::Interrupted);
    // Its end comes too late, and its redemption is used up.
    assert!(
        two.finish(second, crate::approval::ExecutionStep::Succeed, None, 0).unwrap().is_none()
    );
    verify(&two);
}
