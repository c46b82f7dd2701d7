//! Ends work whose caller no longer waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{FileError, FileFault};

/// Says that work is no longer wanted. Its clones are one.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// From now on.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails once it was said.
    pub fn check(&self, path: &str) -> Result<(), FileError> {
        if self.is_cancelled() {
            return Err(FileFault::Cancelled.at(path, "the work was cancelled"));
        }
        Ok(())
    }
}
