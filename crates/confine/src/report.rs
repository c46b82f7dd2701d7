//! What is held, and what is not. Nothing is claimed that is not held.

use serde::{Deserialize, Serialize};

/// Something that a plan forbids and this kernel does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is confined there"))]
pub(crate) enum Hole {
    /// Hidden files inside of what may be read can be read.
    HiddenFiles,
    /// Protected files inside of what may be changed can be changed.
    ProtectedFiles,
    /// There are no private folders but the temporary one.
    PrivateFolders,
    /// Names, sizes and times of files outside can be seen.
    Names,
    /// The mode and the times of the user's own files outside can be changed, their contents cannot.
    Metadata,
    /// Other processes can be seen: names and arguments.
    Processes,
    /// Other processes of the user can be sent signals.
    Signals,
    /// What the command leaves runs on when the launcher is killed outright.
    Orphans,
    /// The port of the proxy can be connected to at any address, and not at this machine's alone.
    ProxyPort,
    /// Sockets with a path that others open later, in what may be read, can be connected to.
    LocalSockets,
}

/// What this kernel gives.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether anything can be confined here.
    pub supported: bool,
    /// The version of Landlock; 0: none.
    pub landlock: u8,
    /// The access rights of newer versions that this one does not hold by itself.
    pub landlock_lacks: Vec<&'static str>,
    /// Filters of system calls.
    pub seccomp: bool,
    /// Namespaces of users, mounts, processes, networks and IPC, all of them.
    pub namespaces: bool,
    /// Why there are no namespaces.
    pub no_namespaces: Option<String>,
    /// What a plan that uses everything leaves open here.
    pub open: Vec<Hole>,
}

impl Report {
    /// Where nothing is confined.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn unsupported() -> Self {
        Self {
            supported: false,
            landlock: 0,
            landlock_lacks: Vec::new(),
            seccomp: false,
            namespaces: false,
            no_namespaces: None,
            open: Vec::new(),
        }
    }
}

/// A line on the status descriptor.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is confined there"))]
pub(crate) enum Line<'a> {
    /// The walls stand, and the command starts.
    Confined {
        /// The version of Landlock that is used.
        landlock: u8,
        /// Whether there are namespaces.
        namespaces: bool,
        /// Why there are none.
        no_namespaces: Option<&'a str>,
        /// What is not held.
        open: &'a [Hole],
    },
    /// Nothing was run.
    Failed {
        /// Why.
        reason: &'a str,
    },
}
