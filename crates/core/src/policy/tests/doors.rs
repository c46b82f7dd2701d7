//! A file has one lock, whichever door leads to it: a tool, or a command that does the same.

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

/// A tool, its arguments around the path, and the commands that do as much with it.
const DOORS: &[(&str, &str, &[&str])] = &[
    ("read_file", r#"{"path":"@"}"#, &["cat '@'", "cat < '@'", "head -n 5 '@'"]),
    ("write_file", r#"{"path":"@","content":"x"}"#, &["echo x > '@'", "echo x | tee '@'"]),
    ("edit_file", r#"{"path":"@","old_string":"a","new_string":"b"}"#, &["sed -i s/a/b/ '@'"]),
    ("ls", r#"{"path":"@"}"#, &["ls '@'"]),
    ("glob", r#"{"pattern":"**/*.c","path":"@"}"#, &["find '@' -name '*.c'"]),
    ("grep", r#"{"pattern":"x","path":"@"}"#, &["grep -r x '@'"]),
    ("delete_file", r#"{"path":"@"}"#, &["rm -r '@'"]),
    ("delete_directory", r#"{"path":"@"}"#, &["rm -r '@'"]),
    ("move_file", r#"{"source":"@","destination":"new"}"#, &["mv -T '@' new", "mv '@' new"]),
];

const PATHS: &[&str] = &[
    "a",
    "a/keys",
    "a/keys/k",
    "b.c",
    "src/x.c",
    "../o",
    "/etc/hosts",
    "/home/me/n",
    "/home/me/.ssh/id",
    ".env",
    ".git/config",
    "/work/app",
    "/",
    ".",
    "/dev/null",
    "a.key",
    "*.key",
];

/// Each of these names one directory or file and all below it: of others it is unknown whether they are below.
const PATTERNS: &[&str] = &[
    "a",
    "a/**",
    "a/keys/**",
    "src/**",
    "/etc/**",
    "/home/me/**",
    "${project}/**",
    "/**",
    ".env",
    "*.key",
    "**/*.key",
];

/// Both doors are open, but for what is said of the files.
const OPEN: &str = r#"
[[rule]]
effect = "allow"
commands = ["cat", "head", "echo", "tee", "sed", "ls", "find", "grep", "rm", "mv"]
[[rule]]
effect = "allow"
tools = ["read_file", "write_file", "edit_file", "ls", "glob", "grep", "delete_file", "delete_directory", "move_file"]
[[rule]]
effect = "allow"
writes = ["/", "/**"]
reads = ["/", "/**"]
"#;

pub(super) fn doors(path: &str) -> impl Iterator<Item = (Call, Call)> {
    DOORS.iter().flat_map(move |(tool, args, commands)| {
        commands.iter().map(move |command| {
            (Call::new(tool, &args.replace('@', path)), Call::run(&command.replace('@', path)))
        })
    })
}

proptest! {
    #![proptest_config(cases(48, 4_000))]

    #[test]
    fn two_doors_have_one_lock(
        path in prop::sample::select(PATHS),
        rules in prop::collection::vec(
            (
                prop::sample::select(vec!["ask", "deny"]),
                prop::sample::select(vec!["reads", "writes"]),
                prop::sample::select(PATTERNS),
            ), 0..4),
        default in prop::sample::select(vec!["", "default = 'ask'\n", "default = 'deny'\n", "default = 'allow'\n"]),
    ) {
        let rules: String = rules
            .iter()
            .map(|(effect, access, pattern)| {
                format!("[[rule]]\neffect = '{effect}'\n{access} = ['{pattern}']\n")
            })
            .collect();
        let policy = policy(&format!("{default}{OPEN}{rules}"));
        let mut differ = Vec::new();
        for (tool, command) in doors(path) {
            let (by_tool, by_command) = (verdict(&policy, &tool), verdict(&policy, &command));
            // Of names alone `find` says less than the tool.
            let is_same = if tool.tool == "glob" {
                by_tool.effect >= by_command.effect
            } else if tool.tool == "delete_file" {
                // Of a folder the command surely deletes what is below, the tool perhaps: neither is allowed.
                (by_tool.effect == Effect::Allow) == (by_command.effect == Effect::Allow)
            } else {
                by_tool.effect == by_command.effect
            };
            if !is_same {
                differ.push(format!("{} {path}: {} / {:?}: {}", tool.tool, by_tool.reason, command.args, by_command.reason));
            }
        }
        prop_assert!(differ.is_empty(), "{}\n{}", differ.join("\n"), rules);
    }
}

#[test]
fn a_folder_is_not_deleted_by_a_tool_for_files_where_a_deny_is_below() {
    let rules = "[[rule]]\neffect = 'allow'\ntools = ['delete_file']\n\
        [[rule]]\neffect = 'deny'\nwrites = ['a/keys/**']\n[[rule]]\neffect = 'deny'\nwrites = ['**/.secret']\n";
    calls(
        rules,
        &[
            ("deny", "delete_file", r#"{"path":"a"}"#),
            ("deny", "delete_file", r#"{"path":"a/keys/x"}"#),
            ("deny", "delete_file", r#"{"path":"b/.secret"}"#),
            // It may be below.
            ("ask", "delete_file", r#"{"path":"b"}"#),
            ("deny", "delete_file", r#"{"path":"b","recursive":true}"#),
        ],
    );
}
