//! The promises of a ledger, tested on real processes:
//!
//! - [`power`]: a recorded run, cut at random points: unsynced changes are dropped, kept in part, or torn
//! - [`kill`]: writers that are killed at random moments
//! - [`race`]: many threads of many processes decide the same requests
//! - [`files`]: the files of users and agents, written as the product does
//! - [`history`]: operations with their times, checked for one order that explains them all
//!
//! Each runs on any [`store::ProofStore`]: the ledger itself, and small stores of this crate; some are broken on purpose to show
//! that the tool notices. [`verify`] checks what all of them must hold.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test that fails should panic"
    )
)]

pub mod files;
pub mod history;
pub mod kill;
pub mod options;
pub mod power;
pub mod process;
pub mod race;
pub mod store;
pub mod verify;
pub mod work;
