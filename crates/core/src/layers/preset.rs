//! Policies that come with countersign, as files to read and copy.

/// The names of the presets.
pub const PRESETS: &[&str] = &["read-only", "developer"];

/// A preset of a file of its own, and what all presets have.
macro_rules! text {
    ($file:literal) => {
        concat!(include_str!($file), "\n", include_str!("../policy/looking.toml"))
    };
}

/// The text of a preset, in TOML.
pub fn preset(name: &str) -> Option<&'static str> {
    match name {
        "read-only" => Some(text!("presets/read-only.toml")),
        "developer" => Some(text!("presets/developer.toml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use std::sync::{Arc, LazyLock};

    use super::*;
    use crate::call::Json;
    use crate::path::{Files, PathError, Where};
    use crate::policy::document::{Behind, Document, Format, Layer, Source, Token, load};
    use crate::policy::{Effect, JudgedCall, Policy, Verdict, judge};
    use crate::shell::{Knowledge, knowledge_of};

    fn document(name: &str) -> Document {
        let source = Source { layer: Layer::Code, name: Arc::from(name), trusted: true };
        load(preset(name).unwrap(), Format::Toml, source).unwrap_or_else(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{name}:\n{}", errors.join("\n"))
        })
    }

    #[test]
    fn every_preset_is_a_policy() {
        for name in PRESETS {
            assert!(!document(name).rules.is_empty(), "{name}");
        }
        assert_eq!(preset("none"), None);
    }

    /// The first words of each command that a preset allows, in all alternatives. Not of a rule that itself names all options
    /// and operands that there may be: that leaves nothing to a table.
    fn allowed(document: &Document) -> BTreeSet<Vec<&str>> {
        let mut all = BTreeSet::new();
        let rules = document.rules.iter().filter(|rule| rule.effect == Effect::Allow);
        let is_told = |behind: &Behind| {
            matches!(behind, Behind::Nothing | Behind::Only { options: Some(_), .. })
        };
        let commands = rules.flat_map(|rule| &rule.commands);
        for command in commands.filter(|command| !is_told(&command.value.behind)) {
            let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
            for token in command.value.certain() {
                let texts: Vec<&str> = match token {
                    Token::Text(text) => vec![text],
                    Token::OneOf(texts) => texts.iter().map(String::as_str).collect(),
                    _ => break,
                };
                lists = lists
                    .iter()
                    .flat_map(|list| texts.iter().map(|text| [list.as_slice(), &[*text]].concat()))
                    .collect();
            }
            all.extend(lists);
        }
        all
    }

    /// Words of the shell, at which the reading of the shell itself looks.
    const BUILTINS: &str = ": [ break cd continue dirs echo exit false getopts jobs mapfile popd printf pushd pwd read \
        readarray return set shift test times true type unset wait";

    /// What is not described is not allowed: a preset allows no program that has no table, or one that leaves options out.
    #[test]
    fn presets_allow_nothing_that_is_not_described() {
        let mut open: BTreeSet<String> = BTreeSet::new();
        for name in PRESETS {
            let document = document(name);
            let words = allowed(&document);
            let open_words = words.iter().filter(|words| knowledge_of(words) != Knowledge::Wholly);
            open.extend(open_words.filter_map(|words| match words.as_slice() {
                ["git", "--no-pager", command, ..] | ["git", command, ..] => {
                    Some(format!("git.{command}"))
                }
                [program, ..] => Some((*program).to_owned()),
                [] => None,
            }));
        }
        open.retain(|name| !BUILTINS.split_whitespace().any(|builtin| builtin == name));
        assert_eq!(open, BTreeSet::new(), "allowed and not described");
    }

    fn verdict(name: &str, line: &str) -> Verdict {
        tool_verdict(
            name,
            "bash",
            Json::Object([("command".to_owned(), Json::String(line.to_owned()))].into()),
        )
    }

    fn tool_verdict(name: &str, tool: &str, args: Json) -> Verdict {
        let annotations = Default::default();
        let call = JudgedCall {
            tool_name: tool,
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
        };
        let policy = POLICIES.iter().find(|(preset, _)| *preset == name);
        judge(&policy.unwrap().1, &call, &NoLinks).unwrap()
    }

    /// Read once, since their examples are tried then.
    static POLICIES: LazyLock<Vec<(&str, Policy)>> = LazyLock::new(|| {
        let place = Where {
            cwd: "/home/user/project".to_owned(),
            home: Some("/home/user".to_owned()),
            project: Some("/home/user/project".to_owned()),
            ..Where::default()
        };
        let policy = |name| Policy::compile(vec![document(name)], &place).unwrap();
        PRESETS.iter().map(|name| (*name, policy(name))).collect()
    });

    struct NoLinks;

    impl Files for NoLinks {
        fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
            Ok(None)
        }

        fn is_case_sensitive(&self, _path: &str) -> bool {
            true
        }
    }

    fn effects(name: &str, expected: Effect, lines: &[&str]) {
        let other: Vec<String> = lines
            .iter()
            .map(|line| (line, verdict(name, line)))
            .filter(|(_, verdict)| verdict.effect != expected)
            .map(|(line, verdict)| format!("{line}: {}", verdict.reason))
            .collect();
        assert!(other.is_empty(), "{name} does not {expected:?}:\n{}", other.join("\n"));
    }

    #[test]
    fn a_word_far_behind_does_not_slip_through_developer() {
        effects(
            "developer",
            Effect::Ask,
            &[
                "npm test --silent --loglevel silent --prefix /tmp/evil",
                "npm test -s -s -s --prefix /tmp/x",
                "npm test --prefi=/tmp/x",
                "npm test -prefix=/tmp/x",
                "npm test -script-shell=/tmp/x",
                "npm test -- --config=/tmp/x",
                "yarn test a b --cwd /tmp/evil",
                "pnpm test -r -s -w --dir /tmp/evil",
                "make test -j 4 install",
                "make all push",
                "make test deploy-prod",
                "make build check install",
                "make build check lint install",
                "make -f /tmp/x test",
                "mvn test exec:exec -Dexec.executable=/bin/rm",
                "mvn verify deploy:deploy-file -Dfile=x",
                "mvn verify -B -q -DskipTests deploy",
                "gradle build :app:publish",
                "gradle test -q -x y -p /tmp/evil",
                "./gradlew build test check publish",
                "cmake --build build -j4 -t install",
                "cmake --build build --target=install",
                "cmake --build build -- install",
                "git checkout -b x -f",
                "git checkout -bf x",
                "git checkout -b x --force",
                "git fetch . +main:o",
                "git fetch -f -u --prune origin 'refs/heads/*:refs/heads/*'",
                "git fetch -p origin '+refs/heads/*:refs/heads/*'",
                "git fetch --prune --prune-tags origin",
                "go env",
                "go env -w GOFLAGS=-toolexec=/tmp/x",
                "git stash -q drop",
            ],
        );
    }

    #[test]
    fn what_developers_do_runs() {
        effects(
            "developer",
            Effect::Allow,
            &[
                "npm test",
                "npm run build",
                "npm run test:unit",
                "make test",
                "make build check",
                "git checkout -b feature",
                "git checkout -b feature main",
                "git fetch",
                "git fetch origin",
                "git fetch origin main",
                "git stash",
                "git stash pop",
                "go env GOPATH",
                "cargo test -p x",
                "mvn verify",
                "gradle build",
            ],
        );
    }

    #[test]
    fn two_doors_have_one_lock_in_presets() {
        let doors: &[(&str, &str, &[&str])] = &[
            ("read_file", r#"{"path":"@"}"#, &["cat '@'", "cat < '@'"]),
            ("write_file", r#"{"path":"@","content":"x"}"#, &["echo x > '@'", "echo x | tee '@'"]),
            (
                "edit_file",
                r#"{"path":"@","old_string":"a","new_string":"b"}"#,
                &["sed -i s/a/b/ '@'"],
            ),
            ("ls", r#"{"path":"@"}"#, &["ls '@'"]),
            ("glob", r#"{"pattern":"**/*.c","path":"@"}"#, &["find '@' -name '*.c'"]),
            ("grep", r#"{"pattern":"x","path":"@"}"#, &["grep -r x '@'"]),
            ("delete_file", r#"{"path":"@"}"#, &["rm '@'", "rm -r '@'"]),
        ];
        let paths = [
            "a",
            "src/x.c",
            "/home/user/notes.txt",
            "/home/user/.ssh/id_rsa",
            "/home/user/.bashrc",
            "/etc/hosts",
            "/tmp/x",
            "/root/x",
            ".env",
            ".git/config",
            "../other/x",
            "/home/user",
            "/home/user/project",
            "/",
            "/home/user/.claude",
            "/proc/1/environ",
            "/var/lib/x",
        ];
        let mut differ = Vec::new();
        for name in PRESETS {
            for path in paths {
                for (tool, args, commands) in doors {
                    // A folder is not written as a file.
                    if path == "/home/user/project" && ["write_file", "edit_file"].contains(tool) {
                        continue;
                    }
                    let by_tool =
                        tool_verdict(name, tool, args.replace('@', path).parse().unwrap());
                    for command in *commands {
                        let by_command = verdict(name, &command.replace('@', path));
                        // Of names alone `find` says less than the tool.
                        let is_same = if *tool == "glob" {
                            by_tool.effect >= by_command.effect
                        } else {
                            by_tool.effect == by_command.effect
                        };
                        if !is_same {
                            let (tool_says, command_says) =
                                (by_tool.reason.as_str(), by_command.reason);
                            differ.push(format!(
                                "{name}: {tool} {path}: {tool_says} / {command}: {command_says}"
                            ));
                        }
                    }
                }
            }
        }
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }

    #[test]
    fn read_only_has_nothing_that_settings_of_a_clone_decide() {
        for name in PRESETS {
            effects(
                name,
                Effect::Ask,
                &[
                    "git remote show origin",
                    "git remote show https://evil.example/x",
                    "git config --list",
                    "git config -l",
                    "git config x.y '-anything'",
                    "hostname evil",
                    "lsof -i",
                    "netstat -a",
                    "man -l x.1",
                    "bat cache --build --target /tmp/x",
                    "ack x",
                    "less +!id x",
                    "java -version -agentpath:./x",
                    "node --version -r ./x.js",
                    "npm ls --logs-dir=/x",
                ],
            );
        }
        effects("read-only", Effect::Ask, &["npm ls", "npm -v", "pip list", "docker ps"]);
    }
}
