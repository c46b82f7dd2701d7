//! The surroundings of a command: redirections, here-documents, commands that run it, shells that read it, locales.

use fastrand::Rng;

use super::grammar::{ended, list, simple};
use super::words::{FORBIDDEN, blank, payload, substitution, word};
use super::{often, pick};

/// A command with a redirection.
pub(super) fn redirected(rng: &mut Rng, depth: u8) -> String {
    let target = match rng.u8(..10) {
        0..6 => pick(
            rng,
            &[
                "out/x",
                "/work/out/y",
                "/dev/null",
                "./out/z",
                "'out/x'",
                "out/\"x\"",
                "out//x",
                "\"/work/out/z\"",
            ],
        )
        .to_owned(),
        6..8 => pick(
            rng,
            &[
                "x",
                "/etc/hosts",
                "out/../x",
                "~/.profile",
                "$HOME/x",
                "out/*",
                "a.txt",
                "&1",
                "&-",
                "1",
                "../x",
                "out",
                "&x",
                "${x:-y}",
                "{a,b}",
            ],
        )
        .to_owned(),
        8 => substitution(rng, depth + 1),
        _ => word(rng, depth + 1),
    };
    let operator = pick(
        rng,
        &[
            ">", ">>", "> ", "2>", "&>", "&>>", ">|", "<>", "< ", "<", "2>&1 >", ">&", ">& ",
            "{v}>", "3<", "<&", "<<<", "<<< ", "10>", ">\\\n", "\\\n>", "1>\t", ">&2 ", "2>&1 ",
            "{FOO}>", "x>", "2 >",
        ],
    );
    let blank = blank(rng);
    let after = if often(rng, 20) { format!(" {}", word(rng, depth + 1)) } else { String::new() };
    match rng.u8(..8) {
        0 => format!("{operator}{target} {}", simple(rng, 9)),
        1 => format!("{operator}{target}{after}"),
        2 => format!("{{ {}}} {operator}{target}", ended(rng, depth + 1, "; ")),
        3 => format!("({}) {operator}{target}{after}", ended(rng, depth + 1, "")),
        _ => format!("{}{blank}{operator}{target}{after}", simple(rng, 9)),
    }
}

/// A command with a here-document; ends with a line.
pub(super) fn here(rng: &mut Rng, depth: u8) -> String {
    let (written, end) = *rng
        .choice(&[
            ("E", "E"),
            ("E", "E"),
            ("'E'", "E"),
            ("\"E\"", "E"),
            ("\\E", "E"),
            ("E''", "E"),
            ("EOF", "EOF"),
            ("'EOF'", "EOF"),
            ("'E F'", "E F"),
            ("''", ""),
            ("$E", "$E"),
            ("\"E\\\"\"", "E\""),
            ("E\\\nF", "EF"),
            ("'E)'", "E)"),
            ("$'E'", "E"),
            ("$(x)", "$(x)"),
            ("`x`", "`x`"),
            ("{E}", "{E}"),
            ("E\\)", "E)"),
        ])
        .unwrap_or(&("E", "E"));
    let (operator, tabs) = if often(rng, 25) { ("<<-", true) } else { ("<<", false) };
    let gap = pick(rng, &["", "", "", " ", "\t", "\\\n"]);
    let before = if often(rng, 75) {
        pick(rng, &["cat", "grep a", "sort", "ls"]).to_owned()
    } else {
        simple(rng, 9)
    };
    let after = match rng.u8(..12) {
        0 => format!(" | {}", simple(rng, 9)),
        1 => format!("; {}", simple(rng, 9)),
        2 => format!(" && {}", simple(rng, 9)),
        3 => " > out/x".to_owned(),
        4 => format!(" # {}", payload(rng).replace('\n', " ")),
        5 => format!(" {}", word(rng, depth + 1)),
        6 => " \\".to_owned(),
        7 => " &".to_owned(),
        _ => String::new(),
    };
    let mut body = String::new();
    for _ in 0..rng.u8(..3) {
        let line = match rng.u8(..10) {
            0..5 => payload(rng),
            5 => format!("{}\\", pick(rng, &["x", "", "\\", "E", end])),
            6 => format!(
                "{end}{}",
                pick(
                    rng,
                    &[" ", "\t", ")", ";", " x", "\r", "\\", "`", "))", "}", "\"", "#", "\\\n"]
                )
            ),
            7 => format!(
                "{}{end}",
                pick(
                    rng,
                    &[" ", "\t", "\\", "x\\\n", "\\\n", "$(ls\n", "`ls\n", "${x:-\n", "'", "\""]
                )
            ),
            8 => substitution(rng, depth + 2),
            _ => pick(rng, FORBIDDEN).to_owned(),
        };
        body.push_str(&line);
        body.push('\n');
    }
    let ending = match rng.u8(..12) {
        0 => String::new(),
        1 => format!("{end} \n"),
        2 if tabs => format!("\t{end}\n"),
        3 => end.to_owned(),
        _ => format!("{end}\n"),
    };
    let text = format!("{before} {operator}{gap}{written}{after}\n{body}{ending}");
    if often(rng, 25) {
        let opening = pick(rng, &["echo \"$(", "echo $(", "echo `", "cat <(", "(", "{ "]);
        let closing = match opening {
            "echo \"$(" => ")\"",
            "echo `" => "`",
            "{ " => "}",
            _ => ")",
        };
        return format!("{opening}{text}{closing}\n");
    }
    text
}

/// A command that runs another.
pub(super) fn wrapped(rng: &mut Rng, depth: u8) -> String {
    let wrapper = pick(
        rng,
        &[
            "env",
            "env FOO=1",
            "env -i",
            "env -u X",
            "env -",
            "env -C /work",
            "env --",
            "env -S",
            "nice",
            "nice -n 5",
            "nice -5",
            "nohup",
            "timeout 5",
            "timeout -s KILL 5",
            "timeout -k 1 5",
            "timeout --signal=KILL 5",
            "command",
            "command -p",
            "command --",
            "builtin",
            "exec",
            "exec -a x",
            "exec -l",
            "xargs",
            "xargs -n 1",
            "xargs -I{}",
            "xargs -I {} -P 2",
            "xargs -0",
            "xargs -t",
            "xargs --",
            "stdbuf -oL",
            "setsid",
            "setsid -w",
            "time",
            "\\time -p",
            "env env",
            "nice nice",
            "FOO=1",
            "CI=1 env",
            "env A=1",
            "env -uFOO",
            "env -iu X",
            "env --unset=X",
            "env --ignore-environment",
            "xargs -r",
            "xargs -i",
            "xargs -a a.txt",
            "xargs -d x",
            "timeout -k1 5",
            "timeout --foreground 5",
            "nice --adjustment=5",
            "nice -n5",
            "env -vi",
            "timeout 5 env",
            "xargs -L1",
            "xargs -E x",
            "xargs -e",
            "xargs -l",
            "xargs -x",
        ],
    );
    let text = match rng.u8(..12) {
        0 => format!(
            "find . {} {} \\;",
            pick(
                rng,
                &[
                    "-exec",
                    "-name x -exec",
                    "-execdir",
                    "-ok",
                    "-exec ls \\; -exec",
                    "-type f -exec",
                    "-exec ls {} + -exec"
                ]
            ),
            pick(rng, &["ls {}", "rm {}", "{} x", "echo", "sh -c ls", "env rm"])
        ),
        1 => format!("find . -name '*.txt' -exec {} {} +", simple(rng, 9), "{}"),
        2 => format!("{wrapper} {}", pick(rng, FORBIDDEN)),
        3 => format!("{wrapper} {}", word(rng, depth + 1)),
        4 => format!("{wrapper} {} {}", word(rng, depth + 1), simple(rng, 9)),
        _ => format!("{wrapper}{}{}", blank(rng), simple(rng, 9)),
    };
    if wrapper.starts_with("xargs") && often(rng, 80) {
        format!("echo {} | {text}", pick(rng, &["a", "rm x", "a b", "'a b'", "$x"]))
    } else {
        text
    }
}

/// A script in a script.
pub(super) fn nested(rng: &mut Rng, depth: u8) -> String {
    let inner = list(rng, depth + 2);
    let shell = pick(
        rng,
        &[
            "sh -c",
            "bash -c",
            "dash -c",
            "sh -ec",
            "bash -e -c",
            "bash -lc",
            "env sh -c",
            "sh -c --",
            "bash +e -c",
            "sh -o errexit -c",
            "bash --norc -c",
            "sh -s",
            "bash",
            "timeout 5 sh -c",
            "xargs sh -c",
            "find . -exec sh -c",
            "nice bash -c",
            "eval",
        ],
    );
    let quoted = match rng.u8(..4) {
        0 => format!(
            "\"{}\"",
            inner
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('$', "\\$")
                .replace('`', "\\`")
        ),
        1 => format!("\"{}\"", inner.replace('"', "")),
        2 => {
            format!("$'{}'", inner.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
        }
        _ => format!("'{}'", inner.replace('\'', "'\\''")),
    };
    let after = pick(rng, &["", "", " x", " x y", " {} \\;", " > out/x", " sh a"]);
    format!("{shell} {quoted}{after}")
}

/// A locale, with which bytes may be other letters to the shell and to its programs.
pub(super) fn localized(rng: &mut Rng, simple: &str) -> String {
    let name = pick(
        rng,
        &["LC_ALL", "LC_CTYPE", "LANG", "LC_MESSAGES", "LANGUAGE", "TEXTDOMAIN", "LOCPATH"],
    );
    let value = pick(
        rng,
        &[
            "C",
            "C.UTF-8",
            "POSIX",
            "ja_JP.SJIS",
            "zh_CN.GBK",
            "en_US.ISO-8859-1",
            "x",
            "''",
            "$FOO",
            "../x",
            "tr_TR.UTF-8",
            "UTF-8",
        ],
    );
    let text = pick(
        rng,
        &["\u{8868}\\", "\u{e9}';rm x", "$'\\x81\\x5c'", "$'\\x95`'", "[a-z]*", "\u{130}"],
    );
    match rng.u8(..6) {
        0 => format!("{name}={value} {simple}"),
        1 => format!("export {name}={value}; {simple} {text}"),
        2 => format!("{name}={value}; echo {text}; {simple}"),
        3 => format!("env {name}={value} bash -c 'echo {}; ls'", text.replace('\'', "")),
        4 => format!("for {name} in {value} C; do {simple}; done"),
        _ => format!("{name}={value} bash -c '{}'", simple.replace('\'', "")),
    }
}
