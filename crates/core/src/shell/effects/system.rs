//! The rest: documentation, clocks, keys, databases, media, shell builtins.

use super::spec::{Operands::*, Use};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why};

const SET: &str = "set";
const KEEP: &str = "keep";

/// Shown, or with an option changed, or run again.
pub(super) fn history(walk: &mut Walk) {
    let shows = walk.argv.iter().skip(1).all(|word| {
        word.literal().is_some_and(|text| text.chars().all(|char| char.is_ascii_digit()))
    });
    if !shows || walk.place(0).literal() != Some("history") {
        super::editors::whole(walk);
        walk.lay_out(All(Use::Change), Use::Nothing);
    }
}

pub(super) fn chooser(walk: &mut Walk) {
    walk.operands.clear();
}

/// Pages, or with `-l` files. A page with a slash in its name is a file, too.
pub(super) fn man(walk: &mut Walk) {
    let local = walk.kept(KEEP).is_some();
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        if local || word.literal().is_none_or(|text| text.contains('/')) {
            walk.operand_is(operand, Use::Read);
        }
    }
}

/// `+FORMAT` is shown, anything else sets the clock.
pub(super) fn date(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        if word.literal().is_some_and(|text| !text.starts_with('+')) {
            walk.runs(operand.arg, Why::Settings);
        }
    }
}

pub(super) fn hostname(walk: &mut Walk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first() {
        walk.runs(operand.arg, Why::Settings);
    }
}

/// Anything but a list is commands that will run later.
pub(super) fn crontab(walk: &mut Walk) {
    if walk.kept(KEEP).is_none() {
        walk.runs(walk.argv.len().saturating_sub(1), Why::RunsCode);
    }
    walk.lay_out(All(Use::Read), Use::Nothing);
}

/// A subcommand, then files.
pub(super) fn openssl(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    match operands.first().map(|operand| walk.place(operand.arg).literal()) {
        Some(Some("engine" | "s_server" | "ocsp" | "ca")) => super::editors::whole(walk),
        Some(None) => walk.runs(walk.argv.len().saturating_sub(1), Why::MayBeOption),
        None => walk.unnamable(Why::Stdin),
        _ => {}
    }
    for operand in operands.into_iter().skip(1) {
        walk.operand_is(operand, Use::Read);
    }
}

/// Statements for a database. Lines that begin with a dot or a backslash are commands to the program, which can run others.
pub(super) fn statement(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let sql = |text: &str| {
        let starts = text.lines().any(|line| line.trim_start().starts_with(['.', '\\']));
        let lower = text.to_ascii_lowercase();
        let reaches = [
            "load_extension",
            "attach",
            "writefile",
            "readfile",
            "edit(",
            "\\!",
            "\\o",
            "\\i",
            "\\g",
            "program",
            "system",
            "into outfile",
            "into dumpfile",
            "load_file",
            "eval",
            "vacuum",
        ];
        !starts && !reaches.iter().any(|word| lower.contains(word))
    };
    if !word.literal().is_some_and(sql) {
        walk.runs(part.arg, Why::Script);
    }
}

/// `sqlite3 file statement…`
pub(super) fn sqlite(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            walk.operand_is(*operand, Use::Change);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            statement(walk, Part { arg: operand.arg, skip: 0 });
        }
    }
    if operands.len() < 2 {
        walk.unnamable(Why::Stdin);
    }
}

/// Inputs are named by `-i`, all other operands are outputs; options that are not known take a value as often as not.
pub(super) fn ffmpeg(walk: &mut Walk) {
    for part in walk.all_kept(SET) {
        let word = walk.word(part);
        if words::beginning(&word).contains("://") {
            walk.apply(Use::Url, part, 0);
        } else {
            walk.path(part.arg, Access::Read, word, false);
        }
    }
    walk.lay_out(All(Use::Write), Use::Nothing);
}
