//! The path patterns of one rule, and the few of many rules that could speak of a path.

use crate::path::{Files, Located, PathError, PathIndex, PathSet, Where};
use crate::policy::document::{self, Place};
use crate::policy::tokens::Meets;

/// Reads the patterns of a rule; `None` for no patterns at all.
pub(super) fn compile(
    patterns: &[document::Located<String>], allows: bool, context: &Where,
) -> Result<Option<PathSet>, (Place, String)> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut known = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let text = pattern.value.trim_start_matches('!');
        let missing = (text.contains("${project}") && context.project.is_none())
            || (text.starts_with('~') && context.home.is_none());
        if !(missing && allows) {
            known.push(pattern);
        } else if text.len() < pattern.value.len() {
            // An exception that cannot be told leaves nothing that surely is allowed.
            return Ok(Some(PathSet::default()));
        }
    }
    PathSet::parse(known.iter().map(|pattern| pattern.value.as_str()), context).map(Some).map_err(
        |(index, error)| {
            (known.get(index).map(|pattern| pattern.at).unwrap_or_default(), error.to_string())
        },
    )
}

/// Whether a deny or an ask of these means this path, or for a recursive use something below it.
pub(crate) fn bites(
    paths: &PathSet, path: &Located, recursive: bool, write: bool, files: &dyn Files,
) -> Result<Meets, PathError> {
    if paths.touches(path, files)? {
        return Ok(Meets::Yes);
    }
    if !recursive || !paths.touches_below(path, files)? {
        return Ok(Meets::No);
    }
    // `**/.env` may be anywhere below, or nowhere; `/etc/**` surely is below `/`.
    Ok(if write || paths.globs().any(|glob| is_solid(glob.source())) {
        Meets::Yes
    } else {
        Meets::Could
    })
}

/// Whether a pattern is one directory or file and all below it, so that a use of all above it surely includes it.
fn is_solid(source: &str) -> bool {
    !source.trim_end_matches("/**").contains(['*', '?', '[', '{'])
}

/// Rules with patterns for one kind of access.
#[derive(Debug, Default)]
pub(crate) struct PathRules {
    index: PathIndex,
    /// The rules, by their place in the index.
    rules: Vec<usize>,
}

impl PathRules {
    pub(super) fn of<'a>(sets: impl Iterator<Item = (usize, &'a PathSet)>) -> Self {
        let (rules, sets): (Vec<usize>, Vec<&PathSet>) = sets.unzip();
        Self { index: PathIndex::new(sets), rules }
    }

    /// Those that could speak of this path.
    pub(crate) fn find(
        &self, path: &Located, recursive: bool, files: &dyn Files, found: &mut Vec<usize>,
    ) -> Result<(), PathError> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let sets = if recursive {
            self.index.candidates_below(path, files)?
        } else {
            self.index.candidates(path, files)?
        };
        found.extend(sets.into_iter().filter_map(|set| self.rules.get(set)));
        Ok(())
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[usize] {
        &self.rules
    }
}
