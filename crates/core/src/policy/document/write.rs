//! From a [`PolicyDocument`] to TOML that reads back as the same.

use super::schema::{CONFINED, EFFECTS, MATCHES, MODES, RISKS, VERSION};
use super::{
    CommandPattern, MatchOrder, NetworkRule, PatternToken, PlacedValue, PolicyDocument, PolicyRule,
    RuleApprovers, ToolReading, WordsBehind, tokens,
};
use crate::policy::RuleConfinement;

/// A rule that no file can hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rule {index} rests on a function of the program, which no file can hold: without it the rule would say more"
)]
pub struct NotWritable {
    /// Its index in the document, from 0.
    pub index: usize,
}

/// The document as TOML. Comments and the order of keys are our own.
///
/// # Errors
/// When a rule has a condition.
pub fn to_toml(document: &PolicyDocument) -> Result<String, NotWritable> {
    let mut text = format!("version = {VERSION}\n");
    if let Some(default) = document.default {
        line(&mut text, "default", &string(name(EFFECTS, default)));
    }
    if document.matching != MatchOrder::default() {
        line(&mut text, "match", &string(name(MATCHES, document.matching)));
    }
    match &document.network {
        None => {}
        Some(NetworkRule::None) => line(&mut text, "network", &string("none")),
        Some(NetworkRule::Ask) => line(&mut text, "network", &string("ask")),
        Some(NetworkRule::Hosts(hosts)) => line(&mut text, "network", &strings(hosts)),
    }
    if document.forgets {
        line(&mut text, "remember", &string("never"));
    }
    if !document.forbid.is_empty() {
        let modes = document.forbid.iter().map(|mode| string(name(MODES, *mode)));
        line(&mut text, "forbid", &list(modes));
    }
    for (tool, reading) in &document.tools {
        text.push_str(&format!("\n[tools.{}]\n{}", key(tool), reading_to_toml(&reading.value)));
    }
    for rule in &document.rules {
        text.push('\n');
        text.push_str(&rule_to_toml(rule)?);
    }
    Ok(text)
}

/// One rule as a `[[rule]]` of its own, to be put at the end of a file.
///
/// # Errors
/// When it has a condition.
pub fn rule_to_toml(rule: &PolicyRule) -> Result<String, NotWritable> {
    if rule.condition.is_some() {
        return Err(NotWritable { index: rule.index });
    }
    let mut text = "[[rule]]\n".to_owned();
    if let Some(tools) = &rule.tools {
        line(&mut text, "tools", &list(tools.iter().map(|tool| string(tool))));
    }
    line(&mut text, "effect", &string(name(EFFECTS, rule.effect)));
    if let Some(reason) = &rule.reason {
        line(&mut text, "reason", &string(reason));
    }
    if let Some(risk) = &rule.risk {
        line(&mut text, "risk", &string(name(RISKS, risk.level)));
        if let Some(because) = &risk.because {
            line(&mut text, "because", &string(because));
        }
    }
    if !rule.commands.is_empty() {
        let commands = rule.commands.iter().map(|command| command_to_toml(&command.value));
        line(&mut text, "commands", &list(commands));
    }
    let lists = [
        ("reads", &rule.reads),
        ("writes", &rule.writes),
        ("urls", &rule.urls),
        ("env", &rule.env),
    ];
    for (key, items) in lists {
        if !items.is_empty() {
            line(&mut text, key, &strings(items));
        }
    }
    if !rule.annotations.is_empty() {
        let hints = rule.annotations.iter().map(|(hint, flag)| format!("{} = {flag}", key(hint)));
        line(&mut text, "annotations", &table(hints));
    }
    match rule.confined {
        None => {}
        Some(RuleConfinement::Unconfined) => line(&mut text, "confined", "false"),
        Some(RuleConfinement::To(most)) => {
            line(&mut text, "confined", &string(name(CONFINED, most)));
        }
    }
    if let Some(who) = &rule.who {
        who_to_toml(&mut text, who);
    }
    if rule.reviewer {
        line(&mut text, "reviewer", "true");
    }
    if rule.tracked {
        line(&mut text, "tracked", "true");
    }
    if rule.forgets {
        line(&mut text, "remember", &string("never"));
    }
    let examples = [("match", &rule.examples.matching), ("not_match", &rule.examples.not_matching)];
    let examples: Vec<_> = examples
        .iter()
        .filter(|(_, items)| !items.is_empty())
        .map(|(key, items)| format!("{key} = {}", strings(items)))
        .collect();
    if !examples.is_empty() {
        line(&mut text, "examples", &table(examples.into_iter()));
    }
    Ok(text)
}

/// A rule has one need at most.
fn who_to_toml(text: &mut String, who: &RuleApprovers) {
    let names = |names: &[Box<str>]| list(names.iter().map(|name| string(name)));
    for need in &who.needs {
        if let Some(approvers) = &need.approvers {
            line(text, "approvers", &names(approvers));
        }
        if need.quorum != 1 {
            line(text, "quorum", &need.quorum.to_string());
        }
        if need.exclude_requester {
            line(text, "exclude_requester", "true");
        }
        if let Some(escalate) = &need.escalate {
            let to = format!("to = {}", names(&escalate.to));
            line(text, "escalate", &table([format!("after = {}", escalate.after), to].into_iter()));
        }
    }
    if let Some(remind) = who.remind {
        line(text, "remind", &remind.to_string());
    }
}

fn reading_to_toml(reading: &ToolReading) -> String {
    let mut text = String::new();
    for (key, names) in [
        ("command", &reading.command),
        ("read", &reading.read),
        ("write", &reading.write),
        ("url", &reading.url),
        ("cwd", &reading.cwd),
        ("ignore", &reading.ignore),
    ] {
        match names.as_slice() {
            [] => {}
            [name] => line(&mut text, key, &string(name)),
            names => line(&mut text, key, &list(names.iter().map(|name| string(name)))),
        }
    }
    if let Some(shell) = &reading.shell {
        line(&mut text, "shell", &string(shell));
    }
    text
}

fn command_to_toml(command: &CommandPattern) -> String {
    let words = format!("words = {}", beginning(&command.tokens));
    match &command.behind {
        WordsBehind::Anything => beginning(&command.tokens),
        WordsBehind::Nothing => table([words, "exact = true".to_owned()].into_iter()),
        WordsBehind::Only { operands, options } => {
            let operands = format!("operands = {}", list(operands.iter().map(token)));
            let options = options.as_ref().map(|options| {
                format!("options = {}", list(options.iter().map(|option| string(option))))
            });
            table([words, operands].into_iter().chain(options))
        }
    }
}

/// As text where it reads back as the same, else as a list of tokens.
fn beginning(tokens: &[PatternToken]) -> String {
    let text: Option<Vec<_>> = tokens.iter().map(word).collect();
    match text.map(|words| words.join(" ")) {
        Some(text) if tokens::from_text(&text).is_ok_and(|read| read.tokens == tokens) => {
            string(&text)
        }
        _ => list(tokens.iter().map(token)),
    }
}

/// A token in a list of them.
fn token(token: &PatternToken) -> String {
    match token {
        PatternToken::Any => string("*"),
        PatternToken::Rest => string("**"),
        PatternToken::Text(text) if tokens::word(text.clone()).as_ref() == Ok(token) => {
            string(text)
        }
        PatternToken::Text(text) => list([string(text)].into_iter()),
        PatternToken::Like(text) => string(text),
        PatternToken::OneOf(words) => list(words.iter().map(|word| string(word))),
    }
}

/// A token in the text of a command, if it can stand there.
fn word(token: &PatternToken) -> Option<String> {
    let plain = |char: char| char.is_alphanumeric() || "-_./:@%+=,^~#?!{}[]".contains(char);
    match token {
        PatternToken::Any => Some("*".to_owned()),
        PatternToken::Rest => Some("**".to_owned()),
        PatternToken::OneOf(_) => None,
        PatternToken::Like(text) if text.chars().all(|char| char == '*' || plain(char)) => {
            Some(text.clone())
        }
        PatternToken::Like(_) => None,
        PatternToken::Text(text) if !text.is_empty() && text.chars().all(plain) => {
            Some(text.clone())
        }
        PatternToken::Text(text) if !text.contains('\'') => Some(format!("'{text}'")),
        PatternToken::Text(text) if !text.contains('"') => Some(format!("\"{text}\"")),
        PatternToken::Text(_) => None,
    }
}

fn line(text: &mut String, key: &str, value: &str) {
    text.push_str(&format!("{key} = {value}\n"));
}

fn strings(items: &[PlacedValue<String>]) -> String {
    list(items.iter().map(|item| string(&item.value)))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn table(entries: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}

fn key(key: &str) -> String {
    let bare = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { string(key) }
}

/// A basic string. What a reader of the file would not see is escaped.
pub(crate) fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // Letters that show as nothing would hide what stands beside them; a combining character would only join the one
            // before it.
            '\u{115F}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' => {
                quoted.push_str(&format!("\\U{:08X}", u32::from(char)));
            }
            _ if char.escape_debug().len() > 1 && char != '\'' => {
                quoted.push_str(&format!("\\U{:08X}", u32::from(char)));
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// The word for a value.
fn name<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, other)| *other == value).map_or("", |(word, _)| word)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::tests::without_places;
    use super::super::*;
    use super::*;
    use crate::approval::{ApproverNeed, EscalationRule};
    use crate::cases::cases;
    use crate::policy::ConfinedWrites;
    use crate::policy::Effect;

    fn source() -> PolicySource {
        PolicySource { layer: LayerKind::User, name: Arc::from("p"), trusted: true }
    }

    fn located<T>(value: T) -> PlacedValue<T> {
        PlacedValue { value, at: DocumentPlace::default() }
    }

    fn texts(
        one: impl Strategy<Value = String>,
    ) -> impl Strategy<Value = Vec<PlacedValue<String>>> {
        prop::collection::vec(one.prop_map(located), 0..4)
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{1,12}", "[a-z*'\"\\\\ \n\t\u{202e};$.é-]{1,8}", "[a-z]{1,6}"]
    }

    fn effect() -> impl Strategy<Value = Effect> {
        prop::sample::select(vec![Effect::Allow, Effect::Ask, Effect::Deny])
    }

    fn command() -> impl Strategy<Value = CommandPattern> {
        let token = prop_oneof![
            prop_oneof![Just(String::new()), text()].prop_map(PatternToken::Text),
            text().prop_map(PatternToken::Text),
            Just(PatternToken::Any),
            prop::collection::vec(text(), 2..4).prop_map(PatternToken::OneOf),
            text().prop_map(|text| PatternToken::Like(format!("x{text}*"))),
        ];
        let behind = (0..4_u8, prop::collection::vec(token.clone(), 0..3), any::<bool>());
        let tokens = (prop::collection::vec(token, 1..5), any::<bool>(), any::<bool>());
        (tokens, behind).prop_map(|((mut tokens, gap, rest), (kind, operands, options))| {
            let closed = kind > 1;
            if gap && kind < 3 && tokens.len() > 1 {
                tokens.insert(1, PatternToken::Rest);
            }
            tokens.extend((rest && !closed).then_some(PatternToken::Rest));
            let options = options.then(|| vec!["-x".to_owned(), "--name".to_owned()]);
            let behind = match kind {
                2 => WordsBehind::Nothing,
                3 => WordsBehind::Only { operands, options },
                _ => WordsBehind::Anything,
            };
            CommandPattern { tokens, behind }
        })
    }

    fn who() -> impl Strategy<Value = RuleApprovers> {
        let names = || {
            prop::collection::vec("[a-z]{1,4}", 1..3)
                .prop_map(|names| names.into_iter().map(Into::into).collect())
        };
        let escalate = (1..9_000_u64, names()).prop_map(|(after, to)| EscalationRule { after, to });
        let need = (names(), prop::option::of(escalate), any::<bool>()).prop_map(
            |(mut approvers, escalate, exclude_requester): (Vec<Box<str>>, _, _)| {
                approvers.push("group:é \"ops\"".into());
                ApproverNeed { approvers: Some(approvers), quorum: 3, exclude_requester, escalate }
            },
        );
        (need, prop::option::of(1..9_000_u64)).prop_map(|(need, remind)| RuleApprovers {
            needs: ApproverNeed::checked(vec![need]).unwrap().into(),
            remind,
        })
    }

    prop_compose! {
        fn rule()(
            tools in prop::collection::vec(text(), 1..3),
            effect in effect(),
            reason in prop::option::of("\\PC{0,20}"),
            commands in prop::collection::vec(command().prop_map(located), 0..4),
            reads in texts("/[a-zé ']{1,4}/\\*\\*"),
            writes in texts("~/[a-z]{1,4}"),
            urls in texts("https://[a-z]{1,4}\\.com/\\*\\*"),
            env in texts("[A-Z_][A-Z0-9_]{0,5}\\*?"),
            hint in prop::option::of(any::<bool>()),
            matching in texts(text()),
            not_matching in texts(text()),
            (who, reviewer, tracked) in (prop::option::of(who()), any::<bool>(), any::<bool>()),
            forgets in any::<bool>(),
            risk in prop::option::of(prop::option::of("\\PC{0,20}").prop_map(|because| RuleRisk {
                level: RiskLevel::High, because,
            })),
            confined in prop::option::of(prop::sample::select(vec![
                RuleConfinement::Unconfined, RuleConfinement::To(ConfinedWrites::Project), RuleConfinement::To(ConfinedWrites::Nothing),
            ])),
        ) -> PolicyRule {
            let hint = hint.filter(|_| effect != Effect::Allow);
            let tracked = tracked && effect == Effect::Allow && !writes.is_empty();
            PolicyRule {
                at: DocumentPlace::default(), index: 0, tools: Some(tools), effect, reason, risk, commands, reads, writes, urls, env,
                annotations: hint.map(|flag| ("odd hint".to_owned(), flag)).into_iter().collect(),
                confined, condition: None, examples: RuleExamples { matching, not_matching },
                who: who.filter(|_| effect == Effect::Ask).map(Box::new), reviewer, tracked,
                forgets: forgets && effect == Effect::Ask,
            }
        }
    }

    prop_compose! {
        fn document()(
            default in prop::option::of(effect()),
            first in any::<bool>(),
            tools in prop::collection::btree_map(text(), (prop::collection::vec("[a-z]{1,3}(\\.[a-z])?", 0..3), any::<bool>()), 0..3),
            rules in prop::collection::vec(rule(), 0..4),
            network in prop::sample::select(vec![
                None, Some(NetworkRule::None), Some(NetworkRule::Ask), Some(NetworkRule::Hosts(vec![located("*.example.com".to_owned())])),
            ]),
            forbid in prop::collection::vec(prop::sample::select(vec![PolicyMode::Safe, PolicyMode::Auto, PolicyMode::Plan, PolicyMode::DenyAllAsks]), 0..3),
            forgets in any::<bool>(),
        ) -> PolicyDocument {
            let rules = rules.into_iter().enumerate().map(|(index, rule)| PolicyRule { index, ..rule }).collect();
            let reading = |(command, sh): (Vec<String>, bool)| {
                located(ToolReading { command, shell: sh.then(|| "sh".to_owned()), ..ToolReading::default() })
            };
            PolicyDocument {
                source: source(), default, matching: if first { MatchOrder::First } else { MatchOrder::Strictest }, rules, forbid, network, forgets,
                tools: tools.into_iter().map(|(name, tool)| (name, reading(tool))).collect(),
            }
        }
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn what_is_written_reads_back_as_the_same(document in document()) {
            let text = to_toml(&document).unwrap();
            let read = read(&text, DocumentFormat::Toml, source());
            prop_assert_eq!(read.as_ref().map(without_places), Ok(document), "{}", text);
        }
    }

    #[test]
    fn what_is_written_is_what_one_would_write() {
        let text = r#"version = 1
default = "ask"
forbid = ["auto"]

[tools.run]
command = "command"
shell = "bash"

[[rule]]
tools = ["run"]
effect = "allow"
commands = ["git status", "npm run 'a;b' **", ["cargo", ["test", "check"]], ["say", "it's \"x\""], "echo '*'", "make ** install", { words = "npm test", operands = [] }, { words = "make", operands = ["all", ["a", "*"], "x*"], options = ["-j", "--jobs"] }, { words = ["say", ["a", "b"]], exact = true }]
env = ["CI"]
examples = { match = ["git status -s"], not_match = ["git statusx"] }

[[rule]]
effect = "deny"
reason = "no\n\U0000202Esecrets"
reads = ["~/.ssh/**"]
annotations = { destructiveHint = true }
"#;
        assert_eq!(to_toml(&read(text, DocumentFormat::Toml, source()).unwrap()).unwrap(), text);
    }

    #[test]
    fn a_condition_is_not_lost() {
        let text = r#"{ "version": 1, "rule": [{ "effect": "ask", "tools": "x" }, { "effect": "allow", "tools": "x", "condition": 3 }] }"#;
        let document = read(text, DocumentFormat::Object, source()).unwrap();
        assert_eq!(document.rules[1].condition, Some(3));
        assert_eq!(to_toml(&document), Err(NotWritable { index: 1 }));
    }
}
