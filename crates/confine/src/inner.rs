//! The inner process: it sets up the walls around itself and becomes the command.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::calls::{self, FilterContext};
use crate::files::{self, PathAccess};
use crate::plan::{EnforcementDemand, LaunchPlan, NetworkAccess};
use crate::report::{EnforcementGap, StatusLine};
use crate::spaces::UserMapping;
use crate::{exit, sys};

/// The plan of a command and its surroundings, as the walls of the inner process need them.
pub(crate) struct CommandSetup<'a> {
    pub plan: &'a LaunchPlan,
    /// The version of Landlock to use.
    pub landlock: u8,
    /// The users in its namespaces; `None`: there are no namespaces.
    pub users: Option<UserMapping>,
    /// Why there are no namespaces.
    pub no_namespaces: Option<&'a str>,
    /// The accesses that Landlock grants, by path.
    pub rules: Vec<(PathBuf, PathAccess)>,
    /// Whether processes of others can be seen.
    pub sees_processes: bool,
    /// Where temporary files belong.
    pub temporary: &'a Path,
}

impl CommandSetup<'_> {
    /// The port of the proxy, if there is one.
    fn port(&self) -> Option<u16> {
        match self.plan.network {
            NetworkAccess::Proxy { port, .. } => Some(port),
            NetworkAccess::None | NetworkAccess::Loopback => None,
        }
    }
}

/// The capabilities over visible files that root keeps: files of other users may be among them, as in a container.
const OVER_FILES: &[u32] = &[
    CAP_CHOWN,
    CAP_DAC_OVERRIDE,
    CAP_DAC_READ_SEARCH,
    CAP_FOWNER,
    CAP_FSETID,
    CAP_SETGID,
    CAP_SETUID,
];
/// The same where owners and modes of files out of sight would be within reach.
const OVER_CONTENTS: &[u32] = &[CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH];
const CAP_CHOWN: u32 = 0;
const CAP_DAC_OVERRIDE: u32 = 1;
const CAP_DAC_READ_SEARCH: u32 = 2;
const CAP_FOWNER: u32 = 3;
const CAP_FSETID: u32 = 4;
const CAP_SETGID: u32 = 6;
const CAP_SETUID: u32 = 7;

/// Becomes the command, or reports the failure.
pub(crate) fn become_command(setup: &CommandSetup<'_>) -> ! {
    let reason = match confine(setup) {
        Ok(()) => {
            let (code, reason) = start(setup.plan, setup.temporary);
            fail(setup.plan, code, &reason)
        }
        Err(reason) => reason,
    };
    fail(setup.plan, exit::NOT_CONFINED, &reason)
}

/// Reports on stderr and on the status descriptor that nothing was run, and ends.
pub(crate) fn fail(plan: &LaunchPlan, code: u8, reason: &str) -> ! {
    let _ = writeln!(io::stderr(), "countersign-confine: {reason}");
    tell(plan, &StatusLine::Failed { reason });
    sys::end(code)
}

/// The gaps that this system leaves in the plan.
pub(crate) fn gaps(setup: &CommandSetup<'_>) -> Vec<EnforcementGap> {
    let plan = setup.plan;
    let mut open = Vec::new();
    let mut note = |gap, is_open: bool| {
        if is_open {
            open.push(gap);
        }
    };
    let has_namespaces = setup.users.is_some();
    note(EnforcementGap::HiddenFiles, !has_namespaces && !plan.hide.is_empty());
    note(EnforcementGap::ProtectedFiles, !has_namespaces && !plan.protect.is_empty());
    note(EnforcementGap::PrivateFolders, !has_namespaces && !plan.private.is_empty());
    note(EnforcementGap::Names, !has_namespaces);
    note(EnforcementGap::Metadata, !has_namespaces);
    note(EnforcementGap::Processes, !has_namespaces || setup.sees_processes);
    note(EnforcementGap::Signals, !has_namespaces && setup.landlock < 6);
    note(EnforcementGap::Orphans, !has_namespaces);
    note(EnforcementGap::ProxyPort, !has_namespaces && setup.port().is_some());
    note(EnforcementGap::LocalSockets, has_namespaces && plan.local_sockets);
    open
}

fn confine(setup: &CommandSetup<'_>) -> Result<(), String> {
    let told = |what: &str, error: io::Error| format!("{what}: {error}");
    let CommandSetup { plan, landlock, users, .. } = *setup;
    let open = gaps(setup);
    if plan.demand == EnforcementDemand::Whole && !open.is_empty() {
        let names = serde_json::to_string(&open).unwrap_or_default();
        return Err(format!("this system does not hold everything that is forbidden: {names}"));
    }
    if let Some(known) = &plan.open {
        let more: Vec<&EnforcementGap> = open.iter().filter(|gap| !known.contains(gap)).collect();
        if !more.is_empty() {
            let names = serde_json::to_string(&more).unwrap_or_default();
            return Err(format!("more stays open here than was said before: {names}"));
        }
    }
    let port = setup.port();
    if plan.network != NetworkAccess::None && users.is_none() && (port.is_none() || landlock < 4) {
        return Err(
            "a network of its own needs a namespace, which this system does not give, or Landlock 4 for a proxy alone".into()
        );
    }
    sys::new_session().map_err(|error| told("no session of its own", error))?;
    detach_terminals().map_err(|error| told("a terminal stays within reach", error))?;
    limit(plan).map_err(|error| told("a limit cannot be set", error))?;
    let kept = if users == Some(UserMapping::All) { OVER_FILES } else { OVER_CONTENTS };
    sys::keep_capabilities(if sys::ids().0 == 0 { kept } else { &[] })
        .map_err(|error| told("capabilities cannot be given up", error))?;
    sys::no_new_privileges().map_err(|error| told("rights could be gained", error))?;
    env::set_current_dir(&plan.cwd)
        .map_err(|error| told(&format!("{} cannot be entered", plan.cwd.display()), error))?;
    // In a network of its own there is nothing to forbid.
    files::confine(landlock, &setup.rules, port.filter(|_| users.is_none()))?;
    sys::inherit_nothing().map_err(|error| told("descriptors stay open", error))?;
    calls::confine(FilterContext {
        namespaces: users.is_some(),
        landlock,
        network: plan.network != NetworkAccess::None,
        local_sockets: plan.local_sockets,
    })?;
    let namespaces = users.is_some();
    let no_namespaces = setup.no_namespaces;
    tell(plan, &StatusLine::Confined { landlock, namespaces, no_namespaces, open: &open });
    Ok(())
}

/// Writes a line on the status descriptor, if it is open.
fn tell(plan: &LaunchPlan, line: &StatusLine<'_>) {
    let Some(Ok(status)) = plan.status.map(sys::inherited) else { return };
    let Ok(own) = status.try_clone_to_owned() else { return };
    let text = serde_json::to_string(line).unwrap_or_default();
    // A caller that closed the descriptor does not need the line.
    let _ = writeln!(std::fs::File::from(own), "{text}");
}

/// A terminal that is handed on may be written to: but input that is typed there is not for the command.
fn detach_terminals() -> io::Result<()> {
    if sys::is_terminal(0) {
        sys::replace(0, &OpenOptions::new().read(true).open("/dev/null")?)?;
    }
    for number in [1, 2] {
        if !sys::is_terminal(number) {
            continue;
        }
        // It is another terminal's number in the `/dev` of a new root, and then it leads nowhere.
        let again = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NOCTTY)
            .open(format!("/proc/self/fd/{number}"));
        sys::replace(number, &again?)?;
    }
    Ok(())
}

fn limit(plan: &LaunchPlan) -> io::Result<()> {
    let limits = plan.limits;
    let known = [
        (libc::RLIMIT_CORE, Some(0)),
        (libc::RLIMIT_NPROC, limits.processes),
        (libc::RLIMIT_AS, limits.memory),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_NOFILE, limits.open_files),
    ];
    known
        .into_iter()
        .filter_map(|(resource, most)| Some((resource, most?)))
        .try_for_each(|(r, most)| sys::limit(r, most))
}

/// Starts the command, with the variables that it gets; comes back when it cannot be.
fn start(plan: &LaunchPlan, temporary: &Path) -> (u8, String) {
    let Some((program, arguments)) = plan.command.split_first() else {
        return (exit::NOT_STARTED, "there is no command".into());
    };
    if let Err(error) = sys::release_signals() {
        return (exit::NOT_STARTED, format!("signals stay held back: {error}"));
    }
    let kept = env::vars_os()
        .filter(|(name, _)| plan.environment.iter().any(|kept| name == kept.as_str()));
    let error = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(kept)
        .env("TMPDIR", temporary)
        .exec();
    let code =
        if error.kind() == io::ErrorKind::NotFound { exit::NOT_FOUND } else { exit::NOT_STARTED };
    (code, format!("{program}: {error}"))
}
