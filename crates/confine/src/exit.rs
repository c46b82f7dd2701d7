//! The exit codes that are ours. The command's own may be the same: the status descriptor of the plan tells them apart.

/// A wall could not be put up, this system has none, or the plan is not one. Nothing was run.
pub(crate) const NOT_CONFINED: u8 = 125;
/// The command is there and could not be started.
#[cfg(target_os = "linux")]
pub(crate) const NOT_STARTED: u8 = 126;
/// There is no such command.
#[cfg(target_os = "linux")]
pub(crate) const NOT_FOUND: u8 = 127;
