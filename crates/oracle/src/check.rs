//! One script: the analysis of the prover against the effects.

use std::io;

use countersign_core::shell::{LineAnalysis, Shell, analyze};

use crate::engine::PolicyEngine;
use crate::sandbox::{ProgramStart, SandboxShell, ScriptTrace, ShellSandbox};
use crate::{explain, policy};

/// How long a script may take, in milliseconds.
pub const DEADLINE: u32 = 700;

/// Builtins of dash for which functions stand in, which call them by their path.
const STAND_INS: [&str; 7] = ["echo", "printf", "test", "true", "false", "kill", "pwd"];

/// The kind of a miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MissKind {
    /// The policy allows the script, and something ran, was written or was set that it does not allow.
    Allowed,
    /// The same, by the verdict of the engine.
    AllowedByEngine,
    /// The analysis has no unknown part, and something ran, was written or was set that is not in it: a deny rule for it would
    /// not have matched.
    Unseen,
}

/// A miss: a script with an effect that the prover does not know or the policy does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OracleMiss {
    /// The script.
    pub script: String,
    /// The shell that ran it.
    pub by: SandboxShell,
    /// The dialect of the analysis.
    pub shell: Shell,
    /// The kind of the miss.
    pub kind: MissKind,
    /// The effect that was missed.
    pub did: String,
}

/// The outcome of one script in one shell.
#[derive(Debug, Clone, Default)]
pub struct ScriptOutcome {
    /// Whether the policy allowed it, by the small judge.
    pub allowed: bool,
    /// Whether the engine allowed it.
    pub allowed_by_engine: bool,
    /// Whether the analysis has no unknown part.
    pub known: bool,
    /// Its effects.
    pub trace: ScriptTrace,
    /// Whether it had effects, and all of them are allowed.
    pub harmless: bool,
    /// The misses of the prover.
    pub misses: Vec<OracleMiss>,
}

/// Runs a script in one shell and compares, as that shell and as `sh`, which may be it.
///
/// # Errors
/// When the sandbox is gone.
pub fn check(
    sandbox: &mut ShellSandbox, engine: &PolicyEngine, by: SandboxShell, script: &str,
) -> io::Result<ScriptOutcome> {
    let trace = sandbox.run(by, script, DEADLINE)?;
    let dialect = match by {
        SandboxShell::Bash => Shell::Bash,
        SandboxShell::Dash => Shell::Posix,
    };
    let mut outcome = ScriptOutcome {
        harmless: !trace.programs.is_empty() && offence(&trace).is_none(),
        ..ScriptOutcome::default()
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
        let kind = match offence(&trace) {
            Some(did) if allowed => Some((MissKind::Allowed, did)),
            Some(did) if by_engine => Some((MissKind::AllowedByEngine, did)),
            _ if known => unseen(&analysis, &trace).map(|did| (MissKind::Unseen, did)),
            _ => None,
        };
        outcome.misses.extend(kind.map(|(kind, did)| OracleMiss {
            script: script.to_owned(),
            by,
            shell,
            kind,
            did,
        }));
    }
    outcome.trace = trace;
    Ok(outcome)
}

/// The first effect that the policy does not allow.
fn offence(trace: &ScriptTrace) -> Option<String> {
    for program in &trace.programs {
        if !policy::may_run(&program.file, &program.argv)
            && !stand_in(program)
                .is_some_and(|program| policy::may_run(&program.file, &program.argv))
        {
            return Some(format!("ran {:?} ({})", program.argv, program.file));
        }
        if let Some(name) = program.env.iter().find(|name| !policy::ENV.contains(&name.as_str())) {
            return Some(format!("set {name:?}"));
        }
    }
    let written = trace.written.iter().find(|path| !policy::may_write(path));
    written.map(|path| format!("wrote {path:?}"))
}

/// The first effect that is not among the facts.
fn unseen(analysis: &LineAnalysis, trace: &ScriptTrace) -> Option<String> {
    for program in &trace.programs {
        if !explain::command(analysis, program)
            && !stand_in(program).is_some_and(|program| explain::command(analysis, &program))
        {
            return Some(format!("ran {:?} ({})", program.argv, program.file));
        }
        if let Some(name) = program.env.iter().find(|name| !explain::variable(analysis, name)) {
            return Some(format!("set {name:?}"));
        }
    }
    let written = trace.written.iter().find(|path| !explain::write(analysis, path));
    written.map(|path| format!("wrote {path:?}"))
}

/// The builtin that was called, if this is the call of its stand-in function.
fn stand_in(program: &ProgramStart) -> Option<ProgramStart> {
    let (first, rest) = program.argv.split_first()?;
    let name = first.strip_prefix("/bin/").filter(|name| STAND_INS.contains(name))?;
    let argv = std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect();
    Some(ProgramStart { argv, ..program.clone() })
}
