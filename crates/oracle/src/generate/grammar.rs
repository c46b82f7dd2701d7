//! Commands of every kind.

use fastrand::Rng;

use super::words::{ALLOWED, FORBIDDEN, arithmetic, blank, payload, substitution, word};
use super::{often, pick};

/// A whole script.
pub(super) fn script(rng: &mut Rng) -> String {
    let mut script = list(rng, 0);
    if often(rng, 4) {
        script.push_str(pick(
            rng,
            &[
                "\n", ";", " &", "\\", " #", "\r", "\\\n", " ;;", "\n}", ")", "\nfi", "'", "\"",
                "`", " &&", " |", "\n<<E", "\n!",
            ],
        ));
    }
    script
}

/// Commands, one after the other.
pub(super) fn list(rng: &mut Rng, depth: u8) -> String {
    let mut text = command(rng, depth);
    let more = if depth == 0 { rng.u8(0..3) } else { rng.u8(0..4) / 3 };
    for _ in 0..more {
        // A here-document ends with its line.
        let separator = if text.ends_with('\n') {
            ""
        } else {
            pick(
                rng,
                &[
                    "; ",
                    ";",
                    "\n",
                    " && ",
                    " || ",
                    " | ",
                    " & ",
                    "\n\n",
                    " &&\n",
                    " |\n",
                    " |& ",
                    " ;\n",
                    "&&",
                    "||",
                    "|",
                    "&",
                    "\\\n;",
                    " # c\n",
                    "\n# it's\n",
                    "\n#\\\n",
                    ";\\\n",
                    "\r\n",
                    " \\\n&& ",
                    "\n\\\n",
                ],
            )
        };
        text.push_str(separator);
        text.push_str(&command(rng, depth));
    }
    text
}

/// A command of any kind.
fn command(rng: &mut Rng, depth: u8) -> String {
    if depth >= 4 {
        return simple(rng, depth);
    }
    let deeper = depth + 1;
    match rng.u8(..100) {
        0..32 => simple(rng, depth),
        32..40 => redirected(rng, depth),
        40..50 => here(rng, depth),
        50..58 => wrapped(rng, depth),
        58..62 => nested(rng, depth),
        62..66 => assignment(rng, depth),
        66..69 => format!("( {})", ended(rng, deeper, " ")),
        69..72 => format!("{{ {}}}", ended(rng, deeper, "; ")),
        72..75 => {
            let (test, then, other) =
                (ended(rng, deeper, "; "), ended(rng, deeper, "; "), ended(rng, deeper, "; "));
            if often(rng, 50) {
                format!("if {test}then {then}fi")
            } else {
                format!("if {test}then {then}else {other}fi")
            }
        }
        75..77 => {
            let (test, body) = (
                pick(rng, &["while false", "until true", "while [ -f zz ]", "until ls"]),
                ended(rng, deeper, "; "),
            );
            format!("{test}; do {body}done")
        }
        77..80 => loop_over(rng, deeper),
        80..83 => case(rng, deeper),
        83..86 => conditional(rng, deeper),
        86..88 => format!("(({}))", arithmetic(rng, deeper)),
        88..89 => function(rng, deeper),
        89..90 => format!(
            "{}{}",
            pick(rng, &["coproc ", "coproc X ", "coproc X { "]),
            ended(rng, deeper, "; }")
        ),
        90..93 => format!(
            "{}{}",
            pick(rng, &["! ", "time ", "time -p ", "!\\\n ", "! ! ", "time ! "]),
            command(rng, deeper)
        ),
        93..95 => comment(rng, depth),
        95..97 => builtin(rng, depth),
        _ => format!("{}{}", pick(rng, FORBIDDEN), blank(rng)),
    }
}

/// A list, ended as what follows needs it.
fn ended(rng: &mut Rng, depth: u8, end: &str) -> String {
    let text = list(rng, depth);
    if text.ends_with('\n') { text } else { format!("{text}{end}") }
}

/// A simple command, nearly always an allowed one.
pub(super) fn simple(rng: &mut Rng, depth: u8) -> String {
    let mut text = match rng.u8(..100) {
        0..91 => pick(rng, ALLOWED).replace(' ', blank(rng)),
        91..94 => pick(rng, FORBIDDEN).to_owned(),
        94..97 => spelled(rng),
        97..98 => word(rng, depth),
        _ => pick(
            rng,
            &[
                "$x",
                "{ls,-l}",
                "l?",
                "\"\" ls",
                "$(echo ls)",
                "''",
                "$'ls'",
                "\"ls\"",
                "./ls",
                "/bin/ls",
                "~",
                "ls\\",
                "{",
                "}",
                "!",
                "-x",
                "=",
                "%1",
            ],
        )
        .to_owned(),
    };
    if depth < 5 {
        for _ in 0..rng.u8(..3) {
            text.push_str(blank(rng));
            text.push_str(&word(rng, depth + 1));
        }
    }
    text
}

/// An allowed command, spelled in another way.
fn spelled(rng: &mut Rng) -> String {
    let command = pick(rng, ALLOWED);
    let at = rng.usize(..command.len().max(1));
    let (before, after) = command.split_at_checked(at).unwrap_or((command, ""));
    format!(
        "{before}{}{after}",
        pick(rng, &["''", "\"\"", "\\", "\\\n", "$''", "$x", "${x}", "$()", "`:`", "$\"\""])
    )
}

fn redirected(rng: &mut Rng, depth: u8) -> String {
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
fn here(rng: &mut Rng, depth: u8) -> String {
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
fn wrapped(rng: &mut Rng, depth: u8) -> String {
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
fn nested(rng: &mut Rng, depth: u8) -> String {
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

fn assignment(rng: &mut Rng, depth: u8) -> String {
    let name = pick(
        rng,
        &[
            "FOO",
            "CI",
            "FOO",
            "CI",
            "x",
            "PATH",
            "FOO[0]",
            "FOO[$(ls)]",
            "1x",
            "IFS",
            "\\FOO",
            "F''OO",
            "FOO+",
            "CI+",
            "LD_PRELOAD",
            "X[a b]",
            "FOO[1]",
        ],
    );
    let value = match rng.u8(..6) {
        0 => String::new(),
        1 => word(rng, depth + 1),
        2 => format!(
            "({} {})",
            word(rng, depth + 1),
            pick(rng, &["", "[0]=x", "[$(ls)]=x", ")", "#x\n", "b\nc"])
        ),
        _ => pick(rng, &["1", "a", "'b c'", "~", "a:~", "{a,b}", "*"]).to_owned(),
    };
    match rng.u8(..8) {
        0 => format!(
            "{} {name}={value}",
            pick(
                rng,
                &[
                    "export",
                    "declare",
                    "local",
                    "readonly",
                    "typeset",
                    "declare -x",
                    "declare -a",
                    "export -n",
                    "declare -i",
                    "declare -n",
                    "unset",
                    "read",
                    "printf -v"
                ]
            )
        ),
        1 => format!("{name}={value}"),
        _ => format!("{name}={value} {}", simple(rng, 9)),
    }
}

fn loop_over(rng: &mut Rng, depth: u8) -> String {
    let name = pick(rng, &["CI", "FOO", "x", "i", "in", "CI\n", "\\CI"]);
    let body = ended(rng, depth, "; ");
    match rng.u8(..6) {
        0 => format!("for (({};0;)) {{ {body}}}", arithmetic(rng, depth)),
        1 => format!("for {name}; do {body}done"),
        2 => format!("select {name} in {}; do {body}done", word(rng, depth)),
        3 => format!("for {name} in {}\ndo {body}done", word(rng, depth)),
        4 => format!("for {name} in a b; {{ {body}}}"),
        _ => format!("for {name} in {} {}; do {body}done", word(rng, depth), word(rng, depth)),
    }
}

fn case(rng: &mut Rng, depth: u8) -> String {
    let subject = pick(rng, &["a", "x", "$x", "\"$(ls)\"", "in", "'esac'"]);
    let mut text = format!("case {subject} in{}", pick(rng, &[" ", "\n", " # c\n"]));
    for _ in 0..rng.u8(..3) {
        let pattern = match rng.u8(..8) {
            0 => word(rng, depth),
            1 => format!("\"{}\"", substitution(rng, depth)),
            _ => pick(
                rng,
                &[
                    "a",
                    "*",
                    "a|b",
                    "(a)x",
                    "[a)]",
                    "'a)'",
                    "\"x\"",
                    "esac",
                    "?",
                    "a | b",
                    "if",
                    "\\)",
                    "$(echo a)",
                ],
            )
            .to_owned(),
        };
        let open = if often(rng, 40) { "(" } else { "" };
        let body = if often(rng, 80) { ended(rng, depth, " ") } else { String::new() };
        text.push_str(&format!(
            "{open}{pattern}) {body}{} ",
            pick(rng, &[";;", ";;", ";;", ";&", ";;&", "\n;;", ""])
        ));
    }
    text.push_str(pick(rng, &["esac", "esac", "esac", "\nesac", ";esac", "es\\\nac"]));
    text
}

fn conditional(rng: &mut Rng, depth: u8) -> String {
    let left = word(rng, depth);
    let right = match rng.u8(..4) {
        0 => pick(
            rng,
            &[
                "^a(b|c)$",
                "(a b)",
                "[a]]",
                "a\\ b",
                "[[:alpha:]]",
                "$x",
                "(;)",
                "a|b",
                "'x;'",
                "\"a\"",
            ],
        )
        .to_owned(),
        1 => format!(
            "{} {}",
            pick(rng, &["a &&", "a ||", "( a ) &&", "! a ||", "a\n&&", "a # c\n&&"]),
            word(rng, depth)
        ),
        _ => word(rng, depth),
    };
    let operator =
        pick(rng, &["==", "=", "!=", "=~", "-eq", "<", ">", "-nt", "-lt", "\\<", "-a", "-o"]);
    match rng.u8(..6) {
        0 => format!("[[ {left} ]]"),
        1 => format!(
            "[[ {} {left} ]]",
            pick(rng, &["-f", "!", "-z", "-v", "-n", "! -f", "-t", "-R"])
        ),
        2 => format!("[[ {left} {operator} {right} ]] && {}", simple(rng, 9)),
        3 => format!("[ {left} {operator} {right} ]"),
        4 => format!("test {left} {operator} {right}"),
        _ => format!("[[ {left} {operator} {right} ]]"),
    }
}

fn function(rng: &mut Rng, depth: u8) -> String {
    let body = ended(rng, depth, "; ");
    let name = pick(rng, &["f", "ls", "git", "echo", "f-g", "'f'", "a.b"]);
    match rng.u8(..5) {
        0 => format!("{name}() {{ {body}}}; {name}"),
        1 => format!("function {name} {{ {body}}}; {name}"),
        2 => format!("{name} () ( {body}); {name}"),
        3 => format!("{name}()\n\n{{ {body}}} > out/x\n{name}"),
        _ => format!("{name}() if ls; then {body}fi; {name}"),
    }
}

fn comment(rng: &mut Rng, depth: u8) -> String {
    let text = payload(rng).replace('\n', if often(rng, 90) { " " } else { "\n" });
    let end = pick(rng, &["\n", "\n", "\\\n", "\r\n", "\\\\\n"]);
    format!(
        "{} {}#{text}{end}{}",
        simple(rng, 9),
        pick(rng, &["", "", "", "x", "\\", "''", "$"]),
        simple(rng, depth + 1)
    )
}

fn builtin(rng: &mut Rng, depth: u8) -> String {
    let name = pick(
        rng,
        &[
            "cd src",
            "cd",
            "pushd src",
            "cd ..",
            "eval",
            ".",
            "source",
            "trap",
            "set --",
            "set -e",
            "shift",
            "return",
            "exit",
            ":",
            "read x",
            "alias ls=rm\n",
            "unset x",
            "wait",
            "umask",
            "type",
            "hash",
            "let",
            "mapfile -C",
            "printf -v x",
            "getopts a x",
            "shopt -s extglob\n",
            "set -k\n",
            "command -v",
            "enable",
            "bind -x",
            "history",
            "fc",
            "jobs",
            "complete -C",
            "compgen -C",
            "popd",
            "ulimit",
        ],
    );
    let rest = if often(rng, 50) { word(rng, depth + 1) } else { String::new() };
    format!("{name} {rest}{}{}", pick(rng, &["; ", " && ", "\n", " "]), simple(rng, 9))
}
