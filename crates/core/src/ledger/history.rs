//! The messages of a run, each kept once: a log in which every entry names the one before it by its hash.
//!
//! A run's whole history is its head, 32 bytes; an edited history shares all entries before the edit and goes on from there.

use std::io::Read as _;

use sha2::{Digest as _, Sha256};

use super::seal::{Key, Place};
use super::{LedgerError, LedgerErrorKind};

/// The longest entry, in bytes: 256 MiB.
pub const MAX_ENTRY: usize = 256 * 1024 * 1024;

const LEVEL: i32 = 3;
const DOMAIN: &[u8] = b"countersign-history-v1\0";
const FIRST: [u8; 32] = [0; 32];

/// What a node is known by: SHA-256 over its parent and its text; with a key an HMAC, so that a text that can be guessed is
/// not told by its hash.
pub type NodeHash = [u8; 32];

/// How the body of a node is kept. The numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Encoding {
    /// As it is.
    Raw = 0,
    /// Compressed.
    Zstd = 1,
    /// Encrypted.
    SealedRaw = 2,
    /// Compressed, then encrypted.
    SealedZstd = 3,
}

impl Encoding {
    /// Its number in the file.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The encoding with this number.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Raw),
            1 => Some(Self::Zstd),
            2 => Some(Self::SealedRaw),
            3 => Some(Self::SealedZstd),
            _ => None,
        }
    }

    const fn of(zstd: bool, sealed: bool) -> Self {
        match (zstd, sealed) {
            (false, false) => Self::Raw,
            (true, false) => Self::Zstd,
            (false, true) => Self::SealedRaw,
            (true, true) => Self::SealedZstd,
        }
    }

    const fn is_zstd(self) -> bool {
        matches!(self, Self::Zstd | Self::SealedZstd)
    }

    const fn is_sealed(self) -> bool {
        matches!(self, Self::SealedRaw | Self::SealedZstd)
    }
}

/// An entry as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it is known by.
    pub hash: NodeHash,
    /// The entry before it; `None`: it is a first one.
    pub parent: Option<NodeHash>,
    /// How its body is kept.
    pub encoding: Encoding,
    /// Its text, as kept.
    pub body: Vec<u8>,
}

/// The hash of an entry after `parent`, which tells whether the ledger has it before anything is compressed.
pub fn hash(parent: Option<&NodeHash>, text: &[u8], key: Option<&Key>) -> NodeHash {
    let parts = [DOMAIN, parent.unwrap_or(&FIRST).as_slice(), text];
    match key {
        Some(key) => key.hash(&parts),
        None => {
            parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().into()
        }
    }
}

/// The node of an entry after `parent`. It is compressed where that makes it smaller, and encrypted where there is a key.
///
/// # Errors
/// `ERR_LEDGER_FULL`: it is longer than [`MAX_ENTRY`]; `ERR_LEDGER_IO`: the system gave no random bytes.
pub fn encode(
    parent: Option<NodeHash>, text: &[u8], key: Option<&Key>,
) -> Result<Node, LedgerError> {
    if text.len() > MAX_ENTRY {
        return Err(LedgerErrorKind::Full.because(format!(
            "an entry of the history has {} bytes, and {MAX_ENTRY} is the most: keep large data out of the messages",
            text.len()
        )));
    }
    let hash = hash(parent.as_ref(), text, key);
    // What cannot be compressed is kept as it is.
    let packed = zstd::bulk::compress(text, LEVEL).ok().filter(|packed| packed.len() < text.len());
    let encoding = Encoding::of(packed.is_some(), key.is_some());
    let plain = packed.as_deref().unwrap_or(text);
    let body = match key {
        Some(key) => key.seal(place(&hash, encoding), plain)?,
        None => packed.unwrap_or_else(|| text.to_vec()),
    };
    Ok(Node { hash, parent, encoding, body })
}

/// The text of a node, which is what its hash and its parent say it is.
///
/// # Errors
/// `ERR_LEDGER_CORRUPT`: it is not what was written. `ERR_LEDGER_KEY`: it is encrypted and there is no key, or the other
/// way round.
pub fn decode(node: &Node, key: Option<&Key>) -> Result<Vec<u8>, LedgerError> {
    let opened = match (node.encoding.is_sealed(), key) {
        (true, Some(key)) => Some(key.open(place(&node.hash, node.encoding), &node.body)?),
        (false, None) => None,
        (true, None) => {
            return Err(LedgerErrorKind::Key
                .because("the history is encrypted: give the key it was written with"));
        }
        (false, Some(_)) => {
            return Err(
                LedgerErrorKind::Key.because("the history is not encrypted: open it without a key")
            );
        }
    };
    let body = opened.as_deref().unwrap_or(&node.body);
    let text = if node.encoding.is_zstd() { unpack(body)? } else { body.to_vec() };
    if hash(node.parent.as_ref(), &text, key) != node.hash {
        return Err(corrupt("its hash is another"));
    }
    Ok(text)
}

fn place(hash: &NodeHash, encoding: Encoding) -> Place<'_> {
    let column = if encoding.is_zstd() { "history.zstd" } else { "history.raw" };
    Place { row: hash, column }
}

/// Never takes the word of the compressed text for how large it is.
fn unpack(body: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let broken = |error: std::io::Error| corrupt(&format!("it cannot be decompressed ({error})"));
    let mut text = Vec::new();
    let reader = zstd::stream::read::Decoder::new(body).map_err(broken)?;
    reader.take(MAX_ENTRY as u64 + 1).read_to_end(&mut text).map_err(broken)?;
    if text.len() > MAX_ENTRY {
        return Err(corrupt("it is longer than any entry can be"));
    }
    Ok(text)
}

fn corrupt(why: &str) -> LedgerError {
    LedgerErrorKind::Corrupt
        .because(format!("an entry of the history is not what was written: {why}"))
}
