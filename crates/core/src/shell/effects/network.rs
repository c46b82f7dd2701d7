//! Programs that work on other machines, copy from and to them, or ask them.

use super::spec::OperandUse;
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word, WordPiece};

/// The sources are deleted.
const REMOVES: &str = "removes";
const PURGES: &str = "purges";

/// The host, and what runs there: an allow of the host by name allows that.
pub(super) fn ssh(walk: &mut ArgumentWalk) {
    match std::mem::take(&mut walk.operands).first() {
        Some(host) => {
            walk.operand_is(*host, OperandUse::Url);
            walk.runs(host.arg, DoubtReason::RunsCode);
        }
        None => walk.unnamable(DoubtReason::RunsCode),
    }
}

/// Names, `@server`, and `+option`; none reads a file.
pub(super) fn dig(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        let begins = words::beginning(walk.place(operand.arg));
        if !begins.starts_with('+') {
            let skip = usize::from(begins.starts_with('@'));
            walk.apply(OperandUse::Url, ArgumentPart { arg: operand.arg, skip }, 0);
        }
    }
    if walk.effects.urls.is_empty() {
        // It asks the server of the system about the root, or about what a file names.
        walk.here(OperandUse::Connects);
    }
}

/// Whether a word is a place on another machine: `host:path`.
fn remote(word: &Word) -> bool {
    words::beginning(word).split('/').next().is_some_and(|host| host.contains(':'))
        || words::beginning(word).starts_with("rsync://")
        || words::beginning(word).starts_with("scp://")
}

pub(super) fn scp(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    for operand in &operands {
        let word = walk.place(operand.arg);
        if word.literal().is_some()
            || remote(word)
            || words::begins_with_a_folder(word)
            || walk.files.contains(word)
        {
            continue;
        }
        if words::is_pattern(word) {
            walk.runs(operand.arg, DoubtReason::FindsHosts);
        } else {
            // It may turn out to be one.
            walk.operand_is(*operand, OperandUse::Url);
        }
    }
    let (away, here): (Vec<WalkOperand>, Vec<WalkOperand>) =
        operands.into_iter().partition(|operand| remote(walk.place(operand.arg)));
    for operand in &away {
        walk.operand_is(*operand, OperandUse::Url);
    }
    let last_is_away =
        away.last().map(|operand| operand.arg) > here.last().map(|operand| operand.arg);
    if last_is_away {
        for operand in here {
            walk.operand_is(operand, OperandUse::Read);
        }
        return;
    }
    let sources_away = !away.is_empty();
    if sources_away && here.len() == 1 {
        for operand in &here {
            let directory = walk.place(operand.arg).clone();
            walk.operand_is(*operand, OperandUse::Write);
            for source in &away {
                // The other side says what it finds, under names of its own.
                if is_found_there(walk.place(source.arg)) {
                    walk.path(operand.arg, FileAccess::Write, directory.clone(), true);
                    continue;
                }
                if let Some(name) = words::file_name(walk.place(source.arg)) {
                    let name = Word { pieces: after_host(&name), ..name };
                    walk.path(
                        operand.arg,
                        FileAccess::Write,
                        words::join(&directory, &name),
                        walk.recursive,
                    );
                }
            }
        }
        return;
    }
    walk.copy(&here, OperandUse::Read);
}

/// Whether the other side, or a shell there, makes names of it.
fn is_found_there(source: &Word) -> bool {
    source.literal().is_none_or(|text| text.contains(['*', '?', '[', '{', '$', '`', '\\', '~']))
}

/// `host:file` without a slash is a file too.
fn after_host(word: &Word) -> Vec<WordPiece> {
    let at = words::beginning(word).rfind(':').map_or(0, |at| at + 1);
    words::without(word, at).pieces
}

/// Sources are read, and with `--remove-source-files` deleted.
pub(super) fn rsync(walk: &mut ArgumentWalk) {
    let operands = walk.operands.clone();
    if walk.kept(REMOVES).is_some() {
        operands.iter().for_each(|operand| walk.operand_is(*operand, OperandUse::Takes));
    }
    scp(walk);
    // What the sources do not have is deleted where they are copied to.
    if let Some(last) = operands.last().filter(|_| walk.kept(PURGES).is_some()) {
        walk.loses(ArgumentPart { arg: last.arg, skip: 0 }, 0, FileLoss::Deleted);
    }
}

/// What is done there stands in a script or is typed.
pub(super) fn sftp(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    if let Some(host) = operands.first() {
        walk.operand_is(*host, OperandUse::Url);
    }
    walk.unnamable(DoubtReason::Stdin);
}

/// A rule of a filter can read a file.
pub(super) fn filter(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let merges = word.literal().is_none_or(|text| text.starts_with(['.', ':', 'm', 'd']));
    if merges {
        walk.path(part.arg, FileAccess::Read, words::unknown(&word), false);
    }
}
