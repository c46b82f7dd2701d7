//! Writers that are killed at random moments, again and again, on one store.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use serde::Serialize;

use crate::process::{ChildGuard, TemporaryFolder, joined, this_program, wait_for_growth};
use crate::store::{self, ProofError};
use crate::verify::{self, StoreFindings};

/// The plan of a run: how often which writers are killed.
#[derive(Debug)]
pub struct KillPlan {
    /// The store.
    pub store: String,
    /// Kills over all rounds.
    pub kills: u64,
    /// Kills on one store, before it is looked at and a new one is made.
    pub kills_a_round: u64,
    /// Writers at once.
    pub processes: u64,
    /// Threads of each.
    pub threads: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The parent of the temporary folder.
    pub dir: Option<String>,
}

/// The report of a run.
#[derive(Debug, Serialize)]
pub struct KillReport {
    tool: &'static str,
    store: String,
    seed: u64,
    processes: u64,
    threads: u64,
    kills: u64,
    rounds: u64,
    /// Writers that ended before they were killed, which none should.
    failed: u64,
    found: StoreFindings,
    /// Whether nothing was lost, doubled or broken, and no writer failed.
    pub ok: bool,
}

/// Kills writers, and examines the store after each round.
pub fn run(plan: &KillPlan) -> Result<KillReport, ProofError> {
    let mut random = Rng::with_seed(plan.seed);
    let mut found = StoreFindings::default();
    let (mut kills, mut rounds, mut failed) = (0, 0, 0);
    while kills < plan.kills {
        let wanted = plan.kills_a_round.min(plan.kills - kills);
        let folder = TemporaryFolder::new(plan.dir.as_deref())?;
        failed += round(plan, wanted, &folder, &mut random)?;
        found.add(look(plan, &folder)?);
        kills += wanted;
        rounds += 1;
    }
    let ok = found.is_clean() && failed == 0;
    Ok(KillReport {
        tool: "kill",
        store: plan.store.clone(),
        seed: plan.seed,
        processes: plan.processes,
        threads: plan.threads,
        kills,
        rounds,
        failed,
        found,
        ok,
    })
}

/// One round of kills on one store. Returns how many writers failed by themselves.
fn round(
    plan: &KillPlan, wanted: u64, folder: &TemporaryFolder, random: &mut Rng,
) -> Result<u64, ProofError> {
    let dir = folder.folder("store")?;
    let (started, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let results = thread::scope(|scope| {
        let supervisors: Vec<_> = (0..plan.processes)
            .map(|writer| {
                let (dir, started, failed) = (&dir, &started, &failed);
                let (mut random, acks) = (random.fork(), folder.path(&format!("acks-{writer}")));
                scope.spawn(move || {
                    loop {
                        let life = started.fetch_add(1, Ordering::Relaxed);
                        if life >= wanted || failed.load(Ordering::Relaxed) > 0 {
                            return Ok(());
                        }
                        if !live_and_die(plan, dir, &acks, life, &mut random)? {
                            failed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        joined(supervisors.into_iter().map(|supervisor| supervisor.join()).collect())
    });
    results.map(|_: Vec<()>| failed.into_inner())
}

/// One writer, killed 0.2 to 60 ms after it was first answered; `false`: it ended by itself.
fn live_and_die(
    plan: &KillPlan, dir: &Path, acks: &Path, life: u64, random: &mut Rng,
) -> Result<bool, ProofError> {
    let before = fs::metadata(acks).map_or(0, |metadata| metadata.len());
    let mut writer = ChildGuard(
        this_program(&[
            "victim",
            "--store",
            &plan.store,
            "--dir",
            &dir.to_string_lossy(),
            "--acks",
            &acks.to_string_lossy(),
            "--calls",
            &u64::MAX.to_string(),
            "--threads",
            &plan.threads.to_string(),
            "--seed",
            &random.u64(..).to_string(),
            "--name",
            &format!("life-{life}"),
        ])?
        .spawn()?,
    );
    if !wait_for_growth(acks, before, &mut writer)? {
        return Ok(false);
    }
    thread::sleep(Duration::from_micros(random.u64(200..60_000)));
    Ok(writer.0.try_wait()?.is_none())
}

fn look(plan: &KillPlan, folder: &TemporaryFolder) -> Result<StoreFindings, ProofError> {
    let mut acks = Vec::new();
    for writer in 0..plan.processes {
        let file = folder.path(&format!("acks-{writer}"));
        if file.exists() {
            acks.extend(verify::read(&file)?);
        }
    }
    let store = store::open(&plan.store, &folder.folder("store")?)?;
    Ok(verify::verify(&acks, &store.examine()?))
}
