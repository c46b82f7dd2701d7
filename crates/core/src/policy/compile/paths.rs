//! The path patterns of one rule.

use crate::path::{Files, Glob, Located, PathError, Where};
use crate::policy::document::{self, Place};
use crate::policy::tokens::Meets;
use crate::shell::Piece;

/// Patterns of paths, of which some take out again.
#[derive(Debug)]
pub(crate) struct PathRules {
    included: Vec<Glob>,
    excluded: Vec<Glob>,
}

impl PathRules {
    /// `None` for no patterns at all.
    pub(super) fn compile(
        patterns: &[document::Located<String>], allows: bool, context: &Where,
    ) -> Result<Option<Self>, (Place, String)> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let mut rules = Self { included: Vec::new(), excluded: Vec::new() };
        for pattern in patterns {
            let (text, excludes) = match pattern.value.strip_prefix('!') {
                Some(text) => (text, true),
                None => (pattern.value.as_str(), false),
            };
            let missing = (text.contains("${project}") && context.project.is_none())
                || (text.starts_with('~') && context.home.is_none());
            if missing && allows {
                // An exception that cannot be told leaves nothing that surely is allowed.
                if excludes {
                    return Ok(Some(Self { included: Vec::new(), excluded: Vec::new() }));
                }
                continue;
            }
            let glob =
                Glob::parse(text, context).map_err(|error| (pattern.at, error.to_string()))?;
            if excludes { rules.excluded.push(glob) } else { rules.included.push(glob) }
        }
        Ok(Some(rules))
    }

    /// Whether an allow of these surely means this path.
    pub(crate) fn covers(&self, path: &Located, files: &dyn Files) -> Result<bool, PathError> {
        for glob in &self.included {
            if glob.covers(path, files)? {
                for glob in &self.excluded {
                    if glob.touches(path, files)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a deny or an ask of these means this path, or for a recursive use something below it.
    pub(crate) fn bites(
        &self, path: &Located, recursive: bool, write: bool, files: &dyn Files,
    ) -> Result<Meets, PathError> {
        let mut meets = Meets::No;
        for glob in &self.included {
            if glob.touches(path, files)? {
                let mut out = false;
                for glob in &self.excluded {
                    out = out || glob.covers(path, files)?;
                }
                if !out {
                    return Ok(Meets::Yes);
                }
            }
            if recursive && glob.touches_below(path, files)? {
                // `**/.env` may be anywhere below, or nowhere; `/etc/**` surely is below `/`.
                if write || is_solid(glob.source()) {
                    return Ok(Meets::Yes);
                }
                meets = Meets::Could;
            }
        }
        Ok(meets)
    }

    /// Whether a path of which only this much is known could be meant.
    pub(crate) fn could_match(&self, pieces: &[Piece], from: &Where) -> bool {
        self.included.iter().any(|glob| glob.could_match(pieces, from))
    }

    /// Whether a name is spelled out.
    pub(crate) fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.included.iter().any(|glob| glob.names(name))
    }
}

/// Whether a pattern is one directory or file and all below it, so that a use of all above it surely includes it.
fn is_solid(source: &str) -> bool {
    !source.trim_end_matches("/**").contains(['*', '?', '[', '{'])
}
