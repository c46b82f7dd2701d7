//! The commands that two independent parsers see in a script: a second opinion on allowed scripts. They find less than the
//! shell runs, but in other places.

#[cfg(feature = "opinions")]
mod see;
#[cfg(feature = "opinions")]
mod tree;

use std::io::{self, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::{policy, sandbox, wire};

/// How long they may think about one script.
const DEADLINE: Duration = Duration::from_millis(500);

/// The answer when no parser accepts the script.
const REFUSED: &[u8] = b"\0";

/// The opinions of other parsers. They run in a process of their own, since they hang and panic on some scripts.
#[derive(Debug, Default)]
pub struct ParserOpinions {
    process: Option<ParserProcess>,
}

/// The process of the parsers, and the channel of its answers.
#[derive(Debug)]
struct ParserProcess {
    child: Child,
    to: BufWriter<ChildStdin>,
    answers: Receiver<Vec<u8>>,
}

impl ParserOpinions {
    /// The commands that others see in this script and the policy does not allow. An error: they did not answer.
    /// `None`: no parser was asked, since this was built without the feature `opinions`.
    pub fn of(&mut self, script: &str) -> Option<Result<Vec<String>, String>> {
        if !cfg!(feature = "opinions") {
            return None;
        }
        let answer = self.ask(script);
        if answer.is_err() {
            // The next script gets a new process.
            self.process = None;
        }
        Some(answer.map_err(|error| error.to_string()).and_then(|answer| {
            if answer == REFUSED {
                return Err("they do not accept it".to_owned());
            }
            Ok(refused(&String::from_utf8_lossy(&answer)))
        }))
    }

    fn ask(&mut self, script: &str) -> io::Result<Vec<u8>> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(ParserProcess::start()?),
        };
        wire::send(&mut process.to, script.as_bytes())?;
        process.to.flush()?;
        process.answers.recv_timeout(DEADLINE).map_err(io::Error::other)
    }
}

impl ParserProcess {
    fn start() -> io::Result<Self> {
        let mut child = Command::new(sandbox::program("countersign-oracle")?)
            .arg("opinion")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Ok(answer) = wire::receive(&mut from) {
                if send.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, to: BufWriter::new(to), answers })
    }
}

impl Drop for ParserProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The commands that the policy does not allow, of commands each on a line with a tab between the words.
fn refused(commands: &str) -> Vec<String> {
    // Builtins that start nothing, and without which nothing is seen.
    const HARMLESS: &[&str] = &[
        ":", "cd", "command", "builtin", "exec", "wait", "break", "continue", "export", "declare",
        "readonly", "typeset", "local",
    ];
    let allowed = |line: &&str| {
        // They take the second of two `!` for a command.
        let words = line.split('\t').skip_while(|word| *word == "!");
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let name = argv.first().map_or("", String::as_str);
        // These parsers do not expand braces.
        HARMLESS.contains(&name) || name.starts_with('{') || policy::may_run(name, &argv)
    };
    commands.lines().filter(|line| !allowed(line)).map(|line| line.replace('\t', " ")).collect()
}

/// The side of the parsers: a script in, its commands out.
///
/// # Errors
/// When the pipe breaks.
#[cfg(feature = "opinions")]
pub fn serve() -> io::Result<()> {
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    while let Ok(script) = wire::receive(&mut from) {
        let script = String::from_utf8_lossy(&script).into_owned();
        let answer = match see::commands(&script) {
            Some(commands) => commands.join("\n").into_bytes(),
            None => REFUSED.to_vec(),
        };
        wire::send(&mut to, &answer)?;
        to.flush()?;
    }
    Ok(())
}

/// The side of the parsers, which this build does not have.
///
/// # Errors
/// Always.
#[cfg(not(feature = "opinions"))]
pub fn serve() -> io::Result<()> {
    Err(io::Error::other("built without the feature \"opinions\""))
}
