//! Words that a program itself expands: patterns and braces in quotes, which no shell has looked at.

use super::words;
use crate::shell::{Word, WordPiece};

/// More alternatives than anyone writes in one word.
const MOST: usize = 64;

/// What a program that takes the word for a pattern of its own looks for: each alternative of its braces, its wildcards as those
/// of a shell. Without any, it is no pattern: an empty list. `None`: there are too many.
pub(super) fn alternatives(word: &Word) -> Option<Vec<Word>> {
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(part) | WordPiece::Glob(part) => text.push_str(part),
            WordPiece::Home | WordPiece::Unknown { .. } => return Some(Vec::new()),
        }
    }
    if words::pattern_root(&text).is_none() {
        return Some(Vec::new());
    }
    let texts = written_out(&text)?;
    Some(texts.iter().map(|text| Word { span: word.span, pieces: pieces(text) }).collect())
}

/// The texts that braces make. An unclosed one is a character like others. `None`: there are too many of either.
pub(crate) fn written_out(text: &str) -> Option<Vec<String>> {
    if text.matches('{').count() > MOST {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![(String::new(), text.to_owned())];
    while let Some((mut before, rest)) = open.pop() {
        if done.len() + open.len() >= MOST {
            return None;
        }
        let Some((plain, inside)) = rest.split_once('{') else {
            done.push(before + &rest);
            continue;
        };
        before.push_str(plain);
        match parts(inside) {
            Some((parts, after)) => {
                let more = |part: &&str| (before.clone(), format!("{part}{after}"));
                open.extend(parts.iter().rev().map(more));
            }
            None => open.push((before + "{", inside.to_owned())),
        }
    }
    Some(done)
}

/// The parts up to the brace that closes, and what stands behind it.
fn parts(inside: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut from) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, char) in inside.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inside.get(from..at)?);
                from = at + 1;
            }
            '}' => {
                parts.push(inside.get(from..at)?);
                return Some((parts, inside.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// The text with its wildcards as patterns. It begins with a text, so that it is known to lie here.
fn pieces(text: &str) -> Vec<WordPiece> {
    let mut pieces: Vec<WordPiece> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '*' => rest.bytes().take_while(|byte| *byte == b'*').count(),
            '?' => 1,
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            _ => 0,
        };
        if length > 0 {
            if pieces.is_empty() {
                pieces.push(WordPiece::Text("./".to_owned()));
            }
            let (pattern, behind) = rest.split_at(length);
            pieces.push(WordPiece::Glob(pattern.to_owned()));
            rest = behind;
        } else {
            let end = rest.find(['*', '?', '[']).unwrap_or(rest.len());
            let (plain, behind) = rest.split_at(end);
            pieces.push(WordPiece::Text(plain.to_owned()));
            rest = behind;
        }
    }
    pieces
}

/// What stands before a `**`, for a program that goes through no symlink below that.
pub(super) fn before_deep(word: &mut Word) {
    let is_deep = |piece: &WordPiece| matches!(piece, WordPiece::Glob(text) if text.contains("**"));
    let Some(at) = word.pieces.iter().position(is_deep) else { return };
    word.pieces.truncate(at);
    if let Some(WordPiece::Text(text)) = word.pieces.last_mut() {
        *text = directory(text);
    }
}

/// The directory of a path that goes on.
fn directory(text: &str) -> String {
    let dir = text.rsplit_once('/').map_or(".", |(dir, _)| dir);
    if dir.is_empty() { "/" } else { dir }.to_owned()
}

/// The directory that an alternative surely begins with, or all of it where it is no pattern.
pub(super) fn root(alternative: &Word) -> String {
    let text: String = alternative
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            WordPiece::Text(text) | WordPiece::Glob(text) => Some(text.as_str()),
            WordPiece::Home | WordPiece::Unknown { .. } => None,
        })
        .collect();
    words::pattern_root(&text).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let word = Word {
            span: crate::shell::Span { start: 0, end: 0 },
            pieces: vec![WordPiece::Text(text.to_owned())],
        };
        let show = |piece: &WordPiece| match piece {
            WordPiece::Text(text) => text.clone(),
            WordPiece::Glob(text) => format!("<{text}>"),
            _ => "…".to_owned(),
        };
        let words = alternatives(&word)?;
        Some(words.iter().map(|word| word.pieces.iter().map(show).collect()).collect())
    }

    #[test]
    fn each_alternative_of_a_brace_is_a_path() {
        for (text, expected) in [
            ("src/a.js", vec![]),
            ("{a,b}/*.js", vec!["a/<*>.js", "b/<*>.js"]),
            ("{a,{b,c}d}.{js,ts}", vec!["a.js", "a.ts", "bd.js", "bd.ts", "cd.js", "cd.ts"]),
            ("l?/v.js", vec!["l<?>/v.js"]),
            ("**/*.js", vec!["./<**>/<*>.js"]),
            ("[a-z]o/v.js", vec!["./<[a-z]>o/v.js"]),
            ("app/[id]/x", vec!["app/<[id]>/x"]),
            ("a{b", vec!["a{b"]),
            ("{a}", vec!["a"]),
            ("a{b,c", vec!["a{b,c"]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(shown(text), Some(expected), "{text}");
        }
        assert_eq!(shown(&"{a,b}".repeat(20)), None);
        assert_eq!(shown(&format!("*{}", "{".repeat(100_000))), None);
    }
}
