//! A process whose operations are recorded.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::HistoryOperation;
use crate::store::{DecideAnswer, ProofError, ProofStore, RequestState};

/// ns on a monotonic clock that all processes of this machine share.
pub fn now() -> u64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
    }
    #[cfg(not(unix))]
    {
        let time = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The call of an operation, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationCall {
    /// Makes a request.
    Request,
    /// Decides.
    Decide {
        /// The decider, which is different for each decision.
        by: Arc<str>,
        /// Whether it approves; otherwise it rejects.
        approve: bool,
    },
    /// Redeems the approval.
    Begin,
    /// Ends the execution that it has started.
    Finish,
    /// Reads the request.
    Get,
    /// The process was killed: from then on, any process may find out and mark its executions as interrupted.
    Die,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationReply {
    /// To a request: its id, and whether this made it.
    Asked {
        /// The id.
        id: Arc<str>,
        /// Whether this made it.
        created: bool,
    },
    /// To a decision.
    Decided(DecideAnswer),
    /// To a redemption: `None` when it was won, else the status of the request.
    Began(Option<Arc<str>>),
    /// To an end: whether the execution was running.
    Finished(bool),
    /// To a read; `None`: there is no such request.
    Seen(Option<RequestState>),
}

/// A line of a client's record: one before each operation, one after it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryLine {
    /// An operation is about to be called.
    Called {
        /// Its key.
        key: String,
        /// The call.
        call: OperationCall,
        /// When, by [`now`].
        at: u64,
    },
    /// The answer to the last one.
    Replied {
        /// The answer.
        reply: OperationReply,
        /// When, by [`now`].
        at: u64,
    },
}

/// Reads the record of a client. A last line that is not whole counts as not written, and its operation as not answered.
pub(super) fn read(
    file: &Path, name: &str, killed_at: u64, by_key: &mut HashMap<String, Vec<HistoryOperation>>,
) -> Result<(), ProofError> {
    let text = fs::read_to_string(file)?;
    let mut open: Option<(String, HistoryOperation)> = None;
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        match serde_json::from_str(line)? {
            HistoryLine::Called { key, call, at } => {
                open = Some((key, HistoryOperation::called(name, call, at)))
            }
            HistoryLine::Replied { reply, at } => {
                if let Some((key, operation)) = open.take() {
                    let operation =
                        HistoryOperation { reply: Some(reply), replied: at, ..operation };
                    by_key.entry(key).or_default().push(operation);
                }
            }
        }
    }
    if let Some((key, operation)) = open {
        by_key.entry(key).or_default().push(operation);
    }
    for operations in by_key.values_mut() {
        if operations
            .iter()
            .any(|operation| &*operation.process == name && operation.call == OperationCall::Begin)
        {
            operations.push(HistoryOperation::called(name, OperationCall::Die, killed_at));
        }
    }
    Ok(())
}

/// A client: it calls operations on shared keys and records them.
pub struct HistoryClient<'a> {
    store: &'a dyn ProofStore,
    history: File,
    name: String,
    random: Rng,
    decisions: u64,
    /// The ids of the requests that it knows, by the keys of this epoch.
    ids: HashMap<String, Arc<str>>,
    /// The keys whose executions it has started and not ended.
    started: Vec<String>,
}

impl<'a> HistoryClient<'a> {
    /// A client that has done nothing.
    pub fn new(
        store: &'a dyn ProofStore, history: &Path, name: &str, seed: u64,
    ) -> Result<Self, ProofError> {
        Ok(Self {
            store,
            history: OpenOptions::new().create(true).append(true).open(history)?,
            name: name.to_owned(),
            random: Rng::with_seed(seed),
            decisions: 0,
            ids: HashMap::new(),
            started: Vec::new(),
        })
    }

    /// Calls operations until it is killed, on this many keys at a time. The number in the file of the epoch selects the keys.
    pub fn run(&mut self, keys: u64, epoch: &Path) -> Result<(), ProofError> {
        let mut current = 0;
        loop {
            // The file is empty while it is being written.
            let number = fs::read_to_string(epoch)?.trim().parse().unwrap_or(current);
            if number != current {
                self.ids.clear();
                self.started.clear();
                current = number;
            }
            let key = format!("{number}-{}", self.random.u64(..keys.max(1)));
            self.step(key)?;
        }
    }

    fn step(&mut self, key: String) -> Result<(), ProofError> {
        let Some(id) = self.ids.get(&key).cloned() else {
            self.tell(&HistoryLine::Called {
                key: key.clone(),
                call: OperationCall::Request,
                at: now(),
            })?;
            let asked = self.store.request(&key)?;
            let reply = OperationReply::Asked { id: Arc::clone(&asked.id), created: asked.created };
            self.ids.insert(key, asked.id);
            return self.tell(&HistoryLine::Replied { reply, at: now() });
        };
        let call = match self.random.u8(..10) {
            0 => OperationCall::Request,
            1..=4 => {
                self.decisions += 1;
                let by = format!("{}/{}", self.name, self.decisions).into();
                OperationCall::Decide { by, approve: self.random.u8(..4) > 0 }
            }
            5..=6 => OperationCall::Begin,
            7..=8 if self.started.contains(&key) => OperationCall::Finish,
            _ => OperationCall::Get,
        };
        self.tell(&HistoryLine::Called { key: key.clone(), call: call.clone(), at: now() })?;
        let reply = match &call {
            OperationCall::Request => {
                let asked = self.store.request(&key)?;
                OperationReply::Asked { id: asked.id, created: asked.created }
            }
            OperationCall::Decide { by, approve } => {
                OperationReply::Decided(self.store.decide(&id, by, *approve)?)
            }
            OperationCall::Begin => match self.store.begin(&id)? {
                Ok(()) => {
                    self.started.push(key);
                    OperationReply::Began(None)
                }
                Err(status) => OperationReply::Began(Some(status.unwrap_or_default())),
            },
            OperationCall::Finish => OperationReply::Finished(self.store.finish(&id)?),
            OperationCall::Get | OperationCall::Die => OperationReply::Seen(self.store.get(&id)?),
        };
        self.tell(&HistoryLine::Replied { reply, at: now() })
    }

    fn tell(&mut self, line: &HistoryLine) -> Result<(), ProofError> {
        let mut line = serde_json::to_vec(line)?;
        line.push(b'\n');
        Ok(self.history.write_all(&line)?)
    }
}
