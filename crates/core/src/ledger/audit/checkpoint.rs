//! A head of the log, to be signed and kept elsewhere.

use super::{AuditChain, InvalidNote, LogHead, SigningKey, VerifyingKey, open, sign};
use crate::ledger::encoding::{base64, from_base64};

/// A head of an audit log, in the form of a C2SP checkpoint (c2sp.org/tlog-checkpoint):
///
/// ```text
/// example.com/ledger
/// 1234
/// CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
/// at 1767225600000
/// ```
///
/// **Its hash is the head of a hash chain, not the root of a Merkle tree of RFC 6962.** A carrier of checkpoints, such as a
/// bulletin board or a witness that only looks at the size, can carry it; proofs of inclusion or consistency cannot be made of
/// it. What is proven is proven with the log itself: see [`super::verify()`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log: by convention a URL without its scheme. Compare it with the one you mean.
    pub origin: Box<str>,
    /// How many entries, and the hash of the last one.
    pub head: LogHead,
    /// When the last entry was made, in ms since the epoch; `None`: it does not say.
    pub at: Option<u64>,
}

/// It is no checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCheckpoint {
    /// The note around it is not in order.
    #[error(transparent)]
    Note(#[from] InvalidNote),
    /// Its text is that of something else.
    #[error(
        "it is not a checkpoint: the lines must be the origin, the size, the hash in base64, and `at <ms>`"
    )]
    Text,
    /// It is no name for a log.
    #[error(
        "the origin of a log must be one line of printable characters, such as `example.com/ledger`"
    )]
    Origin,
}

impl Checkpoint {
    /// The head of this log.
    ///
    /// # Errors
    /// The origin is no name for a log.
    pub fn of(chain: AuditChain, origin: &str) -> Result<Self, InvalidCheckpoint> {
        if !is_origin(origin) {
            return Err(InvalidCheckpoint::Origin);
        }
        Ok(Self { origin: origin.into(), head: chain.into(), at: Some(chain.at) })
    }

    /// Its text, with a line end at its end.
    pub fn to_text(&self) -> String {
        let Self { origin, head: LogHead { size, hash }, at } = self;
        let at = at.map(|at| format!("at {at}\n")).unwrap_or_default();
        format!("{origin}\n{size}\n{}\n{at}", base64(hash))
    }

    /// Reads the very text that [`Checkpoint::to_text`] makes.
    ///
    /// # Errors
    /// It is anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidCheckpoint> {
        let read = || {
            let mut lines = text.strip_suffix('\n')?.split('\n');
            let origin = lines.next().filter(|origin| is_origin(origin))?;
            let size = lines.next()?.parse().ok()?;
            let hash = from_base64(lines.next()?)?.try_into().ok()?;
            let at = match lines.next() {
                None => None,
                Some(line) => Some(line.strip_prefix("at ")?.parse().ok()?),
            };
            let read = Self { origin: origin.into(), head: LogHead { size, hash }, at };
            (read.to_text() == text).then_some(read)
        };
        read().ok_or(InvalidCheckpoint::Text)
    }

    /// The signed note of it.
    ///
    /// # Errors
    /// The origin holds what no note can.
    pub fn sign(&self, keys: &[&SigningKey]) -> Result<String, InvalidCheckpoint> {
        Ok(sign(&self.to_text(), keys)?)
    }

    /// Reads a signed note that at least one of these keys signed, and who signed it.
    ///
    /// # Errors
    /// It is no checkpoint, a signature is wrong, or no known key signed it.
    pub fn open(
        note: &str, keys: &[&VerifyingKey],
    ) -> Result<(Self, Vec<Box<str>>), InvalidCheckpoint> {
        let opened = open(note, keys)?;
        Ok((Self::parse(opened.text)?, opened.by))
    }
}

fn is_origin(origin: &str) -> bool {
    !origin.trim().is_empty() && !origin.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    fn checkpoint() -> Checkpoint {
        let chain = AuditChain { seq: 1234, at: 1_767_225_600_000, head: [1; 32] };
        Checkpoint::of(chain, "example.com/ledger").unwrap()
    }

    #[test]
    fn it_is_a_text_of_four_lines() {
        let text = "example.com/ledger\n1234\nAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\nat 1767225600000\n";
        assert_eq!(checkpoint().to_text(), text);
        assert_eq!(Checkpoint::parse(text), Ok(checkpoint()));
        let (three, _) = text.split_once("at ").unwrap();
        assert_eq!(Checkpoint::parse(three), Ok(Checkpoint { at: None, ..checkpoint() }));
    }

    #[test]
    fn any_other_text_is_refused() {
        let text = checkpoint().to_text();
        for (from, to) in [
            ("example.com/ledger", ""),
            ("example.com/ledger", "  "),
            ("ledger", "led\u{9b}ger"),
            ("1234", "01234"),
            ("1234", "+1234"),
            ("1234", "-1"),
            ("1234", ""),
            ("1234", "99999999999999999999"),
            ("AQE=", "AQF="),
            ("AQE=", "AQ=="),
            ("AQE=", "AQE"),
            ("at ", "at  "),
            ("at ", "at 0"),
            ("at ", "by "),
            ("00000\n", "00000"),
            ("00000\n", "00000\n\n"),
            ("00000\n", "00000\nat 1\n"),
            ("\n", "\r\n"),
        ] {
            let other = text.replace(from, to);
            assert_eq!(Checkpoint::parse(&other), Err(InvalidCheckpoint::Text), "{other}");
        }
        for origin in ["", " ", "a\nb", "a\u{7f}"] {
            assert_eq!(
                Checkpoint::of(AuditChain::default(), origin),
                Err(InvalidCheckpoint::Origin)
            );
        }
    }

    #[test]
    fn a_signed_text_that_is_no_checkpoint_is_none() {
        let key = SigningKey::generate("k").unwrap();
        let keys = [key.verifying_key()];
        let note = sign("hello\n", &[&key]).unwrap();
        assert_eq!(Checkpoint::open(&note, &keys), Err(InvalidCheckpoint::Text));
        let note = checkpoint().sign(&[&key]).unwrap();
        assert_eq!(Checkpoint::open(&note, &keys), Ok((checkpoint(), vec!["k".into()])));
        let changed = note.replace("1234", "1233");
        let wrong = InvalidCheckpoint::Note(InvalidNote::Wrong("k".into()));
        assert_eq!(Checkpoint::open(&changed, &keys), Err(wrong));
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn what_is_written_is_read_back(
            origin in "[a-z][ -~]{0,40}", seq in any::<u64>(), head in any::<[u8; 32]>(), at in any::<u64>(),
        ) {
            let checkpoint = Checkpoint::of(AuditChain { seq, at, head }, &origin).unwrap();
            prop_assert_eq!(Checkpoint::parse(&checkpoint.to_text()), Ok(checkpoint));
        }
    }
}
