use super::*;
use crate::store::{Entry, Seen};

fn row(id: &str, status: &str, by: Option<&str>) -> Row {
    let seen = Seen { status: status.into(), by: by.map(Into::into) };
    Row { id: id.into(), key: format!("key of {id}").into(), seen }
}

fn entry(kind: &str, id: &str, by: Option<&str>) -> Entry {
    Entry { kind: kind.into(), id: id.into(), by: by.map(Into::into) }
}

/// One request that was asked, decided, started and ended, and all that was acknowledged of it.
fn whole() -> (Vec<Ack>, Examination) {
    let acks = vec![
        Ack::Requested { key: "key of a".into(), id: "a".into() },
        Ack::Decided { id: "a".into(), by: "ann".into() },
        Ack::Started { id: "a".into() },
        Ack::Finished { id: "a".into() },
    ];
    let found = Examination {
        rows: vec![row("a", "succeeded", Some("ann"))],
        audit: vec![
            entry("requested", "a", None),
            entry("decided", "a", Some("ann")),
            entry("started", "a", None),
            entry("settled", "a", None),
        ],
        damage: Vec::new(),
    };
    (acks, found)
}

#[test]
fn what_is_there_is_clean() {
    let (acks, found) = whole();
    assert!(verify(&acks, &found).is_clean());
    // What was not acknowledged may be there.
    assert!(verify(&[], &found).is_clean());
}

#[test]
fn each_fault_is_found() {
    type Fault = fn(&mut Vec<Ack>, &mut Examination);
    type Count = fn(&Verdict) -> u64;
    let faults: &[(&str, Fault, Count)] = &[
        ("the row is gone", |_, found| found.rows.clear(), |verdict| verdict.lost),
        (
            "the row is there twice",
            |_, found| found.rows.push(found.rows[0].clone()),
            |verdict| verdict.doubled,
        ),
        (
            "the key was asked twice",
            |_, found| {
                found.rows.push(Row { id: "b".into(), ..found.rows[0].clone() });
            },
            |verdict| verdict.doubled,
        ),
        (
            "the key is another",
            |acks, _| acks[0] = Ack::Requested { key: "other".into(), id: "a".into() },
            |verdict| verdict.broken,
        ),
        (
            "somebody else decided",
            |acks, _| acks[1] = Ack::Decided { id: "a".into(), by: "bob".into() },
            |verdict| verdict.doubled,
        ),
        (
            "nobody decided",
            |_, found| {
                found.rows[0] = row("a", "pending", None);
                found.audit.truncate(1);
            },
            |verdict| verdict.lost,
        ),
        ("started twice", |acks, _| acks.push(acks[2].clone()), |verdict| verdict.doubled),
        (
            "the start is gone",
            |acks, found| {
                acks.truncate(3);
                found.rows[0] = row("a", "approved", Some("ann"));
                found.audit.truncate(2);
            },
            |verdict| verdict.lost,
        ),
        (
            "the end is gone",
            |_, found| {
                found.rows[0] = row("a", "started", Some("ann"));
                found.audit.truncate(3);
            },
            |verdict| verdict.lost,
        ),
        ("an entry is gone", |_, found| found.audit.truncate(3), |verdict| verdict.broken),
        (
            "an entry is there twice",
            |_, found| found.audit.push(entry("decided", "a", Some("ann"))),
            |verdict| verdict.doubled,
        ),
        (
            "the entry names another",
            |_, found| found.audit[1] = entry("decided", "a", Some("bob")),
            |verdict| verdict.broken,
        ),
        (
            "no such status",
            |_, found| found.rows[0].seen.status = "odd".into(),
            |verdict| verdict.broken,
        ),
        (
            "the store says so",
            |_, found| found.damage.push("damage".into()),
            |verdict| verdict.broken,
        ),
    ];
    for (name, fault, count) in faults {
        let (mut acks, mut found) = whole();
        fault(&mut acks, &mut found);
        let verdict = verify(&acks, &found);
        assert!(count(&verdict) > 0, "{name}: {verdict:?}");
    }
}
