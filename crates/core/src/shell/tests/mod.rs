//! Tests of the whole prover: tables of scripts and the facts they yield, in a short form.

mod arithmetic;
mod language;
mod launchers;
mod limits;
mod locales;
mod moved;
mod programs;
mod quirks;
mod values;
mod words;

use std::time::Duration;

use super::*;
use crate::cpu_time::Instant;

/// Whether `times` as much takes clearly more than `times` as long: each time of a few, since the first fill caches.
pub(super) fn grows(times: u32, little: impl Fn(), much: impl Fn()) -> bool {
    let took = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let best = (0..3).map(|_| took(&little)).min().unwrap_or_default();
    // What is too short to be measured counts as this long.
    let floor = Duration::from_millis(1);
    (0..3).all(|_| took(&much) > 4 * times * best.max(floor))
}

/// The facts in a short form: `a b` a command, `[env] a b` a wrapper, `>f` and `<f` redirections, `A=` an assignment,
/// `!Why` an unknown and `!Why@2` one that a rule may name. Of words, `‹~›` is the home directory, `‹?›` what is not known,
/// `‹?*›` what may become any number of words, and `‹*.c›` a pattern. What the tables of programs add is left out, and what they are handed.
fn short(analysis: &LineAnalysis) -> String {
    let facts: Vec<String> =
        analysis.facts.iter().filter_map(|fact| short_fact(&fact.what)).collect();
    facts.join("; ")
}

fn short_fact(what: &FactKind) -> Option<String> {
    Some(match what {
        FactKind::Command(command) => {
            let words: Vec<String> = command.argv.iter().map(short_word).collect();
            let words = words.join(" ");
            if command.role == CommandRole::Wrapper { format!("[{words}]") } else { words }
        }
        FactKind::Redirect { access: FileAccess::Read, target, .. } => {
            format!("<{}", short_word(target))
        }
        FactKind::Redirect { access: FileAccess::Write, target, .. } => {
            format!(">{}", short_word(target))
        }
        FactKind::Assign { name } => format!("{name}="),
        // Unknown programs are handed variables in most of these lines: the tests of policies are about that.
        FactKind::Unknown { why: DoubtReason::HandsOver, .. } => return None,
        FactKind::Unknown { why, named: None } => format!("!{why:?}"),
        FactKind::Unknown {
            why: DoubtReason::RunsCode | DoubtReason::UnknownOption | DoubtReason::MayBeOption,
            ..
        } => {
            return None;
        }
        FactKind::Unknown { why, named: Some((_, arg)) } => format!("!{why:?}@{arg}"),
        FactKind::Path { .. } | FactKind::Loads { .. } | FactKind::Url { .. } => return None,
    })
}

fn short_word(word: &Word) -> String {
    if word.pieces.is_empty() {
        return "''".to_owned();
    }
    let piece = |piece: &WordPiece| match piece {
        WordPiece::Text(text) => text.replace('\n', "⏎"),
        WordPiece::Home => "‹~›".to_owned(),
        WordPiece::Glob(pattern) => format!("‹{pattern}›"),
        WordPiece::Unknown { splits: true } => "‹?*›".to_owned(),
        WordPiece::Unknown { splits: false } => "‹?›".to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}

/// Nothing allows these lines: each has something unknown that no rule can name, and this reason is among those.
fn never_allowed(why: DoubtReason, lines: &[&str]) {
    for line in lines {
        for shell in [Shell::Bash, Shell::Sh] {
            let facts = analyze(line, shell).facts;
            let unknown = |fact: &LineFact| matches!(fact.what, FactKind::Unknown { why: found, named: None } if found == why);
            assert!(facts.iter().any(unknown), "{line:?} {shell:?}: {facts:#?}");
        }
    }
}

/// Nothing of these lines is unknown.
fn all_known(lines: &[&str]) {
    for line in lines {
        let facts = analyze(line, Shell::Bash).facts;
        let unknown = |fact: &LineFact| matches!(fact.what, FactKind::Unknown { .. });
        assert!(!facts.iter().any(unknown), "{line:?}: {facts:#?}");
    }
}

/// Every script yields these facts.
fn check(shell: Shell, table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(script, expected)| {
            let found = short(&analyze(script, shell));
            (found != *expected)
                .then(|| format!("{script:?}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}
