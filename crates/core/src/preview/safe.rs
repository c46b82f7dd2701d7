//! Writes text so that nothing in it deceives.

use std::fmt::Write;

use super::chars::{self, deceit, is_mark};
use super::context::Language;
use super::scan::{self, Glyph, PADDING_LINES, PADDING_SPACES};
use crate::call::Digest;

/// How exactly a text can be read back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it is usually quoted: a tab is `\t`, which a text may also say itself.
    Quoted,
    /// Only one text is shown like that: a tab is `⇥`, a carriage return `␍`, and what a text says of the like is escaped.
    Exact,
}

/// A text with nothing in it that deceives: line feeds stay, both ends are kept.
pub(super) fn safe(text: &str, end: usize) -> String {
    ends_of(text, end, Form::Quoted, Language::of(text))
}

/// A text made safe that takes one line.
pub(super) fn on_one_line(text: &str, end: usize) -> String {
    safe(text, end).replace('\n', "\\u{000A}")
}

/// A line of a file, made safe so that it can be read back; `language`: that of the whole file.
pub(super) fn exact_line(line: &str, end: usize, language: Language) -> String {
    ends_of(line, end, Form::Exact, language)
}

fn ends_of(text: &str, end: usize, form: Form, language: Language) -> String {
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

fn escaped(text: &str, form: Form, language: Language) -> String {
    let mut shown = String::with_capacity(text.len());
    let (mut spaces, mut lines, mut after) = (0, 0, 0);
    scan::glyphs(text, language, |c, glyph| {
        after += c.len_utf8();
        if c != ' ' {
            flush(&mut shown, &mut spaces, " ", PADDING_SPACES, "spaces");
        }
        if c != '\n' {
            flush(&mut shown, &mut lines, "\n", PADDING_LINES, "line ends");
        }
        match (c, glyph) {
            (' ', _) => spaces += 1,
            ('\n', _) => lines += 1,
            ('\t', _) if form == Form::Exact => shown.push('⇥'),
            ('\r', _) if form == Form::Exact => shown.push('␍'),
            ('\t', _) => shown.push_str("\\t"),
            (c, Glyph::Plain) if !poses(c, &text[after..], form) => shown.push(c),
            (c, _) => {
                let _infallible = write!(shown, "\\u{{{:04X}}}", u32::from(c));
            }
        }
    });
    flush(&mut shown, &mut spaces, " ", PADDING_SPACES, "spaces");
    flush(&mut shown, &mut lines, "\n", PADDING_LINES, "line ends");
    shown
}

/// Whether a character begins what only we say: `…[7 spaces hidden]…` and, in the exact form, an escape.
fn poses(c: char, after: &str, form: Form) -> bool {
    match c {
        '…' => after.starts_with('['),
        '⇥' | '␍' => form == Form::Exact,
        '\\' => form == Form::Exact && after.starts_with("u{"),
        _ => false,
    }
}

/// Writes a run of blanks, or says how long it is when it would push the rest out of sight.
fn flush(shown: &mut String, count: &mut usize, blank: &str, most: usize, what: &str) {
    if *count >= most {
        let _infallible = write!(shown, "{blank}…[{} {what} hidden]…{blank}", *count - 2);
    } else {
        shown.push_str(&blank.repeat(*count));
    }
    *count = 0;
}
