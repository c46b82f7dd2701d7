//! The columns of a row, one after the other.

use rusqlite::types::FromSql;
use uuid::Uuid;

use super::SqliteFault;
use crate::ledger::row::RowColumns;

/// The columns of a row, one after the other.
pub(super) struct ColumnReader<'a, 'b> {
    row: &'a rusqlite::Row<'b>,
    next: usize,
}

impl<'a, 'b> ColumnReader<'a, 'b> {
    pub(super) fn new(row: &'a rusqlite::Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    fn get<T: FromSql>(&mut self) -> Result<T, SqliteFault> {
        let column = self.next;
        self.next += 1;
        Ok(self.row.get(column)?)
    }
}

impl RowColumns for ColumnReader<'_, '_> {
    type Fault = SqliteFault;

    fn some_int(&mut self) -> Result<Option<i64>, SqliteFault> {
        self.get()
    }

    fn some_text(&mut self) -> Result<Option<String>, SqliteFault> {
        self.get()
    }

    fn some_blob(&mut self) -> Result<Option<Vec<u8>>, SqliteFault> {
        self.get()
    }

    fn some_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, SqliteFault> {
        self.get()
    }

    fn some_id(&mut self) -> Result<Option<Uuid>, SqliteFault> {
        Ok(self.get::<Option<[u8; 16]>>()?.map(Uuid::from_bytes))
    }
}
