//! Texts that are made to hold up who reads them.

use std::time::Duration;

use crate::cpu_time::Instant;
use crate::effort::effort;

use super::super::{DocumentFormat, MAX_BYTES, MAX_ERRORS, MAX_RULES};
use super::errors;

#[test]
fn work_is_bounded() {
    let many = "x = 1 y\n".repeat(10_000);
    assert_eq!(errors(&many, DocumentFormat::Toml).len(), MAX_ERRORS);
    let unknown: String = (0..1000).map(|index| format!("x{index} = 1\n")).collect();
    assert_eq!(errors(&unknown, DocumentFormat::Toml).len(), MAX_ERRORS);
    let rules =
        format!("version = 1\n{}", "[[rule]]\neffect='ask'\ntools='x'\n".repeat(MAX_RULES + 1));
    assert_eq!(
        errors(&rules, DocumentFormat::Toml),
        ["VALUE policy.toml:2:1: there are 20001 rules, 20000 are allowed"]
    );
    let large = format!("version = 1\n#{}", "x".repeat(MAX_BYTES));
    assert_eq!(
        errors(&large, DocumentFormat::Toml),
        ["SYNTAX policy.toml: the document has 1048589 bytes, 1048576 are allowed"]
    );
}

#[test]
fn hostile_texts_end_soon() {
    let part = effort(8, 1);
    let bytes = MAX_BYTES / part;
    let nested = |open: &str, close: &str| {
        format!("{}{}", open.repeat(bytes / 3 / open.len()), close.repeat(bytes / 3 / open.len()))
    };
    let deep_key = vec!["a"; 79].join(".");
    for (name, text, format) in [
        ("lists", format!("x = {}", nested("[", "]")), DocumentFormat::Toml),
        ("tables", format!("x = {}", nested("{a=", "}")), DocumentFormat::Toml),
        ("dotted", format!("{} = 1", vec!["a"; bytes / 2 - 4].join(".")), DocumentFormat::Toml),
        (
            "dotted tables",
            format!("x = {}1{}", format!("{{{deep_key}=").repeat(79), "}".repeat(79)),
            DocumentFormat::Toml,
        ),
        ("headers", "[[a]]\n".repeat(bytes / 6), DocumentFormat::Toml),
        ("nested headers", format!("[{deep_key}]\n").repeat(bytes / 170), DocumentFormat::Toml),
        ("errors", "=\n".repeat(bytes / 2), DocumentFormat::Toml),
        ("quotes", "\"".repeat(bytes), DocumentFormat::Toml),
        (
            "keys",
            (0..90_000 / part).map(|index| format!("k{index}=1\n")).collect(),
            DocumentFormat::Toml,
        ),
        (
            "places",
            format!("version=1\nrule=[{}]", "{tools='x',effect='ask'},".repeat(20_000 / part)),
            DocumentFormat::Toml,
        ),
        ("lists", nested("[", "]"), DocumentFormat::Json),
        ("objects", nested("{\"a\":", "}"), DocumentFormat::Json),
        (
            "keys",
            format!(
                "{{{}}}",
                (0..80_000 / part).map(|index| format!("\"k{index}\":1,")).collect::<String>()
            ),
            DocumentFormat::Json,
        ),
        ("comments", "/*".repeat(bytes / 2), DocumentFormat::Json),
        ("numbers", "1".repeat(bytes), DocumentFormat::Json),
    ] {
        assert!(text.len() <= bytes, "{name}");
        // The stack of a blocking thread.
        let reader = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let start = Instant::now();
            errors(&text, format);
            start.elapsed()
        });
        let took = reader.unwrap().join().unwrap();
        let most = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });
        assert!(took * u32::try_from(part).unwrap() < most, "{name}: {took:?}");
    }
}
