//! Patterns for paths.

use std::sync::OnceLock;

use super::dynamic::{self, Unsure};
use super::matching::{fold, matches, matches_below};
use super::pattern::{self, Alternative, Segment, Token};
use super::syntax::Syntax;
use super::{Files, Located, PathError, Where};
use crate::shell::Piece;

/// What stands for `${project}`, `~` and relative patterns.
pub type Vars = Where;

/// A pattern for paths.
///
/// - `*` any text, `?` any one character, `[a-z]` and `[!a-z]` one of these and one of the others: all within a name;
/// - `**` as a whole name: any number of names, none included; at the end (`dir/**`) at least one. Alone: every path;
/// - `**` inside of a name (`a**b`): like `*` where it allows, and over names too where it denies or asks;
/// - `{a,b}`: either, also nested. `\` takes the meaning from the character that follows;
/// - `~`, `${home}`, `${project}` and `${cwd}` at the beginning. Other relative patterns begin at the working directory,
///   except those that begin with `**`, which match anywhere.
///
/// Names that begin with a dot are like others. Case matters, but not to a deny or an ask where the volume folds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    source: String,
    ways: Vec<Way>,
    /// The same, folded; made when it is first needed.
    folded: OnceLock<Vec<Way>>,
}

/// An alternative of a pattern, made absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    /// The names it begins with, as an absolute path without a `/` at its end. Empty: it begins anywhere.
    pub(super) prefix: String,
    /// What follows.
    pub(super) rest: Vec<Segment>,
    /// Only for denies and asks.
    pub(super) loose: bool,
    /// `**` alone, which matches `/` as well.
    pub(super) all: bool,
    /// The names that its author spelled out, or how they begin.
    pub(super) spelled: Vec<String>,
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
    ///
    /// # Errors
    /// When it is not well-formed, or when a variable in it has no value.
    pub fn parse(source: &str, vars: &Vars) -> Result<Self, GlobError> {
        Self::parse_as(Syntax::NATIVE, source, vars)
    }

    pub(super) fn parse_as(syntax: Syntax, source: &str, vars: &Vars) -> Result<Self, GlobError> {
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
        let ways = alternatives.into_iter().map(|alternative| anchored(syntax, alternative, vars));
        let ways =
            ways.collect::<Result<_, _>>().map_err(|message| GlobError { message, at: 0 })?;
        Ok(Self { source: source.to_owned(), ways, folded: OnceLock::new() })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether every reading of this path matches, the literal beginning of the pattern resolved as well: what an allow needs.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers(&self, path: &Located, files: &dyn Files) -> Result<bool, PathError> {
        Ok(self.allows(path, &path.real, files)?
            && (path.real == path.real_of_lexical
                || self.allows(path, &path.real_of_lexical, files)?))
    }

    /// Whether any reading of this path matches, case folded where the file system folds it: what a deny or an ask needs.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches(&self, path: &Located, files: &dyn Files) -> Result<bool, PathError> {
        any(path.readings(), |reading| self.bites(path, reading, files))
    }

    /// Whether this directory or anything below it could match: what a deny needs for a recursive use.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches_below(&self, path: &Located, files: &dyn Files) -> Result<bool, PathError> {
        any(path.readings(), |reading| self.bites_below(path, reading, files))
    }

    /// Whether a path of which only these pieces are known could match. Errs on the side of yes. By the text alone:
    /// see [`Glob::could_match_through`] for symlinks.
    pub fn could_match(&self, pieces: &[Piece], from: &Where) -> bool {
        self.could_be(&dynamic::unsure(pieces, from))
    }

    /// The same, the directory that the path surely begins with (`src` in `src/*.ts`) resolved as well.
    ///
    /// # Errors
    /// When that cannot be resolved.
    pub fn could_match_through(
        &self, pieces: &[Piece], from: &Where, files: &dyn Files,
    ) -> Result<bool, PathError> {
        let paths = dynamic::unsure(pieces, from).resolved(files)?;
        any(&self.ways, |way| {
            let could = |prefix: &str| paths.iter().any(|path| path.could_match(way, prefix));
            Ok(could(&way.prefix) || way.resolved(files)?.is_some_and(|prefix| could(&prefix)))
        })
    }

    /// Whether a name of the pattern is spelled out (`.git` in `**/.git/**`, not in `**`), so that whoever wrote it meant it.
    /// Of a name with wildcards, `name` is given what precedes the first (`.env` of `.env*`).
    pub fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.ways.iter().any(|way| way.names(name))
    }

    /// Whether it [covers](Glob::covers) the path even if only those of its alternatives count that [name](Glob::names) it:
    /// `{src,.git}/**` names `.git` only for what is in `.git`.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers_by_name(
        &self, path: &Located, files: &dyn Files, name: &dyn Fn(&str) -> bool,
    ) -> Result<bool, PathError> {
        self.only_naming(name).map_or(Ok(false), |glob| glob.covers(path, files))
    }

    /// With those of its alternatives that name it; `None` if there are none.
    pub(super) fn only_naming(&self, name: &dyn Fn(&str) -> bool) -> Option<Self> {
        let ways: Vec<Way> = self.ways.iter().filter(|way| way.names(name)).cloned().collect();
        let source = self.source.clone();
        (!ways.is_empty()).then(|| Self { source, ways, folded: OnceLock::new() })
    }

    pub(super) fn ways(&self) -> &[Way] {
        &self.ways
    }

    fn could_be(&self, path: &Unsure) -> bool {
        self.ways.iter().any(|way| path.could_match(way, &way.prefix))
    }

    fn folded(&self) -> &[Way] {
        self.folded.get_or_init(|| self.ways.iter().map(Way::folded).collect())
    }

    /// Whether an allow takes this reading of the path.
    pub(super) fn allows(
        &self, path: &Located, reading: &str, files: &dyn Files,
    ) -> Result<bool, PathError> {
        // On Windows names without regard to case are how paths are written, not a doubt about them.
        if cfg!(windows) && path.folds_case {
            return self.bites_folded(reading, files, false);
        }
        if self.says(reading) {
            return Ok(true);
        }
        any(&self.ways, |way| {
            Ok(!way.loose
                && way.resolved(files)?.is_some_and(|prefix| way.matches(&prefix, reading, false)))
        })
    }

    /// Whether a deny or an ask takes this reading of the path.
    pub(super) fn bites(
        &self, path: &Located, reading: &str, files: &dyn Files,
    ) -> Result<bool, PathError> {
        if path.folds_case {
            return self.bites_folded(reading, files, true);
        }
        any(&self.ways, |way| {
            Ok(way.matches(&way.prefix, reading, false)
                || way.resolved(files)?.is_some_and(|prefix| way.matches(&prefix, reading, false)))
        })
    }

    fn bites_folded(
        &self, reading: &str, files: &dyn Files, loose: bool,
    ) -> Result<bool, PathError> {
        let reading = fold(reading);
        any(self.ways.iter().zip(self.folded()), |(way, folded)| {
            Ok((loose || !way.loose)
                && (folded.matches(&folded.prefix, &reading, true)
                    || way
                        .resolved(files)?
                        .is_some_and(|prefix| folded.matches(&fold(&prefix), &reading, true))))
        })
    }

    pub(super) fn bites_below(
        &self, path: &Located, reading: &str, files: &dyn Files,
    ) -> Result<bool, PathError> {
        if self.bites(path, reading, files)? {
            return Ok(true);
        }
        let folds = path.folds_case;
        let text = if folds { fold(reading) } else { reading.to_owned() };
        let ways = if folds { self.folded() } else { &self.ways };
        any(self.ways.iter().zip(ways), |(way, same)| {
            let below = |prefix: &str| same.matches_below(prefix, &text, folds);
            Ok(below(&same.prefix)
                || way
                    .resolved(files)?
                    .is_some_and(|prefix| below(&if folds { fold(&prefix) } else { prefix })))
        })
    }

    /// Whether this reading of a path surely matches, whatever symlinks there are or will be: who can make one must not
    /// be able to take more out of a deny.
    pub(super) fn says(&self, reading: &str) -> bool {
        self.ways.iter().any(|way| !way.loose && way.matches(&way.prefix, reading, false))
    }

    /// Whether everything below this directory surely matches. Errs on the side of no.
    pub(super) fn takes_all_below(&self, dir: &str) -> bool {
        self.ways.iter().any(|way| {
            if way.loose || way.rest.last() != Some(&Segment::Deep) {
                return false;
            }
            let above = way.rest.get(..way.rest.len() - 1).unwrap_or_default();
            let itself = Way { rest: above.to_vec(), all: false, ..way.clone() };
            way.all
                || way.matches(&way.prefix, dir, false)
                || itself.matches(&itself.prefix, dir, false)
        })
    }
}

impl Way {
    fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.spelled.iter().any(|spelled| name(spelled))
    }

    /// Whether this absolute path matches, the way beginning at `prefix`.
    fn matches(&self, prefix: &str, path: &str, folded: bool) -> bool {
        if self.all {
            return true;
        }
        let Some(below) = path.strip_prefix(prefix) else { return false };
        if self.rest.is_empty() {
            return below.is_empty() || (prefix.is_empty() && below == "/");
        }
        match below.strip_prefix('/') {
            Some(names) => matches(&self.rest, names, folded),
            None => !below.is_empty() && prefix.is_empty() && matches(&self.rest, below, folded),
        }
    }

    fn matches_below(&self, prefix: &str, dir: &str, folded: bool) -> bool {
        let dir = dir.strip_suffix('/').unwrap_or(dir);
        if prefix.strip_prefix(dir).is_some_and(|below| below.starts_with('/')) {
            return true;
        }
        match dir.strip_prefix(prefix) {
            Some(below) if below.is_empty() || below.starts_with('/') || prefix.is_empty() => {
                matches_below(&self.rest, below, folded)
            }
            _ => false,
        }
    }

    /// Where its beginning points, if elsewhere.
    pub(super) fn resolved(&self, files: &dyn Files) -> Result<Option<String>, PathError> {
        if self.prefix.is_empty() {
            return Ok(None);
        }
        match files.real(&self.prefix) {
            Ok(real) => {
                let real = real.strip_suffix('/').unwrap_or(&real);
                Ok((real != self.prefix).then(|| real.to_owned()))
            }
            Err(PathError::NeedsFiles) => Err(PathError::NeedsFiles),
            // No process of this user gets anywhere by this name; what is reached by another has another name.
            Err(_) => Ok(None),
        }
    }

    fn folded(&self) -> Self {
        let rest = self.rest.iter().map(|segment| match segment {
            Segment::Deep => Segment::Deep,
            Segment::Literal(text) => Segment::Literal(fold(text)),
            Segment::Name(tokens) => Segment::Name(tokens.iter().flat_map(folded).collect()),
        });
        Self { prefix: fold(&self.prefix), rest: rest.collect(), ..self.clone() }
    }
}

fn folded(token: &Token) -> Vec<Token> {
    match token {
        Token::Char(char) => fold(char.encode_utf8(&mut [0; 4])).chars().map(Token::Char).collect(),
        other => vec![other.clone()],
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

/// Puts in what stands at the beginning of a pattern, and makes it absolute.
fn anchored(syntax: Syntax, alternative: Alternative, vars: &Vars) -> Result<Way, String> {
    let Alternative { base, mut segments, rooted, loose } = alternative;
    let spelled = segments.iter().filter_map(spelled).collect();
    let floating = !rooted && base.is_none() && segments.first() == Some(&Segment::Deep);
    let all = floating && segments.len() == 1;
    let mut root = String::new();
    let mut names = Vec::new();
    if !rooted && !floating {
        let start = match (base.as_deref(), segments.first()) {
            (Some(base), _) => variable(base, vars)?,
            (None, Some(Segment::Literal(drive)))
                if syntax == Syntax::Windows && drive.ends_with(':') =>
            {
                let start = format!("{drive}/");
                segments.remove(0);
                start
            }
            _ => vars.cwd.clone(),
        };
        let start = syntax.absolute(&start, None).map_err(|error| error.to_string())?;
        let start = start.ok_or("the directory that this pattern begins at is not absolute")?;
        let start = start.normalised();
        root = start.root;
        names = start.names.into_iter().map(Segment::Literal).collect();
    }
    for segment in segments {
        if segment == Segment::Literal("..".to_owned()) {
            if names.last().is_some_and(|last| !matches!(last, Segment::Literal(_))) {
                return Err(
                    "`..` after a wildcard means nothing: write out what is meant".to_owned()
                );
            }
            names.pop();
        } else {
            names.push(segment);
        }
    }
    let mut rest = names.into_iter().peekable();
    let mut prefix = root;
    while let Some(Segment::Literal(name)) =
        rest.next_if(|segment| matches!(segment, Segment::Literal(_)))
    {
        prefix.push('/');
        prefix.push_str(&name);
    }
    Ok(Way { prefix, rest: rest.collect(), loose, all, spelled })
}

fn variable(name: &str, vars: &Vars) -> Result<String, String> {
    let value = match name {
        "~" | "${home}" => vars.home.as_deref(),
        "${project}" => vars.project.as_deref(),
        "${cwd}" => Some(vars.cwd.as_str()),
        _ if name.starts_with('~') => {
            return Err(format!(
                "the home directory of a user by name (`{name}`) is not looked up: write the directory out, or `\\~` for a name that begins so"
            ));
        }
        _ => {
            return Err(format!(
                "`{name}` is not known: there are `${{project}}`, `${{cwd}}` and `${{home}}`, each as a whole name"
            ));
        }
    };
    value
        .map(str::to_owned)
        .ok_or_else(|| format!("`{name}` has no value here: write the directory out"))
}

fn spelled(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Deep => None,
        Segment::Literal(text) => Some(text.clone()),
        Segment::Name(tokens) => {
            let text: String = tokens
                .iter()
                .map_while(|token| if let Token::Char(char) = token { Some(*char) } else { None })
                .collect();
            (!text.is_empty()).then_some(text)
        }
    }
}
