//! The names in git's index: the files that git knows. Only of these it shows the contents.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::known::KnownFiles;
use crate::call::hex;
use crate::path::{DirListing, FileLookup, PathError, is_below};
use crate::policy::reading::repository;
use crate::shell::{FileAccess, is_formatter};

/// The largest index that is read, in bytes.
const MOST_BYTES: usize = 1 << 26;

/// The largest file that is compared with what git has of it, in bytes.
const MOST_CONTENT: usize = 1 << 24;

/// What git knows of the files below a folder.
pub(super) struct TrackedFiles {
    /// Those that its index names, where it names any.
    pub(super) files: Option<TrackedBelow>,
    /// Whether these are all. Its commits may hold others that nothing names.
    pub(super) complete: bool,
    /// Whether what lies there has to be looked at besides: no index tells of it.
    pub(super) in_folders: bool,
}

impl TrackedFiles {
    const UNKNOWN: Self = Self { files: None, complete: false, in_folders: false };
    const IN_FOLDERS: Self = Self { files: None, complete: true, in_folders: true };
}

/// What git knows below this folder.
pub(super) fn below(root: &str, known: &KnownNames, files: &dyn FileLookup) -> TrackedFiles {
    let (top, git) = match repository::work_tree(root, files) {
        Ok(Some(found)) => found,
        Ok(None) => return TrackedFiles::IN_FOLDERS,
        Err(_) => return TrackedFiles::UNKNOWN,
    };
    if files.has(&format!("{git}/index")) == Ok(false) {
        // Without commits there is nothing to show.
        let complete = repository::is_unborn(&git, files);
        return TrackedFiles { complete, ..TrackedFiles::UNKNOWN };
    }
    let Some(names) = known.of(&git, files) else {
        return TrackedFiles { in_folders: true, ..TrackedFiles::UNKNOWN };
    };
    // A folder stands for all that is in it, which nothing names.
    let complete = names.folders.iter().all(|name| {
        let folder = format!("{top}/{name}");
        let folder = folder.trim_end_matches('/');
        !is_below(folder, root) && !is_below(root, folder)
    });
    let files = Some(TrackedBelow { top, root: root.to_owned(), names });
    TrackedFiles { files, complete, in_folders: false }
}

/// Whether git has this file: an index names it.
pub(super) fn is_kept(path: &str, known: &KnownNames, files: &dyn FileLookup) -> bool {
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let Ok(Some((top, git))) = repository::work_tree(folder, files) else { return false };
    let name = path.strip_prefix(&top).map(|name| name.trim_start_matches('/'));
    let names = known.of(&git, files);
    name.zip(names).is_some_and(|(name, names)| names.all().any(|kept| kept == name))
}

/// Whether the program that is called so, by its name alone, is known to write the files that its operands name, and no others beside them: a database has
/// a log, an archive a backup.
pub(super) fn writes_operands_alone(program: &str) -> bool {
    const PROGRAMS: &[&str] = &["cp", "mv", "rm", "sed", "tee", "truncate", "unlink"];
    PROGRAMS.contains(&program)
}

/// Whether the program of this name writes into files or nothing at all, and puts no folder in the place of one.
pub(super) fn edits_files(program: &str) -> bool {
    const OTHERS: &[&str] = &[
        "cat", "echo", "grep", "head", "mypy", "sed", "tail", "tee", "time", "timeout", "true",
        "truncate", "wc",
    ];
    is_formatter(program) || OTHERS.contains(&program)
}

/// Whether git can give this file back as it is: its index has just this content, and its store has that. A file that git
/// changes as it takes it in (other line ends, a filter such as that of Git LFS) counts as one that it cannot give back.
pub(super) fn gives_back(path: &str, files: &dyn FileLookup) -> bool {
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let Ok(Some((top, git))) = repository::work_tree(folder, files) else { return false };
    let name = path.strip_prefix(&top).map(|name| name.trim_start_matches('/'));
    let index = files.bytes(&format!("{git}/index"), MOST_BYTES);
    let (Some(name), Some(index)) = (name, index) else { return false };
    let object = [SHA1, SHA256].into_iter().find_map(|hash| {
        let (entries, sum) = index.split_at_checked(index.len().checked_sub(hash)?)?;
        // One without a checksum, or with a wrong one, may be damaged.
        (digest(&[entries], hash) == sum).then_some(())?;
        let mut object = None;
        let base = read(&index, hash, |entry| {
            if entry.name == name.as_bytes() && entry.has_content() {
                object = Some(entry.object.to_vec());
            }
        })?;
        // An entry may be replaced by one without a name, in an index that rests on another.
        object.filter(|_| base.is_none())
    });
    let content = files.bytes(path, MOST_CONTENT);
    object.zip(content).is_some_and(|(object, content)| {
        let header = format!("blob {}\0", content.len());
        object == digest(&[header.as_bytes(), &content], object.len())
            && has_object(&git, &object, files)
    })
}

/// The hash of these bytes, one after the other, in a repository with names of this length.
fn digest(parts: &[&[u8]], length: usize) -> Vec<u8> {
    fn of<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
        parts.iter().fold(D::new(), D::chain_update).finalize().to_vec()
    }
    if length == SHA1 { of::<Sha1>(parts) } else { of::<Sha256>(parts) }
}

/// Whether the store of a repository has this object: in a file of its own, or in a pack. Stores of others that it borrows
/// from may go, and do not count.
fn has_object(git: &str, object: &[u8], files: &dyn FileLookup) -> bool {
    const MOST_PACKS: usize = 256;
    let common = files.text(&format!("{git}/commondir"), 4096);
    let store = match common.as_deref().map(str::trim_end) {
        None => format!("{git}/objects"),
        Some(common) if common.starts_with('/') => format!("{common}/objects"),
        Some(common) => format!("{git}/{common}/objects"),
    };
    let name = hex(object);
    let Some((folder, file)) = name.split_at_checked(2) else { return false };
    if let Some(loose) = files.bytes(&format!("{store}/{folder}/{file}"), MOST_CONTENT) {
        return !loose.is_empty();
    }
    let packs = format!("{store}/pack");
    let DirListing::Names(names) = files.list(&packs, MOST_PACKS) else { return false };
    names.iter().filter_map(|entry| entry.name.strip_suffix(".idx")).any(|pack| {
        files.has(&format!("{packs}/{pack}.pack")) == Ok(true)
            && files
                .bytes(&format!("{packs}/{pack}.idx"), MOST_BYTES)
                .is_some_and(|index| pack_names(&index, object) == Some(true))
    })
}

/// Whether the index of a pack names this object. `None`: it is no index of version 2.
fn pack_names(index: &[u8], object: &[u8]) -> Option<bool> {
    const HEADER: &[u8] = b"\xfftOc\0\0\0\x02";
    const TABLE: usize = HEADER.len();
    let word = |at: usize| -> Option<usize> {
        usize::try_from(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?)).ok()
    };
    index.starts_with(HEADER).then_some(())?;
    // How many names begin with no more than each byte, and then the names, in order.
    let first = usize::from(*object.first()?);
    let from = if first == 0 { 0 } else { word(TABLE + (first - 1) * 4)? };
    let to = word(TABLE + first * 4)?;
    let names = TABLE + 256 * 4;
    let length = object.len();
    let found = index.get(names + from.checked_mul(length)?..names + to.checked_mul(length)?)?;
    Some(found.chunks_exact(length).any(|name| name == object))
}

/// The files of an index that lie below a folder.
#[derive(Debug)]
pub(super) struct TrackedBelow {
    /// The top of the work tree, from which the index names them.
    top: String,
    root: String,
    names: Arc<TrackedNames>,
}

impl TrackedBelow {
    /// Their paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        self.names.all().filter_map(|name| self.path(name))
    }

    /// The paths of those that may be meant by their names alone. Each name is tried once, until the index changes.
    pub(super) fn suspects(&self, suspicion: &NameSuspicion<'_>) -> Vec<String> {
        let spans = self.names.suspects(&self.top, suspicion);
        spans.iter().filter_map(|span| self.path(self.names.files.get(span.clone())?)).collect()
    }

    fn path(&self, name: &str) -> Option<String> {
        let path = format!("{}/{name}", self.top);
        is_below(&path, &self.root).then_some(path)
    }
}

/// What may be meant by the name of a file.
pub(crate) struct NameSuspicion<'a> {
    /// All that the answer depends on besides the path.
    pub(crate) depends_on: SuspicionKey,
    /// Whether this path may be meant.
    pub(crate) may_mean: &'a dyn Fn(&str) -> bool,
}

/// The access, and the folders; a path may lie in one of them.
pub(crate) type SuspicionKey = (FileAccess, Vec<String>);

/// The names in the indexes of git, read again only where an index has changed: each verdict about what git shows asks for them.
#[derive(Debug, Default)]
pub(crate) struct KnownNames {
    /// By the path of an index. A large one takes some megabytes.
    seen: KnownFiles<TrackedNames, 4>,
}

impl KnownNames {
    fn of(&self, git: &str, files: &dyn FileLookup) -> Option<Arc<TrackedNames>> {
        self.seen.of(&format!("{git}/index"), files, || TrackedNames::read(git, files))
    }
}

/// The names in an index.
#[derive(Debug, Default)]
struct TrackedNames {
    /// Those of files and of repositories, each with a zero at its end.
    files: String,
    /// Those of folders.
    folders: Vec<String>,
    suspects: Mutex<Option<KnownSuspects>>,
}

/// Those that may be meant, of the names of an index.
#[derive(Debug)]
struct KnownSuspects {
    top: String,
    depends_on: SuspicionKey,
    spans: Arc<[Range<usize>]>,
}

impl TrackedNames {
    fn read(git: &str, files: &dyn FileLookup) -> Option<Arc<Self>> {
        let mut names = Self::default();
        for (kind, name) in kept(git, files, |kind, name| Some((kind, text(name))))? {
            if kind == FOLDER {
                names.folders.push(name);
            } else {
                names.files.push_str(&name);
                names.files.push('\0');
            }
        }
        Some(Arc::new(names))
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.files.split_terminator('\0')
    }

    /// Where those names stand that may be meant.
    fn suspects(&self, top: &str, suspicion: &NameSuspicion<'_>) -> Arc<[Range<usize>]> {
        let known = || self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |known: &&KnownSuspects| known.top == top && known.depends_on == suspicion.depends_on;
        if let Some(known) = known().as_ref().filter(is_same) {
            return Arc::clone(&known.spans);
        }
        let mut path = format!("{top}/");
        let (beginning, mut at) = (path.len(), 0);
        let mut spans = Vec::new();
        for name in self.all() {
            path.truncate(beginning);
            path.push_str(name);
            if (suspicion.may_mean)(&path) {
                spans.push(at..at + name.len());
            }
            at += name.len() + 1;
        }
        let spans: Arc<[Range<usize>]> = spans.into();
        let depends_on = suspicion.depends_on.clone();
        *known() =
            Some(KnownSuspects { top: top.to_owned(), depends_on, spans: Arc::clone(&spans) });
        spans
    }
}

/// The folders of the repositories in the indexes of others, read again only where an index has changed: each verdict about
/// git asks for them.
#[derive(Debug, Default)]
pub(crate) struct NestedFolders {
    /// By the path of an index, from the latest look at it.
    seen: KnownFiles<[NestedFolder]>,
}

/// A folder in an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NestedFolder {
    /// Its path in the work tree.
    pub(crate) name: String,
    /// Whether it is a repository. Else it stands for all that is in it, which may be some.
    pub(crate) is_repository: bool,
}

impl NestedFolders {
    /// Those in the index of this repository, from the top of its work tree. `None`: that cannot be told.
    ///
    /// # Errors
    /// When files cannot be looked at.
    pub(crate) fn of(
        &self, git: &str, files: &dyn FileLookup,
    ) -> Result<Option<Arc<[NestedFolder]>>, PathError> {
        let index = format!("{git}/index");
        if !files.has(&index)? {
            return Ok(Some(Arc::default()));
        }
        // One whose name is no text could not be looked at.
        let folder = |kind, name: &[u8]| {
            let is_repository = kind == REPOSITORY;
            (is_repository || kind == FOLDER).then(|| {
                let name = str::from_utf8(name).ok()?.trim_end_matches('/').to_owned();
                Some(NestedFolder { name, is_repository })
            })
        };
        Ok(self.seen.of(&index, files, || {
            let folders: Option<Vec<_>> = kept(git, files, folder)?.into_iter().collect();
            folders.map(Arc::from)
        }))
    }
}

/// The lengths of the names that git gives, in bytes.
const SHA1: usize = 20;
const SHA256: usize = 32;

/// An entry of an index.
struct IndexEntry<'a> {
    kind: u32,
    name: &'a [u8],
    /// What git calls the content.
    object: &'a [u8],
    flags: u16,
    more_flags: u16,
}

impl IndexEntry<'_> {
    /// Whether it is a file, in no conflict, whose content git has: one that it only means to take in has none yet.
    fn has_content(&self) -> bool {
        const FILE: u32 = 0o100_000;
        const CONFLICT: u16 = 0x3000;
        const INTENT_TO_ADD: u16 = 0x2000;
        self.kind == FILE && self.flags & CONFLICT == 0 && self.more_flags & INTENT_TO_ADD == 0
    }
}

/// The kinds of an entry: a folder, which stands for all that is in it, and a repository.
const FOLDER: u32 = 0o040_000;
const REPOSITORY: u32 = 0o160_000;

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// What is made of the entries of a repository's index, by kind and name. `None` for an unreadable one.
fn kept<T>(
    git: &str, files: &dyn FileLookup, make: impl Fn(u32, &[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let index = files.bytes(&format!("{git}/index"), MOST_BYTES)?;
    [SHA1, SHA256].into_iter().find_map(|hash| {
        let mut made = Vec::new();
        let base = read(&index, hash, |entry| made.extend(make(entry.kind, entry.name)))?;
        if let Some(base) = base {
            // Entries that replace one of those there have no name of their own.
            let shared = files.bytes(&format!("{git}/sharedindex.{base}"), MOST_BYTES)?;
            let further = read(&shared, hash, |entry| made.extend(make(entry.kind, entry.name)))?;
            further.is_none().then_some(())?;
        }
        Some(made)
    })
}

/// Calls back with each entry that has a name. The answer is the name of another index that holds more of them.
fn read(
    index: &[u8], hash: usize, mut entry: impl FnMut(&IndexEntry<'_>),
) -> Option<Option<String>> {
    const KIND: u32 = 0o170_000;
    const EXTENDED: u16 = 0x4000;
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?))
    };
    let version = word(4)?;
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let end = index.len().checked_sub(hash)?;
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    let mut nameless = None;
    for _ in 0..word(8)? {
        let start = at;
        let kind = word(start + 24)? & KIND;
        let flags = start + 40 + hash;
        let object = index.get(start + 40..flags)?;
        let flags_at = |at: usize| -> Option<u16> {
            Some(u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?))
        };
        let flag_bits = flags_at(flags)?;
        let extended = flag_bits & EXTENDED != 0;
        let more_flags = if extended { flags_at(flags + 2)? } else { 0 };
        at = flags + if extended { 4 } else { 2 };
        let mut same = 0;
        if version == 4 {
            let (dropped, next) = number(index, at)?;
            same = name.len().checked_sub(dropped)?;
            at = next;
        }
        let end_of_name = CStr::from_bytes_until_nul(index.get(at..end)?).ok()?.to_bytes();
        name.truncate(same);
        name.extend_from_slice(end_of_name);
        if name.is_empty() {
            nameless = nameless.max(Some(kind));
        } else {
            entry(&IndexEntry { kind, name: &name, object, flags: flag_bits, more_flags });
        }
        at += end_of_name.len() + 1;
        if version != 4 {
            // Entries fill up eights of bytes, and end with a zero at least.
            at = start + (at - start).div_ceil(8) * 8;
        }
    }
    let mut base = None;
    while at < end {
        let name = index.get(at..at + 4)?;
        let from = at + 8;
        at = from.checked_add(usize::try_from(word(at + 4)?).ok()?)?;
        match name {
            b"link" => base = Some(index.get(from..at)?.get(..hash)?),
            // Its folders are entries.
            b"sdir" => {}
            // Who does not know one of the others need not.
            name => name.first().filter(|first| first.is_ascii_uppercase()).map(|_| ())?,
        }
    }
    // Of a nameless one it is not known which it replaces.
    let replaces =
        nameless.is_none_or(|kind| base.is_some() && kind < REPOSITORY && kind != FOLDER);
    if at != end || !replaces {
        return None;
    }
    Some(base.filter(|base| base.iter().any(|byte| *byte != 0)).map(hex))
}

/// A number in as many bytes as it takes, and where it ends.
fn number(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 127);
    while byte & 128 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;
    use crate::path::DirStamp;

    /// An index that changes, and how often it was read.
    #[derive(Default)]
    struct ChangingIndex {
        stamp: Cell<Option<u64>>,
        names: Cell<&'static [&'static str]>,
        read: Cell<usize>,
    }

    impl FileLookup for ChangingIndex {
        fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
            Ok(None)
        }

        fn is_case_sensitive(&self, _path: &str) -> bool {
            true
        }

        fn has(&self, _path: &str) -> Result<bool, PathError> {
            Ok(true)
        }

        fn stamp(&self, _path: &str) -> Option<DirStamp> {
            self.stamp.get().map(DirStamp::numbered)
        }

        fn bytes(&self, _path: &str, _most: usize) -> Option<Vec<u8>> {
            self.read.set(self.read.get() + 1);
            Some(index(2, self.names.get(), None))
        }
    }

    #[test]
    fn an_index_is_read_again_where_it_may_have_changed_and_only_there() {
        let (files, folders) = (ChangingIndex::default(), NestedFolders::default());
        let look = |stamp: Option<u64>, names: &'static [&'static str]| {
            files.stamp.set(stamp);
            files.names.set(names);
            let folders = folders.of("/project/.git", &files).unwrap().unwrap();
            folders.iter().map(|folder| folder.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(look(Some(1), &["a", "nested-x"]), ["nested-x"]);
        assert_eq!(look(Some(1), &["a", "nested-x"]), ["nested-x"]);
        assert_eq!(files.read.get(), 1);
        assert_eq!(look(Some(2), &["nested-y"]), ["nested-y"]);
        assert_eq!(look(None, &["nested-z"]), ["nested-z"]);
        assert_eq!(look(None, &[]), [""; 0]);
        assert_eq!(files.read.get(), 4);
    }

    #[test]
    fn a_name_is_suspected_once_until_the_index_or_what_the_answer_depends_on_changes() {
        let (files, known, asked) = (ChangingIndex::default(), KnownNames::default(), Cell::new(0));
        let look = |stamp, names: &'static [&'static str], access| {
            files.stamp.set(stamp);
            files.names.set(names);
            asked.set(0);
            let may_mean = |path: &str| {
                asked.set(asked.get() + 1);
                path.ends_with(".env")
            };
            let suspicion = NameSuspicion {
                depends_on: (access, vec!["/project".to_owned()]),
                may_mean: &may_mean,
            };
            let tracked = below("/project", &known, &files).files.unwrap();
            (tracked.suspects(&suspicion), asked.get())
        };
        let (read, write) = (FileAccess::Read, FileAccess::Write);
        let env = || vec!["/project/b/.env".to_owned()];
        assert_eq!(look(Some(1), &["a", "b/.env"], read), (env(), 2));
        assert_eq!(look(Some(1), &["a", "b/.env"], read), (env(), 0));
        assert_eq!(look(Some(1), &["a", "b/.env"], write), (env(), 2));
        assert_eq!(look(Some(2), &["a"], write), (Vec::new(), 1));
        assert_eq!(look(None, &["b/.env"], write), (env(), 1));
    }

    /// A repository that has these files.
    struct GitFiles(HashMap<String, Vec<u8>>);

    impl FileLookup for GitFiles {
        fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
            Ok(None)
        }

        fn is_case_sensitive(&self, _path: &str) -> bool {
            true
        }

        fn has(&self, path: &str) -> Result<bool, PathError> {
            Ok(self.0.contains_key(path))
        }

        fn bytes(&self, path: &str, _most: usize) -> Option<Vec<u8>> {
            self.0.get(path).cloned()
        }
    }

    /// One in `/p` with this index, and one that this shares.
    fn repository(index: Vec<u8>, shared: Option<Vec<u8>>) -> GitFiles {
        let base = format!("/p/.git/sharedindex.{}", "07".repeat(20));
        let files = [("/p/.git/HEAD".to_owned(), Vec::new()), ("/p/.git/index".to_owned(), index)];
        GitFiles(files.into_iter().chain(shared.map(|shared| (base, shared))).collect())
    }

    /// What an index tells of the files below a folder, read for the first time.
    fn first_below(root: &str, files: &dyn FileLookup) -> TrackedFiles {
        below(root, &KnownNames::default(), files)
    }

    fn paths(known: &TrackedFiles) -> Vec<String> {
        known.files.iter().flat_map(TrackedBelow::paths).collect()
    }

    fn names(index: Vec<u8>) -> Option<Vec<String>> {
        kept("/p/.git", &repository(index, None), |_, name| Some(text(name)))
    }

    /// An index with these names. Those of repositories begin with `nested`, those of folders end with a `/`.
    fn index(version: u32, names: &[&str], extension: Option<&[u8; 4]>) -> Vec<u8> {
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        index_of(version, &names, extension)
    }

    fn index_of(version: u32, names: &[&[u8]], extension: Option<&[u8; 4]>) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut last: &[u8] = b"";
        for name in names {
            let start = bytes.len();
            bytes.extend([0; 24]);
            let kind = match name {
                name if name.starts_with(b"nested") => REPOSITORY,
                name if name.ends_with(b"/") => FOLDER,
                _ => 0o100_644,
            };
            bytes.extend(kind.to_be_bytes());
            bytes.extend([7; 32]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version == 4 {
                let same = last.iter().zip(*name).take_while(|(a, b)| a == b).count();
                bytes.push(u8::try_from(last.len() - same).unwrap());
                bytes.extend(&name[same..]);
                bytes.push(0);
            } else {
                bytes.extend(*name);
                bytes.push(0);
                while !(bytes.len() - start).is_multiple_of(8) {
                    bytes.push(0);
                }
            }
            last = name;
        }
        if let Some(extension) = extension {
            bytes.extend(extension);
            bytes.extend(23_u32.to_be_bytes());
            bytes.extend([7; 23]);
        }
        bytes.extend([9; 20]);
        bytes
    }

    #[test]
    fn each_version_of_an_index_tells_all_its_names() {
        let all = [".env", "a", "src/lib.rs", "src/longer-name.rs"];
        for version in [2, 3, 4] {
            for extension in [None, Some(b"TREE"), Some(b"sdir")] {
                assert_eq!(
                    names(index(version, &all, extension)).unwrap(),
                    all,
                    "version {version}"
                );
            }
        }
        assert_eq!(names(index(2, &[], None)).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn an_index_that_is_not_understood_tells_nothing() {
        for broken in [
            index(2, &["a"], Some(b"link")),
            index(2, &["a"], Some(b"more")),
            index(2, &["a", ""], None),
            index(5, &["a"], None),
            index(2, &["a"], None)[..40].to_vec(),
            Vec::new(),
        ] {
            assert_eq!(names(broken.clone()), None);
            let known = first_below("/p", &repository(broken, None));
            assert!(known.in_folders && !known.complete);
        }
    }

    #[test]
    fn an_index_that_is_split_is_read_with_the_one_that_it_shares() {
        for version in [2, 4] {
            let own = index(version, &["", "b"], Some(b"link"));
            let shared = index(version, &["a", "nested-x"], None);
            let files = repository(own.clone(), Some(shared));
            let known = first_below("/p", &files);
            assert_eq!(paths(&known), ["/p/b", "/p/a", "/p/nested-x"]);
            assert!(known.complete && !known.in_folders);
            let folders = NestedFolders::default().of("/p/.git", &files).unwrap().unwrap();
            assert_eq!(folders.len(), 1);
            for shared in [None, Some(index(2, &["a"], Some(b"link")))] {
                assert!(!first_below("/p", &repository(own.clone(), shared)).complete);
            }
        }
    }

    #[test]
    fn a_folder_in_an_index_hides_what_is_in_it() {
        let files = repository(index(3, &["a", "ops/", "src/b"], Some(b"sdir")), None);
        for (root, complete) in [("/p", false), ("/p/ops", false), ("/p/ops/x", false)] {
            assert_eq!(first_below(root, &files).complete, complete, "{root}");
        }
        assert!(first_below("/p/src", &files).complete);
        let folders = NestedFolders::default().of("/p/.git", &files).unwrap().unwrap();
        let ops = NestedFolder { name: "ops".to_owned(), is_repository: false };
        assert_eq!(*folders, [ops]);
    }

    #[test]
    fn a_repository_whose_name_is_no_text_is_not_passed_over() {
        for version in [2, 4] {
            let of = |names: &[&[u8]]| {
                let files = repository(index_of(version, names, None), None);
                NestedFolders::default().of("/p/.git", &files).unwrap()
            };
            assert_eq!(of(&[b"a", b"nested\xe9"]), None);
            assert_eq!(of(&[b"caf\xe9"]).unwrap().len(), 0);
        }
    }
}
