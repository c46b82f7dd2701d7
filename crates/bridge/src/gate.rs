//! What a gate takes and gives as JSON text: the shapes of `index.d.ts` and of `ts/native.ts`.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::policies;
use countersign_core::approval::{
    ApprovalId, Choice, Contents, Decided, Decision, DecisionKind, DecisionKinds, More, Need,
    Record, Request, Tally, Via, Vote, answer, is_name,
};
use countersign_core::call::{CanonicalJson, Context, Digest, Json, ToolCall};
use countersign_core::gate::{
    Claim, Decider, Error, Event, Gate, MAX_NAME, NewRequest, Options, Page, shown,
};
use countersign_core::ledger::{Feed, Past, Retention};
use countersign_core::preview::{self, Flag, Flags};

/// How many agents deep a call may come from.
const MAX_ORIGIN: usize = 64;

/// The longest description, in bytes. A longer one is cut.
const MAX_DESCRIPTION: usize = 4 * 1024;

/// How many records of the past are given at once.
const MAX_HISTORY: f64 = 1_000.0;

/// The longest text of one answer. A JavaScript engine's strings end at about 512 MiB, and the call with them.
const MAX_TEXT: usize = 256 * 1024 * 1024;

/// [`Feed::drain`] stops early after so much text: the events are parsed on the event loop.
const MAX_DRAIN_TEXT: usize = 4 * 1024 * 1024;

// ---------------------------------------------------------------------------------------------------------------------
// In
// ---------------------------------------------------------------------------------------------------------------------

/// Text of the binding's own making: when it does not fit, the fault is ours or the caller's types are wrong.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        Error::Internal(format!("the binding was given what it does not take: {error}"))
    })
}

/// `null` is a value like any other where arguments stand; only what is left out is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// What a gate is made with: `{ ledger, cwd, key, readOnly, maxArgumentBytes, keepDecided, retainContentsMs, retainRecordsMs }`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateText {
    /// `memory:`, or where a ledger that lasts is.
    #[serde(default = "in_memory")]
    pub ledger: Box<str>,
    /// What a relative path starts at.
    #[serde(default)]
    pub cwd: Box<str>,
    /// The text of the key for its contents.
    pub key: Option<Box<str>>,
    /// Only to look at a ledger that lasts: nothing is written, not even what is due.
    #[serde(default)]
    pub read_only: bool,
    max_argument_bytes: f64,
    keep_decided: f64,
    retain_contents_ms: Option<f64>,
    retain_records_ms: Option<f64>,
}

fn in_memory() -> Box<str> {
    "memory:".into()
}

impl GateText {
    /// Reads it.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| {
            // Never with the text: there is a key in it.
            Error::InvalidConfig(format!(
                "the options of the gate are of the wrong shape, at column {}",
                error.column()
            ))
        })
    }

    /// The options of the gate itself.
    pub fn options(&self) -> Result<Options, Error> {
        Ok(Options {
            max_argument_bytes: whole("maxArgumentBytes", self.max_argument_bytes)?,
            keep_decided: whole("keepDecided", self.keep_decided)?,
            read_only: self.read_only,
            retention: Retention {
                contents: self.retain_contents_ms.map(|ms| ms as u64),
                records: self.retain_records_ms.map(|ms| ms as u64),
            },
        })
    }
}

fn whole(name: &str, value: f64) -> Result<usize, Error> {
    if value < 0.0 || value.fract() != 0.0 {
        return Err(Error::InvalidConfig(format!("`{name}` must be a whole number, not {value}")));
    }
    // A float cast saturates: what is larger than the machine can count is no limit.
    Ok(value as usize)
}

/// The arguments are taken as raw text first, so that what is wrong with them can be told from what is wrong around them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestText {
    run_id: Box<RawValue>,
    tool_call_id: Box<RawValue>,
    tool_name: Box<RawValue>,
    #[serde(default, deserialize_with = "present")]
    args: Option<Box<RawValue>>,
    origin: Box<RawValue>,
    description: Option<Box<RawValue>>,
    allowed_decisions: Option<Box<RawValue>>,
    timeout_ms: Option<f64>,
    context: Option<Box<RawValue>>,
    details: Option<Box<RawValue>>,
    supersedes: Option<Box<str>>,
    page: Option<PageText>,
    #[serde(default, deserialize_with = "present")]
    stored: Option<Box<RawValue>>,
    #[serde(default)]
    needs: Vec<Box<RawValue>>,
    requester: Option<Box<str>>,
    remind_ms: Option<f64>,
}

#[derive(Deserialize)]
struct PageText {
    text: Box<str>,
    flags: Vec<Box<str>>,
}

impl From<PageText> for Page {
    fn from(page: PageText) -> Self {
        let known =
            |name: &str| Flag::ALL.iter().map(|flag| flag.name()).find(|flag| *flag == name);
        Self { text: page.text, flags: page.flags.iter().filter_map(|name| known(name)).collect() }
    }
}

/// `NativeRequest` of the binding.
pub fn new_request(text: &str) -> Result<NewRequest, Error> {
    let raw: RequestText = read(text)?;
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
    let more = More {
        supersedes: raw.supersedes.as_deref().map(approval_id).transpose()?,
        details: raw.details,
        needs,
        requester,
        remind,
        ..More::default()
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
        page: raw.page.map(Page::from),
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

fn invalid(what: &str, raw: &RawValue) -> Error {
    match raw.get().parse::<Json>() {
        Ok(value) => Error::InvalidRequest(format!("`{what}` cannot be {}", value.kind())),
        Err(error) => Error::InvalidRequest(format!("`{what}` is {error}")),
    }
}

fn name(what: &str, raw: &RawValue) -> Result<String, Error> {
    let name: String = serde_json::from_str(raw.get()).map_err(|_| invalid(what, raw))?;
    if name.len() > MAX_NAME {
        return Err(Error::InvalidRequest(format!(
            "`{what}` is {} bytes long, and the gate takes at most {MAX_NAME}",
            name.len()
        )));
    }
    Ok(name)
}

fn arguments(raw: Option<&RawValue>) -> Result<CanonicalJson, Error> {
    let raw = raw.ok_or_else(|| {
        Error::InvalidRequest(
            "the arguments are no JSON value (undefined, a function or a symbol): pass an object"
                .to_owned(),
        )
    })?;
    Ok(CanonicalJson::parse(raw.get())?)
}

/// What is kept instead of arguments: `[value]`, or `null` for the arguments themselves.
fn stored(raw: &RawValue) -> Result<Option<CanonicalJson>, Error> {
    let stored: Option<(Box<RawValue>,)> = read(raw.get())?;
    Ok(stored.map(|(value,)| CanonicalJson::parse(value.get())).transpose()?)
}

/// What the policies judge under, in the one form it has.
fn context(raw: &RawValue) -> Result<Box<Context>, Error> {
    Ok(Box::new(Context(CanonicalJson::parse(raw.get())?)))
}

/// Who must agree, as programs and policies say it.
fn needs(raw: &[Box<RawValue>]) -> Result<Box<[Need]>, Error> {
    let needs = raw.iter().map(|raw| need(raw)).collect::<Result<_, _>>()?;
    Need::checked(needs).map_err(Error::InvalidConfig)
}

fn need(raw: &RawValue) -> Result<Need, Error> {
    serde_json::from_str(raw.get()).map_err(|error| {
        Error::InvalidConfig(format!(
            "who must agree is {{ approvers?: string[], quorum?: number, excludeRequester?: boolean, \
             escalate?: {{ after: number, to: string[] }} }}, all numbers whole: {error}"
        ))
    })
}

fn requester(name: Box<str>) -> Result<Box<str>, Error> {
    if !is_name(&name) || name.len() > MAX_NAME {
        return Err(Error::InvalidConfig(format!(
            "`requester` must be the name of a person, of at most {MAX_NAME} bytes"
        )));
    }
    Ok(name)
}

fn origin(raw: &RawValue) -> Result<Arc<[Box<str>]>, Error> {
    let origin: Vec<Box<str>> = serde_json::from_str(raw.get()).map_err(|_| {
        Error::InvalidRequest("`origin` must be an array of the names of agents".to_owned())
    })?;
    if origin.len() > MAX_ORIGIN || origin.iter().any(|agent| agent.len() > MAX_NAME) {
        return Err(Error::InvalidRequest(format!(
            "`origin` may name at most {MAX_ORIGIN} agents, each in at most {MAX_NAME} bytes"
        )));
    }
    Ok(origin.into())
}

fn description(raw: &RawValue) -> Result<Box<str>, Error> {
    let text: String = serde_json::from_str(raw.get()).map_err(|_| invalid("description", raw))?;
    // It may repeat the arguments: a description is no way past the preview.
    Ok(preview::text(&text, MAX_DESCRIPTION).into())
}

fn allowed_decisions(raw: &RawValue) -> Result<DecisionKinds, Error> {
    let kinds: Option<Vec<DecisionKind>> = serde_json::from_str(raw.get()).ok();
    kinds.and_then(DecisionKinds::new).ok_or_else(|| {
        let all = DecisionKinds::ALL.names();
        Error::InvalidConfig(format!("`allowedDecisions` must be a non-empty array of: {all}"))
    })
}

fn positive(what: &str, ms: f64) -> Result<u64, Error> {
    if ms > 0.0 {
        // Saturates: a deadline beyond the end of time is none that passes.
        Ok(ms.ceil() as u64)
    } else {
        Err(Error::InvalidConfig(format!(
            "`{what}` must be a positive number of milliseconds, not {ms}"
        )))
    }
}

/// The id that a text stands for. No other text is the id of a request.
pub fn approval_id(text: &str) -> Result<ApprovalId, Error> {
    ApprovalId::try_parse(text)
        .ok()
        .filter(|id| id.hyphenated().encode_lower(&mut ApprovalId::encode_buffer()) == text)
        .ok_or_else(|| Error::UnknownApproval(text.chars().take(64).collect()))
}

/// Reads any answer (`ApprovalAnswer`) into a decision.
pub fn parse_answer(text: &str, tool_name: &str) -> Result<Decision, Error> {
    Ok(answer::read(&decision_json(text)?, tool_name)?)
}

fn decision_json(text: &str) -> Result<Json, Error> {
    text.parse()
        .map_err(|error: countersign_core::call::InvalidJson| Error::InvalidDecision(error.into()))
}

/// What to look at of what is no longer pending: `{ runId, toolName, before, limit }`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastText {
    run_id: Option<Box<str>>,
    tool_name: Option<Box<str>>,
    before: Option<Box<str>>,
    limit: f64,
}

impl PastText {
    pub(crate) fn past(self) -> Result<Past, Error> {
        if !(1.0..=MAX_HISTORY).contains(&self.limit) || self.limit.fract() != 0.0 {
            return Err(Error::InvalidConfig(format!(
                "history: limit must be a whole number from 1 to {MAX_HISTORY}, not {}",
                self.limit
            )));
        }
        Ok(Past {
            run: self.run_id,
            tool: self.tool_name,
            before: self.before.as_deref().map(approval_id).transpose()?,
            limit: self.limit as usize,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetaText {
    by: Option<Box<RawValue>>,
    #[serde(default)]
    groups: Box<[Box<str>]>,
    via: Via,
    #[serde(default, deserialize_with = "present")]
    edited_args: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    stored: Option<Box<RawValue>>,
}

/// Decides: `DecisionOutcome` and `{ by, via, editedArgs? }`.
pub fn decide(gate: &Gate, id: &str, outcome: &str, meta: &str) -> Result<Record, Error> {
    let id = approval_id(id)?;
    let outcome = decision_json(outcome)?;
    // What is decided is looked at in the step itself; only edits are of these very arguments.
    if is_plain(&outcome) {
        let (decision, decider, _) = decision(&outcome, meta, "")?;
        if !matches!(decision.choice, Choice::Edit { .. }) {
            return gate.decide(id, decision, decider);
        }
    }
    let record = gate.get(id)?.ok_or_else(|| Error::UnknownApproval(id.to_string()))?;
    let (mut decision, decider, stored) =
        decision(&outcome, meta, &record.request().call.tool_name)?;
    if let (Choice::Edit { args, bound }, Some(stored)) = (&mut decision.choice, stored) {
        *bound = Some(record.request().call.digest_with(args));
        *args = stored;
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
    outcome: &Json, meta: &str, tool_name: &str,
) -> Result<(Decision, Decider, Option<CanonicalJson>), Error> {
    let mut decision = answer::read_outcome(outcome, tool_name)?;
    let meta: MetaText = read(meta)?;
    let by = meta.by.map(|by| name("by", &by)).transpose()?.map(Into::into);
    if let (Choice::Edit { args, .. }, Some(edited)) = (&mut decision.choice, meta.edited_args) {
        *args = CanonicalJson::parse(edited.get())?;
    }
    let stored = meta.stored.as_deref().map(stored).transpose()?.flatten();
    Ok((decision, Decider { by, groups: meta.groups, via: meta.via }, stored))
}

/// The channel of this name.
pub fn via(name: &str) -> Result<Via, Error> {
    Via::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name))
        .map_err(|_| Error::Internal(format!("`via` cannot be {name:?}")))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallText {
    tool_name: Box<RawValue>,
    #[serde(default, deserialize_with = "present")]
    args: Option<Box<RawValue>>,
    width: Option<f64>,
    context: Option<Box<RawValue>>,
}

/// Claims: `{ toolName, args, context }`.
pub fn claim(
    gate: &Gate, run_id: Option<&str>, tool_call_id: &str, call: &str,
) -> Result<Claim, Error> {
    let raw: CallText = read(call)?;
    let context = raw.context.as_deref().map(context).transpose()?;
    let args = arguments(raw.args.as_deref())?;
    gate.claim(run_id, tool_call_id, &name("toolName", &raw.tool_name)?, args, context)
}

// ---------------------------------------------------------------------------------------------------------------------
// Out
// ---------------------------------------------------------------------------------------------------------------------

/// `{ ok }` or `{ error: { code, message, .. } }`: a value or an error, never an exception.
pub fn envelope<T: Serialize>(result: Result<T, Error>) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Envelope<T> {
        Ok(T),
        Error(ErrorText),
    }
    let text = serde_json::to_string(&match result {
        Ok(value) => Envelope::Ok(value),
        Err(error) => Envelope::Error(ErrorText(error)),
    });
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

/// `NativeError` of the binding: code, message, and what the class of that code is made with.
struct ErrorText(Error);

impl Serialize for ErrorText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.0.code())?;
        map.serialize_entry("message", &self.0.to_string())?;
        match &self.0 {
            Error::Duplicate(record) => map.serialize_entry("existing", &RecordOut(record))?,
            Error::AlreadyDecided(record) => map.serialize_entry("winner", &RecordOut(record))?,
            Error::Policy(errors) => map.serialize_entry("problems", &policies::faults(errors))?,
            Error::UnknownTool(unknown) => {
                map.serialize_entry("toolName", &unknown.tool_name)?;
                map.serialize_entry("nearest", &unknown.nearest)?;
            }
            Error::File(error) => map.serialize_entry("path", &error.path)?,
            Error::Expired(id) => map.serialize_entry("approvalId", id)?,
            Error::UnknownApproval(id) => map.serialize_entry("approvalId", id)?,
            Error::NotAllowed { id, allowed } => {
                map.serialize_entry("approvalId", id)?;
                map.serialize_entry("allowedDecisions", allowed)?;
            }
            Error::NotApprover { id, by, approvers } => {
                map.serialize_entry("approvalId", id)?;
                map.serialize_entry("by", by)?;
                map.serialize_entry("approvers", approvers)?;
            }
            Error::NotApproved { status } => map.serialize_entry("status", status)?,
            Error::Ambiguous { status } | Error::AlreadyStarted { status } => {
                map.serialize_entry("status", status)?
            }
            _ => {}
        }
        map.end()
    }
}

/// `ApprovalRequest`
struct RequestOut<'a> {
    request: &'a Request,
    /// What is told only of those few that have it: what was counted, and since when it is escalated.
    tally: Option<&'a Tally>,
}

impl<'a> RequestOut<'a> {
    fn of(record: &'a Record) -> Self {
        Self { request: record.request(), tally: record.tally().map(Arc::as_ref) }
    }
}

impl RequestOut<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { request, tally } = *self;
        let call = &request.call;
        map.serialize_entry("approvalId", &request.id)?;
        map.serialize_entry("runId", &*call.run_id)?;
        map.serialize_entry("toolCallId", &*call.tool_call_id)?;
        map.serialize_entry("toolName", &*call.tool_name)?;
        map.serialize_entry("args", &call.args)?;
        map.serialize_entry("origin", &*request.origin)?;
        let args = shown(&call.args);
        match &request.description {
            Some(description) => map.serialize_entry("description", description)?,
            None => {
                map.serialize_entry("description", &preview::describe(&call.tool_name, &args, &[]))?
            }
        }
        let rows = match request.contents() {
            Contents::Dropped => Vec::new(),
            Contents::Kept | Contents::Redacted => preview::rows(&args, &[]),
        };
        map.serialize_entry("rows", &rows)?;
        map.serialize_entry("preview", &*request.preview)?;
        map.serialize_entry("flags", request.flags())?;
        map.serialize_entry("allowedDecisions", &request.allowed)?;
        map.serialize_entry("createdAt", &request.created_at)?;
        map.serialize_entry("expiresAt", &request.expires_at)?;
        map.serialize_entry("digest", &request.digest)?;
        // Most are kept as they are: not to say so is the shorter way.
        if request.contents() != Contents::Kept {
            map.serialize_entry("contents", request.contents().name())?;
        }
        if !request.needs().is_empty() {
            map.serialize_entry("needs", request.needs())?;
        }
        if let Some(requester) = request.requester() {
            map.serialize_entry("requester", requester)?;
        }
        if let Some(tally) = tally {
            let votes: Vec<VoteOut<'_>> = tally.votes.iter().map(VoteOut).collect();
            if !votes.is_empty() {
                map.serialize_entry("votes", &votes)?;
            }
            if let Some(at) = request.escalated_at(tally.told) {
                map.serialize_entry("escalatedAt", &at)?;
            }
        }
        match request.more.as_ref().and_then(|more| more.details.as_ref()) {
            Some(details) => map.serialize_entry("details", details),
            None => Ok(()),
        }
    }
}

impl Serialize for RequestOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}

/// `Vote`
struct VoteOut<'a>(&'a Vote);

impl Serialize for VoteOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Vote { by, via, at, reason, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("by", by)?;
        map.serialize_entry("via", via)?;
        map.serialize_entry("at", at)?;
        if let Some(reason) = reason {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}

/// A record as `ApprovalRecord`.
pub struct RecordText(pub Record);

impl Serialize for RecordText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RecordOut(&self.0).serialize(serializer)
    }
}

struct RecordOut<'a>(&'a Record);

impl Serialize for RecordOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_record(self.0, &mut map)?;
        map.end()
    }
}

/// The entries of an `ApprovalRecord`.
pub(crate) fn write_record<M: SerializeMap>(record: &Record, map: &mut M) -> Result<(), M::Error> {
    let decided = record.decided().map(Arc::as_ref);
    RequestOut::of(record).write(map)?;
    map.serialize_entry("status", &record.status())?;
    map.serialize_entry("decision", &decided.map(|decided| &decided.decision))?;
    map.serialize_entry("decidedBy", &decided.map(Decided::by))?;
    map.serialize_entry("via", &decided.map(|decided| decided.via))?;
    map.serialize_entry("decidedAt", &decided.map(|decided| decided.at))
}

/// Records as the `ApprovalRequest`s that they are about.
pub struct RequestsText(pub Vec<Record>);

impl Serialize for RequestsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(RequestOut::of))
    }
}

/// Records as `ApprovalRecord`s.
pub struct RecordsText(pub Vec<Record>);

impl Serialize for RecordsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(RecordOut))
    }
}

/// `Claim` of the binding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimText {
    approval_id: ApprovalId,
    args: CanonicalJson,
    edited: bool,
}

impl From<Claim> for ClaimText {
    fn from(claim: Claim) -> Self {
        Self { approval_id: claim.approval_id, args: claim.args, edited: claim.edited }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum EventText<'a> {
    Requested {
        request: RequestOut<'a>,
    },
    Decided {
        request: RequestOut<'a>,
        decision: &'a Decision,
        decided_by: &'a str,
        via: Via,
        at: u64,
    },
    Voted {
        request: RequestOut<'a>,
        vote: VoteOut<'a>,
        at: u64,
    },
    Reminded {
        request: RequestOut<'a>,
        at: u64,
    },
    Escalated {
        request: RequestOut<'a>,
        to: &'a [Box<str>],
        at: u64,
    },
    Started {
        approval_id: ApprovalId,
        at: u64,
    },
    Settled {
        approval_id: ApprovalId,
        status: &'static str,
        at: u64,
    },
}

impl<'a> From<&'a Event> for EventText<'a> {
    fn from(event: &'a Event) -> Self {
        match event {
            Event::Requested(request) => {
                Self::Requested { request: RequestOut { request, tally: None } }
            }
            Event::Voted { record, vote } => {
                Self::Voted { request: RequestOut::of(record), vote: VoteOut(vote), at: vote.at }
            }
            Event::Reminded { record, at } => {
                Self::Reminded { request: RequestOut::of(record), at: *at }
            }
            Event::Escalated { record, to, at } => {
                Self::Escalated { request: RequestOut::of(record), to, at: *at }
            }
            Event::Decided { request, decided, tally } => Self::Decided {
                request: RequestOut { request, tally: tally.as_deref() },
                decision: &decided.decision,
                decided_by: decided.by(),
                via: decided.via,
                at: decided.at,
            },
            Event::Started { id, at } => Self::Started { approval_id: *id, at: *at },
            Event::Settled { id, end, at } => {
                Self::Settled { approval_id: *id, status: end.name(), at: *at }
            }
        }
    }
}

/// `GateEvent[]`: what [`Feed::drain`] gives, and at most about 4 MiB of it.
pub fn drain(feed: &Feed) -> Result<Vec<Box<RawValue>>, Error> {
    let mut texts = Vec::new();
    let mut size = 0;
    let mut failed = None;
    feed.drain(|event| {
        match serde_json::value::to_raw_value(&EventText::from(&event)) {
            Ok(text) => {
                size += text.get().len();
                texts.push(text);
            }
            Err(error) => failed = Some(error),
        }
        size < MAX_DRAIN_TEXT
    });
    match failed {
        None => Ok(texts),
        Some(error) => Err(Error::Internal(error.to_string())),
    }
}

/// RFC 8785 text and its digest.
#[derive(Serialize)]
pub struct CanonicalText {
    text: String,
    digest: Digest,
}

/// The canonical form of any JSON text.
pub fn canonicalize(text: &str) -> Result<CanonicalText, Error> {
    let canonical = CanonicalJson::parse(text)?;
    Ok(CanonicalText {
        text: canonical.as_str().to_owned(),
        digest: Digest::of_text(canonical.as_str()),
    })
}

/// A preview and what it found.
#[derive(Serialize)]
pub struct PreviewText {
    text: String,
    flags: Flags,
}

/// The arguments of a call, as JSON text, as rows in the order in which they are read.
pub fn rows(args: &str) -> Result<Vec<preview::Row>, Error> {
    let order = preview::order_of(args).unwrap_or_default();
    Ok(preview::rows(&shown(&CanonicalJson::parse(args)?), &order))
}

/// `{ toolName, args, width }` as text that is safe to show.
pub fn preview(text: &str) -> Result<PreviewText, Error> {
    let raw: CallText = read(text)?;
    let tool_name: String = serde_json::from_str(raw.tool_name.get())
        .map_err(|_| invalid("toolName", &raw.tool_name))?;
    let args = match &raw.args {
        None => Json::Null,
        Some(args) => args.get().parse()?,
    };
    let preview = preview::render(
        &tool_name,
        &args,
        raw.width.filter(|width| *width > 0.0).map(|width| width as usize),
    );
    Ok(PreviewText { text: preview.text, flags: preview.flags })
}
