//! Rules for commands.

use super::*;

const RULES: &str = r#"
[[rule]]
effect = "allow"
commands = ["git status", "npm run test", "cat", "echo", "ls", "xargs", "find", "cd", ["git", "-c", "user.name=x", "commit"]]
[[rule]]
effect = "ask"
commands = ["npm run deploy"]
reason = "it goes out"
[[rule]]
effect = "deny"
commands = ["rm", "git push"]
reason = "not this way"
"#;

#[test]
fn a_word_may_stand_anywhere_behind() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["make", "npm test", "ls"]
[[rule]]
effect = "ask"
commands = ["make ** install", "npm ** --prefix*"]
[[rule]]
effect = "deny"
commands = [["make", "**", ["push", "publish"], "**", "now"]]
"#;
    runs(
        rules,
        &[
            ("allow", "make build check"),
            ("ask", "make install"),
            ("ask", "make build check lint install"),
            ("ask", "make a b c d e f install g"),
            ("ask", "npm test -s -s -s -s --prefix=/tmp/x"),
            ("deny", "make a push b now"),
            ("deny", "make a publish now c"),
            ("allow", "make now push"),
            ("ask", "make a \"$x\" now"),
            ("ask", "make $x"),
            ("deny", "ls; make -j4 push $x now"),
        ],
    );
}

#[test]
fn what_may_stand_behind_the_words() {
    for (command, table) in [
        (
            r#"{ words = "sort", operands = [] }"#,
            &[
                ("allow", "sort"),
                ("allow", "sort -u"),
                ("allow", "sort -k 2"),
                ("allow", "sort -k \"$x\""),
                ("ask", "sort a.txt"),
                ("ask", "sort -- a.txt"),
                ("ask", "sort \"$x\""),
                ("ask", "sort $x"),
                ("ask", "sort -k $x"),
                ("ask", "sort -u -o b.txt x"),
                ("ask", "sort --no-such-option"),
                ("ask", "sortx"),
            ][..],
        ),
        (
            r#"{ words = ["sort"], operands = ["a.txt", "b*"] }"#,
            &[
                ("allow", "sort -u a.txt"),
                ("allow", "sort a.txt -u b1 b2"),
                ("ask", "sort"),
                ("ask", "sort c.txt"),
                ("ask", "sort a.txt c.txt"),
                ("ask", "sort *.txt"),
                ("ask", "sort a.txt $x"),
            ],
        ),
        (
            r#"{ words = ["sort"], operands = ["*"], options = ["-u", "--reverse"] }"#,
            &[
                ("allow", "sort -u a b"),
                ("allow", "sort --rev -u a b"),
                ("ask", "sort -n a b"),
                ("ask", "sort -un a b"),
                ("ask", "sort --numeric-sort a b"),
                ("ask", "sort -u"),
            ],
        ),
        (
            r#"{ words = "git push origin main", exact = true }"#,
            &[
                ("allow", "git push origin main"),
                ("ask", "git push origin main --force"),
                ("ask", "git push origin main $x"),
                ("ask", "git push origin $x"),
                ("ask", "git push origin"),
            ],
        ),
        (r#"{ words = "no-such-program", operands = [] }"#, &[("ask", "no-such-program")]),
    ] {
        runs(&format!("[[rule]]\neffect = 'allow'\ncommands = [{command}]"), table);
    }
    runs(
        "[[rule]]\neffect = 'deny'\ncommands = [{ words = 'rm x', exact = true }]",
        &[
            ("deny", "rm x"),
            ("deny", "/bin/rm 'x'"),
            // With any other words there.
            ("deny", "rm x y"),
            ("deny", "rm -f x"),
            ("deny", "rm x $y"),
            ("ask", "rm $x"),
        ],
    );
}

#[test]
fn an_allow_of_operands_covers_no_option_that_does_more_than_to_read() {
    let allow = |command: &str| format!("[[rule]]\neffect = 'allow'\ncommands = [{command}]");
    runs(
        &allow("{ words = 'sort', operands = ['*'] }"),
        &[
            ("allow", "sort -u a"),
            ("ask", "sort -o x a"),
            ("ask", "sort a -ox"),
            ("ask", "sort --output=x a"),
            ("ask", "sort --outp x a"),
            ("ask", "sort -T /x a"),
        ],
    );
    runs(
        &allow("{ words = 'sort', operands = ['*'], options = ['-o'] }"),
        &[("allow", "sort -o x a"), ("ask", "sort --output=x a")],
    );
    runs(
        &allow("{ words = 'npm test', operands = [] }"),
        &[("allow", "npm test -s"), ("ask", "npm test --prefix=x"), ("ask", "npm test -C x")],
    );
}

#[test]
fn a_deny_of_operands_or_options_is_not_evaded_by_others() {
    let deny = |command: &str| {
        format!("default = 'allow'\n[[rule]]\neffect = 'deny'\ncommands = [{command}]")
    };
    runs(
        &deny("{ words = 'make', operands = ['install', 'deploy:*'] }"),
        &[
            ("deny", "make install"),
            ("deny", "make build install"),
            ("deny", "make -j4 install build"),
            ("deny", "make -- build deploy:now"),
            ("deny", "make --no-such-option install"),
            ("deny", "make X=1 install"),
            ("ask", "make $x install"),
            ("ask", "make \"$x\""),
            ("ask", "make build $x"),
            ("allow", "make build"),
            ("allow", "make"),
        ],
    );
    runs(
        &deny("{ words = 'npm run', operands = ['deploy'] }"),
        &[
            ("deny", "npm run deploy"),
            ("deny", "npm run -s deploy"),
            ("deny", "npm -s run deploy"),
            ("deny", "npm --silent run --if-present deploy -- x"),
            ("allow", "npm run build"),
        ],
    );
    runs(
        &deny("{ words = 'git push', operands = [], options = ['--force', '-f'] }"),
        &[
            ("deny", "git push"),
            ("deny", "git push origin main --force"),
            ("deny", "git push -uf origin main"),
            ("deny", "git --no-pager push -f"),
            ("allow", "git push origin main"),
        ],
    );
    runs(
        &deny("'git push', 'kubectl delete'"),
        &[
            ("deny", "git --no-pager push"),
            ("deny", "git -P push origin"),
            ("deny", "kubectl -n x delete pod y"),
            ("deny", "kubectl --namespace=x delete pod y"),
            ("allow", "git --no-pager log push"),
            ("allow", "kubectl get delete"),
        ],
    );
}

#[test]
fn an_allow_needs_all_a_deny_needs_one() {
    runs(
        RULES,
        &[
            ("allow", "git status -s"),
            ("ask", "git statusx"),
            ("ask", "git"),
            ("ask", "ls; make"),
            ("allow", "ls; git status | cat"),
            ("deny", "ls && rm x"),
            ("deny", "if true; then rm x; fi"),
            ("ask", "npm run deploy"),
            ("deny", "npm run deploy; rm x"),
            ("ask", ""),
        ],
    );
}

#[test]
fn what_is_covered_by_the_rest_of_a_call_that_has_no_rest_is_not_allowed() {
    let none = policy("default = 'deny'");
    let words = policy("[[rule]]\neffect = 'allow'\ncommands = ['ls', 'cat']\nenv = ['A', 'I']");
    for line in [
        "export",
        "export -p",
        "export --",
        "(export)",
        "declare",
        "declare -p",
        "declare -xp",
        "declare -x",
        "declare +x",
        "declare -p A",
        "declare -pA x",
        "typeset -x",
        "readonly -p",
        "readonly A",
        "export A",
        "f() { local; }; f",
        "command export -p",
        "declare <<< \"$(A=1)\"",
        "declare <<< \"$(declare A=(1))\"",
        "declare -p A=(1)",
        "command -v ls",
        "command -V ls",
        "command command -v ls",
        "nice command -v ls",
        "sh -c 'export -p'",
        "bash -c ''",
        "bash -c ' # nothing'",
        "sh -c '< a.txt'",
        "< a.txt",
        "timeout 5 sh -c 'command -v x'",
        "env -i bash -c 'declare -xp'",
        "xargs -I{} command -v {}",
        ":",
        "true",
        "cd",
    ] {
        assert_eq!(verdict(&none, &Call::run(line)).effect, Effect::Deny, "{line}");
        assert_eq!(verdict(&words, &Call::run(line)).effect, Effect::Ask, "{line}");
        let behind = format!("ls; {line}");
        assert_eq!(verdict(&words, &Call::run(&behind)).effect, behind_a_list(line), "{behind}");
    }
    for line in [
        "export A=1",
        "export A=1; ls",
        "declare -x A=1 I",
        "command ls",
        "sh -c 'A=1'",
        "declare -a A=(1 2)",
    ] {
        assert_eq!(verdict(&none, &Call::run(line)).effect, Effect::Deny, "{line}");
        assert_eq!(verdict(&words, &Call::run(line)).effect, Effect::Allow, "{line}");
    }
    runs(
        "[[rule]]\neffect = 'allow'\ncommands = ['command -v', 'export -p', 'cd', 'true', ':']",
        &[
            ("allow", "command -v ls"),
            ("allow", "cd; true; :"),
            ("allow", "export -p"),
            ("ask", "export -p -f"),
            ("ask", "declare -p"),
            ("ask", "command -V ls"),
        ],
    );
}

/// Of a line behind `ls`: a file that is opened and not shown is covered by that.
fn behind_a_list(line: &str) -> Effect {
    if line == "< a.txt" { Effect::Allow } else { Effect::Ask }
}

#[test]
fn denies_meet_the_name_of_the_program_allows_what_is_written() {
    runs(
        RULES,
        &[
            ("deny", "/bin/rm x"),
            ("deny", "r''m x"),
            ("ask", "/tmp/git status"),
            ("ask", "./git status"),
        ],
    );
}

#[test]
fn what_is_only_known_when_it_runs() {
    runs(
        RULES,
        &[
            ("ask", "$TOOL x"),
            ("ask", "git $x"),
            ("ask", "git status $x"),
            ("allow", "echo \"$x\""),
            ("ask", "$(echo ls)"),
            ("deny", "echo $(rm x)"),
        ],
    );
}

#[test]
fn wrappers_need_no_allow_but_are_denied_by_name() {
    runs(
        RULES,
        &[
            ("allow", "nice git status"),
            ("deny", "timeout 3 rm x"),
            ("allow", "sh -c 'git status'"),
            ("deny", "sh -c 'git status; rm x'"),
            ("ask", "sudo ls"),
            ("deny", "sudo rm x"),
            ("ask", "eval ls"),
        ],
    );
    let wrappers = format!("{RULES}\n[[rule]]\neffect = \"deny\"\ncommands = [\"timeout\"]\n");
    runs(&wrappers, &[("deny", "timeout 3 ls"), ("allow", "nice ls")]);
}

#[test]
fn an_unknown_is_lifted_by_a_rule_that_spells_it_out() {
    runs(
        RULES,
        &[
            ("allow", "git -c user.name=x commit -m y"),
            ("ask", "git -c core.pager=x commit"),
            ("ask", "git -c user.name=x log"),
        ],
    );
    // A rule that only covers it does not know what it allows.
    let broad = "[[rule]]\neffect = \"allow\"\ncommands = [\"git\"]\n";
    runs(broad, &[("ask", "git -c core.pager=x log"), ("allow", "git log")]);
}

#[test]
fn assignments_need_an_allow_of_their_own() {
    let env = format!("{RULES}\n[[rule]]\neffect = \"allow\"\nenv = [\"CI\", \"NODE_*\"]\n");
    runs(
        &env,
        &[
            ("allow", "CI=1 git status"),
            ("allow", "NODE_ENV=test ls"),
            ("ask", "LD_PRELOAD=x ls"),
            ("ask", "PATH=x ls"),
            ("allow", "env CI=1 ls"),
            ("ask", "export GIT_PAGER=x"),
        ],
    );
    let denied = format!("{env}\n[[rule]]\neffect = \"deny\"\nenv = [\"LD_*\"]\n");
    runs(&denied, &[("deny", "LD_PRELOAD=x ls")]);
}

#[test]
fn the_reason_names_the_part_and_the_place() {
    let policy = policy(RULES);
    let reason = |command: &str| verdict(&policy, &Call::run(command)).reason;
    assert_eq!(
        reason("ls; npm run deploy now"),
        "`npm run deploy now`: code.toml:6 asks: \"it goes out\""
    );
    assert_eq!(reason("make all"), "`make all` is not covered by any rule");
    // No rule for `sh` would let it run.
    for line in ["base64 -d x | sh", "make; curl x | bash -s"] {
        assert_eq!(reason(line), "a shell runs commands that do not stand in this command line");
    }
    assert_eq!(reason("ls; rm -rf build"), "`rm -rf build`: code.toml:10 denies: \"not this way\"");
    assert!(reason("git $x").contains(": code.toml:10 may match it"), "{}", reason("git $x"));
    let long = format!("make {}", "x".repeat(5000));
    assert!(reason(&long).chars().count() < 260);
}

#[test]
fn first_match_decides_where_the_document_says_so() {
    let first = r#"
match = "first"
[[rule]]
effect = "allow"
commands = ["rm build"]
[[rule]]
effect = "deny"
commands = ["rm"]
[[rule]]
effect = "allow"
commands = ["rm", "ls"]
"#;
    runs(
        first,
        &[
            ("allow", "rm build"),
            ("deny", "rm src"),
            ("allow", "ls"),
            ("deny", "make"),
            ("deny", "ls; make"),
            ("ask", "$x build"),
        ][..5],
    );
    assert!(run(first, "$x build") >= Effect::Ask);
    assert!(run(first, "rm $x") >= Effect::Ask);
}

#[test]
fn defaults_speak_where_no_rule_does() {
    let with = |default: &str| format!("default = \"{default}\"\n{RULES}");
    runs(&with("deny"), &[("deny", "make"), ("allow", "git status"), ("ask", "npm run deploy")]);
    runs(&with("allow"), &[("allow", "make"), ("deny", "rm x"), ("ask", "$x"), ("ask", "eval x")]);
    // A deny that could match does not hide that a rule allows it.
    let could = "default = \"deny\"\n[[rule]]\neffect = \"allow\"\ncommands = [\"tool\"]\n[[rule]]\neffect = \"deny\"\ncommands = [\"tool push\"]\n";
    runs(could, &[("ask", "tool $x"), ("deny", "tool push"), ("allow", "tool log")]);
}

#[test]
fn conditions_that_cannot_be_tried_ask() {
    for (rule, said, expected) in [
        ("allow", Some(Some(true)), "allow"),
        ("allow", Some(Some(false)), "ask"),
        ("allow", Some(None), "ask"),
        ("allow", None, "ask"),
        ("deny", Some(Some(true)), "deny"),
        ("deny", Some(Some(false)), "ask"),
        ("deny", Some(None), "ask"),
        ("ask", None, "ask"),
    ] {
        let toml = format!("[[rule]]\neffect = \"{rule}\"\ncommands = [\"ls\"]\n");
        let mut document = document(&toml, LayerKind::Code, true);
        document.rules[0].condition = Some(0);
        let mut call = Call::run("ls");
        call.conditions = said.into_iter().collect();
        let verdict = verdict(&pooled(vec![document]), &call);
        assert_eq!(verdict.effect, effect(expected), "{rule} {said:?}");
    }
}

#[test]
fn the_condition_of_an_allow_that_cannot_be_tried_asks_whatever_else_allows() {
    let allows = "[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n";
    let first = format!("match = \"first\"\n{allows}");
    for (name, rules, others) in [
        ("another rule", format!("{allows}{allows}"), None),
        ("the first of two", format!("{first}{allows}"), None),
        ("a default", format!("default = \"allow\"\n{allows}"), None),
        ("another document", allows.to_owned(), Some(allows)),
        ("another layer", allows.to_owned(), Some("default = \"allow\"\n")),
    ] {
        for (said, expected) in [(Some(true), "allow"), (Some(false), "allow"), (None, "ask")] {
            let mut document = document(&rules, LayerKind::Code, true);
            document.rules[0].condition = Some(0);
            let mut call = Call::run("ls");
            call.conditions = vec![said];
            let others = others.map(|toml| super::document(toml, LayerKind::User, true));
            let policy = pooled([document].into_iter().chain(others).collect());
            if name == "another layer" && said == Some(false) {
                continue;
            }
            assert_eq!(verdict(&policy, &call).effect, effect(expected), "{name} {said:?}");
        }
    }
    // Nor does it loosen what is said without the rule.
    for rule in ["allow", "ask", "deny"] {
        let toml =
            format!("default = \"deny\"\n[[rule]]\neffect = \"{rule}\"\ncommands = [\"ls\"]\n");
        let mut document = document(&toml, LayerKind::Code, true);
        document.rules[0].condition = Some(0);
        let mut call = Call::run("ls");
        call.conditions = vec![None];
        assert_eq!(verdict(&pooled(vec![document]), &call).effect, Effect::Deny, "{rule}");
    }
}

#[test]
#[ignore = "long: npm run test:all"]
fn a_line_too_long_to_judge_is_never_allowed_and_denies_still_bite() {
    let line = format!("{}rm x", "ls;".repeat(3_000));
    assert_eq!(run(RULES, &line), Effect::Deny);
    let rules = (0..400).map(|_| "[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    let many: String = rules.collect();
    assert_eq!(run(&many, &"ls;".repeat(2_000)), Effect::Ask);
    let denied = format!("{many}[[rule]]\neffect = \"deny\"\ncommands = [\"rm\"]\n");
    for length in [700, 4_000] {
        let line = format!("{}rm x", "ls;".repeat(length));
        assert_eq!(run(&denied, &line), Effect::Deny, "{length}");
    }
}

#[test]
fn what_a_wrapper_writes_needs_an_allow_of_its_own() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["ls"]
"#;
    let table = [
        ("allow", "\\time -f x ls"),
        ("allow", "env -C sub nice ls"),
        ("ask", "\\time -f x -o a.txt ls"),
        ("ask", "/usr/bin/time --output=a.txt ls"),
        ("ask", "command time -a -o a.txt ls"),
        ("ask", "env time -o a.txt ls"),
        ("allow", "\\time -o /dev/null ls"),
    ];
    runs(rules, &table);
    let written = format!("{rules}writes = [\"${{project}}/a.txt\"]\n");
    runs(&written, &[("allow", "\\time -o a.txt ls"), ("ask", "\\time -o b.txt ls")]);
}

#[test]
fn what_a_command_writes_that_is_allowed_for_looking_needs_an_allow_of_its_own() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["git log", "sort", "uniq", "tree", "sed", "rm", "mkdir", "pytest", "shuf -o out.txt"]
"#;
    let table = [
        ("allow", "git log -1 --format=x"),
        ("ask", "git log -1 --output=a.txt"),
        ("allow", "sort -u a.txt"),
        ("ask", "sort -o a.txt b.txt"),
        ("ask", "uniq a.txt b.txt"),
        ("ask", "tree -o a.txt"),
        ("ask", "sed -i s/a/b/ a.txt"),
        ("ask", "sed 'w b.txt' a.txt"),
        ("allow", "rm a.txt"),
        ("allow", "mkdir a"),
        // These very words are allowed, wherever they stand.
        ("allow", "shuf -o out.txt a.txt"),
        ("allow", "pytest test_a.py; shuf -o out.txt a.txt"),
        ("ask", "shuf -o other.txt a.txt"),
    ];
    runs(rules, &table);
    let written = format!("{rules}writes = [\"${{project}}/**\"]\n");
    runs(&written, &[("allow", "sort -o a.txt b.txt"), ("ask", "sort -o /tmp/a.txt b.txt")]);
}

#[test]
fn a_file_of_a_redirection_that_is_not_known_may_be_a_connection() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["cat", "read"]
"#;
    let table = [
        ("allow", "cat < a.txt"),
        ("allow", "cat < ~/a"),
        ("allow", "cat < \"$x\"/a.ts"),
        ("allow", "cat < dir/$x.ts"),
        ("allow", "cat < /dev/shm/$x.ts"),
        ("ask", "cat < /dev/tcp/a.example/80"),
        ("ask", "cat < $x"),
        ("ask", "cat < $x/dev/tcp/a.example/80"),
        ("ask", "cat < \"$x\"/dev/tcp/a.example/80"),
        ("ask", "cat < $1/dev/udp/a.example/domain"),
        ("ask", "cat < /dev$x/tcp/a.example/80"),
        ("ask", "cat < /dev/tc$x"),
        ("ask", "cat < $(cat a.txt)"),
        ("ask", "read x <<< /dev/tcp/a.example/80; cat < $x"),
    ];
    runs(rules, &table);
    let allowed = format!("{rules}urls = [\"*\"]\n");
    runs(&allowed, &[("ask", "cat < $x")]);
}
