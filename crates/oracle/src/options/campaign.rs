//! All programs, over several processes.

#[cfg(target_os = "linux")]
use std::collections::VecDeque;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::compare::LineDifference;
#[cfg(target_os = "linux")]
use super::inside::{WorkerAnswer, WorkerOrder, WorkerProcess};
use super::tally::LineCounts;
use super::targets::{self, ProgramTarget};

/// How many lines are a piece of work.
#[cfg(target_os = "linux")]
const PIECE: usize = 250;

/// A campaign over options: which programs are tried, with how many lines.
#[derive(Debug, Clone)]
pub struct OptionCampaign {
    /// The seed of the lines.
    pub seed: u64,
    /// How many lines of each program or command run, at most.
    pub lines: usize,
    /// Only these programs, or commands of them; none says all.
    pub programs: Vec<String>,
    /// Those too whose options are not all described.
    pub open: bool,
    /// How many processes.
    pub threads: usize,
    /// For how long each program or command is tried, in seconds.
    pub seconds: u64,
}

/// The report of a campaign over options.
#[derive(Debug, Clone, Default)]
pub struct OptionCampaignReport {
    /// The counts by program or command.
    pub rows: BTreeMap<String, LineCounts>,
    /// Some differences, made smaller.
    pub differences: Vec<LineDifference>,
    /// Programs that are not on this machine.
    pub missing: BTreeSet<String>,
    /// Programs and commands whose options are not all described.
    pub open: BTreeSet<String>,
    /// How long it took.
    pub took: Duration,
}

impl OptionCampaignReport {
    /// How many lines ran.
    pub fn ran(&self) -> usize {
        self.rows.values().map(|row| row.ran).sum()
    }

    /// How many lines differed.
    pub fn differing(&self) -> usize {
        self.rows.values().map(|row| row.differing).sum()
    }
}

impl OptionCampaign {
    /// The programs and commands to try; the others are put into the report.
    pub fn targets(&self, report: &mut OptionCampaignReport) -> Vec<ProgramTarget> {
        let wanted = |target: &ProgramTarget| {
            self.programs.is_empty()
                || self
                    .programs
                    .iter()
                    .any(|name| *name == target.name() || target.words.first() == Some(name))
        };
        let mut found = Vec::new();
        for target in targets::all().into_iter().filter(wanted) {
            let Some(program) = target.words.first() else { continue };
            if targets::which(program).is_none() {
                report.missing.insert(program.clone());
            } else if !target.closed && !self.open {
                report.open.insert(target.name());
            } else {
                found.push(target);
            }
        }
        found
    }

    /// Runs the campaign.
    ///
    /// # Errors
    /// Where there are no namespaces, or there is no strace.
    #[cfg(target_os = "linux")]
    pub fn run(&self, tell: impl Fn(&LineDifference) + Sync) -> io::Result<OptionCampaignReport> {
        let started = std::time::Instant::now();
        let mut report = OptionCampaignReport::default();
        let targets = self.targets(&mut report);
        let mut programs: Vec<String> = targets::all()
            .into_iter()
            .filter_map(|target| target.words.into_iter().next())
            .collect();
        programs.dedup();
        let threads = self.threads.max(1);
        let mut workers = (0..threads)
            .map(|_| WorkerProcess::start(&programs))
            .collect::<io::Result<Vec<_>>>()?;

        let todo: Mutex<VecDeque<ProgramTarget>> = Mutex::new(targets.into());
        let work: Mutex<VecDeque<(String, WorkerOrder)>> = Mutex::new(VecDeque::new());
        let shared = Mutex::new(&mut report);
        each(&mut workers, &programs, &|worker| {
            let next = lock(&work).pop_front();
            let Some((name, order)) = next else {
                // Its lines are the next work.
                let Some(target) = lock(&todo).pop_front() else { return Ok(false) };
                let orders = self.orders(worker, &target)?;
                lock(&work).extend(orders);
                return Ok(true);
            };
            let answer = worker.ask(&order);
            let mut report = lock(&shared);
            let row = report.rows.entry(name).or_default();
            let Ok(WorkerAnswer::Ran(tally)) = answer else {
                row.lost += 1;
                return Err(io::Error::other("lost"));
            };
            row.add(&tally.row);
            for difference in tally.differences {
                if !report.differences.iter().any(|other| other.line == difference.line) {
                    tell(&difference);
                    report.differences.push(difference);
                }
            }
            Ok(true)
        })?;
        report.took = started.elapsed();
        Ok(report)
    }

    /// The pieces of a program's lines.
    #[cfg(target_os = "linux")]
    fn orders(
        &self, worker: &mut WorkerProcess, target: &ProgramTarget,
    ) -> io::Result<Vec<(String, WorkerOrder)>> {
        let WorkerAnswer::Options(options) = worker.ask(&WorkerOrder::Options(target.clone()))?
        else {
            return Err(io::Error::other("no options"));
        };
        let options: Vec<String> = options.into_iter().collect();
        let parts = self.lines.div_ceil(PIECE).max(1);
        let order = |part: usize| WorkerOrder::Run {
            target: target.clone(),
            options: options.clone(),
            seed: self.seed,
            part: (part, parts),
            most: self.lines.div_ceil(parts),
            seconds: (self.seconds / parts as u64).max(1),
        };
        Ok((0..parts).map(|part| (target.name(), order(part))).collect())
    }

    /// Runs the campaign.
    ///
    /// # Errors
    /// Always: there are namespaces only on Linux.
    #[cfg(not(target_os = "linux"))]
    pub fn run(&self, _tell: impl Fn(&LineDifference) + Sync) -> io::Result<OptionCampaignReport> {
        Err(io::Error::other("there are namespaces only on Linux"))
    }
}

/// Lets every worker do something until there is nothing more to do. One that was lost is started again.
#[cfg(target_os = "linux")]
fn each(
    workers: &mut [WorkerProcess], programs: &[String],
    work: &(dyn Fn(&mut WorkerProcess) -> io::Result<bool> + Sync),
) -> io::Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                scope.spawn(move || -> io::Result<()> {
                    loop {
                        match work(worker) {
                            Ok(true) => {}
                            Ok(false) => return Ok(()),
                            Err(_) => *worker = WorkerProcess::start(programs)?,
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a worker panicked")))
        })
    })
}

#[cfg(target_os = "linux")]
fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
