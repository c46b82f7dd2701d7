//! Reads an answer of any accepted shape into a decision.
//!
//! Accepted are `true` and `false`; `{ type, .. }` of ours and of LangChain; `{ approved, reason? }`;
//! `{ decision, overrideResult?, note? }` of combycode. An answer that says two things is no answer: when in doubt the tool
//! does not run.

use std::collections::BTreeMap;

use super::{Decision, DecisionChoice};
use crate::call::{CanonicalJson, InvalidJson, Json};

/// An answer that is no decision. The message names the fault and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDecision(String);

impl InvalidDecision {
    /// For a reason that says what is wrong, and what to do.
    pub fn new(reason: String) -> Self {
        Self(reason)
    }
}

impl From<InvalidJson> for InvalidDecision {
    fn from(error: InvalidJson) -> Self {
        Self(format!("the decision is {error}"))
    }
}

const EXPECTED: &str = "expected true, false, or an object with a `type` of 'approve', 'edit', 'reject', 'rejectAndStop', \
                        'respond' or 'skip'";

/// What an answer may say. Anything else could be new arguments by another name (`input`, `updatedInput`), which must not be
/// lost: the old ones would run.
const KNOWN: [&str; 11] = [
    "type",
    "approved",
    "decision",
    "reason",
    "note",
    "message",
    "stop",
    "args",
    "editedAction",
    "output",
    "overrideResult",
];

/// What may stand beside it: what the call was, and who answers. It is read elsewhere, or not at all.
const BESIDE: [&str; 12] = [
    "remember",
    "by",
    "via",
    "groups",
    "id",
    "approvalId",
    "toolCallId",
    "toolName",
    "runId",
    "request",
    "at",
    "timestamp",
];

type Fields = BTreeMap<String, Json>;

/// The decision that an answer about a call of this tool stands for.
pub fn read(answer: &Json, tool_name: &str) -> Result<Decision, InvalidDecision> {
    match answer {
        Json::Bool(true) => Ok(Decision::new(DecisionChoice::Approve, None)),
        Json::Bool(false) => Ok(Decision::new(DecisionChoice::Reject { stop: false }, None)),
        Json::Object(fields) => read_object(fields, tool_name),
        other => Err(fault(format!("a decision cannot be {}: {EXPECTED}", other.kind()))),
    }
}

/// The decision that the product itself writes down: as [`read`], and `expired` and `cancelled`, which no human chooses.
pub fn read_outcome(outcome: &Json, tool_name: &str) -> Result<Decision, InvalidDecision> {
    let Json::Object(fields) = outcome else { return read(outcome, tool_name) };
    let choice = match fields.get("type") {
        Some(Json::String(name)) if name == "expired" => DecisionChoice::Expired,
        Some(Json::String(name)) if name == "cancelled" => DecisionChoice::Cancelled,
        _ => return read(outcome, tool_name),
    };
    Ok(Decision::new(choice, text(fields, "reason")?))
}

fn read_object(fields: &Fields, tool_name: &str) -> Result<Decision, InvalidDecision> {
    let known = |key: &&String| KNOWN.contains(&key.as_str()) || BESIDE.contains(&key.as_str());
    if let Some(unknown) = fields.keys().find(|key| !known(key)) {
        return Err(fault(format!(
            "the decision has {}, which is not known: it can have {}, and `remember`",
            shown(unknown),
            KNOWN.map(|key| format!("`{key}`")).join(", ")
        )));
    }
    let typed = fields.get("type").map(|kind| read_type(kind, fields, tool_name)).transpose()?;
    let worded = fields.get("decision").map(|word| read_word(word, fields)).transpose()?;
    let approved = match fields.get("approved") {
        None => None,
        Some(Json::Bool(approved)) => Some(*approved),
        Some(other) => {
            return Err(fault(format!("`approved` must be true or false, not {}", other.kind())));
        }
    };

    // LangChain's `message` and combycode's `note` are reasons where they are not something else.
    let note = if worded.is_some() { text(fields, "note")? } else { None };
    let message = match typed {
        Some(DecisionChoice::Respond { .. }) | None => None,
        Some(_) => text(fields, "message")?,
    };
    let reason = [text(fields, "reason")?, note, message].into_iter().flatten().try_fold(
        None,
        |first, next| match first {
            Some(first) if first != next => {
                Err(fault("`reason`, `note` and `message` disagree: give one of them"))
            }
            _ => Ok(Some(next)),
        },
    )?;

    let choice = match (typed, worded, approved) {
        (Some(typed), Some(worded), _) if typed != worded => {
            return Err(fault(format!(
                "`type` says {} and `decision` says {}: give one of them",
                typed.name(),
                worded.name()
            )));
        }
        (Some(choice), _, _) | (None, Some(choice), _) => choice,
        (None, None, Some(true)) => DecisionChoice::Approve,
        (None, None, Some(false)) => DecisionChoice::Reject { stop: stop(fields)? },
        (None, None, None) => {
            return Err(fault(format!(
                "the decision has none of `type`, `approved`, `decision`: {EXPECTED}"
            )));
        }
    };
    if approved.is_some_and(|approved| approved != choice.runs()) {
        return Err(fault(format!("`approved` contradicts {}: give one of them", choice.name())));
    }
    reject_leftovers(&choice, fields)?;
    Ok(Decision::new(choice, reason))
}

/// What only another decision could mean is a contradiction, not an extra: somebody who sends new arguments with an
/// `approve` does not want the old ones to run.
fn reject_leftovers(choice: &DecisionChoice, fields: &Fields) -> Result<(), InvalidDecision> {
    if choice.runs() && stop(fields)? {
        return Err(fault(format!(
            "`stop` contradicts {}: it ends the turn after a 'reject'",
            choice.name()
        )));
    }
    if *choice != DecisionChoice::Approve {
        return Ok(());
    }
    for (key, meant) in [
        ("args", "edit"),
        ("editedAction", "edit"),
        ("output", "respond"),
        ("overrideResult", "respond"),
    ] {
        if fields.contains_key(key) {
            return Err(fault(format!(
                "an approval has no `{key}`: use {{ type: '{meant}' }}, or leave it out"
            )));
        }
    }
    Ok(())
}

fn read_type(
    kind: &Json, fields: &Fields, tool_name: &str,
) -> Result<DecisionChoice, InvalidDecision> {
    let Json::String(kind) = kind else {
        return Err(fault(format!("`type` must be a string, not {}: {EXPECTED}", kind.kind())));
    };
    match kind.as_str() {
        "approve" => Ok(DecisionChoice::Approve),
        "edit" => Ok(DecisionChoice::Edit { args: edited_args(fields, tool_name)?, bound: None }),
        "reject" => Ok(DecisionChoice::Reject { stop: stop(fields)? }),
        "rejectAndStop" => match fields.get("stop") {
            None | Some(Json::Null | Json::Bool(true)) => Ok(DecisionChoice::Reject { stop: true }),
            Some(_) => Err(fault("`stop` contradicts 'rejectAndStop': leave it out")),
        },
        "respond" => match (fields.get("output"), text(fields, "message")?) {
            (Some(output), _) => Ok(DecisionChoice::Respond { output: CanonicalJson::of(output)? }),
            (None, Some(message)) => Ok(DecisionChoice::Respond {
                output: CanonicalJson::of(&Json::String(message.to_owned()))?,
            }),
            (None, None) => {
                Err(fault("'respond' needs an `output`: what the model gets as the tool's result"))
            }
        },
        "skip" => Ok(DecisionChoice::Skip),
        other => Err(fault(format!("`type` cannot be {}: {EXPECTED}", shown(other)))),
    }
}

/// The arguments of an edit: ours, or LangChain's.
fn edited_args(fields: &Fields, tool_name: &str) -> Result<CanonicalJson, InvalidDecision> {
    let theirs = match fields.get("editedAction") {
        None => None,
        Some(Json::Object(action)) => {
            match action.get("name") {
                Some(Json::String(name)) if name == tool_name => {}
                Some(Json::String(name)) => {
                    return Err(fault(format!(
                        "`editedAction.name` is {}, but the call is of {}: an edit cannot change the tool",
                        shown(name),
                        shown(tool_name)
                    )));
                }
                _ => return Err(fault("`editedAction.name` must be the name of the tool")),
            }
            Some(
                action.get("args").ok_or_else(|| {
                    fault("`editedAction` needs `args`: the arguments to run with")
                })?,
            )
        }
        Some(other) => {
            return Err(fault(format!("`editedAction` must be an object, not {}", other.kind())));
        }
    };
    match (fields.get("args"), theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Err(fault("`args` and `editedAction.args` disagree: give one of them"))
        }
        (Some(args), _) | (None, Some(args)) => Ok(CanonicalJson::of(args)?),
        (None, None) => Err(fault("'edit' needs `args`: the arguments to run with")),
    }
}

/// The words of combycode. A result that overrides stands instead of the execution, as it does there.
fn read_word(word: &Json, fields: &Fields) -> Result<DecisionChoice, InvalidDecision> {
    const WORDS: &str =
        "expected 'approve', 'deny', 'skip', or 'override' with an `overrideResult`";
    let Json::String(word) = word else {
        return Err(fault(format!("`decision` must be a string, not {}: {WORDS}", word.kind())));
    };
    let respond =
        |output: &Json| Ok(DecisionChoice::Respond { output: CanonicalJson::of(output)? });
    match (word.as_str(), fields.get("overrideResult")) {
        ("approve" | "approved" | "allow" | "skip" | "override", Some(output)) => respond(output),
        ("approve" | "approved" | "allow", None) => Ok(DecisionChoice::Approve),
        ("skip", None) => Ok(DecisionChoice::Skip),
        ("override", None) => Err(fault(
            "'override' needs an `overrideResult`: what the model gets as the tool's result",
        )),
        ("reject" | "rejected" | "deny" | "denied", _) => {
            Ok(DecisionChoice::Reject { stop: stop(fields)? })
        }
        (other, _) => Err(fault(format!("`decision` cannot be {}: {WORDS}", shown(other)))),
    }
}

fn text<'a>(fields: &'a Fields, key: &str) -> Result<Option<&'a str>, InvalidDecision> {
    match fields.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(fault(format!("`{key}` must be a string, not {}", other.kind()))),
    }
}

fn stop(fields: &Fields) -> Result<bool, InvalidDecision> {
    match fields.get("stop") {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(stop)) => Ok(*stop),
        Some(other) => Err(fault(format!("`stop` must be true or false, not {}", other.kind()))),
    }
}

/// A word of the answer as a message may repeat it: short, and with nothing that a terminal would act on.
fn shown(word: &str) -> String {
    let start: String = word.chars().take(64).collect();
    format!("'{}'", start.escape_debug())
}

fn fault(message: impl Into<String>) -> InvalidDecision {
    InvalidDecision(message.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    fn read_text(text: &str) -> Result<String, String> {
        let decision =
            read(&text.parse().unwrap(), "execute").map_err(|error| error.to_string())?;
        Ok(serde_json::to_string(&decision).unwrap())
    }

    #[test]
    fn every_accepted_shape() {
        for (answer, expected) in [
            ("true", r#"{"type":"approve"}"#),
            ("false", r#"{"type":"reject"}"#),
            (r#"{"type":"approve"}"#, r#"{"type":"approve"}"#),
            (r#"{"type":"approve","reason":"ok"}"#, r#"{"type":"approve","reason":"ok"}"#),
            (r#"{"type":"approve","reason":null}"#, r#"{"type":"approve"}"#),
            (r#"{"type":"approve","message":"ok"}"#, r#"{"type":"approve","reason":"ok"}"#),
            (r#"{"type":"approve","remember":"run","id":7,"request":{}}"#, r#"{"type":"approve"}"#),
            (r#"{"type":"approve","approved":true}"#, r#"{"type":"approve"}"#),
            (r#"{"type":"edit","args":{"b":1,"a":2}}"#, r#"{"type":"edit","args":{"a":2,"b":1}}"#),
            (r#"{"type":"edit","args":null}"#, r#"{"type":"edit","args":null}"#),
            (r#"{"type":"edit","args":{},"approved":true}"#, r#"{"type":"edit","args":{}}"#),
            (
                r#"{"type":"edit","editedAction":{"name":"execute","args":{"a":1}},"message":"m"}"#,
                r#"{"type":"edit","args":{"a":1},"reason":"m"}"#,
            ),
            (
                r#"{"type":"edit","args":{"a":1},"editedAction":{"name":"execute","args":{"a":1.0}}}"#,
                r#"{"type":"edit","args":{"a":1}}"#,
            ),
            (r#"{"type":"reject","reason":"no"}"#, r#"{"type":"reject","reason":"no"}"#),
            (r#"{"type":"reject","stop":true}"#, r#"{"type":"reject","stop":true}"#),
            (r#"{"type":"reject","stop":false}"#, r#"{"type":"reject"}"#),
            (r#"{"type":"reject","message":"no"}"#, r#"{"type":"reject","reason":"no"}"#),
            (r#"{"type":"reject","approved":false}"#, r#"{"type":"reject"}"#),
            (
                r#"{"type":"rejectAndStop","reason":"no"}"#,
                r#"{"type":"reject","stop":true,"reason":"no"}"#,
            ),
            (r#"{"type":"respond","output":[1]}"#, r#"{"type":"respond","output":[1]}"#),
            (
                r#"{"type":"respond","output":null,"message":"m"}"#,
                r#"{"type":"respond","output":null}"#,
            ),
            (r#"{"type":"respond","message":"m"}"#, r#"{"type":"respond","output":"m"}"#),
            (r#"{"type":"skip"}"#, r#"{"type":"skip"}"#),
            (r#"{"approved":true}"#, r#"{"type":"approve"}"#),
            (r#"{"approved":true,"reason":"ok"}"#, r#"{"type":"approve","reason":"ok"}"#),
            (
                r#"{"approved":false,"reason":"no","stop":true}"#,
                r#"{"type":"reject","stop":true,"reason":"no"}"#,
            ),
            (r#"{"decision":"approve"}"#, r#"{"type":"approve"}"#),
            (r#"{"decision":"approved","note":"n"}"#, r#"{"type":"approve","reason":"n"}"#),
            (r#"{"decision":"allow"}"#, r#"{"type":"approve"}"#),
            (r#"{"decision":"deny","note":"n"}"#, r#"{"type":"reject","reason":"n"}"#),
            (r#"{"decision":"denied","overrideResult":"x"}"#, r#"{"type":"reject"}"#),
            (r#"{"decision":"reject"}"#, r#"{"type":"reject"}"#),
            (
                r#"{"decision":"rejected","reason":"n","note":"n"}"#,
                r#"{"type":"reject","reason":"n"}"#,
            ),
            (r#"{"decision":"skip"}"#, r#"{"type":"skip"}"#),
            (
                r#"{"decision":"override","overrideResult":"x"}"#,
                r#"{"type":"respond","output":"x"}"#,
            ),
            (
                r#"{"decision":"approve","overrideResult":"x"}"#,
                r#"{"type":"respond","output":"x"}"#,
            ),
            (r#"{"decision":"approve","type":"approve","approved":true}"#, r#"{"type":"approve"}"#),
        ] {
            assert_eq!(read_text(answer).as_deref(), Ok(expected), "{answer}");
        }
    }

    #[test]
    fn every_other_shape_says_what_is_wrong() {
        for (answer, fault) in [
            ("null", "null"),
            ("1", "a number"),
            (r#""approve""#, "a string"),
            ("[true]", "an array"),
            ("{}", "none of"),
            (r#"{"decisions":[{"type":"approve"}]}"#, "'decisions'"),
            (r#"{"type":"approve","input":{"path":"safe"}}"#, "'input'"),
            (r#"{"type":"approve","updatedInput":{}}"#, "'updatedInput'"),
            (r#"{"approved":true,"editedArgs":{}}"#, "'editedArgs'"),
            (r#"{"decision":"approve","arguments":null}"#, "'arguments'"),
            (r#"{"type":"reject","stpo":true}"#, "'stpo'"),
            (r#"{"type":"reject","raeson":"no"}"#, "'raeson'"),
            (r#"{"type":"edit","args":{},"Args":{}}"#, "'Args'"),
            (r#"{"type":"Approve"}"#, "'Approve'"),
            (r#"{"type":"approve "}"#, "'approve '"),
            (r#"{"type":"expired"}"#, "'expired'"),
            (r#"{"type":"cancelled"}"#, "'cancelled'"),
            (r#"{"type":null}"#, "null"),
            (r#"{"type":["approve"]}"#, "an array"),
            (r#"{"type":"approve","approved":false}"#, "contradicts"),
            (r#"{"type":"reject","approved":true}"#, "contradicts"),
            (r#"{"type":"skip","approved":true}"#, "contradicts"),
            (r#"{"type":"respond","output":1,"approved":true}"#, "contradicts"),
            (r#"{"type":"approve","decision":"deny"}"#, "`decision` says"),
            (r#"{"type":"approve","decision":"skip"}"#, "`decision` says"),
            (r#"{"approved":true,"decision":"deny"}"#, "contradicts"),
            (r#"{"approved":false,"decision":"allow"}"#, "contradicts"),
            (r#"{"approved":"true"}"#, "`approved`"),
            (r#"{"approved":1}"#, "`approved`"),
            (r#"{"approved":null}"#, "`approved`"),
            (r#"{"type":"approve","approved":null}"#, "`approved`"),
            (r#"{"type":"approve","reason":1}"#, "`reason`"),
            (r#"{"type":"approve","reason":"a","message":"b"}"#, "disagree"),
            (r#"{"type":"approve","message":{}}"#, "`message`"),
            (r#"{"type":"approve","args":{}}"#, "'edit'"),
            (r#"{"approved":true,"args":{}}"#, "'edit'"),
            (r#"{"type":"approve","editedAction":{}}"#, "'edit'"),
            (r#"{"type":"approve","output":1}"#, "'respond'"),
            (r#"{"type":"approve","stop":true}"#, "`stop`"),
            (r#"{"type":"approve","stop":"no"}"#, "`stop`"),
            (r#"{"type":"edit"}"#, "needs `args`"),
            (
                r#"{"type":"edit","editedAction":{"name":"other","args":{}}}"#,
                "cannot change the tool",
            ),
            (r#"{"type":"edit","editedAction":{"args":{}}}"#, "editedAction.name"),
            (r#"{"type":"edit","editedAction":{"name":"execute"}}"#, "needs `args`"),
            (r#"{"type":"edit","editedAction":null,"args":{}}"#, "`editedAction`"),
            (
                r#"{"type":"edit","args":{},"editedAction":{"name":"execute","args":[]}}"#,
                "disagree",
            ),
            (r#"{"type":"reject","stop":1}"#, "`stop`"),
            (r#"{"type":"rejectAndStop","stop":false}"#, "`stop`"),
            (r#"{"type":"respond"}"#, "needs an `output`"),
            (r#"{"type":"respond","message":1}"#, "`message`"),
            (r#"{"decision":"edit"}"#, "'edit'"),
            (r#"{"decision":true}"#, "a boolean"),
            (r#"{"decision":{"type":"approve"}}"#, "an object"),
            (r#"{"decision":"override"}"#, "overrideResult"),
            (r#"{"decision":"deny","note":1}"#, "`note`"),
            (r#"{"type":"\u001b[2J"}"#, "\\u{1b}"),
        ] {
            let message = read_text(answer).expect_err(answer);
            assert!(message.contains(fault), "{answer}: {message}");
        }
    }

    #[test]
    fn only_the_product_itself_expires_and_cancels() {
        let outcome = |text: &str| {
            read_outcome(&text.parse().unwrap(), "execute").map(|decision| decision.choice)
        };
        assert_eq!(outcome(r#"{"type":"expired","reason":"late"}"#), Ok(DecisionChoice::Expired));
        assert_eq!(outcome(r#"{"type":"cancelled"}"#), Ok(DecisionChoice::Cancelled));
        assert_eq!(outcome(r#"{"type":"skip"}"#), Ok(DecisionChoice::Skip));
        assert!(outcome(r#"{"type":"cancelled","reason":3}"#).is_err());
        assert!(outcome("null").is_err());
    }

    /// Any JSON, made mostly of the words that mean something here.
    fn any_answer() -> impl Strategy<Value = Json> {
        let word = prop_oneof![
            Just("approve"),
            Just("edit"),
            Just("reject"),
            Just("respond"),
            Just("skip"),
            Just("allow"),
            Just("deny"),
            Just("override"),
            Just("execute"),
            Just("rejectAndStop"),
            Just("expired"),
            Just("x"),
        ];
        let key = prop_oneof![
            Just("type"),
            Just("approved"),
            Just("decision"),
            Just("args"),
            Just("editedAction"),
            Just("name"),
            Just("output"),
            Just("overrideResult"),
            Just("reason"),
            Just("message"),
            Just("note"),
            Just("stop"),
            Just("id"),
        ];
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i32>().prop_map(|number| Json::Number(number.into())),
            word.prop_map(|word| Json::String(word.to_owned())),
            ".*".prop_map(Json::String),
        ];
        leaf.prop_recursive(3, 24, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..6)
                    .prop_map(Json::Object),
            ]
        })
    }

    proptest! {
        #![proptest_config(cases(128, 4096))]

        #[test]
        fn nothing_else_lets_a_tool_run(answer in any_answer()) {
            let Ok(decision) = read(&answer, "execute") else { return Ok(()) };
            if !decision.choice.runs() {
                return Ok(());
            }
            // Said once more, in other words: what lets a tool run is `true`, or an object in which each word that is
            // there says so.
            let says_run = match &answer {
                Json::Bool(approved) => *approved,
                Json::Object(fields) => {
                    let word = |key: &str, yes: &[&str]| match fields.get(key) {
                        None => None,
                        Some(Json::String(word)) => Some(yes.contains(&word.as_str())),
                        Some(_) => Some(false),
                    };
                    let said = [
                        word("type", &["approve", "edit"]),
                        word("decision", &["approve", "approved", "allow"]),
                        fields.get("approved").map(|approved| *approved == Json::Bool(true)),
                    ];
                    said.iter().any(Option::is_some) && said.iter().flatten().all(|yes| *yes)
                }
                _ => false,
            };
            prop_assert!(says_run, "{answer:?} became {decision:?}");
        }
    }
}
