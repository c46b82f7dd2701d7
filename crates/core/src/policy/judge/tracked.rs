//! The names in git's index: the files that git knows, of which alone it shows what is in them.

use crate::path::{FileLookup, PathError};
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

/// The folders of the repositories in the index of this one, from the top of its work tree. `None`: that cannot be told.
pub(crate) fn nested(git: &str, files: &dyn FileLookup) -> Result<Option<Vec<String>>, PathError> {
    let index = format!("{git}/index");
    if !files.has(&index)? {
        return Ok(Some(Vec::new()));
    }
    let entries = files.bytes(&index, MOST_BYTES).and_then(|index| entries(&index));
    Ok(entries.map(|entries| entries.nested))
}

/// What an index holds.
#[derive(Default)]
struct IndexEntries {
    names: Vec<String>,
    /// Those of the names that are repositories.
    nested: Vec<String>,
}

/// All names in an index. `None` for one that is not understood, or does not hold all.
fn names(index: &[u8]) -> Option<Vec<String>> {
    entries(index).map(|entries| entries.names)
}

fn entries(index: &[u8]) -> Option<IndexEntries> {
    // The length of a SHA-1, and of a SHA-256.
    [20, 32].into_iter().find_map(|hash| read(index, hash))
}

fn read(index: &[u8], hash: usize) -> Option<IndexEntries> {
    const REPOSITORY: u32 = 0o160_000;
    const FOLDER: u32 = 0o040_000;
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
    let mut entries = IndexEntries::default();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..word(8)? {
        let start = at;
        // A folder stands for all that is in it.
        let kind = word(start + 24)? & KIND;
        if kind == FOLDER {
            return None;
        }
        let flags = start + 40 + hash;
        let extended =
            u16::from_be_bytes(index.get(flags..flags + 2)?.try_into().ok()?) & EXTENDED != 0;
        at = flags + if extended { 4 } else { 2 };
        let mut kept = 0;
        if version == 4 {
            let (dropped, next) = number(index, at)?;
            kept = name.len().checked_sub(dropped)?;
            at = next;
        }
        let rest = index.get(at..end)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.truncate(kept);
        name.extend_from_slice(rest.get(..length)?);
        at += length + 1;
        if version != 4 {
            // Entries fill up eights of bytes, and end with a zero at least.
            at = start + (at - start).div_ceil(8) * 8;
        }
        let text = String::from_utf8_lossy(&name).into_owned();
        if kind == REPOSITORY {
            entries.nested.push(text.clone());
        }
        entries.names.push(text);
    }
    while at < end {
        // Others of its names are in another file, or are folders.
        if matches!(index.get(at..at + 4)?, b"link" | b"sdir") {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(word(at + 4)?).ok()?)?;
    }
    (at == end).then_some(entries)
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
    use super::*;

    /// An index with these names.
    fn index(version: u32, names: &[&str], extension: Option<&[u8; 4]>) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut last = "";
        for name in names {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(0o100_644_u32.to_be_bytes());
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
