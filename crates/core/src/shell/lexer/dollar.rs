//! What `$` and backticks expand.

use super::super::prover::{LineProver, Read, ReadStop};
use super::super::values::{ALL_PARAMETERS, ExpandedValue, GivenValue, is_number};
use super::{ArithmeticClose, DoubtReason, QuotingState, WordMode, WordPiece, WordPieces};

/// What an expansion may hold, as far as arithmetic cares: one that holds nothing but a number is not noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum SeenExpansion {
    /// What the variable of this name holds, or a part of it.
    Name(String),
    /// Any text.
    Text,
}

impl LineProver<'_, '_> {
    /// All that starts with the `$` that is next.
    pub(in super::super) fn dollar(&mut self, quoting: QuotingState, out: &mut WordPieces) -> Read {
        let splits = quoting == QuotingState::None;
        let start = self.at;
        match self.second() {
            b'(' => {
                self.bump(2);
                let commands = self.at;
                if self.peek() == b'(' {
                    self.bump(1);
                    let first = self.first_reading();
                    if self.deeper(|this| this.arithmetic(ArithmeticClose::Parens))? {
                        self.number(start, splits, out);
                        return Ok(());
                    }
                    self.second_reading(commands, first)?;
                }
                let facts = self.found.len();
                self.substitution()?;
                if !self.prints_number(start, facts) {
                    self.seen.push(SeenExpansion::Text);
                }
                out.push(WordPiece::Unknown { splits });
            }
            b'{' => {
                self.bump(2);
                let braced = self.deeper(|this| this.braced(quoting))?;
                let many = self.slice(start, self.at).contains('@');
                match braced {
                    BracedParameter::Plain(name) => self.variable_value(start, &name, quoting, out),
                    BracedParameter::Given(number) => self.parameter(start, &number, quoting, out),
                    BracedParameter::Number => out.push(self.number_piece(splits)),
                    BracedParameter::Other => {
                        out.push(WordPiece::Unknown { splits: splits || many })
                    }
                }
            }
            b'\'' if splits && self.bash() => self.ansi(out)?,
            b'"' if splits && self.bash() => {
                self.bump(1);
                self.peek();
                self.double(out)?;
            }
            b'[' if self.bash() => {
                self.bump(2);
                self.deeper(|this| this.arithmetic(ArithmeticClose::Bracket))?;
                out.push(self.number_piece(splits));
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                self.bump(1);
                let name = self.name();
                self.variable_value(start, &name, quoting, out);
            }
            b'@' => {
                self.bump(2);
                self.seen.push(SeenExpansion::Text);
                let span = self.span(start);
                match self.found.values.expand(span, ALL_PARAMETERS) {
                    // Each is a word, inside of quotes too.
                    ExpandedValue::Text(pieces) => {
                        self.known_value(&pieces, QuotingState::None, out);
                    }
                    _ => out.push(WordPiece::Unknown { splits: true }),
                }
            }
            b'$' => {
                self.bump(2);
                if matches!(self.peek(), b'(' | b'{' | b'[') {
                    // Inside of double quotes bash looks for the end of an expansion that starts with the second.
                    self.unknown(start, DoubtReason::NotUnderstood);
                }
                out.push(self.number_piece(splits));
            }
            b'#' | b'?' => {
                self.bump(2);
                out.push(self.number_piece(splits));
            }
            b'!' => {
                // It may be nothing, and then there is no word.
                self.bump(2);
                out.push(WordPiece::Unknown { splits });
            }
            digit @ b'0'..=b'9' => {
                self.bump(2);
                self.parameter(start, &char::from(digit).to_string(), quoting, out);
            }
            b'*' | b'-' => {
                self.bump(2);
                self.seen.push(SeenExpansion::Text);
                out.push(WordPiece::Unknown { splits });
            }
            _ => {
                self.bump(1);
                out.text("$");
            }
        }
        Ok(())
    }

    /// The number that the arithmetic from `start` to here comes to.
    fn number(&mut self, start: usize, splits: bool, out: &mut WordPieces) {
        let text = self.slice(start, self.at);
        match self.found.values.sum(text) {
            Some(sum) if !splits || !self.found.values.separators() => out.text(&sum.to_string()),
            _ => out.push(self.number_piece(splits)),
        }
    }

    /// A number: one word, with any value, unless words are split at digits.
    fn number_piece(&self, splits: bool) -> WordPiece {
        WordPiece::Unknown { splits: splits && self.found.values.separators() }
    }

    /// What the variable expands to, in the word that is being read.
    fn variable_value(
        &mut self, start: usize, name: &str, quoting: QuotingState, out: &mut WordPieces,
    ) {
        let splits = quoting == QuotingState::None;
        if name == "HOME" {
            self.seen.push(SeenExpansion::Text);
            return out.push(WordPiece::Home);
        }
        self.seen.push(SeenExpansion::Name(name.to_owned()));
        let span = self.span(start);
        match self.found.values.expand(span, name) {
            ExpandedValue::Number { one: true } => out.push(self.number_piece(splits)),
            ExpandedValue::Text(pieces) => self.known_value(&pieces, quoting, out),
            // The name of a file, as one word.
            ExpandedValue::Found(pieces)
                if !splits && matches!(self.mode, WordMode::Argument | WordMode::Plain) =>
            {
                out.quote();
                for piece in pieces {
                    match piece {
                        WordPiece::Text(text) => out.text(&text),
                        WordPiece::Glob(pattern) => out.glob(&pattern),
                        other => out.push(other),
                    }
                }
            }
            ExpandedValue::Found(_) | ExpandedValue::Number { .. } | ExpandedValue::Unknown => {
                out.push(WordPiece::Unknown { splits })
            }
        }
    }

    /// What the script is given under this number, in the word that is being read.
    fn parameter(
        &mut self, start: usize, number: &str, quoting: QuotingState, out: &mut WordPieces,
    ) {
        self.seen.push(SeenExpansion::Text);
        let span = self.span(start);
        match self.found.values.expand(span, number) {
            ExpandedValue::Text(pieces) => self.known_value(&pieces, quoting, out),
            _ => out.push(WordPiece::Unknown { splits: quoting == QuotingState::None }),
        }
    }

    /// A value that is certain: its text and the home directory.
    fn known_value(&mut self, pieces: &[WordPiece], quoting: QuotingState, out: &mut WordPieces) {
        let splits = quoting == QuotingState::None && self.mode != WordMode::Value;
        let special = |text: &str| text.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
        let simple =
            pieces.iter().all(|piece| !matches!(piece, WordPiece::Text(text) if special(text)));
        let certain =
            !splits || (!pieces.is_empty() && !self.found.values.separators() && !out.in_bracket());
        match pieces {
            _ if certain && (!splits || simple) => {
                for piece in pieces {
                    match piece {
                        WordPiece::Text(text) => out.text(text),
                        other => out.push(other.clone()),
                    }
                }
            }
            // Several words, and patterns.
            [WordPiece::Text(text)]
                if certain && self.mode == WordMode::Argument && !text.contains(['[', '\\']) =>
            {
                out.split(text);
            }
            [] if self.mode == WordMode::Argument && !self.found.values.separators() => {}
            _ => out.push(WordPiece::Unknown { splits: quoting == QuotingState::None }),
        }
    }

    /// Where the reading of what may be arithmetic begins.
    pub(in super::super) fn first_reading(&self) -> FirstReading {
        let (facts, values) = (self.found.len(), self.found.values.mark());
        FirstReading { facts, values, seen: self.seen.len() }
    }

    /// What looked like arithmetic holds commands: back to `commands` to read them.
    pub(in super::super) fn second_reading(
        &mut self, commands: usize, first: FirstReading,
    ) -> Read {
        let text = self.slice(commands, self.at);
        let doubtful = !self.bash()
            || text.contains(['#', '\'', '"', '\\', '`'])
            || text.contains("<<")
            || text.contains("case");
        let length = text.len();
        if doubtful {
            self.unknown(commands, DoubtReason::NotUnderstood);
        }
        if !self.found.pay(length, self.span(commands)) {
            return Err(ReadStop(DoubtReason::TooMuch));
        }
        self.found.values.uncertain(first.values);
        self.seen.truncate(first.seen);
        self.found.is_no_arithmetic(first.facts);
        self.at = commands;
        Ok(())
    }

    /// The name of a variable; empty without one.
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
            let (values, seen) = (this.found.values.mark(), this.seen.len());
            let outer = std::mem::take(&mut this.waiting);
            let inside = std::mem::replace(&mut this.in_substitution, true);
            let document = this.behind_document.take();
            this.list()?;
            this.documents_end();
            this.expect(b')')?;
            this.found.values.uncertain(values);
            this.seen.truncate(seen);
            this.in_substitution = inside;
            this.behind_document = document;
            // Shells differ in where such here-documents stand.
            let lines = !outer.is_empty() && this.slice(start, this.at).contains('\n');
            if lines || !this.waiting.is_empty() {
                this.unknown(start, DoubtReason::HereDocument);
            }
            let inner = std::mem::replace(&mut this.waiting, outer);
            this.waiting.extend(inner);
            Ok(())
        })
    }

    /// Backticks.
    pub(in super::super) fn backtick(
        &mut self, quoting: QuotingState, out: &mut WordPieces,
    ) -> Read {
        let start = self.at;
        let mut script = String::new();
        let mut doubtful = false;
        self.at += 1;
        loop {
            let from = self.at;
            let rest = self.text.as_bytes().get(from..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'`' | b'\\')) else {
                self.at = self.text.len();
                return Err(ReadStop(DoubtReason::NotUnderstood));
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
                    doubtful |= quoting == QuotingState::Here;
                    quoting == QuotingState::Double
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
            self.unknown(start, DoubtReason::NotUnderstood);
        }
        let span = self.span(start);
        let (values, facts) = (self.found.values.mark(), self.found.len());
        let read = self.nested(&script, span);
        self.found.values.uncertain(values);
        read?;
        if !self.prints_number(start, facts) {
            self.seen.push(SeenExpansion::Text);
        }
        out.push(WordPiece::Unknown { splits: quoting == QuotingState::None });
        Ok(())
    }

    /// `${…}`, behind the brace.
    fn braced(&mut self, quoting: QuotingState) -> Read<BracedParameter> {
        let start = self.at;
        let first = self.peek();
        if matches!(first, b' ' | b'\t' | b'\n' | b'|' | b'(') {
            // The newest bash runs commands there.
            self.unknown(start, DoubtReason::NotUnderstood);
            if first == b'|' {
                self.bump(1);
            }
            let values = self.found.values.mark();
            self.list()?;
            self.found.values.uncertain(values);
            self.blanks();
            self.seen.push(SeenExpansion::Text);
            return self.expect(b'}').map(|()| BracedParameter::Other);
        }
        let after = self.second();
        let named = after.is_ascii_alphanumeric() || after == b'_';
        let indirect = first == b'!' && (named || matches!(after, b'@' | b'*' | b'#' | b'?'));
        let length = first == b'#' && (named || matches!(after, b'@' | b'*' | b'$' | b'!'));
        if indirect || length {
            self.bump(1);
        }
        let name = self.name();
        let special = self.peek();
        if name.is_empty() {
            match special {
                b'0'..=b'9' => {
                    while self.peek().is_ascii_digit() {
                        self.bump(1);
                    }
                }
                b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' => self.bump(1),
                _ => self.unknown(start, DoubtReason::NotUnderstood),
            }
        }
        let mut keys = false;
        if self.peek() == b'[' {
            self.bump(1);
            keys = matches!(self.peek(), b'@' | b'*') && self.second() == b']';
            self.arithmetic(ArithmeticClose::Bracket)?;
        }
        let list = matches!(self.peek(), b'@' | b'*') && self.second() == b'}';
        if indirect && !(keys && self.peek() == b'}') && !list {
            self.unknown(start, DoubtReason::Indirect);
        }
        let ends = self.peek() == b'}';
        let subscript = self.slice(start, self.at).contains('[');
        if ends && !indirect && !length && !subscript && !name.is_empty() {
            self.bump(1);
            return Ok(BracedParameter::Plain(name));
        }
        if ends && !indirect && !length && !subscript && special.is_ascii_digit() {
            let digits: String =
                self.slice(start, self.at).chars().filter(char::is_ascii_digit).collect();
            self.bump(1);
            return Ok(BracedParameter::Given(digits));
        }
        let number =
            ends && (length || (!indirect && name.is_empty() && b"#?$".contains(&special)));
        if number {
            self.bump(1);
            return Ok(BracedParameter::Number);
        }
        let text = indirect || name.is_empty() || name == "HOME";
        self.seen.push(if text { SeenExpansion::Text } else { SeenExpansion::Name(name.clone()) });
        self.operation(start, &name, quoting)?;
        Ok(BracedParameter::Other)
    }

    /// What is done with the variable of `${…}`.
    fn operation(&mut self, start: usize, name: &str, quoting: QuotingState) -> Read {
        let second = self.second();
        match self.peek() {
            b'}' => self.bump(1),
            b'@' | b'*' => {
                if !(b"QEUuLKkAa".contains(&second) || second == b'}') {
                    self.unknown(start, DoubtReason::Indirect);
                }
                self.seen.push(SeenExpansion::Text);
                return self.operand(quoting, ExpansionOperand::Text);
            }
            b':' if !matches!(second, b'-' | b'=' | b'?' | b'+') => {
                self.bump(1);
                if !self.bash() {
                    self.unknown(start, DoubtReason::NotUnderstood);
                }
                self.arithmetic(ArithmeticClose::Brace)?;
            }
            byte @ (b':' | b'-' | b'=' | b'?' | b'+') => {
                if byte == b'=' || (byte == b':' && second == b'=') {
                    let span = self.span(start);
                    self.found.give(span, name, GivenValue::Unknown, false);
                }
                self.bump(if byte == b':' { 2 } else { 1 });
                let (values, from) = (self.found.values.mark(), self.at);
                let read = self.operand(quoting, ExpansionOperand::Text);
                self.found.values.uncertain(values);
                let text = self.slice(from, self.at).trim_end_matches('}');
                let expands = text.starts_with('$') && !text.contains(['`', '\'', '"', '\\', '[']);
                if !(is_number(text) || expands) {
                    self.seen.push(SeenExpansion::Text);
                }
                return read;
            }
            b'#' | b'%' => return self.operand(quoting, ExpansionOperand::Pattern),
            b'/' | b'^' | b',' | b'~' => {
                if !self.bash() {
                    self.unknown(start, DoubtReason::NotUnderstood);
                }
                self.seen.push(SeenExpansion::Text);
                return self.operand(quoting, ExpansionOperand::Replacement);
            }
            _ => {
                self.unknown(start, DoubtReason::NotUnderstood);
                return self.operand(quoting, ExpansionOperand::Pattern);
            }
        }
        Ok(())
    }

    /// The text up to the closing brace.
    fn operand(&mut self, quoting: QuotingState, operand: ExpansionOperand) -> Read {
        let quoted = quoting != QuotingState::None;
        let pattern = operand != ExpansionOperand::Text;
        // Whether a quote inside of double quotes is one in each version of bash.
        let settled =
            self.bash() && operand == ExpansionOperand::Pattern && quoting == QuotingState::Double;
        let scratch = &mut WordPieces::default();
        loop {
            match self.peek() {
                0 => return Err(ReadStop(DoubtReason::NotUnderstood)),
                b'}' => {
                    self.bump(1);
                    return Ok(());
                }
                b'\\' => self.at = (self.at + 2).min(self.text.len()),
                b'\'' if quoted => {
                    // Whether this is a quote depends on the shell and its mode.
                    if !settled {
                        self.unknown(self.at, DoubtReason::NotUnderstood);
                    }
                    if self.bash() || pattern {
                        self.single(scratch)?;
                    } else {
                        self.at += 1;
                    }
                }
                b'\'' => self.single(scratch)?,
                b'"' => {
                    if quoting == QuotingState::Here {
                        self.unknown(self.at, DoubtReason::NotUnderstood);
                    }
                    self.double(scratch)?;
                }
                b'$' => {
                    let quote = quoted && matches!(self.second(), b'\'' | b'"');
                    if quote && settled {
                        // In a pattern the quotes count, even inside of double quotes.
                        self.dollar(QuotingState::None, scratch)?;
                        continue;
                    }
                    if quote {
                        self.unknown(self.at, DoubtReason::NotUnderstood);
                    }
                    self.dollar(quoting, scratch)?;
                }
                b'`' => self.backtick(quoting, scratch)?,
                b'<' | b'>' if self.bash() && self.second() == b'(' => {
                    self.unknown(self.at, DoubtReason::NotUnderstood);
                    self.bump(2);
                    self.substitution()?;
                }
                _ => self.bump(1),
            }
        }
    }
}

/// What stands behind the operator of `${…}`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpansionOperand {
    /// The text of `${x:-text}`.
    Text,
    /// The pattern of `${x#pattern}`: a quote is one, inside of double quotes too.
    Pattern,
    /// What stands in `${x/pattern/text}` and `${x^pattern}`: inside of double quotes bash before 4.3 takes a single quote
    /// there for a character, and runs what stands between two.
    Replacement,
}

/// What stands in the braces of `${…}`.
enum BracedParameter {
    /// A name alone.
    Plain(String),
    /// What the script is given under this number.
    Given(String),
    /// Always a number.
    Number,
    /// Anything else.
    Other,
}

/// Where the reading of what may be arithmetic began.
pub(in super::super) struct FirstReading {
    facts: usize,
    values: usize,
    seen: usize,
}
