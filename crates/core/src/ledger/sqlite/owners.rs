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
pub(crate) struct OwnerFile {
    id: OwnerId,
    directory: PathBuf,
    /// `None`: we only read, and own nothing.
    file: Option<File>,
}

impl OwnerFile {
    /// One more owner. The caller holds the gate, so its file is locked before others see it, and this is when the files of the
    /// dead are cleared away.
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

impl Drop for OwnerFile {
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

/// Whether no process has this ledger open. If that is unknown, one counts as having it open.
pub(super) fn none_lives(ledger: &Path) -> bool {
    let mut owners = ledger.as_os_str().to_owned();
    owners.push("-owners");
    let Ok(entries) = fs::read_dir(owners) else { return false };
    entries.flatten().all(|entry| matches!(is_locked(&entry.path()), Ok(false)))
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{OwnerFile, OwnerId};

    #[test]
    fn an_owner_lives_until_it_is_dropped_and_its_file_no_longer() {
        let directory =
            std::env::temp_dir().join(format!("countersign-owners-{}", uuid::Uuid::now_v7()));
        let (one, two) = (
            OwnerFile::register(directory.clone()).unwrap(),
            OwnerFile::register(directory.clone()).unwrap(),
        );
        let reader = OwnerFile::reader(directory.clone());
        for who in [&one, &two, &reader] {
            assert_eq!([one.id(), two.id()].map(|id| who.is_alive(id)), [Ok(true), Ok(true)]);
        }
        let gone = one.id();
        drop(one);
        assert_eq!(two.is_alive(gone), Ok(false));

        // A killed one leaves its file, and somebody else has left another file.
        let killed = OwnerId::new();
        fs::write(directory.join(killed.to_string()), "").unwrap();
        fs::write(directory.join("notes"), "").unwrap();
        assert_eq!(two.is_alive(killed), Ok(false));
        fs::write(directory.join(killed.to_string()), "").unwrap();
        let three = OwnerFile::register(directory.clone()).unwrap();
        let mut left: Vec<_> = fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [two.id().to_string(), three.id().to_string(), "notes".to_owned()]);
        let text = killed.to_string();
        assert_eq!(text.parse(), Ok(killed));
        assert_eq!(OwnerId::from_bytes(*killed.as_bytes()), killed);
        drop((two, three));
        fs::remove_dir_all(directory).unwrap();
    }
}
