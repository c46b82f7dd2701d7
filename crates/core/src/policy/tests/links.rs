//! A hostile project's symlinks, on the real file system: through commands and through tools.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;
use crate::path::RealFiles;
use crate::policy::{GrantRules, suggest};

/// A directory of its own, with a project, a home and something outside.
pub(super) struct Place(PathBuf);

impl Place {
    pub(super) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("countersign-policy-{name}-{}", std::process::id()));
        for sub in ["project/src", "project/real", "home", "outside", "elsewhere/data"] {
            fs::create_dir_all(dir.join(sub)).unwrap();
        }
        fs::write(dir.join("outside/file"), "").unwrap();
        fs::write(dir.join("project/src/file"), "").unwrap();
        Self(dir)
    }

    pub(super) fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.0.display())
    }

    pub(super) fn link(&self, link: &str, target: &str) {
        fs::remove_file(self.at(link)).ok();
        symlink(self.at(target), self.at(link)).unwrap();
    }

    pub(super) fn policy(&self, toml: &str) -> Policy {
        let context = PathContext {
            cwd: self.at("project"),
            home: Some(self.at("home")),
            project: Some(self.at("project")),
            project_as: None,
            own: vec![self.at("project/ledger/approvals.db")],
        };
        let toml = toml.replace("@", &self.at(""));
        Policy::compile(vec![document(&toml, LayerKind::Code, true)], &context).unwrap()
    }

    /// The effect on a command line.
    pub(super) fn effect(&self, policy: &Policy, line: &str) -> Effect {
        judge(policy, &Call::run(line).judged(), &RealFiles).unwrap().effect
    }

    pub(super) fn check(&self, policy: &Policy, rows: &[(&str, &str, &str)]) {
        for (expected, tool, text) in rows {
            let text = text.replace("@", &self.at(""));
            let call = match *tool {
                "bash" => Call::run(&text),
                tool => Call::new(tool, &format!(r#"{{"file_path":"{text}"}}"#)),
            };
            let verdict = judge(policy, &call.judged(), &RealFiles).unwrap();
            assert_eq!(verdict.effect, effect(expected), "{tool} {text}: {verdict:#?}");
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn a_symlink_planted_in_the_project_widens_no_allow() {
    let place = Place::new("planted");
    place.link("project/dist", "");
    place.link("project/own", "project/real");
    place.link("home/data", "elsewhere/data");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
reads = ["${project}/dist/**", "${project}/own/**", "~/data/**"]
writes = ["dist/**", "${project}/own/**", "~/data/**"]
[[rule]]
effect = "allow"
commands = ["echo"]
"#,
    );
    place.check(
        &policy,
        &[
            ("ask", "write_file", "@outside/file"),
            ("ask", "read_file", "@outside/file"),
            ("ask", "write_file", "dist/outside/file"),
            ("ask", "read_file", "dist/outside/file"),
            ("ask", "bash", "echo x > dist/outside/file"),
            ("ask", "bash", "echo x > @outside/file"),
            ("allow", "write_file", "own/x"),
            ("allow", "write_file", "real/x"),
            ("allow", "bash", "echo x > own/x"),
            ("allow", "write_file", "@home/data/x"),
            ("allow", "read_file", "@elsewhere/data/x"),
            ("allow", "bash", "echo x > ~/data/x"),
        ],
    );
}

#[test]
fn symlinks_that_change_between_verdicts_are_seen() {
    let place = Place::new("changing");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
reads = ["${project}/**"]
writes = ["${project}/**"]
[[rule]]
effect = "deny"
reads = ["@cur/**"]
writes = ["@cur/**"]
[[rule]]
effect = "allow"
commands = ["cat"]
"#,
    );
    for target in ["project/src", "outside", "project/real", "project/src"] {
        place.link("cur", target);
        let says = |dir: &str| if dir == target { "deny" } else { "allow" };
        place.check(
            &policy,
            &[
                (says("project/src"), "read_file", "src/file"),
                (says("project/real"), "write_file", "real/x"),
                (says("project/src"), "bash", "cat src/file"),
            ],
        );
    }
    place.link("project/real/link", "outside/file");
    place.check(&policy, &[("ask", "read_file", "real/link")]);
    fs::remove_file(place.at("project/real/link")).unwrap();
    fs::remove_file(place.at("cur")).unwrap();
    place.check(&policy, &[("allow", "read_file", "real/link")]);
}

#[test]
fn what_is_deleted_is_the_symlink() {
    let place = Place::new("deleted");
    place.link("outside/link", "project/src/file");
    place.link("project/src/inner", "project/src/file");
    place.link("outside/dir", "project/src");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
tools = ["delete_file", "write_file", "read_file"]
reads = ["${project}/src/**"]
writes = ["${project}/src/**"]
"#,
    );
    place.check(
        &policy,
        &[
            ("ask", "delete_file", "@outside/link"),
            ("ask", "write_file", "@outside/link"),
            ("allow", "delete_file", "src/inner"),
            ("allow", "delete_file", "@outside/dir/file"),
            ("allow", "read_file", "@outside/link"),
        ],
    );
}

#[test]
fn a_tilde_given_to_a_tool_may_be_a_name() {
    let place = Place::new("tilde");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
reads = ["~/**"]
writes = ["${project}/**"]
[[rule]]
effect = "deny"
reads = ["${project}/~/secret"]
writes = ["~/secret"]
"#,
    );
    place.check(
        &policy,
        &[
            ("ask", "read_file", "~/x"),
            ("ask", "write_file", "~/x"),
            ("deny", "read_file", "~/secret"),
            ("deny", "write_file", "~/secret"),
        ],
    );
    let both =
        place.policy("[[rule]]\neffect = \"allow\"\nreads = [\"~/**\", \"${project}/**\"]\n");
    place.check(&both, &[("allow", "read_file", "~/x")]);
}

#[test]
fn what_a_glob_finds_is_followed() {
    let place = Place::new("globs");
    for name in ["README.md", "src/a.rs", "src/sub/b.rs", "docs/c.txt"] {
        let path = place.0.join("project").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::create_dir_all(place.at("home/.ssh")).unwrap();
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
commands = ["cat"]
[[rule]]
effect = "deny"
reads = ["@outside/**"]
"#,
    );
    let rows = |md: &'static str, rs: &'static str, deep: &'static str, txt: &'static str| {
        let rows = [
            (md, "bash", "cat *.md"),
            (rs, "bash", "cat src/*.rs"),
            (deep, "bash", "cat src/*/*.rs"),
            (txt, "bash", "cat docs/?.txt"),
            ("allow", "bash", "cat none/*"),
        ];
        place.check(&policy, &rows);
    };
    rows("allow", "allow", "allow", "allow");
    place.link("project/x.md", "outside/file");
    rows("deny", "allow", "allow", "allow");
    place.link("project/x.md", "project/src/a.rs");
    place.link("project/docs/d.txt", "home/.ssh/id_rsa");
    rows("allow", "allow", "allow", "ask");
    place.link("project/src/way", "outside");
    rows("allow", "allow", "ask", "ask");
}

#[test]
fn the_ledger_of_the_approvals_asks_unless_a_rule_names_it() {
    let place = Place::new("ledger");
    fs::create_dir_all(place.at("project/ledger")).unwrap();
    place.link("project/data", "project/ledger");
    place.link("project/src/notes", "project/ledger/approvals.db");
    let rules = r#"
[[rule]]
effect = "allow"
reads = ["${project}/**"]
writes = ["${project}/**"]
[[rule]]
effect = "allow"
commands = ["rm", "cp", "mv", "cat", "grep", "echo"]
"#;
    let plain = place.policy(rules);
    place.check(
        &plain,
        &[
            ("ask", "write_file", "ledger/approvals.db"),
            ("ask", "write_file", "ledger/approvals.db-wal"),
            ("ask", "write_file", "ledger/approvals.db-owners/x"),
            ("ask", "write_file", "data/approvals.db"),
            ("ask", "write_file", "src/notes"),
            ("ask", "read_file", "ledger/approvals.db"),
            ("allow", "write_file", "ledger/approvals.md"),
            ("allow", "write_file", "src/approvals.db"),
            ("ask", "bash", "rm ledger/approvals.db-lock"),
            ("ask", "bash", "rm data/approvals.db"),
            ("ask", "bash", "rm -rf ledger"),
            ("ask", "bash", "rm -rf ledger/approvals.db-owners"),
            ("ask", "bash", "rm ledger/*.db"),
            ("ask", "bash", "rm ledger/*"),
            ("ask", "bash", "mv ledger src"),
            ("ask", "bash", "cp src/file ledger/approvals.db"),
            ("ask", "bash", "cat ledger/approvals.db"),
            ("allow", "bash", "rm src/*.db"),
            ("allow", "bash", "rm -rf src/ledger"),
            ("allow", "bash", "grep -r x ledger"),
            ("allow", "bash", "echo x > ledger/readme"),
        ],
    );
    let named = place.policy(&format!(
        "{rules}[[rule]]\neffect = \"allow\"\nwrites = [\"${{project}}/ledger/approvals.db\"]\n"
    ));
    place.check(
        &named,
        &[
            ("allow", "write_file", "ledger/approvals.db"),
            ("ask", "read_file", "ledger/approvals.db"),
        ],
    );
}

#[test]
fn git_in_a_folder_that_is_a_repository_of_its_own_asks() {
    let place = Place::new("bare");
    for folder in ["project/.git", "project/sub/objects", "project/sub/refs", "project/sub/deep"] {
        fs::create_dir_all(place.at(folder)).unwrap();
    }
    fs::write(place.at("project/sub/HEAD"), "ref: refs/heads/main\n").unwrap();
    place.link("project/link", "project/sub");
    place.link("project/outer", "outside");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
commands = ["cd", "git", "ls", "echo", "cp", "own-tool"]
writes = ["${project}/**"]
"#,
    );
    place.check(
        &policy,
        &[
            ("allow", "bash", "git status"),
            ("allow", "bash", "cd src && git status"),
            ("allow", "bash", "cd @project && git status"),
            ("allow", "bash", "cd sub && ls"),
            ("allow", "bash", "cd src && own-tool"),
            ("ask", "bash", "cd outer && own-tool"),
            ("ask", "bash", "cd outer/.. && own-tool"),
            ("ask", "bash", "cd sub && git status"),
            ("ask", "bash", "cd sub && own-tool"),
            ("ask", "bash", "cd sub/deep && git status"),
            ("ask", "bash", "cd link && git status"),
            ("ask", "bash", "cd ./src/../sub; git diff"),
            ("ask", "bash", "(cd @project/sub; git diff)"),
            ("ask", "bash", "cd $x && git status"),
            ("ask", "bash", "echo 'ref: refs/heads/main' > src/HEAD; cd src && git status"),
        ],
    );
}

#[test]
fn git_looks_elsewhere_where_no_setting_names_a_program() {
    let place = Place::new("elsewhere");
    fs::create_dir_all(place.at("elsewhere/.git/hooks")).unwrap();
    fs::create_dir_all(place.at("project/.git")).unwrap();
    let config = |text: &str| fs::write(place.at("elsewhere/.git/config"), text).unwrap();
    let policy = place.policy("[[rule]]\neffect = 'allow'\ncommands = ['cd', 'git', 'make']\n");
    let rows = |says: &'static str| {
        let status = (says, "bash", "cd @elsewhere/data && git log -3");
        place.check(&policy, &[status, ("ask", "bash", "cd @elsewhere && git commit -m x")]);
    };
    rows("ask");
    config("[core]\n\tbare = false\n");
    rows("allow");
    config("[core]\n\tfsmonitor = x\n");
    rows("ask");
    config("[core]\n\tbare = false\n");
    fs::write(place.at("elsewhere/.git/commondir"), "../other\n").unwrap();
    rows("ask");
    fs::remove_file(place.at("elsewhere/.git/commondir")).unwrap();
    fs::write(place.at("elsewhere/.git/hooks/post-index-change.sample"), "").unwrap();
    rows("allow");
    fs::write(place.at("elsewhere/.git/hooks/post-index-change"), "").unwrap();
    rows("ask");
}

#[test]
fn what_a_line_moves_is_no_proof_of_where_its_paths_lead() {
    let place = Place::new("moved");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
commands = ["cp", "echo", "mv", "cat", "ls"]
writes = ["${project}/**"]
"#,
    );
    place.check(
        &policy,
        &[
            ("allow", "bash", "cp src/file real/file; echo x > real/other"),
            ("allow", "bash", "mv src/file real/file; ls"),
            ("ask", "bash", "cp -s @outside/file x; echo PWNED > x"),
            ("ask", "bash", "cp -l @outside/file x; echo PWNED > x"),
            ("ask", "bash", "mv src e; echo PWNED > e/l"),
            ("ask", "bash", "mv src e; cat e/l"),
        ],
    );
}

#[test]
fn what_is_read_with_all_that_is_below_is_read_file_by_file() {
    let place = Place::new("below");
    for (file, text) in [
        ("project/.env", "KEY=1"),
        ("project/.git/HEAD", "ref: refs/heads/main"),
        ("project/src/deep/a.sec", "KEY"),
        ("project/src/deep/a.ts", ""),
        ("project/lib/b.ts", ""),
        ("project/packages/node_modules/x/.npmrc", ""),
        ("project/dot/.aws/credentials", ""),
    ] {
        let path = place.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["grep", "rg", "cat", "find", "ls", "cp", "tar", "diff", "du", "tree", "eslint", "git"]
"#;
    let plain = place.policy(rules);
    place.check(
        &plain,
        &[
            ("ask", "bash", "cat .env"),
            ("ask", "bash", "grep -r KEY ."),
            ("ask", "bash", "grep -rn KEY"),
            ("ask", "bash", "rg --hidden KEY"),
            ("ask", "bash", "rg -uu KEY ."),
            ("ask", "bash", "find . -type f -exec cat {} +"),
            ("ask", "bash", "grep -r KEY dot"),
            ("ask", "bash", "cp -r dot copy"),
            ("ask", "bash", "tar -cf x.tar ."),
            ("ask", "bash", "diff -r . lib"),
            ("ask", "bash", "grep -rn --include='*' KEY ."),
            ("ask", "bash", "git grep --no-index KEY"),
            ("ask", "bash", "git grep --untracked KEY ."),
            ("ask", "bash", "git diff --no-index . lib"),
            ("ask", "bash", "git diff . @outside"),
            ("allow", "bash", "git grep KEY"),
            ("allow", "bash", "git add ."),
            ("allow", "bash", "rg KEY"),
            ("allow", "bash", "rg -n KEY ."),
            ("allow", "bash", "rg --hidden -g '*.ts' KEY"),
            ("allow", "bash", "grep -rn --include=*.ts KEY ."),
            ("allow", "bash", "grep -rn --exclude=.env --exclude-dir=dot KEY ."),
            ("allow", "bash", "grep -rn KEY src lib"),
            ("allow", "bash", "grep -rn KEY packages"),
            ("allow", "bash", "find . -type f"),
            ("allow", "bash", "find src -type f -exec cat {} +"),
            ("allow", "bash", "ls -R ."),
            ("allow", "bash", "du -sh ."),
            ("allow", "bash", "tree"),
        ],
    );
    fs::write(place.at("project/.ignore"), "!.env\n").unwrap();
    place.check(&plain, &[("ask", "bash", "rg KEY"), ("allow", "bash", "rg KEY src")]);
    let named = place.policy(&format!(
        "{rules}[[rule]]\neffect = \"allow\"\nreads = [\"${{project}}/.env\", \"**/.aws/**\"]\n"
    ));
    place.check(&named, &[("allow", "bash", "cat .env"), ("ask", "bash", "grep -r KEY .")]);
    let spelled = place.policy("[[rule]]\neffect = \"allow\"\ncommands = [\"grep -r KEY .\"]\n");
    place.check(&spelled, &[("allow", "bash", "grep -r KEY .")]);
    let denied =
        place.policy(&format!("{rules}[[rule]]\neffect = \"deny\"\nreads = [\"**/*.sec\"]\n"));
    place.check(
        &denied,
        &[
            ("deny", "bash", "grep -r KEY src"),
            ("deny", "bash", "rg KEY src"),
            ("deny", "bash", "find src -type f -exec cat {} +"),
            ("deny", "bash", "cp -r src/deep x"),
            ("allow", "bash", "rg -g '*.ts' KEY src"),
            ("allow", "bash", "grep -rn --include='*.ts' KEY src"),
            ("allow", "bash", "grep -r KEY lib"),
            ("allow", "bash", "find src -name x"),
            ("allow", "bash", "ls -R src"),
        ],
    );
}

#[test]
fn what_cannot_be_looked_through_asks() {
    let place = Place::new("much");
    for dir in ["project/many", "project/packages/node_modules/many"] {
        fs::create_dir_all(place.at(dir)).unwrap();
        for number in 0..501 {
            fs::write(place.at(&format!("{dir}/{number}")), "").unwrap();
        }
    }
    let rules = "[[rule]]\neffect = 'allow'\ncommands = ['grep']\n";
    let packages = ("allow", "bash", "grep -r x packages");
    place.check(&place.policy(rules), &[("ask", "bash", "grep -r x many"), packages]);
    let denied = format!("{rules}[[rule]]\neffect = 'deny'\nreads = ['**/*.key']\n");
    place.check(
        &place.policy(&denied),
        &[
            ("ask", "bash", "grep -r x many"),
            ("ask", "bash", "grep -r x packages"),
            ("allow", "bash", "grep -r x src"),
        ],
    );
}

#[test]
fn settings_of_git_are_looked_for_before_packages_whatever_the_folder_above_is_called() {
    let place = Place::new("above");
    // More names than are looked at, few in each folder.
    for number in 0..300 {
        let dir = place.at(&format!("project/src/node_modules/many/{number}"));
        fs::create_dir_all(&dir).unwrap();
        for file in ["a", "b"] {
            fs::write(format!("{dir}/{file}"), "").unwrap();
        }
    }
    let git = place.at("project/src/lib/.git");
    fs::create_dir_all(&git).unwrap();
    fs::write(format!("{git}/HEAD"), "ref: refs/heads/main").unwrap();
    let policy = place.policy("[[rule]]\neffect = 'allow'\ncommands = ['grep']\n");
    let mut above = "src";
    for name in ["src", "logs", "refs", "hooks"] {
        fs::rename(place.at(&format!("project/{above}")), place.at(&format!("project/{name}")))
            .unwrap();
        above = name;
        let config = place.at(&format!("project/{name}/lib/.git/config"));
        let line = format!("grep -r url {name}");
        fs::write(&config, "url = https://example.com/x").unwrap();
        place.check(&policy, &[("allow", "bash", &line)]);
        fs::write(&config, "url = https://u:hunter2@example.com/x").unwrap();
        place.check(&policy, &[("ask", "bash", &line)]);
    }
}

#[test]
fn a_pattern_as_the_root_of_what_goes_below_is_judged_by_the_folders_that_it_finds() {
    let place = Place::new("trees");
    for folder in
        ["home/.ssh", "project/src/keep", "project/packages/api", "project/sub", "project/d1"]
    {
        fs::create_dir_all(place.at(folder)).unwrap();
    }
    for file in ["home/.ssh/id_rsa", "project/src/keep/f", "project/packages/api/.env"] {
        fs::write(place.at(file), "").unwrap();
    }
    place.link("project/d1/k", "home/.ssh");
    let policy = place.policy(
        r#"
[[rule]]
effect = "allow"
commands = ["grep", "find", "rg", "rm", "cp", "mv", "chmod", "diff", "cd", "cat", "ls"]
[[rule]]
effect = "allow"
env = ["d"]
[[rule]]
effect = "deny"
reads = ["~/.ssh/**"]
writes = ["${project}/src/keep/**", "~/**"]
"#,
    );
    place.check(
        &policy,
        &[
            ("deny", "bash", "grep -r x ../home"),
            ("deny", "bash", "grep -r x ../hom*"),
            ("deny", "bash", "grep -r x \"$HOME\"*"),
            ("deny", "bash", "grep -r x ../h[o]me"),
            ("deny", "bash", "grep -r x ../?ome"),
            ("deny", "bash", "rg -uu x ../h*"),
            ("deny", "bash", "cp -r ../hom* sub"),
            ("deny", "bash", "diff -rN ../hom* sub"),
            ("deny", "bash", "diff -rN d[1] sub"),
            ("deny", "bash", "rm -r sr*"),
            ("deny", "bash", "rm -rf ../hom*"),
            ("deny", "bash", "mv ../hom* gone"),
            ("deny", "bash", "chmod -R 600 ../hom*"),
            ("deny", "bash", "rm -rf ../proj*"),
            ("ask", "bash", "grep -rn x p*"),
            ("ask", "bash", "grep -rn x pack*/*"),
            ("ask", "bash", "for d in p*; do grep -r x \"$d\"; done"),
            ("ask", "bash", "grep -r x \"$(cat a)\"/sub"),
            ("allow", "bash", "grep -rn x sr*"),
            ("allow", "bash", "grep -n x pack*"),
            ("allow", "bash", "ls -d ../hom*"),
            ("allow", "bash", "rm -r su*"),
        ],
    );
}

#[test]
fn an_always_for_a_path_answers_for_no_symlink_that_takes_its_place() {
    let place = Place::new("granted");
    let policy =
        place.policy("default = \"ask\"\n[[rule]]\neffect = \"allow\"\ncommands = [\"cp\"]\n");
    for path in ["project/notes.txt", "project/other.txt", "project/sub/x", "project/more/x"] {
        fs::create_dir_all(PathBuf::from(place.at(path)).parent().unwrap()).unwrap();
        fs::write(place.at(path), "").unwrap();
    }
    let notes = ("project/notes.txt", ["project/other.txt", "outside/file", "project/src/file"]);
    let sub = ("project/sub", ["project/more", "outside", "project/src"]);
    let elsewhere = ("outside/file", ["elsewhere/data", "project/other.txt", "project/new"]);
    let calls = [
        (Call::new("write_file", r#"{"path":"notes.txt"}"#), notes),
        (Call::new("read_file", r#"{"path":"notes.txt"}"#), notes),
        (Call::new("read_file", r#"{"path":"sub/x"}"#), sub),
        (Call::new("write_file", r#"{"path":"sub/x"}"#), sub),
        (
            Call::new("read_file", &format!(r#"{{"path":"{}"}}"#, place.at("outside/file"))),
            elsewhere,
        ),
        (Call::run("cat < notes.txt > sub/x"), sub),
    ];
    for (call, (path, targets)) in calls {
        let verdict = || judge(&policy, &call.judged(), &RealFiles).unwrap();
        let said = verdict();
        let suggestion = suggest(&policy, &call.judged(), &said, &RealFiles).unwrap();
        let Some(suggestion) = suggestion else { panic!("{:?}", call.judged()) };
        let grants = GrantRules::compile(suggestion.rules, policy.context()).unwrap();
        let answers = || grants.answers(&call.judged(), &verdict(), &RealFiles).unwrap();
        assert!(answers(), "{:?}", call.judged());
        let (at, kept) = (place.at(path), place.at("kept"));
        fs::rename(&at, &kept).unwrap();
        for target in targets {
            place.link(path, target);
            assert!(!answers(), "{:?} to {target}", call.judged());
        }
        fs::remove_file(&at).unwrap();
        fs::rename(&kept, &at).unwrap();
        assert!(answers(), "{:?}", call.judged());
    }
    // Where the project itself lies behind a symlink, all of it does.
    symlink(place.at("project"), place.at("named")).unwrap();
    let context = PathContext {
        cwd: place.at("named"),
        project: Some(place.at("named")),
        ..PathContext::default()
    };
    let policy = Policy::compile(Vec::new(), &context).unwrap();
    let rules = |pattern: &str| {
        let rule = format!("[[rule]]\neffect = \"allow\"\nwrites = [\"{pattern}\"]\n");
        document(&rule, LayerKind::Session, true).rules
    };
    for pattern in ["${project}/notes.txt", "${project}/**", "notes.txt"] {
        let grants = GrantRules::compile(rules(pattern), &context).unwrap();
        let call = Call::new("write_file", r#"{"path":"notes.txt"}"#);
        let said = judge(&policy, &call.judged(), &RealFiles).unwrap();
        assert!(grants.answers(&call.judged(), &said, &RealFiles).unwrap(), "{pattern}");
    }
}
