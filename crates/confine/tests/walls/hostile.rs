//! A program that tries everything. Each attack says whether it came through.

use std::env;
use std::ffi::CString;
use std::fs::{self, OpenOptions};
use std::io::{self, Error, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::Command;

use libc::{c_long, c_ulong, pid_t};

/// An attempt to get around the walls: its name, the gap through which it may succeed where that gap is reported, and the attempt
/// itself, which is `Ok` if it succeeds.
pub(crate) struct EscapeAttempt {
    pub name: &'static str,
    pub gap: Option<&'static str>,
    /// Whether it is also tried unconfined, where it must succeed: that shows that it is an attack. It then does no harm.
    pub is_tried: bool,
    run: fn() -> io::Result<()>,
}

const fn tried(name: &'static str, run: fn() -> io::Result<()>) -> EscapeAttempt {
    EscapeAttempt { name, gap: None, is_tried: true, run }
}

const fn through(
    gap: &'static str, name: &'static str, run: fn() -> io::Result<()>,
) -> EscapeAttempt {
    EscapeAttempt { name, gap: Some(gap), is_tried: true, run }
}

const fn untried(name: &'static str, run: fn() -> io::Result<()>) -> EscapeAttempt {
    EscapeAttempt { name, gap: None, is_tried: false, run }
}

/// The variables for the attacks.
pub(crate) const VARIABLES: &[&str] =
    &["OUTSIDE", "PROJECT", "VICTIM", "TCP", "UDP", "ABSTRACT", "SHARED", "ATTACK"];

fn told(name: &str) -> String {
    env::var(name).unwrap()
}

fn number<T: std::str::FromStr>(name: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    told(name).parse().unwrap()
}

fn outside(name: &str) -> PathBuf {
    PathBuf::from(told("OUTSIDE")).join(name)
}

fn project(name: &str) -> PathBuf {
    PathBuf::from(told("PROJECT")).join(name)
}

fn text(path: PathBuf) -> CString {
    CString::new(path.into_os_string().into_encoded_bytes()).unwrap()
}

fn checked(value: c_long) -> io::Result<()> {
    if value < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// A system call that must be refused with any arguments, even wrong ones.
fn refused(call: c_long, arguments: [c_ulong; 4]) -> io::Result<()> {
    let [a, b, c, d] = arguments;
    // SAFETY: the arguments are numbers that no call can use as an address, or that it refuses before it does.
    let value = unsafe { libc::syscall(call, a, b, c, d, 0, 0) };
    let error = Error::last_os_error();
    match error.raw_os_error() {
        _ if value >= 0 => Ok(()),
        Some(libc::EPERM | libc::ENOSYS | libc::EACCES) => Err(error),
        _ => Ok(()),
    }
}

/// Tries in a process of its own, which may be killed for it.
fn apart(run: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: the child does nothing but calls of the kernel, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = i32::from(run().is_err());
        // SAFETY: it takes a number.
        unsafe { libc::_exit(code) }
    }
    let mut status = 0;
    // SAFETY: there is room for the status.
    unsafe { libc::waitpid(child, &mut status, 0) };
    if status == 0 { Ok(()) } else { Err(Error::other(format!("ended with {status:#x}"))) }
}

fn overwrite(path: PathBuf) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(b"x")
}

pub(crate) const ATTACKS: &[EscapeAttempt] = &[
    // Writing.
    tried("writes a file", || overwrite(outside("kept"))),
    tried("appends to a file", || {
        OpenOptions::new().append(true).open(outside("kept"))?.write_all(b"x")
    }),
    tried("makes a file", || fs::write(outside("new"), "x")),
    tried("makes a folder", || fs::create_dir(outside("new-folder"))),
    tried("removes a folder", || fs::remove_dir(outside("empty"))),
    tried("makes a pipe with a name", || {
        let name = text(outside("pipe"));
        // SAFETY: a text that ends with a null byte.
        checked(unsafe { libc::mkfifo(name.as_ptr(), 0o644) }.into())
    }),
    tried("makes a link", || symlink("kept", outside("link"))),
    tried("empties a file by its name", || {
        let name = text(outside("kept"));
        // SAFETY: a text that ends with a null byte.
        checked(unsafe { libc::truncate(name.as_ptr(), 0) }.into())
    }),
    tried("empties a file by opening it to read", || {
        let name = text(outside("kept"));
        // SAFETY: a text that ends with a null byte.
        checked(unsafe { libc::open(name.as_ptr(), libc::O_RDONLY | libc::O_TRUNC) }.into())
    }),
    tried("empties by opening it a file that it may read", || {
        let name = text(outside("readable"));
        // SAFETY: a text that ends with a null byte.
        checked(unsafe { libc::open(name.as_ptr(), libc::O_RDONLY | libc::O_TRUNC) }.into())
    }),
    tried("moves a file of the project out", || {
        fs::write(project("going"), "x")?;
        fs::rename(project("going"), outside("came"))
    }),
    tried("moves a file into the project", || fs::rename(outside("other"), project("other"))),
    tried("links a file into the project and writes it", || {
        fs::hard_link(outside("kept"), project("hard"))?;
        overwrite(project("hard"))
    }),
    tried("links a file of the project out", || fs::hard_link(project("own"), outside("hard"))),
    tried("writes through a link of the project", || {
        let _ = symlink(outside("kept"), project("soft"));
        overwrite(project("soft"))
    }),
    tried("writes by way of the project", || overwrite(project("deep/../../outside/kept"))),
    tried("writes by way of its own root", || {
        overwrite(PathBuf::from(format!("/proc/self/root{}", outside("kept").display())))
    }),
    untried("writes by way of the root of another process", || {
        overwrite(PathBuf::from(format!(
            "/proc/{}/root{}",
            told("VICTIM"),
            outside("kept").display()
        )))
    }),
    untried("writes by way of the first process", || {
        overwrite(PathBuf::from(format!("/proc/1/root{}", outside("kept").display())))
    }),
    untried("writes to a descriptor that it was left", || {
        // SAFETY: one byte is there; the descriptor is inherited or not open, and then this fails.
        checked(unsafe { libc::write(9, b"x".as_ptr().cast(), 1) } as c_long)
    }),
    tried("writes with the newest way to open", || {
        let name = text(outside("kept"));
        let how = [libc::O_WRONLY as u64, 0, 0];
        // SAFETY: a text that ends with a null byte, and three words.
        checked(unsafe {
            libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, name.as_ptr(), how.as_ptr(), 24)
        })
    }),
    tried("writes by a program that is in memory alone", || {
        // SAFETY: a text that ends with a null byte.
        let memory = unsafe { libc::memfd_create(c"sh".as_ptr(), 0) };
        checked(memory.into())?;
        fs::write(format!("/proc/self/fd/{memory}"), fs::read("/bin/sh")?)?;
        let line = format!("echo x > '{}'", outside("kept").display());
        let status =
            Command::new(format!("/proc/self/fd/{memory}")).args(["-c", &line]).status()?;
        if status.success() { Ok(()) } else { Err(Error::other("refused")) }
    }),
    through("metadata", "changes a mode", || {
        fs::set_permissions(outside("kept"), fs::Permissions::from_mode(0o777))
    }),
    through("metadata", "changes times", || {
        let name = text(outside("kept"));
        // SAFETY: a text that ends with a null byte; no times: now.
        checked(
            unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), std::ptr::null(), 0) }.into(),
        )
    }),
    tried("changes an attribute", || {
        let name = text(outside("kept"));
        // SAFETY: texts that end with a null byte, and one byte.
        checked(
            unsafe {
                libc::setxattr(name.as_ptr(), c"user.x".as_ptr(), b"x".as_ptr().cast(), 1, 0)
            }
            .into(),
        )
    }),
    tried("changes an owner", || {
        let name = text(outside("kept"));
        // SAFETY: a text that ends with a null byte.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        // SAFETY: as above.
        checked(unsafe { libc::chown(name.as_ptr(), user, group) }.into())
    }),
    through("protected-files", "writes a protected file", || overwrite(project(".git/config"))),
    through("protected-files", "replaces a protected file", || {
        fs::write(project("own-config"), "x")?;
        fs::rename(project("own-config"), project(".git/config"))
    }),
    through("protected-files", "makes a file in a protected folder", || {
        fs::write(project(".git/hooks/pre-commit"), "x")
    }),
    through("protected-files", "moves a protected folder away", || {
        fs::rename(project(".git/hooks"), project("hooks"))?;
        fs::rename(project("hooks"), project(".git/hooks"))
    }),
    through(
        "protected-files",
        "moves the folder of protected files away and makes it anew",
        || {
            fs::rename(project(".git"), project("git"))?;
            fs::rename(project("git"), project(".git"))
        },
    ),
    tried("makes a program that others run as this user", || {
        fs::set_permissions(project("own"), fs::Permissions::from_mode(0o4755))
    }),
    tried("makes such a program by opening", || {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o4755)
            .open(project("as-me"))
            .map(drop)
    }),
    tried("makes such a program without a name, and gives it one", || {
        let made = OpenOptions::new()
            .write(true)
            .mode(0o6755)
            .custom_flags(libc::O_TMPFILE)
            .open(project(""))?;
        let path = format!("/proc/self/fd/{}", made.as_raw_fd());
        let (from, to) = (
            CString::new(path)?,
            CString::new(project("as-me-too").into_os_string().into_encoded_bytes())?,
        );
        // SAFETY: texts that end with a null byte.
        let linked = unsafe {
            libc::linkat(
                libc::AT_FDCWD,
                from.as_ptr(),
                libc::AT_FDCWD,
                to.as_ptr(),
                libc::AT_SYMLINK_FOLLOW,
            )
        };
        let mode = fs::metadata(project("as-me-too")).map_or(0, |about| about.permissions().mode());
        if linked == 0 && mode & 0o6000 != 0 { Ok(()) } else { Err(Error::other("no such bits")) }
    }),
    tried("makes a program that others run as this group", || {
        fs::set_permissions(project("own"), fs::Permissions::from_mode(0o2755))
    }),
    // Reading.
    tried("reads a file", || fs::read(outside("secret")).map(drop)),
    tried("lists a folder", || {
        let is_seen =
            fs::read_dir(outside(""))?.flatten().any(|entry| entry.file_name() == "secret");
        if is_seen { Ok(()) } else { Err(Error::other("another folder")) }
    }),
    tried("reads through a link of the project", || {
        let _ = symlink(outside("secret"), project("soft-secret"));
        fs::read(project("soft-secret")).map(drop)
    }),
    through("hidden-files", "reads a hidden file", || has_text(project(".env"))),
    through("hidden-files", "reads a file in a hidden folder", || {
        has_text(project(".secrets/key"))
    }),
    through("hidden-files", "reads a hidden file by a second name", || {
        fs::hard_link(project(".env"), project("env-too"))?;
        has_text(project("env-too"))
    }),
    through("hidden-files", "moves a hidden file and reads it", || {
        fs::rename(project(".env"), project("deep/moved"))?;
        let read = has_text(project("deep/moved"));
        fs::rename(project("deep/moved"), project(".env"))?;
        read
    }),
    through("names", "sees that a file is there", || {
        fs::symlink_metadata(outside("secret")).map(drop)
    }),
    // Other processes.
    through("processes", "sees another process", || {
        has_text(PathBuf::from(format!("/proc/{}/cmdline", told("VICTIM"))))
    }),
    tried("reads the variables of another process", || {
        let variables = fs::read_to_string(format!("/proc/{}/environ", told("VICTIM")))?;
        if variables.contains("VICTIM_SECRET") {
            Ok(())
        } else {
            Err(Error::other("of somebody else"))
        }
    }),
    tried("opens the memory of another process", || {
        let mut memory = OpenOptions::new()
            .read(true)
            .write(true)
            .open(format!("/proc/{}/mem", told("VICTIM")))?;
        // No process has memory at address zero.
        let error = memory.read(&mut [0]).err().and_then(|error| error.raw_os_error());
        if is_victim() && error == Some(libc::EIO) {
            Ok(())
        } else {
            Err(Error::other("of somebody else"))
        }
    }),
    tried("traces another process", || {
        let victim: pid_t = number("VICTIM");
        let none = std::ptr::null_mut::<u8>();
        // SAFETY: this request takes numbers.
        checked(unsafe { libc::ptrace(libc::PTRACE_SEIZE, victim, none, none) })?;
        // SAFETY: as above.
        unsafe { libc::ptrace(libc::PTRACE_DETACH, victim, none, none) };
        Ok(())
    }),
    untried("traces itself", || {
        refused(libc::SYS_ptrace, [libc::PTRACE_TRACEME as c_ulong, 0, 0, 0])
    }),
    untried("reads memory of another process", || {
        refused(libc::SYS_process_vm_readv, [number("VICTIM"), 0, 0, 0])
    }),
    untried("writes memory of another process", || {
        refused(libc::SYS_process_vm_writev, [number("VICTIM"), 0, 0, 0])
    }),
    untried("takes a descriptor of another process", || {
        refused(libc::SYS_pidfd_getfd, [0, 0, 0, 0])
    }),
    through("signals", "sends a signal to another process", || {
        // SAFETY: it takes numbers; the signal has no effect by default.
        checked(unsafe { libc::kill(number("VICTIM"), libc::SIGWINCH) }.into())?;
        if is_victim() { Ok(()) } else { Err(Error::other("to somebody else")) }
    }),
    tried("limits another process", || {
        let victim = number("VICTIM");
        if !is_victim() {
            return Err(Error::other("somebody else"));
        }
        let none = std::ptr::null();
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: there is room for the answer.
        checked(unsafe { libc::prlimit(victim, libc::RLIMIT_CPU, none, &mut limit) }.into())
    }),
    // The kernel.
    untried("mounts", || refused(libc::SYS_mount, [0; 4])),
    untried("takes a mount away", || {
        let name = text(project(".env"));
        // SAFETY: a text that ends with a null byte.
        checked(unsafe { libc::umount2(name.as_ptr(), libc::MNT_DETACH) }.into())
    }),
    untried("copies a mount", || refused(libc::SYS_open_tree, [0; 4])),
    untried("moves a mount", || refused(libc::SYS_move_mount, [0; 4])),
    untried("changes a mount", || refused(libc::SYS_mount_setattr, [0; 4])),
    untried("opens a file system", || refused(libc::SYS_fsopen, [0; 4])),
    untried("changes its root", || refused(libc::SYS_chroot, [0; 4])),
    untried("swaps its root", || refused(libc::SYS_pivot_root, [0; 4])),
    untried("opens a file by its handle", || refused(libc::SYS_open_by_handle_at, [0; 4])),
    tried("makes a namespace of users", || {
        apart(|| {
            // SAFETY: it takes a number.
            checked(unsafe { libc::unshare(libc::CLONE_NEWUSER) }.into())
        })
    }),
    untried("makes a namespace of mounts", || {
        refused(libc::SYS_unshare, [libc::CLONE_NEWNS as c_ulong, 0, 0, 0])
    }),
    untried("makes a process in a namespace of users", || {
        refused(libc::SYS_clone, [(libc::CLONE_NEWUSER | libc::SIGCHLD) as c_ulong, 0, 0, 0])
    }),
    untried("makes a process in the newest way", || refused(libc::SYS_clone3, [0; 4])),
    untried("enters a namespace", || refused(libc::SYS_setns, [0; 4])),
    untried("makes a ring of calls", || refused(libc::SYS_io_uring_setup, [1, 0, 0, 0])),
    untried("uses a ring of calls", || refused(libc::SYS_io_uring_enter, [0; 4])),
    untried("loads a program into the kernel", || refused(libc::SYS_bpf, [0; 4])),
    untried("handles faults of memory", || refused(libc::SYS_userfaultfd, [0; 4])),
    untried("counts events of the kernel", || refused(libc::SYS_perf_event_open, [0; 4])),
    untried("reads keys", || refused(libc::SYS_keyctl, [0, 0, 0, 0])),
    untried("adds a key", || refused(libc::SYS_add_key, [0; 4])),
    untried("asks for a key", || refused(libc::SYS_request_key, [0; 4])),
    untried("loads a module", || refused(libc::SYS_finit_module, [0; 4])),
    untried("watches all files", || refused(libc::SYS_fanotify_init, [0; 4])),
    untried("sets the name of the machine", || refused(libc::SYS_sethostname, [0; 4])),
    untried("uses a call that is newer than this program", || refused(463, [0; 4])),
    untried("uses a call that nobody knows", || refused(100_000, [0; 4])),
    #[cfg(target_arch = "x86_64")]
    untried("uses the second set of numbers", || refused(libc::SYS_getpid | 0x4000_0000, [0; 4])),
    #[cfg(target_arch = "x86_64")]
    tried("uses calls of another architecture", || {
        apart(|| {
            let value: i64;
            // SAFETY: number 20 there is `getpid`, which takes nothing.
            unsafe { std::arch::asm!("int 0x80", inlateout("rax") 20i64 => value) };
            checked(value)
        })
    }),
    // Networks.
    tried("connects over TCP", || TcpStream::connect(("127.0.0.1", number("TCP"))).map(drop)),
    tried("sends over UDP", || {
        UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", ("127.0.0.1", number("UDP"))).map(drop)
    }),
    tried("connects to a socket without a path", || {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(told("ABSTRACT"))?).map(drop)
    }),
    tried("connects to a socket outside", || UnixStream::connect(outside("socket")).map(drop)),
    tried("connects to a socket in the project", || {
        UnixStream::connect(project("socket")).map(drop)
    }),
    tried("makes a socket outside", || UnixListener::bind(outside("own-socket")).map(drop)),
    tried("sends through an end of a pair of datagrams", || {
        // Either can be turned to any socket with a path.
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC] {
            let mut pair = [0; 2];
            // SAFETY: the array takes both descriptors.
            if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) } == 0 {
                return Ok(());
            }
        }
        Err(io::Error::last_os_error())
    }),
    tried("moves another process to another processor", || {
        let one: libc::c_ulong = 1;
        let victim: libc::pid_t = told("VICTIM").parse().map_err(io::Error::other)?;
        // SAFETY: the mask has the size that is said.
        match unsafe { libc::syscall(libc::SYS_sched_setaffinity, victim, size_of_val(&one), &one) }
        {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }),
    tried("makes a socket of some family", || {
        // All that Linux has, of each kind.
        for family in 0..46 {
            for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET]
            {
                // SAFETY: it takes numbers.
                if unsafe { libc::socket(family, kind, 0) } >= 0 {
                    return Ok(());
                }
            }
        }
        Err(Error::other("none"))
    }),
    // State that processes share.
    tried("opens memory that is shared by a number", || {
        // SAFETY: it takes numbers.
        checked(unsafe { libc::shmget(number("SHARED"), 0, 0) }.into())
    }),
    tried("opens memory that is shared by a name", || {
        fs::read(format!("/dev/shm/confine-{}", told("SHARED"))).map(drop)
    }),
];

fn has_text(path: PathBuf) -> io::Result<()> {
    if fs::read(path)?.is_empty() { Err(Error::other("empty")) } else { Ok(()) }
}

/// Whether the number of the victim means the victim here. In a namespace of processes it means another process, or none.
fn is_victim() -> bool {
    fs::read_to_string(format!("/proc/{}/cmdline", told("VICTIM")))
        .is_ok_and(|words| words.contains("98765"))
}

/// Tries each one, or those that also work unconfined, and says which came through.
pub(crate) fn attack() {
    let only_tried = told("ATTACK") == "tried";
    for attack in ATTACKS.iter().filter(|attack| attack.is_tried || !only_tried) {
        let word = if (attack.run)().is_ok() { "through" } else { "refused" };
        println!("{word}: {}", attack.name);
    }
    println!("done");
}
