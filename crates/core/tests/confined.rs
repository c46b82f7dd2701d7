//! Rules that rest on a command being confined, and the presets that have some.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

#[path = "confined/brought.rs"]
mod brought;
mod git;
#[path = "confined/put_out.rs"]
mod put_out;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use countersign_core::call::Json;
use countersign_core::layers::{PRESETS, preset};
use countersign_core::path::{FileLookup, PathContext, PathError, RealFiles};
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
        project_as: None,
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
            other_names: &[],
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
        // Behind an unknown program, too.
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
fn an_ask_says_of_the_confined_run_what_is_true() {
    let policy = policy("[[rule]]\neffect = \"allow\"\nconfined = \"project\"");
    for (command, expected) in [
        (
            "sleep 1; cat .git/config",
            "as well: `sleep 1` is on a line that names what is protected",
        ),
        ("./x; git push", "as well: `git push` may change a repository"),
    ] {
        let reason = confined(&policy, command).reason;
        assert!(reason.contains(expected), "{reason}");
    }
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

/// These are not said to run confined; if they were, it is still about command lines.
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
    assert_eq!(shown.actions, plain.actions);
}

/// The folder of a project, removed on drop. Tests of two processes have two.
struct Project(PathBuf);

impl std::ops::Deref for Project {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A project with a file that git has (`kept.txt`), and with others that it has not. It is not in the folder for temporary files, where
/// commands may write.
fn project(name: &str) -> Project {
    let folder = format!("confined-{name}-{}", std::process::id());
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::create_dir_all(root.join("dist")).unwrap();
    for file in ["kept.txt", "notes.txt", "a.txt", "sub/own.txt", "dist/out.js", "x.sh"] {
        fs::write(root.join(file), file).unwrap();
    }
    for args in [&["init", "-q"][..], &["add", "kept.txt"]] {
        let done = git::git().args(args).current_dir(&root).status().unwrap();
        assert!(done.success());
    }
    Project(root.canonicalize().unwrap())
}

/// The verdict on a line that runs confined to this project.
fn confined_in(root: &Path, name: &str, more: &[&str], command: &str) -> Verdict {
    let run = ConfinedRun { writes: vec![root.to_str().unwrap().to_owned()] };
    judged_in(root, (name, more), command, Some(&run))
}

/// The same by this policy alone.
fn own_verdict(root: &Path, toml: &str, command: &str) -> Verdict {
    let root = root.to_str().unwrap().to_owned();
    let place = PathContext { cwd: root.clone(), project: Some(root.clone()), ..context() };
    let policy = Policy::compile(vec![document(toml, LayerKind::Code, true)], &place).unwrap();
    held(&policy, &[&root], command, &RealFiles)
}

fn judged_in(
    root: &Path, (name, more): (&str, &[&str]), command: &str, run: Option<&ConfinedRun>,
) -> Verdict {
    let root = root.to_str().unwrap().to_owned();
    let source = PolicySource {
        layer: LayerKind::Code,
        name: format!("preset:{name}").into(),
        trusted: true,
    };
    let preset = load(preset(name).unwrap(), DocumentFormat::Toml, source).unwrap();
    let own = more.iter().map(|toml| document(toml, LayerKind::Code, true));
    let place = PathContext {
        cwd: root.clone(),
        home: Some("/home/me".to_owned()),
        project: Some(root),
        project_as: None,
        own: Vec::new(),
    };
    let policy = Policy::compile(own.chain([preset]).collect(), &place).unwrap();
    let call = Call::run(command);
    judge(&policy, &JudgedCall { confined: run, ..call.judged() }, &RealFiles).unwrap()
}

const ASKED: &[&str] = &[
    // By name, and wherever the name stands.
    "rm notes.txt",
    "rm -rf sub",
    "/bin/rm notes.txt",
    "timeout 5 rm notes.txt",
    "env A=1 nice rm notes.txt",
    "unlink notes.txt",
    "shred -u notes.txt",
    "rmdir sub",
    "rimraf sub",
    "truncate -s 0 notes.txt",
    "./x.sh; rm notes.txt",
    "for f in *.txt; do rm \"$f\"; done",
    "if ./x.sh; then rm notes.txt; fi",
    "f() { rm notes.txt; }; f",
    "python x.py && (rm notes.txt)",
    "out=$(rm notes.txt)",
    "./x.sh | xargs rm",
    "./x.sh | xargs -I{} rm {}",
    // Searches.
    "find . -name '*.txt' -delete",
    "find . -exec rm {} +",
    "find . -name '*.txt' | xargs rm",
    "find . -name '*.txt' -print0 | xargs -0 rm -f",
    "fd -e txt -x rm",
    "fd -e txt . sub --exec rm {}",
    "fd -e txt -X rm -rf",
    "fd -e txt --exec-batch=rm",
    // Texts that a shell runs.
    "sh -c 'rm notes.txt'",
    "bash -c \"rm $X\"",
    "sh <<<'rm notes.txt'",
    "bash <<'E'\nrm notes.txt\nE",
    "cat <<'E' | bash\nrm notes.txt\nE",
    "cat <<'E' |\nrm notes.txt\nE\nsh",
    "echo 'rm notes.txt' | sh",
    "printf 'ls\\nrm notes.txt\\n' | bash -s",
    "echo rm notes.txt | { cat | sh; }",
    "echo notes.txt | xargs -I{} sh -c 'rm {}'",
    "eval 'rm notes.txt'",
    "eval \"$(echo rm notes.txt)\"",
    "bash -c \"$(echo rm notes.txt)\"",
    "$(echo rm) notes.txt",
    "bash <(echo rm notes.txt)",
    ". <(echo rm notes.txt)",
    "trap 'rm notes.txt' EXIT; ./x.sh",
    "env bash <<<'timeout 5 rm notes.txt'",
    // What programs delete or overwrite by an option.
    "tar --remove-files -cf new.tar notes.txt",
    "tar -cf new.tar --remove-files kept.txt",
    "tar -cf notes.txt a.txt",
    "zip -m new.zip notes.txt",
    "rsync -a --delete sub/ other/",
    "rsync -a --remove-source-files sub/ other/",
    "mv -f a.txt notes.txt",
    "mv a.txt notes.txt",
    "mv a.txt \"$X\"",
    "python x.py; cp -f a.txt notes.txt",
    "install a.txt notes.txt",
    "ln -sf a.txt notes.txt",
    "dd if=a.txt of=notes.txt",
    "./x.sh > notes.txt",
    "./x.sh >| notes.txt",
    "./x.sh &> sub/own.txt",
    "./x.sh | tee notes.txt",
    "./x.sh | sort -o notes.txt",
    "cd sub && ../x.sh > own.txt",
    // Git.
    "git clean -fd",
    "git rm kept.txt",
    "git checkout -- .",
    "git stash drop",
    "git reset --hard",
    // Scripts.
    "yarn clean",
    "yarn -s clean",
    "npm run clean:all",
    "npm run -s clean",
    "npm run-script build:clean",
    "pnpm -r run clean-dist",
    "yarn deploy-prod",
    "bun run publish:all",
    "npm run release-it",
    "make clean",
    "make clean-all",
    "make -C sub build distclean",
    "just deploy-prod",
    "gradle cleanBuild",
    "./gradlew publishToMavenLocal",
    "cargo clean",
    "./deploy.sh",
    "./clean.sh --all",
    "scripts/release-it",
    "bash deploy.sh",
    "sh -e ./scripts/publish.sh",
    "node scripts/clean.mjs",
    "ninja -t clean",
    "cmake --build . --target clean",
    "bazel clean",
    "gulp clean",
    "npx gulp clean",
    "grunt clean",
    "zig build clean",
    "inv deploy",
    "bin/rails db:drop",
    "php artisan deploy",
    "ts-node scripts/publish.ts",
    "lerna publish",
    "mix hex.publish",
    "nx run app:deploy",
    "cleanup.sh",
    "python setup.py upload",
    "gio trash notes.txt",
    // A patch deletes files, and replaces others.
    "patch -p1 < a.txt",
];

const RUNS: &[&str] = &[
    "./x.sh",
    "python x.py",
    "make all",
    "npm run build:all",
    "bash x.sh",
    "sh <<<'echo x'",
    "echo 'ls' | sh",
    "./x.sh > new.txt",
    "./x.sh >> notes.txt",
    "./x.sh > kept.txt",
    "./x.sh > dist/out.js",
    "./x.sh | tee -a notes.txt",
    "./x.sh > /dev/null 2>&1",
    "./x.sh; cp a.txt kept.txt",
    "./x.sh; cp a.txt sub",
    "./x.sh; mv a.txt sub/",
    "./x.sh; touch notes.txt; chmod +x notes.txt; mkdir -p sub",
    "sed -i s/a/b/ notes.txt; ./x.sh",
    "gcc -o a.txt x.c",
    "tar -cf new.tar notes.txt; ./x.sh",
    "zip new.zip notes.txt",
    "fd -e txt -x ./x.sh",
    "find . -name '*.txt' | xargs ./x.sh",
    "cd sub && ../x.sh > new.txt",
    "npm run compile && ./x.sh",
    "ninja",
    "cmake --build .",
    "bazel test //...",
    "./build.sh deploy/x",
    "gulp build",
    "zig build",
    "bin/rails test",
    "npx gulp watch",
    "source .venv/bin/activate && python3 x.py",
    ". ./env.sh && make",
    "cmake -B build",
    "terraform fmt",
    "terraform validate",
    "python3 -m venv .venv",
    "bash x.sh",
];

#[test]
fn what_git_cannot_give_back_is_asked_about_wherever_it_is_lost() {
    assert!(ASKED.len() + RUNS.len() >= 60);
    let root = project("lost");
    let mut wrong = Vec::new();
    for (lines, expected) in [(ASKED, Effect::Ask), (RUNS, Effect::Allow)] {
        for line in lines {
            let verdict = confined_in(&root, "developer", &[], line);
            if verdict.effect != expected {
                wrong.push(format!("{line}: {:?}: {}", verdict.effect, verdict.reason));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The lines with another verdict than this one.
fn others(root: &Path, preset: &str, lines: &[&str], expected: Effect) -> Vec<String> {
    let verdicts = lines.iter().map(|line| (line, confined_in(root, preset, &[], line)));
    let others = verdicts.filter(|(_, verdict)| verdict.effect != expected);
    others
        .map(|(line, verdict)| format!("{line}: {:?}: {}", verdict.effect, verdict.reason))
        .collect()
}

#[test]
fn what_git_cannot_give_back_is_asked_about_however_its_folder_is_spelled() {
    let root = project("spelled");
    let asked = [
        "./x.sh > $PWD/notes.txt",
        "./x.sh > \"${PWD}/sub/own.txt\"",
        "./x.sh > $(pwd)/notes.txt",
        "./x.sh > \"`pwd`\"/notes.txt",
        "./x.sh > ~+/notes.txt",
        "./x.sh > \"$(git rev-parse --show-toplevel)/notes.txt\"",
        "P=$(pwd); cd sub; ../x.sh > $P/notes.txt",
        "cd sub && ../x.sh > $PWD/own.txt",
        "bash -c './x.sh > $PWD/notes.txt'",
        "./x.sh | tee $PWD/notes.txt",
        "./x.sh; cp a.txt $PWD/notes.txt",
        "cd $PWD/sub && ../x.sh > own.txt",
        "cd ~+/sub; ../x.sh > own.txt",
        "./x.sh > ${X:-notes.txt}",
        "./x.sh > $(echo notes.txt)",
        "./x.sh > $PWD/$X/notes.txt",
        "for f in *.txt; do ./x.sh > $f; done",
        "f() { ./x.sh > $1; }; f notes.txt",
        "./x.sh > /proc/self/cwd/notes.txt",
        "./x.sh > /proc/$$/cwd/notes.txt",
        "mv notes.txt new.txt && cp a.txt new.txt",
        "mv notes.txt new.txt; : > new.txt",
        "mv notes.txt new.txt; ./x.sh | tee new.txt",
        "mv sub/own.txt sub/new.txt && cp a.txt sub/new.txt",
    ];
    let runs = [
        "./x.sh > $PWD/new.txt",
        "./x.sh > $PWD/kept.txt",
        "./x.sh > $PWD/dist/out.js",
        "./x.sh >> $PWD/notes.txt",
        "./x.sh < $PWD/notes.txt",
        "cd $PWD/sub && ../x.sh",
        "for f in k*.txt; do ./x.sh > \"$f\"; done",
        "./x.sh > k*.txt",
        "./x.sh > dist/$X.log",
        "sqlite3 \"$DB\" .tables; ./x.sh",
    ];
    assert_eq!(others(&root, "developer", &asked, Effect::Ask), [""; 0]);
    assert_eq!(others(&root, "developer", &runs, Effect::Allow), [""; 0]);
}

#[test]
fn what_is_moved_to_where_it_does_not_stay_is_lost() {
    let root = project("moved");
    let asked = [
        "./x.sh; mv notes.txt /tmp/",
        "./x.sh; mv sub /tmp/un",
        "./x.sh; mv -t /var/tmp notes.txt",
        "./x.sh; mv notes.txt dist/ && rm -rf dist",
        "./x.sh; mv sub dist/; rm -rf dist/*",
        "./x.sh; mv notes.txt $PWD/dist/; rm -rf dist",
        "./x.sh; mv $PWD/notes.txt /tmp/",
        "mkdir -p node_modules; mv notes.txt node_modules/ && rm -rf node_modules; ./x.sh",
        // By a name that it gets later on.
        "mv notes.txt q; mv q r; : > r",
        "mv notes.txt q; mv q /tmp/",
        "mv sub un2; mkdir sub; mv un2/own.txt x; : > x",
        "mv notes.txt q; ./x.sh | tee q",
        "mv notes.txt q; : > \"$X\"",
        // By a link to it.
        "ln notes.txt q; : > q",
        "ln -s $PWD/notes.txt q; : > q",
        "cp -l notes.txt q; : > q",
        "cp --link notes.txt q; : > q",
        "cp -s $PWD/notes.txt q; : > q",
        "cp -as $PWD/sub D; : > D/own.txt",
        "cp -al sub D; : > D/own.txt",
        // What is opened to be read and written is not emptied, and written over.
        "./x.sh 1<> notes.txt",
        "echo XX 1<>$PWD/sub/own.txt",
        // Whole folders that are put over others.
        "mkdir more; cp -rT more sub",
        "cp -r more/. sub",
        "rsync -a more/ sub/",
        "find sub -type f -exec tee {} +",
        "find sub -type f -print0 | xargs -0 tee",
    ];
    // Not into `/tmp/` itself: what other programs have there is not known.
    let runs = [
        "./x.sh; mv kept.txt /tmp/moved-kept.txt",
        "./x.sh; mv new.txt /tmp/moved-new.txt",
        "./x.sh; mv notes.txt dist/",
        "./x.sh; mv dist/out.js /tmp/moved-out.js",
        "rm -rf dist; mkdir dist; mv notes.txt dist/; ./x.sh",
        "./x.sh; mv /tmp/a /tmp/b",
        "mv notes.txt q; mv q r; : > q2",
        // An edit is no loss, by its own name or by another.
        "sed -i d notes.txt",
        "mv notes.txt q; sed -i d q",
        "cp -al sub D; sed -i d D/own.txt",
        "mv kept.txt q; mv q r; : > r",
        "cp -l kept.txt q; : > q",
        "cp -l notes.txt q; : > q2",
        "cp notes.txt q; : > q",
        "cp -a sub D; : > D/own.txt",
        "./x.sh 1<> new.txt",
        "./x.sh 1<> kept.txt",
        "mkdir more; cp -r more sub",
        "cp -r sub/. more",
        "cp -r sub/. dist",
    ];
    let alone = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";
    let source = |line: &str| own_verdict(&root, alone, line);
    let wrong = |lines: &[&str], expected: Effect| -> Vec<String> {
        let verdicts = lines.iter().map(|line| (line, source(line)));
        let wrong = verdicts.filter(|(_, verdict)| verdict.effect != expected);
        wrong.map(|(line, verdict)| format!("{line}: {}", verdict.reason)).collect()
    };
    assert_eq!(wrong(&asked, Effect::Ask), [""; 0]);
    assert_eq!(wrong(&runs, Effect::Allow), [""; 0]);
}

/// Lines that write through a link which they make or copy: which file that is, the run alone tells.
const THROUGH_LINKS: &[&str] = &[
    "cp -a sl sl2; ./x.sh > sl2",
    "cp -a ld L2; ./x.sh > L2/q",
    "cp -R ld L3; ./x.sh > L3/U/own.txt",
    "cp -d ld/q sub; : > sub/q",
    "cp -a ld/. src; ./x.sh > src/q",
    "cp -a l* more; ./x.sh > more/ld/q",
    "cp -a \"$X\" more; ./x.sh > more/q",
    "timeout 5 cp -a ld L2; ./x.sh > L2/q",
    "ln -s own.txt sub/q; ./x.sh > sub/q",
    "ln -s own.txt sub/q; : > sub/q",
    "ln -s ../notes.txt src/q; : > src/q",
    "ln -s ../sub src/U; ./x.sh > src/U/own.txt",
    "ln -s ../notes.txt src; ./x.sh 1<> src/notes.txt",
    "mkdir o; ln -s ../sub o/U; ./x.sh > o/U/own.txt",
    "mkdir o; ln -s ../sub o/U; cp -a o p; ./x.sh > p/U/own.txt",
    "mkdir o; ln -s ../sub o/U; mv o p; ./x.sh > p/U/own.txt",
    "ln -s ../ld/q src/z; ./x.sh > src/z",
    "ln -s ../notes.txt src/q; truncate -s0 src/q",
    "ln -s ../notes.txt src/q; ./x.sh | tee src/q",
    "ln -s ../notes.txt src/q; dd if=a.txt of=src/q",
    "ln -s ../notes.txt src/q; sort a.txt -o src/q",
    "ln -s ../notes.txt src/q; git diff --output=src/q",
    "ln -s ../notes.txt src/q; cp a.txt src/q",
    "nice ln -s ../notes.txt src/q; : > src/q",
    "echo ../notes.txt | xargs -I{} ln -s {} src/q; : > src/q",
    "find ld -maxdepth 0 -exec cp -a {} L2 \\;; : > L2/q",
    "cd src && ln -s ../notes.txt q && ../x.sh > q",
    "cp -s ../notes.txt src/q; : > src/q",
    "rsync -a ld/ src; ./x.sh > src/q",
];

#[test]
fn what_is_written_through_a_link_that_the_line_puts_there_is_asked_about() {
    let root = project("linked");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::create_dir_all(root.join("ld")).unwrap();
    fs::write(root.join("src/lib.rs"), "").unwrap();
    for (to, at) in [("notes.txt", "sl"), ("../notes.txt", "ld/q"), ("../sub", "ld/U")] {
        std::os::unix::fs::symlink(to, root.join(at)).unwrap();
    }
    let runs = [
        "ln -s ../notes.txt src/q; ./x.sh > src/z",
        "ln -s ../notes.txt src/q; ./x.sh >> src/q",
        "ln -s ../notes.txt src/q; cat src/q",
        "cp -a sub D; ./x.sh > D/out.log",
        "cp -a src D; ./x.sh > D/lib.rs",
        "cp -a ld L2; ./x.sh > out.log",
        "cp ld/q D; ./x.sh > D",
        "npm ci; ./x.sh > out.log",
        "mv kept.txt q; : > q",
    ];
    assert_eq!(others(&root, "developer", THROUGH_LINKS, Effect::Ask), [""; 0]);
    let own = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";
    for (lines, expected) in [(THROUGH_LINKS, Effect::Ask), (&runs, Effect::Allow)] {
        let verdicts = lines.iter().map(|line| (line, own_verdict(&root, own, line)));
        let wrong = verdicts.filter(|(_, verdict)| verdict.effect != expected);
        let wrong: Vec<_> = wrong.map(|(line, it)| format!("{line}: {}", it.reason)).collect();
        assert_eq!(wrong, [""; 0]);
    }
}

#[test]
fn an_allow_without_matchers_covers_no_other_machine_and_no_address_that_is_written_out() {
    let alone = policy("[[rule]]\neffect = \"allow\"\nconfined = \"project\"");
    for line in [
        "ssh h ls",
        "ssh h",
        "ssh \"$H\" ls",
        "echo x | ssh h sh",
        "scp a h:b",
        "rsync -a a h:b",
        "curl https://a.example/x",
        "curl \"$X\"",
        "wget a.example",
        "nc x 1",
        "ping a.example",
        "./x.sh; timeout 5 curl https://a.example/x",
    ] {
        assert_eq!(confined(&alone, line).effect, Effect::Ask, "{line}");
    }
    for line in ["./x.sh https://a.example", "rsync -a a b", "npm ci"] {
        assert_eq!(confined(&alone, line).effect, Effect::Allow, "{line}");
    }
    // Who names the program knows that it finds no network.
    let named =
        policy("[[rule]]\neffect = \"allow\"\nconfined = \"project\"\ncommands = [\"curl\"]");
    assert_eq!(confined(&named, "curl https://a.example/x").effect, Effect::Allow);
}

#[test]
fn settings_of_git_with_a_token_are_not_shown_unasked_in_any_spelling() {
    let root = project("token");
    let asked = [
        "cat .git/config",
        "cat $PWD/.git/config",
        "cat .git/config*",
        "cat .git/conf*",
        "cat .git/*",
        "cat .g*/config",
        "bash -c \"head -20 ~+/.git/config\"",
        "sh -c 'cat \"$PWD\"/.git/conf*'",
        "cat ${PWD}/.git/config",
        "cat \"$(pwd)/.git/config\"",
        "./x.sh < $PWD/.git/config",
        "echo .git/config | xargs cat",
        "cat ${X:-.git/config}",
        "set -- .git/config; cat $1",
        "for f in .git/*; do cat $f; done",
        "for f in $(ls .git); do cat .git/$f; done",
        "cat $(git rev-parse --git-path config)",
        "for f in ~/.gitc*; do cat $f; done",
        "cat $(ls -d ~/.gitc*)",
        "cat $HOME/.config/git/*; ./x.sh",
    ];
    let recursive = [
        "grep -r ghp .",
        "grep -rn ghp",
        "grep -r ghp $PWD",
        "rg --hidden ghp",
        "rg -uu ghp .",
        "grep -r ghp .git",
        "find . -name config -exec cat {} +",
        "find .git -type f | xargs cat",
        "cp -r .git copied; cat copied/config",
    ];
    let runs = [
        "rg ghp",
        "grep -r ghp sub",
        "grep -r --exclude-dir=.git ghp .",
        "ls -la .git",
        "git status",
        "git log --oneline",
        "cat .git/HEAD",
        "find . -not -path './.git/*' | xargs ./x.sh",
        "./x.sh --exclude=.git/*",
        "./x.sh",
    ];
    for preset in ["developer", "read-only"] {
        assert_eq!(others(&root, preset, &asked, Effect::Ask), [""; 0]);
        // Where they hold none, a search goes over them.
        assert_eq!(others(&root, preset, &recursive[..5], Effect::Allow), [""; 0]);
    }
    let address = "https://me:ghp_0123456789@github.com/a/b";
    let done = git::git().args(["remote", "add", "origin", address]).current_dir(&*root).status();
    assert!(done.unwrap().success());
    for preset in ["developer", "read-only"] {
        assert_eq!(others(&root, preset, &asked, Effect::Ask), [""; 0]);
        assert_eq!(others(&root, preset, &recursive, Effect::Ask), [""; 0]);
        assert_eq!(others(&root, preset, &runs, Effect::Allow), [""; 0]);
    }
}

#[test]
fn a_loss_is_asked_about_by_any_policy_that_rests_on_confinement_and_not_by_its_own_allows() {
    let root = project("own");
    let reason = confined_in(&root, "developer", &[], "./x.sh > notes.txt").reason;
    assert!(
        reason.contains("writing `notes.txt` may take away what git cannot give back"),
        "{reason}"
    );
    // Who allows it by its name says that it may.
    let own = "[[rule]]\neffect = \"allow\"\ncommands = [\"mv\"]";
    assert_eq!(confined_in(&root, "developer", &[own], "mv a.txt notes.txt").effect, Effect::Allow);
    assert_eq!(confined_in(&root, "developer", &[], "mv a.txt notes.txt").effect, Effect::Ask);
    let alone = policy("[[rule]]\neffect = \"allow\"\nconfined = \"project\"");
    for (line, expected) in [
        ("rm x", Effect::Ask),
        ("rm /tmp/x", Effect::Allow),
        ("fd -x rm", Effect::Ask),
        ("tar --remove-files -cf a.tar x", Effect::Ask),
        ("./x", Effect::Allow),
    ] {
        assert_eq!(confined(&alone, line).effect, expected, "{line}");
    }
    let alone = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";
    for (line, expected) in [
        ("git diff --output=notes.txt", Effect::Ask),
        ("git archive -o notes.txt HEAD", Effect::Ask),
        ("mv notes.txt b1; : > b1", Effect::Ask),
        ("f() { ./x.sh > $1; }; f notes.txt", Effect::Ask),
        ("for f in note*; do ./x.sh > $f; done", Effect::Ask),
        ("./x.sh > /proc/self/cwd/notes.txt", Effect::Ask),
        ("git diff --output=new.patch", Effect::Allow),
        ("mv notes.txt b1; : > b2", Effect::Allow),
        ("for f in new*; do ./x.sh > $f.out; done", Effect::Ask),
    ] {
        let verdict = own_verdict(&root, alone, line);
        assert_eq!(verdict.effect, expected, "{line}: {}", verdict.reason);
    }
}

/// What a search hands to `xargs` is what lies there, unless a name is one of several words, or a symlink.
#[cfg(unix)]
#[test]
fn names_that_are_handed_to_xargs_are_looked_at() {
    let root = project("names");
    for folder in ["plain", "blank/x /home/me", "quote", "link"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in ["plain/a.txt", "blank/x /home/me/a.txt", "quote/it's.txt", "link/a.txt"] {
        fs::write(root.join(file), "x").unwrap();
    }
    std::os::unix::fs::symlink("/etc/hostname", root.join("link/b.txt")).unwrap();
    for (folder, found, files) in [
        ("plain", Effect::Allow, Effect::Allow),
        ("blank", Effect::Ask, Effect::Ask),
        ("quote", Effect::Ask, Effect::Ask),
        // A pattern of a name that finds one is looked at as it stands.
        ("link", Effect::Ask, Effect::Ask),
    ] {
        for (kind, expected) in [("", found), ("-type f", files)] {
            let line = format!("find {folder} {kind} -name '*.txt' | xargs grep -l x");
            let verdict = judged_in(&root, ("read-only", &[]), &line, None);
            assert_eq!(verdict.effect, expected, "{line}: {}", verdict.reason);
        }
        let line = format!("find {folder} -type f -print0 | xargs -0 cat");
        assert_eq!(
            judged_in(&root, ("read-only", &[]), &line, None).effect,
            Effect::Allow,
            "{line}"
        );
    }
}

#[test]
fn names_that_xargs_parts_anew_and_links_that_are_printed_before_they_are_looked_at_ask() {
    let root = project("parted");
    fs::create_dir_all(root.join("plain")).unwrap();
    fs::write(root.join("plain/aX-eeX"), "x").unwrap();
    fs::create_dir_all(root.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.join("link/b.txt")).unwrap();
    for (line, expected) in [
        ("find plain -type f | xargs sed -n p", Effect::Allow),
        ("find plain -type f -print | xargs -n 1 -r cat", Effect::Allow),
        ("find plain -type f -print0 | xargs -0 cat", Effect::Allow),
        ("find plain -type f | xargs -dX sed -n p", Effect::Ask),
        ("find plain -type f | xargs -d X cat", Effect::Ask),
        ("find plain -type f | xargs --delimiter=X cat", Effect::Ask),
        ("find plain -type f -print0 | xargs -0 -dX cat", Effect::Ask),
        ("find plain -type f -print0 | xargs -d '\\072' -0 cat", Effect::Ask),
        ("find plain -type f | xargs -dX -I{} cat {}", Effect::Ask),
        ("find link -print -type f | xargs cat", Effect::Ask),
        ("find link -print0 -type f | xargs -0 cat", Effect::Ask),
        ("find link -depth -print -type f | xargs cat", Effect::Ask),
        ("find link -print -false -type f | xargs cat", Effect::Ask),
        ("find plain -type f -print -print0 | xargs -0 cat", Effect::Ask),
    ] {
        for preset in ["read-only", "developer"] {
            let verdict = judged_in(&root, (preset, &[]), line, None);
            assert_eq!(verdict.effect, expected, "{preset}: {line}: {}", verdict.reason);
        }
    }
}

#[test]
fn a_line_that_decides_about_calls_asks_by_every_launcher() {
    let asked = [
        "countersign approve X --ledger sqlite:server.db --by mia",
        "npx countersign approve X",
        "npx -y countersign@1 approve X",
        "npx --package countersign -- countersign reject X",
        "bunx countersign edit X",
        "pnpm exec countersign respond X",
        "yarn countersign approve X",
        "yarn dlx countersign approve X",
        "npm exec -- countersign skip X",
        "node node_modules/countersign/dist/cli.js approve X",
        "node --no-warnings ./node_modules/countersign/dist/cli.js approve X",
        "node_modules/.bin/countersign approve X",
        "/work/app/node_modules/.bin/countersign grants revoke X",
        "./x.sh && npx countersign policy trust",
        "sh -c 'npx countersign approve X'",
        "echo X | xargs npx countersign approve",
        "timeout 5 npx countersign inbox",
        "deno run -A npm:countersign approve X",
        "deno x npm:countersign@1 approve X",
        "cd node_modules/countersign/dist && node cli.js approve X",
        "script -qc 'countersign approve X' /dev/null",
    ];
    for name in PRESETS {
        let policy = preset_policy(name, &[]);
        for line in asked {
            let verdict = confined(&policy, line);
            assert_eq!(verdict.effect, Effect::Ask, "{name}: {line}: {}", verdict.reason);
        }
        for line in ["npx countersign policy check ls", "./x.sh countersign"] {
            let verdict = confined(&policy, line);
            assert_eq!(verdict.effect, Effect::Allow, "{name}: {line}: {}", verdict.reason);
        }
    }
}

#[test]
fn what_is_lost_where_no_word_names_a_file_is_told() {
    let root = project("untold");
    fs::write(root.join("t.tar"), "t").unwrap();
    let told = |line: &str| {
        let verdict = judged_in(&root, ("developer", &[]), line, None);
        verdict.actions.iter().any(|action| action.loss.takes_away())
    };
    let lost = [
        "tar xf t.tar",
        "bsdtar xf t.tar",
        "cd sub && tar xf ../t.tar",
        "tar xf t.tar -C sub",
        "cat t.tar | tar xC sub",
        "unzip -o z.zip",
        "7z x z.7z",
        "cpio -idu < t.cpio",
        "pax -r < t.tar",
        "fd . sub -x tee",
        "fd . sub -x truncate -s0",
        "fd . sub -X cp a.txt {}",
        "git checkout-index -af",
        "git checkout-index -f a.txt",
        "git branch -f x HEAD",
        "cd sub && git branch -f x HEAD",
        "git branch -M x",
        "git tag -f v1",
        "git fetch -f origin x:main",
        "git fetch origin +x:main",
        "git update-ref -d refs/heads/x",
        "git submodule deinit -f .",
        "git submodule deinit --all -f",
        "git worktree add -B x ../y",
    ];
    let kept = [
        "tar cf new.tar sub",
        "tar tf t.tar",
        "unzip -l z.zip",
        "7z l z.7z",
        "fd . sub -x wc",
        "fd . sub -x cat {}",
        "git branch x",
        "git branch -m x y",
        "git branch -u origin/x",
        "git tag v1",
        "git fetch origin",
        "git fetch origin x:y",
        "git submodule deinit sub",
        "git checkout-index a.txt",
        "csplit a.txt 2",
        "rmdir empty",
    ];
    let untold: Vec<_> = lost.iter().filter(|line| !told(line)).collect();
    let needless: Vec<_> = kept.iter().filter(|line| told(line)).collect();
    assert_eq!((untold, needless), (Vec::new(), Vec::new()));
}
