//! Programs in the languages of `awk` and `sed`: what they run and write, and texts that could be read as more than they are.

use fastrand::Rng;

use super::words::FORBIDDEN;
use super::{often, pick};

/// A command of `awk` or `sed`.
pub(super) fn language(rng: &mut Rng) -> String {
    if often(rng, 55) { awk(rng) } else { sed(rng) }
}

/// A program in quotes of the shell.
fn quoted(rng: &mut Rng, program: &str) -> String {
    match rng.u8(..10) {
        0 => {
            let escaped = program
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('$', "\\$")
                .replace('`', "\\`");
            format!("\"{escaped}\"")
        }
        1 => format!("'{}'", program.replace('\'', "'\"'\"'")),
        _ => format!("'{}'", program.replace('\'', "'\\''")),
    }
}

fn file(rng: &mut Rng) -> &'static str {
    pick(
        rng,
        &[
            "out/x",
            "out/y",
            "/work/out/z",
            "x",
            "out/../x",
            "/tmp/x",
            "out/link/x",
            "out/flink",
            "l.txt",
            "a.txt",
            "/dev/stdout",
            "/dev/stderr",
            "-",
            "out/a b",
            "out/x;",
            "/inet/tcp/0/x/1",
            "link/x",
        ],
    )
}

// ---- awk

fn awk(rng: &mut Rng) -> String {
    let name = pick(rng, &["awk", "awk", "awk", "gawk", "mawk", "original-awk"]);
    let program = awk_program(rng);
    let program = quoted(rng, &program);
    let before = match rng.u8(..16) {
        0 => "-F: ",
        1 => "-F '[:]' ",
        2 => "-v FOO=1 ",
        3 => "-v 'FOO=a\\nb' ",
        4 => "-- ",
        5 => "-e ",
        6 => "--source ",
        7 => "-S ",
        8 => "--posix ",
        9 => "--traditional ",
        10 => "-vFOO=1 -F , ",
        11 => "-f a.awk ",
        _ => "",
    };
    let after = pick(
        rng,
        &[" a.txt", " a.txt b.txt", " FOO=1 a.txt", "", " - < a.txt", " nosuch", " out/x=1 a.txt"],
    );
    format!("{name} {before}{program}{after}")
}

fn awk_program(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.u8(1..4) {
        let body = awk_statements(rng);
        let item = match rng.u8(..12) {
            0..4 => format!("BEGIN {{ {body} }}"),
            4..6 => format!("{{ {body} }}"),
            6 => format!("END {{ {body} }}"),
            7 => format!("{} {{ {body} }}", awk_regex(rng)),
            8 => format!("NR == 1, {} {{ {body} }}", awk_regex(rng)),
            9 => format!("function f(a,  b) {{ {body} }}\nBEGIN {{ f(1) }}"),
            10 => format!("# {}\n{{ {body} }}", awk_code(rng)),
            _ => format!(
                "$1 ~ {} || /{}/ {{ {body} }}",
                awk_regex(rng),
                pick(rng, &["a", "[/]", "\\/", "[]/]"])
            ),
        };
        text.push_str(&item);
        text.push_str(pick(rng, &["\n", "; ", " ", "\n\n", " # c\n", "\r\n"]));
    }
    if often(rng, 6) {
        text.insert_str(
            0,
            pick(
                rng,
                &[
                    "@include \"x\"\n",
                    "@load \"filefuncs\"\n",
                    "@namespace \"x\"\n",
                    "\\\n",
                    "#\\\n",
                    ";",
                ],
            ),
        );
    }
    text
}

fn awk_statements(rng: &mut Rng) -> String {
    let mut text = awk_statement(rng);
    for _ in 0..rng.u8(..3) {
        text.push_str(pick(rng, &["; ", ";", "\n", " ;\\\n", "; # c\n", ";# '\"\n"]));
        text.push_str(&awk_statement(rng));
    }
    text
}

fn awk_statement(rng: &mut Rng) -> String {
    match rng.u8(..20) {
        0..6 => pick(
            rng,
            &[
                "print",
                "print $1",
                "x = $2",
                "n++",
                "print length($0)",
                "next",
                "x = y / 2 / 1",
                "print (1)(2)",
                "exit",
                "getline",
                "$2 = \"\"",
            ],
        )
        .to_owned(),
        6..9 => awk_output(rng),
        9..12 => awk_code(rng),
        12 => format!(
            "if ({}) {}; else {}",
            awk_expression(rng),
            awk_output(rng),
            awk_expression(rng)
        ),
        13 => format!("while ((getline line < {}) > 0) {{ print line }}", awk_string(rng)),
        14 => format!("for (i in ENVIRON) x = {}", awk_expression(rng)),
        15 => format!("close({})", awk_string(rng)),
        16 => format!("x = {} / {}", awk_expression(rng), awk_expression(rng)),
        17 => format!("gsub({}, {})", awk_regex(rng), awk_string(rng)),
        18 => format!(
            "if (/{}/) {}",
            pick(rng, &["a/ && /b", "[[:alpha:]/]", "[^]/]", "\\[/", "a\\\\"]),
            awk_code(rng)
        ),
        _ => awk_expression(rng),
    }
}

/// Prints to where it may not be seen.
fn awk_output(rng: &mut Rng) -> String {
    let print = pick(
        rng,
        &[
            "print",
            "print $0",
            "printf \"%s\", $1",
            "print \"a\", \"b\"",
            "print(1)",
            "printf(\"x\")",
            "print 1 > 2 ? 3 : 4",
        ],
    );
    let to = if often(rng, 75) { format!("\"{}\"", file(rng)) } else { awk_expression(rng) };
    match rng.u8(..8) {
        0..3 => format!("{print} > {to}"),
        3 => format!("{print} >> {to}"),
        4 => format!("{print} > ({to} \"\")"),
        5 => format!("{print} | \"{}\"", awk_command(rng)),
        6 => format!("{print} |& \"{}\"", awk_command(rng)),
        _ => format!("{print} >\\\n{to}"),
    }
}

/// Runs a command, or looks as if it did.
fn awk_code(rng: &mut Rng) -> String {
    let command = awk_command(rng);
    match rng.u8(..14) {
        0..3 => format!("system(\"{command}\")"),
        3 => format!("system (\"{command}\" \"\")"),
        4 => format!("\"{command}\" | getline x"),
        5 => format!("\"{command}\" |& getline"),
        6 => format!("x = /[/]/ system(\"{command}\") /[/]/"),
        7 => format!("x = \"system(\\\"{command}\\\")\""),
        8 => format!("x = a / b; system(\"{command}\") # /"),
        9 => format!("y = x ~ /[\"/]/; system(\"{command}\")"),
        10 => format!("x = \"\\\"; system(\"{command}\") #\""),
        11 => format!("/\\\\/ && system(\"{command}\")"),
        12 => format!("g = \"system\"; @g(\"{command}\")"),
        _ => format!("sys\\\ntem(\"{command}\")"),
    }
}

fn awk_command(rng: &mut Rng) -> &'static str {
    if often(rng, 60) {
        pick(rng, &["rm x", "touch x", "git push", "sh -c rm"])
    } else {
        pick(rng, &["ls", "cat", "sort", "echo hi"])
    }
}

fn awk_expression(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0 => awk_string(rng),
        1 => awk_regex(rng),
        2 => format!("({} {})", awk_string(rng), awk_string(rng)),
        3 => format!("substr({}, 2)", awk_string(rng)),
        4 => format!("sprintf(\"%s\", {})", awk_string(rng)),
        5 => "x++ / y".to_owned(),
        6 => format!("(getline < {})", awk_string(rng)),
        7 => "ENVIRON[\"HOME\"]".to_owned(),
        _ => pick(rng, &["x", "$1", "$NF", "1", "NR", "a[1]", "FILENAME", "1e3", "-x"]).to_owned(),
    }
}

fn awk_string(rng: &mut Rng) -> String {
    let text = match rng.u8(..6) {
        0 => pick(rng, &["\\\"", "\\\\", "a\\\nb", "\\/", "\\x22", "\\042", "#", "'", "/", "\\q"])
            .to_owned(),
        1 => pick(rng, FORBIDDEN).replace(['\\', '\n', '"'], ""),
        _ => file(rng).to_owned(),
    };
    format!("\"{text}\"")
}

fn awk_regex(rng: &mut Rng) -> String {
    pick(
        rng,
        &[
            "/a/",
            "/a\\/b/",
            "/[/]/",
            "/[]/]/",
            "/[^]/]/",
            "/[[:alpha:]/]/",
            "/\\[/",
            "/[\\]/]/",
            "/a[\"]/",
            "/=/",
            "/[#]/",
            "/(/|b)/",
            "/\\\\/",
            "/[[.a.]/]/",
            "/[[/]]/",
            "/a{1,2}/",
            "/ /",
        ],
    )
    .to_owned()
}

// ---- sed

fn sed(rng: &mut Rng) -> String {
    let program = sed_program(rng);
    let program = quoted(rng, &program);
    let before = pick(
        rng,
        &[
            "",
            "",
            "",
            "-n ",
            "-E ",
            "-e p -e ",
            "-i ",
            "-i.bak ",
            "-s ",
            "-z ",
            "--posix ",
            "--sandbox ",
            "-n -e ",
            "--expression=",
            "-ne ",
            "-f a.sed ",
            "--debug ",
            "-u ",
            "-- ",
            "-e 'a\\' -e ",
            "-i -e ",
        ],
    );
    let after =
        pick(rng, &[" a.txt", " a.txt b.txt", "", " < a.txt", " out/x", " -n a.txt", " l.txt"]);
    format!("sed {before}{program}{after}")
}

fn sed_program(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.u8(1..4) {
        text.push_str(&sed_address(rng));
        text.push_str(pick(rng, &["", "", "", " ", "!", "! "]));
        text.push_str(&sed_command(rng));
        text.push_str(pick(rng, &["; ", "\n", ";", ";\n", " ; ", "}", "\n}", " # c\n", ";}"]));
    }
    if often(rng, 5) {
        text.insert_str(0, pick(rng, &["#n\n", "# e rm x\n", "{", ";;", "\\\n"]));
    }
    text
}

fn sed_address(rng: &mut Rng) -> String {
    match rng.u8(..12) {
        0 => "1".to_owned(),
        1 => "$".to_owned(),
        2 => sed_regex(rng),
        3 => format!("1,{}", sed_regex(rng)),
        4 => pick(
            rng,
            &[
                "0~3",
                "1,+2",
                "2,~4",
                "0,/a/",
                "1,3",
                "/a/I",
                "/a/M,$",
                "/a/,/b/",
                "\\,a,",
                "\\;a;",
                "\\ea\\ee",
                "\\|a\\|b|",
            ],
        )
        .to_owned(),
        _ => String::new(),
    }
}

fn sed_regex(rng: &mut Rng) -> String {
    pick(
        rng,
        &[
            "/a/",
            "/[/]/",
            "/[]/]/",
            "/a\\/b/",
            "/[^]/]/",
            "/[[:alpha:]/]/",
            "/\\[/",
            "/[\\/]/",
            "/[\\]/]/",
            "/\\n/",
            "/;/",
            "/}/",
            "/a[\n]/",
            "//",
        ],
    )
    .to_owned()
}

fn sed_command(rng: &mut Rng) -> String {
    let command = pick(rng, &["rm x", "touch x", "ls", "git push"]);
    let file = file(rng);
    match rng.u8(..20) {
        0 => pick(
            rng,
            &[
                "p", "d", "q", "Q", "n", "N", "h", "G", "x", "=", "l", "D", "P", "z", "F", "v",
                "l 3", "q5",
            ],
        )
        .to_owned(),
        1..6 => sed_substitute(rng),
        6 => format!("w {file}"),
        7 => format!("w{file}"),
        8 => format!("W {file}"),
        9 => format!("r {file}"),
        10 => format!("R {file}"),
        11 => format!("e {command}"),
        12 => format!("e{command}"),
        13 => "e".to_owned(),
        14 => format!("y/abc/de{}/", pick(rng, &["f", "\\/", "\n", "\\\\", "/e"])),
        15 => format!(
            "{}\\\ntext {command}{}",
            pick(rng, &["a", "i", "c"]),
            pick(rng, &["", "\\", "\\\nmore", "\\\\"])
        ),
        16 => format!(
            "{}{}e {command}",
            pick(rng, &["a", "i", "c"]),
            pick(rng, &[" ", "", "\\", "\\ ", " \\"])
        ),
        17 => format!(
            "{{{}{}",
            pick(rng, &["p", "e", "w out/x"]),
            pick(rng, &["}", "\n}", ";}", "};e"])
        ),
        18 => format!(
            "{}{}{command}",
            pick(rng, &["b", "t", ":x", "T", ": x"]),
            pick(rng, &["", " ", "\n", ";e ", " x;e ", " x\ne ", "}e "])
        ),
        _ => format!("}}{}", pick(rng, &["", "p", ";e rm x"])),
    }
}

fn sed_substitute(rng: &mut Rng) -> String {
    let delimiter =
        pick(rng, &["/", "/", "/", ",", "|", "#", " ", ";", "e", "w", "\n", "s", "\\", "x", "}"]);
    let pattern = pick(
        rng,
        &[
            "a",
            "[D]",
            "[]D]",
            "[^D]",
            "\\D",
            "a\\(b\\)*",
            ".*",
            "[[:alpha:]D]",
            "\\n",
            "",
            "[\\D]",
            "^",
            "\\[D",
        ],
    );
    let replacement = pick(
        rng,
        &["b", "\\D", "&", "rm x", "\\\n", "\\n", "touch x", "", "[", "\\\\", "\\Uls\\E", "ls"],
    );
    let flags = pick(
        rng,
        &[
            "",
            "g",
            "p",
            "e",
            "ge",
            "gew out/x",
            "w x",
            "w out/x",
            "pw /work/out/x",
            "2",
            "I",
            "M",
            "me",
            "w",
            "ep",
            " e",
            ";e",
            "g;e rm x",
            "g}",
            "w/dev/stdout",
            "gw out/../x",
        ],
    );
    format!("s/{pattern}/{replacement}/{flags}").replacen('/', delimiter, 3).replace('D', delimiter)
}
