//! What can be wrong with a file.

use std::io::{Error, ErrorKind};

/// The kind of what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFault {
    /// The path leads out of the root.
    OutsideRoot,
    /// No such file.
    NoSuchFile,
    /// A folder, or what is special.
    NotAFile,
    /// A part of the path that is no folder.
    NotADirectory,
    /// Its content is not what was expected.
    Changed,
    /// More bytes than wanted.
    TooLarge,
    /// Not UTF-8, or with a NUL.
    NotText,
    /// The text to replace is not there, or not just once.
    NoMatch,
    /// An invalid glob or regular expression.
    Pattern,
    /// The system or the file's mode forbids it.
    Permission,
    /// Anything else that the system says.
    Io,
    /// Its caller no longer waits.
    Cancelled,
}

impl FileFault {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::OutsideRoot => "ERR_OUTSIDE_ROOT",
            Self::NoSuchFile => "ERR_NO_SUCH_FILE",
            Self::NotAFile => "ERR_NOT_A_FILE",
            Self::NotADirectory => "ERR_NOT_A_DIRECTORY",
            Self::Changed => "ERR_FILE_CHANGED",
            Self::TooLarge => "ERR_FILE_TOO_LARGE",
            Self::NotText => "ERR_NOT_TEXT",
            Self::NoMatch => "ERR_NO_MATCH",
            Self::Pattern => "ERR_PATTERN",
            Self::Permission => "ERR_FILE_PERMISSION",
            Self::Io => "ERR_FILE_IO",
            Self::Cancelled => "ERR_CANCELLED",
        }
    }

    /// An error about this path, as it was named.
    pub fn at(self, path: &str, what: impl AsRef<str>) -> FileError {
        FileError {
            fault: self,
            path: path.to_owned(),
            message: format!("{path:?}: {}", what.as_ref()),
        }
    }
}

/// A file cannot be read or written as asked; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    /// The kind.
    pub fault: FileFault,
    /// The path, as it was named. Not made safe to show.
    pub path: String,
    message: String,
}

impl FileError {
    /// What the system said about this path.
    pub(super) fn io(path: &str, error: &Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => FileFault::NoSuchFile
                .at(path, "there is no such file: look what there is, then name one"),
            ErrorKind::NotADirectory => {
                FileFault::NotADirectory.at(path, "a part of it is not a folder")
            }
            ErrorKind::IsADirectory => FileFault::NotAFile.at(path, "it is a folder, not a file"),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                FileFault::Permission.at(path, format!("the system does not permit it ({error})"))
            }
            _ => FileFault::Io.at(path, format!("the system says: {error}")),
        }
    }
}
