//! The record of a program's changes to a folder, as `countersign-powercut` writes it.

use std::ffi::OsStr;
use std::path::Path;

use crate::store::ProofError;

/// An event of the record: a change, a sync, or an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskEvent<'a> {
    /// A file was made.
    Create {
        /// Its name.
        path: &'a Path,
        /// Its inode, which later events go by.
        inode: u64,
    },
    /// Bytes were written to a file.
    Write {
        /// The file.
        inode: u64,
        /// Where.
        at: u64,
        /// The bytes.
        data: &'a [u8],
    },
    /// A file has another length.
    Truncate {
        /// The file.
        inode: u64,
        /// In bytes.
        length: u64,
    },
    /// The contents of a file were made durable.
    Sync {
        /// The file.
        inode: u64,
    },
    /// The names in a folder were made durable.
    SyncDir {
        /// The folder.
        path: &'a Path,
    },
    /// A name became another.
    Rename {
        /// The old name.
        from: &'a Path,
        /// The new name.
        to: &'a Path,
    },
    /// A name is gone.
    Unlink {
        /// The name.
        path: &'a Path,
    },
    /// A folder was made.
    MakeDir {
        /// Its name.
        path: &'a Path,
    },
    /// The program acknowledged this.
    Ack(&'a [u8]),
    /// A change that no replay models.
    Unmodelled {
        /// Its path.
        path: &'a Path,
        /// The function that was called.
        function: &'a str,
    },
}

/// The events of a record, in the order in which they happened.
pub fn events(log: &[u8]) -> Result<Vec<DiskEvent<'_>>, ProofError> {
    let mut rest = log;
    let mut events = Vec::new();
    while !rest.is_empty() {
        let event = event(&mut rest).ok_or_else(|| {
            ProofError(format!("the record is damaged at byte {}", log.len() - rest.len()))
        })?;
        events.push(event);
    }
    Ok(events)
}

fn event<'a>(rest: &mut &'a [u8]) -> Option<DiskEvent<'a>> {
    let length = number::<4>(rest)?;
    let (mut body, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let kind = number::<1>(&mut body)?;
    let (inode, value) = (number::<8>(&mut body)?, number::<8>(&mut body)?);
    let length = usize::try_from(number::<4>(&mut body)?).ok()?;
    let (name, data) = body.split_at_checked(length)?;
    let path = path(name)?;
    *rest = after;
    Some(match kind {
        1 => DiskEvent::Create { path, inode },
        2 => DiskEvent::Write { inode, at: value, data },
        3 => DiskEvent::Truncate { inode, length: value },
        4 => DiskEvent::Sync { inode },
        5 => DiskEvent::SyncDir { path },
        6 => DiskEvent::Rename { from: path, to: self::path(data)? },
        7 => DiskEvent::Unlink { path },
        8 => DiskEvent::MakeDir { path },
        9 => DiskEvent::Ack(data),
        10 => DiskEvent::Unmodelled { path, function: std::str::from_utf8(data).ok()? },
        _ => return None,
    })
}

/// A path; a name that is not UTF-8 is one that no ledger of ours makes.
fn path(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(OsStr::new(std::str::from_utf8(bytes).ok()?)))
}

fn number<const BYTES: usize>(rest: &mut &[u8]) -> Option<u64> {
    let (bytes, after) = rest.split_at_checked(BYTES)?;
    *rest = after;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, path: &str, data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(21 + path.len() + data.len()).unwrap();
        let mut record = length.to_le_bytes().to_vec();
        record.push(kind);
        record.extend(7_u64.to_le_bytes());
        record.extend(4096_u64.to_le_bytes());
        record.extend(u32::try_from(path.len()).unwrap().to_le_bytes());
        [&record, path.as_bytes(), data].concat()
    }

    #[test]
    fn reads_what_was_recorded() {
        let log = [record(1, "/d/a", b""), record(2, "", b"data"), record(6, "/d/a", b"/d/b")];
        let path = Path::new("/d/a");
        assert_eq!(
            events(&log.concat()).unwrap(),
            [
                DiskEvent::Create { path, inode: 7 },
                DiskEvent::Write { inode: 7, at: 4096, data: b"data" },
                DiskEvent::Rename { from: path, to: Path::new("/d/b") },
            ]
        );
        assert_eq!(events(b"").unwrap(), []);
    }

    #[test]
    fn refuses_what_is_damaged() {
        let whole = record(2, "/d/a", b"data");
        for damaged in [
            &whole[..whole.len() - 1],
            &whole[..3],
            &record(0, "", b""),
            &record(11, "", b""),
            &[&3_u32.to_le_bytes()[..], b"abc"].concat(),
        ] {
            assert!(events(damaged).is_err(), "{damaged:?}");
        }
    }
}
