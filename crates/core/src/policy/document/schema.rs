//! The words of a document. `policy.schema.json` at the top of the repository says the same to editors; a test compares
//! the two.

use crate::policy::{ConfinedWrites, Effect};

use super::{MatchOrder, PolicyMode, RiskLevel};

/// The version of documents that this countersign reads and writes.
pub const VERSION: u32 = 1;

pub(super) const DOCUMENT: &[&str] =
    &["$schema", "version", "default", "match", "network", "forbid", "remember", "tools", "rule"];

pub(super) const READING: &[&str] = &["command", "read", "write", "url", "cwd", "ignore", "shell"];

pub(super) const RULE: &[&str] = &[
    "tools",
    "mcp",
    "effect",
    "reason",
    "risk",
    "because",
    "commands",
    "reads",
    "writes",
    "urls",
    "env",
    "annotations",
    "confined",
    "tracked",
    "approvers",
    "quorum",
    "exclude_requester",
    "escalate",
    "remind",
    "reviewer",
    "remember",
    "condition",
    "examples",
];

/// A command with what may stand behind it.
pub(super) const COMMAND: &[&str] = &["words", "operands", "options", "exact"];

/// What says who must agree.
pub(super) const WHO: &[&str] = &["approvers", "quorum", "exclude_requester", "escalate", "remind"];

pub(super) const ESCALATE: &[&str] = &["after", "to"];

pub(super) const EXAMPLES: &[&str] = &["match", "not_match"];

pub(super) const SHELLS: &[&str] =
    &["bash", "sh", "posix", "zsh", "pwsh", "powershell", "cmd", "none"];

/// Hints that tools are known to give of themselves; others may be named too.
pub(super) const HINTS: &[&str] =
    &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

pub(super) const EFFECTS: &[(&str, Effect)] =
    &[("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

/// How great a risk is.
pub(super) const RISKS: &[(&str, RiskLevel)] = &[("high", RiskLevel::High)];

/// What a confined command can write at most. Of those that are not confined a rule speaks with `false`.
pub(super) const CONFINED: &[(&str, ConfinedWrites)] =
    &[("project", ConfinedWrites::Project), ("nothing", ConfinedWrites::Nothing)];

pub(super) const MATCHES: &[(&str, MatchOrder)] =
    &[("strictest", MatchOrder::Strictest), ("first", MatchOrder::First)];

/// Whether nothing is remembered.
pub(super) const REMEMBERS: &[(&str, bool)] = &[("never", true)];

pub(super) const MODES: &[(&str, PolicyMode)] = &[
    ("safe", PolicyMode::Safe),
    ("auto", PolicyMode::Auto),
    ("plan", PolicyMode::Plan),
    ("deny-all-asks", PolicyMode::DenyAllAsks),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::super::{DocumentFormat, LayerKind, PolicySource, read};
    use super::*;

    fn schema() -> Value {
        serde_json::from_str(include_str!("../../../../../policy.schema.json")).unwrap()
    }

    fn read_json(value: &Value) -> Result<(), Vec<super::super::DocumentError>> {
        let source =
            PolicySource { layer: LayerKind::User, name: Arc::from("example"), trusted: true };
        read(&value.to_string(), DocumentFormat::Json, source).map(drop)
    }

    #[test]
    fn schema_and_reader_know_the_same_words() {
        let schema = schema();
        let sorted = |words: &mut Vec<String>| words.sort();
        let at = |pointer: &str| schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        for (pointer, known) in [
            ("/properties", DOCUMENT.to_vec()),
            ("/$defs/reading/properties", READING.to_vec()),
            // Functions are for programs, not for files.
            (
                "/$defs/rule/properties",
                RULE.iter().copied().filter(|key| *key != "condition").collect(),
            ),
            ("/$defs/rule/properties/examples/properties", EXAMPLES.to_vec()),
            ("/$defs/rule/properties/escalate/properties", ESCALATE.to_vec()),
            ("/$defs/closedCommand/properties", COMMAND.to_vec()),
            ("/$defs/rule/properties/annotations/properties", HINTS.to_vec()),
        ] {
            let mut keys: Vec<String> = at(pointer).as_object().unwrap().keys().cloned().collect();
            let mut known: Vec<String> = known.into_iter().map(str::to_owned).collect();
            sorted(&mut keys);
            sorted(&mut known);
            assert_eq!(keys, known, "{pointer}");
            for (key, value) in at(pointer).as_object().unwrap() {
                assert!(
                    value["description"].is_string() || value["$ref"].is_string(),
                    "{pointer}/{key}"
                );
            }
        }
        let words = |words: &[&str]| Value::from(words.to_vec());
        assert_eq!(at("/$defs/reading/properties/shell/enum"), &words(SHELLS));
        assert_eq!(at("/$defs/effect/enum"), &words(&EFFECTS.map_names()));
        assert_eq!(at("/properties/match/enum"), &words(&MATCHES.map_names()));
        assert_eq!(at("/$defs/rule/properties/risk/enum"), &words(&RISKS.map_names()));
        assert_eq!(at("/$defs/mode/enum"), &words(&MODES.map_names()));
        assert_eq!(at("/properties/version/const"), &Value::from(VERSION));
        assert_eq!(at("/properties/rule/maxItems"), &Value::from(super::super::MAX_RULES));
        for closed in [
            "",
            "/$defs/reading",
            "/$defs/rule",
            "/$defs/rule/properties/examples",
            "/$defs/closedCommand",
        ] {
            assert_eq!(at(&format!("{closed}/additionalProperties")), &Value::Bool(false));
        }
    }

    trait KeyNames {
        fn map_names(&self) -> Vec<&'static str>;
    }

    impl<T> KeyNames for [(&'static str, T)] {
        fn map_names(&self) -> Vec<&'static str> {
            self.iter().map(|(name, _)| *name).collect()
        }
    }

    #[test]
    fn examples_of_the_schema_are_read() {
        let schema = schema();
        for example in schema["examples"].as_array().unwrap() {
            assert_eq!(read_json(example), Ok(()), "{example}");
        }
        for list in [
            "/$defs/commandText/examples",
            "/$defs/command/anyOf/1/examples",
            "/$defs/closedCommand/examples",
        ] {
            for command in schema.pointer(list).unwrap().as_array().unwrap() {
                let rule = serde_json::json!({ "effect": "deny", "commands": [command] });
                let document = serde_json::json!({ "version": 1, "rule": [rule] });
                assert_eq!(read_json(&document), Ok(()), "{command}");
            }
        }
    }
}
