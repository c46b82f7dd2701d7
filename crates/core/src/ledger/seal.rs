//! Contents that nobody reads without the key, and rows that nobody changes unseen.
//!
//! [`Key`] encrypts with XChaCha20-Poly1305 under a random nonce of 24 bytes; what it seals opens only at the very
//! [`Place`] it was sealed for. [`RowSeal`] is the hash over a whole row that is stored in it and checked at each read.

use std::fmt;

use chacha20poly1305::aead::rand_core::RngCore as _;
use chacha20poly1305::aead::{Aead as _, OsRng, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

use super::encoding::{from_base64, from_hex, hex};
use super::{LedgerError, LedgerErrorKind};

/// How many bytes a sealed text is longer than its plain text: the nonce and the tag.
pub const OVERHEAD: usize = NONCE + 16;

const NONCE: usize = 24;
const HOW_TO: &str = "the key must be 32 random bytes in base64, base64url or hex: make one with `openssl rand -base64 32`";

/// The key for the contents of a ledger. It is wiped when it is dropped, and debug output shows its id only.
pub struct Key {
    id: KeyId,
    // Wipes itself.
    cipher: XChaCha20Poly1305,
    hashing: Zeroizing<[u8; 32]>,
}

/// Tells keys apart without telling them: 8 bytes, kept in the ledger so that a wrong key is told when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub [u8; 8]);

/// Where a sealed text belongs: it opens nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// What the row is known by, such as the id of a request.
    pub row: &'a [u8],
    /// The name of the column.
    pub column: &'static str,
}

impl Place<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::from(b"countersign-seal-v1\0".as_slice());
        for part in [self.row, self.column.as_bytes()] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}

impl Key {
    /// Reads the key as the user gives it: 32 bytes in base64, base64url (padded or not) or hex; space around it is ignored.
    ///
    /// # Errors
    /// `ERR_LEDGER_KEY`: it is anything else.
    pub fn parse(text: &str) -> Result<Self, LedgerError> {
        let text = text.trim_ascii();
        let mut bytes = Zeroizing::new(
            match text.len() {
                64 => from_hex(text),
                43 | 44 => {
                    let standard: String = text
                        .trim_end_matches('=')
                        .chars()
                        .map(|letter| match letter {
                            '-' => '+',
                            '_' => '/',
                            other => other,
                        })
                        .chain(['='])
                        .collect();
                    from_base64(&Zeroizing::new(standard))
                }
                _ => None,
            }
            .unwrap_or_default(),
        );
        let Ok(mut master) = <[u8; 32]>::try_from(bytes.as_slice()) else {
            bytes.zeroize();
            return Err(LedgerErrorKind::Key.because(HOW_TO));
        };
        let key = Self::derive(&master);
        master.zeroize();
        Ok(key)
    }

    /// One key for each purpose, so that none of them tells of another.
    fn derive(master: &[u8; 32]) -> Self {
        let purpose = |name: &[u8]| Zeroizing::new(hmac(master, &[b"countersign-key-v1\0", name]));
        let mut id = [0; 8];
        id.iter_mut().zip(purpose(b"id").iter()).for_each(|(to, from)| *to = *from);
        let cipher = XChaCha20Poly1305::new((&*purpose(b"seal")).into());
        Self { id: KeyId(id), cipher, hashing: purpose(b"hash") }
    }

    /// Its id.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Encrypts a text for its place: nonce, ciphertext, tag.
    ///
    /// # Errors
    /// `ERR_LEDGER_IO`: the system gave no random bytes.
    pub fn seal(&self, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>, LedgerError> {
        let mut nonce = [0; NONCE];
        OsRng.try_fill_bytes(&mut nonce).map_err(|error| {
            LedgerErrorKind::Io.because(format!("the system gave no random bytes: {error}"))
        })?;
        let aad = place.bytes();
        let sealed = self
            .cipher
            .encrypt(XNonce::from_slice(&nonce), Payload { msg: plain, aad: &aad })
            .map_err(|_| LedgerErrorKind::Internal.because("the text is too long to encrypt"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts what [`Key::seal`] made for this place.
    ///
    /// # Errors
    /// `ERR_LEDGER_CORRUPT`: it is not what was sealed, was sealed for another place, or with another key.
    pub fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Vec<u8>, LedgerError> {
        let aad = place.bytes();
        sealed
            .split_at_checked(NONCE)
            .and_then(|(nonce, text)| {
                let payload = Payload { msg: text, aad: &aad };
                self.cipher.decrypt(XNonce::from_slice(nonce), payload).ok()
            })
            .ok_or_else(|| {
                LedgerErrorKind::Corrupt.because(format!(
                    "the encrypted column `{}` was changed, moved, or sealed with another key",
                    place.column
                ))
            })
    }

    /// A hash that only who has the key can make, so that nobody finds a text out by guessing it.
    pub(super) fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        hmac(&self.hashing, parts)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key({})", self.id)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KeyId({self})")
    }
}

/// HMAC-SHA-256 (RFC 2104) with a key of 32 bytes.
fn hmac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let keyed = |pad: u8| {
        let mut block = Zeroizing::new([pad; 64]);
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        Sha256::new().chain_update(block.as_slice())
    };
    let inner = parts.iter().fold(keyed(0x36), |hash, part| hash.chain_update(part)).finalize();
    keyed(0x5c).chain_update(inner).finalize().into()
}

/// SHA-256 over the columns of a row, each with its name, type and length: no two different rows have one text to hash, and
/// `NULL` is not empty. With a key it is an HMAC, which nobody makes or guesses from without the key.
#[derive(Debug)]
#[must_use = "a seal that is not made guards nothing"]
pub struct RowSeal<'a> {
    text: Vec<u8>,
    key: Option<&'a Key>,
}

impl<'a> RowSeal<'a> {
    /// The seal of a row of this table; its columns follow, always in the same order.
    pub fn new(table: &str, key: Option<&'a Key>) -> Self {
        let seal = Self { text: Vec::from(b"countersign-row-v1\0".as_slice()), key };
        seal.part(table.as_bytes())
    }

    /// A column that holds an integer.
    pub fn int(self, name: &str, value: Option<i64>) -> Self {
        self.column(name, 1, value.map(i64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice))
    }

    /// A column that holds text.
    pub fn text(self, name: &str, value: Option<&str>) -> Self {
        self.column(name, 2, value.map(str::as_bytes))
    }

    /// A column that holds bytes.
    pub fn blob(self, name: &str, value: Option<&[u8]>) -> Self {
        self.column(name, 3, value)
    }

    /// The seal.
    pub fn done(self) -> [u8; 32] {
        match self.key {
            Some(key) => key.hash(&[&self.text]),
            None => Sha256::digest(&self.text).into(),
        }
    }

    fn column(self, name: &str, kind: u8, value: Option<&[u8]>) -> Self {
        let mut named = self.part(name.as_bytes());
        match value {
            None => named.text.push(0),
            Some(value) => {
                named.text.push(kind);
                named = named.part(value);
            }
        }
        named
    }

    fn part(mut self, bytes: &[u8]) -> Self {
        self.text.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.text.extend_from_slice(bytes);
        self
    }
}
