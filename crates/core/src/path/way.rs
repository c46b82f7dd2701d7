//! One way to read a pattern, made absolute.

use std::sync::Arc;

use super::matching::{fold, matches, matches_below};
use super::pattern::{NameToken, PatternAlternative, PatternSegment};
use super::resolve::{FollowedLink, resolve};
use super::syntax::PathSyntax;
use super::{FileLookup, PathContext, PathError};

/// An alternative of a pattern, made absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AbsolutePattern {
    /// The names it begins with, as an absolute path without a `/` at its end. Empty: it begins anywhere.
    pub(super) prefix: String,
    /// What follows.
    pub(super) rest: Vec<PatternSegment>,
    /// Only for denies and asks.
    pub(super) loose: bool,
    /// `**` alone, which matches `/` as well.
    pub(super) all: bool,
    /// The names that its author spelled out, or how they begin.
    pub(super) spelled: Vec<String>,
}

impl AbsolutePattern {
    pub(super) fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.spelled.iter().any(|spelled| name(spelled))
    }

    /// Whether this absolute path matches, the way beginning at `prefix`.
    pub(super) fn matches(&self, prefix: &str, path: &str, folded: bool) -> bool {
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

    pub(super) fn matches_below(&self, prefix: &str, dir: &str, folded: bool) -> bool {
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
    pub(super) fn resolved(&self, files: &dyn FileLookup) -> Result<Option<String>, PathError> {
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

    /// The same, for an allow: a symlink inside a root counts only if it leads to inside of that root.
    pub(super) fn resolved_inside(
        &self, roots: &OwnRoots, files: &dyn FileLookup,
    ) -> Result<Option<String>, PathError> {
        let Some(real) = self.resolved(files)? else { return Ok(None) };
        Ok(if roots.keep(self, &real, files)? { Some(real) } else { None })
    }

    pub(super) fn folded(&self) -> Self {
        let rest = self.rest.iter().map(|segment| match segment {
            PatternSegment::Deep => PatternSegment::Deep,
            PatternSegment::Literal(text) => PatternSegment::Literal(fold(text)),
            PatternSegment::Name(tokens) => {
                PatternSegment::Name(tokens.iter().flat_map(folded).collect())
            }
        });
        Self { prefix: fold(&self.prefix), rest: rest.collect(), ..self.clone() }
    }
}

impl AbsolutePattern {
    /// Whether everything below this directory surely matches. Errs on the side of no.
    pub(super) fn takes_all_below(&self, dir: &str) -> bool {
        let Some((PatternSegment::Deep, above)) = self.rest.split_last() else { return false };
        if self.loose {
            return false;
        }
        let itself = Self { rest: above.to_vec(), all: false, ..self.clone() };
        self.all
            || self.matches(&self.prefix, dir, false)
            || itself.matches(&itself.prefix, dir, false)
    }
}

/// The project and the working directory: in these, anybody may have made symlinks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OwnRoots {
    roots: Arc<[String]>,
    /// Whether the patterns hold what they meant when they were written: see [`OwnRoots::keep`].
    pinned: bool,
}

impl OwnRoots {
    pub(super) fn of(syntax: PathSyntax, vars: &PathContext) -> Self {
        let roots = vars.project.iter().chain([&vars.cwd]);
        let roots = roots.filter_map(|root| syntax.absolute(root, None).ok().flatten());
        let mut roots: Vec<String> = roots.map(|root| root.normalised().text()).collect();
        roots.dedup();
        Self { roots: roots.into(), pinned: false }
    }

    /// From now on no symlink inside a root means anything, nor one on the way of a path that is written out.
    pub(super) fn pin(&mut self) {
        self.pinned = true;
    }

    /// Whether no symlink inside a root leads out of it, on the way from the pattern's path to where it really is.
    fn keep(
        &self, pattern: &AbsolutePattern, real: &str, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        let Some(followed) = followed(&pattern.prefix, files)? else { return Ok(false) };
        let is_written_out = self.pinned && pattern.rest.is_empty();
        for link in followed {
            if is_written_out && !self.lies_behind(&link, files)? {
                return Ok(false);
            }
            for root in self.roots.iter() {
                let root = match files.real(root) {
                    Ok(root) => root,
                    Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                    Err(_) => return Ok(false),
                };
                if link.place != root && is_below(&link.place, &root) {
                    if self.pinned || !is_below(real, &root) {
                        return Ok(false);
                    }
                    // What may lead anywhere in the project may do so from the working directory in it.
                    break;
                }
            }
        }
        Ok(true)
    }

    /// Whether a root lies behind this symlink.
    fn lies_behind(&self, link: &FollowedLink, files: &dyn FileLookup) -> Result<bool, PathError> {
        for root in self.roots.iter() {
            let links = followed(root, files)?;
            if links.iter().flatten().any(|other| other.place == link.place) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The symlinks on the way to where a path really is; `None`: nothing gets there.
fn followed(path: &str, files: &dyn FileLookup) -> Result<Option<Vec<FollowedLink>>, PathError> {
    let Some(path) = PathSyntax::NATIVE.absolute(path, None)? else { return Ok(None) };
    let mut followed = Vec::new();
    match resolve(PathSyntax::NATIVE, &path, files, Some(&mut followed)) {
        Ok(_) => Ok(Some(followed)),
        Err(PathError::NeedsFiles) => Err(PathError::NeedsFiles),
        Err(_) => Ok(None),
    }
}

/// Whether an absolute path is this directory or below it.
pub(crate) fn is_below(path: &str, dir: &str) -> bool {
    let dir = dir.trim_end_matches('/');
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn folded(token: &NameToken) -> Vec<NameToken> {
    match token {
        NameToken::Char(char) => {
            fold(char.encode_utf8(&mut [0; 4])).chars().map(NameToken::Char).collect()
        }
        other => vec![other.clone()],
    }
}

/// Puts in what stands at the beginning of a pattern, and makes it absolute.
pub(super) fn anchored(
    syntax: PathSyntax, alternative: PatternAlternative, vars: &PathContext,
) -> Result<AbsolutePattern, String> {
    let PatternAlternative { base, mut segments, rooted, loose } = alternative;
    let spelled = segments.iter().filter_map(spelled).collect();
    let floating = !rooted && base.is_none() && segments.first() == Some(&PatternSegment::Deep);
    let all = floating && segments.len() == 1;
    let mut root = String::new();
    let mut names = Vec::new();
    if !rooted && !floating {
        let start = match (base.as_deref(), segments.first()) {
            (Some(base), _) => variable(base, vars)?,
            (None, Some(PatternSegment::Literal(drive)))
                if syntax == PathSyntax::Windows && drive.ends_with(':') =>
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
        names = start.names.into_iter().map(PatternSegment::Literal).collect();
    }
    for segment in segments {
        if segment == PatternSegment::Literal("..".to_owned()) {
            if names.last().is_some_and(|last| !matches!(last, PatternSegment::Literal(_))) {
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
    while let Some(PatternSegment::Literal(name)) =
        rest.next_if(|segment| matches!(segment, PatternSegment::Literal(_)))
    {
        prefix.push('/');
        prefix.push_str(&name);
    }
    Ok(AbsolutePattern { prefix, rest: rest.collect(), loose, all, spelled })
}

fn variable(name: &str, vars: &PathContext) -> Result<String, String> {
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

fn spelled(segment: &PatternSegment) -> Option<String> {
    match segment {
        PatternSegment::Deep => None,
        PatternSegment::Literal(text) => Some(text.clone()),
        PatternSegment::Name(tokens) => {
            let text: String = tokens
                .iter()
                .map_while(
                    |token| if let NameToken::Char(char) = token { Some(*char) } else { None },
                )
                .collect();
            (!text.is_empty()).then_some(text)
        }
    }
}
