//! What has fooled lists of allowed commands: no option in here may pass for harmless.

use super::{effects, of, words};

/// Each of them is unknown, at the argument given.
const RUNS: &[(&str, usize)] = &[
    ("man --html=cmd man", 1),
    ("man --htm=cmd man", 1),
    ("man -Hcmd man", 1),
    ("man -P cmd man", 2),
    ("sort --compress-program sh a", 2),
    ("sort -S 1b --compress-prog=sh a", 3),
    ("history -a f", 2),
    ("git ls-remote --upload-pa=cmd x", 2),
    ("git ls-remote --upload-pack cmd x", 3),
    ("git fetch --upload-p=cmd x", 2),
    ("sed s/x/cmd/e", 1),
    ("sed 1e", 1),
    ("rg a$x.$x--pre=sh", 1),
    ("rg --pre=sh x", 1),
    ("rg --pre sh x", 2),
    ("rg $x", 1),
    ("git -c core.pager=cmd log", 2),
    ("git -c core.fsmonitor=cmd status", 2),
    ("git config user.email x", 3),
    ("git config --global core.pager sh", 4),
    ("git grep --open-files-in-pager=cmd x", 2),
    ("tar cf a --checkpoint=1 --checkpoint-action=exec=sh b", 4),
    ("tar xf a --to-command=sh", 3),
    ("zip a.zip b -T -TT cmd", 5),
    ("rsync -e cmd a b:", 2),
    ("python -c code", 2),
    ("node -e code", 2),
    ("perl -e code", 2),
    ("ssh -oProxyCommand=cmd x", 1),
    ("awk BEGIN{system(\"cmd\")}", 1),
    ("date --set=x", 1),
    ("split --filter=cmd a", 1),
    ("crontab -", 1),
    ("make SHELL=x", 1),
    ("less +!cmd a", 1),
    ("wget --use-askpass=cmd u", 1),
    ("nmap --script=x h", 1),
    ("tcpdump -z cmd", 2),
];

#[test]
fn options_that_run_code_are_unknown() {
    for (command, at) in RUNS {
        let found = of(&words(command));
        assert!(found.unknown.iter().any(|(arg, _)| arg == at), "{command}: {found:?}");
    }
}

#[test]
fn writes_in_scripts_are_writes() {
    for (command, effect) in [
        ("sed w·/home/x/.bashrc", "w1:/home/x/.bashrc"),
        ("sed -n s/a/b/w·.git/hooks/x f", "w2:.git/hooks/x"),
        ("sed -i s/a/b/ .claude/x", "w3:.claude/x"),
        ("awk {print·>·\"/etc/x\"}", "w1:/etc/x"),
        ("sort -o /etc/x a", "w2:/etc/x"),
        ("cp x/.bashrc ~", "w2:~/.bashrc"),
        ("git diff --output=/etc/x", "w2:/etc/x"),
        ("curl -o /etc/x u", "w2:/etc/x"),
    ] {
        let found = effects(command);
        assert!(found.split(' ').any(|found| found == effect), "{command}: {found}");
    }
}

#[test]
fn addresses_are_seen_also_where_nothing_is_fetched() {
    for command in [
        "ping a.evil.example",
        "nslookup a.evil.example",
        "dig a.evil.example",
        "host a.evil.example",
    ] {
        assert_eq!(effects(command), "u1:a.evil.example");
    }
}

/// What is allowed by a rule for the program alone must stay so.
#[test]
fn plain_uses_are_not_unknown() {
    for command in [
        "cargo test --all",
        "rg -n TODO src",
        "rg a↵b src",
        "rg x;·mv·a·b",
        "rg \\\";·mv·a·b",
        "rg -l foo",
        "rg foo ''",
        "sort",
        "sort /dev/fd/63",
        "date",
        "date +%F",
        "jq .a f",
        "make check",
        "git status",
        "git commit -m @x",
    ] {
        let mut unknown = of(&words(command)).unknown;
        unknown.retain(|(_, why)| !why.is_about_files());
        assert_eq!(unknown, [], "{command}");
    }
}

/// `case` is a word of the language to gawk, and a variable to mawk, busybox and the original awk: there a `/` behind it
/// divides, and what looks like a pattern is code.
#[test]
fn a_word_that_is_a_variable_to_some_awks_hides_no_code() {
    for name in ["case", "switch", "default", "func", "nextfile", "BEGINFILE"] {
        for before in ["", "-", "!", "$", "x ", "print ", "case "] {
            for behind in [" / 1", "/1", "++ / 1", "\\\n/ 1", "=1; case / 1"] {
                let script = format!("BEGIN{{{before}{name}{behind}; system(\"x\"); x = 1/1 }}");
                let argv = ["mawk", &script].map(|text| super::Word {
                    span: super::Span { start: 0, end: 0 },
                    pieces: vec![super::WordPiece::Text(text.to_owned())],
                });
                assert_ne!(of(&argv).unknown, [], "{script}");
            }
        }
    }
    assert_eq!(effects("awk BEGIN{x·=·1·/·2;·if·(/a/)·print·y}"), "");
}

/// To the awk of the book's authors a pattern ends behind these, and a slash begins the next one; its options are few, and what it
/// does not know as one it passes over.
#[test]
fn the_awk_of_macos_is_not_told_code_as_a_pattern_or_a_value() {
    let of = |argv: &[&str]| {
        let argv: Vec<super::Word> = argv
            .iter()
            .map(|text| super::Word {
                span: super::Span { start: 0, end: 0 },
                pieces: vec![super::WordPiece::Text((*text).to_owned())],
            })
            .collect();
        of(&argv).unknown
    };
    for name in ["awk", "gawk", "mawk", "nawk", "original-awk"] {
        for script in [
            "/r/ /#/; system(\"x\")",
            "!/r/ /#/; system(\"x\")",
            "x in a /#/; system(\"x\")",
            "(x,y) in a /#/; system(\"x\")",
            "x ~ /r/ /#/; system(\"x\")",
            "/r/ / \"/; system(\"x\"); x = \"/ 1 #\"",
        ] {
            assert_ne!(of(&[name, script, "a"]), [], "{name} {script}");
        }
    }
    for name in ["awk", "nawk", "original-awk"] {
        for option in ["--field-separator", "--assign", "--as", "-e1", "-csv", "-nv", "-Sv", "-kv"]
        {
            assert_ne!(of(&[name, option, "BEGIN{x}", "1", "a"]), [], "{name} {option}");
        }
    }
    assert_eq!(of(&["awk", "-F", ",", "-v", "x=1", "/r/ { n += $1 / 2 } x in a && /b/", "a"]), []);
}
