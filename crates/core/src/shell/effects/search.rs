//! Programs that search files, and what they run when told to.

use super::spec::{Operands::*, Use};

/// Without a file it searches its input, or with `-r` the working directory.
pub(super) fn grep(walk: &mut super::walk::Walk) {
    let here = if walk.recursive() { Use::Read } else { Use::Nothing };
    walk.lay_out(First(Use::Nothing, Use::Read), here);
}
