//! Loops, conditions, groups and functions.

use super::super::handed::HandedValue;
use super::super::lexer::{ArithmeticClose, WordMode};
use super::super::prover::{LineProver, Read, ReadStop};
use super::super::values::{GivenValue, is_number};
use super::super::{DoubtReason, Span, Word, WordPiece};
use super::ShellKeyword;

impl LineProver<'_, '_> {
    /// What stands behind the keyword that starts a compound command.
    pub(super) fn compound(&mut self, keyword: ShellKeyword) -> Read {
        match keyword {
            ShellKeyword::Open => {
                self.list()?;
                self.expect_keyword(ShellKeyword::Close)
            }
            ShellKeyword::If => self.condition(),
            ShellKeyword::While | ShellKeyword::Until => self.repeated(|this| {
                this.list()?;
                this.body()
            }),
            ShellKeyword::For => self.for_loop(false),
            ShellKeyword::Select => self.for_loop(true),
            ShellKeyword::Case => self.case(),
            ShellKeyword::Conditional => self.conditional(),
            ShellKeyword::Function => self.function_keyword(),
            ShellKeyword::Coproc => self.coproc(),
            _ => Err(ReadStop(DoubtReason::NotUnderstood)),
        }
    }

    /// What can happen any number of times.
    fn repeated(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        let (start, moved) = (self.found.len(), self.found.has_moved());
        let key = self.loop_key();
        let mark = self.found.values.mark();
        self.found.values.enter_loop(&key);
        self.found.repeats += 1;
        let result = read(self);
        self.found.repeats -= 1;
        self.found.values.leave_loop(key, mark);
        self.found.runs_beside(start, moved);
        result
    }

    /// The loop that starts here.
    fn loop_key(&self) -> (usize, usize, Option<Span>, bool) {
        (self.at, self.text.len(), self.outer_place(), self.bash())
    }

    fn condition(&mut self) -> Read {
        // The first condition is always tried, everything else may not happen.
        self.list()?;
        let mark = self.found.values.mark();
        let result = self.branches(mark);
        self.found.values.uncertain(mark);
        result
    }

    fn branches(&mut self, mark: usize) -> Read {
        loop {
            self.expect_keyword(ShellKeyword::Then)?;
            self.list()?;
            self.found.values.uncertain(mark);
            if self.eat_keyword(ShellKeyword::Elif) {
                self.list()?;
                continue;
            }
            if self.eat_keyword(ShellKeyword::Else) {
                self.list()?;
            }
            return self.expect_keyword(ShellKeyword::Fi);
        }
    }

    /// `do … done`, or `{ … }`.
    fn body(&mut self) -> Read {
        if self.bash() && self.eat_keyword(ShellKeyword::Open) {
            self.list()?;
            return self.expect_keyword(ShellKeyword::Close);
        }
        self.expect_keyword(ShellKeyword::Do)?;
        self.list()?;
        self.expect_keyword(ShellKeyword::Done)
    }

    /// `for` and `select`, behind the keyword.
    fn for_loop(&mut self, select: bool) -> Read {
        self.blanks();
        if self.bash() && !select && self.peek() == b'(' && self.second() == b'(' {
            self.bump(2);
            if !self.arithmetic(ArithmeticClose::Parens)? {
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
            self.blanks();
            self.eat(b';');
            self.lines()?;
            return self.repeated(Self::body);
        }
        let start = self.at;
        let variable = self.word(WordMode::Plain)?;
        let span = variable.word.span;
        let name = variable.word.literal().filter(|_| !variable.quoted).map(str::to_owned);
        if name.is_none() {
            self.unknown(start, DoubtReason::NotUnderstood);
        }
        self.lines()?;
        let mut words = Vec::new();
        let listed = self.word_in();
        // Where all of them stand in the line.
        let from = self.at;
        if listed {
            loop {
                self.blanks();
                match self.peek() {
                    b';' | b'\n' => break,
                    0 | b'&' | b'|' | b'(' | b')' => {
                        return Err(ReadStop(DoubtReason::NotUnderstood));
                    }
                    b'<' | b'>' if !(self.bash() && self.second() == b'(') => {
                        return Err(ReadStop(DoubtReason::NotUnderstood));
                    }
                    _ => {
                        self.argument(&mut words)?;
                    }
                }
            }
        }
        let number = |text: &str| !text.is_empty() && is_number(text);
        let numbers = listed && words.iter().all(|word| word.literal().is_some_and(number));
        if let Some(name) = &name {
            let given = if numbers && !select { GivenValue::Number } else { GivenValue::Unknown };
            let of = |word: &Word| HandedValue::of(word.literal());
            let most = match listed && !select {
                true => words.iter().map(of).max().unwrap_or(HandedValue::Plain),
                false => HandedValue::Anything,
            };
            self.found.give_as(span, name, given, most, !words.is_empty() && !select);
            if select {
                self.found.sets_on_its_way("REPLY");
            }
        }
        let certain = |word: &Word| {
            !word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }))
        };
        let known = listed && !select && self.at - from < MAX_LIST && words.iter().all(certain);
        if self.peek() == b';' {
            self.bump(1);
        }
        self.lines()?;
        match name {
            Some(name) if known && !words.is_empty() && self.waiting.is_empty() => {
                self.repeated(|this| this.each(&name, &words))
            }
            _ => self.repeated(Self::body),
        }
    }

    /// The body of a loop over these words, once for each where that is not too much.
    fn each(&mut self, name: &str, words: &[Word]) -> Read {
        let (from, start) = (self.at, self.found.len());
        let (inside, document) = (self.in_substitution, self.behind_document);
        let mut again = false;
        for word in words {
            if again {
                let length = self.at.saturating_sub(from);
                if !self.found.affords(length.saturating_mul(words.len())) {
                    // With any value.
                    self.found.values.give(name, GivenValue::Unknown, true);
                    (self.at, self.in_substitution, self.behind_document) =
                        (from, inside, document);
                    return self.body();
                }
                if !self.found.pay(length, word.span) {
                    return Err(ReadStop(DoubtReason::TooMuch));
                }
                (self.at, self.in_substitution, self.behind_document) = (from, inside, document);
            }
            let given = match word.has_pattern() {
                true => GivenValue::Found(&word.pieces),
                false => GivenValue::Word(&word.pieces),
            };
            let mark = self.found.values.mark();
            // What it gets has been noted before the loop.
            self.found.values.put_known(name, given);
            let middle = self.found.len();
            self.body()?;
            if again {
                self.found.merge(start, middle);
            }
            self.found.values.uncertain(mark);
            if !self.found.values.is_planned() {
                return Ok(());
            }
            again = true;
        }
        Ok(())
    }

    /// Steps over `in`.
    fn word_in(&mut self) -> bool {
        self.peek();
        let (first, second) = (self.byte(self.at), self.joined(self.at + 1));
        let end = self.joined(second + 1);
        let ends = matches!(
            self.byte(end),
            0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
        );
        let here = first == b'i' && self.byte(second) == b'n' && ends;
        if here {
            self.at = end;
        }
        here
    }

    fn case(&mut self) -> Read {
        self.blanks();
        self.word(WordMode::Plain)?;
        self.lines()?;
        if !self.word_in() {
            return Err(ReadStop(DoubtReason::NotUnderstood));
        }
        let mark = self.found.values.mark();
        let result = self.cases(mark);
        self.found.values.uncertain(mark);
        result
    }

    fn cases(&mut self, mark: usize) -> Read {
        loop {
            self.check_limits()?;
            self.found.values.uncertain(mark);
            self.lines()?;
            if self.eat_keyword(ShellKeyword::Esac) {
                return Ok(());
            }
            self.eat(b'(');
            loop {
                self.blanks();
                self.word(WordMode::Plain)?;
                self.blanks();
                if !self.eat(b'|') {
                    break;
                }
            }
            self.expect(b')')?;
            self.list()?;
            if self.peek() != b';' {
                return self.expect_keyword(ShellKeyword::Esac);
            }
            self.bump(1);
            match self.peek() {
                b';' => {
                    self.bump(1);
                    if self.bash() {
                        self.eat(b'&');
                    }
                }
                b'&' if self.bash() => self.bump(1),
                _ => return Err(ReadStop(DoubtReason::NotUnderstood)),
            }
        }
    }

    /// `function NAME [()] body`
    fn function_keyword(&mut self) -> Read {
        self.blanks();
        self.word(WordMode::Plain)?;
        self.blanks();
        if self.eat(b'(') {
            self.blanks();
            self.expect(b')')?;
        }
        self.function_body()
    }

    /// The body of a function, and the fact that it exists.
    pub(super) fn function_body(&mut self) -> Read {
        self.unknown(self.at, DoubtReason::Function);
        self.found.values.forget();
        self.lines()?;
        self.repeated(|this| this.deeper(Self::command))
    }

    /// `coproc [NAME] command`
    fn coproc(&mut self) -> Read {
        self.blanks();
        let start = self.at;
        // Inside of `$( )` bash reads the name that it gives to the process as the command.
        self.unknown(start, DoubtReason::NotUnderstood);
        if self.keyword().is_none() && self.peek() != b'(' {
            let name = self.name();
            let separate = matches!(self.peek(), b' ' | b'\t');
            self.blanks();
            let compound =
                self.peek() == b'(' || self.keyword().is_some_and(|(keyword, _)| !keyword.closes());
            if separate && compound && !name.is_empty() {
                let span = self.span(start);
                self.found.assign(span, &name);
            } else {
                self.at = start;
            }
        }
        self.deeper(Self::command)
    }
}

/// The longest list of words, in bytes, that a loop is read for one by one.
const MAX_LIST: usize = 2_000;
