//! What is asked about calls and their approvals.

use countersign_core::approval::{DecisionChannel, DecisionChoice, Status};
use countersign_core::gate::GateError;
use countersign_core::ledger::{VersionedText, WatchScope};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Host;
use crate::decision::{DecideMeta, DecisionText, decide, parse_answer};
use crate::envelope::{Envelope, Raw, present};
use crate::operations::{Done, Operate};
#[cfg(test)]
use crate::policies::PolicyProblem;
use crate::policies::bound::{
    CallStaleness, LookFailure, LookedUp, NativeLook, PolicyLook, StalenessCheck, given,
};
#[cfg(test)]
use crate::record::NativeRecord;
use crate::record::{EventsText, RecordText, RecordsText, RequestsText, drain};
use crate::request::{
    LookedRequest, NativePast, NativeRedeemed, RedeemingCall, approval_id, is_bound, redeem,
};
#[cfg(test)]
use crate::words;

/// Whether what is asked here outlives this process.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskDurable {}

impl Operate<&dyn Host> for AskDurable {
    type Answer = bool;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        Ok(host.is_durable())
    }
}

/// Opens the ledger.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenLedger {}

impl Operate<&dyn Host> for OpenLedger {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let _opened = host.gate()?;
        Ok(Done)
    }
}

/// Puts calls to humans. Each is answered by itself.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestApprovals {
    #[cfg_attr(test, ts(type = "NativeRequest[]"))]
    requests: Vec<Raw>,
    /// How many of the policies that come with the operation belong to each of them, in their order; absent: none.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly number[]"))]
    policies: Vec<usize>,
    /// With what was looked up.
    #[serde(skip)]
    looked: Vec<Result<LookedRequest, GateError>>,
}

impl RequestApprovals {
    /// Has the policies of each call say what belongs to its request.
    pub(super) fn look(&mut self, look: PolicyLook<'_>) -> Result<(), LookFailure> {
        let mut left = look.policies;
        for (at, request) in self.requests.iter().enumerate() {
            let count = self.policies.get(at).copied().unwrap_or_default().min(left.len());
            let (policies, rest) = left.split_at(count);
            left = rest;
            match LookedRequest::new(request.get(), PolicyLook { policies, ..look }) {
                Ok(looked) => self.looked.push(Ok(looked)),
                Err(LookFailure::Refused(error)) => self.looked.push(Err(error)),
                Err(LookFailure::NeedsFiles) => return Err(LookFailure::NeedsFiles),
            }
        }
        Ok(())
    }
}

impl Operate<&dyn Host> for RequestApprovals {
    type Answer = RequestAnswers;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let mut told = Vec::with_capacity(self.looked.len());
        let mut new = Vec::with_capacity(self.looked.len());
        for looked in self.looked {
            told.push(looked.as_ref().map_or(Ok((None, None)), LookedRequest::told)?);
            new.push(looked.and_then(LookedRequest::into_new));
        }
        let answers =
            gate.request_all(new).into_iter().zip(told).map(|(record, (context, problems))| {
                let record = record.map(RecordText);
                record.map(|record| RequestedText { record, context, problems })
            });
        Ok(RequestAnswers(answers.collect()))
    }
}

/// A request that was made.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "NativeRequested"))]
pub(crate) struct RequestedText {
    #[cfg_attr(test, ts(as = "NativeRecord<'static>"))]
    record: RecordText,
    /// What an approval of it is bound to beside the call, where that was looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "object"))]
    context: Option<Raw>,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<PolicyProblem<'static>>>"))]
    problems: Option<Raw>,
}

/// An answer for each request.
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RequestAnswers(
    #[cfg_attr(test, ts(as = "Vec<Envelope<'static, RequestedText>>"))]
    Vec<Result<RequestedText, GateError>>,
);

impl Serialize for RequestAnswers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Envelope::from))
    }
}

/// What would be shown of a call that is asked about, and what its approval would be bound to.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct LookAtCall {
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Raw,
    look: NativeLook,
    #[serde(skip)]
    looked: Option<LookedUp>,
}

impl LookAtCall {
    /// Has the policies say it.
    pub(super) fn look(&mut self, look: PolicyLook<'_>) -> Result<(), LookFailure> {
        self.looked = Some(self.look.look(given(&self.args)?, look)?);
        Ok(())
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeLooked"))]
pub(crate) struct LookedText(Raw);

impl Operate<&dyn Host> for LookAtCall {
    type Answer = LookedText;

    fn perform(self, _: &dyn Host) -> Result<Self::Answer, GateError> {
        let unasked = || GateError::Internal("no policy was asked about the call".to_owned());
        self.looked.ok_or_else(unasked)?.told().map(LookedText)
    }
}

/// A record; `null`: no such record.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetRecord {
    approval_id: Box<str>,
}

impl Operate<&dyn Host> for GetRecord {
    type Answer = Option<RecordText>;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        match approval_id(&self.approval_id) {
            // What is no id of ours is the id of no request.
            Err(_) => Ok(None),
            Ok(id) => Ok(gate.get(id)?.map(RecordText)),
        }
    }
}

/// The records of a call id.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindRecords {
    /// `null`: of all runs.
    run_id: Option<Box<str>>,
    tool_call_id: Box<str>,
}

impl Operate<&dyn Host> for FindRecords {
    type Answer = RecordsText;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        gate.find(self.run_id.as_deref(), &self.tool_call_id).map(RecordsText)
    }
}

/// What waits, oldest first.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListPending {
    /// `null`: of all runs.
    run_id: Option<Box<str>>,
}

impl Operate<&dyn Host> for ListPending {
    type Answer = RequestsText;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        if host.is_durable() {
            gate.expire_now();
        }
        gate.pending(self.run_id.as_deref()).map(RequestsText)
    }
}

impl Operate<&dyn Host> for NativePast {
    type Answer = RecordsText;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let past = self.past()?;
        gate.expire_now();
        gate.history(&past).map(RecordsText)
    }
}

/// The text that is kept under a key; `null`: no such text.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadValue {
    key: Box<str>,
}

impl Operate<&dyn Host> for ReadValue {
    type Answer = Option<NativeValue>;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        Ok(gate.value(&self.key)?.map(NativeValue::from))
    }
}

/// A text that is kept.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeValue {
    text: Box<str>,
    /// How often it was set.
    version: u64,
}

impl From<VersionedText> for NativeValue {
    fn from(VersionedText { text, version }: VersionedText) -> Self {
        Self { text, version }
    }
}

/// Keeps a text of at most 1 MiB if what is there is of this version. `false`: it is not.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetValue {
    key: Box<str>,
    /// `null`: if nothing is there.
    expected: Option<u64>,
    text: Box<str>,
}

impl Operate<&dyn Host> for SetValue {
    type Answer = bool;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        gate.set_value(&self.key, self.expected, &self.text)
    }
}

/// Reads any answer into a decision.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ParseAnswer {
    /// Any JSON.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(type = "unknown"))]
    answer: Option<Raw>,
    tool_name: Box<str>,
}

impl Operate<&dyn Host> for ParseAnswer {
    type Answer = DecisionText;

    fn perform(self, _: &dyn Host) -> Result<Self::Answer, GateError> {
        // What is left out was no JSON: it is no decision either.
        let answer = self.answer.as_deref().map_or("undefined", RawValue::get);
        parse_answer(answer, &self.tool_name).map(DecisionText)
    }
}

/// Decides, if it is still open: what is decided, or any answer that says no more than approve, reject or skip.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecideRequest {
    approval_id: Box<str>,
    #[cfg_attr(test, ts(optional, type = "DecisionOutcome"))]
    decision: Option<Raw>,
    /// Any JSON, where there is no `decision`.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(optional, type = "unknown"))]
    answer: Option<Raw>,
    /// The tool that the answer is about.
    tool_name: Option<Box<str>>,
    meta: DecideMeta,
    /// What was shown: an answer that approves brings whether the call still is that.
    shown: Option<StalenessCheck>,
    #[serde(skip)]
    staleness: Option<CallStaleness>,
}

impl DecideRequest {
    /// Has the policies say whether the call still is what was shown, where the answer approves it.
    pub(super) fn look(&mut self, look: PolicyLook<'_>) -> Result<(), LookFailure> {
        let (Some(shown), Some(answer)) = (&self.shown, &self.answer) else { return Ok(()) };
        let tool_name = self.tool_name.as_deref().unwrap_or_default();
        // What is no answer is told when it is decided.
        let decision = parse_answer(answer.get(), tool_name).ok();
        if decision.is_some_and(|decision| decision.choice == DecisionChoice::Approve) {
            self.staleness = Some(shown.look(look)?);
        }
        Ok(())
    }
}

/// Whether a call still is what was shown.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct CheckStaleness {
    shown: StalenessCheck,
    #[serde(skip)]
    staleness: Option<CallStaleness>,
}

impl CheckStaleness {
    /// Has the policies say it.
    pub(super) fn look(&mut self, look: PolicyLook<'_>) -> Result<(), LookFailure> {
        self.staleness = Some(self.shown.look(look)?);
        Ok(())
    }
}

impl Operate<&dyn Host> for CheckStaleness {
    type Answer = CallStaleness;

    fn perform(self, _: &dyn Host) -> Result<Self::Answer, GateError> {
        self.staleness
            .ok_or_else(|| GateError::Internal("no policy was asked about the call".to_owned()))
    }
}

impl Operate<&dyn Host> for DecideRequest {
    type Answer = DecideAnswer;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let Self { approval_id: id, decision, answer, tool_name, meta, shown: _, staleness } = self;
        if let Some(decision) = decision {
            let record = decide(&*host.gate()?, &id, decision.get(), meta)?;
            return Ok(DecideAnswer::Decided(RecordText(record)));
        }
        let answer = answer.as_deref().map_or("undefined", RawValue::get);
        let decision = parse_answer(answer, tool_name.as_deref().unwrap_or_default())?;
        if !matches!(
            decision.choice,
            DecisionChoice::Approve | DecisionChoice::Reject { .. } | DecisionChoice::Skip
        ) {
            return Ok(DecideAnswer::Read { read: DecisionText(decision) });
        }
        let (id, decider) = (approval_id(&id)?, meta.decider()?);
        let status = host.gate()?.decide(id, decision, decider)?.status();
        Ok(DecideAnswer::Answered { answered: status, staleness })
    }
}

/// What became of a decision, or of an answer.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub(crate) enum DecideAnswer {
    /// What an answer has made of the request, whose record the event has; and of an approval, whether the call still is what was
    /// shown.
    Answered {
        #[cfg_attr(test, ts(as = "words::ApprovalStatus"))]
        answered: Status,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        staleness: Option<CallStaleness>,
    },
    Decided(#[cfg_attr(test, ts(as = "NativeRecord<'static>"))] RecordText),
    /// An answer that says more. Nothing is decided: JavaScript has its part to say of it first.
    Read {
        read: DecisionText,
    },
}

/// Cancels what a run waits for and takes back what was approved but not started.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelRun {
    run_id: Box<str>,
    reason: Box<str>,
    #[cfg_attr(test, ts(as = "words::DecidedVia"))]
    via: DecisionChannel,
}

impl Operate<&dyn Host> for CancelRun {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        gate.cancel_run(&self.run_id, &self.reason, self.via)?;
        Ok(Done)
    }
}

/// Takes back an approval that was not started. `false`: there was nothing to take back.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevokeApproval {
    approval_id: Box<str>,
    reason: Box<str>,
}

impl Operate<&dyn Host> for RevokeApproval {
    type Answer = bool;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        match approval_id(&self.approval_id) {
            Err(_) => Ok(false),
            Ok(id) => gate.revoke(id, &self.reason),
        }
    }
}

/// Redeems an approval for a call that is to run. Judges it once more.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeemApproval {
    run_id: Option<Box<str>>,
    tool_call_id: Box<str>,
    pub(super) call: RedeemingCall,
}

/// What may be executed, or why no approval lets it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RedeemAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    redeemed: Option<NativeRedeemed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    denied: Option<Box<str>>,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<PolicyProblem<'static>>>"))]
    problems: Option<Raw>,
}

impl Operate<&dyn Host> for RedeemApproval {
    type Answer = RedeemAnswer;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        let denied = self.call.denied();
        let redeemed = match denied {
            Some(_) => None,
            None => Some(redeem(&gate, self.run_id.as_deref(), &self.tool_call_id, &self.call)?),
        };
        Ok(RedeemAnswer { redeemed, denied, problems: self.call.problems()? })
    }
}

/// Whether an approval is bound to this very call.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckBound {
    approval_id: Box<str>,
    pub(super) call: RedeemingCall,
}

/// Whether it is, and why no approval lets it run.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoundAnswer {
    is_bound: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    denied: Option<Box<str>>,
    /// Files changed: what is wrong with them now, perhaps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<PolicyProblem<'static>>>"))]
    problems: Option<Raw>,
}

impl Operate<&dyn Host> for CheckBound {
    type Answer = BoundAnswer;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let Self { approval_id, call } = self;
        let is_bound = is_bound(&*host.gate()?, &approval_id, &call)?;
        Ok(BoundAnswer { is_bound, denied: call.denied(), problems: call.problems()? })
    }
}

/// Writes down how a started call ended.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettleCall {
    approval_id: Box<str>,
    succeeded: bool,
    /// Kept by a durable ledger, for a continued run.
    #[cfg_attr(test, ts(optional, type = "unknown"))]
    result: Option<Raw>,
}

impl Operate<&dyn Host> for SettleCall {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        gate.settle(approval_id(&self.approval_id)?, self.succeeded, self.result)?;
        Ok(Done)
    }
}

/// Tells of this request too, though another process made it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchRequest {
    approval_id: Box<str>,
}

impl Operate<&dyn Host> for WatchRequest {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        let gate = host.gate()?;
        gate.watch(WatchScope::One(approval_id(&self.approval_id)?))?;
        Ok(Done)
    }
}

/// Whether the events of every process are told of, or only of requests made or watched here.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchAll {
    on: bool,
}

impl Operate<&dyn Host> for WatchAll {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        host.watch_all(self.on);
        Ok(Done)
    }
}

/// What happened since the last time, oldest first: at most 128 events, and about 4 MiB.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct DrainEvents {}

impl Operate<&dyn Host> for DrainEvents {
    type Answer = EventsText;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        drain(host.feed())
    }
}

/// Refuses what comes. In memory what waits is cancelled; a durable ledger is let go of.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CloseGate {
    reason: Box<str>,
}

impl Operate<&dyn Host> for CloseGate {
    type Answer = Done;

    fn perform(self, host: &dyn Host) -> Result<Self::Answer, GateError> {
        host.close(&self.reason)?;
        Ok(Done)
    }
}
