//! Programs that make, change, move or delete files.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss, WordPiece};

/// Deeper than anyone makes directories.
const MOST_PARENTS: usize = 64;

/// `install -d` makes directories; otherwise it copies.
pub(super) fn install(walk: &mut ArgumentWalk) {
    let layout = if walk.kept("directory").is_some() {
        All(OperandUse::Write)
    } else {
        Copy(OperandUse::Read)
    };
    walk.lay_out(layout, OperandUse::Nothing);
}

/// The rights of what is made; they may give those of its owner to all who run it.
pub(super) fn rights(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let is_plain = |mode: &str| match u32::from_str_radix(mode, 8) {
        Ok(bits) => bits <= 0o1777,
        Err(_) => mode.bytes().all(|byte| b"ugoa+-=rwxXt,01234567".contains(&byte)),
    };
    if !word.literal().is_some_and(is_plain) {
        walk.runs(part.arg, DoubtReason::GivesRights);
    }
}

/// The rights of another file, which may be any.
pub(super) fn other_rights(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.runs(part.arg, DoubtReason::GivesRights);
}

pub(super) fn dd(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let (key, access) = match words::beginning(word) {
            text if text.starts_with("if=") => ("if=", FileAccess::Read),
            text if text.starts_with("of=") => ("of=", FileAccess::Write),
            text if text.contains('=') => continue,
            _ if word.literal().is_some() => continue,
            _ => {
                // It may turn out to be either, with any file behind it.
                let anywhere = words::unknown(word);
                walk.path(operand.arg, FileAccess::Read, anywhere.clone(), false);
                walk.path(operand.arg, FileAccess::Write, anywhere, false);
                continue;
            }
        };
        walk.path(operand.arg, access, words::without(word, key.len()), false);
    }
}

/// A new file, or a new directory, where an option says, where the template says, or among those of the system.
pub(super) fn mktemp(walk: &mut ArgumentWalk) {
    let template = std::mem::take(&mut walk.operands).first().map(|operand| operand.arg);
    let said = walk.kept("directory").map(|part| walk.word(part));
    // `--tmpdir` alone says nothing.
    let said = said.filter(|directory| directory.literal() != Some("--tmpdir"));
    let flagged = walk.kept("directory").is_some() || walk.kept("there").is_some();
    let place = walk.place(template.unwrap_or_default());
    let directory = match said {
        Some(directory) => Some(directory),
        None if flagged || template.is_none() => Some(words::text(place, "/tmp")),
        None => None,
    };
    let name = match template {
        Some(arg) => walk.place(arg).clone(),
        None => words::unknown(place),
    };
    let target = match &directory {
        Some(directory) if template.is_none() => words::below(directory, &name),
        Some(directory) => words::join(directory, &name),
        None => name,
    };
    let arg = template.or(walk.kept("directory").map(|part| part.arg)).unwrap_or_default();
    walk.path(arg, FileAccess::Write, target, false);
}

/// `rmdir -p` removes the directories above, too.
pub(super) fn rmdir(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, OperandUse::Write);
        if walk.kept("parents").is_none() {
            continue;
        }
        let word = walk.place(operand.arg);
        let Some(path) = word.literal() else {
            walk.path(operand.arg, FileAccess::Write, words::unknown(word), false);
            continue;
        };
        let path = path.trim_end_matches('/').to_owned();
        for (at, _) in path.match_indices('/').take(MOST_PARENTS) {
            let parent = words::text(walk.place(operand.arg), path.get(..at).unwrap_or_default());
            walk.path(operand.arg, FileAccess::Write, parent, false);
        }
    }
}

/// `patch file patch` keeps what was there, and what did not fit, beside the file; without a file the patch names them. A file
/// that a patch leaves empty is deleted.
pub(super) fn patch(walk: &mut ArgumentWalk) {
    let operands = walk.operands.clone();
    if walk.only_looks("tries") {
        walk.effects.moves = false;
        walk.effects.makes_links = false;
        return walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
    }
    if operands.is_empty() {
        // It copies and renames files of the folder where the patch says so.
        walk.here(OperandUse::ReadBelow);
        // It deletes files, and puts others in their place.
        walk.keep("overwrites", ArgumentPart { arg: 0, skip: 0 });
    }
    backups(walk);
    walk.lay_out(All(OperandUse::Change), OperandUse::WriteBelow);
    let Some(first) = operands.first().copied() else { return };
    walk.operand_loses(first, FileLoss::Replaced);
    for suffix in [".orig", ".rej"] {
        let mut beside = walk.based(walk.place(first.arg).clone());
        beside.pieces.push(WordPiece::Text(suffix.to_owned()));
        walk.path(first.arg, FileAccess::Write, words::joined(beside), false);
    }
}

/// The copies of what a patch changes, where options say how they are called: several say so together.
fn backups(walk: &mut ArgumentWalk) {
    let told = walk.kept("backups");
    let suffix = walk.kept("suffix");
    let Some(part) = told.or(suffix) else { return };
    let text = walk.word(part);
    let copy = match (walk.operands.first(), text.literal()) {
        (Some(first), Some(suffix)) if told.is_none() && !suffix.contains('/') => {
            words::longer(&walk.based(walk.place(first.arg).clone()), suffix)
        }
        _ => words::unknown(&text),
    };
    walk.path(part.arg, FileAccess::Write, copy, false);
}

/// There are several programs of this name. One of them runs Perl code, the other renames by plain text.
pub(super) fn rename(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    match operands.first() {
        Some(first) => walk.runs(first.arg, crate::shell::DoubtReason::RunsCode),
        // The names may come from its input.
        None => walk.unnamable(crate::shell::DoubtReason::RunsCode),
    }
    for operand in operands {
        walk.operand_is(operand, OperandUse::Write);
    }
}
