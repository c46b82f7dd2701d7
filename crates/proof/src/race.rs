//! Many threads of many processes decide the same requests at the same time.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Barrier};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::process::{Folder, Running, joined, this_program};
use crate::store::{self, Answer, Failure, Store};
use crate::verify::{self, Ack, Verdict};

/// Who races for what.
#[derive(Debug)]
pub struct Plan {
    /// The store.
    pub store: String,
    /// Processes at once.
    pub processes: u64,
    /// Threads of each.
    pub threads: u64,
    /// Requests to decide.
    pub approvals: u64,
    /// Where to make the folder for it all.
    pub dir: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Report {
    tool: &'static str,
    store: String,
    processes: u64,
    threads: u64,
    approvals: u64,
    attempts: u64,
    /// Decisions that were told they won: one for each request.
    winners: u64,
    /// Decisions that were told of a winner who was none.
    misled: u64,
    /// Decisions in the audit log: one for each request.
    decided_entries: u64,
    found: Verdict,
    /// Whether all of that is as it should be.
    pub ok: bool,
}

/// What one racer was told about each request, in one line.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    me: Arc<str>,
    id: Arc<str>,
    answer: Answer,
}

/// Races once.
pub fn run(plan: &Plan) -> Result<Report, Failure> {
    let folder = Folder::new(plan.dir.as_deref())?;
    let dir = folder.folder("store")?;
    let store = store::open(&plan.store, &dir)?;
    let mut acks = Vec::new();
    for number in 0..plan.approvals {
        let key: Arc<str> = format!("race-{number}").into();
        acks.push(Ack::Requested { id: store.request(&key)?.id, key });
    }
    let ids: Vec<&str> = acks
        .iter()
        .filter_map(|ack| match ack {
            Ack::Requested { id, .. } => Some(&**id),
            _ => None,
        })
        .collect();
    let told = start_racers(plan, &dir, &ids)?;

    let mut winner: HashMap<&str, &str> = HashMap::new();
    let mut winners = 0;
    for told in told.iter().filter(|told| told.answer == Answer::Won) {
        winners += 1;
        winner.insert(&told.id, &told.me);
        acks.push(Ack::Decided { id: Arc::clone(&told.id), by: Arc::clone(&told.me) });
    }
    let misled = told.iter().filter(|told| match &told.answer {
        Answer::Won => false,
        Answer::Already(by) => winner.get(&*told.id) != Some(&&**by),
        Answer::Unknown => true,
    });
    let misled = misled.count() as u64;
    let found = store.examine()?;
    let decided_entries =
        found.audit.iter().filter(|entry| &*entry.kind == "decided").count() as u64;
    let found = verify::verify(&acks, &found);
    let attempts = told.len() as u64;
    let ok = winners == plan.approvals
        && winner.len() as u64 == plan.approvals
        && misled == 0
        && decided_entries == plan.approvals
        && attempts == plan.approvals * plan.processes * plan.threads
        && found.is_clean();
    Ok(Report {
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

/// Starts all, waits until each says it is ready, lets them go, and collects what they were told.
fn start_racers(plan: &Plan, dir: &Path, ids: &[&str]) -> Result<Vec<Told>, Failure> {
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
        racers.push(Running(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?));
    }
    let missing = || Failure("a racer has no pipe".into());
    for racer in &mut racers {
        let mut ready = [0];
        racer.0.stdout.as_mut().ok_or_else(missing)?.read_exact(&mut ready)?;
    }
    let ids = ids.join("\n");
    for racer in &mut racers {
        // Its end is the signal.
        racer.0.stdin.take().ok_or_else(missing)?.write_all(ids.as_bytes())?;
    }
    let mut told = Vec::new();
    for racer in &mut racers {
        let mut text = String::new();
        racer.0.stdout.as_mut().ok_or_else(missing)?.read_to_string(&mut text)?;
        for line in text.lines() {
            told.push(serde_json::from_str(line)?);
        }
        if !racer.0.wait()?.success() {
            return Err(Failure("a racer failed".into()));
        }
    }
    Ok(told)
}

/// A racer: says it is ready, reads the ids, decides each of them in each of its threads, prints what it was told.
pub fn racer(store: &dyn Store, name: &str, threads: usize) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    output.write_all(b"+")?;
    output.flush()?;
    let mut ids = String::new();
    std::io::stdin().read_to_string(&mut ids)?;
    let start = Barrier::new(threads);
    let told = thread::scope(|scope| {
        let racers: Vec<_> = (0..threads)
            .map(|number| {
                let (ids, start) = (&ids, &start);
                scope.spawn(move || -> Result<Vec<Told>, Failure> {
                    start.wait();
                    let decide = |id: &str| {
                        let me = format!("{name}/{number}");
                        let answer = store.decide(id, &me, number % 2 == 0)?;
                        Ok(Told { me: me.into(), id: id.into(), answer })
                    };
                    ids.lines().map(decide).collect()
                })
            })
            .collect();
        joined(racers.into_iter().map(|racer| racer.join()).collect())
    })?;
    for told in told.iter().flatten() {
        writeln!(output, "{}", serde_json::to_string(told)?)?;
    }
    Ok(())
}
