//! The programs that a script really runs: bash and dash in a root of logging stubs, without a network, as an unprivileged user.
//!
//! One sandbox is a process in its own namespaces that takes one script after the other. It is the init of its PID
//! namespace, so that killing "everyone" between two scripts leaves nothing behind, and each script gets a new shell
//! process, so that no state leaks. The file tree is restored whenever inotify says that something was written.

pub mod house;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod root;

use crate::wire;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A shell of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SandboxShell {
    /// The machine's bash.
    Bash,
    /// The machine's dash.
    Dash,
}

/// The start of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProgramStart {
    /// The file that was executed, without its directory; [`house::MISSING`] when there was none.
    pub file: String,
    /// Names of the variables that the script gave it.
    pub env: Vec<String>,
    /// Its words.
    pub argv: Vec<String>,
}

/// The trace of a script: the programs that it started, and the files that it wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptTrace {
    /// The programs that started.
    pub programs: Vec<ProgramStart>,
    /// The files that were opened for writing, made, or deleted; sorted, each once.
    pub written: Vec<String>,
    /// Whether it was stopped at its deadline. Its effects until then are in the trace.
    pub timed_out: bool,
}

/// How long a sandbox may take for its first scripts, in ms: for hangs alone.
const PATIENCE: u32 = 240_000;

/// A running sandbox: a process in namespaces of its own, and its pipes.
#[derive(Debug)]
pub struct ShellSandbox {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    dir: PathBuf,
}

/// Where a program of this crate is: beside the one that runs, or one directory up from a test.
///
/// # Errors
/// When it was not built.
pub fn program(name: &str) -> io::Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let found =
        exe.ancestors().skip(1).take(2).map(|dir| dir.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| {
        io::Error::other(format!("{name} is not built; build the package countersign-oracle"))
    })
}

impl ShellSandbox {
    /// Starts one.
    ///
    /// # Errors
    /// Where namespaces are not allowed, or bash or dash is absent; the message says which.
    pub fn start() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir()
            .join(format!("countersign-oracle-{}-{number}", std::process::id()));
        std::fs::create_dir(&dir)?;
        let started = Self::spawn(dir.clone());
        if started.is_err() {
            let _ = std::fs::remove_dir(&dir);
        }
        started
    }

    fn spawn(dir: PathBuf) -> io::Result<Self> {
        let mut child = Command::new(program("countersign-oracle")?)
            .arg("sandbox")
            .arg(program("countersign-oracle-stub")?)
            .arg(&dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut sandbox = Self { child, to: BufWriter::new(to), from: BufReader::new(from), dir };
        let greeting = wire::receive(&mut sandbox.from)
            .map_err(|_| io::Error::other("the sandbox ended before it began"))?;
        if greeting != b"ready" {
            return Err(io::Error::other(String::from_utf8_lossy(&greeting).into_owned()));
        }
        sandbox.check()?;
        Ok(sandbox)
    }

    /// Checks that it sees known effects: a blind sandbox would never find a miss.
    fn check(&mut self) -> io::Result<()> {
        for by in [SandboxShell::Bash, SandboxShell::Dash] {
            let trace = self
                .run(by, "FOO=1 rm x <(:) | echo hi > out/y; true", PATIENCE)
                .map_err(|_| io::Error::other("the sandbox does not answer"))?;
            let trace = match by {
                SandboxShell::Bash => trace,
                // dash knows no process substitution, and must not run anything of a line with one.
                SandboxShell::Dash if trace.programs.is_empty() => {
                    self.run(by, "FOO=1 rm x | echo hi > out/y; true", PATIENCE)?
                }
                SandboxShell::Dash => {
                    return Err(io::Error::other("sh of the sandbox is not dash"));
                }
            };
            let saw = |name: &str| trace.programs.iter().any(|program| program.file == name);
            let gave = trace.programs.iter().any(|program| program.env == ["FOO"]);
            if !(saw("rm")
                && saw("echo")
                && saw("true")
                && gave
                && trace.written == ["/work/out/y"])
            {
                return Err(io::Error::other(format!(
                    "the sandbox does not see all that {by:?} does: {trace:?}"
                )));
            }
        }
        Ok(())
    }

    /// Runs one script, for at most this many milliseconds.
    ///
    /// # Errors
    /// When the sandbox is gone, or the script holds a NUL.
    pub fn run(
        &mut self, by: SandboxShell, script: &str, milliseconds: u32,
    ) -> io::Result<ScriptTrace> {
        if script.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a script cannot hold a NUL"));
        }
        let mut request = vec![matches!(by, SandboxShell::Dash).into()];
        request.extend_from_slice(&milliseconds.to_le_bytes());
        request.extend_from_slice(script.as_bytes());
        wire::send(&mut self.to, &request)?;
        self.to.flush()?;

        let state = wire::receive(&mut self.from)?;
        let log = wire::receive(&mut self.from)?;
        let files = wire::receive(&mut self.from)?;
        let mut written: Vec<String> = files
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        written.sort();
        written.dedup();
        Ok(ScriptTrace { programs: records(&log), written, timed_out: state == [1] })
    }
}

impl Drop for ShellSandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir(&self.dir);
    }
}

/// Reads the log. A record that was cut off ends it.
fn records(log: &[u8]) -> Vec<ProgramStart> {
    let mut rest = log;
    let mut all = Vec::new();
    while let Some(program) = record(&mut rest) {
        all.push(program);
    }
    all
}

fn record(rest: &mut &[u8]) -> Option<ProgramStart> {
    let mut counts = until(rest, b'\n')?.split(' ').map(str::parse::<usize>);
    let (given, words) = (counts.next()?.ok()?, counts.next()?.ok()?);
    let file = field(rest)?;
    let mut env = (0..given).map(|_| field(rest)).collect::<Option<Vec<_>>>()?;
    env.sort();
    let mut argv = (0..words).map(|_| field(rest)).collect::<Option<Vec<_>>>()?;
    if file == house::MISSING && !argv.is_empty() {
        // The first word is the stub's own; the command that was not found follows.
        argv.remove(0);
    }
    Some(ProgramStart { file, env, argv })
}

fn field(rest: &mut &[u8]) -> Option<String> {
    let length: usize = until(rest, b':')?.parse().ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after.strip_prefix(b"\n")?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn until<'a>(rest: &mut &'a [u8], end: u8) -> Option<&'a str> {
    let at = rest.iter().position(|byte| *byte == end)?;
    let (text, after) = rest.split_at_checked(at)?;
    *rest = after.get(1..)?;
    std::str::from_utf8(text).ok()
}

/// The sandbox's own side: `countersign-oracle sandbox STUB DIR`, and `init` once it is in its namespaces.
///
/// # Errors
/// When the kernel does not allow it.
#[cfg(target_os = "linux")]
pub fn serve(role: &str, stub: &Path, dir: &Path) -> io::Result<()> {
    let done = match role {
        "sandbox" => init::enter(stub, dir),
        _ => init::begin(stub, dir),
    };
    if let Err(error) = &done {
        let mut out = io::stdout().lock();
        wire::send(&mut out, error.to_string().as_bytes())?;
        out.flush()?;
    }
    done
}

/// The sandbox's own side.
///
/// # Errors
/// Always: there are namespaces only on Linux.
#[cfg(not(target_os = "linux"))]
pub fn serve(_role: &str, _stub: &Path, _dir: &Path) -> io::Result<()> {
    let text = "there are namespaces only on Linux";
    let mut out = io::stdout().lock();
    wire::send(&mut out, text.as_bytes())?;
    out.flush()?;
    Err(io::Error::other(text))
}
