//! Rules that were made narrower before they are remembered.

use super::*;
use crate::policy::document::PolicyRule;
use crate::policy::{check_narrower, rule_in_words, with_exact_words};

fn rules(toml: &str) -> Vec<PolicyRule> {
    document(toml, LayerKind::Code, true).rules
}

/// A rule of a tool that allows.
fn rule(what: &str) -> Vec<PolicyRule> {
    rules(&format!("[[rule]]\ntools = [\"bash\"]\neffect = \"allow\"\n{what}\n"))
}

/// An offer, a rule in its place, and whether that is proven to be narrower.
const CASES: &[(&str, &str, bool)] = &[
    (r#"commands = ["git log"]"#, r#"commands = ["git log"]"#, true),
    (r#"commands = ["git log"]"#, r#"commands = ["git log -3"]"#, true),
    (r#"commands = ["git log"]"#, r#"commands = [{ words = "git log -3", exact = true }]"#, true),
    (r#"commands = ["git log"]"#, r#"commands = [["git", ["log", "show"]]]"#, false),
    (r#"commands = ["git log"]"#, r#"commands = ["git"]"#, false),
    (r#"commands = ["git log"]"#, r#"commands = ["git *"]"#, false),
    (r#"commands = ["git log"]"#, r#"commands = ["git **"]"#, false),
    (r#"commands = ["git log"]"#, r#"commands = ["git log", "rm"]"#, false),
    (r#"commands = ["git log"]"#, r#"reads = ["**"]"#, false),
    (r#"commands = ["git log"]"#, "", false),
    (r#"commands = [["git", ["log", "show"]]]"#, r#"commands = ["git show"]"#, true),
    (r#"commands = [["git", ["log", "show"]]]"#, r#"commands = [["git", ["log", "push"]]]"#, false),
    (
        r#"commands = [{ words = "npm test", exact = true }]"#,
        r#"commands = [{ words = "npm test", exact = true }]"#,
        true,
    ),
    (r#"commands = [{ words = "npm test", exact = true }]"#, r#"commands = ["npm test"]"#, false),
    (
        r#"commands = [{ words = "npm test", exact = true }]"#,
        r#"commands = [{ words = "npm test -- x", exact = true }]"#,
        false,
    ),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/src/a/**"]"#, true),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/src/a.rs"]"#, true),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/src/*.rs"]"#, true),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/src/**", "!**/x.rs"]"#, true),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/**"]"#, false),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/src/../**"]"#, false),
    (r#"writes = ["${project}/src/**"]"#, r#"writes = ["${project}/srcs/a"]"#, false),
    (r#"writes = ["${project}/src/**"]"#, r#"reads = ["${project}/src/a"]"#, false),
    (r#"writes = ["${project}/a.rs"]"#, r#"writes = ["${project}/a.rs/**"]"#, false),
    (r#"urls = ["https://a.example"]"#, r#"urls = ["https://a.example/api/**"]"#, true),
    (r#"urls = ["https://a.example"]"#, r#"urls = ["https://a.example.org"]"#, false),
    (r#"urls = ["https://a.example"]"#, r#"urls = ["https://*.example"]"#, false),
    (r#"env = ["CI"]"#, r#"env = ["CI"]"#, true),
    (r#"env = ["CI"]"#, r#"env = ["*"]"#, false),
];

#[test]
fn a_rule_is_narrower_when_that_is_seen_in_its_patterns() {
    for (offered, given, narrower) in CASES {
        let proven = check_narrower(&rule(offered), &rule(given)).is_ok();
        assert_eq!(proven, *narrower, "{given} for {offered}");
    }
}

#[test]
fn a_rule_of_another_tool_another_effect_or_without_its_tools_is_not_narrower() {
    let offered = rule(r#"commands = ["git log"]"#);
    for given in [
        "[[rule]]\neffect = \"allow\"\ncommands = [\"git log\"]\n",
        "[[rule]]\ntools = [\"*\"]\neffect = \"allow\"\ncommands = [\"git log\"]\n",
        "[[rule]]\ntools = [\"other\"]\neffect = \"allow\"\ncommands = [\"git log\"]\n",
        "[[rule]]\ntools = [\"bash\"]\neffect = \"deny\"\ncommands = [\"git log\"]\n",
    ] {
        assert!(check_narrower(&offered, &rules(given)).is_err(), "{given}");
    }
}

#[test]
fn what_is_proven_narrower_allows_nothing_that_the_offer_does_not() {
    let calls: Vec<Call> = [
        "git log",
        "git log -3",
        "git log --oneline -3",
        "git -C x log -3",
        "git show",
        "git show -3",
        "git push",
        "npm test",
        "npm test -- x",
        "git log > src/a",
        "echo x > src/a.rs",
        "echo x > src/a/b.rs",
        "echo x > src/x.rs",
        "echo x > srcs/a",
        "cat src/a",
        "CI=1 git log",
        "curl https://a.example/api/x",
    ]
    .into_iter()
    .map(Call::run)
    .chain([
        Call::new("bash", r#"{"path":"src/a"}"#),
        Call::new("bash", r#"{"url":"https://a.example/api/x"}"#),
        Call::new("bash", "{}"),
    ])
    .collect();
    let mut tried = 0;
    for (offered, given, narrower) in CASES.iter().filter(|(.., narrower)| *narrower) {
        let text =
            |what: &str| format!("[[rule]]\ntools = [\"bash\"]\neffect = \"allow\"\n{what}\n");
        let (wide, narrow) = (policy(&text(offered)), policy(&text(given)));
        for call in &calls {
            if verdict(&narrow, call).effect == Effect::Allow {
                tried += 1;
                assert_eq!(
                    verdict(&wide, call).effect,
                    Effect::Allow,
                    "{given} for {offered}: {narrower}"
                );
            }
        }
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn the_exact_words_take_the_place_of_a_beginning() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let offered = rule(r#"commands = ["git log"]"#);
    let exact = with_exact_words(&offered, &[words("git log -3"), words("rm x")]).unwrap();
    assert_eq!(exact.iter().flat_map(rule_in_words).collect::<Vec<_>>(), ["exactly `git log -3`"]);
    check_narrower(&offered, &exact).unwrap();
    assert_eq!(with_exact_words(&offered, &[words("rm x")]), None);
    // What is exact by now, and what is no command, stays.
    let other = rule("writes = [\"${project}/a\"]");
    assert_eq!(with_exact_words(&other, &[]), Some(other.clone()));
    // What has no words is not made exact, and not taken as it is either.
    for wide in
        ["writes = [\"${project}/src/**\"]", "urls = [\"https://a.example\"]", "env = [\"CI\"]", ""]
    {
        assert_eq!(with_exact_words(&rule(wide), &[words("git log")]), None, "{wide}");
    }
}

#[test]
fn where_nothing_is_remembered_nothing_is_offered_and_no_grant_answers() {
    use crate::policy::{GrantRules, suggest, suggest_reject};
    let files = Links::default();
    let call = Call::run("npm run build");
    let grants = GrantRules::compile(
        rule(r#"commands = [{ words = "npm run build", exact = true }]"#),
        &context(),
    )
    .unwrap();
    for (toml, remembers) in [
        ("", true),
        ("remember = \"never\"\n", false),
        ("[[rule]]\neffect = \"ask\"\ncommands = [\"npm\"]\n", true),
        ("[[rule]]\neffect = \"ask\"\ncommands = [\"npm\"]\nremember = \"never\"\n", false),
        // The verdict may name another rule.
        (
            "[[rule]]\neffect = \"ask\"\ncommands = [\"npm run\"]\n\n[[rule]]\neffect = \"ask\"\ncommands = [\"npm\"]\nremember = \"never\"\n",
            false,
        ),
        ("[[rule]]\neffect = \"ask\"\ncommands = [\"git\"]\nremember = \"never\"\n", true),
    ] {
        for layer in [LayerKind::Managed, LayerKind::User, LayerKind::Project] {
            let policy = pooled(vec![document(toml, layer, false)]);
            let verdict = verdict(&policy, &call);
            assert_eq!(verdict.effect, Effect::Ask, "{toml}");
            let allow = suggest(&policy, &call.judged(), &verdict, &files).unwrap();
            let deny = suggest_reject(&policy, &call.judged(), &verdict, &files).unwrap();
            // The administrator's asks are answered by a human in any case.
            let managed = layer == LayerKind::Managed && toml.contains("npm");
            assert_eq!(allow.is_some(), remembers && !managed, "{toml}");
            assert_eq!(deny.is_some(), remembers, "{toml}");
            let answers = grants.answers(&call.judged(), &verdict, &files).unwrap();
            assert!(!answers || (remembers && !managed), "{toml}");
        }
    }
}
