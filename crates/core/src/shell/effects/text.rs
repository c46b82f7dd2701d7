//! Filters: some of their options write files or run programs.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, Word, WordPiece};

/// What becomes a part of a name. With a slash in it, it would name another directory.
pub(super) fn suffix(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if walk.word(part).literal().is_none_or(|text| text.contains('/')) {
        walk.runs(part.arg, DoubtReason::Script);
    }
}

/// With `-e` and `-i` its operands are no files.
pub(super) fn shuf(walk: &mut ArgumentWalk) {
    let uses = if walk.kept("words").is_some() { OperandUse::Nothing } else { OperandUse::Read };
    walk.lay_out(All(uses), OperandUse::Nothing);
}

/// `split [in [prefix]]`: it writes files that begin with the prefix.
pub(super) fn split(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            walk.operand_is(*operand, OperandUse::Read);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            let mut target = walk.place(operand.arg).clone();
            target.pieces.push(crate::shell::WordPiece::Unknown { splits: false });
            walk.path(operand.arg, crate::shell::FileAccess::Write, target, false);
        }
    }
    if operands.len() < 2 {
        // `xaa`, `xab` …
        let mut target = super::words::text(walk.place(0), "x");
        target.pieces.push(crate::shell::WordPiece::Unknown { splits: false });
        walk.path(0, crate::shell::FileAccess::Write, target, false);
    }
}

/// `csplit in pattern…`
pub(super) fn csplit(walk: &mut ArgumentWalk) {
    walk.lay_out(First(OperandUse::Read, OperandUse::Nothing), OperandUse::Nothing);
    match walk.kept("prefix") {
        Some(part) => {
            let mut target = walk.word(part);
            target.pieces.push(crate::shell::WordPiece::Unknown { splits: false });
            walk.path(part.arg, crate::shell::FileAccess::Write, target, false);
        }
        // `xx00`, `xx01`, …
        None => walk.here(OperandUse::WriteBelow),
    }
}

/// A filter, unless a file holds it, then files. `--arg` and the like take a name and then one word more.
pub(super) fn jq(walk: &mut ArgumentWalk) {
    named(walk);
    let uses = if walk.kept("in_place").is_some() { OperandUse::Change } else { OperandUse::Read };
    if walk.kept("from").is_some() {
        return walk.lay_out(All(uses), OperandUse::Nothing);
    }
    if let Some(arg) = walk.operands.first().map(|operand| operand.arg) {
        filter(walk, ArgumentPart { arg, skip: 0 }, JQ);
    }
    walk.lay_out(First(OperandUse::Nothing, uses), OperandUse::Nothing);
}

/// Takes what belongs to `--arg` and the like out of the operands.
fn named(walk: &mut ArgumentWalk) {
    let files: Vec<usize> = walk.all_kept("files").into_iter().map(|part| part.arg + 1).collect();
    let texts: Vec<usize> = walk.all_kept("texts").into_iter().map(|part| part.arg + 1).collect();
    for second in files.iter().chain(&texts) {
        for at in [second - 1, *second] {
            let counts =
                |word: &Word| words::doubt_of_value(word, 0).is_some() || words::is_pattern(word);
            if walk.argv.get(at).is_some_and(counts) {
                walk.runs(at, DoubtReason::CountsWords);
            }
        }
    }
    for operand in std::mem::take(&mut walk.operands) {
        if files.binary_search(&operand.arg).is_ok() {
            walk.operand_is(operand, OperandUse::Read);
        } else if texts.binary_search(&operand.arg).is_err() {
            walk.operands.push(operand);
        }
    }
}

/// Words of a filter that make it unknown: modules are other files, and variables of the environment are often secret.
type FilterKeywords = &'static [(&'static str, DoubtReason)];

const JQ: FilterKeywords = &[
    ("import", DoubtReason::Script),
    ("include", DoubtReason::Script),
    ("modulemeta", DoubtReason::Script),
    ("__prog_args", DoubtReason::Script),
    ("env", DoubtReason::ShowsSecrets),
    ("ENV", DoubtReason::ShowsSecrets),
];

const YQ: FilterKeywords = &[
    ("load", DoubtReason::Script),
    ("load_str", DoubtReason::Script),
    ("load_xml", DoubtReason::Script),
    ("load_props", DoubtReason::Script),
    ("load_base64", DoubtReason::Script),
    ("eval", DoubtReason::Script),
    ("system", DoubtReason::RunsCode),
    ("strenv", DoubtReason::ShowsSecrets),
    ("envsubst", DoubtReason::ShowsSecrets),
];

fn filter(walk: &mut ArgumentWalk, part: ArgumentPart, keywords: FilterKeywords) {
    let word = walk.word(part);
    let found: Vec<DoubtReason> = match word.pieces.as_slice() {
        [] => return,
        [WordPiece::Text(text)] => keywords
            .iter()
            .filter(|(keyword, _)| has_keyword(text, keyword))
            .map(|(_, why)| *why)
            .collect(),
        _ => vec![DoubtReason::Script],
    };
    for why in found {
        walk.runs(part.arg, why);
    }
}

/// Whether the word stands in the filter as itself, not as a key (`.include`, `"include"`, `{include: 1}`).
fn has_keyword(filter: &str, word: &str) -> bool {
    filter.match_indices(word).any(|(at, _)| {
        let part = |char: char| char.is_alphanumeric() || char == '_';
        let before = filter.get(..at).and_then(|text| text.chars().next_back());
        let after = filter.get(at + word.len()..).and_then(|text| text.chars().next());
        let key = after == Some(':') && before.is_some_and(|char| matches!(char, '{' | ',' | ' '));
        let own = before.is_some_and(|char| part(char) && !word.starts_with('_'));
        let field = before.is_some_and(|char| matches!(char, '.' | '"'));
        !(own || field || key || after.is_some_and(part))
    })
}

/// `yq [eval] filter file…`; where there is one word only, it is the file.
pub(super) fn yq(walk: &mut ArgumentWalk) {
    named(walk);
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(first, Some("e" | "eval" | "ea" | "eval-all")) {
        walk.operands.remove(0);
    }
    if walk.kept("split").is_some() {
        walk.here(OperandUse::Write);
    }
    let uses = if walk.kept("in_place").is_some() { OperandUse::Change } else { OperandUse::Read };
    let expressions = walk.all_kept("expression");
    for part in &expressions {
        filter(walk, *part, JQ);
        filter(walk, *part, YQ);
    }
    // One word alone is a file, if there is one of this name, and an expression otherwise.
    if let ([only], true) = (walk.operands.as_slice(), expressions.is_empty()) {
        let part = ArgumentPart { arg: only.arg, skip: 0 };
        let is_file = |text: &str| {
            let named = |char: char| char.is_alphanumeric() || "/._-".contains(char);
            text.contains(['.', '/']) && !text.starts_with('.') && text.chars().all(named)
        };
        if !walk.word(part).literal().is_some_and(is_file) {
            filter(walk, part, JQ);
            filter(walk, part, YQ);
        }
    }
    if !expressions.is_empty() || walk.operands.len() == 1 {
        return walk.lay_out(All(uses), OperandUse::Nothing);
    }
    if let Some(arg) = walk.operands.first().map(|operand| operand.arg) {
        filter(walk, ArgumentPart { arg, skip: 0 }, JQ);
        filter(walk, ArgumentPart { arg, skip: 0 }, YQ);
    }
    walk.lay_out(First(OperandUse::Nothing, uses), OperandUse::Nothing);
}
