//! Texts that are evaluated later: parameters, texts that the shell reads as arithmetic, and words that turn out to be options.

use fastrand::Rng;

use super::grammar::{list, simple};
use super::words::FORBIDDEN;
use super::{often, pick};

/// A text that runs a command where it is taken for arithmetic or for the name of a variable.
fn subscript(rng: &mut Rng) -> String {
    let command = if often(rng, 80) { pick(rng, FORBIDDEN) } else { "ls" };
    match rng.u8(..6) {
        0 => format!("x[`{command}`]"),
        1 => format!("FOO[$({command})]"),
        2 => format!("a[$({command})]=1"),
        3 => format!("1+a[$({command})]"),
        _ => format!("a[$({command})]"),
    }
}

/// A name of a parameter, or a way to write it.
fn parameter(rng: &mut Rng) -> &'static str {
    pick(
        rng,
        &[
            "_",
            "$_",
            "${_}",
            "$0",
            "${0}",
            "$1",
            "${1}",
            "\"$1\"",
            "$2",
            "$@",
            "$*",
            "${@}",
            "$#",
            "${#}",
            "$?",
            "$$",
            "BASH_REMATCH",
            "${BASH_REMATCH}",
            "$BASH_REMATCH",
            "${BASH_REMATCH[0]}",
            "OPTARG",
            "$OPTARG",
            "OPTIND",
            "REPLY",
            "$REPLY",
            "FOO",
            "$FOO",
            "${FOO}",
            "CI",
            "$CI",
            "FOO[0]",
            "${FOO[0]}",
            "${FOO:-$CI}",
            "${!FOO}",
            "FOO[CI]",
            "1",
            "RANDOM",
            "LINENO",
            "${1:-1}",
            "${#FOO}",
            "$-",
            "$!",
        ],
    )
}

/// Where a parameter is evaluated.
fn place(rng: &mut Rng) -> String {
    let name = parameter(rng);
    let form = pick(
        rng,
        &[
            "echo $((N))",
            "echo $((N+1))",
            "echo \"$((N))\"",
            "echo $[N]",
            "((N))",
            "((N)) && ls",
            "(( CI = N ))",
            "echo $((1 ? N : 2))",
            "echo ${FOO:N}",
            "echo ${FOO:0:N}",
            "echo ${FOO:$((N))}",
            "echo \"${@:N}\"",
            "echo ${FOO[N]}",
            "echo ${#FOO[N]}",
            "FOO[N]=1",
            "FOO=([N]=1)",
            "[[ N -eq 1 ]]",
            "[[ 1 -lt N ]]",
            "[[ a[\"N\"] -eq 1 ]]",
            "[[ a['N'] -lt 1 ]]",
            "[[ 1 -ge a[\\N] ]]",
            "[[ a[3*N] -eq 1 ]]",
            "[[ 5 -gt a[*]+N ]]",
            "[[ 1 -ne ~N ]]",
            "[[ \"N\" -le 1 ]]",
            "[[ 1 -eq $((1))+N ]]",
            "[[ 1 -e\\\nq 'N' ]]",
            "[[ -n =~ && ( N -eq 1 ) ]]",
            "[[ a == =~ || ( N -eq 1 ) ]]",
            "[[ ! = && ( 1 -lt N ) ]]",
            "[[ -v N ]]",
            "test -v N",
            "[ -v N ]",
            "[ N -eq 1 ]",
            "[[ $((N)) == 1 ]]",
            "for ((;N;)); do break; done",
            "for ((CI=N;CI<1;CI++)); do ls; done",
            "case $((N)) in 1) ls;; esac",
            "cat <<< $((N))",
            "cat <<E\n$((N))\nE\n",
            "echo $(cat <<E\n$((N))\nE\n)",
            "printf -v N x",
            "printf %d N",
            "read N < a.txt",
            "read -t N FOO < a.txt",
            "unset N",
            "unset -v N",
            "shift N",
            "let N",
            "let \"N\"",
            "getopts a N",
            "declare -i CI=N",
            "export N",
            "echo ${N@P}",
            "ls > out/$((N))",
            "FOO=$((N)) ls",
            "FOO=$((N))",
            "FOO+=N",
            "while ((N)); do break; done",
            "if ((N)); then ls; fi",
            "echo {1..$((N))}",
            "mapfile -s N FOO < a.txt",
            "wait N",
            "head -n $((N)) a.txt",
            "set -- $((N))",
            "return $((N))",
            "exit $((N))",
            "echo `echo $((N))`",
            "ls; (( ${N:-1} ))",
        ],
    );
    form.replace('N', name)
}

/// A text in the subscript of a descriptor that is kept in an array.
fn descriptor(rng: &mut Rng, text: &str) -> String {
    let quoted = match rng.u8(..6) {
        0 => text.to_owned(),
        1 => format!("\"{}\"", text.replace('$', "\\$").replace('`', "\\`")),
        2 => format!("$'{text}'"),
        3 => format!("'a]{text}'"),
        _ => format!("'{text}'"),
    };
    let name = pick(rng, &["FOO", "CI", "y", "0"]);
    let operator = pick(
        rng,
        &[">&1", "<&0", "<a.txt", ">out/x", ">>out/x", "<>out/x", "\\\n>&1", " >&1", ">&-", "<<<x"],
    );
    let token = format!("{{{name}[{quoted}]}}{operator}");
    match rng.u8(..4) {
        0 => format!("{token} {}", simple(rng, 9)),
        1 => format!("{{ {}; }} {token}", simple(rng, 9)),
        _ => format!("{} {token}", simple(rng, 9)),
    }
}

/// A quote inside of double quotes and braces, with a command in it.
fn replacement(rng: &mut Rng) -> String {
    let command = pick(rng, FORBIDDEN);
    let operator =
        pick(rng, &["/a/", "//a/", "/#a/", "/%a/", "/", "^", ",,", "#", "%%", ":-", "+"]);
    let quote = pick(rng, &["'", "$'"]);
    format!("FOO=a; echo \"${{FOO{operator}{quote}$({command})'}}\"")
}

/// A text comes to a parameter, and the parameter to where it is evaluated.
pub(super) fn evaluating(rng: &mut Rng, depth: u8) -> String {
    let text = subscript(rng);
    let place = place(rng);
    let quoted = place.replace('\'', r"'\''");
    let between = if often(rng, 20) { format!("{}; ", simple(rng, 9)) } else { String::new() };
    match rng.u8(..26) {
        0 => format!(": '{text}'; {place}"),
        1 => format!("ls '{text}'; {place}"),
        2 => format!("echo \"{}\"; {between}{place}", text.replace('$', "\\$").replace('`', "\\`")),
        3 => format!("set -- '{text}'; {between}{place}"),
        4 => format!("set -e -- '{text}' '{text}'; {between}{place}"),
        5 => format!("[[ '{text}' =~ .* ]]; {place}"),
        6 => format!("[[ '{text}' =~ (.*) ]] && {place}"),
        7 => format!("getopts a: FOO -a '{text}'; {between}{place}"),
        8 => format!("env CI='{text}' bash -c '{quoted}'"),
        9 => format!("env FOO='{text}' {}", simple(rng, 9)),
        10 => format!("bash -c '{quoted}' '{text}' '{text}'"),
        11 => format!("sh -c '{quoted}' x '{text}'"),
        12 => format!("echo '{text}' | xargs -d '\\n' bash -c '{quoted}'"),
        13 => format!("echo '{text}' | xargs -I {{}} bash -c '{quoted}' {{}} {{}}"),
        14 => format!("FOO='{text}'; {between}{place}"),
        15 => format!("FOO='{text}' CI=FOO; {place}"),
        16 => format!("for FOO in '{text}' 1; do {place}; done"),
        17 => format!("read FOO <<< '{text}'; {place}"),
        18 => format!("printf -v FOO %s '{text}'; {place}"),
        19 => format!("FOO=('{text}'); {place}"),
        20 => format!("export FOO='{text}' CI=1; {between}{place}"),
        21 => format!("FOO=$(echo '{text}'); {place}"),
        22 => format!("CI=1; {place}; {}", list(rng, depth + 2)),
        23 => descriptor(rng, &text),
        24 => replacement(rng),
        _ => {
            format!("for CI in 1 2 3; do {place}; {}; done", simple(rng, 9))
        }
    }
}

/// A word that turns out to be an option only when it runs.
pub(super) fn revealed(rng: &mut Rng) -> String {
    let command = pick(rng, FORBIDDEN);
    let word = pick(
        rng,
        &[
            "-exec", "-ok", "-execdir", "-delete", "-fprint", "--", "-x", "-u", "-S", "-c", "-I",
            "-n1",
        ],
    );
    let (before, written) = match rng.u8(..9) {
        0 => (String::new(), format!("\"$(echo {word})\"")),
        1 => (String::new(), format!("$(echo {word})")),
        2 => (String::new(), format!("`printf %s {word}`")),
        3 => (format!("FOO={word}; "), "$FOO".to_owned()),
        4 => (format!("FOO={word}; "), "\"$FOO\"".to_owned()),
        5 => (format!("for FOO in {word} a; do "), "$FOO".to_owned()),
        6 => (format!("set -- {word}; "), "\"$1\"".to_owned()),
        7 => (format!(": {word}; "), "\"$_\"".to_owned()),
        _ => (format!("FOO=({word} {command}); "), "\"${FOO[@]}\"".to_owned()),
    };
    let used = match rng.u8(..9) {
        0 | 1 => format!("find . {written} {command} \\;"),
        2 => format!("find . -name x {written} {command} {{}} +"),
        3 => format!("env {written} {command}"),
        4 => format!("xargs {written} {command} < a.txt"),
        5 => format!("bash {written} '{command}'"),
        6 => format!("timeout {written} 1 {command}"),
        7 => format!("nice {written} {command}"),
        _ => format!("printf {written} FOO '{}'", subscript(rng)),
    };
    let after = if before.starts_with("for ") { "; done" } else { "" };
    format!("{before}{used}{after}")
}

/// A here-document inside of a substitution, with lines that may be joined.
pub(super) fn joined(rng: &mut Rng) -> String {
    let end = pick(rng, &["E", "'E'", "\\E", "\"E\""]);
    let dash = pick(rng, &["", "-"]);
    let line = pick(
        rng,
        &[
            "a\\",
            "a\\\\",
            "\\",
            "E\\",
            "\\\nE",
            "a)",
            "\tE",
            "E )",
            "E)",
            "a\\\nE\\",
            "$(ls\\\n)",
            "`ls`",
        ],
    );
    let command = pick(rng, FORBIDDEN);
    let close = pick(rng, &["\n)", ")", "\n)\"", "\n`"]);
    let (open, close) = match close {
        "\n)\"" => ("\"$(", "\n)\""),
        "\n`" => ("`", "\n`"),
        other => ("$(", other),
    };
    format!("echo {open}cat <<{dash}{end}\n{line}\nE\n{command}\nE{close}")
}
