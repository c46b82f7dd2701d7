//! Who must agree, as rules say it.

use super::*;
use crate::policy::narrow;

fn who(policy: &Policy, args: &str) -> (Effect, String) {
    let says = verdict(policy, &Call::new("execute", args));
    let needs = serde_json::to_string(&says.who.needs).unwrap();
    (says.effect, needs + &says.who.remind.map(|ms| format!(" {ms}")).unwrap_or_default())
}

const READING: &str = "[tools.execute]\ncommand = \"command\"\nread = \"file\"\n";

#[test]
fn a_rule_that_asks_says_who_must_agree() {
    let policy = policy(&format!(
        r#"{READING}
        [[rule]]
        effect = "ask"
        commands = ["deploy **"]
        approvers = ["ada", "group:ops"]
        quorum = 2
        exclude_requester = true
        escalate = {{ after = "10m", to = "group:leads" }}
        remind = "90s"
        [[rule]]
        effect = "allow"
        commands = ["echo **"]
        "#
    ));
    let need = r#"[{"approvers":["ada","group:ops"],"quorum":2,"excludeRequester":true,"escalate":{"after":600000,"to":["group:leads"]}}]"#;
    assert_eq!(
        who(&policy, r#"{"command":"deploy prod"}"#),
        (Effect::Ask, format!("{need} 90000"))
    );
    // In a part of a line, or where it could.
    for command in ["echo x && deploy prod", "$X prod"] {
        let args = format!(r#"{{"command":{command:?}}}"#);
        assert_eq!(who(&policy, &args), (Effect::Ask, format!("{need} 90000")), "{command}");
    }
    assert_eq!(who(&policy, r#"{"command":"echo x"}"#).1, "[]");
    assert_eq!(who(&policy, r#"{"command":"cat x"}"#), (Effect::Ask, "[]".to_owned()));
}

#[test]
fn all_that_ask_are_heard_whichever_is_named() {
    let policy = policy(&format!(
        r#"{READING}
        [[rule]]
        effect = "ask"
        commands = ["git **"]
        [[rule]]
        effect = "ask"
        commands = ["git push **"]
        approvers = "ada"
        remind = 5
        [[rule]]
        effect = "ask"
        tools = ["exec*"]
        quorum = 2
        remind = "1s"
        [[rule]]
        effect = "ask"
        commands = ["npm publish **"]
        approvers = ["ada"]
        "#
    ));
    let all = r#"[{"approvers":["ada"]},{"quorum":2}] 1000"#;
    assert_eq!(who(&policy, r#"{"command":"git push"}"#).1, all);
    // Of equal needs one.
    assert_eq!(who(&policy, r#"{"command":"git push; npm publish"}"#).1, all);
    assert_eq!(who(&policy, r#"{"command":"git log"}"#).1, r#"[{"quorum":2}] 1000"#);
}

#[test]
fn where_the_first_rule_decides_only_that_one_is_heard() {
    let policy = policy(&format!(
        r#"match = "first"
        {READING}
        [[rule]]
        effect = "ask"
        commands = ["git push **"]
        approvers = ["ada"]
        [[rule]]
        effect = "ask"
        commands = ["git **"]
        approvers = ["bo"]
        "#
    ));
    assert_eq!(who(&policy, r#"{"command":"git push"}"#).1, r#"[{"approvers":["ada"]}]"#);
    assert_eq!(who(&policy, r#"{"command":"git log"}"#).1, r#"[{"approvers":["bo"]}]"#);
    // It could be either.
    let both = r#"[{"approvers":["ada"]},{"approvers":["bo"]}]"#;
    assert_eq!(who(&policy, r#"{"command":"git $X"}"#).1, both);
}

#[test]
fn every_rule_that_could_speak_of_a_path_is_heard() {
    let policy = policy(&format!(
        r#"{READING}
        [[rule]]
        effect = "ask"
        reads = ["/a/**"]
        [[rule]]
        effect = "ask"
        reads = ["/b/**"]
        approvers = ["ada"]
        [[rule]]
        effect = "ask"
        reads = ["/c/**"]
        approvers = ["bo"]
        "#
    ));
    let both = r#"[{"approvers":["ada"]},{"approvers":["bo"]}]"#;
    assert_eq!(who(&policy, r#"{"command":"cat /$X/y"}"#), (Effect::Ask, both.to_owned()));
}

#[test]
fn a_child_adds_to_what_its_parent_needs() {
    let [parent, child] = ["ada", "bo"].map(|name| {
        policy(&format!(
            "[[rule]]\neffect = \"ask\"\ntools = [\"execute\"]\napprovers = [{name:?}]\n"
        ))
    });
    let call = Call::new("execute", "{}");
    let both = narrow(verdict(&parent, &call), verdict(&child, &call));
    assert_eq!(both.who.needs.len(), 2);
}
