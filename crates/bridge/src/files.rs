//! What the files take and give as JSON text: the shapes of `agent.d.ts` and of `ts/native.ts`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use countersign_core::call::Digest;
use countersign_core::files::{
    CancelFlag, EditedFile, EntryKind, ExpectedFile, ExpectedPlace, FileError, FileFault, FileRoot,
    FolderEntry, FolderListing, GlobMatches, GrepMatches, GrepQuery, MatchedLine, TextLines,
    WrittenFile,
};
use countersign_core::preview::TextEdit;

#[cfg(test)]
use crate::words;

/// The most that one answer holds: entries, paths or lines.
const MOST: usize = 100_000;

/// What an operation answers.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) enum FileAnswer {
    Text(FileText),
    Written(FileWritten),
    Edited(FileEdited),
    Listing(FileListing),
    Globbed(FilePaths),
    Grepped(FileMatches),
}

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

impl From<TextLines> for FileAnswer {
    fn from(TextLines { text, first_line, lines, total_lines, sha256 }: TextLines) -> Self {
        Self::Text(FileText { text, first_line, lines, total_lines, sha256 })
    }
}

impl From<WrittenFile> for FileAnswer {
    fn from(WrittenFile { created, bytes, sha256 }: WrittenFile) -> Self {
        Self::Written(FileWritten { created, bytes, sha256 })
    }
}

impl From<EditedFile> for FileAnswer {
    fn from(EditedFile { replaced, sha256 }: EditedFile) -> Self {
        Self::Edited(FileEdited { replaced, sha256 })
    }
}

impl From<FolderListing> for FileAnswer {
    fn from(FolderListing { entries, truncated }: FolderListing) -> Self {
        let entry = |FolderEntry { path, kind, size }| FileEntry { path, r#type: kind, size };
        Self::Listing(FileListing { entries: entries.into_iter().map(entry).collect(), truncated })
    }
}

impl From<GlobMatches> for FileAnswer {
    fn from(GlobMatches { paths, truncated }: GlobMatches) -> Self {
        Self::Globbed(FilePaths { paths, truncated })
    }
}

impl From<GrepMatches> for FileAnswer {
    fn from(GrepMatches { matches, files, truncated }: GrepMatches) -> Self {
        let line = |MatchedLine { path, line, text }| FileLine { path, line, text };
        let matches = matches.into_iter().map(line).collect();
        Self::Grepped(FileMatches { matches, files, truncated })
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeFilesOptions {
    root: Box<str>,
    max_file_bytes: f64,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileRead {
    path: Box<str>,
    offset: usize,
    #[cfg_attr(test, ts(optional = nullable))]
    limit: Option<usize>,
}

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

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileList {
    path: Box<str>,
    limit: usize,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileGlob {
    pattern: Box<str>,
    path: Box<str>,
    limit: usize,
}

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

impl FileWrite {
    fn perform(&self, root: &FileRoot, cancel: &CancelFlag) -> Result<WrittenFile, FileError> {
        let place = ExpectedPlace { content: &self.expected, target: self.target.as_deref() };
        root.write(&self.path, &self.content, place, cancel)
    }
}

impl FileEdit {
    fn perform(&self, root: &FileRoot, cancel: &CancelFlag) -> Result<EditedFile, FileError> {
        let place = ExpectedPlace { content: &self.expected, target: self.target.as_deref() };
        let edit =
            TextEdit { old: &self.old_string, new: &self.new_string, everywhere: self.replace_all };
        root.edit(&self.path, edit, place, cancel)
    }
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

/// Does the operation of this name: `read`, `write`, `edit`, `list`, `glob`, `grep`.
///
/// # Errors
/// When it cannot be done. Then nothing was changed.
pub fn call(
    root: &FileRoot, operation: &str, request: &str, cancel: &CancelFlag,
) -> Result<impl Serialize + use<>, FileError> {
    cancel.check("")?;
    let answer =
        match operation {
            "read" => {
                let FileRead { path, offset, limit } = read(request)?;
                root.read(&path, offset, limit.unwrap_or(usize::MAX), cancel).map(FileAnswer::from)
            }
            "write" => read::<FileWrite>(request)?.perform(root, cancel).map(FileAnswer::from),
            "edit" => read::<FileEdit>(request)?.perform(root, cancel).map(FileAnswer::from),
            "list" => {
                let FileList { path, limit } = read(request)?;
                root.list(&path, limit.min(MOST), cancel).map(FileAnswer::from)
            }
            "glob" => {
                let FileGlob { pattern, path, limit } = read(request)?;
                root.glob(&pattern, &path, limit.min(MOST), cancel).map(FileAnswer::from)
            }
            "grep" => {
                let FileGrep { pattern, path, glob, ignore_case, limit } = read(request)?;
                let query = GrepQuery {
                    pattern: &pattern,
                    path: &path,
                    glob: glob.as_deref(),
                    ignore_case,
                    limit: limit.min(MOST),
                };
                root.grep(&query, cancel).map(FileAnswer::from)
            }
            other => Err(FileFault::Io
                .at("", format!("there is no operation {other:?}: a bug in countersign"))),
        }?;
    Ok(answer)
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeFilesOptions>()
        .with::<FileRead>()
        .with::<FileWrite>()
        .with::<FileEdit>()
        .with::<FileList>()
        .with::<FileGlob>()
        .with::<FileGrep>()
        .with::<FileAnswer>()
}
