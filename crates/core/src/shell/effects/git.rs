//! git: its own options, and those of its subcommands that run code, use files or addresses.

use super::spec::{Operands::*, Use};
use super::walk::{Part, Walk, walk as run};
use super::words;
use crate::shell::{Access, Why};

const GET: &str = "get";
const SET: &str = "set";

/// Goes on with the subcommand.
pub(super) fn git(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    let Some(name) = walk.place(first.arg).literal() else {
        return walk.runs(first.arg, Why::MayBeOption);
    };
    let words = walk.argv.get(first.arg + 1..).unwrap_or_default();
    if let Some(change) = super::git_refs::change(name, words) {
        // Whoever allows the command means that it makes something; what it loses has to be spelled out.
        let arg = change.loses.map_or(0, |word| first.arg + 1 + word);
        let target = walk.based(words::text(walk.place(0), change.file));
        walk.path(arg, Access::Write, target, false);
    }
    match super::tables().command("git", name) {
        Some(command) => {
            let below = run(command, walk.argv, walk.files, first.arg + 1);
            walk.add(below);
        }
        // An alias of the settings, or a program called `git-…`.
        None => walk.runs(first.arg, Why::UnknownCommand),
    }
}

/// Whether a word names a repository by its place, and not by the name of a remote.
fn is_place(word: &crate::shell::Word) -> bool {
    word.literal().is_none_or(|text| text.contains([':', '/', '.']))
}

/// A repository.
pub(super) fn place(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    if !is_place(&word) {
        return;
    }
    // `ext::command` is run.
    if word.literal().is_some_and(|text| text.contains("::")) {
        walk.runs(part.arg, Why::RunsCode);
    }
    if word.literal().is_some_and(|text| !text.contains(':')) {
        walk.apply(Use::ReadBelow, part, 0);
    } else {
        walk.apply(Use::Url, part, 0);
    }
}

pub(super) fn clone(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    let source = Part { arg: first.arg, skip: 0 };
    if is_place(walk.place(first.arg)) {
        place(walk, source);
    } else {
        walk.apply(Use::ReadBelow, source, 0);
    }
    match operands.get(1..) {
        Some([]) | None => {
            let source = walk.place(first.arg);
            let target = match source.literal() {
                Some(text) => {
                    let text = text
                        .trim_end_matches('/')
                        .trim_end_matches("/.git")
                        .trim_end_matches(".git");
                    words::text(source, text.rsplit(['/', ':']).next().unwrap_or(""))
                }
                None => words::unknown(source),
            };
            walk.path(first.arg, Access::Write, target, true);
        }
        Some(rest) => rest.iter().for_each(|operand| walk.operand_is(*operand, Use::WriteBelow)),
    }
}

pub(super) fn remote(walk: &mut Walk) {
    if let Some(first) = std::mem::take(&mut walk.operands).first() {
        place(walk, Part { arg: first.arg, skip: 0 });
    }
}

pub(super) fn remotes(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let action = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(action, Some("add" | "set-url")) {
        for operand in operands.get(2..).unwrap_or(&[]) {
            place(walk, Part { arg: operand.arg, skip: 0 });
        }
    }
}

/// A name of a file, or `revision:file`, or a revision, which does not matter then.
pub(super) fn revisions(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, Use::Read);
        if let Some(at) = words::beginning(walk.place(operand.arg)).find(':') {
            walk.apply(Use::Read, Part { arg: operand.arg, skip: at + 1 }, 0);
        }
    }
}

/// The patches say what is written.
pub(super) fn apply(walk: &mut Walk) {
    walk.lay_out(All(Use::Read), Use::Nothing);
    walk.here(Use::WriteBelow);
}

/// What follows `--` is overwritten; before it there can be a branch, or a file.
pub(super) fn checkout(walk: &mut Walk) {
    walk.lay_out(All(Use::Write), Use::Nothing);
}

pub(super) fn worktree(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let action = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(action, Some("add" | "move" | "remove")) {
        for operand in operands.get(1..).unwrap_or(&[]) {
            walk.operand_is(*operand, Use::WriteBelow);
        }
    }
}

pub(super) fn submodule(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    match walk.place(first.arg).literal() {
        // All that follows is a script.
        Some("foreach") => super::editors::whole(walk),
        Some("add" | "set-url") => {
            for operand in operands.get(1..).unwrap_or(&[]) {
                place(walk, Part { arg: operand.arg, skip: 0 });
            }
            for operand in operands.get(2..).unwrap_or(&[]) {
                walk.operand_is(*operand, Use::WriteBelow);
            }
        }
        _ => {}
    }
}

pub(super) fn bisect(walk: &mut Walk) {
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if first.is_none_or(|action| action == "run") && !walk.operands.is_empty() {
        super::editors::whole(walk);
    }
}

/// Setting anything can decide what git runs from then on; reading is harmless.
pub(super) fn config(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let first = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    let several = operands.iter().any(|operand| walk.place(operand.arg).splits());
    let reads = match first {
        _ if walk.kept(SET).is_some() || several => false,
        _ if walk.kept(GET).is_some() => true,
        Some("get" | "list") => true,
        Some("edit" | "set" | "unset" | "rename-section" | "remove-section") => false,
        _ => operands.len() < 2,
    };
    if !reads {
        walk.runs(walk.argv.len().saturating_sub(1), Why::Settings);
    }
}

/// Its extensions and aliases run code; `gh api` sends to an address.
pub(super) fn hub(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = |at: usize| {
        operands
            .get(at)
            .and_then(|operand: &super::walk::Operand| walk.place(operand.arg).literal())
    };
    match (name(0), name(1)) {
        (Some("alias"), Some("set" | "import"))
        | (Some("extension" | "ext"), Some("install" | "exec" | "upgrade")) => {
            super::editors::whole(walk);
        }
        (Some("config"), Some("set")) => {
            walk.runs(walk.argv.len().saturating_sub(1), Why::Settings)
        }
        _ => {}
    }
}
