//! Reads off a call what it would do to a file, as the tools of deep agents name their arguments.

use std::collections::BTreeMap;

use super::edit::TextEdit;
use crate::call::Json;

/// What a call would do to a file.
#[derive(Debug, PartialEq)]
pub(super) struct FilePlan<'a> {
    /// The file, as the call names it.
    pub(super) path: &'a str,
    pub(super) deed: FileAction<'a>,
    /// The arguments that the diff says everything about.
    pub(super) told: Vec<&'a str>,
}

/// What is done to the content.
#[derive(Debug, PartialEq)]
pub(super) enum FileAction<'a> {
    /// It is replaced.
    Write(&'a str),
    /// It is changed in places, one edit after the other; all of them or none.
    Edit(Vec<TextEdit<'a>>),
}

const PATH: &[&str] = &["file_path", "path", "filePath"];
const CONTENT: &[&str] = &["content", "contents"];
const OLD: &[&str] = &["old_string", "oldString", "old_str", "oldText"];
const NEW: &[&str] = &["new_string", "newString", "new_str", "newText"];
const EVERYWHERE: &[&str] = &["replace_all", "replaceAll"];
const EDITS: &[&str] = &["edits"];

/// How a tool changes a file.
#[derive(Clone, Copy)]
enum Way {
    Write,
    Edit,
}

impl Way {
    fn of(tool_name: &str) -> Option<Self> {
        match tool_name {
            "write_file" | "writeFile" | "write" | "Write" => Some(Self::Write),
            "edit_file" | "editFile" | "edit" | "Edit" | "multi_edit" | "multiEdit"
            | "MultiEdit" => Some(Self::Edit),
            _ => None,
        }
    }
}

/// Whether a call of a tool of this name may be shown as the change of a file: whether it is, its arguments say.
pub fn may_change_file(tool_name: &str) -> bool {
    Way::of(tool_name).is_some()
}

impl<'a> FilePlan<'a> {
    /// `None`: the tool is not known to write one file, or the arguments do not plainly say what it would do (one is missing, of
    /// the wrong type, or given under two names). The call is then shown argument by argument.
    pub(super) fn of(tool_name: &str, args: &'a Json) -> Option<Self> {
        let Json::Object(args) = args else { return None };
        let (_, path) = text(args, PATH)?;
        match Way::of(tool_name)? {
            Way::Write => {
                let (name, content) = text(args, CONTENT)?;
                Some(Self { path, deed: FileAction::Write(content), told: vec![name] })
            }
            Way::Edit => {
                let edits = one(args, EDITS)?;
                let (edits, told) = match edits {
                    Some((name, Json::Array(edits))) if absent(args, OLD) && absent(args, NEW) => {
                        let edits: Option<Vec<_>> = edits.iter().map(TextEdit::of_item).collect();
                        (edits?, vec![name])
                    }
                    Some(_) => return None,
                    None => {
                        let (edit, told) = TextEdit::of(args)?;
                        (vec![edit], told)
                    }
                };
                Some(Self { path, deed: FileAction::Edit(edits), told })
            }
        }
    }
}

impl<'a> TextEdit<'a> {
    fn of(args: &'a BTreeMap<String, Json>) -> Option<(Self, Vec<&'a str>)> {
        let ((old_name, old), (new_name, new)) = (text(args, OLD)?, text(args, NEW)?);
        let everywhere = match one(args, EVERYWHERE)? {
            None => false,
            Some((_, Json::Bool(everywhere))) => *everywhere,
            Some(_) => return None,
        };
        Some((Self { old, new, everywhere }, vec![old_name, new_name]))
    }

    /// One of a list, which says nothing that a diff would not tell.
    fn of_item(item: &'a Json) -> Option<Self> {
        let Json::Object(item) = item else { return None };
        let known = |name: &String| {
            [OLD, NEW, EVERYWHERE].iter().any(|names| names.contains(&name.as_str()))
        };
        if !item.keys().all(known) {
            return None;
        }
        Self::of(item).map(|(edit, _)| edit)
    }
}

/// The argument under the one of these names that is there; `None`: under more than one.
fn one<'a>(
    args: &'a BTreeMap<String, Json>, names: &[&str],
) -> Option<Option<(&'a str, &'a Json)>> {
    let mut found = names
        .iter()
        .filter_map(|name| args.get_key_value(*name))
        .filter(|(_, value)| **value != Json::Null);
    let first = found.next().map(|(name, value)| (name.as_str(), value));
    found.next().is_none().then_some(first)
}

fn text<'a>(args: &'a BTreeMap<String, Json>, names: &[&str]) -> Option<(&'a str, &'a str)> {
    match one(args, names)?? {
        (name, Json::String(text)) => Some((name, text)),
        _ => None,
    }
}

fn absent(args: &BTreeMap<String, Json>, names: &[&str]) -> bool {
    names.iter().all(|name| !args.contains_key(*name))
}
