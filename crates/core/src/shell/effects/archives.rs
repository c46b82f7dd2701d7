//! Archives and compression.

use super::spec::{Operands::*, Takes, Use};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why};

const ARCHIVE: &str = "archive";
const CREATE: &str = "create";
const EXTRACT: &str = "extract";
const DIRECTORY: &str = "directory";
const REMOVE: &str = "remove";
const KEEP: &str = "keep";

/// `-T`: the list is read, and what it names, options among it, is not known.
pub(super) fn list(walk: &mut Walk, part: Part) {
    walk.apply(Use::Read, part, 0);
    walk.runs(part.arg, Why::MayBeOption);
}

/// Deletes what it packs.
pub(super) fn removes(walk: &mut Walk, part: Part) {
    walk.apply(Use::Keep(REMOVE), part, 0);
}

/// `--one-top-level=DIR`
pub(super) fn beneath(walk: &mut Walk, part: Part) {
    if part.skip > 0 {
        walk.apply(Use::WriteBelow, part, 0);
    }
}

pub(super) fn from_here(walk: &mut Walk, part: Part) {
    walk.below();
    walk.path(part.arg, Access::Read, words::text(walk.place(part.arg), "."), true);
}

pub(super) fn tar(walk: &mut Walk) {
    let mut operands = std::mem::take(&mut walk.operands);
    // The old style: `tar cf a.tar b`, letters without a dash, whose values follow in their order.
    let old = operands.first().is_some_and(|first| first.arg == 1);
    let mut creates = walk.kept(CREATE).is_some();
    let mut extracts = walk.kept(EXTRACT).is_some();
    if old {
        let first = operands.remove(0);
        let Some(letters) = walk.place(first.arg).literal() else {
            return walk.runs(first.arg, Why::MayBeOption);
        };
        creates |= letters.contains(['c', 'r', 'u', 'A']);
        extracts |= letters.contains('x');
        let mut values = operands.iter().map(|operand| operand.arg);
        let mut taken = 0;
        for letter in letters.chars() {
            let readings = walk.program.short(letter);
            if readings.is_empty() {
                walk.runs(first.arg, Why::UnknownOption);
            }
            for (_, meaning) in readings.iter().filter(|(_, it)| it.takes == Takes::Value) {
                let Some(arg) = values.next() else { continue };
                taken += 1;
                walk.apply(meaning.uses, Part { arg, skip: 0 }, 0);
            }
        }
        operands.drain(..taken.min(operands.len()));
    }
    for part in walk.all_kept(ARCHIVE) {
        archive(walk, part, creates);
    }
    if extracts && walk.kept(KEEP).is_none() {
        walk.here(Use::WriteBelow);
    }
    for operand in operands {
        if creates || !extracts {
            walk.operand_is(operand, Use::Read);
        }
        if extracts || walk.kept(REMOVE).is_some() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// `host:file` is on another machine, reached by a program named elsewhere.
fn archive(walk: &mut Walk, part: Part, creates: bool) {
    let word = walk.word(part);
    if words::beginning(&word).split('/').next().is_some_and(|host| host.contains(':')) {
        walk.runs(part.arg, Why::RunsCode);
    }
    walk.apply(if creates { Use::Write } else { Use::Read }, part, 0);
}

/// It makes a file beside each and deletes that, or the other way round.
pub(super) fn compress(walk: &mut Walk) {
    if walk.kept(KEEP).is_some() {
        return walk.lay_out(All(Use::Read), Use::Nothing);
    }
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, Use::Change);
        let word = walk.place(operand.arg);
        for suffix in [".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".Z", ".lz", ".br", ".lzo"] {
            if let Some(text) = word.literal()
                && let Some(bare) = text.strip_suffix(suffix)
            {
                walk.path(operand.arg, Access::Write, words::text(word, bare), false);
            }
        }
    }
}

/// `zip archive file…`
pub(super) fn zip(walk: &mut Walk) {
    // `-T -TT command`
    for at in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(at));
        if begins.starts_with('-') && begins.contains("TT") {
            walk.runs(at + usize::from(begins.ends_with("TT")), Why::RunsCode);
        }
    }
    let moves = walk.kept(REMOVE).is_some();
    walk.lay_out(First(Use::Change, if moves { Use::Change } else { Use::Read }), Use::Nothing);
}

/// `unzip archive member… [-d dir]`
pub(super) fn unzip(walk: &mut Walk) {
    if walk.kept(KEEP).is_none() {
        match walk.kept(DIRECTORY) {
            Some(part) => walk.apply(Use::WriteBelow, part, 0),
            None => walk.here(Use::WriteBelow),
        }
    }
    walk.lay_out(First(Use::Read, Use::Nothing), Use::Nothing);
}
