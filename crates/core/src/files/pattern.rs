//! Globs, and which hidden names they name.

use globset::{Glob, GlobBuilder, GlobMatcher};

use super::error::{FileError, FileFault};

/// The longest pattern, in bytes.
pub(super) const LONGEST: usize = 4096;

/// A glob over paths below a folder: `*` and `?` stay within a name, `**` is any number of folders, `{a,b}` is either.
#[derive(Debug)]
pub(super) struct GlobPattern {
    matcher: GlobMatcher,
    hidden: Vec<GlobMatcher>,
}

impl GlobPattern {
    pub(super) fn new(text: &str) -> Result<Self, FileError> {
        let refused = |what: &str| FileFault::Pattern.at(text, what);
        if text.len() > LONGEST {
            return Err(FileFault::Pattern.at("", format!("a pattern has at most {LONGEST} bytes")));
        }
        let below = text.trim_start_matches("./");
        if below.is_empty() {
            return Err(refused("a glob must not be empty: `**/*` is every file"));
        }
        if below.starts_with('!') {
            return Err(refused("a glob cannot be negated: name what to look at"));
        }
        if below.split('/').any(|name| name == "..") {
            return Err(refused("a glob has no `..`: give the folder as `path`"));
        }
        Ok(Self { matcher: glob(below)?.compile_matcher(), hidden: hidden_names(below)? })
    }

    /// As [`GlobPattern::new`], but one without a `/` is of names in any folder.
    pub(super) fn of_names(text: &str) -> Result<Self, FileError> {
        if text.contains('/') || text.starts_with('!') || text.is_empty() {
            return Self::new(text);
        }
        Self::new(&format!("**/{text}"))
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }

    /// Whether it names this name that starts with a dot.
    pub(super) fn names_hidden(&self, name: &str) -> bool {
        self.hidden.iter().any(|hidden| hidden.is_match(name))
    }
}

fn glob(text: &str) -> Result<Glob, FileError> {
    GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| FileFault::Pattern.at(text, format!("it is not a glob: {}", error.kind())))
}

/// The parts of a pattern that begin with a dot: only who writes one sees names that do.
fn hidden_names(pattern: &str) -> Result<Vec<GlobMatcher>, FileError> {
    let mut names = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let end = rest.find(['/', ',', '{', '}']).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        if part.starts_with('.') && part != "." {
            // What follows a brace belongs to the name, too.
            let more = if after.starts_with('{') { "*" } else { "" };
            names.push(glob(&format!("{part}{more}"))?.compile_matcher());
        }
        rest = after.get(1..).unwrap_or_default();
    }
    Ok(names)
}
