//! The policies that count at one moment.

use std::sync::Arc;

use serde::Serialize;

use crate::policy::document::{
    DocumentError, DocumentFormat, DocumentPlace, ErrorCode, LayerKind, PolicyDocument,
    PolicySource, load,
};

/// The policies that count at one moment. Never changes; a later one takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerSnapshot {
    /// Managed, user, project, code: those that exist.
    pub documents: Vec<Arc<PolicyDocument>>,
    /// The file of a layer is there and was never read, or was there and is gone: what it says is not known, so that nothing
    /// may be allowed. Each such file with its place and what that means; to be shown.
    pub broken: Option<String>,
    /// What is wrong with files, broken or not.
    pub problems: Vec<LayerProblem>,
    /// SHA-256, in hex, over all sources and texts: two snapshots with the same hash say the same.
    pub hash: String,
}

/// A file that cannot be taken. What it said before, if it was ever read, goes on to count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LayerProblem {
    /// Whose it is.
    pub layer: LayerKind,
    /// The file.
    pub file: String,
    /// Whether what it said before goes on to count, also where it allows; if not, nothing is allowed until it can be read.
    pub kept: bool,
    /// What is wrong.
    pub errors: Vec<DocumentError>,
}

impl LayerProblem {
    /// A file of the user's beside the policies that is not relied on: what it says answers nothing.
    pub(crate) fn of_user_file(file: String, reason: &str) -> Self {
        let errors = vec![unreadable(&file, reason)];
        Self { layer: LayerKind::User, file, kept: true, errors }
    }
}

/// Of a file that was never read: where it is broken, and what that means for its rules.
pub(super) fn broken_text(first: &DocumentError) -> String {
    let place = first.place_text();
    let fault = first.to_string();
    let fault = fault.strip_prefix(&place).unwrap_or(&fault);
    format!("{place} is broken, and none of its rules count, denies included{fault}")
}

/// The policy in a file that was read, by the name of its source.
pub(super) fn load_bytes(
    bytes: &[u8], source: PolicySource,
) -> Result<PolicyDocument, Vec<DocumentError>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let reason = format!("is not UTF-8 from byte {} on", error.valid_up_to());
        vec![unreadable(&source.name, &reason)]
    })?;
    load(text, DocumentFormat::of(&source.name), source)
}

/// What is wrong with a file as a whole.
pub(super) fn unreadable(name: &str, reason: &str) -> DocumentError {
    DocumentError {
        code: ErrorCode::File,
        message: reason.to_owned(),
        source_name: name.to_owned(),
        place: DocumentPlace::default(),
        path: String::new(),
        hint: None,
    }
}
