//! One script: what the prover says of it against what it did.

use std::io;

use countersign_core::shell::{LineAnalysis, Shell, analyze};

use crate::engine::Engine;
use crate::sandbox::{Ran, RunBy, Sandbox, Trace};
use crate::{explain, policy};

/// How long a script may take, in milliseconds.
pub const DEADLINE: u32 = 700;

/// Builtins of dash for which functions stand in, which call them by their path.
const STAND_INS: [&str; 7] = ["echo", "printf", "test", "true", "false", "kill", "pwd"];

/// What is wrong with an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrong {
    /// The policy says *allow*, and something ran, was written or was set that it does not allow.
    Allowed,
    /// The same with the verdict of the engine.
    AllowedByEngine,
    /// The analysis claims to know everything, and something ran, was written or was set that is not in it: a deny of it
    /// would not have bitten.
    Unseen,
}

/// A script that did more than the prover says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The script.
    pub script: String,
    /// The shell that ran it.
    pub by: RunBy,
    /// As what it was analysed.
    pub shell: Shell,
    /// What is wrong.
    pub wrong: Wrong,
    /// What it did that it should not have done.
    pub did: String,
}

/// What became of one script in one shell.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Whether the policy allowed it, by the small judge.
    pub allowed: bool,
    /// Whether the engine allowed it.
    pub allowed_by_engine: bool,
    /// Whether the analysis claims to know everything.
    pub known: bool,
    /// What it did.
    pub trace: Trace,
    /// Whether all that it did, and that was something, is allowed.
    pub harmless: bool,
    /// What the prover missed.
    pub misses: Vec<Miss>,
}

/// Runs a script in one shell and compares, as that shell and as `sh`, which may be it.
///
/// # Errors
/// When the sandbox is gone.
pub fn check(
    sandbox: &mut Sandbox, engine: &Engine, by: RunBy, script: &str,
) -> io::Result<Outcome> {
    let trace = sandbox.run(by, script, DEADLINE)?;
    let dialect = match by {
        RunBy::Bash => Shell::Bash,
        RunBy::Dash => Shell::Posix,
    };
    let mut outcome = Outcome {
        harmless: !trace.ran.is_empty() && offence(&trace).is_none(),
        ..Outcome::default()
    };
    for shell in [dialect, Shell::Sh] {
        let analysis = analyze(script, shell);
        let allowed = policy::allows(&analysis);
        let known = !explain::is_unknown(&analysis);
        let by_engine = engine.allows(script, shell).map_err(io::Error::other)?;
        if shell == dialect {
            outcome.allowed = allowed;
            outcome.allowed_by_engine = by_engine;
            outcome.known = known;
        }
        let wrong = match offence(&trace) {
            Some(did) if allowed => Some((Wrong::Allowed, did)),
            Some(did) if by_engine => Some((Wrong::AllowedByEngine, did)),
            _ if known => unseen(&analysis, &trace).map(|did| (Wrong::Unseen, did)),
            _ => None,
        };
        outcome.misses.extend(wrong.map(|(wrong, did)| Miss {
            script: script.to_owned(),
            by,
            shell,
            wrong,
            did,
        }));
    }
    outcome.trace = trace;
    Ok(outcome)
}

/// What the policy does not allow of what was done.
fn offence(trace: &Trace) -> Option<String> {
    for ran in &trace.ran {
        if !policy::may_run(&ran.file, &ran.argv)
            && !stand_in(ran).is_some_and(|ran| policy::may_run(&ran.file, &ran.argv))
        {
            return Some(format!("ran {:?} ({})", ran.argv, ran.file));
        }
        if let Some(name) = ran.env.iter().find(|name| !policy::ENV.contains(&name.as_str())) {
            return Some(format!("set {name:?}"));
        }
    }
    let written = trace.written.iter().find(|path| !policy::may_write(path));
    written.map(|path| format!("wrote {path:?}"))
}

/// What is not among the facts of what was done.
fn unseen(analysis: &LineAnalysis, trace: &Trace) -> Option<String> {
    for ran in &trace.ran {
        if !explain::command(analysis, ran)
            && !stand_in(ran).is_some_and(|ran| explain::command(analysis, &ran))
        {
            return Some(format!("ran {:?} ({})", ran.argv, ran.file));
        }
        if let Some(name) = ran.env.iter().find(|name| !explain::variable(analysis, name)) {
            return Some(format!("set {name:?}"));
        }
    }
    let written = trace.written.iter().find(|path| !explain::write(analysis, path));
    written.map(|path| format!("wrote {path:?}"))
}

/// What was called, if a function that stands in for a builtin called this.
fn stand_in(ran: &Ran) -> Option<Ran> {
    let (first, rest) = ran.argv.split_first()?;
    let name = first.strip_prefix("/bin/").filter(|name| STAND_INS.contains(name))?;
    let argv = std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect();
    Some(Ran { argv, ..ran.clone() })
}
