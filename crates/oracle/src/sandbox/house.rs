//! The contents of the sandbox: its programs, its files, its environment.

/// The environment that a script starts with. A program that finds anything else in it was given it by the script.
pub const ENV: [(&str, &str); 6] = [
    ("BASH_ENV", "/real/bashenv"),
    ("HOME", "/home/u"),
    ("LC_ALL", "C"),
    ("PATH", "/bin"),
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
];

/// Variables that shells themselves put into the environment.
pub const ENV_OF_SHELLS: [&str; 4] = ["OLDPWD", "PWD", "SHLVL", "_"];

/// Where each program that starts writes down its arguments.
pub const LOG: &str = "/log/ran";

/// Read by bash before each script: the builtins that would hide a command give way to stubs, and commands that are
/// not found are written down too.
pub const BASH_ENV: &str = "enable -n echo printf test [ true false pwd kill 2>/dev/null\n\
     command_not_found_handle(){ /bin/__missing \"$@\"; return 127; }\n";

/// Stands before each script for dash, which cannot disable builtins.
pub const DASH_HEAD: &str = "echo(){ /bin/echo \"$@\"; }\nprintf(){ /bin/printf \"$@\"; }\ntest(){ /bin/test \"$@\"; }\n\
     true(){ /bin/true \"$@\"; }\nfalse(){ /bin/false \"$@\"; }\nkill(){ /bin/kill \"$@\"; }\npwd(){ /bin/pwd \"$@\"; }\n";

/// Under this name a program that was not found is written down.
pub const MISSING: &str = "__missing";

/// Programs that do their work after they are written down: they run others, or feed those that do.
pub const REAL: &[&str] = &[
    "[",
    "awk",
    "basename",
    "cat",
    "cp",
    "cut",
    "env",
    "find",
    "gawk",
    "head",
    "ln",
    "mawk",
    "mv",
    "nice",
    "nohup",
    "original-awk",
    "printf",
    "sed",
    "seq",
    "setsid",
    "sort",
    "stdbuf",
    "tail",
    "test",
    "time",
    "timeout",
    "tr",
    "uniq",
    "wc",
    "xargs",
];

/// Programs that are only written down.
pub const STUBS: &[&str] = &[
    "__missing",
    "apt",
    "apt-get",
    "at",
    "aws",
    "busybox",
    "cargo",
    "cc",
    "chmod",
    "chown",
    "chroot",
    "crontab",
    "curl",
    "date",
    "dd",
    "df",
    "diff",
    "doas",
    "docker",
    "du",
    "echo",
    "ed",
    "eslint",
    "ex",
    "false",
    "fd",
    "file",
    "flock",
    "gcc",
    "gcloud",
    "git",
    "go",
    "grep",
    "id",
    "ionice",
    "jest",
    "jq",
    "kill",
    "ksh",
    "kubectl",
    "less",
    "ls",
    "make",
    "man",
    "mkdir",
    "mkfs",
    "more",
    "mysql",
    "nc",
    "node",
    "npm",
    "npx",
    "parallel",
    "patch",
    "perl",
    "pip",
    "pip3",
    "pkill",
    "pnpm",
    "prettier",
    "ps",
    "psql",
    "pwd",
    "pytest",
    "python",
    "python3",
    "redis-cli",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "ruby",
    "scp",
    "script",
    "service",
    "sleep",
    "sqlite3",
    "ssh",
    "stat",
    "strace",
    "su",
    "sudo",
    "systemctl",
    "tar",
    "tee",
    "terraform",
    "top",
    "touch",
    "toybox",
    "true",
    "tsc",
    "uname",
    "unlink",
    "unshare",
    "unzip",
    "vi",
    "vim",
    "vitest",
    "watch",
    "wget",
    "which",
    "whoami",
    "yarn",
    "zip",
    "zsh",
];

/// Directories in which a script may write, so that its writes are seen. They all exist from the beginning; a file in a
/// directory that the script makes is not seen.
pub const DIRS: &[&str] =
    &["/", "/etc", "/home", "/home/u", "/tmp", "/usr", "/var", "/work", "/work/out", "/work/src"];

/// Files that exist from the beginning.
pub const FILES: &[(&str, &str)] = &[
    ("/etc/hosts", "h\n"),
    ("/home/u/.profile", "p\n"),
    ("/work/a.txt", "a\n"),
    ("/work/b.txt", "b\n"),
    ("/work/src/f.c", "x\n"),
    ("/work/a.awk", "{ print }\n"),
    ("/work/a.sed", "p\n"),
];

/// Symlinks that exist from the beginning, by their absolute paths, and their targets.
pub const LINKS: &[(&str, &str)] = &[
    ("/work/l.txt", "/etc/hosts"),
    ("/work/link", "src"),
    ("/work/out/link", "../src"),
    ("/work/out/flink", "../a.txt"),
];

/// Where a script starts.
pub const CWD: &str = "/work";
