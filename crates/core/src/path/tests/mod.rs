//! What the tests of this room share: a file system of links alone, and pieces of words.

mod could_match;
mod globs;
mod indexes;
mod links;
mod locating;
mod properties;
mod sets;
mod urls;
mod windows;

use std::collections::HashMap;
use std::path::PathBuf;

use super::{FileLookup, LocatedPath, PathContext, PathError, locate};
use crate::shell::WordPiece;

/// A file system in which nothing is but these links.
#[derive(Default)]
pub(super) struct Links {
    links: HashMap<String, String>,
    folds: bool,
}

impl Links {
    pub(super) fn new(links: &[(&str, &str)]) -> Self {
        let owned = |(link, target): &(&str, &str)| ((*link).to_owned(), (*target).to_owned());
        Self { links: links.iter().map(owned).collect(), folds: false }
    }

    pub(super) fn folding() -> Self {
        Self { folds: true, ..Self::default() }
    }
}

impl FileLookup for Links {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(self.links.get(path).map(PathBuf::from))
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        !self.folds
    }
}

/// In `/srv/app`, as the user of `/home/u`.
pub(super) fn here() -> PathContext {
    PathContext {
        cwd: "/srv/app".to_owned(),
        home: Some("/home/u".to_owned()),
        project: Some("/srv".to_owned()),
        project_as: None,
        own: Vec::new(),
    }
}

pub(super) fn at(path: &str, files: &dyn FileLookup) -> LocatedPath {
    locate(path, &here(), files).unwrap()
}

pub(super) fn text(text: &str) -> WordPiece {
    WordPiece::Text(text.to_owned())
}

pub(super) fn star(glob: &str) -> WordPiece {
    WordPiece::Glob(glob.to_owned())
}

/// `"$x"`
pub(super) const QUOTED: WordPiece = WordPiece::Unknown { splits: false };
/// `$x`
pub(super) const BARE: WordPiece = WordPiece::Unknown { splits: true };
