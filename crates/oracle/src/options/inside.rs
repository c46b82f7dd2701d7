//! The process inside: enters namespaces of its own, makes the world, then judges, runs and compares what it is told.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::compare::{Difference, differences};
use super::deeds::{Deed, How, deeds};
use super::judge::{Judge, Opinion, Spoken};
use super::lines::{letters, lines, quoted};
use super::mounts;
use super::tally::Tally;
use super::targets::{Target, manual, named, which};
use super::tracer::{Seen, Tracer};
use super::world::{CANARY, OUTPUT, World, environment};
use crate::{spaces, wire};

/// How long a line may take.
const LIMIT: Duration = Duration::from_secs(2);
/// The most of what a line prints that is looked at.
const PRINTED: u64 = 256 << 10;
/// The most differences of one piece of work that are made smaller and kept.
const KEPT: usize = 40;
/// The most attempts to make one smaller.
const ATTEMPTS: usize = 24;

/// What it is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// First of all: the programs that may run.
    Allow(Vec<String>),
    /// Which options a program says that it has.
    Options(Target),
    /// A part of a program's lines.
    Run {
        /// The program.
        target: Target,
        /// Its options, by all sources.
        options: Vec<String>,
        /// From which the lines are made.
        seed: u64,
        /// Which part of them, of how many.
        part: (usize, usize),
        /// How many may run.
        most: usize,
        /// For how long, in seconds.
        seconds: u64,
    },
    /// One line of plain words, by itself.
    Line(Vec<String>),
}

/// What it says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// It is ready.
    Ready,
    /// It cannot.
    Failed(String),
    /// Options.
    Options(BTreeSet<String>),
    /// What became of the lines.
    Ran(Tally),
    /// What one line is said to do, and did.
    Line {
        /// The verdict.
        verdict: String,
        /// What it did, where it ran.
        deeds: Vec<String>,
        /// What of that was not spoken of.
        differences: Vec<Difference>,
    },
}

/// Enters namespaces of its own and starts the init of them.
///
/// # Errors
/// When the kernel does not allow it.
pub fn enter() -> io::Result<()> {
    let done = spaces::enter(&["options-init".as_ref()]);
    if let Err(error) = &done {
        say(&mut io::stdout().lock(), &Answer::Failed(error.to_string()))?;
    }
    done
}

/// The init: makes the world, gives up all rights, and serves.
///
/// # Errors
/// When the world cannot be made, or nobody listens.
pub fn begin() -> io::Result<()> {
    let done = serve();
    if let Err(error) = &done {
        say(&mut io::stdout().lock(), &Answer::Failed(error.to_string()))?;
    }
    done
}

fn serve() -> io::Result<()> {
    mounts::build()
        .map_err(|error| io::Error::other(format!("the world cannot be made ({error})")))?;
    spaces::give_up_rights(mounts::OWN_PROC)?;
    let world = World::new()?;
    let mut from = BufReader::new(io::stdin().lock());
    let mut to = BufWriter::new(io::stdout().lock());
    let Some(Order::Allow(programs)) = hear(&mut from)? else {
        return Err(io::Error::other("nobody says what is allowed"));
    };
    let judge = Judge::new(&programs).map_err(io::Error::other)?;
    let mut inside = Inside { world, judge, tracer: Tracer::start()? };
    inside.check()?;
    say(&mut to, &Answer::Ready)?;
    while let Some(order) = hear(&mut from)? {
        let answer = match order {
            Order::Allow(_) => Answer::Ready,
            Order::Options(target) => Answer::Options(inside.options(&target)?),
            Order::Line(words) => inside.line(&words)?,
            Order::Run { target, options, seed, part, most, seconds } => {
                let end = Instant::now() + Duration::from_secs(seconds);
                let lines = lines(&target, &options, seed);
                let (number, of) = part;
                let lines = lines.into_iter().skip(number).step_by(of.max(1));
                Answer::Ran(inside.run(&target, lines, most, end)?)
            }
        };
        say(&mut to, &answer)?;
    }
    Ok(())
}

fn say(to: &mut impl Write, answer: &Answer) -> io::Result<()> {
    wire::send(to, &serde_json::to_vec(answer)?)?;
    to.flush()
}

fn hear(from: &mut impl Read) -> io::Result<Option<Order>> {
    match wire::receive(from) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

struct Inside {
    world: World,
    judge: Judge,
    tracer: Tracer,
}

/// A line that ran.
struct Ran {
    deeds: Vec<Deed>,
    differences: Vec<Deed>,
    stopped: bool,
}

impl Inside {
    /// Whether it sees what it must see: one that is blind would find no difference, ever.
    fn check(&mut self) -> io::Result<()> {
        let words =
            ["sh", "-c", "cat secret ../outside/secret; echo > new; rm a.txt; ls d; mkdir d/n"];
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let file = which("sh").ok_or_else(|| io::Error::other("there is no sh"))?;
        let ran = self.ran(&file, &words, &Spoken::default())?;
        let root = super::world::ROOT;
        for (how, path) in [
            (How::Reads, "p/secret"),
            (How::Reads, "outside/secret"),
            (How::Reads, "what is printed"),
            (How::Writes, "p/new"),
            (How::Writes, "p/a.txt"),
            (How::Writes, "p/d/n"),
            (How::Lists, "p/d"),
        ] {
            let path = if path.contains(' ') { path.to_owned() } else { format!("{root}/{path}") };
            if !ran.differences.iter().any(|deed| deed.how == how && deed.path == path) {
                return Err(io::Error::other(format!(
                    "the oracle does not see that {path} is used ({how:?}): {:?}",
                    ran.differences
                )));
            }
        }
        Ok(())
    }

    /// The options that a program and its manual name, and all letters.
    fn options(&mut self, target: &Target) -> io::Result<BTreeSet<String>> {
        let mut found: BTreeSet<String> = target.options.keys().cloned().collect();
        found.extend(letters());
        let Some((name, rest)) = target.words.split_first() else { return Ok(found) };
        let Some(file) = which(name) else { return Ok(found) };
        let known = found.len();
        for help in ["--help", "-h", "-help", "-?"] {
            if found.len() > known + 3 {
                break;
            }
            let mut words = vec![name.clone()];
            words.extend(rest.iter().cloned());
            words.push(help.to_owned());
            if self.trace(&file, &words)?.is_some() {
                found.extend(named(&printed()));
            }
            self.world.restore()?;
        }
        found.extend(named(&manual(&target.words).unwrap_or_default()));
        found.retain(|option| option.len() > 1 && option != "--");
        Ok(found)
    }

    /// Runs words under strace; `None` when strace was lost with it.
    fn trace(&mut self, file: &Path, words: &[String]) -> io::Result<Option<Seen>> {
        match self.tracer.run(file, words, LIMIT) {
            Ok(seen) => Ok(Some(seen)),
            Err(_) => {
                self.tracer = Tracer::start()?;
                self.world.restore()?;
                Ok(None)
            }
        }
    }

    fn ran(&mut self, file: &Path, words: &[String], said: &Spoken) -> io::Result<Ran> {
        let Some(seen) = self.trace(file, words)? else {
            return Err(io::ErrorKind::TimedOut.into());
        };
        let deeds = deeds(&seen.lines, self.tracer.driver());
        let mut found = differences(words, &file.to_string_lossy(), said, &deeds, &self.world);
        if printed().contains(CANARY) {
            found.push(Deed {
                how: How::Reads,
                path: "what is printed".to_owned(),
                call: "a secret of the environment, or of a file outside, stands in the output"
                    .to_owned(),
                by: String::new(),
            });
        }
        if deeds.iter().any(|deed| deed.how == How::Writes) {
            self.world.restore()?;
        }
        Ok(Ran { deeds, differences: found, stopped: seen.timed_out })
    }

    fn run(
        &mut self, target: &Target, lines: impl Iterator<Item = Vec<String>>, most: usize,
        end: Instant,
    ) -> io::Result<Tally> {
        let mut tally = Tally::default();
        let Some(file) = target.words.first().and_then(|name| which(name)) else {
            return Ok(tally);
        };
        let mut kinds: HashSet<String> = HashSet::new();
        let started = Instant::now();
        for words in lines {
            if tally.row.ran >= most {
                break;
            }
            if Instant::now() > end {
                tally.row.cut = true;
                break;
            }
            tally.row.judged += 1;
            let Opinion::Allowed(said) = self.opinion(&words)? else { continue };
            tally.row.allowed += 1;
            let Ok(ran) = self.ran(&file, &words, &said) else {
                tally.row.lost += 1;
                continue;
            };
            tally.row.ran += 1;
            tally.row.stopped += usize::from(ran.stopped);
            let Some(first) = ran.differences.first() else { continue };
            tally.row.differing += 1;
            if tally.differences.len() >= KEPT || !kinds.insert(kind(target, &words, first)) {
                continue;
            }
            let (words, deed) = self.smaller(target, &file, words, first.clone())?;
            kinds.insert(kind(target, &words, &deed));
            let difference = difference(target, &words, &deed);
            if !tally.differences.iter().any(|other| other.line == difference.line) {
                tally.differences.push(difference);
            }
        }
        tally.row.took = started.elapsed();
        Ok(tally)
    }

    fn opinion(&self, words: &[String]) -> io::Result<Opinion> {
        self.judge.opinion(&quoted(words)).map_err(io::Error::other)
    }

    /// Takes away whatever words the line goes wrong without.
    fn smaller(
        &mut self, target: &Target, file: &Path, words: Vec<String>, deed: Deed,
    ) -> io::Result<(Vec<String>, Deed)> {
        let (mut best, mut why) = (words, deed);
        let mut attempts = 0;
        let mut at = target.words.len();
        while at < best.len() && attempts < ATTEMPTS {
            attempts += 1;
            let mut fewer = best.clone();
            fewer.remove(at);
            let found = match self.opinion(&fewer)? {
                Opinion::Allowed(said) => self
                    .ran(file, &fewer, &said)
                    .ok()
                    .and_then(|ran| ran.differences.into_iter().find(|deed| deed.how == why.how)),
                Opinion::Asked(_) => None,
            };
            match found {
                Some(deed) => (best, why) = (fewer, deed),
                None => at += 1,
            }
        }
        Ok((best, why))
    }

    fn line(&mut self, words: &[String]) -> io::Result<Answer> {
        let target = Target {
            words: words.iter().take(1).cloned().collect(),
            options: std::collections::BTreeMap::new(),
            closed: true,
        };
        let (verdict, said) = match self.opinion(words)? {
            Opinion::Allowed(said) => (format!("allow: {said:?}"), Some(said)),
            Opinion::Asked(why) => (format!("ask: {why}"), None),
        };
        let file: Option<PathBuf> = words.first().and_then(|name| which(name));
        let (Some(said), Some(file)) = (said, file) else {
            return Ok(Answer::Line { verdict, deeds: Vec::new(), differences: Vec::new() });
        };
        let ran = self.ran(&file, words, &said)?;
        let all = ran.deeds.iter().map(|deed| format!("{:?} {}", deed.how, deed.path));
        let found = ran.differences.iter().map(|deed| difference(&target, words, deed));
        Ok(Answer::Line { verdict, deeds: all.collect(), differences: found.collect() })
    }
}

/// What the line printed.
fn printed() -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(OUTPUT) {
        let _ = file.take(PRINTED).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Differences of one kind are one: the same options did the same to the same file.
fn kind(target: &Target, words: &[String], deed: &Deed) -> String {
    let options = words.iter().skip(target.words.len()).filter(|word| word.starts_with('-'));
    let mut options: Vec<&str> =
        options.map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name)).collect();
    options.sort_unstable();
    let place = if super::compare::is_below(&deed.path, super::world::PROJECT) {
        "inside"
    } else if super::compare::is_below(&deed.path, super::world::ROOT) {
        "outside"
    } else {
        &deed.path
    };
    format!("{:?} {place} {options:?}", deed.how)
}

fn difference(target: &Target, words: &[String], deed: &Deed) -> Difference {
    Difference {
        target: target.name(),
        line: quoted(words),
        what: format!("{:?}", deed.how),
        path: deed.path.clone(),
        call: deed.call.clone(),
    }
}

/// The other end of such a process.
#[derive(Debug)]
pub struct Worker {
    child: std::process::Child,
    to: BufWriter<std::process::ChildStdin>,
    from: BufReader<std::process::ChildStdout>,
}

impl Worker {
    /// Starts one, in which these programs may run.
    ///
    /// # Errors
    /// Where namespaces or strace are not to be had; the message says which.
    pub fn start(programs: &[String]) -> io::Result<Self> {
        let _ = environment();
        let mut child = Command::new(crate::sandbox::program("countersign-oracle")?)
            .arg("options-sandbox")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut worker = Self { child, to: BufWriter::new(to), from: BufReader::new(from) };
        match worker.ask(&Order::Allow(programs.to_vec()))? {
            Answer::Ready => Ok(worker),
            other => Err(io::Error::other(format!("{other:?}"))),
        }
    }

    /// Tells it something and waits for what it says.
    ///
    /// # Errors
    /// When it is gone, or cannot do it.
    pub fn ask(&mut self, order: &Order) -> io::Result<Answer> {
        wire::send(&mut self.to, &serde_json::to_vec(order)?)?;
        self.to.flush()?;
        let answer = wire::receive(&mut self.from)
            .map_err(|_| io::Error::other("the process in its namespaces ended"))?;
        match serde_json::from_slice(&answer)? {
            Answer::Failed(why) => Err(io::Error::other(why)),
            answer => Ok(answer),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
