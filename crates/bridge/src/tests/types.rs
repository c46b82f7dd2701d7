//! The types for TypeScript.

use std::fs;
use std::path::Path;

use crate::envelope::NativeError;
use crate::types::Declarations;
use crate::{files, operation, plan, policies, record, request, review, rights, text, verdict};

const HEADER: &str = "\
// Made of the types of `crates/bridge` by its test `typescript_has_these_types`. Not edited by hand:
// COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-bridge typescript
import type { PolicyRule } from '../index.js';
";

#[test]
fn typescript_has_these_types() {
    let all = Declarations::new().with::<NativeError<'static>>();
    let all = [
        request::types,
        record::types,
        operation::types,
        plan::types,
        policies::types,
        files::types,
        text::types,
        verdict::types,
        review::types,
        rights::types,
    ]
    .into_iter()
    .fold(all, |all, types| types(all));
    let made = format!("{HEADER}{}", all.text());
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ts/wire.ts");
    if std::env::var_os("COUNTERSIGN_WRITE_TYPES").is_some() {
        fs::write(&place, &made).unwrap();
    }
    let there = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        there == made,
        "ts/wire.ts is stale: COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-bridge typescript"
    );
}
