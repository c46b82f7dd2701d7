//! A test that cannot try something here says so, and counts as skipped: `scripts/test.mjs` reads the line. The tests in `tests/` and
//! those of other crates include this very file.

use std::fmt::Display;
use std::io::Write as _;

/// Says that the test that runs leaves something out, and why. In one piece, and past the harness, which shows nothing of a test that
/// passes.
pub(crate) fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a thread of a test");
    let why = why.to_string().replace('\n', " ");
    let line = format!("skipped: {}::{test}: {why}\n", env!("CARGO_CRATE_NAME"));
    // Where it cannot be told, the test is over all the same.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
