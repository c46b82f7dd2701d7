//! Simple commands and assignments.

use super::super::findings::span_of;
use super::super::handed::{HandedValue, HandedVariable, is_special_builtin};
use super::super::lexer::{ArithmeticClose, WordMode};
use super::super::prover::{LineProver, Read, ReadStop};
use super::super::values::{GivenValue, is_number};
use super::super::{DoubtReason, Word, WordPiece, is_builtin};

/// Builtins whose arguments may be assignments of arrays.
const DECLARES: &[&str] = &["declare", "typeset", "local", "export", "readonly"];

impl LineProver<'_, '_> {
    /// Assignments, words and redirections up to an operator; what they run is a fact, also when reading stops midway.
    pub(super) fn simple(&mut self) -> Read {
        let mut argv = Vec::new();
        let mut reordered = false;
        let mut arrays = false;
        let output_is_told = std::mem::take(&mut self.found.output_is_told);
        let values = self.found.values.mark();
        let outer = self.found.handed.begin();
        let read = self.simple_into(&mut argv, &mut reordered, &mut arrays);
        let leading = self.found.handed.end(outer);
        if reordered {
            self.runs(argv.get(1..).unwrap_or_default().to_vec());
        }
        if read.is_err() && !argv.is_empty() {
            let span = span_of(&argv);
            argv.push(Word { span, pieces: vec![WordPiece::Unknown { splits: true }] });
        }
        // Some builtins keep what stands before them.
        let name = argv.first().map(Word::literal);
        // Before some they stay, and are handed on, where the shell keeps to POSIX as under the name `sh`.
        let is_special = name.is_none_or(|name| name.is_none_or(is_special_builtin));
        if is_special || name.is_none_or(|name| name.is_none_or(is_builtin)) {
            for (name, value) in &leading {
                if is_special && !argv.is_empty() {
                    self.found.handed.export(name);
                }
                self.found.handed.set(name, *value);
            }
        }
        if !argv.is_empty() {
            // What stood before it is for this command alone, or for the shell, as the shell and the command have it.
            self.found.values.uncertain(values);
            self.found.declares_arrays = arrays;
            let start = self.found.len();
            self.runs(argv);
            let handed: Vec<HandedVariable> =
                leading.iter().map(|(name, value)| HandedVariable::with(name, *value)).collect();
            self.found.hand_on(start, &handed);
        }
        self.found.output_is_told = output_is_told;
        read
    }

    fn simple_into(
        &mut self, argv: &mut Vec<Word>, reordered: &mut bool, arrays: &mut bool,
    ) -> Read {
        let start = self.at;
        let values = self.found.values.mark();
        // A redirection whose file depends on a variable.
        let mut redirected = false;
        let mut declares = false;
        // Where the last part of it began.
        let mut from = start;
        loop {
            self.blanks();
            let here = self.at;
            if here > from && self.slice(from, here).contains('$') {
                redirected |= self.slice(from, here).contains(['<', '>']) && argv.is_empty();
            }
            from = here;
            let redirects = match self.peek() {
                b'&' => self.second() == b'>',
                byte => matches!(byte, b'<' | b'>' | b'0'..=b'9' | b'{'),
            };
            if redirects {
                // Whether it is before or behind the assignments in its command is left to the shell.
                self.found.values.uncertain(values);
            }
            match self.peek() {
                0 | b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.bash() && self.second() == b'>' => {
                    self.redirect()?;
                    continue;
                }
                b'&' => break,
                b'<' | b'>' if !(self.bash() && self.second() == b'(') => {
                    self.redirect()?;
                    continue;
                }
                b'(' => return self.parenthesis(argv),
                b'0'..=b'9' => {
                    let from = self.at;
                    if self.descriptor() && !(self.bash() && self.second() == b'(') {
                        self.redirect()?;
                        continue;
                    }
                    self.at = from;
                }
                b'{' if self.bash() && self.redirect_variable() => {
                    self.redirect()?;
                    continue;
                }
                _ => {}
            }
            if (argv.is_empty() || declares) && self.assignment(argv.is_empty())? {
                *arrays |= declares;
                if redirected {
                    // Which of both is first is left to the shell.
                    self.unknown(start, DoubtReason::NotUnderstood);
                }
                continue;
            }
            if argv.is_empty() {
                // The words expand before the assignments count.
                self.found.values.uncertain(values);
            }
            let first = argv.is_empty();
            if first
                && self.at > start
                && self.in_substitution
                && self.bash()
                && self.keyword().is_some()
            {
                // bash prints what is inside of `$( )` with the redirections last, and reads that: a word that was none
                // becomes a keyword.
                self.unknown(start, DoubtReason::NotUnderstood);
                *reordered = true;
            }
            self.argument(argv)?;
            if first && self.bash() {
                let name = argv.first().and_then(Word::literal);
                declares = name.is_some_and(|name| DECLARES.contains(&name));
            }
        }
        if self.at == start { Err(ReadStop(DoubtReason::NotUnderstood)) } else { Ok(()) }
    }

    /// A `(` behind words: the definition of a function, or an error.
    fn parenthesis(&mut self, argv: &mut Vec<Word>) -> Read {
        if argv.len() != 1 {
            return Err(ReadStop(DoubtReason::NotUnderstood));
        }
        self.bump(1);
        self.blanks();
        self.expect(b')')?;
        argv.clear();
        self.function_body()
    }

    /// Whether behind the letters that are next stands what may make an assignment of them. Most do not begin one.
    fn may_be_assignment(&self) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let end = rest.iter().find(|byte| !(byte.is_ascii_alphanumeric() || **byte == b'_'));
        matches!(end, Some(b'=' | b'+' | b'[' | b'\\'))
    }

    /// An assignment; `false` when none is next. Arguments of `declare` are only taken when they set an array: the others
    /// are ordinary words.
    fn assignment(&mut self, leading: bool) -> Read<bool> {
        let start = self.at;
        if !self.may_be_assignment() {
            return Ok(false);
        }
        let name = self.name();
        if name.is_empty() {
            self.at = start;
            return Ok(false);
        }
        let mut subscript = false;
        if self.bash() && leading && self.peek() == b'[' {
            let from = self.at;
            self.bump(1);
            let facts = self.found.len();
            self.deeper(|this| this.arithmetic(ArithmeticClose::Bracket))?;
            let text = self.slice(from, self.at);
            if !matches!(self.peek(), b'=' | b'+') {
                if !text.contains([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']) {
                    self.at = start;
                    let span = self.span(from);
                    if self.found.len() > facts && !self.found.pay(text.len(), span) {
                        return Err(ReadStop(DoubtReason::TooMuch));
                    }
                    return Ok(false);
                }
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
            subscript = true;
        }
        let appends = self.bash() && self.peek() == b'+' && self.second() == b'=';
        if appends {
            self.bump(1);
        }
        if self.peek() != b'=' {
            self.at = start;
            return Ok(false);
        }
        self.bump(1);
        let array = self.bash() && self.peek() == b'(';
        if !leading && !array {
            self.at = start;
            return Ok(false);
        }
        if array {
            if subscript {
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
            self.bump(1);
            let numbers = self.deeper(Self::array)?;
            let ends = matches!(
                self.peek(),
                0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')'
            );
            if !ends {
                // bash takes what follows for a part of the value.
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
            let given = if numbers { GivenValue::Number } else { GivenValue::Unknown };
            let span = self.span(start);
            self.found.values.loosen(&name);
            self.found.give_before(span, &name, given, HandedValue::Anything);
            return Ok(true);
        }
        let from = self.at;
        let value = self.word(WordMode::Value)?;
        let pieces = value.word.pieces;
        let number = match pieces.as_slice() {
            [] => true,
            [WordPiece::Text(text)] => is_number(text),
            [WordPiece::Unknown { .. }] => {
                let text = self.slice(from, self.at).trim_start_matches('"');
                value.seen.is_empty() && text.starts_with(['$', '`']) && !text.contains('[')
            }
            _ => false,
        };
        let certain = pieces.iter().all(|piece| !matches!(piece, WordPiece::Unknown { .. }));
        let given = match number {
            // A part of what it holds is not all of it.
            true if subscript || appends || !certain => GivenValue::Number,
            false if subscript || appends => GivenValue::Unknown,
            _ => GivenValue::Word(&pieces),
        };
        let printed = self.slice(from, self.at).trim_start_matches('"');
        // The name alone stands for the first of an array, which there need not be.
        if subscript
            || printed.starts_with('`')
            || printed.starts_with("$(") && !printed.starts_with("$((")
            // Nothing was started in the background.
            || printed.starts_with("$!")
            || printed.starts_with("${!")
        {
            self.found.values.loosen(&name);
        }
        let span = self.span(start);
        let text = match pieces.as_slice() {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text.as_str()),
            _ => None,
        };
        let handed = HandedValue::of(text.filter(|_| !appends));
        self.found.give_before(span, &name, given, handed);
        Ok(true)
    }

    /// The values of an array, behind the parenthesis.
    fn array(&mut self) -> Read<bool> {
        let mut words = Vec::new();
        let mut numbers = true;
        loop {
            self.lines()?;
            match self.peek() {
                b')' => {
                    self.bump(1);
                    let number = |word: &Word| word.literal().is_some_and(is_number);
                    return Ok(numbers && words.iter().all(number));
                }
                0 | b'(' | b';' | b'&' | b'|' => return Err(ReadStop(DoubtReason::NotUnderstood)),
                b'<' | b'>' if self.second() != b'(' => {
                    return Err(ReadStop(DoubtReason::NotUnderstood));
                }
                b'[' => {
                    // `[subscript]=value`
                    self.bump(1);
                    self.arithmetic(ArithmeticClose::Bracket)?;
                    if self.peek() == b'+' {
                        self.bump(1);
                    }
                    if self.eat(b'=') {
                        let value = self.word(WordMode::Value)?;
                        numbers &= value.word.literal().is_some_and(is_number);
                    } else if !matches!(self.peek(), b' ' | b'\t' | b'\n' | b')') {
                        self.argument(&mut words)?;
                    }
                }
                _ => {
                    self.argument(&mut words)?;
                }
            }
        }
    }
}
