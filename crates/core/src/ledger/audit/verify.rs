//! Is the log what was written?

use super::{AuditChain, AuditEntry, BrokenLink, EntryFault, ExportLine, InvalidLine};

/// A head of a log: how many entries it had, and the hash of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogHead {
    /// How many entries.
    pub size: u64,
    /// The hash of the last one; [`super::GENESIS`] for an empty log.
    pub hash: [u8; 32],
}

impl From<AuditChain> for LogHead {
    fn from(chain: AuditChain) -> Self {
        Self { size: chain.seq, hash: chain.head }
    }
}

/// How a log stands to a head that was kept elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadStanding {
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
    /// It begins after it, so that this cannot be told.
    Unknown,
}

impl HeadStanding {
    /// Whether the log holds all that the head stands for.
    pub const fn is_kept(self) -> bool {
        matches!(self, Self::Same | Self::Extended { .. })
    }
}

/// A log without a fault in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedLog {
    /// How far it comes.
    pub chain: AuditChain,
    /// How it stands to the head that was expected; `None`: none was.
    pub standing: Option<HeadStanding>,
}

/// Verifies a log, entry by entry, in constant memory.
#[derive(Debug)]
pub struct LogVerifier {
    start: AuditChain,
    chain: AuditChain,
    expected: Option<LogHead>,
    passed: Option<[u8; 32]>,
    broken: Option<BrokenLink>,
}

impl LogVerifier {
    /// Verifies a log that goes on from `start`: `AuditChain::default()` for a whole one, and where it was cut for a pruned one.
    pub fn new(start: AuditChain, expected: Option<LogHead>) -> Self {
        let mut verifier = Self { start, chain: start, expected, passed: None, broken: None };
        verifier.pass();
        verifier
    }

    /// The next entry of the log.
    pub fn see(&mut self, entry: &AuditEntry) {
        match self.broken {
            None => self.take(self.chain.check(entry)),
            Some(BrokenLink {
                seq,
                fault: EntryFault::Missing { found } | EntryFault::WrongFirst { found },
            }) if entry.seq == seq => {
                // It was only moved.
                self.broken = Some(BrokenLink { seq, fault: EntryFault::OutOfOrder { found } });
            }
            Some(_) => {}
        }
    }

    /// The next line of an export: pass on what [`ExportLine::parse`] made of it.
    pub fn see_line(&mut self, line: &Result<ExportLine, InvalidLine>) {
        match (line, self.broken) {
            (Ok(ExportLine { entry, .. }), Some(_)) => self.see(entry),
            (Ok(ExportLine { entry, prev }), None) => {
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
    pub fn broken(&self) -> Option<BrokenLink> {
        self.broken
    }

    /// The end of the log.
    ///
    /// # Errors
    /// The first fault.
    pub fn finish(self) -> Result<VerifiedLog, BrokenLink> {
        match self.broken {
            Some(broken) => Err(broken),
            None => Ok(VerifiedLog {
                chain: self.chain,
                standing: self.expected.map(|head| self.standing(head)),
            }),
        }
    }

    fn take(&mut self, checked: Result<AuditChain, BrokenLink>) {
        match checked {
            Ok(chain) => {
                self.chain = chain;
                self.pass();
            }
            Err(broken) => self.broken = Some(broken),
        }
    }

    fn changed(&self) -> BrokenLink {
        BrokenLink { seq: self.chain.seq.saturating_add(1), fault: EntryFault::Changed }
    }

    fn pass(&mut self) {
        if self.expected.is_some_and(|head| head.size == self.chain.seq) {
            self.passed = Some(self.chain.head);
        }
    }

    fn standing(&self, head: LogHead) -> HeadStanding {
        match self.passed {
            Some(hash) if hash != head.hash => HeadStanding::Forked,
            Some(_) if head.size == self.chain.seq => HeadStanding::Same,
            Some(_) => HeadStanding::Extended { by: self.chain.seq.saturating_sub(head.size) },
            None if head.size < self.start.seq => HeadStanding::Unknown,
            None => HeadStanding::Truncated { by: head.size.saturating_sub(self.chain.seq) },
        }
    }
}

/// Verifies a log that goes on from `start`, against a head that was kept elsewhere where there is one.
///
/// # Errors
/// The first entry that is not what was written.
pub fn verify<'a>(
    start: AuditChain, entries: impl IntoIterator<Item = &'a AuditEntry>, expected: Option<LogHead>,
) -> Result<VerifiedLog, BrokenLink> {
    let mut verifier = LogVerifier::new(start, expected);
    entries.into_iter().for_each(|entry| verifier.see(entry));
    verifier.finish()
}
