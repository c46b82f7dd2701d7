//! What is behind a limit: no longer understood, but searched for commands, so that a deny of them bites.

use std::collections::HashSet;

use super::findings::Findings;
use super::{Piece, Span, Word};

/// The most commands that are added.
const MOST: usize = 500;
/// The most words of each.
const WORDS: usize = 6;
/// What stands between commands, wherever it stands.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '(', ')', '{', '}', '`'];

/// Adds each command that may stand in `text`, as far as its beginning is plain. Anything too many only denies more: the
/// analysis is unknown already.
pub(super) fn sweep(text: &str, place: Option<Span>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    let mut start = 0;
    for part in text.split(SEPARATORS) {
        let from = start;
        start += part.len() + 1;
        let mut argv: Vec<Word> = Vec::new();
        let mut at = from;
        for piece in part.split([' ', '\t']) {
            let span = place.unwrap_or(Span { start: at, end: at + piece.len() });
            at += piece.len() + 1;
            if piece.is_empty() || (argv.is_empty() && leads(piece)) {
                continue;
            }
            argv.push(Word { span, pieces: vec![plain(piece)] });
            if argv.len() == WORDS {
                break;
            }
        }
        let Some(last) = argv.last() else { continue };
        let span = last.span;
        let end = span.end.saturating_sub(from).min(part.len());
        if !seen.insert(part.get(..end).unwrap_or(part)) {
            continue;
        }
        argv.push(Word { span, pieces: vec![Piece::Unknown { splits: true }] });
        findings.beyond(argv);
        if seen.len() >= MOST {
            return;
        }
    }
}

/// Whether a command may stand behind this word.
fn leads(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "!", "if", "then", "else", "elif", "while", "until", "do", "time", "env", "sudo", "doas",
        "nice", "nohup", "command", "builtin", "exec", "xargs", "eval", "coproc",
    ];
    word.starts_with(['-', '#', '<', '>']) || word.contains('=') || WORDS.contains(&word)
}

/// The word without its quotes, when nothing expands in it.
fn plain(word: &str) -> Piece {
    if word.contains(['$', '*', '?', '[', '~', '<', '>']) {
        return Piece::Unknown { splits: true };
    }
    Piece::Text(word.chars().filter(|char| !matches!(char, '\'' | '"' | '\\')).collect())
}
