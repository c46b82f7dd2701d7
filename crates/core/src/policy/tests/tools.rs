//! How tools are read.

use super::*;

const RULES: &str = r#"
[[rule]]
effect = "allow"
reads = ["${project}/**"]
writes = ["${project}/src/**"]
urls = ["https://docs.example"]
commands = ["ls", "git status"]
env = ["CI"]
[[rule]]
effect = "deny"
reads = ["**/secret/**"]
[[rule]]
tools = ["ask_user", "mcp__git__*"]
effect = "allow"
[[rule]]
tools = ["deploy*"]
effect = "deny"
"#;

/// Searches pass over hidden files, unless a glob names them.
#[test]
fn what_a_search_names_is_read() {
    let rules = r#"
[[rule]]
tools = ["grep"]
reads = ["${project}/**"]
effect = "allow"
[[rule]]
reads = ["**/secret.txt"]
effect = "deny"
"#;
    calls(
        rules,
        &[
            ("deny", "grep", r#"{"pattern":"x","glob":"secret.txt"}"#),
            ("deny", "grep", r#"{"pattern":"x","path":"src","glob":"a/secret.txt"}"#),
            ("deny", "grep", r#"{"pattern":"x","glob":"/work/app/secret.txt"}"#),
        ][..],
    );
    let rules = rules.replace("[[rule]]\nreads = [\"**/secret.txt\"]\neffect = \"deny\"\n", "");
    calls(
        &rules,
        &[
            ("allow", "grep", r#"{"pattern":"x"}"#),
            ("allow", "grep", r#"{"pattern":"x","glob":"*.rs"}"#),
            ("allow", "grep", r#"{"pattern":"x","glob":"src/**/*.{ts,tsx}"}"#),
            ("allow", "grep", r#"{"pattern":"x","glob":".prettierrc"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":".env"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":"**/.env"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":"{a,.env}"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":".e*"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":".e{nv,x}"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":".{env,x}"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":".ssh/*"}"#),
            ("ask", "grep", r#"{"pattern":"x","path":"src","glob":"./**/.npmrc"}"#),
            ("ask", "grep", r#"{"pattern":"x","glob":["a"]}"#),
        ][..],
    );
}

#[test]
fn a_file_with_the_name_of_a_shell_is_no_shell() {
    for name in ["shell", "executable"] {
        for (expected, shell) in [
            ("allow", "sh"),
            ("allow", "bash"),
            ("allow", "/bin/sh"),
            ("allow", "/usr/bin/bash"),
            ("ask", "./sh"),
            ("ask", "sub/bash"),
            ("ask", "../sh"),
            ("ask", "/tmp/bash"),
            ("ask", "/work/app/dash"),
            ("ask", "/usr/local/bin/bash"),
            ("ask", "/bin/../tmp/sh"),
            ("ask", "~/sh"),
            ("ask", "/sh"),
        ] {
            let args = format!(r#"{{"command":"git status","{name}":"{shell}"}}"#);
            calls(RULES, &[(expected, "execute", args.as_str())][..]);
        }
    }
}

#[test]
fn the_usual_tools_are_read() {
    calls(
        RULES,
        &[
            ("allow", "read_file", r#"{"file_path":"src/a.rs"}"#),
            ("allow", "read_file", r#"{"path":"/work/app/a"}"#),
            ("allow", "ReadFile", r#"{"filePath":"a"}"#),
            ("allow", "read-file", r#"{"filename":"a"}"#),
            ("ask", "read_file", r#"{"file_path":"../x"}"#),
            ("deny", "read_file", r#"{"file_path":"secret/a"}"#),
            ("ask", "read_file", r#"{"file_path":".env"}"#),
            ("allow", "write_file", r#"{"file_path":"src/a","content":"x"}"#),
            ("ask", "write_file", r#"{"file_path":"a","content":"x"}"#),
            ("allow", "edit_file", r#"{"file_path":"src/a","old_string":"x","new_string":"y"}"#),
            ("allow", "ls", "{}"),
            ("allow", "ls", r#"{"path":"src"}"#),
            ("ask", "ls", r#"{"path":"/etc"}"#),
            ("allow", "glob", r#"{"pattern":"*.rs"}"#),
            ("ask", "glob", r#"{"pattern":"/etc/*"}"#),
            ("ask", "glob", r#"{"pattern":"../*"}"#),
            ("ask", "glob", r#"{"pattern":"{a,../../etc}/*"}"#),
            ("ask", "move_file", r#"{"source":"src/a","destination":"b"}"#),
            // Whether it is a folder with something secret below cannot be told here.
            ("ask", "move_file", r#"{"source":"src/a","destination":"src/b"}"#),
            ("allow", "fetch_url", r#"{"url":"https://docs.example/x"}"#),
            ("deny", "fetch_url", r#"{"url":"file:///work/app/secret/a"}"#),
            ("deny", "fetch_url", r#"{"url":" FILE://localhost/work/app/%73ecret/a"}"#),
            ("ask", "web_fetch", r#"{"url":"https://docs.example.evil/x"}"#),
            ("allow", "execute", r#"{"command":"git status"}"#),
            ("allow", "bash", r#"{"cmd":"git status"}"#),
            ("ask", "bash", r#"{"command":"git status","env":{"X":"1"}}"#),
            ("allow", "bash", r#"{"command":"git status","env":{"CI":"1"}}"#),
        ][..],
    );
}

#[test]
fn what_cannot_be_read_is_unknown() {
    calls(
        &format!("default = \"allow\"\n{RULES}"),
        &[
            ("ask", "read_file", "{}"),
            ("ask", "read_file", r#"{"file_path":5}"#),
            ("ask", "read_file", r#"{"file_path":[]}"#),
            ("ask", "read_file", r#"{"file_path":"a","path":"b"}"#),
            ("allow", "read_file", r#"{"paths":["a","b"]}"#),
            ("deny", "read_file", r#"{"paths":["a","secret/b"]}"#),
            ("ask", "bash", r#"{"command":true}"#),
            ("ask", "bash", "{}"),
            ("ask", "bash", "[]"),
            ("ask", "bash", r#"{"command":[]}"#),
            ("ask", "bash", r#"{"command":"ls","cmd":"rm x"}"#),
            ("ask", "bash", r#"{"command":"ls","shell":"pwsh"}"#),
            ("ask", "bash", r#"{"command":"ls","env":"CI=1"}"#),
        ],
    );
}

#[test]
fn a_list_of_words_is_read_as_an_argv_and_as_a_line() {
    calls(
        RULES,
        &[
            ("allow", "execute", r#"{"command":["git","status"]}"#),
            ("ask", "execute", r#"{"command":["ls",";","rm","x"]}"#),
            ("allow", "execute", r#"{"command":["ls","a b"]}"#),
            ("ask", "execute", r#"{"command":["git status"]}"#),
            ("ask", "execute", r#"{"command":["bash","-c","make"]}"#),
            ("allow", "execute", r#"{"command":["bash","-c","ls; git status"]}"#),
            ("allow", "execute", r#"{"command":"git","args":["status"]}"#),
            ("ask", "execute", r#"{"command":"git","args":["status; rm x"]}"#),
            ("ask", "execute", r#"{"command":"git","args":"status"}"#),
        ],
    );
}

#[test]
fn a_directory_that_the_call_names_is_where_it_runs() {
    let rules = format!(
        "{RULES}\n[[rule]]\neffect = \"allow\"\nwrites = [\"/tmp/**\"]\ncommands = [\"echo\"]\n"
    );
    calls(
        &rules,
        &[
            ("allow", "bash", r#"{"command":"echo x > a","cwd":"src"}"#),
            ("ask", "bash", r#"{"command":"echo x > a","cwd":"docs"}"#),
            // A relative pattern stays where the host put it.
            ("ask", "bash", r#"{"command":"ls","cwd":"/tmp"}"#),
            ("deny", "bash", r#"{"command":"ls","cwd":"secret/a"}"#),
            ("ask", "bash", r#"{"command":"ls","cwd":5}"#),
        ],
    );
}

#[test]
fn other_tools_are_judged_by_their_names() {
    calls(
        RULES,
        &[
            ("allow", "ask_user", "{}"),
            ("ask", "book_flight", "{}"),
            ("deny", "deploy_now", "{}"),
            ("allow", "mcp__git__log", "{}"),
            ("ask", "mcp__github__log", "{}"),
        ],
    );
}

#[test]
fn a_server_can_call_its_tool_anything() {
    calls(
        RULES,
        &[
            // The name is no reason to allow it, but a deny still bites what it seems to read.
            ("ask", "mcp__files__read_file", r#"{"path":"a"}"#),
            ("deny", "mcp__git__read_file", r#"{"path":"secret/a"}"#),
            ("allow", "mcp__git__read_file", r#"{"path":"a"}"#),
            ("allow", "mcp__git__read_file", r#"{"id":7}"#),
        ],
    );
}

#[test]
fn a_document_says_how_tools_are_read() {
    let rules = format!(
        "[tools.run_it]\ncommand = \"input.script\"\nshell = \"bash\"\n[tools.save]\nwrite = \"to\"\n[tools.execute]\ncommand = \"script\"\n{RULES}"
    );
    calls(
        &rules,
        &[
            ("allow", "run_it", r#"{"input":{"script":"git status"}}"#),
            ("ask", "run_it", r#"{"input":{"script":"make"}}"#),
            ("ask", "run_it", r#"{"input":"git status"}"#),
            ("allow", "save", r#"{"to":"src/a"}"#),
            ("ask", "save", r#"{"to":"/x"}"#),
            ("allow", "execute", r#"{"script":"ls"}"#),
            ("ask", "execute", r#"{"command":"ls"}"#),
        ],
    );
}

#[test]
fn a_reading_that_nobody_trusts_only_tightens() {
    let user = document(RULES, LayerKind::User, true);
    let project = document(
        "[tools.execute]\ncommand = \"description\"\n[tools.deploy]\nread = \"x\"\n[tools.other]\nread = \"x\"",
        LayerKind::Project,
        false,
    );
    let policy = pooled(vec![project, user]);
    for (tool, args, expected) in [
        ("execute", r#"{"command":"make","description":"ls"}"#, Effect::Ask),
        ("execute", r#"{"command":"ls","description":"ls"}"#, Effect::Allow),
        ("deploy", r#"{"x":"a"}"#, Effect::Deny),
        ("other", r#"{"x":"a"}"#, Effect::Ask),
    ] {
        let verdict = verdict(&policy, &Call::new(tool, args));
        assert_eq!(verdict.effect, expected, "{tool} {args}: {verdict:#?}");
    }
}

#[test]
fn an_argument_that_no_reading_lists_asks() {
    let toml = "[tools.grep]\nignore = \"colour\"\n[tools.run_it]\ncommand = \"script\"\nignore = \"*\"\n[tools.put]\nwrite = \"to\"\n[[rule]]\neffect = \"allow\"\ncommands = [\"ls\", \"git status\"]\nreads = [\"${project}/**\"]\nwrites = [\"${project}/**\"]\nurls = [\"https://a.example/**\"]\n";
    let policy = policy(toml);
    for (tool, args, expected) in [
        ("read_file", r#"{"file_path":"a","offset":1,"limit":5}"#, Effect::Allow),
        ("read_file", r#"{"file_path":"a","base_dir":"../x"}"#, Effect::Ask),
        ("read_file", r#"{"file_path":"a","base_dir":null}"#, Effect::Allow),
        ("read_file", r#"{"file_path":"a","cwd":"../x"}"#, Effect::Ask),
        ("read_file", r#"{"file_path":"a","cwd":"src"}"#, Effect::Allow),
        ("write_file", r#"{"file_path":"a","content":"x"}"#, Effect::Allow),
        // A path to one tool, an address to another.
        ("write_file", r#"{"file_path":"file:///etc/x","content":"x"}"#, Effect::Ask),
        ("read_file", r#"{"file_path":"FILE:a"}"#, Effect::Ask),
        ("write_file", r#"{"file_path":"a","content":"x","cwd":"/home/me/.ssh"}"#, Effect::Ask),
        ("write_file", r#"{"file_path":"a","content":"x","cwd":".git/hooks"}"#, Effect::Ask),
        (
            "edit_file",
            r#"{"file_path":"a","old_string":"x","new_string":"y","root":"/"}"#,
            Effect::Ask,
        ),
        ("glob", r#"{"pattern":"*","cwd":"../x"}"#, Effect::Ask),
        ("glob", r#"{"pattern":"*"}"#, Effect::Allow),
        ("glob", r#"{"pattern":"*","base_path":"../x"}"#, Effect::Ask),
        ("grep", r#"{"pattern":"x","path":".","output_mode":"content","-n":true}"#, Effect::Allow),
        ("grep", r#"{"pattern":"x","hidden":true}"#, Effect::Ask),
        ("grep", r#"{"pattern":"x","hidden":false}"#, Effect::Ask),
        ("grep", r#"{"pattern":"x","files":[".env"]}"#, Effect::Ask),
        ("grep", r#"{"pattern":"x","args":["--hidden"]}"#, Effect::Ask),
        ("grep", r#"{"pattern":"x","colour":true}"#, Effect::Allow),
        ("execute", r#"{"command":"git status","description":"x","timeout":5}"#, Effect::Allow),
        ("execute", r#"{"command":"ls","working_dir":"../x"}"#, Effect::Ask),
        ("execute", r#"{"command":"ls","stdin_file":"a"}"#, Effect::Ask),
        ("execute", r#"{"command":"ls","interpreter":"python"}"#, Effect::Ask),
        ("execute", r#"{"command":"ls","variables":{"PATH":"."}}"#, Effect::Ask),
        ("fetch_url", r#"{"url":"https://a.example/x","method":"GET"}"#, Effect::Allow),
        ("fetch_url", r#"{"url":"https://a.example/x","save_to":"a"}"#, Effect::Ask),
        ("fetch_url", r#"{"url":"https://a.example/x","proxy":"https://b.example"}"#, Effect::Ask),
        ("read_many_files", r#"{"paths":["a.txt","src/b.txt"]}"#, Effect::Allow),
        ("read_many_files", r#"{"paths":[".e*"]}"#, Effect::Ask),
        ("read_many_files", r#"{"paths":["?env"]}"#, Effect::Ask),
        ("read_many_files", r#"{"paths":[".{env,x}"]}"#, Effect::Ask),
        ("read_many_files", r#"{"paths":["../x/*"]}"#, Effect::Ask),
        ("read_many_files", r#"{"paths":["a.txt"],"include":[".env"]}"#, Effect::Ask),
        ("terminal", r#"{"command":"ls","cd":"../x"}"#, Effect::Ask),
        ("run_command", r#"{"command":"ls","Cwd":"../x"}"#, Effect::Ask),
        ("run_it", r#"{"script":"ls","anything":1}"#, Effect::Allow),
        ("put", r#"{"to":"a"}"#, Effect::Allow),
        ("put", r#"{"to":"a","from":"/etc/x"}"#, Effect::Ask),
    ] {
        let verdict = verdict(&policy, &Call::new(tool, args));
        assert_eq!(verdict.effect, expected, "{tool} {args}: {verdict:#?}");
    }
}

#[test]
fn hints_of_a_tool_only_tighten() {
    let toml = "default = \"allow\"\n[[rule]]\neffect = \"ask\"\nannotations = { readOnlyHint = false }\n[[rule]]\ntools = [\"mcp__*\"]\neffect = \"deny\"\nannotations = { destructiveHint = true }\n";
    let policy = policy(toml);
    for (tool, hints, expected) in [
        ("a", &[][..], Effect::Ask),
        ("a", &[("readOnlyHint", true)], Effect::Allow),
        ("mcp__x", &[("readOnlyHint", true)], Effect::Deny),
        ("mcp__x", &[("readOnlyHint", true), ("destructiveHint", false)], Effect::Allow),
    ] {
        let mut call = Call::new(tool, "{}");
        call.hints = hints.iter().map(|(name, given)| ((*name).to_owned(), *given)).collect();
        assert_eq!(verdict(&policy, &call).effect, expected, "{tool} {hints:?}");
    }
}

#[test]
fn a_rule_for_whole_calls_covers_all_but_the_unknown() {
    let toml = "[[rule]]\ntools = [\"bash\", \"read_file\"]\neffect = \"allow\"\n";
    runs(
        toml,
        &[("allow", "make > out"), ("allow", "CI=1 make"), ("ask", "eval x"), ("ask", "cat .env")],
    );
    calls(toml, &[("allow", "read_file", r#"{"path":"/x"}"#), ("ask", "read_file", "{}")]);
}

#[test]
fn a_tool_of_a_server_is_none_of_ones_own_whatever_it_is_called() {
    use crate::policy::mcp_name;
    assert_eq!(mcp_name("git", "read_file"), "mcp__git__read_file");
    assert_eq!(mcp_name("git", "mcp__git__read_file"), "mcp__git__read_file");
    assert_eq!(mcp_name("git", "mcp__own__x"), "mcp__git__mcp__own__x");
    let rules = r#"
[[rule]]
effect = "allow"
tools = ["write_todos", "read_file", "get_*", "own"]
[[rule]]
effect = "allow"
mcp = "git"
tools = ["log", "show_*"]
[[rule]]
effect = "allow"
mcp = ["all", "more", "two_parts"]
[[rule]]
effect = "deny"
tools = ["show_secret"]
[[rule]]
effect = "deny"
reads = ["**/key"]
"#;
    let policy = policy(rules);
    for (expected, server, tool) in [
        ("allow", None, "write_todos"),
        ("ask", Some("git"), "write_todos"),
        ("ask", Some(""), "write_todos"),
        ("ask", Some(""), "read_file"),
        ("ask", Some("git"), "get_x"),
        ("allow", Some("git"), "log"),
        ("allow", Some("git"), "mcp__git__log"),
        ("ask", Some("other"), "mcp__git__log"),
        ("ask", Some(""), "mcp__git__log"),
        ("allow", Some("git"), "show_x"),
        ("ask", None, "log"),
        ("allow", Some("all"), "anything"),
        ("allow", Some("more"), "anything"),
        // A deny means it by any of its names.
        ("deny", Some("git"), "show_secret"),
        ("deny", Some("all"), "show_secret"),
        ("allow", Some("two_parts"), "show"),
        ("deny", Some("two_parts"), "show_secret"),
        ("deny", None, "show_secret"),
    ] {
        let name = server.map_or_else(|| tool.to_owned(), |server| mcp_name(server, tool));
        let verdict = verdict(&policy, &Call::new(&name, r#"{"path":"a"}"#));
        assert_eq!(verdict.effect, effect(expected), "{server:?} {tool}: {verdict:#?}");
    }
    let key = Call::new("mcp__all__read_file", r#"{"path":"a/key"}"#);
    assert_eq!(verdict(&policy, &key).effect, Effect::Deny);
}

#[test]
fn a_pattern_of_servers_allows_no_tool_whose_name_has_what_it_names_behind_more() {
    let rule = |servers: &str, tool: &str, effect: &str| {
        policy(&format!(
            "default = \"ask\"\n[[rule]]\nmcp = \"{servers}\"\ntools = [\"{tool}\"]\neffect = \"{effect}\"\n"
        ))
    };
    for (servers, tool, name, expected) in [
        ("a*", "c", "mcp__a__b__c", "ask"),
        ("a*", "c", "mcp__ab__c", "allow"),
        ("a*", "c", "mcp__a__c", "allow"),
        ("a*", "c", "mcp__abc__x__c", "ask"),
        ("a*", "b__c", "mcp__a__b__c", "allow"),
        ("*", "get_*", "mcp__a__del__get_x", "ask"),
        ("*", "get_*", "mcp__a_b__get_x", "allow"),
        ("*", "get_*", "mcp__a__get_x__y", "allow"),
        ("*", "_c", "mcp__a___c", "allow"),
        ("*", "c", "mcp__a___c", "ask"),
        ("*", "*", "mcp__a__b__c", "allow"),
    ] {
        let verdict = verdict(&rule(servers, tool, "allow"), &Call::new(name, "{}"));
        assert_eq!(verdict.effect, effect(expected), "{servers} {tool} {name}");
    }
    // The same names, written whole.
    let whole = policy("[[rule]]\ntools = [\"mcp__*__get_*\"]\neffect = \"allow\"\n");
    assert_eq!(verdict(&whole, &Call::new("mcp__a__del__get_x", "{}")).effect, Effect::Ask);
    // Other clients may have put `__` into the name of a server: a deny means both.
    for name in ["mcp__a__b__c", "mcp__ab__c"] {
        let denied = verdict(&rule("a*", "c", "deny"), &Call::new(name, "{}"));
        assert_eq!(denied.effect, Effect::Deny, "{name}");
    }
}
