//! The support of this system, its gaps, and the lines on the status descriptor. Nothing is reported as held that is not.

use serde::{Deserialize, Serialize};

/// A gap: something that a plan forbids and this kernel does not enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is confined there"))]
pub(crate) enum EnforcementGap {
    /// Hidden files below readable folders can be read.
    HiddenFiles,
    /// Protected files below writable folders can be changed.
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
    /// Processes that the command leaves go on when the launcher is killed by `SIGKILL`.
    Orphans,
    /// The port of the proxy can be connected to at any address, and not at this machine's alone.
    ProxyPort,
    /// Sockets with a path that others open later, below readable folders, can be connected to.
    LocalSockets,
}

/// The support of this kernel: which walls it has, and which gaps they leave.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SupportReport {
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
    /// The gaps that it leaves in a plan that uses everything.
    pub open: Vec<EnforcementGap>,
}

impl SupportReport {
    /// The report of a system on which nothing can be confined.
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
pub(crate) enum StatusLine<'a> {
    /// The walls are up, and the command starts.
    Confined {
        /// The version of Landlock that is used.
        landlock: u8,
        /// Whether there are namespaces.
        namespaces: bool,
        /// Why there are no namespaces.
        no_namespaces: Option<&'a str>,
        /// The gaps that are left.
        open: &'a [EnforcementGap],
    },
    /// Nothing was run.
    Failed {
        /// The reason.
        reason: &'a str,
    },
}
