//! Where a ledger lies: its file, the files beside it, and whether they can lie there.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::fault::of_io;
use crate::ledger::{LedgerError, LedgerErrorKind};

/// A full disk can kill a process that has the index of the write-ahead log in memory, so we want this much (bytes) to begin.
#[cfg(unix)]
const ROOM: u64 = 1024 * 1024;
/// A page of the log's index in memory (bytes).
#[cfg(unix)]
const PAGE: u64 = 4096;

/// How SQLite calls the rollback journal of a file: its name, and this.
const JOURNAL: &str = "-journal";

/// The file of a ledger and those beside it. Links are followed once, here.
#[derive(Debug, Clone)]
pub(crate) struct LedgerFiles {
    file: PathBuf,
    directory: PathBuf,
}

/// What lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundFile {
    /// Nothing.
    Nothing,
    /// A file without a byte in it.
    Empty,
    /// A file.
    File,
}

/// Which file it is, under any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity(u64, u64);

impl LedgerFiles {
    /// The place that a path names.
    pub(crate) fn resolve(path: &Path) -> Result<Self, LedgerError> {
        let name = path.file_name().ok_or_else(|| {
            LedgerErrorKind::Io
                .because(format!("{} does not name a file; name the ledger's", path.display()))
        })?;
        let absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let found = match fs::canonicalize(path) {
            // Another process may have made the file between these two looks: only what is still not there is a link to nothing.
            Err(error) if absent(&error) && path.symlink_metadata().is_ok() => {
                fs::canonicalize(path).map_err(|_| {
                    LedgerErrorKind::Io.because(format!(
                        "{} is a link to a file that is not there; remove the link",
                        path.display()
                    ))
                })
            }
            Err(error) if absent(&error) => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let parent = parent.unwrap_or_else(|| Path::new("."));
                let directory = fs::canonicalize(parent).map_err(|error| {
                    LedgerErrorKind::Io.because(format!(
                        "the directory of the ledger, {}, cannot be used: {error}; make it first",
                        parent.display()
                    ))
                })?;
                Ok(directory.join(name))
            }
            Err(error) => Err(of_io("open", path, &error)),
            Ok(file) => Ok(file),
        };
        let file = found?;
        let directory = file.parent().unwrap_or_else(|| Path::new("/")).to_owned();
        Ok(Self { file, directory })
    }

    /// The file of the ledger.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Refuses a directory that several machines may share.
    pub(crate) fn is_local(&self) -> Result<(), LedgerError> {
        super::file_system::is_local(&self.directory)
    }

    /// The file beside it that is called like it with this suffix.
    pub(crate) fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.file);
        name.push(suffix);
        name.into()
    }

    /// What is there. The file is not opened: closing it would take away the locks that SQLite has on it in this process.
    pub(crate) fn look(&self) -> Result<FoundFile, LedgerError> {
        match fs::metadata(&self.file) {
            Ok(found) if found.is_file() && found.len() == 0 => Ok(FoundFile::Empty),
            Ok(found) if found.is_file() => Ok(FoundFile::File),
            Ok(_) => Err(LedgerErrorKind::Foreign
                .because(format!("{} is not a file; name another", self.file.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FoundFile::Nothing),
            Err(error) => Err(of_io("look at", &self.file, &error)),
        }
    }

    /// Which file is there now.
    pub(crate) fn identity(&self) -> Option<FileIdentity> {
        fs::metadata(&self.file).ok().as_ref().map(identity)
    }

    /// Which file is there beside it now.
    pub(crate) fn identity_beside(&self, suffix: &str) -> Option<FileIdentity> {
        fs::metadata(self.beside(suffix)).ok().as_ref().map(identity)
    }

    /// Refuses a disk that is as good as full, for writing, and for reading where that could kill us.
    pub(crate) fn has_room(&self, read_only: bool) -> Result<(), LedgerError> {
        #[cfg(unix)]
        if let Ok(disk) = rustix::fs::statvfs(&self.directory) {
            let full = disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM;
            // Where blocks are as large as pages, SQLite sees that no space is left. A reader of a read-only disk needs none.
            let written = !disk.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY);
            let harmless = read_only && (disk.f_frsize >= PAGE || !written);
            if full && !harmless {
                return Err(LedgerErrorKind::Full.because(format!(
                    "the disk of {} has less than 1 MiB left; free some space",
                    self.file.display()
                )));
            }
        }
        #[cfg(not(unix))]
        let _ = read_only;
        Ok(())
    }

    /// Refuses what this user cannot write to, before anything is made there.
    pub(crate) fn is_writable(&self, found: FoundFile) -> Result<(), LedgerError> {
        #[cfg(unix)]
        {
            use rustix::fs::{Access, access};
            let file = (found == FoundFile::File).then_some(&self.file);
            for path in file.into_iter().chain([&self.directory]) {
                access(path, Access::WRITE_OK).map_err(|error| {
                    LedgerErrorKind::ReadOnly.because(format!(
                        "cannot write to {}: {error}; give this user write access, or open the ledger for reading only",
                        path.display()
                    ))
                })?;
            }
        }
        #[cfg(not(unix))]
        let _ = found;
        Ok(())
    }

    /// Refuses a rollback journal beside it. A ledger has a log instead, so a journal is not of ours, and SQLite would play it into
    /// the ledger. SQLite passes over an empty one.
    pub(crate) fn has_no_journal(&self) -> Result<(), LedgerError> {
        let path = self.beside(JOURNAL);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(_) => Err(LedgerErrorKind::Corrupt.because(format!(
                "countersign did not write {}, and SQLite would play it into the ledger: move it away, then look through the ledger with `countersign ledger verify`",
                path.display()
            ))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(of_io("look at", &path, &error)),
        }
    }

    /// Takes the name of its rollback journal, by an empty file: what lies there can be kept from a confined command, and what is
    /// not there cannot.
    pub(crate) fn take_journal_name(&self) -> Result<(), LedgerError> {
        private_file(&self.beside(JOURNAL)).map(drop)
    }

    /// Removes what SQLite keeps beside it. Only where no ledger is there.
    pub(crate) fn remove_beside(&self) -> Result<(), LedgerError> {
        for suffix in [JOURNAL, "-wal", "-shm"] {
            let path = self.beside(suffix);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(of_io("remove", &path, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes lasting what was made in the directory.
    pub(crate) fn sync_directory(&self) -> Result<(), LedgerError> {
        #[cfg(unix)]
        File::open(&self.directory)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| of_io("sync", &self.directory, &error))?;
        Ok(())
    }
}

/// A file that only this user may read, opened for reading and writing; made if it is missing. It never had a wider mode, and a
/// link is not followed.
pub(crate) fn private_file(path: &Path) -> Result<File, LedgerError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    open_plain(&mut options, path).map_err(|error| of_io("open", path, &error))
}

/// A file as [`private_file`] makes it, which must be there.
pub(crate) fn existing_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    open_plain(&mut options, path)
}

/// Opens a file and nothing else: a pipe that somebody has put there would keep us waiting.
fn open_plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    private(options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file; remove it"))
}

/// Whether a file has other names as well, so that what is written to it may be somebody else's.
pub(crate) fn has_other_names(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 1);
    #[cfg(not(unix))]
    return file.metadata().map(|_| false);
}

/// A new file as [`private_file`] makes it, in place of any that is there.
pub(crate) fn new_private_file(path: &Path) -> Result<File, LedgerError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(of_io("replace", path, &error));
        }
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    private(&mut options);
    options.open(path).map_err(|error| of_io("make", path, &error))
}

fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        options.mode(0o600).custom_flags(flags);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// A directory that only this user may look into; made if it is missing. A link to one is refused.
pub(crate) fn private_directory(path: &Path) -> Result<(), LedgerError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(of_io("make", path, &error))
        }
        Err(_) if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) => {
            Err(LedgerErrorKind::Io
                .because(format!("{} is not a directory; remove it", path.display())))
        }
        _ => Ok(()),
    }
}

/// Whether an open file is still the one that its path names.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(ours), Ok(there)) => identity(&ours) == identity(&there),
        _ => false,
    }
}

#[cfg(unix)]
fn identity(found: &fs::Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    FileIdentity(found.dev(), found.ino())
}

#[cfg(not(unix))]
fn identity(_found: &fs::Metadata) -> FileIdentity {
    // The system does not let an open file be removed.
    FileIdentity(0, 0)
}

/// Writes over the beginning of a file.
pub(crate) fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, 0);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_write(file, bytes, 0).map(|_| ());
}

/// What a mutex guards. What a thread that panicked has left there is whole: nothing is changed in halves.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits at most so long, as [`lock`] locks.
pub(crate) fn wait<'a, T>(
    condvar: &Condvar, guard: MutexGuard<'a, T>, limit: Duration,
) -> MutexGuard<'a, T> {
    condvar.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner).0
}
