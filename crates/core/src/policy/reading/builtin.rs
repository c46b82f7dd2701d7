//! How the usual tools take their arguments.

/// Names of one argument; a call has at most one of them. A call with two of them could mean either.
pub(super) type ArgumentAliases = &'static [&'static str];

/// What an argument says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentMeaning {
    /// A command line, or an argv.
    Command,
    /// A file that is read.
    Read,
    /// A file that is written.
    Write,
    /// A file that is changed: what it holds decides, and so is told, whether that can be done.
    Change,
    /// An address.
    Url,
}

/// One argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolArgument {
    /// What it is called.
    pub(super) names: ArgumentAliases,
    /// What it says.
    pub(super) says: ArgumentMeaning,
    /// What it is when the call has none. `None`: the call must have one.
    pub(super) default: Option<&'static str>,
}

/// How a usual tool is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuiltinReading {
    /// Its arguments.
    pub(super) arguments: &'static [ToolArgument],
    /// A pattern that is itself a path, below the read argument.
    pub(super) pattern: Option<ArgumentAliases>,
    /// A glob of the files below the read argument whose contents are used.
    pub(super) only: Option<ArgumentAliases>,
    /// Whether all below a path is used: always, or when an argument of one of these names is there and not `false`.
    pub(super) recursive: RecursiveUse,
    /// Only names are read, no contents.
    pub(super) names: bool,
    /// Whether a path may be a pattern.
    pub(super) globs: bool,
    /// The name is so common that a call with none of the arguments is some other tool's.
    pub(super) common: bool,
    /// At least one of these must be there too, else it is some other tool's (only for common names).
    pub(super) marks: ArgumentAliases,
    /// Arguments that change nothing of what it reads, writes, runs or asks, beside those of [`SAYS_NOTHING`].
    pub(super) other: ArgumentAliases,
}

impl BuiltinReading {
    /// Whether it runs command lines.
    pub(super) fn runs(&self) -> bool {
        self.arguments.iter().any(|argument| argument.says == ArgumentMeaning::Command)
    }
}

/// When all below a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecursiveUse {
    /// Never.
    No,
    /// Always.
    Yes,
    /// Where the path is a directory.
    Maybe,
    /// When one of these arguments is there and neither `false`, `null` nor 0.
    When(ArgumentAliases),
    /// The same, and without them perhaps: many tools that delete a file take a directory as well.
    Perhaps(ArgumentAliases),
}

const PATH: ArgumentAliases =
    &["file_path", "path", "filePath", "filename", "file", "file_name", "fileName", "target_file"];
const DIR: ArgumentAliases =
    &["path", "directory", "dir", "dir_path", "dirPath", "root", "cwd", "target_directory"];
const PATHS: ArgumentAliases = &[
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "file_name",
    "fileName",
    "target_file",
    "paths",
    "file_paths",
    "filePaths",
    "files",
];
const COMMAND: ArgumentAliases = &["command", "cmd"];
const URL: ArgumentAliases = &["url", "uri", "href"];
const FROM: ArgumentAliases =
    &["source", "src", "from", "old_path", "oldPath", "source_path", "sourcePath", "source_file"];
const TO: ArgumentAliases = &[
    "destination",
    "dest",
    "to",
    "new_path",
    "newPath",
    "destination_path",
    "destinationPath",
    "target",
];

/// The names of the directory that a command runs in.
pub(super) const CWD: ArgumentAliases = &[
    "cwd",
    "workdir",
    "working_directory",
    "workingDirectory",
    "work_dir",
    "workDir",
    "directory",
    "dir",
    "dir_path",
    "dirPath",
];
/// Arguments of any tool that change nothing of what it reads, writes, runs or asks: what the agent says of the call, how long
/// it may take, and how much of the result it wants.
pub(super) const SAYS_NOTHING: ArgumentAliases = &[
    "description",
    "explanation",
    "reason",
    "rationale",
    "purpose",
    "title",
    "justification",
    "timeout",
    "timeout_ms",
    "timeoutMs",
    "timeout_seconds",
    "timeoutSeconds",
    "max_output_length",
    "maxOutputLength",
    "max_length",
    "maxLength",
    "max_tokens",
    "maxTokens",
    "limit",
    "offset",
    "head_limit",
    "headLimit",
];
/// Variables that a command is given.
pub(super) const ENV: ArgumentAliases = &["env", "environment", "env_vars", "envVars"];
/// The shell that a command is run by.
pub(super) const SHELL: ArgumentAliases = &["shell", "executable"];
/// More words for a command.
pub(super) const ARGS: ArgumentAliases = &["args", "arguments", "argv"];

const fn one(names: ArgumentAliases, says: ArgumentMeaning) -> ToolArgument {
    ToolArgument { names, says, default: None }
}

const PLAIN: BuiltinReading = BuiltinReading {
    arguments: &[],
    pattern: None,
    only: None,
    recursive: RecursiveUse::No,
    names: false,
    globs: false,
    common: false,
    marks: &[],
    other: &[],
};

/// An unknown tool.
pub(super) const NOTHING: BuiltinReading = PLAIN;

/// Whether it waits for the command, and whether a human is asked by somebody else too.
const RUN_OTHER: ArgumentAliases = &[
    "run_in_background",
    "runInBackground",
    "is_background",
    "isBackground",
    "background",
    "wait",
    "require_user_approval",
    "requires_approval",
    // What a confined command wants beside its verdict: a human is asked about that by itself.
    "reach",
];
/// Which part of the file, and how it is told.
const READ_OTHER: ArgumentAliases = &[
    "head",
    "tail",
    "start",
    "end",
    "line",
    "lines",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_start",
    "line_end",
    "start_line_one_indexed",
    "end_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "should_read_entire_file",
    "view_range",
    "range",
    "pages",
    "page",
    "encoding",
    "line_numbers",
    "show_line_numbers",
    "max_lines",
    "maxLines",
    "max_bytes",
    "maxBytes",
];
/// What is written, and how.
const WRITE_OTHER: ArgumentAliases = &[
    "content",
    "contents",
    "text",
    "file_text",
    "data",
    "encoding",
    "append",
    "overwrite",
    "create",
    "create_dirs",
    "create_directories",
    "createDirectories",
    "parents",
    "mkdir",
    "recursive",
    "exist_ok",
    "mode",
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "old_str",
    "new_str",
    "oldText",
    "newText",
    "old_text",
    "new_text",
    "search",
    "replace",
    "replacement",
    "replace_all",
    "replaceAll",
    "expected_replacements",
    "edits",
    "changes",
    "diff",
    "patch",
    "dryRun",
    "dry_run",
    "insert_line",
    "insert_text",
    "start_line",
    "end_line",
    "line",
    "lines",
    "instructions",
    "code_edit",
    "cell_id",
    "cell_number",
    "cell_type",
    "edit_mode",
    "new_source",
    "trailing_newline",
    "newline",
];
/// What is looked for, which files are left out, and how the finds are told.
const SEARCH_OTHER: ArgumentAliases = &[
    "pattern",
    "regex",
    "regexp",
    "query",
    "search_term",
    "text",
    "exclude",
    "exclude_pattern",
    "excludePattern",
    "exclude_patterns",
    "excludePatterns",
    "ignore",
    "output_mode",
    "outputMode",
    "case_sensitive",
    "caseSensitive",
    "case_insensitive",
    "ignore_case",
    "ignoreCase",
    "case",
    "is_regex",
    "isRegex",
    "fixed_strings",
    "literal",
    "multiline",
    "whole_word",
    "word",
    "context",
    "before_context",
    "after_context",
    "context_lines",
    "-A",
    "-B",
    "-C",
    "-i",
    "-n",
    "line_number",
    "line_numbers",
    "type",
    "file_type",
    "fileType",
    "max_results",
    "maxResults",
    "max_matches",
    "max_count",
    "sort",
    "sort_by",
    "sortBy",
    "order",
];
/// What is sent, which the address alone decides, and how the answer is told.
const FETCH_OTHER: ArgumentAliases = &[
    "method",
    "headers",
    "body",
    "data",
    "json",
    "params",
    "query",
    "prompt",
    "format",
    "raw",
    "start_index",
    "accept",
    "encoding",
    "user_agent",
];
/// Who connects, and what kind of address it is.
const NETWORK_OTHER: ArgumentAliases = &["command", "where"];
/// What becomes of a place that is taken already.
const PLACE_OTHER: ArgumentAliases =
    &["overwrite", "force", "create_directories", "create_dirs", "parents"];

const RUN: BuiltinReading = BuiltinReading {
    arguments: &[one(COMMAND, ArgumentMeaning::Command)],
    other: RUN_OTHER,
    ..PLAIN
};
const READ: BuiltinReading =
    BuiltinReading { arguments: &[one(PATHS, ArgumentMeaning::Read)], other: READ_OTHER, ..PLAIN };
/// Each of its paths may be a file, a pattern, or a folder with all below it.
const READ_MANY: BuiltinReading =
    BuiltinReading { globs: true, recursive: RecursiveUse::Maybe, ..READ };
const WRITE: BuiltinReading =
    BuiltinReading { arguments: &[one(PATH, ArgumentMeaning::Write)], other: WRITE_OTHER, ..PLAIN };
const EDIT: BuiltinReading = BuiltinReading {
    arguments: &[one(PATH, ArgumentMeaning::Change)],
    other: WRITE_OTHER,
    ..PLAIN
};
const FETCH: BuiltinReading =
    BuiltinReading { arguments: &[one(URL, ArgumentMeaning::Url)], other: FETCH_OTHER, ..PLAIN };
// What is moved away can be read where it goes.
const MOVED: &[ToolArgument] =
    &[one(FROM, ArgumentMeaning::Change), one(TO, ArgumentMeaning::Write)];
const COPIED: &[ToolArgument] =
    &[one(FROM, ArgumentMeaning::Read), one(TO, ArgumentMeaning::Write)];
const DEEP: ArgumentAliases = &["recursive", "depth", "max_depth", "maxDepth", "deep"];
const LIST: BuiltinReading = BuiltinReading {
    arguments: &[ToolArgument { names: DIR, says: ArgumentMeaning::Read, default: Some(".") }],
    recursive: RecursiveUse::When(DEEP),
    names: true,
    other: SEARCH_OTHER,
    ..PLAIN
};
const GREP_PATH: ArgumentAliases =
    &["path", "directory", "dir", "dir_path", "dirPath", "root", "file_path", "paths"];
const GREP: BuiltinReading = BuiltinReading {
    arguments: &[ToolArgument {
        names: GREP_PATH,
        says: ArgumentMeaning::Read,
        default: Some("."),
    }],
    only: Some(&["glob", "include", "file_pattern", "filePattern", "include_pattern"]),
    recursive: RecursiveUse::Yes,
    other: SEARCH_OTHER,
    ..PLAIN
};

const DELETE: BuiltinReading = BuiltinReading {
    recursive: RecursiveUse::Perhaps(&["recursive", "force"]),
    other: &["ignore_missing", "missing_ok"],
    ..WRITE
};

/// The usual tools, by their names in snake case.
const TOOLS: &[(&[&str], BuiltinReading)] = &[
    (
        &[
            "execute",
            "bash",
            "shell",
            "run_command",
            "run_shell_command",
            "terminal",
            "execute_command",
            "run_terminal_cmd",
            "run_terminal_command",
        ],
        RUN,
    ),
    (&["read_file", "view_file"], READ),
    (&["read_multiple_files", "read_many_files"], READ_MANY),
    (&["read"], BuiltinReading { common: true, ..READ }),
    (&["ls", "list_files", "list_directory", "list_dir"], LIST),
    (&["directory_tree"], BuiltinReading { recursive: RecursiveUse::Yes, ..LIST }),
    (
        &["glob"],
        BuiltinReading {
            names: true,
            pattern: Some(&["pattern", "glob", "glob_pattern", "globPattern"]),
            only: None,
            ..GREP
        },
    ),
    (&["grep", "search_files", "search_file_content"], GREP),
    (
        &["search"],
        BuiltinReading { common: true, marks: &["pattern", "regex", "regexp", "glob"], ..GREP },
    ),
    (&["write_file", "create_file", "append_file", "create_directory", "make_directory"], WRITE),
    (&["edit_file", "multi_edit", "str_replace", "notebook_edit"], EDIT),
    (&["write"], BuiltinReading { common: true, ..WRITE }),
    (&["edit"], BuiltinReading { common: true, ..EDIT }),
    (&["delete_file", "remove_file"], DELETE),
    (
        &["delete_directory", "remove_directory"],
        BuiltinReading { recursive: RecursiveUse::Yes, ..DELETE },
    ),
    (
        &["move_file", "rename_file"],
        BuiltinReading {
            arguments: MOVED,
            recursive: RecursiveUse::Maybe,
            other: PLACE_OTHER,
            ..PLAIN
        },
    ),
    (
        &["copy_file"],
        BuiltinReading {
            arguments: COPIED,
            recursive: RecursiveUse::Maybe,
            other: PLACE_OTHER,
            ..PLAIN
        },
    ),
    (&["fetch_url", "web_fetch", "http_request"], FETCH),
    (&["fetch"], BuiltinReading { common: true, ..FETCH }),
    (&["network"], BuiltinReading { common: true, other: NETWORK_OTHER, ..FETCH }),
];

/// How the tool of this name (in snake case) is read; `None` for an unusual name.
pub(super) fn of(name: &str) -> Option<BuiltinReading> {
    TOOLS.iter().find(|(names, _)| names.contains(&name)).map(|(_, tool)| *tool)
}

/// The names of all tools with a built-in reading, in snake case.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().flat_map(|(names, _)| *names).copied()
}

/// The names of those that run command lines.
pub(in crate::policy) fn runners() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().filter(|(_, tool)| tool.runs()).flat_map(|(names, _)| *names).copied()
}

/// `readFile`, `read-file` and `ReadFile` as `read_file`.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            if lower {
                snake.push('_');
            }
            snake.push(character.to_ascii_lowercase());
            lower = false;
        } else {
            snake.push(if character == '-' { '_' } else { character });
            lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_other_cases_are_the_same_tool() {
        for (name, expected) in [
            ("readFile", "read_file"),
            ("ReadFile", "read_file"),
            ("read-file", "read_file"),
            ("Bash", "bash"),
            ("LS", "ls"),
            ("MultiEdit", "multi_edit"),
            ("WebFetch", "web_fetch"),
        ] {
            assert_eq!(snake_case(name), expected);
            assert!(of(expected).is_some());
        }
        assert!(of("deploy").is_none());
    }
}
