//! The columns of a row, one after the other.

use tokio_postgres::types::FromSql;
use uuid::Uuid;

use super::fault::StepError;
use crate::ledger::row::{RowColumns, damaged};

/// The columns of a row, one after the other.
pub(super) struct ColumnReader<'a> {
    columns: &'a tokio_postgres::Row,
    next: usize,
}

impl<'a> ColumnReader<'a> {
    pub(super) fn new(columns: &'a tokio_postgres::Row) -> Self {
        Self { columns, next: 0 }
    }

    /// The next one, which stays the next.
    pub(super) fn peek<T: FromSql<'a>>(&self) -> Result<T, StepError> {
        Ok(self.columns.try_get(self.next)?)
    }

    pub(super) fn get<T: FromSql<'a>>(&mut self) -> Result<T, StepError> {
        let column = self.next;
        self.next += 1;
        Ok(self.columns.try_get(column)?)
    }
}

impl RowColumns for ColumnReader<'_> {
    type Fault = StepError;

    fn some_int(&mut self) -> Result<Option<i64>, StepError> {
        self.get()
    }

    fn some_text(&mut self) -> Result<Option<String>, StepError> {
        self.get()
    }

    fn some_blob(&mut self) -> Result<Option<Vec<u8>>, StepError> {
        self.get()
    }

    fn some_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, StepError> {
        let bytes: Option<&[u8]> = self.get()?;
        let fixed =
            bytes.map(|bytes| bytes.try_into().map_err(|_| damaged("a column of fixed length")));
        Ok(fixed.transpose()?)
    }

    fn some_id(&mut self) -> Result<Option<Uuid>, StepError> {
        self.get()
    }
}
