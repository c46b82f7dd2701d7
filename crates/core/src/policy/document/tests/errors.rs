//! Every error, with its place.

use super::super::DocumentFormat;
use super::errors;

#[test]
fn who_must_agree_is_said_as_it_can_be() {
    let first = "version = 1\n[[rule]]\ntools = [\"a\"]\n";
    for (text, expected) in [
        (
            "effect = \"allow\"\napprovers = [\"a\"]",
            "5:13: only a rule that asks says who must agree",
        ),
        ("effect = \"deny\"\nremind = 5", "5:10: only a rule that asks says who must agree"),
        (
            "effect = \"ask\"\napprovers = [\"a\", \"b\"]\nquorum = 3",
            "5:13: quorum is 3, and only 2 different people are named",
        ),
        (
            "effect = \"ask\"\nquorum = 0",
            "5:10: \"quorum\" must be a whole number from 1, not a number",
        ),
        ("effect = \"ask\"\nquorum = 1.5", "5:10: \"quorum\" must be a whole number from 1"),
        ("effect = \"ask\"\nquorum = 101", "5:10: quorum must be a whole number from 1 to 100"),
        ("effect = \"ask\"\napprovers = []", "5:13: an empty list"),
        ("effect = \"ask\"\napprovers = \" a\"", "5:13: approvers must have names of people"),
        (
            "effect = \"ask\"\nexclude_requester = 1",
            "5:21: \"exclude_requester\" must be true or false",
        ),
        ("effect = \"ask\"\nremind = \"soon\"", "5:10: \"remind\" must be a time like"),
        ("effect = \"ask\"\nremind = \"0s\"", "5:10: \"remind\" must be a time like"),
        ("effect = \"ask\"\nremind = -1", "5:10: \"remind\" must be a time like"),
        (
            "effect = \"ask\"\nremind = \"99999999999999999999d\"",
            "5:10: \"remind\" must be a time like",
        ),
        ("effect = \"ask\"\nescalate = { after = \"1h\" }", "5:12: an escalation says both"),
        (
            "effect = \"ask\"\nescalate = { after = \"1h\", too = \"a\" }",
            "unknown key \"too\" in an escalation",
        ),
        (
            "effect = \"ask\"\naprovers = [\"a\"]",
            "unknown key \"aprovers\" in a rule: did you mean \"approvers\"?",
        ),
    ] {
        let told = errors(&format!("{first}{text}"), DocumentFormat::Toml).join("\n");
        assert!(told.contains(expected), "{text}\n{told}");
    }
}

#[test]
fn errors_name_the_place_and_what_to_do() {
    let rule = "version = 1\n[[rule]]\n";
    for (text, expected) in [
        // The whole document.
        (
            "",
            vec![
                "VERSION policy.toml:1:1: \"version\" is missing: begin the file with `version = 1`",
            ],
        ),
        (
            "version = 2",
            vec![
                "VERSION policy.toml:1:11: version 2 is newer than this countersign, which reads 1: update countersign",
            ],
        ),
        ("version = 0", vec!["VERSION policy.toml:1:11: there is no version \"0\": write 1"]),
        (
            "version = \"1\"",
            vec!["VERSION policy.toml:1:11: \"version\" must be the number 1, not a string"],
        ),
        (
            "version = 1\nvresion = 2",
            vec![
                "UNKNOWN_KEY policy.toml:2:1: unknown key \"vresion\" in a policy: did you mean \"version\"?",
            ],
        ),
        (
            "version = 1\nrules = []",
            vec![
                "UNKNOWN_KEY policy.toml:2:1: unknown key \"rules\" in a policy: did you mean \"rule\"?",
            ],
        ),
        (
            "version = 1\nzzz = []",
            vec![
                "UNKNOWN_KEY policy.toml:2:1: unknown key \"zzz\" in a policy: known are \"$schema\", \"version\", \"default\", \"match\", \"network\", \"forbid\", \"remember\", \"tools\" and \"rule\"",
            ],
        ),
        (
            "version = 1\nnetwork = \"all\"",
            vec![
                "VALUE policy.toml:2:11: \"network\" must be \"none\", \"ask\" or a list of hosts like [\"registry.npmjs.org\"], not \"all\"",
            ],
        ),
        (
            "version = 1\nnetwork = [\"https://a.example/path\", \"\"]",
            vec![
                "VALUE policy.toml:2:12: \"https://a.example/path\" is more than a host: write the host alone",
                "VALUE policy.toml:2:38: an empty string matches nothing",
            ],
        ),
        (
            "version = 1\ndefault = \"alow\"",
            vec![
                "VALUE policy.toml:2:11: \"default\" must be \"allow\", \"ask\" or \"deny\", not \"alow\"",
            ],
        ),
        (
            "version = 1\nmatch = true",
            vec![
                "VALUE policy.toml:2:9: \"match\" must be \"strictest\" or \"first\", not true or false",
            ],
        ),
        (
            "version = 1\nforbid = [\"auto\", 3]",
            vec![
                "VALUE policy.toml:2:19: an entry of \"forbid\" must be \"safe\", \"auto\", \"plan\" or \"deny-all-asks\", not a number",
            ],
        ),
        ("version = 1\nversion = 1", vec!["SYNTAX policy.toml:2:1: duplicate key"]),
        (
            "version = 1\nx = ",
            vec!["SYNTAX policy.toml:2:5: string values must be quoted, expected literal string"],
        ),
        // Tools.
        (
            "version = 1\ntools = 1",
            vec![
                "VALUE policy.toml:2:9: \"tools\" must be a table of tools, like [tools.execute], not a number",
            ],
        ),
        (
            "version = 1\n[tools.x]\nshell = \"fish\"",
            vec![
                "VALUE policy.toml:3:9: \"shell\" must be \"bash\", \"sh\", \"posix\", \"zsh\", \"pwsh\", \"powershell\", \"cmd\" or \"none\", not \"fish\"",
            ],
        ),
        (
            "version = 1\n[tools.x]\ncomand = \"a\"",
            vec![
                "UNKNOWN_KEY policy.toml:3:1: unknown key \"comand\" in the reading of a tool: did you mean \"command\"?",
            ],
        ),
        (
            "version = 1\n[tools.x]\nread = [\"a..b\"]",
            vec![
                "VALUE policy.toml:3:9: \"a..b\" is not the name of an argument: write `a`, or `a.b` for b inside a",
            ],
        ),
        // Rules.
        (
            "version = 1\n[rule]\neffect = \"deny\"",
            vec![
                "VALUE policy.toml:2:1: \"rule\" must be a list of tables: write [[rule]], with two brackets, not a table",
            ],
        ),
        (
            &format!("{rule}  effct = \"deny\"\ntools = \"x\""),
            vec![
                "VALUE policy.toml:2:1: \"effect\" is missing in a rule: say what it does: \"allow\", \"ask\" or \"deny\"",
                "UNKNOWN_KEY policy.toml:3:3: unknown key \"effct\" in a rule: did you mean \"effect\"?",
            ],
        ),
        (
            &format!("{rule}effect = \"allow\""),
            vec![
                "VALUE policy.toml:2:1: this rule names nothing, so it would match every call: add tools, commands, reads, writes, urls or env, or write tools = [\"*\"] if every call is meant",
            ],
        ),
        (
            &format!("{rule}effect = \"deny\"\nraeds = [\"a\"]"),
            vec![
                "UNKNOWN_KEY policy.toml:4:1: unknown key \"raeds\" in a rule: did you mean \"reads\"?",
            ],
        ),
        (
            &format!("{rule}effect = \"allow\"\ncommands = []"),
            vec![
                "VALUE policy.toml:4:12: an empty list matches nothing: leave the key out, or name what is meant",
            ],
        ),
        (
            &format!("{rule}effect = \"allow\"\ntools = \"\""),
            vec!["VALUE policy.toml:4:9: an empty string matches nothing"],
        ),
        (
            &format!("{rule}effect = \"allow\"\ntools = [\"a\", 1]"),
            vec!["VALUE policy.toml:4:15: an entry of \"tools\" must be a string, not a number"],
        ),
        (
            &format!("{rule}effect = \"allow\"\nreason = [\"a\"]\ntools=\"a\""),
            vec!["VALUE policy.toml:4:10: \"reason\" must be a string, not a list"],
        ),
        (
            &format!("{rule}effect = \"allow\"\nannotations = {{ readOnlyHint = true }}"),
            vec![
                "VALUE policy.toml:4:15: a rule that allows cannot rest on annotations: they are what a tool says of itself, so they may only tighten",
            ],
        ),
        (
            &format!("{rule}effect = \"ask\"\nannotations = {{ destructivHint = true }}"),
            vec![
                "UNKNOWN_KEY policy.toml:4:17: unknown hint \"destructivHint\": did you mean \"destructiveHint\"?",
            ],
        ),
        (
            &format!("{rule}effect = \"ask\"\nannotations = {{}}"),
            vec!["VALUE policy.toml:4:15: no hint is named: leave \"annotations\" out"],
        ),
        (
            &format!("{rule}effect = \"ask\"\ncondition = 1"),
            vec![
                "VALUE policy.toml:4:13: \"condition\" is a function of the program: a file cannot hold one",
            ],
        ),
        (
            &format!("{rule}effect = \"allow\"\nmcp = [\"git\", \"a__b\"]"),
            vec![
                "VALUE policy.toml:4:15: \"a__b\" is not the name of an MCP server: write letters, digits, \".\", \"-\" and single \"_\" between them, with * only after such a name, or alone",
            ],
        ),
        (
            &format!("{rule}effect = \"ask\"\nenv = [\"A=1\"]"),
            vec![
                "VALUE policy.toml:4:8: \"A=1\" is not the name of a variable: write the name alone, with * for any text; its value is not compared",
            ],
        ),
        (
            &format!("{rule}effect = \"deny\"\nwrites = [\"!/tmp/**\"]"),
            vec![
                "VALUE policy.toml:4:10: these patterns only take out, so that nothing matches: name first what they are taken out of",
            ],
        ),
        (
            &format!("{rule}effect = \"deny\"\ntools = \"x\"\nexamples = {{ mtach = \"x\" }}"),
            vec![
                "UNKNOWN_KEY policy.toml:5:14: unknown key \"mtach\" in examples: did you mean \"match\"?",
            ],
        ),
    ] {
        assert_eq!(errors(text, DocumentFormat::Toml), expected, "{text}");
    }
}

#[test]
fn commands_that_cannot_be_patterns() {
    let operator = |text: &str, char: char| {
        format!(
            "VALUE policy.toml:4:13: {text:?} holds {char:?}: a rule is compared token by token with each command of a line, \
             never with the text of the line. Write each command as an entry of its own, or put the token in quotes if this \
             very text is meant"
        )
    };
    let other = |text: &str| vec![format!("VALUE policy.toml:4:{text}")];
    for (command, expected) in [
        ("'git status; rm x'", vec![operator("git status; rm x", ';')]),
        ("'a | b'", vec![operator("a | b", '|')]),
        ("'a & b'", vec![operator("a & b", '&')]),
        ("'a > b'", vec![operator("a > b", '>')]),
        ("'a < b'", vec![operator("a < b", '<')]),
        ("'echo $x'", vec![operator("echo $x", '$')]),
        ("'(a)'", vec![operator("(a)", '(')]),
        ("'a `b`'", vec![operator("a `b`", '`')]),
        ("\"a\\nb\"", vec![operator("a\nb", '\n')]),
        ("'  '", other("13: there is no command in it")),
        ("[]", other("13: there is no command in it")),
        ("[\"a\", []]", other("19: a list of alternatives must not be empty")),
        ("[\"a\", [1]]", other("20: an entry must be a string, not a number")),
        (
            "[\"a\", 1]",
            other("19: an entry must be a string or a list of alternatives, not a number"),
        ),
        (
            "3",
            other(
                "13: an entry of \"commands\" must be a string, a list of tokens, or { words = …, operands = […] }, not a number",
            ),
        ),
        (
            "'** x'",
            other(
                "13: \"**\" stands for any number of words, so it cannot stand for the program; \"*\" stands for one word",
            ),
        ),
        ("'ls ** ** x'", other("13: \"**\" twice in a row says no more than once")),
        (
            "{ operands = [] }",
            other("13: \"words\" is missing: the words that the command begins with"),
        ),
        (
            "{ words = 'a', exact = false }",
            other("36: \"exact\" must be true, or left out, not true or false"),
        ),
        (
            "{ words = 'a', operands = 'b' }",
            other("39: \"operands\" must be a list of words, not \"b\""),
        ),
        (
            "{ words = 'a', operands = ['**'] }",
            other("39: \"*\" stands for operands of any name and number"),
        ),
        (
            "{ words = 'a ** b', operands = [] }",
            other(
                "13: \"**\" stands for any operands, and \"operands\" says which there are: leave \"**\" out",
            ),
        ),
        (
            "{ words = 'a **', exact = true }",
            other(
                "13: \"**\" at the end stands for whatever follows, and \"exact\" says that nothing does",
            ),
        ),
        (
            "{ words = 'a', operands = [], options = ['x'] }",
            other("54: \"x\" is not an option: write \"-x\" or \"--name\", one each"),
        ),
        (
            "{ words = 'a' }",
            other(
                "13: say what may stand behind the words. operands = [\"build\"] means these operands and no others, \
                 options = [\"-v\"] beside it these options and no others, and exact = true nothing at all. Leave the \
                 braces out if anything may stand there",
            ),
        ),
        ("'echo \"a'", other("13: \"echo \\\"a\" has a quote without end")),
        (
            "'a\\b'",
            other(
                "13: \"a\\\\b\" holds a backslash: nothing is escaped here; put the token in quotes, in which everything stands for itself",
            ),
        ),
        (
            "\"'run x':*\"",
            other(
                "13: \"run x:*\" is partly in quotes and holds \"*\" outside of them; write it without quotes, or in a list of tokens",
            ),
        ),
    ] {
        let text = format!("version = 1\n[[rule]]\neffect = 'deny'\ncommands = [{command}]");
        assert_eq!(errors(&text, DocumentFormat::Toml), expected, "{command}");
    }
}

#[test]
fn errors_in_json_and_objects() {
    for (text, expected) in [
        ("", vec!["SYNTAX policy.json:1:1: nothing is here"]),
        (
            "{ \"version\": 1,\n  \"é\": 2, x: 1 }",
            vec!["SYNTAX policy.json:2:11: Expected string for object property"],
        ),
        (
            "{ \"version\": 1,\n  \"vérsion\": 2 , \"rules\": [] }",
            vec![
                "UNKNOWN_KEY policy.json:2:3: unknown key \"vérsion\" in a policy: did you mean \"version\"?",
                "UNKNOWN_KEY policy.json:2:18: unknown key \"rules\" in a policy: did you mean \"rule\"?",
            ],
        ),
        (
            "{ \"version\": 1, \"version\": 1 }",
            vec!["SYNTAX policy.json:1:17: the key \"version\" stands here a second time"],
        ),
        ("[]", vec!["VALUE policy.json:1:1: a policy must be an object, not a list"]),
        (
            "{ \"version\": 1, \"default\": null }",
            vec![
                "VALUE policy.json:1:28: \"default\" must be \"allow\", \"ask\" or \"deny\", not null",
            ],
        ),
        (
            "{ \"version\": 1 } x",
            vec!["SYNTAX policy.json:1:18: Text cannot contain more than one JSON value"],
        ),
    ] {
        assert_eq!(errors(text, DocumentFormat::Json), expected, "{text}");
    }
    let text = r#"{ "version": 1, "rule": [
        { "effect": "ask", "tools": ["x"], "condition": 0 },
        { "effect": "ask", "commands": ["ls", "a|"], "resaon": "", "condition": -1 },
        3
    ], "tools": { "a.b": { "shell": 1 } } }"#;
    assert_eq!(
        errors(text, DocumentFormat::Object),
        [
            "VALUE policy option: rule[1].commands[1]: \"a|\" holds '|': a rule is compared token by token with each command of a line, never with the text of the line. Write each command as an entry of its own, or put the token in quotes if this very text is meant",
            "UNKNOWN_KEY policy option: rule[1].resaon: unknown key \"resaon\" in a rule: did you mean \"reason\"?",
            "VALUE policy option: rule[1].condition: \"condition\" must be the number of a function, not a number",
            "VALUE policy option: rule[2]: an entry of \"rule\" must be an object, not a number",
            "VALUE policy option: tools.\"a.b\".shell: \"shell\" must be \"bash\", \"sh\", \"posix\", \"zsh\", \"pwsh\", \"powershell\", \"cmd\" or \"none\", not a number",
        ]
    );
}

#[test]
fn text_of_the_document_is_escaped_in_messages() {
    let text = format!("version = 1\n\"a\\u001b[2K\\u202E{}\" = 1", "x".repeat(500));
    let errors = errors(&text, DocumentFormat::Toml);
    assert!(errors[0].contains("\"a\\u{1b}[2K\\u{202e}xxx"), "{errors:?}");
    assert!(errors[0].len() < 300, "{errors:?}");
}
