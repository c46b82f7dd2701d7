//! From bytes to lines and columns.

use super::DocumentPlace;

/// Bytes between two known places: what a look-up has to count at most.
const STEP: usize = 256;

/// The lines of a text. A look-up costs the same wherever it is, also in one line of a megabyte.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    /// For each [`STEP`] bytes: the next start of a character, and its place.
    known: Vec<(usize, DocumentPlace)>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut known = Vec::with_capacity(text.len() / STEP + 1);
        let mut place = DocumentPlace { line: 1, column: 1 };
        for (at, char) in text.char_indices() {
            if at >= known.len() * STEP {
                known.push((at, place));
            }
            place = after(place, char);
        }
        Self { text, known }
    }

    /// The place of this byte; the end of the text for what is behind it.
    pub(super) fn place(&self, at: usize) -> DocumentPlace {
        let block = self.known.partition_point(|(start, _)| *start <= at);
        let (start, place) = block
            .checked_sub(1)
            .and_then(|block| self.known.get(block))
            .copied()
            .unwrap_or((0, DocumentPlace { line: 1, column: 1 }));
        self.text
            .get(start..)
            .unwrap_or_default()
            .char_indices()
            .take_while(|(offset, _)| start + offset < at)
            .fold(place, |place, (_, char)| after(place, char))
    }
}

fn after(place: DocumentPlace, char: char) -> DocumentPlace {
    if char == '\n' {
        DocumentPlace { line: place.line.saturating_add(1), column: 1 }
    } else {
        DocumentPlace { line: place.line, column: place.column.saturating_add(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let lines = LineIndex::new("é = 1\nab");
        for (at, line, column) in
            [(0, 1, 1), (2, 1, 2), (7, 2, 1), (8, 2, 2), (9, 2, 3), (99, 2, 3)]
        {
            assert_eq!(lines.place(at), DocumentPlace { line, column }, "{at}");
        }
        assert_eq!(LineIndex::new("").place(0), DocumentPlace { line: 1, column: 1 });
    }

    #[test]
    fn known_places_agree_with_counting() {
        let text = "é\nabcdefgh\n\n".repeat(300) + &"ü".repeat(2000);
        let lines = LineIndex::new(&text);
        let mut place = DocumentPlace { line: 1, column: 1 };
        for (at, char) in text.char_indices() {
            assert_eq!(lines.place(at), place, "{at}");
            place = after(place, char);
        }
    }
}
