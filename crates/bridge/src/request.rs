//! A call to be put to a human, and what may be looked for.

use std::sync::Arc;

use countersign_core::approval::{
    ApprovalId, ApproverNeed, DecisionKind, DecisionKinds, RequestExtras, is_name,
};
use countersign_core::call::{CallContext, CanonicalJson, Json, ToolCall};
use countersign_core::gate::{
    Gate, GateError, MAX_NAME, NewRequest, PreparedPage, RedeemedCall, shown,
};
use countersign_core::ledger::HistoryQuery;
use countersign_core::preview::{self, Flag};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::envelope::{Raw, present, raw, read};
use crate::policies::bound::{
    BoundNow, CallBinding, LookFailure, LookedUp, NativeLook, PolicyLook, given,
};

/// How many agents deep a call may come from.
const MAX_ORIGIN: usize = 64;

/// The longest description, in bytes. A longer one is cut.
const MAX_DESCRIPTION: usize = 4 * 1024;

/// How many records of the past are given at once.
const MAX_HISTORY: f64 = 1_000.0;

/// A call to be put to a human.
//
// What may be wrong is taken as raw text first, so that what is wrong with it can be told from what is wrong around it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeRequest {
    #[cfg_attr(test, ts(type = "string"))]
    run_id: Raw,
    #[cfg_attr(test, ts(type = "string"))]
    tool_call_id: Raw,
    #[cfg_attr(test, ts(type = "string"))]
    tool_name: Raw,
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Option<Raw>,
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    origin: Raw,
    /// `null`: the core describes the call itself.
    #[cfg_attr(test, ts(type = "string | null"))]
    description: Option<Raw>,
    /// `null`: all of them.
    #[cfg_attr(test, ts(as = "Option<crate::types::List<crate::words::DecisionType>>"))]
    allowed_decisions: Option<Raw>,
    /// ms; `null`: no deadline.
    timeout_ms: Option<f64>,
    /// What the policies judge the call under; part of the digest. `null`: no policies.
    #[cfg_attr(test, ts(type = "object | null"))]
    context: Option<Raw>,
    /// What is shown of the verdict, kept with the request.
    #[cfg_attr(test, ts(type = "object | null"))]
    details: Option<Raw>,
    /// The request of the same call, cancelled or answered, that it takes the place of.
    supersedes: Option<Box<str>>,
    /// Whether the conversation no longer holds the call of that one: it may have been decided against then, too.
    #[serde(default)]
    #[cfg_attr(test, ts(optional = nullable))]
    call_is_gone: Option<bool>,
    /// The preview when it is more than the arguments; `null`: the core makes it.
    page: Option<NativePage>,
    /// How the context, the page and what is shown beside it are looked up; absent: they are given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional = nullable))]
    look: Option<NativeLook>,
    /// What is kept instead of `args`, which the digest is of; absent or `null`: the very same.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(optional, type = "[unknown] | null"))]
    stored: Option<Raw>,
    /// Who must agree; equal ones count once. Fails with `ERR_INVALID_CONFIG`.
    #[serde(default)]
    #[cfg_attr(
        test,
        ts(optional, as = "Option<crate::types::List<crate::record::ApprovalNeed<'static>>>")
    )]
    needs: Vec<Raw>,
    /// Who asked for the run.
    #[cfg_attr(test, ts(optional = nullable))]
    requester: Option<Box<str>>,
    /// How many ms before the deadline everybody is told once more.
    #[cfg_attr(test, ts(optional = nullable))]
    remind_ms: Option<f64>,
}

/// A preview, and what was found worth a warning.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativePage {
    text: Box<str>,
    flags: Vec<Box<str>>,
}

impl From<NativePage> for PreparedPage {
    fn from(page: NativePage) -> Self {
        let known =
            |name: &str| Flag::ALL.iter().map(|flag| flag.name()).find(|flag| *flag == name);
        Self { text: page.text, flags: page.flags.iter().filter_map(|name| known(name)).collect() }
    }
}

/// A request that was read, with what was looked up of its call.
pub(crate) struct LookedRequest {
    request: NativeRequest,
    looked: Option<LookedUp>,
}

impl LookedRequest {
    /// Reads a [`NativeRequest`], and has these policies say what belongs to it.
    pub(crate) fn new(text: &str, look: PolicyLook<'_>) -> Result<Self, LookFailure> {
        let request: NativeRequest = read(text)?;
        let looked = match (&request.look, &request.args) {
            (Some(wanted), Some(args)) => Some(wanted.look(given(args)?, look)?),
            // What is missing is told when the request is made.
            _ => None,
        };
        Ok(Self { request, looked })
    }

    /// What an approval is bound to beside the call, where that was looked up, and what is wrong with policy files.
    pub(crate) fn told(&self) -> Result<(Option<Raw>, Option<Raw>), GateError> {
        let Some(looked) = &self.looked else { return Ok((None, None)) };
        let problems = looked.problems().map(|problems| raw(&problems)).transpose()?;
        Ok((Some(looked.context()?), problems))
    }

    /// The request as the core takes it.
    pub(crate) fn into_new(self) -> Result<NewRequest, GateError> {
        let Self { mut request, looked } = self;
        let mut page = request.page.take().map(PreparedPage::from);
        if let Some(looked) = looked {
            request.context = Some(looked.context()?);
            request.details = looked.details(request.details.as_deref())?;
            page = looked.page();
        }
        new_request(request, page)
    }
}

fn new_request(raw: NativeRequest, page: Option<PreparedPage>) -> Result<NewRequest, GateError> {
    let call = ToolCall {
        run_id: name("runId", &raw.run_id)?.into(),
        tool_call_id: name("toolCallId", &raw.tool_call_id)?.into(),
        tool_name: name("toolName", &raw.tool_name)?.into(),
        args: arguments(raw.args.as_deref())?,
        context: raw.context.as_deref().map(context).transpose()?,
    };
    let needs = needs(&raw.needs)?;
    let requester = raw.requester.map(requester).transpose()?;
    let remind = raw.remind_ms.map(|ms| positive("remind", ms)).transpose()?;
    let is_plain = needs.is_empty()
        && (&raw.supersedes, &requester, remind) == (&None, &None, None)
        && raw.details.is_none();
    let more = RequestExtras {
        supersedes: raw.supersedes.as_deref().map(approval_id).transpose()?,
        call_is_gone: raw.call_is_gone == Some(true),
        details: raw.details,
        needs,
        requester,
        remind,
        ..RequestExtras::default()
    };
    let more = (!is_plain).then(|| Box::new(more));
    let stored = raw.stored.as_deref().map(stored).transpose()?.flatten();
    let description = match &raw.description {
        Some(text) => Some(description(text)?),
        None => described(&call, raw.args.as_deref(), stored.as_ref()),
    };
    Ok(NewRequest {
        call,
        origin: origin(&raw.origin)?,
        description,
        allowed: raw
            .allowed_decisions
            .map_or(Ok(DecisionKinds::ALL), |text| allowed_decisions(&text))?,
        timeout: raw.timeout_ms.map(|ms| positive("timeout", ms)).transpose()?,
        page,
        more,
        stored,
    })
}

/// The call in a sentence, in its own order of arguments; `None`: the order of what is kept says the same.
fn described(
    call: &ToolCall, raw: Option<&RawValue>, stored: Option<&CanonicalJson>,
) -> Option<Box<str>> {
    let order = raw.and_then(|args| preview::order_of(args.get()))?;
    if order.is_sorted_by(|one, other| one.encode_utf16().le(other.encode_utf16())) {
        return None;
    }
    let args = shown(stored.unwrap_or(&call.args));
    Some(preview::describe(&call.tool_name, &args, &order).into())
}

pub(crate) fn invalid(what: &str, raw: &RawValue) -> GateError {
    match raw.get().parse::<Json>() {
        Ok(value) => GateError::InvalidRequest(format!("`{what}` cannot be {}", value.kind())),
        Err(error) => GateError::InvalidRequest(format!("`{what}` is {error}")),
    }
}

pub(crate) fn name(what: &str, raw: &RawValue) -> Result<String, GateError> {
    let name: String = serde_json::from_str(raw.get()).map_err(|_| invalid(what, raw))?;
    if name.len() > MAX_NAME {
        return Err(GateError::InvalidRequest(format!(
            "`{what}` is {} bytes long, and the gate takes at most {MAX_NAME}",
            name.len()
        )));
    }
    Ok(name)
}

pub(crate) fn arguments(raw: Option<&RawValue>) -> Result<CanonicalJson, GateError> {
    let raw = raw.ok_or_else(|| {
        GateError::InvalidRequest(
            "the arguments are not a JSON value (undefined, a function or a symbol): pass an object"
                .to_owned(),
        )
    })?;
    Ok(CanonicalJson::parse(raw.get())?)
}

/// What is kept instead of arguments: `[value]`, or `null` for the arguments themselves.
pub(crate) fn stored(raw: &RawValue) -> Result<Option<CanonicalJson>, GateError> {
    let stored: Option<(Raw,)> = read(raw.get())?;
    Ok(stored.map(|(value,)| CanonicalJson::parse(value.get())).transpose()?)
}

/// What the policies judge under, in the one form it has.
pub(crate) fn context(raw: &RawValue) -> Result<Box<CallContext>, GateError> {
    Ok(Box::new(CallContext(CanonicalJson::parse(raw.get())?)))
}

/// Who must agree, as programs and policies say it.
fn needs(raw: &[Raw]) -> Result<Box<[ApproverNeed]>, GateError> {
    let needs = raw.iter().map(|raw| need(raw)).collect::<Result<_, _>>()?;
    ApproverNeed::checked(needs).map_err(GateError::InvalidConfig)
}

fn need(raw: &RawValue) -> Result<ApproverNeed, GateError> {
    serde_json::from_str(raw.get()).map_err(|error| {
        GateError::InvalidConfig(format!(
            "who must agree is {{ approvers?: string[], quorum?: number, excludeRequester?: boolean, \
             escalate?: {{ after: number, to: string[] }} }}, all numbers whole: {error}"
        ))
    })
}

fn requester(name: Box<str>) -> Result<Box<str>, GateError> {
    if !is_name(&name) || name.len() > MAX_NAME {
        return Err(GateError::InvalidConfig(format!(
            "`requester` must be the name of a person, of at most {MAX_NAME} bytes"
        )));
    }
    Ok(name)
}

fn origin(raw: &RawValue) -> Result<Arc<[Box<str>]>, GateError> {
    let origin: Vec<Box<str>> = serde_json::from_str(raw.get()).map_err(|_| {
        GateError::InvalidRequest("`origin` must be an array of the names of agents".to_owned())
    })?;
    if origin.len() > MAX_ORIGIN || origin.iter().any(|agent| agent.len() > MAX_NAME) {
        return Err(GateError::InvalidRequest(format!(
            "`origin` may name at most {MAX_ORIGIN} agents, each in at most {MAX_NAME} bytes"
        )));
    }
    Ok(origin.into())
}

fn description(raw: &RawValue) -> Result<Box<str>, GateError> {
    let text: String = serde_json::from_str(raw.get()).map_err(|_| invalid("description", raw))?;
    // It may repeat the arguments: a description is no way past the preview.
    Ok(preview::text(&text, MAX_DESCRIPTION).into())
}

fn allowed_decisions(raw: &RawValue) -> Result<DecisionKinds, GateError> {
    let kinds: Option<Vec<DecisionKind>> = serde_json::from_str(raw.get()).ok();
    kinds.and_then(DecisionKinds::new).ok_or_else(|| {
        let all = DecisionKinds::ALL.names();
        GateError::InvalidConfig(format!("`allowedDecisions` must be a non-empty array of: {all}"))
    })
}

fn positive(what: &str, ms: f64) -> Result<u64, GateError> {
    if ms > 0.0 {
        // Saturates: a deadline beyond the end of time never passes.
        Ok(ms.ceil() as u64)
    } else {
        Err(GateError::InvalidConfig(format!(
            "`{what}` must be a positive number of milliseconds, not {ms}"
        )))
    }
}

/// The id that a text stands for. No other text is the id of a request.
pub(crate) fn approval_id(text: &str) -> Result<ApprovalId, GateError> {
    ApprovalId::try_parse(text)
        .ok()
        .filter(|id| id.hyphenated().encode_lower(&mut ApprovalId::encode_buffer()) == text)
        .ok_or_else(|| GateError::UnknownApproval(text.chars().take(64).collect()))
}

/// What to look at of what is no longer pending.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativePast {
    /// Of this run and of those that are a part of it.
    run_id: Option<Box<str>>,
    tool_name: Option<Box<str>>,
    /// Those before this one.
    before: Option<Box<str>>,
    /// From 1 to 1,000.
    limit: f64,
}

impl NativePast {
    pub(crate) fn past(self) -> Result<HistoryQuery, GateError> {
        if !(1.0..=MAX_HISTORY).contains(&self.limit) || self.limit.fract() != 0.0 {
            return Err(GateError::InvalidConfig(format!(
                "history: limit must be a whole number from 1 to {MAX_HISTORY}, not {}",
                self.limit
            )));
        }
        Ok(HistoryQuery {
            run: self.run_id,
            tool: self.tool_name,
            before: self.before.as_deref().map(approval_id).transpose()?,
            limit: self.limit as usize,
        })
    }
}

/// A call that is to run.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeemingCall {
    #[cfg_attr(test, ts(type = "string"))]
    tool_name: Raw,
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Option<Raw>,
    /// What its approval is bound to beside it; `null`: nothing.
    binding: Option<CallBinding>,
    /// The same as things are now.
    #[serde(skip)]
    now: Option<BoundNow>,
}

impl RedeemingCall {
    /// Has the policies say what it is bound to now.
    pub(crate) fn look(&mut self, look: PolicyLook<'_>) -> Result<(), LookFailure> {
        // What is missing is told when it is redeemed.
        if let (Some(binding), Some(args)) = (&self.binding, &self.args) {
            self.now = Some(binding.look(given(args)?, look)?);
        }
        Ok(())
    }

    /// Why no approval lets it run.
    pub(crate) fn denied(&self) -> Option<Box<str>> {
        self.now.as_ref().and_then(BoundNow::denied).map(Into::into)
    }

    /// What is wrong with the policy files, where any changed.
    pub(crate) fn problems(&self) -> Result<Option<Raw>, GateError> {
        self.now.as_ref().and_then(BoundNow::problems).map(|problems| raw(&problems)).transpose()
    }

    fn bound_call(&self) -> Result<BoundCall, GateError> {
        let args = arguments(self.args.as_deref())?;
        let context = match (&self.binding, &self.now) {
            (None, _) => None,
            (Some(_), Some(now)) => Some(context(&now.context()?)?),
            (Some(_), None) => {
                return Err(GateError::Internal("no policy was asked about the call".to_owned()));
            }
        };
        Ok(BoundCall { tool_name: name("toolName", &self.tool_name)?, args, context })
    }
}

/// A call with what it is bound to.
struct BoundCall {
    tool_name: String,
    args: CanonicalJson,
    context: Option<Box<CallContext>>,
}

/// Redeems.
pub(crate) fn redeem(
    gate: &Gate, run_id: Option<&str>, tool_call_id: &str, call: &RedeemingCall,
) -> Result<NativeRedeemed, GateError> {
    let BoundCall { tool_name, args, context } = call.bound_call()?;
    gate.redeem(run_id, tool_call_id, &tool_name, args, context).map(NativeRedeemed::from)
}

/// Whether an approval is bound to this very call.
pub(crate) fn is_bound(gate: &Gate, id: &str, call: &RedeemingCall) -> Result<bool, GateError> {
    let BoundCall { tool_name, args, context } = call.bound_call()?;
    gate.is_bound(approval_id(id)?, &tool_name, args, context)
}

/// What may be executed: the core's own copy of the arguments.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeRedeemed {
    #[cfg_attr(test, ts(type = "string"))]
    approval_id: ApprovalId,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: CanonicalJson,
    /// Whether the human changed the arguments.
    edited: bool,
}

impl From<RedeemedCall> for NativeRedeemed {
    fn from(RedeemedCall { approval_id, args, edited }: RedeemedCall) -> Self {
        Self { approval_id, args, edited }
    }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeRequest>()
        .with::<NativePast>()
        .with::<RedeemingCall>()
        .with::<NativeRedeemed>()
        .with::<crate::options::NativeGateOptions>()
}
