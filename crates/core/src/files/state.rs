//! A file as it stands, for a diff.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::preview::FileState;

/// Content of more bytes is not read.
const LARGEST: u64 = 16 << 20;

/// What is at this path now; symlinks are followed.
pub fn state_at(path: &Path) -> FileState {
    // Looked at before it is opened: to open a pipe would wait for a writer.
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return FileState::Absent,
        Err(error) => return FileState::Unreadable(error.to_string()),
        Ok(metadata) if !metadata.is_file() => {
            return FileState::Unreadable("it is not a file".to_owned());
        }
        Ok(metadata) if metadata.len() > LARGEST => {
            return FileState::Unreadable(format!("it has {} bytes", metadata.len()));
        }
        Ok(_) => {}
    }
    let mut content = Vec::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut content));
    match read {
        Ok(size) if size as u64 > LARGEST => FileState::Unreadable("it is too large".to_owned()),
        Ok(_) => FileState::Content(content),
        Err(error) => FileState::Unreadable(error.to_string()),
    }
}
