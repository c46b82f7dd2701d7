//! Examples: what a rule, by itself, must and must not match.

use super::{Document, DocumentError, Format, Source, read};

/// Reads a document and checks its examples.
///
/// # Errors
/// All that is wrong with it, in the order in which it stands.
pub fn load(text: &str, format: Format, source: Source) -> Result<Document, Vec<DocumentError>> {
    read(text, format, source)
}
