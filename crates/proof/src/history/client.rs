//! A process whose operations are recorded.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::Op;
use crate::store::{Answer, Failure, Seen, Store};

/// ns on a clock that all processes of this machine share and nobody sets.
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

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// Asks.
    Request,
    /// Decides.
    Decide {
        /// Who: no two decisions have the same.
        by: Arc<str>,
        /// Or rejects.
        approve: bool,
    },
    /// Claims.
    Begin,
    /// Ends what it has claimed.
    Finish,
    /// Looks.
    Get,
    /// The process was killed: from then on, somebody may find out and mark what it had started as interrupted.
    Die,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To a request: its id, and whether this made it.
    Asked {
        /// The id.
        id: Arc<str>,
        /// Whether this made it.
        created: bool,
    },
    /// To a decision.
    Decided(Answer),
    /// To a claim: `None` when it was won, else where the request stood.
    Began(Option<Arc<str>>),
    /// To an end: whether it was running.
    Finished(bool),
    /// To a look; `None`: there is no such request.
    Seen(Option<Seen>),
}

/// A line of the file in which a client records: one before each operation, one after.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// It is about to happen.
    Called {
        /// To which key.
        key: String,
        /// What.
        call: Call,
        /// When, by [`now`].
        at: u64,
    },
    /// The answer to the last one.
    Replied {
        /// Which.
        reply: Reply,
        /// When, by [`now`].
        at: u64,
    },
}

/// Reads what a client recorded. A line that is not whole was not written: what it answers was not answered.
pub(super) fn read(
    file: &Path, name: &str, killed_at: u64, by_key: &mut HashMap<String, Vec<Op>>,
) -> Result<(), Failure> {
    let text = fs::read_to_string(file)?;
    let mut open: Option<(String, Op)> = None;
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        match serde_json::from_str(line)? {
            Line::Called { key, call, at } => open = Some((key, Op::called(name, call, at))),
            Line::Replied { reply, at } => {
                if let Some((key, op)) = open.take() {
                    let op = Op { reply: Some(reply), replied: at, ..op };
                    by_key.entry(key).or_default().push(op);
                }
            }
        }
    }
    if let Some((key, op)) = open {
        by_key.entry(key).or_default().push(op);
    }
    for ops in by_key.values_mut() {
        if ops.iter().any(|op| &*op.process == name && op.call == Call::Begin) {
            ops.push(Op::called(name, Call::Die, killed_at));
        }
    }
    Ok(())
}

/// A client.
pub struct Client<'a> {
    store: &'a dyn Store,
    history: File,
    name: String,
    random: Rng,
    decisions: u64,
    /// What it has learned of the keys of this epoch.
    ids: HashMap<String, Arc<str>>,
    /// What it has claimed and not ended.
    started: Vec<String>,
}

impl<'a> Client<'a> {
    /// A client that has done nothing.
    pub fn new(
        store: &'a dyn Store, history: &Path, name: &str, seed: u64,
    ) -> Result<Self, Failure> {
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

    /// Operates until it is killed, on so many keys at a time. The file says which keys those are.
    pub fn run(&mut self, keys: u64, epoch: &Path) -> Result<(), Failure> {
        let mut current = 0;
        loop {
            // Nothing to be read: it is being written.
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

    fn step(&mut self, key: String) -> Result<(), Failure> {
        let Some(id) = self.ids.get(&key).cloned() else {
            self.tell(&Line::Called { key: key.clone(), call: Call::Request, at: now() })?;
            let asked = self.store.request(&key)?;
            let reply = Reply::Asked { id: Arc::clone(&asked.id), created: asked.created };
            self.ids.insert(key, asked.id);
            return self.tell(&Line::Replied { reply, at: now() });
        };
        let call = match self.random.u8(..10) {
            0 => Call::Request,
            1..=4 => {
                self.decisions += 1;
                let by = format!("{}/{}", self.name, self.decisions).into();
                Call::Decide { by, approve: self.random.u8(..4) > 0 }
            }
            5..=6 => Call::Begin,
            7..=8 if self.started.contains(&key) => Call::Finish,
            _ => Call::Get,
        };
        self.tell(&Line::Called { key: key.clone(), call: call.clone(), at: now() })?;
        let reply = match &call {
            Call::Request => {
                let asked = self.store.request(&key)?;
                Reply::Asked { id: asked.id, created: asked.created }
            }
            Call::Decide { by, approve } => Reply::Decided(self.store.decide(&id, by, *approve)?),
            Call::Begin => match self.store.begin(&id)? {
                Ok(()) => {
                    self.started.push(key);
                    Reply::Began(None)
                }
                Err(status) => Reply::Began(Some(status.unwrap_or_default())),
            },
            Call::Finish => Reply::Finished(self.store.finish(&id)?),
            Call::Get | Call::Die => Reply::Seen(self.store.get(&id)?),
        };
        self.tell(&Line::Replied { reply, at: now() })
    }

    fn tell(&mut self, line: &Line) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(line)?;
        line.push(b'\n');
        Ok(self.history.write_all(&line)?)
    }
}
