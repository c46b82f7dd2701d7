//! How asks are answered without a human.

use super::document::{Mode, Source};
use super::verdict::{Cause, Verdict};
use super::{Effect, Policy};

/// A mode that a policy does not let anybody switch to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} forbids the mode {:?}; remove it from `forbid` there, or choose another mode", source_name(.by), name(.mode))]
pub struct ForbiddenMode {
    /// The mode.
    pub mode: Mode,
    /// Who forbids it.
    pub by: Source,
}

fn source_name(source: &Source) -> &str {
    &source.name
}

/// What a mode is called in documents and options.
pub fn name(mode: &Mode) -> &'static str {
    match mode {
        Mode::Safe => "safe",
        Mode::Auto => "auto",
        Mode::Plan => "plan",
        Mode::DenyAllAsks => "deny-all-asks",
    }
}

/// Whether this policy lets anybody switch to the mode.
///
/// # Errors
/// When one of its documents forbids it.
pub fn check(mode: Mode, policy: &Policy) -> Result<(), ForbiddenMode> {
    match policy.forbids(mode) {
        Some(by) => Err(ForbiddenMode { mode, by: by.clone() }),
        None => Ok(()),
    }
}

/// What the mode makes of a verdict. `read_only` is what the `read-only` preset says of the same call; without it, `plan`
/// denies everything.
pub fn apply(mode: Mode, mut verdict: Verdict, read_only: Option<&Verdict>) -> Verdict {
    let (from, to, why) = match mode {
        Mode::Safe => return verdict,
        Mode::Auto => (Effect::Ask, Effect::Allow, "the mode is auto, which answers asks"),
        Mode::DenyAllAsks => (
            Effect::Ask,
            Effect::Deny,
            "it would have to be asked about, and nobody is there to ask",
        ),
        Mode::Plan => {
            if read_only.is_some_and(|read_only| read_only.effect == Effect::Allow) {
                return verdict;
            }
            let detail =
                read_only.map(|verdict| format!(": {}", verdict.reason)).unwrap_or_default();
            if verdict.effect != Effect::Deny {
                verdict.effect = Effect::Deny;
                verdict.rule = None;
                verdict.reason =
                    format!("the mode is plan, in which only what is read-only runs{detail}");
            }
            return verdict;
        }
    };
    for judged in &mut verdict.subjects {
        if judged.effect == from {
            judged.effect = to;
            judged.cause = Cause::Mode(why);
        }
    }
    if verdict.effect == from {
        verdict.effect = to;
        verdict.reason = format!("{} ({why})", verdict.reason);
    }
    verdict
}
