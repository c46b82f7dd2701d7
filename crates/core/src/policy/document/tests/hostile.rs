//! Texts that are made to hold up who reads them.

use std::time::Duration;

use crate::cpu_time::Instant;

use super::super::{Format, MAX_BYTES, MAX_ERRORS, MAX_RULES};
use super::errors;

#[test]
fn work_is_bounded() {
    let many = "x = 1 y\n".repeat(10_000);
    assert_eq!(errors(&many, Format::Toml).len(), MAX_ERRORS);
    let unknown: String = (0..1000).map(|index| format!("x{index} = 1\n")).collect();
    assert_eq!(errors(&unknown, Format::Toml).len(), MAX_ERRORS);
    let rules =
        format!("version = 1\n{}", "[[rule]]\neffect='ask'\ntools='x'\n".repeat(MAX_RULES + 1));
    assert_eq!(
        errors(&rules, Format::Toml),
        ["VALUE policy.toml:2:1: there are 20001 rules, 20000 are allowed"]
    );
    let large = format!("version = 1\n#{}", "x".repeat(MAX_BYTES));
    assert_eq!(
        errors(&large, Format::Toml),
        ["SYNTAX policy.toml: the document has 1048589 bytes, 1048576 are allowed"]
    );
}

#[test]
fn hostile_texts_end_soon() {
    let nested = |open: &str, close: &str| {
        format!(
            "{}{}",
            open.repeat(MAX_BYTES / 3 / open.len()),
            close.repeat(MAX_BYTES / 3 / open.len())
        )
    };
    let deep_key = vec!["a"; 79].join(".");
    for (name, text, format) in [
        ("lists", format!("x = {}", nested("[", "]")), Format::Toml),
        ("tables", format!("x = {}", nested("{a=", "}")), Format::Toml),
        ("dotted", format!("{} = 1", vec!["a"; MAX_BYTES / 2 - 4].join(".")), Format::Toml),
        (
            "dotted tables",
            format!("x = {}1{}", format!("{{{deep_key}=").repeat(79), "}".repeat(79)),
            Format::Toml,
        ),
        ("headers", "[[a]]\n".repeat(MAX_BYTES / 6), Format::Toml),
        ("nested headers", format!("[{deep_key}]\n").repeat(MAX_BYTES / 170), Format::Toml),
        ("errors", "=\n".repeat(MAX_BYTES / 2), Format::Toml),
        ("quotes", "\"".repeat(MAX_BYTES), Format::Toml),
        ("keys", (0..90_000).map(|index| format!("k{index}=1\n")).collect(), Format::Toml),
        (
            "places",
            format!("version=1\nrule=[{}]", "{tools='x',effect='ask'},".repeat(20_000)),
            Format::Toml,
        ),
        ("lists", nested("[", "]"), Format::Json),
        ("objects", nested("{\"a\":", "}"), Format::Json),
        (
            "keys",
            format!(
                "{{{}}}",
                (0..80_000).map(|index| format!("\"k{index}\":1,")).collect::<String>()
            ),
            Format::Json,
        ),
        ("comments", "/*".repeat(MAX_BYTES / 2), Format::Json),
        ("numbers", "1".repeat(MAX_BYTES), Format::Json),
    ] {
        assert!(text.len() <= MAX_BYTES, "{name}");
        // The stack of a blocking thread.
        let reader = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let start = Instant::now();
            errors(&text, format);
            start.elapsed()
        });
        let took = reader.unwrap().join().unwrap();
        assert!(
            took < Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 }),
            "{name}: {took:?}"
        );
    }
}
