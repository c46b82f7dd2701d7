//! Layers, narrowing and modes.

use super::*;
use crate::policy::document::PolicyMode;
use crate::policy::narrow;

const ALLOW_LS: &str = "[[rule]]\neffect = \"allow\"\ncommands = [\"ls\", \"rm\"]\n";
const DENY_RM: &str = "[[rule]]\neffect = \"deny\"\ncommands = [\"rm\"]\n";

#[test]
fn layers_are_pooled_and_a_stated_default_holds() {
    for (managed, user, line, expected) in [
        ("", ALLOW_LS, "ls", "allow"),
        (DENY_RM, ALLOW_LS, "rm", "deny"),
        ("default = \"ask\"", ALLOW_LS, "ls", "ask"),
        ("default = \"deny\"", ALLOW_LS, "ls", "deny"),
        ("default = \"allow\"", ALLOW_LS, "ls", "allow"),
        ("default = \"allow\"", "", "make", "allow"),
        ("default = \"allow\"", "default = \"ask\"", "make", "ask"),
        ("", "", "ls", "ask"),
        (ALLOW_LS, DENY_RM, "rm", "deny"),
    ] {
        for order in [false, true] {
            let mut documents = vec![
                document(managed, LayerKind::Managed, true),
                document(user, LayerKind::User, true),
            ];
            if order {
                documents.reverse();
            }
            let verdict = verdict(&pooled(documents), &Call::run(line));
            assert_eq!(verdict.effect, effect(expected), "{managed:?} {user:?} {line}");
        }
    }
}

#[test]
fn documents_of_one_layer_are_one() {
    let stated = document("default = \"deny\"", LayerKind::User, true);
    let rules = document(ALLOW_LS, LayerKind::User, true);
    let policy = pooled(vec![stated, rules]);
    assert_eq!(verdict(&policy, &Call::run("ls")).effect, Effect::Allow);
    assert_eq!(verdict(&policy, &Call::run("make")).effect, Effect::Deny);
}

#[test]
fn a_project_that_nobody_trusts_only_tightens() {
    let loose = format!(
        "default = \"allow\"\n{ALLOW_LS}{}",
        "[[rule]]\neffect = \"deny\"\ncommands = [\"make\"]\n"
    );
    let project = |trusted| pooled(vec![document(&loose, LayerKind::Project, trusted)]);
    for (trusted, line, expected) in [
        (true, "ls", "allow"),
        (true, "x", "allow"),
        (false, "ls", "ask"),
        (false, "x", "ask"),
        (false, "make", "deny"),
    ] {
        let verdict = verdict(&project(trusted), &Call::run(line));
        assert_eq!(verdict.effect, effect(expected), "{trusted} {line}");
    }
}

#[test]
fn a_child_only_tightens() {
    let parent = policy(&format!("{ALLOW_LS}[[rule]]\neffect = \"ask\"\ncommands = [\"git\"]\n"));
    let child = policy(&format!("default = \"allow\"\n{DENY_RM}"));
    for (line, expected) in
        [("ls", "allow"), ("rm x", "deny"), ("git x", "ask"), ("make", "ask"), ("eval x", "ask")]
    {
        let call = Call::run(line);
        let says = narrow(verdict(&parent, &call), verdict(&child, &call));
        assert_eq!(says.effect, effect(expected), "{line}");
        assert_eq!(
            says.effect,
            says.actions.iter().map(|judged| judged.effect).max().unwrap(),
            "{line}"
        );
    }
}

#[test]
fn whoever_writes_a_policy_may_forbid_a_mode() {
    for layer in [
        LayerKind::Managed,
        LayerKind::User,
        LayerKind::Project,
        LayerKind::Code,
        LayerKind::Session,
    ] {
        // It only tightens: that needs no trust.
        let forbids = document("forbid = [\"auto\"]", layer, false);
        let silent = document("", LayerKind::Managed, true);
        let policy = pooled(vec![silent, forbids]);
        assert!(policy.forbids(PolicyMode::Auto).is_some(), "{layer:?}");
        assert!(policy.forbids(PolicyMode::Plan).is_none(), "{layer:?}");
    }
}
