//! Finds the few of many rules that could speak of a path.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use super::beginnings::{LinkedBeginnings, PathBeginnings};
use super::matching::fold;
use super::pattern::PatternSegment;
use super::{FileLookup, LocatedPath, PartialPath, PathError, PathGlob, PathSet};

/// The sets of many rules, by what is spelled out in their patterns: the names they begin with, else a name they hold.
///
/// What it finds is a superset: what it leaves out neither [covers](PathSet::covers) nor [touches](PathSet::touches) the
/// path. The time it takes does not grow with the sets, as long as the directories that the patterns begin in do not change.
#[derive(Debug, Default)]
pub struct PathIndex {
    /// By the folded beginning.
    sets: BTreeMap<String, Vec<usize>>,
    /// The beginnings as they are written, to be resolved.
    beginnings: PathBeginnings,
    /// By a folded name that the path must hold.
    names: HashMap<String, Vec<usize>>,
    /// Neither.
    rest: Vec<usize>,
    /// Those in `names` and `rest`.
    floating: Vec<usize>,
}

impl PathIndex {
    /// Of these sets; each is known by its place in the iteration, from 0.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a PathSet>) -> Self {
        let mut index = Self::default();
        for (set, patterns) in sets.into_iter().enumerate() {
            for way in patterns.globs().flat_map(PathGlob::ways) {
                if !way.prefix.is_empty() {
                    index.sets.entry(fold(&way.prefix)).or_default().push(set);
                    index.beginnings.insert(&way.prefix);
                    continue;
                }
                index.floating.push(set);
                let literal = way.rest.iter().rev().find_map(|segment| match segment {
                    PatternSegment::Literal(name) => Some(fold(name)),
                    _ => None,
                });
                match literal {
                    Some(name) => index.names.entry(name).or_default().push(set),
                    None => index.rest.push(set),
                }
            }
        }
        index
    }

    /// Which beginnings of patterns lead through symlinks now. Once for a verdict; of directories that have not changed
    /// since the latest call the names are not looked at again.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn links(&self, files: &dyn FileLookup) -> Result<LinkedBeginnings, PathError> {
        self.beginnings.links(files)
    }

    /// The sets that could cover or touch the path, each once, in order.
    pub fn candidates(&self, path: &LocatedPath, links: &LinkedBeginnings) -> Vec<usize> {
        in_order(self.found(path, links))
    }

    /// The sets that could touch the directory or anything below it, each once, in order.
    pub fn candidates_below(&self, path: &LocatedPath, links: &LinkedBeginnings) -> Vec<usize> {
        let mut found = self.found(path, links);
        found.extend(&self.floating);
        for reading in path.readings() {
            self.add_tree(fold(reading).trim_end_matches('/'), links, &mut found);
        }
        in_order(found)
    }

    /// The sets that begin at this directory, above it or below it.
    fn add_tree(&self, dir: &str, links: &LinkedBeginnings, found: &mut Vec<usize>) {
        let mut add = |dir: &str| {
            self.add_above(dir, found);
            self.add_below(dir, found);
        };
        add(dir);
        links.with_names_for(dir, &mut add);
        links.below(dir).into_iter().for_each(add);
    }

    /// The sets that could match a path that is known in part, each once, in order. `None`: all of them.
    pub fn candidates_for(
        &self, path: &PartialPath, links: &LinkedBeginnings,
    ) -> Option<Vec<usize>> {
        let mut found = self.floating.clone();
        for dir in path.dirs()? {
            let dir = fold(&dir);
            self.add_tree(dir.trim_end_matches('/'), links, &mut found);
        }
        Some(in_order(found))
    }

    fn found(&self, path: &LocatedPath, links: &LinkedBeginnings) -> Vec<usize> {
        let mut found = self.rest.clone();
        for reading in path.readings() {
            let reading = fold(reading);
            self.add_above(&reading, &mut found);
            links.with_names_for(&reading, |other| self.add_above(other, &mut found));
            for name in reading.split('/') {
                found.extend(self.names.get(name).into_iter().flatten());
            }
        }
        found
    }

    /// The sets that begin at this path or above it.
    fn add_above(&self, path: &str, found: &mut Vec<usize>) {
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let above = path.get(..end).unwrap_or_default();
            found.extend(self.sets.get(above).into_iter().flatten());
        }
    }

    /// The sets that begin below this directory.
    fn add_below(&self, dir: &str, found: &mut Vec<usize>) {
        let below = format!("{dir}/");
        let from = (Bound::Excluded(below.as_str()), Bound::Unbounded);
        let range = self.sets.range::<str, _>(from);
        let range = range.take_while(|(text, _)| text.starts_with(&below));
        found.extend(range.flat_map(|(_, sets)| sets));
    }
}

fn in_order(mut found: Vec<usize>) -> Vec<usize> {
    found.sort_unstable();
    found.dedup();
    found
}
