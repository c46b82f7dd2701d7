//! Namespaces: a user, mounts, processes, IPC and a network of the command's own.

use std::fs;
use std::io;

use libc::c_int;

use crate::sys;

/// The namespaces of a confined command. That of the host name is among them, so that it cannot be set for the whole machine.
pub(crate) const ALL: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWUTS;

/// The users that are mapped into the namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserMapping {
    /// All users, by the same numbers as outside: root started the command.
    All,
    /// The user who started the command.
    One,
}

/// Maps the users of a process in a new user namespace, from outside of it.
///
/// Each user keeps the same number, so that files keep their owners. Root needs all users: without that, the files of other users
/// would have no owner for it, as in a container with a project of another user.
pub(crate) fn map_users(process: libc::pid_t) -> io::Result<UserMapping> {
    let place = format!("/proc/{process}");
    let write_all = || -> io::Result<()> {
        fs::write(format!("{place}/uid_map"), identity("/proc/self/uid_map")?)?;
        fs::write(format!("{place}/gid_map"), identity("/proc/self/gid_map")?)
    };
    let (user, group) = sys::ids();
    if user == 0 && write_all().is_ok() {
        return Ok(UserMapping::All);
    }
    fs::write(format!("{place}/setgroups"), "deny")?;
    fs::write(format!("{place}/uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(format!("{place}/gid_map"), format!("{group} {group} 1\n"))?;
    Ok(UserMapping::One)
}

/// A map that leaves each number as it is here.
fn identity(of: &str) -> io::Result<String> {
    let mut lines = String::new();
    for line in fs::read_to_string(of)?.lines() {
        if let [first, _, count] = *line.split_whitespace().collect::<Vec<_>>() {
            lines.push_str(&format!("{first} {first} {count}\n"));
        }
    }
    Ok(lines)
}
