//! `countersign-confine`: runs a command so that it can do what its plan says, and nothing else.
//!
//! ```text
//! countersign-confine run PIECE…      the plan as JSON, in one piece or in several (an argument is 128 KiB at most)
//! countersign-confine run --fd N      the plan as JSON, read from a descriptor to its end
//! countersign-confine report          the support of this kernel, as JSON
//! ```
//!
//! Of the modules, `plan` is the request; `report` is the support and the gaps; `resolve` resolves the paths of the plan;
//! `spaces`, `tree`, `files` and `calls` are the walls (namespaces, mounts, Landlock, seccomp); `inner` puts them up around the
//! command, in this order; `outer` and `supervise` wait for it, hand on signals and end the processes that it leaves; `sys` is
//! the one module that talks to the kernel.

mod exit;
#[cfg(target_os = "linux")]
mod plan;
mod report;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod carry;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod inner;
#[cfg(target_os = "linux")]
mod outer;
#[cfg(target_os = "linux")]
mod resolve;
#[cfg(target_os = "linux")]
mod spaces;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "system calls that no safe crate of ours wraps; each one says why it is sound"
)]
mod sys;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(all(test, target_os = "linux"))]
mod typescript;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    outer::main()
}

/// Reports that nothing is confined here. A caller must not go on without it.
#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    use std::io::Write;
    if std::env::args().nth(1).as_deref() == Some("report") {
        let report = report::SupportReport::unsupported();
        let text = serde_json::to_string(&report).unwrap_or_default();
        let _ = writeln!(std::io::stdout(), "{text}");
        return std::process::ExitCode::SUCCESS;
    }
    let _ = writeln!(std::io::stderr(), "countersign-confine: not supported on this system");
    std::process::ExitCode::from(exit::NOT_CONFINED)
}
