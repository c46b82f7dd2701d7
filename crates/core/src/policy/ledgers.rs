//! Ledgers that lie in a folder, of any process: who writes there approves what waits in them.
//!
//! They are told by the files that each has beside it, and none is opened: a process that closes a file lets go of the locks that
//! SQLite has on it there.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use crate::path::{FileLookup, RawEntry};

/// The folder and the file that each ledger has beside it once it was opened for writing.
const OWNERS: &str = "-owners";
const LOCK: &str = "-lock";
/// The journal that none has.
const JOURNAL: &str = "-journal";
/// All that a ledger, and SQLite for it, makes beside it.
const BESIDE: [&str; 7] = ["-wal", "-shm", JOURNAL, LOCK, "-bell", OWNERS, "-new"];

/// The ledgers among the names of one folder.
#[derive(Debug, Default)]
pub(super) struct FolderLedgers(Vec<OsString>);

impl FolderLedgers {
    /// `leads_to_folder` is asked about symlinks.
    pub(super) fn among(entries: &[RawEntry], leads_to_folder: &dyn Fn(&RawEntry) -> bool) -> Self {
        let owned = |entry: &RawEntry| {
            let name = entry.name.as_encoded_bytes().strip_suffix(OWNERS.as_bytes())?;
            (entry.is_dir && !name.is_empty()).then(|| name.to_owned())
        };
        let mut owned = entries.iter().filter_map(owned).peekable();
        if owned.peek().is_none() {
            return Self::default();
        }
        let names: HashMap<&[u8], &RawEntry> =
            entries.iter().map(|entry| (entry.name.as_encoded_bytes(), entry)).collect();
        let file = |name: &[u8]| {
            let found = names.get(name).copied();
            found.filter(|entry| !(entry.is_dir || entry.is_link && leads_to_folder(entry)))
        };
        let ledger = |base: Vec<u8>| {
            let lock = [base.as_slice(), LOCK.as_bytes()].concat();
            file(&lock).and(file(&base)).map(|entry| entry.name.clone())
        };
        Self(owned.filter_map(ledger).collect())
    }

    /// Whether this is one of them, or what one has beside it.
    pub(super) fn has(&self, name: &OsStr) -> bool {
        self.0.iter().any(|base| {
            let rest = name.as_encoded_bytes().strip_prefix(base.as_encoded_bytes());
            rest.is_some_and(|rest| {
                rest.is_empty() || BESIDE.iter().any(|end| end.as_bytes() == rest)
            })
        })
    }

    /// The journals that are not to be made: SQLite would play one.
    pub(super) fn journals(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().filter_map(|base| Some(format!("{}{JOURNAL}", base.to_str()?)))
    }
}

/// Whether this path is a ledger, or what one has beside it.
pub(super) fn is_ledger(path: &str, files: &dyn FileLookup) -> bool {
    let has = |path: &str| files.has(path) == Ok(true);
    let is_folder = |path: &str| has(&format!("{path}/."));
    let is_file = |path: &str| has(path) && !is_folder(path);
    let is_one = |base: &str| {
        is_folder(&format!("{base}{OWNERS}")) && is_file(&format!("{base}{LOCK}")) && is_file(base)
    };
    let is_named = |base: &&str| !base.is_empty() && !base.ends_with('/');
    let bases = BESIDE.iter().filter_map(|end| path.strip_suffix(end));
    std::iter::once(path).chain(bases).filter(is_named).any(is_one)
}
