//! Locks on the file that no other copy of SQLite in this process can take away.
//!
//! A copy that some other package brings does not see the locks of ours: the system keeps them per process, does not hold
//! them against the process itself, and drops all of them when anybody in it closes the file. So when that copy closes the
//! file, it takes itself for the last one who has it open, moves the log to the file and removes the log, to which ours goes
//! on writing: what is acknowledged from then on is lost. And when it opens the file, it takes the index of the log
//! (`-shm`) for one that was left behind, and cuts it off under those who have it in memory.
//!
//! Locks of an open file description count against everybody, and end with that description only. We hold two for reading,
//! where SQLite takes its own: on the file, so that no other copy can be the last one, and on its index, so that it is in use.
//!
//! Systems without such locks do without: there a removed log is noticed before anything written to it is acknowledged.

use std::fs::File;
use std::sync::{Arc, Mutex, Weak};

use super::place::{self, FileIdentity, LedgerFiles};
use crate::ledger::LedgerError;

/// The locks, held until the last who shares them drops them. Must be dropped after all connections: closing our own files
/// lets go of the locks of SQLite as well.
#[derive(Debug)]
pub(crate) struct LockAnchor {
    _held: [File; 2],
}

/// Which files are locked: the ledger's and its index.
type FileIdentities = [Option<FileIdentity>; 2];

/// Those of this process. Two for the same file share one.
static ANCHORS: Mutex<Vec<(FileIdentities, Weak<LockAnchor>)>> = Mutex::new(Vec::new());

impl LockAnchor {
    /// Holds the locks of a ledger that is open for writing.
    pub(crate) fn hold(place: &LedgerFiles) -> Result<Arc<Self>, LedgerError> {
        let paths = [place.file().to_owned(), place.beside("-shm")];
        let key = [place.identity(), place.identity_beside("-shm")];
        let mut anchors = place::lock(&ANCHORS);
        anchors.retain(|(_, anchor)| anchor.strong_count() > 0);
        let known = anchors.iter().find(|(other, _)| *other == key);
        if let Some(anchor) = known.and_then(|(_, anchor)| anchor.upgrade()) {
            return Ok(anchor);
        }
        let held = |at: usize, from: i64, length: i64| {
            let path = paths.get(at).map_or(place.file(), |path| path.as_path());
            let locked = place::existing_file(path)
                .and_then(|file| lock_shared(&file, from, length).map(|()| file));
            locked.map_err(|error| super::fault::of_io("lock", path, &error))
        };
        let (file, index) = (held(0, SHARED_FIRST, SHARED_SIZE)?, held(1, IN_USE, 1)?);
        let anchor = Arc::new(Self { _held: [file, index] });
        anchors.push((key, Arc::downgrade(&anchor)));
        Ok(anchor)
    }
}

/// Where SQLite's locks for reading lie in a file (`SHARED_FIRST`, `SHARED_SIZE` in `os.h`): part of its format.
const SHARED_FIRST: i64 = 0x4000_0002;
const SHARED_SIZE: i64 = 510;

/// The byte of the index that is locked for reading while anybody uses it (`UNIX_SHM_DMS` in `os_unix.c`).
const IN_USE: i64 = 128;

#[cfg(any(target_os = "linux", target_os = "android"))]
fn lock_shared(file: &File, from: i64, length: i64) -> std::io::Result<()> {
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc::{F_RDLCK, SEEK_SET, flock, off_t};
    let narrow = |value: i32| i16::try_from(value).unwrap_or_default();
    let wanted = flock {
        l_type: narrow(F_RDLCK),
        l_whence: narrow(SEEK_SET),
        l_start: off_t::from(from),
        l_len: off_t::from(length),
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&wanted))?;
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn lock_shared(_file: &File, _from: i64, _length: i64) -> std::io::Result<()> {
    Ok(())
}
