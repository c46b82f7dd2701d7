//! Writes text so that nothing in it deceives.

use std::fmt::Write;

use super::chars::{self, deceit, is_mark};
use super::context::TextLanguage;
use super::scan::{self, GlyphVerdict, PADDING_LINES, PADDING_SPACES};
use crate::call::Digest;

/// How exactly a text can be read back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeForm {
    /// As it is usually quoted: a tab is `\t`, which a text may also say itself.
    Quoted,
    /// Only one text is shown like that: a tab is `⇥`, a carriage return `␍`, and what a text says of the like is escaped.
    Exact,
}

/// A text with nothing in it that deceives: line feeds stay, both ends are kept.
pub(super) fn safe(text: &str, end: usize) -> String {
    ends_of(text, end, EscapeForm::Quoted, TextLanguage::of(text))
}

/// A text made safe that takes one line.
pub(super) fn on_one_line(text: &str, end: usize) -> String {
    safe(text, end).replace('\n', "\\u{000A}")
}

/// A line of a file, made safe so that it can be read back; `language`: that of the whole file.
pub(super) fn exact_line(line: &str, end: usize, language: TextLanguage) -> String {
    ends_of(line, end, EscapeForm::Exact, language)
}

fn ends_of(text: &str, end: usize, form: EscapeForm, language: TextLanguage) -> String {
    let (head, tail) = ends(text, end);
    let mut shown = escaped(head, form, language);
    if let Some(tail) = tail {
        let hidden = text[head.len()..text.len() - tail.len()].chars().count();
        let _infallible = write!(
            shown,
            "…[{hidden} characters hidden; SHA-256 of the text: {}]…",
            Digest::of_text(text)
        );
        shown.push_str(&escaped(tail, form, language));
    }
    shown
}

/// Whether a line of a preview says that something of the call is left out of it: `…[12 characters hidden…`. No text can say so
/// itself (see [`poses`]). Of blanks it says how many they are, which is all to know of them.
pub(super) fn leaves_out(line: &str) -> bool {
    line.split("…[").skip(1).any(|said| {
        let what = said.trim_start_matches(|c: char| c.is_ascii_digit());
        !what.starts_with(" spaces hidden") && !what.starts_with(" line ends")
    })
}

/// The two ends of a text that is too long to show; one piece when it is not.
fn ends(text: &str, end: usize) -> (&str, Option<&str>) {
    // What is shown escaped takes more room.
    let cost = |c: char| {
        let plain = c.is_ascii() || !(chars::may_look_alike(c) || is_mark(c));
        if plain && deceit(c).is_none() { 1 } else { 10 }
    };
    let mut spent = 0;
    let Some((cut, _)) = text.char_indices().find(|(_, c)| {
        spent += cost(*c);
        spent > end
    }) else {
        return (text, None);
    };
    let mut spent = 0;
    let tail = text[cut..].char_indices().rev().find(|(_, c)| {
        spent += cost(*c);
        spent > end
    });
    match tail {
        None => (text, None),
        Some((index, c)) => (&text[..cut], Some(&text[cut + index + c.len_utf8()..])),
    }
}

fn escaped(text: &str, form: EscapeForm, language: TextLanguage) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut blanks = PendingBlanks::default();
    let mut after = 0;
    scan::glyphs(text, language, |c, glyph| {
        after += c.len_utf8();
        if matches!(c, ' ' | '\n') {
            return blanks.push(c, &mut shown);
        }
        blanks.flush(&mut shown);
        match (c, glyph) {
            ('\t', _) if form == EscapeForm::Exact => shown.push('⇥'),
            ('\r', _) if form == EscapeForm::Exact => shown.push('␍'),
            ('\t', _) => shown.push_str("\\t"),
            (c, GlyphVerdict::Plain) if !poses(c, &text[after..], form) => shown.push(c),
            (c, _) => {
                let _infallible = write!(shown, "\\u{{{:04X}}}", u32::from(c));
            }
        }
    });
    blanks.flush(&mut shown);
    shown
}

/// Whether a character begins what only we say: `…[7 spaces hidden]…` and, in the exact form, an escape.
fn poses(c: char, after: &str, form: EscapeForm) -> bool {
    match c {
        '…' => after.starts_with('['),
        '⇥' | '␍' => form == EscapeForm::Exact,
        '\\' => form == EscapeForm::Exact && after.starts_with("u{"),
        _ => false,
    }
}

/// Spaces and line ends that wait for what comes after them: when it is out of sight, it is said how many they are.
#[derive(Default)]
struct PendingBlanks {
    /// Where they are to stand.
    start: usize,
    lines: usize,
    /// In all lines, and in the last one.
    spaces: usize,
    last: usize,
}

impl PendingBlanks {
    fn push(&mut self, c: char, shown: &mut String) {
        if self.lines + self.spaces == 0 {
            self.start = shown.len();
        }
        if c == '\n' {
            write_spaces(std::mem::take(&mut self.last), shown);
            self.lines += 1;
            shown.push('\n');
        } else {
            self.spaces += 1;
            self.last += 1;
        }
    }

    fn flush(&mut self, shown: &mut String) {
        let Self { start, lines, spaces, last } = std::mem::take(self);
        if lines < PADDING_LINES {
            return write_spaces(last, shown);
        }
        // Lines of nothing but spaces are no less empty.
        shown.truncate(start);
        let more = if spaces == 0 { String::new() } else { format!(" and {spaces} spaces") };
        let _infallible = write!(shown, "\n…[{} line ends{more} hidden]…\n", lines - 2);
    }
}

fn write_spaces(count: usize, shown: &mut String) {
    if count >= PADDING_SPACES {
        let _infallible = write!(shown, " …[{} spaces hidden]… ", count - 2);
    } else {
        shown.extend(std::iter::repeat_n(' ', count));
    }
}
