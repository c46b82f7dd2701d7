use super::*;
use crate::effort::effort;
use crate::policy::document::{DocumentFormat, load};

fn errors(rule: &str) -> Vec<String> {
    let text = format!("version = 1\n[tools.dashed]\nshell = 'posix'\n[[rule]]\n{rule}\n");
    let source = PolicySource { layer: LayerKind::User, name: Arc::from("p"), trusted: false };
    match load(&text, DocumentFormat::Toml, source) {
        Ok(_) => Vec::new(),
        Err(errors) => errors
            .iter()
            .map(|error| {
                let text = error.to_string();
                if error.code == ErrorCode::Example {
                    text
                } else {
                    format!("not an example: {text}")
                }
            })
            .collect(),
    }
}

fn check(rows: &[(&str, &str, &str, &[&str])]) {
    for (rule, matching, not_matching, expected) in rows {
        let mut text = (*rule).to_owned();
        let lists = [("match", matching), ("not_match", not_matching)].map(|(key, list)| {
            if list.is_empty() { String::new() } else { format!("{key} = [{list}]") }
        });
        text.push_str(&format!(
            "\nexamples = {{ {} }}",
            lists.join(if lists.contains(&String::new()) { "" } else { ", " })
        ));
        assert_eq!(errors(&text), *expected, "{text}");
    }
}

#[test]
fn examples_of_paths_addresses_and_tools() {
    check(&[
        (
            "effect='allow'\nreads=['~/notes/**']",
            "'~/notes/a/b', '/home/user/notes/x'",
            "'~/notes', '/etc/passwd'",
            &[],
        ),
        (
            "effect='allow'\nwrites=['${project}/src/**']",
            "'src/a.ts', '/project/src/b'",
            "'src/../a', 'lib/a'",
            &[],
        ),
        (
            "effect='deny'\nreads=['~/.ssh/**', '!~/.ssh/*.pub']",
            "'~/.ssh/id'",
            "'~/.ssh/id.pub', 'a'",
            &[],
        ),
        (
            "effect='ask'\nurls=['https://*.example.com/**']",
            "'https://a.example.com/x'",
            "'https://example.org/'",
            &[],
        ),
        (
            "effect='ask'\ntools=['mcp__git__*', 'x']",
            "'mcp__git__push', 'x'",
            "'mcp__github__x'",
            &[],
        ),
        ("effect='allow'\nreads=['/a/**']\nwrites=['/b/**']", "'/a/x', '/b/x'", "'/c/x'", &[]),
        // What is not kept.
        (
            "effect='allow'\nreads=['/a/*']",
            "'/a/x', '/a/x/y'",
            "",
            &["p:7:31: \"/a/x/y\" must be matched by this rule, but is not"],
        ),
        (
            "effect='deny'\nreads=['/a/**']",
            "",
            "'/b', '/a/x'",
            &["p:7:33: \"/a/x\" must not be matched by this rule, but is"],
        ),
        (
            "effect='ask'\ntools=['x*']",
            "'y'",
            "'xx'",
            &[
                "p:7:23: \"y\" must be matched by this rule, but is not",
                "p:7:42: \"xx\" must not be matched by this rule, but is",
            ],
        ),
    ]);
    // Some paths ask, even if a pattern that does not name them allows.
    let protected =
        errors("effect='allow'\nwrites=['${project}/**']\nexamples={ match = ['.git/config'] }");
    assert_eq!(protected.len(), 1);
    assert!(
        protected[0]
            .starts_with("p:7:21: \".git/config\" must be matched by this rule, but is not: "),
        "{protected:?}"
    );
    check(&[("effect='allow'\nwrites=['${project}/.git/**']", "'.git/config'", "", &[])]);
}

#[test]
fn examples_of_command_lines() {
    check(&[
        (
            "effect='allow'\ncommands=['git status']",
            "'git status -s', 'git status; git status'",
            "'git statusx', 'git status; rm x', 'git $x'",
            &[],
        ),
        (
            "effect='allow'\ncommands=['npm test']\nenv=['CI']",
            "'CI=1 npm test', 'CI=1'",
            "'A=1 npm test'",
            &[],
        ),
        ("effect='allow'\nenv=['CI', 'NPM_*']", "'CI', 'NPM_TOKEN'", "'PATH'", &[]),
        ("effect='deny'\nenv=['LD_PRELOAD']", "'LD_PRELOAD', 'LD_PRELOAD=x ls'", "'CI', 'ls'", &[]),
        ("effect='deny'\ncommands=['rm']", "'ls; /bin/rm x', 'sudo rm x'", "'echo rm'", &[]),
        (
            "effect='allow'\ncommands=['git status']",
            "'git status; rm x'",
            "",
            &["p:7:23: \"git status; rm x\" must be matched by this rule, but is not"],
        ),
        (
            "effect='deny'\ncommands=['rm -r']",
            "'rm $x'",
            "'rm -r', 'rm $x'",
            &[
                "p:7:23: \"rm $x\" must be matched by this rule, but is not: `rm $x`: p:4 may match it",
                "p:7:46: \"rm -r\" must not be matched by this rule, but is",
                "p:7:55: \"rm $x\" must not be matched by this rule, but is",
            ],
        ),
        // The shell of the tools it speaks of.
        ("effect='allow'\ntools='dashed'\ncommands=['echo']", "'echo {a,b}'", "", &[]),
    ]);
}

#[test]
fn only_so_many_are_reported() {
    let many = vec!["'/b'"; 100].join(", ");
    assert_eq!(
        errors(&format!("effect='ask'\nreads=['/a']\nexamples={{ match=[{many}] }}")).len(),
        MAX_ERRORS
    );
}

#[test]
fn a_hostile_file_holds_up_nobody() {
    for (key, pattern, example) in [
        ("reads", "'/a/*/x{}/**'", "'/a/b/y{}'"),
        ("urls", "'https://x{}.com/**'", "'https://y{}.com/'"),
        ("commands", "'a{}'", "'b{}; c{} d; $x'"),
        ("commands", "['*', 'a{}']", "'b{} $x'"),
        ("env", "'A{}*'", "'B{}'"),
        ("tools", "'a*{}'", "'b{}'"),
    ] {
        for (patterns, examples) in [(2_000, 2_000), (1, effort(250, 3_000)), (300, 100)] {
            let list = |text: &str, count: usize| {
                (0..count)
                    .map(|at| text.replace("{}", &at.to_string()))
                    .collect::<Vec<_>>()
                    .join(",")
            };
            let start = crate::cpu_time::Instant::now();
            let rule = format!(
                "effect='deny'\n{key}=[{}]\nexamples={{ not_match=[{}] }}",
                list(pattern, patterns),
                list(example, examples)
            );
            let errors = errors(&rule);
            let took = start.elapsed();
            assert!(took.as_secs() < 20, "{key} {patterns} {examples}: {took:?}");
            if patterns == 2_000 {
                assert!(errors[0].contains("too many"), "{errors:?}");
            }
        }
    }
}
