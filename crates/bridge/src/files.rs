//! What the files take and give as JSON text.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use countersign_core::call::Digest;
use countersign_core::files::{
    CancelFlag, EditedFile, EntryKind, ExpectedFile, ExpectedPlace, FileError, FileFault, FileRoot,
    FolderEntry, FolderListing, GlobMatches, GrepMatches, GrepQuery, MatchedLine, TextLines,
    WrittenFile,
};
use countersign_core::gate::GateError;
use countersign_core::preview::TextEdit;

use crate::envelope::envelope;
use crate::operations::{Operate, operations};
#[cfg(test)]
use crate::words;

/// The most that one answer holds: entries, paths or lines.
const MOST: usize = 100_000;

/// Lines of a text.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileText {
    /// The lines as they stand there, with their ends.
    text: String,
    /// The number of the first of them, from 1.
    first_line: usize,
    /// How many they are.
    lines: usize,
    /// How many the file has.
    total_lines: usize,
    /// Of the whole content.
    #[cfg_attr(test, ts(type = "string"))]
    sha256: Digest,
}

/// What was written.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FileWritten {
    /// There was none before.
    created: bool,
    bytes: usize,
    #[cfg_attr(test, ts(type = "string"))]
    sha256: Digest,
}

/// What was replaced.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FileEdited {
    /// In how many places.
    replaced: usize,
    #[cfg_attr(test, ts(type = "string"))]
    sha256: Digest,
}

/// The names in a folder, sorted.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FileListing {
    entries: Vec<FileEntry>,
    /// There are more.
    truncated: bool,
}

/// A name in a folder.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileEntry {
    /// From the root, with `/`.
    path: String,
    #[cfg_attr(test, ts(as = "words::EntryType"))]
    r#type: EntryKind,
    /// Bytes, of files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    size: Option<u64>,
}

/// Files that a pattern names.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FilePaths {
    paths: Vec<String>,
    /// There are more.
    truncated: bool,
}

/// Lines that an expression matches.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FileMatches {
    matches: Vec<FileLine>,
    /// How many files were searched.
    files: usize,
    /// There are more.
    truncated: bool,
}

/// A line of a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileLine {
    path: String,
    /// From 1.
    line: u64,
    text: String,
}

impl From<TextLines> for FileText {
    fn from(TextLines { text, first_line, lines, total_lines, sha256 }: TextLines) -> Self {
        Self { text, first_line, lines, total_lines, sha256 }
    }
}

impl From<WrittenFile> for FileWritten {
    fn from(WrittenFile { created, bytes, sha256 }: WrittenFile) -> Self {
        Self { created, bytes, sha256 }
    }
}

impl From<EditedFile> for FileEdited {
    fn from(EditedFile { replaced, sha256 }: EditedFile) -> Self {
        Self { replaced, sha256 }
    }
}

impl From<FolderListing> for FileListing {
    fn from(FolderListing { entries, truncated }: FolderListing) -> Self {
        let entry = |FolderEntry { path, kind, size }| FileEntry { path, r#type: kind, size };
        Self { entries: entries.into_iter().map(entry).collect(), truncated }
    }
}

impl From<GlobMatches> for FilePaths {
    fn from(GlobMatches { paths, truncated }: GlobMatches) -> Self {
        Self { paths, truncated }
    }
}

impl From<GrepMatches> for FileMatches {
    fn from(GrepMatches { matches, files, truncated }: GrepMatches) -> Self {
        let line = |MatchedLine { path, line, text }| FileLine { path, line, text };
        let matches = matches.into_iter().map(line).collect();
        Self { matches, files, truncated }
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeFilesOptions {
    root: Box<str>,
    max_file_bytes: f64,
}

/// Lines of a file, as many as `limit`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileRead {
    path: Box<str>,
    offset: usize,
    #[cfg_attr(test, ts(optional = nullable))]
    limit: Option<usize>,
}

/// Writes a whole file.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileWrite {
    path: Box<str>,
    content: Box<str>,
    /// Absent: anything. `null`: no file. A text: the SHA-256 (hex) of the content.
    #[serde(default, deserialize_with = "expected")]
    #[cfg_attr(test, ts(optional, type = "string | null"))]
    expected: ExpectedFile,
    /// The file that the path must lead to.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    target: Option<Box<str>>,
}

/// Replaces a text in a file.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct FileEdit {
    path: Box<str>,
    old_string: Box<str>,
    new_string: Box<str>,
    replace_all: bool,
    /// Absent: anything. `null`: no file. A text: the SHA-256 (hex) of the content.
    #[serde(default, deserialize_with = "expected")]
    #[cfg_attr(test, ts(optional, type = "string | null"))]
    expected: ExpectedFile,
    /// The file that the path must lead to.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    target: Option<Box<str>>,
}

/// The names in a folder.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileList {
    path: Box<str>,
    limit: usize,
}

/// The files that a pattern names.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileGlob {
    pattern: Box<str>,
    path: Box<str>,
    limit: usize,
}

/// The lines that an expression matches.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct FileGrep {
    pattern: Box<str>,
    path: Box<str>,
    glob: Option<Box<str>>,
    ignore_case: bool,
    limit: usize,
}

/// Left out: anything. `null`: nothing. A text: a digest.
fn expected<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ExpectedFile, D::Error> {
    let expected = Option::<String>::deserialize(deserializer)?;
    Ok(expected.map_or(ExpectedFile::Absent, ExpectedFile::Sha256))
}

/// Text of the binding's own making. A lone surrogate is all that can be wrong with it.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|error| {
        FileFault::NotText.at("", format!("what was asked is not well-formed text: {error}"))
    })
}

/// Opens `{ root, maxFileBytes }`.
///
/// # Errors
/// When there is no such folder.
pub fn open(options: &str) -> Result<FileRoot, FileError> {
    let options: NativeFilesOptions = read(options)?;
    FileRoot::open(&options.root, options.max_file_bytes as u64)
}

/// What operations are done on, until they are cancelled.
struct Work<'a> {
    root: &'a FileRoot,
    cancel: &'a CancelFlag,
}

operations! {
    FileOperations, "What can be done to the files below a folder.", &Work<'_>:
    Read(FileRead),
    Write(FileWrite),
    Edit(FileEdit),
    List(FileList),
    Glob(FileGlob),
    Grep(FileGrep),
}

/// Does what is asked: the text of an operation to an envelope with its answer. When it fails nothing was changed.
pub fn perform(root: &FileRoot, operation: &str, cancel: &CancelFlag) -> String {
    match cancel.check("").and_then(|()| read::<Operation>(operation)) {
        Ok(operation) => operation.perform(&Work { root, cancel }),
        Err(error) => envelope::<()>(Err(error.into())),
    }
}

impl Operate<&Work<'_>> for FileRead {
    type Answer = FileText;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        let limit = self.limit.unwrap_or(usize::MAX);
        Ok(root.read(&self.path, self.offset, limit, cancel)?.into())
    }
}

impl Operate<&Work<'_>> for FileWrite {
    type Answer = FileWritten;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        let place = ExpectedPlace { content: &self.expected, target: self.target.as_deref() };
        Ok(root.write(&self.path, &self.content, place, cancel)?.into())
    }
}

impl Operate<&Work<'_>> for FileEdit {
    type Answer = FileEdited;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        let Self { path, old_string, new_string, replace_all, expected, target } = self;
        let place = ExpectedPlace { content: &expected, target: target.as_deref() };
        let edit = TextEdit { old: &old_string, new: &new_string, everywhere: replace_all };
        Ok(root.edit(&path, edit, place, cancel)?.into())
    }
}

impl Operate<&Work<'_>> for FileList {
    type Answer = FileListing;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        Ok(root.list(&self.path, self.limit.min(MOST), cancel)?.into())
    }
}

impl Operate<&Work<'_>> for FileGlob {
    type Answer = FilePaths;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        Ok(root.glob(&self.pattern, &self.path, self.limit.min(MOST), cancel)?.into())
    }
}

impl Operate<&Work<'_>> for FileGrep {
    type Answer = FileMatches;

    fn perform(self, Work { root, cancel }: &Work<'_>) -> Result<Self::Answer, GateError> {
        let query = GrepQuery {
            pattern: &self.pattern,
            path: &self.path,
            glob: self.glob.as_deref(),
            ignore_case: self.ignore_case,
            limit: self.limit.min(MOST),
        };
        Ok(root.grep(&query, cancel)?.into())
    }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    Operation::types(all).with::<NativeFilesOptions>()
}
