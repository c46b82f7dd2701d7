//! Preloaded into a program (`LD_PRELOAD`), logs in one order the changes that its threads and its child processes make to the
//! files below one folder: writes, `fsync`, and names that come and go. `countersign-proof` plays power cuts from that log. Linux
//! on 64 bits only; empty elsewhere.
//!
//! Configured by the environment:
//!
//! - `COUNTERSIGN_POWERCUT_DIR`: the folder, as an absolute path without links
//! - `COUNTERSIGN_POWERCUT_LOG`: the file to log to, outside of it
//! - `COUNTERSIGN_POWERCUT_ACKS`: the file of the program's acknowledgements, which is not a part of the disk. A line should be one
//!   `write`.
//!
//! A record of the log, numbers little-endian: `u32` length of the rest, `u8` kind, `u64` inode, `u64` offset or length, `u32`
//! length of the path, the path, the data. The kinds are in [`RecordKind`].
//!
//! It does not see calls that a program makes without the C library (Go, static programs), stdio's own opens, and
//! stores to mapped memory. Changes that no replay models (shared writable mappings, `fallocate`, links, …) are logged as
//! such, so that the replay refuses instead of being wrong.
#![allow(unsafe_code, reason = "functions of the C library are replaced, with its signatures")]

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod interpose;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod recorder;

/// The kind of a record in the log, and the fields that it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// A file was made: path and inode.
    Create = 1,
    /// Data was written: inode, offset, data.
    Write = 2,
    /// A file has this length now: inode and length.
    Truncate = 3,
    /// `fsync` or `fdatasync` of a file returned: inode.
    Sync = 4,
    /// `fsync` of a folder returned: path.
    SyncDir = 5,
    /// A name became another: path, and the new path as data.
    Rename = 6,
    /// A name is gone, of a file or an empty folder: path.
    Unlink = 7,
    /// A folder was made: path.
    MakeDir = 8,
    /// The program wrote down an acknowledgement: data.
    Ack = 9,
    /// A change that no replay models: path, and the name of the function as data.
    Unmodelled = 10,
}
