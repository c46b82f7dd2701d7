//! What peers' own tests expect, as data that is shared with us and no part of this project: without it these tests say
//! that they are skipped. Each file is scored under its own rules, brought over by the importers. A row that expects an ask
//! or a deny must never come out as allow; how often the others agree is printed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and one that is skipped should say so"
)]

mod peers;

use std::fmt::Write as _;
use std::sync::Arc;

use countersign_core::layers::preset;
use countersign_core::policy::Effect;
use countersign_core::policy::document::{Format as Written, Layer, Source, load};
use countersign_core::policy::import::Format;
use peers::{Score, cases, line, of_command, policy_of, verdict};
use serde_json::{Value, json};

const PROJECT: &str = "/project";

fn effect(name: &str) -> Effect {
    match name {
        "allow" | "Skip" | "approved" | "known_safe" => Effect::Allow,
        "deny" | "forbidden" | "Forbidden" => Effect::Deny,
        _ => Effect::Ask,
    }
}

#[test]
fn codex_rules() {
    let Some(file) = cases("codex-execpolicy.json") else { return };
    let mut score = Score::new("codex-execpolicy.json");
    for row in file["decision_cases"].as_array().unwrap() {
        let mut policy = policy_of(Format::Codex, row["policy"].as_str().unwrap()).unwrap();
        policy.default = Some(effect(row["unmatched_fallback"].as_str().unwrap()));
        let command = if row["multiple"] == true {
            row["argv"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join(" && ")
        } else {
            line(&row["argv"])
        };
        let expected = effect(row["expected"].as_str().unwrap());
        let got = of_command(vec![policy], &command, PROJECT);
        score.row(expected, got, &format!("{} / {command}", row["test"]));
        assert!(got >= expected, "{}: {got:?} is looser than {expected:?}", row["test"]);
    }
    for row in file["parse_error_cases"].as_array().unwrap() {
        let policy = row["policy"].as_str().unwrap();
        assert_eq!(policy_of(Format::Codex, policy), None, "{}", row["test"]);
    }
    score.done();
}

#[test]
fn codex_approvals() {
    let Some(file) = cases("codex-exec-approval-scenarios.json") else { return };
    let mut score = Score::new("codex-exec-approval-scenarios.json");
    for row in file["scenarios"].as_array().unwrap() {
        let policy = policy_of(Format::Codex, row["policy"].as_str().unwrap_or("")).unwrap();
        let expected = effect(row["expected"].as_str().unwrap());
        let got = of_command(vec![policy], &line(&row["argv"]), PROJECT);
        score.row(expected, got, &format!("{}", row["test"]));
    }
    score.done();
}

#[test]
fn codex_safe_commands() {
    let Some(file) = cases("codex-is-safe-command.json") else { return };
    let mut score = Score::new("codex-is-safe-command.json");
    let source = Source { layer: Layer::Code, name: Arc::from("preset:read-only"), trusted: true };
    let policy = load(preset("read-only").unwrap(), Written::Toml, source).unwrap();
    for row in file["cases"].as_array().unwrap() {
        let elsewhere = row["platform"] == "windows-only" || row["os"] == "not linux";
        if !row["argv"].is_array() || elsewhere {
            score.skip();
            continue;
        }
        let expected = effect(row["expected"].as_str().unwrap());
        let command = line(&row["argv"]);
        let got = of_command(vec![policy.clone()], &command, PROJECT);
        score.row(expected, got, &command);
    }
    score.done();
}

#[test]
fn codex_dangerous_commands() {
    let Some(file) = cases("codex-is-dangerous-command.json") else { return };
    let mut score = Score::new("codex-is-dangerous-command.json");
    // Everything runs but what is dangerous.
    let text = "version = 1\n\
        [[rule]]\neffect = 'allow'\ncommands = ['**']\nenv = ['*']\nwrites = ['/**']\n\
        [[rule]]\neffect = 'ask'\ncommands = ['rm']\n";
    let source = Source { layer: Layer::Code, name: Arc::from("all but rm"), trusted: true };
    let policy = load(text, Written::Toml, source).unwrap();
    for row in file["cases"].as_array().unwrap() {
        let expected = if row["expected"].is_null() { Effect::Allow } else { Effect::Ask };
        let command = line(&row["argv"]);
        let got = of_command(vec![policy.clone()], &command, PROJECT);
        score.row(expected, got, &command);
    }
    score.done();
}

#[test]
fn vscode_approvals() {
    let Some(file) = cases("vscode-command-line-auto-approver.json") else { return };
    let mut score = Score::new("vscode-command-line-auto-approver.json");
    for row in file["cases"].as_array().unwrap() {
        let mut rules = row["rules"].clone();
        if row["match"] == "commandLine" {
            // Of these only the rules over whole lines are looked at.
            rules.as_object_mut().unwrap().retain(|_, rule| rule["matchCommandLine"] == true);
        }
        // Where an expression is refused nothing is allowed.
        let policy = policy_of(Format::Vscode, &rules.to_string());
        let command = row["command"].as_str().unwrap();
        let shell = if row["shell"] == "bash" { "bash" } else { "pwsh" };
        let args = json!({ "command": command, "shell": shell });
        let got = verdict(policy.into_iter().collect(), "bash", &args, PROJECT);
        let expected = effect(row["expected"].as_str().unwrap());
        score.row(expected, got, &format!("{command} / {shell} / {}", row["rules"]));
    }
    score.done();
}

/// Rules in their order, as a configuration. `None`: a name would have to stand in it twice.
fn opencode(rules: &Value) -> Option<String> {
    let mut groups: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for rule in rules.as_array().unwrap() {
        let text = |name: &str| rule[name].as_str().unwrap();
        match groups.last_mut() {
            Some((permission, patterns)) if *permission == text("permission") => {
                patterns.push((text("pattern"), text("action")));
            }
            _ => groups.push((text("permission"), vec![(text("pattern"), text("action"))])),
        }
    }
    let mut json = String::from("{ \"permission\": {");
    for (index, (permission, patterns)) in groups.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let patterns: Vec<String> = patterns
            .iter()
            .map(|(pattern, action)| format!("{}: {}", json!(pattern), json!(action)))
            .collect();
        write!(json, "{comma}{}: {{ {} }}", json!(permission), patterns.join(", ")).unwrap();
    }
    let json = json.replace("<HOME>", "/home/user") + "} }";
    policy_of(Format::Opencode, &json).map(|_| json)
}

fn opencode_call(permission: &str, target: &str) -> (String, Value) {
    match permission {
        "bash" => ("bash".to_owned(), json!({ "command": target })),
        "edit" | "write" | "apply_patch" => {
            ("edit_file".to_owned(), json!({ "file_path": target }))
        }
        "read" | "external_directory" => ("read_file".to_owned(), json!({ "file_path": target })),
        "webfetch" => ("web_fetch".to_owned(), json!({ "url": "https://example.com/" })),
        other => (other.to_owned(), json!({ "value": target })),
    }
}

#[test]
fn opencode_permissions() {
    let Some(file) = cases("opencode-permission.json") else { return };
    let mut score = Score::new("opencode-permission.json");
    for row in file["evaluate"].as_array().unwrap() {
        let Some(config) = opencode(&row["rules"]) else {
            score.skip();
            continue;
        };
        let target = row["target"].as_str().unwrap().replace("<HOME>", "/home/user");
        let (tool, args) = opencode_call(row["permission"].as_str().unwrap(), &target);
        let policy = policy_of(Format::Opencode, &config).unwrap();
        let got = verdict(vec![policy], &tool, &args, PROJECT);
        score.row(
            effect(row["expected"].as_str().unwrap()),
            got,
            &format!("{tool} {target} / {config}"),
        );
    }
    for row in file["disabled_tools"].as_array().unwrap() {
        let Some(config) = opencode(&row["rules"]) else {
            score.skip();
            continue;
        };
        for tool in row["expected_disabled"].as_array().unwrap() {
            let (tool, args) = opencode_call(tool.as_str().unwrap(), "x");
            let policy = policy_of(Format::Opencode, &config).unwrap();
            let got = verdict(vec![policy], &tool, &args, PROJECT);
            score.row(Effect::Deny, got, &format!("{tool} / {config}"));
        }
    }
    score.done();
}
