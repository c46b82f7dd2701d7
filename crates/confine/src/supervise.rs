//! Waits for a process, hands signals on to it, and ends the processes that it leaves. It ends with its caller.

use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::sys;

/// The signals that are handed on; with that of children, which says that something ended.
pub(crate) const SIGNALS: &[c_int] = &[
    libc::SIGCHLD,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
    libc::SIGCONT,
    CALLER_ENDED,
];

/// What this process sends itself once its caller is gone. It is not handed on: the command ends at once.
const CALLER_ENDED: c_int = libc::SIGIO;

/// How many ended children are reaped before the remaining ones are killed again.
const REAPED: usize = 256;

/// How long the processes that a command leaves are hunted, where no namespace ends them.
const CHASE: Duration = Duration::from_secs(10);

/// Ends the command when the caller does, in any way: the other end of its status descriptor is closed then. Without one there is
/// nothing to tell it by.
///
/// Only after the last [`sys::split`]: from here on this process has two threads.
pub(crate) fn end_with_caller(status: Option<RawFd>) -> io::Result<()> {
    let Some(status) = status else { return Ok(()) };
    let status = sys::inherited(status)?;
    let own = std::process::id() as pid_t;
    let watch = move || {
        // Where that cannot be told any more, the command does not go on either.
        let _ = sys::wait_for_hang_up(&status);
        sys::signal(own, CALLER_ENDED);
    };
    thread::Builder::new().spawn(watch).map(drop)
}

/// Waits for this child, which leads a group of its own or has a process in it that does. Its status as `waitpid` gives it.
pub(crate) fn wait_for(child: pid_t) -> io::Result<c_int> {
    loop {
        match sys::next_signal(SIGNALS) {
            Ok(libc::SIGCHLD) => {
                while let Some((ended, status)) = sys::ended_child(false)? {
                    if ended == child {
                        return Ok(status);
                    }
                }
            }
            Ok(CALLER_ENDED) => {
                sys::signal(child, libc::SIGKILL);
            }
            // It has no group yet, or is another one that hands on.
            Ok(signal) => {
                let _ = sys::signal(-child, signal) || sys::signal(child, signal);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Ends all that is left below this process, which adopts the orphans there. Says whether nothing is left.
pub(crate) fn end_all() -> bool {
    let until = Instant::now() + CHASE;
    while Instant::now() < until {
        // Not all ended ones at once: a process that forks faster than this must not keep the others alive.
        for _ in 0..REAPED {
            match sys::ended_child(false) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => return error.raw_os_error() == Some(libc::ECHILD),
            }
        }
        for process in below(std::process::id() as pid_t) {
            sys::signal(process, libc::SIGKILL);
        }
        sleep(Duration::from_millis(1));
    }
    false
}

/// All processes below this one, as far as they can be seen in one look.
fn below(root: pid_t) -> Vec<pid_t> {
    let mut pairs = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<pid_t>().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name of a program is in brackets and may contain anything, even brackets.
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<pid_t>().ok());
        if let Some(parent) = parent {
            pairs.push((process, parent));
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(pairs.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.split_off(1)
}
