//! Loops, choices, conditions and functions.

use fastrand::Rng;

use super::grammar::{ended, simple};
use super::words::{arithmetic, substitution, word};
use super::{often, pick};

/// `for`, `select`.
pub(super) fn loop_over(rng: &mut Rng, depth: u8) -> String {
    let name = pick(rng, &["CI", "FOO", "x", "i", "in", "CI\n", "\\CI"]);
    let body = ended(rng, depth, "; ");
    match rng.u8(..6) {
        0 => format!("for (({};0;)) {{ {body}}}", arithmetic(rng, depth)),
        1 => format!("for {name}; do {body}done"),
        2 => format!("select {name} in {}; do {body}done", word(rng, depth)),
        3 => format!("for {name} in {}\ndo {body}done", word(rng, depth)),
        4 => format!("for {name} in a b; {{ {body}}}"),
        _ => format!("for {name} in {} {}; do {body}done", word(rng, depth), word(rng, depth)),
    }
}

/// `case`.
pub(super) fn case(rng: &mut Rng, depth: u8) -> String {
    let subject = pick(rng, &["a", "x", "$x", "\"$(ls)\"", "in", "'esac'"]);
    let mut text = format!("case {subject} in{}", pick(rng, &[" ", "\n", " # c\n"]));
    for _ in 0..rng.u8(..3) {
        let pattern = match rng.u8(..8) {
            0 => word(rng, depth),
            1 => format!("\"{}\"", substitution(rng, depth)),
            _ => pick(
                rng,
                &[
                    "a",
                    "*",
                    "a|b",
                    "(a)x",
                    "[a)]",
                    "'a)'",
                    "\"x\"",
                    "esac",
                    "?",
                    "a | b",
                    "if",
                    "\\)",
                    "$(echo a)",
                ],
            )
            .to_owned(),
        };
        let open = if often(rng, 40) { "(" } else { "" };
        let body = if often(rng, 80) { ended(rng, depth, " ") } else { String::new() };
        text.push_str(&format!(
            "{open}{pattern}) {body}{} ",
            pick(rng, &[";;", ";;", ";;", ";&", ";;&", "\n;;", ""])
        ));
    }
    text.push_str(pick(rng, &["esac", "esac", "esac", "\nesac", ";esac", "es\\\nac"]));
    text
}

/// `[[ ]]`, `[ ]`, `test`.
pub(super) fn conditional(rng: &mut Rng, depth: u8) -> String {
    let left = word(rng, depth);
    let right = match rng.u8(..4) {
        0 => pick(
            rng,
            &[
                "^a(b|c)$",
                "(a b)",
                "[a]]",
                "a\\ b",
                "[[:alpha:]]",
                "$x",
                "(;)",
                "a|b",
                "'x;'",
                "\"a\"",
            ],
        )
        .to_owned(),
        1 => format!(
            "{} {}",
            pick(rng, &["a &&", "a ||", "( a ) &&", "! a ||", "a\n&&", "a # c\n&&"]),
            word(rng, depth)
        ),
        _ => word(rng, depth),
    };
    let operator =
        pick(rng, &["==", "=", "!=", "=~", "-eq", "<", ">", "-nt", "-lt", "\\<", "-a", "-o"]);
    match rng.u8(..6) {
        0 => format!("[[ {left} ]]"),
        1 => format!(
            "[[ {} {left} ]]",
            pick(rng, &["-f", "!", "-z", "-v", "-n", "! -f", "-t", "-R"])
        ),
        2 => format!("[[ {left} {operator} {right} ]] && {}", simple(rng, 9)),
        3 => format!("[ {left} {operator} {right} ]"),
        4 => format!("test {left} {operator} {right}"),
        _ => format!("[[ {left} {operator} {right} ]]"),
    }
}

/// A function, and a call of it.
pub(super) fn function(rng: &mut Rng, depth: u8) -> String {
    let body = ended(rng, depth, "; ");
    let name = pick(rng, &["f", "ls", "git", "echo", "f-g", "'f'", "a.b"]);
    match rng.u8(..5) {
        0 => format!("{name}() {{ {body}}}; {name}"),
        1 => format!("function {name} {{ {body}}}; {name}"),
        2 => format!("{name} () ( {body}); {name}"),
        3 => format!("{name}()\n\n{{ {body}}} > out/x\n{name}"),
        _ => format!("{name}() if ls; then {body}fi; {name}"),
    }
}
