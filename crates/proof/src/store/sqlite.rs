//! The smallest ledger in SQLite: a store to try the tools on before the real one, and its broken variants.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::approval::Status;
use countersign_core::call::Digest;
use countersign_core::ledger::sqlite::{self, SchemaMigration, SqliteEngine, SqliteFault};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{
    AuditEntry, DecideAnswer, ProofError, ProofStore, RequestAnswer, RequestRow, RequestState,
    StoreSnapshot,
};

/// How a decision is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DecideMode {
    /// As one statement.
    Once,
    /// The mistake that the field makes: look, then write.
    LookThenWrite,
}

/// The store: a database, and how it decides.
pub(super) struct SqliteStore {
    file: SqliteBacking,
    decide: DecideMode,
}

/// The writer of the steps.
enum SqliteBacking {
    /// A connection, and a lock that is taken for each write, so that processes wait in turn.
    Plain { connection: Mutex<Connection>, gate: File },
    /// The engine of the ledger: gate, group commit, checkpoints on a thread of its own.
    Engine(SqliteEngine),
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS approval(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, key TEXT UNIQUE, status TEXT, by TEXT, args TEXT);
    CREATE TABLE IF NOT EXISTS audit(seq INTEGER PRIMARY KEY, kind TEXT, id TEXT, by TEXT, hash TEXT);";

const MIGRATIONS: &[SchemaMigration] = &[SchemaMigration {
    version: 1,
    min_reader: 1,
    min_writer: 1,
    sql: "CREATE TABLE meta(k TEXT PRIMARY KEY, v);
    CREATE TABLE approval(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, key TEXT UNIQUE, status TEXT, by TEXT, args TEXT);
    CREATE TABLE audit(seq INTEGER PRIMARY KEY, kind TEXT, id TEXT, by TEXT, hash TEXT);",
}];

impl SqliteStore {
    pub(super) fn open(
        dir: &Path, synchronous: &str, decide: DecideMode,
    ) -> Result<Self, ProofError> {
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
        Ok(Self { file: SqliteBacking::Plain { connection: Mutex::new(connection), gate }, decide })
    }

    /// The same on the engine of the ledger.
    pub(super) fn on_the_engine(dir: &Path) -> Result<Self, ProofError> {
        let engine =
            SqliteEngine::open(sqlite::OpenOptions::new(dir.join("store.db")), MIGRATIONS)?;
        Ok(Self { file: SqliteBacking::Engine(engine), decide: DecideMode::Once })
    }

    fn step<R: Send + 'static>(
        &self, step: impl FnOnce(&Connection) -> Result<R, SqliteFault> + Send + 'static,
    ) -> Result<R, ProofError> {
        let (connection, gate) = match &self.file {
            SqliteBacking::Engine(engine) => return Ok(engine.write(step)?),
            SqliteBacking::Plain { connection, gate } => (connection, gate),
        };
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        gate.lock()?;
        let result = (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = step(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })();
        gate.unlock()?;
        result
    }

    fn read<R>(
        &self, look: impl FnOnce(&Connection) -> Result<R, SqliteFault>,
    ) -> Result<R, ProofError> {
        match &self.file {
            SqliteBacking::Engine(engine) => Ok(engine.read(look)?),
            SqliteBacking::Plain { connection, .. } => {
                Ok(look(&connection.lock().unwrap_or_else(PoisonError::into_inner))?)
            }
        }
    }
}

impl From<SqliteFault> for ProofError {
    fn from(fault: SqliteFault) -> Self {
        Self(format!("{fault:?}"))
    }
}

fn link(before: &str, kind: &str, id: &str, by: Option<&str>) -> String {
    Digest::of_text(&format!("{before}\n{kind}\n{id}\n{}", by.unwrap_or_default())).to_string()
}

fn write_down(
    transaction: &Connection, kind: &str, id: &str, by: Option<&str>,
) -> Result<(), SqliteFault> {
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

fn look(connection: &Connection, id: &str) -> Result<Option<RequestState>, SqliteFault> {
    let mut statement = connection.prepare("SELECT status, by FROM approval WHERE id = ?")?;
    let state = |row: &rusqlite::Row<'_>| Ok(RequestState { status: row.get(0)?, by: row.get(1)? });
    Ok(statement.query_row([id], state).optional()?)
}

/// Moves a request on when it stands where it should.
fn advance(
    transaction: &Connection, id: &str, from: Status, to: Status, kind: &str,
) -> Result<bool, SqliteFault> {
    let changed = transaction.execute(
        "UPDATE approval SET status = ? WHERE id = ? AND status = ?",
        params![to.name(), id, from.name()],
    )?;
    if changed > 0 {
        write_down(transaction, kind, id, None)?;
    }
    Ok(changed > 0)
}

impl ProofStore for SqliteStore {
    fn request(&self, key: &str) -> Result<RequestAnswer, ProofError> {
        let key: Arc<str> = key.into();
        self.step(move |transaction| {
            let there = transaction
                .query_row("SELECT id FROM approval WHERE key = ?", [&key], |row| row.get(0))
                .optional()?;
            if let Some(id) = there {
                return Ok(RequestAnswer { id, created: false });
            }
            let id: Arc<str> = uuid::Uuid::now_v7().to_string().into();
            transaction.execute(
                "INSERT INTO approval(id, key, status, args) VALUES (?, ?, 'pending', ?)",
                params![id, key, "x".repeat(1000)],
            )?;
            write_down(transaction, "requested", &id, None)?;
            Ok(RequestAnswer { id, created: true })
        })
    }

    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<DecideAnswer, ProofError> {
        let status = if approve { Status::Approved } else { Status::Rejected };
        let looks_first = self.decide == DecideMode::LookThenWrite;
        if looks_first {
            let state = self.get(id)?;
            if let Some(by) = state.and_then(|state| state.by) {
                return Ok(DecideAnswer::Already(by));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let (id, by): (Arc<str>, Arc<str>) = (id.into(), by.into());
        self.step(move |transaction| {
            let changed = transaction.execute(
                "UPDATE approval SET status = ?, by = ? WHERE id = ? AND (status = 'pending' OR ?)",
                params![status.name(), by, id, looks_first],
            )?;
            if changed > 0 {
                write_down(transaction, "decided", &id, Some(&by))?;
                return Ok(DecideAnswer::Won);
            }
            Ok(match look(transaction, &id)?.and_then(|state| state.by) {
                Some(by) => DecideAnswer::Already(by),
                None => DecideAnswer::Unknown,
            })
        })
    }

    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, ProofError> {
        let id: Arc<str> = id.into();
        self.step(move |transaction| {
            if advance(transaction, &id, Status::Approved, Status::Started, "started")? {
                return Ok(Ok(()));
            }
            Ok(Err(look(transaction, &id)?.map(|state| state.status)))
        })
    }

    fn finish(&self, id: &str) -> Result<bool, ProofError> {
        let id: Arc<str> = id.into();
        self.step(move |transaction| {
            advance(transaction, &id, Status::Started, Status::Succeeded, "settled")
        })
    }

    fn get(&self, id: &str) -> Result<Option<RequestState>, ProofError> {
        self.read(|connection| look(connection, id))
    }

    fn examine(&self) -> Result<StoreSnapshot, ProofError> {
        self.read(examine)
    }
}

fn examine(connection: &Connection) -> Result<StoreSnapshot, SqliteFault> {
    let mut found = StoreSnapshot::default();
    let integrity: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    if integrity != "ok" {
        found.damage.push(integrity);
    }
    let mut rows = connection.prepare("SELECT id, key, status, by FROM approval")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let state = RequestState { status: row.get(2)?, by: row.get(3)? };
        found.rows.push(RequestRow { id: row.get(0)?, key: row.get(1)?, state });
    }
    let mut entries = connection.prepare("SELECT seq, kind, id, by, hash FROM audit")?;
    let mut entries = entries.query([])?;
    let mut before = String::new();
    let mut next = 1_i64;
    while let Some(row) = entries.next()? {
        let entry = AuditEntry { kind: row.get(1)?, id: row.get(2)?, by: row.get(3)? };
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
