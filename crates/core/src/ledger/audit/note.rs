//! What an entry says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::approval::{
    ApprovalId, DecisionChannel, DecisionChoice, Record, RecordedDecision, Status,
};
use crate::call::Digest;
use crate::policy::Effect;
use crate::preview;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// A human was asked.
    Requested,
    /// An approval was counted that is one of several.
    Voted,
    /// Somebody decided who may not.
    Refused,
    /// Everybody was told once more of a request whose deadline is near.
    Reminded,
    /// A request was put to others, for lack of a decision.
    Escalated,
    /// A request was decided, by a human, by time, or by the end of its run.
    Decided,
    /// An approved call was redeemed.
    Started,
    /// A started call ended.
    Settled,
    /// A started call was found without the process that ran it.
    Interrupted,
    /// The policies judged a call.
    Verdict,
    /// A reviewer was asked about a call.
    Reviewed,
    /// A rule was granted for a while.
    Granted,
    /// A grant was taken back.
    GrantRevoked,
    /// A run began.
    RunStarted,
    /// A run went on in another process.
    RunResumed,
    /// A run ended.
    RunEnded,
    /// The clock of the machine jumped.
    ClockJump,
    /// Contents that were kept long enough were dropped.
    Pruned,
    /// The ledger was made or opened by another version.
    Opened,
}

impl NoteKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::Requested,
        Self::Voted,
        Self::Refused,
        Self::Reminded,
        Self::Escalated,
        Self::Decided,
        Self::Started,
        Self::Settled,
        Self::Interrupted,
        Self::Verdict,
        Self::Reviewed,
        Self::Granted,
        Self::GrantRevoked,
        Self::RunStarted,
        Self::RunResumed,
        Self::RunEnded,
        Self::ClockJump,
        Self::Pruned,
        Self::Opened,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Voted => "voted",
            Self::Refused => "refused",
            Self::Reminded => "reminded",
            Self::Escalated => "escalated",
            Self::Decided => "decided",
            Self::Started => "started",
            Self::Settled => "settled",
            Self::Interrupted => "interrupted",
            Self::Verdict => "verdict",
            Self::Reviewed => "reviewed",
            Self::Granted => "granted",
            Self::GrantRevoked => "grant-revoked",
            Self::RunStarted => "run-started",
            Self::RunResumed => "run-resumed",
            Self::RunEnded => "run-ended",
            Self::ClockJump => "clock-jump",
            Self::Pruned => "pruned",
            Self::Opened => "opened",
        }
    }

    /// The kind with this very name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What a caller says of what happened. There is no place for arguments in it: they are told by their digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditNote {
    /// What happened.
    pub kind: NoteKind,
    /// The run.
    pub run_id: Option<Box<str>>,
    /// The call.
    pub tool_call_id: Option<Box<str>>,
    /// The tool.
    pub tool_name: Option<Box<str>>,
    /// The request.
    pub approval_id: Option<ApprovalId>,
    /// Who.
    pub by: Option<Box<str>>,
    /// Through what.
    pub via: Option<DecisionChannel>,
    /// What the policies said.
    pub effect: Option<Effect>,
    /// The rule that said it.
    pub rule: Option<RuleAt>,
    /// Why. Cut after 1 KiB and made safe to show.
    pub reason: Option<Box<str>>,
    /// What an approval of the call is bound to.
    pub digest: Option<Digest>,
    /// The digest of the arguments alone; of the edited ones where the human edited them.
    pub args_digest: Option<Digest>,
    /// The word for what was decided.
    pub decision: Option<&'static str>,
    /// Where the request stands now.
    pub status: Option<Status>,
    /// The path of agents that the call came from.
    pub origin: Vec<Box<str>>,
    /// What only this kind has.
    pub more: BTreeMap<&'static str, NoteValue>,
}

/// The rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAt {
    /// The file or preset it is from.
    pub source: Box<str>,
    /// The layer it is of.
    pub layer: Box<str>,
    /// The line it is at, from 1; `None`: it has none.
    pub line: Option<u32>,
}

/// A value of [`AuditNote::more`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteValue {
    /// A text. Cut after 1 KiB and made safe to show.
    Text(Box<str>),
    /// A number. One that JavaScript cannot hold is written as a text.
    Number(i64),
}

impl From<&str> for NoteValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for NoteValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl AuditNote {
    /// A note that says only what happened.
    pub fn new(kind: NoteKind) -> Self {
        Self {
            kind,
            run_id: None,
            tool_call_id: None,
            tool_name: None,
            approval_id: None,
            by: None,
            via: None,
            effect: None,
            rule: None,
            reason: None,
            digest: None,
            args_digest: None,
            decision: None,
            status: None,
            origin: Vec::new(),
            more: BTreeMap::new(),
        }
    }

    /// A note about a request: which, of what call, where it stands, and the digests. Not who decided it.
    pub fn about(kind: NoteKind, record: &Record) -> Self {
        let request = record.request();
        let approved = record.approved();
        let args = approved.map_or(&request.call.args, |(args, _)| args);
        Self {
            run_id: Some((*request.call.run_id).into()),
            tool_call_id: Some((*request.call.tool_call_id).into()),
            tool_name: Some(request.call.tool_name.clone()),
            approval_id: Some(request.id),
            digest: Some(approved.map_or(request.digest, |(_, digest)| digest)),
            args_digest: Some(Digest::of_text(args.as_str())),
            status: Some(record.status()),
            origin: request.origin.to_vec(),
            ..Self::new(kind)
        }
    }

    /// With what was decided, by whom, through what and why; what the model is given instead of a result is told by its
    /// digest.
    #[must_use]
    pub fn with_decision(mut self, decided: &RecordedDecision) -> Self {
        self.decision = Some(decided.decision.choice.name());
        self.by.clone_from(&decided.by);
        self.via = Some(decided.via);
        self.reason.clone_from(&decided.decision.reason);
        match &decided.decision.choice {
            DecisionChoice::Respond { output } => {
                let digest = Digest::of_text(output.as_str()).to_string();
                self.more.insert("outputDigest", NoteValue::Text(digest.into()));
            }
            DecisionChoice::Reject { stop: true } => {
                self.more.insert("stop", NoteValue::Number(1));
            }
            _ => {}
        }
        self
    }

    /// A note about a decision that was refused. It says nothing of where the request stands, since that is as before.
    pub fn refused(record: &Record, decided: &RecordedDecision) -> Self {
        Self { status: None, ..Self::about(NoteKind::Refused, record).with_decision(decided) }
    }

    /// With one more fact.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: impl Into<NoteValue>) -> Self {
        self.more.insert(name, fact.into());
        self
    }

    /// The text of it before it has its place in the chain: as it will be, with the number 0.
    pub(in crate::ledger) fn leaf(&self, at: u64) -> String {
        self.body(0, at)
    }

    /// The text that is kept and hashed: canonical JSON (RFC 8785).
    pub(super) fn body(&self, seq: u64, at: u64) -> String {
        let id = |text: &Option<Box<str>>| text.as_deref().map(|text| quoted(&cut(text)));
        let prose = |text: &Option<Box<str>>| text.as_deref().map(|text| quoted(&safe(text)));
        let name = |name: &str| quoted(name);
        let origin = self.origin.iter().map(|agent| quoted(&cut(agent)));
        let more = self.more.iter().map(|(name, fact)| (*name, Some(fact.body())));
        object([
            ("approvalId", self.approval_id.map(|id| name(&id.to_string()))),
            ("argsDigest", self.args_digest.map(|digest| name(&digest.to_string()))),
            ("at", Some(whole(at))),
            ("by", prose(&self.by)),
            ("decision", self.decision.map(name)),
            ("digest", self.digest.map(|digest| name(&digest.to_string()))),
            ("effect", self.effect.map(|effect| name(effect_name(effect)))),
            ("kind", Some(name(self.kind.name()))),
            ("more", (!self.more.is_empty()).then(|| object(more))),
            ("origin", (!self.origin.is_empty()).then(|| format!("[{}]", join(origin)))),
            ("reason", prose(&self.reason)),
            ("rule", self.rule.as_ref().map(RuleAt::body)),
            ("runId", id(&self.run_id)),
            ("seq", Some(whole(seq))),
            ("status", self.status.map(|status| name(status.name()))),
            ("toolCallId", id(&self.tool_call_id)),
            ("toolName", id(&self.tool_name)),
            ("via", self.via.map(|via| name(via.name()))),
        ])
    }
}

impl RuleAt {
    fn body(&self) -> String {
        object([
            ("layer", Some(quoted(&safe(&self.layer)))),
            ("line", self.line.map(|line| line.to_string())),
            ("source", Some(quoted(&safe(&self.source)))),
        ])
    }
}

impl NoteValue {
    fn body(&self) -> String {
        match self {
            Self::Text(text) => quoted(&safe(text)),
            Self::Number(number) if number.unsigned_abs() <= MOST_WHOLE => number.to_string(),
            Self::Number(number) => quoted(&number.to_string()),
        }
    }
}

/// The longest text of an entry, in bytes, before it is made safe.
const MOST: usize = 1024;

/// The greatest whole number that JavaScript holds.
pub(super) const MOST_WHOLE: u64 = (1 << 53) - 1;

fn whole(number: u64) -> String {
    number.min(MOST_WHOLE).to_string()
}

fn safe(text: &str) -> String {
    preview::text(&cut(text), MOST)
}

/// A text, cut where it is too long.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST {
        return Cow::Borrowed(text);
    }
    let start = (0..=MOST).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    Cow::Owned(format!("{start}…"))
}

const fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}

/// `serde_json` escapes exactly what RFC 8785 does.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An object of these fields, which come in the order of their names.
fn object(fields: impl IntoIterator<Item = (&'static str, Option<String>)>) -> String {
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| format!("{}:{value}", quoted(name))));
    format!("{{{}}}", join(fields))
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}
