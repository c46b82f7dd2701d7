//! Lays a call out: one line per value, a gutter before each, both ends of what is long.

use std::fmt::Write;
use std::iter::repeat_n;

use super::safe::{leaves_out, on_one_line, safe};
use super::scan::ArgumentSum;
use crate::call::{CanonicalJson, Digest, Json};

/// Stands before each line that comes from the arguments.
pub(super) const GUTTER: &str = "│ ";
/// Stands before each line of a text of several lines.
const TEXT_GUTTER: &str = "│ ┆ ";
/// Stands before what a line is continued with when it is too wide.
const WRAP_GUTTER: &str = "│ ↪ ";

/// What is shown of one value at each of its ends, in characters.
const VALUE_END: usize = 2_000;
/// What is shown of a name at each of its ends.
const NAME_END: usize = 64;
/// What is shown of all values at each end.
const PAGE_END: usize = 8_000;
/// The longest text that stands among the short values, in bytes.
const LONG: usize = 200;
/// The narrowest page.
const MIN_WIDTH: usize = 20;

/// A step from a value to one in it.
#[derive(Clone, Copy)]
enum ValueStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// The whole page: the name of the tool, its arguments, then what is said in the place of some of them; and whether anything is
/// left out of it.
pub(super) fn page(
    tool_name: &str, args: Option<(&Json, &ArgumentSum)>, width: Option<usize>, rest: &[&str],
) -> (String, bool) {
    let width = width.map(|width| width.max(MIN_WIDTH));
    let mut page = PageText { text: String::new(), width, leaves_out: false };
    page.line("", &name(tool_name));
    if let Some((args, sum)) = args {
        page.arguments(args, sum);
    }
    rest.iter().flat_map(|text| text.lines()).for_each(|line| page.line("", line));
    page.text.truncate(page.text.trim_end_matches('\n').len());
    (page.text, page.leaves_out)
}

struct PageText {
    text: String,
    width: Option<usize>,
    leaves_out: bool,
}

impl PageText {
    /// Writes one line, wrapped where it is too wide.
    fn line(&mut self, gutter: &str, line: &str) {
        self.leaves_out |= leaves_out(line);
        self.text.push_str(gutter);
        let Some(width) = self.width else {
            self.text.push_str(line);
            self.text.push('\n');
            return;
        };
        let mut column = columns(gutter);
        for c in line.chars() {
            let wide = column_count(c);
            if column + wide > width {
                self.text.push('\n');
                self.text.push_str(WRAP_GUTTER);
                column = columns(WRAP_GUTTER);
            }
            self.text.push(c);
            column += wide;
        }
        self.text.push('\n');
    }

    /// Writes all values, or as many as fit at both ends.
    fn arguments(&mut self, args: &Json, sum: &ArgumentSum) {
        let (head, shown_head) = leaves(args, LeafOrder::Forward, usize::MAX);
        let (tail, shown_tail) = leaves(args, LeafOrder::Backward, sum.leaves - head.len());
        head.iter().for_each(|leaf| self.leaf(leaf));
        let hidden = sum.leaves - head.len() - tail.len();
        if hidden > 0 {
            let chars = sum.chars.saturating_sub(shown_head + shown_tail);
            let digest = CanonicalJson::of(args)
                .map(|args| Digest::of_text(args.as_str()).to_string())
                .unwrap_or_default();
            self.line("", &format!("…[{hidden} values with {chars} characters hidden here; SHA-256 of all arguments: {digest}]…"));
        }
        tail.iter().rev().for_each(|leaf| self.leaf(leaf));
    }

    fn leaf(&mut self, leaf: &ValueLeaf) {
        let separator = if leaf.label.is_empty() { "" } else { ":" };
        match leaf.lines.as_slice() {
            [only] => {
                let space = if leaf.label.is_empty() { "" } else { " " };
                self.line(GUTTER, &format!("{}{separator}{space}{only}", leaf.label));
            }
            lines => {
                self.line(GUTTER, &format!("{}{separator}", leaf.label));
                lines.iter().for_each(|line| self.line(TEXT_GUTTER, line));
            }
        }
    }
}

fn columns(text: &str) -> usize {
    text.chars().map(column_count).sum()
}

/// The columns that a character takes, those that are in doubt counted as two.
fn column_count(c: char) -> usize {
    match c {
        '\u{0}'..='\u{10ff}' => 1,
        '\u{1100}'..='\u{115f}'
        | '\u{231a}'..='\u{23ff}'
        | '\u{25fd}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}'
        | '\u{2e80}'..='\u{a4cf}' => 2,
        '\u{a960}'..='\u{a97c}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff60}' => 2,
        '\u{ffe0}'..='\u{ffe6}' | '\u{1b000}'.. => 2,
        _ => 1,
    }
}

/// A value that is not made of others, made safe.
struct ValueLeaf {
    label: String,
    /// At least one.
    lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafOrder {
    Forward,
    Backward,
}

/// The leaves at one end, until there is enough to show, and the characters of the values among them.
fn leaves(args: &Json, direction: LeafOrder, most: usize) -> (Vec<ValueLeaf>, usize) {
    let (mut found, mut budget, mut chars) = (Vec::new(), PAGE_END, 0);
    walk(args, direction, &mut Vec::new(), &mut |path, value| {
        if budget == 0 || found.len() == most {
            return false;
        }
        let leaf = ValueLeaf { label: label(path), lines: lines(value) };
        let size: usize = leaf.label.len()
            + leaf.lines.iter().map(|line| line.len() + TEXT_GUTTER.len()).sum::<usize>();
        budget = budget.saturating_sub(size);
        chars += if let Json::String(text) = value { text.chars().count() } else { 4 };
        found.push(leaf);
        true
    });
    (found, chars)
}

/// Goes over the leaves until told to stop; `false`: it was told.
fn walk<'a>(
    value: &'a Json, direction: LeafOrder, path: &mut Vec<ValueStep<'a>>,
    see: &mut impl FnMut(&[ValueStep<'a>], &'a Json) -> bool,
) -> bool {
    let mut into = |step, value: &'a Json, see: &mut _| {
        path.push(step);
        let go_on = walk(value, direction, path, see);
        path.pop();
        go_on
    };
    match (value, direction) {
        (Json::Array(items), LeafOrder::Forward) if !items.is_empty() => {
            items.iter().enumerate().all(|(index, item)| into(ValueStep::Index(index), item, see))
        }
        (Json::Array(items), LeafOrder::Backward) if !items.is_empty() => items
            .iter()
            .enumerate()
            .rev()
            .all(|(index, item)| into(ValueStep::Index(index), item, see)),
        (Json::Object(entries), LeafOrder::Forward) if !entries.is_empty() => {
            let mut short_first = entries.iter().filter(|(_, value)| !is_long(value));
            short_first.all(|(name, value)| into(ValueStep::Key(name), value, see))
                && entries
                    .iter()
                    .filter(|(_, value)| is_long(value))
                    .all(|(name, value)| into(ValueStep::Key(name), value, see))
        }
        (Json::Object(entries), LeafOrder::Backward) if !entries.is_empty() => {
            let mut long_first = entries.iter().rev().filter(|(_, value)| is_long(value));
            long_first.all(|(name, value)| into(ValueStep::Key(name), value, see))
                && entries
                    .iter()
                    .rev()
                    .filter(|(_, value)| !is_long(value))
                    .all(|(name, value)| into(ValueStep::Key(name), value, see))
        }
        _ => see(path, value),
    }
}

/// Whether a value fills more than a line: a path is read before the content that goes there.
fn is_long(value: &Json) -> bool {
    match value {
        Json::String(text) => text.len() > LONG || text.contains('\n'),
        _ => false,
    }
}

/// The way to a value, as one would write it: `edits[0].text`, `files["a.txt"]`.
fn label(path: &[ValueStep]) -> String {
    const SHOWN: usize = 4;
    let mut label = String::new();
    for (index, step) in path.iter().enumerate() {
        if path.len() > 2 * SHOWN && (SHOWN..path.len() - SHOWN).contains(&index) {
            if index == SHOWN {
                let _infallible = write!(label, "…[{} levels hidden]…", path.len() - 2 * SHOWN);
            }
            continue;
        }
        let _infallible = match step {
            ValueStep::Index(index) => write!(label, "[{index}]"),
            ValueStep::Key(key) if is_plain_key(key) && label.is_empty() => write!(label, "{key}"),
            ValueStep::Key(key) if is_plain_key(key) => write!(label, ".{key}"),
            ValueStep::Key(key) => write!(label, "[{}]", in_quotes(&name(key))),
        };
    }
    label
}

pub(super) fn is_plain_key(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= NAME_END
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$'))
}

/// A text in quotes, which end where it ends: backslashes are doubled where one would escape a quote.
pub(super) fn in_quotes(shown: &str) -> String {
    let mut quoted = String::from('"');
    let mut slashes = 0;
    for c in shown.chars() {
        if c == '"' {
            quoted.extend(repeat_n('\\', slashes + 1));
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        quoted.push(c);
    }
    quoted.extend(repeat_n('\\', slashes));
    quoted.push('"');
    quoted
}

/// A name on one line.
pub(super) fn name(name: &str) -> String {
    on_one_line(name, NAME_END)
}

fn lines(value: &Json) -> Vec<String> {
    let Json::String(text) = value else { return vec![literal(value)] };
    if text.contains('\n') {
        return safe(text, VALUE_END).split('\n').map(str::to_owned).collect();
    }
    vec![quoted_if_odd(text, safe(text, VALUE_END))]
}

pub(super) fn literal(value: &Json) -> String {
    CanonicalJson::of(value).map(|text| text.as_str().to_owned()).unwrap_or_default()
}

/// Quotes a text that would pass for something else: for a number, for nothing, for one without its blanks.
pub(super) fn quoted_if_odd(text: &str, shown: String) -> String {
    let odd = text.is_empty()
        || text.trim() != text
        || matches!(text, "true" | "false" | "null" | "{}" | "[]")
        || text.parse::<f64>().is_ok()
        || text.starts_with('"');
    if odd { format!("\"{shown}\"") } else { shown }
}
