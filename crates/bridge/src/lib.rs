//! What crosses between the core and JavaScript, as JSON text.
//!
//! The shapes are JavaScript's: `index.d.ts` and `ts/native.ts` have their other side. What they mean is the core's. Nothing
//! here knows a JavaScript runtime: that is the addon.
//!
//! - [`gate`]: requests, decisions, records and events
//! - [`perform`]: what a gate is asked to do
//! - [`policies`]: calls, verdicts, and what is shown of them
//! - [`files`]: what the tools of an agent do to files
//! - [`check`]: verdicts by the line, for other programs
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test that fails should panic"
    )
)]

pub mod check;
pub mod files;
pub mod gate;
pub mod perform;
pub mod policies;
#[cfg(test)]
mod tests;
