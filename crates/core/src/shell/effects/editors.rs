//! Programs that run commands that are not on their command line: editors, debuggers, recorders.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::ArgumentWalk;
use crate::shell::DoubtReason;

/// Unknown: who wrote out the whole command meant it.
pub(super) fn whole(walk: &mut ArgumentWalk) {
    match walk.argv.len() {
        0 | 1 => walk.unnamable(DoubtReason::RunsCode),
        length => walk.runs(length - 1, DoubtReason::RunsCode),
    }
}

/// The files are changed.
pub(super) fn files(walk: &mut ArgumentWalk) {
    whole(walk);
    walk.lay_out(All(OperandUse::Change), OperandUse::Nothing);
}
