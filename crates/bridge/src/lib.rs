//! What crosses between the core and JavaScript, as JSON text.
//!
//! The shapes are JavaScript's, and written once: `ts/wire.ts` is made of the types here. What they mean is the core's. Nothing
//! here knows a JavaScript runtime: that is the addon.
//!
//! - [`envelope`]: what every answer is wrapped in, and errors
//! - [`options`]: what a gate is made with
//! - `request`, `decision`, `record`: what is put to a human, what is decided, and what is told of both
//! - [`operation`]: what a gate is asked to do
//! - [`plan`]: what `interruptOn` means
//! - [`text`]: functions of text
//! - [`policies`]: calls, verdicts, and what is shown of them
//! - [`verdict`]: the one verdict on a call, of everything that judges it
//! - [`review`]: what a reviewer's answer does
//! - [`rights`]: what a person may decide
//! - [`files`]: what the tools of an agent do to files
//! - [`check`]: verdicts by the line, for other programs

pub mod check;
mod decision;
pub mod envelope;
pub mod files;
pub mod operation;
mod operations;
pub mod options;
pub mod plan;
pub mod policies;
mod record;
mod request;
pub mod review;
pub mod rights;
#[cfg(test)]
mod tests;
pub mod text;
#[cfg(test)]
mod types;
mod units;
pub mod verdict;
#[cfg(test)]
mod words;
