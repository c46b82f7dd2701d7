//! Ledgers that lie in a folder, of any process: who writes there approves what waits in them.
//!
//! They are told by the files that each has beside it, and none is opened: a process that closes a file lets go of the locks that
//! SQLite has on it there.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::path::{DirListing, FileLookup, NameBudget, RawEntry};

/// The folder and the file that each ledger has beside it once it was opened for writing.
const OWNERS: &str = "-owners";
const LOCK: &str = "-lock";
/// The journal that none has.
const JOURNAL: &str = "-journal";
/// All that a ledger, and SQLite for it, makes beside it.
const BESIDE: [&str; 7] = ["-wal", "-shm", JOURNAL, LOCK, "-bell", OWNERS, "-new"];

/// How many names are looked at for one path, and the folders in which none are.
const MOST_BELOW: usize = 20_000;
const PASSED: &[&str] = &["node_modules", ".git"];

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

    /// Where a symlink leads: the folder, or that of the file.
    pub(super) fn add_target(&mut self, target: PathBuf, files: &dyn FileLookup) {
        self.0.extend(folder_at(target, files));
    }

    /// Looks at up to `left` names. What cannot be listed has none.
    pub(super) fn ledgers(self, mut left: NameBudget, files: &dyn FileLookup) -> PassedLedgers {
        let mut found = PassedLedgers::default();
        let mut folders = self.0;
        let mut inner = BTreeSet::new();
        for is_inner in [false, true] {
            for folder in &folders {
                // Behind a name that is no text nothing can be told to what hides it.
                let Some(dir) = folder.to_str() else { continue };
                let DirListing::Names(names) = left.list_raw(folder, files) else { continue };
                let ledgers = FolderLedgers::among(&names, dir, files);
                let is_there = |name: &String| names.iter().any(|it| it.name == name.as_str());
                let journals = ledgers.journals().filter(|name| !is_there(name));
                found.absent.extend(journals.map(|name| format!("{dir}/{name}")));
                for RawEntry { name, is_dir, is_link } in names {
                    let Some(text) = name.to_str() else { continue };
                    if ledgers.has(&name) {
                        found.hidden.push(format!("{dir}/{text}"));
                        continue;
                    }
                    let at = folder.join(text);
                    if is_inner {
                        continue;
                    }
                    let is_dotted = text.starts_with('.');
                    if is_dir && is_dotted {
                        inner.insert(at);
                    } else if is_link {
                        let target = real_of(&at, files);
                        let is_folder = target.as_deref().is_some_and(|it| is_folder(it, files));
                        let is_looked_at = is_dotted || !is_folder;
                        let target = target.filter(|_| is_looked_at);
                        inner.extend(target.and_then(|it| folder_at(it, files)));
                    }
                }
            }
            inner = inner.difference(&folders).cloned().collect();
            folders = std::mem::take(&mut inner);
        }
        found
    }
}

/// The other names that these files have in these folders, or below them; `None`: not all names there could be looked at.
///
/// A file with one name is not looked for: that is nearly every one.
pub(super) fn other_names(
    own: &[PathBuf], places: &[String], mut left: NameBudget, files: &dyn FileLookup,
) -> Option<Vec<PathBuf>> {
    let linked = own.iter().filter_map(|path| files.identity(path)).filter(|it| it.names > 1);
    let linked: BTreeSet<(u64, u64)> = linked.map(|it| it.numbers).collect();
    let mut open: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop().filter(|_| !linked.is_empty()) {
        let DirListing::Names(names) = left.list_raw(&folder, files) else { return None };
        for RawEntry { name, is_dir, is_link } in names {
            let path = folder.join(name);
            if is_dir {
                open.push(path);
            } else if !is_link
                && !own.contains(&path)
                && files.identity(&path).is_some_and(|it| linked.contains(&it.numbers))
            {
                found.push(path);
            }
        }
    }
    Some(found)
}

fn real_of(path: &Path, files: &dyn FileLookup) -> Option<PathBuf> {
    files.real(path.to_str()?).ok().map(PathBuf::from)
}

fn is_folder(path: &Path, files: &dyn FileLookup) -> bool {
    path.to_str().is_some_and(|path| files.has(&format!("{path}/.")) == Ok(true))
}

/// The folder there, or the one in which the file is; `None`: nothing is there.
fn folder_at(path: PathBuf, files: &dyn FileLookup) -> Option<PathBuf> {
    if is_folder(&path, files) {
        return Some(path);
    }
    let is_there = path.to_str().is_some_and(|path| files.has(path) == Ok(true));
    is_there.then(|| path.parent().map(Path::to_owned)).flatten()
}

/// Whether this path is a ledger, or what one has beside it, or below that.
pub(super) fn is_ledger(path: &str, files: &dyn FileLookup) -> bool {
    let has = |path: &str| files.has(path) == Ok(true);
    let is_folder = |path: &str| has(&format!("{path}/."));
    let is_file = |path: &str| has(path) && !is_folder(path);
    let is_one = |base: &str| {
        is_folder(&format!("{base}{OWNERS}")) && is_file(&format!("{base}{LOCK}")) && is_file(base)
    };
    let is_named = |base: &&str| !base.is_empty() && !base.ends_with('/');
    let bases = BESIDE.iter().filter_map(|end| path.strip_suffix(end));
    let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let owned = above.filter_map(|folder| folder.strip_suffix(OWNERS));
    std::iter::once(path).chain(bases).chain(owned).filter(is_named).any(is_one)
}

/// The ledgers in these folders and below them, but for what lies in packages and in git, among the first names there.
pub(super) fn ledgers_below<'a>(
    folders: impl IntoIterator<Item = &'a str>, files: &dyn FileLookup,
) -> Vec<String> {
    let mut left = NameBudget::new(MOST_BELOW);
    let mut seen = BTreeSet::new();
    let mut open: VecDeque<String> = folders.into_iter().map(str::to_owned).collect();
    let mut found = Vec::new();
    while let Some(dir) = open.pop_front() {
        if !seen.insert(dir.clone()) {
            continue;
        }
        let DirListing::Names(names) = left.list(&dir, files) else { continue };
        let entries: Vec<RawEntry> = names.into_iter().map(RawEntry::from).collect();
        let ledgers = FolderLedgers::among(&entries, &dir, files);
        found.extend(ledgers.0.iter().filter_map(|name| Some(format!("{dir}/{}", name.to_str()?))));
        let inner = entries.iter().filter(|entry| entry.is_dir && !entry.is_link);
        let inner = inner.filter_map(|entry| entry.name.to_str());
        let inner = inner.filter(|name| !PASSED.contains(name));
        open.extend(inner.map(|name| format!("{dir}/{name}")));
    }
    found
}
