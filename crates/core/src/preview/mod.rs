//! A call as plain text that is safe to show to the human who decides about it. Pure.
//!
//! Nothing in the text acts on a terminal or changes how the rest is read, both ends of anything long are shown, and each
//! line that comes from the arguments starts with a gutter, so that no argument can pose as the prompt's own words.

mod chars;
mod flags;
mod layout;
mod scan;
#[cfg(test)]
mod tests;

pub use flags::{Flag, Flags};

use crate::call::Json;

/// A call made safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The text.
    pub text: String,
    /// What is worth a warning.
    pub flags: Flags,
}

/// Shows a call, in lines of at most `width` columns (no less than 20); `None`: lines are not wrapped.
pub fn render(tool_name: &str, args: &Json, width: Option<usize>) -> Preview {
    let mut flags = scan::name(tool_name);
    let sum = scan::arguments(args, &mut flags);
    let text = layout::page(tool_name, args, &sum, width);
    Preview { text, flags }
}

/// Any text made safe to show, its line ends kept, and both ends of it when it is longer than about twice `end` characters.
pub fn text(text: &str, end: usize) -> String {
    layout::safe(text, end)
}

/// A sentence that asks about a call, for when nobody wrote one: short, one line, and as safe as the preview.
pub fn describe(tool_name: &str, args: &Json) -> String {
    layout::sentence(tool_name, args)
}
