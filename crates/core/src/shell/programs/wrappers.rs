//! The programs and builtins that are looked through.

use super::super::findings::span_of;
use super::super::prover::Prover;
use super::super::{Access, Role, Why, Word};
use super::options::{Parsed, Spec, parse};
use super::{environment_name, search, shells};

/// How a wrapper is looked through.
pub(super) enum Wrapper {
    /// Options, and then the command.
    Simple(Spec),
    /// The same, and unknown for this reason whatever it runs.
    Doubtful(Spec, Why),
    /// Launchers whose options are not known here.
    Opaque,
    Env,
    Command,
    Exec,
    Watch,
    Su,
    Ssh,
    Xargs,
    Find,
    Shell(shells::Kind),
}

/// The wrapper of this name.
#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn find(name: &str) -> Option<Wrapper> {
    const NONE: Spec = Spec::NONE;
    Some(match name {
        "env" => Wrapper::Env,
        "xargs" | "gxargs" => Wrapper::Xargs,
        "find" | "gfind" => Wrapper::Find,
        "command" => Wrapper::Command,
        "exec" => Wrapper::Exec,
        "builtin" => Wrapper::Simple(NONE),
        "nohup" => Wrapper::Simple(NONE),
        "nice" => {
            Wrapper::Simple(Spec { values: "n", long_values: "adjustment", digits: true, ..NONE })
        }
        "time" => Wrapper::Simple(Spec {
            flags: "pvqa",
            values: "fo",
            long_flags: "portability verbose quiet append",
            long_values: "format output",
            ..NONE
        }),
        "timeout" => Wrapper::Simple(Spec {
            flags: "v",
            values: "ks",
            long_flags: "foreground preserve-status verbose",
            long_values: "kill-after signal",
            operands: 1,
            ..NONE
        }),
        "stdbuf" => {
            Wrapper::Simple(Spec { values: "ioe", long_values: "input output error", ..NONE })
        }
        "setsid" => Wrapper::Simple(Spec { flags: "cfw", long_flags: "ctty fork wait", ..NONE }),
        "ionice" => Wrapper::Simple(Spec {
            flags: "t",
            values: "cn",
            long_flags: "ignore",
            long_values: "class classdata",
            ..NONE
        }),
        "chrt" => Wrapper::Simple(Spec {
            flags: "bdfiorRv",
            values: "TPD",
            long_flags: "batch deadline fifo idle other rr reset-on-fork verbose",
            long_values: "sched-runtime sched-period sched-deadline",
            operands: 1,
            ..NONE
        }),
        "taskset" => {
            Wrapper::Simple(Spec { flags: "c", long_flags: "cpu-list", operands: 1, ..NONE })
        }
        "busybox" | "toybox" => Wrapper::Simple(NONE),
        "flock" => Wrapper::Doubtful(
            Spec {
                flags: "sxenuoFv",
                values: "wE",
                long_flags: "shared exclusive nonblock nb unlock close no-fork verbose",
                long_values: "timeout wait conflict-exit-code",
                operands: 1,
                ..NONE
            },
            Why::RunsCode,
        ),
        "chroot" => Wrapper::Doubtful(
            Spec { long_flags: "skip-chdir", long_values: "userspec groups", operands: 1, ..NONE },
            Why::Elsewhere,
        ),
        "unshare" => Wrapper::Doubtful(
            Spec {
                flags: "frcp",
                optional: "imnuUCT",
                values: "SGRw",
                long_flags: "fork map-root-user map-current-user keep-caps",
                long_values: "root wd setuid setgid propagation setgroups",
                long_optional: "mount uts ipc net pid user cgroup time mount-proc kill-child",
                ..NONE
            },
            Why::Elsewhere,
        ),
        "sudo" | "doas" => Wrapper::Doubtful(
            Spec {
                flags: "AbBEeHiKklNnPSsVvL",
                values: "ughpCrtTDRUa",
                long_flags: "askpass background bell preserve-env edit set-home login remove-timestamp reset-timestamp \
                             non-interactive preserve-groups stdin shell validate list",
                long_values: "user group host prompt close-from role type command-timeout chdir chroot other-user",
                long_optional: "preserve-env",
                assigns: true,
                ..NONE
            },
            Why::Privileged,
        ),
        "watch" => Wrapper::Watch,
        "su" | "runuser" => Wrapper::Su,
        "ssh" => Wrapper::Ssh,
        "parallel" | "strace" | "ltrace" | "script" | "setpriv" | "prlimit" | "systemd-run"
        | "pkexec" | "nsenter" | "numactl" | "caffeinate" | "valgrind" | "rlwrap" | "entr"
        | "unbuffer" | "dbus-run-session" | "xvfb-run" | "firejail" | "bwrap" | "fakeroot"
        | "torsocks" | "proxychains" | "proxychains4" | "sshpass" | "start-stop-daemon"
        | "daemonize" | "screen" | "tmux" | "at" | "batch" | "crontab" | "cgexec" | "capsh"
        | "sg" | "newgrp" | "run-parts" | "gdb" | "arch" | "linux32" | "linux64" | "setarch"
        | "catchsegv" | "softlimit" | "chpst" | "dtach" => Wrapper::Opaque,
        _ => return shells::kind(name).map(Wrapper::Shell),
    })
}

impl Wrapper {
    /// Emits what this command, and what it runs, does.
    pub(super) fn look(self, prover: &mut Prover<'_, '_>, argv: Vec<Word>, role: Role) {
        match self {
            Self::Simple(spec) => prover.simple_wrapper(argv, &spec, role, None),
            Self::Doubtful(spec, why) => prover.simple_wrapper(argv, &spec, role, Some(why)),
            Self::Opaque => {
                let span = span_of(&argv);
                let command = prover.plain(argv.clone());
                // Only a rule that spells out all of it knows what it allows.
                let arg = argv.len().saturating_sub(1);
                prover.found.unknown_at(span, Why::RunsCode, command, arg);
                prover.guess(&argv, 1);
            }
            Self::Env => prover.env(argv, role),
            Self::Command => prover.command_builtin(argv, role),
            Self::Exec => prover.exec(argv, role),
            Self::Watch => prover.watch(argv, role),
            Self::Su => prover.su(argv),
            Self::Ssh => prover.ssh(argv),
            Self::Xargs => search::xargs(prover, argv, role),
            Self::Find => search::find(prover, argv),
            Self::Shell(kind) => prover.shell(argv, kind, role),
        }
    }
}

impl Prover<'_, '_> {
    /// The facts of a wrapper and its options; what it runs starts at the answer. `None`: that is not known, and said.
    pub(super) fn wrapper(&mut self, argv: &[Word], spec: &Spec, role: Role) -> Option<Parsed> {
        let command = self.found.command(argv.to_vec(), role);
        match parse(spec, argv) {
            Ok(parsed) => {
                for given in &parsed.given {
                    if given.name == "="
                        && let Some(word) = argv.get(given.arg)
                    {
                        let name = environment_name(word).unwrap_or_default();
                        if name.is_empty() {
                            // Which variable that sets depends on who reads the environment.
                            self.found.unknown(word.span, Why::NotUnderstood);
                        }
                        let value = super::without(word, name.len() + 1);
                        self.found.hand_over(word.span, name, &value.pieces);
                    }
                    let output = matches!(given.name.as_str(), "o" | "output");
                    let name = argv.first().and_then(Word::literal).unwrap_or_default();
                    if output
                        && name.ends_with("time")
                        && let Some(file) = &given.value
                    {
                        self.found.path(command, given.arg, Access::Write, file.clone(), false);
                    }
                }
                Some(parsed)
            }
            Err((arg, why)) => {
                let span = argv.get(arg).map_or(span_of(argv), |word| word.span);
                self.found.unknown(span, why);
                self.guess(argv, arg);
                None
            }
        }
    }

    fn simple_wrapper(&mut self, argv: Vec<Word>, spec: &Spec, role: Role, why: Option<Why>) {
        let span = span_of(&argv);
        let parsed = self.wrapper(&argv, spec, role);
        if let Some(why) = why {
            self.found.unknown(span, why);
        }
        let Some(parsed) = parsed else { return };
        if let Some(dir) = parsed.find(&["D", "chdir"]).and_then(|given| given.value.as_ref()) {
            self.found.change_dir(dir);
        }
        if why == Some(Why::Elsewhere) || parsed.find(&["R", "chroot"]).is_some() {
            self.found.anywhere();
        }
        if parsed.command >= argv.len() {
            return self.found.unknown(span, Why::MissingCommand);
        }
        let dash_c = argv.get(parsed.command).and_then(Word::literal) == Some("-c");
        if dash_c && why.is_some() {
            // `flock FILE -c SCRIPT`
            return self.joined_script(&argv, parsed.command + 1);
        }
        self.rest(&argv, parsed.command);
    }

    fn env(&mut self, argv: Vec<Word>, role: Role) {
        let spec = Spec {
            flags: "i0v-",
            values: "uCSa",
            long_flags: "ignore-environment null debug list-signal-handling",
            long_values: "unset chdir split-string argv0",
            long_optional: "block-signal default-signal ignore-signal",
            assigns: true,
            ..Spec::NONE
        };
        let span = span_of(&argv);
        let Some(parsed) = self.wrapper(&argv, &spec, role) else { return };
        if parsed.find(&["a", "argv0"]).is_some() {
            self.found.unknown(span, Why::RunsCode);
        }
        if let Some(dir) = parsed.find(&["C", "chdir"]).and_then(|given| given.value.as_ref()) {
            self.found.change_dir(dir);
        }
        if let Some(split) = parsed.find(&["S", "split-string"]) {
            let text = split.value.as_ref().and_then(Word::literal);
            let plain = |text: &&str| !text.contains(['\'', '"', '\\', '$', '#']);
            let Some(text) = text.filter(plain) else {
                self.found.unknown(span, Why::DynamicScript);
                if let Some(text) = text {
                    self.read_script(text, &argv, super::super::Shell::Sh);
                }
                return;
            };
            let mut words: Vec<Word> = argv.first().cloned().into_iter().collect();
            words.extend(
                text.split([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
                    .filter(|text| !text.is_empty())
                    .map(|text| Word { span, pieces: vec![super::Piece::Text(text.to_owned())] }),
            );
            words.extend(argv.iter().skip(split.arg + 1).cloned());
            if self.found.pay_words(words.len(), span) {
                self.runs(words);
            }
            return;
        }
        if parsed.command >= argv.len() {
            return self.found.unknown(span, Why::MissingCommand);
        }
        self.rest(&argv, parsed.command);
    }

    fn command_builtin(&mut self, argv: Vec<Word>, role: Role) {
        let spec = Spec { flags: "pvV", ..Spec::NONE };
        let Some(parsed) = self.wrapper(&argv, &spec, role) else { return };
        if parsed.find(&["v", "V"]).is_some() {
            return;
        }
        if parsed.command >= argv.len() {
            return self.found.unknown(span_of(&argv), Why::MissingCommand);
        }
        self.rest(&argv, parsed.command);
    }

    fn exec(&mut self, argv: Vec<Word>, role: Role) {
        let spec = Spec { flags: "cl", values: "a", ..Spec::NONE };
        let span = span_of(&argv);
        let Some(parsed) = self.wrapper(&argv, &spec, role) else { return };
        if parsed.find(&["a", "l"]).is_some() {
            // Many programs do what their first word says.
            self.found.unknown(span, Why::RunsCode);
        }
        if parsed.command >= argv.len() {
            return self.found.unknown(span, Why::MissingCommand);
        }
        self.rest(&argv, parsed.command);
    }

    fn watch(&mut self, argv: Vec<Word>, role: Role) {
        let spec = Spec {
            flags: "bcegtxpwCr",
            values: "nq",
            optional: "d",
            long_flags: "beep color errexit chgexit no-title exec precise no-wrap no-color no-rerun",
            long_values: "interval equexit",
            long_optional: "differences",
            ..Spec::NONE
        };
        self.found.unknown(span_of(&argv), Why::RunsCode);
        let Some(parsed) = self.wrapper(&argv, &spec, role) else { return };
        if parsed.find(&["x", "exec"]).is_some() {
            self.rest(&argv, parsed.command);
        } else {
            self.joined_script(&argv, parsed.command);
        }
    }

    fn su(&mut self, argv: Vec<Word>) {
        self.found.command(argv.clone(), Role::Wrapper);
        self.found.unknown(span_of(&argv), Why::Privileged);
        let after = |option: &str| argv.iter().position(|word| word.literal() == Some(option));
        for option in ["-c", "--command", "-lc"] {
            if let Some(at) = after(option) {
                self.joined_script(argv.get(..at + 2).unwrap_or(&argv), at + 1);
            }
        }
        for word in &argv {
            if let Some(script) = word.literal().and_then(|text| text.strip_prefix("--command=")) {
                self.read_script(script, std::slice::from_ref(word), super::super::Shell::Sh);
            }
        }
    }

    fn ssh(&mut self, argv: Vec<Word>) {
        let spec = Spec {
            flags: "46AaCfGgKkMNnqsTtVvXxYy",
            values: "BbcDEeFIiJLlmOopPQRSWw",
            operands: 1,
            ..Spec::NONE
        };
        let span = span_of(&argv);
        let command = self.plain(argv.clone());
        match parse(&spec, &argv) {
            Ok(parsed) => {
                self.found.unknown_at(span, Why::Elsewhere, command, parsed.operands);
                if parsed.command < argv.len() {
                    self.joined_script(&argv, parsed.command);
                }
            }
            Err(_) => self.found.unknown(span, Why::Elsewhere),
        }
    }
}
