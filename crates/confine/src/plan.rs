//! The launch plan: the rights of a command, as the caller writes them down.

use std::path::PathBuf;

use serde::Deserialize;

use crate::report::EnforcementGap;

/// The command and its rights. Everything that is not in the plan is forbidden.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LaunchPlan {
    /// The program and its arguments. A name without a slash is looked for in the kept `PATH`.
    pub command: Vec<String>,
    /// Its working directory: an absolute path that it may read.
    pub cwd: PathBuf,
    /// Files and folders that it may read and execute, with all that is below. One that does not exist is left out.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// Files and folders that it may also change, make and remove.
    #[serde(default)]
    pub write: Vec<PathBuf>,
    /// Those of `read` and `write` that lie just there: one with a symlink on its way is left out. On the way to others, no symlink
    /// is followed that stands where the command may write.
    #[serde(default)]
    pub exact: Vec<PathBuf>,
    /// Files and folders below those that it may read and not change. Only a mount namespace holds it.
    #[serde(default)]
    pub protect: Vec<PathBuf>,
    /// Files and folders below those that it may not even read. Only a mount namespace holds it.
    #[serde(default)]
    pub hide: Vec<PathBuf>,
    /// Folders that are empty at first, writable and gone afterwards, beside `/tmp`. Only a mount namespace gives them.
    #[serde(default)]
    pub private: Vec<PathBuf>,
    /// A folder to use as `/tmp`, instead of one that goes with the call.
    #[serde(default)]
    pub temporary: Option<PathBuf>,
    /// Its access to the network.
    #[serde(default)]
    pub network: NetworkAccess,
    /// Whether it may use sockets with a path, below `read`. Only a mount namespace keeps the other sockets out of sight.
    #[serde(default)]
    pub local_sockets: bool,
    /// The names of the variables that it gets. `TMPDIR` is ours.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Limits of resources.
    #[serde(default)]
    pub limits: ResourceLimits,
    /// A descriptor for lines of JSON about the sandbox, never about the command.
    #[serde(default)]
    pub status: Option<i32>,
    /// Refuse to run when one of these is not held.
    #[serde(default)]
    pub demand: EnforcementDemand,
    /// Use no more of Landlock than this version of it has. For tests.
    #[serde(default)]
    pub abi: Option<u8>,
    /// Use no namespaces, where the report finds none. Otherwise nothing is run if they fail.
    #[serde(default)]
    pub without_namespaces: bool,
    /// The gaps that the caller accepts. With any other gap, nothing is run; `null`: the demand alone counts.
    #[serde(default)]
    pub open: Option<Vec<EnforcementGap>>,
}

impl LaunchPlan {
    /// Reads a plan, and checks the rules that its types do not hold.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let plan: Self =
            serde_json::from_str(text).map_err(|error| format!("this is not a plan: {error}"))?;
        if plan.command.is_empty() {
            return Err("the plan names no command".into());
        }
        let paths =
            [&plan.read, &plan.write, &plan.exact, &plan.protect, &plan.hide, &plan.private]
                .into_iter()
                .flatten();
        let socket = match &plan.network {
            NetworkAccess::Proxy { socket, .. } => socket.as_ref(),
            _ => None,
        };
        for path in paths.chain(&plan.temporary).chain(socket).chain([&plan.cwd]) {
            if !path.is_absolute() {
                return Err(format!("{} is not an absolute path", path.display()));
            }
        }
        let everything = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *"/");
        if plan.write.iter().chain(&plan.temporary).any(everything) {
            return Err("a plan that lets everything be written confines nothing".into());
        }
        Ok(plan)
    }
}

/// The access of the command to the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum NetworkAccess {
    /// Nothing: there is no socket of an internet family.
    #[default]
    None,
    /// The loopback device of a network of its own.
    Loopback,
    /// This port of 127.0.0.1, behind which the caller's proxy is, and itself.
    ///
    /// Without namespaces there is no 127.0.0.1 of its own: then it reaches this port, and nothing else of TCP.
    Proxy {
        /// The port.
        port: u16,
        /// The socket with a path on which the proxy listens; without it, it listens on the same port out here. Only with namespaces.
        #[serde(default)]
        socket: Option<PathBuf>,
        /// The number of that socket's file, in decimal. Where another one is there by now, nothing is run.
        #[serde(default)]
        inode: Option<String>,
    },
}

/// Limits of resources. An absent limit stays as it is.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResourceLimits {
    /// Processes of this user, those outside included where there is no namespace of users.
    pub processes: Option<u64>,
    /// Bytes of address space for each process.
    pub memory: Option<u64>,
    /// Bytes of each file that is written.
    pub file_size: Option<u64>,
    /// Open descriptors of each process.
    pub open_files: Option<u64>,
}

/// The enforcement that the command needs: with less, it does not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum EnforcementDemand {
    /// Landlock and seccomp. Gaps are reported.
    #[default]
    Walls,
    /// Everything: no gap may be left.
    Whole,
}
