//! Quotes.

use super::super::prover::{LineProver, Read, ReadStop};
use super::{DoubtReason, QuotingState, SeenExpansion, WordPiece, WordPieces};

impl LineProver<'_, '_> {
    /// `'…'`
    pub(in super::super) fn single(&mut self, out: &mut WordPieces) -> Read {
        out.quote();
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(length) = rest.find('\'') else {
            self.at = self.text.len();
            return Err(ReadStop(DoubtReason::NotUnderstood));
        };
        out.text(rest.get(..length).unwrap_or_default());
        self.at += length + 2;
        Ok(())
    }

    /// `"…"`
    pub(in super::super) fn double(&mut self, out: &mut WordPieces) -> Read {
        out.quote();
        self.at += 1;
        self.expanding(QuotingState::Double, out)?;
        if self.byte(self.at) != b'"' {
            return Err(ReadStop(DoubtReason::NotUnderstood));
        }
        self.at += 1;
        Ok(())
    }

    /// Text in which only `$`, backticks and backslashes mean something; up to the `"`, or to the end.
    pub(in super::super) fn expanding(
        &mut self, quoting: QuotingState, out: &mut WordPieces,
    ) -> Read {
        loop {
            let start = self.at;
            let rest = self.text.as_bytes().get(start..).unwrap_or_default();
            let length = rest.iter().position(|byte| match byte {
                b'$' | b'`' | b'\\' => true,
                b'"' => quoting == QuotingState::Double,
                _ => false,
            });
            self.at = length.map_or(self.text.len(), |length| start + length);
            out.text(self.slice(start, self.at));
            match self.byte(self.at) {
                b'$' => self.dollar(quoting, out)?,
                b'`' => self.backtick(quoting, out)?,
                b'\\' => {
                    match self.byte(self.at + 1) {
                        b'\n' => {}
                        b'"' if quoting == QuotingState::Here => out.text("\\\""),
                        b'$' | b'`' | b'"' | b'\\' => {
                            out.text(self.slice(self.at + 1, self.at + 2));
                        }
                        _ => {
                            // The backslash stays, and what follows is read as usual.
                            out.text("\\");
                            self.at += 1;
                            continue;
                        }
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                _ => return Ok(()),
            }
        }
    }

    /// `$'…'`, as ANSI C has it. With an escape that shells, or their versions, read differently nothing of it is certain.
    pub(super) fn ansi(&mut self, out: &mut WordPieces) -> Read {
        out.quote();
        self.bump(2);
        let mut text = String::new();
        let mut certain = true;
        loop {
            let start = self.at;
            let rest = self.text.as_bytes().get(start..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'\'' | b'\\')) else {
                self.at = self.text.len();
                return Err(ReadStop(DoubtReason::NotUnderstood));
            };
            text.push_str(self.slice(start, start + length));
            self.at = start + length + 1;
            if self.byte(start + length) == b'\'' {
                break;
            }
            match self.ansi_escape() {
                Some(character) => text.push(character),
                None => certain = false,
            }
        }
        if certain {
            out.text(&text);
        } else {
            self.seen.push(SeenExpansion::Text);
            out.push(WordPiece::Unknown { splits: false });
        }
        Ok(())
    }

    /// What stands behind the backslash; `None`, behind the character there, when it is not certain what it makes.
    fn ansi_escape(&mut self) -> Option<char> {
        let simple = match self.byte(self.at) {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'a' => '\x07',
            b'b' => '\x08',
            b'f' => '\x0c',
            b'v' => '\x0b',
            b'e' | b'E' => '\x1b',
            b'\\' => '\\',
            b'\'' => '\'',
            b'"' => '"',
            b'0'..=b'7' => return self.digits(0, 3, 8),
            b'x' => return self.digits(1, 2, 16),
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                self.at += rest.chars().next().map_or(0, char::len_utf8);
                return None;
            }
        };
        self.at += 1;
        Some(simple)
    }

    /// Up to `most` digits behind `skip` bytes, as an ASCII character that means nothing to the shell itself.
    fn digits(&mut self, skip: usize, most: usize, radix: u32) -> Option<char> {
        self.at += skip;
        let mut value = 0;
        for _ in 0..most {
            let Some(digit) = char::from(self.byte(self.at)).to_digit(radix) else { break };
            value = value * radix + digit;
            self.at += 1;
        }
        char::from_u32(value).filter(|character| matches!(character, '\x02'..='\x7e'))
    }
}
