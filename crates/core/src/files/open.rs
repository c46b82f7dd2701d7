//! The one way in which files are opened and read.

use std::ffi::OsStr;
use std::io::Read as _;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, OpenOptions};

use super::cancel::CancelFlag;
use super::error::{FileError, FileFault};

/// How much is read between two looks at whether anybody still waits, in bytes.
const PIECE: usize = 256 << 10;

/// Opens a file to read it: never through a symlink, and without waiting for the other end of a pipe.
pub(super) fn open_file(dir: &Dir, name: &OsStr, path: &str) -> Result<File, FileError> {
    let io = |error| FileError::io(path, &error);
    // Looked at first: to open a device can be an act of its own.
    is_regular(&dir.symlink_metadata(name).map_err(io)?, path)?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(io)?;
    is_regular(&file.metadata().map_err(io)?, path)?;
    Ok(file)
}

pub(super) fn is_regular(found: &cap_std::fs::Metadata, path: &str) -> Result<(), FileError> {
    if found.is_file() {
        return Ok(());
    }
    let what = match found.is_dir() {
        true => "it is a folder: list it instead",
        false => "it is not a regular file",
    };
    Err(FileFault::NotAFile.at(path, what))
}

/// Reads all of it, in pieces.
pub(super) fn each_piece(
    file: &mut File, path: &str, cancel: &CancelFlag,
    mut take: impl FnMut(&[u8]) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let mut piece = vec![0; PIECE];
    loop {
        cancel.check(path)?;
        let size = match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(size) => size,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FileError::io(path, &error)),
        };
        take(piece.get(..size).unwrap_or_default())?;
    }
}

/// The whole content, of at most `most` bytes.
pub(super) fn read_all(
    file: &mut File, path: &str, most: u64, cancel: &CancelFlag,
) -> Result<Vec<u8>, FileError> {
    let too_large = |size: u64| {
        FileFault::TooLarge.at(
            path,
            format!("it has {size} bytes, and {most} are the limit: read it with a command"),
        )
    };
    let size = file.metadata().map_err(|error| FileError::io(path, &error))?.len();
    if size > most {
        return Err(too_large(size));
    }
    let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    each_piece(file, path, cancel, |piece| {
        content.extend_from_slice(piece);
        // It may have grown meanwhile.
        if content.len() as u64 > most { Err(too_large(content.len() as u64)) } else { Ok(()) }
    })?;
    Ok(content)
}

/// The content as text.
pub(super) fn as_text<'a>(content: &'a [u8], path: &str) -> Result<&'a str, FileError> {
    match std::str::from_utf8(content) {
        Ok(text) if !content.contains(&0) => Ok(text),
        _ => Err(FileFault::NotText
            .at(path, "it is not a text in UTF-8: use a command that knows its format")),
    }
}
