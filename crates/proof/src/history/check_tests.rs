use super::*;

fn decide(by: &str) -> OperationCall {
    OperationCall::Decide { by: by.into(), approve: true }
}

fn won() -> OperationReply {
    OperationReply::Decided(DecideAnswer::Won)
}

fn already(by: &str) -> OperationReply {
    OperationReply::Decided(DecideAnswer::Already(by.into()))
}

fn asked(id: &str, created: bool) -> OperationReply {
    OperationReply::Asked { id: id.into(), created }
}

fn seen(status: Status, by: Option<&str>) -> OperationReply {
    OperationReply::Seen(Some(RequestState::new(status, by)))
}

/// An operation of process `p` from the first time to the second.
fn op(
    call: OperationCall, reply: OperationReply, (called, replied): (u64, u64),
) -> HistoryOperation {
    HistoryOperation::answered("p", call, called, reply, replied)
}

/// After a request that was made and answered first.
fn holds(operations: &[HistoryOperation]) -> bool {
    let mut all = vec![op(OperationCall::Request, asked("a", true), (0, 1))];
    all.extend_from_slice(operations);
    is_linearizable(&all)
}

#[test]
fn right_histories_hold() {
    assert!(is_linearizable(&[]));
    assert!(holds(&[
        op(OperationCall::Begin, OperationReply::Began(Some("pending".into())), (2, 3)),
        op(decide("x"), won(), (4, 5)),
        op(decide("y"), already("x"), (6, 7)),
        op(OperationCall::Begin, OperationReply::Began(None), (8, 9)),
        op(OperationCall::Begin, OperationReply::Began(Some("started".into())), (10, 11)),
        op(OperationCall::Finish, OperationReply::Finished(true), (12, 13)),
        op(OperationCall::Finish, OperationReply::Finished(false), (14, 15)),
        op(OperationCall::Get, seen(Status::Succeeded, Some("x")), (16, 17)),
        op(OperationCall::Request, asked("a", false), (18, 19)),
    ]));
    // The loser was answered before the winner: at the same time, that is right.
    assert!(holds(&[
        op(decide("x"), won(), (2, 9)),
        op(decide("y"), already("x"), (3, 4)),
        op(OperationCall::Get, seen(Status::Pending, None), (2, 8)),
    ]));
}

#[test]
fn wrong_histories_do_not() {
    let wrong: &[(&str, &[HistoryOperation])] = &[
        ("two winners", &[op(decide("x"), won(), (2, 9)), op(decide("y"), won(), (3, 8))]),
        (
            "a winner who is none",
            &[op(decide("x"), won(), (2, 9)), op(decide("y"), already("z"), (3, 8))],
        ),
        (
            "a stale look",
            &[
                op(decide("x"), won(), (2, 3)),
                op(OperationCall::Get, seen(Status::Pending, None), (4, 5)),
            ],
        ),
        (
            "a loser before any winner",
            &[op(decide("y"), already("x"), (2, 3)), op(decide("x"), won(), (4, 5))],
        ),
        ("a lost decision", &[op(decide("x"), won(), (2, 3)), op(decide("y"), won(), (4, 5))]),
        (
            "two starts",
            &[
                op(decide("x"), won(), (2, 3)),
                op(OperationCall::Begin, OperationReply::Began(None), (4, 9)),
                op(OperationCall::Begin, OperationReply::Began(None), (5, 8)),
            ],
        ),
        ("a start of what waits", &[op(OperationCall::Begin, OperationReply::Began(None), (2, 3))]),
        ("made twice", &[op(OperationCall::Request, asked("a", true), (2, 3))]),
        ("another id", &[op(OperationCall::Request, asked("b", false), (2, 3))]),
        ("gone", &[op(OperationCall::Get, OperationReply::Seen(None), (2, 3))]),
        (
            "interrupted, and nobody died",
            &[
                op(decide("x"), won(), (2, 3)),
                op(OperationCall::Begin, OperationReply::Began(None), (4, 5)),
                op(OperationCall::Get, seen(Status::Interrupted, Some("x")), (6, 7)),
            ],
        ),
    ];
    for (name, operations) in wrong {
        assert!(!holds(operations), "{name}");
    }
}

#[test]
fn what_was_not_answered_may_have_happened_at_any_time_since_or_not() {
    let cut_off = HistoryOperation::called("q", decide("x"), 5);
    let before = op(OperationCall::Get, seen(Status::Pending, None), (2, 3));
    let pending = op(OperationCall::Get, seen(Status::Pending, None), (6, 7));
    let approved = op(OperationCall::Get, seen(Status::Approved, Some("x")), (8, 9));
    assert!(holds(&[cut_off.clone(), pending.clone()]));
    assert!(holds(&[cut_off.clone(), pending, approved.clone()]));
    assert!(holds(&[cut_off.clone(), op(decide("y"), won(), (6, 7))]));
    // Not before it was called, and not undone.
    let early = op(OperationCall::Get, seen(Status::Approved, Some("x")), (2, 3));
    assert!(!holds(&[cut_off.clone(), early]));
    let late = op(OperationCall::Get, seen(Status::Pending, None), (10, 11));
    assert!(!holds(&[before, cut_off, approved, late]));
}

#[test]
fn what_a_process_had_started_is_interrupted_by_its_death_alone() {
    let started = [
        op(decide("x"), won(), (2, 3)),
        op(OperationCall::Begin, OperationReply::Began(None), (4, 5)),
    ];
    let interrupted = op(OperationCall::Get, seen(Status::Interrupted, Some("x")), (20, 21));
    let after =
        |death: HistoryOperation| holds(&[&started[..], &[death, interrupted.clone()]].concat());
    assert!(after(HistoryOperation::called("p", OperationCall::Die, 10)));
    assert!(!after(HistoryOperation::called("p", OperationCall::Die, 30)));
    assert!(!after(HistoryOperation::called("q", OperationCall::Die, 10)));
}
