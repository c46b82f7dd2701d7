//! For tests that bound work: the time that this thread worked, which other programs on the machine do not change.

use std::time::Duration;

/// A point in the working time of this thread. Like `std::time::Instant`, and to be compared on the thread it was taken on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(Duration);

impl Instant {
    /// Now. Where the system does not tell it is always the same: the bound is not checked there.
    pub(crate) fn now() -> Self {
        let nanos = std::fs::read_to_string("/proc/thread-self/schedstat")
            .ok()
            .and_then(|text| text.split_ascii_whitespace().next()?.parse().ok());
        Self(Duration::from_nanos(nanos.unwrap_or_default()))
    }

    /// The work since.
    pub(crate) fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
