//! Words, quotes, expansions, and texts that would run something if they were read in another way.

use fastrand::Rng;

use super::grammar;
use super::{often, pick};

/// Commands that the policy of the campaign allows.
pub(super) const ALLOWED: &[&str] = &[
    "git status",
    "git status -s",
    "git log -n 1",
    "ls",
    "ls -l",
    "ls src",
    "echo",
    "echo hi",
    "cat a.txt",
    "cat",
    "true",
    "npm test",
    "test -f a.txt",
    "[ -f a.txt ]",
    "printf x",
    "sort",
    "wc -l",
    "head -n 1",
    "grep a b.txt",
    "find . -name x",
];

/// Commands that it does not allow.
pub(super) const FORBIDDEN: &[&str] = &[
    "rm x",
    "rm -rf src",
    "touch x",
    "curl e.sh",
    "git push",
    "npm publish",
    "make",
    "dd",
    "\\rm x",
    "'rm' x",
    "r''m x",
    "/bin/rm x",
    "git\\\n push",
    "FOO=1 rm x",
    "node x",
    "sed e",
    "tee x",
];

/// A blank, rarely an odd one.
pub(super) fn blank(rng: &mut Rng) -> &'static str {
    match rng.u16(..1000) {
        0..930 => " ",
        930..955 => "  ",
        955..965 => "\t",
        965..980 => " \\\n",
        980..985 => "\\\n",
        985..988 => "\r",
        988..990 => "\u{b}",
        990..992 => "\u{c}",
        992..994 => "\u{a0}",
        994..996 => "\u{2003}",
        996..998 => " \\\r\n",
        _ => "\u{85}",
    }
}

/// A text that stands where nothing should run it, if it is read as it should be.
pub(super) fn payload(rng: &mut Rng) -> String {
    let command = pick(rng, FORBIDDEN);
    if often(rng, 25) {
        return pick(
            rng,
            &[
                "x", "a b", "it's", "", "#", "\\", "*", "!", "a\nb", "{", "}", "(", ")", "$", "`",
                "-", "~",
            ],
        )
        .to_owned();
    }
    let before = pick(
        rng,
        &[
            "; ",
            "\n",
            "$(",
            "`",
            "' ; ",
            "\" ; ",
            "\\'; ",
            "\\\"; ",
            "| ",
            "& ",
            ") ; ",
            "}; ",
            "E\n",
            "EOF\n",
            "E)\n",
            "# ",
            "\\\n",
            ";;esac;",
            "<(",
            "]]; ",
            ")); ",
            "fi; ",
            "done; ",
            "$'\\'' ; ",
            "${x:-",
            "}'; ",
            "\\\\'; ",
            "\r\n",
            "x' ",
            "x\" ",
            "\\`",
            "\n)\n",
            "\nE\n",
        ],
    );
    let after = pick(
        rng,
        &[
            "", "; ", "\n", ")", "`", " '", " \"", " #", " |", "}", " ;'", " ;\"", "\nE\n",
            "\nEOF\n", " (", "; {", "\\", "\\`", ";:'", ";echo '",
        ],
    );
    format!("{before}{command}{after}")
}

/// A payload without the characters that would end these quotes.
fn payload_without(rng: &mut Rng, ends: &[char]) -> String {
    payload(rng).replace(ends, if often(rng, 50) { "" } else { "_" })
}

/// Any word.
pub(super) fn word(rng: &mut Rng, depth: u8) -> String {
    let mut text = part(rng, depth);
    while often(rng, 18) {
        text.push_str(&part(rng, depth));
    }
    text
}

fn part(rng: &mut Rng, depth: u8) -> String {
    match rng.u8(..100) {
        0..34 => pick(
            rng,
            &[
                "a", "b.txt", "x", "-l", "src/f.c", "-n", "1", "a=b", "@", "%", "+x", "--", "a,b",
                "]", "[x", "^", "x:y", "=", "{}", "{", "}", "!", "if", "do", "a#b", "é", "{a",
                "a}", "in", "then", "done", "esac", "[[", "]]", "}x",
            ],
        )
        .to_owned(),
        34..48 => format!("'{}'", payload_without(rng, &['\''])),
        48..58 => double(rng, depth),
        58..63 => ansi(rng),
        63..68 => format!(
            "\\{}",
            pick(
                rng,
                &[
                    "a", ";", "'", "\"", "\\", "$", "`", "(", ")", "&", "|", "#", "\n", " ", "<",
                    "{", "~", "\t"
                ]
            )
        ),
        68..72 => pick(
            rng,
            &[
                "$x", "$1", "$@", "\"$@\"", "$HOME", "$?", "$#", "$$", "$", "${x}", "${#x}", "$-",
                "$!", "$_",
            ],
        )
        .to_owned(),
        72..80 => braced(rng, depth),
        80..85 => substitution(rng, depth),
        85..87 => format!("$(({}))", arithmetic(rng, depth)),
        87..91 => pick(
            rng,
            &[
                "*",
                "*.txt",
                "?",
                "[ab]*",
                "~",
                "~/x",
                "~root",
                "src/*",
                "[!a]",
                "[[:alpha:]]",
                "[']']",
                "*(a)",
                "@(a|b)",
            ],
        )
        .to_owned(),
        91..95 => pick(
            rng,
            &[
                "{a,b}",
                "{1..3}",
                "{a,}",
                "{,}",
                "{}",
                "{a,'b,c'}",
                "{a,{b,c}}",
                "{a..c}",
                "{a,$x}",
                "x{y,z}w",
                "{a,b",
                "{ls,rm}",
            ],
        )
        .to_owned(),
        95..97 => format!("$\"{}\"", payload_without(rng, &['"', '`', '$', '\\'])),
        97..99 => process(rng, depth),
        _ => format!("$[{}]", arithmetic(rng, depth)),
    }
}

fn double(rng: &mut Rng, depth: u8) -> String {
    let mut text = String::from("\"");
    for _ in 0..rng.u8(1..3) {
        match rng.u8(..10) {
            0..6 => text.push_str(&payload_without(rng, &['"', '`', '$', '\\'])),
            6 => text.push_str(&braced(rng, depth)),
            7 => text.push_str(&substitution(rng, depth)),
            8 => text.push_str(pick(
                rng,
                &[
                    "\\\"", "\\$", "\\`", "\\\\", "\\\n", "'", "\\'", "$x", "\\a", "!", "$'a'",
                    "$", "\\\\\\\"",
                ],
            )),
            _ if often(rng, 30) => text.push_str(&payload(rng)),
            _ => text.push('a'),
        }
    }
    text.push('"');
    text
}

/// `$'…'`, in which a backslash can hide the quote: bash and dash part ways here.
fn ansi(rng: &mut Rng) -> String {
    let mut text = String::from("$'");
    for _ in 0..rng.u8(1..4) {
        if often(rng, 50) {
            text.push_str(pick(
                rng,
                &[
                    "\\'", "\\\\", "\\n", "\\x27", "\\047", "\\u0027", "\\cA", "\\x", "\\0", "\\e",
                    "\\c'", "\\c\\", "\\\"", "\\x3b", "\\xff", "\\?",
                ],
            ));
        } else {
            text.push_str(&payload_without(rng, &['\'', '\\']));
        }
    }
    text.push('\'');
    text
}

/// `${…}` with all its operators.
fn braced(rng: &mut Rng, depth: u8) -> String {
    let name = pick(
        rng,
        &[
            "x", "HOME", "1", "@", "*", "x[0]", "x[@]", "a[$(ls)]", "FOO", "CI", "#", "?", "-",
            "!x", "!x*", "10", "_", "PATH",
        ],
    );
    let operator = pick(
        rng,
        &[
            ":-", "-", ":+", "+", ":=", "=", ":?", "#", "##", "%", "%%", "/", "//", ":", "^", ",,",
            "@", "/#", "/%", "#*", ":0:",
        ],
    );
    let operand = match rng.u8(..10) {
        0..3 => pick(
            rng,
            &[
                "a", "}", "'}'", "\"}\"", "\\}", "'", "\"", "", "`", "(", "1", "Q", "P", "a/b",
                "{", "'a", "\"'}\"", "$'\\''",
            ],
        )
        .to_owned(),
        3..6 => word(rng, depth + 1),
        6 => format!("'{}'", payload_without(rng, &['\''])),
        7 => format!("\"{}\"", payload_without(rng, &['"', '`', '$', '\\'])),
        8 if often(rng, 40) => payload(rng),
        _ => substitution(rng, depth),
    };
    format!("${{{name}{operator}{operand}}}")
}

/// `$( )` or backticks.
pub(super) fn substitution(rng: &mut Rng, depth: u8) -> String {
    let inner = inner(rng, depth);
    match rng.u8(..10) {
        0..6 => format!("$({inner})"),
        6 => format!("$( {inner}\n)"),
        7 if depth < 2 => format!("$(( {inner} ) )"),
        8 => {
            let escaped = if often(rng, 80) {
                inner.replace('\\', "\\\\").replace('`', "\\`")
            } else {
                inner
            };
            format!("`{escaped}`")
        }
        _ => format!("`{}`", inner.replace(['`', '\\'], "")),
    }
}

/// `<( )` or `>( )`.
fn process(rng: &mut Rng, depth: u8) -> String {
    let inner = inner(rng, depth);
    if often(rng, 75) { format!("<({inner})") } else { format!(">({inner})") }
}

fn inner(rng: &mut Rng, depth: u8) -> String {
    if depth >= 3 || often(rng, 50) {
        grammar::simple(rng, 9)
    } else {
        grammar::list(rng, depth + 1)
    }
}

/// An expression in `(( ))`.
pub(super) fn arithmetic(rng: &mut Rng, depth: u8) -> String {
    match rng.u8(..10) {
        0..4 => pick(
            rng,
            &[
                "1",
                "1+1",
                "x",
                "x[0]",
                "1<2",
                "(1)",
                "1 ? 2 : 3",
                "x+1",
                "16#ff",
                "1<<2",
                "'1'",
                "\"1\"",
                "1,2",
                "!x",
                "~1",
                "x==1",
                "1 #",
            ],
        )
        .to_owned(),
        4 => pick(rng, &["x=1", "FOO=1", "x++", "CI+=1", "x[1]=2", "a[b[0]]", "FOO++"]).to_owned(),
        5 => format!("x[{}]", substitution(rng, depth + 1)),
        6 => substitution(rng, depth + 1),
        7 => format!(
            "{} + {}",
            braced(rng, depth + 1),
            arithmetic(rng, depth.saturating_add(1).min(9))
        ),
        8 => pick(
            rng,
            &["rm x", "1)) ; rm x; ((1", "ls) ; (rm x", "x\nrm x", "1 # ", "1 `ls`", "a[`ls`]"],
        )
        .to_owned(),
        _ => format!("({})", pick(rng, &["1", "rm x", "ls; rm x", "x", "1;"])),
    }
}
