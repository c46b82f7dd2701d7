//! The path patterns of one rule, and the few of many rules that could speak of a path.

use crate::path::{
    FileLookup, GlobError, LinkedBeginnings, LocatedPath, PartialPath, PathContext, PathError,
    PathIndex, PathSet,
};
use crate::policy::action::UseExtent;
use crate::policy::document::{self, DocumentPlace};
use crate::policy::tokens::RuleMeeting;
use crate::shell::FileAccess;

/// A name that does not occur, which stands for any.
const ANY_NAME: &str = "any name\u{f8ff}";

/// The path patterns of one rule.
#[derive(Debug)]
pub(crate) struct RulePatterns {
    pub(crate) set: PathSet,
    /// Those that take out again, by themselves.
    except: PathSet,
}

impl RulePatterns {
    /// Reads the patterns of a rule; `None` for no patterns at all.
    pub(super) fn compile(
        patterns: &[document::PlacedValue<String>], allows: bool, context: &PathContext,
    ) -> Result<Option<Self>, (DocumentPlace, String)> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let nothing = Self { set: PathSet::default(), except: PathSet::default() };
        let mut known = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            let text = pattern.value.trim_start_matches('!');
            let missing = (text.contains("${project}") && context.project.is_none())
                || (text.starts_with('~') && context.home.is_none());
            if !(missing && allows) {
                known.push(pattern);
            } else if text.len() < pattern.value.len() {
                // An exception that cannot be told leaves nothing that surely is allowed.
                return Ok(Some(nothing));
            }
        }
        let error = |(index, error): (usize, GlobError)| {
            let at = known.get(index).map(|pattern| pattern.at).unwrap_or_default();
            (at, error.to_string())
        };
        let texts = || known.iter().map(|pattern| pattern.value.as_str());
        let set = PathSet::parse(texts(), context).map_err(error)?;
        let except = PathSet::parse(texts().filter_map(|text| text.strip_prefix('!')), context);
        Ok(Some(Self { set, except: except.map_err(error)? }))
    }

    /// From now on they follow no symlink that takes the place of a path.
    pub(super) fn pin(&mut self) {
        self.set.pin();
    }

    /// Whether an allow surely means this much of the path.
    pub(crate) fn covers(
        &self, path: &LocatedPath, access: FileAccess, extent: UseExtent, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        // What is deleted or renamed is the symlink, not what it points to.
        let itself = || {
            Ok::<_, PathError>(
                self.set.covers(path, files)?
                    && (access == FileAccess::Read || self.set.covers_links(path, files)?),
            )
        };
        let names = below(path);
        match extent {
            UseExtent::Itself => itself(),
            UseExtent::Names => Ok(itself()? || self.set.covers(&names, files)?),
            UseExtent::Tree | UseExtent::Perhaps => {
                Ok(itself()? && !self.except.touches_below(path, files)?)
            }
            UseExtent::AllNames | UseExtent::Below => Ok((access == FileAccess::Read || itself()?)
                && self.set.covers(&names, files)?
                && self.set.covers(&below(&names), files)?
                && !self.except.touches_below(path, files)?),
        }
    }

    /// Whether a deny or an ask means this path, or for a recursive use something below it.
    pub(crate) fn bites(
        &self, path: &LocatedPath, access: FileAccess, extent: UseExtent, files: &dyn FileLookup,
    ) -> Result<RuleMeeting, PathError> {
        if self.set.touches(path, files)? {
            return Ok(RuleMeeting::Yes);
        }
        if !extent.is_recursive() || !self.set.touches_below(path, files)? {
            return Ok(RuleMeeting::No);
        }
        // `**/.env` may be anywhere below, or nowhere; `/etc/**` surely is below `/`. What is deleted or moved away is not
        // to be had back; a list of names gives little away.
        // Whether there is anything below is not known of what may be a file.
        let mut surely = access == FileAccess::Write && extent != UseExtent::Perhaps;
        for glob in self.set.globs().filter(|glob| is_solid(glob.source())) {
            surely = surely || glob.touches_below(path, files)?;
        }
        Ok(match (surely, extent) {
            (true, _) => RuleMeeting::Yes,
            (false, UseExtent::AllNames) => RuleMeeting::No,
            (false, _) => RuleMeeting::Could,
        })
    }
}

/// Anything in this directory.
fn below(path: &LocatedPath) -> LocatedPath {
    let name = |path: &str| format!("{}/{ANY_NAME}", path.trim_end_matches('/'));
    LocatedPath {
        lexical: name(&path.lexical),
        real: name(&path.real),
        real_of_lexical: name(&path.real_of_lexical),
        through: Vec::new(),
        itself: Vec::new(),
        folding: path.folding,
    }
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

    /// Which of the patterns lead through symlinks now.
    pub(crate) fn links(&self, files: &dyn FileLookup) -> Result<LinkedBeginnings, PathError> {
        if self.rules.is_empty() {
            Ok(LinkedBeginnings::default())
        } else {
            self.index.links(files)
        }
    }

    /// Those that could speak of this path.
    pub(crate) fn find(
        &self, path: &LocatedPath, recursive: bool, links: &LinkedBeginnings,
        found: &mut Vec<usize>,
    ) {
        if self.rules.is_empty() {
            return;
        }
        let sets = if recursive {
            self.index.candidates_below(path, links)
        } else {
            self.index.candidates(path, links)
        };
        found.extend(sets.into_iter().filter_map(|set| self.rules.get(set)));
    }

    /// Those that could speak of a path that is known in part.
    pub(crate) fn find_for(
        &self, path: &PartialPath, links: &LinkedBeginnings, found: &mut Vec<usize>,
    ) {
        match self.index.candidates_for(path, links) {
            Some(sets) => found.extend(sets.into_iter().filter_map(|set| self.rules.get(set))),
            None => found.extend(&self.rules),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[usize] {
        &self.rules
    }
}
