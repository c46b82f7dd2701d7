//! From a request to its row, and back.

use std::sync::Arc;

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NoWord, StrDeserializer};
use serde_json::value::RawValue;

use super::codec::{
    ContentSealer, contents_number, contents_of, damaged, internal, status_number, time, whole,
};
use super::request::{DecisionColumns, RequestRow, RequestTexts, record_name};
use crate::approval::{
    ContentState, Decision, DecisionChannel, DecisionChoice, DecisionKinds, Record,
    RecordedDecision, Request, RequestExtras, Status, VoteTally,
};
use crate::call::{CallContext, CanonicalJson, Digest, ToolCall};
use crate::ledger::LedgerError;
use crate::preview::Flag;

impl RequestRow {
    /// A request that waits, as it will lie there after entry `changed_seq` of the audit.
    pub(in crate::ledger) fn new(
        sealer: &ContentSealer, seq: i64, changed_seq: u64, request: &Request,
    ) -> Result<Self, LedgerError> {
        let row = request.id.as_bytes();
        let seal = |column, text: &str| sealer.seal(row, column, text);
        let description = request.description.as_deref();
        let details = request.more.as_ref().and_then(|more| more.details.as_deref());
        let created_at = whole(request.created_at);
        let expires_at = request.expires_at.map(whole);
        let mut new = Self {
            seq,
            id: request.id,
            run_id: (*request.call.run_id).into(),
            tool_call_id: (*request.call.tool_call_id).into(),
            tool_name: (*request.call.tool_name).into(),
            digest: *request.digest.bytes(),
            origin: serde_json::to_string(&*request.origin)
                .map_err(|_| damaged(&record_name(request.id)))?,
            flags: request.flags().join(" "),
            allowed: request.allowed.bits().into(),
            supersedes: request.supersedes(),
            created_at,
            duration: expires_at.map(|at| at.saturating_sub(created_at)),
            expires_at,
            needs: needs_text(request)?,
            requester: request.requester().map(Into::into),
            remind: request.more.as_ref().and_then(|more| more.remind).map(whole),
            contents: contents_number(request.contents()),
            texts: RequestTexts {
                args: Some(seal("args", request.call.args.as_str())?),
                context: request
                    .call
                    .context
                    .as_ref()
                    .map(|context| seal("context", context.0.as_str()))
                    .transpose()?,
                description: description.map(|text| seal("description", text)).transpose()?,
                preview: Some(seal("preview", &request.preview)?),
                details: details.map(|text| seal("details", text.get())).transpose()?,
            },
            asked: [0; 32],
            status: status_number(Status::Pending),
            fate: None,
            executor: None,
            result: None,
            decided_seq: None,
            changed_seq: whole(changed_seq),
            ended_at: None,
            votes: None,
            told: None,
            due_at: None,
            seal: [0; 32],
        };
        new.reseal(sealer, true);
        Ok(new)
    }

    /// The record that it is.
    pub(in crate::ledger) fn record(&self, sealer: &ContentSealer) -> Result<Record, LedgerError> {
        self.try_record(sealer)?.ok_or_else(|| damaged(&record_name(self.id)))
    }

    fn try_record(&self, sealer: &ContentSealer) -> Result<Option<Record>, LedgerError> {
        let open = |column, text: &Option<Vec<u8>>| {
            text.as_ref().map(|text| sealer.open(self.id.as_bytes(), column, text)).transpose()
        };
        let Some(contents) = contents_of(self.contents) else { return Ok(None) };
        let flags: Option<Box<[&'static str]>> =
            self.flags.split_ascii_whitespace().map(flag).collect();
        let allowed = u8::try_from(self.allowed).ok().and_then(DecisionKinds::from_bits);
        let (Some(flags), Some(allowed)) = (flags, allowed) else { return Ok(None) };
        let Ok(origin) = serde_json::from_str::<Vec<Box<str>>>(&self.origin) else {
            return Ok(None);
        };
        let (Some(needs), Some(votes)) = (self.needs(), self.votes(sealer)?) else {
            return Ok(None);
        };
        let told = self.told.map_or(0, |told| usize::try_from(told).unwrap_or(usize::MAX));
        let details = open("details", &self.texts.details)?;
        let more = RequestExtras {
            flags,
            supersedes: self.supersedes,
            call_is_gone: false,
            details: match details.map(RawValue::from_string).transpose() {
                Ok(details) => details,
                Err(_) => return Ok(None),
            },
            contents,
            needs: needs.into(),
            requester: self.requester.as_deref().map(Into::into),
            remind: self.remind.map(time),
        };
        let is_plain = more.flags.is_empty()
            && more.needs.is_empty()
            && more.requester.is_none()
            && more.remind.is_none()
            && more.supersedes.is_none()
            && more.details.is_none()
            && contents == ContentState::Kept;
        let args = canonical(open("args", &self.texts.args)?);
        let context = open("context", &self.texts.context)?.map(CanonicalJson::kept).transpose();
        let (Some(args), Ok(context)) = (args, context) else { return Ok(None) };
        let request = Request {
            id: self.id,
            call: ToolCall {
                run_id: self.run_id.as_str().into(),
                tool_call_id: self.tool_call_id.as_str().into(),
                tool_name: self.tool_name.as_str().into(),
                args,
                context: context.map(|context| Box::new(CallContext(context))),
            },
            digest: Digest::from_bytes(self.digest),
            origin: origin.into(),
            description: open("description", &self.texts.description)?.map(Into::into),
            preview: open("preview", &self.texts.preview)?.unwrap_or_default().into(),
            more: (!is_plain).then(|| Box::new(more)),
            allowed,
            created_at: time(self.created_at),
            expires_at: self.expires_at.map(time),
        };
        let decided = match &self.fate {
            None => None,
            Some(fate) => match fate.decided(sealer, &request)? {
                None => return Ok(None),
                decided => decided,
            },
        };
        let Ok(result) = open("result", &self.result)?.map(RawValue::from_string).transpose()
        else {
            return Ok(None);
        };
        let Some(status) = self.status() else { return Ok(None) };
        let tally = VoteTally { votes, told };
        Ok(Record::kept(Arc::new(request), status, decided, result, tally))
    }

    /// Where it stands.
    pub(in crate::ledger) fn status(&self) -> Option<Status> {
        usize::try_from(self.status).ok().and_then(|at| Status::ALL.get(at).copied())
    }
}

impl DecisionColumns {
    /// A decision on this request, which an approval is bound to.
    pub(in crate::ledger) fn new(
        sealer: &ContentSealer, request: &Request, decided: &RecordedDecision,
    ) -> Result<Self, LedgerError> {
        let seal = |column, text: &str| sealer.seal(request.id.as_bytes(), column, text);
        let (answer, bound) = match &decided.decision.choice {
            DecisionChoice::Approve => (None, Some(request.digest)),
            DecisionChoice::Edit { args, bound } => {
                (Some(args), Some(bound.unwrap_or_else(|| request.call.digest_with(args))))
            }
            DecisionChoice::Respond { output } => (Some(output), None),
            _ => (None, None),
        };
        Ok(Self {
            choice: choice_number(&decided.decision.choice),
            stop: i64::from(matches!(
                decided.decision.choice,
                DecisionChoice::Reject { stop: true }
            )),
            answer: answer.map(|json| seal("answer", json.as_str())).transpose()?,
            reason: decided
                .decision
                .reason
                .as_deref()
                .map(|text| seal("reason", text))
                .transpose()?,
            by: decided.by.as_deref().map(Into::into),
            via: decided.via.name().into(),
            at: whole(decided.at),
            bound: bound.map(|digest| *digest.bytes()),
        })
    }

    fn decided(
        &self, sealer: &ContentSealer, request: &Request,
    ) -> Result<Option<RecordedDecision>, LedgerError> {
        let open = |column, text: &Option<Vec<u8>>| {
            text.as_ref().map(|text| sealer.open(request.id.as_bytes(), column, text)).transpose()
        };
        let answer = canonical(open("answer", &self.answer)?);
        let bound = self.bound.map(Digest::from_bytes);
        let choice = match (self.choice, answer, bound) {
            (0, _, Some(bound)) if bound == request.digest => DecisionChoice::Approve,
            (1, Some(args), Some(bound)) => {
                let bound = (request.call.digest_with(&args) != bound).then_some(bound);
                DecisionChoice::Edit { args, bound }
            }
            (2, ..) => DecisionChoice::Reject { stop: self.stop != 0 },
            (3, Some(output), _) => DecisionChoice::Respond { output },
            (4, ..) => DecisionChoice::Skip,
            (5, ..) => DecisionChoice::Expired,
            (6, ..) => DecisionChoice::Cancelled,
            _ => return Ok(None),
        };
        let name: StrDeserializer<'_, NoWord> = self.via.as_str().into_deserializer();
        let Ok(via) = DecisionChannel::deserialize(name) else { return Ok(None) };
        let reason = open("reason", &self.reason)?.map(Into::into);
        let decision = Decision { choice, reason };
        let by = self.by.as_deref().map(Into::into);
        Ok(Some(RecordedDecision { decision, by, via, at: time(self.at) }))
    }
}

/// `None`: everybody decides it, as most are.
fn needs_text(request: &Request) -> Result<Option<String>, LedgerError> {
    let needs = request.needs();
    let text = (!needs.is_empty()).then(|| serde_json::to_string(needs));
    text.transpose().map_err(|error| internal(error.to_string()))
}

/// What was dropped is `null`.
fn canonical(text: Option<String>) -> Option<CanonicalJson> {
    CanonicalJson::kept(text.unwrap_or_else(|| "null".into())).ok()
}

const fn choice_number(choice: &DecisionChoice) -> i64 {
    match choice {
        DecisionChoice::Approve => 0,
        DecisionChoice::Edit { .. } => 1,
        DecisionChoice::Reject { .. } => 2,
        DecisionChoice::Respond { .. } => 3,
        DecisionChoice::Skip => 4,
        DecisionChoice::Expired => 5,
        DecisionChoice::Cancelled => 6,
    }
}

fn flag(name: &str) -> Option<&'static str> {
    Flag::ALL.into_iter().map(Flag::name).find(|known| *known == name)
}
