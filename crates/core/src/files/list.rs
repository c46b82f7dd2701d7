//! What is in a folder.

use serde::Serialize;

use super::cancel::CancelFlag;
use super::error::FileError;
use super::root::{FileRoot, below};

/// How many names of one folder are looked at.
pub(super) const MOST_NAMES: usize = 100_000;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symlink, wherever it leads.
    Symlink,
    /// A pipe, a device, a socket.
    Other,
}

impl EntryKind {
    pub(super) fn of(kind: cap_std::fs::FileType) -> Self {
        match kind {
            kind if kind.is_symlink() => Self::Symlink,
            kind if kind.is_dir() => Self::Directory,
            kind if kind.is_file() => Self::File,
            _ => Self::Other,
        }
    }
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FolderEntry {
    /// From the root, with `/`.
    pub path: String,
    /// What it stands for.
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// Bytes, of files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// The names in a folder, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FolderListing {
    /// They.
    pub entries: Vec<FolderEntry>,
    /// There are more.
    pub truncated: bool,
}

impl FileRoot {
    /// What is in a folder, hidden names too: the first `limit` in their order.
    ///
    /// # Errors
    /// When there is no such folder below the root.
    pub fn list(
        &self, path: &str, limit: usize, cancel: &CancelFlag,
    ) -> Result<FolderListing, FileError> {
        let io = |error| FileError::io(path, &error);
        let folder = self.folder_at(path)?;
        let mut found = Vec::new();
        let mut truncated = false;
        for entry in folder.dir.entries().map_err(io)? {
            cancel.check(path)?;
            if found.len() == MOST_NAMES {
                truncated = true;
                break;
            }
            let entry = entry.map_err(io)?;
            let kind = entry.file_type().map_err(io)?;
            found.push((entry.file_name(), EntryKind::of(kind)));
        }
        found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        truncated |= found.len() > limit;
        found.truncate(limit);
        let entries = found
            .into_iter()
            .map(|(name, kind)| FolderEntry {
                path: below(&folder.path, &name.to_string_lossy()),
                kind,
                // It may be gone by now.
                size: (kind == EntryKind::File)
                    .then(|| folder.dir.symlink_metadata(&name).ok().map(|found| found.len()))
                    .flatten(),
            })
            .collect();
        Ok(FolderListing { entries, truncated })
    }
}
