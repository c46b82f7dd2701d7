//! Settings as data, read as strictly as the name of their file says: what two readers could take for two things is not understood.

use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, TableEntry, tree};

/// A value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SettingValue {
    /// `true` or `false`, and in formats of texts alone what stands for them there.
    Flag(bool),
    Number,
    Text(String),
    List(Vec<SettingValue>),
    Table(SettingTable),
    Nothing,
}

/// Keys with their values, in their order. One may be there twice.
pub(super) type SettingTable = Vec<(String, SettingValue)>;

impl SettingValue {
    fn of(node: DocumentNode) -> Option<Self> {
        Some(match node.value {
            DocumentValue::Text(text) => Self::Text(text),
            DocumentValue::Flag(flag) => Self::Flag(flag),
            DocumentValue::Number(_) => Self::Number,
            DocumentValue::Null => Self::Nothing,
            DocumentValue::Date => return None,
            DocumentValue::List(items) => {
                Self::List(items.into_iter().map(Self::of).collect::<Option<_>>()?)
            }
            DocumentValue::Table(entries) => {
                let entry = |it: TableEntry| Some((it.key, Self::of(it.node)?));
                Self::Table(entries.into_iter().map(entry).collect::<Option<_>>()?)
            }
        })
    }

    /// A value of a format that has texts alone.
    pub(super) fn written(text: &str) -> Self {
        let is_number = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.starts_with(|it: char| it.is_ascii_digit())
                && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.')
        };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" | "on" => Self::Flag(true),
            "false" | "no" | "n" | "off" => Self::Flag(false),
            text if is_number(text) => Self::Number,
            _ => Self::Text(text.to_owned()),
        }
    }

    /// The texts of a text, or of a list of texts. `None`: it has others.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::Text(text) => Some(vec![text]),
            Self::List(items) => items
                .iter()
                .map(|item| match item {
                    Self::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

/// TOML.
pub(super) fn of_toml(text: &str) -> Option<SettingTable> {
    whole(SettingValue::of(tree(text, DocumentFormat::Toml).ok()?)?)
}

/// The settings of this tool in a `pyproject.toml`: none, where it has none there.
pub(super) fn of_tool(text: &str, name: &str) -> Option<SettingTable> {
    let tools = taken(of_toml(text)?, "tool")?;
    taken(tools, name)
}

/// The table of this key, empty where it is not there.
pub(super) fn taken(table: SettingTable, name: &str) -> Option<SettingTable> {
    match table.into_iter().find(|(key, _)| key == name) {
        None => Some(SettingTable::new()),
        Some((_, value)) => whole(value),
    }
}

/// A value that is a table.
pub(super) fn whole(value: SettingValue) -> Option<SettingTable> {
    match value {
        SettingValue::Table(table) => Some(table),
        _ => None,
    }
}

/// JSON with nothing besides.
pub(super) fn of_json(text: &str) -> Option<SettingValue> {
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    of_jsonc(text)
}

/// JSON, perhaps with comments.
pub(super) fn of_jsonc(text: &str) -> Option<SettingValue> {
    SettingValue::of(tree(text, DocumentFormat::Json).ok()?)
}

/// The same as [`ini`] for who puts other settings in the place of what a `%` begins: then it is not understood.
pub(super) fn of_ini(text: &str, counts: impl Fn(&str) -> bool) -> Option<SettingTable> {
    let is_plain =
        |value: &SettingValue| !matches!(value, SettingValue::Text(text) if text.contains('%'));
    ini(text, counts).filter(|settings| settings.iter().all(|(_, value)| is_plain(value)))
}

/// The settings of the sections that count, and of those that count for all, as Python's `configparser` reads them. `None` where a line
/// may be read in two ways: of those that are indented it tells by how far which of them begin.
pub(super) fn ini(text: &str, counts: impl Fn(&str) -> bool) -> Option<SettingTable> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let (mut is_meant, mut is_open) = (false, false);
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            // Behind a key at the beginning of its line it goes on, with all that is in it.
            if !is_open {
                return None;
            }
            if is_meant {
                let (_, value) = settings.last_mut()?;
                value.push('\n');
                value.push_str(bare);
            }
        } else if let Some(section) = bare.strip_prefix('[') {
            // Some readers take a line with a comment in the brackets for more of the value before it.
            let is_name = |it: char| it.is_ascii_alphanumeric() || " _-.:,*".contains(it);
            let section = section.strip_suffix(']').filter(|name| name.chars().all(is_name))?;
            is_meant = section == "DEFAULT" || counts(section);
            is_open = false;
        } else {
            let (key, value) = bare.split_once(['=', ':'])?;
            is_open = true;
            if is_meant {
                settings.push((key.trim().to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
    }
    let typed = |(key, value): (String, String)| (key, SettingValue::written(value.trim_start()));
    Some(settings.into_iter().map(typed).collect())
}

/// YAML of the plainest form: keys, values and lists, each in a line of its own, without anchors, tags, escapes, and texts of several
/// lines.
pub(super) fn of_yaml(text: &str) -> Option<SettingValue> {
    let is_line = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines = Vec::new();
    for line in text.lines().filter(is_line) {
        let bare = line.trim_start_matches(' ');
        lines.push((line.len() - bare.len(), bare.trim_end_matches(' ').to_owned()));
    }
    lines.reverse();
    if lines.is_empty() {
        return Some(SettingValue::Nothing);
    }
    let value = yaml_block(&mut lines, 0)?;
    lines.is_empty().then_some(value)
}

/// The lines from the last one on that are indented so.
fn yaml_block(lines: &mut Vec<(usize, String)>, depth: usize) -> Option<SettingValue> {
    let is_list = |line: &str| line.starts_with("- ");
    let (mut items, mut entries) = (Vec::new(), SettingTable::new());
    while let Some((indent, line)) = lines.pop_if(|(indent, _)| *indent >= depth) {
        if indent != depth {
            return None;
        }
        if let Some(item) = line.strip_prefix("- ") {
            if !entries.is_empty() {
                return None;
            }
            let bare = item.trim_start_matches(' ');
            items.push(match yaml_key(bare) {
                None => yaml_scalar(bare)?,
                // What stands behind the dash is the first line of a table.
                Some(_) => {
                    let inner = depth + line.len() - bare.len();
                    lines.push((inner, bare.to_owned()));
                    yaml_block(lines, inner)?
                }
            });
            continue;
        }
        if !items.is_empty() {
            return None;
        }
        let (key, value) = yaml_key(&line)?;
        let value = match value {
            "" => match lines.last() {
                Some((inner, _)) if *inner > depth => {
                    let inner = *inner;
                    yaml_block(lines, inner)?
                }
                // A list may stand as far to the left as its key.
                Some((inner, next)) if *inner == depth && is_list(next) => return None,
                _ => SettingValue::Nothing,
            },
            value => yaml_scalar(value)?,
        };
        entries.push((key.to_owned(), value));
    }
    Some(if items.is_empty() { SettingValue::Table(entries) } else { SettingValue::List(items) })
}

/// A key, and what stands behind it in its line.
fn yaml_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = match line.strip_suffix(':') {
        Some(key) => (key, ""),
        None => line.split_once(": ")?,
    };
    let plain = key.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-/".contains(&it));
    let begins = key.starts_with(|it: char| it.is_ascii_alphabetic());
    (plain && begins).then_some((key, value.trim_start_matches(' ')))
}

/// A value in quotes, or a plain one.
fn yaml_scalar(text: &str) -> Option<SettingValue> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote)?;
            return (!inner.contains(['"', '\'', '\\']))
                .then(|| SettingValue::Text(inner.to_owned()));
        }
    }
    let plain = text.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-./:@+*".contains(&it));
    let begins = text.starts_with(|it: char| it.is_ascii_alphanumeric() || "./_".contains(it));
    (plain && begins).then(|| match text {
        "true" => SettingValue::Flag(true),
        "false" => SettingValue::Flag(false),
        "null" => SettingValue::Nothing,
        text if text.bytes().all(|it| it.is_ascii_digit()) => SettingValue::Number,
        text => SettingValue::Text(text.to_owned()),
    })
}

/// The words of a text, as a shell splits them. `None`: a shell, or the program, may make others of them.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for char in text.chars() {
        match (char, quote) {
            ('\\' | '$' | '~' | '`', _) => return None,
            (char, Some(open)) if char == open => quote = None,
            (char, Some(_)) => word.get_or_insert_default().push(char),
            ('"' | '\'', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (char, None) if char.is_whitespace() => words.extend(word.take()),
            (char, None) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_of_the_plainest_form_is_what_json_says_of_it() {
        for (yaml, json) in [
            ("semi: false\n# c\ntabWidth: 2\n", r#"{"semi":false,"tabWidth":2}"#),
            ("extends:\n  - eslint:all", r#"{"extends":["eslint:all"]}"#),
            (
                "overrides:\n  - files: \"*.md\"\n    options:\n      parser: markdown\n  - files:\n      - '*.a'\n      - b.js\nroot: true",
                r#"{"overrides":[{"files":"*.md","options":{"parser":"markdown"}},{"files":["*.a","b.js"]}],"root":true}"#,
            ),
        ] {
            assert_eq!(of_yaml(yaml), of_json(json), "{yaml}");
        }
        for yaml in [
            "a: &x b",
            "a: *x",
            "a: !!str b",
            "a: |\n  b",
            "a: b # c",
            "a: [b]",
            "a: {b: c}",
            "\"a\": b",
            "a: \"\\x61\"",
            "? a\n: b",
            "a: b\n  c",
            "a:\n- b",
            "- a\nb: c",
            "a: b\n- c",
            "a\n",
            "<<: b",
            "a:\n  b: c\n d: e",
            "---\na: b",
        ] {
            assert_eq!(of_yaml(yaml), None, "{yaml}");
        }
    }
}
