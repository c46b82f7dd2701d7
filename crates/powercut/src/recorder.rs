//! The watched files, and the log.

use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::RecordKind;

/// The watched folder, the file of acknowledgements, and the log.
pub(crate) struct FileRecorder {
    dir: Vec<u8>,
    acks: Vec<u8>,
    log: c_int,
    threads: Mutex<()>,
}

/// The recorder, when the environment asks for one. Reads no file and calls nothing that is replaced.
pub(crate) fn recorder() -> Option<&'static FileRecorder> {
    static RECORDER: OnceLock<Option<FileRecorder>> = OnceLock::new();
    RECORDER.get_or_init(FileRecorder::from_environment).as_ref()
}

/// An open file, as the replay knows it.
pub(crate) enum WatchTarget {
    /// A file below the folder.
    File(u64),
    /// The folder or one below it.
    Dir(Vec<u8>),
    /// The file of acknowledgements.
    Acks,
}

/// Exclusive access to the log. While it lives, no other thread or process changes a watched file, so that the order of the
/// records is the order of the changes.
pub(crate) struct RecordGuard<'a> {
    recorder: &'a FileRecorder,
    _threads: MutexGuard<'a, ()>,
}

impl Drop for RecordGuard<'_> {
    fn drop(&mut self) {
        // SAFETY: takes a number.
        unsafe { libc::flock(self.recorder.log, libc::LOCK_UN) };
    }
}

impl FileRecorder {
    fn from_environment() -> Option<Self> {
        let bytes = |name: &str| std::env::var_os(name).map(OsString::into_vec);
        let dir = bytes("COUNTERSIGN_POWERCUT_DIR")?;
        let mut log = bytes("COUNTERSIGN_POWERCUT_LOG")?;
        log.push(0);
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        // SAFETY: a path that ends with a zero byte and outlives the call.
        let log =
            unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, log.as_ptr(), flags, 0o600) };
        if log < 0 {
            // A log that is not written would pass for a program that changes nothing.
            std::process::abort();
        }
        let acks = bytes("COUNTERSIGN_POWERCUT_ACKS").unwrap_or_default();
        let log = c_int::try_from(log).ok()?;
        Some(Self { dir, acks, log, threads: Mutex::new(()) })
    }

    /// Waits until no other thread or process changes a watched file.
    pub(crate) fn guard(&self) -> RecordGuard<'_> {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: takes a number.
        unsafe { libc::flock(self.log, libc::LOCK_EX) };
        RecordGuard { recorder: self, _threads: threads }
    }

    /// Whether a path is below the folder.
    pub(crate) fn watches(&self, path: &[u8]) -> bool {
        path.strip_prefix(self.dir.as_slice())
            .is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b'/'))
    }

    /// An open file, as the replay knows it; `None`: it is not watched.
    pub(crate) fn target(&self, fd: c_int) -> Option<WatchTarget> {
        let path = path_of(fd)?;
        if path == self.acks {
            return Some(WatchTarget::Acks);
        }
        if !self.watches(&path) {
            return None;
        }
        let stat = stat(fd)?;
        Some(match stat.st_mode & libc::S_IFMT {
            libc::S_IFDIR => WatchTarget::Dir(path),
            _ => WatchTarget::File(stat.st_ino),
        })
    }
}

impl RecordGuard<'_> {
    /// Adds a record. A log that cannot be written ends the program: it would be missing a write.
    pub(crate) fn log(&self, kind: RecordKind, inode: u64, number: u64, path: &[u8], data: &[u8]) {
        let length = 1 + 8 + 8 + 4 + path.len() + data.len();
        let mut record = Vec::with_capacity(4 + length);
        record.extend((length as u32).to_le_bytes());
        record.push(kind as u8);
        record.extend(inode.to_le_bytes());
        record.extend(number.to_le_bytes());
        record.extend((path.len() as u32).to_le_bytes());
        record.extend(path);
        record.extend(data);
        // SAFETY: the bytes outlive the call. The system call itself, since `write` is replaced.
        let written = unsafe {
            libc::syscall(libc::SYS_write, self.recorder.log, record.as_ptr(), record.len())
        };
        if usize::try_from(written) != Ok(record.len()) {
            std::process::abort();
        }
    }
}

/// The path of an open file, by `/proc`.
pub(crate) fn path_of(fd: c_int) -> Option<Vec<u8>> {
    link(&format!("/proc/self/fd/{fd}\0"))
}

fn link(name: &str) -> Option<Vec<u8>> {
    let mut path = vec![0_u8; libc::PATH_MAX as usize];
    // SAFETY: the name ends with a zero byte, and the buffer is as long as is said.
    let length =
        unsafe { libc::readlink(name.as_ptr().cast(), path.as_mut_ptr().cast(), path.len()) };
    path.truncate(usize::try_from(length).ok()?);
    Some(path)
}

/// The metadata of an open file.
pub(crate) fn stat(fd: c_int) -> Option<libc::stat> {
    // SAFETY: zeros are a value of this plain struct.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the struct outlives the call.
    (unsafe { libc::fstat(fd, &raw mut stat) } == 0).then_some(stat)
}

/// A path as an absolute one. Links and `..` in it are not looked through: give the program the folder's real path.
///
/// # Safety
/// `path` is a text that ends with a zero byte, as the replaced functions get it.
pub(crate) unsafe fn absolute(dir: c_int, path: *const c_char) -> Option<Vec<u8>> {
    // SAFETY: the caller promises it.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if path.starts_with(b"/") {
        return Some(path.to_vec());
    }
    let mut base = if dir == libc::AT_FDCWD { link("/proc/self/cwd\0")? } else { path_of(dir)? };
    base.push(b'/');
    base.extend(path.strip_prefix(b"./").unwrap_or(path));
    Some(base)
}

/// The bytes that were given to `write`.
///
/// # Safety
/// `count` bytes at `data` can be read: the system has just read them.
pub(crate) unsafe fn bytes(data: *const c_void, count: usize) -> Vec<u8> {
    // SAFETY: the caller promises it.
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), count) }.to_vec()
}

/// The first `count` bytes that were given to `writev`.
///
/// # Safety
/// `number` parts at `parts` can be read: the system has just read them.
pub(crate) unsafe fn gathered(parts: *const libc::iovec, number: c_int, count: usize) -> Vec<u8> {
    let mut all = Vec::with_capacity(count);
    // SAFETY: the caller promises it.
    let parts =
        unsafe { std::slice::from_raw_parts(parts, usize::try_from(number).unwrap_or_default()) };
    for part in parts {
        let wanted = part.iov_len.min(count - all.len());
        // SAFETY: the caller promises it.
        all.extend(unsafe { bytes(part.iov_base, wanted) });
    }
    all
}
