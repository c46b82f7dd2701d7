//! Lists, pipelines and commands.

mod compound;
mod conditional;
mod heredoc;
mod redirect;
mod simple;

pub(super) use heredoc::HereDoc;

use super::DoubtReason;
use super::lexer::ArithmeticClose;
use super::prover::{LineProver, Read, ReadStop};

/// A word that means something where a command may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellKeyword {
    Bang,
    Open,
    Close,
    If,
    Then,
    Else,
    Elif,
    Fi,
    For,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    Conditional,
    Function,
    Select,
    Time,
    Coproc,
}

impl ShellKeyword {
    fn of(word: &[u8], bash: bool) -> Option<Self> {
        Some(match word {
            b"!" => Self::Bang,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"if" => Self::If,
            b"then" => Self::Then,
            b"else" => Self::Else,
            b"elif" => Self::Elif,
            b"fi" => Self::Fi,
            b"for" => Self::For,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"[[" if bash => Self::Conditional,
            b"function" if bash => Self::Function,
            b"select" if bash => Self::Select,
            b"time" if bash => Self::Time,
            b"coproc" if bash => Self::Coproc,
            _ => return None,
        })
    }

    /// Whether it ends a list of commands.
    fn closes(self) -> bool {
        matches!(
            self,
            Self::Close
                | Self::Then
                | Self::Else
                | Self::Elif
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
        )
    }
}

impl LineProver<'_, '_> {
    /// Commands, up to what ends them: `)`, a keyword that closes, the end of a case branch, the end of the text.
    pub(super) fn list(&mut self) -> Read {
        loop {
            self.check_limits()?;
            self.lines()?;
            match self.peek() {
                0 | b')' | b';' => return Ok(()),
                _ if self.keyword().is_some_and(|(keyword, _)| keyword.closes()) => return Ok(()),
                _ => {}
            }
            let (start, mark) = (self.found.len(), self.found.values.mark());
            self.and_or()?;
            self.blanks();
            if self.peek() == b'&' {
                // In a shell of its own, beside all that follows.
                self.found.values.uncertain(mark);
                self.found.goes_on(start);
            }
            match self.peek() {
                b';' if matches!(self.second(), b';' | b'&') => return Ok(()),
                b';' | b'&' => self.bump(1),
                b'\n' | 0 | b')' => {}
                _ if self.keyword().is_some_and(|(keyword, _)| keyword.closes()) => return Ok(()),
                _ => return Err(ReadStop(DoubtReason::NotUnderstood)),
            }
        }
    }

    /// The keyword that is next, and where it ends.
    pub(super) fn keyword(&mut self) -> Option<(ShellKeyword, usize)> {
        if !b"!{}[cdefistuw".contains(&self.peek()) {
            return None;
        }
        let mut word = [0; 9];
        let mut end = self.at;
        let mut length = 0;
        loop {
            let byte = self.byte(end);
            if matches!(
                byte,
                0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            ) {
                break;
            }
            *word.get_mut(length)? = byte;
            length += 1;
            end = self.joined(end + 1);
        }
        let keyword = ShellKeyword::of(word.get(..length)?, self.bash())?;
        // `<(` and `>(` go on a word.
        let goes_on = matches!(self.byte(end), b'<' | b'>')
            && self.bash()
            && self.byte(self.joined(end + 1)) == b'(';
        (!goes_on).then_some((keyword, end))
    }

    /// Steps over this keyword, which has to be next.
    pub(super) fn expect_keyword(&mut self, expected: ShellKeyword) -> Read {
        if self.eat_keyword(expected) { Ok(()) } else { Err(ReadStop(DoubtReason::NotUnderstood)) }
    }

    pub(super) fn eat_keyword(&mut self, expected: ShellKeyword) -> bool {
        match self.keyword() {
            Some((keyword, end)) if keyword == expected => {
                self.at = end;
                true
            }
            _ => false,
        }
    }

    /// Pipelines, with `&&` and `||` between them.
    fn and_or(&mut self) -> Read {
        self.pipeline()?;
        // What stands behind an operator may not run: within a chain of `&&` the next only runs when all before has.
        let mark = self.found.values.mark();
        let mut doubtful = false;
        loop {
            self.blanks();
            let byte = self.peek();
            if !matches!(byte, b'&' | b'|') || self.second() != byte {
                self.found.values.uncertain(mark);
                return Ok(());
            }
            doubtful |= byte == b'|';
            if doubtful {
                self.found.values.uncertain(mark);
            }
            self.bump(2);
            self.lines()?;
            self.pipeline()?;
        }
    }

    /// Commands, with `|` between them. What one of them prints, and what is handed to one, a shell among them may run.
    fn pipeline(&mut self) -> Read {
        let (start, waiting) = (self.at, self.waiting.len());
        let outer = std::mem::take(&mut self.found.runs_input);
        let read = self.piped();
        if self.found.runs_input {
            let place = self.span(start);
            self.waiting.iter_mut().skip(waiting).for_each(HereDoc::is_run);
            self.printed_scripts(place);
        }
        // What it is within may be handed something, too.
        self.found.runs_input |= outer;
        read
    }

    fn piped(&mut self) -> Read {
        loop {
            self.blanks();
            match self.keyword() {
                Some((ShellKeyword::Bang, end)) => self.at = end,
                Some((ShellKeyword::Time, end)) => {
                    self.at = end;
                    self.time_options();
                    self.blanks();
                    if matches!(self.peek(), 0 | b'\n' | b';' | b'&' | b')') {
                        return Ok(());
                    }
                }
                _ => break,
            }
        }
        let (start, mark, moved) =
            (self.found.len(), self.found.values.mark(), self.found.has_moved());
        let mut several = false;
        // What the command before prints is what the next gets.
        let mut names = None;
        loop {
            self.found.input_names = names.take();
            self.found.prints_names = None;
            let from = self.at;
            self.command()?;
            // With its errors come other words.
            names = self
                .found
                .prints_names
                .take()
                .filter(|_| !self.slice(from, self.at).contains(">&"));
            self.found.input_names = None;
            self.blanks();
            let goes_on = self.peek() == b'|' && self.second() != b'|';
            several |= goes_on;
            if several {
                // Each in a shell of its own, at the same time.
                self.found.values.uncertain(mark);
            }
            if !goes_on {
                if several {
                    self.found.runs_beside(start, moved);
                }
                return Ok(());
            }
            self.bump(1);
            if self.peek() == b'&' {
                if !self.bash() {
                    return Err(ReadStop(DoubtReason::NotUnderstood));
                }
                self.bump(1);
                names = None;
            }
            self.lines()?;
            // Behind a `|` the shell runs the program `time`, but not negations.
            if self.keyword().is_some_and(|(keyword, _)| keyword == ShellKeyword::Bang) {
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
        }
    }

    /// `-p`, once, and then `--`, once, of the keyword `time`: what follows is the command, even if it begins with `-`.
    fn time_options(&mut self) {
        self.blanks();
        let posix = self.time_option(b"-p");
        if posix {
            self.blanks();
        }
        let ended = self.time_option(b"--");
        if !posix && !ended && self.byte(self.at) == b'-' {
            // In its POSIX mode bash runs the program `time` instead.
            self.unknown(self.at, DoubtReason::UnknownOption);
        }
    }

    fn time_option(&mut self, option: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let here = rest.strip_prefix(option).is_some_and(|rest| {
            matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')'))
        });
        self.at += if here { option.len() } else { 0 };
        here
    }

    /// One command, simple or compound, with its redirections.
    pub(super) fn command(&mut self) -> Read {
        self.blanks();
        let input_names = self.found.input_names.take();
        if self.peek() == b'(' {
            return self.deeper(|this| {
                let mark = this.found.values.mark();
                this.parentheses()?;
                this.found.values.uncertain(mark);
                this.redirections()
            });
        }
        match self.keyword() {
            None => {
                self.found.input_names = input_names;
                self.simple()
            }
            Some((ShellKeyword::Time, _)) => self.simple(),
            // What several commands print and read is not told apart.
            Some((keyword, end)) => {
                self.at = end;
                self.deeper(|this| {
                    this.compound(keyword)?;
                    this.redirections()
                })
            }
        }
    }

    /// `( … )` or `(( … ))`.
    fn parentheses(&mut self) -> Read {
        let start = self.at;
        self.bump(1);
        if self.bash() && self.peek() == b'(' {
            self.bump(1);
            let first = self.first_reading();
            if self.arithmetic(ArithmeticClose::Parens)? {
                return Ok(());
            }
            self.second_reading(start, first)?;
            self.bump(1);
        }
        self.list()?;
        self.expect(b')')
    }
}
