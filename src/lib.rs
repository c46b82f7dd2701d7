//! The addon: countersign's core, as JavaScript sees it.
//!
//! Thin glue that knows JavaScript and decides nothing. JSON text goes in and out, every answer is `{ ok }` or `{ error }`,
//! and everything is synchronous: promises, signals and user functions stay in JavaScript. `ts/native/` is the other side of it.
#![allow(
    unreachable_pub,
    reason = "napi reaches what is exported through its own registration, and asks for `pub`"
)]
#![cfg_attr(
    test,
    allow(
        dead_code,
        reason = "napi registers no exports in a test build, so that nothing is reached"
    )
)]

mod audit;
mod files;
mod gate;
mod interrupt;
mod log;
mod object;
mod policies;
mod runtime;
mod text;

/// Runs once, when the addon is loaded.
#[napi_derive::module_init]
fn init() {
    log::install();
    runtime::install();
}
