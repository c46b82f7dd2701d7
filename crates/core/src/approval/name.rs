//! Names of people: valid ones, and which two are of one person.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// What a name of a group begins with.
pub const GROUP: &str = "group:";

/// Whether two names are of one person. In doubt they are: neither another case or form of a letter nor what cannot be seen
/// makes a second person.
pub fn is_same_person(left: &str, right: &str) -> bool {
    left == right || plain(left) == plain(right)
}

/// Whether it can be a person's name. A text that looks like a group's name cannot: it would stand for all members.
pub fn is_name(name: &str) -> bool {
    let plain = plain(name);
    !plain.is_empty() && !plain.starts_with(GROUP)
}

/// What is the same of all ways to write a name.
pub(super) fn plain(name: &str) -> String {
    let seen: String = name.nfkc().filter(|c| !is_unseen(*c)).collect();
    // Upper case first: some letters, such as ß, have more than one lower case.
    seen.to_uppercase().to_lowercase().nfkc().collect()
}

/// Blanks, and what shows as nothing.
fn is_unseen(c: char) -> bool {
    // Fillers and selectors, which count as letters, marks and signs.
    if matches!(
        c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    ) {
        return true;
    }
    matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    )
}
