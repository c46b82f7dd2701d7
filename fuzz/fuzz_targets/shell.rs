//! Any text as a command line: facts with places inside it, and never none.
#![no_main]

use countersign_core::shell::{Shell, analyze};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &str| {
    for shell in [Shell::Bash, Shell::Posix, Shell::Sh, Shell::Zsh, Shell::Other] {
        let analysis = analyze(script, shell);
        assert!(!analysis.facts.is_empty());
        for fact in &analysis.facts {
            assert!(script.get(fact.span.start..fact.span.end).is_some(), "{fact:?}");
        }
    }
});
