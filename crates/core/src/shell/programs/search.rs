//! `find` and `xargs`, which run commands on what they find.

use super::super::findings::span_of;
use super::super::prover::Prover;
use super::super::{Piece, Role, Why, Word};

/// `find`: a command of its own, and what its `-exec` runs.
pub(super) fn find(prover: &mut Prover<'_, '_>, argv: Vec<Word>) {
    let command = prover.plain(argv.clone());
    let roots = roots(&argv);
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        at += 1;
        match word.literal() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                if word.literal().is_some_and(|name| name.ends_with("dir")) {
                    prover.found.anywhere();
                }
                let end = argv.iter().enumerate().skip(at).position(|(index, word)| {
                    match word.literal() {
                        Some(";") => true,
                        Some("+") => argv.get(index - 1).and_then(Word::literal) == Some("{}"),
                        _ => false,
                    }
                });
                let Some(length) = end else {
                    prover.found.unknown(word.span, Why::NotUnderstood);
                    prover.rest(&argv, at);
                    return;
                };
                let words = argv.get(at..at + length).unwrap_or_default();
                let many = argv.get(at + length).and_then(Word::literal) == Some("+");
                if words.is_empty() {
                    prover.found.unknown(word.span, Why::MissingCommand);
                }
                // `-execdir` names what it finds without its directory.
                let below = if word.literal().is_some_and(|name| name.ends_with("dir")) {
                    &[]
                } else {
                    roots.as_slice()
                };
                let inner: Vec<Word> =
                    words.iter().map(|word| found_below(below, word, many)).collect();
                if prover.found.pay_words(length, word.span) {
                    let before = prover.found.len();
                    let outer = std::mem::take(&mut prover.found.files);
                    if are_no_options(below) {
                        let files = words
                            .iter()
                            .zip(&inner)
                            .filter(|(word, _)| word.literal() == Some("{}"));
                        prover.found.files = files.map(|(_, file)| file.clone()).collect();
                    }
                    prover.runs(inner.clone());
                    prover.found.files = outer;
                    for (word, inner) in words.iter().zip(&inner) {
                        if word.literal() == Some("{}") {
                            prover.found.below(before, inner, below);
                        }
                    }
                }
                at += length + 1;
            }
            Some("-delete" | "-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                prover.found.unknown_at(word.span, Why::Deletes, command, at - 1);
            }
            // `$x` and `-name$x`: the value can bring more words, such as `-exec`.
            None if word.pieces.contains(&Piece::Unknown { splits: true })
                || may_become_action(word) =>
            {
                prover.found.unknown_at(word.span, Why::MayBeOption, command, at - 1);
            }
            _ => {}
        }
    }
}

/// What deletes, writes or runs.
const ACTIONS: &[&str] = &[
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-delete",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-fls",
    "-files0-from",
];

/// Whether a pattern for names of files could become one of these: a file can be called `-delete`.
fn may_become_action(word: &Word) -> bool {
    let end = match word.pieces.as_slice() {
        [Piece::Glob(_), .., Piece::Text(end)] => end.as_str(),
        [Piece::Glob(_), ..] => "",
        _ => return false,
    };
    ACTIONS.iter().any(|action| action.ends_with(end))
}

/// Where the search begins. Empty: it cannot be told.
fn roots(argv: &[Word]) -> Vec<Word> {
    let literal = |names: &[&str]| {
        argv.iter().any(|word| word.literal().is_some_and(|text| names.contains(&text)))
    };
    // Roots that stand in a file or in an option; a word that may be an option or none.
    if literal(&["-files0-from", "-f"]) {
        return Vec::new();
    }
    let mut words = argv.iter().skip(1).peekable();
    while let Some(word) = words.peek() {
        match word.literal() {
            Some("-H" | "-L" | "-P" | "--") => {}
            Some(text) if text.starts_with("-O") => {}
            _ => break,
        }
        words.next();
    }
    let expression = |word: &Word| super::leading(word).starts_with(['-', '(', ')', '!', ',']);
    let roots: Vec<Word> = words.take_while(|word| !expression(word)).cloned().collect();
    match (roots.is_empty(), argv.first()) {
        (true, Some(find)) => {
            vec![Word { span: find.span, pieces: vec![Piece::Text(".".to_owned())] }]
        }
        _ => roots,
    }
}

/// Whether nothing that begins like one of these roots can be an option.
fn are_no_options(roots: &[Word]) -> bool {
    let certain = |root: &Word| match root.pieces.first() {
        Some(Piece::Text(text)) => !text.is_empty() && !root.splits(),
        Some(Piece::Home) => !root.splits(),
        _ => false,
    };
    !roots.is_empty() && roots.iter().all(certain)
}

/// The word with what is found in it. Below a single root its beginning is known, so that it is no option.
fn found_below(roots: &[Word], word: &Word, many: bool) -> Word {
    let certain =
        |root: &Word| root.pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Home));
    match roots {
        [root] if word.literal() == Some("{}") && certain(root) => {
            let mut pieces = root.pieces.clone();
            pieces.push(Piece::Unknown { splits: many });
            Word { span: word.span, pieces }
        }
        _ => replaced(word, "{}", many),
    }
}

/// The word, with every `mark` in it replaced by what is not known.
fn replaced(word: &Word, mark: &str, many: bool) -> Word {
    if mark.is_empty() {
        return word.clone();
    }
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) if text.contains(mark) => {
                for (index, part) in text.split(mark).enumerate() {
                    if index > 0 {
                        pieces.push(Piece::Unknown { splits: many });
                    }
                    if !part.is_empty() {
                        pieces.push(Piece::Text(part.to_owned()));
                    }
                }
            }
            other => pieces.push(other.clone()),
        }
    }
    Word { span: word.span, pieces }
}

/// `xargs`: what it runs gets words that are not known.
pub(super) fn xargs(prover: &mut Prover<'_, '_>, argv: Vec<Word>, role: Role) {
    let span = span_of(&argv);
    let Some(launch) = prover.wrapper(&argv, role) else { return };
    for given in launch.given.iter().filter(|given| given.is("variable")) {
        match given.value.as_ref().and_then(Word::literal) {
            Some(name) => prover.found.assign(span, name),
            None => prover.found.unknown(span, Why::UnknownOption),
        }
    }
    // Of several marks the last counts, and the letters of one may be the words of another.
    let marks = launch.given.iter().filter(|given| given.is("mark") || given.is("lines"));
    if marks.count() > 1 {
        prover.found.unknown(span, Why::UnknownOption);
    }
    let mark = match launch.find("mark") {
        None => None,
        Some(given) => match &given.value {
            None => Some("{}"),
            Some(value) => match value.literal() {
                Some(mark) => Some(mark),
                None => return prover.found.unknown(span, Why::UnknownOption),
            },
        },
    };
    let words = argv.get(launch.command..).unwrap_or_default();
    let mut inner: Vec<Word> = match mark {
        Some(mark) => words.iter().map(|word| replaced(word, mark, false)).collect(),
        None => words.to_vec(),
    };
    if inner.is_empty() {
        inner.push(Word { span, pieces: vec![Piece::Text("echo".to_owned())] });
    }
    if mark.is_none() {
        inner.push(Word { span, pieces: vec![Piece::Unknown { splits: true }] });
    }
    if prover.found.pay_words(inner.len(), span) {
        prover.runs(inner);
    }
}
