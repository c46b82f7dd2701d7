//! Never looser: random rules and random commands, judged by a small reading of the foreign semantics and by what was
//! imported. Where theirs asks or denies, ours must not allow.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::super::{Effect, JudgedCall, Policy, judge};
use super::*;
use crate::cases::cases;
use crate::path::{RealFiles, Where};

/// What the imported policy says. The project is a directory that does not exist.
fn ours(from: Format, text: &str, tool: &str, args: &serde_json::Value) -> Effect {
    let document = import(from, text, &Options::default()).unwrap().document;
    let project = Some("/no/project".to_owned());
    let context = Where {
        cwd: "/no/project".to_owned(),
        home: Some("/no/home".to_owned()),
        project,
        ..Where::default()
    };
    let policy = Policy::compile(vec![document], &context).unwrap();
    let call = JudgedCall {
        tool_name: tool,
        args: &args.to_string().parse().unwrap(),
        cwd: None,
        annotations: &BTreeMap::new(),
        conditions: &[],
    };
    judge(&policy, &call, &RealFiles).unwrap().effect
}

fn of_line(from: Format, text: &str, parts: &[String]) -> Effect {
    ours(from, text, "bash", &serde_json::json!({ "command": parts.join(" && ") }))
}

/// `*` is any text, `?` any character.
fn wild(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|at| wild(rest, &text[at..])),
        Some((b'?', rest)) => !text.is_empty() && wild(rest, &text[1..]),
        Some((c, rest)) => text.first() == Some(c) && wild(rest, &text[1..]),
    }
}

/// The same, where a blank and `*` at the end may be missing.
fn wild_or_bare(pattern: &str, text: &str) -> bool {
    wild(pattern.as_bytes(), text.as_bytes())
        || pattern.strip_suffix(" *").is_some_and(|bare| wild(bare.as_bytes(), text.as_bytes()))
}

fn word() -> impl Strategy<Value = &'static str> {
    select(vec![
        "git",
        "gitk",
        "push",
        "push-all",
        "push:x",
        "-f",
        "-fx",
        "x",
        "npm",
        "run",
        "/usr/bin/git",
    ])
}

fn command() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..5).prop_map(|words| words.join(" "))
}

fn line() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(command(), 1..3)
}

/// A pattern over the text of a command, made of the same words.
fn pattern() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => word().prop_map(str::to_owned),
        1 => Just("*".to_owned()),
        1 => word().prop_map(|word| format!("{word}*")),
        1 => word().prop_map(|word| format!("*{word}")),
        1 => Just("g*t".to_owned()),
        1 => Just("?".to_owned()),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join(" "))
}

fn effect() -> impl Strategy<Value = Effect> {
    select(vec![Effect::Allow, Effect::Allow, Effect::Ask, Effect::Deny])
}

fn strictest(parts: &[String], of: impl Fn(&str) -> Effect) -> Effect {
    parts.iter().map(|part| of(part)).max().unwrap()
}

/// The lists of a settings file.
fn settings(rules: &[(Effect, String)]) -> String {
    let list = |effect: Effect| {
        rules.iter().filter(|rule| rule.0 == effect).map(|rule| rule.1.clone()).collect::<Vec<_>>()
    };
    let lists = serde_json::json!({ "allow": list(Effect::Allow), "ask": list(Effect::Ask), "deny": list(Effect::Deny) });
    serde_json::json!({ "permissions": lists }).to_string()
}

/// A path of small names, and a pattern as in `.gitignore` over it.
fn names(of: Vec<&'static str>) -> impl Strategy<Value = String> {
    prop::collection::vec(select(of), 1..4).prop_map(|names| names.join("/"))
}

/// Whether a pattern that is anchored means this path or a directory above it.
fn ignores(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((&"**", [])) => !path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|at| ignores(rest, &path[at..])),
        Some((name, rest)) => path.split_first().is_some_and(|(first, below)| {
            wild(name.as_bytes(), first.as_bytes()) && ignores(rest, below)
        }),
    }
}

proptest! {
    #![proptest_config(cases(100, 400))]

    #[test]
    fn claude_commands(rules in prop::collection::vec((effect(), pattern(), any::<bool>()), 1..5), line in line()) {
        let written: Vec<(Effect, String)> = rules.iter().map(|(effect, pattern, colon)| {
            let end = if *colon && !pattern.ends_with('*') { ":*" } else { "" };
            (*effect, format!("Bash({pattern}{end})"))
        }).collect();
        let theirs = strictest(&line, |part| {
            let matching = rules.iter().filter(|(_, pattern, colon)| {
                let pattern = if *colon && !pattern.ends_with('*') { format!("{pattern} *") } else { pattern.clone() };
                pattern == "*" || wild_or_bare(&pattern, part)
            });
            matching.map(|rule| rule.0).max().unwrap_or(Effect::Ask)
        });
        let got = of_line(Format::ClaudeCode, &settings(&written), &line);
        prop_assert!(theirs == Effect::Allow || got != Effect::Allow, "{theirs:?} {got:?}");
        // A deny that could begin with anything asks.
        let begins = |pattern: &str| !pattern.starts_with(['*', '?']);
        prop_assert!(got >= theirs || !rules.iter().all(|rule| begins(&rule.1)), "{theirs:?} {got:?}");
    }

    #[test]
    fn claude_paths(
        rules in prop::collection::vec((effect(), select(vec!["/", "./", "", "//no/project/"]),
            names(vec!["a", "b", "a.x", "*", "**", "*.x", "a*"]), select(vec!["", "/"])), 1..4),
        path in names(vec!["a", "b", "a.x", "b.x"]),
    ) {
        let written: Vec<(Effect, String)> =
            rules.iter().map(|(effect, base, glob, end)| (*effect, format!("Read({base}{glob}{end})"))).collect();
        let names: Vec<&str> = path.split('/').collect();
        let matching = rules.iter().filter(|(_, base, glob, end)| {
            let mut pattern: Vec<&str> = glob.split('/').collect();
            // Without a slash in it, it means every directory below.
            if base.is_empty() && pattern.len() == 1 {
                pattern.insert(0, "**");
            }
            if *end == "/" {
                // The directory itself is no file.
                pattern.push("**");
            }
            ignores(&pattern, &names)
        });
        let theirs = matching.map(|rule| rule.0).max().unwrap_or(Effect::Ask);
        let args = serde_json::json!({ "file_path": path });
        let got = ours(Format::ClaudeCode, &settings(&written), "read_file", &args);
        prop_assert!(theirs == Effect::Allow || got != Effect::Allow, "{theirs:?} {got:?}");
        prop_assert!(theirs != Effect::Deny || got == Effect::Deny, "{theirs:?} {got:?}");
    }

    #[test]
    fn codex_rules(
        rules in prop::collection::vec((effect(), prop::collection::vec(prop::collection::vec(word(), 1..3), 1..4)), 1..5),
        line in line(),
    ) {
        let text: String = rules.iter().map(|(effect, pattern)| {
            let decision = match effect { Effect::Allow => "allow", Effect::Ask => "prompt", Effect::Deny => "forbidden" };
            let pattern: Vec<String> = pattern.iter().map(|words| match words.as_slice() {
                [word] => format!("'{word}'"),
                words => format!("{words:?}"),
            }).collect();
            format!("prefix_rule(pattern = [{}], decision = \"{decision}\")\n", pattern.join(", "))
        }).collect();
        let theirs = strictest(&line, |part| {
            let words: Vec<&str> = part.split(' ').collect();
            let matching = rules.iter().filter(|(_, pattern)| {
                pattern.len() <= words.len() && pattern.iter().zip(&words).all(|(any, word)| any.contains(word))
            });
            matching.map(|rule| rule.0).max().unwrap_or(Effect::Ask)
        });
        prop_assert!(of_line(Format::Codex, &text, &line) >= theirs);
    }

    #[test]
    fn gemini_prefixes(
        rules in prop::collection::vec((effect(), 0_u32..5, command(), any::<bool>()), 1..5), line in line(),
    ) {
        let mut rules = rules;
        // Which of two that are equally strong decides is not said: they differ here.
        rules.sort_by_key(|rule| rule.1);
        rules.dedup_by_key(|rule| rule.1);
        let text: String = rules.iter().map(|(effect, priority, command, regex)| {
            let decision = match effect { Effect::Allow => "allow", Effect::Ask => "ask_user", Effect::Deny => "deny" };
            let key = if *regex { "commandRegex" } else { "commandPrefix" };
            format!("[[rule]]\ntoolName = 'run_shell_command'\n{key} = '{command}'\ndecision = '{decision}'\npriority = {priority}\n")
        }).collect();
        let theirs = strictest(&line, |part| {
            let matching = rules.iter().rev().find(|(_, _, command, regex)| {
                part.strip_prefix(command.as_str()).is_some_and(|rest| *regex || rest.is_empty() || rest.starts_with(' '))
            });
            matching.map_or(Effect::Ask, |rule| rule.0)
        });
        let got = of_line(Format::GeminiCli, &text, &line);
        prop_assert!(got >= theirs, "{theirs:?} {got:?}");
    }

    #[test]
    fn opencode_commands(rules in prop::collection::vec((effect(), pattern()), 1..6), line in line()) {
        let mut rules = rules;
        let mut seen = std::collections::HashSet::new();
        rules.retain(|rule| seen.insert(rule.1.clone()));
        let entries: Vec<String> = rules.iter().map(|(effect, pattern)| {
            let action = format!("{effect:?}").to_lowercase();
            format!("\"{pattern}\": \"{action}\"")
        }).collect();
        let text = format!("{{ \"permission\": {{ \"bash\": {{ {} }} }} }}", entries.join(", "));
        let theirs = strictest(&line, |part| {
            let last = rules.iter().rev().find(|(_, pattern)| wild_or_bare(pattern, part));
            last.map_or(Effect::Ask, |rule| rule.0)
        });
        let got = of_line(Format::Opencode, &text, &line);
        prop_assert!(theirs == Effect::Allow || got != Effect::Allow, "{theirs:?} {got:?}");
        let begins = |pattern: &str| !pattern.starts_with(['*', '?']);
        prop_assert!(got >= theirs || !rules.iter().all(|rule| begins(&rule.1)), "{theirs:?} {got:?}");
    }

    #[test]
    fn opencode_paths(
        rules in prop::collection::vec((effect(), names(vec!["a", "b", "a.x", "*", "**", "*.x", "a*", "?"])), 1..5),
        path in names(vec!["a", "b", "a.x", "b.x"]),
    ) {
        let mut rules = rules;
        let mut seen = std::collections::HashSet::new();
        rules.retain(|rule| seen.insert(rule.1.clone()));
        let entries: Vec<String> = rules.iter().map(|(effect, pattern)| {
            let action = format!("{effect:?}").to_lowercase();
            format!("\"{pattern}\": \"{action}\"")
        }).collect();
        let text = format!("{{ \"permission\": {{ \"edit\": {{ {} }} }} }}", entries.join(", "));
        let last = rules.iter().rev().find(|(_, pattern)| wild(pattern.as_bytes(), path.as_bytes()));
        let theirs = last.map_or(Effect::Ask, |rule| rule.0);
        let got = ours(Format::Opencode, &text, "edit_file", &serde_json::json!({ "file_path": path }));
        prop_assert!(theirs == Effect::Allow || got != Effect::Allow, "{theirs:?} {got:?}");
        prop_assert!(theirs != Effect::Deny || got == Effect::Deny, "{theirs:?} {got:?}");
    }

    #[test]
    fn vscode_keys(rules in prop::collection::btree_map(command(), any::<bool>(), 1..5), line in line()) {
        let theirs = strictest(&line, |part| {
            let of = |approve: bool| rules.iter().any(|(key, value)| {
                let is_path = key.contains('/');
                let text = part.strip_prefix("./").filter(|_| is_path).unwrap_or(part);
                // As `\b` has it, between a letter and what is none.
                let is_letter = |c: char| c.is_alphanumeric() || c == '_';
                *value == approve && text.strip_prefix(key.as_str()).is_some_and(|rest| {
                    key.ends_with(is_letter) != rest.starts_with(is_letter)
                })
            });
            if of(true) && !of(false) { Effect::Allow } else { Effect::Ask }
        });
        let text = serde_json::json!({ "chat.tools.terminal.autoApprove": rules }).to_string();
        let got = of_line(Format::Vscode, &text, &line);
        prop_assert!(theirs == Effect::Allow || got != Effect::Allow, "{theirs:?} {got:?}");
    }
}
