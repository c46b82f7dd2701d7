//! Engines of one process. `tests/ledger_engine.rs` has several.

mod opening;
mod ringing;
mod steps;

use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use super::{OpenOptions, SqliteEngine};
use crate::ledger::sqlite::SchemaMigration;

/// What takes so long never ends.
const HANGS: Duration = Duration::from_secs(240);

/// Counters by name, and children that must have one when the transaction ends.
const ONE: &[SchemaMigration] = &[SchemaMigration {
    version: 1,
    min_reader: 1,
    min_writer: 1,
    sql: "CREATE TABLE meta (k TEXT PRIMARY KEY, v);
          CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
          CREATE TABLE child (parent TEXT NOT NULL REFERENCES counter DEFERRABLE INITIALLY DEFERRED) STRICT;",
}];

/// A directory of a test's own, removed with all that is in it.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("countersign-engine-{}", Uuid::now_v7()));
        std::fs::create_dir(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.join("ledger.db")
    }

    /// A writer that comes late on a slow machine is not taken for one that hangs.
    fn options(&self) -> OpenOptions {
        OpenOptions { busy_timeout: HANGS, ..OpenOptions::new(self.file()) }
    }

    fn engine(&self) -> SqliteEngine {
        SqliteEngine::open(self.options(), ONE).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", file.display()))
}

fn count(engine: &SqliteEngine, name: &'static str) -> Result<(), crate::ledger::LedgerError> {
    engine.write(move |connection| {
        connection.execute(
            "INSERT INTO counter VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
            [name],
        )?;
        Ok(())
    })
}

fn counted(engine: &SqliteEngine, name: &str) -> i64 {
    engine
        .read(|connection| {
            Ok(connection.query_row(
                "SELECT coalesce(sum(value), 0) FROM counter WHERE name = ?1",
                [name],
                |row| row.get(0),
            )?)
        })
        .unwrap()
}

fn text(engine: &SqliteEngine, sql: &str) -> String {
    use rusqlite::types::Value;
    let value: Value =
        engine.read(|connection| Ok(connection.query_row(sql, [], |row| row.get(0))?)).unwrap();
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        other => format!("{other:?}"),
    }
}
