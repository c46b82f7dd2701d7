//! An oracle for options: command lines of one program each, judged as users get them; allowed ones run under strace,
//! and all that it opens, changes, executes or connects to must be covered by the verdict.
//!
//! - [`targets`]: the programs and commands, and the options that they have or say that they have
//! - [`lines`]: command lines from them
//! - [`judge`]: the policy, and the files and programs that a verdict mentions
//! - [`world`]: the files among which the lines run
//! - [`inside`]: the process in namespaces of its own that judges, runs and compares
//! - [`tracer`]: strace over one line after the other
//! - [`effects`]: the effects of a line, read from the output of strace
//! - [`known`]: effects that do not count as differences, by explicit lists
//! - [`compare`]: the effects of a line against its verdict
//! - [`tally`]: the results of lines, in numbers
//! - [`campaign`]: all programs over several such processes

pub mod campaign;
pub mod compare;
pub mod effects;
#[cfg(target_os = "linux")]
pub mod inside;
pub mod judge;
pub mod known;
pub mod lines;
#[cfg(target_os = "linux")]
mod mounts;
pub mod tally;
pub mod targets;
#[cfg(target_os = "linux")]
pub mod tracer;
pub mod world;

/// The oracle's own roles among namespaces: `options-sandbox`, `options-init` and `options-driver`.
///
/// # Errors
/// When the kernel does not allow it.
#[cfg(target_os = "linux")]
pub fn serve(role: &str) -> std::io::Result<()> {
    match role {
        "options-sandbox" => inside::enter(),
        "options-init" => inside::begin(),
        _ => tracer::drive(),
    }
}

/// The oracle's own roles among namespaces.
///
/// # Errors
/// Always: there are namespaces only on Linux.
#[cfg(not(target_os = "linux"))]
pub fn serve(_role: &str) -> std::io::Result<()> {
    Err(std::io::Error::other("there are namespaces only on Linux"))
}
