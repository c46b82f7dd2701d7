//! The policies that count: which files there are, whom they belong to, whether the project's is trusted, and whether one
//! of them changed. The only room that reads policy files; blocks, so it is not for the JavaScript thread.

mod file;
mod live;
mod places;
mod preset;
mod snapshot;
mod trust;

pub use file::{
    HeldFile, ReplaceError, hold, own_text_at, replace_text, user_text_at, write_atomically,
};
pub use live::{CodePolicy, LayersOptions, PolicyLayers};
pub use places::{LayerFiles, project_root, real_path};
pub use preset::{PRESETS, preset};
pub use snapshot::{LayerProblem, LayerSnapshot};
pub use trust::{TrustEntry, TrustError, TrustFile, trust_hash};

#[cfg(test)]
mod tests;
