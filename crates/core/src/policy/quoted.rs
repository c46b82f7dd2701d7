//! Names and commands in sentences that a person reads.

use std::borrow::Cow;

/// What a call wrote, in a sentence of ours: nothing in it ends the quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", text.replace('`', r"\u{60}"))
}

/// The same, where a plain name needs no quotes.
pub(crate) fn told_name(text: &str) -> Cow<'_, str> {
    // What parts a sentence is not in it.
    let is_plain = |character: char| !character.is_whitespace() && !"`'\",;:".contains(character);
    if text.chars().all(is_plain) { Cow::Borrowed(text) } else { Cow::Owned(quoted(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_wrote_ends_no_quotes() {
        assert_eq!(quoted("a` is read. `b"), r"`a\u{60} is read. \u{60}b`");
        assert_eq!(told_name("src/a-b_c.ts"), "src/a-b_c.ts");
        assert_eq!(told_name("a, and nothing else"), "`a, and nothing else`");
    }
}
