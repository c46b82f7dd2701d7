//! What a confined command reaches of the network: each connection is a call of the tool `network`.

use super::*;
use crate::policy::NetworkReach;

fn said(policy: &Policy, url: &str) -> Effect {
    said_of(policy, &[("url", url)])
}

fn said_of(policy: &Policy, args: &[(&str, &str)]) -> Effect {
    let args =
        args.iter().map(|(name, text)| ((*name).to_owned(), Json::String((*text).to_owned())));
    let args = Json::Object(args.collect());
    let annotations = std::collections::BTreeMap::new();
    let call = JudgedCall {
        other_names: &[],
        tool_name: "network",
        args: &args,
        cwd: None,
        annotations: &annotations,
        conditions: &[],
        confined: None,
    };
    judge(policy, &call, &Links::default()).unwrap().effect
}

fn policy(toml: &str) -> Policy {
    pooled(vec![document(toml, LayerKind::Code, true)])
}

#[test]
fn no_rule_for_everything_opens_the_network_along_the_way() {
    for toml in [
        "default = \"allow\"",
        "[[rule]]\neffect = \"allow\"\ntools = \"*\"",
        "[[rule]]\neffect = \"allow\"\ntools = \"network\"",
    ] {
        assert_eq!(said(&policy(toml), "https://a.example/"), Effect::Ask, "{toml}");
    }
}

#[test]
fn a_rule_on_addresses_opens_denies_and_asks() {
    let policy = policy(
        "default = \"allow\"\n[[rule]]\neffect = \"allow\"\nurls = [\"*.example\", \"b.test:8443\"]\n\
         [[rule]]\neffect = \"deny\"\nurls = [\"evil.example\"]\n\
         [[rule]]\neffect = \"ask\"\nurls = [\"once.example\"]\n\
         [[rule]]\neffect = \"allow\"\nurls = [\"https://paths.test/docs/**\"]\n",
    );
    for (url, effect) in [
        ("https://a.example/", Effect::Allow),
        ("http://a.example/", Effect::Allow),
        ("https://evil.example/", Effect::Deny),
        ("https://evil.example:8080/", Effect::Deny),
        ("https://once.example/", Effect::Ask),
        ("https://b.test:8443/", Effect::Allow),
        ("https://b.test/", Effect::Ask),
        // What is asked for on a connection is not seen.
        ("https://paths.test/", Effect::Ask),
        ("https://c.test/", Effect::Ask),
    ] {
        assert_eq!(said(&policy, url), effect, "{url}");
    }
}

#[test]
fn no_pattern_opens_this_machine_or_what_is_beside_it() {
    let at = |toml: &str, url: &str, place: &str| {
        let text = |text: &str| Json::String(text.to_owned());
        let fields = [("url".to_owned(), text(url)), ("where".to_owned(), text(place))];
        let args = Json::Object(fields.into_iter().collect());
        let annotations = std::collections::BTreeMap::new();
        let call = JudgedCall {
            other_names: &[],
            tool_name: "network",
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: None,
        };
        judge(&policy(toml), &call, &Links::default()).unwrap().effect
    };
    for urls in ["*", "*:8080", "http://*:*", "127.0.0.1:*"] {
        let toml = format!("[[rule]]\neffect = \"allow\"\nurls = [\"{urls}\"]");
        assert_eq!(at(&toml, "http://127.0.0.1:8080/", "this machine"), Effect::Ask, "{urls}");
    }
    assert_eq!(at("network = [\"*:*\"]", "http://127.0.0.1:8080/", "this machine"), Effect::Ask);
    let named = "[[rule]]\neffect = \"allow\"\nurls = [\"*\", \"127.0.0.1:8080\"]";
    assert_eq!(at(named, "http://127.0.0.1:8080/", "this machine"), Effect::Allow);
    assert_eq!(at(named, "http://127.0.0.1:8081/", "this machine"), Effect::Ask);
}

#[test]
fn listed_hosts_are_allowed_unless_a_rule_speaks_against_them() {
    let policy = policy(
        "network = [\"registry.example\", \"*.crates.example\"]\n\
         [[rule]]\neffect = \"deny\"\nurls = [\"bad.crates.example\"]\n",
    );
    assert_eq!(said(&policy, "https://registry.example/"), Effect::Allow);
    assert_eq!(said(&policy, "https://static.crates.example/"), Effect::Allow);
    assert_eq!(said(&policy, "https://bad.crates.example/"), Effect::Deny);
    assert_eq!(said(&policy, "https://other.example/"), Effect::Ask);
}

#[test]
fn all_that_say_something_of_the_network_must_agree() {
    let documents = |all: &[(&str, bool)]| {
        let all = all.iter().map(|(toml, trusted)| document(toml, LayerKind::Project, *trusted));
        pooled(all.collect()).network().cloned()
    };
    let [none, ask, list] =
        ["network = \"none\"", "network = \"ask\"", "network = [\"a.example\"]"];
    assert_eq!(documents(&[("", true)]), None);
    let asked = NetworkReach { ask: true, ..NetworkReach::default() };
    assert_eq!(documents(&[(ask, true)]), Some(asked));
    let listed = vec![vec!["a.example".to_owned()]];
    let both = NetworkReach { none: false, ask: true, hosts: listed };
    assert_eq!(documents(&[(ask, true), (list, true)]), Some(both.clone()));
    // Who is not trusted tightens what others opened, and opens nothing.
    assert_eq!(documents(&[(ask, true), (list, false)]), Some(both));
    assert_eq!(documents(&[(ask, false)]), None);
    assert_eq!(documents(&[(list, false)]), None);
    assert!(documents(&[(list, true), (none, false)]).unwrap().none);
}

#[test]
fn an_address_of_this_machine_is_named_by_any_scheme_too() {
    for (pattern, expected) in [
        ("http://127.0.0.1:3000", Effect::Allow),
        ("127.0.0.1:3000", Effect::Allow),
        ("*://127.0.0.1:3000", Effect::Allow),
        ("*://127.0.0.1", Effect::Ask),
        ("*://*:3000", Effect::Ask),
        ("*", Effect::Ask),
    ] {
        let policy = policy(&format!("[[rule]]\neffect = \"allow\"\nurls = [\"{pattern}\"]\n"));
        let args = [("url", "http://127.0.0.1:3000/"), ("where", "this machine")];
        assert_eq!(said_of(&policy, &args), expected, "{pattern}");
    }
}
