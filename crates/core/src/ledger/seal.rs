//! Contents that cannot be read without the key, and rows that cannot be changed unseen.
//!
//! [`ContentKey`] encrypts with XChaCha20-Poly1305 under a random nonce of 24 bytes; what it seals opens only at the very
//! [`SealedPlace`] it was sealed for. [`RowSeal`] is the hash over a whole row that is stored in it and checked at each read.

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
pub struct ContentKey {
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
pub struct SealedPlace<'a> {
    /// What the row is known by, such as the id of a request.
    pub row: &'a [u8],
    /// The name of the column.
    pub column: &'static str,
}

impl SealedPlace<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::from(b"countersign-seal-v1\0".as_slice());
        for part in [self.row, self.column.as_bytes()] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}

impl ContentKey {
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
    pub fn seal(&self, place: SealedPlace<'_>, plain: &[u8]) -> Result<Vec<u8>, LedgerError> {
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

    /// Decrypts what [`ContentKey::seal`] made for this place.
    ///
    /// # Errors
    /// `ERR_LEDGER_CORRUPT`: it is not what was sealed, was sealed for another place, or with another key.
    pub fn open(&self, place: SealedPlace<'_>, sealed: &[u8]) -> Result<Vec<u8>, LedgerError> {
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

    /// A hash that only the key can make, so that a text is not found out by guessing it.
    pub(super) fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        hmac(&self.hashing, parts)
    }
}

impl fmt::Debug for ContentKey {
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
/// `NULL` is not empty. With a key it is an HMAC: without the key it cannot be made, nor anything guessed from it.
#[derive(Debug)]
#[must_use = "a seal that is not made guards nothing"]
pub struct RowSeal<'a> {
    text: Vec<u8>,
    key: Option<&'a ContentKey>,
}

impl<'a> RowSeal<'a> {
    /// The seal of a row of this table; its columns follow, always in the same order.
    pub fn new(table: &str, key: Option<&'a ContentKey>) -> Self {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;
    use crate::ledger::encoding::base64;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";

    fn key() -> ContentKey {
        ContentKey::parse(HEX).unwrap()
    }

    #[test]
    fn the_vectors_of_rfc_4231() {
        // Cases 1 and 2; a key shorter than a block is one with zeros after it.
        let padded = |key: &[u8]| {
            let mut padded = [0; 32];
            padded[..key.len()].copy_from_slice(key);
            padded
        };
        for (key, parts, expected) in [
            (
                padded(&[0x0b; 20]),
                [b"Hi ".as_slice(), b"There"],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                padded(b"Jefe"),
                [b"what do ya want ".as_slice(), b"for nothing?"],
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
        ] {
            assert_eq!(hex(&hmac(&key, &parts)), expected);
        }
    }

    #[test]
    fn a_key_may_be_written_in_three_ways() {
        let bytes = from_hex(HEX).unwrap();
        let standard = base64(&bytes);
        let url = base64(&[0xff; 32]).replace('/', "_");
        assert_eq!(
            ContentKey::parse(&url).unwrap().id(),
            ContentKey::parse(&"f".repeat(64)).unwrap().id()
        );
        for text in [
            HEX,
            &HEX.to_uppercase(),
            &standard,
            standard.trim_end_matches('='),
            &format!(" {standard}\n"),
        ] {
            assert_eq!(ContentKey::parse(text).unwrap().id(), key().id(), "{text}");
        }
        for text in [
            "",
            "secret",
            "correct horse battery staple",
            &HEX[2..],
            &format!("{HEX}00"),
            &HEX.replace("ff", "fg"),
            &standard.replace('=', "=="),
            &standard[1..],
            &standard.replace('A', "!"),
            &standard.replace("e_8", "e_9").replace("8=", "9="),
        ] {
            let error = ContentKey::parse(text).unwrap_err();
            assert_eq!(error.kind, LedgerErrorKind::Key, "{text}");
            assert!(error.message.contains("openssl rand -base64 32"), "{text}");
            assert!(text.is_empty() || !error.message.contains(text), "{text}");
        }
    }

    #[test]
    fn what_is_derived_from_a_key_is_stable_over_releases() {
        // printf 'countersign-key-v1\0id' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$HEX
        assert_eq!(key().id().to_string(), "8ffc70075070d7ac");
        // Made with HChaCha20 and ChaCha20-Poly1305 of another implementation, the nonce being the bytes 0 to 23.
        let sealed = from_hex("000102030405060708090a0b0c0d0e0f1011121314151617b6826e526b8d8072096ba8f920282c8b1c3da9d0588d75").unwrap();
        let place = SealedPlace { row: b"row", column: "args" };
        assert_eq!(key().open(place, &sealed).unwrap(), b"{\"a\":1}");
        assert_eq!(
            hex(&RowSeal::new("t", None).int("i", Some(-1)).text("n", None).done()),
            "9d6dccc32a1401c69da391475f72760c64784c2161bfbd3288b3bae9480acb47"
        );
    }

    #[test]
    fn debug_output_does_not_show_the_key() {
        assert_eq!(format!("{:?}", key()), format!("Key({})", key().id()));
    }

    #[test]
    fn no_two_texts_are_sealed_alike() {
        let place = SealedPlace { row: b"row", column: "args" };
        let [one, two] = [key().seal(place, b"{}").unwrap(), key().seal(place, b"{}").unwrap()];
        assert_ne!(one[..24], two[..24]);
        assert_ne!(one[24..], two[24..]);
        assert_eq!(one.len(), 2 + OVERHEAD);
    }

    #[test]
    fn what_is_sealed_opens_only_in_its_place() {
        let place = SealedPlace { row: b"row", column: "args" };
        let sealed = key().seal(place, b"{}").unwrap();
        assert_eq!(key().open(place, &sealed).unwrap(), b"{}");
        for other in [
            SealedPlace { row: b"wor", ..place },
            SealedPlace { row: b"", ..place },
            SealedPlace { column: "result", ..place },
            SealedPlace { row: b"rowargs", column: "" },
            SealedPlace { row: b"rowa", column: "rgs" },
        ] {
            let error = key().open(other, &sealed).unwrap_err();
            assert_eq!(error.kind, LedgerErrorKind::Corrupt, "{other:?}");
        }
        assert!(ContentKey::parse(&"0".repeat(64)).unwrap().open(place, &sealed).is_err());
        for length in 0..sealed.len() {
            assert!(key().open(place, &sealed[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn every_difference_between_rows_counts() {
        let key = key();
        let new = || RowSeal::new("approval", None);
        let seals = [
            new().done(),
            RowSeal::new("approval", Some(&key)).done(),
            RowSeal::new("approvals", None).done(),
            new().text("a", None).done(),
            new().text("a", Some("")).done(),
            new().blob("a", Some(b"")).done(),
            new().text("b", None).done(),
            new().int("a", Some(0)).done(),
            new().int("a", Some(1)).done(),
            new().blob("a", Some(&0i64.to_be_bytes())).done(),
            new().text("a", Some("1")).done(),
            new().text("a", Some("1")).text("b", None).done(),
            new().text("b", None).text("a", Some("1")).done(),
            new().text("a", Some("12")).text("b", Some("3")).done(),
            new().text("a", Some("1")).text("b", Some("23")).done(),
            new().text("a", Some("3")).text("b", Some("12")).done(),
        ];
        for (at, seal) in seals.iter().enumerate() {
            assert!(!seals[..at].contains(seal), "{at}");
        }
        assert_eq!(new().int("a", Some(1)).done(), seals[8]);
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn any_flipped_bit_is_told(
            plain in prop::collection::vec(any::<u8>(), 0..200), row: Vec<u8>, bit in any::<prop::sample::Index>(),
        ) {
            let place = SealedPlace { row: &row, column: "args" };
            let mut sealed = key().seal(place, &plain).unwrap();
            prop_assert_eq!(key().open(place, &sealed).unwrap(), plain);
            let bit = bit.index(sealed.len() * 8);
            sealed[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(key().open(place, &sealed).is_err());
        }

        #[test]
        fn rows_with_one_seal_are_one_row(
            one: (Option<i64>, Option<String>, Option<Vec<u8>>), two: (Option<i64>, Option<String>, Option<Vec<u8>>),
        ) {
            let seal = |row: &(Option<i64>, Option<String>, Option<Vec<u8>>)| {
                RowSeal::new("t", None).int("a", row.0).text("b", row.1.as_deref()).blob("c", row.2.as_deref()).done()
            };
            prop_assert_eq!(seal(&one) == seal(&two), one == two);
        }
    }
}
