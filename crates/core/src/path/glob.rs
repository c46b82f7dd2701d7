//! Patterns for paths.

use std::cell::{Cell, OnceCell};
use std::sync::OnceLock;

use super::dynamic::{self, PartialPath, UnsurePath};
use super::matching::fold;
use super::pattern::{self, PatternAlternative};
use super::syntax::PathSyntax;
use super::way::{AbsolutePattern, OwnRoots, anchored};
use super::{CaseFolding, FileLookup, LocatedPath, PathContext, PathError};
use crate::shell::WordPiece;

/// What stands for `${project}`, `~` and relative patterns.
pub type Vars = PathContext;

/// A pattern for paths.
///
/// - `*` any text, `?` any one character, `[a-z]` and `[!a-z]` one of these and one of the others: all within a name;
/// - `**` as a whole name: any number of names, none included; at the end (`dir/**`) at least one. Alone: every path;
/// - `**` inside of a name (`a**b`): like `*` where it allows, and over names too where it denies or asks;
/// - `{a,b}`: either, also nested. `\` takes the meaning from the character that follows;
/// - `~`, `${home}`, `${project}` and `${cwd}` at the beginning. Other relative patterns begin at the working directory,
///   except those that begin with `**`, which match anywhere.
///
/// The names that a pattern begins with, up to the first with a wildcard, also mean where they point: `/srv/current/**` is what
/// is below `/srv/v2` as well, if that is where the symlink leads. To an allow, a symlink inside the project (or the working
/// directory) means nothing that is not inside of it too: who can make a link there could widen the allow.
///
/// Names that begin with a dot are like others. Case matters, but not to a deny or an ask where the volume folds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGlob {
    source: String,
    ways: Vec<AbsolutePattern>,
    /// The same with the project's other name, for what is taken out of a deny or an ask.
    others: Vec<AbsolutePattern>,
    /// The directories in which anybody may have made symlinks.
    roots: OwnRoots,
    /// The same, folded; made when it is first needed.
    folded: OnceLock<Vec<AbsolutePattern>>,
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

impl PathGlob {
    /// Reads a pattern. Relative ones start at `vars.cwd`; `~` and `${project}` are put in.
    ///
    /// # Errors
    /// When it is not well-formed, or when a variable in it has no value.
    pub fn parse(source: &str, vars: &Vars) -> Result<Self, GlobError> {
        Self::parse_as(PathSyntax::NATIVE, source, vars)
    }

    pub(super) fn parse_as(
        syntax: PathSyntax, source: &str, vars: &Vars,
    ) -> Result<Self, GlobError> {
        let error = |at, message: &str| GlobError { at, message: message.to_owned() };
        if source.is_empty() {
            return Err(error(0, "the pattern is empty"));
        }
        if source.starts_with('!') {
            return Err(error(
                0,
                r"`!` takes something out of a list of patterns; for a name that begins with it write `\!`",
            ));
        }
        let alternatives =
            pattern::parse(source).map_err(|(at, message)| GlobError { message, at })?;
        let anchor = |alternatives: Vec<PatternAlternative>, vars: &Vars| {
            let ways = alternatives.into_iter().map(|it| anchored(syntax, it, vars));
            ways.collect::<Result<Vec<_>, _>>().map_err(|message| GlobError { message, at: 0 })
        };
        let others = match &vars.project_as {
            Some(project) => {
                let vars = Vars { project: Some(project.clone()), ..vars.clone() };
                anchor(alternatives.clone(), &vars)?
            }
            None => Vec::new(),
        };
        let ways = anchor(alternatives, vars)?;
        let roots = OwnRoots::of(syntax, vars);
        Ok(Self { source: source.to_owned(), ways, others, roots, folded: OnceLock::new() })
    }

    /// From now on it means what it meant when it was written: no symlink in its place makes it mean another file.
    pub(super) fn pin(&mut self) {
        self.roots.pin();
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether every reading of this path matches, the literal beginning of the pattern resolved as well: what an allow needs.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers(&self, path: &LocatedPath, files: &dyn FileLookup) -> Result<bool, PathError> {
        Ok(self.allows(path, &path.real, files)?
            && (path.real == path.real_of_lexical
                || self.allows(path, &path.real_of_lexical, files)?))
    }

    /// Whether any reading of this path matches, case folded where the file system folds it: what a deny or an ask needs.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches(&self, path: &LocatedPath, files: &dyn FileLookup) -> Result<bool, PathError> {
        any(path.readings(), |reading| self.bites(path, &PathReading::new(reading), files))
    }

    /// Whether this directory or anything below it could match: what a deny needs for a recursive use.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches_below(
        &self, path: &LocatedPath, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        any(path.readings(), |reading| self.bites_below(path, &PathReading::new(reading), files))
    }

    /// Whether a path that is known only in these pieces could match. Errs on the side of yes. By the text alone: see
    /// [`PathGlob::could_match_through`] for symlinks.
    pub fn could_match(&self, pieces: &[WordPiece], from: &PathContext) -> bool {
        let path = dynamic::unsure(pieces, from);
        let work = Cell::new(usize::MAX);
        self.ways.iter().any(|way| path.could_match(way, &way.prefix, &work))
    }

    /// The same, the directory that the path surely begins with (`src` in `src/*.ts`) resolved as well.
    ///
    /// # Errors
    /// When that cannot be resolved.
    pub fn could_match_through(
        &self, pieces: &[WordPiece], from: &PathContext, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        self.could_be(&PartialPath::of(pieces, from, files)?, files, &Cell::new(usize::MAX))
    }

    /// The same. What is compared is taken from `work`, in pairs of characters; without any left, the answer is yes.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn could_be(
        &self, path: &PartialPath, files: &dyn FileLookup, work: &Cell<usize>,
    ) -> Result<bool, PathError> {
        any(&path.paths, |path| self.could_be_one(path, files, work))
    }

    /// The same of one of its names.
    pub(super) fn could_be_one(
        &self, path: &UnsurePath, files: &dyn FileLookup, work: &Cell<usize>,
    ) -> Result<bool, PathError> {
        any(&self.ways, |way| {
            let could = |prefix: &str| path.could_match(way, prefix, work);
            Ok(could(&way.prefix) || way.resolved(files)?.is_some_and(|prefix| could(&prefix)))
        })
    }

    /// Whether a name of the pattern is spelled out (`.git` in `**/.git/**`, not in `**`), so that its author meant it. Of a name
    /// with wildcards, `name` is given what precedes the first (`.env` of `.env*`).
    pub fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.ways.iter().any(|way| way.names(name))
    }

    /// Whether it [covers](Glob::covers) the path even if only those of its alternatives count that [name](Glob::names) it:
    /// `{src,.git}/**` names `.git` only for what is in `.git`.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers_by_name(
        &self, path: &LocatedPath, files: &dyn FileLookup, name: &dyn Fn(&str) -> bool,
    ) -> Result<bool, PathError> {
        self.only_naming(name).map_or(Ok(false), |glob| glob.covers(path, files))
    }

    /// With those of its alternatives that name it; `None` if none does.
    pub(super) fn only_naming(&self, name: &dyn Fn(&str) -> bool) -> Option<Self> {
        let ways: Vec<AbsolutePattern> =
            self.ways.iter().filter(|way| way.names(name)).cloned().collect();
        let (source, roots) = (self.source.clone(), self.roots.clone());
        let others = Vec::new();
        (!ways.is_empty()).then(|| Self { source, ways, others, roots, folded: OnceLock::new() })
    }

    pub(super) fn ways(&self) -> &[AbsolutePattern] {
        &self.ways
    }

    fn folded(&self) -> &[AbsolutePattern] {
        self.folded.get_or_init(|| self.ways.iter().map(AbsolutePattern::folded).collect())
    }

    /// Whether an allow takes this reading of the path.
    pub(super) fn allows(
        &self, path: &LocatedPath, reading: &str, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        if self.says(reading) {
            return Ok(true);
        }
        // On Windows names without regard to case are how paths are written, not a doubt about them.
        let folds = cfg!(windows) && path.folds_case(files);
        let folded = if folds { fold(reading) } else { String::new() };
        any(self.ways.iter().enumerate().filter(|(_, way)| !way.loose), |(at, way)| {
            if folds
                && self.folded().get(at).is_some_and(|way| way.matches(&way.prefix, &folded, true))
            {
                return Ok(true);
            }
            let Some(prefix) = way.resolved_inside(&self.roots, files)? else { return Ok(false) };
            Ok(match self.folded().get(at).filter(|_| folds) {
                Some(way) => way.matches(&fold(&prefix), &folded, true),
                None => way.matches(&prefix, reading, false),
            })
        })
    }

    /// Whether a deny or an ask takes this reading of the path.
    pub(super) fn bites(
        &self, path: &LocatedPath, reading: &PathReading, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        self.bites_by(path, reading, files, AbsolutePattern::matches)
    }

    pub(super) fn bites_below(
        &self, path: &LocatedPath, reading: &PathReading, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        Ok(self.bites(path, reading, files)?
            || self.bites_by(path, reading, files, AbsolutePattern::matches_below)?)
    }

    /// As it is written; else folded, if the file system folds.
    fn bites_by(
        &self, path: &LocatedPath, reading: &PathReading, files: &dyn FileLookup,
        matches: fn(&AbsolutePattern, &str, &str, bool) -> bool,
    ) -> Result<bool, PathError> {
        let plainly = any(&self.ways, |way| {
            Ok(matches(way, &way.prefix, reading.text, false)
                || way
                    .resolved(files)?
                    .is_some_and(|prefix| matches(way, &prefix, reading.text, false)))
        })?;
        if plainly || path.folding == CaseFolding::Never {
            return Ok(plainly);
        }
        let folded = any(self.ways.iter().zip(self.folded()), |(way, folded)| {
            Ok(matches(folded, &folded.prefix, reading.folded(), true)
                || way
                    .resolved(files)?
                    .is_some_and(|prefix| matches(folded, &fold(&prefix), reading.folded(), true)))
        })?;
        Ok(folded && path.folds_case(files))
    }

    /// Whether this reading of a path surely matches, with any symlinks now or later: who can make one must not be able to take
    /// more out of a deny.
    pub(super) fn says(&self, reading: &str) -> bool {
        self.by_any_name().any(|way| !way.loose && way.matches(&way.prefix, reading, false))
    }

    pub(super) fn by_any_name(&self) -> impl Iterator<Item = &AbsolutePattern> {
        self.ways.iter().chain(&self.others)
    }

    /// Whether everything below this directory surely matches, for what is taken out of a deny or an ask. Errs on the side of no.
    pub(crate) fn takes_all_below(&self, dir: &str) -> bool {
        self.by_any_name().any(|way| way.takes_all_below(dir))
    }

    /// The same for an allow.
    pub(super) fn covers_all_below(&self, dir: &str) -> bool {
        self.ways.iter().any(|way| way.takes_all_below(dir))
    }
}

/// One reading of a path, folded once it is needed.
pub(super) struct PathReading<'a> {
    pub(super) text: &'a str,
    folded: OnceCell<String>,
}

impl<'a> PathReading<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, folded: OnceCell::new() }
    }

    fn folded(&self) -> &str {
        self.folded.get_or_init(|| fold(self.text))
    }
}

fn any<T>(
    items: impl IntoIterator<Item = T>, mut holds: impl FnMut(T) -> Result<bool, PathError>,
) -> Result<bool, PathError> {
    for item in items {
        if holds(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}
