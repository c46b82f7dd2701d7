//! What rules leave to a reviewer.

use super::*;
use crate::policy::narrow;

const NPM: &str =
    "[[rule]]\neffect = \"ask\"\ncommands = [\"npm **\"]\ntools = [\"bash\"]\nreviewer = true\n";
const WHOLE: &str = "[[rule]]\neffect = \"ask\"\ntools = [\"bash\"]\nreviewer = true\n";

fn is_left(documents: Vec<PolicyDocument>, line: &str) -> bool {
    let said = verdict(&pooled(documents), &Call::run(line));
    assert_eq!(said.effect, Effect::Ask, "{line}: {said:#?}");
    said.is_reviewable()
}

fn in_code(toml: &str, line: &str) -> bool {
    is_left(vec![document(toml, LayerKind::Code, true)], line)
}

#[test]
fn each_part_that_asks_must_be_left_to_it() {
    assert!(in_code(WHOLE, "npm install"));
    assert!(in_code(WHOLE, "npm install && ls"));
    for (toml, line) in [
        // Nothing speaks of the second command.
        (NPM, "ls /x; other-program"),
        // It could be what the rule speaks of.
        (NPM, "$X install"),
        // Its effect is unknown, though a rule for the whole tool asks.
        (WHOLE, "eval \"$X\""),
        ("", "npm install"),
    ] {
        assert!(!in_code(toml, line), "{line}");
    }
    for more in [
        "[[rule]]\neffect = \"ask\"\ncommands = [\"npm **\"]\n",
        "[[rule]]\neffect = \"ask\"\ncommands = [\"npm **\"]\nreviewer = false\n",
        "[[rule]]\neffect = \"ask\"\ntools = [\"b*\"]\n",
        "[[rule]]\neffect = \"ask\"\ntools = [\"b*\"]\nreviewer = true\nquorum = 2\n",
    ] {
        assert!(!in_code(&format!("{WHOLE}{more}"), "npm install"), "{more}");
    }
}

#[test]
fn what_could_only_be_what_a_rule_speaks_of_is_not_left_to_it() {
    let prod = "[[rule]]\neffect = \"ask\"\ncommands = [\"deploy prod\"]\nreviewer = true\n";
    let said = |line| {
        let said = verdict(&policy(prod), &Call::run(line));
        let of_command = said.actions.first().unwrap();
        (of_command.effect, of_command.reviewable)
    };
    assert_eq!(said("deploy prod"), (Effect::Ask, true));
    assert_eq!(said("deploy $X"), (Effect::Ask, false));
}

#[test]
fn one_that_another_layer_asks_about_is_not_left_to_it() {
    let code = || document(WHOLE, LayerKind::Code, true);
    let asks = "[[rule]]\neffect = \"ask\"\ntools = [\"bash\"]\n";
    assert!(is_left(vec![code(), document(WHOLE, LayerKind::User, true)], "npm install"));
    for (layer, toml) in [
        (LayerKind::User, asks),
        (LayerKind::User, "default = \"ask\""),
        // A person answers the administrator.
        (LayerKind::Managed, asks),
        (LayerKind::Managed, WHOLE),
    ] {
        assert!(!is_left(vec![code(), document(toml, layer, true)], "npm install"), "{toml}");
    }
}

#[test]
fn a_project_that_nobody_trusts_leaves_nothing_to_it() {
    let project = |trusted| vec![document(WHOLE, LayerKind::Project, trusted)];
    assert!(is_left(project(true), "npm install"));
    // Without its rule a person would be asked, since none speaks of the command: so a person is.
    assert!(!is_left(project(false), "npm install"));
}

#[test]
fn what_a_parent_or_its_child_asks_for_itself_is_not_left_to_it() {
    let said = |toml: &str| verdict(&policy(toml), &Call::run("npm install"));
    let asks = "[[rule]]\neffect = \"ask\"\ntools = [\"bash\"]\n";
    let allows = "[[rule]]\neffect = \"allow\"\ntools = [\"bash\"]\n";
    for (parent, child, expected) in [
        (WHOLE, WHOLE, true),
        (WHOLE, allows, true),
        (allows, WHOLE, true),
        (WHOLE, asks, false),
        (asks, WHOLE, false),
    ] {
        assert_eq!(narrow(said(parent), said(child)).is_reviewable(), expected);
    }
}

#[test]
fn no_more_is_left_to_it_than_an_allow_would_open() {
    let rule = |what: &str| {
        format!(
            "[[rule]]\neffect = \"ask\"\n{what}\nreviewer = true\ntools = [\"bash\", \"fetch\"]\n"
        )
    };
    let git = rule("commands = [\"git status\"]");
    assert!(in_code(&git, "git status"));
    for line in ["./git status", "/tmp/git status"] {
        assert!(!in_code(&git, line), "{line}");
    }
}
