//! Many threads of many processes decide the same requests at the same time.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Barrier};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::process::{ChildGuard, TemporaryFolder, joined, this_program};
use crate::store::{self, DecideAnswer, ProofError, ProofStore};
use crate::verify::{self, StoreAck, StoreFindings};

/// The plan of a race: how many processes and threads decide how many requests.
#[derive(Debug)]
pub struct RacePlan {
    /// The store.
    pub store: String,
    /// Processes at once.
    pub processes: u64,
    /// Threads of each.
    pub threads: u64,
    /// Requests to decide.
    pub approvals: u64,
    /// The parent of the temporary folder.
    pub dir: Option<String>,
}

/// The report of a race.
#[derive(Debug, Serialize)]
pub struct RaceReport {
    tool: &'static str,
    store: String,
    processes: u64,
    threads: u64,
    approvals: u64,
    attempts: u64,
    /// Decisions that were answered as the winner: one for each request.
    winners: u64,
    /// Decisions that were answered with a winner who did not win.
    misled: u64,
    /// Decisions in the audit log: one for each request.
    decided_entries: u64,
    found: StoreFindings,
    /// Whether all of that is as it should be.
    pub ok: bool,
}

/// The answer that one racer got for one request, as a line of its output.
#[derive(Debug, Serialize, Deserialize)]
struct RacerAnswer {
    me: Arc<str>,
    id: Arc<str>,
    answer: DecideAnswer,
}

/// Races once.
pub fn run(plan: &RacePlan) -> Result<RaceReport, ProofError> {
    let folder = TemporaryFolder::new(plan.dir.as_deref())?;
    let dir = folder.folder("store")?;
    let store = store::open(&plan.store, &dir)?;
    let mut acks = Vec::new();
    for number in 0..plan.approvals {
        let key: Arc<str> = format!("race-{number}").into();
        acks.push(StoreAck::Requested { id: store.request(&key)?.id, key });
    }
    let ids: Vec<&str> = acks
        .iter()
        .filter_map(|ack| match ack {
            StoreAck::Requested { id, .. } => Some(&**id),
            _ => None,
        })
        .collect();
    let answers = start_racers(plan, &dir, &ids)?;

    let mut winner: HashMap<&str, &str> = HashMap::new();
    let mut winners = 0;
    for answers in answers.iter().filter(|answers| answers.answer == DecideAnswer::Won) {
        winners += 1;
        winner.insert(&answers.id, &answers.me);
        acks.push(StoreAck::Decided { id: Arc::clone(&answers.id), by: Arc::clone(&answers.me) });
    }
    let misled = answers.iter().filter(|answers| match &answers.answer {
        DecideAnswer::Won => false,
        DecideAnswer::Already(by) => winner.get(&*answers.id) != Some(&&**by),
        DecideAnswer::Unknown => true,
    });
    let misled = misled.count() as u64;
    let found = store.examine()?;
    let decided_entries =
        found.audit.iter().filter(|entry| &*entry.kind == "decided").count() as u64;
    let found = verify::verify(&acks, &found);
    let attempts = answers.len() as u64;
    let ok = winners == plan.approvals
        && winner.len() as u64 == plan.approvals
        && misled == 0
        && decided_entries == plan.approvals
        && attempts == plan.approvals * plan.processes * plan.threads
        && found.is_clean();
    Ok(RaceReport {
        tool: "race",
        store: plan.store.clone(),
        processes: plan.processes,
        threads: plan.threads,
        approvals: plan.approvals,
        attempts,
        winners,
        misled,
        decided_entries,
        found,
        ok,
    })
}

/// Starts all racers, waits until each is ready, lets them go, and collects their answers.
fn start_racers(plan: &RacePlan, dir: &Path, ids: &[&str]) -> Result<Vec<RacerAnswer>, ProofError> {
    let mut racers = Vec::new();
    for number in 0..plan.processes {
        let mut command = this_program(&[
            "racer",
            "--store",
            &plan.store,
            "--dir",
            &dir.to_string_lossy(),
            "--threads",
            &plan.threads.to_string(),
            "--name",
            &format!("racer-{number}"),
        ])?;
        racers.push(ChildGuard(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?));
    }
    let missing = || ProofError("a racer has no pipe".into());
    for racer in &mut racers {
        let mut ready = [0];
        racer.0.stdout.as_mut().ok_or_else(missing)?.read_exact(&mut ready)?;
    }
    let ids = ids.join("\n");
    for racer in &mut racers {
        // Its end is the signal.
        racer.0.stdin.take().ok_or_else(missing)?.write_all(ids.as_bytes())?;
    }
    let mut answers = Vec::new();
    for racer in &mut racers {
        let mut text = String::new();
        racer.0.stdout.as_mut().ok_or_else(missing)?.read_to_string(&mut text)?;
        for line in text.lines() {
            answers.push(serde_json::from_str(line)?);
        }
        if !racer.0.wait()?.success() {
            return Err(ProofError("a racer failed".into()));
        }
    }
    Ok(answers)
}

/// A racer: says it is ready, reads the ids, decides each of them in each of its threads, prints the answers.
pub fn racer(store: &dyn ProofStore, name: &str, threads: usize) -> Result<(), ProofError> {
    let mut output = std::io::stdout().lock();
    output.write_all(b"+")?;
    output.flush()?;
    let mut ids = String::new();
    std::io::stdin().read_to_string(&mut ids)?;
    let start = Barrier::new(threads);
    let answers = thread::scope(|scope| {
        let racers: Vec<_> = (0..threads)
            .map(|number| {
                let (ids, start) = (&ids, &start);
                scope.spawn(move || -> Result<Vec<RacerAnswer>, ProofError> {
                    start.wait();
                    let decide = |id: &str| {
                        let me = format!("{name}/{number}");
                        let answer = store.decide(id, &me, number % 2 == 0)?;
                        Ok(RacerAnswer { me: me.into(), id: id.into(), answer })
                    };
                    ids.lines().map(decide).collect()
                })
            })
            .collect();
        joined(racers.into_iter().map(|racer| racer.join()).collect())
    })?;
    for answers in answers.iter().flatten() {
        writeln!(output, "{}", serde_json::to_string(answers)?)?;
    }
    Ok(())
}
