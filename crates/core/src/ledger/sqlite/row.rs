//! A request as it lies in the file: its columns, and the seals over them.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, Params, params};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::Error as NoWord;
use serde_json::value::RawValue;

use super::Fault;
use super::codec::{Column, Sealer, damaged, status_number, time, whole};
use crate::approval::{
    ApprovalId, Choice, Contents, Decided, Decision, DecisionKind, DecisionKinds, More, Record,
    Request, Status, Via,
};
use crate::call::{CanonicalJson, Context, Digest, ToolCall};
use crate::ledger::LedgerError;
use crate::ledger::seal::RowSeal;
use crate::preview::Flag;

/// The columns of `approval` and `content`, as they are kept: what is sealed is sealed here too.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) seq: i64,
    pub(super) id: ApprovalId,
    pub(super) run_id: String,
    pub(super) tool_call_id: String,
    pub(super) tool_name: String,
    pub(super) digest: [u8; 32],
    /// A JSON array.
    pub(super) origin: String,
    /// Names with spaces between.
    pub(super) flags: String,
    /// A bit for each kind of decision.
    pub(super) allowed: i64,
    pub(super) supersedes: Option<ApprovalId>,
    pub(super) created_at: i64,
    pub(super) duration: Option<i64>,
    pub(super) expires_at: Option<i64>,
    pub(super) contents: i64,
    pub(super) texts: Texts,
    /// The seal over all of the above, which only retention changes.
    pub(super) asked: [u8; 32],
    pub(super) status: i64,
    pub(super) fate: Option<Fate>,
    /// Who runs it or ran it.
    pub(super) executor: Option<[u8; 16]>,
    pub(super) result: Option<Vec<u8>>,
    /// The entry of the audit that is its last decision.
    pub(super) decided_seq: Option<i64>,
    /// The entry of the audit that is its last change.
    pub(super) changed_seq: i64,
    pub(super) ended_at: Option<i64>,
    pub(super) seal: [u8; 32],
}

/// What retention lets go of, and a key hides.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Texts {
    pub(super) args: Option<Vec<u8>>,
    pub(super) context: Option<Vec<u8>>,
    pub(super) description: Option<Vec<u8>>,
    pub(super) preview: Option<Vec<u8>>,
    pub(super) details: Option<Vec<u8>>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fate {
    pub(super) choice: i64,
    pub(super) stop: i64,
    /// The edited arguments, or the given result.
    pub(super) answer: Option<Vec<u8>>,
    pub(super) reason: Option<Vec<u8>>,
    pub(super) by: Option<String>,
    pub(super) via: String,
    pub(super) at: i64,
    /// The digest that an approval is bound to.
    pub(super) bound: Option<[u8; 32]>,
}

const COLUMNS: &str = "
    a.seq, a.id, a.run_id, a.tool_call_id, a.tool_name, a.digest, a.origin, a.flags, a.allowed, a.supersedes,
    a.created_at, a.duration, a.expires_at, a.contents, a.asked, a.status, a.choice, a.stop, a.answer, a.reason,
    a.decider, a.via, a.decided_at, a.bound, a.executor, a.result, a.decided_seq, a.changed_seq, a.ended_at, a.seal,
    c.seq, c.args, c.context, c.description, c.preview, c.details
    FROM approval a LEFT JOIN content c ON c.seq = a.seq";

/// The rows that `rest` (`WHERE … ORDER BY …`) selects, each checked against its seals.
pub(super) fn select(
    connection: &Connection, sealer: &Sealer, rest: &str, params: impl Params,
) -> Result<Vec<Row>, Fault> {
    let mut found = Vec::new();
    each(connection, rest, params, |row| {
        row.check(sealer)?;
        found.push(row);
        Ok(())
    })?;
    Ok(found)
}

/// Shows each row to `see`, unchecked.
pub(super) fn each(
    connection: &Connection, rest: &str, params: impl Params,
    mut see: impl FnMut(Row) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} {rest}"))?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        see(Row::read(row)?)?;
    }
    Ok(())
}

/// The row of a request.
pub(super) fn by_id(
    connection: &Connection, sealer: &Sealer, id: ApprovalId,
) -> Result<Option<Row>, Fault> {
    Ok(select(connection, sealer, "WHERE a.id = ?1", [id.as_bytes()])?.pop())
}

impl Row {
    fn read(row: &rusqlite::Row<'_>) -> Result<Self, Fault> {
        let mut next = Column::new(row);
        let seq = next.get()?;
        let mut read = Self {
            seq,
            id: ApprovalId::from_bytes(next.get()?),
            run_id: next.get()?,
            tool_call_id: next.get()?,
            tool_name: next.get()?,
            digest: next.get()?,
            origin: next.get()?,
            flags: next.get()?,
            allowed: next.get()?,
            supersedes: next.get::<Option<[u8; 16]>>()?.map(ApprovalId::from_bytes),
            created_at: next.get()?,
            duration: next.get()?,
            expires_at: next.get()?,
            contents: next.get()?,
            asked: next.get()?,
            status: next.get()?,
            fate: None,
            texts: Texts::default(),
            executor: None,
            result: None,
            decided_seq: None,
            changed_seq: 0,
            ended_at: None,
            seal: [0; 32],
        };
        let (choice, stop): (Option<i64>, Option<i64>) = (next.get()?, next.get()?);
        let (answer, reason, by) = (next.get()?, next.get()?, next.get()?);
        let (via, at, bound): (Option<String>, Option<i64>, _) =
            (next.get()?, next.get()?, next.get()?);
        read.fate = match (choice, stop, via, at) {
            (Some(choice), Some(stop), Some(via), Some(at)) => {
                Some(Fate { choice, stop, answer, reason, by, via, at, bound })
            }
            (None, None, None, None) => None,
            _ => return Err(damaged(&record_name(read.id)).into()),
        };
        read.executor = next.get()?;
        read.result = next.get()?;
        read.decided_seq = next.get()?;
        read.changed_seq = next.get()?;
        read.ended_at = next.get()?;
        read.seal = next.get()?;
        if next.get::<Option<i64>>()?.is_none() {
            return Err(damaged(&record_name(read.id)).into());
        }
        read.texts = Texts {
            args: next.get()?,
            context: next.get()?,
            description: next.get()?,
            preview: next.get()?,
            details: next.get()?,
        };
        Ok(read)
    }

    /// A request that waits, as it will lie there after entry `changed_seq` of the audit.
    pub(super) fn new(
        sealer: &Sealer, seq: i64, changed_seq: u64, request: &Request,
    ) -> Result<Self, Fault> {
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
            allowed: request.allowed.iter().fold(0, |bits, kind| bits | bit(kind)),
            supersedes: request.supersedes(),
            created_at,
            duration: expires_at.map(|at| at.saturating_sub(created_at)),
            expires_at,
            contents: contents_number(request.contents()),
            texts: Texts {
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
            seal: [0; 32],
        };
        new.reseal(sealer, true);
        Ok(new)
    }

    /// Keeps it as a new row.
    pub(super) fn insert(&self, connection: &Connection) -> Result<(), Fault> {
        connection
            .prepare_cached(
                "INSERT INTO approval (seq, id, run_id, tool_call_id, tool_name, digest, origin, flags, allowed,
                 supersedes, created_at, duration, expires_at, contents, asked, status, changed_seq, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
            )?
            .execute(params![
                self.seq,
                self.id.as_bytes(),
                self.run_id,
                self.tool_call_id,
                self.tool_name,
                self.digest,
                self.origin,
                self.flags,
                self.allowed,
                self.supersedes.as_ref().map(ApprovalId::as_bytes),
                self.created_at,
                self.duration,
                self.expires_at,
                self.contents,
                self.asked,
                self.status,
                self.changed_seq,
                self.seal,
            ])?;
        let Texts { args, context, description, preview, details } = &self.texts;
        connection
            .prepare_cached(
                "INSERT INTO content (seq, args, context, description, preview, details)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![self.seq, args, context, description, preview, details])?;
        Ok(())
    }

    /// Keeps what may change of it, if what lies there is as the statement demands: how many rows that were. The parameters of
    /// the demand come after `?16`.
    pub(super) fn update(
        &self, mut statement: CachedStatement<'_>, demand: &[(&str, &dyn rusqlite::ToSql)],
    ) -> Result<usize, Fault> {
        let fate = self.fate.as_ref();
        let columns = params![
            self.id.as_bytes(),
            self.status,
            fate.map(|fate| fate.choice),
            fate.map(|fate| fate.stop),
            fate.and_then(|fate| fate.answer.as_deref()),
            fate.and_then(|fate| fate.reason.as_deref()),
            fate.and_then(|fate| fate.by.as_deref()),
            fate.map(|fate| fate.via.as_str()),
            fate.map(|fate| fate.at),
            fate.and_then(|fate| fate.bound),
            self.executor,
            self.result,
            self.decided_seq,
            self.changed_seq,
            self.ended_at,
            self.seal,
        ];
        for (index, value) in columns.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, value)?;
        }
        for (name, value) in demand {
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, value)?;
            }
        }
        Ok(statement.raw_execute()?)
    }

    /// Makes the seals anew, that over what was asked only if that has changed.
    pub(super) fn reseal(&mut self, sealer: &Sealer, asked: bool) {
        if asked {
            self.asked = self.asked_seal(sealer);
        }
        self.seal = self.whole_seal(sealer);
    }

    /// It must be what was written.
    pub(super) fn check(&self, sealer: &Sealer) -> Result<(), LedgerError> {
        if self.asked_seal(sealer) == self.asked && self.whole_seal(sealer) == self.seal {
            return Ok(());
        }
        Err(damaged(&record_name(self.id)))
    }

    fn asked_seal(&self, sealer: &Sealer) -> [u8; 32] {
        let Texts { args, context, description, preview, details } = &self.texts;
        RowSeal::new("content", sealer.key())
            .int("seq", Some(self.seq))
            .blob("id", Some(self.id.as_bytes()))
            .text("run_id", Some(&self.run_id))
            .text("tool_call_id", Some(&self.tool_call_id))
            .text("tool_name", Some(&self.tool_name))
            .blob("digest", Some(&self.digest))
            .text("origin", Some(&self.origin))
            .text("flags", Some(&self.flags))
            .int("allowed", Some(self.allowed))
            .blob("supersedes", self.supersedes.as_ref().map(|id| id.as_bytes().as_slice()))
            .int("created_at", Some(self.created_at))
            .int("duration", self.duration)
            .int("expires_at", self.expires_at)
            .int("contents", Some(self.contents))
            .blob("args", args.as_deref())
            .blob("context", context.as_deref())
            .blob("description", description.as_deref())
            .blob("preview", preview.as_deref())
            .blob("details", details.as_deref())
            .done()
    }

    fn whole_seal(&self, sealer: &Sealer) -> [u8; 32] {
        let fate = self.fate.as_ref();
        RowSeal::new("approval", sealer.key())
            .blob("asked", Some(&self.asked))
            .int("status", Some(self.status))
            .int("choice", fate.map(|fate| fate.choice))
            .int("stop", fate.map(|fate| fate.stop))
            .blob("answer", fate.and_then(|fate| fate.answer.as_deref()))
            .blob("reason", fate.and_then(|fate| fate.reason.as_deref()))
            .text("decider", fate.and_then(|fate| fate.by.as_deref()))
            .text("via", fate.map(|fate| fate.via.as_str()))
            .int("decided_at", fate.map(|fate| fate.at))
            .blob("bound", fate.and_then(|fate| fate.bound.as_ref()).map(<[u8; 32]>::as_slice))
            .blob("executor", self.executor.as_ref().map(<[u8; 16]>::as_slice))
            .blob("result", self.result.as_deref())
            .int("decided_seq", self.decided_seq)
            .int("changed_seq", Some(self.changed_seq))
            .int("ended_at", self.ended_at)
            .done()
    }

    /// The record that it is.
    pub(super) fn record(&self, sealer: &Sealer) -> Result<Record, LedgerError> {
        self.try_record(sealer)?.ok_or_else(|| damaged(&record_name(self.id)))
    }

    fn try_record(&self, sealer: &Sealer) -> Result<Option<Record>, LedgerError> {
        let open = |column, text: &Option<Vec<u8>>| {
            text.as_ref().map(|text| sealer.open(self.id.as_bytes(), column, text)).transpose()
        };
        let Some(contents) = contents_of(self.contents) else { return Ok(None) };
        let flags: Option<Box<[&'static str]>> =
            self.flags.split_ascii_whitespace().map(flag).collect();
        let (Some(flags), Some(allowed)) = (flags, allowed(self.allowed)) else { return Ok(None) };
        let Ok(origin) = serde_json::from_str::<Vec<Box<str>>>(&self.origin) else {
            return Ok(None);
        };
        let details = open("details", &self.texts.details)?;
        let more = More {
            flags,
            supersedes: self.supersedes,
            details: match details.map(RawValue::from_string).transpose() {
                Ok(details) => details,
                Err(_) => return Ok(None),
            },
            contents,
        };
        let is_plain = more.flags.is_empty()
            && more.supersedes.is_none()
            && more.details.is_none()
            && contents == Contents::Kept;
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
                context: context.map(|context| Box::new(Context(context))),
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
        Ok(Record::kept(Arc::new(request), status, decided, result))
    }

    /// Where it stands.
    pub(super) fn status(&self) -> Option<Status> {
        usize::try_from(self.status).ok().and_then(|at| Status::ALL.get(at).copied())
    }

    /// Lets go of its contents.
    pub(super) fn drop_contents(&mut self, sealer: &Sealer) {
        self.texts = Texts::default();
        self.contents = contents_number(Contents::Dropped);
        self.result = None;
        if let Some(fate) = &mut self.fate {
            (fate.answer, fate.reason) = (None, None);
        }
        self.reseal(sealer, true);
    }
}

impl Fate {
    /// A decision on this request, which an approval is bound to.
    pub(super) fn new(
        sealer: &Sealer, request: &Request, decided: &Decided,
    ) -> Result<Self, LedgerError> {
        let seal = |column, text: &str| sealer.seal(request.id.as_bytes(), column, text);
        let (answer, bound) = match &decided.decision.choice {
            Choice::Approve => (None, Some(request.digest)),
            Choice::Edit { args, bound } => {
                (Some(args), Some(bound.unwrap_or_else(|| request.call.digest_with(args))))
            }
            Choice::Respond { output } => (Some(output), None),
            _ => (None, None),
        };
        Ok(Self {
            choice: choice_number(&decided.decision.choice),
            stop: i64::from(matches!(decided.decision.choice, Choice::Reject { stop: true })),
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

    fn decided(&self, sealer: &Sealer, request: &Request) -> Result<Option<Decided>, LedgerError> {
        let open = |column, text: &Option<Vec<u8>>| {
            text.as_ref().map(|text| sealer.open(request.id.as_bytes(), column, text)).transpose()
        };
        let answer = canonical(open("answer", &self.answer)?);
        let bound = self.bound.map(Digest::from_bytes);
        let choice = match (self.choice, answer, bound) {
            (0, _, Some(bound)) if bound == request.digest => Choice::Approve,
            (1, Some(args), Some(bound)) => {
                let bound = (request.call.digest_with(&args) != bound).then_some(bound);
                Choice::Edit { args, bound }
            }
            (2, ..) => Choice::Reject { stop: self.stop != 0 },
            (3, Some(output), _) => Choice::Respond { output },
            (4, ..) => Choice::Skip,
            (5, ..) => Choice::Expired,
            (6, ..) => Choice::Cancelled,
            _ => return Ok(None),
        };
        let name: serde::de::value::StrDeserializer<'_, NoWord> =
            self.via.as_str().into_deserializer();
        let Ok(via) = Via::deserialize(name) else { return Ok(None) };
        let reason = open("reason", &self.reason)?.map(Into::into);
        let decision = Decision { choice, reason };
        let by = self.by.as_deref().map(Into::into);
        Ok(Some(Decided { decision, by, via, at: time(self.at) }))
    }
}

/// What was dropped is `null`.
fn canonical(text: Option<String>) -> Option<CanonicalJson> {
    CanonicalJson::kept(text.unwrap_or_else(|| "null".into())).ok()
}

/// How a record is called in messages.
pub(super) fn record_name(id: ApprovalId) -> String {
    format!("the request {id}")
}

/// The bit of a kind in `allowed`.
pub(super) const fn bit(kind: DecisionKind) -> i64 {
    1 << kind as u8
}

/// All bits of `allowed`.
pub(super) const ALL_BITS: i64 = 0b1_1111;

fn allowed(bits: i64) -> Option<DecisionKinds> {
    let kinds = DecisionKind::ALL.into_iter().filter(|kind| bits & bit(*kind) != 0);
    DecisionKinds::new(kinds).filter(|_| bits & !ALL_BITS == 0)
}

const fn choice_number(choice: &Choice) -> i64 {
    match choice {
        Choice::Approve => 0,
        Choice::Edit { .. } => 1,
        Choice::Reject { .. } => 2,
        Choice::Respond { .. } => 3,
        Choice::Skip => 4,
        Choice::Expired => 5,
        Choice::Cancelled => 6,
    }
}

const fn contents_number(contents: Contents) -> i64 {
    match contents {
        Contents::Kept => 0,
        Contents::Redacted => 1,
        Contents::Dropped => 2,
    }
}

const fn contents_of(number: i64) -> Option<Contents> {
    match number {
        0 => Some(Contents::Kept),
        1 => Some(Contents::Redacted),
        2 => Some(Contents::Dropped),
        _ => None,
    }
}

fn flag(name: &str) -> Option<&'static str> {
    Flag::ALL.into_iter().map(Flag::name).find(|known| *known == name)
}
