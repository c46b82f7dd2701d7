//! What each format becomes, shown by a compact text: one line for a rule.

use proptest::prelude::*;

use super::super::Effect;
use super::super::document::{Document, Format as Written, Rule, Token, load, to_toml};
use super::*;
use crate::cases::cases;

fn word(token: &Token) -> String {
    match token {
        Token::Text(text) => text.clone(),
        Token::Like(text) => format!("~{text}"),
        Token::OneOf(texts) => texts.join("|"),
        Token::Any => "*".to_owned(),
        Token::Rest => "**".to_owned(),
    }
}

fn line(rule: &Rule) -> String {
    let mut line = format!("{:?}", rule.effect).to_lowercase();
    for command in &rule.commands {
        let words: Vec<String> = command.value.tokens.iter().map(word).collect();
        line += &format!(" `{}`", words.join(" "));
    }
    for (name, globs) in [("reads", &rule.reads), ("writes", &rule.writes), ("urls", &rule.urls)] {
        let globs: Vec<&str> = globs.iter().map(|glob| glob.value.as_str()).collect();
        if !globs.is_empty() {
            line += &format!(" {name} {}", globs.join(" "));
        }
    }
    if rule.commands.is_empty()
        && rule.reads.is_empty()
        && rule.writes.is_empty()
        && rule.urls.is_empty()
    {
        line += &format!(" tools {}", rule.tools.as_deref().unwrap_or_default().join(" "));
    }
    line
}

fn imported(from: Format, text: &str) -> Imported {
    match import(from, text, &Options::default()) {
        Ok(imported) => imported,
        Err(error) => panic!("{from}: {error}: {text}"),
    }
}

/// The rules as lines, and the number of losses.
fn lines(from: Format, text: &str) -> (Vec<String>, usize) {
    let imported = imported(from, text);
    (imported.document.rules.iter().map(line).collect(), imported.losses.len())
}

/// Whether a policy reads back as the same from what is written of it.
fn reads_back(document: &Document) {
    let text = to_toml(document).unwrap();
    let read = load(&text, Written::Toml, document.source.clone());
    let read = read.unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    let lines = |document: &Document| document.rules.iter().map(line).collect::<Vec<_>>();
    assert_eq!(lines(&read), lines(document), "{text}");
    assert_eq!((read.default, read.matching), (document.default, document.matching), "{text}");
}

/// One rule in each list, the rules that it becomes, and how many losses there are.
fn check(from: Format, text: &str, expected: &[&str], losses: usize) {
    let (lines, lost) = lines(from, text);
    assert_eq!(lines, expected, "{text}");
    assert_eq!(lost, losses, "{text}: {:#?}", imported(from, text).losses);
    reads_back(&imported(from, text).document);
}

fn claude(list: &str, rules: &[&str]) -> String {
    serde_json::json!({ "permissions": { list: rules } }).to_string()
}

#[test]
fn claude_allows_are_narrowed() {
    let rows: &[(&str, &[&str], usize)] = &[
        ("Bash(npm run *)", &["allow `npm run`"], 0),
        ("Bash(git diff:*)", &["allow `git diff`"], 0),
        ("Bash(npm test)", &["allow `npm test`", "ask `npm test *`"], 0),
        ("Bash(ls*)", &["allow `~ls*`"], 0),
        ("Bash(git * main)", &["allow `git * main`", "ask `git * main *`"], 1),
        ("Bash", &["allow tools execute bash shell"], 1),
        ("Bash(*)", &["allow tools execute bash shell"], 1),
        ("Bash(CI=1 npm test)", &[], 1),
        ("Bash(git commit -m \"x *\")", &[], 1),
        ("Bash(cd x && npm test)", &[], 1),
        ("Bash(npm", &[], 1),
        ("Read(//etc/hosts.d/*.conf)", &["allow reads /etc/hosts.d/*.conf"], 1),
        ("Read(~/notes/**)", &["allow reads ~/notes/**"], 0),
        ("Read(/docs/**)", &["allow reads ${project}/docs/**"], 0),
        ("Read(./x.md)", &["allow reads ${cwd}/x.md"], 0),
        ("Read(x.md)", &["allow reads ${cwd}/**/x.md"], 0),
        ("Read(./**)", &["allow reads ${cwd}/**"], 0),
        ("Read(**/x.md)", &["allow reads ${cwd}/**/x.md"], 0),
        ("Read(docs)", &["allow reads ${cwd}/**/docs"], 1),
        ("Read(a{b)", &["allow reads ${cwd}/**/a\\{b"], 1),
        ("Read(../x.md)", &[], 1),
        ("Read([ab].md)", &[], 1),
        ("Edit(/src/**)", &["allow writes ${project}/src/**"], 0),
        ("Write(/src/**)", &[], 1),
        ("Write", &["allow tools write_file"], 0),
        ("WebFetch(domain:example.com)", &["allow urls example.com"], 0),
        ("WebFetch(domain:exa mple.com)", &[], 1),
        ("mcp__files__read", &["allow tools mcp__files__read"], 0),
        ("mcp__files", &["allow tools mcp__files mcp__files__*"], 0),
        ("Agent(explore)", &[], 1),
        ("e*", &[], 1),
        ("execute", &[], 1),
    ];
    for (rule, expected, losses) in rows {
        check(Format::ClaudeCode, &claude("allow", &[rule]), expected, *losses);
    }
}

#[test]
fn claude_denies_are_widened() {
    let rows: &[(&str, &[&str], usize)] = &[
        ("Bash(rm *)", &["deny `rm`"], 0),
        ("Bash(rm*)", &["deny `~rm*`"], 0),
        ("Bash(rm)", &["deny `rm`"], 1),
        ("Bash(git * main)", &["deny `git`"], 1),
        ("Bash(git push --force*)", &["deny `git push ~--force*`"], 0),
        ("Bash(CI=1 npm publish *)", &["deny `npm publish`"], 1),
        ("Bash(echo \"x\" *)", &["deny `echo`"], 1),
        ("Bash(* --force)", &["deny `* --force`", "ask `*`"], 1),
        ("Bash(if *)", &["deny `if`", "ask `*`"], 1),
        ("Bash(rm -rf /)*", &["deny tools execute bash shell Bash", "deny `*`"], 1),
        ("Read(./.env)", &["deny reads ${cwd}/.env ${cwd}/.env/**"], 0),
        ("Read(.env)", &["deny reads ${cwd}/**/.env ${cwd}/**/.env/**"], 0),
        ("Read(//etc/)", &["deny reads /etc /etc/**"], 0),
        ("Read(//)", &["deny reads /**"], 0),
        ("Read(/a[bc]d/x)", &["deny reads ${project}/a* ${project}/a*/**"], 1),
        ("Write(/src/**)", &["deny writes ${project}/src/**"], 0),
        ("WebFetch(domain:example.com)", &["deny urls example.com *.example.com"], 0),
        ("WebFetch(example)", &["deny tools fetch_url web_fetch WebFetch http_request"], 1),
        ("Agent(explore)", &["deny tools Agent"], 1),
        // The bare name is the widest: commands and other tools read and write as well.
        (
            "Read",
            &["deny reads /**", "deny tools read_file ls glob grep Read Grep Glob LS NotebookRead"],
            0,
        ),
        (
            "Edit",
            &[
                "deny writes /**",
                "deny tools write_file edit_file Edit Write MultiEdit NotebookEdit",
            ],
            0,
        ),
        ("Write", &["deny writes /**", "deny tools write_file Write"], 0),
    ];
    for (rule, expected, losses) in rows {
        check(Format::ClaudeCode, &claude("deny", &[rule]), expected, *losses);
    }
}

#[test]
fn claude_exact_commands_mind_each_other() {
    let both = claude("allow", &["Bash(npm test)", "Bash(npm *)"]);
    check(Format::ClaudeCode, &both, &["allow `npm`"], 0);
    let longer = claude("allow", &["Bash(npm test)", "Bash(npm test --ci)"]);
    check(Format::ClaudeCode, &longer, &["allow `npm test --ci`", "ask `npm test --ci *`"], 1);
}

#[test]
fn claude_modes() {
    let rows: &[(&str, Option<super::super::Effect>, &[&str])] = &[
        ("default", None, &["allow `ls`", "ask `cat`"]),
        ("acceptEdits", None, &["allow writes ${project}/**", "allow `ls`", "ask `cat`"]),
        ("dontAsk", Some(super::super::Effect::Deny), &["allow `ls`", "deny `cat`"]),
        ("plan", Some(super::super::Effect::Deny), &["ask `cat`"]),
        ("bypassPermissions", None, &["allow `ls`", "ask `cat`"]),
    ];
    for (mode, default, expected) in rows {
        let text = format!(
            r#"{{ // with a comment
            "permissions": {{ "allow": ["Bash(ls *)"], "ask": ["Bash(cat *)"], "defaultMode": "{mode}", }} }}"#
        );
        let imported = imported(Format::ClaudeCode, &text);
        assert_eq!(imported.document.default, *default, "{mode}");
        let lines: Vec<String> = imported.document.rules.iter().map(line).collect();
        assert_eq!(lines, *expected, "{mode}");
    }
}

#[test]
fn codex_rules() {
    let rows: &[(&str, &[&str], usize)] = &[
        ("prefix_rule(pattern=['git', 'status'])", &["allow `git status`"], 0),
        (
            "# all of it\nprefix_rule(\n  pattern = [\"npm\", [\"i\", '''ci''']],\n  decision = \"prompt\", # why\n)",
            &["ask `npm i|ci`"],
            0,
        ),
        (
            r#"prefix_rule(pattern=["rm"], decision="forbidden", match=["rm x", ["rm", "y"]])"#,
            &["deny `rm`"],
            0,
        ),
        (r#"prefix_rule(pattern=["ls", "*"])"#, &[], 1),
        (r#"prefix_rule(pattern=["ls", "*"], decision="prompt")"#, &["ask `ls`"], 1),
        (r#"host_executable(name="git", paths=["/usr/bin/git"])"#, &[], 1),
        (r#"network_rule(host="example.com", protocol="https", decision="allow")"#, &[], 1),
        (
            r#"network_rule(host="example.com", protocol="https", decision="deny")"#,
            &["deny urls example.com"],
            0,
        ),
    ];
    for (text, expected, losses) in rows {
        check(Format::Codex, text, expected, *losses);
    }
}

#[test]
fn codex_refuses_what_it_does_not_understand() {
    let rows = [
        ("x = 1", "`(` is expected"),
        ("for x in y: pass", "`(` is expected"),
        ("load('x')", "a name is expected"),
        ("other_rule(pattern=['x'])", "`other_rule` is not known"),
        ("prefix_rule(pattern=[])", "`pattern` must be"),
        ("prefix_rule(pattern=['x'], decision='perhaps')", "the decision must be"),
        ("prefix_rule(pattern=['x'], justification=' ')", "the justification is empty"),
        ("prefix_rule(pattern=['x'], not_match=['x y'])", "matches its example"),
        ("prefix_rule(pattern=['x'], match=['y'])", "does not match its example"),
        ("prefix_rule(pattern=['x]", "does not end"),
        ("prefix_rule(patern=['x'])", "`patern` is not known"),
        ("prefix_rule(pattern=['x'] + ['y'])", "`)` is expected"),
        ("network_rule(host='*', protocol='http', decision='allow')", "without `*`"),
        ("host_executable(name='git', paths=['git'])", "must be absolute"),
        ("host_executable(name='/bin/git', paths=[])", "without a directory"),
    ];
    for (text, message) in rows {
        let error = import(Format::Codex, text, &Options::default()).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(error.at.line, 1, "{text}");
    }
}

#[test]
fn gemini_rules() {
    let rows: &[(&str, &[&str], usize)] = &[
        (
            "toolName='run_shell_command'\ncommandPrefix='git'\ndecision='allow'",
            &["allow `git`"],
            0,
        ),
        (
            "toolName='run_shell_command'\ncommandPrefix=['git log', 'ls']\ndecision='deny'",
            &["deny `git log`", "deny `ls`"],
            0,
        ),
        (
            "commandRegex='git (log|status)\\b'\ndecision='allow'",
            &["allow `git log`", "allow `git status`"],
            2,
        ),
        ("commandRegex='^rm -r'\ndecision='deny'", &["deny `rm ~-r*`"], 0),
        ("commandRegex='.*--force'\ndecision='deny'", &["deny `~*--force*`", "ask `*`"], 1),
        ("commandRegex='.*'\ndecision='deny'", &["deny `*`"], 0),
        ("commandRegex='rm|ls'\ndecision='deny'", &["deny `~rm*`", "deny `~ls*`"], 0),
        ("toolName='run_shell_command'\ndecision='allow'", &["allow `*`"], 0),
        ("toolName='read_file'\ndecision='allow'", &["allow reads ${project}/**"], 0),
        ("toolName='write_file'\nargsPattern='x'\ndecision='allow'", &[], 1),
        ("toolName='write_file'\nargsPattern='x'\ndecision='deny'", &["deny tools write_file"], 1),
        ("toolName='write_file'\nmodes=['yolo']\ndecision='allow'", &[], 1),
        ("toolName='*_file'\ndecision='allow'", &[], 1),
        ("mcpName='db'\ntoolName='query'\ndecision='allow'", &["allow tools mcp__db__query"], 0),
        ("mcpName='db'\ndecision='deny'", &["deny tools mcp__db__* mcp_db_*"], 0),
        ("toolName='*'\ndecision='ask_user'", &["ask tools *"], 0),
        ("mcpName='S'\ntoolName='mcp_S_x'\ndecision='allow'", &["allow tools mcp__S__x"], 0),
    ];
    for (rule, expected, losses) in rows {
        let (lines, lost) = lines(Format::GeminiCli, &format!("[[rule]]\n{rule}\npriority = 1\n"));
        assert_eq!(lines, *expected, "{rule}");
        assert_eq!(lost, *losses, "{rule}");
    }
}

/// Whatever way a rule names the tools of a server, it meets them as they are called here.
#[test]
fn gemini_denies_of_servers_are_not_lost() {
    for rule in [
        "mcpName='S'\ntoolName='mcp_S_*'",
        "mcpName='S'\ntoolName='mcp_S_drop'",
        "mcpName='S'\ntoolName='mcp__S__*'",
        "mcpName='S'\ntoolName='S__drop'",
        "mcpName='S'\ntoolName='*'",
        "mcpName='S'\ntoolName='dr*'",
        "mcpName='S'",
        "mcpName=['T', 'S']\ntoolName=['x', 'drop']",
        "mcpName='*'",
        "mcpName='*'\ntoolName='drop'",
        "toolName='mcp_S_*'",
        "toolName='mcp_S_drop'",
        "toolName='mcp_*'",
        "toolName='S__*'",
        "toolName='S__drop'",
        "toolName='*'",
        "toolName='mcp__S__drop'",
    ] {
        for decision in ["deny", "ask_user"] {
            let text = format!("[[rule]]\n{rule}\ndecision='{decision}'\n");
            let imported = imported(Format::GeminiCli, &text);
            let meets = imported.document.rules.iter().any(|rule| {
                let names = rule.tools.iter().flatten();
                rule.effect != Effect::Allow
                    && names
                        .into_iter()
                        .any(|name| crate::policy::compile::wild(name, "mcp__S__drop"))
            });
            assert!(meets, "{text}: {:#?}", imported.document.rules);
        }
    }
    for (name, tool) in
        [("mcp_my_server_*", "mcp__my_server__x"), ("mcp_my_server_x", "mcp__my_server__x")]
    {
        let text = format!("[[rule]]\ntoolName='{name}'\ndecision='deny'\n");
        let imported = imported(Format::GeminiCli, &text);
        let names = imported.document.rules.iter().filter_map(|rule| rule.tools.as_ref()).flatten();
        let meets = names.into_iter().any(|name| crate::policy::compile::wild(name, tool));
        assert!(meets, "{name}");
    }
}

#[test]
fn gemini_priorities_are_the_order() {
    let text = "[[rule]]\ntoolName='*'\ndecision='deny'\npriority=1\n\
        [[rule]]\ncommandPrefix='ls'\ntoolName='run_shell_command'\ndecision='allow'\npriority=900\n";
    check(Format::GeminiCli, text, &["allow `ls`", "deny tools *"], 0);
    let imported =
        imported(Format::GeminiCli, "# x\n\n[[rule]]\nargsPattern='x'\ndecision='allow'");
    assert_eq!(
        imported.losses.first().map(|loss| (loss.at.line, loss.what.as_str())),
        Some((3, "[[rule]]\nargsPattern='x'\ndecision='allow'"))
    );
}

#[test]
fn opencode_rules_stand_the_other_way_round() {
    let free = r#""external_directory": "allow", "#;
    let rows: &[(&str, &[&str], usize)] = &[
        (
            r#""bash": {"*": "ask", "git *": "allow", "git push*": "deny"}"#,
            &["deny `git ~push*`", "allow `git`", "ask tools execute bash shell", "ask `*`"],
            0,
        ),
        (
            r#""bash": {"*": "deny", "npm test": "allow"}"#,
            &["deny `npm test *`", "allow `npm test`", "deny tools execute bash shell", "deny `*`"],
            0,
        ),
        (
            r#""bash": {"*": "deny", "* --x": "ask"}"#,
            &["ask `* --x`", "deny `*`", "deny tools execute bash shell", "deny `*`"],
            1,
        ),
        (
            r#""edit": {"*": "ask", "src/*": "allow"}"#,
            &[
                "allow writes ${project}/src/**",
                "ask tools write_file edit_file edit write patch multiedit edit",
            ],
            0,
        ),
        (r#""read": {"*.env": "deny"}"#, &["deny reads /**/*.env /**/*/**/*.env"], 0),
        (r#""read": {"~/.ssh/*": "deny"}"#, &["deny reads ~/.ssh/**"], 0),
        (r#""read": {"a*/b": "deny"}"#, &["deny reads ${project}/a* a* ${project}/a*/** a*/**"], 1),
        (r#""read": "allow""#, &["allow tools read_file"], 0),
        (
            r#""webfetch": {"https://example.com/*": "allow"}"#,
            &["allow urls https://example.com/**"],
            0,
        ),
        (
            r#""webfetch": {"*": "deny"}"#,
            &["deny tools fetch_url web_fetch http_request webfetch"],
            0,
        ),
        (r#""mcp_*": "allow""#, &["allow tools mcp_*"], 0),
        (r#""*": "allow""#, &["allow tools *"], 1),
        (r#""task": {"x": "deny"}"#, &["deny tools task"], 1),
    ];
    for (rules, expected, losses) in rows {
        check(Format::Opencode, &format!("{{ {free} {rules} }}"), expected, *losses);
    }
}

#[test]
fn opencode_asks_outside_of_the_project() {
    let (lines, _) = lines(Format::Opencode, r#"{ "bash": "allow", "read": "allow" }"#);
    let outside = "/** !${project} !${project}/**";
    assert_eq!(lines.first().map(String::as_str), Some(format!("ask reads {outside}").as_str()));
    assert!(lines.contains(&"allow reads ${project}/**".to_owned()), "{lines:?}");
    assert!(lines.contains(&format!("ask writes {outside}")), "{lines:?}");
}

#[test]
fn vscode_rules() {
    let rows: &[(&str, &[&str], usize)] = &[
        (r#""echo": true"#, &["allow `echo`"], 1),
        (r#""git push": false"#, &["ask `git ~push*`"], 1),
        (
            r#""/^git (status|show\\b.*)$/": true"#,
            &["allow `git status`", "ask `git status *`", "allow `git show`"],
            1,
        ),
        (r#""/^rm\\s+/": false"#, &["ask `rm`"], 1),
        (r#""/^git\\s+/i": true"#, &["allow `git *`"], 1),
        (r#""/rm|del/": false"#, &["ask `*`"], 1),
        (r#""/.*/": true"#, &["allow `*`"], 0),
        (r#""/(x|)*/": true"#, &[], 1),
        (r#""//": true"#, &[], 1),
        (r#""/^a[bc]/": true"#, &[], 1),
        (r#""/^(?!rm)\\w+/": true"#, &[], 1),
        (r#""npm": { "approve": true, "matchCommandLine": true }"#, &[], 1),
        (r#""npm": null"#, &[], 1),
        (r#""": true"#, &[], 1),
        (r#""bin/x": true"#, &["allow `bin/x`", "allow `./bin/x`"], 2),
    ];
    for (rule, expected, losses) in rows {
        // Where something is allowed, the editor's own rules are missed.
        let missed = usize::from(expected.iter().any(|line| line.starts_with("allow")));
        let losses = losses + missed;
        check(Format::Vscode, &format!("{{ {rule} }}"), expected, losses);
        let settings =
            format!("{{ /* mine */ \"chat.tools.terminal.autoApprove\": {{ {rule}, }} }}");
        check(Format::Vscode, &settings, expected, losses);
    }
    let off = r#"{ "chat.tools.terminal.autoApprove": {"ls": true}, "chat.tools.terminal.enableAutoApprove": false }"#;
    check(Format::Vscode, off, &[], 1);
}

/// Old names of settings go on counting in the editor, and new ones come.
#[test]
fn each_setting_of_vscode_that_is_not_read_is_told() {
    let approve = r#""chat.tools.terminal.autoApprove": {"echo": true}"#;
    for other in [
        r#""chat.agent.terminal.autoApprove": {"git push": false}"#,
        r#""chat.agent.terminal.denyList": {"git fetch": true}"#,
        r#""chat.tools.terminal.denyList": {"git fetch": true}"#,
        r#""github.copilot.chat.agent.terminal.denyList": {}"#,
        r#""chat.some.new.guard": true"#,
    ] {
        // One more for the editor's own rules.
        check(Format::Vscode, &format!("{{ {approve}, {other} }}"), &["allow `echo`"], 3);
    }
    check(Format::Vscode, &format!("{{ {approve}, \"editor.tabSize\": 2 }}"), &["allow `echo`"], 2);
}

#[test]
fn what_is_no_such_text_is_refused_with_its_place() {
    let rows = [
        (Format::ClaudeCode, "[]", 1),
        (Format::ClaudeCode, "{\n\"permissions\": []}", 2),
        (Format::ClaudeCode, "{\"permissions\": {\"deny\": [\n1]}}", 2),
        (Format::ClaudeCode, "{\"permissions\": {\"deny\": [],\n\"deny\": []}}", 2),
        (Format::GeminiCli, "[[rule]]\ndecision = 'perhaps'", 1),
        (Format::GeminiCli, "[[rule]]\ndecision = 'deny'\npriorty = 1", 1),
        (Format::GeminiCli, "[[rule]\n", 1),
        (Format::Opencode, "{\n\"bash\": \"perhaps\"}", 2),
        (Format::Vscode, "{\"ls\": 1}", 1),
    ];
    for (from, text, expected) in rows {
        let error = import(from, text, &Options::default()).unwrap_err();
        assert_eq!(error.at.line, expected, "{text}: {error}");
    }
    assert!("cursor".parse::<Format>().is_err());
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>(), Ok(format));
    }
}

#[test]
fn large_and_deep_texts_end_soon() {
    let deep = "[".repeat(100_000);
    let many =
        format!("{{\"permissions\":{{\"deny\":[{}]}}}}", vec!["\"Bash(x *)\""; 50_000].join(","));
    let calls = "prefix_rule(pattern=['a'])".repeat(20_000);
    let group = format!("{{\"/{}/\": true}}", "(a|b)".repeat(50_000));
    let nested = format!("{{\"/{}/\": true}}", "(".repeat(300_000));
    for text in [&deep, &many, &calls, &group, &nested, &"a".repeat(LONGEST + 1)] {
        for format in Format::ALL {
            let _ = import(format, text, &Options::default());
        }
    }
}

proptest! {
    #![proptest_config(cases(64, 256))]

    #[test]
    fn no_text_makes_it_panic(text in ".{0,80}") {
        for format in Format::ALL {
            let _ = import(format, &text, &Options::default());
        }
    }

    #[test]
    fn no_rule_makes_it_panic(rule in "[A-Za-z*?(){}\\[\\]|^$\\\\/~!:. +\"'-]{0,24}") {
        let list = claude("allow", &[&format!("Bash({rule})"), &format!("Read({rule})"), &rule]);
        let map = serde_json::json!({ rule.as_str(): true, format!("/{rule}/"): false, "x": true }).to_string();
        let permission = serde_json::json!({ "bash": { rule.as_str(): "deny" }, "read": { rule.as_str(): "allow" } });
        reads_back(&imported(Format::ClaudeCode, &list).document);
        reads_back(&imported(Format::ClaudeCode, &list.replace("allow", "deny")).document);
        reads_back(&imported(Format::Opencode, &permission.to_string()).document);
        let _ = import(Format::Vscode, &map, &Options::default());
        let gemini = format!("[[rule]]\ndecision='deny'\ncommandRegex='''{rule}'''");
        let _ = import(Format::GeminiCli, &gemini, &Options::default());
        let _ = import(Format::Codex, &rule, &Options::default());
    }
}
