//! Bytes as text: hex and base64, read back strictly, since two texts for one value are one too many.

pub use crate::call::hex;

/// The bytes of a text in hex, of either case.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

/// 32 bytes of lower-case hex, which is how hashes are written.
pub fn hash_from_hex(text: &str) -> Option<[u8; 32]> {
    let hash: [u8; 32] = from_hex(text)?.try_into().ok()?;
    (hex(&hash) == text).then_some(hash)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Standard base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for sextet in 0..4 {
            if sextet > group.len() {
                text.push('=');
            } else {
                let digit = (bits >> (18 - 6 * sextet) & 63) as usize;
                text.push(ALPHABET.get(digit).map_or('=', |letter| char::from(*letter)));
            }
        }
    }
    text
}

/// The bytes of a text in standard base64 with padding, which is the very text that [`base64`] makes of them.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for letter in digits.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits << 6 | u32::try_from(digit).ok()?) & 0xf_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    (base64(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    #[test]
    fn the_vectors_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(from_base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
    }

    #[test]
    fn there_is_one_text_for_each_value() {
        for text in
            ["Zg", "Zg=", "Zg===", "Zh==", "Zm9v=", "Zm9v\n", " Zg==", "Zg=g", "Z", "=", "-_=="]
        {
            assert_eq!(from_base64(text), None, "{text:?}");
        }
        for text in ["0", "0g", "é0", "+1", "0 "] {
            assert_eq!(from_hex(text), None, "{text:?}");
        }
        let hash = "0123456789abcdef".repeat(4);
        assert_eq!(hash_from_hex(&hash).map(|hash| hex(&hash)), Some(hash.clone()));
        assert_eq!(hash_from_hex(&hash.to_uppercase()), None);
        assert_eq!(hash_from_hex(&hash[2..]), None);
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn what_is_written_is_read_back(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(from_base64(&base64(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        }
    }
}
