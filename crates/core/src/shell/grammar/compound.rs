//! Loops, conditions, groups and functions.

use super::super::lexer::{Close, Mode};
use super::super::prover::{Prover, Read, Stop};
use super::super::{Piece, Why, Word};
use super::Keyword;

impl Prover<'_, '_> {
    /// What stands behind the keyword that starts a compound command.
    pub(super) fn compound(&mut self, keyword: Keyword) -> Read {
        match keyword {
            Keyword::Open => {
                self.list()?;
                self.expect_keyword(Keyword::Close)
            }
            Keyword::If => self.condition(),
            Keyword::While | Keyword::Until => self.repeated(|this| {
                this.list()?;
                this.body()
            }),
            Keyword::For | Keyword::Select => self.repeated(Self::for_loop),
            Keyword::Case => self.case(),
            Keyword::Conditional => self.conditional(),
            Keyword::Function => self.function_keyword(),
            Keyword::Coproc => self.coproc(),
            _ => Err(Stop(Why::NotUnderstood)),
        }
    }

    /// What can happen any number of times.
    fn repeated(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        self.found.repeats += 1;
        let result = read(self);
        self.found.repeats -= 1;
        result
    }

    fn condition(&mut self) -> Read {
        loop {
            self.list()?;
            self.expect_keyword(Keyword::Then)?;
            self.list()?;
            if self.eat_keyword(Keyword::Elif) {
                continue;
            }
            if self.eat_keyword(Keyword::Else) {
                self.list()?;
            }
            return self.expect_keyword(Keyword::Fi);
        }
    }

    /// `do … done`, or `{ … }`.
    fn body(&mut self) -> Read {
        if self.bash() && self.eat_keyword(Keyword::Open) {
            self.list()?;
            return self.expect_keyword(Keyword::Close);
        }
        self.expect_keyword(Keyword::Do)?;
        self.list()?;
        self.expect_keyword(Keyword::Done)
    }

    /// `for` and `select`, behind the keyword.
    fn for_loop(&mut self) -> Read {
        self.blanks();
        if self.bash() && self.peek() == b'(' && self.second() == b'(' {
            self.bump(2);
            if !self.arithmetic(Close::Parens)? {
                return Err(Stop(Why::NotUnderstood));
            }
            self.blanks();
            self.eat(b';');
            self.lines()?;
            return self.body();
        }
        let start = self.at;
        let variable = self.word(Mode::Plain)?;
        match variable.word.literal() {
            Some(name) if !variable.quoted => self.found.assign(variable.word.span, name),
            _ => self.unknown(start, Why::NotUnderstood),
        }
        self.lines()?;
        if self.word_in() {
            let mut words = Vec::new();
            loop {
                self.blanks();
                match self.peek() {
                    b';' | b'\n' => break,
                    0 | b'&' | b'|' | b'(' | b')' => return Err(Stop(Why::NotUnderstood)),
                    b'<' | b'>' if !(self.bash() && self.second() == b'(') => {
                        return Err(Stop(Why::NotUnderstood));
                    }
                    _ => {
                        self.argument(&mut words)?;
                    }
                }
            }
            self.found.tainted |= words.iter().any(may_hold_code);
        } else {
            self.found.tainted = true;
        }
        if self.peek() == b';' {
            self.bump(1);
        }
        self.lines()?;
        self.body()
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
        self.word(Mode::Plain)?;
        self.lines()?;
        if !self.word_in() {
            return Err(Stop(Why::NotUnderstood));
        }
        loop {
            self.check_limits()?;
            self.lines()?;
            if self.eat_keyword(Keyword::Esac) {
                return Ok(());
            }
            self.eat(b'(');
            loop {
                self.blanks();
                self.word(Mode::Plain)?;
                self.blanks();
                if !self.eat(b'|') {
                    break;
                }
            }
            self.expect(b')')?;
            self.list()?;
            if self.peek() != b';' {
                return self.expect_keyword(Keyword::Esac);
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
                _ => return Err(Stop(Why::NotUnderstood)),
            }
        }
    }

    /// `function NAME [()] body`
    fn function_keyword(&mut self) -> Read {
        self.blanks();
        self.word(Mode::Plain)?;
        self.blanks();
        if self.eat(b'(') {
            self.blanks();
            self.expect(b')')?;
        }
        self.function_body()
    }

    /// The body of a function, and the fact that there is one.
    pub(super) fn function_body(&mut self) -> Read {
        self.unknown(self.at, Why::Function);
        self.lines()?;
        self.repeated(|this| this.deeper(Self::command))
    }

    /// `coproc [NAME] command`
    fn coproc(&mut self) -> Read {
        self.blanks();
        let start = self.at;
        // Inside of `$( )` bash reads the name that it gives to the process as the command.
        self.unknown(start, Why::NotUnderstood);
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

/// Whether the value of a variable could hold text that arithmetic would run.
pub(in super::super) fn may_hold_code(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Text(text) => text.contains(['[', '`', '$']),
        Piece::Home => false,
        Piece::Glob(_) | Piece::Unknown { .. } => true,
    })
}
