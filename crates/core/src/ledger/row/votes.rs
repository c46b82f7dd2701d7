//! The approvals of a request that were counted, as they are kept: JSON, sealed where there is a key.

use serde::{Deserialize, Serialize};

use super::codec::{ContentSealer, internal};
use super::request::RequestRow;
use crate::approval::{DecisionChannel, Vote};
use crate::ledger::LedgerError;

const COLUMN: &str = "votes";

#[derive(Serialize, Deserialize)]
struct VoteRow {
    by: Box<str>,
    via: DecisionChannel,
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Box<str>>,
    /// A bit for each need.
    r#for: u32,
    entry: u64,
}

impl From<&Vote> for VoteRow {
    fn from(vote: &Vote) -> Self {
        let Vote { by, via, at, reason, counts_for, entry } = vote.clone();
        Self { by, via, at, reason, r#for: counts_for, entry }
    }
}

impl From<VoteRow> for Vote {
    fn from(VoteRow { by, via, at, reason, r#for, entry }: VoteRow) -> Self {
        Self { by, via, at, reason, counts_for: r#for, entry }
    }
}

impl RequestRow {
    /// Takes these votes instead of those it has. The entry of the audit with the number `seq` tells of the last one, which is
    /// new.
    pub(in crate::ledger) fn add_vote(
        &mut self, sealer: &ContentSealer, mut votes: Vec<Vote>, seq: u64,
    ) -> Result<Vec<Vote>, LedgerError> {
        if let Some(vote) = votes.last_mut() {
            vote.entry = seq;
        }
        self.set_votes(sealer, &votes)?;
        Ok(votes)
    }

    /// Takes these votes instead of those it has.
    pub(super) fn set_votes(
        &mut self, sealer: &ContentSealer, votes: &[Vote],
    ) -> Result<(), LedgerError> {
        let kept: Vec<VoteRow> = votes.iter().map(VoteRow::from).collect();
        let text = serde_json::to_string(&kept).map_err(|error| internal(error.to_string()))?;
        self.votes = Some(sealer.seal(self.id.as_bytes(), COLUMN, &text)?);
        Ok(())
    }

    /// Its votes; `None`: they are not what was written.
    pub(super) fn votes(&self, sealer: &ContentSealer) -> Result<Option<Vec<Vote>>, LedgerError> {
        let Some(kept) = &self.votes else { return Ok(Some(Vec::new())) };
        let text = sealer.open(self.id.as_bytes(), COLUMN, kept)?;
        let kept: Option<Vec<VoteRow>> = serde_json::from_str(&text).ok();
        Ok(kept.map(|votes| votes.into_iter().map(Vote::from).collect()))
    }
}
