//! The acknowledgements of a run, checked against the contents of the store.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::{Deserialize, Serialize};

use crate::store::{ProofError, RequestRow, StoreSnapshot};

/// An acknowledgement: an answer of a store, written down right after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ack", rename_all = "kebab-case")]
pub enum StoreAck {
    /// A request is kept under this key.
    Requested {
        /// The key of the request.
        key: Arc<str>,
        /// Its id.
        id: Arc<str>,
    },
    /// A decision stands, of this caller or of another.
    Decided {
        /// The request.
        id: Arc<str>,
        /// The decider whose decision stands.
        by: Arc<str>,
    },
    /// An approval was redeemed.
    Started {
        /// The request.
        id: Arc<str>,
    },
    /// An execution ended.
    Finished {
        /// The request.
        id: Arc<str>,
    },
}

/// The acknowledgements in a file. A last line that is not whole was not acknowledged.
pub fn read(path: &Path) -> Result<Vec<StoreAck>, ProofError> {
    let text = fs::read_to_string(path)?;
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}

/// The findings of a check: how many acknowledgements and requests it saw, and how many are wrong.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreFindings {
    /// How many acknowledgements were looked at.
    pub acks: u64,
    /// How many requests the store holds.
    pub rows: u64,
    /// How many of them were started by a process that was gone before they ended, and are marked so.
    #[serde(default)]
    pub interrupted: u64,
    /// Acknowledged, and not in the store.
    pub lost: u64,
    /// There twice, decided twice, decided otherwise than acknowledged, started twice.
    pub doubled: u64,
    /// Everything else that must not be: a broken chain, a status that its history does not explain.
    pub broken: u64,
    /// The first few of all these, in words.
    pub examples: Vec<String>,
}

impl StoreFindings {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.broken == 0
    }

    /// Adds the findings of another check.
    pub fn add(&mut self, other: Self) {
        self.acks += other.acks;
        self.rows += other.rows;
        self.interrupted += other.interrupted;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.broken += other.broken;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }

    fn lost(&mut self, what: String) {
        self.lost += 1;
        self.example("lost", what);
    }

    fn doubled(&mut self, what: String) {
        self.doubled += 1;
        self.example("doubled", what);
    }

    fn broken(&mut self, what: String) {
        self.broken += 1;
        self.example("broken", what);
    }

    fn example(&mut self, kind: &str, what: String) {
        if self.examples.len() < EXAMPLES {
            self.examples.push(format!("{kind}: {what}"));
        }
    }
}

const EXAMPLES: usize = 5;

/// Checks acknowledgements against the snapshot of a store.
pub fn verify(acks: &[StoreAck], snapshot: &StoreSnapshot) -> StoreFindings {
    let mut findings = StoreFindings {
        acks: acks.len() as u64,
        rows: snapshot.rows.len() as u64,
        ..StoreFindings::default()
    };
    snapshot.damage.iter().for_each(|damage| findings.broken(damage.clone()));
    let rows = once_each(snapshot, &mut findings);
    let interrupted = rows.values().filter(|row| status(row) == Some(Status::Interrupted));
    findings.interrupted = interrupted.count() as u64;
    audit_explains(&rows, snapshot, &mut findings);

    let mut started = HashSet::new();
    for ack in acks {
        match ack {
            StoreAck::Requested { key, id } => match rows.get(id) {
                None => findings.lost(format!("request {id} under {key}")),
                Some(row) if row.key != *key => {
                    findings.broken(format!("request {id} is kept under {}, not {key}", row.key));
                }
                Some(_) => {}
            },
            StoreAck::Decided { id, by } => match rows.get(id).map(|row| &row.state.by) {
                None | Some(None) => findings.lost(format!("the decision of {id} by {by}")),
                Some(Some(other)) if other != by => {
                    findings.doubled(format!("{id} was decided by {by}, and now by {other}"));
                }
                Some(_) => {}
            },
            StoreAck::Started { id } => {
                if !started.insert(id) {
                    findings.doubled(format!("{id} was started twice"));
                }
                if !rows.get(id).and_then(|row| status(row)).is_some_and(Status::was_started) {
                    findings.lost(format!("the start of {id}"));
                }
            }
            StoreAck::Finished { id } => {
                let status = rows.get(id).and_then(|row| status(row));
                if status != Some(Status::Succeeded) {
                    findings.lost(format!("the end of {id}, which is {status:?}"));
                }
            }
        }
    }
    findings
}

fn status(row: &RequestRow) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.name() == &*row.state.status)
}

fn once_each<'a>(
    snapshot: &'a StoreSnapshot, findings: &mut StoreFindings,
) -> HashMap<&'a Arc<str>, &'a RequestRow> {
    let mut rows = HashMap::new();
    let mut keys = HashSet::new();
    for row in &snapshot.rows {
        if rows.insert(&row.id, row).is_some() {
            findings.doubled(format!("request {} is there twice", row.id));
        }
        if !keys.insert(&row.key) {
            findings.doubled(format!("{} was asked twice", row.key));
        }
    }
    rows
}

/// How often the audit log has each kind of entry for one request, and the decider that it names.
#[derive(Default)]
struct AuditCounts {
    requested: u64,
    decided: u64,
    started: u64,
    settled: u64,
    interrupted: u64,
    by: Option<Arc<str>>,
}

/// Checks that the audit log explains the status of each row, with each step once.
fn audit_explains(
    rows: &HashMap<&Arc<str>, &RequestRow>, snapshot: &StoreSnapshot, findings: &mut StoreFindings,
) {
    let mut counts: HashMap<&Arc<str>, AuditCounts> = HashMap::new();
    for entry in &snapshot.audit {
        let about = counts.entry(&entry.id).or_default();
        match &*entry.kind {
            "requested" => about.requested += 1,
            "decided" => {
                about.decided += 1;
                about.by.clone_from(&entry.by);
            }
            "started" => about.started += 1,
            "settled" => about.settled += 1,
            "interrupted" => about.interrupted += 1,
            _ => {}
        }
    }
    for (id, about) in &counts {
        if !rows.contains_key(id) {
            findings.lost(format!("request {id}, of which the audit log tells"));
        }
        for (kind, times) in [
            ("requested", about.requested),
            ("decided", about.decided),
            ("started", about.started),
            ("ended", about.settled + about.interrupted),
        ] {
            if times > 1 {
                findings.doubled(format!("{id} was {kind} {times} times"));
            }
        }
    }
    for (id, row) in rows {
        let nothing = AuditCounts::default();
        let about = counts.get(id).unwrap_or(&nothing);
        let state = &row.state;
        let steps =
            (about.requested, about.decided, about.started, about.settled, about.interrupted);
        let explained = match status(row) {
            Some(Status::Pending) => steps == (1, 0, 0, 0, 0),
            Some(Status::Started) => steps == (1, 1, 1, 0, 0),
            Some(Status::Succeeded | Status::Failed) => steps == (1, 1, 1, 1, 0),
            Some(Status::Interrupted) => steps == (1, 1, 1, 0, 1),
            Some(_) => steps == (1, 1, 0, 0, 0),
            None => false,
        };
        if !explained || (about.decided == 1 && about.by != state.by) {
            findings.broken(format!("{id} is {state:?}, and the audit log tells {steps:?}"));
        }
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
