//! The core answers any input: it does not panic, and it does not take long. A small fuzzer that needs no nightly Rust; `fuzz/`
//! has the large one.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

#[path = "../../core/src/effort.rs"]
mod effort;

use std::time::Duration;

use countersign_core::call::Json;
use countersign_core::path::{NoFiles, PathGlob, UrlAddress, UrlPattern, Vars, locate};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read, to_toml};
use countersign_core::preview;
use countersign_core::shell::{Shell, analyze};
use countersign_oracle::generate;
use effort::effort;
use fastrand::Rng;

/// The longest that a thread may work on one input, in debug builds.
const SLOW: Duration = Duration::from_secs(4);

/// The time that this thread has worked, so that a busy machine makes nothing slow.
#[cfg(target_os = "linux")]
fn now() -> Duration {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

/// Where the system does not tell, always the same: only hangs are seen there.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    Duration::ZERO
}

/// Pieces that mean something to one of the readers.
const PIECES: &[&str] = &[
    "**",
    "*",
    "?",
    "[a-z]",
    "[!",
    "]",
    "{",
    "}",
    ",",
    "\\",
    "/",
    "..",
    ".",
    "~",
    "${project}",
    "!",
    "a",
    "é",
    "\u{0}",
    "\u{202e}",
    "\u{feff}",
    "\n",
    "\r\n",
    "\"",
    "'",
    "'''",
    "\"\"\"",
    "#",
    "=",
    "[[rule]]",
    "[tools.x]",
    "effect = \"deny\"\n",
    "commands = [\"git *\"]\n",
    "version = 1\n",
    "{\"rules\":[",
    "null",
    "1e999",
    ":",
    "http://",
    "user@",
    ":80",
    "[::1]",
    "%2e",
    "xn--",
    "\\u{1b}",
    "\u{1b}[2K",
    "\u{200b}",
    "$(",
    "`",
    "<<E\n",
    "$'",
    "((",
    "[[",
    "&&",
    ";",
    "|",
    ">",
];

fn text(rng: &mut Rng, round: u64) -> String {
    match round % 4 {
        0 => generate::script(99, rng.u64(..)),
        1 => {
            String::from_utf8_lossy(&(0..rng.usize(..200)).map(|_| rng.u8(..)).collect::<Vec<_>>())
                .into_owned()
        }
        2 => (0..rng.usize(..60)).map(|_| char::from(rng.u8(..128))).collect(),
        _ => (0..rng.usize(..40)).map(|_| *rng.choice(PIECES).unwrap()).collect(),
    }
}

/// `rounds` when it is thorough: those of about two seconds.
fn shake(seed: u64, rounds: u64, target: impl Fn(&str)) {
    let mut rng = Rng::with_seed(seed);
    for round in 1..=effort(rounds / 10, rounds) {
        let input = text(&mut rng, round);
        let began = now();
        let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target(&input)));
        assert!(answered.is_ok(), "round {round} of seed {seed} panicked: {input:?}");
        let took = now().saturating_sub(began);
        assert!(took < SLOW, "round {round} of seed {seed} took {took:?}: {input:?}");
    }
}

#[test]
fn shell() {
    shake(1, 25_000, |text| {
        for shell in [Shell::Bash, Shell::Sh, Shell::Posix, Shell::Zsh, Shell::Other] {
            let analysis = analyze(text, shell);
            assert!(!analysis.facts.is_empty(), "a line that does nothing is unknown");
            for fact in &analysis.facts {
                assert!(
                    fact.span.start <= fact.span.end && fact.span.end <= text.len(),
                    "{fact:?} is outside"
                );
                assert!(
                    text.get(fact.span.start..fact.span.end).is_some(),
                    "{fact:?} cuts a character"
                );
            }
        }
    });
}

#[test]
fn path() {
    let vars = Vars {
        cwd: "/work".to_owned(),
        home: Some("/home/u".to_owned()),
        project: Some("/work".to_owned()),
        project_as: None,
        own: Vec::new(),
    };
    let glob = PathGlob::parse("/work/**", &vars);
    shake(2, 40_000, |text| {
        let located = locate(text, &vars, &NoFiles);
        let _ = PathGlob::parse(text, &vars);
        if let (Ok(located), Ok(glob)) = (located, &glob) {
            let _ = glob.covers(&located, &NoFiles);
            let _ = glob.touches(&located, &NoFiles);
        }
        let (address, pattern) = (UrlAddress::parse(text), UrlPattern::parse(text));
        if let (Ok(address), Ok(pattern)) = (address, pattern) {
            assert!(
                !pattern.covers(&address) || pattern.touches(&address),
                "covers {address:?}, but does not touch it"
            );
        }
    });
}

#[test]
fn display() {
    shake(3, 3_000, |text| {
        let args: Json =
            serde_json::json!({ text: text, "list": [text, 1] }).to_string().parse().unwrap();
        for width in [None, Some(20), Some(80)] {
            let shown = preview::render(text, &args, width);
            assert!(!shown.text.chars().any(|c| c.is_control() && c != '\n'), "{:?}", shown.text);
        }
        let _ = preview::describe(text, &args, &[]);
    });
}

#[test]
fn document() {
    shake(4, 15_000, |text| {
        for text in
            [text, &format!("version = 1\n[[rule]]\neffect = \"deny\"\ncommands = [\"{text}\"]\n")]
        {
            for format in [DocumentFormat::Toml, DocumentFormat::Json, DocumentFormat::Object] {
                let source =
                    PolicySource { layer: LayerKind::Code, name: "test".into(), trusted: true };
                match read(text, format, source.clone()) {
                    Err(errors) => assert!(!errors.is_empty()),
                    Ok(document) => {
                        if let Ok(toml) = to_toml(&document) {
                            let again = read(&toml, DocumentFormat::Toml, source);
                            assert!(again.is_ok(), "{toml}: {again:?}");
                        }
                    }
                }
            }
        }
    });
}
