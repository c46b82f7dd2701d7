//! What the settings of PHPUnit may say, which are XML.

use super::kinds::uses;
use super::setting_use::SettingUses;
use super::values::{SettingTable, SettingValue};

/// Elements with a value of PHP, or for the tests, under a name.
const NAMED: &[&str] = &["const", "env", "get", "post", "request", "server", "var"];

/// Each attribute is a setting of its name, what stands in an element one of the element's name in brackets, and a setting of PHP one
/// of its own name behind `ini.`.
pub(super) fn of_phpunit(_: &str, text: &str) -> SettingUses {
    // An entity may stand for any text.
    if text.contains('&') {
        return None;
    }
    let mut settings = SettingTable::new();
    let mut element = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once('<') {
        said(&element, before, &mut settings);
        if let Some(comment) = from.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        if let Some(head) = from.strip_prefix("?xml ") {
            rest = head.split_once("?>")?.1;
            continue;
        }
        let (tag, behind) = tag(from)?;
        element = tag.name;
        let of = |name: &str| {
            tag.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
        };
        match element.as_str() {
            "ini" => settings.push((format!("ini.{}", of("name")?), value(&of("value")?))),
            name if NAMED.contains(&name) => {
                settings.push(("value".to_owned(), value(&of("value")?)));
            }
            _ => settings.extend(tag.attributes.iter().map(|(key, it)| (key.clone(), value(it)))),
        }
        rest = behind;
    }
    said(&element, rest, &mut settings);
    uses("phpunit", &settings)
}

/// The text that stands in an element.
fn said(element: &str, text: &str, settings: &mut SettingTable) {
    if !text.trim().is_empty() {
        settings.push((format!("<{element}>"), SettingValue::Text(text.trim().to_owned())));
    }
}

fn value(text: &str) -> SettingValue {
    SettingValue::written(text)
}

struct XmlTag {
    name: String,
    attributes: Vec<(String, String)>,
}

/// The tag that a text begins with, and what stands behind it.
fn tag(text: &str) -> Option<(XmlTag, &str)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || ":_-".contains(char);
    let text = text.strip_prefix('/').unwrap_or(text);
    let end = text.find(|char| !is_name(char)).filter(|end| *end > 0)?;
    let (name, mut rest) = text.split_at_checked(end)?;
    let mut attributes = Vec::new();
    loop {
        let bare = rest.trim_start();
        if let Some(behind) = bare.strip_prefix("/>").or_else(|| bare.strip_prefix('>')) {
            return Some((XmlTag { name: name.to_owned(), attributes }, behind));
        }
        let (key, from) = bare.split_once('=')?;
        let key = key.trim_end();
        let from = from.trim_start();
        let quote = from.chars().next().filter(|char| ['"', '\''].contains(char))?;
        let (value, behind) = from.get(1..)?.split_once(quote)?;
        if key.is_empty() || !key.chars().all(is_name) || value.contains('<') {
            return None;
        }
        attributes.push((key.to_owned(), value.to_owned()));
        rest = behind;
    }
}
