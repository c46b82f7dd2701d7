use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::POLL;
use super::super::{OpenOptions, SqliteEngine};
use super::{Directory, HANGS, ONE, count, counted};
use crate::effort::effort;

/// For the child, which is this very program: the file.
const FILE: &str = "COUNTERSIGN_TEST_BELL";
/// No poll is as rare. A wake-up that is lost shows as a wait that takes all of it.
const NEVER: Duration = HANGS;

/// Each turn makes one process wait for the other, and that one for the first.
fn turns() -> i64 {
    effort(150, 1000)
}

/// Waits until a counter has come so far, without a look at the file that the bell did not call for.
fn wait_for(engine: &SqliteEngine, name: &str, value: i64) {
    loop {
        let token = engine.now();
        if counted(engine, name) >= value {
            return;
        }
        let bell = &engine.0.core.bell;
        let poll = if bell.is_heard() {
            NEVER
        } else {
            crate::skip::skipped("the system has no more watches for us");
            POLL
        };
        let start = Instant::now();
        bell.wait(token, NEVER, poll);
        let found = counted(engine, name);
        assert!(
            start.elapsed() < NEVER,
            "a wake-up was lost, or the other process: {name} {found}"
        );
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Not a test of its own: what the child does.
#[test]
fn helper() {
    let Ok(file) = std::env::var(FILE) else { return };
    let engine = SqliteEngine::open(OpenOptions::new(Path::new(&file)), ONE).unwrap();
    for turn in 1..=turns() {
        wait_for(&engine, "ping", turn);
        count(&engine, "pong").unwrap();
    }
}

#[test]
fn no_wake_up_between_processes_is_lost() {
    let directory = Directory::new();
    let engine = directory.engine();
    let module = module_path!().split_once("::").unwrap().1;
    let _child = Killed(
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::helper")])
            .env(FILE, directory.file())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    for turn in 1..=turns() {
        count(&engine, "ping").unwrap();
        wait_for(&engine, "pong", turn);
    }
}
