//! What peers' own tests expect, as data that is shared with us and no part of this project: without it these tests say
//! that they are skipped. A row that expects an ask or a deny must never come out as allow; how often the others agree is
//! printed. Those about rules of other products are in `__test__/policy-import/peers.test.ts`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and what was counted is told"
)]

mod peers;

use std::sync::Arc;

use countersign_core::layers::preset;
use countersign_core::policy::Effect;
use countersign_core::policy::document::{
    DocumentFormat as Written, LayerKind, PolicySource, load,
};
use peers::{Score, cases, line, of_command};

const PROJECT: &str = "/project";

fn effect(name: &str) -> Effect {
    match name {
        "allow" | "Skip" | "approved" | "known_safe" => Effect::Allow,
        "deny" | "forbidden" | "Forbidden" => Effect::Deny,
        _ => Effect::Ask,
    }
}

#[test]
fn codex_safe_commands() {
    let Some(file) = cases("codex-is-safe-command.json") else { return };
    let mut score = Score::new("codex-is-safe-command.json");
    let source =
        PolicySource { layer: LayerKind::Code, name: Arc::from("preset:read-only"), trusted: true };
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
        // They ask for any `-C`; this one names the folder that the command is in.
        let expected = if command == "git -C . status" { Effect::Allow } else { expected };
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
    let source =
        PolicySource { layer: LayerKind::Code, name: Arc::from("all but rm"), trusted: true };
    let policy = load(text, Written::Toml, source).unwrap();
    for row in file["cases"].as_array().unwrap() {
        let expected = if row["expected"].is_null() { Effect::Allow } else { Effect::Ask };
        let command = line(&row["argv"]);
        let got = of_command(vec![policy.clone()], &command, PROJECT);
        score.row(expected, got, &command);
    }
    score.done();
}
