//! Scripts under the real shells: all that the policy allowed did nothing else, and all that ran is among the facts.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

#[path = "../../core/src/effort.rs"]
mod effort;
#[path = "../../core/src/skip.rs"]
mod skip;

use std::path::Path;

use countersign_oracle::campaign::ScriptCampaign;
use countersign_oracle::check::{MissKind, OracleMiss, check};
use countersign_oracle::engine::PolicyEngine;
use countersign_oracle::generate;
use countersign_oracle::sandbox::{SandboxShell, ShellSandbox};
use effort::effort;
use skip::skipped;

/// A sandbox, or the reason why it cannot start, said aloud.
fn sandbox() -> Option<ShellSandbox> {
    ShellSandbox::start().map_err(skipped).ok()
}

/// Misses that are known and not fixed yet. While there are any, generated scripts may do what a complete analysis does
/// not name, but still nothing that the policy does not allow.
fn open() -> impl Iterator<Item = &'static str> {
    let scripts = include_str!("../open.txt")
        .split("\n%%\n")
        .map(|script| script.strip_suffix('\n').unwrap_or(script));
    scripts.filter(|script| !script.is_empty())
}

/// What is fixed moves to the corpus, so that it stays fixed.
#[test]
fn open_misses_are_still_open() {
    let Some(mut sandbox) = sandbox() else { return };
    let engine = PolicyEngine::new().unwrap();
    for script in open() {
        let missed = [SandboxShell::Bash, SandboxShell::Dash]
            .iter()
            .any(|by| !check(&mut sandbox, &engine, *by, script).unwrap().misses.is_empty());
        assert!(
            missed,
            "{script:?} is not missed any more: move it from open.txt to corpus/shell.txt"
        );
    }
}

fn both(sandbox: &mut ShellSandbox, script: &str) {
    let engine = PolicyEngine::new().unwrap();
    for by in [SandboxShell::Bash, SandboxShell::Dash] {
        let outcome = check(sandbox, &engine, by, script).unwrap();
        assert!(outcome.misses.is_empty(), "{script:?}: {:?}", outcome.misses);
    }
}

#[test]
fn nothing_is_missed_in_generated_scripts() {
    if sandbox().is_none() {
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let shells = vec![SandboxShell::Bash, SandboxShell::Dash];
    let scripts = effort(60, 1_500);
    let report = ScriptCampaign { seed: 7, first: 0, scripts, shells, threads }.run().unwrap();
    let kind = |miss: &&OracleMiss| miss.kind != MissKind::Unseen || open().next().is_none();
    let misses: Vec<&OracleMiss> = report.misses.iter().filter(kind).collect();
    assert!(misses.is_empty(), "seed 7: {misses:#?}");
    assert!(report.programs > scripts / 3, "the sandbox sees too little: {report:?}");
}

#[test]
fn nothing_is_missed_in_the_seeds() {
    let Some(mut sandbox) = sandbox() else { return };
    generate::seeds().step_by(effort(25, 1)).for_each(|script| both(&mut sandbox, script));
}

/// All that was missed once. Scripts parted by lines of `%%`; only added to.
#[test]
fn nothing_is_missed_again() {
    let Some(mut sandbox) = sandbox() else { return };
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let scripts =
            text.split("\n%%\n").map(|script| script.strip_suffix('\n').unwrap_or(script));
        scripts.step_by(effort(3, 1)).for_each(|script| both(&mut sandbox, script));
    }
}

/// For hangs, in ms.
const NEVER: u32 = 240_000;

/// The sandbox itself: what is done in one script is seen, and is gone in the next.
#[test]
fn the_sandbox_sees_and_forgets() {
    let Some(mut sandbox) = sandbox() else { return };
    let mut run = |by, script: &str| sandbox.run(by, script, NEVER).unwrap();

    let trace = run(SandboxShell::Bash, "exec -a ls rm x");
    assert_eq!((trace.programs[0].file.as_str(), trace.programs[0].argv[0].as_str()), ("rm", "ls"));
    assert_eq!(
        run(SandboxShell::Bash, "nosuch a").programs[0].argv,
        ["nosuch", "a"],
        "what is not found is seen too"
    );
    assert_eq!(
        run(SandboxShell::Bash, "(true; rm x) & disown").programs.len(),
        2,
        "what runs behind is waited for"
    );
    assert_eq!(run(SandboxShell::Dash, "echo a b | xargs -n 1 rm").programs.len(), 4);
    assert_eq!(run(SandboxShell::Dash, "FOO=1 env BAR=2 ls").programs[1].env, ["BAR", "FOO"]);

    let trace = run(
        SandboxShell::Bash,
        "> /etc/hosts; echo a >> /tmp/x; > out/y; read z <> q; < a.txt cat",
    );
    assert_eq!(trace.written, ["/etc/hosts", "/tmp/x", "/work/out/y", "/work/q"]);
    assert!(run(SandboxShell::Bash, "cat q /tmp/x").written.is_empty());
    assert!(
        run(SandboxShell::Bash, "for f in /tmp/* out/[!fl]*; do echo $f; done")
            .programs
            .iter()
            .all(|program| program.argv[1].ends_with('*'))
    );

    // How soon a shell runs anything is up to the machine.
    let mut limits = (0..10).map(|power| 100 << power);
    let ran_by = |limit| {
        let trace = sandbox.run(SandboxShell::Bash, "while :; do rm x; done", limit).unwrap();
        assert!(trace.timed_out);
        !trace.programs.is_empty()
    };
    assert!(limits.any(ran_by));
    let trace =
        sandbox.run(SandboxShell::Dash, "f() { f | f & }; f; while :; do :; done", 100).unwrap();
    assert!(trace.timed_out);
    assert_eq!(
        sandbox.run(SandboxShell::Dash, "git status", NEVER).unwrap().programs.len(),
        1,
        "it goes on after that"
    );
}
