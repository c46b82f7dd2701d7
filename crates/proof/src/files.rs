//! The files beside a ledger, written as the product writes them: those of policies and settings, and those of an agent.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use countersign_core::files::{CancelFlag, ExpectedFile, FileRoot};
use countersign_core::layers::{replace_text, write_atomically};

use crate::store::ProofError;

/// Who writes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileWriter {
    /// A decision of the user's, such as which policies are trusted.
    Decision,
    /// A change of a policy or of settings that a human was shown.
    Change,
    /// A tool of an agent.
    Agent,
}

impl FileWriter {
    /// The writer of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "decision" => Self::Decision,
            "change" => Self::Change,
            "agent" => Self::Agent,
            _ => return None,
        })
    }
}

/// The name of the file, in a folder that need not exist for all but an agent.
pub const WRITTEN: &str = "written";

/// What is written into it, one after the other.
pub const TEXTS: [&str; 3] = ["one", "two", "three"];

/// Makes the file and replaces it, and acknowledges each text in one line.
///
/// # Errors
/// As the file system says.
pub fn write(writer: FileWriter, dir: &Path, acks: &Path) -> Result<(), ProofError> {
    let path = dir.join(WRITTEN);
    let mut acks: File = OpenOptions::new().create(true).append(true).open(acks)?;
    let mut before = None;
    for text in TEXTS {
        match writer {
            FileWriter::Decision => write_atomically(&path, text)?,
            FileWriter::Change => {
                replace_text(&path, before, text).map_err(|error| error.to_string())?;
            }
            FileWriter::Agent => {
                let root = FileRoot::open(&dir.to_string_lossy(), 1 << 20)
                    .map_err(|error| error.to_string())?;
                root.write(WRITTEN, text, &ExpectedFile::Anything, &CancelFlag::default())
                    .map_err(|error| error.to_string())?;
            }
        }
        before = Some(text);
        acks.write_all(format!("{text}\n").as_bytes())?;
    }
    Ok(())
}
