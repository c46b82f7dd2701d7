//! Limits, directories, places, and odd input.

use std::time::Instant;

use super::super::*;
use super::{grows, short};
use crate::effort::effort;

fn is_unknown(analysis: &LineAnalysis) -> bool {
    analysis.facts.iter().any(|fact| matches!(fact.what, FactKind::Unknown { named: None, .. }))
}

/// Each construct, opened far more often than it may be nested.
const OPENERS: &[&str] = &[
    "(",
    "{ ",
    "$(",
    "`",
    "\"$(",
    "${a:-",
    "\"${a:-",
    "$((",
    "((",
    "$((a[",
    "<(",
    "if ",
    "while ",
    "for i in a; do ",
    "case x in a) ",
    "f() ",
    "function f { ",
    "coproc ",
    "! ",
    "time ",
    "[[ ( ",
    "a=(",
    "a[",
    "a[$(",
    "{a,",
    "$[",
    "eval ",
    "sh -c ",
    "env ",
    "nice ",
    "sudo ",
    "xargs ",
    "find -exec ",
    "a <<E $(",
    "a <<E\n$(",
    "\\",
    "\"",
    "$'",
    "a=~:",
    "[[ a == @(",
    "[[ a =~ (",
    "let a=",
    "declare a=(",
    "env -S ",
    "((a);",
    "cd a;",
    "a ",
    "a;",
    "a|",
    ">",
    "[a",
    "'",
    "#",
    "${",
    "$[a[",
    "{x}>",
    "<<E ",
    "<<E\n",
    "builtin ",
    "command exec ",
    "if a; then ",
    "$((a) ",
    "x=\"`",
];

#[test]
fn nesting_is_bounded_on_a_small_stack() {
    for opener in OPENERS {
        for &shell in &[Shell::Bash, Shell::Sh][..effort(1, 2)] {
            let text = opener.repeat(20_000 / opener.len());
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            let run = thread.spawn(move || analyze(&text, shell).facts.len());
            let facts = run.unwrap().join();
            assert!(facts.is_ok_and(|facts| facts > 0), "{opener:?}");
        }
    }
}

#[test]
fn work_grows_with_the_text() {
    for opener in OPENERS.iter().step_by(effort(3, 1)) {
        let text = |size: usize| opener.repeat(size / opener.len());
        let little = effort(1 << 12, 1 << 14);
        let (little, much) = (text(little), text(16 * little));
        let read = |text: &str| drop(analyze(text, Shell::Sh));
        assert!(!grows(16, || read(&little), || read(&much)), "{opener:?}");
    }
}

#[test]
fn work_grows_with_the_patterns_of_a_command() {
    for command in ["chmod 644", "curl"] {
        let line = |count: usize| format!("{command} {}", "*a ".repeat(count));
        let (few, many) = (line(480), line(16 * 480));
        let read = |text: &str| drop(analyze(text, Shell::Bash));
        assert!(!grows(16, || read(&few), || read(&many)), "{command}");
    }
}

#[test]
fn limits_are_unknown_and_what_was_found_before_still_counts() {
    let deep = format!("rm x; {}a{}", "( ".repeat(101), " )".repeat(101));
    let rows = [
        format!("rm x; echo '{}'", "x".repeat(1 << 20)),
        deep,
        format!("rm x; {}", "a;".repeat(10_001)),
        format!("rm x; a {}", "b ".repeat(10_001)),
        format!("rm x; a {}", "b ".repeat(10_001)),
    ];
    for text in rows {
        let analysis = analyze(&text, Shell::Bash);
        assert!(is_unknown(&analysis), "{}", &text[..20]);
        assert!(short(&analysis).contains("rm x;"));
        assert!(analysis.facts.len() <= 3_000);
    }
    for beyond in ["a;".repeat(10_001), format!("a {};", "b ".repeat(10_001)), "env ".repeat(9_000)]
    {
        for shell in [Shell::Bash, Shell::Sh] {
            let analysis = analyze(&format!("{beyond} rm x"), shell);
            assert!(
                is_unknown(&analysis) && short(&analysis).contains("rm x"),
                "{}",
                &beyond[..20]
            );
        }
    }
    let shallow = format!("{}a{}", "( ".repeat(90), " )".repeat(90));
    assert_eq!(short(&analyze(&shallow, Shell::Bash)), "a");
    let many = "true;".repeat(50) + "rm x";
    assert!(short(&analyze(&many, Shell::Bash)).ends_with("; rm x"));
}

#[test]
fn many_words_of_braces_are_not_known() {
    assert_eq!(analyze("a {1..256}", Shell::Bash).facts.len(), 1);
    assert_eq!(short(&analyze("a {1..257}", Shell::Bash)), "a ‹?*›");
    assert_eq!(short(&analyze("a {1..20}{1..20}", Shell::Bash)), "a ‹?*›");
}

#[test]
fn what_does_nothing_is_unknown() {
    for text in ["", " ", "\n", "# rm x", "\\\n", "[[ a ]]", "(( 1 ))", ";", "&", "|", ")", "!"] {
        assert!(is_unknown(&analyze(text, Shell::Bash)), "{text:?}");
    }
    assert_eq!(short(&analyze("rm x", Shell::Other)), "!OtherShell");
    assert_eq!(short(&analyze("rm\0 x", Shell::Bash)), "!Nul; rm x");
}

#[test]
fn facts_have_places() {
    let text = "ls; sh -c 'rm  x' > f";
    let analysis = analyze(text, Shell::Bash);
    // What the tables of programs know of their arguments stands at those.
    let of_grammar =
        analysis.facts.iter().filter(|fact| !matches!(fact.what, FactKind::Path { .. }));
    let places: Vec<&str> = of_grammar.map(|fact| &text[fact.span.start..fact.span.end]).collect();
    assert_eq!(places, ["ls", "sh -c 'rm  x'", "'rm  x'", "> f"]);
    let text = "é=1 `rm x` \"$(b\nc)\"";
    for fact in analyze(text, Shell::Bash).facts {
        assert!(text.get(fact.span.start..fact.span.end).is_some(), "{fact:?}");
    }
}

#[test]
fn any_cut_and_any_single_change_is_survived() {
    let text = "if a \"$(b `c`)\" ${d:-$'\\x41é'}; then cat <<E >f & \n$((1+$(g))) é\nE\nfor x in {a,b}~; do [[ a =~ (b) ]]; done; fi";
    for (cut, _) in text.char_indices() {
        // Where there is little time in one of them, each in its turn.
        let shells = [Shell::Bash, Shell::Sh, Shell::Zsh].into_iter();
        for shell in shells.skip(effort(cut % 3, 0)).step_by(effort(3, 1)) {
            assert!(!analyze(&text[..cut], shell).facts.is_empty());
            assert!(!analyze(&text[cut..], shell).facts.is_empty());
            for extra in ["\\", "'", "\"", "`", "$", "(", ")", "{", "}", "\n", "é", "<<", "\0", "["]
            {
                let changed = format!("{}{extra}{}", &text[..cut], &text[cut..]);
                let facts = analyze(&changed, shell).facts;
                assert!(!facts.is_empty());
                for fact in facts {
                    assert!(
                        changed.get(fact.span.start..fact.span.end).is_some(),
                        "{changed:?} {fact:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn directories_are_a_superset() {
    let dirs = |text: &str| -> Vec<String> {
        let show = |dir: &WorkingDir| match dir {
            WorkingDir::Anywhere => "*".to_owned(),
            WorkingDir::Through(words) => {
                words.iter().map(super::short_word).collect::<Vec<_>>().join(" ")
            }
        };
        analyze(text, Shell::Bash).dirs.iter().map(show).collect()
    };
    assert_eq!(dirs("ls > x"), Vec::<String>::new());
    assert_eq!(dirs("cd a; ls"), ["a"]);
    assert_eq!(dirs("(cd a && cd b)"), ["a", "b", "a b"]);
    assert_eq!(dirs("cd /a; cd -- b"), ["/a", "b", "/a b"]);
    assert_eq!(dirs("cd"), ["‹~›"]);
    assert_eq!(dirs("cd -P ~/a"), ["‹~›/a"]);
    assert_eq!(dirs("env -C /a ls"), ["/a"]);
    assert_eq!(dirs("builtin cd a"), ["a"]);
    assert_eq!(dirs("sh -c 'cd a'"), ["a"]);
    assert_eq!(dirs("for i in a; do cd /b; done"), ["/b"]);
    for anywhere in [
        "cd -",
        "cd $x",
        "cd *",
        "cd a b",
        "pushd",
        "popd",
        "popd +1",
        "for i in a; do cd b; done",
        "f() { cd a; }",
        ". f",
        "CDPATH=/x; cd a",
        "HOME=/x; cd",
        "find . -execdir ls \\;",
        "chroot /x ls",
        "cd -x a",
        "cd a; cd b; cd c; cd d; cd e",
    ] {
        assert_eq!(dirs(anywhere), ["*"], "{anywhere}");
    }
}

#[test]
fn unknowns_that_a_rule_may_name() {
    let named = |text: &str| {
        analyze(text, Shell::Bash).facts.iter().find_map(|fact| match fact.what {
            FactKind::Unknown { named, .. } => named,
            _ => None,
        })
    };
    assert_eq!(named(": ; bash x.sh"), Some((1, 1)));
    assert_eq!(named("find . $x"), Some((0, 2)));
    assert_eq!(named("sudo ls"), None);
    assert_eq!(named("strace -f ls"), Some((0, 2)));
}

/// Figures for who wants them: `COUNTERSIGN_FIGURES=1 cargo test --release -- --nocapture figures`.
#[test]
fn figures() {
    if std::env::var_os("COUNTERSIGN_FIGURES").is_none() {
        crate::skip::skipped("COUNTERSIGN_FIGURES is not set");
        return;
    }
    for text in [
        "git status -s",
        "cat a.txt | grep -n 'x y' | sort > /tmp/out && git commit -m \"$(date)\"",
    ] {
        for shell in [Shell::Bash, Shell::Sh] {
            let start = Instant::now();
            for _ in 0..100_000 {
                std::hint::black_box(analyze(std::hint::black_box(text), shell));
            }
            let each = start.elapsed() / 100_000;
            // The figure is the test's only output.
            #[allow(clippy::print_stderr, reason = "figures are what it is for")]
            {
                eprintln!("{each:?} {shell:?} {text}");
            }
        }
    }
}
