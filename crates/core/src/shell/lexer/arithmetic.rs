//! Arithmetic: `$(( ))`, `(( ))`, `$[ ]`, subscripts and offsets.

use super::super::What;
use super::super::prover::{Prover, Read, Stop};
use super::{Pieces, Quoting, Why};

/// What ends the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Close {
    /// `))`
    Parens,
    /// `]`
    Bracket,
    /// `}`
    Brace,
}

impl Prover<'_, '_> {
    /// Reads behind the end. `false`: what should have ended with `))` is no arithmetic, but a command in parentheses.
    pub(in super::super) fn arithmetic(&mut self, close: Close) -> Read<bool> {
        let start = self.at;
        let (mut parens, mut brackets) = (0usize, 0usize);
        let scratch = &mut Pieces::default();
        loop {
            let byte = self.peek();
            match byte {
                0 if close == Close::Parens => return Ok(false),
                0 => return Err(Stop(Why::NotUnderstood)),
                b'(' => parens += 1,
                b')' if parens > 0 => parens -= 1,
                b')' if close == Close::Parens => {
                    let ends = self.second() == b')';
                    self.bump(if ends { 2 } else { 1 });
                    return Ok(ends);
                }
                b'[' => brackets += 1,
                b']' if brackets > 0 => brackets -= 1,
                b']' if close == Close::Bracket => break,
                b'}' if close == Close::Brace => break,
                b'\\' | b'\'' => {
                    // What is quoted may be evaluated once more.
                    self.unknown(start, Why::Arithmetic);
                    if byte == b'\''
                        && self.bash()
                        && self.slice(self.at + 1, self.text.len()).contains('\'')
                    {
                        self.single(scratch)?;
                    } else {
                        self.at = (self.at + 2).min(self.text.len());
                    }
                    continue;
                }
                b'"' => {
                    let from = self.at;
                    self.double(scratch)?;
                    let text = self.slice(from, self.at);
                    if !self.bash() || text.contains(['\\', '[', '`', '(', ')']) {
                        self.unknown(from, Why::Arithmetic);
                    }
                    continue;
                }
                b'$' => {
                    let from = self.at;
                    let facts = self.found.len();
                    self.found.computes = true;
                    let commands = self.second() == b'(';
                    self.dollar(Quoting::Double, scratch)?;
                    if !commands {
                        self.counted(from, close);
                    }
                    self.number(from, facts);
                    continue;
                }
                b'`' => {
                    let from = self.at;
                    let facts = self.found.len();
                    self.backtick(Quoting::Double, scratch)?;
                    self.counted(from, close);
                    self.number(from, facts);
                    continue;
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                    self.variable(start);
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
                        self.found.computes = true;
                        let span = self.span(from);
                        self.found.assign(span, &name);
                    }
                    continue;
                }
                _ => {}
            }
            self.bump(1);
        }
        self.bump(1);
        Ok(true)
    }

    /// Where arithmetic ends, bash finds by counting, also inside of an expansion such as the one from `from` to here.
    fn counted(&mut self, from: usize, close: Close) {
        let text = self.slice(from, self.at);
        let certain = match close {
            Close::Parens => !text.contains(['(', ')']),
            Close::Bracket => {
                !text.contains(['(', ')']) && text.matches('[').count() == text.matches(']').count()
            }
            Close::Brace => true,
        };
        if !certain {
            self.unknown(from, Why::Arithmetic);
        }
    }

    /// A variable in arithmetic, and whether it is set.
    fn variable(&mut self, start: usize) {
        self.found.computes = true;
        let name = self.name();
        let back = self.at;
        self.blanks_only();
        if self.peek() == b'[' {
            // `a[i]=1`: whatever the subscript, the name counts as set when an assignment follows somewhere.
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let mut line = rest.iter().take_while(|byte| !b"\n;".contains(byte));
            if rest.len() >= 200 || line.any(|byte| b"=+-".contains(byte)) {
                let span = self.span(start);
                self.found.assign(span, &name);
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
        if sets {
            let span = self.span(start);
            self.found.assign(span, &name);
        }
        self.at = back;
    }

    fn blanks_only(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n') {
            self.bump(1);
        }
    }

    /// An expansion from `from` to here, whose facts start at `facts`, is used as a number: unless commands that print
    /// nothing but numbers made it, its text could hold a subscript that runs commands.
    pub(in super::super) fn number(&mut self, from: usize, facts: usize) {
        let last = self.found.facts().iter().skip(facts).rev().find_map(|fact| match &fact.what {
            What::Command(command) => Some(command),
            _ => None,
        });
        let Some(last) = last else { return };
        let name = last.argv.first().and_then(|word| word.literal());
        let numeric = name.is_some_and(|name| NUMERIC.contains(&name));
        let text = self.slice(from, self.at);
        if !numeric || text.contains(['[', ';', '&', '\n', '\\']) {
            self.unknown(from, Why::Arithmetic);
        }
    }
}

/// Commands whose output holds no text of somebody's choosing, unless a `[` stands in their words.
const NUMERIC: &[&str] = &["date", "wc", "nproc", "id", "tput", "getconf"];
