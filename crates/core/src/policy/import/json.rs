//! JSON with comments, with the place of each part.

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::super::document::Place;
use super::{ImportError, Text};

/// The members of an object, in order: name, value, place of the name.
pub(super) type Members<'a> = Vec<(String, Value<'a>, Place)>;

/// Reads a text that holds one object.
pub(super) fn object<'a>(text: &Text<'a>) -> Result<Members<'a>, ImportError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed =
        parse_to_ast(text.text, &CollectOptions::default(), &options).map_err(|error| {
            ImportError::new(error.kind().to_string(), text.place(error.range().start))
        })?;
    match parsed.value {
        Some(Value::Object(object)) => members(text, object),
        _ => Err(ImportError::new("an object is expected: `{ … }`", Place { line: 1, column: 1 })),
    }
}

/// The members of an object. A name that stands there twice is refused: which of them counts is anybody's guess.
pub(super) fn members<'a>(text: &Text, object: Object<'a>) -> Result<Members<'a>, ImportError> {
    let mut members: Members = Vec::with_capacity(object.properties.len());
    let mut names = std::collections::HashSet::new();
    for property in object.properties {
        let at = text.place(property.range.start);
        let name = match property.name {
            ObjectPropName::String(name) => name.value.into_owned(),
            ObjectPropName::Word(name) => name.value.to_owned(),
        };
        if !names.insert(name.clone()) {
            return Err(ImportError::new(format!("`{name}` stands here twice; remove one"), at));
        }
        members.push((name, property.value, at));
    }
    Ok(members)
}

/// The place of a value.
pub(super) fn at(text: &Text, value: &Value) -> Place {
    text.place(value.range().start)
}

/// A value as it is written.
pub(super) fn source<'a>(text: &Text<'a>, value: &Value) -> &'a str {
    let range = value.range();
    text.text.get(range.start..range.end).unwrap_or("")
}
