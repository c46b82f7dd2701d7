//! What every ledger that lasts keeps, and how: the columns of a request and of a run with the seals over them, and what a
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

pub(super) use about::{About, check_key, key_of};
pub(super) use change::Change;
pub(super) use check::{Findings, Said};
pub(super) use codec::{Sealer, damaged, internal, time, whole};
pub(super) use columns::Columns;
pub(super) use news::News;
pub(super) use request::{Fate, Row, Texts, record_name};
pub(super) use run::{Run, run_name};
pub(super) use turn::{Found, Save, Turn};
pub(super) use value::KeptValue;
