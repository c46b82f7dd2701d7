//! Requests, records and events, as JavaScript reads them.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::approval::{
    ApprovalId, ApproverNeed, ContentState, DecisionChannel, DecisionKinds, EscalationRule, Record,
    RecordedDecision, Request, Status, Vote, VoteTally,
};
use countersign_core::call::{CanonicalJson, Digest};
use countersign_core::gate::{GateError, LedgerEvent, shown};
use countersign_core::ledger::EventFeed;
use countersign_core::preview::{self, ShownRow};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::decision::DecisionOutcome;
use crate::envelope::Raw;
#[cfg(test)]
use crate::words;

/// [`drain`] stops early after so much text: the events are parsed on the event loop.
const MAX_DRAIN_TEXT: usize = 4 * 1024 * 1024;

/// A call that is put to a human. What most requests do not have is left out.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeApproval<'a> {
    #[cfg_attr(test, ts(type = "string"))]
    approval_id: ApprovalId,
    run_id: &'a str,
    tool_call_id: &'a str,
    tool_name: &'a str,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: &'a CanonicalJson,
    /// The path of agents it came from.
    origin: &'a [Box<str>],
    description: Cow<'a, str>,
    /// Empty once the arguments were dropped.
    rows: Vec<ArgumentRow>,
    preview: &'a str,
    flags: &'a [&'static str],
    #[cfg_attr(test, ts(as = "Vec<words::DecisionType>"))]
    allowed_decisions: DecisionKinds,
    /// ms since the epoch.
    created_at: u64,
    /// ms since the epoch; `null`: no deadline.
    expires_at: Option<u64>,
    #[cfg_attr(test, ts(type = "string"))]
    digest: Digest,
    /// Absent: kept as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<words::Contents>"))]
    contents: Option<&'static str>,
    /// Absent: anybody, once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<ApprovalNeed<'static>>>"))]
    needs: Vec<ApprovalNeed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    requester: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<NativeVote<'static>>>"))]
    votes: Vec<NativeVote<'a>>,
    /// ms since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    escalated_at: Option<u64>,
    /// What was given as `details` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "object | null"))]
    details: Option<&'a RawValue>,
}

impl<'a> NativeApproval<'a> {
    fn new(request: &'a Request, tally: Option<&'a VoteTally>) -> Self {
        let call = &request.call;
        let args = shown(&call.args);
        let contents = request.contents();
        Self {
            approval_id: request.id,
            run_id: &call.run_id,
            tool_call_id: &call.tool_call_id,
            tool_name: &call.tool_name,
            args: &call.args,
            origin: &request.origin,
            description: match &request.description {
                Some(description) => Cow::Borrowed(description),
                None => Cow::Owned(preview::describe(&call.tool_name, &args, &[])),
            },
            rows: match contents {
                ContentState::Dropped => Vec::new(),
                ContentState::Kept | ContentState::Redacted => {
                    preview::rows(&args, &[]).into_iter().map(ArgumentRow::from).collect()
                }
            },
            preview: &request.preview,
            flags: request.flags(),
            allowed_decisions: request.allowed,
            created_at: request.created_at,
            expires_at: request.expires_at,
            digest: request.digest,
            // Most are kept as they are: not to say so is the shorter way.
            contents: (contents != ContentState::Kept).then(|| contents.name()),
            needs: request.needs().iter().map(ApprovalNeed::from).collect(),
            requester: request.requester(),
            votes: tally
                .map(|tally| tally.votes.iter().map(NativeVote::from).collect())
                .unwrap_or_default(),
            escalated_at: tally.and_then(|tally| request.escalated_at(tally.told)),
            details: request.more.as_ref().and_then(|more| more.details.as_deref()),
        }
    }
}

impl<'a> From<&'a Record> for NativeApproval<'a> {
    fn from(record: &'a Record) -> Self {
        Self::new(record.request(), record.tally().map(Arc::as_ref))
    }
}

/// An argument as a row of a table, safe to show.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ArgumentRow {
    /// Empty where the arguments are no object.
    name: String,
    value: String,
}

impl From<ShownRow> for ArgumentRow {
    fn from(ShownRow { name, value }: ShownRow) -> Self {
        Self { name, value }
    }
}

/// Who must agree.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalNeed<'a> {
    /// Names, and groups as `group:NAME`; absent: anybody who gives a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    approvers: Option<&'a [Box<str>]>,
    /// How many different people must approve; absent: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    quorum: Option<u32>,
    /// The approval of who asked for the run does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    exclude_requester: Option<bool>,
    /// Whom else it is put to after a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    escalate: Option<NativeEscalation<'a>>,
}

/// Whom else a request is put to.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeEscalation<'a> {
    /// ms after the request was made.
    after: u64,
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    to: &'a [Box<str>],
}

impl<'a> From<&'a ApproverNeed> for ApprovalNeed<'a> {
    fn from(
        ApproverNeed { approvers, quorum, exclude_requester, escalate }: &'a ApproverNeed,
    ) -> Self {
        Self {
            approvers: approvers.as_deref(),
            quorum: (*quorum != 1).then_some(*quorum),
            exclude_requester: exclude_requester.then_some(true),
            escalate: escalate
                .as_ref()
                .map(|EscalationRule { after, to }| NativeEscalation { after: *after, to }),
        }
    }
}

/// One approval of several that are needed.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Vote"))]
pub(crate) struct NativeVote<'a> {
    by: &'a str,
    #[cfg_attr(test, ts(as = "words::DecidedVia"))]
    via: DecisionChannel,
    /// ms since the epoch.
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    reason: Option<&'a str>,
}

impl<'a> From<&'a Vote> for NativeVote<'a> {
    fn from(Vote { by, via, at, reason, counts_for: _, entry: _ }: &'a Vote) -> Self {
        Self { by, via: *via, at: *at, reason: reason.as_deref() }
    }
}

/// A request and what became of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NativeRecord<'a> {
    #[serde(flatten)]
    request: NativeApproval<'a>,
    #[cfg_attr(test, ts(as = "words::ApprovalStatus"))]
    status: Status,
    decision: Option<DecisionOutcome<'a>>,
    decided_by: Option<&'a str>,
    #[cfg_attr(test, ts(as = "Option<words::DecidedVia>"))]
    via: Option<DecisionChannel>,
    /// ms since the epoch.
    decided_at: Option<u64>,
}

impl<'a> From<&'a Record> for NativeRecord<'a> {
    fn from(record: &'a Record) -> Self {
        let decided = record.decided().map(Arc::as_ref);
        Self {
            request: record.into(),
            status: record.status(),
            decision: decided.map(|decided| (&decided.decision).into()),
            decided_by: decided.map(RecordedDecision::by),
            via: decided.map(|decided| decided.via),
            decided_at: decided.map(|decided| decided.at),
        }
    }
}

/// A record with what only a resume needs of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeWholeRecord<'a> {
    #[serde(flatten)]
    record: NativeRecord<'a>,
    /// What the policies judged the call under.
    #[cfg_attr(test, ts(type = "object | null"))]
    context: Option<&'a CanonicalJson>,
    /// What the execution gave, as `settle` was told.
    #[cfg_attr(test, ts(type = "unknown"))]
    result: Option<&'a RawValue>,
}

impl<'a> From<&'a Record> for NativeWholeRecord<'a> {
    fn from(record: &'a Record) -> Self {
        let context = record.request().call.context.as_ref();
        Self {
            record: record.into(),
            context: context.map(|context| &context.0),
            result: record.result(),
        }
    }
}

/// Records that are written in one of the shapes above.
macro_rules! written_as {
    ($($(#[$doc:meta])* $name:ident($records:ty) as $shape:tt: $write:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(test, derive(ts_rs::TS), ts(type = $shape))]
        pub(crate) struct $name(pub(crate) $records);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let write: fn(&Self, S) -> Result<S::Ok, S::Error> = $write;
                write(self, serializer)
            }
        }
    )*};
}

written_as! {
    /// A record.
    RecordText(Record) as "NativeRecord":
        |text, serializer| NativeRecord::from(&text.0).serialize(serializer);
    /// Records.
    RecordsText(Vec<Record>) as "NativeRecord[]":
        |text, serializer| serializer.collect_seq(text.0.iter().map(NativeRecord::from));
    /// Records as the requests that they are about.
    RequestsText(Vec<Record>) as "NativeApproval[]":
        |text, serializer| serializer.collect_seq(text.0.iter().map(NativeApproval::from));
    /// Records, whole.
    WholeRecords(Vec<Record>) as "NativeWholeRecord[]":
        |text, serializer| serializer.collect_seq(text.0.iter().map(NativeWholeRecord::from));
}

/// Something that happened.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum NativeEvent<'a> {
    Requested {
        request: NativeApproval<'a>,
    },
    Decided {
        request: NativeApproval<'a>,
        decision: DecisionOutcome<'a>,
        decided_by: &'a str,
        #[cfg_attr(test, ts(as = "words::DecidedVia"))]
        via: DecisionChannel,
        at: u64,
    },
    Voted {
        request: NativeApproval<'a>,
        vote: NativeVote<'a>,
        at: u64,
    },
    Reminded {
        request: NativeApproval<'a>,
        at: u64,
    },
    Escalated {
        request: NativeApproval<'a>,
        to: &'a [Box<str>],
        at: u64,
    },
    Started {
        #[cfg_attr(test, ts(type = "string"))]
        approval_id: ApprovalId,
        at: u64,
    },
    Unreadable {
        code: &'static str,
        message: &'a str,
    },
    Settled {
        #[cfg_attr(test, ts(type = "string"))]
        approval_id: ApprovalId,
        #[cfg_attr(test, ts(as = "words::Outcome"))]
        status: &'static str,
        at: u64,
    },
}

impl<'a> From<&'a LedgerEvent> for NativeEvent<'a> {
    fn from(event: &'a LedgerEvent) -> Self {
        match event {
            LedgerEvent::Requested(request) => {
                Self::Requested { request: NativeApproval::new(request, None) }
            }
            LedgerEvent::Voted { record, vote } => {
                Self::Voted { request: record.into(), vote: vote.into(), at: vote.at }
            }
            LedgerEvent::Reminded { record, at } => {
                Self::Reminded { request: record.into(), at: *at }
            }
            LedgerEvent::Escalated { record, to, at } => {
                Self::Escalated { request: record.into(), to, at: *at }
            }
            LedgerEvent::Decided { request, decided, tally } => Self::Decided {
                request: NativeApproval::new(request, tally.as_deref()),
                decision: (&decided.decision).into(),
                decided_by: decided.by(),
                via: decided.via,
                at: decided.at,
            },
            LedgerEvent::Unreadable { error } => {
                Self::Unreadable { code: error.kind.code(), message: &error.message }
            }
            LedgerEvent::Started { id, at } => Self::Started { approval_id: *id, at: *at },
            LedgerEvent::Settled { id, end, at } => {
                Self::Settled { approval_id: *id, status: end.name(), at: *at }
            }
        }
    }
}

/// Events, each as it is written.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct EventsText(#[cfg_attr(test, ts(as = "Vec<NativeEvent<'static>>"))] Vec<Raw>);

/// What [`EventFeed::drain`] gives, and at most about 4 MiB of it.
pub(crate) fn drain(feed: &EventFeed) -> Result<EventsText, GateError> {
    let mut texts = Vec::new();
    let mut size = 0;
    let mut failed = None;
    feed.drain(|event| {
        match serde_json::value::to_raw_value(&NativeEvent::from(&event)) {
            Ok(text) => {
                size += text.get().len();
                texts.push(text);
            }
            Err(error) => failed = Some(error),
        }
        size < MAX_DRAIN_TEXT
    });
    match failed {
        None => Ok(EventsText(texts)),
        Some(error) => Err(GateError::Internal(error.to_string())),
    }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeRecord<'static>>()
        .with::<NativeWholeRecord<'static>>()
        .with::<NativeEvent<'static>>()
        .with::<crate::decision::DecideMeta>()
}
