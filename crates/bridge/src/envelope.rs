//! What every answer is wrapped in: a value or an error, never an exception. And how texts are read.

use countersign_core::approval::{ApprovalId, DecisionKinds, Status};
use countersign_core::call::InvalidJson;
use countersign_core::gate::GateError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::policies::{PolicyProblem, faults};
use crate::record::NativeRecord;
#[cfg(test)]
use crate::words;

/// JSON that is passed on as it stands.
pub(crate) type Raw = Box<RawValue>;

/// The longest text of one answer. A JavaScript engine's strings end at about 512 MiB, and the call with them.
const MAX_TEXT: usize = 256 * 1024 * 1024;

/// Text of the binding's own making: when it does not fit, the fault is ours or the caller's types are wrong. What JSON cannot
/// carry stands in the arguments of a call, as the caller gave them.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, GateError> {
    serde_json::from_str(text).map_err(|error| match InvalidJson::of_value(&error) {
        Some(invalid) => GateError::InvalidArguments(invalid),
        None => {
            GateError::Internal(format!("the binding was given what it does not take: {error}"))
        }
    })
}

/// `null` is a value like any other where arguments stand; only what is left out is not there.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Raw>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// A value, or the error instead.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Envelope<'a, T> {
    Ok(T),
    Error(Box<NativeError<'a>>),
}

impl<'a, T> From<&'a Result<T, GateError>> for Envelope<'a, &'a T> {
    fn from(result: &'a Result<T, GateError>) -> Self {
        match result {
            Ok(value) => Self::Ok(value),
            Err(error) => Self::Error(Box::new(error.into())),
        }
    }
}

/// A value as JSON within JSON.
pub(crate) fn raw(value: &impl Serialize) -> Result<Raw, GateError> {
    serde_json::value::to_raw_value(value).map_err(|error| GateError::Internal(error.to_string()))
}

/// `{ ok }` or `{ error }`, the latter with its `code` and `message`.
pub fn envelope<T: Serialize>(result: Result<T, GateError>) -> String {
    let text = serde_json::to_string(&Envelope::from(&result));
    match text {
        Ok(text) if text.len() <= MAX_TEXT => text,
        Ok(text) => internal(&format!(
            "the answer is {} bytes of JSON, more than a JavaScript string holds: ask for less at a time",
            text.len()
        )),
        Err(error) => internal(&error.to_string()),
    }
}

fn internal(message: &str) -> String {
    let message = serde_json::Value::from(message);
    format!(r#"{{"error":{{"code":"ERR_INTERNAL","message":{message}}}}}"#)
}

/// An error of the core as data: its code, its message, and what the class of that code is made with.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeError<'a> {
    /// Selects the class that is thrown.
    code: &'static str,
    message: String,
    /// The record of the same call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    existing: Option<NativeRecord<'a>>,
    /// What stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    winner: Option<NativeRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    problems: Option<Vec<PolicyProblem<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "string | null"))]
    nearest: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    approval_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<words::DecisionType>>"))]
    allowed_decisions: Option<DecisionKinds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "string | null"))]
    by: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    approvers: Option<&'a [Box<str>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Option<words::ApprovalStatus>>"))]
    status: Option<Option<Status>>,
}

impl<'a> From<&'a GateError> for NativeError<'a> {
    fn from(error: &'a GateError) -> Self {
        let plain = Self {
            code: error.code(),
            message: error.to_string(),
            existing: None,
            winner: None,
            problems: None,
            tool_name: None,
            nearest: None,
            path: None,
            approval_id: None,
            allowed_decisions: None,
            by: None,
            approvers: None,
            status: None,
        };
        let id = |id: &ApprovalId| Some(id.to_string());
        match error {
            GateError::Duplicate(record) => Self { existing: Some(record.into()), ..plain },
            GateError::AlreadyDecided(record) => Self { winner: Some(record.into()), ..plain },
            GateError::Policy(errors) => Self { problems: Some(faults(errors)), ..plain },
            GateError::UnknownTool(unknown) => Self {
                tool_name: Some(&unknown.tool_name),
                nearest: Some(unknown.nearest.as_deref()),
                ..plain
            },
            GateError::File(error) => Self { path: Some(&error.path), ..plain },
            GateError::Expired(approval) => Self { approval_id: id(approval), ..plain },
            GateError::UnknownApproval(text) => Self { approval_id: Some(text.clone()), ..plain },
            GateError::NotAllowed { id: approval, allowed } => {
                Self { approval_id: id(approval), allowed_decisions: Some(*allowed), ..plain }
            }
            GateError::NotApprover { id: approval, by, approvers } => Self {
                approval_id: id(approval),
                by: Some(by.as_deref()),
                approvers: Some(approvers),
                ..plain
            },
            GateError::NotApproved { status } => Self { status: Some(*status), ..plain },
            GateError::Ambiguous { status } | GateError::AlreadyStarted { status } => {
                Self { status: Some(Some(*status)), ..plain }
            }
            _ => plain,
        }
    }
}
