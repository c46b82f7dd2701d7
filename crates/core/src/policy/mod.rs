//! What must be asked about. Pure.

pub mod interrupt;
