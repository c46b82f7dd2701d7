//! The policies that count: which files there are, whom they belong to, whether the project's is trusted, and whether one
//! of them changed. The only room that reads policy files; blocks, so it is not for the JavaScript thread.

mod file;
mod live;
mod places;
mod preset;
mod snapshot;
mod trust;

pub use file::{Held, hold, write_atomically};
pub use live::{CodePolicy, Layers, LayersOptions};
pub use places::{LayerFiles, project_root};
pub use preset::{PRESETS, preset};
pub use snapshot::{Problem, Snapshot};
pub use trust::{Trust, TrustError, Trusted, trust_hash};

#[cfg(test)]
mod tests;
