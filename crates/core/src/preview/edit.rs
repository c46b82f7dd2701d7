//! Texts of a file that give way to others. What is shown of an edit and what is done are this one function.

use std::borrow::Cow;

/// What the edits of one call may read all in all, in bytes.
const WORK: usize = 64 << 20;

/// A text that gives way to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEdit<'a> {
    /// What is replaced. Empty: the whole content of a file that has none.
    pub old: &'a str,
    /// What takes its place.
    pub new: &'a str,
    /// Wherever it stands, or only when it stands once.
    pub everywhere: bool,
}

/// What edits make of a content.
#[derive(Debug, PartialEq, Eq)]
pub struct EditedText<'a> {
    /// It, with every place changed.
    pub content: Cow<'a, str>,
    /// How many places were changed.
    pub replaced: usize,
    /// The first edit that is of one place but could mean several. A writer must not choose: the content is for show.
    pub ambiguous: Option<AmbiguousEdit>,
}

/// An edit of one place whose text stands in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmbiguousEdit {
    /// Which edit.
    pub index: usize,
    /// How many times its text stands there.
    pub count: usize,
}

/// Why edits make nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditFault {
    /// The text to replace is empty, and the content is not.
    Empty {
        /// Which edit.
        index: usize,
    },
    /// The text to replace is not there.
    Missing {
        /// Which edit.
        index: usize,
    },
    /// More work than one call may make.
    TooMany,
    /// The content would have more bytes than wanted.
    TooLarge,
}

/// Makes the edits, one after the other, all of them or none. The content may grow to `most` bytes.
///
/// # Errors
/// When one of them cannot be made.
pub fn apply<'a>(
    before: &'a str, edits: &[TextEdit], most: usize,
) -> Result<EditedText<'a>, EditFault> {
    let mut edited = EditedText { content: Cow::Borrowed(before), replaced: 0, ambiguous: None };
    let mut work = 0;
    for (index, edit) in edits.iter().enumerate() {
        let content = &edited.content;
        work += content.len() + edit.old.len() + edit.new.len();
        if work > WORK {
            return Err(EditFault::TooMany);
        }
        let count = match (edit.old.is_empty(), content.is_empty()) {
            (true, false) => return Err(EditFault::Empty { index }),
            (true, true) => 1,
            (false, _) => content.matches(edit.old).count(),
        };
        if count == 0 {
            return Err(EditFault::Missing { index });
        }
        if count > 1 && !edit.everywhere {
            edited.ambiguous.get_or_insert(AmbiguousEdit { index, count });
        }
        let grown = edit.new.len().saturating_sub(edit.old.len()).saturating_mul(count);
        if content.len().saturating_add(grown) > most {
            return Err(EditFault::TooLarge);
        }
        edited.content = Cow::Owned(match edit.old {
            "" => edit.new.to_owned(),
            old => content.replace(old, edit.new),
        });
        edited.replaced += count;
    }
    Ok(edited)
}
