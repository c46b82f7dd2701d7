//! The process inside: enters the namespaces, then runs one script after the other as the init of its PID namespace.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::wait;
use nix::unistd::{Pid, chdir};

use super::{house, root};
use crate::{spaces, wire};

/// How long background processes may go on after their shell has ended.
const GRACE: Duration = Duration::from_millis(150);
/// The most of a log that is looked at, in bytes.
const LOG_LIMIT: u64 = 512 << 10;

/// Enters namespaces of its own and starts the init of them.
pub(super) fn enter(stub: &Path, dir: &Path) -> io::Result<()> {
    spaces::enter(&["init".as_ref(), stub.as_os_str(), dir.as_os_str()])
}

/// The init: builds the root, gives up all rights, and serves.
pub(super) fn begin(stub: &Path, dir: &Path) -> io::Result<()> {
    root::build(stub, dir)
        .map_err(|error| io::Error::other(format!("the sandbox cannot be built ({error})")))?;
    spaces::give_up_rights("/proc")?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_AS, 1 << 30, 1 << 30)?;
    setrlimit(Resource::RLIMIT_FSIZE, 4 << 20, 4 << 20)?;
    setrlimit(Resource::RLIMIT_NPROC, 600, 600)?;
    chdir(house::CWD)?;

    let mut init = SandboxInit::new()?;
    let mut from = BufReader::new(io::stdin().lock());
    let mut to = BufWriter::new(io::stdout().lock());
    wire::send(&mut to, b"ready")?;
    to.flush()?;
    while let Ok(request) = wire::receive(&mut from) {
        let (dash, rest) = request.split_first().ok_or(io::ErrorKind::InvalidData)?;
        let (limit, script) = rest.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
        let limit = Duration::from_millis(u32::from_le_bytes(*limit).into());
        let script = std::str::from_utf8(script).map_err(io::Error::other)?;
        let timed_out = init.run(*dash == 1, script, limit)?;
        wire::send(&mut to, &[timed_out.into()])?;
        wire::send(&mut to, &init.log()?)?;
        wire::send(&mut to, &init.written()?)?;
        to.flush()?;
    }
    Ok(())
}

/// An order to the watchdog.
enum WatchdogOrder {
    /// Kill everything after this time.
    Begin(Duration),
    /// The time is not measured any more.
    End,
}

/// A user has few of them (`fs.inotify.max_user_instances`), and others of this user may need them for a while.
fn start_inotify() -> io::Result<Inotify> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let until = Instant::now() + PATIENCE;
    loop {
        match Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC) {
            Err(Errno::EMFILE) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(50));
            }
            done => return Ok(done?),
        }
    }
}

/// The init of the sandbox's PID namespace: it runs scripts, watches the files and keeps the deadline.
struct SandboxInit {
    log: File,
    inotify: Inotify,
    watched: Vec<(WatchDescriptor, &'static str)>,
    watchdog: Sender<WatchdogOrder>,
    barked: Arc<AtomicBool>,
}

impl SandboxInit {
    fn new() -> io::Result<Self> {
        let inotify = start_inotify()?;
        let changes = AddWatchFlags::IN_CLOSE_WRITE
            | AddWatchFlags::IN_MODIFY
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_MOVE;
        let mut watched = Vec::new();
        for dir in house::DIRS {
            watched.push((inotify.add_watch(*dir, changes)?, *dir));
        }
        let (watchdog, orders) = channel();
        let barked = Arc::new(AtomicBool::new(false));
        let bark = Arc::clone(&barked);
        std::thread::spawn(move || watch(&orders, &bark));
        let log = File::options().read(true).write(true).open(house::LOG)?;
        Ok(Self { log, inotify, watched, watchdog, barked })
    }

    /// Runs a script in a new shell, and waits until every process is gone.
    fn run(&mut self, dash: bool, script: &str, limit: Duration) -> io::Result<bool> {
        let (program, name, head) =
            if dash { ("/bin/dash", "sh", house::DASH_HEAD) } else { ("/bin/bash", "bash", "") };
        self.order(WatchdogOrder::Begin(limit))?;
        let child = Command::new(program)
            .arg0(name)
            .arg("-c")
            .arg(format!("{head}{script}"))
            .env_clear()
            .envs(house::ENV)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let shell = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        loop {
            match wait() {
                Ok(status) if status.pid() == Some(shell) => {
                    self.order(WatchdogOrder::End)?;
                    self.order(WatchdogOrder::Begin(GRACE))?;
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => break,
            }
        }
        self.order(WatchdogOrder::End)?;
        Ok(self.barked.swap(false, Ordering::SeqCst))
    }

    fn order(&self, order: WatchdogOrder) -> io::Result<()> {
        self.watchdog.send(order).map_err(io::Error::other)
    }

    /// Takes the log, and empties it.
    fn log(&mut self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        self.log.seek(SeekFrom::Start(0))?;
        Read::by_ref(&mut self.log).take(LOG_LIMIT).read_to_end(&mut text)?;
        self.log.set_len(0)?;
        Ok(text)
    }

    /// The files that were written, a NUL after each. Puts the tree back.
    fn written(&mut self) -> io::Result<Vec<u8>> {
        let mut paths = Vec::new();
        let mut dirty = false;
        while let Ok(events) = self.inotify.read_events() {
            for event in events {
                dirty = true;
                // None for the event that says that there were too many: by then each file was named once.
                let Some((_, dir)) = self.watched.iter().find(|(wd, _)| *wd == event.wd) else {
                    continue;
                };
                let name = event.name.unwrap_or_default();
                let name = name.to_string_lossy();
                // bash keeps long here-documents there, and `sed -i` its output beside the file.
                let passing = *dir == "/tmp" && name.starts_with("sh-thd.")
                    || name.len() == 9 && name.starts_with("sed");
                if !passing {
                    paths.extend_from_slice(dir.trim_end_matches('/').as_bytes());
                    paths.push(b'/');
                    paths.extend_from_slice(name.as_bytes());
                    paths.push(0);
                }
            }
        }
        if dirty {
            root::clean()?;
            while self.inotify.read_events().is_ok() {}
        }
        Ok(paths)
    }
}

/// Kills all processes in the PID namespace, except its init, when the time is over.
fn watch(orders: &Receiver<WatchdogOrder>, barked: &AtomicBool) {
    while let Ok(order) = orders.recv() {
        let WatchdogOrder::Begin(limit) = order else { continue };
        if matches!(orders.recv_timeout(limit), Err(RecvTimeoutError::Timeout)) {
            barked.store(true, Ordering::SeqCst);
            // Again and again: a script may start processes faster than one signal kills them.
            loop {
                let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
                if !matches!(
                    orders.recv_timeout(Duration::from_millis(5)),
                    Err(RecvTimeoutError::Timeout)
                ) {
                    break;
                }
            }
        }
    }
}
