//! The names in git's index: the files that git knows, of which alone it shows what is in them.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::path::{DirStamp, FileLookup, PathError};
use crate::policy::reading::repository;

/// The largest index that is read, in bytes.
const MOST_BYTES: usize = 1 << 26;

/// What git knows of the files below a folder.
pub(super) enum TrackedFiles {
    /// These paths.
    These(Vec<String>),
    /// What lies there, as far as that can be told.
    Files,
    /// Nothing is known of what it shows: its commits hold files, and no index tells their names.
    Unknown,
}

/// What git knows below this folder.
pub(super) fn below(root: &str, files: &dyn FileLookup) -> TrackedFiles {
    let Ok(Some((top, git))) = repository::work_tree(root, files) else {
        return TrackedFiles::Files;
    };
    let index = format!("{git}/index");
    if files.has(&index) == Ok(false) {
        // Without commits there is nothing to show.
        let unborn = repository::is_unborn(&git, files);
        return if unborn { TrackedFiles::These(Vec::new()) } else { TrackedFiles::Unknown };
    }
    let Some(names) = files.bytes(&index, MOST_BYTES).and_then(|index| names(&index)) else {
        return TrackedFiles::Files;
    };
    let paths = names.into_iter().map(|name| format!("{top}/{name}"));
    TrackedFiles::These(paths.filter(|path| crate::path::is_below(path, root)).collect())
}

/// The folders of the repositories in the indexes of others, read again only where an index has changed: each verdict about
/// git asks for them.
#[derive(Debug, Default)]
pub(crate) struct NestedFolders {
    /// By the path of an index, from the latest look at it.
    seen: Mutex<HashMap<String, SeenIndex>>,
}

#[derive(Debug)]
struct SeenIndex {
    stamp: DirStamp,
    folders: Arc<[String]>,
}

impl NestedFolders {
    /// How many indexes are kept.
    const MOST_KEPT: usize = 64;

    /// Those in the index of this repository, from the top of its work tree. `None`: that cannot be told.
    ///
    /// # Errors
    /// When files cannot be looked at.
    pub(crate) fn of(
        &self, git: &str, files: &dyn FileLookup,
    ) -> Result<Option<Arc<[String]>>, PathError> {
        let index = format!("{git}/index");
        if !files.has(&index)? {
            return Ok(Some(Arc::default()));
        }
        // Before the index is read: what changes meanwhile is noticed the next time.
        let stamp = files.stamp(&index);
        if let Some(seen) = self.seen().get(&index).filter(|seen| stamp == Some(seen.stamp)) {
            return Ok(Some(Arc::clone(&seen.folders)));
        }
        let folders = files
            .bytes(&index, MOST_BYTES)
            .and_then(|index| kept(&index, |kind, name| (kind == REPOSITORY).then(|| text(name))));
        let folders: Option<Arc<[String]>> = folders.map(Arc::from);
        if let (Some(stamp), Some(folders)) = (stamp, &folders) {
            let mut seen = self.seen();
            if seen.len() >= Self::MOST_KEPT {
                seen.clear();
            }
            seen.insert(index, SeenIndex { stamp, folders: Arc::clone(folders) });
        }
        Ok(folders)
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<String, SeenIndex>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kinds of an entry: a folder, which stands for all that is in it, and a repository.
const FOLDER: u32 = 0o040_000;
const REPOSITORY: u32 = 0o160_000;

/// All names in an index. `None` for one that is not understood, or does not hold all.
fn names(index: &[u8]) -> Option<Vec<String>> {
    kept(index, |_, name| Some(text(name)))
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// What is made of the entries of an index, by kind and name. `None` for one that is not understood, or does not hold all.
fn kept<T>(index: &[u8], make: impl Fn(u32, &[u8]) -> Option<T>) -> Option<Vec<T>> {
    // The length of a SHA-1, and of a SHA-256.
    [20, 32].into_iter().find_map(|hash| {
        let mut made = Vec::new();
        read(index, hash, |kind, name| made.extend(make(kind, name))).map(|()| made)
    })
}

/// Calls back with the kind and the name of each entry.
fn read(index: &[u8], hash: usize, mut entry: impl FnMut(u32, &[u8])) -> Option<()> {
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
    for _ in 0..word(8)? {
        let start = at;
        let kind = word(start + 24)? & KIND;
        if kind == FOLDER {
            return None;
        }
        let flags = start + 40 + hash;
        let flag_bits = u16::from_be_bytes(index.get(flags..flags + 2)?.try_into().ok()?);
        at = flags + if flag_bits & EXTENDED != 0 { 4 } else { 2 };
        let mut same = 0;
        if version == 4 {
            let (dropped, next) = number(index, at)?;
            same = name.len().checked_sub(dropped)?;
            at = next;
        }
        let end_of_name = CStr::from_bytes_until_nul(index.get(at..end)?).ok()?.to_bytes();
        if version == 4 {
            name.truncate(same);
            name.extend_from_slice(end_of_name);
            entry(kind, &name);
        } else {
            entry(kind, end_of_name);
        }
        at += end_of_name.len() + 1;
        if version != 4 {
            // Entries fill up eights of bytes, and end with a zero at least.
            at = start + (at - start).div_ceil(8) * 8;
        }
    }
    while at < end {
        // Others of its names are in another file, or are folders.
        if matches!(index.get(at..at + 4)?, b"link" | b"sdir") {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(word(at + 4)?).ok()?)?;
    }
    (at == end).then_some(())
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
    use std::path::PathBuf;

    use super::*;

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
            folders.of("/project/.git", &files).unwrap().unwrap().to_vec()
        };
        assert_eq!(look(Some(1), &["a", "nested-x"]), ["nested-x"]);
        assert_eq!(look(Some(1), &["a", "nested-x"]), ["nested-x"]);
        assert_eq!(files.read.get(), 1);
        assert_eq!(look(Some(2), &["nested-y"]), ["nested-y"]);
        assert_eq!(look(None, &["nested-z"]), ["nested-z"]);
        assert_eq!(look(None, &[]), [""; 0]);
        assert_eq!(files.read.get(), 4);
    }

    /// An index with these names, of which those of repositories begin with `nested`.
    fn index(version: u32, names: &[&str], extension: Option<&[u8; 4]>) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut last = "";
        for name in names {
            let start = bytes.len();
            bytes.extend([0; 24]);
            let kind = if name.starts_with("nested") { REPOSITORY } else { 0o100_644 };
            bytes.extend(kind.to_be_bytes());
            bytes.extend([7; 32]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version == 4 {
                let same = last.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
                bytes.push(u8::try_from(last.len() - same).unwrap());
                bytes.extend(&name.as_bytes()[same..]);
                bytes.push(0);
            } else {
                bytes.extend(name.as_bytes());
                bytes.push(0);
                while !(bytes.len() - start).is_multiple_of(8) {
                    bytes.push(0);
                }
            }
            last = name;
        }
        if let Some(extension) = extension {
            bytes.extend(extension);
            bytes.extend(3_u32.to_be_bytes());
            bytes.extend([1, 2, 3]);
        }
        bytes.extend([9; 20]);
        bytes
    }

    #[test]
    fn each_version_of_an_index_tells_all_its_names() {
        let all = [".env", "a", "src/lib.rs", "src/longer-name.rs"];
        for version in [2, 3, 4] {
            for extension in [None, Some(b"TREE")] {
                assert_eq!(
                    names(&index(version, &all, extension)).unwrap(),
                    all,
                    "version {version}"
                );
            }
        }
        assert_eq!(names(&index(2, &[], None)).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn an_index_that_does_not_hold_all_tells_nothing() {
        for broken in [
            index(2, &["a"], Some(b"link")),
            index(2, &["a"], Some(b"sdir")),
            index(5, &["a"], None),
            index(2, &["a"], None)[..40].to_vec(),
            Vec::new(),
        ] {
            assert_eq!(names(&broken), None);
        }
    }
}
