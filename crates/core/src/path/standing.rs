//! How far patterns are matched by the path of a folder, so that names below it may match.

use std::collections::BTreeSet;

use super::matching::{fold, name_matches};
use super::pattern::PatternSegment;
use super::way::AbsolutePattern;
use super::{FileLookup, LocatedPath, PathSet};

/// Where patterns stand behind the path of a folder. Those that begin with `**`, and have matched nothing else, are left out: they say
/// of what lies there the same by any name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternsBelow {
    /// Which pattern, and its segment that the next name is for; negative: as many names of its beginning are left.
    at: BTreeSet<(usize, usize, isize)>,
    /// Whether one got there by more than a `**`.
    by_name: bool,
}

impl PatternsBelow {
    /// Whether none is there.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Whether the name of the folder itself matches a name of one, and not a `**` alone.
    pub fn is_by_name(&self) -> bool {
        self.by_name
    }

    /// Whether each of these is there as well.
    pub fn is_within(&self, other: &Self) -> bool {
        self.at.is_subset(&other.at)
    }

    fn add(&mut self, (glob, way): (usize, usize), (at, by_name): (isize, bool)) {
        self.at.insert((glob, way, at));
        self.by_name |= by_name;
    }
}

impl PathSet {
    /// Where its patterns stand behind this path of a folder, which lies at `place`.
    pub fn below(&self, dir: &str, place: &LocatedPath, files: &dyn FileLookup) -> PatternsBelow {
        let mut below = PatternsBelow::default();
        let folded = place.folds_case(files).then(|| fold(dir));
        for (at, glob) in self.globs().enumerate() {
            for (number, way) in glob.ways().iter().enumerate() {
                // A beginning that cannot be resolved leads nowhere.
                let resolved = way.resolved(files).ok().flatten();
                for prefix in std::iter::once(&way.prefix).chain(&resolved) {
                    let found = standing(way, prefix, dir, false);
                    found.into_iter().for_each(|it| below.add((at, number), it));
                    if let Some(dir) = &folded {
                        let found = standing(&way.folded(), &fold(prefix), dir, true);
                        found.into_iter().for_each(|it| below.add((at, number), it));
                    }
                }
            }
        }
        below
    }
}

/// Where this pattern stands behind the path, and whether the last name of that matched more than a `**`.
fn standing(way: &AbsolutePattern, prefix: &str, dir: &str, folded: bool) -> Vec<(isize, bool)> {
    let dir = dir.trim_end_matches('/');
    if let Some(left) = prefix.strip_prefix(dir).filter(|left| left.starts_with('/')) {
        let names = isize::try_from(left.matches('/').count()).unwrap_or(isize::MAX);
        return vec![(-names, true)];
    }
    let Some(names) =
        dir.strip_prefix(prefix).filter(|names| names.is_empty() || names.starts_with('/'))
    else {
        return Vec::new();
    };
    let is_deep = |at: usize| way.rest.get(at) == Some(&PatternSegment::Deep);
    let entered = |at: usize| {
        // `**` takes no name as well.
        let mut all = vec![at];
        while let Some(last) = all.last().copied().filter(|at| is_deep(*at)) {
            all.push(last + 1);
        }
        all
    };
    let mut here: BTreeSet<(usize, bool)> = entered(0).into_iter().map(|at| (at, true)).collect();
    for name in names.split('/').filter(|name| !name.is_empty()) {
        let mut next = BTreeSet::new();
        for (at, _) in here {
            let Some(segment) = way.rest.get(at) else { continue };
            if is_deep(at) {
                next.extend(entered(at).into_iter().map(|at| (at, false)));
            } else if name_matches(segment, name, folded) {
                next.extend(entered(at + 1).into_iter().map(|at| (at, true)));
            }
        }
        here = next;
    }
    let floats = prefix.is_empty() && is_deep(0);
    let leading = if floats { entered(0) } else { Vec::new() };
    here.into_iter()
        .filter(|(at, _)| *at < way.rest.len() && !leading.contains(at))
        .filter_map(|(at, by_name)| Some((isize::try_from(at).ok()?, by_name)))
        .collect()
}
