//! Commands of git that list, or change the repository: which of both.
//!
//! An allow of such a command means that it makes something; what it loses or replaces has to be spelled out, word by word. So
//! what is made counts as done by the command (argument 0), and what is lost by the word that says so. A file of the repository
//! stands for what is changed.

use super::walk::{ArgumentPart, ArgumentWalk};
use super::{git, git_shown, words};
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word};

const REFS: &str = ".git/refs";
const INDEX: &str = ".git/index";

fn changes(walk: &mut ArgumentWalk, arg: usize, file: &str) {
    let target = words::text(walk.place(0), file);
    walk.path(arg, FileAccess::Write, target, false);
}

/// An option that loses or replaces branches or tags.
pub(super) fn loses(walk: &mut ArgumentWalk, part: ArgumentPart) {
    changes(walk, part.arg, REFS);
}

/// Files of the work tree are written: which ones, the repository knows.
///
/// Counts as done by the command, as all that it makes: an allow of the command means it. A deny of a file bites.
pub(super) fn writes_tree(walk: &mut ArgumentWalk) {
    tree(walk, 0);
}

fn tree(walk: &mut ArgumentWalk, arg: usize) {
    let target = words::text(walk.place(0), ".");
    walk.path(arg, FileAccess::Write, target, true);
}

/// An option that may throw away what is not committed.
pub(super) fn discards(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let target = words::text(walk.place(0), ".");
    walk.lost(part.arg, target, true, FileLoss::Replaced);
    changes(walk, part.arg, INDEX);
}

/// An option that shows what is changed, piece by piece, and throws away what is chosen of it.
pub(super) fn hunks(walk: &mut ArgumentWalk, part: ArgumentPart) {
    discards(walk, part);
    git_shown::everything(walk, part);
}

/// Files of another commit, or of a stash, come into the work tree. Where a file stands that git ignores, it is lost: git kept
/// it nowhere. So the word that says so has to be spelled out, unless an option keeps such files.
fn brings(walk: &mut ArgumentWalk, arg: usize) {
    tree(walk, 0);
    if walk.kept("keeps").is_none() || walk.kept("ignored").is_some() {
        walk.runs(arg, DoubtReason::Overwrites);
    }
}

/// A command that brings files of another commit, with any words.
pub(super) fn rewrites(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    let named = |word: &Word| word.literal().is_some_and(|name| walk.program.names.contains(&name));
    let arg = walk.argv.iter().position(named).unwrap_or_default();
    brings(walk, arg);
}

/// `git branch`, `git tag`: names are made, unless an option says that they are patterns for what is listed. A tag with a
/// message of its own opens the editor for it.
pub(super) fn names(walk: &mut ArgumentWalk) {
    if walk.kept("annotated").is_some() && walk.kept(git::MESSAGE).is_none() {
        walk.unnamable(DoubtReason::Editor);
    }
    let names = std::mem::take(&mut walk.operands);
    if !names.is_empty() && walk.kept("list").is_none() {
        changes(walk, 0, REFS);
    }
}

/// Another branch, or a new one: where that begins here, no file changes.
pub(super) fn switch(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    changes(walk, 0, INDEX);
    if let Some(start) = operands.first() {
        brings(walk, start.arg);
    }
}

/// Files, or a branch, unless the branch is made.
pub(super) fn checkout(walk: &mut ArgumentWalk) {
    let dashes = walk.argv.iter().position(|word| word.literal() == Some("--"));
    let files = dashes.is_some_and(|at| at + 1 < walk.argv.len());
    let start = walk.operands.first().map(|operand| operand.arg);
    let made = walk.kept("new").is_some();
    if made && walk.operands.len() < 2 && dashes.is_none() {
        walk.operands.clear();
    }
    if let Some(start) = start.filter(|_| !files) {
        brings(walk, start);
    }
    git::paths(walk);
}

/// The same, and it is merged.
pub(super) fn pull(walk: &mut ArgumentWalk) {
    let fetched = std::mem::take(&mut walk.operands);
    rewrites(walk);
    walk.operands = fetched;
    fetch(walk);
}

/// A repository, and what is taken from it: `+` and `from:to` replace.
pub(super) fn fetch(walk: &mut ArgumentWalk) {
    if walk.kept("multiple").is_some() {
        return git::remotes(walk);
    }
    let refs = walk.operands.split_off(walk.operands.len().min(1));
    git::remote(walk);
    for operand in refs {
        let text = walk.place(operand.arg).literal();
        if text.is_none_or(|text| text.starts_with('+')) {
            let target = words::text(walk.place(0), REFS);
            walk.lost(operand.arg, target, false, FileLoss::Deleted);
        } else if text.is_some_and(|text| text.contains(':')) {
            changes(walk, operand.arg, REFS);
        }
    }
}

/// Any name is given to any object, or to none.
pub(super) fn points(walk: &mut ArgumentWalk) {
    let arg = walk.operands.first().map_or(walk.from, |operand| operand.arg);
    walk.operands.clear();
    changes(walk, arg, REFS);
}

/// The same, where there is more than the name that is asked for.
pub(super) fn points_to(walk: &mut ArgumentWalk) {
    let several = walk.operands.iter().any(|operand| walk.place(operand.arg).splits());
    if several || walk.operands.len() > 1 || walk.kept("deletes").is_some() {
        points(walk);
    }
    walk.operands.clear();
}

/// What this action of a command with several does, besides what its own options and operands do.
pub(super) fn acts(walk: &mut ArgumentWalk, command: &str, action: &str, arg: usize) {
    match (command, action) {
        ("stash", "drop" | "clear" | "store") => changes(walk, arg, REFS),
        ("stash", "pop" | "apply" | "branch") => brings(walk, arg),
        ("stash", "push" | "save") => tree(walk, 0),
        ("reflog", "expire" | "delete" | "drop" | "write" | "migrate") => {
            changes(walk, arg, ".git/logs");
        }
        ("remote", "get-url") => git::settings(walk, ArgumentPart { arg, skip: 0 }),
        ("remote", "show") => {
            git::settings(walk, ArgumentPart { arg, skip: 0 });
            let rest = walk.argv.get(arg + 1..).unwrap_or_default();
            let mut options = rest.iter().take_while(|word| word.literal() != Some("--"));
            let offline = options.any(|word| word.literal() == Some("-n"));
            if !rest.is_empty() && !offline {
                walk.runs(arg, DoubtReason::Connects);
            }
        }
        ("remote", _) => {
            changes(walk, arg, ".git/config");
            if matches!(action, "update" | "prune" | "set-head") {
                walk.runs(arg, DoubtReason::Connects);
            }
        }
        // An address that begins where the one of this repository does is told.
        ("submodule", "init" | "sync" | "add") => {
            git::settings(walk, ArgumentPart { arg, skip: 0 })
        }
        ("submodule", "update") => {
            git::settings(walk, ArgumentPart { arg, skip: 0 });
            walk.runs(arg, DoubtReason::Connects);
        }
        _ => {}
    }
}
