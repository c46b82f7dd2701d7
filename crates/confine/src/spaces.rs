//! Namespaces: a user, mounts, processes, IPC and a network of the command's own.

use std::fs;
use std::io;

use libc::c_int;

use crate::sys;

/// All that a confined command gets of its own. The name of the host is among them, so that none can be set for all.
pub(crate) const ALL: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWUTS;

/// Which users there are inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Users {
    /// All that there are outside, by the same numbers: root started it.
    All,
    /// The one who started it.
    One,
}

/// Says who is who for a process in a new user namespace, from outside of it.
///
/// Everybody keeps the number that they have, so that files belong to whom they belonged before. Root needs all users, or the files
/// of others were nobody's to it, as in a container with a project that belongs to somebody else.
pub(crate) fn map_users(process: libc::pid_t) -> io::Result<Users> {
    let place = format!("/proc/{process}");
    let write_all = || -> io::Result<()> {
        fs::write(format!("{place}/uid_map"), identity("/proc/self/uid_map")?)?;
        fs::write(format!("{place}/gid_map"), identity("/proc/self/gid_map")?)
    };
    let (user, group) = sys::ids();
    if user == 0 && write_all().is_ok() {
        return Ok(Users::All);
    }
    fs::write(format!("{place}/setgroups"), "deny")?;
    fs::write(format!("{place}/uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(format!("{place}/gid_map"), format!("{group} {group} 1\n"))?;
    Ok(Users::One)
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
