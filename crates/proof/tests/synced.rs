//! What is acknowledged was synced: seen in the record of what a program did to its files, in order. On Linux, where programs can
//! be preloaded.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use countersign_proof::files::{TEXTS, WRITTEN};
use countersign_proof::power::{CutMode, DiskEvent, DiskImage, SimulatedDisk, events, recorder};
use countersign_proof::process::TemporaryFolder;
use fastrand::Rng;

/// What a program did to a folder.
struct Recorded {
    _folder: TemporaryFolder,
    dir: PathBuf,
    log: Vec<u8>,
}

/// Runs a tool on a new folder.
fn record(words: &[&str]) -> Recorded {
    let folder = TemporaryFolder::new(None).unwrap();
    let dir = folder.folder("disk").unwrap();
    let (log, acks) = (folder.path("log"), folder.path("acks"));
    fs::write(&log, "").unwrap();
    fs::write(&acks, "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_countersign-proof"))
        .args(words)
        .args(["--dir".as_ref(), dir.as_os_str(), "--acks".as_ref(), acks.as_os_str()])
        .env("LD_PRELOAD", recorder().unwrap())
        .env("COUNTERSIGN_POWERCUT_DIR", &dir)
        .env("COUNTERSIGN_POWERCUT_LOG", &log)
        .env("COUNTERSIGN_POWERCUT_ACKS", &acks)
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    Recorded { _folder: folder, dir, log: fs::read(log).unwrap() }
}

/// The acknowledged texts, each with what is in the file when the power goes at once.
fn after_each(recorded: &Recorded) -> Vec<(String, Option<String>)> {
    let mut disk = SimulatedDisk::new(&recorded.dir, &DiskImage::default()).unwrap();
    let mut seen = Vec::new();
    for event in events(&recorded.log).unwrap() {
        disk.apply(&event).unwrap();
        if let DiskEvent::Ack(line) = event {
            let image = disk.after_a_cut(CutMode::Dropped, &mut Rng::with_seed(1));
            let kept = image.files.get(Path::new(WRITTEN));
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            seen.push((text(line).trim().to_owned(), kept.map(|bytes| text(bytes))));
        }
    }
    seen
}

#[test]
fn a_power_cut_takes_no_decision_of_the_user_and_no_change_of_a_policy() {
    for writer in ["decision", "change"] {
        let seen = after_each(&record(&["files", "--as", writer]));
        let expected = TEXTS.map(|text| (text.to_owned(), Some(text.to_owned())));
        assert_eq!(seen, expected, "{writer}");
    }
}

#[test]
fn a_file_of_an_agent_is_on_the_disk_before_it_takes_the_place_of_another() {
    let recorded = record(&["files", "--as", "agent"]);
    // Its names are changed without the C library: of them the record does not tell.
    let mut unsynced = Vec::new();
    let (mut acks, mut writes) = (0, 0);
    for event in events(&recorded.log).unwrap() {
        match event {
            DiskEvent::Write { inode, .. } => {
                unsynced.push(inode);
                writes += 1;
            }
            DiskEvent::Sync { inode } => unsynced.retain(|other| *other != inode),
            DiskEvent::Ack(line) => {
                acks += 1;
                assert!(unsynced.is_empty(), "{line:?}");
            }
            _ => {}
        }
    }
    assert!((acks, writes) == (TEXTS.len(), TEXTS.len()), "{acks} of {writes}");
}

#[test]
fn the_name_of_a_new_ledger_is_on_the_disk_before_anything_is_kept_in_it() {
    let words = "victim --store ledger --calls 1 --threads 1 --seed 1 --name one";
    let recorded = record(&words.split(' ').collect::<Vec<_>>());
    let events = events(&recorded.log).unwrap();
    let is_named = |event: &DiskEvent<'_>| matches!(event, DiskEvent::Rename { .. });
    let named = events.iter().position(is_named).unwrap();
    let next = events[named + 1..]
        .iter()
        .find(|event| matches!(event, DiskEvent::Write { .. } | DiskEvent::SyncDir { .. }));
    assert_eq!(next, Some(&DiskEvent::SyncDir { path: &recorded.dir }));
    // SQLite syncs the folder of a log that it makes, too: what is kept is safe twice.
}
