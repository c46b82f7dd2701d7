//! Programs that run programs written in a language: the script they are told to run is read, and what is no file is
//! unknown.

use super::spec::{OperandSpec, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss};

const INLINE: &str = "inline";
const HARMLESS: &str = "harmless";
const BACKUP: &str = "backup";

/// Code that stands on the command line, or a module to run.
pub(super) fn inline(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Keep(INLINE), part, 0);
    walk.runs(part.arg, DoubtReason::RunsCode);
}

/// Code that stands on the command line. What follows is its own.
pub(super) fn text(walk: &mut ArgumentWalk, part: ArgumentPart) {
    inline(walk, part);
    walk.ended = true;
}

/// A module that runs, as a program of its name would. What follows is its own.
pub(super) fn module(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.launch(part);
    super::modules::looks_here(walk);
}

/// `error::DeprecationWarning`; a class of a module is imported.
pub(super) fn warning(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if walk.word(part).literal().is_none_or(|text| text.contains('.')) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// `-X dev`
pub(super) fn setting(walk: &mut ArgumentWalk, part: ArgumentPart) {
    const HARMLESS: &[&str] = &[
        "dev",
        "utf8",
        "utf8=0",
        "utf8=1",
        "importtime",
        "faulthandler",
        "tracemalloc",
        "no_debug_ranges",
    ];
    if !walk.word(part).literal().is_some_and(|text| HARMLESS.contains(&text)) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// Files of tests, a script that is only checked, or a script.
pub(super) fn node(walk: &mut ArgumentWalk) {
    if walk.kept("tests").is_some() {
        // It prints the lines that it does not understand, and those of the settings beside them.
        for operand in walk.operands.clone() {
            walk.operand_is(operand, OperandUse::Read);
        }
        super::packages::inside(walk);
    } else if walk.kept("checks").is_some() {
        // Of a name without an ending it looks for files that have one, or for those of a folder.
        let is_bare = |operand: &WalkOperand| {
            let word = walk.word(ArgumentPart { arg: operand.arg, skip: 0 });
            words::file_name(&word)
                .is_none_or(|name| name.literal().is_some_and(|it| !it.contains('.')))
        };
        if walk.operands.iter().any(is_bare) {
            walk.unnamable(DoubtReason::RunsCode);
        }
        // Where there is no such file, it reads that of a longer name, or those of the folder.
        for operand in walk.operands.clone() {
            let word = walk.word(ArgumentPart { arg: operand.arg, skip: 0 });
            for ending in [".js", ".json", ".node"] {
                let longer = words::longer(&word, ending);
                walk.path(operand.arg, FileAccess::Read, longer, false);
            }
        }
        walk.lay_out(OperandSpec::All(OperandUse::ReadBelow), OperandUse::Nothing);
    } else {
        script(walk);
    }
}

/// What is made of a source lies beside it, in a folder of its own.
pub(super) fn compiled(walk: &mut ArgumentWalk) {
    if walk.operands.is_empty() {
        return walk.unnamable(DoubtReason::RunsCode);
    }
    for operand in walk.operands.clone() {
        let word = walk.word(ArgumentPart { arg: operand.arg, skip: 0 });
        walk.path(operand.arg, FileAccess::Write, words::beside(&word, "__pycache__"), true);
    }
    walk.lay_out(OperandSpec::All(OperandUse::WriteBelow), OperandUse::Nothing);
}

/// What is packed, or the folder that an archive is unpacked into.
pub(super) fn packed(walk: &mut ArgumentWalk) {
    if walk.kept("extracts").is_none() {
        return walk.lay_out(OperandSpec::All(OperandUse::ReadBelow), OperandUse::Nothing);
    }
    walk.keep("overwrites", ArgumentPart { arg: 0, skip: 0 });
    walk.effects.moves = true;
    walk.effects.makes_links = true;
    walk.lay_out(OperandSpec::All(OperandUse::WriteBelow), OperandUse::WriteBelow);
}

/// The script, named by an option.
pub(super) fn file(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Keep(HARMLESS), part, 0);
    walk.apply(OperandUse::Read, part, 0);
}

/// Files are changed in place. What is attached says how the copies of them are called.
pub(super) fn backup(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.runs(part.arg, DoubtReason::RunsCode);
    if part.skip > 0 {
        walk.keep(BACKUP, part);
    }
}

/// The copies of what is changed in place.
fn backups(walk: &mut ArgumentWalk, operands: &[WalkOperand]) {
    for suffix in walk.all_kept(BACKUP) {
        let text = walk.word(suffix);
        for operand in operands {
            let file = walk.place(operand.arg);
            // With a `*` in it, or a `/`, it is the name of the copy.
            let copy = match text.literal() {
                Some(text) if !text.contains(['*', '/']) => words::longer(file, text),
                _ => words::unknown(file),
            };
            walk.lost(operand.arg, copy, false, FileLoss::Replaced);
        }
    }
}

/// The first operand is a file that is run; without one it is the standard input.
pub(super) fn script(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let told = walk.kept(INLINE).is_some() || walk.kept(HARMLESS).is_some();
    backups(walk, &operands);
    match operands.first() {
        _ if told => {}
        Some(operand) if walk.place(operand.arg).literal() != Some("-") => {
            walk.operand_is(*operand, OperandUse::Read)
        }
        // `ruby -v` says its version, and goes on with a script if there is one.
        _ if walk.kept("version").is_some() => {}
        _ => walk.unnamable(DoubtReason::Stdin),
    }
}

/// A document. What begins with a command or a format, and all that stands behind the document, is read as text of its own.
pub(super) fn tex(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    if operands.is_empty() {
        return walk.unnamable(DoubtReason::Stdin);
    }
    for (index, operand) in operands.into_iter().enumerate() {
        let word = walk.place(operand.arg);
        let is_text = |text: &str| text.contains(['\\', '&', '*', '{', '|', '"']);
        if index > 0 || word.literal().is_none_or(is_text) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        } else {
            walk.operand_is(operand, OperandUse::Loads);
        }
    }
    walk.here(OperandUse::WriteBelow);
}

/// A class by its name, or a file of source text.
pub(super) fn java(walk: &mut ArgumentWalk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first()
        && walk.kept(HARMLESS).is_none()
    {
        walk.operand_is(*operand, OperandUse::Read);
    }
}

/// Targets or tasks, and variables (`SHELL=…`, `CC=…`), which name programs and hold code.
pub(super) fn targets(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let sets = |operand: &&WalkOperand| words::may_assign(walk.place(operand.arg));
    let assignments: Vec<usize> = operands.iter().filter(sets).map(|operand| operand.arg).collect();
    for arg in assignments {
        walk.runs(arg, DoubtReason::RunsCode);
    }
}
