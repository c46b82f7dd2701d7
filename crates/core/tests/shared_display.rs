//! The display rows that are shared with us as data. They are no part of this project: without them this test says that it
//! is skipped. `COUNTERSIGN_SHARED` names the folder; otherwise it is looked for beside the project.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

#[path = "../src/skip.rs"]
mod skip;

use std::path::PathBuf;

use countersign_core::preview::preview_line;
use skip::skipped;

fn rows() -> Option<String> {
    let shared = std::env::var_os("COUNTERSIGN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    std::fs::read_to_string(shared.join("cases/public_display.jsonl")).ok()
}

fn strings(row: &serde_json::Value, field: &str) -> Vec<String> {
    row[field].as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// The text without line wraps and gutters, one line for each line of the text shown.
fn unwrapped(text: &str) -> String {
    text.replace("\n│ ↪ ", "").replace("│ ┆ ", "").replace("│ ", "")
}

fn is_forbidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..
    ) || u32::from(c) & 0xfffe == 0xfffe
}

/// The lines are given as they are, lone surrogates included, at several widths.
#[test]
fn shared_display_rows() {
    let Some(rows) = rows() else {
        skipped("no shared cases: COUNTERSIGN_SHARED names none");
        return;
    };
    let mut seen = 0;
    for line in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        for width in ["null", "20", "80", "1000"] {
            let request = line.replacen('{', &format!("{{\"width\":{width},"), 1).replacen(
                "\"tool\":",
                "\"toolName\":",
                1,
            );
            let answer: serde_json::Value = serde_json::from_str(&preview_line(&request)).unwrap();
            check(&row, &answer);
        }
        seen += 1;
    }
    assert!(seen > 0);
}

fn check(row: &serde_json::Value, answer: &serde_json::Value) {
    let id = &row["id"];
    assert_eq!((&answer["id"], &answer["error"]), (id, &serde_json::Value::Null));
    let text = answer["text"].as_str().unwrap();
    assert!(!text.chars().any(is_forbidden), "{id}: {text:?}");
    for line in text.lines().skip(1) {
        assert!(line.starts_with("│ ") || line.starts_with("…["), "{id}: {line:?}");
    }
    for part in strings(row, "must_show") {
        assert!(unwrapped(text).contains(&part), "{id}: {part:?} is not in {text}");
    }
    let flags = strings(answer, "flags");
    for flag in strings(row, "must_flag") {
        assert!(flags.contains(&flag), "{id}: no {flag} in {flags:?}");
    }
    if strings(row, "tags").iter().any(|tag| tag == "benign") {
        assert!(
            flags.iter().all(|flag| matches!(flag.as_str(), "long" | "multiline")),
            "{id}: {flags:?}"
        );
    }
}
