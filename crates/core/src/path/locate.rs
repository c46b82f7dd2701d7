//! Where a path points: as it is written, and through symlinks.

use std::path::PathBuf;

/// The file system, as far as it matters to where a path points.
pub trait Files {
    /// What a symlink says, `None` for what is no symlink or does not exist.
    ///
    /// # Errors
    /// When it cannot be told, for lack of permission or for lack of a file system.
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError>;

    /// Whether names in this directory (which exists) differ when only their case differs.
    fn is_case_sensitive(&self, dir: &str) -> bool;
}

/// The file system of this machine. Blocks: not for the JavaScript thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFiles;

/// No file system: everything about it is [`PathError::NeedsFiles`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

/// From where, and as whom, a path is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Where {
    /// The directory that relative paths start from. Absolute.
    pub cwd: String,
    /// The home directory, for `~`. Absolute.
    pub home: Option<String>,
    /// The directory that `${project}` means. Absolute.
    pub project: Option<String>,
}

/// A path, made absolute, in each reading that a tool may take it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// `.`, `..` and `//` taken out of the text, as `path.resolve` does.
    pub lexical: String,
    /// Where the kernel gets from the path as it is written: symlinks followed, `..` physical; parents that do not exist
    /// as if they would be made.
    pub real: String,
    /// The same from [`Located::lexical`].
    pub real_of_lexical: String,
    /// Whether names that differ in case alone are one file there.
    pub folds_case: bool,
}

/// Why it cannot be said where a path points.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is empty.
    #[error("the path is empty")]
    Empty,
    /// It holds a NUL.
    #[error("the path holds a NUL")]
    Nul,
    /// It is longer than a path can be.
    #[error("the path is too long")]
    TooLong,
    /// It leads through more than 40 symlinks, or in a circle.
    #[error("the path leads through too many symlinks")]
    TooManyLinks,
    /// It leads through `/proc/self`, `/dev/fd` and the like: to something else for each process.
    #[error("the path means something else to each process")]
    PerProcess,
    /// The file system did not tell.
    #[error("{0}")]
    Unreadable(String),
    /// It can only be told by looking at the file system.
    #[error("the file system is needed to tell where the path points")]
    NeedsFiles,
}

impl Files for NoFiles {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Err(PathError::NeedsFiles)
    }

    fn is_case_sensitive(&self, _dir: &str) -> bool {
        true
    }
}

impl Files for RealFiles {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Err(PathError::NeedsFiles)
    }

    fn is_case_sensitive(&self, _dir: &str) -> bool {
        true
    }
}

/// Where `path` points.
pub fn locate(_path: &str, _from: &Where, _files: &dyn Files) -> Result<Located, PathError> {
    Err(PathError::NeedsFiles)
}
