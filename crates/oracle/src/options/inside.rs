//! The worker inside: it enters namespaces of its own, makes the world, then judges, runs and compares lines by order.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::compare::{LineDifference, differences};
use super::effects::{EffectKind, ObservedEffect, effects};
use super::judge::{LineJudge, LineVerdict, VerdictMentions};
use super::lines::{letters, lines, quoted};
use super::mounts;
use super::tally::PieceTally;
use super::targets::{ProgramTarget, manual, named, which};
use super::tracer::{LineTrace, LineTracer};
use super::world::{CANARY, OUTPUT, WorldTree, environment};
use crate::{spaces, wire};

/// How long a line may take.
const LIMIT: Duration = Duration::from_secs(2);
/// The most of the output of a line that is looked at, in bytes.
const PRINTED: u64 = 256 << 10;
/// The most differences of one piece of work that are made smaller and kept.
const KEPT: usize = 40;
/// The most attempts to make one smaller.
const ATTEMPTS: usize = 24;

/// An order to the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum WorkerOrder {
    /// First of all: the programs that may run.
    Allow(Vec<String>),
    /// Find the options that a program says it has.
    Options(ProgramTarget),
    /// A part of a program's lines.
    Run {
        /// The program.
        target: ProgramTarget,
        /// Its options, by all sources.
        options: Vec<String>,
        /// The seed of the lines.
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

/// The answer of the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum WorkerAnswer {
    /// It is ready.
    Ready,
    /// It failed, for this reason.
    Failed(String),
    /// Options.
    Options(BTreeSet<String>),
    /// The results of the lines.
    Ran(PieceTally),
    /// The verdict about one line, and its effects.
    Line {
        /// The verdict.
        verdict: String,
        /// The effects, if it ran.
        #[serde(rename = "deeds")]
        effects: Vec<String>,
        /// The effects that the verdict does not cover.
        differences: Vec<LineDifference>,
    },
}

/// Enters namespaces of its own and starts the init of them.
///
/// # Errors
/// When the kernel does not allow it.
pub fn enter() -> io::Result<()> {
    let done = spaces::enter(&["options-init".as_ref()]);
    if let Err(error) = &done {
        say(&mut io::stdout().lock(), &WorkerAnswer::Failed(error.to_string()))?;
    }
    done
}

/// The init: makes the world, gives up all rights, and serves.
///
/// # Errors
/// When the world cannot be made, or the parent is gone.
pub fn begin() -> io::Result<()> {
    let done = serve();
    if let Err(error) = &done {
        say(&mut io::stdout().lock(), &WorkerAnswer::Failed(error.to_string()))?;
    }
    done
}

fn serve() -> io::Result<()> {
    mounts::build()
        .map_err(|error| io::Error::other(format!("the world cannot be made ({error})")))?;
    spaces::give_up_rights(mounts::OWN_PROC)?;
    let world = WorldTree::new()?;
    let mut from = BufReader::new(io::stdin().lock());
    let mut to = BufWriter::new(io::stdout().lock());
    let Some(WorkerOrder::Allow(programs)) = hear(&mut from)? else {
        return Err(io::Error::other("nobody says what is allowed"));
    };
    let judge = LineJudge::new(&programs).map_err(io::Error::other)?;
    let mut runner = LineRunner { world, judge, tracer: LineTracer::start()? };
    runner.check()?;
    say(&mut to, &WorkerAnswer::Ready)?;
    while let Some(order) = hear(&mut from)? {
        let answer = match order {
            WorkerOrder::Allow(_) => WorkerAnswer::Ready,
            WorkerOrder::Options(target) => WorkerAnswer::Options(runner.options(&target)?),
            WorkerOrder::Line(words) => runner.line(&words)?,
            WorkerOrder::Run { target, options, seed, part, most, seconds } => {
                let end = Instant::now() + Duration::from_secs(seconds);
                let lines = lines(&target, &options, seed);
                let (number, of) = part;
                let lines = lines.into_iter().skip(number).step_by(of.max(1));
                WorkerAnswer::Ran(runner.run(&target, lines, most, end)?)
            }
        };
        say(&mut to, &answer)?;
    }
    Ok(())
}

fn say(to: &mut impl Write, answer: &WorkerAnswer) -> io::Result<()> {
    wire::send(to, &serde_json::to_vec(answer)?)?;
    to.flush()
}

fn hear(from: &mut impl Read) -> io::Result<Option<WorkerOrder>> {
    match wire::receive(from) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// The runner of lines: the world, the judge and the tracer.
struct LineRunner {
    world: WorldTree,
    judge: LineJudge,
    tracer: LineTracer,
}

/// One run of a line.
struct LineRun {
    effects: Vec<ObservedEffect>,
    differences: Vec<ObservedEffect>,
    stopped: bool,
}

impl LineRunner {
    /// Checks that it sees known effects: a blind one would never find a difference.
    fn check(&mut self) -> io::Result<()> {
        let words =
            ["sh", "-c", "cat secret ../outside/secret; echo > new; rm a.txt; ls d; mkdir d/n"];
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let file = which("sh").ok_or_else(|| io::Error::other("there is no sh"))?;
        let run = self.run_line(&file, &words, &VerdictMentions::default())?;
        let root = super::world::ROOT;
        for (kind, path) in [
            (EffectKind::Reads, "p/secret"),
            (EffectKind::Reads, "outside/secret"),
            (EffectKind::Reads, "what is printed"),
            (EffectKind::Writes, "p/new"),
            (EffectKind::Writes, "p/a.txt"),
            (EffectKind::Writes, "p/d/n"),
            (EffectKind::Lists, "p/d"),
        ] {
            let path = if path.contains(' ') { path.to_owned() } else { format!("{root}/{path}") };
            if !run.differences.iter().any(|effect| effect.kind == kind && effect.path == path) {
                return Err(io::Error::other(format!(
                    "the oracle does not see that {path} is used ({kind:?}): {:?}",
                    run.differences
                )));
            }
        }
        Ok(())
    }

    /// The options that a program and its manual name, and all letters.
    fn options(&mut self, target: &ProgramTarget) -> io::Result<BTreeSet<String>> {
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

    /// Runs words under strace; `None` if strace was lost.
    fn trace(&mut self, file: &Path, words: &[String]) -> io::Result<Option<LineTrace>> {
        match self.tracer.run(file, words, LIMIT) {
            Ok(trace) => Ok(Some(trace)),
            Err(_) => {
                self.tracer = LineTracer::start()?;
                self.world.restore()?;
                Ok(None)
            }
        }
    }

    fn run_line(
        &mut self, file: &Path, words: &[String], mentions: &VerdictMentions,
    ) -> io::Result<LineRun> {
        let Some(trace) = self.trace(file, words)? else {
            return Err(io::ErrorKind::TimedOut.into());
        };
        let effects = effects(&trace.lines, self.tracer.driver());
        let mut found =
            differences(words, &file.to_string_lossy(), mentions, &effects, &self.world);
        if printed().contains(CANARY) {
            found.push(ObservedEffect {
                kind: EffectKind::Reads,
                path: "what is printed".to_owned(),
                call: "a secret of the environment, or of a file outside, stands in the output"
                    .to_owned(),
                by: String::new(),
            });
        }
        if effects.iter().any(|effect| effect.kind == EffectKind::Writes) {
            self.world.restore()?;
        }
        Ok(LineRun { effects, differences: found, stopped: trace.timed_out })
    }

    fn run(
        &mut self, target: &ProgramTarget, lines: impl Iterator<Item = Vec<String>>, most: usize,
        end: Instant,
    ) -> io::Result<PieceTally> {
        let mut tally = PieceTally::default();
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
            let LineVerdict::Allowed(mentions) = self.verdict(&words)? else { continue };
            tally.row.allowed += 1;
            let Ok(run) = self.run_line(&file, &words, &mentions) else {
                tally.row.lost += 1;
                continue;
            };
            tally.row.ran += 1;
            tally.row.stopped += usize::from(run.stopped);
            let Some(first) = run.differences.first() else { continue };
            tally.row.differing += 1;
            if tally.differences.len() >= KEPT || !kinds.insert(kind(target, &words, first)) {
                continue;
            }
            let (words, effect) = self.smaller(target, &file, words, first.clone())?;
            kinds.insert(kind(target, &words, &effect));
            let difference = difference(target, &words, &effect);
            if !tally.differences.iter().any(|other| other.line == difference.line) {
                tally.differences.push(difference);
            }
        }
        tally.row.took = started.elapsed();
        Ok(tally)
    }

    fn verdict(&self, words: &[String]) -> io::Result<LineVerdict> {
        self.judge.verdict(&quoted(words)).map_err(io::Error::other)
    }

    /// Takes away the words that the difference does not need.
    fn smaller(
        &mut self, target: &ProgramTarget, file: &Path, words: Vec<String>, effect: ObservedEffect,
    ) -> io::Result<(Vec<String>, ObservedEffect)> {
        let (mut best, mut why) = (words, effect);
        let mut attempts = 0;
        let mut at = target.words.len();
        while at < best.len() && attempts < ATTEMPTS {
            attempts += 1;
            let mut fewer = best.clone();
            fewer.remove(at);
            let found = match self.verdict(&fewer)? {
                LineVerdict::Allowed(mentions) => {
                    self.run_line(file, &fewer, &mentions).ok().and_then(|run| {
                        run.differences.into_iter().find(|effect| effect.kind == why.kind)
                    })
                }
                LineVerdict::Asked(_) => None,
            };
            match found {
                Some(effect) => (best, why) = (fewer, effect),
                None => at += 1,
            }
        }
        Ok((best, why))
    }

    fn line(&mut self, words: &[String]) -> io::Result<WorkerAnswer> {
        let target = ProgramTarget {
            words: words.iter().take(1).cloned().collect(),
            options: std::collections::BTreeMap::new(),
            closed: true,
        };
        let (verdict, mentions) = match self.verdict(words)? {
            LineVerdict::Allowed(mentions) => (format!("allow: {mentions:?}"), Some(mentions)),
            LineVerdict::Asked(why) => (format!("ask: {why}"), None),
        };
        let file: Option<PathBuf> = words.first().and_then(|name| which(name));
        let (Some(mentions), Some(file)) = (mentions, file) else {
            return Ok(WorkerAnswer::Line {
                verdict,
                effects: Vec::new(),
                differences: Vec::new(),
            });
        };
        let run = self.run_line(&file, words, &mentions)?;
        let all = run.effects.iter().map(|effect| format!("{:?} {}", effect.kind, effect.path));
        let found = run.differences.iter().map(|effect| difference(&target, words, effect));
        Ok(WorkerAnswer::Line { verdict, effects: all.collect(), differences: found.collect() })
    }
}

/// The output of the line.
fn printed() -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(OUTPUT) {
        let _ = file.take(PRINTED).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Differences of one kind are one: the same options did the same to the same file.
fn kind(target: &ProgramTarget, words: &[String], effect: &ObservedEffect) -> String {
    let options = words.iter().skip(target.words.len()).filter(|word| word.starts_with('-'));
    let mut options: Vec<&str> =
        options.map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name)).collect();
    options.sort_unstable();
    let place = if super::compare::is_below(&effect.path, super::world::PROJECT) {
        "inside"
    } else if super::compare::is_below(&effect.path, super::world::ROOT) {
        "outside"
    } else {
        &effect.path
    };
    format!("{:?} {place} {options:?}", effect.kind)
}

fn difference(target: &ProgramTarget, words: &[String], effect: &ObservedEffect) -> LineDifference {
    LineDifference {
        target: target.name(),
        line: quoted(words),
        what: format!("{:?}", effect.kind),
        path: effect.path.clone(),
        call: effect.call.clone(),
    }
}

/// A worker process, as its parent sees it: the child and its pipes.
#[derive(Debug)]
pub struct WorkerProcess {
    child: std::process::Child,
    to: BufWriter<std::process::ChildStdin>,
    from: BufReader<std::process::ChildStdout>,
}

impl WorkerProcess {
    /// Starts one, in which these programs may run.
    ///
    /// # Errors
    /// Where there are no namespaces or there is no strace; the message says which.
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
        match worker.ask(&WorkerOrder::Allow(programs.to_vec()))? {
            WorkerAnswer::Ready => Ok(worker),
            other => Err(io::Error::other(format!("{other:?}"))),
        }
    }

    /// Sends an order and waits for the answer.
    ///
    /// # Errors
    /// When it is gone, or cannot do it.
    pub fn ask(&mut self, order: &WorkerOrder) -> io::Result<WorkerAnswer> {
        wire::send(&mut self.to, &serde_json::to_vec(order)?)?;
        self.to.flush()?;
        let answer = wire::receive(&mut self.from)
            .map_err(|_| io::Error::other("the process in its namespaces ended"))?;
        match serde_json::from_slice(&answer)? {
            WorkerAnswer::Failed(why) => Err(io::Error::other(why)),
            answer => Ok(answer),
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
