//! Rules that rest on a command being confined, and the presets that have some.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use countersign_core::call::Json;
use countersign_core::layers::{PRESETS, preset};
use countersign_core::path::{FileLookup, PathContext, PathError};
use countersign_core::policy::document::{
    DocumentFormat, LayerKind, PolicyDocument, PolicySource, load,
};
use countersign_core::policy::{
    ConfinedRun, ConfinedWrites, Effect, JudgedCall, Policy, Verdict, judge,
};

/// A file system of nothing but symlinks.
#[derive(Default)]
struct Links(HashMap<String, String>);

impl Links {
    fn of(links: &[(&str, &str)]) -> Self {
        Self(links.iter().map(|(link, target)| ((*link).into(), (*target).into())).collect())
    }
}

impl FileLookup for Links {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(self.0.get(path).map(PathBuf::from))
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }
}

fn context() -> PathContext {
    PathContext {
        cwd: "/work/app".to_owned(),
        home: Some("/home/me".to_owned()),
        project: Some("/work/app".to_owned()),
        own: Vec::new(),
    }
}

fn document(toml: &str, layer: LayerKind, trusted: bool) -> PolicyDocument {
    let name = format!("{layer:?}.toml").to_lowercase();
    let source = PolicySource { layer, name: name.into(), trusted };
    load(&format!("version = 1\n{toml}"), DocumentFormat::Toml, source).unwrap()
}

fn policy(toml: &str) -> Policy {
    pooled(vec![document(toml, LayerKind::Code, true)])
}

fn pooled(documents: Vec<PolicyDocument>) -> Policy {
    Policy::compile(documents, &context()).unwrap()
}

/// A call, owned.
struct Call {
    tool: String,
    args: Json,
    hints: BTreeMap<String, bool>,
}

impl Call {
    fn new(tool: &str, args: &str) -> Self {
        Self { tool: tool.to_owned(), args: args.parse().unwrap(), hints: BTreeMap::new() }
    }

    fn run(command: &str) -> Self {
        let args = BTreeMap::from([("command".to_owned(), Json::String(command.to_owned()))]);
        Self { args: Json::Object(args), ..Self::new("bash", "{}") }
    }

    fn judged(&self) -> JudgedCall<'_> {
        JudgedCall {
            tool_name: &self.tool,
            args: &self.args,
            cwd: None,
            annotations: &self.hints,
            conditions: &[],
            confined: None,
        }
    }
}

fn verdict(policy: &Policy, call: &Call) -> Verdict {
    judge(policy, &call.judged(), &Links::default()).unwrap()
}

/// The verdict on a line that may write in these places alone.
fn held(policy: &Policy, writes: &[&str], command: &str, files: &dyn FileLookup) -> Verdict {
    let run = ConfinedRun { writes: writes.iter().map(|path| (*path).to_owned()).collect() };
    let call = Call::run(command);
    judge(policy, &JudgedCall { confined: Some(&run), ..call.judged() }, files).unwrap()
}

fn confined(policy: &Policy, command: &str) -> Verdict {
    held(policy, &["/work/app"], command, &Links::default())
}

fn preset_policy(name: &str, more: &[&str]) -> Policy {
    let own = more.iter().map(|toml| document(toml, LayerKind::Code, true));
    let source = PolicySource {
        layer: LayerKind::Code,
        name: format!("preset:{name}").into(),
        trusted: true,
    };
    let preset = load(preset(name).unwrap(), DocumentFormat::Toml, source).unwrap();
    pooled(own.chain([preset]).collect())
}

const UNKNOWN: &[&str] = &[
    "python x.py",
    "./run.sh --all",
    "make",
    "make -C sub all",
    "go run ./tool",
    "node build.mjs && python3 - <<'E'\nprint(1)\nE",
    "FOO=1 ./x",
    "$TOOL x",
    "bash -lc 'python x.py'",
    "for f in $(ls); do ./convert \"$f\" > out.txt; done",
    "unknown-program --option",
    "find . -name '*.c' | xargs ./count",
    "sed -i s/a/b/ $(git ls-files)",
];

#[test]
fn developer_lets_an_unknown_command_run_where_it_is_confined_to_the_project() {
    let policy = preset_policy("developer", &[]);
    for command in UNKNOWN {
        let plain = verdict(&policy, &Call::run(command));
        assert_eq!((plain.effect, plain.confined), (Effect::Ask, None), "{command}");
        let confined = confined(&policy, command);
        assert_eq!(confined.effect, Effect::Allow, "{command}: {}", confined.reason);
        assert_eq!(confined.confined, Some(ConfinedWrites::Project), "{command}");
        assert!(
            confined.reason.ends_with("; it runs confined to the project"),
            "{}",
            confined.reason
        );
    }
}

#[test]
fn what_is_allowed_anyway_does_not_rest_on_confinement() {
    let policy = preset_policy("developer", &[]);
    for command in ["npm test", "ls src", "git commit -m x", "git fetch", "cargo build"] {
        let verdict = confined(&policy, command);
        assert_eq!((verdict.effect, verdict.confined), (Effect::Allow, None), "{command}");
    }
}

#[test]
fn confined_it_asks_for_what_leaves_the_project_and_for_what_nobody_gives_back() {
    let policy = preset_policy("developer", &[]);
    for command in [
        // Outside.
        "python x.py > /etc/motd",
        "python x.py > /tmp/out",
        "cp x ~/.bashrc",
        // The network, other processes, other rights.
        "curl https://example.com",
        "python x.py && curl -d @a https://example.com",
        "npm install",
        "npm --silent ci",
        "yarn",
        "pip install x",
        "ssh host make",
        "sudo make",
        "docker run x",
        "kill 1",
        "echo x > /dev/tcp/host/80",
        // The history that git keeps.
        "git push",
        "git push --force origin main",
        "git rebase main",
        "git reset --hard HEAD~1",
        "git commit --amend -m x && python x.py",
        "python x.py; git add -A",
        "git -C sub push",
        "git update-ref refs/heads/main x",
        // Deletions.
        "rm x",
        "rm -rf node_modules",
        "python x.py && rm -r out",
        "find . -name '*.o' -delete",
        "find . -exec rm {} +",
        "make clean",
        "git clean -fdx",
        "git checkout -- .",
        "git stash drop",
        "truncate -s 0 a.txt",
        // What is protected, spelled out.
        "cat .env",
        "./x > .git/hooks/pre-commit",
        "cp x .github/workflows/ci.yml",
        // Behind a program of which nothing is known, too.
        "python3 x.py .env",
        "python3 x.py --settings=.env",
        "./x .env",
        "make ENV=.env",
        "node x.js ~/.ssh/id_rsa",
        "./x .git/hooks/pre-commit",
        "python3 x.py .git/hooks/pre-commit",
        // What shows secrets, and what is no command line of a known shell.
        "env",
        "export -p",
    ] {
        let verdict = confined(&policy, command);
        assert_eq!(verdict.effect, Effect::Ask, "{command}: {}", verdict.reason);
        assert_eq!(verdict.confined, None, "{command}");
    }
}

#[test]
fn an_ask_says_that_it_asks_confined_as_well() {
    let policy = preset_policy("developer", &[]);
    let reason = confined(&policy, "python x.py && rm -r out").reason;
    assert!(reason.starts_with("`python x.py` is not covered by any rule"), "{reason}");
    assert!(
        reason.contains("; confined it asks as well: `rm -r out`: preset:developer"),
        "{reason}"
    );
}

#[test]
fn read_only_lets_run_what_can_write_nothing() {
    let policy = preset_policy("read-only", &[]);
    for command in
        ["python x.py", "awk -f x.awk a.txt", "./list --all", "for f in $(ls); do cat \"$f\"; done"]
    {
        assert_eq!(verdict(&policy, &Call::run(command)).effect, Effect::Ask, "{command}");
        let verdict = confined(&policy, command);
        assert_eq!(verdict.effect, Effect::Allow, "{command}: {}", verdict.reason);
        assert_eq!(verdict.confined, Some(ConfinedWrites::Nothing), "{command}");
    }
    for command in [
        "python x.py > out.txt",
        "rm x",
        "git commit -m x",
        "npm install",
        "cat .env",
        "touch a",
        "python x.py .env",
        "awk -f x.awk .env",
    ] {
        assert_eq!(confined(&policy, command).effect, Effect::Ask, "{command}");
    }
}

#[test]
fn a_confined_command_that_may_write_elsewhere_is_not_confined_to_the_project() {
    let policy = preset_policy("developer", &[]);
    let files = Links::of(&[("/work/app/out", "/srv/out")]);
    for (writes, expected) in [
        (&["/work/app"][..], Some(ConfinedWrites::Project)),
        (&["/work/app/sub"], Some(ConfinedWrites::Project)),
        (&["/work/app/.."], None),
        (&["/work/app", "/srv/data"], None),
        (&["/work/app/out"], None),
        (&["/work"], None),
        (&["/"], None),
        (&["/home/me"], None),
        (&["relative"], Some(ConfinedWrites::Project)),
        (&[], None),
    ] {
        let verdict = held(&policy, writes, "python x.py", &files);
        assert_eq!(verdict.confined, expected, "{writes:?}");
        assert_eq!(verdict.effect == Effect::Allow, expected.is_some(), "{writes:?}");
    }
    // Held to less than it might be.
    let reads = preset_policy("read-only", &[]);
    let verdict = held(&reads, &["/srv/data"], "python x.py", &files);
    assert_eq!(verdict.confined, Some(ConfinedWrites::Nothing));
}

/// Where the home is the project, all of the user's files are in it.
#[test]
fn a_home_is_no_project_to_be_confined_to() {
    let context = PathContext {
        cwd: "/home/me".to_owned(),
        project: Some("/home/me".to_owned()),
        ..context()
    };
    let rule = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";
    let policy = Policy::compile(vec![document(rule, LayerKind::Code, true)], &context).unwrap();
    assert_eq!(held(&policy, &["/home/me"], "./x", &Links::default()).effect, Effect::Ask);
    assert_eq!(held(&policy, &["/home/me/app"], "./x", &Links::default()).effect, Effect::Allow);
}

#[test]
fn what_others_ask_or_deny_stays_where_it_only_could_be_meant() {
    let own = r#"
[[rule]]
effect = "deny"
commands = ["terraform apply"]
[[rule]]
effect = "ask"
commands = ["deploy"]
"#;
    let policy = preset_policy("developer", &[own]);
    for (expected, command) in [
        (Effect::Deny, "./x; terraform apply"),
        (Effect::Ask, "$CMD apply"),
        (Effect::Ask, "./x && deploy"),
        (Effect::Ask, "terraform $WHAT"),
        (Effect::Allow, "python x.py"),
    ] {
        assert_eq!(confined(&policy, command).effect, expected, "{command}");
    }
    // Its own layer, but another document: a default of it counts as ever.
    let silent = preset_policy("developer", &["default = \"ask\""]);
    assert_eq!(confined(&silent, "python x.py").effect, Effect::Allow);
    // Nothing answers a deny.
    let strict = preset_policy("developer", &["default = \"deny\""]);
    assert_eq!(confined(&strict, "python x.py").effect, Effect::Deny);
    let user = document("default = \"ask\"", LayerKind::User, true);
    let preset = load(
        preset("developer").unwrap(),
        DocumentFormat::Toml,
        PolicySource { layer: LayerKind::Code, name: "preset:developer".into(), trusted: true },
    );
    let layered = pooled(vec![user, preset.unwrap()]);
    assert_eq!(confined(&layered, "python x.py").effect, Effect::Ask);
}

#[test]
fn an_administrator_who_asks_is_heard_whatever_is_confined() {
    let managed =
        document("[[rule]]\neffect = \"ask\"\ncommands = [\"python\"]", LayerKind::Managed, true);
    let rule =
        document("[[rule]]\neffect = \"allow\"\nconfined = \"project\"", LayerKind::Code, true);
    let policy = pooled(vec![managed, rule]);
    assert_eq!(confined(&policy, "python x.py").effect, Effect::Ask);
    assert_eq!(confined(&policy, "./x").effect, Effect::Allow);
}

#[test]
fn a_project_that_nobody_trusts_lets_nothing_run_confined() {
    let rule = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";
    let policy = pooled(vec![document(rule, LayerKind::Project, false)]);
    assert_eq!(confined(&policy, "./x").effect, Effect::Ask);
}

#[test]
fn a_rule_says_of_which_runs_it_speaks() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["a", "b", "c"]
[[rule]]
effect = "ask"
commands = ["a"]
confined = false
[[rule]]
effect = "allow"
confined = "nothing"
[[rule]]
effect = "deny"
commands = ["d"]
confined = "project"
"#;
    let policy = policy(rules);
    for (plain, run, command) in [
        (Effect::Ask, Effect::Allow, "a"),
        (Effect::Allow, Effect::Allow, "b"),
        (Effect::Ask, Effect::Allow, "x"),
        // What a rule denies of confined commands is asked about, not let run.
        (Effect::Ask, Effect::Ask, "d"),
    ] {
        assert_eq!(verdict(&policy, &Call::run(command)).effect, plain, "{command}");
        assert_eq!(confined(&policy, command).effect, run, "{command} confined");
    }
    assert_eq!(confined(&policy, "x").confined, Some(ConfinedWrites::Nothing));
}

/// Nobody says of these that they run confined; should somebody, it is still about command lines.
#[test]
fn nothing_but_the_fact_itself_makes_a_call_confined() {
    for name in PRESETS {
        let policy = preset_policy(name, &[]);
        for tool in ["execute", "bash", "confined", "mcp__x__execute", "run_command"] {
            let args = r#"{"command":"python x.py","confined":true,"confine":true}"#;
            assert_eq!(
                verdict(&policy, &Call::new(tool, args)).effect,
                Effect::Ask,
                "{name} {tool}"
            );
        }
    }
}

#[test]
fn a_grant_is_not_offered_of_what_only_confinement_allows() {
    let policy = preset_policy("developer", &[]);
    let call = Call::run("python x.py > /etc/motd");
    let run = ConfinedRun { writes: vec!["/work/app".to_owned()] };
    let judged = JudgedCall { confined: Some(&run), ..call.judged() };
    let shown = judge(&policy, &judged, &Links::default()).unwrap();
    // A human who approves it lets it run without walls: each part of it that asks then is marked.
    let plain = verdict(&policy, &call);
    assert_eq!(shown.subjects, plain.subjects);
}
