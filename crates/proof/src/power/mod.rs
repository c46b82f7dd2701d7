//! Power cuts. A program runs, with all that it does to a folder recorded; then, for random points of that record, the disk
//! is made as a power cut at that point may have left it, and a second program checks it. One of these disks is
//! the start of the next life of the program.

mod disk;
mod record;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use fastrand::Rng;
use serde::Serialize;

pub use disk::{CutMode, DiskImage, SimulatedDisk};
pub use record::{DiskEvent, events};

use crate::process::{TemporaryFolder, joined, this_program};
use crate::store::ProofError;
use crate::verify::StoreFindings;

/// The plan of power cuts: the victim, and how often its disk is cut.
#[derive(Debug)]
pub struct PowerPlan {
    /// The store that the programs of this crate work on.
    pub store: String,
    /// Another program instead, run by `sh -c`: `{dir}` is the folder it works in, `{acks}` the file to which it writes each
    /// acknowledgement in one write of a line.
    pub victim: Option<String>,
    /// The program that checks an image, run by `sh -c` with `{dir}` and `{acks}`: its last line is a [`StoreFindings`].
    pub check: Option<String>,
    /// How many calls the victim makes.
    pub calls: u64,
    /// In this many threads.
    pub threads: u64,
    /// In this many processes at once.
    pub processes: u64,
    /// How many points are cut at in all, in each mode.
    pub points: usize,
    /// How often the victim works: each time after the first on the disk that one of the cuts has left.
    pub lives: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The parent of the temporary folder; the system's when `None`.
    pub dir: Option<String>,
    /// Where to keep the images in which something was found, each with the acknowledgements by then.
    pub keep: Option<String>,
}

/// The results of one mode.
#[derive(Debug, Default, Serialize)]
pub struct ModeTally {
    /// Images that were made.
    pub images: u64,
    /// Images in which something acknowledged was lost.
    pub lossy: u64,
    /// Images that could not be opened.
    pub unopenable: u64,
    /// The error of one of these.
    pub because: Option<String>,
    /// The findings in all of them.
    pub found: StoreFindings,
}

/// The report of all power cuts.
#[derive(Debug, Serialize)]
pub struct PowerReport {
    tool: &'static str,
    store: String,
    seed: u64,
    records: usize,
    acks: usize,
    syncs: usize,
    points: usize,
    lives: u64,
    images: u64,
    dropped: ModeTally,
    reordered: ModeTally,
    torn: ModeTally,
    /// Why the victim could not go on after a cut.
    stopped: Option<String>,
    /// Whether nothing was lost, doubled, broken or unopenable, and the victim lived all its lives.
    pub ok: bool,
}

/// Runs the victim in each of its lives and looks at every image.
pub fn run(plan: &PowerPlan) -> Result<PowerReport, ProofError> {
    let folder = TemporaryFolder::new(plan.dir.as_deref())?;
    let mut random = Rng::with_seed(plan.seed);
    let mut report = PowerReport {
        tool: "power",
        store: plan.victim.clone().unwrap_or_else(|| plan.store.clone()),
        seed: plan.seed,
        records: 0,
        acks: 0,
        syncs: 0,
        points: 0,
        lives: plan.lives,
        images: 0,
        dropped: ModeTally::default(),
        reordered: ModeTally::default(),
        torn: ModeTally::default(),
        stopped: None,
        ok: true,
    };
    let mut before = LifeStart::default();
    let share = plan.points.div_ceil(usize::try_from(plan.lives.max(1)).unwrap_or(1));
    for life in 0..plan.lives {
        match live(plan, life, share, before, &folder, &mut random, &mut report) {
            Ok(after) => before = after,
            // The first time, there was no cut that could be why.
            Err(error) if life > 0 => {
                report.stopped = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error),
        }
    }
    let tallies = [&report.dropped, &report.reordered, &report.torn];
    report.ok = report.stopped.is_none()
        && tallies.iter().all(|tally| tally.unopenable == 0 && tally.found.is_clean());
    report.images = tallies.iter().map(|tally| tally.images).sum();
    Ok(report)
}

/// The start of a life: the disk that a cut has left, and the acknowledgements before it.
#[derive(Default)]
struct LifeStart {
    image: DiskImage,
    acknowledged: Vec<u8>,
}

/// One life of the victim, cut at `share` points. Returns the start of the next life, by one more cut.
fn live(
    plan: &PowerPlan, life: u64, share: usize, before: LifeStart, folder: &TemporaryFolder,
    random: &mut Rng, report: &mut PowerReport,
) -> Result<LifeStart, ProofError> {
    let root = folder.path(&format!("disk-{life}"));
    before.image.write(&root)?;
    let start = ReplayState {
        disk: SimulatedDisk::new(&root, &before.image)?,
        acknowledged: before.acknowledged,
    };
    let log = fs::read(record_victim(plan, life, &root, folder)?)?;
    let events = events(&log)?;
    let points = points(&events, share, random);

    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = points.len().div_ceil(threads).max(1);
    let results = thread::scope(|scope| {
        let workers: Vec<_> = points
            .chunks(share)
            .enumerate()
            .map(|(number, points)| {
                let (start, events, random) = (start.clone(), &events, random.fork());
                let place = (folder.path(&format!("image-{number}")), life);
                scope.spawn(move || cut(plan, events, points, start, &place, random))
            })
            .collect();
        joined(workers.into_iter().map(|worker| worker.join()).collect())
    })?;
    for [dropped, reordered, torn] in results {
        report.dropped.add(dropped);
        report.reordered.add(reordered);
        report.torn.add(torn);
    }
    report.points += points.len();
    report.records += events.len();
    report.acks += events.iter().filter(|event| matches!(event, DiskEvent::Ack(_))).count();
    report.syncs += events.iter().filter(|event| matches!(event, DiskEvent::Sync { .. })).count();

    let mut end = start;
    end.go_on(events.get(..random.usize(..=events.len())).unwrap_or_default())?;
    let mode = *random.choice(&CutMode::ALL).unwrap_or(&CutMode::Dropped);
    Ok(LifeStart { image: end.disk.after_a_cut(mode, random), acknowledged: end.acknowledged })
}

/// The state of a replay: the disk, and the acknowledgements by then.
#[derive(Clone)]
struct ReplayState<'a> {
    disk: SimulatedDisk<'a>,
    acknowledged: Vec<u8>,
}

impl<'a> ReplayState<'a> {
    fn go_on(&mut self, events: &[DiskEvent<'a>]) -> Result<(), ProofError> {
        for event in events {
            match event {
                DiskEvent::Ack(line) => self.acknowledged.extend_from_slice(line),
                event => self.disk.apply(event)?,
            }
        }
        Ok(())
    }
}

impl ModeTally {
    fn add(&mut self, more: Self) {
        self.images += more.images;
        self.lossy += more.lossy;
        self.unopenable += more.unopenable;
        self.because = self.because.take().or(more.because);
        self.found.add(more.found);
    }
}

/// Where to cut, in ascending order: half of the points anywhere, half right after something was acknowledged.
fn points(events: &[DiskEvent<'_>], number: usize, random: &mut Rng) -> Vec<usize> {
    let acks = events.iter().enumerate().filter(|(_, event)| matches!(event, DiskEvent::Ack(_)));
    let acks: Vec<usize> = acks.map(|(place, _)| place + 1).collect();
    let mut points: Vec<usize> = (0..number)
        .map(|point| match random.choice(&acks) {
            Some(after) if point % 2 == 0 => *after,
            _ => random.usize(..=events.len()),
        })
        .collect();
    points.sort_unstable();
    points
}

fn record_victim(
    plan: &PowerPlan, life: u64, dir: &Path, folder: &TemporaryFolder,
) -> Result<PathBuf, ProofError> {
    let (log, acks) = (folder.path(&format!("log-{life}")), folder.path("acks"));
    fs::write(&log, "")?;
    fs::write(&acks, "")?;
    let recorder = recorder()?;
    let mut victims = Vec::new();
    for number in 0..plan.processes {
        let mut command = match &plan.victim {
            Some(text) => shell(text, dir, &acks),
            None => this_program(&[
                "victim",
                "--store",
                &plan.store,
                "--dir",
                &dir.to_string_lossy(),
                "--acks",
                &acks.to_string_lossy(),
                "--calls",
                &plan.calls.to_string(),
                "--threads",
                &plan.threads.to_string(),
                "--seed",
                &plan.seed.wrapping_add(number).to_string(),
                "--name",
                &format!("victim-{life}-{number}"),
            ])?,
        };
        command
            .env("LD_PRELOAD", &recorder)
            .env("COUNTERSIGN_POWERCUT_DIR", dir)
            .env("COUNTERSIGN_POWERCUT_LOG", &log)
            .env("COUNTERSIGN_POWERCUT_ACKS", &acks);
        victims.push(command.spawn()?);
    }
    for mut victim in victims {
        let status = victim.wait()?;
        if !status.success() {
            return Err(ProofError(format!("the victim ended with {status}")));
        }
    }
    Ok(log)
}

/// The library that is preloaded, which cargo builds beside this program.
///
/// # Errors
/// When it is not there.
pub fn recorder() -> Result<PathBuf, ProofError> {
    let program = std::env::current_exe()?;
    let places = program
        .ancestors()
        .skip(1)
        .take(2)
        .flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
    places
        .map(|folder| folder.join("libcountersign_powercut.so"))
        .find(|file| file.exists())
        .ok_or_else(|| ProofError("libcountersign_powercut.so is not beside this program: build it with `cargo build -p countersign-powercut` (Linux only)".into()))
}

fn shell(text: &str, dir: &Path, acks: &Path) -> Command {
    let text =
        text.replace("{dir}", &dir.to_string_lossy()).replace("{acks}", &acks.to_string_lossy());
    let mut command = Command::new("sh");
    command.args(["-c", &text]).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Cuts at these points of a life, which ascend, once in each mode.
fn cut<'a>(
    plan: &PowerPlan, events: &[DiskEvent<'a>], points: &[usize], mut now: ReplayState<'a>,
    (dir, life): &(PathBuf, u64), mut random: Rng,
) -> Result<[ModeTally; 3], ProofError> {
    let acks = dir.with_extension("acks");
    let mut tallies = [ModeTally::default(), ModeTally::default(), ModeTally::default()];
    let mut done = 0;
    for &point in points {
        now.go_on(events.get(done..point).unwrap_or_default())?;
        done = point;
        fs::write(&acks, &now.acknowledged)?;
        for (mode, tally) in CutMode::ALL.into_iter().zip(&mut tallies) {
            let image = now.disk.after_a_cut(mode, &mut random);
            image.write(dir)?;
            tally.images += 1;
            let is_clean = match look(plan, dir, &acks)? {
                Err(because) => {
                    tally.unopenable += 1;
                    tally.because = Some(because);
                    false
                }
                Ok(found) => {
                    let is_clean = found.is_clean();
                    tally.lossy += u64::from(found.lost > 0);
                    tally.found.add(found);
                    is_clean
                }
            };
            if let (Some(keep), false) = (&plan.keep, is_clean) {
                let keep = Path::new(keep).join(format!("{life}-{point}-{mode:?}").to_lowercase());
                image.write(&keep.join("disk"))?;
                fs::write(keep.join("acks"), &now.acknowledged)?;
            }
        }
    }
    Ok(tallies)
}

/// The findings of a check of an image, or why it could not be opened.
fn look(
    plan: &PowerPlan, dir: &Path, acks: &Path,
) -> Result<Result<StoreFindings, String>, ProofError> {
    let mut command = match &plan.check {
        Some(text) => shell(text, dir, acks),
        None => this_program(&[
            "check",
            "--store",
            &plan.store,
            "--dir",
            &dir.to_string_lossy(),
            "--acks",
            &acks.to_string_lossy(),
        ])?,
    };
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
    Ok(verdict.ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}: {}", output.status, said.lines().next().unwrap_or_default())
    }))
}
