//! What was made of files, kept from one verdict to the next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::path::{DirStamp, FileLookup};

/// What was made of files, by their paths: made again only where one has changed. At most `MOST_KEPT` are kept.
#[derive(Debug)]
pub(crate) struct KnownFiles<T: ?Sized, const MOST_KEPT: usize = 64> {
    seen: Mutex<HashMap<String, (DirStamp, Arc<T>)>>,
}

impl<T: ?Sized, const MOST_KEPT: usize> Default for KnownFiles<T, MOST_KEPT> {
    fn default() -> Self {
        Self { seen: Mutex::default() }
    }
}

impl<T: ?Sized, const MOST_KEPT: usize> KnownFiles<T, MOST_KEPT> {
    /// What was made of this file, or is. `None` is not kept.
    pub(crate) fn of(
        &self, path: &str, files: &dyn FileLookup, make: impl FnOnce() -> Option<Arc<T>>,
    ) -> Option<Arc<T>> {
        // Before the file is read: what changes meanwhile is noticed the next time.
        let stamp = files.stamp(path);
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = seen().get(path).filter(|(known, _)| stamp == Some(*known)) {
            return Some(Arc::clone(made));
        }
        let made = make()?;
        if let Some(stamp) = stamp {
            let mut seen = seen();
            if seen.len() >= MOST_KEPT {
                seen.clear();
            }
            seen.insert(path.to_owned(), (stamp, Arc::clone(&made)));
        }
        Some(made)
    }
}
