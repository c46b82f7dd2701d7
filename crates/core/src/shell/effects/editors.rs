//! Programs that run commands which nobody has written on their command line: editors, debuggers, recorders.

use super::spec::{Operands::*, Program, Use};
use super::walk::Walk;
use crate::shell::Why;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(
        &[
            "vi",
            "vim",
            "nvim",
            "view",
            "vimdiff",
            "gvim",
            "ex",
            "ed",
            "red",
            "emacs",
            "emacsclient",
            "nano",
            "pico",
            "micro",
            "joe",
            "hx",
            "helix",
            "kak",
            "mcedit",
            "mc",
            "ranger",
            "code",
            "subl",
            "sensible-editor",
            "editor",
        ],
        Look(files),
    ),
    Program::new(
        &[
            "gdb",
            "lldb",
            "strace",
            "ltrace",
            "script",
            "scriptreplay",
            "expect",
            "unbuffer",
            "valgrind",
            "perf",
            "rr",
            "tmux",
            "screen",
            "watch",
            "entr",
            "parallel",
            "at",
            "batch",
            "dtrace",
            "bpftrace",
            "systemd-run",
            "runuser",
            "su",
            "pkexec",
            "chroot",
            "unshare",
            "nsenter",
            "flock",
            "setpriv",
            "proot",
            "fakeroot",
            "socat",
            "ssh-agent",
            "start-stop-daemon",
            "dbus-run-session",
            "xvfb-run",
            "faketime",
            "catchsegv",
            "rlwrap",
            "inotifywait",
            "inotifywatch",
            "osascript",
            "defaults",
            "launchctl",
            "open",
            "xdg-open",
            "m4",
            "tclsh",
            "wish",
            "gnuplot",
            "octave",
            "R",
        ],
        Look(whole),
    ),
];

/// Unknown: who wrote out the whole command meant it.
pub(super) fn whole(walk: &mut Walk) {
    match walk.argv.len() {
        0 | 1 => walk.unnamable(Why::RunsCode),
        length => walk.runs(length - 1, Why::RunsCode),
    }
}

/// The files are changed.
fn files(walk: &mut Walk) {
    whole(walk);
    walk.lay_out(All(Use::Change), Use::Nothing);
}
