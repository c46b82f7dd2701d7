//! A look at everything: is it what was written?

use std::collections::HashMap;

use serde::Deserialize;
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::archive::{entry, head};
use super::fault::Fault;
use super::migrate::{self, meta};
use super::open::Core;
use super::pen::Pen;
use super::retention::dropped_before;
use super::rows::{self, Column};
use super::{runs, values};
use crate::approval::{ApprovalId, Contents, Record, Status};
use crate::ledger::audit::{Chain, Entry, Verifier};
use crate::ledger::history;
use crate::ledger::row::{Row, run_name, time, value_name};
use crate::ledger::{About, Damage, LedgerError, Verified, hex};

/// How many faults are told at most: whoever sees these needs no more of them.
const MOST: usize = 1_000;
/// How many rows are read at once.
const BATCH: i64 = 1_000;

/// What an entry of the audit says that a record must agree with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    kind: Box<str>,
    approval_id: Option<ApprovalId>,
    status: Option<Box<str>>,
    decision: Option<Box<str>>,
    digest: Option<Box<str>>,
    #[serde(default)]
    more: HashMap<Box<str>, serde_json::Value>,
}

struct Check<'a> {
    client: &'a Client,
    pen: &'a Pen,
    found: Verified,
    /// The last entry about each request, by the number of its leaf, and where the request stood then.
    last: HashMap<ApprovalId, (i64, Status)>,
    /// How many records were let go of.
    pruned: u64,
}

/// Looks at one moment of everything.
pub(super) async fn verify(core: &Core) -> Result<Verified, Fault> {
    let unchained = match core.chain_now().await {
        Err(Fault::Ledger(error)) => Some(error),
        Err(fault) => return Err(fault),
        Ok(()) => None,
    };
    core.pool
        .long(async |client| {
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
            let mut check = Check {
                client,
                pen: &core.pen,
                found: Verified::default(),
                last: HashMap::new(),
                pruned: 0,
            };
            let done = check.all(unchained.as_ref()).await;
            let found = check.found;
            client.batch_execute("ROLLBACK").await?;
            done.map(|()| found)
        })
        .await
}

impl Check<'_> {
    async fn all(&mut self, unchained: Option<&LedgerError>) -> Result<(), Fault> {
        self.audit().await?;
        if let Some(error) = unchained {
            self.fault(None, None, error.message.as_str());
        }
        self.records().await?;
        self.tables().await?;
        self.runs().await?;
        self.values().await?;
        self.meta().await
    }

    fn fault(&mut self, seq: Option<u64>, record: Option<String>, what: impl Into<Box<str>>) {
        if self.found.faults.len() < MOST {
            let record = record.map(Into::into);
            self.found.faults.push(Damage { seq, record, what: what.into() });
        }
    }

    async fn audit(&mut self) -> Result<(), Fault> {
        let mut verifier = Verifier::new(Chain::default(), None);
        let (mut after, mut chain) = (i64::MIN, Chain::default());
        let sql = self.pen.sql(
            "SELECT seq, at, body, hash, kind, approval_id, leaf FROM @audit WHERE seq > $1 ORDER BY seq LIMIT $2",
        );
        loop {
            let batch = self
                .client
                .query_typed(&sql, &[(&after, Type::INT8), (&BATCH, Type::INT8)])
                .await?;
            let Some(last) = batch.last() else { break };
            after = last.try_get(0)?;
            for row in &batch {
                let entry = entry(row)?;
                verifier.see(&entry);
                if verifier.broken().is_none() {
                    chain = Chain { seq: entry.seq, at: entry.at, head: entry.hash };
                }
                self.entry(
                    Some(entry.seq),
                    &entry.body,
                    row.try_get(4)?,
                    row.try_get(5)?,
                    row.try_get(6)?,
                );
            }
        }
        (self.found.entries, self.found.head) = (chain.seq, chain.head);
        if let Some(broken) = verifier.broken() {
            let damage =
                Damage { seq: Some(broken.seq), record: None, what: broken.to_string().into() };
            // What is wrong first comes first.
            self.found.faults.insert(0, damage);
        } else if head(self.client, self.pen).await? != chain {
            self.fault(None, None, "the audit log does not end where the ledger says that it does");
        }
        // What is not chained yet tells where requests stand as well.
        let sql = self.pen.sql("SELECT id, body, kind, approval_id FROM @leaf ORDER BY id");
        for row in self.client.query_typed(&sql, &[]).await? {
            self.entry(None, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(0)?);
        }
        Ok(())
    }

    /// The columns beside the text, and what it says of its request.
    fn entry(&mut self, seq: Option<u64>, body: &str, kind: &str, about: Option<Uuid>, leaf: i64) {
        let said = serde_json::from_str::<Said>(body).ok();
        let Some(said) = said.filter(|said| *said.kind == *kind && said.approval_id == about)
        else {
            self.fault(seq, None, "its columns do not say what its text does");
            return;
        };
        if let (Some(id), Some(status)) =
            (said.approval_id, said.status.as_deref().and_then(of_name))
        {
            self.last.insert(id, (leaf, status));
        }
        if *said.kind == *"pruned" {
            let records = said.more.get("records").and_then(serde_json::Value::as_u64);
            self.pruned = self.pruned.saturating_add(records.unwrap_or(0));
        }
    }

    async fn records(&mut self) -> Result<(), Fault> {
        let before = dropped_before(self.client, self.pen).await?;
        let sql = self.pen.sql("SELECT id FROM @approval WHERE id > $1 ORDER BY id LIMIT $2");
        let mut after = Uuid::nil();
        loop {
            let found = self
                .client
                .query_typed(&sql, &[(&after, Type::UUID), (&BATCH, Type::INT8)])
                .await?;
            let ids: Vec<Uuid> =
                found.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            let Some(last) = ids.last() else { break };
            after = *last;
            let mut rows: Vec<Row> = Vec::with_capacity(ids.len());
            for kept in rows::kept(self.client, self.pen, "WHERE a.id = ANY($1)", &ids).await? {
                self.found.records += 1;
                let id = kept.id();
                match kept.check(self.pen, before) {
                    Ok(row) => rows.push(row),
                    Err(Fault::Ledger(error)) => {
                        self.last.remove(&id);
                        self.fault(None, Some(id.to_string()), error.message);
                    }
                    Err(fault) => return Err(fault),
                }
            }
            let said = self.said(&rows).await?;
            for row in &rows {
                let fault = match row.record(&self.pen.sealer) {
                    Err(error) => Some(error.message),
                    Ok(record) => self.disagrees(row, &record, &said).map(str::to_owned),
                };
                self.last.remove(&row.id);
                if let Some(fault) = fault {
                    self.fault(None, Some(row.id.to_string()), fault);
                }
            }
        }
        self.missing();
        Ok(())
    }

    /// What the entries that are the decisions of these say.
    async fn said(&self, rows: &[Row]) -> Result<HashMap<i64, Said>, Fault> {
        let decided: Vec<i64> = rows.iter().filter_map(|row| row.decided_seq).collect();
        let sql = self.pen.sql(
            "SELECT leaf, body FROM @audit WHERE leaf = ANY($1) UNION ALL SELECT id, body FROM @leaf WHERE id = ANY($1)",
        );
        let found = self.client.query_typed(&sql, &[(&decided, Type::INT8_ARRAY)]).await?;
        let mut said = HashMap::new();
        for row in &found {
            if let Ok(text) = serde_json::from_str(row.try_get(1)?) {
                said.insert(row.try_get(0)?, text);
            }
        }
        Ok(said)
    }

    /// In what a record is not as the audit says.
    fn disagrees(
        &self, row: &Row, record: &Record, said: &HashMap<i64, Said>,
    ) -> Option<&'static str> {
        if self.last.get(&row.id) != Some(&(row.changed_seq, record.status())) {
            return Some("it is not where the audit log says that it stands");
        }
        let request = record.request();
        if request.contents() == Contents::Kept && request.call.digest() != request.digest {
            return Some("its digest is not that of its call");
        }
        let (Some(decided), Some(seq)) = (record.decided(), row.decided_seq) else {
            let is_undecided = record.decided().is_none() && row.decided_seq.is_none();
            return (!is_undecided).then_some("its decision has no entry in the audit log");
        };
        let bound = record.approved().map_or(request.digest, |(_, digest)| digest).to_string();
        let agrees = said.get(&seq).is_some_and(|said| {
            said.approval_id == Some(row.id)
                && *said.kind == *"decided"
                && said.decision.as_deref() == Some(decided.decision.choice.name())
                && said.digest.as_deref() == Some(bound.as_str())
        });
        (!agrees).then_some("its decision is not the one in the audit log")
    }

    /// Requests that the audit knows and the table does not.
    fn missing(&mut self) {
        let mut gone: Vec<(ApprovalId, (i64, Status))> = self.last.drain().collect();
        gone.sort_unstable_by_key(|(_, (seq, _))| *seq);
        let (over, open): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|(_, (_, status))| status.is_final());
        for (id, _) in open {
            self.fault(None, Some(id.to_string()), "the request is missing");
        }
        let (over, pruned) = (over.len() as u64, self.pruned);
        if over != pruned {
            self.fault(
                None,
                None,
                format!("{over} requests are missing, and {pruned} were let go of"),
            );
        }
    }

    /// The small tables must say what the large ones do, and nobody may have added what acts by itself.
    async fn tables(&mut self) -> Result<(), Fault> {
        for (what, sql) in [
            ("there are contents without a request", "SELECT count(*) FROM @content c WHERE NOT EXISTS (SELECT FROM @approval a WHERE a.id = c.id)"),
            (
                "what waits is not what is said to wait",
                "SELECT count(*) FROM (SELECT id, run_id, due_at FROM @approval WHERE status = 0) a
                 FULL JOIN @waiting w ON w.id = a.id WHERE (a.id IS NULL) <> (w.id IS NULL) OR w.run_id <> a.run_id
                 OR w.due_at IS DISTINCT FROM a.due_at",
            ),
            (
                "what runs is not what is said to run",
                "SELECT count(*) FROM (SELECT id, run_id, executor FROM @approval WHERE status = 8) a
                 FULL JOIN @running r ON r.id = a.id WHERE (a.id IS NULL) <> (r.id IS NULL) OR r.run_id <> a.run_id
                 OR r.executor <> a.executor",
            ),
            (
                "the last request of a call is not the one that is said",
                "SELECT count(*) FROM @approval a WHERE NOT EXISTS (SELECT FROM @call k WHERE k.tool_call_id = a.tool_call_id
                 AND k.run_id = a.run_id AND EXISTS (SELECT FROM @approval l WHERE l.id = k.last AND l.run_id = a.run_id
                 AND l.tool_call_id = a.tool_call_id AND l.seq >= a.seq))",
            ),
        ] {
            let count: i64 = self.client.query_typed_one(&self.pen.sql(sql), &[]).await?.try_get(0)?;
            if count > 0 {
                self.fault(None, None, format!("{what} ({count})"));
            }
        }
        let (schema, like) =
            (&self.pen.names.schema, format!("{}%", self.pen.names.prefix.replace('_', "\\_")));
        let sql = "SELECT (SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 WHERE NOT t.tgisinternal AND c.relnamespace = n.oid AND c.relname LIKE $2)
             + (SELECT count(*) FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = n.oid AND c.relname LIKE $2)
             FROM pg_namespace n WHERE n.nspname = $1";
        let count: i64 = self
            .client
            .query_typed_one(sql, &[(schema, Type::TEXT), (&like, Type::TEXT)])
            .await?
            .try_get(0)?;
        if count > 0 {
            self.fault(
                None,
                None,
                "its tables are not those that were made: there are triggers or rules on them",
            );
        }
        Ok(())
    }

    async fn runs(&mut self) -> Result<(), Fault> {
        let sql = self.pen.sql(&format!(
            "SELECT {} FROM @run r WHERE r.seq > $1 ORDER BY r.seq LIMIT $2",
            runs::COLUMNS
        ));
        let mut after = i64::MIN;
        loop {
            let batch = self
                .client
                .query_typed(&sql, &[(&after, Type::INT8), (&BATCH, Type::INT8)])
                .await?;
            if batch.is_empty() {
                break;
            }
            for columns in &batch {
                let run = runs::read(&mut Column { columns, next: 0 })?;
                after = run.seq;
                let name = || Some(run_name(&run.run_id));
                if let Err(error) = run.check(&self.pen.sealer) {
                    self.fault(None, name(), error.message);
                    continue;
                }
                let nodes = runs::nodes(self.client, self.pen, run.seq).await?;
                if let Err(missing) = runs::chain(&nodes, run.head) {
                    self.fault(
                        None,
                        name(),
                        format!("its history lacks the entry {}", hex(&missing)),
                    );
                }
                let bad = nodes
                    .values()
                    .filter(|node| history::decode(node, self.pen.sealer.key()).is_err())
                    .count();
                if bad > 0 {
                    self.fault(
                        None,
                        name(),
                        format!("{bad} entries of its history are not what was written"),
                    );
                }
            }
        }
        let sql = self.pen.sql("SELECT count(*) FROM @entry e WHERE NOT EXISTS (SELECT FROM @run r WHERE r.seq = e.run)");
        let count: i64 = self.client.query_typed_one(&sql, &[]).await?.try_get(0)?;
        if count > 0 {
            self.fault(None, None, format!("{count} entries of histories belong to no run"));
        }
        Ok(())
    }

    async fn values(&mut self) -> Result<(), Fault> {
        let sql = self.pen.sql("SELECT k, version, text, seal FROM @value ORDER BY k");
        for row in self.client.query_typed(&sql, &[]).await? {
            let kept = values::read(&row)?;
            if kept.open(&self.pen.sealer).is_err() {
                self.fault(
                    None,
                    None,
                    format!("{} is not what was written", value_name(&kept.key)),
                );
            }
        }
        Ok(())
    }

    /// `meta` against the entry that was made when the ledger was opened.
    async fn meta(&mut self) -> Result<(), Fault> {
        let about = migrate::about(self.client, self.pen).await?;
        let opened = meta(self.client, self.pen, "opened_seq")
            .await?
            .and_then(|seq| seq.parse::<i64>().ok());
        let agrees = match (about, opened) {
            (Some(about), Some(leaf)) => {
                let sql = self.pen.sql("SELECT seq, at, body, hash FROM @audit WHERE leaf = $1");
                let found = self.client.query_typed_opt(&sql, &[(&leaf, Type::INT8)]).await?;
                let chained: Option<Entry> = found.as_ref().map(entry).transpose()?;
                chained.is_none_or(|entry| {
                    let chain = Chain { seq: entry.seq.saturating_sub(1), at: 0, head: [0; 32] };
                    { chain }.append(&about.note(), entry.at).body == entry.body
                })
            }
            _ => false,
        };
        let noted = meta(self.client, self.pen, "noted_schema").await?;
        if !agrees || noted != meta(self.client, self.pen, "schema").await? {
            self.fault(None, None, "what the ledger says of itself is not what the audit log says");
        }
        Ok(())
    }
}

fn of_name(name: &str) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.name() == name)
}

/// What the ledger is.
pub(super) async fn about(client: &Client, core: &Core) -> Result<About, Fault> {
    let pen = &core.pen;
    let count = async |sql: &str| -> Result<u64, Fault> {
        Ok(time(client.query_typed_one(&pen.sql(sql), &[]).await?.try_get(0)?))
    };
    let (schema, like) = (&pen.names.schema, format!("{}%", pen.names.prefix.replace('_', "\\_")));
    let bytes = client
        .query_typed_one(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = $1 AND c.relname LIKE $2 AND c.relkind = 'r'",
            &[(schema, Type::TEXT), (&like, Type::TEXT)],
        )
        .await?;
    let version =
        meta(client, pen, "schema").await?.and_then(|schema| schema.parse().ok()).unwrap_or(0);
    let unchained = count("SELECT count(*) FROM @leaf").await?;
    Ok(About {
        place: core.place.as_str().into(),
        schema: version,
        encrypted: pen.sealer.key().is_some(),
        records: count("SELECT count(*) FROM @approval").await?,
        pending: count("SELECT count(*) FROM @waiting").await?,
        runs: count("SELECT count(*) FROM @run").await?,
        entries: head(client, pen).await?.seq + unchained,
        bytes: time(bytes.try_get(0)?),
    })
}
