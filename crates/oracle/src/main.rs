//! The differential test as a program:
//!
//! ```sh
//! cargo run --release -p countersign-oracle -- --scripts 200000 --seed 1   # exits with 1 on a miss
//! cargo run --release -p countersign-oracle -- run 'git status; rm x'      # the effects of one script
//! cargo run --release -p countersign-oracle -- show 1 17                   # script 17 of seed 1
//! cargo run --release -p countersign-oracle -- options                     # options of programs; exits with 1 on a difference
//! cargo run --release -p countersign-oracle -- options try 'git log -1'    # the verdict about one line, and its effects
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use countersign_core::shell::{Shell, analyze};
use countersign_oracle::campaign::{ScriptCampaign, ScriptCampaignReport};
use countersign_oracle::check::{OracleMiss, check};
use countersign_oracle::engine::PolicyEngine;
use countersign_oracle::minimize::minimize;
use countersign_oracle::sandbox::{SandboxShell, ShellSandbox, serve};
use countersign_oracle::{generate, opinion, options, policy};

const USAGE: &str = "usage: countersign-oracle [--scripts N] [--seed S] [--first N] [--threads N] [--shell bash|dash|both] [--misses FILE]\n\
    \x20      countersign-oracle run SCRIPT...\n\
    \x20      countersign-oracle show SEED NUMBER\n\
    \x20      countersign-oracle minimize < MISSES\n\
    \x20      countersign-oracle options [--programs A,B] [--lines N] [--seed S] [--threads N] [--seconds N] [--open yes]\n\
    \x20      countersign-oracle options try LINE...";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [role @ ("sandbox" | "init"), stub, dir] => {
            serve(role, Path::new(stub), Path::new(dir)).map(|()| true)
        }
        [role @ ("options-sandbox" | "options-init" | "options-driver"), ..] => {
            options::serve(role).map(|()| true)
        }
        ["options", "try", lines @ ..] => attempt(lines),
        ["options", flags @ ..] => try_options(flags),
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
    let mut sandbox = ShellSandbox::start()?;
    let engine = PolicyEngine::new().map_err(io::Error::other)?;
    for script in io::stdin().lines() {
        let script: String = serde_json::from_str(&script?).map_err(io::Error::other)?;
        for by in [SandboxShell::Bash, SandboxShell::Dash] {
            if let Some(miss) = check(&mut sandbox, &engine, by, &script)?.misses.first() {
                println!("{}", line(&minimize(&mut sandbox, &engine, miss)));
            }
        }
    }
    Ok(())
}

fn run(scripts: &[&str]) -> io::Result<()> {
    let mut sandbox = ShellSandbox::start()?;
    let engine = PolicyEngine::new().map_err(io::Error::other)?;
    for script in scripts {
        println!("{script:?}");
        for (by, shell) in [(SandboxShell::Bash, Shell::Bash), (SandboxShell::Dash, Shell::Posix)] {
            let outcome = check(&mut sandbox, &engine, by, script)?;
            let trace = &outcome.trace;
            println!(
                "  {by:?}: allowed {}, by the engine {}, known {}, timed out {}",
                outcome.allowed, outcome.allowed_by_engine, outcome.known, trace.timed_out
            );
            trace.programs.iter().take(20).for_each(|program| {
                println!("    ran {:?} as {} with {:?}", program.argv, program.file, program.env)
            });
            trace.written.iter().for_each(|path| println!("    wrote {path}"));
            outcome.misses.iter().for_each(|miss| {
                println!("    MISS {:?} as {:?}: {}", miss.kind, miss.shell, miss.did)
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
    let mut campaign = ScriptCampaign {
        seed: 1,
        first: 0,
        scripts: 20_000,
        shells: vec![SandboxShell::Bash, SandboxShell::Dash],
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
            ["--shell", "bash"] => campaign.shells = vec![SandboxShell::Bash],
            ["--shell", "dash"] => campaign.shells = vec![SandboxShell::Dash],
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

fn line(miss: &OracleMiss) -> serde_json::Value {
    serde_json::json!({
        "script": miss.script,
        "shell": format!("{:?}", miss.by).to_lowercase(),
        "ran": miss.did,
        "why": format!("{:?} when analysed as {:?}", miss.kind, miss.shell),
    })
}

fn print(campaign: &ScriptCampaign, report: &ScriptCampaignReport) {
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
    let ScriptCampaignReport { scripts, runs, programs, allowed, known, .. } = report;
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

/// Lines of plain words, judged and run.
#[cfg(target_os = "linux")]
fn attempt(lines: &[&str]) -> io::Result<bool> {
    use options::inside::{WorkerAnswer, WorkerOrder, WorkerProcess};
    let mut programs: Vec<String> = options::targets::all()
        .into_iter()
        .filter_map(|target| target.words.into_iter().next())
        .collect();
    programs.dedup();
    let mut worker = WorkerProcess::start(&programs)?;
    let mut agree = true;
    for line in lines {
        let words = line.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect();
        println!("{line}");
        let answer = worker.ask(&WorkerOrder::Line(words))?;
        if let WorkerAnswer::Line { verdict, effects, differences } = answer {
            println!("  {verdict}");
            effects.iter().for_each(|effect| println!("    {effect}"));
            differences.iter().for_each(|it| println!("    DIFFERENCE {} {}", it.what, it.call));
            agree &= differences.is_empty();
        }
    }
    Ok(agree)
}

#[cfg(not(target_os = "linux"))]
fn attempt(_lines: &[&str]) -> io::Result<bool> {
    Err(io::Error::other("there are namespaces only on Linux"))
}

fn try_options(flags: &[&str]) -> io::Result<bool> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut campaign = options::campaign::OptionCampaign {
        seed: 1,
        lines: 1_000,
        programs: Vec::new(),
        open: false,
        threads,
        seconds: 600,
    };
    let size = |value: &str| -> io::Result<usize> {
        usize::try_from(number(value)?).map_err(io::Error::other)
    };
    for flag in flags.chunks(2) {
        match flag {
            ["--programs", value] => {
                campaign.programs = value.split(',').map(str::to_owned).collect();
            }
            ["--lines", value] => campaign.lines = size(value)?,
            ["--threads", value] => campaign.threads = size(value)?,
            ["--seed", value] => campaign.seed = number(value)?,
            ["--seconds", value] => campaign.seconds = number(value)?,
            ["--open", "yes"] => campaign.open = true,
            _ => return Err(io::Error::other(USAGE)),
        }
    }
    let report = campaign.run(|it| {
        println!("DIFFERENCE {}\t{}\t{} {}\t{}", it.target, it.line, it.what, it.path, it.call);
    })?;
    for (name, row) in &report.rows {
        println!(
            "{name}: {} judged, {} allowed, {} ran, {} differ, {:.0} s{}{}{}",
            row.judged,
            row.allowed,
            row.ran,
            row.differing,
            row.took.as_secs_f64(),
            if row.stopped > 0 { format!(", {} stopped", row.stopped) } else { String::new() },
            if row.lost > 0 { format!(", {} lost", row.lost) } else { String::new() },
            if row.cut { ", cut short" } else { "" },
        );
    }
    let names = |names: &std::collections::BTreeSet<String>| {
        names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    println!("SKIPPED, not on this machine: {}", names(&report.missing));
    println!("Debian packages: {}", include_str!("../packages.txt").replace('\n', " "));
    println!("SKIPPED, not all options described: {}", names(&report.open));
    let programs: std::collections::BTreeSet<&str> =
        report.rows.keys().filter_map(|name| name.split(' ').next()).collect();
    let git = report.rows.keys().filter(|name| name.starts_with("git ")).count();
    println!(
        "{} programs, {git} commands of git, {} lines ran in {:.0} s over {} processes",
        programs.len(),
        report.ran(),
        report.took.as_secs_f64(),
        campaign.threads
    );
    println!("DIFFERENCES: {} lines", report.differing());
    Ok(report.differing() == 0)
}
