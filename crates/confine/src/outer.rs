//! The outer process: it reads the plan, starts the process inside, waits for it, and cleans up after it.

use std::convert::Infallible;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libc::{c_int, pid_t};

use crate::carry::ProxyAddress;
use crate::files::PathAccess;
use crate::inner::{self, CommandSetup};
use crate::plan::{EnforcementDemand, LaunchPlan, NetworkAccess, ResourceLimits};
use crate::report::SupportReport;
use crate::resolve::{self, PathResolver, ResolvedPath};
use crate::spaces::{self, UserMapping};
use crate::sys::ForkSide;
use crate::{carry, exit, files, supervise, sys, tree};

const USAGE: &str = "usage: countersign-confine run PIECE… | run --fd N | report";

/// Reads the arguments and runs their command.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["report"] => return report(),
        ["run", "--fd", number] => read(number).and_then(|text| run(&text)),
        ["run", pieces @ ..] if !pieces.is_empty() => run(&pieces.concat()),
        _ => Err(USAGE.into()),
    };
    let Err(reason) = done;
    let _ = writeln!(io::stderr(), "countersign-confine: {reason}");
    ExitCode::from(exit::NOT_CONFINED)
}

fn read(number: &str) -> Result<String, String> {
    let failed = |error: &dyn std::fmt::Display| format!("the plan cannot be read: {error}");
    let number: i32 = number.parse().map_err(|error| failed(&error))?;
    let own = sys::inherited(number)
        .and_then(|plan| plan.try_clone_to_owned())
        .map_err(|error| failed(&error))?;
    let mut text = String::new();
    File::from(own).read_to_string(&mut text).map_err(|error| failed(&error))?;
    Ok(text)
}

/// Runs the plan. Does not return on success: the process ends as its command did.
fn run(text: &str) -> Result<Infallible, String> {
    let plan = LaunchPlan::read(text)?;
    let landlock = landlock_of(&plan);
    if landlock == 0 {
        inner::fail(
            &plan,
            exit::NOT_CONFINED,
            "this kernel has no Landlock, or it is switched off",
        );
    }
    let told = |error: io::Error| format!("nothing can be started: {error}");
    sys::wait_for_children();
    sys::hold_signals(supervise::SIGNALS).map_err(told)?;
    if plan.without_namespaces {
        alone(&plan, landlock, "the plan wants none")
    }
    let mut inside = plan.clone();
    if plan.local_sockets {
        inside.hide.extend(tree::sockets());
    }
    match in_namespaces(&inside, landlock).map_err(told)? {
        CommandOutcome::Ended(status) => sys::end_as(status),
        // A caller that expects namespaces relies on them: the command never runs without them.
        CommandOutcome::Failed(reason) => inner::fail(&plan, exit::NOT_CONFINED, &reason),
    }
}

fn landlock_of(plan: &LaunchPlan) -> u8 {
    let there = sys::landlock_version();
    plan.abi.map_or(there, |most| most.min(there))
}

/// The end of the process inside.
enum CommandOutcome {
    /// The command ended with this status, or could not be started, which was reported by then.
    Ended(c_int),
    /// The namespaces could not be made as the plan asks, for this reason. Nothing was run.
    Failed(String),
}

/// Runs the command in namespaces of its own. All that it leaves ends with them.
fn in_namespaces(plan: &LaunchPlan, landlock: u8) -> io::Result<CommandOutcome> {
    let (go_out, go_in) = sys::pipe()?;
    let (said_out, said_in) = sys::pipe()?;
    let init = match sys::split(spaces::ALL) {
        Ok(ForkSide::Parent(init)) => init,
        Ok(ForkSide::Child) => {
            drop((go_in, said_out));
            init(plan, landlock, go_out, File::from(said_in))
        }
        Err(error) => {
            return Ok(CommandOutcome::Failed(format!("there are no namespaces: {error}")));
        }
    };
    drop((go_out, said_in));
    let users = match spaces::map_users(init) {
        Ok(users) => users,
        Err(error) => {
            drop(go_in);
            sys::ended_child(true)?;
            return Ok(CommandOutcome::Failed(format!("users cannot be mapped: {error}")));
        }
    };
    let mut said = File::from(said_out);
    let mut go = File::from(go_in);
    go.write_all(&[u8::from(users == UserMapping::All)])?;
    if let NetworkAccess::Proxy { port, socket, inode } = &plan.network {
        let proxy = match socket {
            Some(path) => ProxyAddress::Socket(Arc::new(held_socket(path, inode.as_deref())?)),
            None => ProxyAddress::Port(*port),
        };
        carry_out(init, proxy, &mut said)?;
        go.write_all(&[TAKEN])?;
    }
    sys::not_dumpable()?;
    supervise::end_with_caller(plan.status)?;
    let status = supervise::wait_for(init)?;
    // Open until then: the process inside takes its end for the end of this process.
    drop(go);
    let mut rest = Vec::new();
    said.read_to_end(&mut rest)?;
    Ok(match rest.split_first() {
        Some((&STATUS, bytes)) => {
            CommandOutcome::Ended(bytes.try_into().map_or(status, c_int::from_ne_bytes))
        }
        Some((&FAILED, reason)) => {
            CommandOutcome::Failed(String::from_utf8_lossy(reason).into_owned())
        }
        // It was killed before it could report.
        _ => CommandOutcome::Ended(status),
    })
}

/// The messages of the first process inside: a status as `waitpid` gives it, a reason of failure, or the number of a socket.
const STATUS: u8 = b's';
const FAILED: u8 = b'f';
/// The message to it once the outer process holds the socket.
const TAKEN: u8 = b't';

/// The first process inside: it puts the root together, starts the command and takes in its orphans. When it ends, the kernel ends
/// all the others.
fn init(plan: &LaunchPlan, landlock: u8, go: OwnedFd, mut said: File) -> ! {
    let end_of = |mut said: File, kind: u8, text: &[u8]| -> ! {
        let _ = said.write_all(&[&[kind], text].concat());
        sys::end(exit::NOT_CONFINED)
    };
    let mut users = [0];
    let mut go = File::from(go);
    let ready = sys::end_with_parent().and_then(|()| go.read_exact(&mut users));
    // The outer process is gone, and no answer would be read. It may have ended before the death signal was set.
    if ready.is_err() || sys::is_hung_up(&go).unwrap_or(true) {
        sys::end(exit::NOT_CONFINED);
    }
    let users = if users == [1] { UserMapping::All } else { UserMapping::One };
    let listener = match network(plan, &mut said) {
        // A descriptor cannot be taken from a process that is not dumpable: this one stays dumpable until then.
        Ok(listener) if listener.is_none() || go.read_exact(&mut [0]).is_ok() => listener,
        Ok(_) => sys::end(exit::NOT_CONFINED),
        Err(error) => {
            end_of(said, FAILED, format!("there is no network of its own: {error}").as_bytes())
        }
    };
    let seen = match tree::enter(plan) {
        Ok(seen) => seen,
        Err(reason) => end_of(said, FAILED, reason.as_bytes()),
    };
    let tree::NewRoot { rules, sees_processes } = seen;
    drop(go);
    let temporary = Path::new("/tmp");
    let no_namespaces = None;
    let users = Some(users);
    let setup =
        CommandSetup { plan, landlock, users, no_namespaces, rules, sees_processes, temporary };
    let status = sys::not_dumpable().and_then(|()| sys::split(0)).and_then(|side| match side {
        ForkSide::Child => inner::become_command(&setup),
        ForkSide::Parent(command) => supervise::wait_for(command),
    });
    drop(listener);
    match status {
        Ok(status) => end_of(said, STATUS, &status.to_ne_bytes()),
        Err(error) => end_of(said, FAILED, error.to_string().as_bytes()),
    }
}

/// Makes the network inside, and the socket there that is joined with the proxy outside.
fn network(plan: &LaunchPlan, said: &mut File) -> io::Result<Option<TcpListener>> {
    if plan.network == NetworkAccess::None {
        return Ok(None);
    }
    sys::loopback_up(&UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?)?;
    let NetworkAccess::Proxy { port, .. } = &plan.network else { return Ok(None) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
    said.write_all(&listener.as_raw_fd().to_ne_bytes())?;
    Ok(Some(listener))
}

/// The socket of the proxy, held before the command runs, so that no name leads elsewhere.
fn held_socket(path: &Path, inode: Option<&str>) -> io::Result<OwnedFd> {
    let changed = || io::Error::other("the socket of the proxy is not there, or is another one");
    let ResolvedPath { file, .. } = resolve::find(path, |_| false).ok_or_else(changed)?;
    let found = File::from(file.try_clone()?).metadata()?.ino().to_string();
    if inode.is_some_and(|inode| inode != found) { Err(changed()) } else { Ok(file) }
}

/// Takes over the socket that listens inside.
fn carry_out(init: pid_t, proxy: ProxyAddress, said: &mut File) -> io::Result<()> {
    let mut number = [0; 4];
    said.read_exact(&mut number)?;
    let socket = sys::descriptor_of(init, i32::from_ne_bytes(number))?;
    carry::start(TcpListener::from(socket), proxy)
}

/// Runs the command without namespaces, held by Landlock and seccomp alone.
fn alone(plan: &LaunchPlan, landlock: u8, reason: &str) -> ! {
    let told = |what: &str, error: io::Error| format!("{what}: {error}");
    let made = || -> Result<(PathBuf, pid_t), String> {
        sys::adopt_orphans().map_err(|error| told("orphans would get away", error))?;
        let folder = match &plan.temporary {
            Some(folder) => folder.clone(),
            None => sys::temporary_folder(&env::temp_dir())
                .map_err(|error| told("there is no temporary folder", error))?,
        };
        let launcher = std::process::id() as pid_t;
        match sys::split(0).map_err(|error| told("nothing can be started", error))? {
            ForkSide::Parent(command) => {
                supervise::end_with_caller(plan.status)
                    .map_err(|error| told("the end of its caller cannot be noticed", error))?;
                Ok((folder, command))
            }
            ForkSide::Child => {
                // Its maker may be gone already.
                if sys::end_with_parent().is_err() || sys::parent() != launcher {
                    sys::end(exit::NOT_CONFINED);
                }
                let held = held_alone(plan);
                inner::become_command(&CommandSetup {
                    plan,
                    landlock,
                    users: None,
                    no_namespaces: Some(reason),
                    rules: rules_alone(&held, &folder),
                    sees_processes: true,
                    temporary: &folder,
                })
            }
        }
    };
    let (folder, command) = match made() {
        Ok(made) => made,
        Err(reason) => inner::fail(plan, exit::NOT_CONFINED, &reason),
    };
    let _ = sys::not_dumpable();
    let status = supervise::wait_for(command);
    let is_clean = supervise::end_all();
    if plan.temporary.is_none() {
        let _ = fs::remove_dir_all(&folder);
    }
    match status {
        Ok(status) if is_clean => sys::end_as(status),
        Ok(_) => inner::fail(
            plan,
            exit::NOT_CONFINED,
            "processes of the command are left and cannot be ended",
        ),
        Err(error) => inner::fail(
            plan,
            exit::NOT_CONFINED,
            &format!("the command cannot be waited for: {error}"),
        ),
    }
}

/// The paths of the plan, held by descriptors: names may lead elsewhere by the time that Landlock resolves them.
fn held_alone(plan: &LaunchPlan) -> Vec<(OwnedFd, PathAccess)> {
    let resolver = PathResolver::of(plan);
    let held = |path: &PathBuf, access| Some((resolver.find(path)?.file, access));
    let reads = plan.read.iter().filter_map(|path| held(path, PathAccess::Read));
    let writes = plan.write.iter().filter_map(|path| held(path, PathAccess::Write));
    reads.chain(writes).collect()
}

fn rules_alone(held: &[(OwnedFd, PathAccess)], temporary: &Path) -> Vec<(PathBuf, PathAccess)> {
    let devices =
        tree::DEVICES.iter().map(|name| (Path::new("/dev").join(name), PathAccess::Write));
    let named = held
        .iter()
        .map(|(file, access)| (format!("/proc/self/fd/{}", file.as_raw_fd()).into(), *access));
    let own = [("/proc".into(), PathAccess::Read), (temporary.to_path_buf(), PathAccess::Write)];
    devices.chain(named).chain(own).collect()
}

/// Prints the support of this kernel, found by trying it.
fn report() -> ExitCode {
    let landlock = sys::landlock_version();
    let seccomp = sys::has_seccomp();
    let plan = LaunchPlan {
        command: Vec::new(),
        cwd: "/".into(),
        read: vec!["/usr".into()],
        write: vec!["/usr".into()],
        exact: Vec::new(),
        protect: vec!["/usr/lib".into()],
        hide: vec!["/usr/bin".into()],
        private: vec!["/run".into()],
        temporary: None,
        network: NetworkAccess::Loopback,
        local_sockets: false,
        environment: Vec::new(),
        limits: ResourceLimits::default(),
        status: None,
        demand: EnforcementDemand::Walls,
        abi: None,
        without_namespaces: false,
        open: None,
    };
    let probed = sys::hold_signals(supervise::SIGNALS).and_then(|()| probe(&plan));
    let (namespaces, sees_processes) = match probed {
        Ok(Ok(sees_processes)) => (Ok(()), sees_processes),
        Ok(Err(reason)) => (Err(reason), true),
        Err(error) => (Err(error.to_string()), true),
    };
    // The gaps are those of a plan that uses everything.
    let plan =
        LaunchPlan { network: NetworkAccess::Proxy { port: 1, socket: None, inode: None }, ..plan };
    let setup = CommandSetup {
        plan: &plan,
        landlock,
        users: namespaces.is_ok().then_some(UserMapping::One),
        no_namespaces: None,
        rules: Vec::new(),
        sees_processes,
        temporary: Path::new("/tmp"),
    };
    let report = SupportReport {
        supported: landlock > 0 && seccomp,
        landlock,
        landlock_lacks: files::lacking(landlock),
        seccomp,
        namespaces: namespaces.is_ok(),
        open: inner::gaps(&setup),
        no_namespaces: namespaces.err(),
    };
    let text = serde_json::to_string(&report).unwrap_or_default();
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(exit::NOT_CONFINED),
    }
}

/// Sets up all that namespaces are used for, in a process that then ends. Returns whether other processes can be seen, or the
/// reason of a failure.
fn probe(plan: &LaunchPlan) -> io::Result<Result<bool, String>> {
    let (go_out, go_in) = sys::pipe()?;
    let (said_out, said_in) = sys::pipe()?;
    let init = match sys::split(spaces::ALL) {
        Ok(ForkSide::Parent(init)) => init,
        Ok(ForkSide::Child) => {
            drop((go_in, said_out));
            let mut said = File::from(said_in);
            let ready = File::from(go_out).read_exact(&mut [0]).map_err(|error| error.to_string());
            let network =
                ready.and_then(|()| network(plan, &mut said).map_err(|error| error.to_string()));
            let _ = match network.and_then(|_| tree::enter(plan)) {
                Ok(seen) => said.write_all(&[STATUS, seen.sees_processes.into()]),
                Err(reason) => said.write_all(&[&[FAILED], reason.as_bytes()].concat()),
            };
            sys::end(0)
        }
        Err(error) => return Ok(Err(error.to_string())),
    };
    drop((go_out, said_in));
    let mapped = spaces::map_users(init);
    // Closed without a word when it cannot go on.
    let mut go = File::from(go_in);
    if mapped.is_ok() {
        go.write_all(&[1])?;
    }
    drop(go);
    let mut said = Vec::new();
    File::from(said_out).read_to_end(&mut said)?;
    sys::ended_child(true)?;
    Ok(match (mapped, said.split_first()) {
        (Err(error), _) => Err(format!("users cannot be mapped: {error}")),
        (_, Some((&STATUS, sees))) => Ok(sees == [1]),
        (_, Some((_, reason))) => Err(String::from_utf8_lossy(reason).into_owned()),
        (_, None) => Err("the first process inside ended without a word".into()),
    })
}
