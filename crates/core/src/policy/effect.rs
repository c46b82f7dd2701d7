//! `allow`, `ask`, `deny`.

use serde::{Deserialize, Serialize};

/// What is done about a call, or a part of one. In the order of strictness: the greater is the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It runs.
    Allow,
    /// A human is asked.
    Ask,
    /// It does not run.
    Deny,
}
