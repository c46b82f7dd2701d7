//! What `$` and backticks expand.

use super::super::prover::{Prover, Read, Stop};
use super::{Close, Piece, Pieces, Quoting, Why};

impl Prover<'_, '_> {
    /// Whatever starts with the `$` that is next.
    pub(in super::super) fn dollar(&mut self, quoting: Quoting, out: &mut Pieces) -> Read {
        let splits = quoting == Quoting::None;
        let start = self.at;
        match self.second() {
            b'(' => {
                self.bump(2);
                let commands = self.at;
                if self.peek() == b'(' {
                    self.bump(1);
                    if self.deeper(|this| this.arithmetic(Close::Parens))? {
                        out.push(Piece::Unknown { splits });
                        return Ok(());
                    }
                    self.second_reading(commands)?;
                }
                self.substitution()?;
                out.push(Piece::Unknown { splits });
            }
            b'{' => {
                self.bump(2);
                let home = self.deeper(|this| this.braced(quoting))?;
                let many = self.slice(start, self.at).contains('@');
                let unknown = Piece::Unknown { splits: splits || many };
                out.push(if home { Piece::Home } else { unknown });
            }
            b'\'' if splits && self.bash() => self.ansi(out)?,
            b'"' if splits && self.bash() => {
                self.bump(1);
                self.peek();
                self.double(out)?;
            }
            b'[' if self.bash() => {
                self.bump(2);
                self.deeper(|this| this.arithmetic(Close::Bracket))?;
                out.push(Piece::Unknown { splits });
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                self.bump(1);
                let home = self.name() == "HOME";
                out.push(if home { Piece::Home } else { Piece::Unknown { splits } });
            }
            b'@' => {
                self.bump(2);
                out.push(Piece::Unknown { splits: true });
            }
            b'$' => {
                self.bump(2);
                if matches!(self.peek(), b'(' | b'{' | b'[') {
                    // Inside of double quotes bash looks for the end of an expansion that starts with the second.
                    self.unknown(start, Why::NotUnderstood);
                }
                out.push(Piece::Unknown { splits });
            }
            b'0'..=b'9' | b'*' | b'#' | b'?' | b'!' | b'-' => {
                self.bump(2);
                out.push(Piece::Unknown { splits });
            }
            _ => {
                self.bump(1);
                out.text("$");
            }
        }
        Ok(())
    }

    /// What looked like arithmetic holds commands: back to `commands` to read them.
    pub(in super::super) fn second_reading(&mut self, commands: usize) -> Read {
        let text = self.slice(commands, self.at);
        let doubtful = !self.bash()
            || text.contains(['#', '\'', '"', '\\', '`'])
            || text.contains("<<")
            || text.contains("case");
        let length = text.len();
        if doubtful {
            self.unknown(commands, Why::NotUnderstood);
        }
        if !self.found.pay(length, self.span(commands)) {
            return Err(Stop(Why::TooMuch));
        }
        self.at = commands;
        Ok(())
    }

    /// The name of a variable; empty when there is none.
    pub(in super::super) fn name(&mut self) -> String {
        let mut name = String::new();
        if self.peek().is_ascii_digit() {
            return name;
        }
        loop {
            let byte = self.peek();
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                return name;
            }
            name.push(char::from(byte));
            self.bump(1);
        }
    }

    /// The commands of `$( )` or `<( )`, behind the opening parenthesis.
    pub(in super::super) fn substitution(&mut self) -> Read {
        self.deeper(|this| {
            let start = this.at;
            let outer = std::mem::take(&mut this.waiting);
            let inside = std::mem::replace(&mut this.in_substitution, true);
            let document = this.behind_document.take();
            this.list()?;
            this.documents_end();
            this.expect(b')')?;
            this.in_substitution = inside;
            this.behind_document = document;
            // Shells differ in where such here-documents stand.
            let lines = !outer.is_empty() && this.slice(start, this.at).contains('\n');
            if lines || !this.waiting.is_empty() {
                this.unknown(start, Why::HereDocument);
            }
            let inner = std::mem::replace(&mut this.waiting, outer);
            this.waiting.extend(inner);
            Ok(())
        })
    }

    /// Backticks.
    pub(in super::super) fn backtick(&mut self, quoting: Quoting, out: &mut Pieces) -> Read {
        let start = self.at;
        let mut script = String::new();
        let mut doubtful = false;
        self.at += 1;
        loop {
            let from = self.at;
            let rest = self.text.as_bytes().get(from..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'`' | b'\\')) else {
                self.at = self.text.len();
                return Err(Stop(Why::NotUnderstood));
            };
            script.push_str(self.slice(from, from + length));
            self.at = from + length;
            if self.byte(self.at) == b'`' {
                self.at += 1;
                break;
            }
            if self.byte(self.at + 1) == b'\n' {
                // Gone before the commands are read, also inside of their single quotes.
                self.at += 2;
                continue;
            }
            let drops = match self.byte(self.at + 1) {
                b'`' | b'\\' | b'$' => true,
                b'"' => {
                    doubtful |= quoting == Quoting::Here;
                    quoting == Quoting::Double
                }
                _ => false,
            };
            if !drops {
                script.push('\\');
                self.at += 1;
                continue;
            }
            script.push_str(self.slice(self.at + 1, self.at + 2));
            self.at += 2;
        }
        if doubtful {
            self.unknown(start, Why::NotUnderstood);
        }
        let span = self.span(start);
        self.nested(&script, span)?;
        out.push(Piece::Unknown { splits: quoting == Quoting::None });
        Ok(())
    }

    /// `${…}`, behind the brace. Says whether it is `${HOME}`.
    fn braced(&mut self, quoting: Quoting) -> Read<bool> {
        let start = self.at;
        let first = self.peek();
        if matches!(first, b' ' | b'\t' | b'\n' | b'|' | b'(') {
            // The newest bash runs commands there.
            self.unknown(start, Why::NotUnderstood);
            if first == b'|' {
                self.bump(1);
            }
            self.list()?;
            self.blanks();
            return self.expect(b'}').map(|()| false);
        }
        let after = self.second();
        let named = after.is_ascii_alphanumeric() || after == b'_';
        let indirect = first == b'!' && (named || matches!(after, b'@' | b'*' | b'#' | b'?'));
        let length = first == b'#' && (named || matches!(after, b'@' | b'*' | b'$' | b'!'));
        if indirect || length {
            self.bump(1);
        }
        let name = self.name();
        if name.is_empty() {
            match self.peek() {
                b'0'..=b'9' => {
                    while self.peek().is_ascii_digit() {
                        self.bump(1);
                    }
                }
                b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' => self.bump(1),
                _ => self.unknown(start, Why::NotUnderstood),
            }
        }
        let mut keys = false;
        if self.peek() == b'[' {
            self.bump(1);
            keys = matches!(self.peek(), b'@' | b'*') && self.second() == b']';
            self.arithmetic(Close::Bracket)?;
        }
        let list = matches!(self.peek(), b'@' | b'*') && self.second() == b'}';
        if indirect && !(keys && self.peek() == b'}') && !list {
            self.unknown(start, Why::Indirect);
        }
        let plain = !indirect && !length && !keys && name == "HOME" && self.peek() == b'}';
        self.operation(start, &name, quoting)?;
        Ok(plain)
    }

    /// What is done with the variable of `${…}`.
    fn operation(&mut self, start: usize, name: &str, quoting: Quoting) -> Read {
        let second = self.second();
        match self.peek() {
            b'}' => self.bump(1),
            b'@' | b'*' => {
                if !(b"QEUuLKkAa".contains(&second) || second == b'}') {
                    self.unknown(start, Why::Indirect);
                }
                return self.operand(quoting, false);
            }
            b':' if !matches!(second, b'-' | b'=' | b'?' | b'+') => {
                self.bump(1);
                if !self.bash() {
                    self.unknown(start, Why::NotUnderstood);
                }
                self.arithmetic(Close::Brace)?;
            }
            byte @ (b':' | b'-' | b'=' | b'?' | b'+') => {
                if byte == b'=' || (byte == b':' && second == b'=') {
                    let span = self.span(start);
                    self.found.assign(span, name);
                    self.found.tainted = true;
                }
                self.bump(if byte == b':' { 2 } else { 1 });
                return self.operand(quoting, false);
            }
            b'#' | b'%' => return self.operand(quoting, true),
            b'/' | b'^' | b',' | b'~' => {
                if !self.bash() {
                    self.unknown(start, Why::NotUnderstood);
                }
                return self.operand(quoting, true);
            }
            _ => {
                self.unknown(start, Why::NotUnderstood);
                return self.operand(quoting, true);
            }
        }
        Ok(())
    }

    /// The text up to the closing brace.
    fn operand(&mut self, quoting: Quoting, pattern: bool) -> Read {
        let quoted = quoting != Quoting::None;
        let scratch = &mut Pieces::default();
        loop {
            match self.peek() {
                0 => return Err(Stop(Why::NotUnderstood)),
                b'}' => {
                    self.bump(1);
                    return Ok(());
                }
                b'\\' => self.at = (self.at + 2).min(self.text.len()),
                b'\'' if quoted => {
                    // Whether this is a quote depends on the shell and its mode.
                    let certain = self.bash() && pattern && quoting == Quoting::Double;
                    if !certain {
                        self.unknown(self.at, Why::NotUnderstood);
                    }
                    if self.bash() || pattern {
                        self.single(scratch)?;
                    } else {
                        self.at += 1;
                    }
                }
                b'\'' => self.single(scratch)?,
                b'"' => {
                    if quoting == Quoting::Here {
                        self.unknown(self.at, Why::NotUnderstood);
                    }
                    self.double(scratch)?;
                }
                b'$' => {
                    let quote = quoted && matches!(self.second(), b'\'' | b'"');
                    if quote && self.bash() && pattern && quoting == Quoting::Double {
                        // In a pattern the quotes count, even inside of double quotes.
                        self.dollar(Quoting::None, scratch)?;
                        continue;
                    }
                    if quote {
                        self.unknown(self.at, Why::NotUnderstood);
                    }
                    self.dollar(quoting, scratch)?;
                }
                b'`' => self.backtick(quoting, scratch)?,
                b'<' | b'>' if self.bash() && self.second() == b'(' => {
                    self.unknown(self.at, Why::NotUnderstood);
                    self.bump(2);
                    self.substitution()?;
                }
                _ => self.bump(1),
            }
        }
    }
}
