use super::*;
use crate::store::{AuditEntry, RequestState};

fn row(id: &str, status: &str, by: Option<&str>) -> RequestRow {
    let state = RequestState { status: status.into(), by: by.map(Into::into) };
    RequestRow { id: id.into(), key: format!("key of {id}").into(), state }
}

fn entry(kind: &str, id: &str, by: Option<&str>) -> AuditEntry {
    AuditEntry { kind: kind.into(), id: id.into(), by: by.map(Into::into) }
}

/// One request that was asked, decided, started and ended, and all that was acknowledged of it.
fn whole() -> (Vec<StoreAck>, StoreSnapshot) {
    let acks = vec![
        StoreAck::Requested { key: "key of a".into(), id: "a".into() },
        StoreAck::Decided { id: "a".into(), by: "ann".into() },
        StoreAck::Started { id: "a".into() },
        StoreAck::Finished { id: "a".into() },
    ];
    let snapshot = StoreSnapshot {
        rows: vec![row("a", "succeeded", Some("ann"))],
        audit: vec![
            entry("requested", "a", None),
            entry("decided", "a", Some("ann")),
            entry("started", "a", None),
            entry("settled", "a", None),
        ],
        damage: Vec::new(),
    };
    (acks, snapshot)
}

#[test]
fn what_is_there_is_clean() {
    let (acks, snapshot) = whole();
    assert!(verify(&acks, &snapshot).is_clean());
    // What was not acknowledged may be there.
    assert!(verify(&[], &snapshot).is_clean());
}

#[test]
fn each_fault_is_found() {
    type Fault = fn(&mut Vec<StoreAck>, &mut StoreSnapshot);
    type Count = fn(&StoreFindings) -> u64;
    let faults: &[(&str, Fault, Count)] = &[
        ("the row is gone", |_, snapshot| snapshot.rows.clear(), |findings| findings.lost),
        (
            "the row is there twice",
            |_, snapshot| snapshot.rows.push(snapshot.rows[0].clone()),
            |findings| findings.doubled,
        ),
        (
            "the key was asked twice",
            |_, snapshot| {
                snapshot.rows.push(RequestRow { id: "b".into(), ..snapshot.rows[0].clone() });
            },
            |findings| findings.doubled,
        ),
        (
            "the key is another",
            |acks, _| acks[0] = StoreAck::Requested { key: "other".into(), id: "a".into() },
            |findings| findings.broken,
        ),
        (
            "somebody else decided",
            |acks, _| acks[1] = StoreAck::Decided { id: "a".into(), by: "bob".into() },
            |findings| findings.doubled,
        ),
        (
            "nobody decided",
            |_, snapshot| {
                snapshot.rows[0] = row("a", "pending", None);
                snapshot.audit.truncate(1);
            },
            |findings| findings.lost,
        ),
        ("started twice", |acks, _| acks.push(acks[2].clone()), |findings| findings.doubled),
        (
            "the start is gone",
            |acks, snapshot| {
                acks.truncate(3);
                snapshot.rows[0] = row("a", "approved", Some("ann"));
                snapshot.audit.truncate(2);
            },
            |findings| findings.lost,
        ),
        (
            "the end is gone",
            |_, snapshot| {
                snapshot.rows[0] = row("a", "started", Some("ann"));
                snapshot.audit.truncate(3);
            },
            |findings| findings.lost,
        ),
        ("an entry is gone", |_, snapshot| snapshot.audit.truncate(3), |findings| findings.broken),
        (
            "an entry is there twice",
            |_, snapshot| snapshot.audit.push(entry("decided", "a", Some("ann"))),
            |findings| findings.doubled,
        ),
        (
            "the entry names another",
            |_, snapshot| snapshot.audit[1] = entry("decided", "a", Some("bob")),
            |findings| findings.broken,
        ),
        (
            "no such status",
            |_, snapshot| snapshot.rows[0].state.status = "odd".into(),
            |findings| findings.broken,
        ),
        (
            "the store says so",
            |_, snapshot| snapshot.damage.push("damage".into()),
            |findings| findings.broken,
        ),
    ];
    for (name, fault, count) in faults {
        let (mut acks, mut snapshot) = whole();
        fault(&mut acks, &mut snapshot);
        let findings = verify(&acks, &snapshot);
        assert!(count(&findings) > 0, "{name}: {findings:?}");
    }
}
