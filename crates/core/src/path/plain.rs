//! Texts that every program reads alike.

use super::FileLookup;
use super::matching::is_ignored;

/// The text of a file of settings, as [`FileLookup::text`] has it, where all programs see the same lines and words in it. `None` also
/// where it has a character that some take for the end of a line, for a blank, or for nothing, and others do not.
pub(crate) fn plain_text(files: &dyn FileLookup, path: &str, most: usize) -> Option<String> {
    files.text(path, most).filter(|text| is_plain(text))
}

fn is_plain(text: &str) -> bool {
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let is_fine = match char {
            '\n' | '\t' | ' ' => true,
            '\r' => rest.peek() == Some(&'\n'),
            _ => !char.is_control() && !char.is_whitespace() && !is_ignored(char),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_programs_take_for_a_line_or_a_blank_is_not_plain() {
        for text in ["", "a\n\tb = 'é 猫 🦀'\r\n"] {
            assert!(is_plain(text), "{text:?}");
        }
        for char in
            "\r\u{0}\u{b}\u{c}\u{1c}\u{7f}\u{85}\u{a0}\u{2003}\u{2028}\u{2029}\u{200b}\u{feff}"
                .chars()
        {
            assert!(!is_plain(&format!("a{char}b")), "{char:?}");
        }
    }
}
