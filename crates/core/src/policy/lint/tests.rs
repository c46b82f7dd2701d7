use std::sync::Arc;

use super::*;
use crate::policy::document::{DocumentFormat, LayerKind, PolicySource, read};

fn document(text: &str) -> PolicyDocument {
    let source = PolicySource { layer: LayerKind::User, name: Arc::from("p"), trusted: true };
    read(text, DocumentFormat::Toml, source)
        .unwrap_or_else(|errors| panic!("{text}: {}", errors[0]))
}

/// What is found beside missing reasons and examples: `code line:column`.
fn found(text: &str) -> Vec<String> {
    let tools = ["execute", "read_file", "mcp__git__status"].map(str::to_owned);
    lint(&[document(&format!("version = 1\n{text}"))], Some(&tools))
        .iter()
        .filter(|finding| !matches!(finding.code, FindingCode::NoReason | FindingCode::NoExamples))
        .map(|finding| {
            let code = serde_json::to_string(&finding.code).unwrap();
            format!("{} {}:{}", code.trim_matches('"'), finding.place.line, finding.place.column)
        })
        .collect()
}

fn rules(rules: &[&str]) -> String {
    rules.iter().map(|rule| format!("[[rule]]\n{rule}\n")).collect()
}

#[test]
fn one_rule() {
    for (rule, expected) in [
        // Nothing.
        (
            "effect='allow'\ncommands=['git status', 'cargo test', 'python3 manage.py', 'ls', 'sed -n', 'find']",
            vec![],
        ),
        ("effect='deny'\ncommands=['bash', '**', 'git', \"echo '~/x'\"]", vec![]),
        ("effect='deny'\nwrites=['/**']", vec![]),
        (
            "effect='allow'\nwrites=['${project}/**', '**', '/tmp/**', '~/notes/**']\nenv=['CI', 'NODE_ENV']",
            vec![],
        ),
        ("effect='allow'\nurls=['https://*.example.com/**', 'example.com']", vec![]),
        ("effect='deny'\nenv=['*', 'PATH']", vec![]),
        ("effect='allow'\ntools=['read_file', 'mcp__git__*']", vec![]),
        // Too broad.
        (
            "effect='allow'\ntools=['run_terminal_command']",
            vec!["unmatchable 2:1", "too-broad 2:1"],
        ),
        ("effect='allow'\ncommands=['ls', 'bash']", vec!["too-broad 4:17"]),
        ("effect='allow'\ncommands=['python3 -c']", vec!["too-broad 4:11"]),
        ("effect='allow'\ncommands=['/usr/bin/env']", vec!["too-broad 4:11"]),
        (
            "effect='allow'\ncommands=['sudo **', '* x', '**']",
            vec!["too-broad 4:11", "too-broad 4:22", "too-broad 4:29"],
        ),
        ("effect='allow'\ncommands=[[['ls', 'node']]]", vec!["too-broad 4:11"]),
        (
            "effect='allow'\ncommands=['py*', 'python3 -*', 'npm run test:*', 'cargo-*']",
            vec!["too-broad 4:11", "too-broad 4:18"],
        ),
        (
            "effect='allow'\ncommands=['git', 'docker **', 'npm *']",
            vec!["too-broad 4:11", "too-broad 4:18", "too-broad 4:31"],
        ),
        ("effect='allow'\ncommands=['make ** test']", vec!["too-broad 4:11"]),
        (
            "effect='allow'\ncommands=['node -v', 'python -V', 'npm run build', 'docker compose up', 'git add', 'awk', 'less']",
            vec![],
        ),
        ("effect='ask'\ncommands=['make ** test']", vec![]),
        (
            "effect='allow'\ncommands=[{words='sh x', exact=true}, {words='make', operands=['all']}, {words='make', operands=['*']}]",
            vec!["too-broad 4:73"],
        ),
        ("effect='allow'\nwrites=['/**']", vec!["too-broad 4:9"]),
        ("effect='allow'\nreads=['~/**', '/**/*']", vec!["too-broad 4:8", "too-broad 4:16"]),
        ("effect='allow'\nenv=['PATH']", vec!["too-broad 4:6"]),
        (
            "effect='allow'\nenv=['LD_PRELOAD', 'NODE_OPTIONS', 'GIT_*', 'BASH_ENV', 'CC', 'npm_config_*']",
            vec![
                "too-broad 4:6",
                "too-broad 4:20",
                "too-broad 4:36",
                "too-broad 4:45",
                "too-broad 4:57",
                "too-broad 4:63",
            ],
        ),
        ("effect='allow'\nenv=['CI', 'LC_*', 'LC_ALL', 'i', 'RUST_LOG', 'TZ']", vec![]),
        (
            "effect='allow'\nenv=['LD_*', '*', 'GIT_PAGER']",
            vec!["too-broad 4:6", "too-broad 4:14", "too-broad 4:19"],
        ),
        ("effect='allow'\nurls=['https://*/**']", vec!["too-broad 4:7"]),
        ("effect='allow'\ntools='*'", vec!["too-broad 2:1"]),
        ("effect='allow'\ntools='exec*'", vec!["too-broad 2:1"]),
        // What git can give back.
        ("effect='allow'\ncommands=['rm']\nwrites=['src/**']\ntracked=true", vec![]),
        // Unmatchable.
        ("effect='deny'\ncommands=[['git status']]", vec!["unmatchable 4:11"]),
        ("effect='deny'\ncommands=['CI=1 npm test']", vec!["unmatchable 4:11"]),
        (
            "effect='deny'\ncommands=['if x', \"'' a\"]",
            vec!["unmatchable 4:11", "unmatchable 4:19"],
        ),
        ("effect='allow'\ncommands=['cat ~/.x']", vec!["unmatchable 4:11"]),
        (
            "effect='allow'\ncommands=[{words='no-such-program x', operands=[]}, {words='sort', operands=[]}]",
            vec!["unmatchable 4:11"],
        ),
        ("effect='deny'\ncommands=[{words='no-such-program x', operands=[]}]", vec![]),
        ("effect='deny'\nreads=['/a/b/**', '!/a/**']", vec!["unmatchable 4:19"]),
        ("effect='deny'\nreads=['/a/**', '/b', '!/a/**']", vec![]),
        (
            "effect='deny'\ntools=['read_file', 'wriet_file', 'mcp__x__*']",
            vec!["unmatchable 2:1", "unmatchable 2:1"],
        ),
    ] {
        assert_eq!(found(&rules(&[rule])), expected, "{rule}");
    }
}

/// Rules that other tools warn of: each is any program, script or package.
#[test]
fn rules_that_run_whatever_comes_next_are_too_broad() {
    for rule in [
        "go run",
        "go install",
        "npm run",
        "npm run *",
        "npm exec",
        "npm install",
        "pnpm run",
        "pnpm exec",
        "pnpm dlx",
        "yarn run",
        "yarn dlx",
        "cargo run",
        "cargo install",
        "bun run",
        "bun x",
        "bunx -p",
        "deno run",
        "deno eval",
        "deno run -A",
        "uv run",
        "poetry run",
        "docker run",
        "docker exec -it",
        "kubectl exec",
        "cmd /c",
        "dlx",
        "Rscript",
        "rscript",
        "r",
        "tsx",
        "npx",
    ] {
        let found = found(&format!("[[rule]]\neffect='allow'\ncommands=['{rule}']"));
        assert_eq!(found, ["too-broad 4:11"], "{rule}");
    }
}

#[test]
fn rules_that_never_decide() {
    let deny_rm = "effect='deny'\ncommands=['rm']";
    let never = ["shadowed 2:1"];
    let later = ["shadowed 5:1"];
    let none: [&str; 0] = [];
    for (pair, expected) in [
        // Stricter, in either order.
        ([deny_rm, "effect='allow'\ncommands=['rm -r']"], &later[..]),
        (["effect='allow'\ncommands=['rm -r']", deny_rm], &never),
        ([deny_rm, "effect='ask'\ncommands=['rm *', ['rm', ['-r', '-f']]]"], &later),
        ([deny_rm, "effect='allow'\ncommands=['rm -r', 'ls']"], &none),
        ([deny_rm, "effect='allow'\ncommands=['rmdir']"], &none),
        (
            ["effect='deny'\ncommands=['rm*']", "effect='allow'\ncommands=['rmdir', 'rm', 'rmx*']"],
            &later,
        ),
        (["effect='deny'\ncommands=['rm*']", "effect='ask'\ncommands=['r*']"], &none),
        (["effect='deny'\ncommands=['rm ** x']", "effect='allow'\ncommands=['rm a x']"], &later),
        (["effect='deny'\ncommands=['rm ** x']", "effect='allow'\ncommands=['rm x']"], &later),
        (["effect='deny'\ncommands=['rm ** x']", "effect='allow'\ncommands=['rm a']"], &none),
        (["effect='deny'\ncommands=['rm ** x']", "effect='allow'\ncommands=['rm ** x y']"], &later),
        (["effect='deny'\ncommands=['rm ** y']", "effect='allow'\ncommands=['rm ** x y']"], &later),
        (
            ["effect='deny'\ncommands=['rm x ** y']", "effect='allow'\ncommands=['rm ** x y']"],
            &none,
        ),
        ([deny_rm, "effect='allow'\ncommands=[{words='rm', operands=['x']}]"], &later),
        (
            [
                "effect='deny'\ncommands=[{words='rm', operands=['x']}]",
                "effect='allow'\ncommands=['rm x']",
            ],
            &none,
        ),
        (
            [
                "effect='deny'\ncommands=[{words='rm x', exact=true}]",
                "effect='allow'\ncommands=['rm x']",
            ],
            &none,
        ),
        (
            [
                "effect='deny'\ncommands=[{words='rm x', exact=true}]",
                "effect='allow'\ncommands=[{words='rm x', exact=true}]",
            ],
            &later,
        ),
        ([deny_rm, "effect='ask'\ncommands=['* -r']"], &none),
        (["effect='deny'\ncommands=['rm -r']", "effect='allow'\ncommands=['rm']"], &none),
        (
            ["effect='deny'\ncommands=['rm']\ntools='execute'", "effect='allow'\ncommands=['rm']"],
            &none,
        ),
        (
            ["effect='deny'\ntools='execute'", "effect='allow'\ncommands=['ls']\ntools='execute'"],
            &later,
        ),
        (["effect='deny'\ntools='mcp__*'", "effect='allow'\ntools='mcp__git__*'"], &later),
        (["effect='deny'\ntools='mcp__git__*'", "effect='allow'\ntools='mcp__*'"], &none),
        (
            [
                "effect='deny'\ntools='mcp__*'\nannotations={destructiveHint=true}",
                "effect='allow'\ntools='mcp__git__*'",
            ],
            &none,
        ),
        (["effect='deny'\nwrites=['/a/**']", "effect='allow'\nwrites=['/a/b/*.ts']"], &later),
        (
            ["effect='deny'\nwrites=['/a/**', '!/a/b/**']", "effect='allow'\nwrites=['/a/b/x']"],
            &none,
        ),
        (["effect='deny'\nwrites=['/a/**']", "effect='allow'\nwrites=['/a/../b', '/a/b']"], &none),
        (["effect='deny'\nwrites=['/a/*']", "effect='allow'\nwrites=['/a/b']"], &none),
        (["effect='deny'\nreads=['/a/**']", "effect='allow'\nwrites=['/a/b']"], &none),
        (["effect='deny'\nenv=['NPM_*']", "effect='allow'\nenv=['NPM_TOKEN']"], &later),
        (
            [
                "effect='ask'\nurls=['https://a.com/**']",
                "effect='allow'\nurls=['https://a.com/x/**']",
            ],
            &later,
        ),
        // The same effect on more.
        (["effect='deny'\ncommands=['rm']", "effect='deny'\ncommands=['rm -r']"], &later),
        (
            [
                "effect='allow'\nwrites=['${project}/**']",
                "effect='allow'\nwrites=['${project}/src/**']",
            ],
            &later,
        ),
        (
            [
                "effect='allow'\nwrites=['${project}/**']",
                "effect='allow'\nwrites=['${project}/.git/**']",
            ],
            &none,
        ),
        (
            [
                "effect='allow'\ntools='read_file'",
                "effect='allow'\ntools='read_file'\nreads=['.env']",
            ],
            &none,
        ),
    ] {
        let mut found = found(&rules(&pair));
        found.retain(|finding| finding.starts_with("shadowed"));
        assert_eq!(found, expected, "{pair:?}");
    }
}

#[test]
fn the_first_that_matches() {
    let first = |pair: [&str; 2]| found(&format!("match='first'\n{}", rules(&pair)));
    let ls = "effect='allow'\ncommands=['ls -l']";
    let none: [&str; 0] = [];
    assert_eq!(first(["effect='ask'\ncommands=['ls']", ls]), ["shadowed 6:1"]);
    assert_eq!(first([ls, "effect='ask'\ncommands=['ls']"]), none);
    assert_eq!(first(["effect='deny'\ncommands=['ls -l']", ls]), ["shadowed 6:1"]);
    // A deny also means `/bin/ls -l`.
    assert_eq!(first([ls, "effect='deny'\ncommands=['ls -l']"]), none);
    assert_eq!(
        first(["effect='allow'\ntools='read_file'", "effect='deny'\ntools='read_file'"]),
        ["shadowed 6:1"]
    );
    assert_eq!(first([ls, ls]), ["duplicate 6:1"]);
}

#[test]
fn duplicates_are_reported_once() {
    let rule = "effect='deny'\ncommands=['rm', 'ls']\nreason='a'";
    let turned = "effect='deny'\ncommands=['ls', 'rm']";
    assert_eq!(found(&rules(&[rule, turned])), ["duplicate 6:1"]);
    // Several layers may say the same.
    let one = document(&format!("version = 1\n{}", rules(&[rule])));
    let kinds: Vec<_> =
        lint(&[one.clone(), one], None).iter().map(|finding| finding.code).collect();
    assert_eq!(kinds, [FindingCode::NoExamples, FindingCode::NoExamples]);
}

#[test]
fn an_allow_beside_a_default_that_allows() {
    let found = |rule: &str| found(&format!("default='allow'\n{}", rules(&[rule])));
    assert_eq!(found("effect='allow'\nenv=['CI']"), ["says-nothing 3:1"]);
    assert_eq!(found("effect='allow'\nwrites=['${project}/src/**']"), ["says-nothing 3:1"]);
    assert_eq!(found("effect='allow'\nwrites=['${project}/.git/**']"), Vec::<String>::new());
    assert_eq!(found("effect='deny'\nenv=['CI']"), Vec::<String>::new());
}

#[test]
fn allows_of_commands_beside_wider_ones() {
    let allow = |a: &str, b: &str| {
        found(&rules(&[
            &format!("effect='allow'\ncommands=['{a}']"),
            &format!("effect='allow'\ncommands=['{b}']"),
        ]))
    };
    assert_eq!(allow("git log", "git log --oneline"), ["shadowed 5:1"]);
    // A file that is spelled out is meant, also if it asks.
    assert_eq!(allow("cat", "cat .env"), Vec::<String>::new());
}

#[test]
fn reasons_and_examples() {
    let kinds = |rule: &str| -> Vec<_> {
        lint(&[document(&format!("version = 1\n[[rule]]\n{rule}"))], None)
            .iter()
            .map(|finding| (finding.code, finding.severity))
            .collect()
    };
    let info = |code| (code, LintSeverity::Info);
    assert_eq!(
        kinds("effect='deny'\nreads=['/a']"),
        [info(FindingCode::NoReason), info(FindingCode::NoExamples)]
    );
    assert_eq!(kinds("effect='deny'\nreads=['/a']\nreason='x'\nexamples={match='/a'}"), []);
    assert_eq!(kinds("effect='deny'\ntools=['a']\nreason='x'"), []);
}

#[test]
fn messages_say_what_to_do() {
    let text = format!(
        "version = 1\n{}",
        rules(&[
            "effect='deny'\ncommands=['CI=1 x']",
            "effect='allow'\ncommands=['python']",
            "effect='ask'\ncommands=['python3']",
            "effect='allow'\ncommands=['python3 a.py']",
        ])
    );
    let messages: Vec<_> = lint(&[document(&text)], None)
        .into_iter()
        .filter(|finding| finding.severity == LintSeverity::Warning)
        .map(|finding| finding.message)
        .collect();
    assert_eq!(
        messages,
        [
            "\"CI=1\" sets a variable, which is not part of a command: write env = [\"CI\"]",
            "\"python\" does whatever its arguments say: name the arguments that are meant",
            "the rule at p:8 asks about all this, and the stricter counts",
        ]
    );
}

#[test]
fn many_rules_end_soon() {
    for (rule, last) in
        [("commands=['a{}']", "commands=['a7 x']"), ("reads=['/a/{}']", "reads=['/a/7']")]
    {
        let many: String = (0..1_500)
            .map(|index| {
                format!("[[rule]]\neffect='deny'\n{}\n", rule.replace("{}", &index.to_string()))
            })
            .collect();
        let text = format!("version = 1\n{many}[[rule]]\neffect='allow'\n{last}\n");
        let start = crate::cpu_time::Instant::now();
        let findings = lint(&[document(&text)], None);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        let shadowed = |finding: &LintFinding| finding.code == FindingCode::Shadowed;
        // With this many of one kind not every pair is compared.
        assert_eq!(findings.iter().any(shadowed), rule.starts_with('c'), "{rule}");
    }
}

#[test]
fn a_reviewer_where_none_may_answer() {
    let warned = |layer, rule: &str| {
        let source = PolicySource { layer, name: Arc::from("p"), trusted: true };
        let text = format!("version = 1\n[[rule]]\ncommands=['npm install']\n{rule}");
        let document = read(&text, DocumentFormat::Toml, source).unwrap();
        let found = lint(&[document], None);
        found.iter().any(|finding| finding.code == FindingCode::UnheardReviewer)
    };
    for (layer, rule, expected) in [
        (LayerKind::User, "effect='ask'\nreviewer=true", false),
        (LayerKind::User, "effect='allow'\nreviewer=false", false),
        (LayerKind::User, "effect='allow'\nreviewer=true", true),
        (LayerKind::User, "effect='deny'\nreviewer=true", true),
        (LayerKind::User, "effect='ask'\nreviewer=true\napprovers=['ada']", true),
        (LayerKind::User, "effect='ask'\nreviewer=true\nquorum=2", true),
        (LayerKind::Managed, "effect='ask'\nreviewer=true", true),
    ] {
        assert_eq!(warned(layer, rule), expected, "{layer:?} {rule}");
    }
}

#[test]
fn a_rule_that_wants_a_human_is_not_shadowed_by_one_that_leaves_it_to_a_reviewer() {
    let left = "effect='ask'\ncommands=['npm **']\nreviewer=true";
    let human = "effect='ask'\ncommands=['npm install']";
    assert_eq!(found(&rules(&[left, human])), Vec::<String>::new());
    assert_eq!(found(&rules(&[human, left])), Vec::<String>::new());
}
