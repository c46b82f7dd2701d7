//! Texts, whole or some lines of them.

use serde::Serialize;

use super::cancel::CancelFlag;
use super::error::FileError;
use super::open::{as_text, open_file, read_all};
use super::root::{FileRoot, MissingFolders, PathTarget};
use crate::call::Digest;

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextLines {
    /// The lines as they stand there, with their ends.
    pub text: String,
    /// The number of the first of them, from 1.
    pub first_line: usize,
    /// How many they are.
    pub lines: usize,
    /// How many the file has.
    pub total_lines: usize,
    /// Of the whole content.
    pub sha256: Digest,
}

impl FileRoot {
    /// Some lines of a text: from line `offset` (the first is 1), and at most `limit` of them.
    ///
    /// # Errors
    /// When there is no such file below the root, or it is no text, or too large.
    pub fn read(
        &self, path: &str, offset: usize, limit: usize, cancel: &CancelFlag,
    ) -> Result<TextLines, FileError> {
        let content = self.content(path, cancel)?;
        let text = as_text(&content, path)?;
        let first_line = offset.max(1);
        let mut lines = 0;
        let mut total_lines = 0;
        let (mut at, mut start, mut end) = (0, text.len(), text.len());
        for line in text.split_inclusive('\n') {
            total_lines += 1;
            if total_lines == first_line {
                start = at;
            }
            at += line.len();
            if total_lines >= first_line && lines < limit {
                lines += 1;
                end = at;
            }
        }
        let shown = if lines == 0 { "" } else { text.get(start..end).unwrap_or_default() };
        Ok(TextLines {
            text: shown.to_owned(),
            first_line,
            lines,
            total_lines,
            sha256: Digest::of_bytes(&content),
        })
    }

    fn content(&self, path: &str, cancel: &CancelFlag) -> Result<Vec<u8>, FileError> {
        match self.locate(path, MissingFolders::Fail)? {
            PathTarget::Folder(_) => {
                Err(FileError::io(path, &std::io::ErrorKind::IsADirectory.into()))
            }
            PathTarget::Spot(spot) => {
                let mut file = open_file(&spot.folder.dir, &spot.name, path)?;
                read_all(&mut file, path, self.most_bytes, cancel)
            }
        }
    }
}
