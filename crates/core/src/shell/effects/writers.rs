//! Programs that make, change, move or delete files.

use super::spec::{Operands::*, Use};
use super::walk::Walk;
use super::words;
use crate::shell::{Access, Piece};

/// Deeper than anyone makes directories.
const MOST_PARENTS: usize = 64;

/// `install -d` makes directories; otherwise it copies.
pub(super) fn install(walk: &mut Walk) {
    let layout = if walk.kept("directory").is_some() { All(Use::Write) } else { Copy(Use::Read) };
    walk.lay_out(layout, Use::Nothing);
}

pub(super) fn dd(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let (key, access) = match words::beginning(word) {
            text if text.starts_with("if=") => ("if=", Access::Read),
            text if text.starts_with("of=") => ("of=", Access::Write),
            text if text.contains('=') => continue,
            _ if word.literal().is_some() => continue,
            _ => ("", Access::Write),
        };
        walk.path(operand.arg, access, words::without(word, key.len()), false);
    }
}

pub(super) fn mktemp(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(operand) = operands.first() else {
        if let Some(part) = walk.kept("directory") {
            walk.apply(Use::Write, part, 0);
        }
        return;
    };
    let template = walk.place(operand.arg);
    let target = match walk.kept("directory") {
        Some(part) => words::join(&walk.word(part), template),
        None => template.clone(),
    };
    walk.path(operand.arg, Access::Write, target, false);
}

/// `rmdir -p` removes the directories above, too.
pub(super) fn rmdir(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, Use::Write);
        if walk.kept("parents").is_none() {
            continue;
        }
        let word = walk.place(operand.arg);
        let Some(path) = word.literal() else {
            walk.path(operand.arg, Access::Write, words::unknown(word), false);
            continue;
        };
        let path = path.trim_end_matches('/').to_owned();
        for (at, _) in path.match_indices('/').take(MOST_PARENTS) {
            let parent = words::text(walk.place(operand.arg), path.get(..at).unwrap_or_default());
            walk.path(operand.arg, Access::Write, parent, false);
        }
    }
}

/// `patch file patch` keeps what was there, and what did not fit, beside the file; without a file the patch names them.
pub(super) fn patch(walk: &mut Walk) {
    let first = walk.operands.first().copied();
    walk.lay_out(All(Use::Change), Use::WriteBelow);
    let Some(first) = first else { return };
    for suffix in [".orig", ".rej"] {
        let mut beside = walk.based(walk.place(first.arg).clone());
        beside.pieces.push(Piece::Text(suffix.to_owned()));
        walk.path(first.arg, Access::Write, words::joined(beside), false);
    }
}

/// There are several programs of this name. One of them runs Perl code, the other renames by plain text.
pub(super) fn rename(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    match operands.first() {
        Some(first) => walk.runs(first.arg, crate::shell::Why::RunsCode),
        // The names may come from its input.
        None => walk.unnamable(crate::shell::Why::RunsCode),
    }
    for operand in operands {
        walk.operand_is(operand, Use::Write);
    }
}
