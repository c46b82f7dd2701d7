//! Places in a text, as JavaScript counts them.

/// Bytes of UTF-8 to units of UTF-16, without a walk through all the text for each place.
pub(crate) struct Units<'a> {
    text: &'a [u8],
    /// How many units stand before each [`STEP`] bytes. `None`: a byte is a unit.
    marks: Option<Vec<usize>>,
}

const STEP: usize = 256;

impl<'a> Units<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let text = text.as_bytes();
        let marks = (!text.is_ascii()).then(|| {
            let mut units = 0;
            text.chunks(STEP)
                .map(|chunk| {
                    let before = units;
                    units += units_in(chunk);
                    before
                })
                .collect()
        });
        Self { text, marks }
    }

    pub(crate) fn before(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let Some(marks) = &self.marks else { return at };
        let mark = (at / STEP).min(marks.len().saturating_sub(1));
        let rest = self.text.get(mark * STEP..at).unwrap_or_default();
        marks.get(mark).copied().unwrap_or_default() + units_in(rest)
    }
}

/// A character counts at its first byte, twice when it has four.
fn units_in(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_javascript_counts() {
        for text in ["", "plain", "é€🙂a", &"aé€🙂".repeat(300)] {
            let units = Units::of(text);
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let before: String = text
                    .chars()
                    .scan(0, |bytes, c| {
                        let here = *bytes < at;
                        *bytes += c.len_utf8();
                        here.then_some(c)
                    })
                    .collect();
                assert_eq!(units.before(at), before.encode_utf16().count(), "{at} of {text:?}");
            }
            assert_eq!(units.before(usize::MAX), text.encode_utf16().count());
        }
    }
}
