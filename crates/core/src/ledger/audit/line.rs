//! An entry as a line of an export: its body to the byte, then the hash before it and its own.

use std::fmt;

use super::chain::read;
use super::{AuditChain, AuditEntry};
use crate::ledger::encoding::{hash_from_hex, hex};

/// A line of an export (JSON Lines), without its line end: the body, with `prev` and `hash` added at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportLine {
    /// The entry.
    pub entry: AuditEntry,
    /// The hash before it.
    pub prev: [u8; 32],
}

/// It is not a line as an export writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the line is not an entry of an audit log as it was exported")]
pub struct InvalidLine;

const PREV: &str = r#","prev":""#;
const HASH: &str = r#"","hash":""#;
const END: &str = r#""}"#;

impl ExportLine {
    /// Reads a line, without its line end. Only the very bytes that an export writes are read: other spaces, other orders
    /// of keys and keys given twice are not. Whether the hashes are right is for [`AuditChain::check`] to say.
    ///
    /// # Errors
    /// It is anything else.
    pub fn parse(line: &[u8]) -> Result<Self, InvalidLine> {
        Self::read(line).ok_or(InvalidLine)
    }

    fn read(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (line, hash) = ends_with_hash(line.strip_suffix(END)?, HASH)?;
        let (body, prev) = ends_with_hash(line, PREV)?;
        let body = format!("{body}}}");
        let said = read(&body)?;
        Some(Self { entry: AuditEntry { seq: said.seq, at: said.at, body, hash }, prev })
    }

    /// The chain that this line says it goes on from, for a log that begins with it. Only a head that is known from
    /// elsewhere tells whether that is true.
    pub fn before(&self) -> AuditChain {
        AuditChain { seq: self.entry.seq.saturating_sub(1), at: 0, head: self.prev }
    }
}

fn ends_with_hash<'a>(text: &'a str, label: &str) -> Option<(&'a str, [u8; 32])> {
    let (text, hash) = text.split_at_checked(text.len().checked_sub(64)?)?;
    Some((text.strip_suffix(label)?, hash_from_hex(hash)?))
}

impl fmt::Display for ExportLine {
    /// The line, without its line end.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = &self.entry.body;
        let fields = body.strip_suffix('}').unwrap_or(body);
        write!(formatter, "{fields}{PREV}{}{HASH}{}{END}", hex(&self.prev), hex(&self.entry.hash))
    }
}
