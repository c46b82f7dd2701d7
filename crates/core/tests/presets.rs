//! What the shipped presets say, line by line, and that they are policies in good order.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::layers::PRESETS;
use countersign_core::path::{DirListing, FileLookup, NoFiles, PathError, RealFiles};
use countersign_core::policy::document::PolicyRule;
use countersign_core::policy::lint::lint;
use countersign_core::policy::{Effect, Policy, RuleConfinement};

#[path = "../src/effort.rs"]
mod effort;
mod verdicts;

use effort::effort;
use verdicts::{document, judged, text};

const LINES: &str = include_str!("presets/lines.txt");

/// Nothing is there, even where this machine has such names.
struct EmptyDisk;

impl FileLookup for EmptyDisk {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }

    fn list(&self, _dir: &str, most: usize) -> DirListing {
        RealFiles.list("/dev/null/nothing", most)
    }
}

fn policy(name: &str) -> Policy {
    verdicts::policy(name, "/project", "/home/user")
}

fn verdict(policy: &Policy, tool: &str, args: &Json) -> (Effect, String) {
    let verdict = judged(policy, tool, args, &NoFiles)
        .or_else(|_| judged(policy, tool, args, &EmptyDisk))
        .unwrap();
    (verdict.effect, verdict.reason)
}

/// The column of a preset, and the line.
fn rows() -> Vec<(char, char, String)> {
    let mut rows = Vec::new();
    for row in LINES.lines().filter(|row| !row.is_empty() && !row.starts_with("# ")) {
        let mut chars = row.chars();
        let read_only = chars.next().unwrap();
        let developer = chars.nth(1).unwrap();
        let line = chars.as_str().strip_prefix(' ').unwrap().replace('⏎', "\n");
        rows.push((read_only, developer, line));
    }
    rows
}

#[test]
fn each_line_has_its_effect() {
    let rows = rows();
    assert!(rows.len() >= 300, "{} lines", rows.len());
    let policies = [policy("read-only"), policy("developer")];
    let mut wrong = Vec::new();
    // Each line in the words of the one tool or the other, and of both where all is tried.
    let tools = ["bash", "execute"];
    for (at, (read_only, developer, line)) in rows.iter().enumerate() {
        let names = effort(&tools[at % 2..=at % 2], &tools[..]);
        for (policy, (name, expected)) in
            policies.iter().zip([("read-only", read_only), ("developer", developer)])
        {
            assert!(matches!(expected, 'a' | '?'), "{expected:?} is no effect: {line}");
            let expected = if *expected == 'a' { Effect::Allow } else { Effect::Ask };
            // Any name of the tool: `execute` is read for dash and bash, `bash` for bash.
            let bash_only = line.contains("<(") || line.contains(">(") || line.contains(">|");
            for tool in names {
                let (effect, reason) = verdict(policy, tool, &text("command", line));
                if effect != expected && !(bash_only && *tool == "execute") {
                    wrong.push(format!(
                        "{name}, {tool}: {line:?}: {effect:?}, not {expected:?}: {reason}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn whatever_read_only_allows_developer_allows() {
    for (read_only, developer, line) in rows() {
        assert!(read_only != 'a' || developer == 'a', "{line}");
    }
    let read_only = document("read-only");
    let developer = document("developer");
    // What may run where it can write nothing may run where it can write more.
    let confined = |rule: &PolicyRule| matches!(rule.confined, Some(RuleConfinement::To(_)));
    assert!(read_only.rules.iter().any(confined) && developer.rules.iter().any(confined));
    let allows = read_only.rules.iter().filter(|rule| rule.effect == Effect::Allow);
    for rule in allows.filter(|rule| !confined(rule)) {
        let same = developer.rules.iter().any(|other| {
            other.reason == rule.reason
                && other
                    .commands
                    .iter()
                    .map(|command| &command.value)
                    .eq(rule.commands.iter().map(|command| &command.value))
        });
        assert!(same, "{:?} is not in developer", rule.reason);
    }
}

#[test]
fn tools_have_their_effect() {
    let policies = [policy("read-only"), policy("developer")];
    for (read_only, developer, tool, argument, value) in [
        ('a', 'a', "read_file", "file_path", "src/main.rs"),
        ('a', 'a', "read_file", "file_path", "/usr/include/stdio.h"),
        ('a', 'a', "read_file", "file_path", ".env.example"),
        ('?', '?', "read_file", "file_path", ".env"),
        ('?', '?', "read_file", "file_path", "~/.ssh/id_rsa"),
        // As `cat` does: one file outside is no other door.
        ('a', 'a', "read_file", "file_path", "../other/x"),
        ('?', '?', "read_file", "file_path", "/etc/shadow"),
        ('a', 'a', "ls", "path", "."),
        ('a', 'a', "ls", "path", "src"),
        ('a', 'a', "ls", "path", "/home/user"),
        ('a', 'a', "grep", "path", "src"),
        ('?', '?', "grep", "path", "/"),
        ('?', '?', "grep", "path", "~"),
        ('?', 'a', "write_file", "file_path", "src/main.rs"),
        ('?', 'a', "edit_file", "file_path", "README.md"),
        ('?', '?', "write_file", "file_path", ".git/hooks/pre-commit"),
        ('?', '?', "write_file", "file_path", ".env"),
        ('?', '?', "write_file", "file_path", ".github/workflows/ci.yml"),
        ('?', '?', "write_file", "file_path", ".countersign/policy.toml"),
        ('?', '?', "write_file", "file_path", "/etc/hosts"),
        ('?', '?', "write_file", "file_path", "../x"),
        ('?', '?', "delete_file", "path", "src/main.rs"),
        ('?', '?', "deleteFile", "path", "src/main.rs"),
        ('?', '?', "remove_directory", "path", "src"),
        ('?', '?', "web_fetch", "url", "https://example.com"),
        ('?', '?', "send_mail", "to", "a@example.com"),
    ] {
        for (policy, expected) in policies.iter().zip([read_only, developer]) {
            let (effect, reason) = verdict(policy, tool, &text(argument, value));
            let found = if effect == Effect::Allow { 'a' } else { '?' };
            assert_eq!(found, expected, "{tool} {value}: {reason}");
        }
    }
}

#[test]
fn every_rule_says_why_and_shows_it() {
    for name in PRESETS {
        let document = document(name);
        for rule in &document.rules {
            assert!(rule.reason.is_some(), "{name}:{}: no reason", rule.at.line);
            let whole = rule.tools.is_some();
            let examples = &rule.examples;
            assert!(whole || !examples.matching.is_empty(), "{name}:{}: no examples", rule.at.line);
        }
        assert_eq!(document.default, Some(Effect::Ask), "{name}");
        let findings = lint(&[document], None);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

#[test]
fn two_doors_have_one_lock_in_presets() {
    let doors: &[(&str, &str, &[&str])] = &[
        ("read_file", r#"{"path":"@"}"#, &["cat '@'", "cat < '@'"]),
        ("write_file", r#"{"path":"@","content":"x"}"#, &["echo x > '@'", "echo x | tee '@'"]),
        ("edit_file", r#"{"path":"@","old_string":"a","new_string":"b"}"#, &["sed -i s/a/b/ '@'"]),
        ("ls", r#"{"path":"@"}"#, &["ls '@'"]),
        ("glob", r#"{"pattern":"**/*.c","path":"@"}"#, &["find '@' -name '*.c'"]),
        ("grep", r#"{"pattern":"x","path":"@"}"#, &["grep -r x '@'"]),
        ("delete_file", r#"{"path":"@"}"#, &["rm '@'", "rm -r '@'"]),
    ];
    let paths = [
        "a",
        "src/x.c",
        "/home/user/notes.txt",
        "/home/user/.ssh/id_rsa",
        "/home/user/.bashrc",
        "/etc/hosts",
        "/tmp/x",
        "/root/x",
        ".env",
        ".git/config",
        "../other/x",
        "/home/user",
        "/project",
        "/",
        "/home/user/.claude",
        "/proc/1/environ",
        "/var/lib/x",
    ];
    let mut differ = Vec::new();
    for name in PRESETS {
        let policy = policy(name);
        for path in paths {
            for (tool, args, commands) in doors {
                // A folder is not written as a file.
                if path == "/project" && ["write_file", "edit_file"].contains(tool) {
                    continue;
                }
                let by_tool = verdict(&policy, tool, &args.replace('@', path).parse().unwrap());
                for command in *commands {
                    let by_command =
                        verdict(&policy, "bash", &text("command", &command.replace('@', path)));
                    // Of names alone `find` says less than the tool.
                    let is_same = if *tool == "glob" {
                        by_tool.0 >= by_command.0
                    } else {
                        by_tool.0 == by_command.0
                    };
                    if !is_same {
                        let (tool_says, command_says) = (by_tool.1.as_str(), by_command.1);
                        differ.push(format!(
                            "{name}: {tool} {path}: {tool_says} / {command}: {command_says}"
                        ));
                    }
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
