//! Is the log what was written?

use super::{Broken, Chain, Entry, Fault, InvalidLine, Line};

/// A head of a log: how many entries it had, and the hash of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How many entries.
    pub size: u64,
    /// The hash of the last one; [`super::GENESIS`] when there is none.
    pub hash: [u8; 32],
}

impl From<Chain> for Head {
    fn from(chain: Chain) -> Self {
        Self { size: chain.seq, hash: chain.head }
    }
}

/// How a log stands to a head that was kept elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It ends with it.
    Same,
    /// It goes on after it, which is what a log does.
    Extended {
        /// By how many entries.
        by: u64,
    },
    /// It ends before it: its end was dropped.
    Truncated {
        /// By how many entries.
        by: u64,
    },
    /// It holds another entry in that place: it, or what was published, is not the log that was written.
    Forked,
    /// It begins after it, so that nobody can tell.
    Unknown,
}

impl Standing {
    /// Whether the log holds all that the head stands for.
    pub const fn is_kept(self) -> bool {
        matches!(self, Self::Same | Self::Extended { .. })
    }
}

/// A log without a fault in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// How far it comes.
    pub chain: Chain,
    /// How it stands to the head that was expected; `None`: none was.
    pub standing: Option<Standing>,
}

/// Verifies a log, entry by entry, in constant memory.
#[derive(Debug)]
pub struct Verifier {
    start: Chain,
    chain: Chain,
    expected: Option<Head>,
    passed: Option<[u8; 32]>,
    broken: Option<Broken>,
}

impl Verifier {
    /// Verifies a log that goes on from `start`: `Chain::default()` for a whole one, and where it was cut for a pruned one.
    pub fn new(start: Chain, expected: Option<Head>) -> Self {
        let mut verifier = Self { start, chain: start, expected, passed: None, broken: None };
        verifier.pass();
        verifier
    }

    /// The next entry of the log.
    pub fn see(&mut self, entry: &Entry) {
        match self.broken {
            None => self.take(self.chain.check(entry)),
            Some(Broken { seq, fault: Fault::Missing { found } | Fault::WrongFirst { found } })
                if entry.seq == seq =>
            {
                // It was only moved.
                self.broken = Some(Broken { seq, fault: Fault::OutOfOrder { found } });
            }
            Some(_) => {}
        }
    }

    /// The next line of an export: pass on what [`Line::parse`] made of it.
    pub fn see_line(&mut self, line: &Result<Line, InvalidLine>) {
        match (line, self.broken) {
            (Ok(Line { entry, .. }), Some(_)) => self.see(entry),
            (Ok(Line { entry, prev }), None) => {
                let checked = self.chain.check(entry);
                self.take(if *prev == self.chain.head {
                    checked
                } else {
                    checked.and(Err(self.changed()))
                });
            }
            (Err(InvalidLine), None) => self.broken = Some(self.changed()),
            (Err(InvalidLine), Some(_)) => {}
        }
    }

    /// The first fault so far. What comes after it can only tell more about that one.
    pub fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// The end of the log.
    ///
    /// # Errors
    /// The first fault.
    pub fn finish(self) -> Result<Verified, Broken> {
        match self.broken {
            Some(broken) => Err(broken),
            None => Ok(Verified {
                chain: self.chain,
                standing: self.expected.map(|head| self.standing(head)),
            }),
        }
    }

    fn take(&mut self, checked: Result<Chain, Broken>) {
        match checked {
            Ok(chain) => {
                self.chain = chain;
                self.pass();
            }
            Err(broken) => self.broken = Some(broken),
        }
    }

    fn changed(&self) -> Broken {
        Broken { seq: self.chain.seq.saturating_add(1), fault: Fault::Changed }
    }

    fn pass(&mut self) {
        if self.expected.is_some_and(|head| head.size == self.chain.seq) {
            self.passed = Some(self.chain.head);
        }
    }

    fn standing(&self, head: Head) -> Standing {
        match self.passed {
            Some(hash) if hash != head.hash => Standing::Forked,
            Some(_) if head.size == self.chain.seq => Standing::Same,
            Some(_) => Standing::Extended { by: self.chain.seq.saturating_sub(head.size) },
            None if head.size < self.start.seq => Standing::Unknown,
            None => Standing::Truncated { by: head.size.saturating_sub(self.chain.seq) },
        }
    }
}

/// Verifies a log that goes on from `start`, against a head that was kept elsewhere where there is one.
///
/// # Errors
/// The first entry that is not what was written.
pub fn verify<'a>(
    start: Chain, entries: impl IntoIterator<Item = &'a Entry>, expected: Option<Head>,
) -> Result<Verified, Broken> {
    let mut verifier = Verifier::new(start, expected);
    entries.into_iter().for_each(|entry| verifier.see(entry));
    verifier.finish()
}
