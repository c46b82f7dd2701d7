//! The texts themselves.

mod check;
mod gate;
mod judged;
mod operation;
mod types;

use std::sync::Arc;

use countersign_core::gate::{Clock, Gate, GateError, GateOptions, NewRequest};
use countersign_core::ledger::Retention;

/// Stands still.
struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> u64 {
        1_000
    }
}

/// A gate in memory whose deadline task never runs.
fn gate() -> Arc<Gate> {
    let retention = Retention { contents: None, records: None };
    let options =
        GateOptions { max_argument_bytes: 1024, keep_decided: 100, read_only: false, retention };
    Gate::new(options, Box::new(StoppedClock), Box::new(drop))
}

fn code<T>(result: Result<T, GateError>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}

/// A lone surrogate in the arguments of a call is the model's, and no bug of ours.
#[test]
fn what_json_cannot_carry_is_in_the_arguments() {
    use crate::envelope::read;
    let error = read::<String>(r#""\ud800""#).expect_err("no character has such a code");
    assert_eq!(error.code(), "ERR_INVALID_ARGUMENTS");
    assert!(error.to_string().contains("toWellFormed"), "{error}");
    let error = read::<u8>("{}").expect_err("it is no number");
    assert_eq!(error.code(), "ERR_INTERNAL");
}
