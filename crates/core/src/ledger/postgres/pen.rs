//! What every step of an open ledger shares.

use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use super::clock::ServerClock;
use super::names::TableNames;
use crate::ledger::audit::AuditNote;
use crate::ledger::row::ContentSealer;

#[derive(Debug)]
pub(super) struct WriteContext {
    pub(super) names: TableNames,
    pub(super) sealer: ContentSealer,
    pub(super) clock: ServerClock,
    /// Who we are among those who have the ledger open, until others take us for gone.
    owner: Mutex<Uuid>,
}

impl WriteContext {
    pub(super) fn new(names: TableNames, sealer: ContentSealer, clock: ServerClock) -> Self {
        Self { names, sealer, clock, owner: Mutex::new(Uuid::now_v7()) }
    }

    pub(super) fn sql(&self, text: &str) -> String {
        self.names.sql(text)
    }

    pub(super) fn owner(&self) -> Uuid {
        *self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody else from now on: an owner that was taken for gone never comes back.
    pub(super) fn renew_owner(&self) -> Uuid {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        *owner = Uuid::now_v7();
        *owner
    }

    /// The text of a leaf. What a key hides is not told there either.
    pub(super) fn leaf(&self, note: &AuditNote, at: u64) -> String {
        if self.sealer.key().is_none() || note.reason.is_none() {
            return note.leaf(at);
        }
        AuditNote { reason: None, ..note.clone() }.leaf(at)
    }
}

/// The server's time in ms since the epoch.
pub(super) const fn server_now() -> &'static str {
    "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}

/// The same, unless the parameter of this number says another.
pub(super) fn now(parameter: usize) -> String {
    format!("coalesce(${parameter}::bigint, {})", server_now())
}
