//! Finds the few of many rules that could speak of a path.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use super::files::Stamp;
use super::matching::fold;
use super::pattern::Segment;
use super::{Cached, Files, Glob, Located, PathError, PathSet};

/// The sets of many rules, by what is spelled out in their patterns: the names they begin with, else a name they hold.
///
/// What it finds is a superset: what it leaves out neither [covers](PathSet::covers) nor [touches](PathSet::touches) the
/// path. The time it takes does not grow with the sets, as long as the directories that the patterns begin in do not change.
#[derive(Debug, Default)]
pub struct PathIndex {
    /// By the folded beginning.
    beginnings: Sets,
    /// By the beginning as it is written, to be resolved.
    written: Sets,
    /// The directories that these lead through, and what is looked up in each.
    dirs: BTreeMap<String, BTreeSet<String>>,
    /// By a folded name that the path must hold.
    names: HashMap<String, Vec<usize>>,
    /// Neither.
    rest: Vec<usize>,
    /// Those in `names` and `rest`.
    floating: Vec<usize>,
    /// From the latest look at each directory.
    seen: Mutex<HashMap<String, Seen>>,
}

type Sets = BTreeMap<String, Vec<usize>>;

/// Which beginnings of patterns lead elsewhere through symlinks, for one verdict. The default: none.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// By where they lead, folded.
    moved: Sets,
}

/// What a directory was like before it was looked at, and the symlinks that were found.
#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    links: Vec<String>,
}

impl PathIndex {
    /// Of these sets; each is known by its place in the iteration, from 0.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a PathSet>) -> Self {
        let mut index = Self::default();
        for (set, patterns) in sets.into_iter().enumerate() {
            for way in patterns.globs().flat_map(Glob::ways) {
                if !way.prefix.is_empty() {
                    index.beginnings.entry(fold(&way.prefix)).or_default().push(set);
                    index.written.entry(way.prefix.clone()).or_default().push(set);
                    let ends = way.prefix.match_indices('/').map(|(end, _)| end).skip(1);
                    let mut dir = "/";
                    for end in ends.chain([way.prefix.len()]) {
                        let path = way.prefix.get(..end).unwrap_or_default();
                        index.dirs.entry(dir.to_owned()).or_default().insert(path.to_owned());
                        dir = path;
                    }
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

    /// Which beginnings of patterns lead through symlinks now. Once for a verdict; directories that have not changed since
    /// the latest call are not looked at again.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn links(&self, files: &dyn Files) -> Result<Links, PathError> {
        Ok(Links { moved: self.moved(files)? })
    }

    /// The sets that could cover or touch the path, each once, in order.
    pub fn candidates(&self, path: &Located, links: &Links) -> Vec<usize> {
        self.found(path, &links.moved).into_iter().collect()
    }

    /// The sets that could touch the directory or anything below it, each once, in order.
    pub fn candidates_below(&self, path: &Located, links: &Links) -> Vec<usize> {
        let mut found = self.found(path, &links.moved);
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

    fn found(&self, path: &Located, moved: &Sets) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = self.rest.iter().copied().collect();
        for reading in path.readings() {
            let reading = fold(reading);
            // A beginning that leads to `/` is the empty one.
            for (end, _) in reading.match_indices('/').chain([(reading.len(), "")]) {
                let above = reading.get(..end).unwrap_or_default();
                for map in [&self.beginnings, moved] {
                    found.extend(map.get(above).into_iter().flatten());
                }
            }
            for name in reading.split('/') {
                found.extend(self.names.get(name).into_iter().flatten());
            }
        }
        found
    }

    /// The sets whose beginnings lead elsewhere through symlinks, by where, folded.
    fn moved(&self, files: &dyn Files) -> Result<Sets, PathError> {
        let files = Cached::new(files);
        let mut moved = Sets::new();
        for link in self.symlinks(&files)? {
            let below = format!("{link}/");
            let range =
                self.written.range::<str, _>((Bound::Excluded(below.as_str()), Bound::Unbounded));
            let below = range.take_while(|(written, _)| written.starts_with(&below));
            for (written, sets) in self.written.get_key_value(&link).into_iter().chain(below) {
                match files.real(written) {
                    Ok(real) => {
                        let real = fold(real.strip_suffix('/').unwrap_or(&real));
                        moved.entry(real).or_default().extend(sets);
                    }
                    Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                    // Where this leads nobody gets.
                    Err(_) => {}
                }
            }
        }
        Ok(moved)
    }

    /// The symlinks that beginnings lead through, as far as they are written.
    fn symlinks(&self, files: &Cached<'_>) -> Result<Vec<String>, PathError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        for (dir, paths) in &self.dirs {
            // Before the links are read: what changes meanwhile is noticed the next time.
            let stamp = files.stamp(dir);
            if let Some(seen) = seen.get(dir)
                && stamp == Some(seen.stamp)
            {
                all.extend(seen.links.iter().cloned());
                continue;
            }
            let mut links = Vec::new();
            for path in paths {
                match files.read_link(path) {
                    Ok(None) => {}
                    Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                    Ok(Some(_)) | Err(_) => links.push(path.clone()),
                }
            }
            all.extend(links.iter().cloned());
            match stamp {
                Some(stamp) => seen.insert(dir.clone(), Seen { stamp, links }),
                None => seen.remove(dir),
            };
        }
        Ok(all)
    }
}
