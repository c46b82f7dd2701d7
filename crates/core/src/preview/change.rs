//! What a call would change in a file, shown as a diff, and what of the file that diff is about.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::edit::{self, AmbiguousEdit, EditFault, TextEdit};
use super::flags::{Flag, Flags};
use super::hunks::{self, ShownDiff};
use super::plan::{FileAction, FilePlan};
use super::safe::on_one_line;
use super::scan;
use crate::call::{Digest, Json};

/// Content of more bytes than this is described, not compared.
const COMPARED: usize = 8 << 20;

/// A file as it is when a call is shown, or when it is about to run. Its reader makes one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// No such file.
    Absent,
    /// Its whole content.
    Content(Vec<u8>),
    /// It is there but could not be read, for this reason: a folder, no permission, larger than one wants to read.
    Unreadable(String),
}

/// What of a file a diff is about. A call that was approved on a file that changed must be asked about again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenState {
    /// There was none.
    Absent,
    /// Its content has this digest.
    Content(Digest),
    /// It could not be read.
    Unreadable,
}

impl SeenState {
    /// What is seen of it now.
    pub fn of(file: &FileState) -> Self {
        match file {
            FileState::Absent => Self::Absent,
            FileState::Content(content) => Self::Content(Digest::of_bytes(content)),
            FileState::Unreadable(_) => Self::Unreadable,
        }
    }

    /// The digest of the content; `None`: there was none to be seen.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Content(digest) => Some(*digest),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

impl Serialize for SeenState {
    /// The digest, `null` for a file that is absent, `"unreadable"`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Content(digest) => digest.serialize(serializer),
            Self::Unreadable => serializer.serialize_str("unreadable"),
        }
    }
}

/// What a call would change in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The file, as the call names it. Not made safe to show.
    pub path: String,
    /// The file itself: absolute, every symlink on the way followed. Its reader says it; `None`: it did not, or could not. Not
    /// made safe to show.
    pub target: Option<String>,
    /// What the change is based on: the decision holds for a file that is still like that.
    pub before: SeenState,
    /// The digest of the content after the call; `None`: it cannot be foretold.
    pub after: Option<Digest>,
    /// One line that says what happens, then the diff, without a line feed at the end. Safe to show: lines that come from the
    /// file or the call start with `│ +`, `│ -` or `│  ` (a tab is shown as `⇥`, a carriage return as `␍`), all others with neither.
    pub text: String,
    /// Lines that the file gains.
    pub added: usize,
    /// Lines that the file loses.
    pub removed: usize,
    /// What is worth a warning in what the call writes.
    pub flags: Flags,
    /// Whether the diff says all that changes, and nothing in it is in doubt.
    #[serde(skip)]
    pub is_whole: bool,
    /// The arguments that `text` says everything about, so that a page shows it instead.
    #[serde(skip)]
    pub(super) told: Vec<String>,
}

/// The file that a call would write or edit, as the call names it; `None`: none that is known.
pub fn file_of<'a>(tool_name: &str, args: &'a Json) -> Option<&'a str> {
    FilePlan::of(tool_name, args).map(|plan| plan.path)
}

/// What a call of a tool that writes or edits a file (`write_file`, `edit_file`, `multi_edit`) would change in it; `None`:
/// another call, and nothing was read.
///
/// `read` is given the path as the call names it. Its answer is all that is known of the file: nothing is read here.
pub fn change_of(
    tool_name: &str, args: &Json, read: &dyn Fn(&str) -> FileState,
) -> Option<FileChange> {
    let plan = FilePlan::of(tool_name, args)?;
    let file = read(plan.path);
    let mut flags = Flags::NONE;
    let mut see = |text: &str| flags.add(scan::text(text));
    match &plan.deed {
        FileAction::Write(content) => see(content),
        FileAction::Edit(edits) => edits.iter().for_each(|edit| see(edit.new)),
    }
    let told = match outcome(&plan.deed, &file) {
        Ok(told) => told,
        // Nothing stands for the arguments then: they are shown themselves.
        Err(why) => ToldChange { text: why, whole: false, ..ToldChange::default() },
    };
    if told.cut {
        flags.add(Flags::of([Flag::Long]));
    }
    Some(FileChange {
        path: plan.path.to_owned(),
        target: None,
        before: SeenState::of(&file),
        after: told.after,
        text: told.text,
        added: told.added,
        removed: told.removed,
        flags,
        is_whole: told.whole && !told.cut && is_text(&file),
        told: if told.whole {
            plan.told.iter().map(|name| (*name).to_owned()).collect()
        } else {
            Vec::new()
        },
    })
}

/// What is said about a change.
#[derive(Default)]
struct ToldChange {
    text: String,
    added: usize,
    removed: usize,
    after: Option<Digest>,
    /// There is more than is shown.
    cut: bool,
    /// It says all that the arguments say.
    whole: bool,
}

impl ToldChange {
    fn of(head: &str, shown: ShownDiff, after: &str, whole: bool) -> Self {
        let ShownDiff { mut text, added, removed, cut } = shown;
        text.insert_str(0, &format!("{head}: +{added} −{removed}\n"));
        text.truncate(text.trim_end_matches('\n').len());
        Self { text, added, removed, after: Some(Digest::of_text(after)), cut, whole }
    }
}

/// `Err`: why there is no diff.
fn outcome(deed: &FileAction, file: &FileState) -> Result<ToldChange, String> {
    match (deed, file) {
        (_, FileState::Unreadable(why)) => Err(format!(
            "the file could not be read, so its change is not shown: {}",
            on_one_line(why, 200)
        )),
        (FileAction::Write(content), FileState::Absent) => {
            let head = if content.is_empty() { "a new file, empty" } else { "a new file" };
            Ok(ToldChange::of(head, hunks::between("", content), content, true))
        }
        (FileAction::Write(content), FileState::Content(bytes)) => Ok(match as_text(bytes) {
            Err(what) => {
                let head = format!("replaces {what}; the new content");
                ToldChange::of(&head, hunks::between("", content), content, true)
            }
            Ok(before) if before == *content => {
                ToldChange::of("the file stays as it is", hunks::between("", ""), content, true)
            }
            Ok(before) => {
                ToldChange::of("replaces the file", hunks::between(before, content), content, true)
            }
        }),
        (FileAction::Edit(_), FileState::Absent) => {
            Err("the edit would fail: there is no such file".to_owned())
        }
        (FileAction::Edit(edits), FileState::Content(bytes)) => {
            let before =
                as_text(bytes).map_err(|what| format!("edits {what}: the change is not shown"))?;
            let (after, doubt) = edited(before, edits)?;
            let shown = hunks::between(before, &after);
            Ok(match doubt {
                Some(doubt) => ToldChange::of(&doubt, shown, &after, false),
                None if before == after => {
                    ToldChange::of("the file stays as it is", shown, &after, false)
                }
                None => ToldChange::of("edits the file", shown, &after, true),
            })
        }
    }
}

/// Whether what is there, if anything, can stand in a diff.
fn is_text(file: &FileState) -> bool {
    match file {
        FileState::Absent => true,
        FileState::Content(bytes) => as_text(bytes).is_ok(),
        FileState::Unreadable(_) => false,
    }
}

/// The content as text; `Err`: what it is.
fn as_text(bytes: &[u8]) -> Result<&str, String> {
    let kind = match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= COMPARED && !bytes.contains(&0) => return Ok(text),
        Ok(_) if bytes.len() > COMPARED => "a large file",
        _ => "a binary file",
    };
    let digest = Digest::of_bytes(bytes).to_string();
    Err(format!(
        "{kind} of {} bytes (SHA-256 {}…)",
        bytes.len(),
        digest.get(..16).unwrap_or_default()
    ))
}

/// The content after the edits, and what is in doubt about it; `Err`: why the edits fail.
fn edited<'a>(
    before: &'a str, edits: &[TextEdit],
) -> Result<(Cow<'a, str>, Option<String>), String> {
    let the_text = |index: usize| match edits.len() {
        1 => "the text to replace".to_owned(),
        count => format!("the text to replace of edit {} of {count}", index + 1),
    };
    let edited = edit::apply(before, edits, COMPARED).map_err(|fault| match fault {
        EditFault::Empty { index } => {
            format!("the edit would fail: {} is empty", the_text(index))
        }
        EditFault::Missing { index } => {
            format!("the edit would fail: {} is not in the file", the_text(index))
        }
        EditFault::TooMany => {
            "the edits are too many for a file of this size: the change is not shown".to_owned()
        }
        EditFault::TooLarge => {
            format!("the edit makes a file of more than {COMPARED} bytes: the change is not shown")
        }
    })?;
    let doubt = edited.ambiguous.map(|AmbiguousEdit { index, count }| {
        format!(
            "the edit may fail or change several places: {} stands {count} times in the file. If all of them change",
            the_text(index)
        )
    });
    Ok((edited.content, doubt))
}

#[cfg(test)]
mod tests;
