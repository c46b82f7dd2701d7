//! What is behind a limit: no longer understood, but searched for commands, so that a deny of them bites.

use std::collections::HashSet;

use super::findings::LineFindings;
use super::{Span, Word, WordPiece, effects};

/// The most commands that are added.
const MOST: usize = 500;
/// The most words of each.
const WORDS: usize = 6;
/// What stands between commands, wherever it stands.
static SEPARATES: [bool; 256] = {
    let mut separates = [false; 256];
    let bytes = b";|&\n(){}`";
    let mut index = 0;
    while index < bytes.len() {
        separates[bytes[index] as usize] = true;
        index += 1;
    }
    separates
};

/// Adds each command that may stand in `text`, as far as its beginning is plain. Anything too many only denies more: the
/// analysis is unknown already.
pub(super) fn sweep(text: &str, place: Option<Span>, findings: &mut LineFindings) {
    let mut seen = HashSet::new();
    // What was seen lately, so that what is repeated costs little.
    let mut lately = [""; 64];
    let bytes = text.as_bytes();
    let mut from = 0;
    while from < text.len() && seen.len() < MOST {
        let rest = bytes.get(from..).unwrap_or_default();
        let length =
            rest.iter().position(|byte| SEPARATES[usize::from(*byte)]).unwrap_or(rest.len());
        if length == 0 {
            from += 1;
            continue;
        }
        let part = text.get(from..from + length).unwrap_or_default();
        let last = part.as_bytes().last().copied().unwrap_or_default();
        let slot = lately.get_mut((usize::from(last) + 7 * part.len()) % 64);
        if let Some(slot) = slot
            && *slot != part
        {
            *slot = part;
            let argv = words(part, from, place);
            if !argv.is_empty() && seen.insert(part) {
                findings.beyond(argv);
            }
        }
        from += length + 1;
    }
}

/// The first words of a command that may stand at `from`.
fn words(part: &str, from: usize, place: Option<Span>) -> Vec<Word> {
    let mut argv: Vec<Word> = Vec::new();
    let mut at = from;
    for piece in part.split([' ', '\t']) {
        let span = place.unwrap_or(Span { start: at, end: at + piece.len() });
        at += piece.len() + 1;
        if piece.is_empty() || (argv.is_empty() && leads(piece)) {
            continue;
        }
        if argv.len() == WORDS {
            argv.push(Word { span, pieces: vec![WordPiece::Unknown { splits: true }] });
            break;
        }
        argv.push(Word { span, pieces: vec![plain(piece)] });
    }
    argv
}

/// Whether a command may stand behind this word.
fn leads(word: &str) -> bool {
    const WORDS: &[&str] =
        &["!", "if", "then", "else", "elif", "while", "until", "do", "eval", "coproc"];
    word.starts_with(['-', '#', '<', '>'])
        || word.contains('=')
        || WORDS.contains(&word)
        || effects::leads(word)
}

/// The word without its quotes, when nothing expands in it.
fn plain(word: &str) -> WordPiece {
    if word.contains(['$', '*', '?', '[', '~', '<', '>']) {
        return WordPiece::Unknown { splits: true };
    }
    WordPiece::Text(word.chars().filter(|char| !matches!(char, '\'' | '"' | '\\')).collect())
}
