//! strace over one line after the other: it stays, and so does the driver below it, which starts each line.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use super::{mounts, world};
use crate::wire;

/// The traced system calls. Those with a `?` are not on every machine.
const CALLS: &str = "trace=?open,openat,?openat2,?creat,?getdents,getdents64,truncate,?unlink,unlinkat,?rmdir,?rename,\
    ?renameat,renameat2,?link,linkat,?symlink,symlinkat,?mkdir,mkdirat,?mknod,mknodat,?chmod,fchmod,fchmodat,?chown,\
    ?lchown,fchown,fchownat,?utime,?utimes,utimensat,?futimesat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,\
    fremovexattr,chdir,fchdir,execve,execveat,clone,?clone3,?fork,?vfork,connect,sendto,bind,kill,mount,umount2,\
    pivot_root,chroot,reboot,sethostname,setdomainname,settimeofday,clock_settime,swapon,swapoff,init_module,\
    ?finit_module,delete_module,?bpf,ptrace";

/// How long the driver may take to answer when nothing runs any more. For hangs alone.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running strace, with the driver that starts the lines.
#[derive(Debug)]
pub struct LineTracer {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: Receiver<String>,
    number: u64,
    driver: i32,
}

/// The trace of a line.
#[derive(Debug, Clone, Default)]
pub struct LineTrace {
    /// The lines of strace, those of the driver left out.
    pub lines: Vec<String>,
    /// Whether it was stopped.
    pub timed_out: bool,
}

impl LineTracer {
    /// Starts it.
    ///
    /// # Errors
    /// When there is no strace, or it may not trace.
    pub fn start() -> io::Result<Self> {
        let strace = super::targets::which("strace")
            .ok_or_else(|| io::Error::other("strace is not installed"))?;
        let mut child = Command::new(strace)
            .args(["-f", "-qq", "-y", "-s", "1024", "--seccomp-bpf", "-e", "signal=none", "-e"])
            .args([CALLS, "-o", "/proc/self/fd/2", mounts::DRIVER, "options-driver"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stderr.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Ok(Self { child, to: BufWriter::new(to), from: receiver, number: 0, driver: 0 })
    }

    /// Runs these words, for at most so long.
    ///
    /// # Errors
    /// When strace or the driver is gone.
    pub fn run(&mut self, file: &Path, argv: &[String], limit: Duration) -> io::Result<LineTrace> {
        self.number += 1;
        let mut message = format!("{}\0{}", self.number, file.display());
        for word in argv {
            message.push('\0');
            message.push_str(word);
        }
        wire::send(&mut self.to, message.as_bytes())?;
        self.to.flush()?;

        let begin = format!("chdir(\"/.begin-{}\")", self.number);
        let end = format!("chdir(\"/.end-{}\")", self.number);
        let mut trace = LineTrace::default();
        let mut began = false;
        let mut deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.from.recv_timeout(left) {
                Ok(line) if !began => {
                    if line.contains(&begin) {
                        began = true;
                        self.driver = pid(&line).unwrap_or_default();
                        deadline = Instant::now() + limit;
                    }
                }
                Ok(line) if line.contains(&end) && pid(&line) == Some(self.driver) => break,
                Ok(line) => trace.lines.push(line),
                Err(RecvTimeoutError::Timeout) if began && !trace.timed_out => {
                    trace.timed_out = true;
                    self.kill_others();
                    deadline = Instant::now() + PATIENCE;
                }
                Err(RecvTimeoutError::Timeout) if trace.timed_out && !self.others().is_empty() => {
                    self.kill_others();
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(_) => return Err(io::Error::other("strace is gone")),
            }
        }
        self.clear();
        Ok(trace)
    }

    /// The driver's process.
    pub fn driver(&self) -> i32 {
        self.driver
    }

    /// Ends all that the line left running.
    fn clear(&mut self) {
        for _ in 0..200 {
            while matches!(
                waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)),
                Ok(status) if status.pid().is_some()
            ) {}
            if self.others().is_empty() {
                return;
            }
            self.kill_others();
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn others(&self) -> BTreeSet<i32> {
        let strace = i32::try_from(self.child.id()).unwrap_or_default();
        let Ok(entries) = fs::read_dir("/proc") else { return BTreeSet::new() };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| *pid != 1 && *pid != strace && *pid != self.driver)
            .collect()
    }

    fn kill_others(&self) {
        for pid in self.others() {
            match kill(Pid::from_raw(pid), Signal::SIGKILL) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(_) => return,
            }
        }
    }
}

impl Drop for LineTracer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.driver != 0 {
            let _ = kill(Pid::from_raw(self.driver), Signal::SIGKILL);
        }
        self.driver = 0;
        self.clear();
    }
}

fn pid(line: &str) -> Option<i32> {
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The driver: it starts lines by order, one after the other, and marks in the trace where each begins and ends.
///
/// # Errors
/// When the parent is gone.
pub fn drive() -> io::Result<()> {
    let environment = world::environment();
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_FSIZE, 8 << 20, 8 << 20)?;
    setrlimit(Resource::RLIMIT_DATA, 3 << 30, 3 << 30)?;
    let mut from = BufReader::new(io::stdin().lock());
    while let Ok(message) = wire::receive(&mut from) {
        let text = String::from_utf8_lossy(&message).into_owned();
        let mut fields = text.split('\0');
        let (Some(number), Some(file), Some(name)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let output = world::output()?;
        let also = output.try_clone()?;
        let mut command = Command::new(file);
        command
            .arg0(name)
            .args(fields)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(world::PROJECT)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(also)
            .process_group(0);
        // Neither directory is there: only the attempt is of use.
        let _ = std::env::set_current_dir(format!("/.begin-{number}"));
        let _ = command.status();
        let _ = std::env::set_current_dir(format!("/.end-{number}"));
    }
    Ok(())
}
