//! Runs: whose they are, how far they are, and their histories.

use std::collections::HashMap;

use serde_json::value::RawValue;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::column::ColumnReader;
use super::fault::StepError;
use super::params::SqlParams;
use super::pen::{WriteContext, server_now};
use crate::ledger::history::{self, HistoryNode, NodeEncoding};
use crate::ledger::row::{RowColumns as _, RunRow, damaged, run_name, time};
use crate::ledger::{Hash, LedgerError, RunInfo, SavedRun};

/// In the order of [`RunRow::read`].
pub(super) const COLUMNS: &str =
    "r.seq, r.run_id, r.owner, r.status, r.steps, r.head, r.forked, r.contents, r.state,
    r.created_at, r.updated_at, r.seal";

/// A run, with whether its owner lives and what waits of it.
pub(super) struct RunView {
    pub(super) run: RunRow,
    pub(super) active: bool,
    pending: i64,
}

/// The runs that `rest` selects, each checked against its seal.
pub(super) async fn select(
    client: &Client, pen: &WriteContext, rest: &str, p: &SqlParams<'_>,
) -> Result<Vec<RunView>, StepError> {
    let sql = pen.sql(&format!(
        "SELECT EXISTS (SELECT FROM @owner o WHERE o.id = r.owner AND o.until > {}),
         (SELECT count(*) FROM @waiting w WHERE w.run_id = r.run_id), {COLUMNS} FROM @run r {rest}",
        server_now()
    ));
    let found = client.query_typed(&sql, p.as_slice()).await?;
    found
        .iter()
        .map(|columns| {
            let mut next = ColumnReader::new(columns);
            let (active, pending) = (next.get()?, next.get()?);
            let run = RunRow::read(&mut next)?;
            run.check(&pen.sealer)?;
            Ok(RunView { run, active, pending })
        })
        .collect()
}

/// The run of this name.
pub(super) async fn by_name(
    client: &Client, pen: &WriteContext, run: &str,
) -> Result<Option<RunView>, StepError> {
    let mut p = SqlParams::default();
    p.add(&run, Type::TEXT);
    Ok(select(client, pen, "WHERE r.run_id = $1", &p).await?.pop())
}

pub(super) async fn list(
    client: &Client, pen: &WriteContext, open: bool, limit: usize,
) -> Result<Vec<RunInfo>, StepError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut p = SqlParams::default();
    p.add(&limit, Type::INT8);
    let only = if open { "WHERE r.status = 0" } else { "" };
    let rest = format!("{only} ORDER BY r.updated_at DESC, r.seq DESC LIMIT $1");
    let found = select(client, pen, &rest, &p).await?;
    Ok(found.iter().map(RunView::info).collect::<Result<_, _>>()?)
}

impl RunView {
    /// What a list shows of it.
    pub(super) fn info(&self) -> Result<RunInfo, LedgerError> {
        let run = &self.run;
        Ok(RunInfo {
            run_id: run.run_id.as_str().into(),
            status: run.status().ok_or_else(|| damaged(&run_name(&run.run_id)))?,
            active: self.active,
            steps: time(run.steps),
            pending: time(self.pending),
            created_at: time(run.created_at),
            updated_at: time(run.updated_at),
        })
    }
}

/// All entries of a run, by their hashes.
pub(super) async fn nodes(
    client: &Client, pen: &WriteContext, run: i64,
) -> Result<HashMap<Hash, HistoryNode>, StepError> {
    let sql = pen.sql("SELECT hash, parent, enc, body FROM @entry WHERE run = $1");
    let found = client.query_typed(&sql, &[(&run, Type::INT8)]).await?;
    let mut nodes = HashMap::with_capacity(found.len());
    for columns in &found {
        let node = node(columns)?;
        nodes.insert(node.hash, node);
    }
    Ok(nodes)
}

pub(super) fn node(columns: &tokio_postgres::Row) -> Result<HistoryNode, StepError> {
    let mut next = ColumnReader::new(columns);
    let (hash, parent) = (next.bytes()?, next.some_bytes()?);
    let encoding = u8::try_from(next.get::<i16>()?).ok().and_then(NodeEncoding::from_number);
    let encoding = encoding.ok_or_else(|| damaged("an entry of a history"))?;
    Ok(HistoryNode { hash, parent, encoding, body: next.get()? })
}

/// The entries that its head stands for, oldest first; otherwise the hash of a missing one.
pub(super) fn chain(
    nodes: &HashMap<Hash, HistoryNode>, head: Option<Hash>,
) -> Result<Vec<&HistoryNode>, Hash> {
    let mut chain: Vec<&HistoryNode> = Vec::new();
    let mut next = head;
    while let Some(hash) = next {
        // More than there are: what is damaged may be a circle.
        let node = nodes.get(&hash).filter(|_| chain.len() < nodes.len()).ok_or(hash)?;
        chain.push(node);
        next = node.parent;
    }
    chain.reverse();
    Ok(chain)
}

/// A run with its history.
pub(super) async fn saved(
    client: &Client, pen: &WriteContext, seen: &RunView,
) -> Result<SavedRun, StepError> {
    let run = &seen.run;
    let bad = || damaged(&run_name(&run.run_id));
    let nodes = nodes(client, pen, run.seq).await?;
    let chain = chain(&nodes, run.head).map_err(|_| bad())?;
    let mut entries = Vec::with_capacity(chain.len());
    for node in chain {
        let text = history::decode(node, pen.sealer.key())?;
        let entry = String::from_utf8(text).ok().and_then(|text| RawValue::from_string(text).ok());
        entries.push((node.hash, entry.ok_or_else(bad)?));
    }
    let state = pen.sealer.open(run.run_id.as_bytes(), "state", &run.state)?;
    let state = RawValue::from_string(state).map_err(|_| bad())?;
    Ok(SavedRun { entries, state, info: seen.info()? })
}
