//! Archives and compression.

use super::spec::{OperandSpec::*, OperandUse, OptionTakes};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use super::{PathUse, base_name};
use crate::shell::{DoubtReason, FileAccess, Word, WordPiece};

const ARCHIVE: &str = "archive";
const CREATE: &str = "create";
const EXTRACT: &str = "extract";
const REMOVE: &str = "remove";
const KEEP: &str = "keep";

/// `-T`: the list is read, and what it names, options among it, is not known.
pub(super) fn list(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Read, part, 0);
    walk.runs(part.arg, DoubtReason::MayBeOption);
}

/// Deletes what it packs.
pub(super) fn removes(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Keep(REMOVE), part, 0);
}

/// `--one-top-level=DIR`
pub(super) fn beneath(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if part.skip > 0 {
        walk.apply(OperandUse::WriteBelow, part, 0);
    }
}

pub(super) fn from_here(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.recursive = true;
    walk.path(part.arg, FileAccess::Read, words::text(walk.place(part.arg), "."), true);
}

/// `-i@FILE`: the list is read. Of other lists that stand behind the option each name is an operand.
pub(super) fn listed(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if words::beginning(&word).starts_with('@') {
        walk.path(part.arg, FileAccess::Read, words::without(&word, 1), false);
    }
}

/// `exec=SCRIPT`
pub(super) fn action(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.runs(part.arg, DoubtReason::RunsCode);
    let word = walk.word(part);
    if words::beginning(&word).starts_with("exec=") {
        walk.effects.scripts.push(words::without(&word, "exec=".len()));
    }
}

pub(super) fn tar(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands);
    // The old style: `tar cf a.tar b`, letters without a dash, whose values follow in their order.
    let old = operands.first().is_some_and(|first| first.arg == walk.from);
    let mut creates = walk.kept(CREATE).is_some();
    let mut extracts = walk.kept(EXTRACT).is_some();
    if old {
        let first = operands.remove(0);
        let Some(letters) = walk.place(first.arg).literal() else {
            return walk.runs(first.arg, DoubtReason::MayBeOption);
        };
        creates |= letters.contains(['c', 'r', 'u', 'A']);
        extracts |= letters.contains('x');
        let mut values = operands.iter().map(|operand| operand.arg);
        let mut taken = 0;
        for letter in letters.chars() {
            walk.meets(letter);
            let readings = walk.program.short(letter);
            if readings.is_empty() {
                walk.runs(first.arg, DoubtReason::UnknownOption);
            }
            for (_, meaning) in readings.iter().filter(|(_, it)| it.takes == OptionTakes::Value) {
                let Some(arg) = values.next() else { continue };
                taken += 1;
                walk.apply(meaning.uses, ArgumentPart { arg, skip: 0 }, 0);
            }
            for (_, meaning) in readings.iter().filter(|(_, it)| it.takes != OptionTakes::Value) {
                walk.apply(meaning.uses, ArgumentPart { arg: first.arg, skip: 0 }, 0);
            }
        }
        operands.drain(..taken.min(operands.len()));
    }
    for part in walk.all_kept(ARCHIVE) {
        archive(walk, part, creates);
    }
    if extracts && !walk.only_looks(KEEP) {
        walk.effects.makes_links = true;
        walk.here(OperandUse::WriteBelow);
    }
    if walk.kept("compares").is_some() {
        // It tells whether the files of these names here are those of the archive.
        walk.here(OperandUse::ReadBelow);
    }
    for operand in operands {
        if creates || !extracts {
            walk.operand_is(operand, OperandUse::Read);
        }
        if creates && words::beginning(walk.place(operand.arg)).starts_with('@') {
            // To bsdtar an archive whose files are packed.
            walk.apply(OperandUse::Read, ArgumentPart { arg: operand.arg, skip: 1 }, 0);
        }
        if creates && walk.kept(REMOVE).is_some() {
            walk.operand_is(operand, OperandUse::Takes);
        } else if extracts || walk.kept(REMOVE).is_some() {
            walk.operand_is(operand, OperandUse::Write);
        }
    }
}

/// `host:file` is on another machine, reached by a program named elsewhere.
fn archive(walk: &mut ArgumentWalk, part: ArgumentPart, creates: bool) {
    let word = walk.word(part);
    if words::beginning(&word).split('/').next().is_some_and(|host| host.contains(':')) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    } else if word.literal().is_none() && !words::begins_with_a_folder(&word) {
        let finds = words::is_pattern(&word);
        walk.runs(part.arg, if finds { DoubtReason::FindsHosts } else { DoubtReason::RunsCode });
    }
    walk.apply(if creates { OperandUse::WriteOut } else { OperandUse::Read }, part, 0);
}

/// What the names of packed files end with, and who packs them.
const SUFFIXES: [(&str, &[&str]); 10] = [
    (".gz", &["gzip", "pigz"]),
    (".bz2", &["bzip2", "pbzip2"]),
    (".xz", &["xz"]),
    (".lzma", &["xz", "lzma"]),
    (".zst", &["zstd"]),
    (".lz4", &["lz4"]),
    (".Z", &["compress"]),
    (".lz", &["lzip"]),
    (".br", &["brotli"]),
    (".lzo", &["lzop"]),
];

/// What the names of packed archives end with, which become `.tar`.
const TARS: &[&str] =
    &[".tgz", ".taz", ".tbz", ".tbz2", ".tb2", ".tz2", ".txz", ".tlz", ".tzst", ".tlz4"];

/// Those that unpack a file whose name has no ending of theirs into one with `.out` behind it.
const OUTS: &[&str] = &["bzip2", "pbzip2", "lzip"];

/// Programs that look for a name with an ending where there is no file without, those endings, and those of names behind which
/// they look for none.
const LONGER: [(&[&str], &[&str], &[&str]); 4] = [
    (&["bzgrep", "bzegrep", "bzfgrep"], &[".bz2"], &[]),
    (&["unzip", "zipinfo", "zipgrep", "funzip"], &[".zip", ".ZIP"], &[]),
    (
        &["gzip", "gunzip", "zcat", "gzcat", "zgrep", "zegrep", "zfgrep", "uncompress"],
        &[".gz", "-gz", ".z", "-z", "_z", ".Z"],
        &[".gz", "-gz", ".z", "-z", "_z", ".Z", ".taz", ".tgz"],
    ),
    (
        &["pigz", "unpigz"],
        &[".gz", "-gz", ".z", "-z", "_z", ".Z", ".zz", "-zz", ".zip", ".ZIP", ".tgz"],
        &[],
    ),
];

/// Files that are read from this use on may be such with an ending.
pub(super) fn longer_names(walk: &mut ArgumentWalk, from: usize) {
    let name = base_name(walk.place(0).literal().unwrap_or_default());
    let known = LONGER.iter().find(|(names, ..)| names.contains(&name));
    let Some((_, endings, whole)) = known else { return };
    let is_whole = |word: &Word| match word.pieces.last() {
        Some(WordPiece::Text(text)) => whole.iter().any(|ending| text.ends_with(ending)),
        _ => false,
    };
    let is_longer = |used: &&PathUse| used.access == FileAccess::Read && !is_whole(&used.target);
    let uses = walk.effects.paths.iter().skip(from).filter(is_longer);
    let longer: Vec<PathUse> = uses
        .flat_map(|used| {
            endings.iter().map(|ending| {
                let target = words::longer(&used.target, ending);
                PathUse { target, ..used.clone() }
            })
        })
        .collect();
    walk.effects.paths.extend(longer);
}

/// It writes to its output what is packed in files.
pub(super) fn unpacked(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
    longer_names(walk, from);
}

/// It makes a file beside each and deletes that, or the other way round, but when it writes to its output or only looks.
pub(super) fn compress(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    if walk.only_looks("stdout") || walk.only_looks("look") {
        return unpacked(walk);
    }
    if walk.recursive
        && let Some(force) = walk.kept("force")
    {
        // Through symlinks, too.
        walk.runs(force.arg, DoubtReason::NotUnderstood);
    }
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, OperandUse::Change);
        let word = walk.place(operand.arg);
        for (suffix, programs) in SUFFIXES.into_iter().chain([(".out", OUTS)]) {
            if programs.iter().any(|name| walk.program.names.contains(name)) {
                let mut packed = word.clone();
                packed.pieces.push(WordPiece::Text(suffix.to_owned()));
                walk.path(operand.arg, FileAccess::Write, words::joined(packed), false);
            }
            if let Some(text) = word.literal()
                && let Some(bare) = text.strip_suffix(suffix)
            {
                walk.path(operand.arg, FileAccess::Write, words::text(word, bare), false);
            }
        }
        if let Some(text) = word.literal()
            && let Some(bare) = TARS.iter().find_map(|ending| text.strip_suffix(ending))
        {
            let tar = format!("{bare}.tar");
            walk.path(operand.arg, FileAccess::Write, words::text(word, &tar), false);
        }
    }
    longer_names(walk, from);
}

/// `zip archive file…`
pub(super) fn zip(walk: &mut ArgumentWalk) {
    // `-T -TT command`
    for at in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(at));
        let Some(letters) = begins.strip_prefix('-').filter(|it| !it.starts_with('-')) else {
            continue;
        };
        if letters.contains("TT") {
            walk.runs(at + usize::from(begins.ends_with("TT")), DoubtReason::RunsCode);
        }
        // Names of two letters that take a value, `-lf LOG` among them, or have a letter that does.
        if ["lf", "sp", "UN", "tt", "ds", "li", "ic", "ws", "db", "sb", "so", "nw"]
            .iter()
            .any(|name| letters.contains(name))
        {
            walk.runs(at, DoubtReason::NotUnderstood);
        }
    }
    // `-i NAME @FILE`
    for operand in walk.operands.clone() {
        let word = walk.place(operand.arg);
        if words::beginning(word).starts_with('@') {
            walk.path(operand.arg, FileAccess::Read, words::without(word, 1), false);
        }
    }
    let moves = walk.kept(REMOVE).is_some();
    let is_output = |first: &WalkOperand| walk.place(first.arg).literal() == Some("-");
    let to_output = walk.operands.first().is_some_and(is_output);
    if let Some(archive) = walk.operands.first()
        && !to_output
        && !words::beginning(walk.place(archive.arg)).contains('.')
    {
        // A name without one gets its ending.
        let mut named = walk.place(archive.arg).clone();
        named.pieces.push(WordPiece::Text(".zip".to_owned()));
        walk.path(archive.arg, FileAccess::Write, words::joined(named), false);
    }
    let archive = if to_output { OperandUse::WriteOut } else { OperandUse::Change };
    walk.lay_out(
        First(archive, if moves { OperandUse::Takes } else { OperandUse::Read }),
        OperandUse::Nothing,
    );
}

/// Letters of unzip that only look, or print what is inside.
const LOOKS: &str = "ltvzpc";
/// Letters that change how it does either, or how it extracts.
const HOW: &str = "funoqaUjCLXKbBDWYVMh";
/// Letters of `unzip -Z`, which only looks.
const INFO: &str = "Z12smlvhtTzMC";

/// `unzip [-letters…] archive [member…] [-x member…] [-d dir]`
pub(super) fn unzip(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    unzip_words(walk);
    longer_names(walk, from);
}

/// `zipinfo archive [member…]`
pub(super) fn zipinfo(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    for operand in std::mem::take(&mut walk.operands) {
        finds_archives(walk, operand);
    }
    longer_names(walk, from);
}

/// `zipgrep [-options…] pattern archive [member…]`
pub(super) fn zipgrep(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    for operand in std::mem::take(&mut walk.operands).into_iter().skip(1) {
        finds_archives(walk, operand);
    }
    longer_names(walk, from);
}

/// It packs the files that its input names.
pub(super) fn named_by_input(walk: &mut ArgumentWalk, _: ArgumentPart) {
    let any = words::unknown(walk.place(0));
    walk.path(0, FileAccess::Read, any, false);
}

/// An archive that is read. Of a name with wildcards it finds the archives itself.
fn finds_archives(walk: &mut ArgumentWalk, operand: WalkOperand) {
    walk.operand_is(operand, OperandUse::Read);
    finds_names(walk, operand);
}

fn finds_names(walk: &mut ArgumentWalk, operand: WalkOperand) {
    if words::beginning(walk.place(operand.arg)).contains(['*', '?', '[']) {
        let any = words::unknown(walk.place(operand.arg));
        walk.path(operand.arg, FileAccess::Read, any, false);
    }
}

fn unzip_words(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands).into_iter().peekable();
    let mut looks = false;
    let mut undone = false;
    let mut into = None;
    let info = operands
        .peek()
        .is_some_and(|first| words::beginning(walk.place(first.arg)).starts_with("-Z"));
    while let Some(operand) = operands.peek().copied() {
        let word = walk.place(operand.arg);
        if words::begins_unknown(word) {
            walk.runs(operand.arg, DoubtReason::MayBeOption);
        }
        let Some(letters) = words::beginning(word).strip_prefix('-') else { break };
        operands.next();
        match word.literal() {
            // A value, attached or the next word.
            Some("-d" | "-P" | "-O" | "-I") => {
                let value = operands.next();
                if word.literal() == Some("-d") {
                    into = value.map(|value| ArgumentPart { arg: value.arg, skip: 0 });
                }
                if let Some(value) = value
                    && (walk.place(value.arg).splits()
                        || words::beginning(walk.place(value.arg)).starts_with('-'))
                {
                    walk.runs(value.arg, DoubtReason::MayBeOption);
                }
            }
            Some(_) if letters.chars().all(|it| if info { INFO } else { HOW }.contains(it)) => {}
            Some(_)
                if !info && letters.chars().all(|it| LOOKS.contains(it) || HOW.contains(it)) =>
            {
                looks = true;
            }
            _ => {
                walk.runs(operand.arg, DoubtReason::UnknownOption);
                undone = true;
            }
        }
    }
    if let Some(archive) = operands.next() {
        finds_archives(walk, archive);
    }
    while let Some(operand) = operands.next() {
        let word = walk.place(operand.arg);
        let begins = words::beginning(word);
        match word.literal() {
            Some("-x") => {}
            Some("-d") => into = operands.next().map(|it| ArgumentPart { arg: it.arg, skip: 0 }),
            _ if begins.starts_with("-d") => {
                into = Some(ArgumentPart { arg: operand.arg, skip: 2 })
            }
            _ if begins.starts_with('-') => walk.runs(operand.arg, DoubtReason::UnknownOption),
            None if words::begins_unknown(word) || word.splits() => {
                walk.runs(operand.arg, DoubtReason::MayBeOption);
            }
            _ => {}
        }
    }
    let writes = undone || (!info && !looks);
    if let Some(part) = into.filter(|_| !writes) {
        // The one of busybox makes the folder before it looks.
        walk.apply(OperandUse::Write, part, 0);
    }
    if writes {
        walk.effects.moves = true;
        walk.effects.makes_links = true;
        match into {
            Some(part) => walk.apply(OperandUse::WriteBelow, part, 0),
            None => walk.here(OperandUse::WriteBelow),
        }
    }
}

/// `unrar letter archive…` unpacks where it runs, unless the letter only looks; `unar archive`.
pub(super) fn rar(walk: &mut ArgumentWalk) {
    let first = walk.operands.first().and_then(|first| walk.place(first.arg).literal());
    let looks = first.is_some_and(|word| word.starts_with(['l', 'v', 't', 'p']) && word.len() <= 3);
    walk.lay_out(All(OperandUse::Change), OperandUse::Nothing);
    if !looks {
        walk.here(OperandUse::WriteBelow);
    }
}

/// Options of 7z that change how much it tells, or how hard it packs.
const TELLS: &[&str] = &[
    "-slt", "-ba", "-bd", "-y", "-r", "-r-", "-r0", "-aoa", "-aos", "-aou", "-aot", "-ssc", "-spf-",
];

/// `7z letter [-options…] archive [file…]`
pub(super) fn seven(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let mut looks = false;
    let mut into = false;
    let mut named = false;
    for (index, operand) in operands.iter().enumerate() {
        let word = walk.place(operand.arg);
        let begins = words::beginning(word);
        if index == 0 {
            match word.literal() {
                Some("l" | "t" | "i" | "h") => looks = true,
                Some("a" | "d" | "e" | "u" | "x" | "rn") => {}
                _ => walk.runs(operand.arg, DoubtReason::UnknownCommand),
            }
        } else if words::begins_unknown(word) || begins.starts_with('@') {
            named = true;
            walk.runs(operand.arg, DoubtReason::MayBeOption);
            walk.apply(
                OperandUse::Read,
                ArgumentPart { arg: operand.arg, skip: begins.len().min(1) },
                0,
            );
        } else if begins.starts_with("-o") {
            into = true;
            walk.apply(OperandUse::WriteBelow, ArgumentPart { arg: operand.arg, skip: 2 }, 0);
        } else if begins.starts_with('-') {
            let known = word.literal().is_some_and(|text| {
                TELLS.contains(&text) || text.starts_with("-p") || text.starts_with("-mx")
            });
            if !known {
                walk.runs(operand.arg, DoubtReason::UnknownOption);
            }
        } else {
            named = true;
            walk.recursive = true;
            walk.operand_is(*operand, if looks { OperandUse::Read } else { OperandUse::Change });
            finds_names(walk, *operand);
        }
    }
    // `h` sums up what it is given, else all that is here.
    if looks && !named {
        walk.here(OperandUse::ReadBelow);
    }
    walk.effects.moves |= !looks;
    walk.effects.makes_links |= !looks;
    if !looks && !into && !operands.is_empty() {
        let packs = operands.first().and_then(|first| walk.place(first.arg).literal());
        if !matches!(packs, Some("a" | "d" | "u" | "rn")) {
            walk.keep("overwrites", ArgumentPart { arg: 0, skip: 0 });
        }
        walk.here(OperandUse::WriteBelow);
        walk.here(OperandUse::ReadBelow);
    }
}
