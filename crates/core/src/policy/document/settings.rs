//! TOML that is no policy: its values, each with its place. What they mean is for the reader to say.

use serde::Serialize;
use serde_json::Value as Json;

use super::place::LineIndex;
use super::read::MAX_BYTES;
use super::tree::{DocumentFormat, DocumentNode, DocumentValue, parse};

/// One value of a TOML text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TomlSetting {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// What it is; dates and tables in lists are `null`.
    pub value: Json,
    /// Where its last key stands, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// A place where a text is no TOML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsError {
    /// What is wrong.
    pub message: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// All values, in the order in which they stand. Tables without any are left out.
///
/// # Errors
/// The first place where it is no TOML, or that it is too long.
pub fn settings(text: &str) -> Result<Vec<TomlSetting>, SettingsError> {
    if text.len() > MAX_BYTES {
        let message = format!("it has {} bytes, {MAX_BYTES} are allowed", text.len());
        return Err(SettingsError { message, line: 1, column: 1 });
    }
    let lines = LineIndex::new(text);
    let root = parse(text, DocumentFormat::Toml).map_err(|errors| {
        let (at, message) =
            errors.into_iter().next().unwrap_or_else(|| (0, "it is not TOML".to_owned()));
        let place = lines.place(at);
        SettingsError { message, line: place.line, column: place.column }
    })?;
    let mut found = Vec::new();
    collect(root, 0, &mut Vec::new(), &lines, &mut found);
    Ok(found)
}

/// As deep as the parser goes, which has a limit.
fn collect(
    node: DocumentNode, at: usize, path: &mut Vec<String>, lines: &LineIndex<'_>,
    found: &mut Vec<TomlSetting>,
) {
    if let DocumentValue::Table(entries) = node.value {
        for entry in entries {
            path.push(entry.key);
            collect(entry.node, entry.at, path, lines, found);
            path.pop();
        }
    } else {
        let place = lines.place(at);
        let (line, column) = (place.line, place.column);
        found.push(TomlSetting { path: path.clone(), value: json(node.value), line, column });
    }
}

fn json(value: DocumentValue) -> Json {
    match value {
        DocumentValue::Text(text) => Json::String(text),
        DocumentValue::Flag(flag) => Json::Bool(flag),
        DocumentValue::Number(number) => number.parse().map_or(Json::Null, Json::Number),
        DocumentValue::List(items) => items.into_iter().map(|item| json(item.value)).collect(),
        DocumentValue::Table(_) | DocumentValue::Null | DocumentValue::Date => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_places() {
        let text = "model = \"a\"\n[tools]\n  need = [\"x\", 2]\n[empty]\n";
        let found = settings(text).unwrap();
        let told: Vec<_> =
            found.iter().map(|each| (each.path.join("."), each.line, each.column)).collect();
        assert_eq!(told, [("model".to_owned(), 1, 1), ("tools.need".to_owned(), 3, 3)]);
        assert_eq!(
            found.into_iter().map(|each| each.value).collect::<Vec<_>>(),
            [Json::from("a"), serde_json::json!(["x", 2])]
        );
    }

    #[test]
    fn what_is_no_toml_has_a_place() {
        let error = settings("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 5), "{}", error.message);
        assert_eq!(settings("a = 1\na = 2\n").unwrap_err().line, 2);
    }
}
