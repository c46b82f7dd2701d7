//! Files that are made, replaced or edited. A reader sees the old content or the new, never a part.

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::PoisonError;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::cancel::CancelFlag;
use super::error::{FileError, FileFault};
use super::open::{as_text, each_piece, is_regular, open_file, read_all};
use super::root::{FileRoot, FolderSpot, MissingFolders, PathTarget};
use crate::call::{Digest, hex};
use crate::preview::{self, AmbiguousEdit, EditFault, TextEdit};

/// How much is written between two looks at whether anybody still waits, in bytes.
const PIECE: usize = 1 << 20;

/// What must be there before a file is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExpectedFile {
    /// Any state.
    #[default]
    Anything,
    /// Nothing.
    Absent,
    /// A content with this SHA-256, in hex. What is no digest is that of no content.
    Sha256(String),
}

/// What must be there, and where that must be, before a file is changed.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedPlace<'a> {
    /// What must be there.
    pub content: &'a ExpectedFile,
    /// The file that the path must lead to: absolute, every symlink followed. `None`: any below the root.
    pub target: Option<&'a str>,
}

impl<'a> From<&'a ExpectedFile> for ExpectedPlace<'a> {
    fn from(content: &'a ExpectedFile) -> Self {
        Self { content, target: None }
    }
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// There was none.
    pub created: bool,
    /// Of the content.
    pub bytes: usize,
    /// Of the content.
    pub sha256: Digest,
}

/// A file that was edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditedFile {
    /// How many places were changed.
    pub replaced: usize,
    /// Of the content now.
    pub sha256: Digest,
}

impl FileRoot {
    /// Makes a file or replaces its content. Folders on the way are made.
    ///
    /// # Errors
    /// When it cannot be written, or what is there is not what is expected. Then nothing was changed.
    pub fn write<'a>(
        &self, path: &str, content: &str, place: impl Into<ExpectedPlace<'a>>, cancel: &CancelFlag,
    ) -> Result<WrittenFile, FileError> {
        let place = place.into();
        let expected = place.content;
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = match expected {
            // There is no content where there is not even a folder.
            ExpectedFile::Sha256(_) => MissingFolders::Fail,
            ExpectedFile::Anything | ExpectedFile::Absent => MissingFolders::Make,
        };
        let spot = self.spot(path, place, missing)?;
        let created = replace(spot, path, content.as_bytes(), expected, cancel)?;
        Ok(WrittenFile { created, bytes: content.len(), sha256: Digest::of_text(content) })
    }

    /// Replaces text in a file, as [`preview::apply`] does for what a human is shown.
    ///
    /// # Errors
    /// When it cannot be done, or what is there is not what is expected. Then nothing was changed.
    pub fn edit<'a>(
        &self, path: &str, edit: TextEdit, place: impl Into<ExpectedPlace<'a>>, cancel: &CancelFlag,
    ) -> Result<EditedFile, FileError> {
        let place = place.into();
        let expected = place.content;
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let spot = self.spot(path, place, MissingFolders::Fail)?;
        let mut file = open_file(&spot.folder.dir, &spot.name, path)
            .map_err(|error| absent_is_changed(error, path, expected))?;
        let content = read_all(&mut file, path, self.most_bytes, cancel)?;
        // An edit always requires the content that was read.
        let read = Digest::of_bytes(&content).to_string();
        if !matches!(expected, ExpectedFile::Anything)
            && *expected != ExpectedFile::Sha256(read.clone())
        {
            return Err(changed(path));
        }
        let most = usize::try_from(self.most_bytes).unwrap_or(usize::MAX);
        let edited = preview::apply(as_text(&content, path)?, &[edit], most)
            .map_err(|fault| refusal(fault, path, most))?;
        if let Some(AmbiguousEdit { count, .. }) = edited.ambiguous {
            return Err(FileFault::NoMatch.at(
                path,
                format!("the text to replace stands there {count} times: give more of what is around it, or replace all"),
            ));
        }
        let sha256 = Digest::of_text(&edited.content);
        replace(spot, path, edited.content.as_bytes(), &ExpectedFile::Sha256(read), cancel)?;
        Ok(EditedFile { replaced: edited.replaced, sha256 })
    }

    /// Where a file is written.
    fn spot(
        &self, path: &str, expected: ExpectedPlace, missing: MissingFolders,
    ) -> Result<FolderSpot, FileError> {
        match self.locate(path, missing) {
            Ok(PathTarget::Spot(spot))
                if expected.target.is_none_or(|at| self.is_at(&spot, at)) =>
            {
                Ok(*spot)
            }
            Ok(PathTarget::Spot(_)) => Err(FileFault::Changed
                .at(path, "it leads to another file than when the call was approved: ask again")),
            Ok(PathTarget::Folder(_)) => Err(FileError::io(path, &ErrorKind::IsADirectory.into())),
            Err(error) => Err(absent_is_changed(error, path, expected.content)),
        }
    }

    /// Whether this is the file of that path, which has no symlinks in it.
    fn is_at(&self, spot: &FolderSpot, target: &str) -> bool {
        let folders = spot.folder.path.split('/').filter(|name| !name.is_empty());
        let names = folders.map(OsString::from).chain([spot.name.clone()]);
        self.parts(Path::new(target)).is_some_and(|parts| names.eq(parts.into_iter().rev()))
    }
}

fn changed(path: &str) -> FileError {
    FileFault::Changed
        .at(path, "it is not what it was when the call was approved: read it and ask again")
}

fn absent_is_changed(error: FileError, path: &str, expected: &ExpectedFile) -> FileError {
    match (error.fault, expected) {
        (FileFault::NoSuchFile, ExpectedFile::Sha256(_)) => changed(path),
        _ => error,
    }
}

fn refusal(fault: EditFault, path: &str, most: usize) -> FileError {
    match fault {
        EditFault::Empty { .. } => FileFault::NoMatch
            .at(path, "the text to replace is empty and the file is not: give some of its text"),
        EditFault::Missing { .. } => FileFault::NoMatch
            .at(path, "the text to replace is not there: read the file and copy it exactly"),
        EditFault::TooMany | EditFault::TooLarge => FileFault::TooLarge.at(
            path,
            format!("the edit makes more than {most} bytes, which is the limit: change less"),
        ),
    }
}

/// What is there now.
fn present(dir: &Dir, spot: &FolderSpot, path: &str) -> Result<Option<Metadata>, FileError> {
    match dir.symlink_metadata(&spot.name) {
        Ok(found) => is_regular(&found, path).map(|()| Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::io(path, &error)),
    }
}

/// Fails unless what is there is what is expected.
fn check(
    spot: &FolderSpot, path: &str, expected: &ExpectedFile, cancel: &CancelFlag,
) -> Result<Option<Metadata>, FileError> {
    let dir = &spot.folder.dir;
    let found = present(dir, spot, path)?;
    match (expected, &found) {
        (ExpectedFile::Anything, _) | (ExpectedFile::Absent, None) => {}
        (ExpectedFile::Absent, Some(_)) | (ExpectedFile::Sha256(_), None) => {
            return Err(changed(path));
        }
        (ExpectedFile::Sha256(expected), Some(_)) => {
            let mut hash = Sha256::new();
            let mut file = open_file(dir, &spot.name, path)?;
            each_piece(&mut file, path, cancel, |piece| {
                hash.update(piece);
                Ok(())
            })?;
            if hex(&hash.finalize()) != *expected {
                return Err(changed(path));
            }
        }
    }
    Ok(found)
}

/// Puts the content there; `true`: nothing was there before.
fn replace(
    mut spot: FolderSpot, path: &str, content: &[u8], expected: &ExpectedFile, cancel: &CancelFlag,
) -> Result<bool, FileError> {
    let io = |error| FileError::io(path, &error);
    let found = check(&spot, path, expected, cancel)?;
    if let Some(found) = &found {
        // The rename would ask the folder alone.
        if found.permissions().readonly() || !is_writable(&spot) {
            return Err(
                FileFault::Permission.at(path, "the file is read-only: change its mode first")
            );
        }
    }
    let dir = spot.folder.dir.try_clone().map_err(io)?;
    let mut temporary = TemporaryFile::new(&dir, found.is_some()).map_err(io)?;
    for piece in content.chunks(PIECE) {
        cancel.check(path)?;
        temporary.file.write_all(piece).map_err(io)?;
    }
    if let Some(found) = &found {
        keep_permissions(&temporary.file, found).map_err(io)?;
    }
    temporary.file.sync_all().map_err(io)?;
    cancel.check(path)?;
    let now = check(&spot, path, expected, cancel)?;
    if matches!(expected, ExpectedFile::Absent) {
        temporary.link(&spot, path)?;
    } else {
        dir.rename(&temporary.name, &dir, &spot.name).map_err(io)?;
        temporary.is_there = false;
    }
    spot.made.keep();
    Ok(now.is_none())
}

/// A file that goes again unless it is renamed.
struct TemporaryFile<'a> {
    dir: &'a Dir,
    name: String,
    file: File,
    is_there: bool,
}

impl<'a> TemporaryFile<'a> {
    fn new(dir: &'a Dir, private: bool) -> std::io::Result<Self> {
        let name = format!(".countersign-{}.tmp", uuid::Uuid::now_v7().simple());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        if private {
            use cap_std::fs::OpenOptionsExt as _;
            // Until it has the mode of the file that it replaces.
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        let file = dir.open_with(&name, &options)?;
        Ok(Self { dir, name, file, is_there: true })
    }

    /// Puts it where nothing is: unlike a rename, a link replaces nothing.
    fn link(&mut self, spot: &FolderSpot, path: &str) -> Result<(), FileError> {
        match self.dir.hard_link(&self.name, self.dir, &spot.name) {
            // The name that is left goes when this does.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(changed(path)),
            // A file system without links; what is there was looked at a moment ago.
            Err(_) => {
                self.dir
                    .rename(&self.name, self.dir, &spot.name)
                    .map_err(|error| FileError::io(path, &error))?;
                self.is_there = false;
                Ok(())
            }
        }
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if self.is_there {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

#[cfg(unix)]
fn is_writable(spot: &FolderSpot) -> bool {
    use rustix::fs::{Access, AtFlags, accessat};
    accessat(&spot.folder.dir, &spot.name, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
fn is_writable(_spot: &FolderSpot) -> bool {
    true
}

/// Owner, group and mode of the file that is replaced. As a write would, it takes setuid and setgid away.
#[cfg(unix)]
fn keep_permissions(file: &File, found: &Metadata) -> std::io::Result<()> {
    use cap_std::fs::MetadataExt as _;
    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
    let now = file.metadata()?;
    let mut mode = found.mode() & 0o777;
    if now.uid() != found.uid() {
        // Only the administrator may; another's file then becomes ours.
        let _ = fchown(file, Some(Uid::from_raw(found.uid())), None);
    }
    if now.gid() != found.gid() && fchown(file, None, Some(Gid::from_raw(found.gid()))).is_err() {
        // Another group must not get what that one was given.
        mode = (mode & !0o070) | ((mode & 0o007) << 3);
    }
    fchmod(file, Mode::from_raw_mode(mode as rustix::fs::RawMode))?;
    Ok(())
}

#[cfg(not(unix))]
fn keep_permissions(_file: &File, _found: &Metadata) -> std::io::Result<()> {
    Ok(())
}
