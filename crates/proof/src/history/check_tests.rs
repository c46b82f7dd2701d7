use super::*;

fn decide(by: &str) -> Call {
    Call::Decide { by: by.into(), approve: true }
}

fn won() -> Reply {
    Reply::Decided(Answer::Won)
}

fn already(by: &str) -> Reply {
    Reply::Decided(Answer::Already(by.into()))
}

fn asked(id: &str, created: bool) -> Reply {
    Reply::Asked { id: id.into(), created }
}

fn seen(status: Status, by: Option<&str>) -> Reply {
    Reply::Seen(Some(Seen::new(status, by)))
}

/// An operation of process `p` from the first time to the second.
fn op(call: Call, reply: Reply, (called, replied): (u64, u64)) -> Op {
    Op::answered("p", call, called, reply, replied)
}

/// After a request that was made and answered first.
fn holds(ops: &[Op]) -> bool {
    let mut all = vec![op(Call::Request, asked("a", true), (0, 1))];
    all.extend_from_slice(ops);
    is_linearizable(&all)
}

#[test]
fn right_histories_hold() {
    assert!(is_linearizable(&[]));
    assert!(holds(&[
        op(Call::Begin, Reply::Began(Some("pending".into())), (2, 3)),
        op(decide("x"), won(), (4, 5)),
        op(decide("y"), already("x"), (6, 7)),
        op(Call::Begin, Reply::Began(None), (8, 9)),
        op(Call::Begin, Reply::Began(Some("started".into())), (10, 11)),
        op(Call::Finish, Reply::Finished(true), (12, 13)),
        op(Call::Finish, Reply::Finished(false), (14, 15)),
        op(Call::Get, seen(Status::Succeeded, Some("x")), (16, 17)),
        op(Call::Request, asked("a", false), (18, 19)),
    ]));
    // The loser was answered before the winner: at the same time, that is right.
    assert!(holds(&[
        op(decide("x"), won(), (2, 9)),
        op(decide("y"), already("x"), (3, 4)),
        op(Call::Get, seen(Status::Pending, None), (2, 8)),
    ]));
}

#[test]
fn wrong_histories_do_not() {
    let wrong: &[(&str, &[Op])] = &[
        ("two winners", &[op(decide("x"), won(), (2, 9)), op(decide("y"), won(), (3, 8))]),
        (
            "a winner who is none",
            &[op(decide("x"), won(), (2, 9)), op(decide("y"), already("z"), (3, 8))],
        ),
        (
            "a stale look",
            &[op(decide("x"), won(), (2, 3)), op(Call::Get, seen(Status::Pending, None), (4, 5))],
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
                op(Call::Begin, Reply::Began(None), (4, 9)),
                op(Call::Begin, Reply::Began(None), (5, 8)),
            ],
        ),
        ("a start of what waits", &[op(Call::Begin, Reply::Began(None), (2, 3))]),
        ("made twice", &[op(Call::Request, asked("a", true), (2, 3))]),
        ("another id", &[op(Call::Request, asked("b", false), (2, 3))]),
        ("gone", &[op(Call::Get, Reply::Seen(None), (2, 3))]),
        (
            "interrupted, and nobody died",
            &[
                op(decide("x"), won(), (2, 3)),
                op(Call::Begin, Reply::Began(None), (4, 5)),
                op(Call::Get, seen(Status::Interrupted, Some("x")), (6, 7)),
            ],
        ),
    ];
    for (name, ops) in wrong {
        assert!(!holds(ops), "{name}");
    }
}

#[test]
fn what_was_not_answered_may_have_happened_at_any_time_since_or_not() {
    let cut_off = Op::called("q", decide("x"), 5);
    let before = op(Call::Get, seen(Status::Pending, None), (2, 3));
    let pending = op(Call::Get, seen(Status::Pending, None), (6, 7));
    let approved = op(Call::Get, seen(Status::Approved, Some("x")), (8, 9));
    assert!(holds(&[cut_off.clone(), pending.clone()]));
    assert!(holds(&[cut_off.clone(), pending, approved.clone()]));
    assert!(holds(&[cut_off.clone(), op(decide("y"), won(), (6, 7))]));
    // Not before it was called, and not undone.
    let early = op(Call::Get, seen(Status::Approved, Some("x")), (2, 3));
    assert!(!holds(&[cut_off.clone(), early]));
    let late = op(Call::Get, seen(Status::Pending, None), (10, 11));
    assert!(!holds(&[before, cut_off, approved, late]));
}

#[test]
fn what_a_process_had_started_is_interrupted_by_its_death_alone() {
    let started = [op(decide("x"), won(), (2, 3)), op(Call::Begin, Reply::Began(None), (4, 5))];
    let interrupted = op(Call::Get, seen(Status::Interrupted, Some("x")), (20, 21));
    let after = |death: Op| holds(&[&started[..], &[death, interrupted.clone()]].concat());
    assert!(after(Op::called("p", Call::Die, 10)));
    assert!(!after(Op::called("p", Call::Die, 30)));
    assert!(!after(Op::called("q", Call::Die, 10)));
}
