//! The smallest ledger in SQLite: what the tools are tried on before the real one, and the broken variants.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_core::approval::Status;
use countersign_core::call::Digest;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{Answer, Asked, Entry, Examination, Failure, Row, Seen, Store};

/// How a decision is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decide {
    /// As one statement.
    Once,
    /// The mistake that the field makes: look, then write.
    LookThenWrite,
}

pub(super) struct Sqlite {
    connection: Mutex<Connection>,
    /// Locked for each write, so that processes wait in turn.
    gate: File,
    decide: Decide,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS approval(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, key TEXT UNIQUE, status TEXT, by TEXT, args TEXT);
    CREATE TABLE IF NOT EXISTS audit(seq INTEGER PRIMARY KEY, kind TEXT, id TEXT, by TEXT, hash TEXT);";

impl Sqlite {
    pub(super) fn open(dir: &Path, synchronous: &str, decide: Decide) -> Result<Self, Failure> {
        let gate = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join("store.db-lock"))?;
        gate.lock()?;
        let connection = Connection::open(dir.join("store.db"))?;
        connection.busy_timeout(Duration::from_secs(10))?;
        // Small, so that a short run has many checkpoints.
        connection.execute_batch(&format!(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA wal_autocheckpoint=200; {SCHEMA}"
        ))?;
        gate.unlock()?;
        Ok(Self { connection: Mutex::new(connection), gate, decide })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step<R>(
        &self, step: impl FnOnce(&Transaction<'_>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let mut connection = self.connection();
        self.gate.lock()?;
        let result = (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = step(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })();
        self.gate.unlock()?;
        result
    }
}

fn link(before: &str, kind: &str, id: &str, by: Option<&str>) -> String {
    Digest::of_text(&format!("{before}\n{kind}\n{id}\n{}", by.unwrap_or_default())).to_string()
}

fn write_down(
    transaction: &Transaction<'_>, kind: &str, id: &str, by: Option<&str>,
) -> Result<(), Failure> {
    let before: Option<String> = transaction
        .query_row("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1", [], |row| row.get(0))
        .optional()?;
    let hash = link(&before.unwrap_or_default(), kind, id, by);
    transaction.execute(
        "INSERT INTO audit(kind, id, by, hash) VALUES (?, ?, ?, ?)",
        params![kind, id, by, hash],
    )?;
    Ok(())
}

fn look(connection: &Connection, id: &str) -> Result<Option<Seen>, Failure> {
    let mut statement = connection.prepare("SELECT status, by FROM approval WHERE id = ?")?;
    let seen = |row: &rusqlite::Row<'_>| Ok(Seen { status: row.get(0)?, by: row.get(1)? });
    Ok(statement.query_row([id], seen).optional()?)
}

/// Moves a request on when it stands where it should.
fn advance(
    transaction: &Transaction<'_>, id: &str, from: Status, to: Status, kind: &str,
) -> Result<bool, Failure> {
    let changed = transaction.execute(
        "UPDATE approval SET status = ? WHERE id = ? AND status = ?",
        params![to.name(), id, from.name()],
    )?;
    if changed > 0 {
        write_down(transaction, kind, id, None)?;
    }
    Ok(changed > 0)
}

impl Store for Sqlite {
    fn request(&self, key: &str) -> Result<Asked, Failure> {
        self.step(|transaction| {
            let there = transaction
                .query_row("SELECT id FROM approval WHERE key = ?", [key], |row| row.get(0))
                .optional()?;
            if let Some(id) = there {
                return Ok(Asked { id, created: false });
            }
            let id: Arc<str> = uuid::Uuid::now_v7().to_string().into();
            transaction.execute(
                "INSERT INTO approval(id, key, status, args) VALUES (?, ?, 'pending', ?)",
                params![id, key, "x".repeat(1000)],
            )?;
            write_down(transaction, "requested", &id, None)?;
            Ok(Asked { id, created: true })
        })
    }

    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<Answer, Failure> {
        let status = if approve { Status::Approved } else { Status::Rejected };
        if self.decide == Decide::LookThenWrite {
            let seen = look(&self.connection(), id)?;
            if let Some(by) = seen.and_then(|seen| seen.by) {
                return Ok(Answer::Already(by));
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        self.step(|transaction| {
            let changed = transaction.execute(
                "UPDATE approval SET status = ?, by = ? WHERE id = ? AND (status = 'pending' OR ?)",
                params![status.name(), by, id, self.decide == Decide::LookThenWrite],
            )?;
            if changed > 0 {
                write_down(transaction, "decided", id, Some(by))?;
                return Ok(Answer::Won);
            }
            Ok(match look(transaction, id)?.and_then(|seen| seen.by) {
                Some(by) => Answer::Already(by),
                None => Answer::Unknown,
            })
        })
    }

    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, Failure> {
        self.step(|transaction| {
            if advance(transaction, id, Status::Approved, Status::Started, "started")? {
                return Ok(Ok(()));
            }
            Ok(Err(look(transaction, id)?.map(|seen| seen.status)))
        })
    }

    fn finish(&self, id: &str) -> Result<bool, Failure> {
        self.step(|transaction| {
            advance(transaction, id, Status::Started, Status::Succeeded, "settled")
        })
    }

    fn get(&self, id: &str) -> Result<Option<Seen>, Failure> {
        look(&self.connection(), id)
    }

    fn examine(&self) -> Result<Examination, Failure> {
        let connection = self.connection();
        let mut found = Examination::default();
        let integrity: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if integrity != "ok" {
            found.damage.push(integrity);
        }
        let mut rows = connection.prepare("SELECT id, key, status, by FROM approval")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let seen = Seen { status: row.get(2)?, by: row.get(3)? };
            found.rows.push(Row { id: row.get(0)?, key: row.get(1)?, seen });
        }
        let mut entries = connection.prepare("SELECT seq, kind, id, by, hash FROM audit")?;
        let mut entries = entries.query([])?;
        let mut before = String::new();
        let mut next = 1_i64;
        while let Some(row) = entries.next()? {
            let entry = Entry { kind: row.get(1)?, id: row.get(2)?, by: row.get(3)? };
            let hash: String = row.get(4)?;
            if row.get::<_, i64>(0)? != next
                || hash != link(&before, &entry.kind, &entry.id, entry.by.as_deref())
            {
                found.damage.push(format!("the chain breaks at entry {next}"));
            }
            (before, next) = (hash, next + 1);
            found.audit.push(entry);
        }
        Ok(found)
    }
}
