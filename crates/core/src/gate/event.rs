//! What a gate tells of.

use std::sync::Arc;

use crate::approval::{ApprovalId, Decided, Request};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A call was put to a human.
    Requested(Arc<Request>),
    /// It was decided; a second time when an approval is taken back before its start.
    Decided {
        /// The request.
        request: Arc<Request>,
        /// The decision.
        decided: Arc<Decided>,
    },
    /// Its tool starts.
    Started {
        /// The request.
        id: ApprovalId,
        /// ms since the epoch.
        at: u64,
    },
    /// Its tool ended.
    Settled {
        /// The request.
        id: ApprovalId,
        /// How.
        succeeded: bool,
        /// ms since the epoch.
        at: u64,
    },
}
