//! Ledgers that lie in a folder, of any process: who writes there approves what waits in them.
//!
//! They are told by the files that each has beside it, and none is opened: a process that closes a file lets go of the locks that
//! SQLite has on it there.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};

use crate::path::{FileLookup, RawEntry};

/// The folder and the file that each ledger has beside it once it was opened for writing.
const OWNERS: &str = "-owners";
const LOCK: &str = "-lock";
/// The journal that none has.
const JOURNAL: &str = "-journal";

/// The ledgers among the names of one folder.
#[derive(Debug, Default)]
pub(super) struct FolderLedgers(Vec<OsString>);

impl FolderLedgers {
    pub(super) fn among(entries: &[RawEntry]) -> Self {
        let owned = |entry: &RawEntry| {
            let name = entry.name.as_encoded_bytes().strip_suffix(OWNERS.as_bytes())?;
            (entry.is_dir && !name.is_empty()).then(|| name.to_owned())
        };
        let mut owned = entries.iter().filter_map(owned).peekable();
        if owned.peek().is_none() {
            return Self::default();
        }
        let names: HashSet<&[u8]> =
            entries.iter().map(|entry| entry.name.as_encoded_bytes()).collect();
        let is_ledger = |name: &Vec<u8>| {
            names.contains(name.as_slice())
                && names.contains([name.as_slice(), LOCK.as_bytes()].concat().as_slice())
        };
        let bases = owned.filter(is_ledger);
        let named = |base: Vec<u8>| {
            let entry = entries.iter().find(|entry| entry.name.as_encoded_bytes() == base);
            entry.map(|entry| entry.name.clone())
        };
        Self(bases.filter_map(named).collect())
    }

    /// Whether this is one of them, or lies beside one and is called like it.
    pub(super) fn has(&self, name: &OsStr) -> bool {
        self.0.iter().any(|base| {
            let rest = name.as_encoded_bytes().strip_prefix(base.as_encoded_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
        })
    }

    /// The journals that are not to be made: SQLite would play one.
    pub(super) fn journals(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().filter_map(|base| Some(format!("{}{JOURNAL}", base.to_str()?)))
    }
}

/// Whether this path is a ledger, or a file beside one.
pub(super) fn is_ledger(path: &str, files: &dyn FileLookup) -> bool {
    let has = |path: String| files.has(&path) == Ok(true);
    let is_one = |base: &str| {
        has(format!("{base}{OWNERS}/.")) && has(format!("{base}{LOCK}")) && has(base.to_owned())
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name.is_empty() {
        return false;
    }
    let beside = name.rsplit_once('-').map(|(base, _)| format!("{folder}/{base}"));
    is_one(path) || beside.is_some_and(|base| is_one(&base))
}
