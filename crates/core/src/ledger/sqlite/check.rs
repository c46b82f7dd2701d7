//! A look at everything: is it what was written?

use rusqlite::Connection;

use super::opening;
use super::row;
use super::runs;
use super::schema::MIGRATIONS;
use super::step::{entries_where, meta};
use super::values;
use super::{SqliteEngine, SqliteFault};
use crate::approval::ApprovalId;
use crate::ledger::audit::AuditEntry;
use crate::ledger::history::{self, HistoryNode, NodeEncoding};
use crate::ledger::row::{AuditedFields, CheckFindings, ContentSealer, time, whole};
use crate::ledger::{LedgerInfo, VerificationReport, hex};

/// How many entries are read at once.
const BATCH: usize = 1_024;

struct LedgerCheck<'a> {
    connection: &'a Connection,
    sealer: &'a ContentSealer,
    findings: CheckFindings,
}

type CheckStep<'a> = fn(&mut LedgerCheck<'a>) -> Result<(), SqliteFault>;

/// Looks at one moment of everything.
pub(super) fn verify(
    connection: &Connection, sealer: &ContentSealer,
) -> Result<VerificationReport, SqliteFault> {
    let mut check = LedgerCheck { connection, sealer, findings: CheckFindings::default() };
    // Where the file cannot be read, the rest of it may still be.
    for (what, look) in [
        ("the audit log", LedgerCheck::audit as CheckStep<'_>),
        ("the requests", LedgerCheck::records),
        ("the runs", LedgerCheck::runs),
        ("the histories", LedgerCheck::entries),
        ("the values", LedgerCheck::values),
        ("what the ledger says of itself", LedgerCheck::meta),
        ("the tables", LedgerCheck::schema),
        ("the file", LedgerCheck::file),
    ] {
        if let Err(fault) = look(&mut check) {
            let error = fault.of(connection.path().unwrap_or_default().as_ref());
            check.findings.fault(None, None, format!("{what} cannot be read: {error}"));
        }
    }
    Ok(check.findings.done())
}

impl LedgerCheck<'_> {
    fn audit(&mut self) -> Result<(), SqliteFault> {
        let mut after = i64::MIN;
        loop {
            let rest = format!("WHERE seq > ?1 ORDER BY seq LIMIT {BATCH}");
            let batch = entries_where(self.connection, &rest, [after])?;
            let Some(last) = batch.last() else { break };
            after = whole(last.seq);
            for entry in &batch {
                self.findings.chained(entry);
                self.entry(entry)?;
            }
        }
        self.findings.end_of_audit();
        Ok(())
    }

    fn entry(&mut self, entry: &AuditEntry) -> Result<(), SqliteFault> {
        let seq = whole(entry.seq);
        let (kind, about) = self
            .connection
            .prepare_cached("SELECT kind, approval_id FROM audit WHERE seq = ?1")?
            .query_row([seq], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Option<[u8; 16]>>(1)?))
            })?;
        let about = about.map(ApprovalId::from_bytes);
        self.findings.entry(Some(entry.seq), seq, &entry.body, &kind, about);
        Ok(())
    }

    fn records(&mut self) -> Result<(), SqliteFault> {
        let connection = self.connection;
        row::each(connection, "ORDER BY a.seq", [], |row| {
            let said = match row.decided_seq {
                Some(seq) => entries_where(connection, "WHERE seq = ?1", [seq])?.pop(),
                None => None,
            };
            let said = said.and_then(|entry| AuditedFields::in_text(&entry.body));
            let record = row.check(self.sealer).and_then(|()| row.record(self.sealer));
            self.findings.record(&row, record, said.as_ref());
            Ok(())
        })?;
        let contents: i64 =
            connection.query_row("SELECT count(*) FROM content", [], |row| row.get(0))?;
        if time(contents) != self.findings.records() {
            let what = "there are contents without a request, or the other way round";
            self.findings.fault(None, None, what);
        }
        self.findings.end_of_records();
        Ok(())
    }

    fn runs(&mut self) -> Result<(), SqliteFault> {
        let connection = self.connection;
        runs::each(connection, "ORDER BY r.seq", [], |run| {
            if let Err(error) = run.check(self.sealer) {
                self.findings.bad_run(&run, error.message);
            } else if let Some(missing) = runs::gap(connection, &run)? {
                let what = format!("its history lacks the entry {}", hex(&missing));
                self.findings.bad_run(&run, what);
            }
            Ok(())
        })
    }

    fn entries(&mut self) -> Result<(), SqliteFault> {
        let mut statement = self.connection.prepare(
            "SELECT e.seq, e.hash, e.parent, e.enc, e.body, r.seq FROM entry e LEFT JOIN run r ON r.seq = e.run ORDER BY e.seq",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let encoding = NodeEncoding::from_number(row.get(3)?);
            let is_owned = row.get::<_, Option<i64>>(5)?.is_some();
            let node = encoding.map(|encoding| {
                Ok::<_, SqliteFault>(HistoryNode {
                    hash: row.get(1)?,
                    parent: row.get(2)?,
                    encoding,
                    body: row.get(4)?,
                })
            });
            let is_whole = match node.transpose()? {
                Some(node) => history::decode(&node, self.sealer.key()).is_ok(),
                None => false,
            };
            if !is_whole || !is_owned {
                let seq: i64 = row.get(0)?;
                self.findings.fault(
                    None,
                    None,
                    format!("entry {seq} of the histories is not what was written"),
                );
            }
        }
        Ok(())
    }

    fn values(&mut self) -> Result<(), SqliteFault> {
        values::each(self.connection, |kept| self.findings.value(kept, self.sealer))
    }

    /// `meta` against the entry that was made when the ledger was opened.
    fn meta(&mut self) -> Result<(), SqliteFault> {
        let about = opening::about(self.connection)?;
        let seq: Option<i64> = meta(self.connection, "opened_seq")?;
        let agrees = match (about, seq) {
            (Some(about), Some(seq)) => entries_where(self.connection, "WHERE seq = ?1", [seq])?
                .first()
                .is_some_and(|entry| about.is_in(entry)),
            _ => false,
        };
        let noted: Option<i64> = meta(self.connection, "noted_schema")?;
        let schema: Option<i64> = meta(self.connection, "schema")?;
        let keys: i64 =
            self.connection.query_row("SELECT count(*) FROM meta", [], |row| row.get(0))?;
        self.findings.about(agrees && noted == schema && keys == 8);
        Ok(())
    }

    /// No trigger or table may have been added, and no index taken away.
    fn schema(&mut self) -> Result<(), SqliteFault> {
        let fresh = Connection::open_in_memory()?;
        for migration in MIGRATIONS {
            fresh.execute_batch(migration.sql)?;
        }
        let version: u32 =
            self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let ours = MIGRATIONS.last().map_or(0, |last| last.version);
        // A later version knows better what is its.
        if version == ours && tables(self.connection)? != tables(&fresh)? {
            self.findings.fault(
                None,
                None,
                "its tables are not those that were made: something was added, changed or dropped",
            );
        }
        Ok(())
    }

    fn file(&mut self) -> Result<(), SqliteFault> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
        for line in lines {
            let line = line?;
            if line != "ok" {
                self.findings.fault(None, None, format!("the file: {line}"));
            }
        }
        Ok(())
    }
}

/// What the tables are made with.
fn tables(connection: &Connection) -> Result<Vec<(String, String, String)>, SqliteFault> {
    let mut statement = connection
        .prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What the ledger is.
pub(super) fn about(
    connection: &Connection, sealer: &ContentSealer, engine: &SqliteEngine,
) -> Result<LedgerInfo, SqliteFault> {
    let count = |sql: &str| -> Result<u64, SqliteFault> {
        Ok(time(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
    };
    let size = |suffix: &str| {
        let mut path = engine.path().as_os_str().to_owned();
        path.push(suffix);
        std::fs::metadata(path).map_or(0, |file| file.len())
    };
    Ok(LedgerInfo {
        place: engine.path().display().to_string().into(),
        schema: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
        encrypted: sealer.key().is_some(),
        records: count("SELECT count(*) FROM approval")?,
        pending: count("SELECT count(*) FROM approval WHERE status = 0")?,
        runs: count("SELECT count(*) FROM run")?,
        entries: super::step::chain(connection)?.seq,
        bytes: size("") + size("-wal"),
    })
}
