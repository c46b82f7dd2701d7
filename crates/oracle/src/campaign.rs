//! Many scripts over several sandboxes.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::check::{OracleMiss, ScriptOutcome, check};
use crate::engine::PolicyEngine;
use crate::generate;
use crate::minimize::minimize;
use crate::opinion::ParserOpinions;
use crate::sandbox::{SandboxShell, ShellSandbox};

/// The most misses that are made smaller. The rest are kept as they are.
const SMALL: usize = 60;
/// The most misses that are kept. The rest are counted.
const KEPT: usize = 2_000;
/// The most examples of scripts that were asked about without need.
const EXAMPLES: usize = 40;

/// A campaign over generated scripts: which scripts run, in which shells.
#[derive(Debug, Clone)]
pub struct ScriptCampaign {
    /// The seed of the scripts.
    pub seed: u64,
    /// The number of the first script.
    pub first: u64,
    /// How many scripts.
    pub scripts: u64,
    /// The shells in which each of them runs.
    pub shells: Vec<SandboxShell>,
    /// How many sandboxes work at once.
    pub threads: usize,
}

/// The report of a campaign over scripts.
#[derive(Debug, Clone, Default)]
pub struct ScriptCampaignReport {
    /// Scripts made.
    pub scripts: u64,
    /// Times that a script ran: once for each shell.
    pub runs: u64,
    /// Programs that started.
    pub programs: u64,
    /// Runs stopped at their deadline.
    pub timed_out: u64,
    /// Runs in which nothing started.
    pub idle: u64,
    /// Runs of scripts that the policy allowed.
    pub allowed: u64,
    /// Runs of scripts that the engine allowed.
    pub allowed_by_engine: u64,
    /// Runs of scripts whose analysis has no unknown part.
    pub known: u64,
    /// Runs under bash of scripts that the engine asked about, and that had allowed effects alone.
    pub over_strict: u64,
    /// Runs under bash of scripts that had effects, all of them allowed.
    pub harmless: u64,
    /// Times that a sandbox had to be started again.
    pub lost: u64,
    /// Misses, before they were made smaller.
    pub missed: u64,
    /// Some of them, made smaller, each script once.
    pub misses: Vec<OracleMiss>,
    /// Some scripts that were asked about without need, short ones first.
    pub examples: Vec<String>,
    /// Allowed scripts in which another parser sees a command more.
    pub doubts: BTreeMap<String, String>,
    /// How often other parsers did not answer in time, or gave up.
    pub opinions_failed: u64,
    /// How many allowed scripts they were asked about.
    pub opinions: u64,
    /// How long it took, sandboxes not counted.
    pub took: Duration,
}

impl ScriptCampaign {
    /// Runs the campaign.
    ///
    /// # Errors
    /// When no sandbox can be started: where namespaces are not allowed, or a shell is absent.
    pub fn run(&self) -> io::Result<ScriptCampaignReport> {
        let sandboxes = (0..self.threads.max(1))
            .map(|_| ShellSandbox::start())
            .collect::<io::Result<Vec<_>>>()?;
        let engine = PolicyEngine::new().map_err(io::Error::other)?;
        let next = AtomicU64::new(0);
        let report = Mutex::new(ScriptCampaignReport::default());
        let started = Instant::now();
        std::thread::scope(|scope| {
            let workers: Vec<_> = sandboxes
                .into_iter()
                .map(|sandbox| scope.spawn(|| self.work(sandbox, &engine, &next, &report)))
                .collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err(io::Error::other("a worker panicked")))
            })
        })?;
        let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.took = started.elapsed();
        report.misses.sort_by_key(|miss| miss.script.len());
        Ok(report)
    }

    fn work(
        &self, mut sandbox: ShellSandbox, engine: &PolicyEngine, next: &AtomicU64,
        report: &Mutex<ScriptCampaignReport>,
    ) -> io::Result<()> {
        let mut opinions = ParserOpinions::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.scripts {
                return Ok(());
            }
            let script = generate::script(self.seed, self.first + number);
            for by in &self.shells {
                match check(&mut sandbox, engine, *by, &script) {
                    Ok(outcome) => {
                        let kept = lock(report).count(&script, *by, &outcome);
                        if kept && let Some(miss) = outcome.misses.first() {
                            let small = lock(report).misses.len() < SMALL;
                            let miss = if small {
                                minimize(&mut sandbox, engine, miss)
                            } else {
                                miss.clone()
                            };
                            lock(report).keep(miss);
                        }
                        if (outcome.allowed || outcome.allowed_by_engine)
                            && *by == SandboxShell::Bash
                        {
                            let opinion = opinions.of(&script);
                            lock(report).weigh(&script, opinion);
                        }
                    }
                    Err(_) => {
                        lock(report).lost += 1;
                        sandbox = ShellSandbox::start()?;
                    }
                }
            }
            lock(report).scripts += 1;
        }
    }
}

fn lock(report: &Mutex<ScriptCampaignReport>) -> std::sync::MutexGuard<'_, ScriptCampaignReport> {
    report.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptCampaignReport {
    /// Whether a miss in it should be made smaller and kept.
    fn count(&mut self, script: &str, by: SandboxShell, outcome: &ScriptOutcome) -> bool {
        self.runs += 1;
        self.programs += outcome.trace.programs.len() as u64;
        self.timed_out += u64::from(outcome.trace.timed_out);
        self.idle += u64::from(outcome.trace.programs.is_empty());
        self.allowed += u64::from(outcome.allowed);
        self.allowed_by_engine += u64::from(outcome.allowed_by_engine);
        self.known += u64::from(outcome.known);
        // Under dash, programs that are not found are not seen: the script only looks harmless.
        let harmless = outcome.harmless && by == SandboxShell::Bash;
        self.harmless += u64::from(harmless);
        if harmless && !outcome.allowed_by_engine {
            self.over_strict += 1;
            if self.examples.len() < EXAMPLES && script.len() < 60 {
                self.examples.push(script.to_owned());
            }
        }
        self.missed += u64::from(!outcome.misses.is_empty());
        !outcome.misses.is_empty() && self.misses.len() < KEPT
    }

    fn keep(&mut self, miss: OracleMiss) {
        if !self.misses.iter().any(|known| known.script == miss.script && known.by == miss.by) {
            self.misses.push(miss);
        }
    }

    fn weigh(&mut self, script: &str, opinion: Option<Result<Vec<String>, String>>) {
        let Some(opinion) = opinion else { return };
        self.opinions += 1;
        match opinion {
            Ok(more) if more.is_empty() => {}
            Ok(more) => {
                if self.doubts.len() < EXAMPLES {
                    self.doubts.insert(script.to_owned(), more.join(", "));
                }
            }
            Err(_) => self.opinions_failed += 1,
        }
    }
}
