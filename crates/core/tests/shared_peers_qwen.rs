//! A peer's tests of rules like `Bash(git *)` and `Read(/src/**)`, shared with us as data: see `shared_peers.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and one that is skipped should say so"
)]

mod peers;

use countersign_core::policy::Effect;
use countersign_core::policy::document::Document;
use countersign_core::policy::import::Format;
use peers::{Score, cases, policy_of, verdict};
use serde_json::{Value, json};

/// Their other names for tools, as the importer knows them.
fn rule(rule: &str) -> String {
    let (tool, rest) = rule.split_at(rule.find('(').unwrap_or(rule.len()));
    let tool = match tool {
        "ShellTool" | "Shell" | "run_shell_command" | "monitor" => "Bash",
        "ReadFileTool" | "ReadFile" | "read_file" => "Read",
        "WriteFileTool" | "WriteFile" | "write_file" => "Write",
        "EditTool" | "edit" => "Edit",
        "grep_search" => "Grep",
        "list_directory" => "LS",
        "glob" => "Glob",
        "web_fetch" => "WebFetch",
        other => other,
    };
    format!("{tool}{rest}")
}

fn settings(lists: &[(&str, Vec<String>)]) -> Document {
    let lists: serde_json::Map<String, Value> =
        lists.iter().map(|(name, rules)| ((*name).to_owned(), json!(rules))).collect();
    policy_of(Format::ClaudeCode, &json!({ "permissions": lists }).to_string()).unwrap()
}

/// A call; `None` when the row gives a tool by a function.
fn call(
    tool: &str, command: Option<&str>, file: Option<&str>, domain: Option<&str>,
) -> Option<(String, Value)> {
    let file = file.unwrap_or("/project/some.file");
    Some(match tool {
        "<fn>" => return None,
        "run_shell_command" | "monitor" => {
            ("execute".to_owned(), json!({ "command": command.unwrap_or("some-command") }))
        }
        "read_file" => ("read_file".to_owned(), json!({ "file_path": file })),
        "list_directory" => ("ls".to_owned(), json!({ "path": file })),
        "glob" => ("glob".to_owned(), json!({ "pattern": "*", "path": file })),
        "grep_search" => ("grep".to_owned(), json!({ "pattern": "x", "path": file })),
        "edit" => ("edit_file".to_owned(), json!({ "file_path": file })),
        "write_file" => ("write_file".to_owned(), json!({ "file_path": file })),
        "notebook_edit" => ("NotebookEdit".to_owned(), json!({ "file_path": file })),
        "web_fetch" => {
            let domain = domain.unwrap_or("unknown.invalid");
            ("web_fetch".to_owned(), json!({ "url": format!("https://{domain}/") }))
        }
        "agent" | "task" => ("Agent".to_owned(), json!({ "prompt": "x" })),
        other => (other.to_owned(), json!({ "command": command })),
    })
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| *text != "<undefined>")
}

/// Their second tool that runs commands. Rules for the first one speak of it, too, but not the other way round.
fn for_tool(tool: &str, written: &str) -> String {
    let rule = rule(written);
    match rule.strip_prefix("Monitor") {
        Some(rest) if tool == "monitor" => format!("Bash{rest}"),
        _ => rule,
    }
}

fn rules(row: &Value, tool: &str, list: &str, session: &str) -> Vec<String> {
    let config = row["config"][list].as_array().into_iter().flatten();
    let config = config.map(|text| for_tool(tool, text.as_str().unwrap()));
    let prior =
        row["prior_calls"].as_array().into_iter().flatten().filter(|call| call[0] == session);
    config.chain(prior.map(|call| for_tool(tool, call[1][0].as_str().unwrap()))).collect()
}

#[test]
fn evaluated_calls() {
    let Some(file) = cases("qwen-permission-manager.json") else { return };
    let mut score = Score::new("qwen-permission-manager.json, calls");
    for kind in ["PermissionManager.evaluate", "PermissionManager.isCommandAllowed"] {
        for row in file[kind].as_array().unwrap() {
            let subject = &row["args"][0];
            let (name, command) = match subject.as_str() {
                Some(command) => ("run_shell_command", Some(command)),
                None => (subject["toolName"].as_str().unwrap(), text(&subject["command"])),
            };
            let call = call(name, command, text(&subject["filePath"]), text(&subject["domain"]));
            // Links in a directory that is gone, and tools that only exist in the peer's test.
            let (Some((tool, mut args)), None) = (call, row["needs_filesystem"].as_bool()) else {
                score.skip();
                continue;
            };
            if let Some(cwd) = text(&subject["cwd"]) {
                args["cwd"] = json!(cwd);
            }
            let policy = settings(&[
                ("allow", rules(row, name, "PermissionsAllow", "addSessionAllowRule")),
                ("ask", rules(row, name, "PermissionsAsk", "addSessionAskRule")),
                ("deny", rules(row, name, "PermissionsDeny", "addSessionDenyRule")),
            ]);
            let project = row["config"]["ProjectRoot"].as_str().unwrap();
            let got = verdict(vec![policy], &tool, &args, project);
            let expected = match row["expected"].as_str().unwrap() {
                "allow" => Effect::Allow,
                "deny" => Effect::Deny,
                _ => Effect::Ask,
            };
            score.row(expected, got, &format!("{subject} / {}", row["config"]));
        }
    }
    score.done();
}

/// A rule that matches must stop the call when it denies; one that does not must not allow it.
fn matches(score: &mut Score, rule: &str, expected: bool, call: &(String, Value), project: &str) {
    let (tool, args) = call;
    let what = format!("{rule} / {tool} {args}");
    let deny =
        Document { default: Some(Effect::Allow), ..settings(&[("deny", vec![rule.to_owned()])]) };
    let denied = verdict(vec![deny], tool, args, project);
    let allow = settings(&[("allow", vec![rule.to_owned()])]);
    let allowed = verdict(vec![allow], tool, args, project);
    if expected {
        score.row(Effect::Deny, denied, &format!("deny {what}"));
        score.row(Effect::Allow, allowed, &format!("allow {what}"));
    } else {
        score.row(Effect::Allow, denied, &format!("deny {what}"));
        score.row(Effect::Ask, allowed, &format!("allow {what}"));
    }
}

#[test]
fn single_rules() {
    let Some(file) = cases("qwen-permission-manager.json") else { return };
    let mut score = Score::new("qwen-permission-manager.json, rules");
    for row in file["matchesRule"].as_array().unwrap() {
        let args = &row["args"];
        let (Some(written), Some(tool)) = (text(&args[0]["rule"]), text(&args[1])) else {
            score.skip();
            continue;
        };
        // A rule over other arguments than these is about a tool that we do not read.
        let Some(call) = call(tool, text(&args[2]), text(&args[3]), text(&args[4])) else {
            score.skip();
            continue;
        };
        // There a rule for another tool, and one that is not whole, never match; a deny of ours may.
        let project = text(&args[5]["projectRoot"]).unwrap_or("/project");
        matches(
            &mut score,
            &for_tool(text(&args[1]).unwrap_or(""), written),
            row["expected"] == true,
            &call,
            project,
        );
    }
    for row in file["matchesCommandPattern"].as_array().unwrap() {
        let (pattern, command) =
            (row["args"][0].as_str().unwrap(), row["args"][1].as_str().unwrap());
        let call = call("run_shell_command", Some(command), None, None).unwrap();
        matches(
            &mut score,
            &format!("Bash({pattern})"),
            row["expected"] == true,
            &call,
            "/project",
        );
    }
    for row in file["matchesPathPattern"].as_array().unwrap() {
        let text = |index: usize| row["args"][index].as_str();
        // Links in a directory that is gone.
        let path = text(1).filter(|path| !path.starts_with("/tmp/"));
        let (Some(pattern), Some(path)) = (text(0), path) else {
            score.skip();
            continue;
        };
        let call = call("read_file", None, Some(path), None).unwrap();
        matches(
            &mut score,
            &format!("Read({pattern})"),
            row["expected"] == true,
            &call,
            text(2).unwrap_or("/project"),
        );
    }
    for row in file["matchesDomainPattern"].as_array().unwrap() {
        let (pattern, domain) =
            (row["args"][0].as_str().unwrap(), row["args"][1].as_str().unwrap());
        let call = call("web_fetch", None, None, Some(domain)).unwrap();
        matches(
            &mut score,
            &format!("WebFetch({pattern})"),
            row["expected"] == true,
            &call,
            "/project",
        );
    }
    score.done();
}
