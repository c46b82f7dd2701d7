//! The tools as a program. Each prints one line of JSON and exits with 0, with 1 when it has found something, and with 2 when
//! it could not do its work:
//!
//! ```sh
//! cargo run --release -p countersign-proof -- power --points 200 --seed 1
//! cargo run --release -p countersign-proof -- kill --kills 2000 --processes 4
//! cargo run --release -p countersign-proof -- race --processes 8 --threads 4 --approvals 500
//! cargo run --release -p countersign-proof -- history --operations 50000 --processes 5
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::path::Path;
use std::process::ExitCode;
use std::thread;

use countersign_proof::files::FileWriter;
use countersign_proof::history::HistoryClient;
use countersign_proof::options::CommandOptions;
use countersign_proof::process::joined;
use countersign_proof::store::{self, ProofError};
use countersign_proof::work::{AckLog, StoreWorker};
use countersign_proof::{files, history, kill, power, race, verify};
use fastrand::Rng;
use serde::Serialize;

const USAGE: &str = "usage: countersign-proof power   [--store S] [--points N] [--lives N] [--calls N] [--threads N] [--processes N] [--victim CMD] [--check CMD] [--keep FOLDER]\n\
    \x20      countersign-proof kill    [--store S] [--kills N] [--round N] [--processes N] [--threads N]\n\
    \x20      countersign-proof race    [--store S] [--processes N] [--threads N] [--approvals N]\n\
    \x20      countersign-proof history [--store S] [--operations N] [--kills N] [--processes N] [--keys N] [--turns N]\n\
    \x20      countersign-proof files   --dir FOLDER --acks FILE [--as decision|change|agent]\n\
    each also: [--seed N] [--dir FOLDER]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((tool, words)) => run(tool, words),
        None => Err(usage()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ProofError {
    let stores = store::NAMES.iter().map(|(name, what)| format!("\n  {name:<15} {what}"));
    ProofError(format!("{USAGE}\nstores:{}", stores.collect::<String>()))
}

/// The store that is looked at unless another is named.
const STORE: &str = "ledger";

fn run(tool: &str, words: &[String]) -> Result<bool, ProofError> {
    let options =
        |known: &[&str]| CommandOptions::read(words, &[&["store", "dir", "seed"], known].concat());
    let name = |options: &CommandOptions| options.text("store").unwrap_or(STORE).to_owned();
    let dir = |options: &CommandOptions| options.text("dir").map(str::to_owned);
    match tool {
        "power" => {
            let options = options(&[
                "points",
                "calls",
                "threads",
                "processes",
                "victim",
                "check",
                "keep",
                "lives",
            ])?;
            let report = power::run(&power::PowerPlan {
                store: name(&options),
                victim: options.text("victim").map(str::to_owned),
                check: options.text("check").map(str::to_owned),
                calls: options.get("calls", 400)?,
                threads: options.get("threads", 4)?,
                processes: options.get("processes", 1)?,
                points: options.get("points", 200)?,
                lives: options.get("lives", 4)?,
                seed: options.get("seed", 1)?,
                dir: dir(&options),
                keep: options.text("keep").map(str::to_owned),
            })?;
            print(&report)?;
            Ok(report.ok)
        }
        "files" => {
            let options = options(&["as", "acks"])?;
            let writer = FileWriter::named(options.text("as").unwrap_or("decision"));
            let (Some(writer), Some(dir), Some(acks)) =
                (writer, options.text("dir"), options.text("acks"))
            else {
                return Err(usage());
            };
            files::write(writer, Path::new(dir), Path::new(acks))?;
            Ok(true)
        }
        "kill" => {
            let options = options(&["kills", "round", "processes", "threads"])?;
            let report = kill::run(&kill::KillPlan {
                store: name(&options),
                kills: options.get("kills", 2000)?,
                kills_a_round: options.get("round", 200)?,
                processes: options.get("processes", 4)?,
                threads: options.get("threads", 2)?,
                seed: options.get("seed", 1)?,
                dir: dir(&options),
            })?;
            print(&report)?;
            Ok(report.ok)
        }
        "race" => {
            let options = options(&["processes", "threads", "approvals"])?;
            let report = race::run(&race::RacePlan {
                store: name(&options),
                processes: options.get("processes", 8)?,
                threads: options.get("threads", 4)?,
                approvals: options.get("approvals", 500)?,
                dir: dir(&options),
            })?;
            print(&report)?;
            Ok(report.ok)
        }
        "history" => {
            let options = options(&["operations", "kills", "processes", "keys", "turns"])?;
            let report = history::run(&history::HistoryPlan {
                store: name(&options),
                operations: options.get("operations", 50_000)?,
                kills: options.get("kills", 300)?,
                processes: options.get("processes", 5)?,
                keys: options.get("keys", 40)?,
                turns: options.get("turns", 30)?,
                seed: options.get("seed", 1)?,
                dir: dir(&options),
            })?;
            print(&report)?;
            Ok(report.ok)
        }
        role => child(role, words).map(|()| true),
    }
}

/// The roles in which the tools start this program.
fn child(role: &str, words: &[String]) -> Result<(), ProofError> {
    let known =
        &["store", "dir", "acks", "calls", "threads", "seed", "name", "history", "keys", "epoch"];
    if !["victim", "check", "racer", "client"].contains(&role) {
        return Err(usage());
    }
    let options = CommandOptions::read(words, known)?;
    let (name, dir) = (options.needed("store")?, Path::new(options.needed("dir")?));
    match role {
        "victim" => victim(name, dir, &options),
        "check" => {
            let acks = verify::read(Path::new(options.needed("acks")?))?;
            print(&verify::verify(&acks, &store::open(name, dir)?.examine()?))
        }
        "racer" => {
            let store = store::open(name, dir)?;
            race::racer(&*store, options.needed("name")?, options.get("threads", 1)?)
        }
        _ => {
            let store = store::open(name, dir)?;
            let history = Path::new(options.needed("history")?);
            let name = options.needed("name")?;
            let epoch = Path::new(options.needed("epoch")?);
            HistoryClient::new(&*store, history, name, options.get("seed", 1)?)?
                .run(options.get("keys", 40)?, epoch)
        }
    }
}

/// Works, in two halves with the store closed and opened in between.
fn victim(name: &str, dir: &Path, options: &CommandOptions) -> Result<(), ProofError> {
    let acks = AckLog::open(Path::new(options.needed("acks")?))?;
    let seed: u64 = options.get("seed", 1)?;
    let me = options.text("name").map_or_else(|| format!("victim-{seed}"), str::to_owned);
    let (calls, threads): (u64, u64) = (options.get("calls", 400)?, options.get("threads", 1)?);
    let mut random = Rng::with_seed(seed);
    for half in 0..2 {
        let store = store::open(name, dir)?;
        let results = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|thread| {
                    let (store, acks, random) = (&*store, &acks, random.fork());
                    let name = format!("{me}-{half}-{thread}");
                    scope.spawn(move || {
                        let mut worker = StoreWorker::new(store, acks, name, random);
                        (0..calls / 2 / threads.max(1)).try_for_each(|_| worker.call())
                    })
                })
                .collect();
            joined(workers.into_iter().map(|worker| worker.join()).collect())
        });
        results.map(|_: Vec<()>| ())?;
    }
    Ok(())
}

fn print(value: &impl Serialize) -> Result<(), ProofError> {
    println!("{}", serde_json::to_string(value)?);
    Ok(())
}
