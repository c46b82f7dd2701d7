//! The file and the memory agree after every step that both take.

use proptest::prelude::*;

use super::*;
use crate::approval::{DecisionKind, ExecutionStep as Advance, Record, Status};
use crate::cases::cases;
use crate::ledger::{DecideOutcome, MemoryLedger, RedeemOutcome};

#[derive(Debug, Clone)]
enum Deed {
    Request { run: u8, call: u8, timeout: Option<u8>, only_respond: bool, supersedes: bool },
    Decide { which: u8, choice: u8, via: bool },
    Revoke { which: u8 },
    Begin { which: u8, edited: bool },
    Finish { which: u8, end: u8 },
    Expire { limit: u8 },
    CancelRun { run: Option<u8> },
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let which = 0..12u8;
    prop_oneof![
        4 => (0..2u8, 0..4u8, prop::option::of(1..20u8), any::<bool>(), any::<bool>()).prop_map(
            |(run, call, timeout, only_respond, supersedes)| Deed::Request { run, call, timeout, only_respond, supersedes }
        ),
        6 => (which.clone(), 0..7u8, any::<bool>()).prop_map(|(which, choice, via)| Deed::Decide { which, choice, via }),
        1 => which.clone().prop_map(|which| Deed::Revoke { which }),
        3 => (which.clone(), any::<bool>()).prop_map(|(which, edited)| Deed::Begin { which, edited }),
        3 => (which, 0..4u8).prop_map(|(which, end)| Deed::Finish { which, end }),
        1 => (0..4u8).prop_map(|limit| Deed::Expire { limit }),
        1 => prop::option::of(0..2u8).prop_map(|run| Deed::CancelRun { run }),
    ]
}

fn choice(number: u8) -> DecisionChoice {
    match number {
        0 => DecisionChoice::Approve,
        1 => DecisionChoice::Edit { args: json("[1]"), bound: None },
        2 => DecisionChoice::Reject { stop: true },
        3 => DecisionChoice::Respond { output: json("2") },
        4 => DecisionChoice::Skip,
        5 => DecisionChoice::Expired,
        _ => DecisionChoice::Cancelled,
    }
}

/// What can be seen of a record, in any ledger.
fn seen(record: &Record) -> (ApprovalId, Status, Option<RecordedDecision>, Option<u64>) {
    let decided = record.decided().map(|decided| (**decided).clone());
    (record.request().id, record.status(), decided, record.request().expires_at)
}

fn all(records: &[Record]) -> String {
    format!("{:?}", records.iter().map(seen).collect::<Vec<_>>())
}

fn outcome(outcome: &DecideOutcome) -> String {
    match outcome {
        DecideOutcome::Won(record) => format!("won {:?}", seen(record)),
        DecideOutcome::Already(record) => format!("already {:?}", seen(record)),
        DecideOutcome::Expired(record) => format!("expired {:?}", seen(record)),
        DecideOutcome::NotAllowed(record) => format!("not allowed {:?}", seen(record)),
        DecideOutcome::Counted(record) => {
            format!("counted {:?} {:?}", seen(record), record.tally())
        }
        DecideOutcome::Refused { record, may } => format!("refused {:?} {may:?}", seen(record)),
        DecideOutcome::Unknown => "unknown".to_owned(),
    }
}

/// Does it, and says what came of it. `ids` are those of the requests that were made.
fn perform(
    ledger: &dyn Ledger, deed: &Deed, now: u64, fresh: ApprovalId, ids: &[ApprovalId],
) -> String {
    let id = |which: u8| ids.get(usize::from(which)).copied().unwrap_or(ApprovalId::nil());
    match deed {
        Deed::Request { run, call, timeout, only_respond, supersedes } => {
            let (run, call) = (format!("run {run}"), format!("call {call}"));
            let last = ledger.find(Some(&run), &call).unwrap().pop();
            let supersedes = last.filter(|_| *supersedes).map(|record| record.request().id);
            let mut asked =
                request(&run, &call, now, timeout.map(|timeout| now + u64::from(timeout)));
            asked.id = fresh;
            asked.more = Some(Box::new(RequestExtras { supersedes, ..RequestExtras::default() }));
            if *only_respond {
                asked.allowed = DecisionKinds::new([DecisionKind::Respond]).unwrap();
            }
            match ledger.request(asked).unwrap() {
                RequestOutcome::Created(record) => format!("created {:?}", seen(&record)),
                RequestOutcome::Duplicate(record) => format!("duplicate {:?}", seen(&record)),
            }
        }
        Deed::Decide { which, choice: number, via } => {
            let via = if *via { DecisionChannel::System } else { DecisionChannel::Gate };
            let decided = RecordedDecision { via, ..choose(choice(*number), now) };
            outcome(&ledger.decide(id(*which), decided).unwrap())
        }
        Deed::Revoke { which } => {
            let revoked =
                ledger.revoke(id(*which), choose(DecisionChoice::Cancelled, now)).unwrap();
            format!("{:?}", revoked.as_ref().map(seen))
        }
        Deed::Begin { which, edited } => {
            let record = ledger.get(id(*which)).unwrap();
            let digest = record.map_or(crate::call::Digest::of_text(""), |record| {
                let asked = record.request();
                if *edited { asked.call.digest_with(&json("[1]")) } else { asked.digest }
            });
            match ledger.begin(id(*which), digest, now).unwrap() {
                RedeemOutcome::Won(record) => format!("won {:?}", seen(&record)),
                other => format!("{other:?}"),
            }
        }
        Deed::Finish { which, end } => {
            let end = [Advance::Start, Advance::Succeed, Advance::Fail, Advance::Interrupt]
                [usize::from(*end)];
            format!("{:?}", ledger.finish(id(*which), end, None, now).unwrap().as_ref().map(seen))
        }
        Deed::Expire { limit } => all(&ledger.expire_due(now, usize::from(*limit)).unwrap()),
        Deed::CancelRun { run } => {
            let run = run.map(|run| format!("run {run}"));
            all(&ledger
                .cancel_run(run.as_deref(), &choose(DecisionChoice::Cancelled, now))
                .unwrap())
        }
    }
}

proptest! {
    #![proptest_config(cases(8, 24))]

    #[test]
    fn the_file_does_what_the_memory_does(deeds in prop::collection::vec((any_deed(), 0..4u64), 1..60)) {
        let (file, memory) = (temporary(), MemoryLedger::new(usize::MAX));
        let (mut now, mut ids) = (0, Vec::new());
        for (deed, later) in deeds {
            now += later;
            let fresh = uuid::Uuid::now_v7();
            let [told, expected] =
                [&file as &dyn Ledger, &memory].map(|ledger| perform(ledger, &deed, now, fresh, &ids));
            prop_assert_eq!(told, expected);
            if memory.get(fresh).unwrap().is_some() {
                ids.push(fresh);
            }
            for run in [None, Some("run 0"), Some("run 1")] {
                prop_assert_eq!(all(&file.pending(run).unwrap()), all(&memory.pending(run).unwrap()));
            }
            prop_assert_eq!(file.next_deadline().unwrap(), memory.next_deadline().unwrap());
        }
        for call in 0..4 {
            let call = format!("call {call}");
            prop_assert_eq!(all(&file.find(None, &call).unwrap()), all(&memory.find(None, &call).unwrap()));
        }
        verify(&file);
    }
}
