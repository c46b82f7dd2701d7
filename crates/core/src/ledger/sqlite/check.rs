//! A look at everything: is it what was written?

use std::collections::HashMap;

use rusqlite::Connection;
use serde::Deserialize;

use super::opening;
use super::row;
use super::runs;
use super::schema::MIGRATIONS;
use super::step::{entries_where, meta};
use super::values;
use super::{Engine, Fault};
use crate::approval::{ApprovalId, Record, Status};
use crate::ledger::audit::{Chain, Entry, Verifier};
use crate::ledger::history::{self, Encoding, Node};
use crate::ledger::row::{Row, Sealer, run_name, time, value_name, whole};
use crate::ledger::{About, Damage, Verified, hex};

/// How many faults are told at most: whoever sees these needs no more of them.
const MOST: usize = 1_000;
/// How many entries are read at once.
const BATCH: usize = 1_024;

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
    connection: &'a Connection,
    sealer: &'a Sealer,
    found: Verified,
    /// The last entry about each request, and where the request stood then.
    last: HashMap<ApprovalId, (u64, Status)>,
    /// How many records were let go of.
    pruned: u64,
}

type Look<'a> = fn(&mut Check<'a>) -> Result<(), Fault>;

/// Looks at one moment of everything.
pub(super) fn verify(connection: &Connection, sealer: &Sealer) -> Result<Verified, Fault> {
    let found = Verified::default();
    let mut check = Check { connection, sealer, found, last: HashMap::new(), pruned: 0 };
    // Where the file cannot be read, the rest of it may still be.
    for (what, look) in [
        ("the audit log", Check::audit as Look<'_>),
        ("the requests", Check::records),
        ("the runs", Check::runs),
        ("the histories", Check::entries),
        ("the values", Check::values),
        ("what the ledger says of itself", Check::meta),
        ("the tables", Check::schema),
        ("the file", Check::file),
    ] {
        if let Err(fault) = look(&mut check) {
            let error = fault.of(connection.path().unwrap_or_default().as_ref());
            check.fault(None, None, format!("{what} cannot be read: {error}"));
        }
    }
    Ok(check.found)
}

impl Check<'_> {
    fn fault(&mut self, seq: Option<u64>, record: Option<String>, what: impl Into<Box<str>>) {
        if self.found.faults.len() < MOST {
            let record = record.map(Into::into);
            self.found.faults.push(Damage { seq, record, what: what.into() });
        }
    }

    fn audit(&mut self) -> Result<(), Fault> {
        let mut verifier = Verifier::new(Chain::default(), None);
        let (mut after, mut chain) = (i64::MIN, Chain::default());
        loop {
            let rest = format!("WHERE seq > ?1 ORDER BY seq LIMIT {BATCH}");
            let batch = entries_where(self.connection, &rest, [after])?;
            let Some(last) = batch.last() else { break };
            after = whole(last.seq);
            for entry in &batch {
                verifier.see(entry);
                if verifier.broken().is_none() {
                    chain = Chain { seq: entry.seq, at: entry.at, head: entry.hash };
                }
                self.entry(entry)?;
            }
        }
        (self.found.entries, self.found.head) = (chain.seq, chain.head);
        if let Some(broken) = verifier.broken() {
            let damage =
                Damage { seq: Some(broken.seq), record: None, what: broken.to_string().into() };
            // What is wrong first comes first.
            self.found.faults.insert(0, damage);
        }
        Ok(())
    }

    /// The columns beside the text, and what it says of its request.
    fn entry(&mut self, entry: &Entry) -> Result<(), Fault> {
        let columns = self
            .connection
            .prepare_cached("SELECT kind, approval_id FROM audit WHERE seq = ?1")?
            .query_row([whole(entry.seq)], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Option<[u8; 16]>>(1)?))
            })?;
        let said = serde_json::from_str::<Said>(&entry.body).ok();
        let agrees = said.as_ref().is_some_and(|said| {
            *said.kind == *columns.0 && said.approval_id == columns.1.map(ApprovalId::from_bytes)
        });
        let Some(said) = said.filter(|_| agrees) else {
            self.fault(Some(entry.seq), None, "its columns do not say what its text does");
            return Ok(());
        };
        if let (Some(id), Some(status)) =
            (said.approval_id, said.status.as_deref().and_then(of_name))
        {
            self.last.insert(id, (entry.seq, status));
        }
        if *said.kind == *"pruned" {
            let records = said.more.get("records").and_then(serde_json::Value::as_u64);
            self.pruned = self.pruned.saturating_add(records.unwrap_or(0));
        }
        Ok(())
    }

    fn records(&mut self) -> Result<(), Fault> {
        let connection = self.connection;
        row::each(connection, "ORDER BY a.seq", [], |row| {
            self.found.records += 1;
            let fault = match row.check(self.sealer).and_then(|()| row.record(self.sealer)) {
                Err(error) => Some(error.message),
                Ok(record) => self.disagrees(&row, &record)?,
            };
            self.last.remove(&row.id);
            if let Some(fault) = fault {
                self.fault(None, Some(row.id.to_string()), fault);
            }
            Ok(())
        })?;
        let contents: i64 =
            connection.query_row("SELECT count(*) FROM content", [], |row| row.get(0))?;
        if time(contents) != self.found.records {
            self.fault(None, None, "there are contents without a request, or the other way round");
        }
        self.missing();
        Ok(())
    }

    /// In what a record is not as the audit says.
    fn disagrees(&self, row: &Row, record: &Record) -> Result<Option<String>, Fault> {
        let said = |seq: i64| -> Result<Option<Said>, Fault> {
            let entry = entries_where(self.connection, "WHERE seq = ?1", [seq])?.pop();
            Ok(entry
                .and_then(|entry| serde_json::from_str::<Said>(&entry.body).ok())
                .filter(|said| said.approval_id == Some(row.id)))
        };
        let last = self.last.get(&row.id).copied();
        if last != Some((time(row.changed_seq), record.status())) {
            return Ok(Some("it is not where the audit log says that it stands".to_owned()));
        }
        let request = record.request();
        let is_whole = request.contents() == crate::approval::Contents::Kept;
        if is_whole && request.call.digest() != request.digest {
            return Ok(Some("its digest is not that of its call".to_owned()));
        }
        let (Some(decided), Some(seq)) = (record.decided(), row.decided_seq) else {
            let is_undecided = record.decided().is_none() && row.decided_seq.is_none();
            return Ok(
                (!is_undecided).then(|| "its decision has no entry in the audit log".to_owned())
            );
        };
        let bound = record.approved().map_or(request.digest, |(_, digest)| digest).to_string();
        let agrees = said(seq)?.is_some_and(|said| {
            *said.kind == *"decided"
                && said.decision.as_deref() == Some(decided.decision.choice.name())
                && said.digest.as_deref() == Some(bound.as_str())
        });
        Ok((!agrees).then(|| "its decision is not the one in the audit log".to_owned()))
    }

    /// Requests that the audit knows and the table does not.
    fn missing(&mut self) {
        let mut gone: Vec<(ApprovalId, (u64, Status))> = self.last.drain().collect();
        gone.sort_unstable_by_key(|(_, (seq, _))| *seq);
        let (over, open): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|(_, (_, status))| status.is_final());
        for (id, (seq, _)) in open {
            self.fault(Some(seq), Some(id.to_string()), "the request is missing");
        }
        let over = over.len() as u64;
        if over != self.pruned {
            let pruned = self.pruned;
            self.fault(
                None,
                None,
                format!("{over} requests are missing, and {pruned} were let go of"),
            );
        }
    }

    fn runs(&mut self) -> Result<(), Fault> {
        let connection = self.connection;
        runs::each(connection, |run| {
            let name = || Some(run_name(&run.run_id));
            if let Err(error) = run.check(self.sealer) {
                self.fault(None, name(), error.message);
            } else if let Some(missing) = runs::gap(connection, &run)? {
                self.fault(None, name(), format!("its history lacks the entry {}", hex(&missing)));
            }
            Ok(())
        })
    }

    fn entries(&mut self) -> Result<(), Fault> {
        let mut statement = self.connection.prepare(
            "SELECT e.seq, e.hash, e.parent, e.enc, e.body, r.seq FROM entry e LEFT JOIN run r ON r.seq = e.run ORDER BY e.seq",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let encoding = Encoding::from_number(row.get(3)?);
            let is_owned = row.get::<_, Option<i64>>(5)?.is_some();
            let node = encoding.map(|encoding| {
                Ok::<_, Fault>(Node {
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
                self.fault(
                    None,
                    None,
                    format!("entry {seq} of the histories is not what was written"),
                );
            }
        }
        Ok(())
    }

    fn values(&mut self) -> Result<(), Fault> {
        let (connection, sealer) = (self.connection, self.sealer);
        values::each(connection, |key, kept| {
            if kept.open(sealer).is_err() {
                self.fault(None, None, format!("{} is not what was written", value_name(key)));
            }
        })
    }

    /// `meta` against the entry that was made when the ledger was opened.
    fn meta(&mut self) -> Result<(), Fault> {
        let about = opening::about(self.connection)?;
        let seq: Option<i64> = meta(self.connection, "opened_seq")?;
        let agrees = match (about, seq) {
            (Some(about), Some(seq)) => entries_where(self.connection, "WHERE seq = ?1", [seq])?
                .first()
                .is_some_and(|entry| {
                    let chain = Chain { seq: entry.seq.saturating_sub(1), at: 0, head: [0; 32] };
                    { chain }.append(&about.note(), entry.at).body == entry.body
                }),
            _ => false,
        };
        let noted: Option<i64> = meta(self.connection, "noted_schema")?;
        let schema: Option<i64> = meta(self.connection, "schema")?;
        let keys: i64 =
            self.connection.query_row("SELECT count(*) FROM meta", [], |row| row.get(0))?;
        if !agrees || noted != schema || keys != 8 {
            self.fault(None, None, "what the ledger says of itself is not what the audit log says");
        }
        Ok(())
    }

    /// Nobody may have added a trigger or a table, or taken an index away.
    fn schema(&mut self) -> Result<(), Fault> {
        let fresh = Connection::open_in_memory()?;
        for migration in MIGRATIONS {
            fresh.execute_batch(migration.sql)?;
        }
        let version: u32 =
            self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let ours = MIGRATIONS.last().map_or(0, |last| last.version);
        // A later version knows better what is its.
        if version == ours && tables(self.connection)? != tables(&fresh)? {
            self.fault(
                None,
                None,
                "its tables are not those that were made: something was added, changed or dropped",
            );
        }
        Ok(())
    }

    fn file(&mut self) -> Result<(), Fault> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
        for line in lines {
            let line = line?;
            if line != "ok" {
                self.fault(None, None, format!("the file: {line}"));
            }
        }
        Ok(())
    }
}

/// What the tables are made with.
fn tables(connection: &Connection) -> Result<Vec<(String, String, String)>, Fault> {
    let mut statement = connection
        .prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn of_name(name: &str) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.name() == name)
}

/// What the ledger is.
pub(super) fn about(
    connection: &Connection, sealer: &Sealer, engine: &Engine,
) -> Result<About, Fault> {
    let count = |sql: &str| -> Result<u64, Fault> {
        Ok(time(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
    };
    let size = |suffix: &str| {
        let mut path = engine.path().as_os_str().to_owned();
        path.push(suffix);
        std::fs::metadata(path).map_or(0, |file| file.len())
    };
    Ok(About {
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
