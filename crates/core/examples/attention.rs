//! How much attention the presets cost: `cargo run --release -p countersign-core --example attention -- lines.txt`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement prints, and fails loudly"
)]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::layers::{PRESETS, preset};
use countersign_core::path::{RealFiles, Where};
use countersign_core::policy::document::{Format, Layer, Source, load};
use countersign_core::policy::subject::Kind;
use countersign_core::policy::{Effect, JudgedCall, JudgedSubject, Policy, Verdict, judge};
use countersign_core::shell::{Shell, What, analyze};

/// How many asked commands are listed.
const LISTED: usize = 100;

/// A place that surely has no symlinks in it, so that every machine measures the same.
fn place() -> Where {
    Where {
        cwd: "/home/user/project".to_owned(),
        home: Some("/home/user".to_owned()),
        project: Some("/home/user/project".to_owned()),
        ..Where::default()
    }
}

fn policy(name: &str) -> Policy {
    let source =
        Source { layer: Layer::Code, name: Arc::from(format!("preset:{name}")), trusted: true };
    let document = load(preset(name).unwrap(), Format::Toml, source).unwrap();
    Policy::compile(vec![document], &place()).unwrap()
}

fn verdict(policy: &Policy, line: &str) -> Verdict {
    let args =
        Json::Object(BTreeMap::from([("command".to_owned(), Json::String(line.to_owned()))]));
    let annotations = BTreeMap::new();
    let call = JudgedCall {
        tool_name: "bash",
        args: &args,
        cwd: None,
        annotations: &annotations,
        conditions: &[],
    };
    judge(policy, &call, &RealFiles).unwrap()
}

/// Whether some command of the line is known, and whether nothing of it is unknown.
fn understood(line: &str) -> (bool, bool) {
    let facts = analyze(line, Shell::Bash).facts;
    let unknown = |what: &What| matches!(what, What::Unknown { .. });
    (!facts.iter().all(|fact| unknown(&fact.what)), !facts.iter().any(|fact| unknown(&fact.what)))
}

/// The subject that decided about the call: the first of the strictest, what a rule says before what none says.
fn deciding(verdict: &Verdict) -> Option<&JudgedSubject> {
    verdict
        .subjects
        .iter()
        .enumerate()
        .max_by_key(|(at, judged)| (judged.effect, judged.rule.is_some(), std::cmp::Reverse(*at)))
        .map(|(_, judged)| judged)
}

/// What is asked about, short enough to be counted.
fn topic(verdict: &Verdict, judged: &JudgedSubject) -> String {
    let command = |index: usize| {
        let kind = verdict.subjects.get(index).map(|judged| &judged.subject.kind);
        let Some(Kind::Command { argv, .. }) = kind else { return String::new() };
        let words: Vec<&str> = argv.iter().map_while(|word| word.literal()).collect();
        let depth = countersign_core::shell::subcommand_depth(&words).max(1);
        words.iter().take(depth).copied().collect::<Vec<_>>().join(" ")
    };
    match &judged.subject.kind {
        Kind::Command { .. } => {
            let at = verdict.subjects.iter().position(|other| std::ptr::eq(other, judged));
            command(at.unwrap_or(0))
        }
        Kind::Path { by: Some(by), access, .. } => {
            format!("{}: {access:?} file", command(by.command))
        }
        Kind::Path { by: None, access, .. } => format!("redirection: {access:?}"),
        Kind::Url { .. } => "address".to_owned(),
        Kind::Env { name } => format!("variable {name}"),
        Kind::Tool { name } => format!("tool {name}"),
        Kind::Unknown { why, named } => match named {
            Some(by) => format!("{}: {why}", command(by.command)),
            None => format!("unknown: {why}"),
        },
    }
}

fn share(part: usize, all: usize) -> String {
    // Counts of lines are far below 2^52.
    #[allow(clippy::cast_precision_loss, reason = "counts of lines are small")]
    let percent = 100.0 * part as f64 / all.max(1) as f64;
    format!("{part} ({percent:.1} %)")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: attention FILE [allow|ask|deny PRESET]");
        std::process::exit(2);
    };
    let text = std::fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if let (Some(effect), Some(name)) = (arguments.next(), arguments.next()) {
        return list(&lines, &effect, &name);
    }
    let known: Vec<(bool, bool)> = lines.iter().map(|line| understood(line)).collect();
    println!("lines                {}", lines.len());
    let part = known.iter().filter(|(known, _)| *known).count();
    println!("understood           {}", share(part, lines.len()));
    let whole = known.iter().filter(|(_, whole)| *whole).count();
    println!("nothing unknown      {}", share(whole, lines.len()));
    for name in PRESETS {
        report(name, &lines);
    }
}

fn report(name: &str, lines: &[&str]) {
    let policy = policy(name);
    let mut counts = [0_usize; 3];
    let mut topics: HashMap<String, (usize, String, String)> = HashMap::new();
    for line in lines {
        let verdict = verdict(&policy, line);
        counts[verdict.effect as usize] += 1;
        if verdict.effect != Effect::Allow
            && let Some(judged) = deciding(&verdict)
        {
            let entry = topics
                .entry(topic(&verdict, judged))
                .or_insert_with(|| (0, verdict.reason.clone(), (*line).to_owned()));
            entry.0 += 1;
        }
    }
    println!("\npreset:{name}");
    for (effect, count) in ["allow", "ask", "deny"].iter().zip(counts) {
        println!("  {effect:5} {}", share(count, lines.len()));
    }
    let mut topics: Vec<_> = topics.into_iter().collect();
    topics.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    println!("  what is asked about most, and why the first time:");
    for (topic, (count, why, line)) in topics.iter().take(LISTED) {
        println!("  {count:5}  {topic}");
        println!("         {why}");
        println!("         $ {line}");
    }
}

/// All lines with an effect, one by one.
fn list(lines: &[&str], effect: &str, name: &str) {
    let policy = policy(name);
    for line in lines {
        let verdict = verdict(&policy, line);
        if format!("{:?}", verdict.effect).eq_ignore_ascii_case(effect) {
            println!("{line}");
            if verdict.effect != Effect::Allow {
                println!("    {}", verdict.reason);
            }
        }
    }
}
