//! Smaller scripts that go wrong in the same way.

use crate::check::{Miss, check};
use crate::engine::Engine;
use crate::sandbox::Sandbox;

/// The most runs that one miss is worth.
const RUNS: u32 = 500;

/// Takes away from the script whatever it goes wrong without.
pub fn minimize(sandbox: &mut Sandbox, engine: &Engine, miss: &Miss) -> Miss {
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
                    .find(|found| found.wrong == miss.wrong && found.shell == miss.shell)
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
