//! What was acknowledged, held against what a store holds.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use countersign_core::approval::Status;
use serde::{Deserialize, Serialize};

use crate::store::{Examination, Failure, Row};

/// What a store has answered, written down right after the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ack", rename_all = "kebab-case")]
pub enum Ack {
    /// A request is kept under this key.
    Requested {
        /// What it was asked under.
        key: Arc<str>,
        /// Its id.
        id: Arc<str>,
    },
    /// A decision stands, whoever was told of it.
    Decided {
        /// The request.
        id: Arc<str>,
        /// Whose decision stands.
        by: Arc<str>,
    },
    /// A claim was won.
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
pub fn read(path: &Path) -> Result<Vec<Ack>, Failure> {
    let text = fs::read_to_string(path)?;
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}

/// What was found wrong.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How many acknowledgements were looked at.
    pub acks: u64,
    /// How many requests the store holds.
    pub rows: u64,
    /// How many of them were started by a process that was gone before they ended, and are marked so.
    #[serde(default)]
    pub interrupted: u64,
    /// Acknowledged and not there.
    pub lost: u64,
    /// There twice, decided twice, decided otherwise than acknowledged, started twice.
    pub doubled: u64,
    /// Everything else that must not be: a broken chain, a status that its history does not explain.
    pub broken: u64,
    /// The first few of all these, in words.
    pub examples: Vec<String>,
}

impl Verdict {
    /// Whether nothing was.
    pub fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.broken == 0
    }

    /// Adds another's findings.
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

/// Holds acknowledgements against a store.
pub fn verify(acks: &[Ack], found: &Examination) -> Verdict {
    let mut verdict =
        Verdict { acks: acks.len() as u64, rows: found.rows.len() as u64, ..Verdict::default() };
    found.damage.iter().for_each(|damage| verdict.broken(damage.clone()));
    let rows = once_each(found, &mut verdict);
    let interrupted = rows.values().filter(|row| status(row) == Some(Status::Interrupted));
    verdict.interrupted = interrupted.count() as u64;
    audit_explains(&rows, found, &mut verdict);

    let mut started = HashSet::new();
    for ack in acks {
        match ack {
            Ack::Requested { key, id } => match rows.get(id) {
                None => verdict.lost(format!("request {id} under {key}")),
                Some(row) if row.key != *key => {
                    verdict.broken(format!("request {id} is kept under {}, not {key}", row.key));
                }
                Some(_) => {}
            },
            Ack::Decided { id, by } => match rows.get(id).map(|row| &row.seen.by) {
                None | Some(None) => verdict.lost(format!("the decision of {id} by {by}")),
                Some(Some(other)) if other != by => {
                    verdict.doubled(format!("{id} was decided by {by}, and now by {other}"));
                }
                Some(_) => {}
            },
            Ack::Started { id } => {
                if !started.insert(id) {
                    verdict.doubled(format!("{id} was started twice"));
                }
                if !rows.get(id).and_then(|row| status(row)).is_some_and(Status::was_started) {
                    verdict.lost(format!("the start of {id}"));
                }
            }
            Ack::Finished { id } => {
                let status = rows.get(id).and_then(|row| status(row));
                if status != Some(Status::Succeeded) {
                    verdict.lost(format!("the end of {id}, which is {status:?}"));
                }
            }
        }
    }
    verdict
}

fn status(row: &Row) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.name() == &*row.seen.status)
}

fn once_each<'a>(found: &'a Examination, verdict: &mut Verdict) -> HashMap<&'a Arc<str>, &'a Row> {
    let mut rows = HashMap::new();
    let mut keys = HashSet::new();
    for row in &found.rows {
        if rows.insert(&row.id, row).is_some() {
            verdict.doubled(format!("request {} is there twice", row.id));
        }
        if !keys.insert(&row.key) {
            verdict.doubled(format!("{} was asked twice", row.key));
        }
    }
    rows
}

#[derive(Default)]
struct Told {
    requested: u64,
    decided: u64,
    started: u64,
    settled: u64,
    interrupted: u64,
    by: Option<Arc<str>>,
}

/// Each row stands where the entries of the audit log say, and they say each thing once.
fn audit_explains(rows: &HashMap<&Arc<str>, &Row>, found: &Examination, verdict: &mut Verdict) {
    let mut told: HashMap<&Arc<str>, Told> = HashMap::new();
    for entry in &found.audit {
        let about = told.entry(&entry.id).or_default();
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
    for (id, about) in &told {
        if !rows.contains_key(id) {
            verdict.lost(format!("request {id}, of which the audit log tells"));
        }
        for (kind, times) in [
            ("requested", about.requested),
            ("decided", about.decided),
            ("started", about.started),
            ("ended", about.settled + about.interrupted),
        ] {
            if times > 1 {
                verdict.doubled(format!("{id} was {kind} {times} times"));
            }
        }
    }
    for (id, row) in rows {
        let nothing = Told::default();
        let about = told.get(id).unwrap_or(&nothing);
        let seen = &row.seen;
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
        if !explained || (about.decided == 1 && about.by != seen.by) {
            verdict.broken(format!("{id} is {seen:?}, and the audit log tells {steps:?}"));
        }
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
