//! The folder that a program runs in is part of the judgement.

use super::*;
use crate::policy::{GrantRules, suggest};

const RULES: &str = r#"
[[rule]]
effect = "allow"
commands = ["cd", "pushd", "popd", "ls", "cat", "find", "make", "npm test", "cargo test", "pytest", "./gradlew", "bin/x", "own-tool", "git", "tsc", "./ls", "/opt/tool", "yt-dlp", "stow"]
"#;

#[test]
fn a_program_that_does_what_a_folder_says_asks_in_another_folder() {
    runs(
        RULES,
        &[
            ("allow", "make"),
            ("allow", "own-tool"),
            ("allow", "cd src && make"),
            ("allow", "cd /work/app/src && make"),
            ("allow", "cd src/.. && npm test"),
            ("allow", "(cd src; ./gradlew build)"),
            ("allow", "pushd src; own-tool; popd"),
            ("allow", "env -C src make"),
            ("allow", "cd src && git status"),
            ("ask", "cd .. && make"),
            ("ask", "cd ../other && make build"),
            ("ask", "cd /work/apple && make"),
            ("ask", "cd src && cd .. && cd .. && make"),
            ("ask", "cd ../other; npm test"),
            ("ask", "cd && cargo test"),
            ("ask", "cd ~ && cargo test"),
            ("ask", "cd $DIR && pytest"),
            ("ask", "cd - && pytest"),
            ("ask", "(cd /tmp/x; npm test)"),
            ("ask", "pushd /tmp/x && make; popd"),
            ("ask", "env -C /tmp/x make"),
            ("ask", "env --chdir=/tmp/x make"),
            ("ask", "cd /tmp/x && timeout 5 make"),
            ("ask", "cd /tmp/x && bash -c make"),
            ("ask", "find d -execdir make \\;"),
            ("ask", "find /tmp/x -execdir make \\;"),
            ("ask", "cd /tmp/x && ./gradlew build"),
            ("ask", "cd /tmp/x && bin/x"),
            ("ask", "cd /tmp/x && ./ls"),
            // Nothing is known of it.
            ("ask", "cd /tmp/x && own-tool"),
            ("ask", "cd /tmp/x && /opt/tool"),
            ("ask", "cd ../other && git commit -m x"),
            ("ask", "cd ../other && git status && make"),
            ("ask", "cd ../other && /tmp/git status"),
            ("ask", "cd $DIR && git status"),
            // No repository is there.
            ("allow", "cd ../other && git status"),
            ("ask", "cd /tmp/x && tsc"),
            // Their settings lie there.
            ("allow", "yt-dlp --version; stow a"),
            ("ask", "cd /tmp/x && yt-dlp --version"),
            ("ask", "cd /tmp/x && stow a"),
            ("ask", "if cd /tmp/x; then make; fi"),
            ("ask", "for d in /tmp/x; do cd $d; make; done"),
            // It takes no orders from there.
            ("allow", "cd /tmp/x && ls && cat a"),
            ("allow", "cd $DIR && ls"),
            ("allow", "cd .. && find . -name x"),
        ],
    );
}

#[test]
fn a_folder_that_the_call_names_is_one_like_any_other() {
    calls(
        RULES,
        &[
            ("allow", "bash", r#"{"command":"make"}"#),
            ("allow", "bash", r#"{"command":"make","cwd":"/work/app"}"#),
            ("allow", "bash", r#"{"command":"make","cwd":"src"}"#),
            ("ask", "bash", r#"{"command":"make","cwd":"/work/other"}"#),
            ("ask", "bash", r#"{"command":"make","workdir":".."}"#),
            ("ask", "run_shell_command", r#"{"command":"make","directory":"/work/other"}"#),
            ("ask", "run_shell_command", r#"{"command":"make","dir_path":"/work/other"}"#),
            ("ask", "bash", r#"{"command":["make","build"],"cwd":"/work/other"}"#),
        ],
    );
    let everywhere = format!("{RULES}[[rule]]\neffect = 'allow'\nreads = ['/**']\n");
    calls(
        &everywhere,
        &[
            ("ask", "bash", r#"{"command":"make","cwd":"/work/other"}"#),
            ("allow", "bash", r#"{"command":"ls","cwd":"/work/other"}"#),
        ],
    );
}

#[test]
fn no_default_and_no_rule_for_all_calls_allows_another_folder() {
    for rules in ["default = 'allow'\n", "[[rule]]\neffect = 'allow'\ntools = ['*']\n"] {
        runs(rules, &[("allow", "cd src && make"), ("ask", "cd ../other && make")]);
    }
    let rules = format!("{RULES}[[rule]]\neffect = 'deny'\ncommands = ['make']\n");
    runs(&rules, &[("deny", "cd ../other && make"), ("ask", "cd ../other && npm test")]);
}

#[test]
fn always_for_a_command_is_for_the_folder_that_it_was_said_in() {
    let policy = policy("");
    let files = Links::default();
    let offer = |line: &str| {
        let call = Call::run(line);
        let verdict = verdict(&policy, &call);
        suggest(&policy, &call.judged(), &verdict, &files).unwrap()
    };
    for line in [
        "cd ../other && make build",
        "cd src && make build",
        "cd src && ./run.sh",
        "env -C src npm test",
        "(cd src; git push origin main)",
        "find . -execdir make build \\;",
    ] {
        assert_eq!(offer(line), None, "{line}");
    }
    let saved = |line: &str| {
        let rules = offer(line).unwrap_or_else(|| panic!("nothing is offered for {line}")).rules;
        GrantRules::compile(rules, &context()).unwrap()
    };
    for (granted, same, others) in [
        ("make build", "make build", ["cd ../other && make build", "cd src && make build"]),
        ("./run.sh", "./run.sh", ["cd src; ./run.sh", "cd /tmp && ./run.sh"]),
    ] {
        let grants = saved(granted);
        let answers = |line: &str| {
            let call = Call::run(line);
            let verdict = verdict(&policy, &call);
            grants.answers(&call.judged(), &verdict, &files).unwrap()
        };
        assert!(answers(same), "{granted} / {same}");
        for line in others {
            assert!(!answers(line), "{granted} / {line}");
        }
    }
    // Where only the command is asked about, and not the way to it.
    let cd = self::policy("[[rule]]\neffect = 'allow'\ncommands = ['cd', 'ls']\n");
    let grants = saved("make build");
    for (line, expected) in
        [("ls; make build", true), ("cd src; make build", false), ("cd /tmp; make build", false)]
    {
        let call = Call::run(line);
        let verdict = verdict(&cd, &call);
        let answers = grants.answers(&call.judged(), &verdict, &files).unwrap();
        assert_eq!(answers, expected, "{line}");
    }
}
