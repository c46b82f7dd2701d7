//! Programs that run commands which nobody has written on their command line: editors, debuggers, recorders.

use super::spec::{Operands::*, Use};
use super::walk::Walk;
use crate::shell::Why;

/// Unknown: who wrote out the whole command meant it.
pub(super) fn whole(walk: &mut Walk) {
    match walk.argv.len() {
        0 | 1 => walk.unnamable(Why::RunsCode),
        length => walk.runs(length - 1, Why::RunsCode),
    }
}

/// The files are changed.
pub(super) fn files(walk: &mut Walk) {
    whole(walk);
    walk.lay_out(All(Use::Change), Use::Nothing);
}
