//! Filters: some of their options write files or run programs.

use super::spec::{Operands::*, Use};
use super::walk::Walk;
use super::words;

/// `uniq [in [out]]`
pub(super) fn uniq(walk: &mut Walk) {
    for (index, operand) in std::mem::take(&mut walk.operands).into_iter().enumerate() {
        walk.operand_is(operand, if index == 0 { Use::Read } else { Use::Write });
        if walk.place(operand.arg).splits() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// With `-e` and `-i` its operands are no files.
pub(super) fn shuf(walk: &mut Walk) {
    let uses = if walk.kept("words").is_some() { Use::Nothing } else { Use::Read };
    walk.lay_out(All(uses), Use::Nothing);
}

/// `split [in [prefix]]`: it writes files that begin with the prefix.
pub(super) fn split(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            walk.operand_is(*operand, Use::Read);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            let mut target = walk.place(operand.arg).clone();
            target.pieces.push(crate::shell::Piece::Unknown { splits: false });
            walk.path(operand.arg, crate::shell::Access::Write, target, false);
        }
    }
    if operands.len() < 2 {
        walk.here(Use::Write);
    }
}

/// `csplit in pattern…`
pub(super) fn csplit(walk: &mut Walk) {
    walk.lay_out(First(Use::Read, Use::Nothing), Use::Nothing);
    match walk.kept("prefix") {
        Some(part) => {
            let mut target = walk.word(part);
            target.pieces.push(crate::shell::Piece::Unknown { splits: false });
            walk.path(part.arg, crate::shell::Access::Write, target, false);
        }
        None => walk.here(Use::Write),
    }
}

/// A filter, unless a file holds it, then files. `--arg` and the like take a name and then one word more.
pub(super) fn jq(walk: &mut Walk) {
    let files: Vec<usize> = walk.all_kept("files").into_iter().map(|part| part.arg + 1).collect();
    let texts: Vec<usize> = walk.all_kept("texts").into_iter().map(|part| part.arg + 1).collect();
    for operand in std::mem::take(&mut walk.operands) {
        if files.binary_search(&operand.arg).is_ok() {
            walk.operand_is(operand, Use::Read);
        } else if texts.binary_search(&operand.arg).is_err() {
            walk.operands.push(operand);
        }
    }
    // Modules are other files.
    let filter = walk.operands.first().map(|operand| operand.arg);
    if let Some(arg) = filter
        && ["import", "include"]
            .iter()
            .any(|word| has_keyword(words::beginning(walk.place(arg)), word))
    {
        walk.runs(arg, crate::shell::Why::Script);
    }
    walk.lay_out(First(Use::Nothing, Use::Read), Use::Nothing);
}

/// Whether the word stands in the filter as itself, not as a key (`.include`, `"include"`).
fn has_keyword(filter: &str, word: &str) -> bool {
    filter.match_indices(word).any(|(at, _)| {
        let before = filter.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|char| char.is_alphanumeric() || matches!(char, '.' | '"' | '_' | '$'))
    })
}

/// `yq [eval] filter file…`; an expression can read other files and the environment, and write none.
pub(super) fn yq(walk: &mut Walk) {
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(first, Some("e" | "eval" | "ea" | "eval-all")) {
        walk.operands.remove(0);
    }
    if walk.kept("split").is_some() {
        walk.here(Use::Write);
    }
    let uses = if walk.kept("in_place").is_some() { Use::Change } else { Use::Read };
    walk.lay_out(First(Use::Nothing, uses), Use::Nothing);
}

/// `dos2unix` changes its operands, `iconv` reads them.
pub(super) fn convert(walk: &mut Walk) {
    let iconv = walk.place(0).literal().is_some_and(|name| name.ends_with("iconv"));
    walk.lay_out(All(if iconv { Use::Read } else { Use::Change }), Use::Nothing);
}
