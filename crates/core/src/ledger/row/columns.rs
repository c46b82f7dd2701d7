//! From the columns of a row to what they keep, for any store.

use uuid::Uuid;

use super::codec::{damaged, time};
use super::request::{DecisionColumns, RequestRow, RequestTexts, record_name};
use super::run::RunRow;
use crate::approval::ApprovalId;
use crate::ledger::LedgerError;
use crate::ledger::audit::{AuditChain, AuditEntry};

/// The columns of a row, one after the other.
pub(in crate::ledger) trait RowColumns {
    /// What reading fails with.
    type Fault: From<LedgerError>;

    /// A number, or nothing.
    fn some_int(&mut self) -> Result<Option<i64>, Self::Fault>;
    /// A text, or nothing.
    fn some_text(&mut self) -> Result<Option<String>, Self::Fault>;
    /// Bytes, or nothing.
    fn some_blob(&mut self) -> Result<Option<Vec<u8>>, Self::Fault>;
    /// `N` bytes, or nothing.
    fn some_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Self::Fault>;
    /// An id, or nothing.
    fn some_id(&mut self) -> Result<Option<Uuid>, Self::Fault>;

    /// A number.
    fn int(&mut self) -> Result<i64, Self::Fault> {
        there(self.some_int()?)
    }

    /// A text.
    fn text(&mut self) -> Result<String, Self::Fault> {
        there(self.some_text()?)
    }

    /// Bytes.
    fn blob(&mut self) -> Result<Vec<u8>, Self::Fault> {
        there(self.some_blob()?)
    }

    /// `N` bytes.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Self::Fault> {
        there(self.some_bytes()?)
    }

    /// An id.
    fn id(&mut self) -> Result<Uuid, Self::Fault> {
        there(self.some_id()?)
    }
}

fn there<T, F: From<LedgerError>>(column: Option<T>) -> Result<T, F> {
    column.ok_or_else(|| damaged("a column that is never empty").into())
}

impl AuditEntry {
    /// From its columns in this order.
    pub(in crate::ledger) fn read<C: RowColumns>(next: &mut C) -> Result<Self, C::Fault> {
        let (seq, at) = (time(next.int()?), time(next.int()?));
        Ok(Self { seq, at, body: next.text()?, hash: next.bytes()? })
    }
}

impl AuditChain {
    /// From its columns in this order.
    pub(in crate::ledger) fn read<C: RowColumns>(next: &mut C) -> Result<Self, C::Fault> {
        let (seq, at) = (time(next.int()?), time(next.int()?));
        Ok(Self { seq, at, head: next.bytes()? })
    }
}

impl RequestRow {
    /// From its columns in this order, not checked.
    pub(in crate::ledger) fn read<C: RowColumns>(next: &mut C) -> Result<Self, C::Fault> {
        let (seq, id) = (next.int()?, next.id()?);
        Ok(Self {
            seq,
            id,
            run_id: next.text()?,
            tool_call_id: next.text()?,
            tool_name: next.text()?,
            digest: next.bytes()?,
            origin: next.text()?,
            flags: next.text()?,
            allowed: next.int()?,
            supersedes: next.some_id()?,
            created_at: next.int()?,
            duration: next.some_int()?,
            expires_at: next.some_int()?,
            needs: next.some_text()?,
            requester: next.some_text()?,
            remind: next.some_int()?,
            contents: next.int()?,
            asked: next.bytes()?,
            status: next.int()?,
            fate: DecisionColumns::read(next, id)?,
            executor: next.some_id()?.map(Uuid::into_bytes),
            result: next.some_blob()?,
            decided_seq: next.some_int()?,
            changed_seq: next.int()?,
            ended_at: next.some_int()?,
            votes: next.some_blob()?,
            told: next.some_int()?,
            due_at: next.some_int()?,
            seal: next.bytes()?,
            texts: RequestTexts {
                args: next.some_blob()?,
                context: next.some_blob()?,
                description: next.some_blob()?,
                preview: next.some_blob()?,
                details: next.some_blob()?,
            },
        })
    }
}

impl DecisionColumns {
    /// A decision is there as a whole or not at all.
    fn read<C: RowColumns>(next: &mut C, id: ApprovalId) -> Result<Option<Self>, C::Fault> {
        let (choice, stop) = (next.some_int()?, next.some_int()?);
        let (answer, reason, by) = (next.some_blob()?, next.some_blob()?, next.some_text()?);
        let (via, at, bound) = (next.some_text()?, next.some_int()?, next.some_bytes()?);
        match (choice, stop, via, at) {
            (Some(choice), Some(stop), Some(via), Some(at)) => {
                Ok(Some(Self { choice, stop, answer, reason, by, via, at, bound }))
            }
            (None, None, None, None) => Ok(None),
            _ => Err(damaged(&record_name(id)).into()),
        }
    }
}

impl RunRow {
    /// From its columns in this order, not checked.
    pub(in crate::ledger) fn read<C: RowColumns>(next: &mut C) -> Result<Self, C::Fault> {
        Ok(Self {
            seq: next.int()?,
            run_id: next.text()?,
            owner: next.some_id()?.map(Uuid::into_bytes),
            status: next.int()?,
            steps: next.int()?,
            head: next.some_bytes()?,
            forked: next.int()?,
            contents: next.int()?,
            state: next.blob()?,
            created_at: next.int()?,
            updated_at: next.int()?,
            seal: next.bytes()?,
        })
    }
}
