//! The reader of one text: its place in it, and what it does when it does not understand.

use super::findings::LineFindings;
use super::grammar::HereDoc;
use super::lexer::{SeenExpansion, WordMode};
use super::{DoubtReason, Span};

/// The language that a text is read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellDialect {
    Bash,
    Dash,
}

/// Reading stopped, for this reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadStop(pub(super) DoubtReason);

/// Something was read, or reading stopped.
pub(super) type Read<T = ()> = Result<T, ReadStop>;

/// How often reading starts again behind what was not understood.
const MAX_RESTARTS: usize = 64;

/// Reads one text, which holds no NUL.
pub(super) struct LineProver<'t, 'f> {
    pub(super) text: &'t str,
    /// The next byte.
    pub(super) at: usize,
    pub(super) dialect: ShellDialect,
    /// Where a text in a text stands in the outermost.
    place: Option<Span>,
    pub(super) found: &'f mut LineFindings,
    /// Here-documents whose text starts on the next line.
    pub(super) waiting: Vec<HereDoc>,
    /// Inside `$( )` or `<( )`.
    pub(super) in_substitution: bool,
    /// Where the innermost substitution goes on behind its last here-document, and whether that is behind the text of it
    /// rather than its operator.
    pub(super) behind_document: Option<(usize, bool)>,
    /// What the expansions so far of this word, or of this arithmetic, may hold.
    pub(super) seen: Vec<SeenExpansion>,
    /// How the word that is being read is read.
    pub(super) mode: WordMode,
}

impl<'t, 'f> LineProver<'t, 'f> {
    pub(super) fn new(
        text: &'t str, dialect: ShellDialect, place: Option<Span>, found: &'f mut LineFindings,
    ) -> Self {
        let waiting = Vec::new();
        Self {
            text,
            at: 0,
            dialect,
            place,
            found,
            waiting,
            in_substitution: false,
            behind_document: None,
            seen: Vec::new(),
            mode: WordMode::Plain,
        }
    }

    pub(super) fn bash(&self) -> bool {
        self.dialect == ShellDialect::Bash
    }

    /// The whole text, as a script. Always ends; what is not understood is a fact, and what stands behind it is still
    /// searched for commands that a rule may deny.
    pub(super) fn script(&mut self) {
        if !self.found.enter() {
            return self.found.unknown(self.span(0), DoubtReason::TooDeep);
        }
        for restart in 0..=MAX_RESTARTS {
            let stop = match self.list() {
                Ok(()) if self.peek() == 0 => {
                    if !self.waiting.is_empty() {
                        self.unknown(self.at, DoubtReason::HereDocument);
                    }
                    break;
                }
                Ok(()) => ReadStop(DoubtReason::NotUnderstood),
                Err(stop) => stop,
            };
            if restart == 0 {
                self.unknown(self.at, stop.0);
            }
            if self.found.exhausted {
                break;
            }
            self.waiting.clear();
            self.in_substitution = false;
            self.behind_document = None;
            self.seen.clear();
            self.skip_to_separator();
        }
        self.found.leave();
    }

    fn skip_to_separator(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let next = rest.iter().position(|byte| b";|&\n()`".contains(byte));
        self.at = next.map_or(self.text.len(), |next| self.at + next + 1);
    }

    /// Reads `text`, which stands in this one at `span`, in the same dialect.
    pub(super) fn nested(&mut self, text: &str, span: Span) -> Read {
        if !self.found.pay_text(text.len(), span) {
            return Err(ReadStop(DoubtReason::TooMuch));
        }
        LineProver::new(text, self.dialect, Some(span), self.found).script();
        self.check_limits()
    }

    pub(super) fn check_limits(&self) -> Read {
        if self.found.exhausted { Err(ReadStop(DoubtReason::TooMuch)) } else { Ok(()) }
    }

    /// From `start` to here.
    pub(super) fn span(&self, start: usize) -> Span {
        self.place.unwrap_or(Span { start: start.min(self.at), end: self.at })
    }

    /// Where this text stands, if it is a text in a text.
    pub(super) fn outer_place(&self) -> Option<Span> {
        self.place
    }

    pub(super) fn unknown(&mut self, start: usize, why: DoubtReason) {
        let span = self.span(start);
        self.found.unknown(span, why);
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// `at`, or behind the backslashes with a newline that stand there: the shell drops them before it reads.
    pub(super) fn joined(&self, mut at: usize) -> usize {
        while self.byte(at) == b'\\' && self.byte(at + 1) == b'\n' {
            at += 2;
        }
        at
    }

    /// The next byte, 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        let byte = self.byte(self.at);
        if byte != b'\\' {
            return byte;
        }
        self.at = self.joined(self.at);
        self.byte(self.at)
    }

    /// The byte after the next.
    pub(super) fn second(&mut self) -> u8 {
        self.peek();
        self.byte(self.joined(self.at + 1))
    }

    /// Steps over `count` bytes.
    pub(super) fn bump(&mut self, count: usize) {
        for _ in 0..count {
            self.peek();
            self.at = (self.at + 1).min(self.text.len());
        }
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let here = self.peek() == byte;
        if here {
            self.bump(1);
        }
        here
    }

    pub(super) fn expect(&mut self, byte: u8) -> Read {
        if self.eat(byte) { Ok(()) } else { Err(ReadStop(DoubtReason::NotUnderstood)) }
    }

    /// Blanks, and the comment behind them.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'#' => {
                    let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    self.at += length.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Blanks, comments and newlines.
    pub(super) fn lines(&mut self) -> Read {
        loop {
            self.blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Does `read` one level down.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if !self.found.enter() {
            return Err(ReadStop(DoubtReason::TooDeep));
        }
        let result = read(self);
        self.found.leave();
        result
    }
}

/// Whether bash and dash certainly read this text in the same way: plain words, quoted or not, in lists and pipes.
pub(super) fn is_shared(text: &str) -> bool {
    const fn shared_bytes() -> [bool; 256] {
        let mut shared = [false; 256];
        let bytes =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \t\n_./:,@%-=;&|'\"";
        let mut index = 0;
        while index < bytes.len() {
            shared[bytes[index] as usize] = true;
            index += 1;
        }
        shared
    }
    static SHARED: [bool; 256] = shared_bytes();
    text.bytes().all(|byte| SHARED[usize::from(byte)])
        && !["|&", ";&", "&;"].iter().any(|operator| text.contains(operator))
        && !["function", "select", "time", "coproc"].iter().any(|word| text.contains(word))
}

/// Whether every shell reads this text in the same way: words without any expansion, quoted or not, in lists and pipes.
pub(super) fn is_plain(text: &str) -> bool {
    let harmless = |character: char| {
        character.is_ascii_alphanumeric() || " \t\n_./:,+@%-=;&|'\"".contains(character)
    };
    let words = || text.split([' ', '\t', '\n', ';', '&', '|']);
    text.chars().all(harmless)
        && !["&&&", "|&", "&|", "&;", ";;", "&!"].iter().any(|operator| text.contains(operator))
        && !words().any(|word| word.starts_with('=') || word == "-" || ZSH_WORDS.contains(&word))
}

/// Words that zsh alone gives a meaning.
const ZSH_WORDS: &[&str] = &[
    "noglob",
    "nocorrect",
    "repeat",
    "foreach",
    "end",
    "autoload",
    "functions",
    "emulate",
    "vared",
    "zmodload",
    "zle",
    "zstyle",
    "zparseopts",
    "setopt",
    "unsetopt",
    "sched",
    "always",
    "rehash",
    "print",
    "fc",
    "r",
    "disable",
    "limit",
    "zcompile",
    "zpty",
    "ztcp",
    "zsocket",
];
