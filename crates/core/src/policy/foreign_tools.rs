//! Names that other agents have for tools of ours: who comes from them writes `Bash`, and means `execute`.

/// Ours, and what others call it: Claude Code, Codex, Gemini, Copilot, OpenCode, Cline. Without case, `-`, `_` and `.`. What differs
/// from ours in those alone need not stand here.
const TOOLS: [(&str, &[&str]); 10] = [
    (
        "execute",
        &[
            "bash",
            "containerexec",
            "exec",
            "execcommand",
            "executecommand",
            "localshell",
            "runcommand",
            "runinterminal",
            "runshellcommand",
            "runterminalcmd",
            "shell",
            "shellcommand",
            "terminal",
        ],
    ),
    ("write_file", &["createfile", "write", "writetofile"]),
    (
        "edit_file",
        &[
            "applydiff",
            "applypatch",
            "edit",
            "inserteditintofile",
            "multiedit",
            "notebookedit",
            "patch",
            "replace",
            "replaceinfile",
            "replacestringinfile",
            "searchreplace",
            "strreplacebasededittool",
            "strreplaceeditor",
        ],
    ),
    ("read_file", &["notebookread", "read", "readmanyfiles", "viewfile"]),
    ("ls", &["list", "listdir", "listdirectory", "listfiles"]),
    ("glob", &["filesearch", "findfiles"]),
    ("grep", &["grepsearch", "searchfilecontent", "searchfiles"]),
    ("task", &["agent", "runsubagent", "spawnagent"]),
    ("write_todos", &["managetodolist", "todowrite", "updateplan"]),
    ("ask_user", &["askfollowupquestion", "askuserquestion", "question", "requestuserinput"]),
];

/// What a tool is called here that another agent calls so.
#[must_use]
pub(super) fn our_tool(name: &str) -> Option<&'static str> {
    let folded = folded(name).replace('.', "");
    TOOLS.iter().find(|(_, others)| others.contains(&folded.as_str())).map(|(ours, _)| *ours)
}

/// The name without case, `-` and `_`: what people write differently and mean the same by.
#[must_use]
pub fn folded(name: &str) -> String {
    name.to_lowercase().replace(['-', '_'], "")
}
