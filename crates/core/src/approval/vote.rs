//! Approvals that are counted.

use super::DecisionChannel;

/// An approval that was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Who.
    pub by: Box<str>,
    /// Through what.
    pub via: DecisionChannel,
    /// When, in ms since the epoch.
    pub at: u64,
    /// Why.
    pub reason: Option<Box<str>>,
    /// A bit for each need that it counts for.
    pub counts_for: u32,
    /// The number of the entry of the audit that tells of it; 0: no entry.
    pub entry: u64,
}

/// What a decision does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VoteOutcome {
    /// It decides the request. With the votes as they then are, where they are counted.
    Stands(Option<Vec<Vote>>),
    /// It is one of several: the votes as they then are, it being the last.
    Counts(Vec<Vote>),
    /// It was counted before, or is not needed any more: nothing changes.
    Known,
    /// This person may not take it.
    Refused,
}
