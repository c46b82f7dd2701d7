//! A look at everything: is it what was written?

use std::collections::HashMap;

use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::column::ColumnReader;
use super::fault::StepError;
use super::held::{self, RoleTrigger};
use super::ledger_core::LedgerCore;
use super::meta::{dropped_before, meta};
use super::migrate;
use super::pen::WriteContext;
use super::rows;
use super::sequencer::head;
use super::{runs, schema, values};
use crate::ledger::audit::AuditEntry;
use crate::ledger::history;
use crate::ledger::row::{AuditedFields, CheckFindings, RequestRow, RunRow, time};
use crate::ledger::{LedgerError, LedgerInfo, VerificationReport, hex};

/// How many rows are read at once.
const BATCH: i64 = 1_000;

struct LedgerCheck<'a> {
    client: &'a Client,
    pen: &'a WriteContext,
    findings: CheckFindings,
}

/// Looks at one moment of everything.
pub(super) async fn verify(core: &LedgerCore) -> Result<VerificationReport, StepError> {
    let unchained = match core.chain_now().await {
        Err(StepError::Ledger(error)) => Some(error),
        Err(fault) => return Err(fault),
        Ok(()) => None,
    };
    core.pool
        .long(async |client| {
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
            let mut check =
                LedgerCheck { client, pen: &core.pen, findings: CheckFindings::default() };
            let done = check.all(unchained.as_ref()).await;
            let found = check.findings.done();
            client.batch_execute("ROLLBACK").await?;
            done.map(|()| found)
        })
        .await
}

impl LedgerCheck<'_> {
    async fn all(&mut self, unchained: Option<&LedgerError>) -> Result<(), StepError> {
        self.audit().await?;
        if let Some(error) = unchained {
            self.findings.fault(None, None, error.message.as_str());
        }
        self.records().await?;
        self.tables().await?;
        self.runs().await?;
        self.values().await?;
        self.meta().await
    }

    async fn audit(&mut self) -> Result<(), StepError> {
        let mut after = i64::MIN;
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
            for columns in &batch {
                let mut next = ColumnReader::new(columns);
                let entry = AuditEntry::read(&mut next)?;
                self.findings.chained(&entry);
                let (kind, about, leaf) = (next.get()?, next.get()?, next.get()?);
                self.findings.entry(Some(entry.seq), leaf, &entry.body, kind, about);
            }
        }
        if let Some(chain) = self.findings.end_of_audit()
            && head(self.client, self.pen).await? != chain
        {
            let what = "the audit log does not end where the ledger says that it does";
            self.findings.fault(None, None, what);
        }
        // What is not chained yet tells where requests stand as well.
        let sql = self.pen.sql("SELECT id, body, kind, approval_id FROM @leaf ORDER BY id");
        for row in self.client.query_typed(&sql, &[]).await? {
            let (kind, about) = (row.try_get(2)?, row.try_get(3)?);
            self.findings.entry(None, row.try_get(0)?, row.try_get(1)?, kind, about);
        }
        Ok(())
    }

    async fn records(&mut self) -> Result<(), StepError> {
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
            let mut rows: Vec<RequestRow> = Vec::with_capacity(ids.len());
            for kept in rows::kept(self.client, self.pen, &ids).await? {
                let id = kept.id();
                match kept.check(self.pen, before) {
                    Ok(row) => rows.push(row),
                    Err(StepError::Ledger(error)) => self.findings.bad_record(id, error),
                    Err(fault) => return Err(fault),
                }
            }
            let said = self.said(&rows).await?;
            for row in &rows {
                let said = row.decided_seq.and_then(|seq| said.get(&seq));
                self.findings.record(row, row.record(&self.pen.sealer), said);
            }
        }
        self.findings.end_of_records();
        Ok(())
    }

    /// What the entries that are the decisions of these say.
    async fn said(&self, rows: &[RequestRow]) -> Result<HashMap<i64, AuditedFields>, StepError> {
        let decided: Vec<i64> = rows.iter().filter_map(|row| row.decided_seq).collect();
        let sql = self.pen.sql(
            "SELECT leaf, body FROM @audit WHERE leaf = ANY($1) UNION ALL SELECT id, body FROM @leaf WHERE id = ANY($1)",
        );
        let found = self.client.query_typed(&sql, &[(&decided, Type::INT8_ARRAY)]).await?;
        let mut said = HashMap::new();
        for row in &found {
            if let Some(text) = AuditedFields::in_text(row.try_get(1)?) {
                said.insert(row.try_get(0)?, text);
            }
        }
        Ok(said)
    }

    /// The small tables must say what the large ones do, and must have no added trigger or rule.
    async fn tables(&mut self) -> Result<(), StepError> {
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
                self.findings.fault(None, None, format!("{what} ({count})"));
            }
        }
        let (schema, like) =
            (&self.pen.names.schema, format!("{}%", self.pen.names.prefix.replace('_', "\\_")));
        self.guards().await?;
        // Those of ours are looked at one by one, and each partition has them too.
        let sql = "SELECT (SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgname <> 'held'
                 AND c.relnamespace = n.oid AND c.relname LIKE $2)
             + (SELECT count(*) FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = n.oid AND c.relname LIKE $2)
             FROM pg_namespace n WHERE n.nspname = $1";
        let count: i64 = self
            .client
            .query_typed_one(sql, &[(schema, Type::TEXT), (&like, Type::TEXT)])
            .await?
            .try_get(0)?;
        if count > 0 {
            self.findings.fault(
                None,
                None,
                "its tables are not those that were made: there are triggers or rules on them",
            );
        }
        Ok(())
    }

    /// What holds roles that may only decide is there as it was made.
    async fn guards(&mut self) -> Result<(), StepError> {
        let names = &self.pen.names;
        for RoleTrigger { table, function, body } in held::guards(names) {
            let sql = "SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                     JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_proc p ON p.oid = t.tgfoid
                 WHERE t.tgname = 'held' AND t.tgenabled = 'O' AND n.nspname = $1 AND c.relname = $2
                     AND p.pronamespace = n.oid AND p.proname = $3 AND p.prosrc = $4";
            let params = [&names.schema, &table, &function, &body];
            let params = params.map(|text| (text as &(dyn ToSql + Sync), Type::TEXT));
            let count: i64 = self.client.query_typed_one(sql, &params).await?.try_get(0)?;
            if count != 1 {
                let what = format!(
                    "what holds roles that may only decide is not on `{table}` as it was made"
                );
                self.findings.fault(None, None, what);
            }
        }
        // Other ledgers may stand beside this one, with other names.
        let other = "SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE t.tgname = 'held' AND t.tgparentid = 0 AND NOT t.tgisinternal AND n.nspname = $1 AND c.relname = ANY($2)";
        let tables: Vec<String> =
            schema::tables().map(|table| format!("{}{table}", names.prefix)).collect();
        let count: i64 = self
            .client
            .query_typed_one(other, &[(&names.schema, Type::TEXT), (&tables, Type::TEXT_ARRAY)])
            .await?
            .try_get(0)?;
        if usize::try_from(count).is_ok_and(|count| count > held::GUARDS.len()) {
            self.findings.fault(
                None,
                None,
                "its tables are not those that were made: there are triggers or rules on them",
            );
        }
        Ok(())
    }

    async fn runs(&mut self) -> Result<(), StepError> {
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
                let run = RunRow::read(&mut ColumnReader::new(columns))?;
                after = run.seq;
                if let Err(error) = run.check(&self.pen.sealer) {
                    self.findings.bad_run(&run, error.message);
                    continue;
                }
                let nodes = runs::nodes(self.client, self.pen, run.seq).await?;
                if let Err(missing) = runs::chain(&nodes, run.head) {
                    let what = format!("its history lacks the entry {}", hex(&missing));
                    self.findings.bad_run(&run, what);
                }
                let bad = nodes
                    .values()
                    .filter(|node| history::decode(node, self.pen.sealer.key()).is_err())
                    .count();
                if bad > 0 {
                    let what = format!("{bad} entries of its history are not what was written");
                    self.findings.bad_run(&run, what);
                }
            }
        }
        let sql = self.pen.sql("SELECT count(*) FROM @entry e WHERE NOT EXISTS (SELECT FROM @run r WHERE r.seq = e.run)");
        let count: i64 = self.client.query_typed_one(&sql, &[]).await?.try_get(0)?;
        if count > 0 {
            self.findings.fault(
                None,
                None,
                format!("{count} entries of histories belong to no run"),
            );
        }
        Ok(())
    }

    async fn values(&mut self) -> Result<(), StepError> {
        let sql = self.pen.sql("SELECT k, version, text, seal FROM @value ORDER BY k");
        for row in self.client.query_typed(&sql, &[]).await? {
            self.findings.value(&values::read(&row)?, &self.pen.sealer);
        }
        Ok(())
    }

    /// `meta` against the entry that was made when the ledger was opened.
    async fn meta(&mut self) -> Result<(), StepError> {
        let about = migrate::about(self.client, self.pen).await?;
        let opened = meta(self.client, self.pen, "opened_seq")
            .await?
            .and_then(|seq| seq.parse::<i64>().ok());
        let agrees = match (about, opened) {
            (Some(about), Some(leaf)) => {
                let sql = self.pen.sql("SELECT seq, at, body, hash FROM @audit WHERE leaf = $1");
                let found = self.client.query_typed_opt(&sql, &[(&leaf, Type::INT8)]).await?;
                let chained = found
                    .as_ref()
                    .map(|columns| AuditEntry::read(&mut ColumnReader::new(columns)))
                    .transpose()?;
                chained.is_none_or(|entry| about.is_in(&entry))
            }
            _ => false,
        };
        let noted = meta(self.client, self.pen, "noted_schema").await?;
        let schema = meta(self.client, self.pen, "schema").await?;
        self.findings.about(agrees && noted == schema);
        Ok(())
    }
}

/// What the ledger is.
pub(super) async fn about(client: &Client, core: &LedgerCore) -> Result<LedgerInfo, StepError> {
    let pen = &core.pen;
    let count = async |sql: &str| -> Result<u64, StepError> {
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
    Ok(LedgerInfo {
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
