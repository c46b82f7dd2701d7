//! The columns of a row, one after the other.

use rusqlite::types::FromSql;

/// The columns of a row, one after the other.
pub(super) struct Column<'a, 'b> {
    row: &'a rusqlite::Row<'b>,
    next: usize,
}

impl<'a, 'b> Column<'a, 'b> {
    pub(super) fn new(row: &'a rusqlite::Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn get<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let column = self.next;
        self.next += 1;
        self.row.get(column)
    }
}
