//! One tree for TOML, JSON and objects, each node with its place.

use jsonc_parser::ast;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentFormat {
    /// TOML 1.1.
    Toml,
    /// JSON; comments and trailing commas are allowed.
    Json,
    /// An object of the program, as JSON text: its places mean nothing to anybody, so errors name the part of it.
    Object,
}

impl DocumentFormat {
    /// By the ending of a file's name: `.json` and `.jsonc` are JSON, everything else is TOML.
    pub fn of(name: &str) -> Self {
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if matches!(ending.as_str(), "json" | "jsonc") { Self::Json } else { Self::Toml }
    }
}

/// A value, and where it stands.
#[derive(Debug)]
pub struct DocumentNode {
    /// The byte at which it begins.
    pub at: usize,
    /// The byte after it. A table of TOML may go on elsewhere.
    pub end: usize,
    /// What it is.
    pub value: DocumentValue,
}

/// A value of TOML or JSON.
#[derive(Debug)]
pub enum DocumentValue {
    /// A string.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// As it is written, in decimal.
    Number(String),
    /// A list.
    List(Vec<DocumentNode>),
    /// A table of TOML or an object of JSON: its entries in the order in which they stand.
    Table(Vec<TableEntry>),
    /// `null` of JSON.
    Null,
    /// A date or a time of TOML.
    Date,
}

/// A key of a table and what it is for.
#[derive(Debug)]
pub struct TableEntry {
    /// The key.
    pub key: String,
    /// The byte at which the key begins.
    pub at: usize,
    /// Its value.
    pub node: DocumentNode,
}

impl DocumentValue {
    /// For messages.
    pub(super) fn kind(&self, format: DocumentFormat) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::List(_) => "a list",
            Self::Table(_) if format == DocumentFormat::Toml => "a table",
            Self::Table(_) => "an object",
            Self::Null => "null",
            Self::Date => "a date",
        }
    }
}

/// What the text says, or what is wrong with it: at which byte, and why.
pub(super) fn parse(
    text: &str, format: DocumentFormat,
) -> Result<DocumentNode, Vec<(usize, String)>> {
    let root = tree(text, format)?;
    refuse_second(&root)?;
    Ok(root)
}

/// The same, where a key of JSON may stand in an object twice: then both are there. TOML never has one twice.
///
/// # Errors
/// At which byte the text is not of this format, and why. There is at least one.
pub fn tree(text: &str, format: DocumentFormat) -> Result<DocumentNode, Vec<(usize, String)>> {
    match format {
        DocumentFormat::Toml => toml_tree(text),
        DocumentFormat::Json | DocumentFormat::Object => json_tree(text),
    }
}

/// Which of two entries with one key counts would depend on who reads.
fn refuse_second(node: &DocumentNode) -> Result<(), Vec<(usize, String)>> {
    match &node.value {
        DocumentValue::Table(entries) => {
            let mut seen = std::collections::HashSet::new();
            entries.iter().try_for_each(|entry| {
                if !seen.insert(entry.key.as_str()) {
                    let key = super::error::quoted(&entry.key);
                    return Err(vec![(
                        entry.at,
                        format!("the key {key} stands here a second time"),
                    )]);
                }
                refuse_second(&entry.node)
            })
        }
        DocumentValue::List(items) => items.iter().try_for_each(refuse_second),
        _ => Ok(()),
    }
}

fn toml_tree(text: &str) -> Result<DocumentNode, Vec<(usize, String)>> {
    super::depth::check(text).map_err(|error| vec![error])?;
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors
            .into_iter()
            .map(|error| (error.span().map_or(0, |span| span.start), error.message().to_owned()))
            .collect());
    }
    Ok(DocumentNode {
        at: 0,
        end: text.len(),
        value: DocumentValue::Table(toml_entries(table.into_inner())),
    })
}

fn toml_entries(table: DeTable<'_>) -> Vec<TableEntry> {
    let mut entries: Vec<_> = table
        .into_iter()
        .map(|(key, value)| TableEntry {
            at: key.span().start,
            key: key.into_inner().into_owned(),
            node: toml_node(value),
        })
        .collect();
    // Sorted by name until here.
    entries.sort_by_key(|entry| entry.at);
    entries
}

/// As deep as the parser goes, which has a limit.
fn toml_node(value: Spanned<DeValue<'_>>) -> DocumentNode {
    let (at, end) = (value.span().start, value.span().end);
    let value = match value.into_inner() {
        DeValue::String(text) => DocumentValue::Text(text.into_owned()),
        DeValue::Boolean(flag) => DocumentValue::Flag(flag),
        DeValue::Integer(number) => DocumentValue::Number(match number.radix() {
            10 => number.as_str().to_owned(),
            radix => i64::from_str_radix(number.as_str(), radix)
                .map_or_else(|_| number.to_string(), |number| number.to_string()),
        }),
        DeValue::Float(number) => DocumentValue::Number(number.as_str().to_owned()),
        DeValue::Datetime(_) => DocumentValue::Date,
        DeValue::Array(items) => DocumentValue::List(items.into_iter().map(toml_node).collect()),
        DeValue::Table(table) => DocumentValue::Table(toml_entries(table)),
    };
    DocumentNode { at, end, value }
}

fn json_tree(text: &str) -> Result<DocumentNode, Vec<(usize, String)>> {
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
    // Many editors on Windows begin a file with it.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shift = text.len() - body.len();
    let collect = CollectOptions { tokens: true, ..CollectOptions::default() };
    let parsed = parse_to_ast(body, &collect, &options)
        .map_err(|error| vec![(error.range().start + shift, error.kind().to_string())])?;
    // Other programs end the text there, and go on in what this parser takes for its rest.
    let broken = parsed.tokens.into_iter().flatten().find(|it| {
        let source = body.get(it.range.start..it.range.end).unwrap_or_default();
        matches!(it.token, Token::String(_)) && source.contains(['\n', '\r'])
    });
    if let Some(broken) = broken {
        let why = "a text goes over several lines: write `\\n` for the end of a line";
        return Err(vec![(broken.range.start + shift, why.to_owned())]);
    }
    match parsed.value {
        Some(value) => Ok(json_node(value, shift)),
        None => Err(vec![(0, "nothing is here".to_owned())]),
    }
}

/// As deep as the parser goes, which has a limit.
fn json_node(value: ast::Value<'_>, shift: usize) -> DocumentNode {
    let range = jsonc_parser::common::Ranged::range(&value);
    let (at, end) = (shift + range.start, shift + range.end);
    let value = match value {
        ast::Value::StringLit(text) => DocumentValue::Text(text.value.into_owned()),
        ast::Value::NumberLit(number) => DocumentValue::Number(number.value.to_owned()),
        ast::Value::BooleanLit(flag) => DocumentValue::Flag(flag.value),
        ast::Value::NullKeyword(_) => DocumentValue::Null,
        ast::Value::Array(list) => DocumentValue::List(
            list.elements.into_iter().map(|item| json_node(item, shift)).collect(),
        ),
        ast::Value::Object(object) => {
            let entries = object.properties.into_iter().map(|property| TableEntry {
                at: shift + property.range.start,
                key: property.name.into_string(),
                node: json_node(property.value, shift),
            });
            DocumentValue::Table(entries.collect())
        }
    };
    DocumentNode { at, end, value }
}
