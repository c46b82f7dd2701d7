//! The columns of a row, one after the other.

use rusqlite::types::FromSql;
use uuid::Uuid;

use super::Fault;
use crate::ledger::row::Columns;

/// The columns of a row, one after the other.
pub(super) struct Column<'a, 'b> {
    row: &'a rusqlite::Row<'b>,
    next: usize,
}

impl<'a, 'b> Column<'a, 'b> {
    pub(super) fn new(row: &'a rusqlite::Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    fn get<T: FromSql>(&mut self) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        Ok(self.row.get(column)?)
    }
}

impl Columns for Column<'_, '_> {
    type Fault = Fault;

    fn some_int(&mut self) -> Result<Option<i64>, Fault> {
        self.get()
    }

    fn some_text(&mut self) -> Result<Option<String>, Fault> {
        self.get()
    }

    fn some_blob(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        self.get()
    }

    fn some_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Fault> {
        self.get()
    }

    fn some_id(&mut self) -> Result<Option<Uuid>, Fault> {
        Ok(self.get::<Option<[u8; 16]>>()?.map(Uuid::from_bytes))
    }
}
