//! Small changes where they hurt.

use fastrand::Rng;

use super::{often, pick, words};

/// The longest script, in bytes.
const LONGEST: usize = 1500;

/// Tokens that turn one reading into another.
const TOKENS: &[&str] = &[
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "|",
    "&",
    ";",
    "#",
    "!",
    "=",
    "~",
    "*",
    "?",
    ",",
    "\n",
    "\r",
    "\t",
    " ",
    "\u{b}",
    "\u{c}",
    "\u{a0}",
    "\u{feff}",
    "\u{200b}",
    "$(",
    "${",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "<<",
    "<<-",
    "<<<",
    "<(",
    ">(",
    "&&",
    "||",
    ";;",
    ";&",
    "|&",
    "&>",
    ">|",
    "<>",
    "<&",
    ">&",
    "\\\n",
    "\\\r\n",
    "$'",
    "$\"",
    "\\'",
    "\\\"",
    "\\\\",
    "\\`",
    "\nE\n",
    "<<E\n",
    "<<'E'\n",
    "E\n",
    "\n)",
    "esac",
    " fi",
    " done",
    " do ",
    " then ",
    "if ",
    "for x in ",
    "case x in ",
    "in ",
    "function f ",
    "f() ",
    "f()",
    "time ",
    "! ",
    "coproc ",
    "{ ",
    "; }",
    "exec ",
    "eval ",
    "env ",
    "command ",
    "sh -c ",
    "xargs ",
    "x=",
    "x+=",
    "x[0]=",
    "=(",
    "$x",
    "${x",
    ":-",
    ":=",
    "@P}",
    "@Q",
    "#*",
    "//",
    "{a,b}",
    "{1..2}",
    "2>",
    "2>&1",
    "&",
    "|",
    "--",
    "-c",
    " -x",
    "$[",
    "$@",
    "$#",
    "~+",
    "!!",
    "^a^b",
    "@(",
    "+(",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "é",
];

/// One to four changes.
pub(super) fn mutate(rng: &mut Rng, script: &str, corpus: &[&str]) -> String {
    let mut chars: Vec<char> = script.chars().collect();
    for _ in 0..*rng.choice(&[1, 1, 1, 2, 2, 3, 4]).unwrap_or(&1) {
        change(rng, &mut chars, corpus);
    }
    let mut text: String = chars.into_iter().collect();
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary_stable(LONGEST));
    }
    text
}

/// `str::floor_char_boundary`, which the oldest supported Rust does not have.
trait CharBoundary {
    fn floor_char_boundary_stable(&self, at: usize) -> usize;
}

impl CharBoundary for str {
    fn floor_char_boundary_stable(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}

fn change(rng: &mut Rng, chars: &mut Vec<char>, corpus: &[&str]) {
    let at = spot(rng, chars);
    let until = (at + rng.usize(1..8)).min(chars.len());
    match rng.u8(..12) {
        0..5 => insert(chars, at, pick(rng, TOKENS)),
        5 => {
            chars.drain(at..until);
        }
        6 => {
            let again: Vec<char> = chars.get(at..until).unwrap_or_default().to_vec();
            chars.splice(at..at, again);
        }
        7 => {
            // Another quote in place of this one.
            let quotes: Vec<usize> = chars
                .iter()
                .enumerate()
                .filter(|(_, c)| "'\"`\\".contains(**c))
                .map(|(at, _)| at)
                .collect();
            if let Some(place) = rng.choice(&quotes).and_then(|at| chars.get_mut(*at)) {
                *place = *rng.choice(&['\'', '"', '`', '\\']).unwrap_or(&'"');
            }
        }
        8 => {
            let other: Vec<char> = pick(rng, corpus).chars().collect();
            let from = spot(rng, &other);
            let to = (from + rng.usize(1..25)).min(other.len());
            chars.splice(at..at, other.get(from..to).unwrap_or_default().iter().copied());
        }
        9 => insert(chars, at, &words::payload(rng)),
        10 => {
            let other = spot(rng, chars);
            if at < chars.len() && other < chars.len() {
                chars.swap(at, other);
            }
        }
        _ => {
            if let Some(place) = chars.get_mut(at) {
                *place = char::from(rng.u8(1..128));
            }
        }
    }
}

/// Mostly beside something that means something.
fn spot(rng: &mut Rng, chars: &[char]) -> usize {
    let marks: Vec<usize> = chars
        .iter()
        .enumerate()
        .filter(|(_, c)| !c.is_ascii_alphanumeric())
        .map(|(at, _)| at)
        .collect();
    match rng.choice(&marks) {
        Some(at) if often(rng, 65) => *at + usize::from(rng.bool()),
        _ => rng.usize(..=chars.len()),
    }
    .min(chars.len())
}

fn insert(chars: &mut Vec<char>, at: usize, text: &str) {
    chars.splice(at..at, text.chars());
}
