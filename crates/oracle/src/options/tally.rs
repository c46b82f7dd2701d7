//! The results of lines, in numbers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::compare::LineDifference;

/// The counts of the lines of one program, or of a part of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LineCounts {
    /// Lines judged.
    pub judged: usize,
    /// Lines allowed.
    pub allowed: usize,
    /// Lines that ran.
    pub ran: usize,
    /// Lines that were stopped.
    pub stopped: usize,
    /// Lines with which the tracer was lost.
    pub lost: usize,
    /// Whether the time was over before the lines were.
    pub cut: bool,
    /// Lines with differences.
    pub differing: usize,
    /// How long all of it took.
    pub took: Duration,
}

impl LineCounts {
    /// Adds the counts of other lines.
    pub fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.allowed += other.allowed;
        self.ran += other.ran;
        self.stopped += other.stopped;
        self.lost += other.lost;
        self.cut |= other.cut;
        self.differing += other.differing;
        self.took += other.took;
    }
}

/// The result of a piece of work: a part of the lines of one program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PieceTally {
    /// The numbers.
    pub row: LineCounts,
    /// Some differences, made smaller.
    pub differences: Vec<LineDifference>,
}
