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
    /// All directories above these.
    dirs: BTreeSet<String>,
    /// By a folded name that the path must hold.
    names: HashMap<String, Vec<usize>>,
    /// Neither.
    rest: Vec<usize>,
    /// Those in `names` and `rest`.
    floating: Vec<usize>,
    /// From the latest look at the file system.
    seen: Mutex<Option<Seen>>,
}

type Sets = BTreeMap<String, Vec<usize>>;

/// Which beginnings led through symlinks, and what the directories above all of them were like before that was looked up.
#[derive(Debug)]
struct Seen {
    stamps: Vec<Stamp>,
    moved: Vec<String>,
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
                    let above = way.prefix.match_indices('/').map(|(end, _)| end.max(1));
                    for dir in above.filter_map(|end| way.prefix.get(..end)) {
                        if !index.dirs.contains(dir) {
                            index.dirs.insert(dir.to_owned());
                        }
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

    /// The sets that could cover or touch the path, each once, in order.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn candidates(&self, path: &Located, files: &dyn Files) -> Result<Vec<usize>, PathError> {
        let moved = self.moved(files)?;
        Ok(self.found(path, &moved).into_iter().collect())
    }

    /// The sets that could touch the directory or anything below it, each once, in order.
    ///
    /// # Errors
    /// [`PathError::NeedsFiles`].
    pub fn candidates_below(
        &self, path: &Located, files: &dyn Files,
    ) -> Result<Vec<usize>, PathError> {
        let moved = self.moved(files)?;
        let mut found = self.found(path, &moved);
        found.extend(&self.floating);
        for reading in path.readings() {
            let below = fold(reading).trim_end_matches('/').to_owned() + "/";
            for map in [&self.beginnings, &moved] {
                let from = (Bound::Excluded(below.as_str()), Bound::Unbounded);
                let range =
                    map.range::<str, _>(from).take_while(|(text, _)| text.starts_with(&below));
                found.extend(range.flat_map(|(_, sets)| sets));
            }
        }
        Ok(found.into_iter().collect())
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
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // Before the links are read: what changes meanwhile is noticed the next time.
        let stamps: Option<Vec<Stamp>> = self.dirs.iter().map(|dir| files.stamp(dir)).collect();
        let mut moved = Sets::new();
        if let Some(seen) = seen.as_ref()
            && stamps.as_ref() == Some(&seen.stamps)
        {
            // What led through no symlink still does not. The others may lead through directories of which nothing is known.
            for written in &seen.moved {
                self.follow(written, &files, &mut moved)?;
            }
            return Ok(moved);
        }
        let mut names = Vec::new();
        for written in self.written.keys() {
            if let Some((dir, _)) = written.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) {
                // So that those beside it are resolved from there.
                files.real(dir).ok();
            }
            if self.follow(written, &files, &mut moved)? {
                names.push(written.clone());
            }
        }
        *seen = stamps.map(|stamps| Seen { stamps, moved: names });
        Ok(moved)
    }

    /// Whether the beginning leads elsewhere.
    fn follow(
        &self, written: &str, files: &Cached<'_>, moved: &mut Sets,
    ) -> Result<bool, PathError> {
        let real = match files.real(written) {
            Ok(real) if real == written => return Ok(false),
            Ok(real) => real,
            Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
            // It may be told the next time.
            Err(_) => return Ok(true),
        };
        let real = fold(real.strip_suffix('/').unwrap_or(&real));
        moved.entry(real).or_default().extend(self.written.get(written).into_iter().flatten());
        Ok(true)
    }
}
