//! A call as plain text that is safe to show to the human who decides about it. Pure.
//!
//! Nothing in the text acts on a terminal or changes how the rest is read, both ends of anything long are shown, and each
//! line that comes from the arguments starts with a gutter, so that no argument can pose as the prompt's own words.

mod batch;
mod change;
mod chars;
mod confusable;
mod context;
mod diff;
mod edit;
mod flags;
mod hunks;
mod layout;
mod plan;
mod rows;
mod safe;
mod scan;
mod segments;
#[cfg(test)]
mod tests;

pub use batch::preview_line;
pub use change::{FileChange, FileState, SeenState, change_of, file_of};
pub use edit::{AmbiguousEdit, EditFault, EditedText, TextEdit, apply};
pub use flags::{Flag, Flags};
pub use plan::may_change_file;
pub use rows::{ShownRow, order_of, rows};
pub use segments::{MarkEffect, SegmentMark, segments};

use std::collections::BTreeMap;

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
    page(tool_name, args, width, None, None)
}

/// The argument of a call that is a command, and what was said about its parts.
#[derive(Debug, Clone, Copy)]
pub struct CommandSegments<'a> {
    /// The name of the argument.
    pub argument: &'a str,
    /// What was said.
    pub marks: &'a [SegmentMark],
}

/// Shows a call as [`render`] does, with a diff in the place of the arguments that it says everything about, and a command
/// taken apart in the place of the command. The flags are those of all arguments, also of these. [`Flag::Hidden`] stands
/// exactly where the text leaves something out, or where a screen would that lays the command out anew, as [`render`] does,
/// for its width.
pub fn page(
    tool_name: &str, args: &Json, width: Option<usize>, change: Option<&FileChange>,
    segments: Option<CommandSegments>,
) -> Preview {
    let mut flags = scan::name(tool_name);
    let sum = scan::arguments(args, &mut flags);
    let mut told: Vec<&str> = Vec::new();
    let mut rest = Vec::new();
    if let (Json::Object(args), Some(segments)) = (args, segments)
        && let Some(Json::String(command)) = args.get(segments.argument)
    {
        told.push(segments.argument);
        rest.push(format!(
            "{}{}:\n{}",
            layout::GUTTER,
            safe::on_one_line(segments.argument, 64),
            self::segments(command, segments.marks)
        ));
    }
    if let Some(change) = change {
        flags.add(change.flags);
        told.extend(change.told.iter().map(String::as_str));
        rest.push(change.text.clone());
    }
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let (text, leaves_out) = match args {
        Json::Object(all) if !told.is_empty() => {
            let others: BTreeMap<String, Json> = all
                .iter()
                .filter(|(name, _)| !told.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let others = Json::Object(others);
            let sum = scan::arguments(&others, &mut flags);
            let shown = (others != Json::Object(BTreeMap::new())).then_some((&others, &sum));
            layout::page(tool_name, shown, width, &rest)
        }
        _ => layout::page(tool_name, Some((args, &sum)), width, &rest),
    };
    let anew = || change.is_none() && layout::page(tool_name, Some((args, &sum)), width, &[]).1;
    if leaves_out || (!told.is_empty() && anew()) {
        flags.add(Flags::of([Flag::Hidden]));
    }
    Preview { text, flags }
}

/// Any text made safe to show, its line ends kept, and both ends of it when it is longer than about twice `end` characters.
pub fn text(text: &str, end: usize) -> String {
    safe::safe(text, end)
}

/// A sentence that asks about a call for which none was given: short, one line, and as safe as the preview. `order`: see
/// [`rows`].
pub fn describe(tool_name: &str, args: &Json, order: &[String]) -> String {
    rows::sentence(tool_name, args, order)
}
