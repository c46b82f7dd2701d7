//! System calls as safe functions, with errors as values.

use std::ffi::{CStr, CString, OsString};
use std::io::{self, Error};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use libc::{c_int, c_long, c_uint, c_ulong, pid_t};

// Not in every version of libc that `libc` knows. The same for each architecture.
const OPEN_TREE_CLONE: c_uint = 1;
const OPEN_TREE_CLOEXEC: c_uint = libc::O_CLOEXEC as c_uint;
const AT_RECURSIVE: c_uint = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH: c_uint = 4;
const MOUNT_ATTR_RDONLY: u64 = 1;
const MOUNT_ATTR_NOSUID: u64 = 2;
const CLOSE_RANGE_CLOEXEC: c_uint = 4;
/// The number of a resource, as `setrlimit` of this C library takes it.
#[cfg(target_env = "musl")]
type ResourceKind = c_int;
/// The number of a resource, as `setrlimit` of this C library takes it.
#[cfg(not(target_env = "musl"))]
type ResourceKind = libc::__rlimit_resource_t;

const CAP_VERSION_3: u32 = 0x2008_0522;

/// The result of a system call: its value, or the error.
fn checked(value: c_long) -> io::Result<c_long> {
    if value < 0 { Err(Error::last_os_error()) } else { Ok(value) }
}

fn text(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::new(io::ErrorKind::InvalidInput, "a path with a null byte"))
}

/// The process in which [`split`] returns.
pub(crate) enum ForkSide {
    /// The old process, with the id of the new one.
    Parent(pid_t),
    /// The new process.
    Child,
}

/// Makes a process as `fork` does, in new namespaces by these flags. Only for a process with one thread.
pub(crate) fn split(namespaces: c_int) -> io::Result<ForkSide> {
    let flags = c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without a stack of its own the child goes on with a copy of ours, as after `fork`; there is one thread alone, so
    // that no other thread holds a lock that the child would wait for.
    let pid = checked(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })?;
    Ok(if pid == 0 { ForkSide::Child } else { ForkSide::Parent(pid as pid_t) })
}

/// Ends this process at once, without the cleanup of the Rust runtime.
pub(crate) fn end(code: u8) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { libc::_exit(c_int::from(code)) }
}

/// A pipe: its end to read and its end to write. Neither is inherited by a program.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for the two descriptors.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }.into())?;
    // SAFETY: both were made just now and have no other owner.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Whether the other end of a pipe is closed.
pub(crate) fn is_hung_up(end: &impl AsRawFd) -> io::Result<bool> {
    hangs_up_within(end, 0)
}

/// Waits until the other end of a pipe or a socket is closed.
pub(crate) fn wait_for_hang_up(end: &impl AsRawFd) -> io::Result<()> {
    const FOR_EVER: c_int = -1;
    loop {
        match hangs_up_within(end, FOR_EVER) {
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            ended => return ended.map(drop),
        }
    }
}

fn hangs_up_within(end: &impl AsRawFd, milliseconds: c_int) -> io::Result<bool> {
    let mut asked = libc::pollfd { fd: end.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: there is one entry, as is said.
    checked(unsafe { libc::poll(&mut asked, 1, milliseconds) }.into())?;
    Ok(asked.revents != 0)
}

/// A descriptor that the caller handed on by its number.
pub(crate) fn inherited(number: RawFd) -> io::Result<BorrowedFd<'static>> {
    // SAFETY: it takes a number; a number that is not open fails.
    checked(unsafe { libc::fcntl(number, libc::F_GETFD) }.into())?;
    // SAFETY: it is open, and nothing here closes a descriptor that was inherited.
    Ok(unsafe { BorrowedFd::borrow_raw(number) })
}

/// Marks every descriptor from 3 on as not inherited by the program that this process becomes.
pub(crate) fn inherit_nothing() -> io::Result<()> {
    // SAFETY: it takes numbers, and closes nothing that is used before the program starts.
    checked(unsafe { libc::syscall(libc::SYS_close_range, 3u32, c_uint::MAX, CLOSE_RANGE_CLOEXEC) })
        .map(drop)
}

/// A session of its own, which has no terminal.
pub(crate) fn new_session() -> io::Result<()> {
    // SAFETY: it takes nothing.
    checked(unsafe { libc::setsid() }.into()).map(drop)
}

fn prctl(option: c_int, value: c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take one number, and zeros behind it.
    checked(unsafe { libc::prctl(option, value, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) }.into())
        .map(drop)
}

/// Keeps programs that are started from getting more rights than this process, even by set-user-ID.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// No process of this user may read this one's memory or take a core of it.
pub(crate) fn not_dumpable() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// This process gets the signal when the one that made it ends.
pub(crate) fn end_with_parent() -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong)
}

/// Orphans below this process become its children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// Keeps of the capabilities those whose numbers are given, now and for each program that is started.
pub(crate) fn keep_capabilities(kept: &[u32]) -> io::Result<()> {
    let mut numbers = 0;
    while prctl(libc::PR_CAPBSET_READ, numbers).is_ok() {
        if !kept.iter().any(|kept| c_ulong::from(*kept) == numbers) {
            match prctl(libc::PR_CAPBSET_DROP, numbers) {
                // A process that may not drop it has no capability at all.
                Err(error) if error.raw_os_error() != Some(libc::EPERM) => return Err(error),
                _ => {}
            }
        }
        numbers += 1;
    }
    let mask = kept.iter().fold(0u32, |mask, number| mask | 1 << number);
    // Effective, permitted and inheritable; the numbers from 32 on in the second three.
    let header = [CAP_VERSION_3, 0];
    let mut now = [0u32; 6];
    // SAFETY: version 3 has a header of two words, and data of two times three.
    checked(unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), now.as_mut_ptr()) })?;
    let left = now[1] & mask;
    let wanted = [left, left, 0, 0, 0, 0u32];
    // SAFETY: as above; the kernel only reads.
    checked(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), wanted.as_ptr()) }).map(drop)
}

/// Sets both limits of a resource to no more than this.
pub(crate) fn limit(resource: ResourceKind, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for the answer.
    checked(unsafe { libc::getrlimit(resource, &mut limit) }.into())?;
    limit.rlim_max = limit.rlim_max.min(most as libc::rlim_t);
    limit.rlim_cur = limit.rlim_cur.min(limit.rlim_max);
    // SAFETY: the kernel only reads.
    checked(unsafe { libc::setrlimit(resource, &limit) }.into()).map(drop)
}

/// The user and the group of this process.
pub(crate) fn ids() -> (u32, u32) {
    // SAFETY: they take nothing and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Sends a signal, to a whole group when the number is negative. Returns whether there was a process to get it.
pub(crate) fn signal(process: pid_t, signal: c_int) -> bool {
    // SAFETY: it takes numbers.
    unsafe { libc::kill(process, signal) == 0 }
}

/// Lets children be waited for, even if the caller ignored `SIGCHLD`, which is inherited.
pub(crate) fn wait_for_children() {
    // SAFETY: the default for a signal.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// The process that made this one.
pub(crate) fn parent() -> pid_t {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::getppid() }
}

/// Our copy of a descriptor of another process, a child.
pub(crate) fn descriptor_of(process: pid_t, number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: it takes numbers.
    let child = checked(unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) })?;
    // SAFETY: it was made just now and has no other owner.
    let child = unsafe { OwnedFd::from_raw_fd(child as RawFd) };
    // SAFETY: it takes numbers.
    let copy =
        checked(unsafe { libc::syscall(libc::SYS_pidfd_getfd, child.as_raw_fd(), number, 0) })?;
    // SAFETY: as above.
    Ok(unsafe { OwnedFd::from_raw_fd(copy as RawFd) })
}

/// A folder with an unpredictable name, for this user alone.
pub(crate) fn temporary_folder(below: &Path) -> io::Result<PathBuf> {
    let mut name = text(&below.join("countersign-XXXXXX"))?.into_bytes_with_nul();
    // SAFETY: the name ends with a null byte, and the six letters before it are replaced in place.
    if unsafe { libc::mkdtemp(name.as_mut_ptr().cast()) }.is_null() {
        return Err(Error::last_os_error());
    }
    name.pop();
    Ok(PathBuf::from(OsString::from_vec(name)))
}

/// A set of signals.
fn set_of(signals: &[c_int]) -> libc::sigset_t {
    // SAFETY: a set is a plain piece of memory, which `sigemptyset` makes valid.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, *signal);
        }
        set
    }
}

/// Holds these signals back, for [`next_signal`]; processes made from here on inherit that.
pub(crate) fn hold_signals(signals: &[c_int]) -> io::Result<()> {
    let set = set_of(signals);
    // SAFETY: the set is valid, and the old one is not asked for.
    checked(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) }.into())
        .map(drop)
}

/// Unblocks all signals: a program inherits the blocked ones, and a shell would wait for its children for ever.
pub(crate) fn release_signals() -> io::Result<()> {
    let none = set_of(&[]);
    // SAFETY: the set is valid, and the old one is not asked for.
    checked(unsafe { libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut()) }.into())
        .map(drop)
}

/// Waits for one of the signals that are held back.
pub(crate) fn next_signal(signals: &[c_int]) -> io::Result<c_int> {
    let set = set_of(signals);
    // SAFETY: the set is valid, and no details are asked for.
    checked(unsafe { libc::sigwaitinfo(&set, std::ptr::null_mut()) }.into())
        .map(|signal| signal as c_int)
}

/// A child that has ended, with its status as `waitpid` gives it; `None` when none has ended by now.
pub(crate) fn ended_child(wait: bool) -> io::Result<Option<(pid_t, c_int)>> {
    let mut status = 0;
    let flags = if wait { 0 } else { libc::WNOHANG };
    // SAFETY: there is room for the status.
    let pid = checked(unsafe { libc::waitpid(-1, &mut status, flags) }.into())?;
    Ok((pid != 0).then_some((pid as pid_t, status)))
}

/// Ends this process as a child with this status ended: by the same code, or by the same signal.
pub(crate) fn end_as(status: c_int) -> ! {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // No core of this process, which is not the one that failed.
        let _ = limit(libc::RLIMIT_CORE, 0);
        let set = set_of(&[signal]);
        // SAFETY: the default for a signal, and a valid set.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
            libc::raise(signal);
        }
        end(128u8.saturating_add(signal as u8));
    }
    end(libc::WEXITSTATUS(status) as u8)
}

/// The version of Landlock of this kernel; 0: it has none, or it is switched off.
pub(crate) fn landlock_version() -> u8 {
    // SAFETY: with this flag the kernel takes no ruleset and only says its version.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, 1u32)
    };
    u8::try_from(version).unwrap_or(0)
}

/// Whether this kernel filters system calls.
pub(crate) fn has_seccomp() -> bool {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel reads the number of an action and says whether it knows it.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 }
}

/// Whether it is a terminal.
pub(crate) fn is_terminal(number: RawFd) -> bool {
    // SAFETY: it takes a number.
    unsafe { libc::isatty(number) == 1 }
}

/// Puts a descriptor in the place of another.
pub(crate) fn replace(number: RawFd, by: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: both are open; the replaced one is of the standard three, which nothing here owns.
    checked(unsafe { libc::dup2(by.as_raw_fd(), number) }.into()).map(drop)
}

/// Mounts a file system of its own kind.
pub(crate) fn mount(kind: &str, at: &Path, flags: c_ulong, options: &str) -> io::Result<()> {
    let [kind, options] = [kind, options].map(|text| CString::new(text).unwrap_or_default());
    let at = text(at)?;
    // SAFETY: all are texts that end with a null byte, and outlive the call.
    checked(
        unsafe {
            libc::mount(kind.as_ptr(), at.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast())
        }
        .into(),
    )
    .map(drop)
}

/// Keeps mounts here from being seen elsewhere, and the other way round.
pub(crate) fn keep_mounts_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    let none = std::ptr::null();
    // SAFETY: with these flags only the place is read.
    checked(unsafe { libc::mount(none, c"/".as_ptr(), none, flags, none.cast()) }.into()).map(drop)
}

/// A copy of the mounts at a path and below it, which is not attached anywhere yet.
pub(crate) fn copy_tree(path: &Path) -> io::Result<OwnedFd> {
    open_tree(libc::AT_FDCWD, &text(path)?, 0)
}

/// The same without following a symlink at the path.
pub(crate) fn copy_itself(path: &Path) -> io::Result<OwnedFd> {
    open_tree(libc::AT_FDCWD, &text(path)?, libc::AT_SYMLINK_NOFOLLOW)
}

/// The same of an open file, wherever it lies by now.
pub(crate) fn copy_open(file: &impl AsRawFd) -> io::Result<OwnedFd> {
    open_tree(file.as_raw_fd(), c"", libc::AT_EMPTY_PATH)
}

fn open_tree(at: RawFd, path: &CStr, flags: c_int) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | flags as c_uint;
    // SAFETY: a number, and a text that ends with a null byte.
    let number = checked(unsafe { libc::syscall(libc::SYS_open_tree, at, path.as_ptr(), flags) })?;
    // SAFETY: it was made just now and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number as RawFd) })
}

/// How a tree of mounts is used from now on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeUse {
    /// Nothing in it can be changed.
    pub read_only: bool,
    /// With all that is mounted below.
    pub whole: bool,
}

/// Sets how a tree is used. Programs in it never give the rights of their owner.
pub(crate) fn use_tree(
    tree: &impl AsRawFd, TreeUse { read_only, whole }: TreeUse,
) -> io::Result<()> {
    // Set, cleared, propagation, user namespace.
    let attributes = [if read_only { MOUNT_ATTR_RDONLY } else { 0 } | MOUNT_ATTR_NOSUID, 0, 0, 0];
    let flags = libc::AT_EMPTY_PATH as c_uint | if whole { AT_RECURSIVE } else { 0 };
    // SAFETY: an empty text, and four words; the kernel is told their size.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    })
    .map(drop)
}

/// Puts a copied tree at its place.
pub(crate) fn place_tree(tree: &impl AsRawFd, at: &Path) -> io::Result<()> {
    let at = text(at)?;
    // SAFETY: texts that end with a null byte.
    checked(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            at.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// Makes the current folder the root, and the old root is gone.
pub(crate) fn become_root() -> io::Result<()> {
    let here = c".".as_ptr();
    // SAFETY: texts that end with a null byte. Both name the current folder: the old root comes to lie over the new one, and is
    // then taken away.
    unsafe {
        checked(libc::syscall(libc::SYS_pivot_root, here, here))?;
        checked(libc::umount2(here, libc::MNT_DETACH).into())?;
    }
    Ok(())
}

/// The root, only to start a way from.
pub(crate) fn open_root() -> io::Result<OwnedFd> {
    open_at(libc::AT_FDCWD, c"/")
}

/// The file with this name in a folder, a symlink not followed: a descriptor without read or write access.
pub(crate) fn open_name(folder: &impl AsRawFd, name: &Path) -> io::Result<OwnedFd> {
    open_at(folder.as_raw_fd(), &text(name)?)
}

fn open_at(folder: RawFd, name: &CStr) -> io::Result<OwnedFd> {
    let flags = libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: a number, and a text that ends with a null byte.
    let number = checked(unsafe { libc::openat(folder, name.as_ptr(), flags) }.into())?;
    // SAFETY: it was made just now and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number as RawFd) })
}

/// The target of a symlink; `None` if the file is not a symlink.
pub(crate) fn link_target(file: &OwnedFd) -> io::Result<Option<PathBuf>> {
    let mut target = vec![0u8; libc::PATH_MAX as usize];
    // SAFETY: an empty text names the file itself, and there is as much room as is said.
    let length = unsafe {
        libc::readlinkat(file.as_raw_fd(), c"".as_ptr(), target.as_mut_ptr().cast(), target.len())
    };
    match checked(length as c_long) {
        Ok(length) if (length as usize) < target.len() => {
            target.truncate(length as usize);
            Ok(Some(OsString::from_vec(target).into()))
        }
        Ok(_) => Err(io::ErrorKind::InvalidFilename.into()),
        // The kernel's answer for a file that is not a symlink.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINVAL)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Switches the loopback device of this network on.
pub(crate) fn loopback_up(socket: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: a request is a plain piece of memory; zeros are valid in it.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: this request reads a name and flags.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) }.into())
        .map(drop)
}
