//! `[[ … ]]`

use super::super::DoubtReason;
use super::super::lexer::{LexedWord, WordMode};
use super::super::prover::{LineProver, Read, ReadStop};

/// Operators whose operands are evaluated as arithmetic.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl LineProver<'_, '_> {
    /// Behind the `[[`.
    pub(super) fn conditional(&mut self) -> Read {
        let mut parens = 0usize;
        let mut mode = WordMode::Plain;
        // The operand before, and whether the next is compared as a number, or names a variable.
        let mut before: Option<(LexedWord, usize)> = None;
        let (mut numeric, mut named) = (false, false);
        loop {
            self.blanks();
            match self.peek() {
                0 | b';' => return Err(ReadStop(DoubtReason::NotUnderstood)),
                b'\n' => self.newline()?,
                b'(' if mode == WordMode::Plain => {
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
                        return Err(ReadStop(DoubtReason::NotUnderstood));
                    }
                    self.bump(2);
                    before = None;
                    // A `=~` before it was an operand: `[[ -n =~ && ( x -eq 1 ) ]]`.
                    mode = WordMode::Plain;
                }
                b'<' | b'>' if self.second() != b'(' => {
                    self.bump(1);
                    before = None;
                }
                _ => {
                    self.peek();
                    let start = self.at;
                    let lexed = self.word(mode)?;
                    mode = WordMode::Plain;
                    let literal = lexed.word.literal().filter(|_| !lexed.quoted);
                    match literal {
                        Some("]]") if parens == 0 => return Ok(()),
                        Some("=~") => {
                            mode = WordMode::Regex;
                            self.found.values.lose("BASH_REMATCH");
                        }
                        Some("=" | "==" | "!=") => mode = WordMode::Pattern,
                        Some("-v" | "-R") => named = true,
                        // Where an operand has to come it is one: `-eq` is a minus, and the variable `eq`.
                        Some(operator) if before.is_some() && NUMERIC.contains(&operator) => {
                            numeric = true;
                            if let Some((left, start)) = before.take() {
                                self.compared(&left, start);
                            }
                            continue;
                        }
                        _ => {}
                    }
                    if numeric {
                        self.compared(&lexed, start);
                        numeric = false;
                    } else if named && literal != Some("-v") && literal != Some("-R") {
                        let name =
                            lexed.word.literal().is_some_and(crate::shell::programs::is_name);
                        if !name {
                            self.unknown(start, DoubtReason::Arithmetic);
                        }
                        named = false;
                    }
                    before = Some((lexed, start));
                }
            }
        }
    }

    /// An operand that is evaluated as arithmetic, quoted parts included.
    fn compared(&mut self, operand: &LexedWord, start: usize) {
        self.computes(start, &operand.word.pieces, &operand.seen);
    }
}
