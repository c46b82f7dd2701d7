//! `[[ … ]]`

use super::super::lexer::{Lexed, Mode};
use super::super::prover::{Prover, Read, Stop};
use super::super::{Piece, Why};

/// Operators whose operands are evaluated as arithmetic.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Prover<'_, '_> {
    /// Behind the `[[`.
    pub(super) fn conditional(&mut self) -> Read {
        let mut parens = 0usize;
        let mut mode = Mode::Plain;
        // The operand before, and whether the next is compared as a number, or names a variable.
        let mut before: Option<(Lexed, usize, usize)> = None;
        let (mut numeric, mut named) = (false, false);
        loop {
            self.blanks();
            match self.peek() {
                0 | b';' => return Err(Stop(Why::NotUnderstood)),
                b'\n' => self.newline()?,
                b'(' if mode == Mode::Plain => {
                    parens += 1;
                    self.bump(1);
                    continue;
                }
                b')' if parens > 0 => {
                    parens -= 1;
                    self.bump(1);
                }
                b'&' | b'|' => {
                    let byte = self.peek();
                    if self.second() != byte {
                        return Err(Stop(Why::NotUnderstood));
                    }
                    self.bump(2);
                    before = None;
                }
                b'<' | b'>' if self.second() != b'(' => {
                    self.bump(1);
                    before = None;
                }
                _ => {
                    self.peek();
                    let (start, facts) = (self.at, self.found.len());
                    let lexed = self.word(mode)?;
                    mode = Mode::Plain;
                    let literal = lexed.word.literal().filter(|_| !lexed.quoted);
                    match literal {
                        Some("]]") if parens == 0 => return Ok(()),
                        Some("=~") => mode = Mode::Regex,
                        Some("=" | "==" | "!=") => mode = Mode::Pattern,
                        Some("-v" | "-R") => named = true,
                        Some(operator) if NUMERIC.contains(&operator) => {
                            numeric = true;
                            if let Some((left, start, facts)) = before.take() {
                                self.compared(&left, start, facts);
                            }
                            continue;
                        }
                        _ => {}
                    }
                    if numeric || (named && literal != Some("-v") && literal != Some("-R")) {
                        self.compared(&lexed, start, facts);
                        numeric = false;
                        named = false;
                    }
                    before = Some((lexed, start, facts));
                }
            }
        }
    }

    /// An operand that is evaluated as arithmetic.
    fn compared(&mut self, operand: &Lexed, start: usize, facts: usize) {
        self.found.computes = true;
        let code = operand.word.pieces.iter().any(|piece| match piece {
            Piece::Text(text) => {
                text.contains(['[', '`', '$', '=']) || text.contains("++") || text.contains("--")
            }
            Piece::Glob(_) => true,
            Piece::Home | Piece::Unknown { .. } => false,
        });
        if code {
            self.unknown(start, Why::Arithmetic);
        }
        let has_commands = self.found.len() > facts;
        if has_commands {
            self.number(start, facts);
        }
    }
}
