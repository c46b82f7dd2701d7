//! For tests that bound work: the time that this thread worked, which other programs on the machine do not change.

use std::time::Duration;

/// A point in the working time of this thread. Like `std::time::Instant`, and to be compared on the thread it was taken on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(Duration);

impl Instant {
    /// Now. Where the system does not tell it is always the same: the bound is not checked there.
    pub(crate) fn now() -> Self {
        #[cfg(unix)]
        {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Self(Duration::try_from(time).unwrap_or_default())
        }
        #[cfg(not(unix))]
        Self(Duration::ZERO)
    }

    /// The work since.
    pub(crate) fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
