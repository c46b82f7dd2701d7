//! What an agent and its humans do to a store, with each answer written down.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fastrand::Rng;

use crate::store::{Answer, Failure, Store};
use crate::verify::Ack;

/// Where answers are written down: a line, in one write, right after each.
#[derive(Debug)]
pub struct Acks(File);

impl Acks {
    /// Appends to a file.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Writes one down.
    pub fn tell(&self, ack: &Ack) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(ack)?;
        line.push(b'\n');
        Ok((&self.0).write_all(&line)?)
    }
}

/// One thread of work.
pub struct Worker<'a> {
    /// What it works on.
    pub store: &'a dyn Store,
    /// Where answers go.
    pub acks: &'a Acks,
    /// Unlike any other worker's, over all processes.
    pub name: String,
    /// Its dice.
    pub random: Rng,
    done: u64,
}

impl<'a> Worker<'a> {
    /// A worker that has done nothing.
    pub fn new(store: &'a dyn Store, acks: &'a Acks, name: String, random: Rng) -> Self {
        Self { store, acks, name, random, done: 0 }
    }

    /// Asks about one call and takes it as far as the dice say. Two of three are its own; the others are what every worker
    /// asks about in the same few ms.
    pub fn call(&mut self) -> Result<(), Failure> {
        self.done += 1;
        let key = if self.random.u8(..3) == 0 {
            let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO).as_millis();
            format!("shared-{}-{}", now / 10, self.random.u8(..3))
        } else {
            format!("{}-{}", self.name, self.done)
        };
        let id = self.store.request(&key)?.id;
        self.acks.tell(&Ack::Requested { key: key.into(), id: Arc::clone(&id) })?;
        if self.random.u8(..8) == 0 {
            return Ok(());
        }
        let me = format!("{}/{}", self.name, self.done);
        let by = match self.store.decide(&id, &me, self.random.u8(..4) > 0)? {
            Answer::Won => me.into(),
            Answer::Already(by) => by,
            Answer::Unknown => {
                return Err(Failure(format!("{id} is unknown a moment after it was kept")));
            }
        };
        self.acks.tell(&Ack::Decided { id: Arc::clone(&id), by })?;
        if self.random.u8(..8) == 0 || self.store.begin(&id)?.is_err() {
            return Ok(());
        }
        self.acks.tell(&Ack::Started { id: Arc::clone(&id) })?;
        if self.random.u8(..8) == 0 {
            return Ok(());
        }
        if !self.store.finish(&id)? {
            return Err(Failure(format!(
                "{id} was ended by others while the one who runs it lives"
            )));
        }
        self.acks.tell(&Ack::Finished { id })
    }
}
