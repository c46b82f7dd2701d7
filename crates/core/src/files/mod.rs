//! What tools do to the files below one root. Nothing outside of it is read or written, by any path.
//!
//! A path is walked name by name, each opened in the folder that is held open and never through a symlink: where a symlink
//! leads is read and walked in the same way, and `..` goes back to a folder that is held. So no folder that is swapped for a
//! symlink meanwhile leads anywhere else. Everything here may wait for a disk.

mod cancel;
mod error;
mod glob;
mod grep;
mod list;
mod open;
mod pattern;
mod read;
mod root;
mod state;
mod walk;
mod write;

#[cfg(test)]
mod tests;

pub use cancel::CancelFlag;
pub use error::{FileError, FileFault};
pub use glob::GlobMatches;
pub use grep::{GrepMatches, GrepQuery, MatchedLine};
pub use list::{EntryKind, FolderEntry, FolderListing};
pub use read::TextLines;
pub use root::FileRoot;
pub use state::state_at;
pub use write::{EditedFile, ExpectedFile, ExpectedPlace, WrittenFile};
