//! What holds for every policy.

use proptest::prelude::*;

use super::*;
use crate::cases::cases;
use crate::policy::document::PolicyRule;
use crate::policy::{GrantRules, explain, narrow};

const COMMANDS: [&str; 10] = [
    "ls",
    "git status",
    "git push -f",
    "rm -rf x",
    "make",
    "echo \"$x\"",
    "$x y",
    "git $x",
    "eval x",
    "cat .env",
];
const PATTERNS: [&str; 8] = ["ls", "git", "git status", "git push", "rm", "make", "echo", "*"];
const PATHS: [&str; 6] = ["**", "src/**", "/tmp/**", "**/.env", "~/.ssh/**", "/etc/**"];
const TARGETS: [&str; 6] = ["src/a", "/tmp/x", ".env", "/etc/hosts", "$f", "../x"];

fn effect_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["allow", "ask", "deny"])
}

fn rule() -> impl Strategy<Value = String> {
    let matcher = prop_oneof![
        prop::sample::select(&PATTERNS[..]).prop_map(|text| format!("commands = [\"{text}\"]")),
        prop::sample::select(&PATHS[..]).prop_map(|text| format!("reads = [\"{text}\"]")),
        prop::sample::select(&PATHS[..]).prop_map(|text| format!("writes = [\"{text}\"]")),
        Just("env = [\"CI\"]".to_owned()),
        Just("tools = [\"bash\"]".to_owned()),
    ];
    (effect_name(), matcher).prop_map(|(effect, matcher)| rule_of(effect, &matcher))
}

fn rule_of(effect: &str, matcher: &str) -> String {
    format!("[[rule]]\neffect = \"{effect}\"\n{matcher}\n")
}

fn toml() -> impl Strategy<Value = String> {
    let default = prop::option::of(effect_name());
    (default, prop::collection::vec(rule(), 0..6)).prop_map(|(default, rules)| {
        let default =
            default.map(|default| format!("default = \"{default}\"\n")).unwrap_or_default();
        default + &rules.concat()
    })
}

fn line() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(&COMMANDS[..]).prop_map(str::to_owned),
        (prop::sample::select(&COMMANDS[..]), prop::sample::select(&TARGETS[..]))
            .prop_map(|(command, target)| format!("{command} > {target}")),
        prop::sample::select(&COMMANDS[..]).prop_map(|command| format!("CI=1 {command}")),
        prop::sample::select(&TARGETS[..]).prop_map(|target| format!("cat {target}")),
        Just("cd x".to_owned()),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("; "))
}

fn layer() -> impl Strategy<Value = LayerKind> {
    prop::sample::select(vec![
        LayerKind::Managed,
        LayerKind::User,
        LayerKind::Project,
        LayerKind::Code,
        LayerKind::Session,
    ])
}

fn documents() -> impl Strategy<Value = Vec<PolicyDocument>> {
    prop::collection::vec((toml(), layer(), any::<bool>()), 1..5).prop_map(|documents| {
        documents.iter().map(|(toml, layer, trusted)| document(toml, *layer, *trusted)).collect()
    })
}

fn judged(documents: Vec<PolicyDocument>, line: &str) -> Effect {
    verdict(&pooled(documents), &Call::run(line)).effect
}

proptest! {
    #![proptest_config(cases(80, if cfg!(debug_assertions) { 300 } else { 5_000 }))]

    #[test]
    fn another_deny_or_ask_never_weakens(
        documents in documents(), at in any::<prop::sample::Index>(), rule in rule(), line in line()
    ) {
        let before = judged(documents.clone(), &line);
        let rule = rule.replacen("\"allow\"", "\"ask\"", 1);
        let mut after = documents;
        let at = at.index(after.len());
        let extra = document(&rule, after[at].source.layer, true).rules;
        let count = after[at].rules.len();
        after[at].rules.extend(extra.into_iter().map(|rule| PolicyRule { index: count, ..rule }));
        // Where a default denies, a rule that asks speaks in its place: the one thing that it may loosen.
        let layer = after[at].source.layer;
        let denies = |document: &PolicyDocument| {
            document.source.layer == layer && document.default == Some(Effect::Deny)
        };
        let by_default = after.iter().any(denies) && rule.contains("\"ask\"");
        let says = judged(after, &line);
        prop_assert!(says >= before || by_default, "{before:?} became {says:?}");
    }

    #[test]
    fn the_order_of_layers_and_documents_never_matters(
        documents in documents(), line in line()
    ) {
        let mut reversed = documents.clone();
        reversed.reverse();
        prop_assert_eq!(judged(documents, &line), judged(reversed, &line));
    }

    #[test]
    fn a_child_never_widens(parent in documents(), child in documents(), line in line()) {
        let call = Call::run(&line);
        let parent = verdict(&pooled(parent), &call);
        let child = verdict(&pooled(child), &call);
        let (one, other) = (parent.effect, child.effect);
        prop_assert_eq!(narrow(parent, child).effect, one.max(other));
    }

    #[test]
    fn an_explanation_says_what_the_judge_says(documents in documents(), line in line()) {
        let policy = pooled(documents);
        let call = Call::run(&line);
        let explanation = explain(&policy, &call.judged(), &Links::default()).unwrap();
        prop_assert_eq!(explanation.verdict, verdict(&policy, &call));
    }

    #[test]
    fn more_of_a_line_never_lowers(documents in documents(), line in line(), more in line()) {
        let before = judged(documents.clone(), &line);
        for longer in [format!("{line}; {more}"), format!("{line}; true"), format!("{line} && {more}")] {
            let says = judged(documents.clone(), &longer);
            prop_assert!(says >= before, "{longer}: {before:?} became {says:?}");
        }
    }

    #[test]
    fn grants_never_answer_a_deny_or_an_unknown(
        documents in documents(), grants in toml(), line in line()
    ) {
        let policy = pooled(documents);
        let call = Call::run(&line);
        let verdict = verdict(&policy, &call);
        let grants = GrantRules::compile(document(&grants, LayerKind::Session, true).rules, &context()).unwrap();
        if grants.answers(&call.judged(), &verdict, &Links::default()).unwrap() {
            prop_assert_eq!(verdict.effect, Effect::Ask);
            for judged in verdict.actions {
                prop_assert!(judged.effect == Effect::Allow || judged.is_grantable());
            }
        }
    }
}
