//! Who has the ledger open: each a file, locked for as long as it lives. When its process dies, however it dies, the system
//! lets go of the lock.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use uuid::Uuid;

use super::fault::of_io;
use super::place;
use crate::ledger::LedgerError;

/// One opening of a ledger, by one process. Never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(Uuid);

impl OwnerId {
    fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Its bytes, to be kept in a row.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The owner of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for OwnerId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::from_str(text).map(Self)
    }
}

/// Our own file among the owners'.
#[derive(Debug)]
pub(crate) struct Owner {
    id: OwnerId,
    directory: PathBuf,
    /// `None`: we only read, and own nothing.
    file: Option<File>,
}

impl Owner {
    /// One more owner. The caller holds the gate, so nobody sees its file before it is locked, and this is when the files of
    /// the dead are cleared away.
    pub(crate) fn register(directory: PathBuf) -> Result<Self, LedgerError> {
        place::private_directory(&directory)?;
        sweep(&directory);
        let id = OwnerId::new();
        let path = directory.join(id.to_string());
        let file = place::private_file(&path)?;
        file.lock().map_err(|error| of_io("lock", &path, &error))?;
        Ok(Self { id, directory, file: Some(file) })
    }

    /// Somebody who only reads.
    pub(crate) fn reader(directory: PathBuf) -> Self {
        Self { id: OwnerId::new(), directory, file: None }
    }

    pub(crate) fn id(&self) -> OwnerId {
        self.id
    }

    /// Whether an owner, of any process, still has the ledger open.
    pub(crate) fn is_alive(&self, owner: OwnerId) -> Result<bool, LedgerError> {
        if owner == self.id {
            return Ok(true);
        }
        let path = self.directory.join(owner.to_string());
        is_locked(&path).map_err(|error| of_io("look at", &path, &error))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(self.directory.join(self.id.to_string()));
        }
    }
}

/// Whether somebody holds the lock of the file. A shared lock asks: two who ask at once do not take each other for the owner.
fn is_locked(path: &Path) -> io::Result<bool> {
    let file = match place::existing_file(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => {
            // The id is never used again, so its file is of no use to anybody.
            let _ = fs::remove_file(path);
            Ok(false)
        }
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files of the dead. What cannot be looked at stays: it is somebody else's.
fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let known = entry.file_name().to_str().is_some_and(|name| OwnerId::from_str(name).is_ok());
        if known {
            let _ = is_locked(&entry.path());
        }
    }
}
