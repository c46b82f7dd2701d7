//! Writes what changes in a text as a unified diff that is safe to show.

use std::fmt::Write;
use std::ops::Range;

use super::context::TextLanguage;
use super::diff::{LineChange, changes, lines};
use super::layout::GUTTER;
use super::safe::{exact_line, leaves_out};
use crate::call::Digest;

/// Lines that stay, shown before and after each change.
const CONTEXT: usize = 3;
/// What is shown of a diff at each end, in lines
const END_LINES: usize = 200;
/// and in bytes.
const END_BYTES: usize = 16_000;
/// What is shown of a line at each of its ends, in characters.
const LINE_END: usize = 1_000;

/// A diff made safe to show.
#[derive(Debug)]
pub(super) struct ShownDiff {
    /// Its lines, each with a line feed. Those of the two texts stand behind the gutter, all others do not.
    pub(super) text: String,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Whether there is more of it than is shown, of a line too.
    pub(super) cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// The head of a hunk.
    Head,
    Kept,
    Removed,
    Added,
}

/// Lines of a diff that are of one kind: indexes of the old text, of the new one for added lines, of the heads for heads.
struct HunkPiece {
    kind: LineKind,
    range: Range<usize>,
}

/// The diff between two texts.
pub(super) fn between(old: &str, new: &str) -> ShownDiff {
    let language = TextLanguage::of(old).and(TextLanguage::of(new));
    let (old_lines, new_lines) = (lines(old), lines(new));
    let changes = changes(&old_lines, &new_lines);
    let added = changes.iter().map(|change| change.new.len()).sum();
    let removed = changes.iter().map(|change| change.old.len()).sum();
    let (heads, pieces) = pieces(&changes, old_lines.len());

    let line = |(kind, index): (LineKind, usize)| -> String {
        let (mark, line) = match kind {
            LineKind::Head => {
                return heads.get(index).map(|head| format!("{head}\n")).unwrap_or_default();
            }
            LineKind::Kept => (' ', old_lines.get(index)),
            LineKind::Removed => ('-', old_lines.get(index)),
            LineKind::Added => ('+', new_lines.get(index)),
        };
        let line = line.copied().unwrap_or_default();
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, ""),
            None => (line, "\\ no newline at the end of the file\n"),
        };
        format!("{GUTTER}{mark} {}\n{end}", exact_line(line, LINE_END, language))
    };
    let mut all =
        pieces.iter().flat_map(|piece| piece.range.clone().map(|index| (piece.kind, index)));
    let mut text = String::new();
    let mut shown = 0;
    while shown < END_LINES && text.len() < END_BYTES {
        let Some(next) = all.next() else { break };
        text.push_str(&line(next));
        shown += 1;
    }
    let (mut tail, mut size) = (Vec::new(), 0);
    while tail.len() < END_LINES && size < END_BYTES {
        let Some(next) = all.next_back() else { break };
        tail.push(line(next));
        size += tail.last().map_or(0, String::len);
    }
    let mut hidden = [0_usize; 3];
    for (kind, _) in all {
        match kind {
            LineKind::Head => {}
            LineKind::Kept => hidden[0] += 1,
            LineKind::Removed => hidden[1] += 1,
            LineKind::Added => hidden[2] += 1,
        }
    }
    let has_long_lines = text.lines().any(leaves_out) || tail.iter().any(|line| leaves_out(line));
    let is_short = hidden == [0; 3];
    if !is_short {
        let [kept, removed, added] = hidden;
        let _infallible = writeln!(
            text,
            "…[{} lines of the diff hidden here: +{added} −{removed}, {kept} unchanged; SHA-256 of the new content: {}]…",
            kept + removed + added,
            Digest::of_text(new)
        );
    }
    tail.iter().rev().for_each(|line| text.push_str(line));
    ShownDiff { text, added, removed, cut: !is_short || has_long_lines }
}

/// The heads of the hunks, and what they are made of.
fn pieces(changes: &[LineChange], old_len: usize) -> (Vec<String>, Vec<HunkPiece>) {
    let (mut heads, mut pieces) = (Vec::new(), Vec::new());
    for hunk in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = first.old.start.min(CONTEXT);
        let after = (old_len - last.old.end).min(CONTEXT);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        pieces.push(HunkPiece { kind: LineKind::Head, range: heads.len()..heads.len() + 1 });
        heads.push(format!("@@ -{} +{} @@", span(&old), span(&new)));
        let mut at = old.start;
        for change in hunk {
            pieces.push(HunkPiece { kind: LineKind::Kept, range: at..change.old.start });
            pieces.push(HunkPiece { kind: LineKind::Removed, range: change.old.clone() });
            pieces.push(HunkPiece { kind: LineKind::Added, range: change.new.clone() });
            at = change.old.end;
        }
        pieces.push(HunkPiece { kind: LineKind::Kept, range: at..old.end });
    }
    (heads, pieces)
}

/// A range of lines as unified diffs write it: counted from 1, and the line before it when it is empty.
fn span(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    if range.len() == 1 { start.to_string() } else { format!("{start},{}", range.len()) }
}
