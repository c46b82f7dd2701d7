//! Rows of `(command, effects)`. In a command a blank ends a word, and `·` is a blank, `↵` a newline; `$x` is text that only
//! the run will tell and that splits, `@x` such text in quotes, `*` a pattern for names of files, a leading `~` the home
//! directory, and `''` an empty word. Effects are the files read (`r`, with all below `R`) and written (`w`, `W`), what
//! is loaded as code (`l`), the addresses (`u`) and the unknown (`?`), words that may name an object
//! of git (`o`) and settings of git that are shown (`s`), each with the index of its argument.

mod bypasses;
mod files;
mod git;
mod looking;
mod programs;
mod searches;
mod shared;
mod tables;
mod tools;

use super::CommandEffects;
use crate::effort::effort;
use crate::shell::tests::grows;
use crate::shell::{DoubtReason, FileAccess, Span, Word, WordPiece};

/// What a command does that nothing but itself adds words to.
fn of(argv: &[Word]) -> CommandEffects {
    super::of(argv, &[])
}

/// A command and its effects.
type Row = (&'static str, &'static str);

/// A word in the notation above.
pub(super) fn word(text: &str) -> Word {
    let text = text.replace('·', " ").replace('↵', "\n");
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().enumerate().peekable();
    if text == "''" {
        return Word { span: Span { start: 0, end: 0 }, pieces };
    }
    while let Some((index, char)) = chars.next() {
        let piece = match char {
            '$' | '@' if chars.next_if(|(_, next)| *next == 'x').is_some() => {
                WordPiece::Unknown { splits: char == '$' }
            }
            '*' if chars.peek().is_none() || index == 0 => WordPiece::Glob("*".to_owned()),
            '~' if index == 0 => WordPiece::Home,
            char => {
                plain.push(char);
                continue;
            }
        };
        if !plain.is_empty() {
            pieces.push(WordPiece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(piece);
    }
    if !plain.is_empty() {
        pieces.push(WordPiece::Text(plain));
    }
    Word { span: Span { start: 0, end: 0 }, pieces }
}

pub(super) fn words(command: &str) -> Vec<Word> {
    command.split(' ').map(word).collect()
}

fn show(word: &Word) -> String {
    if word.pieces.is_empty() {
        return "''".to_owned();
    }
    let piece = |piece: &WordPiece| match piece {
        WordPiece::Text(text) => text.replace(' ', "·").replace('\n', "↵"),
        WordPiece::Home => "~".to_owned(),
        WordPiece::Glob(glob) => glob.clone(),
        WordPiece::Unknown { splits } => if *splits { "$x" } else { "@x" }.to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}

/// Effects in the notation above, each once, in the order of their arguments.
pub(super) fn shown(effects: &CommandEffects) -> String {
    let mut all: Vec<(usize, String)> = Vec::new();
    for used in &effects.paths {
        let letter = match (used.access, used.recursive) {
            (FileAccess::Read, false) => 'r',
            (FileAccess::Read, true) => 'R',
            (FileAccess::Write, false) => 'w',
            (FileAccess::Write, true) => 'W',
        };
        all.push((used.arg, format!("{letter}{}:{}", used.arg, show(&used.target))));
    }
    all.extend(effects.loads.iter().map(|(arg, file)| (*arg, format!("l{arg}:{}", show(file)))));
    all.extend(effects.urls.iter().map(|(arg, url)| (*arg, format!("u{arg}:{}", show(url)))));
    // Each of their commands heeds their settings.
    let settings =
        [DoubtReason::SettingsOfCargo, DoubtReason::SettingsOfGolangci, DoubtReason::LinkedModule];
    let unknown = effects.unknown.iter().filter(|(_, why)| !settings.contains(why));
    all.extend(unknown.map(|(arg, why)| {
        let letter = match why {
            DoubtReason::ShowsObjects => 'o',
            DoubtReason::ShowsFile => 'f',
            DoubtReason::ShowsSettings => 's',
            _ => '?',
        };
        (*arg, format!("{letter}{arg}"))
    }));
    all.sort_by_key(|(arg, _)| *arg);
    let mut texts: Vec<String> = Vec::new();
    for (_, text) in all {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(" ")
}

fn effects(command: &str) -> String {
    shown(&of(&words(command)))
}

fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(command, expected)| {
            let found = effects(command);
            (found != *expected)
                .then(|| format!("{command}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows() {
    for rows in [files::READERS, files::WRITERS, files::TEXT, files::SEARCH] {
        check(rows);
    }
    for rows in [programs::NETWORK, programs::GIT, programs::ARCHIVES] {
        check(rows);
    }
    for rows in [programs::INTERPRETERS, programs::PACKAGES, programs::SYSTEM] {
        check(rows);
    }
}

#[test]
fn hostile_arguments_are_no_trouble() {
    assert_eq!(of(&[]), CommandEffects::default());
    let long = "a".repeat(1 << 10);
    let odd = [
        "", "-", "--", "---", "--=", "-=", "--x=", "$x", "@x", "*", "-$x", "--$x", "--pre$x", "é-",
        "-é", "--é=é", "+", "@", "=", &long,
    ];
    let names = super::tables().names();
    for name in &names {
        for first in odd {
            for second in odd.iter().take(effort(1, odd.len() - 1)) {
                let argv = [word(name), word(first), word(second)];
                for argv in [&argv[..], &argv[..2], &argv[..1]] {
                    let _ = of(argv);
                }
            }
        }
    }
}

#[test]
fn files_of_a_search_are_no_options() {
    for command in ["rg foo $x", "rg foo .$x", "sort *", "curl .$x"] {
        let argv = words(command);
        let files = argv.get(argv.len() - 1..).unwrap();
        assert_ne!(of(&argv).unknown, [], "{command}");
        assert_eq!(super::of(&argv, files).unknown, [], "{command}");
    }
    // Nor is anything behind `--`.
    assert_eq!(of(&words("rg foo -- $x")).unknown, []);
    let argv = words("git diff .$x");
    assert_ne!(of(&argv).unknown, []);
    assert_eq!(super::of(&argv, argv.get(2..).unwrap()).unknown, []);
}

#[test]
fn many_words_take_time_in_proportion() {
    let names = ["cp", "mv", "jq", "sed", "rg", "tar", "git", "curl", "wget", "test", "zip", "gcc"];
    for (at, name) in names.into_iter().enumerate() {
        // Where there is little time some of them, for each program others.
        let arguments = ["a", "-e", "-o", "--arg", "-C", "$x", "-x"].into_iter();
        for argument in arguments.skip(effort(at % 4, 0)).step_by(effort(4, 1)) {
            let argv = |count: usize| {
                let more = (0..count).map(|_| word(argument));
                [word(name), word("-t")].into_iter().chain(more).collect::<Vec<_>>()
            };
            let (few, many) = (argv(500), argv(8_000));
            let grows = grows(16, || drop(of(&few)), || drop(of(&many)));
            assert!(!grows, "{name} {argument}");
        }
    }
}

/// Figures for who wants them: `COUNTERSIGN_FIGURES=1 cargo test --release -- --nocapture speed`.
#[test]
fn speed() {
    if std::env::var_os("COUNTERSIGN_FIGURES").is_none() {
        crate::skip::skipped("COUNTERSIGN_FIGURES is not set");
        return;
    }
    for command in [
        "git status",
        "git commit -m x",
        "git log --oneline -n 5",
        "ls -la src",
        "cat a b",
        "rg -n TODO src",
        "rg --hidden x",
        "grep -rn x src",
        "find . -name x",
        "cargo test --all",
        "npm run test",
        "frobnicate a b",
        "sed -n 1,5p f",
        "head -n 5 f",
        "cp a b",
        "rm -rf build",
        "mkdir -p a/b",
        "curl -sS https://a/b",
        "python3 -c x",
        "tar xzf a.tar.gz",
    ] {
        let argv = words(command);
        let start = std::time::Instant::now();
        for _ in 0..200_000 {
            std::hint::black_box(of(std::hint::black_box(&argv)));
        }
        eprintln!("{command}: {} ns", start.elapsed().as_nanos() / 200_000);
    }
}
