//! Functions of text.

use countersign_bridge::envelope::envelope;
use countersign_bridge::text;
use napi_derive::napi;

/// The version of this core, which is that of the package it belongs to.
#[napi(catch_unwind)]
pub fn core_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// RFC 8785 text and its SHA-256: `{ text, digest }`.
#[napi(catch_unwind)]
pub fn canonicalize(json: String) -> String {
    envelope(text::canonicalize(&json))
}

/// Whether the text fits the `pattern` of a schema, in time that grows with the text alone; `null`: that is not known.
#[napi(catch_unwind)]
pub fn fits_pattern(pattern: String, text: String) -> Option<bool> {
    countersign_core::call::fits_pattern(&pattern, &text)
}

/// `{ toolName, args, width }` as text that is safe to show: `{ text, flags }`.
#[napi(catch_unwind)]
pub fn preview(json: String) -> String {
    envelope(text::preview(&json))
}

/// The arguments of a call, as JSON text, as rows in the order in which they are read: `{ name, value }[]`.
#[napi(catch_unwind)]
pub fn rows(args: String) -> String {
    envelope(text::rows(&args))
}
