//! Files by their names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use serde::Serialize;

use super::cancel::CancelFlag;
use super::error::FileError;
use super::pattern::GlobPattern;
use super::root::FileRoot;
use super::walk::FolderWalk;

/// Files that a glob matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GlobMatches {
    /// From the root, with `/`; those that changed last first.
    pub paths: Vec<String>,
    /// There are more.
    pub truncated: bool,
}

impl FileRoot {
    /// The files below the folder `path` that a glob matches: the `limit` that changed last.
    ///
    /// # Errors
    /// When the pattern is invalid, or no such folder is below the root.
    pub fn glob(
        &self, pattern: &str, path: &str, limit: usize, cancel: &CancelFlag,
    ) -> Result<GlobMatches, FileError> {
        let from = self.folder_at(path)?;
        // An absolute pattern says itself where it starts.
        let below_root = self.pattern(pattern)?;
        let from = if below_root.len() == pattern.len() { from } else { self.folder_at("")? };
        let pattern = GlobPattern::new(below_root)?;
        let hidden = |name: &str| pattern.names_hidden(name);
        // The oldest on top: it goes when there are too many. Of one time, the path that comes last.
        let mut latest: BinaryHeap<(Reverse<SystemTime>, String)> = BinaryHeap::new();
        let mut more = false;
        let mut walk = FolderWalk::new(cancel, &hidden);
        walk.run(self, &from, &mut |found| {
            if pattern.matches(found.below) {
                let changed = found
                    .dir
                    .symlink_metadata(found.name)
                    .and_then(|found| found.modified())
                    .map_or(SystemTime::UNIX_EPOCH, |time| time.into_std());
                latest.push((Reverse(changed), found.path.to_owned()));
                if latest.len() > limit {
                    latest.pop();
                    more = true;
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let truncated = more || walk.truncated;
        let paths = latest.into_sorted_vec().into_iter().map(|(_, path)| path).collect();
        Ok(GlobMatches { paths, truncated })
    }
}
