//! What every durable ledger keeps, and how: the columns of a request and of a run with the seals over them, and what a
//! step makes of them, and whether they are what was written. Knows no store: no connection, no statement, no clock.

mod about;
mod change;
mod check;
pub(super) mod codec;
mod columns;
mod news;
mod record;
mod request;
mod run;
mod turn;
mod value;
mod votes;

pub(super) use about::{LedgerMeta, check_key, key_of};
pub(super) use change::RequestChange;
pub(super) use check::{AuditedFields, CheckFindings};
pub(super) use codec::{ContentSealer, damaged, internal, time, whole};
pub(super) use columns::RowColumns;
pub(super) use news::RequestEntry;
pub(super) use request::{DecisionColumns, RequestRow, RequestTexts, record_name};
pub(super) use run::{RunRow, run_name};
pub(super) use turn::{FoundRun, RunChange, RunSave};
pub(super) use value::KeptValue;
