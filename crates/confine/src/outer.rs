//! What happens on the outside: the plan is read, the inside is made, waited for, and cleaned up after.

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

use crate::carry::Outside;
use crate::files::Reach;
use crate::inner::{self, Setting};
use crate::plan::{Demand, Limits, Network, Plan};
use crate::report::Report;
use crate::spaces::{self, Users};
use crate::sys::Side;
use crate::way::{self, Found, Ways};
use crate::{carry, exit, files, supervise, sys, tree};

const USAGE: &str = "usage: countersign-confine run PIECE… | run --fd N | report";

/// Reads the arguments and does what they say.
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

/// What cannot come back, because the process ends as its command did.
enum Never {}

fn run(text: &str) -> Result<Never, String> {
    let plan = Plan::read(text)?;
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
        Outcome::Ended(status) => sys::end_as(status),
        // Whoever says that there are namespaces counts on what they hold: it is never run without them.
        Outcome::Failed(reason) => inner::fail(&plan, exit::NOT_CONFINED, &reason),
    }
}

fn landlock_of(plan: &Plan) -> u8 {
    let there = sys::landlock_version();
    plan.abi.map_or(there, |most| most.min(there))
}

/// How it went on the inside.
enum Outcome {
    /// The command has ended, with this status, or was not started, and then it is said already.
    Ended(c_int),
    /// They cannot be made, or not as the plan wants them, for this reason. Nothing was run.
    Failed(String),
}

/// Runs the command in namespaces of its own. All that it leaves ends with them.
fn in_namespaces(plan: &Plan, landlock: u8) -> io::Result<Outcome> {
    let (go_out, go_in) = sys::pipe()?;
    let (said_out, said_in) = sys::pipe()?;
    let init = match sys::split(spaces::ALL) {
        Ok(Side::Parent(init)) => init,
        Ok(Side::Child) => {
            drop((go_in, said_out));
            init(plan, landlock, go_out, File::from(said_in))
        }
        Err(error) => return Ok(Outcome::Failed(format!("there are no namespaces: {error}"))),
    };
    drop((go_out, said_in));
    let users = match spaces::map_users(init) {
        Ok(users) => users,
        Err(error) => {
            drop(go_in);
            sys::ended_child(true)?;
            return Ok(Outcome::Failed(format!("users cannot be mapped: {error}")));
        }
    };
    let mut said = File::from(said_out);
    let mut go = File::from(go_in);
    go.write_all(&[u8::from(users == Users::All)])?;
    if let Network::Proxy { port, socket, inode } = &plan.network {
        let outside = match socket {
            Some(path) => Outside::Socket(Arc::new(held_socket(path, inode.as_deref())?)),
            None => Outside::Port(*port),
        };
        carry_out(init, outside, &mut said)?;
        go.write_all(&[TAKEN])?;
    }
    sys::not_dumpable()?;
    let status = supervise::wait_for(init)?;
    // Open until then: its end would say that there is nobody here any more.
    drop(go);
    let mut rest = Vec::new();
    said.read_to_end(&mut rest)?;
    Ok(match rest.split_first() {
        Some((&STATUS, bytes)) => {
            Outcome::Ended(bytes.try_into().map_or(status, c_int::from_ne_bytes))
        }
        Some((&FAILED, reason)) => Outcome::Failed(String::from_utf8_lossy(reason).into_owned()),
        // It was killed before it could say anything.
        _ => Outcome::Ended(status),
    })
}

/// What the first process inside says: a status as `waitpid` gives it, why there is no inside, or the number of a socket.
const STATUS: u8 = b's';
const FAILED: u8 = b'f';
/// What it is told when somebody outside has the socket.
const TAKEN: u8 = b't';

/// The first process inside: it puts the root together, starts the command and takes in its orphans. When it ends, the kernel ends
/// all the others.
fn init(plan: &Plan, landlock: u8, go: OwnedFd, mut said: File) -> ! {
    let end_of = |mut said: File, kind: u8, text: &[u8]| -> ! {
        let _ = said.write_all(&[&[kind], text].concat());
        sys::end(exit::NOT_CONFINED)
    };
    let mut users = [0];
    let mut go = File::from(go);
    let ready = sys::end_with_parent().and_then(|()| go.read_exact(&mut users));
    // Its maker is gone, and with it whoever would read an answer. It may have been gone before we were to end with it.
    if ready.is_err() || sys::is_hung_up(&go).unwrap_or(true) {
        sys::end(exit::NOT_CONFINED);
    }
    let users = if users == [1] { Users::All } else { Users::One };
    let listener = match network(plan, &mut said) {
        // Nobody can take a descriptor of a process that nobody may look into: this one waits with that.
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
    let tree::Seen { rules, sees_processes } = seen;
    drop(go);
    let temporary = Path::new("/tmp");
    let no_namespaces = None;
    let users = Some(users);
    let setting =
        Setting { plan, landlock, users, no_namespaces, rules, sees_processes, temporary };
    let status = sys::not_dumpable().and_then(|()| sys::split(0)).and_then(|side| match side {
        Side::Child => inner::become_command(&setting),
        Side::Parent(command) => supervise::wait_for(command),
    });
    drop(listener);
    match status {
        Ok(status) => end_of(said, STATUS, &status.to_ne_bytes()),
        Err(error) => end_of(said, FAILED, error.to_string().as_bytes()),
    }
}

/// Makes the network inside, and the socket there that is joined with the proxy outside.
fn network(plan: &Plan, said: &mut File) -> io::Result<Option<TcpListener>> {
    if plan.network == Network::None {
        return Ok(None);
    }
    sys::loopback_up(&UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?)?;
    let Network::Proxy { port, .. } = &plan.network else { return Ok(None) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
    said.write_all(&listener.as_raw_fd().to_ne_bytes())?;
    Ok(Some(listener))
}

/// The socket of the proxy, held before the command runs, so that no name leads elsewhere.
fn held_socket(path: &Path, inode: Option<&str>) -> io::Result<OwnedFd> {
    let changed = || io::Error::other("the socket of the proxy is not there, or is another one");
    let Found { file, .. } = way::find(path, |_| false).ok_or_else(changed)?;
    let found = File::from(file.try_clone()?).metadata()?.ino().to_string();
    if inode.is_some_and(|inode| inode != found) { Err(changed()) } else { Ok(file) }
}

/// Takes over the socket that listens inside.
fn carry_out(init: pid_t, outside: Outside, said: &mut File) -> io::Result<()> {
    let mut number = [0; 4];
    said.read_exact(&mut number)?;
    let socket = sys::descriptor_of(init, i32::from_ne_bytes(number))?;
    carry::start(TcpListener::from(socket), outside)
}

/// Runs the command without namespaces, held by Landlock and seccomp alone.
fn alone(plan: &Plan, landlock: u8, reason: &str) -> ! {
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
            Side::Parent(command) => Ok((folder, command)),
            Side::Child => {
                // Its maker may be gone already.
                if sys::end_with_parent().is_err() || sys::parent() != launcher {
                    sys::end(exit::NOT_CONFINED);
                }
                let held = held_alone(plan);
                inner::become_command(&Setting {
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

/// What the plan names, held by descriptors: names may lead elsewhere by the time that Landlock looks.
fn held_alone(plan: &Plan) -> Vec<(OwnedFd, Reach)> {
    let ways = Ways::of(plan);
    let held = |path: &PathBuf, reach| Some((ways.find(path)?.file, reach));
    let reads = plan.read.iter().filter_map(|path| held(path, Reach::Read));
    let writes = plan.write.iter().filter_map(|path| held(path, Reach::Write));
    reads.chain(writes).collect()
}

fn rules_alone(held: &[(OwnedFd, Reach)], temporary: &Path) -> Vec<(PathBuf, Reach)> {
    let devices = tree::DEVICES.iter().map(|name| (Path::new("/dev").join(name), Reach::Write));
    let named = held
        .iter()
        .map(|(file, reach)| (format!("/proc/self/fd/{}", file.as_raw_fd()).into(), *reach));
    let own = [("/proc".into(), Reach::Read), (temporary.to_path_buf(), Reach::Write)];
    devices.chain(named).chain(own).collect()
}

/// Says what this kernel gives, by trying it.
fn report() -> ExitCode {
    let landlock = sys::landlock_version();
    let seccomp = sys::has_seccomp();
    let plan = Plan {
        command: Vec::new(),
        cwd: "/".into(),
        read: vec!["/usr".into()],
        write: vec!["/usr".into()],
        exact: Vec::new(),
        protect: vec!["/usr/lib".into()],
        hide: vec!["/usr/bin".into()],
        private: vec!["/run".into()],
        temporary: None,
        network: Network::Loopback,
        local_sockets: false,
        environment: Vec::new(),
        limits: Limits::default(),
        status: None,
        demand: Demand::Walls,
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
    // What is told is of a plan that uses everything.
    let plan = Plan { network: Network::Proxy { port: 1, socket: None, inode: None }, ..plan };
    let setting = Setting {
        plan: &plan,
        landlock,
        users: namespaces.is_ok().then_some(Users::One),
        no_namespaces: None,
        rules: Vec::new(),
        sees_processes,
        temporary: Path::new("/tmp"),
    };
    let report = Report {
        supported: landlock > 0 && seccomp,
        landlock,
        landlock_lacks: files::lacking(landlock),
        seccomp,
        namespaces: namespaces.is_ok(),
        open: inner::holes(&setting),
        no_namespaces: namespaces.err(),
    };
    let text = serde_json::to_string(&report).unwrap_or_default();
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(exit::NOT_CONFINED),
    }
}

/// Puts up all that namespaces are used for, in a process that then ends. Says whether others can be seen, or what fails.
fn probe(plan: &Plan) -> io::Result<Result<bool, String>> {
    let (go_out, go_in) = sys::pipe()?;
    let (said_out, said_in) = sys::pipe()?;
    let init = match sys::split(spaces::ALL) {
        Ok(Side::Parent(init)) => init,
        Ok(Side::Child) => {
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
