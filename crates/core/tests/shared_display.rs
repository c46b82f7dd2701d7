//! The display rows that are shared with us as data. They are no part of this project: without them this test says that it
//! is skipped. `COUNTERSIGN_SHARED` names the folder; otherwise it is looked for beside the project.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and one that is skipped should say so"
)]

use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::preview::{Flag, render};

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

#[test]
fn shared_display_rows() {
    let Some(rows) = rows() else {
        eprintln!("SKIPPED: no shared cases (set COUNTERSIGN_SHARED)");
        return;
    };
    let mut seen = 0;
    for line in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let args: Json = row["args"].to_string().parse().unwrap();
        let preview = render(row["tool"].as_str().unwrap(), &args, None);
        for text in strings(&row, "must_show") {
            assert!(
                preview.text.contains(&text),
                "{}: {text:?} is not in {}",
                row["id"],
                preview.text
            );
        }
        let flags: Vec<&str> = preview.flags.iter().map(Flag::name).collect();
        for flag in strings(&row, "must_flag") {
            assert!(flags.contains(&flag.as_str()), "{}: no {flag} in {flags:?}", row["id"]);
        }
        if strings(&row, "tags").iter().any(|tag| tag == "benign") {
            assert!(
                flags.iter().all(|flag| matches!(*flag, "long" | "multiline")),
                "{}: {flags:?}",
                row["id"]
            );
        }
        seen += 1;
    }
    assert!(seen > 0);
}
