use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::cases::cases;
use crate::policy::Effect;

mod errors;
mod hostile;

fn source() -> PolicySource {
    PolicySource { layer: LayerKind::User, name: Arc::from("policy.toml"), trusted: true }
}

fn toml(text: &str) -> Result<PolicyDocument, Vec<DocumentError>> {
    read(text, DocumentFormat::Toml, source())
}

fn errors(text: &str, format: DocumentFormat) -> Vec<String> {
    let source = match format {
        DocumentFormat::Object => {
            PolicySource { layer: LayerKind::Code, name: Arc::from("policy option"), trusted: true }
        }
        DocumentFormat::Json => PolicySource { name: Arc::from("policy.json"), ..source() },
        DocumentFormat::Toml => source(),
    };
    match read(text, format, source) {
        Ok(_) => vec![],
        Err(errors) => errors
            .iter()
            .map(|error| format!("{} {error}", error.code.name().trim_start_matches("ERR_POLICY_")))
            .collect(),
    }
}

const EVERYTHING: &str = r##"
"$schema" = "https://example.com/policy.schema.json"
version = 1
default = "ask"
match = "first"
forbid = ["auto", "deny-all-asks"]

[tools.run_it]
command = "input.command"
read = ["from", "also"]
cwd = "cwd"
shell = "sh"

[[rule]]
tools = "run_*"
effect = "allow"
reason = "read only"
commands = ["git status", "git  log '**' \"a b\"", ["cargo", ["test", "check"], "*"], "npm run **"]
env = ["CI", "NPM_*"]

[[rule]]
tools = ["*"]
effect = "deny"
reads = ["~/.ssh/**", "!~/.ssh/*.pub"]
writes = "/etc/**"
urls = ["https://*.example.com/**"]
annotations = { destructiveHint = true }
"##;

#[test]
fn everything_is_read() {
    let document = toml(EVERYTHING).unwrap();
    assert_eq!(document.default, Some(Effect::Ask));
    assert_eq!(document.matching, MatchOrder::First);
    assert_eq!(document.forbid, [PolicyMode::Auto, PolicyMode::DenyAllAsks]);
    let reading = &document.tools["run_it"];
    assert_eq!(reading.at, DocumentPlace { line: 8, column: 8 });
    assert_eq!(reading.value.command, ["input.command"]);
    assert_eq!(reading.value.read, ["from", "also"]);
    assert_eq!(reading.value.shell.as_deref(), Some("sh"));

    let [first, second] = document.rules.as_slice() else { panic!("{:?}", document.rules) };
    assert_eq!((first.at, first.index), (DocumentPlace { line: 14, column: 1 }, 0));
    assert_eq!((second.at, second.index), (DocumentPlace { line: 21, column: 1 }, 1));
    assert_eq!(first.tools.as_deref(), Some(&["run_*".to_owned()][..]));
    assert_eq!(first.reason.as_deref(), Some("read only"));
    let text = |text: &str| PatternToken::Text(text.to_owned());
    let tokens: Vec<_> =
        first.commands.iter().map(|command| command.value.tokens.clone()).collect();
    assert_eq!(
        tokens,
        [
            vec![text("git"), text("status")],
            vec![text("git"), text("log"), text("**"), text("a b")],
            vec![
                text("cargo"),
                PatternToken::OneOf(vec!["test".into(), "check".into()]),
                PatternToken::Any
            ],
            vec![text("npm"), text("run"), PatternToken::Rest],
        ]
    );
    assert_eq!(first.commands[0].at, DocumentPlace { line: 18, column: 13 });
    assert_eq!(first.env[1].value, "NPM_*");
    assert_eq!(second.reads[1].value, "!~/.ssh/*.pub");
    assert_eq!(second.writes.len(), 1);
    assert!(second.annotations["destructiveHint"]);
}

#[test]
fn a_text_of_json_that_goes_over_several_lines_is_refused() {
    let text =
        "{\"version\":1,\"rule\":[{\"effect\":\"deny\",\"reason\":\"a\nb\",\"tools\":[\"x\"]}]}";
    let told = errors(text, DocumentFormat::Json);
    assert!(told.iter().any(|it| it.contains("several lines")), "{told:?}");
}

#[test]
fn json_and_objects_say_the_same() {
    let text = r#"// a comment
    { "version": 1, "default": "ask", "match": "first", "forbid": ["auto", "deny-all-asks"],
      "tools": { "run_it": { "command": "input.command", "read": ["from", "also"], "cwd": "cwd", "shell": "sh" } },
      "rule": [
        { "tools": "run_*", "effect": "allow", "reason": "read only", "env": ["CI", "NPM_*"],
          "commands": ["git status", "git  log '**' \"a b\"", ["cargo", ["test", "check"], "*"], "npm run **"] },
        { "tools": ["*"], "effect": "deny", "reads": ["~/.ssh/**", "!~/.ssh/*.pub"], "writes": "/etc/**",
          "urls": ["https://*.example.com/**"], "annotations": { "destructiveHint": true } },
      ] }"#;
    let places =
        |document: &PolicyDocument| document.rules.iter().map(|rule| rule.at).collect::<Vec<_>>();
    let json = read(text, DocumentFormat::Json, source()).unwrap();
    assert_eq!(
        places(&json),
        [DocumentPlace { line: 5, column: 9 }, DocumentPlace { line: 7, column: 9 }]
    );
    let object = read(text, DocumentFormat::Object, source()).unwrap();
    assert_eq!(places(&object), [DocumentPlace::default(); 2]);
    let bare = |document: &PolicyDocument| without_places(document);
    assert_eq!(bare(&json), bare(&toml(EVERYTHING).unwrap()));
    assert_eq!(bare(&object), bare(&json));
}

/// For comparing documents that are written differently.
pub(super) fn without_places(document: &PolicyDocument) -> PolicyDocument {
    fn clear<T>(list: &mut [PlacedValue<T>]) {
        list.iter_mut().for_each(|item| item.at = DocumentPlace::default());
    }
    let mut document = document.clone();
    document.tools.values_mut().for_each(|tool| tool.at = DocumentPlace::default());
    if let Some(NetworkRule::Hosts(hosts)) = &mut document.network {
        clear(hosts);
    }
    for rule in &mut document.rules {
        rule.at = DocumentPlace::default();
        clear(&mut rule.commands);
        let _ = [&mut rule.reads, &mut rule.writes, &mut rule.urls, &mut rule.env]
            .map(|list| clear(list));
        clear(&mut rule.examples.matching);
        clear(&mut rule.examples.not_matching);
    }
    document
}

#[test]
fn commands_that_can() {
    let text = |text: &str| PatternToken::Text(text.to_owned());
    for (command, expected) in [
        ("'a;b' x", vec![text("a;b"), text("x")]),
        ("\ta\tb ", vec![text("a"), text("b")]),
        ("a'b c'd", vec![text("ab cd")]),
        ("echo ''", vec![text("echo"), text("")]),
        ("git '*' '**'", vec![text("git"), text("*"), text("**")]),
        ("* -v **", vec![PatternToken::Any, text("-v"), PatternToken::Rest]),
        ("make ** install", vec![text("make"), PatternToken::Rest, text("install")]),
        ("run test:*", vec![text("run"), PatternToken::Like("test:*".to_owned())]),
        ("printf '\\n'", vec![text("printf"), text("\\n")]),
    ] {
        assert_eq!(tokens::from_text(command).unwrap().tokens, expected, "{command}");
    }
}

proptest! {
    #![proptest_config(cases(64, 256))]

    #[test]
    fn any_text_is_an_error_or_a_document(text in "\\PC{0,200}") {
        for format in [DocumentFormat::Toml, DocumentFormat::Json, DocumentFormat::Object] {
            let _ = errors(&text, format);
        }
    }

    #[test]
    fn any_text_of_the_grammar_too(parts in prop::collection::vec(prop::sample::select(vec![
        "version", "=", "1", "[[", "]]", "rule", "\n", "[", "]", "{", "}", "\"", "'", ",", ":", "effect", "\"allow\"",
        "commands", "tools", ".", "examples", "*", "!", "#", "//", "/*", "*/", "é", "\u{feff}", "\\", "\0", "annotations",
    ]), 0..60)) {
        let text = parts.concat();
        for format in [DocumentFormat::Toml, DocumentFormat::Json, DocumentFormat::Object] {
            let _ = errors(&text, format);
        }
    }
}

#[test]
fn no_tool_of_another_server_is_meant_by_the_name_of_a_server() {
    let read = |server: &str| {
        toml(&format!(
            "version = 1\n[[rule]]\neffect = \"allow\"\nmcp = {server:?}\ntools = [\"c\"]"
        ))
    };
    for (server, tool) in [
        ("a__b", "mcp__a__b__c"),
        ("*b", "mcp__a__b__c"),
        ("a_*", "mcp__a__b__c"),
        ("a*b", "mcp__a__b__c"),
        ("_b", "mcp___b__c"),
        ("a_", "mcp__a___c"),
        ("a b", "mcp__a_b__c"),
        ("a/b", "mcp__a_b__c"),
        ("**", "mcp__a__c"),
    ] {
        assert!(read(server).is_err(), "{server} would cover {tool}");
    }
    for server in ["a", "a_b", "A.b-c_9", "*", "a*", "a_b*", "-", "."] {
        assert!(read(server).is_ok(), "{server}");
    }
}
