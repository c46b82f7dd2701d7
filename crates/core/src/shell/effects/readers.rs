//! Programs that read files and write nothing.

use super::spec::Use;

/// `xxd [options] [in [out]]`
pub(super) fn xxd(walk: &mut super::walk::Walk) {
    for (index, operand) in std::mem::take(&mut walk.operands).into_iter().enumerate() {
        walk.operand_is(operand, if index == 0 { Use::Read } else { Use::Write });
        if walk.place(operand.arg).splits() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// Every operand that is no operator may be the name of a file, and `-f` and the like are operators.
pub(super) fn test(walk: &mut super::walk::Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let operator = matches!(
            walk.place(operand.arg).literal(),
            Some("=" | "==" | "!=" | "<" | ">" | "(" | ")" | "]" | "!" | "")
        );
        if !operator {
            walk.operand_is(operand, Use::Read);
        }
    }
}
