//! The functions of the C library that are replaced. Each makes the system call itself, so that nothing has to be looked up
//! and nothing can call itself. Without the environment of [`crate`] they do nothing else.
//!
//! `open` and `openat` take their mode as a plain argument: on the platforms we build for, an optional integer is passed in
//! the same register, and the system ignores it where it means nothing.
#![allow(
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks,
    reason = "every function has the contract of the C function whose name it has, and hands its arguments on as they are"
)]

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

use libc::{AT_FDCWD, iovec, mode_t, off_t, size_t, ssize_t, syscall};

use crate::RecordKind;
use crate::recorder::{WatchTarget, absolute, bytes, gathered, path_of, recorder, stat};

/// A system call whose result is a number of bytes.
macro_rules! size { ($($argument:expr),*) => { syscall($($argument),*) as ssize_t } }
/// A system call whose result is 0, a file or -1.
macro_rules! code { ($($argument:expr),*) => { syscall($($argument),*) as c_int } }

/// The file offset of a write, as the replaced function gives it.
#[derive(Clone, Copy)]
enum WriteOffset {
    /// The current position of the file, or its end when it is open for appending.
    Position,
    /// This offset, or the end of the file when it is open for appending.
    Offset(off_t),
}

unsafe fn written(
    fd: c_int, offset: WriteOffset, call: impl FnOnce() -> ssize_t,
    data: impl FnOnce(usize) -> Vec<u8>,
) -> ssize_t {
    let Some(recorder) = recorder() else { return call() };
    let Some(target) = recorder.target(fd) else { return call() };
    let guard = recorder.guard();
    let result = call();
    let Ok(count @ 1..) = usize::try_from(result) else { return result };
    match target {
        WatchTarget::Acks => guard.log(RecordKind::Ack, 0, 0, b"", &data(count)),
        WatchTarget::Dir(_) => {}
        WatchTarget::File(inode) => {
            let appends = libc::fcntl(fd, libc::F_GETFL) & libc::O_APPEND != 0;
            let offset = match offset {
                WriteOffset::Position => libc::lseek(fd, 0, libc::SEEK_CUR) - result as off_t,
                WriteOffset::Offset(_) if appends => {
                    stat(fd).map_or(0, |stat| stat.st_size) - result as off_t
                }
                WriteOffset::Offset(offset) => offset,
            };
            guard.log(RecordKind::Write, inode, offset as u64, b"", &data(count));
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(fd: c_int, data: *const c_void, count: size_t) -> ssize_t {
    let call = || size!(libc::SYS_write, fd, data, count);
    written(fd, WriteOffset::Position, call, |count| bytes(data, count))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite(fd: c_int, data: *const c_void, count: size_t, at: off_t) -> ssize_t {
    let call = || size!(libc::SYS_pwrite64, fd, data, count, at);
    written(fd, WriteOffset::Offset(at), call, |count| bytes(data, count))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite64(fd: c_int, data: *const c_void, count: size_t, at: off_t) -> ssize_t {
    pwrite(fd, data, count, at)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, number: c_int) -> ssize_t {
    let call = || size!(libc::SYS_writev, fd, parts, number);
    written(fd, WriteOffset::Position, call, |count| gathered(parts, number, count))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwritev(fd: c_int, parts: *const iovec, number: c_int, at: off_t) -> ssize_t {
    // The kernel takes the offset in two halves; the upper one is ignored on 64 bits.
    let call = || size!(libc::SYS_pwritev, fd, parts, number, at, 0);
    written(fd, WriteOffset::Offset(at), call, |count| gathered(parts, number, count))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwritev64(
    fd: c_int, parts: *const iovec, number: c_int, at: off_t,
) -> ssize_t {
    pwritev(fd, parts, number, at)
}

unsafe fn opened(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let call = || code!(libc::SYS_openat, dir, path, flags, mode);
    let Some(recorder) = recorder() else { return call() };
    if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 {
        return call();
    }
    let guard = recorder.guard();
    let existed = libc::faccessat(dir, path, libc::F_OK, 0) == 0;
    let fd = call();
    if fd >= 0
        && let Some(WatchTarget::File(inode)) = recorder.target(fd)
    {
        if !existed {
            guard.log(RecordKind::Create, inode, 0, &path_of(fd).unwrap_or_default(), b"");
        } else if flags & libc::O_TRUNC != 0 {
            guard.log(RecordKind::Truncate, inode, 0, b"", b"");
        }
    }
    fd
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    opened(AT_FDCWD, path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    opened(AT_FDCWD, path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn openat(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    opened(dir, path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn openat64(
    dir: c_int, path: *const c_char, flags: c_int, mode: mode_t,
) -> c_int {
    opened(dir, path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn creat(path: *const c_char, mode: mode_t) -> c_int {
    opened(AT_FDCWD, path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode)
}

/// A call that changes an open file, logged when it returned 0.
unsafe fn done(fd: c_int, kind: RecordKind, number: u64, call: impl FnOnce() -> c_int) -> c_int {
    let Some(recorder) = recorder() else { return call() };
    let Some(target) = recorder.target(fd) else { return call() };
    let guard = recorder.guard();
    let result = call();
    if result == 0 {
        match target {
            WatchTarget::File(inode) => guard.log(kind, inode, number, b"", b""),
            WatchTarget::Dir(path) => guard.log(RecordKind::SyncDir, 0, 0, &path, b""),
            WatchTarget::Acks => {}
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fsync(fd: c_int) -> c_int {
    done(fd, RecordKind::Sync, 0, || code!(libc::SYS_fsync, fd))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fdatasync(fd: c_int) -> c_int {
    done(fd, RecordKind::Sync, 0, || code!(libc::SYS_fdatasync, fd))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate(fd: c_int, length: off_t) -> c_int {
    done(fd, RecordKind::Truncate, length as u64, || code!(libc::SYS_ftruncate, fd, length))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate64(fd: c_int, length: off_t) -> c_int {
    ftruncate(fd, length)
}

/// A call that changes names, logged when it returned 0. Of a rename the new name, too.
unsafe fn named(
    kind: RecordKind, (dir, path): (c_int, *const c_char), to: Option<(c_int, *const c_char)>,
    data: &[u8], call: impl FnOnce() -> c_int,
) -> c_int {
    let Some(recorder) = recorder() else { return call() };
    let Some(path) = absolute(dir, path) else { return call() };
    let to = to.and_then(|(dir, path)| absolute(dir, path));
    if !recorder.watches(&path) && !to.as_ref().is_some_and(|to| recorder.watches(to)) {
        return call();
    }
    let guard = recorder.guard();
    let result = call();
    if result == 0 {
        guard.log(kind, 0, 0, &path, to.as_deref().unwrap_or(data));
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    renameat(AT_FDCWD, from, AT_FDCWD, to)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn renameat(
    from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char,
) -> c_int {
    renameat2(from_dir, from, to_dir, to, 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn renameat2(
    from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char, flags: c_uint,
) -> c_int {
    let exchange = flags & libc::RENAME_EXCHANGE != 0;
    let (kind, target) = match exchange {
        true => (RecordKind::Unmodelled, None),
        false => (RecordKind::Rename, Some((to_dir, to))),
    };
    named(kind, (from_dir, from), target, b"renameat2", || {
        code!(libc::SYS_renameat2, from_dir, from, to_dir, to, flags)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    unlinkat(AT_FDCWD, path, 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rmdir(path: *const c_char) -> c_int {
    unlinkat(AT_FDCWD, path, libc::AT_REMOVEDIR)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlinkat(dir: c_int, path: *const c_char, flags: c_int) -> c_int {
    named(RecordKind::Unlink, (dir, path), None, b"", || {
        code!(libc::SYS_unlinkat, dir, path, flags)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    mkdirat(AT_FDCWD, path, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdirat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int {
    named(RecordKind::MakeDir, (dir, path), None, b"", || code!(libc::SYS_mkdirat, dir, path, mode))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn linkat(
    from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char, flags: c_int,
) -> c_int {
    named(RecordKind::Unmodelled, (to_dir, to), None, b"linkat", || {
        code!(libc::SYS_linkat, from_dir, from, to_dir, to, flags)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn link(from: *const c_char, to: *const c_char) -> c_int {
    linkat(AT_FDCWD, from, AT_FDCWD, to, 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn symlink(target: *const c_char, path: *const c_char) -> c_int {
    named(RecordKind::Unmodelled, (AT_FDCWD, path), None, b"symlink", || {
        code!(libc::SYS_symlinkat, target, AT_FDCWD, path)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn truncate(path: *const c_char, length: off_t) -> c_int {
    named(RecordKind::Unmodelled, (AT_FDCWD, path), None, b"truncate", || {
        code!(libc::SYS_truncate, path, length)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn truncate64(path: *const c_char, length: off_t) -> c_int {
    truncate(path, length)
}

/// Logs that a watched file is changed in a way that no replay models.
fn unmodelled(fd: c_int, function: &str) {
    if let Some(recorder) = recorder()
        && let Some(WatchTarget::File(inode)) = recorder.target(fd)
    {
        let path = path_of(fd).unwrap_or_default();
        recorder.guard().log(RecordKind::Unmodelled, inode, 0, &path, function.as_bytes());
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fallocate(fd: c_int, mode: c_int, at: off_t, length: off_t) -> c_int {
    unmodelled(fd, "fallocate");
    code!(libc::SYS_fallocate, fd, mode, at, length)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fallocate64(fd: c_int, mode: c_int, at: off_t, length: off_t) -> c_int {
    fallocate(fd, mode, at, length)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn copy_file_range(
    from: c_int, from_at: *mut off_t, to: c_int, to_at: *mut off_t, length: size_t, flags: c_uint,
) -> ssize_t {
    unmodelled(to, "copy_file_range");
    size!(libc::SYS_copy_file_range, from, from_at, to, to_at, length, flags)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sendfile(to: c_int, from: c_int, at: *mut off_t, count: size_t) -> ssize_t {
    unmodelled(to, "sendfile");
    size!(libc::SYS_sendfile, to, from, at, count)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sendfile64(to: c_int, from: c_int, at: *mut off_t, count: size_t) -> ssize_t {
    sendfile(to, from, at, count)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void, length: size_t, protection: c_int, flags: c_int, fd: c_int, at: off_t,
) -> *mut c_void {
    // Of SQLite's -shm nothing survives a power cut that is read again.
    if fd >= 0
        && flags & libc::MAP_SHARED != 0
        && protection & libc::PROT_WRITE != 0
        && !path_of(fd).is_some_and(|path| path.ends_with(b"-shm"))
    {
        unmodelled(fd, "mmap");
    }
    let mapped: c_long = syscall(libc::SYS_mmap, address, length, protection, flags, fd, at);
    mapped as *mut c_void
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void, length: size_t, protection: c_int, flags: c_int, fd: c_int, at: off_t,
) -> *mut c_void {
    mmap(address, length, protection, flags, fd, at)
}
