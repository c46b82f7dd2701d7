//! Namespaces of their own: the oracles run their tests where they can do no harm.

use std::ffi::OsStr;
use std::io;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};

/// Enters new ones, starts this program with these words as the init of them, and ends as it ends.
///
/// # Errors
/// When the kernel does not allow it.
pub(crate) fn enter(words: &[&OsStr]) -> io::Result<()> {
    let (uid, gid) = (getuid(), getgid());
    unshare(
        CloneFlags::CLONE_NEWUSER
            | CloneFlags::CLONE_NEWNS
            | CloneFlags::CLONE_NEWPID
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWIPC
            | CloneFlags::CLONE_NEWUTS,
    )
    .map_err(|errno| io::Error::other(format!("namespaces are not allowed here ({errno})")))?;
    map("/proc", &format!("0 {uid} 1"), &format!("0 {gid} 1"))?;
    let status = Command::new(std::env::current_exe()?).args(words).status()?;
    std::process::exit(status.code().unwrap_or(1))
}

/// Gives up all rights over them: a second user namespace without a root user. `proc` is a `/proc` that can be written.
///
/// # Errors
/// When the kernel does not allow it.
pub(crate) fn give_up_rights(proc: &str) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWUSER)?;
    map(proc, "1000 0 1", "1000 0 1")?;
    nix::sys::prctl::set_no_new_privs()?;
    Ok(())
}

fn map(proc: &str, uid: &str, gid: &str) -> io::Result<()> {
    std::fs::write(format!("{proc}/self/setgroups"), "deny")?;
    std::fs::write(format!("{proc}/self/uid_map"), uid)?;
    std::fs::write(format!("{proc}/self/gid_map"), gid)
}
