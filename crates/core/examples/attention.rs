//! How much attention the presets cost: `cargo run --release -p countersign-core --example attention -- lines.txt`,
//! or a `.jsonl` with `command`, `label`, `cwd`, `project` and `home` in each line.
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
use countersign_core::path::{PathContext, RealFiles};
use countersign_core::policy::action::ActionKind;
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, load};
use countersign_core::policy::{
    ConfinedRun, Effect, JudgedAction, JudgedCall, Policy, Verdict, judge,
};
use countersign_core::shell::{FactKind, Shell, analyze};

/// Behind the name of a preset: commands run confined.
const CONFINED: &str = ":confined";

/// How many asked commands are listed.
const LISTED: usize = 100;

/// Where a line is judged that says nothing of it: a place that surely has no symlinks in it, so that every machine
/// measures the same.
const CWD: &str = "/home/user/project";
const HOME: &str = "/home/user";

/// A command line, where it is run, and what somebody who read it says of it.
#[derive(serde::Deserialize)]
struct Line {
    command: String,
    label: Option<String>,
    cwd: Option<String>,
    project: Option<String>,
    home: Option<String>,
}

impl Line {
    /// The lines of a file: an object in each line of a `.jsonl`, else a command in each.
    fn all(file: &str) -> Vec<Self> {
        let text = std::fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        if file.ends_with(".jsonl") {
            return lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        }
        let bare = |line: &str| Self {
            command: line.to_owned(),
            label: None,
            cwd: None,
            project: None,
            home: None,
        };
        lines.map(bare).collect()
    }

    fn label(&self) -> &str {
        self.label.as_deref().unwrap_or("any")
    }

    fn place(&self) -> [String; 3] {
        let or = |given: &Option<String>, other: &str| given.clone().unwrap_or(other.to_owned());
        [or(&self.cwd, CWD), or(&self.project, CWD), or(&self.home, HOME)]
    }
}

/// A preset, made ready for each place.
struct Preset {
    name: String,
    /// Whether commands run confined to the project.
    confined: bool,
    ready: HashMap<[String; 3], Policy>,
}

impl Preset {
    /// `developer`, or `developer:confined`.
    fn new(name: &str) -> Self {
        let (name, confined) = match name.strip_suffix(CONFINED) {
            Some(name) => (name, true),
            None => (name, false),
        };
        Self { name: name.to_owned(), confined, ready: HashMap::new() }
    }

    fn at(&mut self, place: [String; 3]) -> &Policy {
        let name = &self.name;
        self.ready.entry(place).or_insert_with_key(|[cwd, project, home]| {
            let name = Arc::from(format!("preset:{name}"));
            let source = PolicySource { layer: LayerKind::Code, name, trusted: true };
            let document = load(preset(&self.name).unwrap(), DocumentFormat::Toml, source).unwrap();
            let place = PathContext {
                cwd: cwd.clone(),
                home: Some(home.clone()),
                project: Some(project.clone()),
                ..PathContext::default()
            };
            Policy::compile(vec![document], &place).unwrap()
        })
    }

    fn verdict(&mut self, line: &Line) -> Verdict {
        let command = Json::String(line.command.clone());
        let args = Json::Object(BTreeMap::from([("command".to_owned(), command)]));
        let annotations = BTreeMap::new();
        let [_, project, _] = line.place();
        let run = ConfinedRun { writes: vec![project] };
        let call = JudgedCall {
            other_names: &[],
            tool_name: "bash",
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: self.confined.then_some(&run),
        };
        judge(self.at(line.place()), &call, &RealFiles).unwrap()
    }
}

/// Whether some command of the line is known, and whether nothing of it is unknown.
fn understood(line: &str) -> (bool, bool) {
    let facts = analyze(line, Shell::Bash).facts;
    let unknown = |what: &FactKind| matches!(what, FactKind::Unknown { .. });
    (!facts.iter().all(|fact| unknown(&fact.what)), !facts.iter().any(|fact| unknown(&fact.what)))
}

/// The action that decided about the call: the first of the strictest, what a rule says before what none says.
fn deciding(verdict: &Verdict) -> Option<&JudgedAction> {
    verdict
        .actions
        .iter()
        .enumerate()
        .max_by_key(|(at, judged)| (judged.effect, judged.rule.is_some(), std::cmp::Reverse(*at)))
        .map(|(_, judged)| judged)
}

/// What is asked about, short enough to be counted.
fn topic(verdict: &Verdict, judged: &JudgedAction) -> String {
    let command = |index: usize| {
        let kind = verdict.actions.get(index).map(|judged| &judged.action.kind);
        let Some(ActionKind::Command { argv, .. }) = kind else { return String::new() };
        let words: Vec<&str> = argv.iter().map_while(|word| word.literal()).collect();
        let depth = countersign_core::shell::subcommand_depth(&words).max(1);
        words.iter().take(depth).copied().collect::<Vec<_>>().join(" ")
    };
    match &judged.action.kind {
        ActionKind::Command { .. } => {
            let at = verdict.actions.iter().position(|other| std::ptr::eq(other, judged));
            command(at.unwrap_or(0))
        }
        ActionKind::Path { by: Some(by), access, .. } => {
            format!("{}: {access:?} file", command(by.command))
        }
        ActionKind::Path { by: None, access, .. } => format!("redirection: {access:?}"),
        ActionKind::Url { .. } => "address".to_owned(),
        ActionKind::Env { name } => format!("variable {name}"),
        ActionKind::Tool { name } => format!("tool {name}"),
        ActionKind::Unknown { why, named, .. } => match named {
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
        eprintln!("usage: attention FILE [allow|ask|deny PRESET[:confined] [LABEL]]");
        std::process::exit(2);
    };
    let lines = Line::all(&file);
    if let (Some(effect), Some(name)) = (arguments.next(), arguments.next()) {
        return list(&lines, &effect, &name, arguments.next().as_deref());
    }
    let known: Vec<(bool, bool)> = lines.iter().map(|line| understood(&line.command)).collect();
    println!("lines                {}", lines.len());
    let part = known.iter().filter(|(known, _)| *known).count();
    println!("understood           {}", share(part, lines.len()));
    let whole = known.iter().filter(|(_, whole)| *whole).count();
    println!("nothing unknown      {}", share(whole, lines.len()));
    for name in PRESETS {
        report(name, &lines);
        report(&format!("{name}{CONFINED}"), &lines);
    }
}

/// Why lines are asked about, by what is asked about.
type Topics = HashMap<String, (usize, String, String)>;

fn report(name: &str, lines: &[Line]) {
    let mut preset = Preset::new(name);
    let mut labels: BTreeMap<&str, ([usize; 3], Topics)> = BTreeMap::new();
    for line in lines {
        let verdict = preset.verdict(line);
        let (counts, topics) = labels.entry(line.label()).or_default();
        counts[verdict.effect as usize] += 1;
        if verdict.effect != Effect::Allow
            && let Some(judged) = deciding(&verdict)
        {
            let entry = topics
                .entry(topic(&verdict, judged))
                .or_insert_with(|| (0, verdict.reason.clone(), line.command.clone()));
            entry.0 += 1;
        }
    }
    println!("\npreset:{name}");
    for (label, (counts, _)) in &labels {
        let all = counts.iter().sum();
        let [allow, ask, deny] = counts.map(|count| share(count, all));
        println!("  {label:13} {all:6} lines: allow {allow}, ask {ask}, deny {deny}");
    }
    for (label, (_, topics)) in labels {
        let mut topics: Vec<_> = topics.into_iter().collect();
        topics.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        println!("  what is asked about most of {label}, and why the first time:");
        for (topic, (count, why, line)) in topics.iter().take(LISTED) {
            println!("  {count:5}  {topic}");
            println!("         {why}");
            println!("         $ {line}");
        }
    }
}

/// All lines with an effect, one by one.
fn list(lines: &[Line], effect: &str, name: &str, label: Option<&str>) {
    let mut preset = Preset::new(name);
    for line in lines.iter().filter(|line| label.is_none_or(|label| line.label() == label)) {
        let verdict = preset.verdict(line);
        if format!("{:?}", verdict.effect).eq_ignore_ascii_case(effect) {
            println!("{}", line.command);
            if verdict.effect != Effect::Allow || verdict.confined.is_some() {
                println!("    {}", verdict.reason);
            }
        }
    }
}
