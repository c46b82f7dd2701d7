//! Commands of git that list, or change the repository: which of both.
//!
//! Whoever allows such a command means that it makes something; what it loses or replaces has to be spelled out, word by
//! word. So what is made counts as done by the command (argument 0), and what is lost by the word that says so. A file of the
//! repository stands for what is changed.

use super::spec::{Operands::All, Use};
use super::walk::{Part, Walk};
use super::{git, words};
use crate::shell::{Access, Why};

const REFS: &str = ".git/refs";
const INDEX: &str = ".git/index";

fn changes(walk: &mut Walk, arg: usize, file: &str) {
    let target = words::text(walk.place(0), file);
    walk.path(arg, Access::Write, target, false);
}

/// An option that loses or replaces branches or tags.
pub(super) fn loses(walk: &mut Walk, part: Part) {
    changes(walk, part.arg, REFS);
}

/// An option that may throw away what is not committed.
pub(super) fn discards(walk: &mut Walk, part: Part) {
    changes(walk, part.arg, INDEX);
}

/// `git branch`, `git tag`: names are made, unless an option says that they are patterns for what is listed.
pub(super) fn names(walk: &mut Walk) {
    let names = std::mem::take(&mut walk.operands);
    if !names.is_empty() && walk.kept("list").is_none() {
        changes(walk, 0, REFS);
    }
}

pub(super) fn switch(walk: &mut Walk) {
    walk.operands.clear();
    changes(walk, 0, INDEX);
}

/// Files, or a branch, unless the branch is made.
pub(super) fn checkout(walk: &mut Walk) {
    let files = walk.argv.iter().any(|word| word.literal() == Some("--"));
    if walk.kept("new").is_some() && walk.operands.len() < 2 && !files {
        walk.operands.clear();
    }
    walk.lay_out(All(Use::Write), Use::Nothing);
}

/// A repository, and what is taken from it: `+` and `from:to` replace.
pub(super) fn fetch(walk: &mut Walk) {
    if walk.kept("multiple").is_some() {
        return git::remotes(walk);
    }
    let refs = walk.operands.split_off(walk.operands.len().min(1));
    git::remote(walk);
    for operand in refs {
        let plain = |text: &str| !text.starts_with('+') && !text.contains(':');
        if !walk.place(operand.arg).literal().is_some_and(plain) {
            changes(walk, operand.arg, REFS);
        }
    }
}

/// What this action of a command with several does, besides what its own options and operands do.
pub(super) fn acts(walk: &mut Walk, command: &str, action: &str, arg: usize) {
    match (command, action) {
        ("stash", "drop" | "clear") => changes(walk, arg, REFS),
        ("reflog", "expire" | "delete" | "drop" | "write" | "migrate") => {
            changes(walk, arg, ".git/logs");
        }
        ("remote", "get-url") => {}
        ("remote", "show") => {
            let rest = walk.argv.get(arg + 1..).unwrap_or_default();
            let mut options = rest.iter().take_while(|word| word.literal() != Some("--"));
            let offline = options.any(|word| word.literal() == Some("-n"));
            if !rest.is_empty() && !offline {
                walk.runs(arg, Why::Connects);
            }
        }
        ("remote", _) => {
            changes(walk, arg, ".git/config");
            if matches!(action, "update" | "prune" | "set-head") {
                walk.runs(arg, Why::Connects);
            }
        }
        ("submodule", "update") => walk.runs(arg, Why::Connects),
        _ => {}
    }
}
