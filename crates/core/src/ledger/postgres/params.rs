//! Parameters of a statement.

use tokio_postgres::types::{ToSql, Type};

/// Parameters of a statement, by their numbers.
#[derive(Default)]
pub(super) struct SqlParams<'a>(Vec<(&'a (dyn ToSql + Sync), Type)>);

impl<'a> SqlParams<'a> {
    /// The number of one more.
    pub(super) fn add(&mut self, value: &'a (dyn ToSql + Sync), kind: Type) -> usize {
        self.0.push((value, kind));
        self.0.len()
    }

    pub(super) fn as_slice(&self) -> &[(&'a (dyn ToSql + Sync), Type)] {
        &self.0
    }
}
