//! What a command may do, as the caller writes it down.

use std::path::PathBuf;

use serde::Deserialize;

use crate::report::Hole;

/// What a command may do. All that is not in it, it may not.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Plan {
    /// The program and its arguments. A name without a slash is looked for in the kept `PATH`.
    pub command: Vec<String>,
    /// Where it starts: an absolute path that it may read.
    pub cwd: PathBuf,
    /// Files and folders that it may read and execute, with all that is below. One that is not there is left out.
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
    /// What it reaches of the network.
    #[serde(default)]
    pub network: Network,
    /// Sockets with a path, in what it may read. Only where a mount namespace keeps the others out of sight.
    #[serde(default)]
    pub local_sockets: bool,
    /// The names of the variables that it gets. `TMPDIR` is ours.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Limits of resources.
    #[serde(default)]
    pub limits: Limits,
    /// A descriptor for lines of JSON about the sandbox, never about what the command did.
    #[serde(default)]
    pub status: Option<i32>,
    /// Refuse to run when one of these is not held.
    #[serde(default)]
    pub demand: Demand,
    /// Use no more of Landlock than this version of it has. For tests.
    #[serde(default)]
    pub abi: Option<u8>,
    /// Use no namespaces, where the report says that there are none. Without it, what fails in them is never run without them.
    #[serde(default)]
    pub without_namespaces: bool,
    /// What the caller knows to stay open. Where anything else does, nothing is run; `null`: the demand alone counts.
    #[serde(default)]
    pub open: Option<Vec<Hole>>,
}

impl Plan {
    /// Reads a plan, and checks what its types do not say.
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
            Network::Proxy { socket, .. } => socket.as_ref(),
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

/// What is reached of the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Network {
    /// Nothing: there is no socket of an internet family.
    #[default]
    None,
    /// Itself alone: a network that nothing else is in.
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

/// Limits of resources; what is absent stays as it is.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Limits {
    /// Processes of this user, those outside included where there is no namespace of users.
    pub processes: Option<u64>,
    /// Bytes of address space for each process.
    pub memory: Option<u64>,
    /// Bytes of each file that is written.
    pub file_size: Option<u64>,
    /// Open descriptors of each process.
    pub open_files: Option<u64>,
}

/// How much must be held for the command to run at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Demand {
    /// Landlock and seccomp; the report says what they leave open.
    #[default]
    Walls,
    /// Everything: nothing may be left open.
    Whole,
}
