//! Reads a text for what deceives in it, character by character but knowing the word that each stands in.

use super::chars::{self, LookalikeScript, deceit, is_mark};
use super::context::{CharContext, TextLanguage};
use super::flags::{Flag, Flags};
use crate::call::Json;

/// From here on a run of blanks is padding.
pub(super) const PADDING_SPACES: usize = 40;
/// From here on a run of empty lines is padding.
pub(super) const PADDING_LINES: usize = 10;
/// More marks on one character than any script needs.
const MANY_MARKS: usize = 4;
/// A text longer than this is worth a warning,
const LONG_TEXT: usize = 500;
/// and all of them together from here on,
const LONG_TOTAL: usize = 2_000;
/// or this many of them.
const LONG_COUNT: usize = 100;

/// What the arguments come to.
#[derive(Debug, Default)]
pub(super) struct ArgumentSum {
    /// Values that are not made of others.
    pub(super) leaves: usize,
    /// The characters of all of them.
    pub(super) chars: usize,
}

/// Whether a character may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GlyphVerdict {
    /// As it is.
    Plain,
    /// Escaped, for these reasons.
    Escaped(Flags),
}

/// Looks at every character of a text in turn; `language`: that of the text that it is a part of.
pub(super) fn glyphs(text: &str, language: TextLanguage, mut see: impl FnMut(char, GlyphVerdict)) {
    if text.is_ascii() {
        // Most texts: no word, no mark and no script to look at.
        return text
            .chars()
            .for_each(|c| see(c, deceit(c).map_or(GlyphVerdict::Plain, GlyphVerdict::Escaped)));
    }
    let mut context = CharContext::of(text, language);
    let mut base = MarkBase::default();
    let mut before = None;
    let mut in_emoji = false;
    // How many characters from here on are part of a flag.
    let mut of_flag = 0_usize;
    for (index, c) in text.char_indices() {
        context.enter(index, c, before);
        let after = &text[index + c.len_utf8()..];
        let forms = c == EMOJI_FORM && before.is_some_and(|base| forms_emoji(base, after));
        let is_of_flag = of_flag > 0;
        of_flag = if is_of_flag { of_flag - 1 } else { tags_behind(c, after) };
        let found = match deceit(c) {
            Some(_) if is_of_flag => None,
            // It is a part of the emoji that is seen.
            Some(_) if forms => None,
            Some(_) if c == INFORMATION && marks_line(&text[..index], after) => None,
            // Which form of an emoji is shown is nothing to warn of, but it is not shown as a character either.
            Some(_) if is_variation(c) && before.is_some_and(chars::takes_variation) => {
                Some(Flags::NONE)
            }
            // It joins two emoji into one, a family or a profession, and is seen as that.
            Some(_) if c == JOINER => match joins(before, in_emoji, after) {
                JoinedEmoji::Shown => None,
                // Behind what is shown as an escape it joins nothing on the screen.
                JoinedEmoji::Escaped => Some(Flags::NONE),
                JoinedEmoji::None => Some(Flags::of([Flag::Invisible])),
            },
            Some(flags) => Some(flags),
            None if is_mark(c) => {
                Some(Flags::of([Flag::Combining])).filter(|_| !base.takes(c, before))
            }
            None => Some(Flags::of([Flag::Homoglyph])).filter(|_| context.hides(index, c, before)),
        };
        if !is_mark(c) {
            base = MarkBase { character: Some(c), marks: 0 };
        }
        see(c, found.map_or(GlyphVerdict::Plain, GlyphVerdict::Escaped));
        in_emoji = forms;
        before = Some(c);
    }
}

/// What marks are put on.
#[derive(Default)]
struct MarkBase {
    character: Option<char>,
    marks: usize,
}

impl MarkBase {
    /// Whether one more mark on it is ordinary. On Latin it is not: what is common there has a character of its own.
    fn takes(&mut self, mark: char, before: Option<char>) -> bool {
        self.marks += 1;
        let keycap = mark == KEYCAP && before == Some(EMOJI_FORM);
        let ordinary = self.character.is_some_and(|base| {
            !base.is_ascii()
                && !base.is_whitespace()
                && chars::script(base) != LookalikeScript::Latin
        });
        keycap || (ordinary && self.marks <= MANY_MARKS)
    }
}

/// The sign that programs put before a line that informs: `ℹ tests 4`. In a word it passes for an `i`.
const INFORMATION: char = '\u{2139}';

/// Whether a sign between these two is the mark of a line or of a quoted text, and so no letter of a word.
fn marks_line(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    let opens = before.is_empty() || before.ends_with(['\n', '"', '\'', '`']);
    opens && after.trim_start_matches(EMOJI_FORM).starts_with(' ')
}

/// The character that makes an emoji of a sign that is one of a text, too.
const EMOJI_FORM: char = '\u{fe0f}';

/// The sign of a key around the character before it.
const KEYCAP: char = '\u{20e3}';

/// Whether an emoji form behind this sign belongs to an emoji: that of a digit is a key.
fn forms_emoji(base: char, after: &str) -> bool {
    chars::takes_variation(base) && (!base.is_ascii() || after.starts_with(KEYCAP))
}

/// The flag that tags make another one of.
const FLAG: char = '\u{1f3f4}';

/// The tags of the flags in use: of England, of Scotland, and of Wales. Others spell a text that is not seen.
const FLAG_TAGS: &[&str] = &[
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// How many tags behind this character make one flag with it.
fn tags_behind(c: char, after: &str) -> usize {
    let tags = FLAG_TAGS.iter().find(|tags| c == FLAG && after.starts_with(**tags));
    tags.map_or(0, |tags| tags.chars().count())
}

/// The character that makes one emoji of two.
const JOINER: char = '\u{200d}';

/// What a joiner does where it stands.
enum JoinedEmoji {
    /// It stands between two emoji.
    Shown,
    /// It stands between two emoji; the first has a variation selector.
    Escaped,
    /// It joins no emoji: it is not seen.
    None,
}

/// `in_emoji`: the character before is the form of an emoji, and is shown as that.
fn joins(before: Option<char>, in_emoji: bool, after: &str) -> JoinedEmoji {
    if !after.chars().next().is_some_and(chars::is_picture) {
        return JoinedEmoji::None;
    }
    match before {
        Some(c) if in_emoji || chars::is_picture(c) => JoinedEmoji::Shown,
        Some(c) if is_variation(c) => JoinedEmoji::Escaped,
        _ => JoinedEmoji::None,
    }
}

fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | EMOJI_FORM)
}

/// What is worth a warning in a text, its length and its layout included.
pub(super) fn text(text: &str) -> Flags {
    let mut flags = Flags::NONE;
    let (mut count, mut blanks, mut lines) = (0, 0, 0);
    let mut turns = RightToLeft::default();
    let mut see = |c: char, glyph: GlyphVerdict| {
        count += 1;
        if let GlyphVerdict::Escaped(found) = glyph {
            flags.add(found);
        }
        if c == '\n' {
            flags.add(Flags::of([Flag::Multiline]));
        }
        if turns.see(c) {
            flags.add(Flags::of([Flag::RightToLeft]));
        }
        (blanks, lines) = match c {
            '\n' => (0, lines + 1),
            c if c.is_whitespace() || c == '\u{2800}' => (blanks + 1, lines),
            _ => (0, 0),
        };
        if blanks >= PADDING_SPACES || lines >= PADDING_LINES {
            flags.add(Flags::of([Flag::Padding]));
        }
    };
    glyphs(text, TextLanguage::of(text), &mut see);
    if count > LONG_TEXT {
        flags.add(Flags::of([Flag::Long]));
    }
    flags
}

/// Where a text that runs from right to left is shown in another order than it is read: `mv a b` in Hebrew letters looks like
/// `mv b a`.
#[derive(Default)]
enum RightToLeft {
    /// In text from left to right.
    #[default]
    No,
    /// In a word from right to left.
    Word,
    /// Behind it, where nothing has turned the direction back.
    Behind,
}

impl RightToLeft {
    /// Whether this character is shown before what it stands behind, as a word of its own.
    fn see(&mut self, c: char) -> bool {
        let turned = match self {
            Self::No => false,
            Self::Word => c.is_ascii_digit(),
            Self::Behind => chars::runs_left(c) || c.is_ascii_digit(),
        };
        *self = match self {
            _ if chars::runs_left(c) => Self::Word,
            Self::No => Self::No,
            _ if c == '\n' || (c.is_alphabetic() && !is_mark(c)) => Self::No,
            _ => Self::Behind,
        };
        turned
    }
}

/// What is worth a warning in the name of a tool.
pub(super) fn name(name: &str) -> Flags {
    let mut flags = text(name);
    if name.contains('\n') {
        flags.add(Flags::of([Flag::Control]));
    }
    flags
}

/// What is worth a warning in the name of an argument.
fn key(name: &str) -> Flags {
    let mut flags = text(name);
    let odd = !flags.is_empty()
        || name.is_empty()
        || name.len() > 128
        || name.trim() != name
        || name.contains('\t')
        || matches!(name, "__proto__" | "constructor" | "prototype");
    if odd {
        flags.add(Flags::of([Flag::OddKey]));
    }
    flags
}

/// Adds what is worth a warning in the arguments, and sums them up.
pub(super) fn arguments(args: &Json, flags: &mut Flags) -> ArgumentSum {
    let mut sum = ArgumentSum::default();
    visit(args, flags, &mut sum);
    if sum.chars > LONG_TOTAL || sum.leaves > LONG_COUNT {
        flags.add(Flags::of([Flag::Long]));
    }
    sum
}

fn visit(value: &Json, flags: &mut Flags, sum: &mut ArgumentSum) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            items.iter().for_each(|item| visit(item, flags, sum))
        }
        Json::Object(entries) if !entries.is_empty() => {
            for (name, value) in entries {
                flags.add(key(name));
                visit(value, flags, sum);
            }
        }
        Json::String(value) => {
            flags.add(text(value));
            sum.leaves += 1;
            sum.chars += value.chars().count();
        }
        _ => {
            sum.leaves += 1;
            sum.chars += 4;
        }
    }
}
