//! Where the beginnings of many patterns lead through symlinks, looked up again only where a directory has changed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use super::files::{DirListing, DirStamp};
use super::matching::fold;
use super::{CachedFiles, FileLookup, PathError};

/// From how many names on a directory is listed rather than each of them looked up.
const FEW_NAMES: usize = 16;
/// The most names in a directory that is listed.
const MOST_LISTED: usize = 4096;

/// Absolute paths, as they are written, that patterns begin with.
#[derive(Debug, Default)]
pub(super) struct PathBeginnings {
    /// The directories that they lead through, each with the paths in it that they go on with.
    dirs: HashMap<String, BeginningDir>,
    /// From the latest look at each directory.
    seen: Mutex<HashMap<String, SeenDir>>,
}

#[derive(Debug, Default)]
struct BeginningDir {
    paths: HashSet<String>,
    /// Those whose names are ASCII, by the folded name.
    by_name: HashMap<String, Vec<String>>,
    /// Those that a list of names may show otherwise than they are written.
    odd: Vec<String>,
}

/// What was found in a directory, and what it was like before.
#[derive(Debug)]
struct SeenDir {
    stamp: DirStamp,
    found: FoundPaths,
}

/// What of the paths in a directory there is.
#[derive(Debug, Clone, Default)]
struct FoundPaths {
    links: Vec<String>,
    /// Those that patterns lead through and that are there, for all that is known.
    dirs: Vec<String>,
}

/// Which beginnings of patterns lead elsewhere through symlinks, for one verdict. The default: none.
#[derive(Debug, Clone, Default)]
pub struct LinkedBeginnings {
    /// The symlinks by where they lead, all folded, without a `/` at the end.
    by_target: BTreeMap<String, Vec<String>>,
}

impl LinkedBeginnings {
    /// Calls back with each further name that this folded path has through a symlink.
    pub(super) fn with_names_for(&self, path: &str, mut call: impl FnMut(&str)) {
        if self.by_target.is_empty() {
            return;
        }
        // What leads to `/` leads to the empty one.
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let (Some(above), Some(rest)) = (path.get(..end), path.get(end..)) else { continue };
            for link in self.by_target.get(above).into_iter().flatten() {
                call(&format!("{link}{rest}"));
            }
        }
    }

    /// The symlinks that lead to below this directory.
    pub(super) fn below(&self, dir: &str) -> Vec<&str> {
        let below = format!("{dir}/");
        let range = (Bound::Excluded(below.as_str()), Bound::Unbounded);
        let range = self.by_target.range::<str, _>(range);
        let range = range.take_while(|(target, _)| target.starts_with(&below));
        range.flat_map(|(_, links)| links.iter().map(String::as_str)).collect()
    }
}

impl PathBeginnings {
    pub(super) fn insert(&mut self, path: &str) {
        let ends = path.match_indices('/').map(|(end, _)| end).skip(1);
        let mut dir = "/";
        for end in ends.chain([path.len()]) {
            let path = path.get(..end).unwrap_or_default();
            if !self.dirs.contains_key(dir) {
                self.dirs.insert(dir.to_owned(), BeginningDir::default());
            }
            if let Some(dir) = self.dirs.get_mut(dir)
                && !dir.paths.contains(path)
            {
                let name = path.rsplit('/').next().unwrap_or_default();
                if name.is_ascii() {
                    dir.by_name.entry(fold(name)).or_default().push(path.to_owned());
                } else {
                    dir.odd.push(path.to_owned());
                }
                dir.paths.insert(path.to_owned());
            }
            dir = path;
        }
    }

    /// The symlinks among these and what they lead through, and where they lead.
    pub(super) fn links(&self, files: &dyn FileLookup) -> Result<LinkedBeginnings, PathError> {
        let files = CachedFiles::new(files);
        let mut links = LinkedBeginnings::default();
        for link in self.symlinks(&files)? {
            match files.real(&link) {
                Ok(real) => {
                    let real = fold(real.strip_suffix('/').unwrap_or(&real));
                    links.by_target.entry(real).or_default().push(fold(&link));
                }
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                // No one gets where this leads.
                Err(_) => {}
            }
        }
        Ok(links)
    }

    fn symlinks(&self, files: &CachedFiles<'_>) -> Result<Vec<String>, PathError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        let mut open = Vec::new();
        if !self.dirs.is_empty() {
            // Without files this fails even if there is nothing to look up.
            files.read_link("/")?;
            open.push("/".to_owned());
        }
        while let Some(path) = open.pop() {
            let Some(dir) = self.dirs.get(&path) else { continue };
            // Before the names are read: what changes meanwhile is noticed the next time.
            let stamp = files.stamp(&path);
            if stamp.is_some_and(|stamp| stamp.is_missing()) {
                continue;
            }
            let found = match seen.get(&path).filter(|seen| stamp == Some(seen.stamp)) {
                Some(seen) => &seen.found,
                None => {
                    let found = self.look(&path, dir, files)?;
                    let stamp = stamp.unwrap_or_else(DirStamp::never);
                    seen.insert(path.clone(), SeenDir { stamp, found });
                    let Some(seen) = seen.get(&path) else { continue };
                    &seen.found
                }
            };
            all.extend(found.links.iter().cloned());
            open.extend(found.dirs.iter().cloned());
        }
        Ok(all)
    }

    fn look(
        &self, path: &str, dir: &BeginningDir, files: &CachedFiles<'_>,
    ) -> Result<FoundPaths, PathError> {
        let mut found = FoundPaths::default();
        // Windows knows files by short names too, which are not listed.
        let many = dir.paths.len() > FEW_NAMES && !cfg!(windows);
        let listed = match many.then(|| files.list(path, MOST_LISTED)) {
            Some(DirListing::Names(names)) => Some(names),
            _ => None,
        };
        // Where a file system takes one name for another, it is case or Unicode that they differ in.
        let listed = listed.filter(|names| names.iter().all(|listed| listed.name.is_ascii()));
        match listed {
            Some(names) => {
                for listed in names {
                    for path in dir.by_name.get(&fold(&listed.name)).into_iter().flatten() {
                        self.add(path, listed.is_link, &mut found, files)?;
                    }
                }
                for path in &dir.odd {
                    self.add(path, true, &mut found, files)?;
                }
            }
            None => {
                for path in &dir.paths {
                    self.add(path, true, &mut found, files)?;
                }
            }
        }
        Ok(found)
    }

    fn add(
        &self, path: &str, maybe_link: bool, found: &mut FoundPaths, files: &CachedFiles<'_>,
    ) -> Result<(), PathError> {
        if maybe_link {
            match files.read_link(path) {
                Ok(None) => {}
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                Ok(Some(_)) | Err(_) => found.links.push(path.to_owned()),
            }
        }
        if self.dirs.contains_key(path) {
            found.dirs.push(path.to_owned());
        }
        Ok(())
    }
}
