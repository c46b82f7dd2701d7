//! The work of an agent and its humans on a store, with each answer written down.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fastrand::Rng;

use crate::store::{DecideAnswer, ProofError, ProofStore};
use crate::verify::StoreAck;

/// The file of acknowledgements: a line for each, in one write, right after the answer.
#[derive(Debug)]
pub struct AckLog(File);

impl AckLog {
    /// Appends to a file.
    pub fn open(path: &Path) -> Result<Self, ProofError> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Writes one down.
    pub fn tell(&self, ack: &StoreAck) -> Result<(), ProofError> {
        let mut line = serde_json::to_vec(ack)?;
        line.push(b'\n');
        Ok((&self.0).write_all(&line)?)
    }
}

/// A worker: one thread that makes, decides and redeems requests.
pub struct StoreWorker<'a> {
    /// The store.
    pub store: &'a dyn ProofStore,
    /// The file of its acknowledgements.
    pub acks: &'a AckLog,
    /// Its name, unique over all processes.
    pub name: String,
    /// Its random numbers.
    pub random: Rng,
    done: u64,
}

impl<'a> StoreWorker<'a> {
    /// A worker that has done nothing.
    pub fn new(store: &'a dyn ProofStore, acks: &'a AckLog, name: String, random: Rng) -> Self {
        Self { store, acks, name, random, done: 0 }
    }

    /// Asks about one call and takes it as far as chance says. Two of three are its own; the others are those that all
    /// workers ask about in the same few ms.
    pub fn call(&mut self) -> Result<(), ProofError> {
        self.done += 1;
        let key = if self.random.u8(..3) == 0 {
            let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO).as_millis();
            format!("shared-{}-{}", now / 10, self.random.u8(..3))
        } else {
            format!("{}-{}", self.name, self.done)
        };
        let id = self.store.request(&key)?.id;
        self.acks.tell(&StoreAck::Requested { key: key.into(), id: Arc::clone(&id) })?;
        if self.random.u8(..8) == 0 {
            return Ok(());
        }
        let me = format!("{}/{}", self.name, self.done);
        let by = match self.store.decide(&id, &me, self.random.u8(..4) > 0)? {
            DecideAnswer::Won => me.into(),
            DecideAnswer::Already(by) => by,
            DecideAnswer::Unknown => {
                return Err(ProofError(format!("{id} is unknown a moment after it was kept")));
            }
        };
        self.acks.tell(&StoreAck::Decided { id: Arc::clone(&id), by })?;
        if self.random.u8(..8) == 0 || self.store.begin(&id)?.is_err() {
            return Ok(());
        }
        self.acks.tell(&StoreAck::Started { id: Arc::clone(&id) })?;
        if self.random.u8(..8) == 0 {
            return Ok(());
        }
        if !self.store.finish(&id)? {
            return Err(ProofError(format!(
                "{id} was ended by others while the one who runs it lives"
            )));
        }
        self.acks.tell(&StoreAck::Finished { id })
    }
}
