//! What was read lately: presets and the files of a machine are given to each gate and each run anew, and reading one takes ten
//! times as long as making it ready.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::examples::check_examples;
use super::{DocumentError, DocumentFormat, PolicyDocument, PolicySource, read};

/// How many documents are kept.
const KEPT: usize = 8;

/// What is shorter is read again, in bytes.
const SHORT: usize = 2_000;

/// What is longer is not kept, in bytes.
const LONG: usize = 200_000;

struct LoadedDocument {
    text: String,
    format: DocumentFormat,
    document: PolicyDocument,
}

/// The newest last.
static LOADED: Mutex<VecDeque<LoadedDocument>> = Mutex::new(VecDeque::new());

/// Reads a document and checks its examples. The same text from the same source is read once.
///
/// # Errors
/// All that is wrong with it, in the order in which it stands, the first [`MAX_ERRORS`](super::MAX_ERRORS).
pub fn load(
    text: &str, format: DocumentFormat, source: PolicySource,
) -> Result<PolicyDocument, Vec<DocumentError>> {
    if !(SHORT..=LONG).contains(&text.len()) {
        return load_anew(text, format, source);
    }
    let is_this = |loaded: &LoadedDocument| {
        loaded.format == format && loaded.document.source == source && loaded.text == text
    };
    if let Some(loaded) =
        LOADED.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|loaded| is_this(loaded))
    {
        return Ok(loaded.document.clone());
    }
    // Not while it is locked: it takes its time.
    let document = load_anew(text, format, source)?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.push_back(LoadedDocument { text: text.to_owned(), format, document: document.clone() });
    while loaded.len() > KEPT {
        loaded.pop_front();
    }
    Ok(document)
}

fn load_anew(
    text: &str, format: DocumentFormat, source: PolicySource,
) -> Result<PolicyDocument, Vec<DocumentError>> {
    let document = read(text, format, source)?;
    let errors = check_examples(&document);
    if errors.is_empty() { Ok(document) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::document::LayerKind;

    fn source(name: &str, trusted: bool) -> PolicySource {
        PolicySource { layer: LayerKind::Code, name: Arc::from(name), trusted }
    }

    #[test]
    fn what_was_read_before_is_the_same_and_of_its_own_source() {
        let filler = "# words that make it long enough to be kept\n".repeat(60);
        let text = |effect: &str| {
            format!("{filler}version = 1\n[[rule]]\neffect = \"{effect}\"\ncommands = [\"ls\"]\n")
        };
        let allow = load(&text("allow"), DocumentFormat::Toml, source("a", true)).unwrap();
        for _ in 0..2 {
            assert_eq!(
                load(&text("allow"), DocumentFormat::Toml, source("a", true)).unwrap(),
                allow
            );
            let other = load(&text("allow"), DocumentFormat::Toml, source("b", false)).unwrap();
            assert_eq!((&*other.source.name, other.source.trusted), ("b", false));
            let deny = load(&text("deny"), DocumentFormat::Toml, source("a", true)).unwrap();
            assert_ne!(deny, allow);
        }
        // What is wrong is told each time.
        for _ in 0..2 {
            assert!(load(&text("none"), DocumentFormat::Toml, source("a", true)).is_err());
        }
    }
}
