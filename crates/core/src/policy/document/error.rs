//! What is wrong with a document, and where.

use std::fmt;

use serde::Serialize;

use super::DocumentPlace;

/// Errors of one document that are reported at most.
pub const MAX_ERRORS: usize = 20;

/// What kind of error a [`DocumentError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ErrorCode {
    /// It is no TOML or no JSON, or too large.
    #[serde(rename = "ERR_POLICY_SYNTAX")]
    Syntax,
    /// An unknown key.
    #[serde(rename = "ERR_POLICY_UNKNOWN_KEY")]
    UnknownKey,
    /// A value that cannot be taken, or is missing.
    #[serde(rename = "ERR_POLICY_VALUE")]
    Value,
    /// A `version` that this countersign does not know.
    #[serde(rename = "ERR_POLICY_VERSION")]
    Version,
    /// An example that the rule does not keep.
    #[serde(rename = "ERR_POLICY_EXAMPLE")]
    Example,
    /// A file that cannot be read, or whose owner is not the one it must have.
    #[serde(rename = "ERR_POLICY_FILE")]
    File,
}

impl ErrorCode {
    /// As errors carry it: `ERR_POLICY_VALUE`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "ERR_POLICY_SYNTAX",
            Self::UnknownKey => "ERR_POLICY_UNKNOWN_KEY",
            Self::Value => "ERR_POLICY_VALUE",
            Self::Version => "ERR_POLICY_VERSION",
            Self::Example => "ERR_POLICY_EXAMPLE",
            Self::File => "ERR_POLICY_FILE",
        }
    }
}

/// Something wrong with a document. Its text is safe to print: what it quotes is escaped and shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{}", self.text())]
pub struct DocumentError {
    /// What kind of error.
    pub code: ErrorCode,
    /// What is wrong.
    pub message: String,
    /// The file as it is shown, or the name of the document.
    pub source_name: String,
    /// Where it stands; 0 and 0 for objects and for whole files.
    #[serde(flatten)]
    pub place: DocumentPlace,
    /// The part of the document: `rule[2].commands[0]`, counted from 0. Empty for all of it.
    pub path: String,
    /// What to do instead.
    pub hint: Option<String>,
}

impl DocumentError {
    /// What its text begins with: `policy.toml:12:3`, and for an object `policy option: rule[0]`.
    pub(crate) fn place_text(&self) -> String {
        let Self { source_name, place, path, .. } = self;
        if *place != DocumentPlace::default() {
            format!("{source_name}:{}:{}", place.line, place.column)
        } else if path.is_empty() {
            source_name.clone()
        } else {
            format!("{source_name}: {path}")
        }
    }

    /// `policy.toml:12:3: unknown key "effct" in a rule: did you mean "effect"?`, and for an object
    /// `policy option: rule[0]: …`.
    fn text(&self) -> String {
        let mut text = self.place_text();
        text.push_str(&format!(": {}", self.message));
        if let Some(hint) = &self.hint {
            text.push_str(&format!(": {hint}"));
        }
        text
    }
}

/// Where in the document the reader is.
#[derive(Clone, Copy)]
pub(super) enum DocumentPath<'a> {
    Root,
    Key(&'a DocumentPath<'a>, &'a str),
    Index(&'a DocumentPath<'a>, usize),
}

impl<'a> DocumentPath<'a> {
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl fmt::Display for DocumentPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(up, key) => {
                if !matches!(up, DocumentPath::Root) {
                    write!(formatter, "{up}.")?;
                }
                let bare =
                    key.chars().all(|char| char.is_ascii_alphanumeric() || "_-$".contains(char));
                if bare && !key.is_empty() {
                    formatter.write_str(key)
                } else {
                    formatter.write_str(&quoted(key))
                }
            }
            Self::Index(up, index) => write!(formatter, "{up}[{index}]"),
        }
    }
}

/// Text of the document for a message: in quotes, escaped, not longer than a line can hold.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// A key or a word that was probably meant.
pub(super) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    const LONGEST: usize = 32;
    const FURTHEST: usize = 2;
    if given.chars().count() > LONGEST {
        return None;
    }
    let folded = given.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|word| (strsim::osa_distance(&folded, &word.to_lowercase()), *word))
        // Two words that share hardly a letter are no misspelling of each other.
        .filter(|(distance, word)| *distance <= FURTHEST && distance * 2 < word.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `did you mean "effect"?`, or all known words.
pub(super) fn did_you_mean(given: &str, known: &[&str]) -> String {
    match nearest(given, known) {
        Some(word) => format!("did you mean {word:?}?"),
        None => format!("known are {}", list(known, "and")),
    }
}

/// `"a", "b" and "c"`.
pub(super) fn list(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => format!("{only:?}"),
        [first @ .., end] => {
            let first: Vec<_> = first.iter().map(|word| format!("{word:?}")).collect();
            format!("{} {last} {end:?}", first.join(", "))
        }
    }
}
