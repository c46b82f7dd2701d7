//! For tests that try what dice give them.

use proptest::test_runner::{Config, RngSeed};

use crate::effort::effort;

/// Cases: the same ones each time in `npm test`, new ones each time in `npm run test:all`.
pub(crate) fn cases(quick: u32, thorough: u32) -> Config {
    Config {
        cases: effort(quick, thorough),
        rng_seed: effort(RngSeed::Fixed(1), RngSeed::Random),
        failure_persistence: None,
        ..Config::default()
    }
}
