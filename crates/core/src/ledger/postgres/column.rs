//! The columns of a row, one after the other.

use tokio_postgres::types::FromSql;
use uuid::Uuid;

use super::fault::Fault;
use crate::ledger::row::{Columns, damaged};

/// The columns of a row, one after the other.
pub(super) struct Column<'a> {
    columns: &'a tokio_postgres::Row,
    next: usize,
}

impl<'a> Column<'a> {
    pub(super) fn new(columns: &'a tokio_postgres::Row) -> Self {
        Self { columns, next: 0 }
    }

    /// The next one, which stays the next.
    pub(super) fn peek<T: FromSql<'a>>(&self) -> Result<T, Fault> {
        Ok(self.columns.try_get(self.next)?)
    }

    pub(super) fn get<T: FromSql<'a>>(&mut self) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        Ok(self.columns.try_get(column)?)
    }
}

impl Columns for Column<'_> {
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
        let bytes: Option<&[u8]> = self.get()?;
        let fixed =
            bytes.map(|bytes| bytes.try_into().map_err(|_| damaged("a column of fixed length")));
        Ok(fixed.transpose()?)
    }

    fn some_id(&mut self) -> Result<Option<Uuid>, Fault> {
        self.get()
    }
}
