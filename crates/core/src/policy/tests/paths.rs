//! Rules for files and addresses.

use super::*;
use crate::path::NoFiles;
use crate::policy::NeedsFiles;

const RULES: &str = r#"
[[rule]]
effect = "allow"
commands = ["cat", "echo", "cp", "grep", "curl", "cd", "rm", "ls", "tee"]
[[rule]]
effect = "allow"
writes = ["${project}/src/**", "/tmp/**"]
[[rule]]
effect = "deny"
reads = ["~/.ssh/**", "**/secret.txt"]
writes = ["/etc/**"]
urls = ["https://evil.example"]
"#;

#[test]
fn what_reads_a_file_under_another_form_of_its_name_meets_a_deny_of_it() {
    let policy = policy(
        r#"
[[rule]]
effect = "allow"
commands = ["curl", "w3m", "lynx", "links", "elinks", "fping", "mtr", "info", "pandoc", "xmllint"]
[[rule]]
effect = "allow"
urls = ["*"]
[[rule]]
effect = "deny"
reads = ["${project}/secret/**"]
"#,
    );
    for (expected, line) in [
        ("allow", "curl https://a.example/secret"),
        ("allow", "curl 'https://a.example/{a,b}'"),
        ("allow", "w3m -dump https://a.example/x"),
        ("allow", "fping a.example"),
        ("allow", "info sed"),
        ("deny", "curl file:///work/app/secret/s.txt"),
        ("ask", "curl 'fil{e,}:///work/app/secret/s.txt'"),
        ("ask", "curl '[f-f]ile:///work/app/secret/s.txt'"),
        ("ask", "curl '{file}:///work/app/secret/s.txt'"),
        ("ask", "curl '{http://a.example,file:///work/app/secret/s.txt}'"),
        ("deny", "curl --proto-default file /work/app/secret/s.txt"),
        ("deny", "curl --proto-default=file /work/app/secret/s.txt"),
        ("deny", "curl --proto-d file /work/app/secret/s.txt"),
        ("deny", "w3m -dump secret/s.txt"),
        ("deny", "w3m -dump file:secret/s.txt"),
        ("deny", "lynx -dump secret/s.txt"),
        ("deny", "links -dump secret/s.txt"),
        ("deny", "elinks -dump secret/s.txt"),
        ("deny", "fping -f secret/s.txt"),
        ("deny", "fping -fsecret/s.txt"),
        ("deny", "mtr -F secret/s.txt"),
        ("deny", "info secret/s.txt"),
        ("deny", "info -f secret/s.txt"),
        ("deny", "pandoc secret/s.txt"),
        ("deny", "pandoc file:secret/s.txt"),
        ("deny", "pandoc file:///work/app/secret/s.txt"),
        ("deny", "xmllint file:secret/s.txt"),
    ] {
        let found = verdict(&policy, &Call::run(line));
        let expected = effect(expected);
        assert_eq!(found.effect, expected, "{line}: {found:#?}");
    }
}

#[test]
fn an_address_in_an_option_of_curl_meets_a_deny_of_it() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["curl"]
[[rule]]
effect = "allow"
urls = ["*"]
[[rule]]
effect = "deny"
urls = ["evil.example", "0.0.0.0", "*.localhost"]
"#;
    runs(
        rules,
        &[
            ("allow", "curl https://a.example"),
            ("deny", "curl --ipfs-gateway=https://evil.example ipfs://x"),
            ("deny", "curl --ipfs-gateway https://evil.example ipfs://x"),
            ("deny", "curl http://0:8080"),
            ("deny", "curl http://foo.localhost/"),
        ],
    );
}

#[test]
fn settings_of_programs_that_hold_passwords_are_protected() {
    let policy = policy(
        "[[rule]]\neffect = \"allow\"\nreads = [\"/**\"]\n[[rule]]\neffect = \"allow\"\nwrites = [\"/**\"]\n",
    );
    let asks = |tool: &str, path: &str| {
        let content = if tool == "write_file" { r#","content":"x""# } else { "" };
        let args = format!(r#"{{"path":{path:?}{content}}}"#);
        verdict(&policy, &Call::new(tool, &args)).effect == Effect::Ask
    };
    for path in [
        "~/.config/git/config",
        ".yarnrc",
        ".yarnrc.yml",
        ".bunfig.toml",
        ".dockerconfigjson",
        ".token",
        "~/.config/pip/pip.conf",
        "~/.pip/pip.conf",
        "/etc/pip.conf",
        "~/.databrickscfg",
        "~/.snowsql/config",
        "~/.wrangler/config/default.toml",
        "~/.netlify/config.json",
        "~/.config/configstore/x.json",
        "~/.ngrok2/ngrok.yml",
        "~/.authinfo",
        "~/.authinfo.gpg",
        "~/.msmtprc",
        "~/.fetchmailrc",
        "~/.muttrc",
        "~/.subversion/auth/svn.simple/x",
        "~/.config/filezilla/sitemanager.xml",
        "~/.config/remmina/x.remmina",
        "~/.viminfo",
    ] {
        assert!(asks("read_file", path), "reading {path}");
        assert!(asks("write_file", path), "writing {path}");
    }
    for path in [
        "opencode.json",
        ".crush.json",
        "app.code-workspace",
        ".tmux.conf",
        ".goosehints",
        ".cursorrules",
    ] {
        assert!(!asks("read_file", path), "reading {path}");
        assert!(asks("write_file", path), "writing {path}");
    }
    for path in ["src/git/config", "config", "pip/x.conf", ".code-workspace.md", "opencode.jsonc"] {
        assert!(!asks("read_file", path), "reading {path}");
        assert!(!asks("write_file", path), "writing {path}");
    }
}

#[test]
fn files_used_through_arguments_are_covered_but_denies_bite() {
    runs(
        RULES,
        &[
            ("allow", "cat README.md"),
            ("deny", "cat ~/.ssh/id_rsa"),
            ("deny", "cat $HOME/.ssh/id_rsa"),
            ("deny", "cat ../../home/me/.ssh/id_rsa"),
            ("deny", "cp x /etc/passwd"),
            ("deny", "cat docs/secret.txt"),
            ("allow", "cat docs/public.txt"),
            ("ask", "cat \"$x/secret.txt\""),
            ("deny", "cat < ~/.ssh/id_rsa"),
            ("allow", "cat < README.md"),
        ],
    );
}

#[test]
fn redirections_need_an_allow_of_their_own() {
    runs(
        RULES,
        &[
            ("allow", "echo x > src/a.rs"),
            ("allow", "echo x >> /tmp/log"),
            ("ask", "echo x > README.md"),
            ("deny", "echo x > /etc/hosts"),
            ("ask", "echo x > $LOG"),
            ("allow", "echo x > /dev/null 2>&1"),
            ("ask", "echo x > src/../README.md"),
            ("deny", "echo x > src/../../../etc/hosts"),
        ],
    );
}

#[test]
fn after_cd_nothing_relative_is_allowed_and_denies_look_everywhere() {
    runs(
        RULES,
        &[
            ("ask", "cd x; echo y > src/a.rs"),
            ("allow", "cd x; echo y > /tmp/a"),
            ("deny", "cd /etc; echo y > hosts"),
            ("deny", "cd ~/.ssh; cat id_rsa"),
            ("ask", "cd $x; cat id_rsa"),
        ],
    );
}

#[test]
fn recursive_uses_meet_what_is_below() {
    runs(RULES, &[("deny", "grep -r x ~"), ("deny", "rm -r /etc"), ("ask", "grep -r x docs")]);
}

#[test]
fn protected_files_ask_unless_they_are_named() {
    runs(
        RULES,
        &[
            ("ask", "cat .env"),
            ("allow", "cat .env.example"),
            ("ask", "cat ~/.netrc"),
            ("ask", "echo x > src/.env"),
            ("ask", "echo x > src/.git/config"),
            ("ask", "tee .bashrc"),
            ("ask", "rm -rf ."),
            ("ask", "cat .e*"),
            // It could be `secret.txt`.
            ("ask", "cat *"),
            ("allow", "cat ./*.md"),
        ],
    );
    let named = format!(
        "{RULES}\n[[rule]]\neffect = \"allow\"\nwrites = [\"src/.git/**\"]\n[[rule]]\neffect = \"allow\"\ncommands = [[\"cat\", \".env\"]]\n"
    );
    runs(
        &named,
        &[
            ("allow", "echo x > src/.git/config"),
            ("allow", "cat .env"),
            // The rule does not spell out the second.
            ("ask", "cat .env .env"),
            ("ask", "cat .env.local"),
        ],
    );
}

#[test]
fn symlinks_are_followed_on_both_sides() {
    let policy = policy(RULES);
    let files = Links::of(&[
        ("/work/app/notes", "/home/me/.ssh"),
        ("/work/app/src/out", "/work/app/docs"),
        ("/work/app/env", "/work/app/.env"),
    ]);
    for (command, expected) in [
        ("cat notes/id_rsa", Effect::Deny),
        ("echo x > src/out/a", Effect::Ask),
        ("echo x > src/in/a", Effect::Allow),
        ("cat env", Effect::Ask),
    ] {
        let verdict = judge(&policy, &Call::run(command).judged(), &files).unwrap();
        assert_eq!(verdict.effect, expected, "{command}: {verdict:#?}");
    }
}

#[test]
fn a_verdict_that_needs_the_file_system_says_so() {
    let policy = policy(RULES);
    for (command, needs) in [
        ("cat x", true),
        ("echo x", false),
        ("echo x > /tmp/a", true),
        ("echo x > /dev/null", false),
    ] {
        let verdict = judge(&policy, &Call::run(command).judged(), &NoFiles);
        assert_eq!(verdict == Err(NeedsFiles), needs, "{command}");
    }
}

#[test]
fn addresses_are_covered_but_denies_bite() {
    runs(
        RULES,
        &[
            ("allow", "curl https://good.example/x"),
            ("deny", "curl https://evil.example/x"),
            ("deny", "curl evil.example"),
            ("ask", "curl $URL"),
        ],
    );
}

#[test]
fn a_path_that_cannot_be_told_is_never_allowed() {
    let all = "default = \"allow\"\n";
    calls(
        all,
        &[
            ("ask", "read_file", r#"{"file_path":""}"#),
            ("ask", "read_file", r#"{"file_path":"a\u0000b"}"#),
            ("ask", "read_file", r#"{"file_path":"/proc/self/environ"}"#),
            ("allow", "read_file", r#"{"file_path":"/proc/cpuinfo"}"#),
        ],
    );
    let denied = "default = \"allow\"\n[[rule]]\neffect = \"deny\"\nreads = [\"/proc/**\"]\n";
    calls(denied, &[("deny", "read_file", r#"{"file_path":"/proc/self/environ"}"#)]);
}

#[test]
fn a_variable_without_a_value_allows_nothing() {
    let nowhere = PathContext {
        cwd: "/x".to_owned(),
        home: None,
        project: None,
        project_as: None,
        own: Vec::new(),
    };
    let compiled = |effect: &str| {
        let toml = format!(
            "[[rule]]\neffect = \"{effect}\"\nwrites = [\"${{project}}/**\", \"/tmp/**\"]\n"
        );
        Policy::compile(vec![document(&toml, LayerKind::Code, true)], &nowhere)
    };
    assert!(compiled("deny").is_err());
    let policy = compiled("allow").unwrap();
    for (path, expected) in [("/tmp/a", Effect::Allow), ("/x/a", Effect::Ask)] {
        let call = Call::new("write_file", &format!(r#"{{"file_path":"{path}"}}"#));
        assert_eq!(verdict(&policy, &call).effect, expected, "{path}");
    }
}
