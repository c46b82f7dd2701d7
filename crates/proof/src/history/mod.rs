//! Operations of several processes on keys they share, each with the times at which it was called and answered, while the
//! processes are killed. A history is right when for each key there is one order, which keeps to those times, in which a
//! single ledger without any concurrency would have given the same answers.

mod check;
mod client;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use serde::Serialize;

pub use check::{HistoryOperation, is_linearizable};
pub use client::{HistoryClient, HistoryLine, OperationCall, OperationReply, now};

use crate::process::{ChildGuard, TemporaryFolder, joined, this_program, wait_for_growth};
use crate::store::{self, ProofError};

/// The plan of a history: its store, processes, and numbers of operations and kills.
#[derive(Debug)]
pub struct HistoryPlan {
    /// The store.
    pub store: String,
    /// How many answered operations there should be at least.
    pub operations: u64,
    /// How many processes should be killed at least.
    pub kills: u64,
    /// Processes at once.
    pub processes: u64,
    /// How many keys are shared at a time.
    pub keys: u64,
    /// After about this many operations on each, new keys follow: a request is decided only once.
    pub turns: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The parent of the temporary folder.
    pub dir: Option<String>,
}

/// The report of a history.
#[derive(Debug, Serialize)]
pub struct HistoryReport {
    tool: &'static str,
    store: String,
    seed: u64,
    processes: u64,
    /// Operations that were answered.
    operations: u64,
    /// Operations that were cut off by a kill.
    unanswered: u64,
    kills: u64,
    /// Keys over all epochs.
    keys: u64,
    /// Keys that no order explains.
    violations: u64,
    /// Keys on which two decisions were told they won.
    double_winners: u64,
    examples: Vec<String>,
    /// Whether there is no violation, and there were enough operations.
    pub ok: bool,
}

/// The life of a client, from its start to its kill.
#[derive(Debug)]
struct ClientLife {
    /// Its name, which no other has.
    name: String,
    /// When it was killed.
    killed_at: u64,
}

/// Records a history and checks it.
pub fn run(plan: &HistoryPlan) -> Result<HistoryReport, ProofError> {
    let folder = TemporaryFolder::new(plan.dir.as_deref())?;
    let dir = folder.folder("store")?;
    let lives = record(plan, &folder, &dir)?;
    let mut by_key: HashMap<String, Vec<HistoryOperation>> = HashMap::new();
    for life in &lives {
        client::read(&folder.path(&life.name), &life.name, life.killed_at, &mut by_key)?;
    }
    let answered =
        by_key.values().flatten().filter(|operation| operation.reply.is_some()).count() as u64;
    let unanswered = by_key
        .values()
        .flatten()
        .filter(|operation| operation.reply.is_none() && !operation.is_death())
        .count() as u64;
    look_at_the_end(&plan.store, &dir, &mut by_key)?;

    let (mut violations, mut double_winners, mut examples) = (0, 0, Vec::new());
    for (key, operations) in &by_key {
        let winners = operations.iter().filter(|operation| {
            operation.reply == Some(OperationReply::Decided(store::DecideAnswer::Won))
        });
        double_winners += u64::from(winners.count() > 1);
        if !is_linearizable(operations) {
            violations += 1;
            if examples.len() < EXAMPLES {
                examples.push(example(key, operations)?);
            }
        }
    }
    Ok(HistoryReport {
        tool: "history",
        store: plan.store.clone(),
        seed: plan.seed,
        processes: plan.processes,
        operations: answered,
        unanswered,
        kills: lives.len() as u64,
        keys: by_key.len() as u64,
        violations,
        double_winners,
        examples,
        ok: violations + double_winners == 0 && answered >= plan.operations,
    })
}

const EXAMPLES: usize = 3;

/// The operations on a key that changed it, in the order of their calls.
fn example(key: &str, operations: &[HistoryOperation]) -> Result<String, ProofError> {
    let mut changes: Vec<&HistoryOperation> =
        operations.iter().filter(|operation| operation.may_have_changed()).collect();
    changes.sort_by_key(|operation| operation.called);
    Ok(format!("{key}: {}", serde_json::to_string(&changes)?))
}

/// About the size of the two lines of an operation, in bytes.
const LINES: u64 = 200;

/// Runs the clients and kills them until they have done enough.
fn record(
    plan: &HistoryPlan, folder: &TemporaryFolder, dir: &Path,
) -> Result<Vec<ClientLife>, ProofError> {
    let mut random = Rng::with_seed(plan.seed);
    let (done, started) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_enough = || {
        done.load(Ordering::Relaxed) >= plan.operations
            && started.load(Ordering::Relaxed) >= plan.kills
    };
    fs::write(folder.path("epoch"), "0")?;
    let lives = thread::scope(|scope| {
        let supervisors: Vec<_> = (0..plan.processes)
            .map(|_| {
                let (done, started, mut random) = (&done, &started, random.fork());
                scope.spawn(move || {
                    let mut lives = Vec::new();
                    while !is_enough() {
                        let name = format!("client-{}", started.fetch_add(1, Ordering::Relaxed));
                        let life = live_and_die(plan, folder, dir, name, &mut random)?;
                        let lines = fs::read_to_string(folder.path(&life.name))?.lines().count();
                        done.fetch_add(lines as u64 / 2, Ordering::Relaxed);
                        lives.push(life);
                    }
                    Ok(lives)
                })
            })
            .collect();
        // New keys come with the number of operations, not with time: a slow machine has as many operations on each.
        while !supervisors.iter().all(thread::ScopedJoinHandle::is_finished) {
            let written = (0..started.load(Ordering::Relaxed))
                .filter_map(|number| fs::metadata(folder.path(&format!("client-{number}"))).ok())
                .map(|metadata| metadata.len());
            let epoch = written.sum::<u64>() / LINES / (plan.turns * plan.keys).max(1);
            fs::write(folder.path("epoch"), epoch.to_string())?;
            thread::sleep(Duration::from_millis(2));
        }
        joined(supervisors.into_iter().map(|supervisor| supervisor.join()).collect())
    })?;
    Ok(lives.into_iter().flatten().collect())
}

/// One client, killed a little after it has begun to work.
fn live_and_die(
    plan: &HistoryPlan, folder: &TemporaryFolder, dir: &Path, name: String, random: &mut Rng,
) -> Result<ClientLife, ProofError> {
    let file = folder.path(&name);
    let mut client = ChildGuard(
        this_program(&[
            "client",
            "--store",
            &plan.store,
            "--dir",
            &dir.to_string_lossy(),
            "--history",
            &file.to_string_lossy(),
            "--epoch",
            &folder.path("epoch").to_string_lossy(),
            "--keys",
            &plan.keys.to_string(),
            "--seed",
            &random.u64(..).to_string(),
            "--name",
            &name,
        ])?
        .spawn()?,
    );
    if wait_for_growth(&file, LINES * random.u64(1..200), &mut client)? {
        thread::sleep(Duration::from_micros(random.u64(0..5000)));
    }
    if client.0.try_wait()?.is_some() {
        return Err(ProofError(format!("{name} failed by itself")));
    }
    Ok(ClientLife { name, killed_at: now() })
}

/// Reads each key once more after all processes ended: acknowledged changes must still be there.
fn look_at_the_end(
    name: &str, dir: &Path, by_key: &mut HashMap<String, Vec<HistoryOperation>>,
) -> Result<(), ProofError> {
    let called = now();
    let store = store::open(name, dir)?;
    let rows = store.examine()?.rows;
    let rows: HashMap<&str, _> = rows.iter().map(|row| (&*row.key, &row.state)).collect();
    for (key, operations) in by_key {
        let state = rows.get(key.as_str()).map(|state| (*state).clone());
        operations.push(HistoryOperation::answered(
            "the end",
            OperationCall::Get,
            called,
            OperationReply::Seen(state),
            now(),
        ));
    }
    Ok(())
}
