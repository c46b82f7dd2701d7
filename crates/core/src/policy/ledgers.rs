//! Ledgers that lie in a folder, of any process: who writes there approves what waits in them.
//!
//! They are told by the files that each has beside it, and none is opened: a process that closes a file lets go of the locks that
//! SQLite has on it there.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::path::{DirListing, FileLookup, RawEntry};

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
    /// The folder is called `dir`.
    pub(super) fn among(entries: &[RawEntry], dir: &str, files: &dyn FileLookup) -> Self {
        let leads_to_folder = |entry: &RawEntry| {
            let name = entry.name.to_str();
            name.is_some_and(|name| files.has(&format!("{dir}/{name}/.")) == Ok(true))
        };
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

/// Folders that are not looked through: ledgers in them, and in their folders with a dot, are looked for all the same.
#[derive(Debug, Default)]
pub(super) struct PassedFolders(BTreeSet<PathBuf>);

/// What is found in such folders. Paths are absolute.
#[derive(Debug, Default)]
pub(super) struct PassedLedgers {
    /// Ledgers, and what they have beside them.
    pub(super) hidden: Vec<String>,
    /// The journals that are not to be made.
    pub(super) absent: Vec<String>,
}

impl PassedFolders {
    pub(super) fn add(&mut self, place: PathBuf) {
        self.0.insert(place);
    }

    /// Looks at up to `left` names. What cannot be listed has none.
    pub(super) fn ledgers(self, mut left: usize, files: &dyn FileLookup) -> PassedLedgers {
        let mut found = PassedLedgers::default();
        let mut folders = self.0;
        let mut inner = BTreeSet::new();
        for is_inner in [false, true] {
            for folder in &folders {
                // Behind a name that is no text nothing can be told to what hides it.
                let Some(dir) = folder.to_str() else { continue };
                let DirListing::Names(names) = files.list_raw(folder, left) else { continue };
                left = left.saturating_sub(names.len());
                let ledgers = FolderLedgers::among(&names, dir, files);
                let is_there = |name: &String| names.iter().any(|it| it.name == name.as_str());
                let journals = ledgers.journals().filter(|name| !is_there(name));
                found.absent.extend(journals.map(|name| format!("{dir}/{name}")));
                for RawEntry { name, is_dir, .. } in names {
                    let Some(text) = name.to_str() else { continue };
                    if ledgers.has(&name) {
                        found.hidden.push(format!("{dir}/{text}"));
                    } else if is_dir && !is_inner && text.starts_with('.') {
                        inner.insert(folder.join(text));
                    }
                }
            }
            inner = inner.difference(&folders).cloned().collect();
            folders = std::mem::take(&mut inner);
        }
        found
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
