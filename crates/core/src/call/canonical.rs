//! The one text that a JSON value has (RFC 8785), so that equal values have equal digests.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Json;

/// A JSON text in the canonical form of RFC 8785: no spaces, sorted keys, ECMAScript's numbers.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct CanonicalJson(Box<RawValue>);

/// A JSON text that cannot be bound to an approval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidJson(String);

impl InvalidJson {
    fn new(error: &serde_json::Error) -> Self {
        Self::of_value(error).unwrap_or_else(|| Self::told(&error.to_string(), ""))
    }

    /// Where what JSON cannot carry stands in a value that a caller gave, with what to do about it. `None`: the text itself is
    /// at fault.
    pub fn of_value(error: &serde_json::Error) -> Option<Self> {
        let fault = error.to_string();
        let cure = if fault.contains("surrogate") || fault.contains("end of hex escape") {
            "; make its strings well-formed Unicode first (String.prototype.toWellFormed)"
        } else if fault.contains("recursion limit") {
            "; nest it at most 127 levels deep"
        } else {
            return None;
        };
        Some(Self::told(&fault, cure))
    }

    fn told(fault: &str, cure: &str) -> Self {
        Self(format!("not a JSON text that an approval can be bound to: {fault}{cure}"))
    }
}

impl CanonicalJson {
    /// Reads any JSON text.
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        Self::of(&parse(text)?)
    }

    /// The text of a value.
    pub fn of(value: &Json) -> Result<Self, InvalidJson> {
        let text =
            serde_json_canonicalizer::to_string(value).map_err(|error| InvalidJson::new(&error))?;
        RawValue::from_string(text).map(Self).map_err(|error| InvalidJson::new(&error))
    }

    /// A text that was canonical when it was kept, and is known to be the same.
    pub(crate) fn kept(text: String) -> Result<Self, InvalidJson> {
        RawValue::from_string(text).map(Self).map_err(|error| InvalidJson::new(&error))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The value.
    pub fn to_json(&self) -> Result<Json, InvalidJson> {
        parse(self.as_str())
    }
}

fn parse(text: &str) -> Result<Json, InvalidJson> {
    serde_json::from_str(text).map_err(|error| InvalidJson::new(&error))
}

impl std::str::FromStr for Json {
    type Err = InvalidJson;

    fn from_str(text: &str) -> Result<Self, InvalidJson> {
        parse(text)
    }
}

impl PartialEq for CanonicalJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for CanonicalJson {}

impl fmt::Debug for CanonicalJson {
    /// Only the size: arguments hold secrets, and debug output ends in logs.
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "CanonicalJson({} bytes)", self.as_str().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        CanonicalJson::parse(text).unwrap().as_str().to_owned()
    }

    #[test]
    fn keys_are_sorted_by_utf16_code_units() {
        // U+1F600 is D83D DE00 in UTF-16 and so stands before U+FB33, though it is the larger code point.
        assert_eq!(
            canonical(r#"{"\ufb33":1,"\ud83d\ude00":2,"b":3,"a":4,"":5}"#),
            "{\"\":5,\"a\":4,\"b\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn numbers_are_those_of_ecmascript() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("1e0", "1"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("-9223372036854775809", "-9223372036854776000"),
            ("333333333.33333329", "333333333.3333333"),
            ("0.1", "0.1"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn strings_are_escaped_as_little_as_possible() {
        assert_eq!(
            canonical(r#""\u0041\/\u000a\u001f\u007f\u20ac\"\\""#),
            "\"A/\\n\\u001f\u{7f}€\\\"\\\\\""
        );
    }

    #[test]
    fn the_last_of_equal_keys_counts_and_magic_keys_are_ordinary() {
        assert_eq!(canonical(r#"{"a":1,"a":2}"#), r#"{"a":2}"#);
        let magic = r#"{"$serde_json::private::RawValue":"{\"a\":1}"}"#;
        assert_eq!(canonical(magic), magic);
        let magic = r#"{"$serde_json::private::Number":"1"}"#;
        assert_eq!(canonical(magic), magic);
        assert_eq!(
            canonical(r#"{"constructor":1,"__proto__":2}"#),
            r#"{"__proto__":2,"constructor":1}"#
        );
    }

    #[test]
    fn canonical_text_stays_as_it_is() {
        let once = canonical(r#" { "z" : [ 1.50, true, null, "\u00e9" ], "a": {} } "#);
        assert_eq!(once, r#"{"a":{},"z":[1.5,true,null,"é"]}"#);
        assert_eq!(canonical(&once), once);
    }

    #[test]
    fn what_cannot_be_bound_says_why() {
        for text in [r#""\ud800""#, r#""\udc00 x""#, r#"{"\ud800x":1}"#, r#""\ud800\u0041""#] {
            let error = CanonicalJson::parse(text).unwrap_err().to_string();
            assert!(error.contains("toWellFormed"), "{text}: {error}");
        }
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(CanonicalJson::parse(&deep).unwrap_err().to_string().contains("127 levels"));
        for text in ["", "undefined", "NaN", "[1,]", "{} {}", "1e999", "'a'"] {
            assert!(CanonicalJson::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn debug_output_keeps_the_arguments_to_itself() {
        assert!(
            !format!("{:?}", CanonicalJson::parse(r#"{"key":"secret"}"#).unwrap())
                .contains("secret")
        );
    }
}
