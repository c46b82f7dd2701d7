//! Commands of every kind.

use fastrand::Rng;

use super::compound::{case, conditional, function, loop_over};
use super::counting::counted;
use super::evaluating::{evaluating, joined, revealed};
use super::languages::language;
use super::links::linked;
use super::words::{ALLOWED, FORBIDDEN, arithmetic, blank, payload, word};
use super::wrapping::{here, localized, nested, redirected, wrapped};
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
        0..16 => simple(rng, depth),
        16..21 => language(rng),
        21..23 => linked(rng),
        23..24 => {
            let simple = simple(rng, 9);
            localized(rng, &simple)
        }
        24..28 => evaluating(rng, depth),
        28..30 => revealed(rng),
        30..31 => counted(rng),
        31..32 => joined(rng),
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

/// A list, ended as the next part needs it.
pub(super) fn ended(rng: &mut Rng, depth: u8, end: &str) -> String {
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
