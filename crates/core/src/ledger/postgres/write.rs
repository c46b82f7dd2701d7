//! The statements that change requests: each one whole, with its leaf of the audit, or not at all.

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connection::PlannedConnection;
use super::fault::StepError;
use super::params::SqlParams;
use super::pen::{WriteContext, now, server_now};
use super::rows::{DroppedContents, on_its_day};
use crate::approval::{ApprovalId, Status};
use crate::ledger::audit::{AuditNote, NoteKind};
use crate::ledger::row::{RequestChange, RequestRow, RequestTexts, whole};

/// What must be so at the very moment of a change, beside a request that is unchanged since we looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeGuard {
    /// Nothing.
    None,
    /// The time to decide is not up.
    InTime,
    /// It is up.
    Due,
    /// We were not taken for gone.
    OwnLease,
    /// Its executor is gone.
    ExecutorGone,
}

/// Makes a change if the request is still as it was looked at; `false`: it is not, or the guard does not let it.
pub(super) async fn change(
    client: &PlannedConnection, pen: &WriteContext, old: &RequestRow, change: &RequestChange,
    guard: ChangeGuard, at: u64, local: u64,
) -> Result<bool, StepError> {
    let RequestChange { row, note, .. } = change;
    let gone = DroppedContents::of(row, &pen.sealer)?;
    let (given, at, body) = (pen.clock.given(local), whole(at), pen.leaf(note, at));
    let fate = row.fate.as_ref();
    let (choice, stop) = (fate.map(|fate| fate.choice), fate.map(|fate| fate.stop));
    let (by, via) = (fate.and_then(|fate| fate.by.as_deref()), fate.map(|fate| fate.via.as_str()));
    let decided_at = fate.map(|fate| fate.at);
    let bound = fate.and_then(|fate| fate.bound.as_ref()).map(<[u8; 32]>::as_slice);
    let executor = row.executor.map(Uuid::from_bytes);
    let (answer, reason) = (
        fate.and_then(|fate| fate.answer.as_deref()),
        fate.and_then(|fate| fate.reason.as_deref()),
    );
    let result = row.result.as_deref();
    let (seal, gone_seal, old_seal) =
        (row.seal.as_slice(), gone.seal.as_slice(), old.seal.as_slice());
    let (kind, owner) = (note.kind.name(), pen.owner());

    let mut p = SqlParams::default();
    let id = p.add(&row.id, Type::UUID);
    let now = now(p.add(&given, Type::INT8));
    let columns = [
        ("status", p.add(&row.status, Type::INT8)),
        ("choice", p.add(&choice, Type::INT8)),
        ("stop", p.add(&stop, Type::INT8)),
        ("decider", p.add(&by, Type::TEXT)),
        ("via", p.add(&via, Type::TEXT)),
        ("decided_at", p.add(&decided_at, Type::INT8)),
        ("bound", p.add(&bound, Type::BYTEA)),
        ("executor", p.add(&executor, Type::UUID)),
        ("decided_seq", p.add(&row.decided_seq, Type::INT8)),
        ("changed_seq", p.add(&row.changed_seq, Type::INT8)),
        ("ended_at", p.add(&row.ended_at, Type::INT8)),
        ("seal", p.add(&seal, Type::BYTEA)),
        ("told", p.add(&row.told, Type::INT8)),
        ("due_at", p.add(&row.due_at, Type::INT8)),
        ("gone_votes", p.add(&gone.votes, Type::BYTEA)),
        ("gone_seal", p.add(&gone_seal, Type::BYTEA)),
    ];
    let set: Vec<String> = columns.iter().map(|(name, at)| format!("{name} = ${at}")).collect();
    let (old_status, old_seal) = (p.add(&old.status, Type::INT8), p.add(&old_seal, Type::BYTEA));
    // Locked, so that we are not taken for gone between this look and this change.
    let mut own = String::new();
    let guard = match guard {
        ChangeGuard::None => String::new(),
        ChangeGuard::InTime => format!("AND (expires_at IS NULL OR expires_at > {now})"),
        ChangeGuard::Due => format!("AND expires_at <= {now}"),
        ChangeGuard::OwnLease => {
            let owner = p.add(&owner, Type::UUID);
            own = format!(
                "own AS MATERIALIZED (SELECT 1 FROM @owner WHERE id = ${owner} AND until > {} FOR KEY SHARE), ",
                server_now()
            );
            "AND EXISTS (SELECT FROM own)".to_owned()
        }
        ChangeGuard::ExecutorGone => {
            "AND NOT EXISTS (SELECT FROM @owner o WHERE o.id = executor)".to_owned()
        }
    };
    let mut also = String::new();
    if row.status != old.status {
        if is(old, Status::Pending) {
            also.push_str(&format!(
                ", waits AS (DELETE FROM @waiting WHERE id = ${id} AND EXISTS (SELECT FROM done))"
            ));
        }
        if is(old, Status::Started) {
            also.push_str(&format!(
                ", runs AS (DELETE FROM @running WHERE id = ${id} AND EXISTS (SELECT FROM done))"
            ));
        }
        if is(row, Status::Started) {
            let (run, executor) = (p.add(&row.run_id, Type::TEXT), p.add(&executor, Type::UUID));
            also.push_str(&format!(
                ", runs AS (INSERT INTO @running (id, run_id, executor) SELECT id, ${run}, ${executor} FROM done)"
            ));
        }
    }
    if row.status == old.status && row.due_at != old.due_at {
        let due_at = p.add(&row.due_at, Type::INT8);
        also.push_str(&format!(
            ", waits AS (UPDATE @waiting SET due_at = ${due_at} WHERE id = ${id} AND EXISTS (SELECT FROM done))"
        ));
    }
    if outcome(row) != outcome(old) {
        let [answer, reason, result] =
            [&answer, &reason, &result].map(|value| p.add(value, Type::BYTEA));
        let votes = p.add(&row.votes, Type::BYTEA);
        also.push_str(&format!(
            ", ends AS (INSERT INTO @outcome (id, answer, reason, result, votes)
             SELECT id, ${answer}, ${reason}, ${result}, ${votes} FROM done
             ON CONFLICT (id) DO UPDATE SET answer = excluded.answer, reason = excluded.reason, result = excluded.result,
             votes = excluded.votes)"
        ));
    }
    let [leaf, at, kind, body] = [
        p.add(&row.changed_seq, Type::INT8),
        p.add(&at, Type::INT8),
        p.add(&kind, Type::TEXT),
        p.add(&body, Type::TEXT),
    ];
    let day = on_its_day("id", row.id);
    let sql = pen.sql(&format!(
        "WITH {own}done AS (UPDATE @approval SET {} WHERE id = ${id} {day} AND status = ${old_status} AND seal = ${old_seal} {guard}
         RETURNING id){also}
         INSERT INTO @leaf (id, at, kind, approval_id, body) SELECT ${leaf}, ${at}, ${kind}, id, ${body} FROM done",
        set.join(", ")
    ));
    Ok(client.execute_typed(&sql, p.as_slice()).await? == 1)
}

fn is(row: &RequestRow, status: Status) -> bool {
    row.status() == Some(status)
}

/// What is kept beside the row.
fn outcome(row: &RequestRow) -> [Option<&[u8]>; 4] {
    let fate = row.fate.as_ref();
    [
        fate.and_then(|fate| fate.answer.as_deref()),
        fate.and_then(|fate| fate.reason.as_deref()),
        row.result.as_deref(),
        row.votes.as_deref(),
    ]
}

/// Keeps a new request, if the last one of its call is still `last`; `false`: it is not.
pub(super) async fn request(
    client: &PlannedConnection, pen: &WriteContext, row: &RequestRow, note: &AuditNote,
    last: Option<ApprovalId>,
) -> Result<bool, StepError> {
    let gone = DroppedContents::of(row, &pen.sealer)?;
    let at = row.created_at;
    let body = pen.leaf(note, crate::ledger::row::time(at));
    let RequestTexts { args, context, description, preview, details } = &row.texts;
    let (digest, asked, seal) = (row.digest.as_slice(), row.asked.as_slice(), row.seal.as_slice());
    let (gone_asked, gone_seal) = (gone.asked.as_slice(), gone.seal.as_slice());
    let kind = NoteKind::Requested.name();
    let mut p = SqlParams::default();
    let columns = [
        ("id", p.add(&row.id, Type::UUID)),
        ("seq", p.add(&row.seq, Type::INT8)),
        ("run_id", p.add(&row.run_id, Type::TEXT)),
        ("tool_call_id", p.add(&row.tool_call_id, Type::TEXT)),
        ("tool_name", p.add(&row.tool_name, Type::TEXT)),
        ("digest", p.add(&digest, Type::BYTEA)),
        ("origin", p.add(&row.origin, Type::TEXT)),
        ("flags", p.add(&row.flags, Type::TEXT)),
        ("allowed", p.add(&row.allowed, Type::INT8)),
        ("supersedes", p.add(&row.supersedes, Type::UUID)),
        ("created_at", p.add(&row.created_at, Type::INT8)),
        ("duration", p.add(&row.duration, Type::INT8)),
        ("expires_at", p.add(&row.expires_at, Type::INT8)),
        ("needs", p.add(&row.needs, Type::TEXT)),
        ("requester", p.add(&row.requester, Type::TEXT)),
        ("remind", p.add(&row.remind, Type::INT8)),
        ("contents", p.add(&row.contents, Type::INT8)),
        ("asked", p.add(&asked, Type::BYTEA)),
        ("status", p.add(&row.status, Type::INT8)),
        ("changed_seq", p.add(&row.changed_seq, Type::INT8)),
        ("seal", p.add(&seal, Type::BYTEA)),
        ("due_at", p.add(&row.due_at, Type::INT8)),
        ("gone_asked", p.add(&gone_asked, Type::BYTEA)),
        ("gone_seal", p.add(&gone_seal, Type::BYTEA)),
    ];
    let texts = [
        ("args", p.add(args, Type::BYTEA)),
        ("context", p.add(context, Type::BYTEA)),
        ("description", p.add(description, Type::BYTEA)),
        ("preview", p.add(preview, Type::BYTEA)),
        ("details", p.add(details, Type::BYTEA)),
    ];
    let last = p.add(&last, Type::UUID);
    let due_at = p.add(&row.due_at, Type::INT8);
    let [kind, body] = [p.add(&kind, Type::TEXT), p.add(&body, Type::TEXT)];
    let names = |columns: &[(&str, usize)]| {
        columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let values = |columns: &[(&str, usize)]| {
        columns.iter().map(|(_, at)| format!("${at}")).collect::<Vec<_>>().join(", ")
    };
    // $1 is its id, $2 its number, which is that of its leaf too, $3 its run, $4 its call, $11 when it was asked.
    let sql = pen.sql(&format!(
        "WITH asked AS (INSERT INTO @call AS k (tool_call_id, run_id, last) VALUES ($4, $3, $1)
             ON CONFLICT (tool_call_id, run_id) DO UPDATE SET last = excluded.last WHERE k.last = ${last} RETURNING 1),
         a AS (INSERT INTO @approval ({}) SELECT {} FROM asked),
         c AS (INSERT INTO @content (id, {}) SELECT $1, {} FROM asked),
         w AS (INSERT INTO @waiting (id, run_id, due_at) SELECT $1, $3, ${due_at} FROM asked)
         INSERT INTO @leaf (id, at, kind, approval_id, body) SELECT $2, $11, ${kind}, $1, ${body} FROM asked",
        names(&columns),
        values(&columns),
        names(&texts),
        values(&texts),
    ));
    Ok(client.execute_typed(&sql, p.as_slice()).await? == 1)
}
