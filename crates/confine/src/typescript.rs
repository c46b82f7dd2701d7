//! The types for TypeScript, made of those here: `ts/confine/plan.ts`.

use std::fs;
use std::path::Path;

use ts_rs::{Config, TS};

use crate::plan::{EnforcementDemand, LaunchPlan, NetworkAccess, ResourceLimits};
use crate::report::{EnforcementGap, StatusLine, SupportReport};

const HEADER: &str = "\
// Made of the types of `crates/confine` by its test `typescript_has_these_types`. Not edited by hand:
// COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-confine typescript
";

fn declared<T: TS>(cfg: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    let text = format!("\n{docs}export {}\n", T::decl(cfg));
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn typescript_has_these_types() {
    let cfg = Config::new().with_large_int("number");
    let all = [
        declared::<EnforcementDemand>,
        declared::<EnforcementGap>,
        declared::<ResourceLimits>,
        declared::<StatusLine<'static>>,
        declared::<NetworkAccess>,
        declared::<LaunchPlan>,
        declared::<SupportReport>,
    ];
    let made: String = std::iter::once(HEADER.to_owned()).chain(all.map(|of| of(&cfg))).collect();
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ts/confine/plan.ts");
    if std::env::var_os("COUNTERSIGN_WRITE_TYPES").is_some() {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, &made).unwrap();
    }
    let there = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        there == made,
        "ts/confine/plan.ts is stale: COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-confine typescript"
    );
}
