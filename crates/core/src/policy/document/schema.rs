//! The words of a document. `policy.schema.json` at the top of the repository says the same to editors; a test compares
//! the two.

use crate::policy::Effect;

use super::{Match, Mode};

/// The version of documents that this countersign reads and writes.
pub const VERSION: u32 = 1;

pub(super) const DOCUMENT: &[&str] =
    &["$schema", "version", "default", "match", "forbid", "tools", "rule"];

pub(super) const READING: &[&str] = &["command", "read", "write", "url", "cwd", "shell"];

pub(super) const RULE: &[&str] = &[
    "tools",
    "effect",
    "reason",
    "commands",
    "reads",
    "writes",
    "urls",
    "env",
    "annotations",
    "condition",
    "examples",
];

pub(super) const EXAMPLES: &[&str] = &["match", "not_match"];

pub(super) const SHELLS: &[&str] = &["bash", "sh", "posix", "zsh", "pwsh", "powershell", "cmd"];

/// Hints that tools are known to give of themselves; others may be named too.
pub(super) const HINTS: &[&str] =
    &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

pub(super) const EFFECTS: &[(&str, Effect)] =
    &[("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

pub(super) const MATCHES: &[(&str, Match)] =
    &[("strictest", Match::Strictest), ("first", Match::First)];

pub(super) const MODES: &[(&str, Mode)] = &[
    ("safe", Mode::Safe),
    ("auto", Mode::Auto),
    ("plan", Mode::Plan),
    ("deny-all-asks", Mode::DenyAllAsks),
];
