//! The arguments of a call as rows of a table, what matters most first, and the sentence that they make.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::layout::{in_quotes, is_plain_key, literal, name, quoted_if_odd};
use super::safe::on_one_line;
use crate::call::Json;

/// What a row shows of a value at each of its ends, in characters.
const ROW_END: usize = 200;
/// The rows of one call.
const ROWS: usize = 40;
/// What a sentence shows of what matters most at each end,
const SENTENCE_END: usize = 60;
/// where there is no room for that,
const NARROW_END: usize = 20;
/// of everything else from its beginning,
const SENTENCE_HEAD: usize = 40;
/// and of all arguments before it leaves out the others.
const SENTENCE: usize = 160;
/// The arguments that matter which a sentence names even where there is no room.
const NAMED: usize = 16;

/// One argument: safe to show, on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownRow {
    /// Empty for arguments that are no object.
    pub name: String,
    /// Both ends of what is long.
    pub value: String,
}

/// What an argument is by the last word of its name: the less, the sooner it is read.
const TELLING: [&[&str]; 5] = [
    &[
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "filepath",
        "dir",
        "directory",
        "folder",
        "source",
        "sources",
        "src",
        "destination",
        "destinations",
        "dest",
        "target",
        "targets",
    ],
    &[
        "command",
        "commands",
        "cmd",
        "script",
        "shell",
        "code",
        "sql",
        "query",
        "statement",
        "args",
        "argv",
    ],
    &["url", "urls", "uri", "uris", "address", "endpoint", "host", "hostname", "domain", "link"],
    &[
        "to",
        "cc",
        "bcc",
        "recipient",
        "recipients",
        "email",
        "phone",
        "user",
        "username",
        "account",
        "iban",
        "payee",
        "channel",
        "wallet",
        "repo",
        "repository",
        "branch",
        "bucket",
        "database",
        "table",
        "id",
        "ids",
    ],
    &[
        "method",
        "action",
        "operation",
        "verb",
        "force",
        "recursive",
        "amount",
        "name",
        "key",
        "input",
    ],
];

/// What matters least of what does.
const LAST: usize = TELLING.len() - 1;

/// An argument that has others in it matters where one of those does.
fn rank(name: &str, value: &Json) -> usize {
    let inner = || match value {
        Json::Object(entries) => entries.keys().any(|name| rank_of(name) <= LAST),
        _ => false,
    };
    let own = rank_of(name);
    if own > LAST && inner() { LAST } else { own }
}

fn rank_of(name: &str) -> usize {
    let is = |words: &[&str]| words.iter().any(|word| ends_with_word(name, word));
    TELLING.iter().position(|words| is(words)).unwrap_or(TELLING.len())
}

/// Whether the name is such a word itself. The number of those is limited, while any name may end with one.
fn is_word(name: &str) -> bool {
    TELLING.iter().any(|words| words.contains(&name))
}

/// Whether a name is this word, or ends with it as `file_path`, `file-path` and `filePath` do.
fn ends_with_word(name: &str, word: &str) -> bool {
    let Some(at) = name.len().checked_sub(word.len()) else { return false };
    let (Some(before), Some(last)) = (name.get(..at), name.get(at..)) else { return false };
    if !last.eq_ignore_ascii_case(word) {
        return false;
    }
    let is_capital = last.starts_with(|c: char| c.is_ascii_uppercase());
    match before.chars().next_back() {
        None => true,
        Some('_' | '-' | '.') => true,
        Some(c) => is_capital && (c.is_ascii_lowercase() || c.is_ascii_digit()),
    }
}

/// The arguments in the order in which they are read: path, command, address, recipient, method, then the others as the call
/// has them. Of more than are shown, what is such a word itself comes first: no number of other names may push it out.
fn in_reading_order<'a>(args: &'a Json, order: &[String]) -> Vec<(usize, &'a str, &'a Json)> {
    let Json::Object(entries) = args else { return vec![(0, "", args)] };
    let places: HashMap<&str, usize> =
        order.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let mut rows: Vec<_> =
        entries.iter().map(|(name, value)| (rank(name, value), name.as_str(), value)).collect();
    let many = rows.iter().filter(|(rank, ..)| *rank <= LAST).count() > NAMED;
    rows.sort_by_cached_key(|(rank, name, _)| {
        (many && !is_word(name), *rank, places.get(name).copied().unwrap_or(usize::MAX))
    });
    rows
}

/// The arguments as rows. `order`: the names as the call has them, as far as that is known.
pub fn rows(args: &Json, order: &[String]) -> Vec<ShownRow> {
    let all = in_reading_order(args, order);
    let shown = if all.len() > ROWS { ROWS - 1 } else { all.len() };
    let row = |(_, argument, value): &(usize, &str, &Json)| ShownRow {
        name: name(argument),
        value: match value {
            Json::String(text) => quoted_if_odd(text, on_one_line(text, ROW_END)),
            other => on_one_line(&literal(other), ROW_END),
        },
    };
    let mut rows: Vec<ShownRow> = all.iter().take(shown).map(row).collect();
    if all.len() > shown {
        rows.push(ShownRow {
            name: "…".to_owned(), value: format!("{} more", all.len() - shown)
        });
    }
    rows
}

/// One line that asks about the call. It names what matters, however long the rest is.
pub(super) fn sentence(tool_name: &str, args: &Json, order: &[String]) -> String {
    let mut text = format!("Run tool \"{}\"?", name(tool_name));
    let all = in_reading_order(args, order);
    let (mut spent, mut shown) = (0, 0);
    for (rank, argument, value) in &all {
        let in_form = |form| {
            let value = in_a_sentence(value, form, all.len() > 1);
            (argument.len() + value.chars().count(), value)
        };
        let matters = *rank <= LAST;
        let (mut size, mut value) = in_form(if matters { TextForm::Ends } else { TextForm::Head });
        if shown > 0 && spent + size > SENTENCE {
            if !matters || shown >= NAMED {
                break;
            }
            (size, value) = in_form(TextForm::NarrowEnds);
        }
        let separator = if shown == 0 { "" } else { "," };
        let label = label(argument);
        let _infallible = write!(text, "{separator} {label}{value}");
        (spent, shown) = (spent + size, shown + 1);
    }
    if shown < all.len() {
        text.push_str(" …");
    }
    text
}

/// How much a sentence shows of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextForm {
    /// Both ends.
    Ends,
    /// Less of both.
    NarrowEnds,
    /// Its beginning, where there are other arguments.
    Head,
}

/// The name of an argument, with what parts it from its value. It must not pass for another argument and its value.
fn label(argument: &str) -> String {
    match argument {
        "" => String::new(),
        plain if is_plain_key(plain) => format!("{plain}: "),
        odd => format!("{}: ", in_quotes(&name(odd))),
    }
}

/// A value that must not pass for two arguments.
fn in_a_sentence(value: &Json, form: TextForm, is_one_of_many: bool) -> String {
    let cut = |text: &str| {
        match form {
            TextForm::NarrowEnds => return on_one_line(text, NARROW_END),
            TextForm::Head if is_one_of_many => {}
            TextForm::Ends | TextForm::Head => return on_one_line(text, SENTENCE_END),
        }
        match text.char_indices().nth(SENTENCE_HEAD) {
            Some((at, _)) => format!("{}…", on_one_line(&text[..at], SENTENCE_HEAD)),
            None => on_one_line(text, SENTENCE_HEAD),
        }
    };
    match value {
        Json::String(text) if is_one_of_many && text.contains([',', '"']) => in_quotes(&cut(text)),
        Json::String(text) => quoted_if_odd(text, cut(text)),
        other => cut(&literal(other)),
    }
}

/// The names of the arguments in the order of the call, which a value does not keep. `None`: they are no object.
pub fn order_of(args: &str) -> Option<Vec<String>> {
    struct KnownNames;

    impl<'de> Visitor<'de> for KnownNames {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut names = Vec::new();
            while let Some((name, IgnoredAny)) = access.next_entry::<String, IgnoredAny>()? {
                names.push(name);
            }
            Ok(names)
        }
    }

    if !args.trim_start().starts_with('{') {
        return None;
    }
    serde_json::Deserializer::from_str(args).deserialize_map(KnownNames).ok()
}
