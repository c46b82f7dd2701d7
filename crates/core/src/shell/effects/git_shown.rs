//! What git shows of what is in files: which ones its pathspecs, or the lack of any, say.
//!
//! Pathspecs are patterns of git's own: `:(magic)`, `:!x`, `*` that crosses `/`. Without any the whole work tree is shown. A
//! read of all below a folder stands for that; which files git knows there is for who knows the files to say.

use super::spec::{OperandSpec::First, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::{git, words};
use crate::shell::{DoubtReason, FileAccess, WordPiece};

/// Options that show what is in files.
const PATCH: &str = "patch";
/// Options that show, beside the files that are named, all that changed with them.
const FULL: &str = "full";
/// Options that show something else instead.
const QUIET: &str = "quiet";
/// What is read from the input says what is shown, and which files of it.
const INPUT: &str = "input";
/// Options that name objects; none has to be a commit.
const OBJECTS: &str = "objects";

/// What pathspecs, or other operands, speak of.
struct ShownOperands {
    uses: OperandUse,
    /// Whether what is in files is shown.
    shown: bool,
    /// Whether an operand that stands before `--` may be a revision; all of it is shown.
    revisions: bool,
    /// Whether `HEAD:name` shows that one file, and of a folder the names alone.
    blobs: bool,
    /// Whether only commits are walked through: an operand that names no commit is passed over.
    commits: bool,
    /// Whether one operand that is a file is that file: git refuses a word that is a revision besides.
    files: bool,
}

impl ShownOperands {
    /// Revisions and pathspecs.
    const fn of(uses: OperandUse, shown: bool) -> Self {
        Self { uses, shown, revisions: true, blobs: false, commits: false, files: false }
    }

    /// The same, where `HEAD:name` is one file.
    const fn with_blobs(uses: OperandUse, shown: bool) -> Self {
        Self { blobs: true, ..Self::of(uses, shown) }
    }
}

/// All files that git finds, as this argument says.
pub(super) fn everything(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let target = words::text(walk.place(0), ".");
    walk.path(part.arg, FileAccess::Read, target, true);
}

/// Whether what is in files is shown: by default, or because an option says so.
fn shown(walk: &ArgumentWalk, by_default: bool) -> bool {
    walk.kept(PATCH).is_some() || (by_default && walk.kept(QUIET).is_none())
}

/// Commits, which an option makes show what is in files.
pub(super) fn history(walk: &mut ArgumentWalk) {
    let shown = shown(walk, false);
    over(walk, &ShownOperands { commits: true, ..ShownOperands::of(OperandUse::Read, shown) });
}

/// Commits, and what is in the files that they change.
pub(super) fn show(walk: &mut ArgumentWalk) {
    let shown = shown(walk, true);
    over(walk, &ShownOperands::with_blobs(OperandUse::Read, shown));
}

/// Differences, or files of anywhere.
pub(super) fn diff(walk: &mut ArgumentWalk) {
    let files = walk.kept("files").is_some() && walk.operands.len() > 1;
    let shown = shown(walk, true) && !files;
    over(walk, &ShownOperands { files: true, ..ShownOperands::of(OperandUse::ReadBelow, shown) });
}

/// Differences of trees, as their names, unless an option says otherwise.
pub(super) fn trees(walk: &mut ArgumentWalk) {
    let shown = shown(walk, false);
    over(walk, &ShownOperands::of(OperandUse::ReadBelow, shown));
}

/// What is changed, which an option makes show what is in files. So may a word that only the run will tell.
pub(super) fn status(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let certain = operands.iter().all(|operand| walk.place(operand.arg).literal().is_some());
    if !certain || walk.recursive {
        everything(walk, ArgumentPart { arg: 0, skip: 0 });
    }
}

/// All that is in a revision.
pub(super) fn packed(walk: &mut ArgumentWalk) {
    over(walk, &ShownOperands::of(OperandUse::Read, true));
}

/// An object: `-p OBJECT`, or `KIND OBJECT`.
pub(super) fn one_object(walk: &mut ArgumentWalk) {
    let kind = walk.operands.len() > 1;
    if kind {
        walk.operands.remove(0);
    }
    let shown = kind || shown(walk, false);
    over(walk, &ShownOperands::with_blobs(OperandUse::Read, shown));
}

/// What is searched: revisions and pathspecs, or files alone.
pub(super) fn searched(walk: &mut ArgumentWalk) {
    let certain = walk.operands.first().is_some_and(|first| !walk.place(first.arg).splits());
    if !walk.settled && certain {
        // The pattern.
        walk.operands.remove(0);
    }
    let files = walk.kept("files").is_some() && walk.kept("kept").is_none();
    over(
        walk,
        &ShownOperands { revisions: !files, ..ShownOperands::of(OperandUse::ReadBelow, true) },
    );
}

/// Stashes, which any option makes show what is in files, unless one says what to show instead. Those that git did not know
/// are in no index.
pub(super) fn stash(walk: &mut ArgumentWalk) {
    let mut words =
        walk.argv.iter().skip(walk.from).take_while(|word| word.literal() != Some("--"));
    let options =
        words.any(|word| words::beginning(word).starts_with('-') || word.literal().is_none());
    let shown = shown(walk, options);
    if let Some(part) = walk.kept("untracked").filter(|_| shown) {
        walk.runs(part.arg, DoubtReason::ShowsSecrets);
    }
    over(walk, &ShownOperands::of(OperandUse::Read, shown));
}

/// Stashes, as `git log` lists them.
pub(super) fn stashes(walk: &mut ArgumentWalk) {
    if shown(walk, false) || walk.kept(INPUT).is_some() {
        everything(walk, ArgumentPart { arg: 0, skip: 0 });
    }
    git::picks(walk);
}

/// All that revisions hold goes into a file, or to the reader of the output.
pub(super) fn bundled(walk: &mut ArgumentWalk) {
    everything(walk, ArgumentPart { arg: 0, skip: 0 });
    walk.lay_out(First(OperandUse::Write, OperandUse::Nothing), OperandUse::Nothing);
}

/// Options that stand before the name of what a command does: `git reflog -p`.
pub(super) fn before(walk: &mut ArgumentWalk) {
    if let Some(part) = walk.kept(PATCH).or_else(|| walk.kept(INPUT)) {
        everything(walk, part);
    }
}

/// Files that are taken in, not shown: what is known of their names counts.
pub(super) fn taken(walk: &mut ArgumentWalk, operand: WalkOperand, uses: OperandUse) {
    walk.operand_is(operand, uses);
    let word = walk.place(operand.arg);
    let begins = words::beginning(word);
    let pattern = match begins.strip_prefix(':') {
        Some(rest) if rest.starts_with('(') => rest.split_once(')').map_or("", |(_, rest)| rest),
        Some(rest) => rest.trim_start_matches(['/', ':', '!', '^']),
        None => begins,
    };
    let special = pattern.find(is_special);
    if pattern.len() == begins.len() && special.is_none() {
        return;
    }
    let (known, open) = pattern.split_at(special.unwrap_or(pattern.len()));
    let mut target = words::text(word, known);
    if !open.is_empty() {
        target.pieces.push(WordPiece::Glob(open.to_owned()));
    }
    target.pieces.extend(word.pieces.iter().skip(1).cloned());
    walk.path(operand.arg, FileAccess::Read, target, matches!(uses, OperandUse::ReadBelow));
}

pub(super) fn is_special(char: char) -> bool {
    matches!(char, '*' | '?' | '[' | '\\')
}

fn over(walk: &mut ArgumentWalk, of: &ShownOperands) {
    let operands = std::mem::take(&mut walk.operands);
    let from = walk.from;
    let mut words = walk.argv.iter().enumerate().skip(from);
    let dashes = words.find(|(_, word)| word.literal() == Some("--")).map(|(at, _)| at);
    let mut limited = false;
    let mut all_limit = !operands.is_empty();
    let mut revisions = Vec::new();
    for operand in &operands {
        let part = ArgumentPart { arg: operand.arg, skip: 0 };
        let pattern = !of.revisions || dashes.is_some_and(|dashes| dashes < operand.arg);
        if !pattern || !words::beginning(walk.place(operand.arg)).starts_with(':') {
            // A folder stands for all that is in it.
            let uses = if of.shown { OperandUse::ReadBelow } else { of.uses };
            git::named(walk, part, uses);
        }
        if pattern {
            limited = true;
            if of.shown {
                pathspec(walk, part);
            }
        } else {
            all_limit &= of.blobs && walk.place(operand.arg).literal().is_some_and(is_blob);
            revisions.push(operand.arg);
        }
    }
    let objects = (of.shown || of.blobs) && !of.commits;
    let all = of.shown && (walk.kept(FULL).is_some() || (!limited && !all_limit));
    let is_file = |operand: &WalkOperand| {
        let word = walk.place(operand.arg);
        // With `-C` it is seen from elsewhere.
        walk.from == 2 && words::is_plain_path(word) && words::stays_below(word)
    };
    let alters =
        walk.kept(FULL).is_some() || walk.kept(INPUT).is_some() || walk.kept(OBJECTS).is_some();
    let file = operands.first().filter(|first| operands.len() == 1 && is_file(first));
    if let Some(file) = file.filter(|_| of.files && all && !alters) {
        return walk.runs(file.arg, DoubtReason::ShowsFile);
    }
    if all || walk.kept(INPUT).is_some() || objects && walk.kept(OBJECTS).is_some() {
        everything(walk, ArgumentPart { arg: 0, skip: 0 });
    } else if objects {
        // A file that is named by its id is shown beside any other words, and in a folder other names begin.
        revisions.into_iter().for_each(|arg| object(walk, arg, of.blobs));
    }
}

/// A word in the place of a revision. `blobs`: `HEAD:name` is one file.
fn object(walk: &mut ArgumentWalk, arg: usize, blobs: bool) {
    let is_one = |text: &str| !text.contains(':') || blobs && is_blob(text);
    if walk.place(arg).literal().is_some_and(is_one) {
        walk.runs(arg, DoubtReason::ShowsObjects);
    } else {
        everything(walk, ArgumentPart { arg, skip: 0 });
    }
}

/// A revision; where it is no commit, all of it may be shown, or put in another place.
pub(super) fn revision(walk: &mut ArgumentWalk, part: ArgumentPart) {
    git::named(walk, part, OperandUse::Read);
    if part.skip == 0 {
        object(walk, part.arg, true);
    } else {
        everything(walk, part);
    }
}

/// A tree from which files are taken under the names that they have in it: `HEAD:secrets` has them without their folder.
pub(super) fn source(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    // What these name is a commit.
    let is_head = |text: &str| {
        let rest = text.strip_prefix("HEAD").or_else(|| text.strip_prefix('@'));
        rest.is_some_and(|rest| rest.bytes().all(|byte| b"~^0123456789".contains(&byte)))
    };
    if word.literal().is_some_and(is_head) {
        return;
    }
    if word.literal().is_none_or(|text| text.contains(':')) {
        git::named(walk, part, OperandUse::ReadBelow);
    }
    if part.skip == 0 {
        object(walk, part.arg, false);
    } else {
        everything(walk, part);
    }
}

/// Operands whose contents are shown, or put under other names, without a word that says which files they are.
pub(super) fn contents(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    everything(walk, ArgumentPart { arg: 0, skip: 0 });
}

/// Revisions that are put into the index.
pub(super) fn taken_revisions(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        object(walk, operand.arg, false);
    }
}

/// Whether it names one file of a revision: `HEAD:file`, `:file`, `:1:file`.
fn is_blob(text: &str) -> bool {
    text.split_once(':').is_some_and(|(revision, path)| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
        !revision.contains('{')
            && !path.starts_with(['/', ':'])
            && !path.is_empty()
            && path.bytes().all(plain)
    })
}

/// A pattern for files. What it may find lies below the folder that it begins with, or anywhere.
fn pathspec(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    let certain = word.literal().is_some();
    let special = begins.find(is_special);
    let any_case = walk.argv.iter().any(|word| word.literal() == Some("--icase-pathspecs"));
    if certain && special.is_none() && !begins.starts_with(':') && !any_case {
        return;
    }
    let glob = |piece: &WordPiece| matches!(piece, WordPiece::Text(_) | WordPiece::Glob(_));
    let known = begins.get(..special.unwrap_or(begins.len())).unwrap_or_default();
    match known.rsplit_once('/') {
        Some((folder, _))
            if !folder.is_empty()
                && !begins.starts_with(':')
                && !any_case
                && word.pieces.iter().all(glob) =>
        {
            let folder = words::text(&word, folder);
            walk.path(part.arg, FileAccess::Read, folder, true);
        }
        _ => everything(walk, part),
    }
}
