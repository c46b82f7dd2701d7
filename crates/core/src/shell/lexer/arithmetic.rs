//! Arithmetic: `$(( ))`, `(( ))`, `$[ ]`, subscripts and offsets.

use super::super::programs::is_name;
use super::super::prover::{LineProver, Read, ReadStop};
use super::super::values::GivenValue;
use super::super::{FactKind, Word, WordPiece};
use super::{DoubtReason, QuotingState, SeenExpansion, WordPieces};

/// What ends the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ArithmeticClose {
    /// `))`
    Parens,
    /// `]`
    Bracket,
    /// `}`
    Brace,
}

impl LineProver<'_, '_> {
    /// Reads behind the end. `false`: what should have ended with `))` is no arithmetic, but a command in parentheses.
    pub(in super::super) fn arithmetic(&mut self, close: ArithmeticClose) -> Read<bool> {
        let start = self.at;
        let (mut parens, mut brackets) = (0usize, 0usize);
        let scratch = &mut WordPieces::default();
        // Behind a name, and behind an expansion: what follows at once goes on its token.
        let (mut name_ends, mut value_ends) = (usize::MAX, usize::MAX);
        // What stands behind one of these may not be reached.
        let mut surely = true;
        // Something stands here that no arithmetic has.
        let mut odd = false;
        loop {
            let byte = self.peek();
            surely &= !matches!(byte, b'&' | b'|' | b'?' | b':');
            match byte {
                0 if close == ArithmeticClose::Parens => return Ok(false),
                0 => return Err(ReadStop(DoubtReason::NotUnderstood)),
                b'(' => parens += 1,
                b')' if parens > 0 => parens -= 1,
                b')' if close == ArithmeticClose::Parens => {
                    let ends = self.second() == b')';
                    self.bump(if ends { 2 } else { 1 });
                    return Ok(ends);
                }
                b'[' => brackets += 1,
                b']' if brackets > 0 => brackets -= 1,
                b']' if close == ArithmeticClose::Bracket => break,
                b'}' if close == ArithmeticClose::Brace => break,
                b'\\' | b'\'' => {
                    // What is quoted may be evaluated once more.
                    self.unknown(start, DoubtReason::Arithmetic);
                    if byte == b'\''
                        && self.bash()
                        && self.slice(self.at + 1, self.text.len()).contains('\'')
                    {
                        self.single(scratch)?;
                    } else {
                        self.escape(scratch);
                    }
                    continue;
                }
                b'"' => {
                    let (from, seen) = (self.at, self.seen.len());
                    let quoted = &mut WordPieces::default();
                    self.double(quoted)?;
                    let text = self.slice(from, self.at);
                    let pasted = name_ends == from || value_ends == from;
                    if pasted || !self.bash() || text.contains(['\\', '[', '`', '(', ')']) {
                        self.unknown(from, DoubtReason::Arithmetic);
                    }
                    let (pieces, seen) = self.finish(std::mem::take(quoted), seen);
                    self.computes(from, &pieces, &seen);
                    value_ends = self.at;
                    continue;
                }
                b'$' | b'`' => {
                    let (from, seen) = (self.at, self.seen.len());
                    let commands = byte == b'$' && self.second() == b'(';
                    if byte == b'$' {
                        self.dollar(QuotingState::Double, scratch)?;
                    } else {
                        self.backtick(QuotingState::Double, scratch)?;
                    }
                    if !commands {
                        self.counted(from, close);
                    }
                    if name_ends == from {
                        // The name goes on with what is expanded.
                        self.unknown(from, DoubtReason::Arithmetic);
                    }
                    self.numbers_since(from, seen);
                    value_ends = self.at;
                    continue;
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                    let from = self.at;
                    self.variable(start, surely);
                    if value_ends == from {
                        self.unknown(from, DoubtReason::Arithmetic);
                    }
                    name_ends = self.at;
                    continue;
                }
                b'0'..=b'9' => {
                    while self.peek().is_ascii_alphanumeric()
                        || matches!(self.peek(), b'#' | b'@' | b'_')
                    {
                        self.bump(1);
                    }
                    continue;
                }
                b'+' | b'-' if self.second() == byte => {
                    self.bump(2);
                    self.blanks_only();
                    let from = self.at;
                    let name = self.name();
                    if !name.is_empty() {
                        self.looks_at(from, &name);
                        let span = self.span(from);
                        self.found.give(span, &name, GivenValue::Number, false);
                        name_ends = self.at;
                    }
                    continue;
                }
                b' ' | b'\t' | b'\n' | b',' | b';' => {}
                b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' | b'!' | b'<' | b'>' | b'=' => {}
                b'&' | b'|' | b'?' | b':' => {}
                // All of an array.
                b'@' if self.second() == b']' => {}
                _ => {
                    if !odd {
                        self.unknown(start, DoubtReason::Arithmetic);
                    }
                    odd = true;
                    self.take(scratch);
                    continue;
                }
            }
            self.bump(1);
        }
        self.bump(1);
        Ok(true)
    }

    /// Arithmetic looks at what the variable holds.
    fn looks_at(&mut self, from: usize, name: &str) {
        let span = self.span(from);
        if !self.found.values.compute(span, name) {
            self.unknown(from, DoubtReason::Arithmetic);
        }
    }

    /// What has been expanded since that many is used as a number: all of it has to be one.
    fn numbers_since(&mut self, from: usize, seen: usize) {
        let seen = self.seen.split_off(seen.min(self.seen.len()));
        self.are_numbers(from, &seen);
    }

    /// The same, of the expansions of a word.
    fn are_numbers(&mut self, from: usize, seen: &[SeenExpansion]) {
        for seen in seen {
            match seen {
                SeenExpansion::Name(name) => self.looks_at(from, name),
                SeenExpansion::Text => {
                    self.unknown(from, DoubtReason::Arithmetic);
                    return;
                }
            }
        }
    }

    /// A word whose text is evaluated once it is expanded and its quotes are gone. Known are a number, whose parts may be what
    /// holds numbers, and the name of a variable that holds one.
    pub(in super::super) fn computes(
        &mut self, from: usize, pieces: &[WordPiece], seen: &[SeenExpansion],
    ) {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let known = match pieces {
            [WordPiece::Text(name)] if is_name(name) => {
                self.looks_at(from, name);
                true
            }
            pieces => pieces.iter().enumerate().all(|(at, piece)| match piece {
                WordPiece::Text(text) if at == 0 => digits(text.strip_prefix('-').unwrap_or(text)),
                WordPiece::Text(text) => digits(text),
                // What it may hold is among what was seen.
                WordPiece::Unknown { .. } => true,
                WordPiece::Glob(_) | WordPiece::Home => false,
            }),
        };
        if !known {
            self.unknown(from, DoubtReason::Arithmetic);
        }
        self.are_numbers(from, seen);
    }

    /// Where arithmetic ends, bash finds by counting, also inside of an expansion such as the one from `from` to here.
    fn counted(&mut self, from: usize, close: ArithmeticClose) {
        let text = self.slice(from, self.at);
        let certain = match close {
            ArithmeticClose::Parens => !text.contains(['(', ')']),
            ArithmeticClose::Bracket => {
                !text.contains(['(', ')']) && text.matches('[').count() == text.matches(']').count()
            }
            ArithmeticClose::Brace => true,
        };
        if !certain {
            self.unknown(from, DoubtReason::Arithmetic);
        }
    }

    /// A variable in arithmetic, and whether it is set.
    fn variable(&mut self, start: usize, surely: bool) {
        let from = self.at;
        let name = self.name();
        let back = self.at;
        self.blanks_only();
        if self.peek() == b'[' {
            self.looks_at(from, &name);
            // `a[i]=1`: with any subscript, the name counts as set when an assignment follows somewhere.
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let mut line = rest.iter().take_while(|byte| !b"\n;".contains(byte));
            if rest.len() >= 200 || line.any(|byte| b"=+-".contains(byte)) {
                let span = self.span(start);
                self.found.give(span, &name, GivenValue::Number, false);
            }
            self.at = back;
            return;
        }
        let rest = self.slice(self.at, self.text.len()).as_bytes();
        let sets = match rest {
            [b'=', b'=', ..] => false,
            [b'=', ..] | [b'+', b'+', ..] | [b'-', b'-', ..] => true,
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|', b'=', ..] => true,
            [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => true,
            _ => false,
        };
        let plainly = matches!(rest, [b'=', next, ..] if *next != b'=');
        if !plainly {
            self.looks_at(from, &name);
        }
        if sets {
            let span = self.span(start);
            self.found.give(span, &name, GivenValue::Number, surely && plainly);
        }
        self.at = back;
    }

    fn blanks_only(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n') {
            self.bump(1);
        }
    }

    /// Whether the commands of the substitution from `from` to here, whose facts start at `facts`, print nothing but a number.
    pub(super) fn prints_number(&mut self, from: usize, facts: usize) -> bool {
        let text = self.slice(from, self.at);
        let text = text.strip_prefix("$(").or_else(|| text.strip_prefix('`')).unwrap_or(text);
        let text = text.strip_suffix([')', '`']).unwrap_or(text);
        // One pipeline, and nothing in it that expands: then its last command is the last fact.
        if text.contains(['[', ';', '&', '\n', '\\', '`', '{', '(', ')']) || text.contains("||") {
            return false;
        }
        let last = self.found.facts().iter().skip(facts).rev().find_map(|fact| match &fact.what {
            FactKind::Command(command) => Some(command),
            _ => None,
        });
        let Some(last) = last else { return false };
        let words: Option<Vec<&str>> = last.argv.iter().map(Word::literal).collect();
        words.is_some_and(|words| is_number_of(&words))
    }
}

/// Whether this command prints nothing but a number, or nothing at all.
fn is_number_of(words: &[&str]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let flags = |letters: &str| {
        rest.iter().all(|word| {
            word.strip_prefix('-').is_some_and(|flags| {
                !flags.is_empty() && flags.chars().all(|letter| letters.contains(letter))
            })
        })
    };
    match *name {
        "wc" => flags("lwcmL"),
        // Of several files it prints the names as well.
        "grep" | "egrep" | "fgrep" => {
            // Behind an operand an option may be one more file: `POSIXLY_CORRECT` says so.
            let first = rest.iter().position(|word| !word.starts_with('-')).unwrap_or(rest.len());
            let (options, operands) = rest.split_at(first);
            if operands.iter().any(|word| word.starts_with('-')) {
                return false;
            }
            let counts = options.iter().any(|flags| flags.contains('c'));
            let known = options.iter().all(|word| {
                word.len() > 1 && word.chars().skip(1).all(|letter| "civwxEFGPsah".contains(letter))
            });
            counts && known && matches!(operands.len(), 1 | 2)
        }
        "id" => matches!(rest, ["-u" | "-g"]),
        "nproc" => rest.is_empty() || matches!(rest, ["--all"]),
        "tput" => matches!(rest, ["cols" | "lines" | "colors"]),
        "getconf" => {
            matches!(rest, ["_NPROCESSORS_ONLN" | "_NPROCESSORS_CONF" | "PAGESIZE" | "PAGE_SIZE"])
        }
        "date" => {
            let format = rest.iter().filter_map(|word| word.strip_prefix('+'));
            let count = format.clone().count();
            // Letters behind a `%` that are written in digits, and nothing between them.
            let numeric = |format: &str| {
                let mut parts = format.split('%');
                parts.next() == Some("")
                    && parts.all(|part| {
                        let letter = part.strip_prefix(['-', '_', '0']).unwrap_or(part);
                        letter.len() == 1 && "sNYmdHMSjuwyGVUCkIl".contains(letter)
                    })
            };
            count == 1
                && format.clone().all(numeric)
                && rest.iter().all(|word| {
                    !word.starts_with("--i") && !word.starts_with("-I") && !word.starts_with("-R")
                })
        }
        _ => false,
    }
}
