//! What must be asked about: subjects, rules and layers make a verdict. No clock, and no I/O but through
//! [`Files`](crate::path::Files).

pub mod document;
mod effect;
pub mod interrupt;

pub use effect::Effect;
