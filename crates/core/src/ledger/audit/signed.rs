//! Signed notes as C2SP has them (c2sp.org/signed-note), with Ed25519: a text, a blank line, and a line for each signature.

use std::fmt;

use chacha20poly1305::aead::OsRng;
use chacha20poly1305::aead::rand_core::RngCore as _;
use ed25519_dalek::Signer as _;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::ledger::encoding::{base64, from_base64, from_hex, hex};

/// Ed25519, among the kinds of key that a note can be signed with.
const ED25519: u8 = 1;

/// The largest note that is read, in bytes, and the most signatures of one.
const MAX_NOTE: usize = 1_000_000;
const MAX_SIGNATURES: usize = 100;

/// Why a note or a key for one cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNote {
    /// It is no name for a key.
    #[error(
        "a key needs a name of printable characters, without spaces and plus signs, such as `example.com/ledger`"
    )]
    Name,
    /// It is no private key.
    #[error("the signing key must read `PRIVATE+KEY+<name>+<8 hex digits>+<base64>`")]
    SigningKey,
    /// It is no public key.
    #[error("the public key must read `<name>+<8 hex digits>+<base64>`")]
    VerifyingKey,
    /// The system gave no random bytes.
    #[error("the system gave no random bytes")]
    Random,
    /// It cannot be the text of a note.
    #[error("a note must end with a line end and hold no other control characters")]
    Text,
    /// It is no note.
    #[error(
        "it is not a signed note: a text, a blank line, and a line `— <name> <base64>` for each signature"
    )]
    Malformed,
    /// A signature is wrong.
    #[error("the signature by {0} is wrong: the note was changed, or another key signed it")]
    Wrong(Box<str>),
    /// No known key signed it.
    #[error("none of the given keys signed it")]
    Unknown,
}

/// A key to sign with. It is wiped when it is dropped, and debug output does not show it.
pub struct SigningKey {
    // Wipes itself.
    key: ed25519_dalek::SigningKey,
    public: VerifyingKey,
}

/// A key to verify with.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    name: Box<str>,
    id: [u8; 4],
    key: ed25519_dalek::VerifyingKey,
}

impl SigningKey {
    /// A new key.
    ///
    /// # Errors
    /// An invalid name, or the system gave no random bytes.
    pub fn generate(name: &str) -> Result<Self, InvalidNote> {
        let mut seed = Zeroizing::new([0; 32]);
        OsRng.try_fill_bytes(seed.as_mut()).map_err(|_| InvalidNote::Random)?;
        Self::from_seed(name, &seed)
    }

    fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, InvalidNote> {
        let key = ed25519_dalek::SigningKey::from_bytes(seed);
        let public = VerifyingKey::new(name, key.verifying_key())?;
        Ok(Self { key, public })
    }

    /// Reads a key as [`SigningKey::to_text`] writes it; space around it is ignored.
    ///
    /// # Errors
    /// It is anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidNote> {
        let read = || {
            let (name, id, key) = parts(text.trim_ascii().strip_prefix("PRIVATE+KEY+")?)?;
            let signing = Self::from_seed(name, &key).ok()?;
            (signing.public.id == id).then_some(signing)
        };
        read().ok_or(InvalidNote::SigningKey)
    }

    /// The key as text: `PRIVATE+KEY+name+id+base64`. It is wiped when it is dropped.
    pub fn to_text(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.key.to_bytes());
        let data = Zeroizing::new([&[ED25519], seed.as_slice()].concat());
        let data = Zeroizing::new(base64(&data));
        let VerifyingKey { name, id, .. } = &self.public;
        Zeroizing::new(format!("PRIVATE+KEY+{name}+{}+{}", hex(id), data.as_str()))
    }

    /// The key that verifies what this one signs.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKey({})", self.public)
    }
}

impl VerifyingKey {
    fn new(name: &str, key: ed25519_dalek::VerifyingKey) -> Result<Self, InvalidNote> {
        if !is_name(name) {
            return Err(InvalidNote::Name);
        }
        let hash: [u8; 32] = Sha256::new()
            .chain_update(name)
            .chain_update([b'\n', ED25519])
            .chain_update(key.as_bytes())
            .finalize()
            .into();
        let [a, b, c, d, ..] = hash;
        Ok(Self { name: name.into(), id: [a, b, c, d], key })
    }

    /// Reads a key as it is displayed; space around it is ignored.
    ///
    /// # Errors
    /// It is anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidNote> {
        let read = || {
            let (name, id, key) = parts(text.trim_ascii())?;
            let key =
                ed25519_dalek::VerifyingKey::from_bytes(&key).ok().filter(|key| !key.is_weak())?;
            Self::new(name, key).ok().filter(|key| key.id == id)
        };
        read().ok_or(InvalidNote::VerifyingKey)
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for VerifyingKey {
    /// `name+id+base64`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = [&[ED25519], self.key.as_bytes().as_slice()].concat();
        write!(formatter, "{}+{}+{}", self.name, hex(&self.id), base64(&data))
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "VerifyingKey({self})")
    }
}

/// A note that somebody known signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedNote<'a> {
    /// Its text, with the line end at its end.
    pub text: &'a str,
    /// The names of the known keys that signed it: at least one.
    pub by: Vec<Box<str>>,
}

/// Signs a text with each of these keys.
///
/// # Errors
/// The text cannot be that of a note.
pub fn sign(text: &str, keys: &[&SigningKey]) -> Result<String, InvalidNote> {
    if !is_text(text) {
        return Err(InvalidNote::Text);
    }
    let mut note = format!("{text}\n");
    for key in keys {
        let signature = key.key.sign(text.as_bytes()).to_bytes();
        let data = [key.public.id.as_slice(), &signature].concat();
        note.push_str(&format!("— {} {}\n", key.public.name, base64(&data)));
    }
    Ok(note)
}

/// The text of a note that at least one of these keys signed. Signatures by others are passed over, as the format has it; a
/// wrong one in the name of a known key is not.
///
/// # Errors
/// It is no note, a signature is wrong, or no known key signed it.
pub fn open<'a>(note: &'a str, keys: &[&VerifyingKey]) -> Result<VerifiedNote<'a>, InvalidNote> {
    if note.len() > MAX_NOTE {
        return Err(InvalidNote::Malformed);
    }
    let (text, lines) = note.rsplit_once("\n\n").ok_or(InvalidNote::Malformed)?;
    let text =
        note.get(..=text.len()).filter(|text| is_text(text)).ok_or(InvalidNote::Malformed)?;
    let lines = lines.strip_suffix('\n').ok_or(InvalidNote::Malformed)?;
    let mut by: Vec<Box<str>> = Vec::new();
    let mut seen = Vec::new();
    for line in lines.split('\n') {
        let (name, id, signature) = signature(line).ok_or(InvalidNote::Malformed)?;
        if seen.len() == MAX_SIGNATURES || seen.contains(&(name, id)) {
            return Err(InvalidNote::Malformed);
        }
        seen.push((name, id));
        let Some(key) = keys.iter().find(|key| *key.name == *name && key.id == id) else {
            continue;
        };
        <[u8; 64]>::try_from(signature)
            .ok()
            .map(|bytes| ed25519_dalek::Signature::from_bytes(&bytes))
            .filter(|signature| key.key.verify_strict(text.as_bytes(), signature).is_ok())
            .ok_or_else(|| InvalidNote::Wrong(name.into()))?;
        by.push(name.into());
    }
    if by.is_empty() { Err(InvalidNote::Unknown) } else { Ok(VerifiedNote { text, by }) }
}

/// `— name base64(id ‖ signature)`
fn signature(line: &str) -> Option<(&str, [u8; 4], Vec<u8>)> {
    let (name, data) = line.strip_prefix("— ")?.split_once(' ')?;
    let mut id = from_base64(data).filter(|_| is_name(name))?;
    let signature = (id.len() > 4).then(|| id.split_off(4))?;
    Some((name, id.try_into().ok()?, signature))
}

type KeyParts<'a> = (&'a str, [u8; 4], Zeroizing<[u8; 32]>);

/// `name+id+base64(kind ‖ key)`
fn parts(text: &str) -> Option<KeyParts<'_>> {
    let mut parts = text.splitn(3, '+');
    let (name, id, data) = (parts.next()?, parts.next()?, parts.next()?);
    let number: [u8; 4] = from_hex(id)?.try_into().ok()?;
    let data = Zeroizing::new(from_base64(data)?);
    let (kind, key) = data.split_first()?;
    let key = Zeroizing::new(<[u8; 32]>::try_from(key).ok()?);
    (*kind == ED25519 && hex(&number) == id).then_some((name, number, key))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name
            .contains(|letter: char| letter == '+' || letter.is_whitespace() || letter.is_control())
}

fn is_text(text: &str) -> bool {
    text.ends_with('\n') && !text.contains(|letter: char| letter < ' ' && letter != '\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    // The keys, the text and the signature of the tests of golang.org/x/mod/sumdb/note.
    const PETER: &str =
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    const PETERS: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const TEXT: &str = "If you think cryptography is the answer to your problem,\n\
                        then you don't know what your problem is.\n";
    const SIGNATURE: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn enoch() -> SigningKey {
        SigningKey::from_seed("EnochRoot", &[7; 32]).unwrap()
    }

    #[test]
    fn the_format_is_that_of_others() {
        let key = SigningKey::parse(PETER).unwrap();
        assert_eq!(key.to_text().as_str(), PETER);
        assert_eq!(key.verifying_key().to_string(), PETERS);
        let note = format!("{TEXT}\n{SIGNATURE}");
        assert_eq!(sign(TEXT, &[&key]).unwrap(), note);
        let opened = open(&note, &[&VerifyingKey::parse(PETERS).unwrap()]).unwrap();
        assert_eq!(opened, VerifiedNote { text: TEXT, by: vec!["PeterNeumann".into()] });
    }

    #[test]
    fn the_second_vector_of_rfc_8032() {
        let seed =
            from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").unwrap();
        let key = SigningKey::from_seed("x", &seed.try_into().unwrap()).unwrap();
        assert_eq!(
            hex(key.public.key.as_bytes()),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        );
        assert_eq!(
            hex(&key.key.sign(&[0x72]).to_bytes()),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        );
    }

    #[test]
    fn several_sign_and_each_known_one_counts() {
        let (peter, enoch) = (SigningKey::parse(PETER).unwrap(), enoch());
        let note = sign(TEXT, &[&peter, &enoch]).unwrap();
        let by = |keys: &[&VerifyingKey]| open(&note, keys).map(|opened| opened.by.join(" "));
        let (peters, enochs) = (peter.verifying_key(), enoch.verifying_key());
        assert_eq!(by(&[peters, enochs]).as_deref(), Ok("PeterNeumann EnochRoot"));
        assert_eq!(by(&[enochs]).as_deref(), Ok("EnochRoot"));
        assert_eq!(by(&[]), Err(InvalidNote::Unknown));
        // A key of the same name is another key.
        let other = SigningKey::from_seed("EnochRoot", &[8; 32]).unwrap();
        assert_eq!(by(&[other.verifying_key()]), Err(InvalidNote::Unknown));
        // One right signature does not make up for a wrong one.
        let (last, _) = note.rsplit_once("— ").unwrap();
        let forged =
            format!("{last}— EnochRoot {}\n", base64(&[&enochs.id[..], &[1; 64]].concat()));
        assert_eq!(open(&forged, &[peters, enochs]), Err(InvalidNote::Wrong("EnochRoot".into())));
        assert!(open(&forged, &[peters]).is_ok());
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let peters = VerifyingKey::parse(PETERS).unwrap();
        for note in [
            String::new(),
            TEXT.to_owned(),
            format!("{TEXT}\n"),
            format!("{TEXT}{SIGNATURE}"),
            format!("{TEXT}\n{}", SIGNATURE.trim_end()),
            format!("{TEXT}\n{SIGNATURE}\n"),
            format!("{TEXT}\n{SIGNATURE}{SIGNATURE}"),
            format!("{TEXT}\n{SIGNATURE}x\n"),
            format!("{TEXT}\n{}", SIGNATURE.replace("— ", "- ")),
            format!("{TEXT}\n{}", SIGNATURE.replace("nAM=", "nAN=")),
            format!("{TEXT}\n{}", SIGNATURE.replace('\n', "\r\n")),
            format!("{TEXT}\n— PeterNeumann x08gow==\n"),
            format!("\u{7}{TEXT}\n{SIGNATURE}"),
            format!("{}\n\n{SIGNATURE}", "x".repeat(MAX_NOTE)),
        ] {
            assert_eq!(open(&note, &[&peters]), Err(InvalidNote::Malformed), "{note}");
        }
        for text in ["", "x", "x\r\n", "x\0\n"] {
            assert_eq!(sign(text, &[&enoch()]), Err(InvalidNote::Text), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_told() {
        for text in [
            "",
            PETERS,
            &PETER.replace("c74f20a3", "c74f20a4"),
            &PETER.replace("c74f20a3", "C74F20A3"),
            &PETER.replace("Peter", "Paul"),
            &PETER.replace("+AYE", "+AoE"),
            &PETER[..PETER.len() - 4],
        ] {
            let error = SigningKey::parse(text).unwrap_err();
            assert_eq!(error, InvalidNote::SigningKey, "{text}");
            assert!(!error.to_string().contains("AYEK"));
        }
        for text in [
            "",
            PETER,
            &PETERS.replace("20a3", "20a4"),
            &PETERS.replace("+ARp", "+AhA"),
            &PETERS.replace("Peter", "Pet er"),
        ] {
            assert_eq!(VerifyingKey::parse(text), Err(InvalidNote::VerifyingKey), "{text}");
        }
        for name in ["", "a b", "a+b", "a\u{2003}b", "a\n"] {
            assert_eq!(SigningKey::generate(name).err(), Some(InvalidNote::Name), "{name:?}");
        }
        assert_eq!(
            format!("{:?}", SigningKey::parse(PETER).unwrap()),
            format!("SigningKey({PETERS})")
        );
        assert!(SigningKey::parse(&format!(" {PETER}\n")).is_ok());
    }

    proptest! {
        #![proptest_config(cases(32, 64))]

        #[test]
        fn what_is_signed_opens_and_what_was_changed_does_not(
            lines in prop::collection::vec("[^\\x00-\\x1f]*", 1..4), at in any::<prop::sample::Index>(), bit in 0..8u8,
        ) {
            let key = SigningKey::generate("example.com/ledger").unwrap();
            let key = SigningKey::parse(&key.to_text()).unwrap();
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let note = sign(&text, &[&key]).unwrap();
            prop_assert_eq!(open(&note, &[key.verifying_key()]).unwrap().text, &text);

            let mut bytes = note.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(note) = String::from_utf8(bytes) {
                prop_assert!(open(&note, &[key.verifying_key()]).is_err());
            }
        }
    }
}
