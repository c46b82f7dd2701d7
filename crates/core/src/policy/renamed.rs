//! A tool under a name that it does not have, and that is no slip of a letter: another agent's name for it, its words in another
//! order, its name behind that of something it belongs to, its name beside more that no name has in it.

use super::foreign_tools::{folded, our_tool};

/// What stands between the name of a server or an object, and that of its tool.
const SEPARATORS: [&str; 4] = ["__", ".", ":", "/"];

/// Words that say which way it goes: with them another order is another tool.
const DIRECTIONS: [&str; 9] = ["after", "as", "before", "by", "from", "into", "of", "to", "with"];

/// Which of these tools a name means; `None`: none of them as far as is known.
///
/// `known`: all tools that are there.
pub fn renamed<'a>(
    name: &str, tools: impl Iterator<Item = &'a str> + Clone,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let of_words = match our_tool(name) {
        // What another agent calls so is known.
        Some(ours) => tools.clone().find(|tool| *tool == ours),
        None => words(name).and_then(|words| {
            tools.clone().find(|tool| self::words(tool).as_ref() == Some(&words))
        }),
    };
    let behind = || {
        let bare = folded(without_owner(name, known.clone())?);
        tools.clone().find(|tool| folded(tool) == bare)
    };
    of_words
        .or_else(behind)
        .or_else(|| beside_more(name, tools.clone(), known.clone()))
        .or_else(|| called_tool(name, tools.clone()))
}

/// Whether a name has it in it only where that is more than the name of a tool.
pub(super) fn is_foreign(letter: char) -> bool {
    !letter.is_alphanumeric() && !matches!(letter, '_' | '-')
}

/// The first of these that is whole in a text of several names, or of a name and what is done with it. Where a tool is there whose
/// name goes on as the text does, the text is the name of a tool beside that one.
fn beside_more<'a>(
    name: &str, mut tools: impl Iterator<Item = &'a str>,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let text = folded(name);
    let is_begun = |begin: &str| {
        let is_cut = begin.chars().any(|letter| !letter.is_alphanumeric());
        is_cut && known.clone().any(|tool| folded(tool).starts_with(begin))
    };
    tools.find(|tool| {
        let tool = folded(tool);
        text.match_indices(&*tool).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(&*tool).unwrap_or_default().chars().next();
            let next = at + tool.len() + after.map_or(0, char::len_utf8);
            let is_whole = !before.ends_with(char::is_alphanumeric)
                && !after.is_some_and(char::is_alphanumeric);
            is_whole
                && !tool.is_empty()
                && tool.len() < text.len()
                && !is_begun(before)
                && !is_begun(text.get(..next).unwrap_or_default())
        })
    })
}

/// The first of these that is the same but for the word that says that it is a tool, however both are written.
fn called_tool<'a>(name: &str, mut tools: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = folded(name);
    tools.find(|tool| {
        let tool = folded(tool);
        bare_names(&name).any(|bare| bare_names(&tool).any(|other| other == bare))
    })
}

/// A folded name as it is, and without `tool` before it or behind it.
fn bare_names(name: &str) -> impl Iterator<Item = &str> {
    const KINDS: [&str; 2] = ["tools", "tool"];
    let before = KINDS.iter().filter_map(|kind| name.strip_prefix(kind));
    let behind = KINDS.iter().filter_map(|kind| name.strip_suffix(kind));
    std::iter::once(name).chain(before).chain(behind).filter(|bare| !bare.is_empty())
}

/// The words of a name, sorted; `None`: it has one, or their order says something.
fn words(name: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        let is_new = !letter.is_alphanumeric() || (was_lower && letter.is_uppercase());
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut()?.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    let says_more = words.iter().any(|word| DIRECTIONS.contains(&word.as_str()));
    (words.len() > 1 && !says_more).then_some(words)
}

/// What stands behind the last separator, where no tool is of what stands before it: with one of those, the name is of another one.
fn without_owner<'a, 'b>(
    name: &'b str, mut known: impl Iterator<Item = &'a str>,
) -> Option<&'b str> {
    let at = SEPARATORS
        .iter()
        .filter_map(|separator| name.rfind(separator).map(|at| at + separator.len()))
        .max()?;
    let (owner, bare) = name.split_at_checked(at)?;
    (!bare.is_empty() && !known.any(|tool| tool.starts_with(owner))).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
        renamed(name, known.iter().copied(), known.iter().copied())
    }

    #[test]
    fn the_words_of_a_tool_in_another_order_mean_that_tool() {
        for name in ["file_delete", "fileDelete", "FileDelete", "file-delete", "file delete"] {
            assert_eq!(meant(name, &["read_file", "delete_file"]), Some("delete_file"), "{name}");
        }
        assert_eq!(meant("file_delete", &["deleteFile"]), Some("deleteFile"));
        assert_eq!(meant("pr_merge_github", &["github_merge_pr"]), Some("github_merge_pr"));
        // Other words, fewer, or the other way round.
        for (name, tool) in [
            ("file_delete", "delete_files"),
            ("delete", "delete_file"),
            ("delete_file_now", "delete_file"),
            ("usd_to_eur", "eur_to_usd"),
            ("copy_a_from_b", "copy_b_from_a"),
            ("_", "__"),
        ] {
            assert_eq!(meant(name, &[tool]), None, "{name}");
        }
    }

    #[test]
    fn the_name_of_a_tool_behind_a_separator_means_that_tool() {
        for name in [
            "tools.delete_file",
            "functions:delete_file",
            "fs/deleteFile",
            "mcp__fs__delete_file",
            "mcp__a__b__Delete-File",
            "fs.tools.delete_file",
        ] {
            assert_eq!(meant(name, &["read_file", "delete_file"]), Some("delete_file"), "{name}");
        }
        for name in ["tools.", "tools.delete", "undelete_file", "a.b"] {
            assert_eq!(meant(name, &["delete_file"]), None, "{name}");
        }
    }

    #[test]
    fn the_name_of_a_tool_beside_what_no_name_has_in_it_means_that_tool() {
        for name in [
            "delete_file,read_file",
            "read_file, deleteFile",
            "delete_file read_file",
            "delete_file;read_file",
            "delete_file: true",
            "delete_file.execute",
            "delete_file()",
            "'delete_file' => ask",
            "tool-delete_file",
            "toolDeleteFile",
            "delete_file_tool",
            "DeleteFileTool",
            "Delete_File_Tool",
            "DELETE-FILE-TOOL",
            "deletefiletool",
            "tooldeletefile",
            "Tools_Delete_File",
            "deletefiletools",
        ] {
            assert_eq!(meant(name, &["delete_file", "other"]), Some("delete_file"), "{name}");
        }
        // Also where a tool has that letter in its name.
        for (name, known, tool) in [
            ("delete_file.execute", ["delete_file", "fs.read"], "delete_file"),
            ("delete_file read_file", ["delete_file", "x y"], "delete_file"),
            ("x y, delete_file", ["delete_file", "x y"], "delete_file"),
            ("a.b:true", ["a.b", "x:y"], "a.b"),
            ("delete_file", ["read_file", "delete_file_tool"], "delete_file_tool"),
            ("Delete_File", ["read_file", "deletefiletool"], "deletefiletool"),
            ("tool_delete_file", ["read_file", "deleteFileTool"], "deleteFileTool"),
        ] {
            assert_eq!(meant(name, &known), Some(tool), "{name}");
        }
        // Parts of names, and what is part of the names that are there.
        for (name, known) in [
            ("fs.delete_file", ["delete_file", "fs.read"]),
            ("fs.delete", ["fs", "fs.read"]),
            ("fs.delete", ["delete", "fs.read"]),
            ("stool_delete_file", ["delete_file", "other"]),
            ("delete_file_stool", ["delete_file", "other"]),
            ("delete_files,read", ["delete_file", "other"]),
            ("delete_file_now", ["delete_file", "other"]),
        ] {
            assert_eq!(meant(name, &known), None, "{name}");
        }
    }

    #[test]
    fn a_name_of_a_server_that_is_there_means_no_tool_of_another() {
        let known = ["delete_file", "mcp__fs__read_file"];
        assert_eq!(meant("mcp__fs__delete_file", &known), None);
        assert_eq!(meant("mcp__git__delete_file", &known), Some("delete_file"));
    }

    #[test]
    fn what_another_agent_calls_so_comes_first() {
        assert_eq!(meant("container.exec", &["exec", "execute"]), Some("execute"));
        assert_eq!(meant("container.exec", &["exec"]), Some("exec"));
        assert_eq!(meant("todo_write", &["write_todo"]), None);
    }
}
