//! Patterns for paths.

use super::{Files, Located, PathError, Where};
use crate::shell::Piece;

/// What stands for `${project}`, `~` and relative patterns.
pub type Vars = Where;

/// A pattern for paths: `*` and `?` and `[a-z]` within a name, `**` over names, `{a,b}`, `\` escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    source: String,
}

/// Why a pattern cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GlobError {
    /// What is wrong, and what to write instead.
    pub message: String,
    /// Where in the pattern, in bytes.
    pub at: usize,
}

impl Glob {
    /// Reads a pattern. Relative ones start at `vars.cwd`; `~` and `${project}` are put in.
    pub fn parse(source: &str, _vars: &Vars) -> Result<Self, GlobError> {
        Ok(Self { source: source.to_owned() })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether every reading of this path matches, the literal beginning of the pattern resolved as well: what an allow needs.
    pub fn covers(&self, _path: &Located, _files: &dyn Files) -> Result<bool, PathError> {
        Ok(false)
    }

    /// Whether any reading of this path matches, case folded where the file system folds it: what a deny or an ask needs.
    pub fn touches(&self, _path: &Located, _files: &dyn Files) -> Result<bool, PathError> {
        Ok(true)
    }

    /// Whether anything below this directory could match: what a deny needs for a recursive use.
    pub fn touches_below(&self, _path: &Located, _files: &dyn Files) -> Result<bool, PathError> {
        Ok(true)
    }

    /// Whether a path of which only these pieces are known could match. Errs on the side of yes.
    pub fn could_match(&self, _pieces: &[Piece], _from: &Where) -> bool {
        true
    }

    /// Whether a name of the pattern is spelled out (`.git` in `**/.git/**`, not in `**`), so that whoever wrote it meant it.
    pub fn names(&self, _name: &dyn Fn(&str) -> bool) -> bool {
        false
    }
}
