//! Programs that read files and write nothing.

use super::spec::{OperandSpec::All, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use crate::shell::{DoubtReason, FileAccess};

/// Words behind the first operand that look like options. To a program that takes options only before its operands they are
/// operands.
pub(super) fn late(walk: &ArgumentWalk, operands: &[WalkOperand]) -> Vec<usize> {
    let first = operands.first().map_or(walk.argv.len(), |operand| operand.arg);
    let looks = |arg: &usize| {
        let begins = words::beginning(walk.place(*arg));
        begins.len() > 1 && begins.starts_with('-') && begins != "--"
    };
    (first + 1..walk.argv.len()).filter(looks).collect()
}

/// What is read, and what is written: `xxd [options] [in [out]]`.
pub(super) fn in_and_out(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    for arg in late(walk, &operands) {
        walk.apply(OperandUse::WriteOut, ArgumentPart { arg, skip: 0 }, 0);
    }
    for (index, operand) in operands.into_iter().enumerate() {
        walk.operand_is(operand, if index == 0 { OperandUse::Read } else { OperandUse::WriteOut });
        if walk.place(operand.arg).splits() {
            walk.operand_is(operand, OperandUse::WriteOut);
        }
    }
}

/// Of one option several can be made: behind a `$` in its value, and behind a `+`, go on options and commands.
pub(super) fn pager(walk: &mut ArgumentWalk) {
    for arg in 1..walk.argv.len() {
        let word = walk.place(arg);
        let begins = words::beginning(word);
        let odd = begins.contains(['$', '+', ' ', '\t']) || word.pieces.len() > 1;
        if begins.starts_with('-') && odd {
            walk.runs(arg, DoubtReason::RunsCode);
        }
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
}

/// `bat cache` is a command, which writes.
pub(super) fn bat(walk: &mut ArgumentWalk) {
    for arg in 1..walk.argv.len() {
        if walk.place(arg).literal() == Some("cache") {
            walk.runs(arg, DoubtReason::UnknownCommand);
        }
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
}

/// Nothing but a number is attached to a letter of `tree`: the value is the next word that no other letter took.
pub(super) fn tree(walk: &mut ArgumentWalk) {
    for arg in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(arg));
        let letters = begins.strip_prefix('-').filter(|text| !text.starts_with('-'));
        let Some(letters) = letters else { continue };
        let value = letters.find(['L', 'P', 'I', 'H', 'T', 'o']);
        let rest = value.and_then(|at| letters.get(at + 1..)).unwrap_or_default();
        let number = rest.bytes().all(|byte| byte.is_ascii_digit());
        if !number || (letters.len() > 1 && letters.contains('o')) {
            walk.runs(arg, DoubtReason::UnknownOption);
        }
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::ReadBelow);
}

/// Files, or addresses.
pub(super) fn addresses(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let begins = words::beginning(word);
        if words::begins_unknown(word) || begins.contains(':') {
            walk.operand_is(operand, OperandUse::Url);
        }
        if !begins.contains("://") {
            walk.operand_is(operand, OperandUse::Read);
        }
        // `file:NAME`, `file:///NAME`
        if let Some(skip) = words::behind_scheme(begins) {
            walk.apply(OperandUse::Read, ArgumentPart { arg: operand.arg, skip }, 0);
        }
    }
}

/// The files of an expression: what stands behind an operator for files, or beside one that compares them. A word that only
/// the run will tell could be such an operator. Nothing is told of a file but that it is there, and of what kind.
pub(super) fn test(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let is = |index: Option<usize>, operator: fn(&str) -> bool| {
        let operand = index.and_then(|index| operands.get(index));
        operand.is_some_and(|operand| walk.place(operand.arg).literal().is_none_or(operator))
    };
    let files: Vec<bool> = (0..operands.len())
        .map(|at| {
            let before = at.checked_sub(1);
            is(before, looks_at) || is(before, compares_files) || is(Some(at + 1), compares_files)
        })
        .collect();
    for (operand, file) in operands.into_iter().zip(files) {
        let begins = words::beginning(walk.place(operand.arg));
        if file && !begins.starts_with(['-', '=', '!', '<', '>', '(', ')', ']']) {
            walk.operand_is(operand, OperandUse::Read);
        }
    }
}

fn looks_at(operator: &str) -> bool {
    operator.strip_prefix('-').is_some_and(|letter| {
        letter.len() == 1 && !matches!(letter, "n" | "z" | "t" | "v" | "R" | "o" | "a")
    }) || operator == "-a"
}

fn compares_files(operator: &str) -> bool {
    matches!(operator, "-nt" | "-ot" | "-ef")
}

/// Files with `:` between them, each with `.mgc` behind its name too, or folders: of those all is read, links and what they lead
/// to among it.
pub(super) fn magic(walk: &mut ArgumentWalk, part: ArgumentPart) {
    list(walk, part);
    let anywhere = words::unknown(walk.place(part.arg));
    walk.path(part.arg, FileAccess::Read, anywhere, true);
}

/// Files with `:` between them.
fn list(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    match word.literal() {
        Some(text) if text.contains(':') => {
            for name in text.split(':').filter(|name| !name.is_empty()) {
                walk.path(part.arg, FileAccess::Read, words::text(&word, name), false);
            }
        }
        Some(_) => walk.apply(OperandUse::Read, part, 0),
        None => walk.runs(part.arg, DoubtReason::NotUnderstood),
    }
}
