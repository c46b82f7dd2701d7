//! The differential test as a program:
//!
//! ```sh
//! cargo run --release -p countersign-oracle -- --scripts 200000 --seed 1   # exits with 1 on a miss
//! cargo run --release -p countersign-oracle -- run 'git status; rm x'      # what one script does
//! cargo run --release -p countersign-oracle -- show 1 17                   # script 17 of seed 1
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use countersign_core::shell::{Shell, analyze};
use countersign_oracle::campaign::{Campaign, Report};
use countersign_oracle::check::{Miss, check};
use countersign_oracle::engine::Engine;
use countersign_oracle::minimize::minimize;
use countersign_oracle::sandbox::{RunBy, Sandbox, serve};
use countersign_oracle::{generate, opinion, policy};

const USAGE: &str = "usage: countersign-oracle [--scripts N] [--seed S] [--first N] [--threads N] [--shell bash|dash|both] [--misses FILE]\n\
    \x20      countersign-oracle run SCRIPT...\n\
    \x20      countersign-oracle show SEED NUMBER\n\
    \x20      countersign-oracle minimize < MISSES";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [role @ ("sandbox" | "init"), stub, dir] => {
            serve(role, Path::new(stub), Path::new(dir)).map(|()| true)
        }
        ["opinion", ..] => opinion::serve().map(|()| true),
        ["run", scripts @ ..] => run(scripts).map(|()| true),
        ["minimize"] => smaller().map(|()| true),
        ["show", seed, number] => show(seed, number).map(|()| true),
        options => campaign(options),
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

fn number(text: &str) -> io::Result<u64> {
    text.parse().map_err(|_| io::Error::other(format!("{text:?} is not a number\n{USAGE}")))
}

fn show(seed: &str, index: &str) -> io::Result<()> {
    println!("{}", generate::script(number(seed)?, number(index)?));
    Ok(())
}

/// Scripts as JSON strings, one a line, from the standard input.
fn smaller() -> io::Result<()> {
    let mut sandbox = Sandbox::start()?;
    let engine = Engine::new().map_err(io::Error::other)?;
    for script in io::stdin().lines() {
        let script: String = serde_json::from_str(&script?).map_err(io::Error::other)?;
        for by in [RunBy::Bash, RunBy::Dash] {
            if let Some(miss) = check(&mut sandbox, &engine, by, &script)?.misses.first() {
                println!("{}", line(&minimize(&mut sandbox, &engine, miss)));
            }
        }
    }
    Ok(())
}

fn run(scripts: &[&str]) -> io::Result<()> {
    let mut sandbox = Sandbox::start()?;
    let engine = Engine::new().map_err(io::Error::other)?;
    for script in scripts {
        println!("{script:?}");
        for (by, shell) in [(RunBy::Bash, Shell::Bash), (RunBy::Dash, Shell::Posix)] {
            let outcome = check(&mut sandbox, &engine, by, script)?;
            let trace = &outcome.trace;
            println!(
                "  {by:?}: allowed {}, by the engine {}, known {}, timed out {}",
                outcome.allowed, outcome.allowed_by_engine, outcome.known, trace.timed_out
            );
            trace.ran.iter().take(20).for_each(|ran| {
                println!("    ran {:?} as {} with {:?}", ran.argv, ran.file, ran.env)
            });
            trace.written.iter().for_each(|path| println!("    wrote {path}"));
            outcome.misses.iter().for_each(|miss| {
                println!("    MISS {:?} as {:?}: {}", miss.wrong, miss.shell, miss.did)
            });
            let analysis = analyze(script, shell);
            analysis.facts.iter().for_each(|fact| println!("    fact {:?}", fact.what));
            println!("    policy: {}", if policy::allows(&analysis) { "allow" } else { "ask" });
        }
    }
    Ok(())
}

fn campaign(options: &[&str]) -> io::Result<bool> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut campaign = Campaign {
        seed: 1,
        first: 0,
        scripts: 20_000,
        shells: vec![RunBy::Bash, RunBy::Dash],
        threads,
    };
    let mut file = None;
    for option in options.chunks(2) {
        match option {
            ["--scripts", value] => campaign.scripts = number(value)?,
            ["--seed", value] => campaign.seed = number(value)?,
            ["--first", value] => campaign.first = number(value)?,
            ["--threads", value] => {
                campaign.threads = usize::try_from(number(value)?).map_err(io::Error::other)?
            }
            ["--shell", "bash"] => campaign.shells = vec![RunBy::Bash],
            ["--shell", "dash"] => campaign.shells = vec![RunBy::Dash],
            ["--shell", "both"] => {}
            ["--misses", value] => file = Some(*value),
            _ => return Err(io::Error::other(USAGE)),
        }
    }
    let report = campaign.run()?;
    print(&campaign, &report);
    if let Some(file) = file {
        let mut file = std::fs::File::options().create(true).append(true).open(file)?;
        for miss in &report.misses {
            writeln!(file, "{}", line(miss))?;
        }
    }
    Ok(report.missed == 0)
}

fn line(miss: &Miss) -> serde_json::Value {
    serde_json::json!({
        "script": miss.script,
        "shell": format!("{:?}", miss.by).to_lowercase(),
        "ran": miss.did,
        "why": format!("{:?} when analysed as {:?}", miss.wrong, miss.shell),
    })
}

fn print(campaign: &Campaign, report: &Report) {
    for miss in report.misses.iter().take(100) {
        println!("MISS {}", line(miss));
    }
    for (script, more) in &report.doubts {
        println!("DOUBT {script:?}: others see {more}");
    }
    for script in &report.examples {
        println!("asked without need: {script:?}");
    }
    let share =
        |part: u64, whole: u64| if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    let Report { scripts, runs, programs, allowed, known, .. } = report;
    println!(
        "seed {}, scripts {}..{}, shells {:?}",
        campaign.seed,
        campaign.first,
        campaign.first + scripts,
        campaign.shells
    );
    println!("{scripts} scripts, {runs} runs, {programs} programs started");
    println!(
        "{:.0} s over {} sandboxes: {:.0} runs a second; {} runs timed out, {} sandboxes lost",
        report.took.as_secs_f64(),
        campaign.threads,
        *runs as f64 / report.took.as_secs_f64(),
        report.timed_out,
        report.lost
    );
    println!(
        "allowed: {allowed} runs ({:.1} %); all known: {known} ({:.1} %); nothing ran: {}",
        share(*allowed, *runs),
        share(*known, *runs),
        report.idle
    );
    println!(
        "asked although only allowed things ran: {} of {} ({:.1} %)",
        report.over_strict,
        report.harmless,
        share(report.over_strict, report.harmless)
    );
    println!(
        "second opinions: {} asked, {} doubts kept, {} without an answer",
        report.opinions,
        report.doubts.len(),
        report.opinions_failed
    );
    println!("MISSED: {}", report.missed);
}
