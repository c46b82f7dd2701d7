//! Smaller scripts that go wrong in the same way.

use crate::check::{OracleMiss, check};
use crate::engine::PolicyEngine;
use crate::sandbox::ShellSandbox;

/// The most runs for one miss.
const RUNS: u32 = 500;

/// Takes away the characters of the script that the miss does not need.
pub fn minimize(
    sandbox: &mut ShellSandbox, engine: &PolicyEngine, miss: &OracleMiss,
) -> OracleMiss {
    let mut best = miss.clone();
    let mut runs = 0;
    let mut size = best.script.chars().count() / 2;
    while size > 0 && runs < RUNS {
        let chars: Vec<char> = best.script.chars().collect();
        let mut smaller = None;
        for start in (0..chars.len()).step_by(size) {
            let rest = chars.iter().take(start).chain(chars.iter().skip(start + size));
            let script: String = rest.collect();
            runs += 1;
            let found = check(sandbox, engine, miss.by, &script).ok().and_then(|outcome| {
                outcome
                    .misses
                    .into_iter()
                    .find(|found| found.kind == miss.kind && found.shell == miss.shell)
            });
            if found.is_some() || runs >= RUNS {
                smaller = found;
                break;
            }
        }
        match smaller {
            Some(found) => best = found,
            None => size /= 2,
        }
    }
    best
}
