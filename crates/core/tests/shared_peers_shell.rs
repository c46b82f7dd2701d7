//! What peers' own shell readers find in command lines, shared with us as data: see `shared_peers.rs`. Each command and each
//! written file that they list must be among our facts, or something of the line must be unknown to us.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and what was counted is told"
)]

mod peers;

use std::sync::Arc;

use countersign_core::policy::Effect;
use countersign_core::policy::document::{
    DocumentFormat as Written, LayerKind, PolicySource, load,
};
use countersign_core::shell::{FactKind, LineAnalysis, Shell, analyze};
use peers::{Score, cases, of_command};
use serde_json::Value;

fn is_unknown(analysis: &LineAnalysis) -> bool {
    analysis.facts.iter().any(|fact| matches!(fact.what, FactKind::Unknown { .. }))
}

/// The literal words of each command, `None` for any other.
fn commands(analysis: &LineAnalysis) -> Vec<Vec<Option<&str>>> {
    let commands = analysis.facts.iter().filter_map(|fact| match &fact.what {
        FactKind::Command(command) => {
            Some(command.argv.iter().map(|word| word.literal()).collect())
        }
        _ => None,
    });
    commands.collect()
}

/// How often all is among our facts, and how often the line is unknown instead.
#[derive(Default)]
struct Found {
    rows: u32,
    found: u32,
    missed: Vec<String>,
}

impl Found {
    fn row(&mut self, found: bool, analysis: &LineAnalysis, what: &str) {
        self.rows += 1;
        if found {
            self.found += 1;
        } else if !is_unknown(analysis) {
            self.missed.push(what.to_owned());
        }
    }

    fn done(self, name: &str) {
        let unknown = self.rows - self.found - u32::try_from(self.missed.len()).unwrap();
        eprintln!("{name}: {} rows, {} found, {unknown} unknown instead", self.rows, self.found);
        assert!(self.rows > 0, "{name}: no rows");
        assert!(self.missed.is_empty(), "{name}: missed:\n{}", self.missed.join("\n"));
    }
}

fn has(commands: &[Vec<Option<&str>>], argv: &Value) -> bool {
    let argv: Vec<&str> =
        argv.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    commands.iter().any(|command| {
        command.len() == argv.len()
            && command
                .iter()
                .zip(&argv)
                .all(|(word, expected)| word.is_none_or(|word| word == *expected))
    })
}

#[test]
fn plain_commands() {
    let Some(file) = cases("codex-bash-parse.json") else { return };
    let mut found = Found::default();
    for row in file["cases"].as_array().unwrap() {
        let script = row["script"].as_str().unwrap();
        let analysis = analyze(script, Shell::Bash);
        let ours = commands(&analysis);
        let all = match &row["expected"] {
            // They cannot tell; we may know more.
            Value::Null => continue,
            argv if row["fn"] == "single_command_prefix" => has(&ours, argv),
            list => list.as_array().unwrap().iter().all(|argv| has(&ours, argv)),
        };
        found.row(all, &analysis, script);
    }
    found.done("codex-bash-parse.json");
}

#[test]
fn sub_commands() {
    let Some(file) = cases("vscode-tree-sitter-full.json") else { return };
    let mut found = Found::default();
    for row in file["suites"]["extractSubCommands"].as_array().unwrap() {
        if row["shell"] != "bash" {
            continue;
        }
        let line = row["command"].as_str().unwrap();
        let analysis = analyze(line, Shell::Bash);
        let ours = commands(&analysis);
        let starts: Vec<&str> = analysis
            .facts
            .iter()
            .filter(|fact| matches!(fact.what, FactKind::Command(_)))
            .filter_map(|fact| line.get(fact.span.start..))
            .collect();
        // Each begins where one of ours does; its assignments and its redirections are facts of their own here.
        let all = row["expected"].as_array().unwrap().iter().all(|command| {
            let command = without_assignments(command.as_str().unwrap());
            let first = command.split_whitespace().next().unwrap_or("");
            command.is_empty()
                || starts.iter().any(|start| start.starts_with(first))
                || ours.iter().any(|argv| argv.first() == Some(&Some(first)))
        });
        found.row(all, &analysis, &format!("{line} / {}", row["expected"]));
    }
    for row in file["suites"]["extractCommands"].as_array().unwrap() {
        if row["shell"] != "bash" {
            continue;
        }
        let line = row["command"].as_str().unwrap();
        let analysis = analyze(line, Shell::Bash);
        let ours = commands(&analysis);
        let all = row["expected"].as_array().unwrap().iter().all(|command| {
            let mut argv = vec![command["keyword"].clone()];
            argv.extend(command["args"].as_array().unwrap().iter().cloned());
            has(&ours, &Value::Array(argv))
        });
        found.row(all, &analysis, line);
    }
    found.done("vscode-tree-sitter-full.json, commands");
}

fn without_assignments(mut command: &str) -> &str {
    while let Some((first, rest)) = command.split_once(' ') {
        let is_assignment = first
            .split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        if !is_assignment {
            break;
        }
        command = rest.trim_start();
    }
    command
}

#[test]
fn file_writes() {
    let Some(file) = cases("vscode-tree-sitter-full.json") else { return };
    let mut found = Found::default();
    for row in file["suites"]["getFileWrites"].as_array().unwrap() {
        if row["shell"] != "bash" {
            continue;
        }
        let line = row["command"].as_str().unwrap();
        let analysis = analyze(line, Shell::Bash);
        let targets: Vec<&str> = analysis
            .facts
            .iter()
            .filter_map(|fact| match &fact.what {
                // They list `< file`, too.
                FactKind::Redirect { target, .. } => line.get(target.span.start..target.span.end),
                _ => None,
            })
            .collect();
        let all = row["expected"].as_array().unwrap().iter().all(|target| {
            let target = target.as_str().unwrap();
            // A duplicated descriptor is no file.
            target.starts_with('&') || targets.contains(&target) || target == "/dev/null"
        });
        found.row(all, &analysis, &format!("{line} / {} / {targets:?}", row["expected"]));
    }
    found.done("vscode-tree-sitter-full.json, writes");
}

/// A directory on another machine, as it is called there.
fn local(uri: &str) -> &str {
    uri.split_once("://").map_or(uri, |(_, rest)| rest.find('/').map_or(rest, |path| &rest[path..]))
}

/// Every command is allowed, and writing as the row says; what is left are the files.
#[test]
fn writes_outside_of_the_workspace() {
    let Some(file) = cases("vscode-file-write-analyzer-full.json") else { return };
    let mut score = Score::new("vscode-file-write-analyzer-full.json");
    for row in file["cases"].as_array().unwrap() {
        if row["shell"] != "bash" {
            score.skip();
            continue;
        }
        // A row without a directory has no place that a relative target could be in.
        let cwd = row["cwd"].as_str().map_or("/nowhere", local);
        let folders: Vec<&str> = row["workspace_folders"]
            .as_array()
            .unwrap()
            .iter()
            .map(|folder| local(folder.as_str().unwrap()))
            .collect();
        let mut inside: Vec<String> = folders.iter().map(|folder| format!("{folder}/**")).collect();
        if row["session_auto_approval"] == true {
            inside.push("/tmp/**".to_owned());
        }
        let writes = match row["block_detected_file_writes"].as_str().unwrap() {
            "never" => vec!["/**".to_owned()],
            "outsideWorkspace" => inside,
            _ => Vec::new(),
        };
        let mut text = "version = 1\n[[rule]]\neffect = 'allow'\ncommands = ['**']\nenv = ['*']\nreads = ['/**']\n".to_owned();
        if !writes.is_empty() {
            text += &format!("writes = {writes:?}\n");
        }
        // What commands write through their arguments is covered by their allow, but an ask still bites.
        let mut stop = vec!["/**".to_owned(), "!/dev/null".to_owned()];
        stop.extend(writes.iter().map(|glob| format!("!{glob}")));
        if !writes.contains(&"/**".to_owned()) {
            text += &format!("[[rule]]\neffect = 'ask'\nwrites = {stop:?}\n");
        }
        // To the peer these could mean some other name; to bash they are characters like any other.
        text += "[[rule]]\neffect = 'ask'\nwrites = ['/**/*%*', '/**/*%*/**', '/**/*\\{*']\n";
        let source =
            PolicySource { layer: LayerKind::Code, name: Arc::from("writes"), trusted: true };
        let policy = load(&text, Written::Toml, source).unwrap();
        let expected =
            if row["auto_approve_allowed"] == true { Effect::Allow } else { Effect::Ask };
        let command = row["command"].as_str().unwrap();
        let got = of_command(vec![policy], command, cwd);
        score.row(expected, got, &format!("{command} / {}", row["test"]));
    }
    score.done();
}
