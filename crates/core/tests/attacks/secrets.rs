//! Files that are secret by their names, and what reads, renames and deletes them.

use std::fs;

use countersign_core::call::Json;
use countersign_core::path::RealFiles;
use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};
use crate::verdicts::{judged, text};

#[test]
fn what_is_renamed_is_as_secret_as_before() {
    let house = House::new("renamed");
    for file in ["conf/prod/server.key", "plain/a.txt", "test/x"] {
        house.put(&format!("project/{file}"), "SECRET");
    }
    let files = ["conf/prod/server.key", "plain/a.txt"];
    house.track(&files);
    tried(
        &started(&house, "developer", "project"),
        &[
            "git mv conf/prod test/",
            "git mv conf x",
            "git mv conf/prod/server.key x",
            "mv conf/prod test/",
            "git mv -k conf plain",
        ],
        &["git mv plain test/", "git mv plain/a.txt b"],
    );
}

#[test]
fn a_tool_that_searches_reads_no_secret_unasked() {
    let house = House::new("searches");
    for file in ["ops/id_rsa", ".codex/auth.json", "plain/a.txt"] {
        house.put(&format!("project/{file}"), "SECRET");
    }
    let policy = started(&house, "read-only", "project");
    let searched = |args: &str| {
        let args: Json = serde_json::from_str(args).unwrap();
        judged(&policy, "grep", &args, &RealFiles).unwrap().effect
    };
    for (expected, args) in [
        (Effect::Ask, r#"{"pattern":"SECRET"}"#),
        (Effect::Ask, r#"{"pattern":"SECRET","path":"."}"#),
        (Effect::Ask, r#"{"pattern":"SECRET","path":"ops"}"#),
        (Effect::Ask, r#"{"pattern":"SECRET","glob":"**/*.key"}"#),
        (Effect::Ask, r#"{"pattern":"SECRET","glob":"{a/*,server*}"}"#),
        (Effect::Ask, r#"{"pattern":"SECRET","path":".codex"}"#),
        (Effect::Ask, r#"{"pattern":"url","path":".git"}"#),
        (Effect::Allow, r#"{"pattern":"SECRET","path":"plain"}"#),
        (Effect::Allow, r#"{"pattern":"SECRET","path":"src"}"#),
        (Effect::Allow, r#"{"pattern":"SECRET","glob":"*.ts"}"#),
        (Effect::Allow, r#"{"pattern":"SECRET","glob":"src/**/*.{rs,ts}"}"#),
    ] {
        assert_eq!(searched(args), expected, "{args}");
    }
}

#[test]
fn secrets_are_known_by_their_names_whoever_made_them() {
    let house = House::new("secrets");
    for name in ["read-only", "developer"] {
        let policy = started(&house, name, "project");
        tried(
            &policy,
            &[
                "cat server.key",
                "cat id_ed25519",
                "cat *.key",
                "cat prod.env",
                "cat credentials.json",
                "cat .git/config",
                "cat ~/.gitconfig",
                "cat ~/.config/git/credentials",
                "cat ~/.claude/.credentials.json",
                "cat ~/.codex/auth.json",
                "cat ~/.gemini/oauth_creds.json",
                "cat /run/secrets/x",
                "cat /etc/ssh/ssh_host_rsa_key",
                "cat /root/.bash_history",
                "cat /home/other/notes.txt",
                "cat ~/.mysql_history",
                "cat ~/.local/share/fish/fish_history",
                "cat terraform.tfstate",
                "head key.pem",
                "grep -r x .",
            ],
            &[
                "cat cert.pem",
                "cat src/lib.rs",
                "cat ~/notes.txt",
                "cat tests/keys/server.key",
                "cat src/auth.json",
                "cat /etc/hosts",
                "git status",
            ],
        );
        fs::create_dir_all(house.root.join("project/bare.git")).unwrap();
        tried(
            &policy,
            &[
                "git fetch bare",
                "git fetch -q --tags bare",
                "last -d",
                "who --lookup",
                "phpunit --check-version",
            ],
            &["last", "who"],
        );
    }
    tried(
        &started(&house, "developer", "project"),
        &["git fetch bare"],
        &["git fetch src", "git fetch origin", "git fetch origin bare/x"],
    );
}

#[test]
fn what_is_deleted_with_a_folder_is_as_protected_as_what_is_named() {
    let house = House::new("deleted");
    for folder in ["deep/e", "sec", "plain/a", "nested/.git", "node_modules/x", "target/y"] {
        fs::create_dir_all(house.root.join("project").join(folder)).unwrap();
    }
    for file in [
        "deep/e/.env",
        "sec/server.key",
        "plain/a/b.txt",
        "nested/.git/HEAD",
        "node_modules/x/.env",
        "target/y/z.pem",
    ] {
        fs::write(house.root.join("project").join(file), "x").unwrap();
    }
    let policy = own(
        r#"{"effect":"allow","commands":["rm","rimraf","shred","find","git","busybox"]},{"effect":"allow","reads":["${project}/**"],"writes":["${project}/**"]}"#,
    );
    let policy = started(&house, &policy, "project");
    tried(
        &policy,
        &[
            "rm -r deep",
            "rm -rf -- deep/",
            "rm -r sec plain",
            "rm -r de*",
            "rimraf deep",
            "busybox rm -r deep",
            "rm -r nested",
            "find deep -exec rm {} +",
            "find sec -type f -exec shred {} ;",
            "git clean -fdx deep",
            "git clean -fdx",
        ],
        // git leaves the repositories that lie there.
        &[
            "git clean -fdx nested",
            "rm -r plain",
            "rm -rf node_modules",
            "rm -rf target",
            "rm plain/a/b.txt",
            "rm -r pl*",
        ],
    );
    for (tool, path, expected) in [
        ("delete_file", "deep", Effect::Ask),
        ("delete_directory", "sec", Effect::Ask),
        ("delete_directory", "plain", Effect::Allow),
        ("delete_file", "plain/a/b.txt", Effect::Allow),
    ] {
        let name = if tool == "delete_file" { "file_path" } else { "path" };
        let args = text(name, path);
        let effect = judged(&policy, tool, &args, &RealFiles).unwrap().effect;
        assert_eq!(effect, expected, "{tool} {path}");
    }
}

#[test]
fn a_word_that_only_the_run_will_tell_may_be_a_file_that_is_protected() {
    let house = House::new("untold");
    house.put("project/docs/a.md", "x");
    let policy = own(
        r#"{"effect":"allow","commands":["cat","echo","printf","find","xargs","ls","test","[","cp","split","mktemp","shift","set","cd","sh","bash"],"env":["x","f","i","d"],"writes":["${project}/**"]}"#,
    );
    tried(
        &started(&house, &policy, "project"),
        &[
            "cat $(echo .env)",
            "cat `echo .env`",
            "cat < $(echo .env)",
            "echo .env | xargs cat --",
            "echo .env | xargs -I% cat ./%",
            "printf -v x .env; cat \"$x\"",
            "x=a.env; cat ${x#a}",
            "x=.ENV; cat ${x,,}",
            "x=(.env); cat ${x[0]}",
            "find . -type f | xargs cat --",
            "cat \"$x/config\"",
            "cat src/$x",
            "cat $x/*",
            "cat $x.json",
            "cat \"$x.local\"",
            "cat $x/.ssh/notes.md",
            "cd \"$x\" && cat config",
            "cp src/lib.rs \"$x\"",
            "cp src/lib.rs \"$x/ci.yml\"",
            "cp src/lib.rs \"$x.npmrc\"",
            r"cat $'\u002eenv'",
            r"cat $'\U0000002eenv'",
            "bash -c 'cat \"$1\"' x .env",
            "bash -c 'cat ${1}' x .env",
            "bash -c 'cat \"$@\"' x src/lib.rs .env",
            "bash -c 'cat $0' .env",
            "sh -c 'cat $0' .env",
            "sh -c 'shift; cat \"$1\"' x src/lib.rs .env",
            "sh -c 'set -- .env; cat \"$1\"' x src/lib.rs",
            "sh -c 'for i in 1 2; do cat \"$1\"; shift; done' x src/lib.rs .env",
            "sh -c 'cat \"$1\"' $x src/lib.rs",
            "sh -c 'sh -c \"cat \\$1\" x .env' x src/lib.rs",
        ],
        &[
            "x=src/lib.rs; cat \"$x\"",
            "for f in src/* docs/a.md; do cat \"$f\"; done",
            "cat src/*",
            "cat src/$x.ts",
            "cat \"$PWD/package.json\"",
            "cd \"$x\" && cat README.md",
            "sh -c 'cat \"$1\"' x src/lib.rs",
            "sh -c 'set -e; cat \"$@\"' x src/lib.rs docs/a.md",
            "find src -type f ! -path '*/old/*' -exec cat {} +",
            "ls -- \"$d\"",
            "test -f \"$f\"",
            "[ -f \"$f\" ]",
            "cp src/lib.rs \"src/$x.rs\"",
            "split src/lib.rs",
            "mktemp",
            "echo \"$x\"",
        ],
    );
}

#[test]
fn what_a_script_is_given_meets_a_deny() {
    let house = House::new("given");
    let policy =
        own(r#"{"effect":"allow","commands":["cat","sh"]},{"effect":"deny","reads":["**/.env"]}"#);
    let policy = started(&house, &policy, "project");
    for line in ["sh -c 'cat \"$1\"' x .env", "sh -c 'cat $0' .env", "sh -c 'cat $@' x a .env"] {
        assert_eq!(verdict(&policy, "bash", line).0, Effect::Deny, "{line}");
    }
}

#[test]
fn what_bash_calls_a_script_may_be_set_by_that_script() {
    let house = House::new("argv0");
    let policy =
        r#"{"version":1,"default":"allow","rule":[{"effect":"deny","reads":["**/.env"]}]}"#;
    tried(
        &started(&house, policy, "project"),
        &[
            "bash -c 'BASH_ARGV0=.env; cat \"$0\"' list",
            "bash -c 'BASH_ARGV0+=.env; cat \"$0\"' list",
            "bash -c 'export BASH_ARGV0=.env; cat $0' list",
            "bash -c 'printf -v BASH_ARGV0 .env; cat \"$0\"' list",
            "bash -c 'read BASH_ARGV0 <<< .env; cat \"$0\"' list",
            "bash -c 'for BASH_ARGV0 in .env; do cat \"$0\"; done' list",
            "bash -c ': ${BASH_ARGV0:=.env}; cat \"$0\"' list",
            "bash -c 'while read BASH_ARGV0; do :; done < list; cat ${0}' list",
            "bash -c 'if ls; then BASH_ARGV0=.env; fi; cat \"$0\"' list",
        ],
        &["bash -c 'cat \"$0\"' list", "bash -c 'cat \"$1\"' x list"],
    );
}
