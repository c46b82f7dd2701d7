//! Lists of patterns, with exceptions.

use std::cell::Cell;

use super::glob::PathReading;
use super::{
    FileLookup, GlobError, LocatedPath, PartialPath, PathContext, PathError, PathGlob, Vars,
};
use crate::shell::WordPiece;

/// Patterns for paths in order: one that begins with `!` takes out again what those before it took in, and the last that
/// matches decides.
///
/// In doubt an allow takes less and a deny takes more: what is taken out is taken out of an allow if any reading of the path
/// matches, and out of a deny only where that very reading does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathSet {
    items: Vec<SetItem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SetItem {
    glob: PathGlob,
    /// Takes out again.
    out: bool,
}

impl PathSet {
    /// Reads patterns, in order.
    ///
    /// # Errors
    /// The first that cannot be taken, and its index.
    pub fn parse<'a>(
        sources: impl IntoIterator<Item = &'a str>, vars: &Vars,
    ) -> Result<Self, (usize, GlobError)> {
        let items = sources.into_iter().enumerate().map(|(index, source)| {
            let (out, pattern) = match source.strip_prefix('!') {
                Some(pattern) => (true, pattern),
                None => (false, source),
            };
            let glob = PathGlob::parse(pattern, vars).map_err(|mut error| {
                error.at += usize::from(out);
                (index, error)
            })?;
            Ok(SetItem { glob, out })
        });
        Ok(Self { items: items.collect::<Result<_, _>>()? })
    }

    /// From now on its patterns mean what they meant when they were written: a symlink that takes the place of a path makes
    /// none mean what that leads to. To an allow that is less.
    pub fn pin(&mut self) {
        self.items.iter_mut().for_each(|item| item.glob.pin());
    }

    /// Whether it has no pattern.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The patterns that take in.
    pub fn globs(&self) -> impl Iterator<Item = &PathGlob> {
        self.items.iter().filter(|item| !item.out).map(|item| &item.glob)
    }

    /// All patterns, with those that take out.
    pub(super) fn all_globs(&self) -> impl Iterator<Item = &PathGlob> {
        self.items.iter().map(|item| &item.glob)
    }

    /// The folders that its patterns spell out, and mean something in.
    pub fn named_folders(&self) -> impl Iterator<Item = &str> {
        folders_of(self.globs())
    }

    /// The same of those that take out again.
    pub fn left_out_folders(&self) -> impl Iterator<Item = &str> {
        folders_of(self.items.iter().filter(|item| item.out).map(|item| &item.glob))
    }

    /// Whether every reading of this path is in it: what an allow needs. See [`PathGlob::covers`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers(&self, path: &LocatedPath, files: &dyn FileLookup) -> Result<bool, PathError> {
        self.covers_where(path, files, |glob, reading| glob.allows(path, reading, files))
    }

    /// The same, if only what is spelled out by that name counts. See [`PathGlob::covers_by_name`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers_by_name(
        &self, path: &LocatedPath, files: &dyn FileLookup, name: &dyn Fn(&str) -> bool,
    ) -> Result<bool, PathError> {
        self.covers_where(path, files, |glob, reading| match glob.only_naming(name) {
            Some(glob) => glob.allows(path, reading, files),
            None => Ok(false),
        })
    }

    /// Whether the symlinks that the path itself is, if any, are in it too: what an allow needs for a use that may delete
    /// or rename.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers_links(
        &self, path: &LocatedPath, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        for place in &path.itself {
            let link = LocatedPath {
                lexical: place.clone(),
                real: place.clone(),
                real_of_lexical: place.clone(),
                through: Vec::new(),
                itself: Vec::new(),
                folding: path.folding,
            };
            if !self.covers(&link, files)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn covers_where(
        &self, path: &LocatedPath, files: &dyn FileLookup,
        allows: impl Fn(&PathGlob, &str) -> Result<bool, PathError>,
    ) -> Result<bool, PathError> {
        let mut real = false;
        let mut real_of_lexical = false;
        for SetItem { glob, out } in &self.items {
            if *out {
                if (real || real_of_lexical) && glob.touches(path, files)? {
                    (real, real_of_lexical) = (false, false);
                }
                continue;
            }
            real = real || allows(glob, &path.real)?;
            real_of_lexical = if path.real == path.real_of_lexical {
                real
            } else {
                real_of_lexical || allows(glob, &path.real_of_lexical)?
            };
        }
        Ok(real && real_of_lexical)
    }

    /// Whether any reading of this path is in it: what a deny or an ask needs. See [`PathGlob::touches`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches(&self, path: &LocatedPath, files: &dyn FileLookup) -> Result<bool, PathError> {
        let bites = |glob: &PathGlob, reading: &PathReading| glob.bites(path, reading, files);
        touches_where(&self.items, &path.readings(), bites, PathGlob::says)
    }

    /// Whether this path is in it for where it leads alone, and all below that surely is taken out again.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn leads_to_left_out(
        &self, path: &LocatedPath, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        if !self.takes_out_all_below(&path.real) {
            return Ok(false);
        }
        let mut names = path.readings();
        names.retain(|reading| *reading != path.real);
        let bites = |glob: &PathGlob, reading: &PathReading| glob.bites(path, reading, files);
        Ok(!touches_where(&self.items, &names, bites, PathGlob::says)?)
    }

    /// Whether something below this directory may be taken out again.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn takes_out_below(
        &self, path: &LocatedPath, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        for item in self.items.iter().filter(|item| item.out) {
            if item.glob.touches_below(path, files)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether everything below this directory surely is taken out again, by one of its exceptions.
    pub fn takes_out_all_below(&self, dir: &str) -> bool {
        self.items.iter().any(|item| item.out && item.glob.takes_all_below(dir))
    }

    /// Whether this directory or anything below it is in it. See [`PathGlob::touches_below`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn touches_below(
        &self, path: &LocatedPath, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        let below = |glob: &PathGlob, reading: &PathReading| glob.bites_below(path, reading, files);
        Ok(self.touches(path, files)?
            || touches_where(&self.items, &path.readings(), below, PathGlob::takes_all_below)?)
    }

    /// Whether a path that is known only in these pieces could be in it. Errs on the side of yes. See [`PathGlob::could_match`].
    pub fn could_match(&self, pieces: &[WordPiece], from: &PathContext) -> bool {
        self.globs().any(|glob| glob.could_match(pieces, from))
    }

    /// The same, with symlinks. See [`PathGlob::could_match_through`].
    ///
    /// # Errors
    /// When they cannot be resolved.
    pub fn could_match_through(
        &self, pieces: &[WordPiece], from: &PathContext, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        for glob in self.globs() {
            if glob.could_match_through(pieces, from, files)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, within some work. See [`PathGlob::could_be`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn could_be(
        &self, path: &PartialPath, files: &dyn FileLookup, work: &Cell<usize>,
    ) -> Result<bool, PathError> {
        for one in &path.paths {
            let below = path.stays_below(one);
            // The last that matches decides.
            for SetItem { glob, out } in self.items.iter().rev() {
                if *out && below.as_ref().is_some_and(|dir| glob.takes_all_below(dir)) {
                    break;
                }
                if !*out && glob.could_be_one(one, files, work)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether all that this may be is in it: what an allow needs. See [`PartialPath::staying`].
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn covers_all(
        &self, path: &PartialPath, files: &dyn FileLookup, work: &Cell<usize>,
    ) -> Result<bool, PathError> {
        for one in &path.paths {
            let Some(dir) = path.stays_below(one) else { return Ok(false) };
            let mut covers = false;
            for SetItem { glob, out } in &self.items {
                if *out {
                    covers = covers && !glob.could_be_one(one, files, work)?;
                } else {
                    covers = covers || glob.covers_all_below(&dir);
                }
            }
            if !covers {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a name is spelled out in one of its patterns. See [`PathGlob::names`].
    pub fn names(&self, name: &dyn Fn(&str) -> bool) -> bool {
        self.globs().any(|glob| glob.names(name))
    }
}

fn folders_of<'a>(globs: impl Iterator<Item = &'a PathGlob>) -> impl Iterator<Item = &'a str> {
    let ways = globs.flat_map(PathGlob::ways);
    ways.filter(|way| !way.rest.is_empty() && !way.prefix.is_empty()).map(|way| way.prefix.as_str())
}

fn touches_where(
    items: &[SetItem], readings: &[&str],
    bites: impl Fn(&PathGlob, &PathReading) -> Result<bool, PathError>,
    surely: impl Fn(&PathGlob, &str) -> bool,
) -> Result<bool, PathError> {
    for reading in readings {
        let reading = PathReading::new(reading);
        // The last that matches decides.
        for SetItem { glob, out } in items.iter().rev() {
            if *out && surely(glob, reading.text) {
                break;
            }
            if !*out && bites(glob, &reading)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
