//! What the files take and give as JSON text: the shapes of `agent.d.ts` and of `ts/native.ts`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use countersign_core::files::{
    Cancel, Edited, Expected, Fault, FileError, Globbed, Grepped, Listing, Query, Root, Text,
    Written,
};
use countersign_core::preview::Edit;

/// The most that one answer holds: entries, paths or lines.
const MOST: usize = 100_000;

/// What an operation answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each is named like what it is of")]
pub enum Answer {
    Text(Text),
    Written(Written),
    Edited(Edited),
    Listing(Listing),
    Globbed(Globbed),
    Grepped(Grepped),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenText {
    root: Box<str>,
    max_file_bytes: f64,
}

#[derive(Deserialize)]
struct ReadText {
    path: Box<str>,
    offset: usize,
    limit: Option<usize>,
}

#[derive(Deserialize)]
struct WriteText {
    path: Box<str>,
    content: Box<str>,
    #[serde(default, deserialize_with = "expected")]
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EditText {
    path: Box<str>,
    old_string: Box<str>,
    new_string: Box<str>,
    replace_all: bool,
    #[serde(default, deserialize_with = "expected")]
    expected: Expected,
}

#[derive(Deserialize)]
struct ListText {
    path: Box<str>,
    limit: usize,
}

#[derive(Deserialize)]
struct GlobText {
    pattern: Box<str>,
    path: Box<str>,
    limit: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GrepText {
    pattern: Box<str>,
    path: Box<str>,
    glob: Option<Box<str>>,
    ignore_case: bool,
    limit: usize,
}

/// Left out: anything. `null`: nothing. A text: a digest.
fn expected<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Expected, D::Error> {
    let expected = Option::<String>::deserialize(deserializer)?;
    Ok(expected.map_or(Expected::Absent, Expected::Sha256))
}

/// Text of the binding's own making. A lone surrogate is all that can be wrong with it.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|error| {
        Fault::NotText.at("", format!("what was asked is not well-formed text: {error}"))
    })
}

/// Opens `{ root, maxFileBytes }`.
///
/// # Errors
/// When there is no such folder.
pub fn open(options: &str) -> Result<Root, FileError> {
    let options: OpenText = read(options)?;
    Root::open(&options.root, options.max_file_bytes as u64)
}

/// Does the operation of this name: `read`, `write`, `edit`, `list`, `glob`, `grep`.
///
/// # Errors
/// When it cannot be done. Then nothing was changed.
pub fn call(
    root: &Root, operation: &str, request: &str, cancel: &Cancel,
) -> Result<Answer, FileError> {
    cancel.check("")?;
    match operation {
        "read" => {
            let ReadText { path, offset, limit } = read(request)?;
            root.read(&path, offset, limit.unwrap_or(usize::MAX), cancel).map(Answer::Text)
        }
        "write" => {
            let WriteText { path, content, expected } = read(request)?;
            root.write(&path, &content, &expected, cancel).map(Answer::Written)
        }
        "edit" => {
            let EditText { path, old_string, new_string, replace_all, expected } = read(request)?;
            let edit = Edit { old: &old_string, new: &new_string, everywhere: replace_all };
            root.edit(&path, edit, &expected, cancel).map(Answer::Edited)
        }
        "list" => {
            let ListText { path, limit } = read(request)?;
            root.list(&path, limit.min(MOST), cancel).map(Answer::Listing)
        }
        "glob" => {
            let GlobText { pattern, path, limit } = read(request)?;
            root.glob(&pattern, &path, limit.min(MOST), cancel).map(Answer::Globbed)
        }
        "grep" => {
            let GrepText { pattern, path, glob, ignore_case, limit } = read(request)?;
            let query = Query {
                pattern: &pattern,
                path: &path,
                glob: glob.as_deref(),
                ignore_case,
                limit: limit.min(MOST),
            };
            root.grep(&query, cancel).map(Answer::Grepped)
        }
        other => {
            Err(Fault::Io.at("", format!("there is no operation {other:?}: a bug in countersign")))
        }
    }
}
