//! Previews line by line: one JSON text in, one out, for any input.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Flags, render};
use crate::call::Json;

#[derive(Serialize)]
struct BatchAnswer<'a> {
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<BatchFault>,
    text: String,
    flags: Flags,
}

#[derive(Serialize)]
struct BatchFault {
    code: &'static str,
    message: String,
}

/// Answers one line of `countersign preview --batch`: `{ "id", "toolName", "args", "width"? }` becomes
/// `{ "id", "text", "flags" }`, or `{ "id", "error": { "code", "message" }, "text": "", "flags": [] }` when the line is no
/// such request (`ERR_INVALID_ARGUMENTS`).
///
/// The id is given back as it was written (`null`: none was found), also when the rest of the line is broken. Lone surrogates,
/// which JSON can write and no text can hold, are shown escaped and flagged `invisible`.
pub fn preview_line(line: &str) -> String {
    let id = id(line);
    let answer = match answer(line) {
        Ok((text, flags)) => BatchAnswer { id, error: None, text, flags },
        Err(message) => BatchAnswer {
            id,
            error: Some(BatchFault { code: "ERR_INVALID_ARGUMENTS", message }),
            text: String::new(),
            flags: Flags::NONE,
        },
    };
    serde_json::to_string(&answer).unwrap_or_default()
}

fn answer(line: &str) -> Result<(String, Flags), String> {
    let well_formed = well_formed(line);
    let request = well_formed.parse().map_err(|fault| format!("{fault}"))?;
    let Json::Object(mut request) = request else {
        return Err(format!("a request is an object, and this is {}", request.kind()));
    };
    let tool_name = match request.remove("toolName") {
        Some(Json::String(name)) => name,
        Some(other) => return Err(format!("`toolName` must be a string, and is {}", other.kind())),
        None => return Err("`toolName` is missing: pass the name of the tool".to_owned()),
    };
    let width = match request.remove("width") {
        None | Some(Json::Null) => None,
        Some(Json::Number(width)) => Some(width).filter(|width| *width > 0.0),
        Some(other) => return Err(format!("`width` must be a number, and is {}", other.kind())),
    };
    let args = request.remove("args").unwrap_or(Json::Null);
    let preview = render(&tool_name, &args, width.map(|width| width as usize));
    let text = match well_formed {
        Cow::Borrowed(_) => preview.text,
        Cow::Owned(_) => with_surrogates(preview.text),
    };
    Ok((text, preview.flags))
}

/// The value of `id` as it is written, found without a look at what else there is.
fn id(line: &str) -> Option<&RawValue> {
    let bytes = line.as_bytes();
    let (mut at, mut depth, mut found) = (0, 0_usize, None);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = end_of_string(bytes, at);
                let rest = line.get(end..).unwrap_or_default().trim_ascii_start();
                if depth == 1 && line.get(at..end) == Some("\"id\"") {
                    let value = rest.strip_prefix(':').unwrap_or_default();
                    let mut values = serde_json::Deserializer::from_str(value).into_iter();
                    found = values.next().and_then(Result::ok).or(found);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Where the string that starts here ends, its quote included.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where lone surrogates are kept while a text is read: in the last private use area, in which nothing is shown as it is.
const STAND_IN: u32 = 0x10_0000;

/// A JSON text in which each escape of a lone surrogate is that of its stand-in.
fn well_formed(text: &str) -> Cow<'_, str> {
    let mut made = String::new();
    let (mut at, mut copied) = (0, 0);
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            at += 1;
            continue;
        }
        match escape(text, at) {
            Some(0xd800..=0xdbff) if matches!(escape(text, at + 6), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            Some(lone @ 0xd800..=0xdfff) => {
                let stand_in = STAND_IN + lone - 0x1_0000;
                made.push_str(text.get(copied..at).unwrap_or_default());
                made.push_str(&format!(
                    "\\u{:04x}\\u{:04x}",
                    0xd800 + (stand_in >> 10),
                    0xdc00 + (stand_in & 0x3ff)
                ));
                at += 6;
                copied = at;
            }
            _ => at += 2,
        }
    }
    if made.is_empty() {
        return Cow::Borrowed(text);
    }
    made.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(made)
}

/// The number of the `\uXXXX` that stands there.
fn escape(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

/// The text with the stand-ins called by the name of what they stand for.
fn with_surrogates(text: String) -> String {
    (0xd8..=0xdf_u32).fold(text, |text, page| {
        let stand_in = STAND_IN + (page << 8);
        text.replace(&format!("\\u{{{:X}", stand_in >> 8), &format!("\\u{{{page:02X}"))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    #[test]
    fn each_line_has_its_answer() {
        for (line, expected) in [
            (
                r#"{"id":"a","toolName":"execute","args":{"command":"ls"}}"#,
                r#"{"id":"a","text":"execute\n│ command: ls","flags":[]}"#,
            ),
            (
                r#"{"args":{"b":"\u001b[2J"},"width":40,"toolName":"t","id":12345678901234567890}"#,
                r#"{"id":12345678901234567890,"text":"t\n│ b: \\u{001B}[2J","flags":["ansi","control"]}"#,
            ),
            (
                r#"{"id":"\ud800","toolName":"t","args":{"a":"x\ud800y\udfFF \ud83d\ude00 \\ud800"}}"#,
                r#"{"id":"\ud800","text":"t\n│ a: x\\u{D800}y\\u{DFFF} 😀 \\ud800","flags":["invisible"]}"#,
            ),
            (
                r#"{"id":1,"toolName":"t","args":{"a\udc00":1}}"#,
                r#"{"id":1,"text":"t\n│ [\"a\\u{DC00}\"]: 1","flags":["invisible","odd-key"]}"#,
            ),
            (r#"{"id":null,"toolName":"t"}"#, r#"{"id":null,"text":"t\n│ null","flags":[]}"#),
        ] {
            assert_eq!(preview_line(line), expected);
        }
    }

    #[test]
    fn the_id_is_kept_when_the_rest_is_broken() {
        for (line, id, message) in [
            ("", "null", "not a JSON text"),
            ("nonsense", "null", "not a JSON text"),
            ("[1]", "null", "an array"),
            (r#"{"id":"a"}"#, r#""a""#, "`toolName` is missing"),
            (r#"{"id":{"n":[1]},"toolName":1}"#, r#"{"n":[1]}"#, "must be a string"),
            (r#"{"id":"a","toolName":"t","width":"x"}"#, r#""a""#, "`width`"),
            (
                r#"{"toolName":"t","args":{"id":"inner"},,,"id":"a\"b" "#,
                r#""a\"b""#,
                "not a JSON text",
            ),
            (r#"{"id":"first","id":"last""#, r#""last""#, "not a JSON text"),
            (r#"{"id":tru"#, "null", "not a JSON text"),
            (r#"{"id"#, "null", "not a JSON text"),
        ] {
            let answer = preview_line(line);
            assert!(
                answer.starts_with(&format!(
                    r#"{{"id":{id},"error":{{"code":"ERR_INVALID_ARGUMENTS","message":""#
                )),
                "{answer}"
            );
            assert!(answer.contains(message), "{answer}");
            assert!(answer.ends_with(r#""},"text":"","flags":[]}"#), "{answer}");
        }
        let deep = format!(
            r#"{{"toolName":"t","args":{}{},"id":7}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(preview_line(&deep).starts_with(r#"{"id":7,"error""#));
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn an_answer_is_always_json(line in prop_oneof![any::<String>(), r#"[{}\[\]"\\u:, idD8c0-9]{0,60}"#]) {
            prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&preview_line(&line)).is_ok());
        }
    }
}
