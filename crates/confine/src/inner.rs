//! What happens on the inside: the walls are put up around the process that becomes the command.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::calls::{self, Around};
use crate::files::{self, Reach};
use crate::plan::{Demand, Network, Plan};
use crate::report::{Hole, Line};
use crate::spaces::Users;
use crate::{exit, sys};

/// What stands around the command when its own walls are put up.
pub(crate) struct Setting<'a> {
    pub plan: &'a Plan,
    /// The version of Landlock to use.
    pub landlock: u8,
    /// Whether there are namespaces, and who is in them.
    pub users: Option<Users>,
    /// Why there are none.
    pub no_namespaces: Option<&'a str>,
    /// What may be done with which paths.
    pub rules: Vec<(PathBuf, Reach)>,
    /// Whether processes of others can be seen.
    pub sees_processes: bool,
    /// Where temporary files belong.
    pub temporary: &'a Path,
}

impl Setting<'_> {
    /// The port of the proxy, if there is one.
    fn port(&self) -> Option<u16> {
        match self.plan.network {
            Network::Proxy { port, .. } => Some(port),
            Network::None | Network::Loopback => None,
        }
    }
}

/// What root keeps of its power over the files in sight: those of others may be among them, as in a container.
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

/// Becomes the command, or says why it does not.
pub(crate) fn become_command(setting: &Setting<'_>) -> ! {
    let reason = match confine(setting) {
        Ok(()) => {
            let (code, reason) = start(setting.plan, setting.temporary);
            fail(setting.plan, code, &reason)
        }
        Err(reason) => reason,
    };
    fail(setting.plan, exit::NOT_CONFINED, &reason)
}

/// Says on both ways that nothing was run, and ends.
pub(crate) fn fail(plan: &Plan, code: u8, reason: &str) -> ! {
    let _ = writeln!(io::stderr(), "countersign-confine: {reason}");
    tell(plan, &Line::Failed { reason });
    sys::end(code)
}

/// What is forbidden and not held.
pub(crate) fn holes(setting: &Setting<'_>) -> Vec<Hole> {
    let plan = setting.plan;
    let mut open = Vec::new();
    let mut note = |hole, is_open: bool| {
        if is_open {
            open.push(hole);
        }
    };
    let has_namespaces = setting.users.is_some();
    note(Hole::HiddenFiles, !has_namespaces && !plan.hide.is_empty());
    note(Hole::ProtectedFiles, !has_namespaces && !plan.protect.is_empty());
    note(Hole::PrivateFolders, !has_namespaces && !plan.private.is_empty());
    note(Hole::Names, !has_namespaces);
    note(Hole::Metadata, !has_namespaces);
    note(Hole::Processes, !has_namespaces || setting.sees_processes);
    note(Hole::Signals, !has_namespaces && setting.landlock < 6);
    note(Hole::Orphans, !has_namespaces);
    note(Hole::ProxyPort, !has_namespaces && setting.port().is_some());
    note(Hole::LocalSockets, has_namespaces && plan.local_sockets);
    open
}

fn confine(setting: &Setting<'_>) -> Result<(), String> {
    let told = |what: &str, error: io::Error| format!("{what}: {error}");
    let Setting { plan, landlock, users, .. } = *setting;
    let open = holes(setting);
    if plan.demand == Demand::Whole && !open.is_empty() {
        let names = serde_json::to_string(&open).unwrap_or_default();
        return Err(format!("this system does not hold everything that is forbidden: {names}"));
    }
    if let Some(known) = &plan.open {
        let more: Vec<&Hole> = open.iter().filter(|hole| !known.contains(hole)).collect();
        if !more.is_empty() {
            let names = serde_json::to_string(&more).unwrap_or_default();
            return Err(format!("more stays open here than was said before: {names}"));
        }
    }
    let port = setting.port();
    if plan.network != Network::None && users.is_none() && (port.is_none() || landlock < 4) {
        return Err(
            "a network of its own needs a namespace, which this system does not give, or Landlock 4 for a proxy alone".into()
        );
    }
    sys::new_session().map_err(|error| told("no session of its own", error))?;
    detach_terminals().map_err(|error| told("a terminal stays within reach", error))?;
    limit(plan).map_err(|error| told("a limit cannot be set", error))?;
    let kept = if users == Some(Users::All) { OVER_FILES } else { OVER_CONTENTS };
    sys::keep_capabilities(if sys::ids().0 == 0 { kept } else { &[] })
        .map_err(|error| told("capabilities cannot be given up", error))?;
    sys::no_new_privileges().map_err(|error| told("rights could be gained", error))?;
    env::set_current_dir(&plan.cwd)
        .map_err(|error| told(&format!("{} cannot be entered", plan.cwd.display()), error))?;
    // In a network of its own there is nothing to forbid.
    files::confine(landlock, &setting.rules, port.filter(|_| users.is_none()))?;
    sys::inherit_nothing().map_err(|error| told("descriptors stay open", error))?;
    calls::confine(Around {
        namespaces: users.is_some(),
        landlock,
        reaches: plan.network != Network::None,
        local_sockets: plan.local_sockets,
    })?;
    let namespaces = users.is_some();
    let no_namespaces = setting.no_namespaces;
    tell(plan, &Line::Confined { landlock, namespaces, no_namespaces, open: &open });
    Ok(())
}

/// Writes a line on the status descriptor, if there is one that is open.
fn tell(plan: &Plan, line: &Line<'_>) {
    let Some(Ok(status)) = plan.status.map(sys::inherited) else { return };
    let Ok(own) = status.try_clone_to_owned() else { return };
    let text = serde_json::to_string(line).unwrap_or_default();
    // Who does not read it does not want to know.
    let _ = writeln!(std::fs::File::from(own), "{text}");
}

/// A terminal that is handed on may be written to: what is typed there is not for the command.
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

fn limit(plan: &Plan) -> io::Result<()> {
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
fn start(plan: &Plan, temporary: &Path) -> (u8, String) {
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
