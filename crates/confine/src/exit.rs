//! The exit codes that are ours. The command's own may be the same: the status descriptor of the plan tells them apart.

/// This system confines nothing. Nothing was run.
pub(crate) const NOT_SUPPORTED: u8 = 124;
/// A wall could not be put up, or the plan is not one. Nothing was run.
#[cfg(target_os = "linux")]
pub(crate) const NOT_CONFINED: u8 = 125;
/// The command is there and could not be started.
#[cfg(target_os = "linux")]
pub(crate) const NOT_STARTED: u8 = 126;
/// There is no such command.
#[cfg(target_os = "linux")]
pub(crate) const NOT_FOUND: u8 = 127;
