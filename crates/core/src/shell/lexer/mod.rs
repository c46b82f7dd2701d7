//! Words: quotes, escapes, tildes, patterns, and all that expands in them.

mod arithmetic;
mod braces;
mod dollar;
mod pieces;
mod quotes;

pub(super) use arithmetic::ArithmeticClose;
pub(super) use braces::may_expand;
pub(super) use dollar::SeenExpansion;
pub(super) use pieces::WordPieces;

use super::prover::{LineProver, Read, ReadStop};
use super::{DoubtReason, Span, Word, WordPiece};

/// Where a word stands, as far as that decides how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordMode {
    /// A word of a command, which expansions may make several.
    Argument,
    /// The target of a redirection, or another single word.
    Plain,
    /// The value of an assignment.
    Value,
    /// The right side of `==` inside `[[ ]]`: `@(a|b)` is a pattern there.
    Pattern,
    /// The right side of `=~` inside `[[ ]]`: `(a|b)` is text there.
    Regex,
}

/// What surrounds an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotingState {
    None,
    Double,
    /// The text of a here-document.
    Here,
}

/// A word that was read.
pub(super) struct LexedWord {
    pub(super) word: Word,
    /// Some of it is quoted: it is no keyword, no number and no assignment.
    pub(super) quoted: bool,
    /// All of it is one `<( )` or `>( )`.
    pub(super) process: bool,
    /// The words before it, of those that an expansion has made several.
    before: Vec<Word>,
    /// There is no word: what was expanded is nothing.
    vanishes: bool,
    /// What its expansions may hold.
    pub(super) seen: Vec<SeenExpansion>,
}

/// Bytes that mean nothing but themselves anywhere in a word.
const fn plain_bytes() -> [bool; 256] {
    let mut plain = [true; 256];
    let special = b"\0 \t\n;&|()<>'\"\\$`*?[]{}=:~#";
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    plain
}

static PLAIN: [bool; 256] = plain_bytes();

impl LineProver<'_, '_> {
    /// A word of a command: added to `words`, as several when braces make it several.
    pub(super) fn argument(&mut self, words: &mut Vec<Word>) -> Read<bool> {
        self.peek();
        let start = self.at;
        let lexed = self.word(WordMode::Argument)?;
        let slice = self.slice(start, self.at);
        if self.bash() && may_expand(slice) {
            self.expand_braces(slice, lexed.word.span, words)?;
            return Ok(lexed.quoted);
        }
        for word in lexed.before {
            if !self.found.count_word(word.span) {
                return Err(ReadStop(DoubtReason::TooMuch));
            }
            words.push(word);
        }
        if !lexed.vanishes {
            words.push(lexed.word);
        } else if words.is_empty() {
            // What follows is the command, and no assignment any more.
            let pieces = vec![WordPiece::Unknown { splits: true }];
            words.push(Word { span: lexed.word.span, pieces });
        }
        Ok(lexed.quoted)
    }

    fn expand_braces(&mut self, slice: &str, span: Span, words: &mut Vec<Word>) -> Read {
        let Some(texts) = braces::expand(slice) else {
            words.push(Word { span, pieces: vec![WordPiece::Unknown { splits: true }] });
            return Ok(());
        };
        if !self.found.pay(slice.len().saturating_mul(texts.len()), span) {
            return Err(ReadStop(DoubtReason::TooMuch));
        }
        for text in texts.iter().filter(|text| !text.is_empty()) {
            let mut part = LineProver::new(text, self.dialect, Some(span), self.found);
            let lexed = part.word(WordMode::Argument)?;
            if part.peek() != 0 {
                return Err(ReadStop(DoubtReason::NotUnderstood));
            }
            // A word of nothing that is not quoted vanishes.
            if !lexed.word.pieces.is_empty() || lexed.quoted {
                words.push(lexed.word);
            }
        }
        Ok(())
    }

    /// A word, up to a blank or an operator. At least one byte.
    pub(super) fn word(&mut self, mode: WordMode) -> Read<LexedWord> {
        self.peek();
        let start = self.at;
        let place = self.span(start);
        if !self.found.count_word(place) {
            return Err(ReadStop(DoubtReason::TooMuch));
        }
        let mut out = WordPieces::default();
        let mark = self.seen.len();
        if self.peek() == b'~' {
            self.tilde(&mut out, mode);
        }
        let outer = std::mem::replace(&mut self.mode, mode);
        let read = self.word_into(&mut out, mode);
        self.mode = outer;
        if read.is_err() {
            self.seen.truncate(mark);
        }
        read?;
        if self.at == start && mode != WordMode::Value {
            return Err(ReadStop(DoubtReason::NotUnderstood));
        }
        if self.bash() && matches!(self.peek(), b'<' | b'>') && self.names_element(start) {
            self.unknown(start, DoubtReason::Arithmetic);
        }
        let (quoted, process) = (out.quoted, out.is_process());
        let span = self.span(start);
        // Words of a text in a text all stand where that stands.
        if out.is_pipe() && self.outer_place().is_none() {
            self.found.pipes.push(span);
        }
        let before = out.take_ended().into_iter().map(|pieces| Word { span, pieces }).collect();
        let vanishes = !out.is_word();
        let (pieces, seen) = self.finish(out, mark);
        let word = Word { span, pieces };
        Ok(LexedWord { word, quoted, process, before, vanishes, seen })
    }

    /// The pieces of what was read, and what its expansions may hold, which were seen from `mark` on.
    fn finish(&mut self, out: WordPieces, mark: usize) -> (Vec<WordPiece>, Vec<SeenExpansion>) {
        let mut seen = self.seen.split_off(mark.min(self.seen.len()));
        let pieces = out.finish();
        if pieces.is_none() {
            // Its text is not among the pieces.
            seen.push(SeenExpansion::Text);
        }
        (pieces.unwrap_or_else(|| vec![WordPiece::Unknown { splits: true }]), seen)
    }

    /// Whether bash may take the word for `{NAME[SUBSCRIPT]}`, where a descriptor is kept: it decides so by the text as it is
    /// written, and evaluates the subscript, quoted parts included.
    fn names_element(&self, start: usize) -> bool {
        let text = self.slice(start, self.at);
        text.starts_with('{') && text.contains('[') && text.replace("\\\n", "").ends_with("]}")
    }

    fn word_into(&mut self, out: &mut WordPieces, mode: WordMode) -> Read {
        // How many parentheses of a pattern are open.
        let mut groups = 0usize;
        loop {
            let start = self.at;
            let bytes = self.text.as_bytes();
            while bytes.get(self.at).is_some_and(|byte| PLAIN[*byte as usize]) {
                self.at += 1;
            }
            if self.at > start {
                out.text(self.slice(start, self.at));
            }
            match self.peek() {
                0 if groups == 0 => return Ok(()),
                0 => return Err(ReadStop(DoubtReason::NotUnderstood)),
                b'\'' => self.single(out)?,
                b'"' => self.double(out)?,
                b'\\' => self.escape(out),
                b'$' => self.dollar(QuotingState::None, out)?,
                b'`' => self.backtick(QuotingState::None, out)?,
                byte @ (b'<' | b'>') if self.bash() && self.second() == b'(' => {
                    self.bump(2);
                    let inside = self.at;
                    self.substitution()?;
                    if self.slice(inside, self.at).trim_end_matches(')').trim().is_empty() {
                        // bash drops the word.
                        self.unknown(inside, DoubtReason::NotUnderstood);
                    }
                    self.seen.push(SeenExpansion::Text);
                    out.process(byte);
                }
                b'(' if mode == WordMode::Regex
                    || (mode == WordMode::Pattern && out.ends_pattern()) =>
                {
                    groups += 1;
                    self.take(out);
                }
                b'(' if groups > 0 => {
                    groups += 1;
                    self.take(out);
                }
                b')' if groups > 0 => {
                    groups -= 1;
                    self.take(out);
                }
                b'|' if mode == WordMode::Regex => self.take(out),
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => {
                    if groups == 0 {
                        return Ok(());
                    }
                    self.take(out);
                }
                b'*' => {
                    self.bump(1);
                    out.glob("*");
                }
                b'?' => {
                    self.bump(1);
                    out.glob("?");
                }
                b'[' => {
                    out.open_bracket();
                    self.take(out);
                }
                b']' => {
                    self.bump(1);
                    out.close_bracket();
                }
                b'=' => {
                    let first =
                        matches!(mode, WordMode::Plain | WordMode::Argument) && !out.assigns;
                    if first {
                        out.assign();
                    }
                    self.take(out);
                    if first && out.assigns {
                        self.tilde(out, mode);
                    }
                }
                b':' => {
                    self.take(out);
                    if mode == WordMode::Value || out.assigns {
                        self.tilde(out, WordMode::Value);
                    }
                }
                _ => self.take(out),
            }
        }
    }

    /// One character that stands for itself.
    pub(in super::super) fn take(&mut self, out: &mut WordPieces) {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        // A loop over this reaches the end of the text, also from within a character.
        let inside = usize::from(self.at < self.text.len());
        let length = rest.chars().next().map_or(inside, char::len_utf8);
        out.text(self.slice(self.at, self.at + length));
        self.at += length;
    }

    /// A backslash and the character behind it.
    pub(in super::super) fn escape(&mut self, out: &mut WordPieces) {
        out.quote();
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        match rest.chars().next() {
            Some(character) => {
                self.at += 1 + character.len_utf8();
                out.text(rest.get(..character.len_utf8()).unwrap_or_default());
            }
            None => {
                // At the end of a text it stands for itself, or for nothing.
                self.at += 1;
                self.seen.push(SeenExpansion::Text);
                out.push(WordPiece::Unknown { splits: false });
            }
        }
    }

    /// A `~` where it may stand for a directory.
    fn tilde(&mut self, out: &mut WordPieces, mode: WordMode) {
        if self.peek() != b'~' {
            return;
        }
        let mut end = self.joined(self.at + 1);
        let name = end;
        while self.byte(end).is_ascii_alphanumeric() || b"_.+-".contains(&self.byte(end)) {
            end = self.joined(end + 1);
        }
        let ends = matches!(
            self.byte(end),
            0 | b' ' | b'\t' | b'\n' | b'/' | b':' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
        );
        // What bash puts in the place of `<( )` belongs to the name, which then is not a user's.
        let file = b"<>".contains(&self.byte(end)) && self.byte(self.joined(end + 1)) == b'(';
        if !ends || file {
            return self.take(out);
        }
        // In arguments, whether one behind a `=` stands for a directory depends on the shell and the command.
        let value = mode == WordMode::Value || out.assigns;
        // bash lets a colon end the name in arguments too.
        let colon = self.byte(end) == b':' && !value;
        let certain = name == end && !out.subscript && !colon && (self.bash() || !out.assigns);
        let piece = if certain { WordPiece::Home } else { WordPiece::Unknown { splits: false } };
        self.seen.push(SeenExpansion::Text);
        out.push(piece);
        self.at = end;
    }
}
