//! A request as it lies in the file: its columns, and the seals over them.

use rusqlite::{CachedStatement, Connection, Params, params};

use super::SqliteFault;
use super::column::ColumnReader;
use crate::approval::ApprovalId;
use crate::ledger::row::{
    ContentSealer, RequestRow, RequestTexts, RowColumns as _, damaged, record_name,
};

/// In the order of [`RequestRow::read`]; behind it, whether there are contents.
const COLUMNS: &str = "
    a.seq, a.id, a.run_id, a.tool_call_id, a.tool_name, a.digest, a.origin, a.flags, a.allowed, a.supersedes,
    a.created_at, a.duration, a.expires_at, a.needs, a.requester, a.remind, a.contents, a.asked, a.status,
    a.choice, a.stop, a.answer, a.reason, a.decider, a.via, a.decided_at, a.bound, a.executor, a.result,
    a.decided_seq, a.changed_seq, a.ended_at, a.votes, a.told, a.due_at, a.seal,
    c.args, c.context, c.description, c.preview, c.details, c.seq
    FROM approval a LEFT JOIN content c ON c.seq = a.seq";

/// The rows that `rest` (`WHERE … ORDER BY …`) selects, each checked against its seals.
pub(super) fn select(
    connection: &Connection, sealer: &ContentSealer, rest: &str, params: impl Params,
) -> Result<Vec<RequestRow>, SqliteFault> {
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
    mut see: impl FnMut(RequestRow) -> Result<(), SqliteFault>,
) -> Result<(), SqliteFault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} {rest}"))?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        let mut next = ColumnReader::new(row);
        let row = RequestRow::read(&mut next)?;
        if next.some_int()?.is_none() {
            return Err(damaged(&record_name(row.id)).into());
        }
        see(row)?;
    }
    Ok(())
}

/// The row of a request.
pub(super) fn by_id(
    connection: &Connection, sealer: &ContentSealer, id: ApprovalId,
) -> Result<Option<RequestRow>, SqliteFault> {
    Ok(select(connection, sealer, "WHERE a.id = ?1", [id.as_bytes()])?.pop())
}

impl RequestRow {
    /// Keeps it as a new row.
    pub(super) fn insert(&self, connection: &Connection) -> Result<(), SqliteFault> {
        connection
            .prepare_cached(
                "INSERT INTO approval (seq, id, run_id, tool_call_id, tool_name, digest, origin, flags, allowed,
                 supersedes, created_at, duration, expires_at, contents, asked, status, changed_seq, seal, needs, requester,
                 remind, due_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                 ?21, ?22)",
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
                self.needs,
                self.requester,
                self.remind,
                self.due_at,
            ])?;
        let RequestTexts { args, context, description, preview, details } = &self.texts;
        connection
            .prepare_cached(
                "INSERT INTO content (seq, args, context, description, preview, details)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![self.seq, args, context, description, preview, details])?;
        Ok(())
    }

    /// Keeps what may change of it, if what lies there is as the statement demands: how many rows that were. The parameters of
    /// the demand come after `?19`.
    pub(super) fn update(
        &self, mut statement: CachedStatement<'_>, demand: &[(&str, &dyn rusqlite::ToSql)],
    ) -> Result<usize, SqliteFault> {
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
            self.votes,
            self.told,
            self.due_at,
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
}
