//! A word while it is read.

use super::WordPiece;

/// What has been read of a word.
#[derive(Default)]
pub(in super::super) struct WordPieces {
    pieces: Vec<WordPiece>,
    /// Text that is not among the pieces yet.
    text: String,
    pub(in super::super) quoted: bool,
    /// It looks like `NAME=`: a tilde may follow.
    pub(super) assigns: bool,
    /// And something that may be a subscript stands before the `=`.
    pub(super) subscript: bool,
    /// Where an unquoted `[` stands: how many pieces and how much text were there before it.
    bracket: Option<(usize, usize)>,
    /// Something between the `[` and here is quoted or expands.
    bracket_mixed: bool,
    /// A pattern whose extent is not clear.
    unsure: bool,
    processes: usize,
    /// One of them is written to.
    feeds: bool,
    /// The words before this one, of those that an expansion has made several.
    ended: Vec<Vec<WordPiece>>,
    /// Something of this word, of those, is quoted.
    holds: bool,
}

/// The most pieces of a word: with more, none of it is certain.
const MAX_PIECES: usize = 200;

impl WordPieces {
    pub(super) fn text(&mut self, text: &str) {
        if !self.unsure {
            self.text.push_str(text);
        }
    }

    pub(super) fn push(&mut self, piece: WordPiece) {
        self.bracket_mixed = true;
        self.flush();
        if !self.unsure {
            self.pieces.push(piece);
        }
    }

    fn flush(&mut self) {
        if self.pieces.len() > MAX_PIECES {
            self.unsure = true;
            self.pieces.clear();
            self.text.clear();
        }
        if !self.text.is_empty() {
            self.pieces.push(WordPiece::Text(std::mem::take(&mut self.text)));
        }
    }

    /// Something is quoted here.
    pub(super) fn quote(&mut self) {
        self.quoted = true;
        self.holds = true;
        self.bracket_mixed = true;
    }

    pub(super) fn glob(&mut self, pattern: &str) {
        if self.bracket.is_some() && !self.bracket_mixed {
            // Part of a bracket, or a pattern of its own when that is never closed.
            self.bracket_mixed = true;
        }
        self.flush();
        if self.unsure {
            return;
        }
        match self.pieces.last_mut() {
            Some(WordPiece::Glob(last)) => last.push_str(pattern),
            _ => self.pieces.push(WordPiece::Glob(pattern.to_owned())),
        }
    }

    /// Whether text from an expansion could become part of a bracket.
    pub(super) fn in_bracket(&self) -> bool {
        self.bracket.is_some()
    }

    /// The text of an expansion outside of quotes: split at blanks, and a pattern where it looks like one.
    pub(super) fn split(&mut self, text: &str) {
        for (index, part) in text.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                self.end_word();
            }
            for part in part.split_inclusive(['*', '?']) {
                match part.strip_suffix(['*', '?']) {
                    Some(before) => {
                        self.text(before);
                        self.glob(part.get(before.len()..).unwrap_or_default());
                    }
                    None => self.text(part),
                }
            }
        }
    }

    fn end_word(&mut self) {
        self.flush();
        if self.pieces.is_empty() && !self.holds {
            return;
        }
        self.ended.push(std::mem::take(&mut self.pieces));
        self.holds = false;
        self.assigns = false;
        self.subscript = false;
    }

    /// The words before this one. The last is [`Self::finish`]; it may be nothing.
    pub(super) fn take_ended(&mut self) -> Vec<Vec<WordPiece>> {
        std::mem::take(&mut self.ended)
    }

    /// Whether there is a word at all.
    pub(super) fn is_word(&self) -> bool {
        self.unsure || self.holds || !self.pieces.is_empty() || !self.text.is_empty()
    }

    /// `<( )` or `>( )`.
    pub(super) fn process(&mut self, direction: u8) {
        self.processes += 1;
        self.feeds |= direction != b'<';
        self.push(WordPiece::Unknown { splits: false });
    }

    pub(super) fn open_bracket(&mut self) {
        if self.bracket.is_none() {
            self.bracket = Some((self.pieces.len(), self.text.len()));
            self.bracket_mixed = false;
        }
    }

    pub(super) fn close_bracket(&mut self) {
        let Some((pieces, at)) = self.bracket else {
            return self.text("]");
        };
        if self.bracket_mixed || self.pieces.len() != pieces {
            self.unsure = true;
            return self.text("]");
        }
        let inside = self.text.get(at + 1..).unwrap_or_default();
        if matches!(inside, "" | "!" | "^") || inside.ends_with('[') {
            return self.text("]");
        }
        // Classes, and names of characters, hold a `]` of their own.
        let named = ["[:", "[.", "[="].iter().any(|class| inside.contains(class));
        if inside.contains('/') || named {
            self.unsure = true;
            return self.text("]");
        }
        let mut pattern = self.text.split_off(at);
        pattern.push(']');
        self.bracket = None;
        self.glob(&pattern);
    }

    /// Notes that a `=` behind all so far may make an assignment of it: `NAME`, `NAME+`, and all with a subscript.
    pub(super) fn assign(&mut self) {
        let subscript = self.bracket.is_some() || !self.pieces.is_empty();
        self.subscript |= subscript && !self.assigns;
        self.assigns |= subscript || self.is_name();
    }

    /// Whether all so far is the name of a variable.
    fn is_name(&self) -> bool {
        let name = self.text.strip_suffix('+').unwrap_or(&self.text);
        let mut bytes = name.bytes();
        !self.quoted
            && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Whether a `(` here opens a group of an extended pattern.
    pub(super) fn ends_pattern(&self) -> bool {
        match self.text.as_bytes().last() {
            Some(last) => b"+@!".contains(last),
            None => matches!(self.pieces.last(), Some(WordPiece::Glob(_))),
        }
    }

    /// Whether it is nothing but one process substitution.
    pub(super) fn is_process(&self) -> bool {
        self.processes == 1 && self.pieces.len() == 1 && self.text.is_empty() && !self.quoted
    }

    /// The same, and it is read, and no expansion has made it several words.
    pub(super) fn is_pipe(&self) -> bool {
        self.is_process() && !self.feeds && self.ended.is_empty()
    }

    /// All of it. `None`: nothing of it is certain.
    pub(in super::super) fn finish(mut self) -> Option<Vec<WordPiece>> {
        self.flush();
        (!self.unsure).then_some(self.pieces)
    }
}
