//! Test runners, linters and compilers of scripts: what they write, and what they load as code.

use super::spec::Use;
use super::walk::{Part, Walk};
use crate::shell::Access;

const CHANGES: &str = "changes";
/// Reads its operands, and changes them when told to.
pub(super) fn checks(walk: &mut Walk) {
    operands(walk, walk.kept(CHANGES).is_some());
}

/// Changes its operands, unless told not to.
pub(super) fn formats(walk: &mut Walk) {
    operands(walk, walk.kept(CHANGES).is_none());
}

fn operands(walk: &mut Walk, changes: bool) {
    for operand in std::mem::take(&mut walk.operands) {
        let here = walk.place(operand.arg).literal() == Some(".");
        if changes && here {
            // They go over the sources of a project, and that is what whoever allows the program means.
            let target = walk.word(Part { arg: operand.arg, skip: 0 });
            walk.path(0, Access::Write, target, true);
        } else {
            walk.operand_is(operand, if changes { Use::Change } else { Use::Read });
        }
    }
}
