//! Decisions: read from any answer, taken, and told.

use countersign_core::approval::{Decision, DecisionChannel, DecisionChoice, Record, answer};
use countersign_core::call::{CanonicalJson, InvalidJson, Json, ToolCall};
use countersign_core::gate::{DecidingCaller, Gate, GateError};
use serde::{Deserialize, Serialize, Serializer};

use crate::envelope::{Raw, present};
use crate::request::{approval_id, context, name, stored};
#[cfg(test)]
use crate::words;

/// Reads any answer (`ApprovalAnswer`) into a decision.
pub(crate) fn parse_answer(text: &str, tool_name: &str) -> Result<Decision, GateError> {
    Ok(answer::read(&decision_json(text)?, tool_name)?)
}

fn decision_json(text: &str) -> Result<Json, GateError> {
    text.parse().map_err(|error: InvalidJson| GateError::InvalidDecision(error.into()))
}

/// Who decides, and what an edit runs.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecideMeta {
    #[cfg_attr(test, ts(type = "string | null"))]
    by: Option<Raw>,
    /// The groups that this person is in.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    groups: Box<[Box<str>]>,
    #[cfg_attr(test, ts(as = "words::DecidedVia"))]
    via: DecisionChannel,
    /// For an edit: the arguments that will run, as the tool's schema gave them.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(optional, type = "unknown"))]
    edited_args: Option<Raw>,
    /// For an edit: what the policies judge the edited call under. Absent: as the call that was asked about.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "object | null"))]
    edited_context: Option<Raw>,
    /// For an edit: what is kept instead of the arguments that will run, which the digest is of.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(optional, type = "[unknown] | null"))]
    stored: Option<Raw>,
}

impl DecideMeta {
    /// Who decides what is no edit.
    pub(crate) fn decider(self) -> Result<DecidingCaller, GateError> {
        let by = self.by.map(|by| name("by", &by)).transpose()?.map(Into::into);
        Ok(DecidingCaller { by, groups: self.groups, via: self.via })
    }
}

/// Decides: a [`DecisionOutcome`] as it is given, and a [`DecideMeta`].
pub(crate) fn decide(
    gate: &Gate, id: &str, outcome: &str, meta: DecideMeta,
) -> Result<Record, GateError> {
    let id = approval_id(id)?;
    let outcome = decision_json(outcome)?;
    // What is decided is looked at in the step itself; only edits are of these very arguments.
    let record = match is_plain(&outcome) {
        true => None,
        false => Some(gate.get(id)?.ok_or_else(|| GateError::UnknownApproval(id.to_string()))?),
    };
    let call = record.as_ref().map(|record| &record.request().call);
    let tool_name = call.map_or("", |call| &call.tool_name);
    let edited = meta.edited_context.as_deref().map(context).transpose()?;
    let (mut decision, decider, stored) = decision(&outcome, meta, tool_name)?;
    if let (DecisionChoice::Edit { args, bound }, Some(call)) = (&mut decision.choice, call) {
        *bound = match edited {
            Some(context) => {
                Some(ToolCall { context: Some(context), ..call.clone() }.digest_with(args))
            }
            None => stored.is_some().then(|| call.digest_with(args)),
        };
        if let Some(stored) = stored {
            *args = stored;
        }
    }
    gate.decide(id, decision, decider)
}

/// Whether it says no more than yes or no, so that the call need not be known to read it.
fn is_plain(outcome: &Json) -> bool {
    let Json::Object(fields) = outcome else { return false };
    matches!(fields.get("type"), Some(Json::String(kind)) if matches!(&**kind, "approve" | "reject" | "skip"))
}

/// Reads a decision and who takes it: `DecisionOutcome`, `{ by, via, editedArgs?, stored? }`. The edited arguments of the
/// second, as the tool's schema gave them, stand above those of the first; `stored` is what is kept instead of them.
fn decision(
    outcome: &Json, mut meta: DecideMeta, tool_name: &str,
) -> Result<(Decision, DecidingCaller, Option<CanonicalJson>), GateError> {
    let mut decision = answer::read_outcome(outcome, tool_name)?;
    let (edited, kept) = (meta.edited_args.take(), meta.stored.take());
    let decider = meta.decider()?;
    if let (DecisionChoice::Edit { args, .. }, Some(edited)) = (&mut decision.choice, edited) {
        *args = CanonicalJson::parse(edited.get())?;
    }
    let stored = kept.as_deref().map(stored).transpose()?.flatten();
    Ok((decision, decider, stored))
}

/// What was decided, as it is told.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum DecisionOutcome<'a> {
    Approve(Reason<'a>),
    Edit {
        #[cfg_attr(test, ts(type = "unknown"))]
        args: &'a CanonicalJson,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reason: Option<&'a str>,
    },
    Reject {
        /// Also ends the turn.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        stop: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reason: Option<&'a str>,
    },
    Respond {
        #[cfg_attr(test, ts(type = "unknown"))]
        output: &'a CanonicalJson,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reason: Option<&'a str>,
    },
    Skip(Reason<'a>),
    Expired(Reason<'a>),
    Cancelled(Reason<'a>),
}

/// Why, in the decider's words.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Reason<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    reason: Option<&'a str>,
}

impl<'a> From<&'a Decision> for DecisionOutcome<'a> {
    fn from(Decision { choice, reason }: &'a Decision) -> Self {
        let reason = reason.as_deref();
        match choice {
            DecisionChoice::Approve => Self::Approve(Reason { reason }),
            DecisionChoice::Edit { args, bound: _ } => Self::Edit { args, reason },
            DecisionChoice::Reject { stop } => Self::Reject { stop: *stop, reason },
            DecisionChoice::Respond { output } => Self::Respond { output, reason },
            DecisionChoice::Skip => Self::Skip(Reason { reason }),
            DecisionChoice::Expired => Self::Expired(Reason { reason }),
            DecisionChoice::Cancelled => Self::Cancelled(Reason { reason }),
        }
    }
}

/// A decision of one's own.
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "DecisionOutcome"))]
pub(crate) struct DecisionText(pub(crate) Decision);

impl Serialize for DecisionText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DecisionOutcome::from(&self.0).serialize(serializer)
    }
}
