use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::approval::{DecisionChannel, Status};
use crate::call::{CanonicalJson, Digest};
use crate::cases::cases;
use crate::policy::Effect;

/// A log, as a store would hand it out.
fn log(notes: &[(AuditNote, u64)]) -> Vec<AuditEntry> {
    let mut chain = AuditChain::default();
    notes.iter().map(|(note, at)| chain.append(note, *at)).collect()
}

fn some_log(size: u64) -> Vec<AuditEntry> {
    let notes: Vec<_> = (1..=size)
        .map(|n| (AuditNote::new(NoteKind::Verdict).with("n", n as i64), 1000 + n))
        .collect();
    log(&notes)
}

fn lines(entries: &[AuditEntry]) -> Vec<ExportLine> {
    let mut prev = GENESIS;
    entries
        .iter()
        .map(|entry| ExportLine {
            entry: entry.clone(),
            prev: std::mem::replace(&mut prev, entry.hash),
        })
        .collect()
}

fn export(entries: &[AuditEntry]) -> String {
    lines(entries).iter().map(|line| format!("{line}\n")).collect()
}

fn verify_export(export: &[u8], expected: Option<LogHead>) -> Result<VerifiedLog, BrokenLink> {
    let mut verifier = LogVerifier::new(AuditChain::default(), expected);
    let mut rest: Vec<&[u8]> = export.split(|byte| *byte == b'\n').collect();
    if rest.last().is_some_and(|line| line.is_empty()) {
        rest.pop();
    }
    rest.into_iter().for_each(|line| verifier.see_line(&ExportLine::parse(line)));
    verifier.finish()
}

fn head(entries: &[AuditEntry]) -> LogHead {
    verify(AuditChain::default(), entries, None).unwrap().chain.into()
}

fn broken(seq: u64, fault: EntryFault) -> Result<VerifiedLog, BrokenLink> {
    Err(BrokenLink { seq, fault })
}

#[test]
fn the_first_entries_are_these_to_the_byte() {
    let rule = RuleAt {
        source: ".countersign/policy.toml".into(),
        layer: "project".into(),
        line: Some(3),
    };
    let entries = log(&[
        (AuditNote::new(NoteKind::Opened), 1_767_225_600_000),
        (
            AuditNote {
                run_id: Some("run".into()),
                tool_call_id: Some("call".into()),
                tool_name: Some("execute".into()),
                approval_id: Some(uuid::Uuid::nil()),
                by: Some("ada".into()),
                via: Some(DecisionChannel::Gate),
                effect: Some(Effect::Ask),
                rule: Some(rule),
                reason: Some("fine".into()),
                digest: Some(Digest::of_text("")),
                args_digest: Some(Digest::of_text("{}")),
                decision: Some("approve"),
                status: Some(Status::Approved),
                origin: vec!["main".into(), "sub".into()],
                ..AuditNote::new(NoteKind::Decided)
            }
            .with("tool", "x")
            .with("ms", 12),
            1_767_225_600_001,
        ),
    ]);
    let bodies: Vec<&str> = entries.iter().map(|entry| entry.body.as_str()).collect();
    assert_eq!(
        bodies,
        [
            r#"{"at":1767225600000,"kind":"opened","seq":1}"#,
            concat!(
                r#"{"approvalId":"00000000-0000-0000-0000-000000000000","#,
                r#""argsDigest":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","#,
                r#""at":1767225600001,"by":"ada","decision":"approve","#,
                r#""digest":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","#,
                r#""effect":"ask","kind":"decided","more":{"ms":12,"tool":"x"},"origin":["main","sub"],"#,
                r#""reason":"fine","rule":{"layer":"project","line":3,"source":".countersign/policy.toml"},"#,
                r#""runId":"run","seq":2,"status":"approved","toolCallId":"call","toolName":"execute","via":"gate"}"#
            )
        ]
    );
    // { printf 'countersign-audit-v1\0'; head -c 32 /dev/zero;
    //   printf '{"at":1767225600000,"kind":"opened","seq":1}'; } | sha256sum
    let first = export(&entries[..1]);
    assert_eq!(
        first,
        concat!(
            r#"{"at":1767225600000,"kind":"opened","seq":1,"#,
            r#""prev":"0000000000000000000000000000000000000000000000000000000000000000","#,
            r#""hash":"0a29393314d333405c4753c4b35749841bfe2315340fa984874364855192040a"}"#,
            "\n"
        )
    );
    let second = Sha256::new()
        .chain_update(b"countersign-audit-v1\0")
        .chain_update(entries[0].hash)
        .chain_update(bodies[1])
        .finalize();
    assert_eq!(entries[1].hash, <[u8; 32]>::from(second));
}

#[test]
fn kinds_have_names_and_names_kinds() {
    for kind in NoteKind::ALL {
        assert_eq!(NoteKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(NoteKind::from_name("Decided"), None);
}

#[test]
fn texts_are_cut_and_made_safe() {
    let note = AuditNote {
        reason: Some(format!("\u{1b}[2J\u{202e}{}", "é".repeat(4000)).into()),
        by: Some("ada\u{9b}\u{200b}".into()),
        run_id: Some("x".repeat(5000).into()),
        ..AuditNote::new(NoteKind::Decided)
    }
    .with("secret", "y".repeat(5000).as_str());
    let body = log(&[(note, 1)]).remove(0).body;
    assert!(body.len() < 5000, "{}", body.len());
    assert!(
        !body.contains(|letter: char| letter.is_control() || "\u{202e}\u{200b}".contains(letter))
    );
    assert_eq!(CanonicalJson::parse(&body).unwrap().as_str(), body);
}

#[test]
fn time_never_goes_back_and_numbers_are_those_of_javascript() {
    let entries = log(&[
        (AuditNote::new(NoteKind::Opened), 500),
        (AuditNote::new(NoteKind::ClockJump).with("by", -400), 100),
        (AuditNote::new(NoteKind::ClockJump).with("by", i64::MIN), u64::MAX),
    ]);
    let times: Vec<u64> = entries.iter().map(|entry| entry.at).collect();
    assert_eq!(times, [500, 500, (1 << 53) - 1]);
    assert!(entries[1].body.contains(r#""by":-400"#));
    assert!(entries[2].body.contains(r#""by":"-9223372036854775808""#));
    assert!(verify(AuditChain::default(), &entries, None).is_ok());

    // A whole new chain in which time does go back fails too.
    let mut later = AuditChain { at: 600, ..AuditChain::default() };
    let entry = AuditChain::default().append(&AuditNote::new(NoteKind::Opened), 500);
    assert!(later.check(&entry).is_err());
    assert_eq!(later.append(&AuditNote::new(NoteKind::Opened), 500).at, 600);
}

#[test]
fn each_attack_has_its_name() {
    let whole = some_log(6);
    type Attack = fn(&mut Vec<AuditEntry>);
    let attacks: [(&str, Attack, u64, EntryFault); 16] = [
        (
            "body",
            |log| log[2].body = log[2].body.replace("\"n\":3", "\"n\":4"),
            3,
            EntryFault::Changed,
        ),
        ("hash", |log| log[2].hash[31] ^= 1, 3, EntryFault::Changed),
        ("seq column", |log| log[2].seq = 9, 3, EntryFault::Changed),
        ("seq column back", |log| log[2].seq = 2, 3, EntryFault::Changed),
        (
            "seq column and body back",
            |log| {
                log[2].seq = 2;
                log[2].body = log[2].body.replace("\"seq\":3", "\"seq\":2");
            },
            3,
            EntryFault::Changed,
        ),
        ("at column", |log| log[2].at += 1, 3, EntryFault::Changed),
        ("spaces", |log| log[2].body.push(' '), 3, EntryFault::Changed),
        ("dropped", |log| drop(log.remove(2)), 3, EntryFault::Missing { found: 4 }),
        ("two dropped", |log| drop(log.drain(2..4)), 3, EntryFault::Missing { found: 5 }),
        ("first dropped", |log| drop(log.remove(0)), 1, EntryFault::WrongFirst { found: 2 }),
        ("swapped", |log| log.swap(2, 4), 3, EntryFault::OutOfOrder { found: 5 }),
        ("first swapped", |log| log.swap(0, 1), 1, EntryFault::OutOfOrder { found: 2 }),
        ("twice", |log| log.insert(3, log[2].clone()), 4, EntryFault::Duplicate { found: 3 }),
        (
            "twice, later",
            |log| log.insert(5, log[2].clone()),
            6,
            EntryFault::Duplicate { found: 3 },
        ),
        ("twice at the end", |log| log.push(log[5].clone()), 7, EntryFault::Duplicate { found: 6 }),
        (
            "rows swapped under their numbers",
            |log| {
                log.swap(2, 3);
                (log[2].seq, log[3].seq) = (3, 4);
            },
            3,
            EntryFault::Changed,
        ),
    ];
    for (name, attack, seq, fault) in attacks {
        let mut log = whole.clone();
        attack(&mut log);
        assert_eq!(verify(AuditChain::default(), &log, None), broken(seq, fault), "{name}");
    }
    // A changed entry whose hash was made anew breaks the one after it.
    let mut log = whole.clone();
    let mut chain: AuditChain = verify(AuditChain::default(), &log[..2], None).unwrap().chain;
    log[2] = chain.append(&AuditNote::new(NoteKind::Verdict).with("n", 4), 1003);
    assert_eq!(verify(AuditChain::default(), &log, None), broken(4, EntryFault::Changed));
}

#[test]
fn a_body_that_is_not_canonical_is_refused_even_with_the_right_hash() {
    for body in [
        r#"{"at":1,"kind":"opened","seq":1} "#,
        r#"{"at":1, "kind":"opened","seq":1}"#,
        r#"{"kind":"opened","at":1,"seq":1}"#,
        r#"{"at":1,"by":"a","by":"b","kind":"opened","seq":1}"#,
        r#"{"at":1,"at":1,"kind":"opened","seq":1}"#,
        r#"{"at":1.0,"kind":"opened","seq":1}"#,
        r#"{"at":1,"kind":"\u006fpened","seq":1}"#,
        r#"{"at":1,"kind":"opened","seq":2}"#,
        r#"{"at":1,"seq":1}"#,
        r#"[1,1,"opened"]"#,
        "",
    ] {
        let hash = Sha256::new()
            .chain_update(b"countersign-audit-v1\0")
            .chain_update(GENESIS)
            .chain_update(body)
            .finalize()
            .into();
        let entry = AuditEntry { seq: 1, at: 1, body: body.to_owned(), hash };
        assert_eq!(
            AuditChain::default().check(&entry).unwrap_err().fault,
            EntryFault::Changed,
            "{body}"
        );
        let line = ExportLine { entry, prev: GENESIS }.to_string();
        assert!(verify_export(line.as_bytes(), None).is_err(), "{body}");
    }
}

#[test]
fn how_a_log_stands_to_a_head_that_was_kept_elsewhere() {
    let log = some_log(6);
    let other = LogHead { hash: [7; 32], ..head(&log) };
    let pruned = verify(AuditChain::default(), &log[..3], None).unwrap().chain;
    let nothing = LogHead::from(AuditChain::default());
    for (name, start, entries, expected, standing) in [
        ("same", AuditChain::default(), &log[..], head(&log), HeadStanding::Same),
        (
            "extended",
            AuditChain::default(),
            &log[..],
            head(&log[..4]),
            HeadStanding::Extended { by: 2 },
        ),
        (
            "from nothing",
            AuditChain::default(),
            &log[..],
            nothing,
            HeadStanding::Extended { by: 6 },
        ),
        (
            "truncated",
            AuditChain::default(),
            &log[..4],
            head(&log),
            HeadStanding::Truncated { by: 2 },
        ),
        (
            "emptied",
            AuditChain::default(),
            &log[..0],
            head(&log),
            HeadStanding::Truncated { by: 6 },
        ),
        ("forked", AuditChain::default(), &log[..], other, HeadStanding::Forked),
        (
            "forked earlier",
            AuditChain::default(),
            &log[..],
            LogHead { size: 2, ..other },
            HeadStanding::Forked,
        ),
        ("empty", AuditChain::default(), &log[..0], nothing, HeadStanding::Same),
        ("pruned", pruned, &log[3..], head(&log), HeadStanding::Same),
        ("pruned just there", pruned, &log[3..], head(&log[..3]), HeadStanding::Extended { by: 3 }),
        ("pruned, forked", pruned, &log[3..], LogHead { size: 3, ..other }, HeadStanding::Forked),
        ("pruned beyond it", pruned, &log[3..], head(&log[..2]), HeadStanding::Unknown),
    ] {
        let verified = verify(start, entries, Some(expected)).unwrap();
        assert_eq!(verified.standing, Some(standing), "{name}");
        assert_eq!(
            standing.is_kept(),
            matches!(standing, HeadStanding::Same | HeadStanding::Extended { .. }),
            "{name}"
        );
    }
}

#[test]
fn an_export_of_the_end_of_a_log_says_where_it_goes_on_from() {
    let log = some_log(6);
    let lines = lines(&log);
    let start = lines[3].before();
    assert_eq!((start.seq, start.head), (3, log[2].hash));
    assert_eq!(head(&log), verify(start, &log[3..], None).unwrap().chain.into());
}

fn any_note() -> impl Strategy<Value = (AuditNote, u64)> {
    let text = || prop::option::of(any::<String>().prop_map(String::into_boxed_str));
    let facts = prop::collection::btree_map(
        prop::sample::select(vec!["a", "b", "until", "count"]),
        prop_oneof![
            any::<i64>().prop_map(NoteValue::Number),
            any::<String>().prop_map(|text| NoteValue::Text(text.into())),
        ],
        0..3,
    );
    (
        prop::sample::select(NoteKind::ALL.to_vec()),
        text(),
        text(),
        text(),
        text(),
        facts,
        any::<u64>(),
    )
        .prop_map(|(kind, run_id, tool_name, by, reason, more, at)| {
            let origin = run_id.iter().cloned().collect();
            let note =
                AuditNote { run_id, tool_name, by, reason, origin, more, ..AuditNote::new(kind) };
            (note, at >> 12)
        })
}

fn any_log() -> impl Strategy<Value = Vec<AuditEntry>> {
    prop::collection::vec(any_note(), 1..8).prop_map(|notes| log(&notes))
}

proptest! {
    #![proptest_config(cases(48, 256))]

    #[test]
    fn every_log_is_canonical_and_comes_through_an_export(log in any_log()) {
        for entry in &log {
            let canonical = CanonicalJson::parse(&entry.body).unwrap();
            prop_assert_eq!(canonical.as_str(), &entry.body);
        }
        let text = export(&log);
        let read: Vec<ExportLine> = text.lines().map(|line| ExportLine::parse(line.as_bytes()).unwrap()).collect();
        prop_assert_eq!(&read, &lines(&log));
        // To any reader of JSON it is one flat object.
        for line in text.lines() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).unwrap()["hash"].is_string());
        }
        let verified = verify_export(text.as_bytes(), Some(head(&log))).unwrap();
        prop_assert_eq!(verified.standing, Some(HeadStanding::Same));
    }

    #[test]
    fn any_flipped_bit_of_an_export_is_told_at_its_entry(
        log in any_log(), at in any::<prop::sample::Index>(), bit in 0..8u8,
    ) {
        let text = export(&log);
        let mut bytes = text.clone().into_bytes();
        // The line end at the very end separates nothing.
        let at = at.index(bytes.len() - 1);
        bytes[at] ^= 1 << bit;
        let seq = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        prop_assert_eq!(verify_export(&bytes, None).unwrap_err().seq, seq);
    }

    #[test]
    fn any_flipped_bit_of_a_row_is_told_at_its_entry(
        log in any_log(), row in any::<prop::sample::Index>(), column in 0..4, bit in any::<prop::sample::Index>(),
    ) {
        let mut log = log;
        let row = row.index(log.len());
        let entry = &mut log[row];
        match column {
            0 => entry.seq ^= 1 << bit.index(64),
            1 => entry.at ^= 1 << bit.index(64),
            2 => {
                let bit = bit.index(256);
                entry.hash[bit / 8] ^= 1 << (bit % 8);
            }
            _ => {
                let mut body = entry.body.clone().into_bytes();
                let bit = bit.index(body.len() * 8);
                body[bit / 8] ^= 1 << (bit % 8);
                match String::from_utf8(body) {
                    Ok(body) => entry.body = body,
                    Err(_) => return Ok(()),
                }
            }
        }
        prop_assert_eq!(verify(AuditChain::default(), &log, None).unwrap_err().seq, row as u64 + 1);
    }

    #[test]
    fn whatever_is_dropped_moved_repeated_or_cut_is_told(
        log in any_log(), one in any::<prop::sample::Index>(), two in any::<prop::sample::Index>(),
    ) {
        let (one, two) = (one.index(log.len()), two.index(log.len()));
        let (first, last) = (one.min(two), one.max(two));
        let expected = Some(head(&log));
        let seq = |at: usize| at as u64 + 1;

        let mut dropped = log.clone();
        dropped.remove(one);
        match verify(AuditChain::default(), &dropped, expected) {
            Err(broken) => prop_assert_eq!(broken.seq, seq(one)),
            // Only the head shows that the last one is missing.
            Ok(verified) => {
                prop_assert_eq!(one, log.len() - 1);
                prop_assert_eq!(verified.standing, Some(HeadStanding::Truncated { by: 1 }));
            }
        }

        let mut swapped = log.clone();
        swapped.swap(first, last);
        if first != last {
            let fault = EntryFault::OutOfOrder { found: seq(last) };
            prop_assert_eq!(verify(AuditChain::default(), &swapped, expected), broken(seq(first), fault));
        }

        let mut repeated = log.clone();
        repeated.insert(last + 1, log[first].clone());
        let fault = EntryFault::Duplicate { found: seq(first) };
        prop_assert_eq!(verify(AuditChain::default(), &repeated, expected), broken(seq(last + 1), fault));

        let cut = verify(AuditChain::default(), &log[..one], expected).unwrap();
        let by = (log.len() - one) as u64;
        prop_assert_eq!(cut.standing, Some(HeadStanding::Truncated { by }));
    }

    #[test]
    fn a_log_that_went_on_differently_is_forked(
        log in any_log(), other in any_note(), at in any::<prop::sample::Index>(),
    ) {
        let at = at.index(log.len());
        let mut chain = verify(AuditChain::default(), &log[..at], None).unwrap().chain;
        let mut forked = log[..at].to_vec();
        while forked.len() < log.len() {
            forked.push(chain.append(&other.0.clone().with("b", "other"), other.1));
        }
        prop_assume!(forked[at].hash != log[at].hash);
        let verified = verify(AuditChain::default(), &forked, Some(head(&log))).unwrap();
        prop_assert_eq!(verified.standing, Some(HeadStanding::Forked));
    }
}
