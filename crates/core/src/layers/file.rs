//! Reading a file that may change while it is read, and writing one that may be read while it is written.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::policy::document::MAX_BYTES;

/// A file that changed less than this before it was read is read again at the next look: file systems count time in
/// steps of up to two seconds, so that a second change may not show.
const UNSETTLED: Duration = Duration::from_secs(2);

/// How often a file is read that changes while it is read.
const ATTEMPTS: usize = 3;

/// Who must own a file, and who must not be able to write to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileCare {
    /// Everybody but its owner may not change it, nor its directory; it belongs to this user.
    OwnedBy(u32),
    /// Not everybody may change it.
    NotEverybodys,
    /// Any file: its content is not relied on.
    None,
}

/// What shows that a file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileStamp {
    /// There is no file.
    Missing,
    /// When it changed, its size and which file it is.
    File { modified: Option<SystemTime>, changed: (i64, i64), size: u64, id: (u64, u64) },
}

impl FileStamp {
    /// Whether both are files, and not the same one.
    fn is_other_file(&self, other: &Self) -> bool {
        matches!((self, other), (Self::File { id, .. }, Self::File { id: own, .. }) if id != own)
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileContent {
    pub(super) stamp: FileStamp,
    /// Whether a further change is sure to show in the stamp.
    pub(super) settled: bool,
    /// `None`: there is no file.
    pub(super) bytes: Option<Vec<u8>>,
}

/// The stamp of a file as it is now.
pub(super) fn stamp(path: &Path) -> io::Result<FileStamp> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(stamp_of(&metadata)),
        Err(error) if is_missing(&error) => match why_unreachable(path) {
            None => Ok(FileStamp::Missing),
            Some(reason) => Err(io::Error::other(reason)),
        },
        Err(error) => Err(error),
    }
}

/// Why the file system finds nothing at a path where a name stands: a symlink whose target is away, or something on the way that
/// is no directory. `None`: no name stands there, so the file does not exist. What cannot be reached may hold a deny.
fn why_unreachable(path: &Path) -> Option<String> {
    for place in path.ancestors() {
        let found = match fs::symlink_metadata(place) {
            Ok(found) => found,
            Err(error) if is_missing(&error) => continue,
            Err(error) => return Some(format!("cannot be read: {error}")),
        };
        let shown = place.display();
        return match fs::metadata(place) {
            Err(_) if found.is_symlink() => Some(format!(
                "cannot be read: {shown} is a symlink to what is not there. Bring that back, or remove the symlink"
            )),
            Err(error) => Some(format!("cannot be read: {error}")),
            // It appeared in this moment.
            Ok(_) if place == path => Some(BEING_WRITTEN.to_owned()),
            Ok(there) if there.is_dir() => None,
            Ok(_) => Some(format!("cannot be read: {shown} is not a directory")),
        };
    }
    None
}

const BEING_WRITTEN: &str = "is being written at the moment";

/// Reads a file, wholly and at one moment.
///
/// # Errors
/// Why it cannot be read or must not be relied on, for a human.
pub(super) fn read(path: &Path, care: FileCare) -> Result<FileContent, String> {
    // Whole, and another one stands in its place by now: the newest that is to be had of a file that is written again and again.
    let mut replaced = None;
    for _ in 0..ATTEMPTS {
        // Looked at before it is opened: to open a pipe would wait for a writer.
        match fs::metadata(path) {
            Err(error) if is_missing(&error) => {
                return match why_unreachable(path) {
                    None => {
                        Ok(FileContent { stamp: FileStamp::Missing, settled: true, bytes: None })
                    }
                    Some(reason) => Err(reason),
                };
            }
            Err(error) => return Err(format!("cannot be read: {error}")),
            Ok(metadata) if !metadata.is_file() => return Err("is not a file".to_owned()),
            Ok(_) => {}
        }
        let mut file = match open_regular(path) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => continue,
            Err(error) => return Err(format!("cannot be read: {error}")),
        };
        let failed = |error: io::Error| format!("cannot be read: {error}");
        let before = file.metadata().map_err(failed)?;
        if !before.is_file() {
            return Err("is not a file".to_owned());
        }
        check(path, &before, care)?;
        let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        if before.len() > limit {
            return Err(format!("has {} bytes, {MAX_BYTES} are allowed", before.len()));
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
        let after = stamp_of(&file.metadata().map_err(failed)?);
        // Else it changed while it was read.
        let whole = u64::try_from(bytes.len()).is_ok_and(|length| length == before.len());
        if whole && stamp_of(&before) == after {
            let now = stamp(path);
            let is_newest = now.as_ref().is_ok_and(|now| *now == after);
            // The same file may have been read between two parts of what is written to it.
            let is_replaced = now.is_ok_and(|now| now.is_other_file(&after));
            let settled = is_settled(&before);
            let content = FileContent { settled, stamp: after, bytes: Some(bytes) };
            if is_newest {
                return Ok(content);
            }
            if is_replaced {
                replaced = Some(content);
            }
        }
    }
    replaced.ok_or_else(|| BEING_WRITTEN.to_owned())
}

/// Opens a regular file, and nothing else: to open a pipe would wait for a writer. What comes in its place meanwhile is not waited
/// for either.
fn open_regular(path: &Path) -> io::Result<File> {
    let is_file = |metadata: Metadata| {
        if metadata.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
    };
    is_file(fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    wait_for_nobody(&mut options);
    let file = options.open(path)?;
    is_file(file.metadata()?)?;
    Ok(file)
}

/// So that a pipe is opened at once, or not at all.
#[cfg(unix)]
fn wait_for_nobody(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
}

#[cfg(not(unix))]
fn wait_for_nobody(_options: &mut OpenOptions) {}

/// The whole text of a file; `None`: no such file.
///
/// # Errors
/// When it is no regular file, cannot be read, or is not UTF-8.
fn text_at(path: &Path) -> io::Result<Option<String>> {
    let mut text = String::new();
    match open_regular(path).and_then(|mut file| file.read_to_string(&mut text)) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a file in which the user's own decisions are; `None`: no such file.
///
/// # Errors
/// Why it cannot be read, or must not be relied on, for a human.
pub fn user_text_at(path: &Path) -> Result<Option<String>, String> {
    let bytes = read(path, FileCare::NotEverybodys)?.bytes;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|error| format!("is not UTF-8: {error}"))
}

/// Writes a file in one step: a reader sees the old text or the new one. Only the user can read it (mode 0600). Directories that
/// do not exist are made.
///
/// # Errors
/// As the file system says.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    // Where a symlink leads, so that it stays one.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    place(&path, |draft| write_new(draft, text), || Ok(()))
}

/// Why a text was not put in the place of another.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Somebody changed it in the meantime.
    #[error("it changed since it was shown: look at it again")]
    Changed,
    /// It stands elsewhere: what is written there would be written in the place of another file.
    #[error("{} is a symlink: replace it by what it leads to", .0.display())]
    Symlink(PathBuf),
    /// What the file system says.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The whole text of a file that stands in its own folder; `None`: no such file.
///
/// # Errors
/// Where a symlink stands for the file or for its folder. When it cannot be read, or is not UTF-8.
pub fn own_text_at(path: &Path) -> Result<Option<String>, ReplaceError> {
    match own_link(path) {
        Some(link) => Err(ReplaceError::Symlink(link.to_owned())),
        None => Ok(text_at(path)?),
    }
}

/// The symlink that stands for a file, or for its folder: what it leads to is another file.
pub(super) fn own_link(path: &Path) -> Option<&Path> {
    let is_link = |at: &&Path| fs::symlink_metadata(at).is_ok_and(|found| found.is_symlink());
    path.ancestors().take(2).find(is_link)
}

/// Puts a text in the place of the one that was shown (`None`: there was no file), whole or not at all. All who could read the
/// file still can.
///
/// # Errors
/// When it is no longer what was shown, as [`own_text_at`], or as the file system says.
pub fn replace_text(path: &Path, before: Option<&str>, after: &str) -> Result<(), ReplaceError> {
    let unchanged = || {
        if own_text_at(path)?.as_deref() == before { Ok(()) } else { Err(ReplaceError::Changed) }
    };
    unchanged()?;
    let write = |draft: &Path| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(draft)?;
        if before.is_some() {
            file.set_permissions(fs::metadata(path)?.permissions())?;
        }
        file.write_all(after.as_bytes())?;
        file.sync_all()
    };
    // Looked at once more, right before: of two that were shown the same, one is first.
    place(path, write, unchanged)
}

/// Writes beside a file and puts that in its place, if it still may.
fn place<E: From<io::Error>>(
    path: &Path, write: impl FnOnce(&Path) -> io::Result<()>, may: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    // A new name, under which nothing can exist.
    let draft = dir.join(format!(".{}.tmp", uuid::Uuid::now_v7().simple()));
    let written = write(&draft).map_err(E::from);
    let placed = written.and_then(|()| may()).and_then(|()| Ok(fs::rename(&draft, path)?));
    if placed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    placed?;
    // The rename itself is durable only with its directory. Windows has no such thing.
    if cfg!(unix) {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

/// Holds a file of the user's for one change, against other processes and threads: what is read under it is what is written
/// back. Released when it is dropped, also by the end of the process.
///
/// # Errors
/// As the file system says.
pub fn hold(path: &Path) -> io::Result<HeldFile> {
    let lock = path.with_extension("lock");
    if let Some(dir) = lock.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    wait_for_nobody(&mut options);
    let file = options.open(lock)?;
    file.lock()?;
    Ok(HeldFile(file))
}

/// See [`hold`].
#[derive(Debug)]
pub struct HeldFile(#[expect(dead_code, reason = "it is there to be dropped")] File);

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn is_settled(metadata: &Metadata) -> bool {
    let age = |time: SystemTime| SystemTime::now().duration_since(time).ok();
    changed(metadata).and_then(age).is_some_and(|age| age > UNSETTLED)
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    // Unlike the time of modification, it cannot be set.
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds + 1))
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

#[cfg(unix)]
fn stamp_of(metadata: &Metadata) -> FileStamp {
    use std::os::unix::fs::MetadataExt;
    FileStamp::File {
        modified: metadata.modified().ok(),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        size: metadata.len(),
        id: (metadata.dev(), metadata.ino()),
    }
}

#[cfg(not(unix))]
fn stamp_of(metadata: &Metadata) -> FileStamp {
    FileStamp::File {
        modified: metadata.modified().ok(),
        changed: (0, 0),
        size: metadata.len(),
        id: (0, 0),
    }
}

#[cfg(unix)]
fn check(path: &Path, metadata: &Metadata, care: FileCare) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    const GROUP_OR_OTHERS: u32 = 0o022;
    const OTHERS: u32 = 0o002;
    let owned = |what: &str, metadata: &Metadata, owner: u32| {
        if metadata.uid() != owner {
            return Err(format!(
                "is not relied on, because {what} belongs to user {} instead of {owner}: give it to the administrator",
                metadata.uid()
            ));
        }
        if metadata.mode() & GROUP_OR_OTHERS != 0 {
            return Err(format!(
                "is not relied on, because others than the administrator can write to {what} (mode {:03o}): run \
                 `chmod go-w` on it",
                metadata.mode() & 0o777
            ));
        }
        Ok(())
    };
    match care {
        FileCare::None => Ok(()),
        FileCare::NotEverybodys if metadata.mode() & OTHERS != 0 => Err(format!(
            "is not relied on, because everybody can write to it (mode {:03o}): run `chmod o-w` on it",
            metadata.mode() & 0o777
        )),
        FileCare::NotEverybodys => Ok(()),
        FileCare::OwnedBy(owner) => {
            owned("it", metadata, owner)?;
            let failed = |error: io::Error| format!("cannot be read: {error}");
            // Who can write to the directory can put another file in its place; that goes for the one a symlink leads to.
            let real = fs::canonicalize(path).map_err(failed)?;
            for dir in [path.parent(), real.parent()].into_iter().flatten() {
                owned("its directory", &fs::metadata(dir).map_err(failed)?, owner)?;
            }
            Ok(())
        }
    }
}

/// The owner cannot be told here: the layer is not trusted instead.
#[cfg(not(unix))]
fn check(_path: &Path, _metadata: &Metadata, _care: FileCare) -> Result<(), String> {
    Ok(())
}
