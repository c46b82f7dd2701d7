//! The regular expressions that people write over commands, as patterns over words.
//!
//! Literal text, groups, `|`, `?` after them, `\s`, `\b`, `.*`, `^` and `$` are understood. Everything else may match whatever
//! it likes: an allow with it is not translated, an ask or a deny is cut off before it.

use super::words::{End, Part, Words};

/// Groups lie at most so deep in groups.
const DEEPEST: usize = 16;
/// An expression stands for at most so many patterns.
const MOST: usize = 128;

/// A part of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Start,
    Text(char),
    Space,
    Boundary,
    /// `.*`
    Any,
    End,
    /// It may match anything.
    Unknown,
}

type Sequence = Vec<Step>;

/// Patterns that match no more than the expression does; `None` when there are none.
pub(super) fn narrow(source: &str) -> Option<Vec<Words>> {
    let sequences = sequences(source)?;
    if source == ".*" {
        return Some(vec![Words::all()]);
    }
    if sequences.iter().any(|sequence| matches_empty(sequence)) {
        return None;
    }
    sequences
        .iter()
        .map(|sequence| words(sequence).filter(|(_, whole)| *whole).map(|(words, _)| words))
        .collect()
}

/// Patterns that together match no less than the expression does; `None` when only all commands together do.
pub(super) fn wide(source: &str, flags: &str) -> Option<Vec<Words>> {
    if matches!(source, ".*" | "^.*" | "^.*$") {
        return Some(vec![Words::all()]);
    }
    let any_case = flags.contains('i') && source.chars().any(char::is_alphabetic);
    if any_case || flags.contains('m') {
        return None;
    }
    let words = sequences(source)?.into_iter().map(|sequence| {
        let anchored = sequence.first() == Some(&Step::Start);
        words(&sequence).filter(|_| anchored).map(|(words, _)| words)
    });
    words.collect()
}

fn matches_empty(sequence: &[Step]) -> bool {
    sequence.iter().all(|part| matches!(part, Step::Start | Step::Any | Step::End))
}

/// A pattern, and whether it is the whole sequence and not only its beginning. `None`: it could be anything.
fn words(sequence: &[Step]) -> Option<(Words, bool)> {
    let sequence = sequence.strip_prefix(&[Step::Start]).unwrap_or(sequence);
    let mut words: Vec<Vec<Part>> = Vec::new();
    let mut word: Vec<Part> = Vec::new();
    let mut end = End::Glued;
    let mut whole = true;
    let mut rest = sequence.iter().peekable();
    while let Some(part) = rest.next() {
        match part {
            Step::Text(c) => match word.last_mut() {
                Some(Part::Text(text)) => text.push(*c),
                _ => word.push(Part::Text(c.to_string())),
            },
            Step::Space if word.is_empty() => {}
            Step::Space => words.push(std::mem::take(&mut word)),
            Step::Any => {
                if word.last() != Some(&Part::Any) {
                    word.push(Part::Any);
                }
            }
            Step::Boundary => {
                let after_letter =
                    matches!(word.last(), Some(Part::Text(text)) if text.ends_with(is_letter));
                let next: Vec<&Step> = rest.clone().collect();
                match next.as_slice() {
                    _ if !after_letter => whole = false,
                    [Step::Space | Step::End, ..] => continue,
                    [] | [Step::Any] | [Step::Any, Step::End] => end = End::Boundary,
                    _ => whole = false,
                }
                if !whole {
                    word.push(Part::Any);
                }
                break;
            }
            Step::End if rest.peek().is_none() => end = End::Closed,
            Step::Start | Step::End | Step::Unknown => {
                whole = false;
                word.push(Part::Any);
                break;
            }
        }
    }
    let any_at_end = word.last() == Some(&Part::Any);
    if any_at_end && word.len() > 1 {
        word.pop();
        end = End::Glued;
    } else if any_at_end || word.is_empty() {
        // After a space something must follow, whatever it is.
        word = vec![Part::Any];
        end = End::Word;
    }
    words.push(word);
    let alone = words.len() == 1 && words.first().is_some_and(|word| word == &[Part::Any]);
    (!alone).then_some((Words { words, end }, whole))
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn sequences(source: &str) -> Option<Vec<Sequence>> {
    let mut reader = Reader { rest: source };
    let sequences = reader.alternatives(0)?;
    reader.rest.is_empty().then_some(sequences)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Until the end or a `)`.
    fn alternatives(&mut self, depth: usize) -> Option<Vec<Sequence>> {
        let mut all = Vec::new();
        loop {
            let mut sequences = vec![Sequence::new()];
            while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
                let atoms = self.quantified(depth)?;
                let longer = sequences.iter().flat_map(|sequence| {
                    atoms.iter().map(move |atom| [sequence.as_slice(), atom].concat())
                });
                sequences = longer.take(MOST + 1).collect();
                if sequences.len() > MOST {
                    return None;
                }
            }
            all.extend(sequences);
            if all.len() > MOST {
                return None;
            }
            if !self.take("|") {
                return Some(all);
            }
        }
    }

    fn quantified(&mut self, depth: usize) -> Option<Vec<Sequence>> {
        let is_dot = self.rest.starts_with('.');
        let mut atoms = self.atom(depth)?;
        let is_space = atoms == [[Step::Space]];
        let mut count = 0;
        while let Some(sign @ ('?' | '*' | '+' | '{')) = self.rest.chars().next() {
            self.next();
            if sign == '{' {
                while self.next().is_some_and(|c| c != '}') {}
            }
            count += 1;
            match sign {
                // `*?` is as greedy to us as `*`.
                '?' if count > 1 => {}
                '+' if is_space => {}
                '*' if is_dot && count == 1 => atoms = vec![vec![Step::Any]],
                '?' => atoms.push(Sequence::new()),
                '*' if is_space => atoms.push(Sequence::new()),
                _ => atoms = vec![vec![Step::Unknown]],
            }
        }
        Some(atoms)
    }

    fn atom(&mut self, depth: usize) -> Option<Vec<Sequence>> {
        let part = match self.next()? {
            '^' => Step::Start,
            '$' => Step::End,
            '.' => Step::Unknown,
            ' ' => Step::Space,
            '[' => {
                self.class();
                Step::Unknown
            }
            '(' => {
                let known = self.take("?:") || !self.rest.starts_with('?');
                if depth == DEEPEST {
                    return None;
                }
                let atoms = self.alternatives(depth + 1)?;
                if !self.take(")") {
                    return None;
                }
                return Some(if known { atoms } else { vec![vec![Step::Unknown]] });
            }
            '\\' => match self.next()? {
                's' => Step::Space,
                'b' => Step::Boundary,
                c if c.is_alphanumeric() => Step::Unknown,
                c => Step::Text(c),
            },
            c if "*+?{})]".contains(c) => Step::Unknown,
            c => Step::Text(c),
        };
        Some(vec![vec![part]])
    }

    /// Over the rest of a class.
    fn class(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                ']' => return,
                _ => {}
            }
        }
    }
}
