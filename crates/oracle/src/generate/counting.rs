//! Words that become none or several beside options: which word is a value then, which an operand, and where a command begins.

use fastrand::Rng;

use super::words::FORBIDDEN;
use super::{often, pick};

/// Where something is written that the policy does not allow.
const WRITTEN: &str = "src/made";

/// Words that bring the value of an option and more, or nothing.
fn several(rng: &mut Rng, words: &str) -> (String, String) {
    let own = |text: &str| (String::new(), text.to_owned());
    match rng.u8(..12) {
        0 | 1 => own(&format!("$(echo {words})")),
        2 => own(&format!("`echo {words}`")),
        3 => own(&format!("${{zz:-{words}}}")),
        4 => (format!("FOO=$(echo {words}); "), "$FOO".to_owned()),
        5 => (format!("FOO='{words}'; "), "$FOO".to_owned()),
        6 => (format!("read FOO <<< '{words}'; "), "$FOO".to_owned()),
        7 => (format!("FOO=({words}); "), "\"${FOO[@]}\"".to_owned()),
        8 => (format!("set -- {words}; "), "\"$@\"".to_owned()),
        9 => (format!("set -- {words}; "), "$*".to_owned()),
        10 => (format!("for FOO in '{words}'; do "), "$FOO".to_owned()),
        _ => own(words),
    }
}

/// A word that may be empty, glued to an option or where it stands by itself and unquoted, and what stands before.
fn nothing(rng: &mut Rng, glued: bool) -> (&'static str, &'static str) {
    if !glued || often(rng, 15) {
        return match rng.u8(..7) {
            0 => ("", "$zz"),
            1 => ("", "$(true)"),
            2 => ("FOO=1; false || FOO=; ", "$FOO"),
            3 => ("FOO=1; true && unset FOO; ", "$FOO"),
            4 => ("FOO=(); ", "$FOO"),
            5 => ("FOO=$(wc -l < zz); ", "$FOO"),
            _ => ("FOO[1]=5; ", "$FOO"),
        };
    }
    match rng.u8(..10) {
        0 | 1 => ("", "\"$zz\""),
        2 => ("", "\"$(true)\""),
        3 => ("", "\"${zz:-}\""),
        4 => ("FOO=; ", "\"$FOO\""),
        5 => ("FOO=a; unset FOO; ", "\"$FOO\""),
        6 => ("FOO=a; ", "\"${FOO#a}\""),
        7 => ("FOO=$(true); ", "\"${FOO}\""),
        8 => ("", "$'\\0'"),
        _ => ("", "`true`"),
    }
}

/// A command whose words mean something else once they are counted.
pub(super) fn counted(rng: &mut Rng) -> String {
    let command = pick(rng, FORBIDDEN).replace(['\n', '\\', '\''], "");
    let glued = often(rng, 70);
    let gap = if glued { "" } else { " " };
    let code = format!("1 'BEGIN{{system(\"{command}\")}}'");
    match rng.u8(..14) {
        0 | 1 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}awk -F{gap}{value} {code}")
        }
        2 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}awk -v{gap}{value} a=1 'BEGIN{{system(\"{command}\")}}'")
        }
        3 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}echo a | xargs -E{gap}{value} echo {command}")
        }
        4 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}xargs -d{gap}{value} : {command} < a.txt")
        }
        5 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}nice -n{gap}{value} 5 {command}")
        }
        6 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}timeout -k{gap}{value} 5 1 {command}")
        }
        7 => {
            let (before, value) = nothing(rng, glued);
            format!("{before}uniq -f{gap}{value} 1 a.txt {WRITTEN}")
        }
        8 => format!("printf '\\n' | xargs -d '\\n' -I{{}} awk -F{{}} {code}"),
        9 => format!("echo 1 a.txt {WRITTEN} | xargs uniq -{}", pick(rng, &["f", "s", "w", "cf"])),
        10 => format!("find a.txt {WRITTEN} -exec uniq -w {{}} +"),
        11 => {
            let text = format!("1 a[\\$({})]", command.replace(' ', "${IFS}"));
            let (before, value) = several(rng, &text);
            let after = if before.starts_with("for ") { "; done" } else { "" };
            let option = pick(rng, &["t", "n", "p", "d"]);
            format!("{before}read -{option}{gap}{value} CI < a.txt{after}")
        }
        _ => {
            let (before, value) = several(rng, &format!("1 a.txt {WRITTEN}"));
            let after = if before.starts_with("for ") { "; done" } else { "" };
            let option = pick(rng, &["-f", "-s", "-w", "--skip-fields", "--skip-fields="]);
            format!("{before}uniq {option}{gap}{value}{after}").replace("= ", "=")
        }
    }
}
