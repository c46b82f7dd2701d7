//! The messages of a run, each kept once: a log in which every entry names the one before it by its hash.
//!
//! A run's whole history is its head, 32 bytes; an edited history shares all entries before the edit and goes on from there.

use std::io::Read as _;

use sha2::{Digest as _, Sha256};

use super::seal::{ContentKey, SealedPlace};
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
pub enum NodeEncoding {
    /// As it is.
    Raw = 0,
    /// Compressed.
    Zstd = 1,
    /// Encrypted.
    SealedRaw = 2,
    /// Compressed, then encrypted.
    SealedZstd = 3,
}

impl NodeEncoding {
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
pub struct HistoryNode {
    /// What it is known by.
    pub hash: NodeHash,
    /// The entry before it; `None`: it is a first one.
    pub parent: Option<NodeHash>,
    /// How its body is kept.
    pub encoding: NodeEncoding,
    /// Its text, as kept.
    pub body: Vec<u8>,
}

/// The hash of an entry after `parent`, which tells whether the ledger has it before anything is compressed.
pub fn hash(parent: Option<&NodeHash>, text: &[u8], key: Option<&ContentKey>) -> NodeHash {
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
    parent: Option<NodeHash>, text: &[u8], key: Option<&ContentKey>,
) -> Result<HistoryNode, LedgerError> {
    if text.len() > MAX_ENTRY {
        return Err(LedgerErrorKind::Full.because(format!(
            "an entry of the history has {} bytes, and {MAX_ENTRY} is the most: keep large data out of the messages",
            text.len()
        )));
    }
    let hash = hash(parent.as_ref(), text, key);
    // What cannot be compressed is kept as it is.
    let packed = zstd::bulk::compress(text, LEVEL).ok().filter(|packed| packed.len() < text.len());
    let encoding = NodeEncoding::of(packed.is_some(), key.is_some());
    let plain = packed.as_deref().unwrap_or(text);
    let body = match key {
        Some(key) => key.seal(place(&hash, encoding), plain)?,
        None => packed.unwrap_or_else(|| text.to_vec()),
    };
    Ok(HistoryNode { hash, parent, encoding, body })
}

/// The text of a node, which is what its hash and its parent say it is.
///
/// # Errors
/// `ERR_LEDGER_CORRUPT`: it is not what was written. `ERR_LEDGER_KEY`: it is encrypted and there is no key, or the other
/// way round.
pub fn decode(node: &HistoryNode, key: Option<&ContentKey>) -> Result<Vec<u8>, LedgerError> {
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
    let text = if node.encoding.is_zstd() { unpack(body, MAX_ENTRY)? } else { body.to_vec() };
    if hash(node.parent.as_ref(), &text, key) != node.hash {
        return Err(corrupt("its hash is another"));
    }
    Ok(text)
}

fn place(hash: &NodeHash, encoding: NodeEncoding) -> SealedPlace<'_> {
    let column = if encoding.is_zstd() { "history.zstd" } else { "history.raw" };
    SealedPlace { row: hash, column }
}

/// Never takes the word of the compressed text for how large it is.
fn unpack(body: &[u8], most: usize) -> Result<Vec<u8>, LedgerError> {
    let broken = |error: std::io::Error| corrupt(&format!("it cannot be decompressed ({error})"));
    let mut text = Vec::new();
    let reader = zstd::stream::read::Decoder::new(body).map_err(broken)?;
    reader.take(most as u64 + 1).read_to_end(&mut text).map_err(broken)?;
    if text.len() > most {
        return Err(corrupt("it is longer than any entry can be"));
    }
    Ok(text)
}

fn corrupt(why: &str) -> LedgerError {
    LedgerErrorKind::Corrupt
        .because(format!("an entry of the history is not what was written: {why}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;
    use crate::ledger::encoding::hex;

    fn key() -> ContentKey {
        ContentKey::parse(&"1".repeat(64)).unwrap()
    }

    #[test]
    fn a_hash_is_stable_over_releases() {
        // { printf 'countersign-history-v1\0'; head -c 32 /dev/zero; printf '{}'; } | sha256sum
        let first = hash(None, b"{}", None);
        assert_eq!(hex(&first), "445ac54cee18b610b3ff92870370110c11d5e765f4e9baee527499d5f40961c1");
        // Without the key the hash does not tell which text it is.
        let keyed = hash(None, b"{}", Some(&key()));
        let other = hash(None, b"{}", Some(&ContentKey::parse(&"2".repeat(64)).unwrap()));
        assert!(first != keyed && keyed != other && first != other);
    }

    #[test]
    fn the_encoding_is_the_smaller_one_and_its_number_stays() {
        let long = "hello ".repeat(100);
        let key = key();
        for (text, key, encoding, number) in [
            ("hi", None, NodeEncoding::Raw, 0),
            (long.as_str(), None, NodeEncoding::Zstd, 1),
            ("hi", Some(&key), NodeEncoding::SealedRaw, 2),
            (long.as_str(), Some(&key), NodeEncoding::SealedZstd, 3),
            ("", None, NodeEncoding::Raw, 0),
        ] {
            let node = encode(None, text.as_bytes(), key).unwrap();
            assert_eq!((node.encoding, node.encoding.number()), (encoding, number));
            assert_eq!(NodeEncoding::from_number(number), Some(encoding));
            assert!(node.body.len() < long.len());
            assert_eq!(decode(&node, key).unwrap(), text.as_bytes());
        }
        assert_eq!(NodeEncoding::from_number(4), None);
    }

    #[test]
    fn a_key_too_few_or_too_many_is_told() {
        let (open, sealed) =
            (encode(None, b"x", None).unwrap(), encode(None, b"x", Some(&key())).unwrap());
        assert_eq!(decode(&open, Some(&key())).unwrap_err().kind, LedgerErrorKind::Key);
        assert_eq!(decode(&sealed, None).unwrap_err().kind, LedgerErrorKind::Key);
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        // Whether the compressed text says how long it is or not.
        let zeros = [0; 100_001];
        for bomb in [zstd::bulk::compress(&zeros, 1), zstd::stream::encode_all(&zeros[..], 1)] {
            let bomb = bomb.unwrap();
            assert!(bomb.len() < 100);
            let error = unpack(&bomb, 100_000).unwrap_err();
            assert_eq!(error.kind, LedgerErrorKind::Corrupt);
            assert!(error.message.contains("longer"), "{error}");
            assert_eq!(unpack(&bomb, 100_001).unwrap(), zeros);
            assert!(unpack(&[bomb.as_slice(), &bomb].concat(), 100_001).is_err());
        }
    }

    #[test]
    fn forks_share_what_they_have_in_common() {
        let chain = |texts: &[&str]| {
            texts.iter().fold(Vec::<HistoryNode>::new(), |mut nodes, text| {
                let parent = nodes.last().map(|node| node.hash);
                nodes.push(encode(parent, text.as_bytes(), None).unwrap());
                nodes
            })
        };
        let (one, two) = (chain(&["a", "b", "c", "d"]), chain(&["a", "b", "x", "d"]));
        assert_eq!(one[..2], two[..2]);
        assert!(one[2].hash != two[2].hash && one[3].hash != two[3].hash);
        // Equal texts in other places are other entries.
        let same = chain(&["a", "a", "a"]);
        assert!(same[0].hash != same[1].hash && same[1].hash != same[2].hash);
        // What begins a history is not what follows an all-zero parent by accident.
        assert_eq!(chain(&["a"])[0].parent, None);
    }

    fn any_text() -> impl Strategy<Value = Vec<u8>> {
        let noise = prop::collection::vec(any::<u8>(), 0..300);
        let words = (noise.clone(), 1..50usize).prop_map(|(noise, times)| noise.repeat(times));
        prop_oneof![noise, words]
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn what_is_written_is_read_back_and_nothing_else(
            texts in prop::collection::vec(any_text(), 1..5), sealed: bool, at in any::<prop::sample::Index>(),
            bit in any::<prop::sample::Index>(),
        ) {
            let key = sealed.then(key);
            let mut parent = None;
            for text in &texts {
                let node = encode(parent, text, key.as_ref()).unwrap();
                prop_assert_eq!(&decode(&node, key.as_ref()).unwrap(), text);
                prop_assert_eq!(node.hash, hash(parent.as_ref(), text, key.as_ref()));

                let orphan = HistoryNode { parent: Some([9; 32]), ..node.clone() };
                prop_assert!(decode(&orphan, key.as_ref()).is_err());
                let mut renamed = node.clone();
                renamed.hash[at.index(32)] ^= 1;
                prop_assert!(decode(&renamed, key.as_ref()).is_err());
                if !node.body.is_empty() {
                    let mut flipped = node.clone();
                    let bit = bit.index(node.body.len() * 8);
                    flipped.body[bit / 8] ^= 1 << (bit % 8);
                    // Never another text. (A few bits of a compressed text say nothing.)
                    prop_assert!(decode(&flipped, key.as_ref()).map_or(true, |read| !sealed && read == *text));
                }
                parent = Some(node.hash);
            }
        }
    }
}
