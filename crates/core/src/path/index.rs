//! Finds the few of many rules that could speak of a path.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use super::matching::fold;
use super::pattern::Segment;
use super::{Cached, Files, Located, PathError, PathSet};

/// The sets of many rules, by what is spelled out in their patterns: the names they begin with, else a name they hold.
///
/// A superset: what it leaves out neither [covers](PathSet::covers) nor [touches](PathSet::touches) the path.
#[derive(Debug, Clone, Default)]
pub struct PathIndex {
    /// By the folded beginning.
    beginnings: BTreeMap<String, Vec<usize>>,
    /// The beginnings as written, to be resolved.
    written: BTreeMap<String, Vec<usize>>,
    /// By a folded name that the path must hold.
    names: HashMap<String, Vec<usize>>,
    /// Neither.
    rest: Vec<usize>,
    /// Those in `names` and `rest`.
    floating: Vec<usize>,
}

/// Which of the beginnings lead through symlinks.
#[derive(Debug, Clone, Default)]
pub struct IndexLinks {
    moved: BTreeMap<String, Vec<usize>>,
}

impl PathIndex {
    /// Of these sets; each is known by its place in the iteration, from 0.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a PathSet>) -> Self {
        let mut index = Self::default();
        for (set, patterns) in sets.into_iter().enumerate() {
            for way in patterns.globs().flat_map(super::Glob::ways) {
                if !way.prefix.is_empty() {
                    index.beginnings.entry(fold(&way.prefix)).or_default().push(set);
                    index.written.entry(way.prefix.clone()).or_default().push(set);
                    continue;
                }
                index.floating.push(set);
                let literal = way.rest.iter().rev().find_map(|segment| match segment {
                    Segment::Literal(name) => Some(fold(name)),
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

    /// Which beginnings of patterns lead through symlinks now: one look at the file system for each beginning, about a
    /// microsecond. It may be kept for a moment over verdicts: patterns are resolved anew when they are compared, so
    /// that nothing is allowed by what is kept, and who could change such a link could as well lead it elsewhere.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn links(&self, files: &dyn Files) -> Result<IndexLinks, PathError> {
        let files = Cached::new(files);
        let mut moved: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (written, sets) in &self.written {
            if let Some((dir, _)) = written.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) {
                // So that those beside it are resolved from there.
                files.real(dir).ok();
            }
            match files.real(written) {
                Ok(real) if real != *written => {
                    let real = real.strip_suffix('/').unwrap_or(&real);
                    moved.entry(fold(real)).or_default().extend(sets);
                }
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                _ => {}
            }
        }
        Ok(IndexLinks { moved })
    }

    /// The sets that could cover or touch the path, each once, in order.
    pub fn candidates(&self, path: &Located, links: &IndexLinks) -> Vec<usize> {
        let mut found: BTreeSet<usize> = self.rest.iter().copied().collect();
        for reading in path.readings() {
            let reading = fold(reading);
            for (end, _) in reading.match_indices('/').chain([(reading.len(), "")]) {
                let above = reading.get(..end).unwrap_or_default();
                for map in [&self.beginnings, &links.moved] {
                    found.extend(map.get(above).into_iter().flatten());
                }
            }
            // A beginning that resolved to `/` is kept as the empty one, found above.
            for name in reading.split('/') {
                found.extend(self.names.get(name).into_iter().flatten());
            }
        }
        found.into_iter().collect()
    }

    /// The sets that could touch the directory or anything below it, each once, in order.
    pub fn candidates_below(&self, path: &Located, links: &IndexLinks) -> Vec<usize> {
        let mut found: BTreeSet<usize> = self.candidates(path, links).into_iter().collect();
        found.extend(&self.floating);
        for reading in path.readings() {
            let below = fold(reading).trim_end_matches('/').to_owned() + "/";
            for map in [&self.beginnings, &links.moved] {
                let from = (Bound::Excluded(below.as_str()), Bound::Unbounded);
                let range =
                    map.range::<str, _>(from).take_while(|(text, _)| text.starts_with(&below));
                found.extend(range.flat_map(|(_, sets)| sets));
            }
        }
        found.into_iter().collect()
    }
}
