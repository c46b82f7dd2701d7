//! What is around a character, so far as it decides whether that is a look-alike.

use super::chars::{self, LookalikeScript, is_mark};
use super::confusable::looks_ascii;

/// What the letters of a whole text say about how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextLanguage {
    /// It has letters of Cyrillic, Greek and the like that readers do not take for Latin ones.
    distinct: bool,
    /// It has Latin letters beyond ASCII, so that a Turkish `ı` is one.
    accents: bool,
}

impl TextLanguage {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self { distinct: false, accents: false };
        }
        Self {
            distinct: text.chars().any(is_distinct),
            accents: text.chars().any(|c| !c.is_ascii() && !matches!(c, 'ı' | 'ſ') && is_latin(c)),
        }
    }

    /// That of two texts which make one.
    pub(super) fn and(self, other: Self) -> Self {
        Self { distinct: self.distinct || other.distinct, accents: self.accents || other.accents }
    }
}

fn is_latin(c: char) -> bool {
    chars::script(c) == LookalikeScript::Latin && c.is_alphabetic()
}

fn is_distinct(c: char) -> bool {
    matches!(
        chars::script(c),
        LookalikeScript::Cyrillic | LookalikeScript::Greek | LookalikeScript::Other
    ) && c.is_alphabetic()
        && !chars::looks_latin(c)
}

/// The word, the line and so on that a character stands in. Each is looked at once, when it is entered.
pub(super) struct CharContext<'a> {
    text: &'a str,
    language: TextLanguage,
    word: LetterRun,
    line: TextLine,
    stretch: NonLatinRun,
    wide: WideRun,
}

/// Letters, digits and their marks.
#[derive(Default)]
struct LetterRun {
    end: usize,
    /// It has Latin letters, so that others among them are look-alikes.
    latin: bool,
    /// It has ASCII digits.
    digits: bool,
    /// All its letters are of scripts that are taken for Latin, and look Latin.
    posing: bool,
    /// It is one letter.
    single: bool,
    /// Those of its letters and digits that are not Latin all look like ASCII ones.
    alike: bool,
}

#[derive(Default)]
struct TextLine {
    end: usize,
    latin: bool,
    east_asian: bool,
}

/// What stands between two Latin letters or line ends.
#[derive(Default)]
struct NonLatinRun {
    end: usize,
    /// It has letters that readers do not take for Latin ones, so that its words are what they are.
    distinct: bool,
}

/// ASCII characters of full width, one after the other.
#[derive(Default)]
struct WideRun {
    end: usize,
    /// They stand beside Chinese or Japanese.
    ordinary: bool,
}

impl<'a> CharContext<'a> {
    pub(super) fn of(text: &'a str, language: TextLanguage) -> Self {
        Self {
            text,
            language,
            word: LetterRun::default(),
            line: TextLine::default(),
            stretch: NonLatinRun::default(),
            wide: WideRun::default(),
        }
    }

    /// Moves on to the next character.
    pub(super) fn enter(&mut self, index: usize, c: char, before: Option<char>) {
        let Some(rest) = self.text.get(index..) else { return };
        let upto = |end: Option<usize>| rest.split_at(end.unwrap_or(rest.len())).0;
        if index >= self.line.end {
            let line = upto(rest.find('\n').map(|end| end + 1));
            self.line = TextLine {
                end: index + line.len(),
                latin: line.chars().any(is_latin),
                east_asian: line.chars().any(chars::is_east_asian),
            };
        }
        if index >= self.stretch.end {
            let stretch = upto(rest.find(|c| c == '\n' || is_latin(c)));
            self.stretch = NonLatinRun {
                end: index + stretch.len().max(c.len_utf8()),
                distinct: stretch.chars().any(is_distinct),
            };
        }
        if index >= self.word.end && c.is_alphanumeric() {
            self.word = LetterRun::of(
                index,
                upto(rest.find(|c: char| !c.is_alphanumeric() && !is_mark(c))),
            );
        }
        if index >= self.wide.end && chars::is_full_width(c) {
            let run = upto(rest.find(|c| !chars::is_full_width(c)));
            let after = rest.get(run.len()..).and_then(|rest| rest.chars().next());
            self.wide = WideRun {
                end: index + run.len(),
                ordinary: [before, after].into_iter().flatten().any(chars::is_east_asian),
            };
        }
    }

    /// Whether the character that was entered last passes for another here.
    pub(super) fn hides(&self, index: usize, c: char, before: Option<char>) -> bool {
        if c.is_ascii() {
            return false;
        }
        if chars::is_full_width(c) {
            let prose = self.line.east_asian && chars::is_full_width_prose(c);
            return !self.wide.ordinary && !prose;
        }
        if chars::is_dash(c) {
            let rest = self.text.get(index + c.len_utf8()..).unwrap_or_default();
            // Chinese writes two long ones in a row.
            let two = |next| next == '-' || (c < '\u{2014}' && chars::is_dash(next));
            return before.is_none_or(char::is_whitespace)
                && rest.starts_with(|next: char| next.is_ascii_alphabetic() || two(next));
        }
        index < self.word.end && self.hides_in_word(c)
    }

    fn hides_in_word(&self, c: char) -> bool {
        let word = &self.word;
        match chars::script(c) {
            LookalikeScript::Cyrillic => word.latin || self.poses(),
            LookalikeScript::Greek => {
                (word.latin && chars::passes_among_latin(c))
                    || (chars::looks_latin(c) && self.poses())
            }
            LookalikeScript::Other => word.latin || (chars::looks_latin(c) && self.poses()),
            // The long s is out of use; volumes that ignore case take it for an `s`.
            LookalikeScript::Latin => c == 'ſ' || c == 'ı' && !self.language.accents,
            LookalikeScript::Distinct => {
                word.alike && looks_ascii(c) && (word.latin || (word.digits && c.is_numeric()))
            }
        }
    }

    /// Whether the word is a Latin one by its looks, and nothing near it says otherwise. A text in such a script has words like
    /// that too: lines without any Latin letter, and words of one letter wherever they stand.
    fn poses(&self) -> bool {
        let excused = self.language.distinct && (self.word.single || !self.line.latin);
        self.word.posing && !self.stretch.distinct && !excused
    }
}

impl LetterRun {
    fn of(start: usize, word: &str) -> Self {
        let letters = || word.chars().filter(|c| c.is_alphabetic());
        let foreign =
            || word.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric() && !is_latin(*c));
        Self {
            end: start + word.len(),
            latin: letters().any(is_latin),
            digits: word.bytes().any(|byte| byte.is_ascii_digit()),
            posing: letters().all(chars::looks_latin),
            single: word.chars().nth(1).is_none(),
            alike: foreign().all(looks_ascii),
        }
    }
}
