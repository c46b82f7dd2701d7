//! Where shells surprise, each row named after what it is. All were found by running them.

use super::super::{DoubtReason, FactKind, Shell, analyze};
use super::check;

#[test]
fn closing_a_descriptor_ends_the_word() {
    let table = [
        ("ls\n<&-rm x", "ls; rm x"),
        ("a>&-e", "a e"),
        ("a 2>&-e", "a e"),
        ("a >& -e", "a e"),
        ("a <& -e", "a e"),
        ("a {x}>&-e", "a e; x="),
        ("a >&- e", "a e"),
        ("a 2>&1- e", "a e"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn a_file_behind_an_ampersand_is_expanded_twice() {
    let table = [
        ("a >&b", "a; >b"),
        (r#"a >&"\b""#, "a; >‹?*›"),
        (r"a >&'\\b\\c'", "a; >‹?*›"),
        ("a >&'~/b'", "a; >‹?*›"),
        ("a >&'b c'", "a; >‹?*›"),
        ("a >&'b$(rm x)'", "a; >‹?*›; !NotUnderstood; rm x; b‹?*›; !DynamicCommand"),
        ("a &>'$(rm x)'", "a; >$(rm x)"),
        (">'$(rm x)'", ">$(rm x)"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn descriptors_of_several_digits() {
    check(Shell::Bash, &[("a 10>f", "a; >f")]);
    let table = [
        ("a 1>f", "a; >f"),
        ("a 10>f", "a 10; !NotUnderstood; >f"),
        ("a 1\\\n2>f", "a 12; !NotUnderstood; >f"),
        ("{ a; } 10>f", "a; !NotUnderstood; !NotUnderstood"),
        ("a 10 >f", "a 10; >f"),
    ];
    check(Shell::Posix, &table);
}

#[test]
fn ansi_escapes_that_are_not_certain() {
    let table = [
        (r"a $'x\cA'", "a ‹?›"),
        (r"a $'\c\\x'", "a ‹?›"),
        (r"a $'\u7'", "a ‹?›"),
        (r"a $'\U0001F600x'", "a ‹?›"),
        (r"a $'b\0('", "a ‹?›"),
        (r"a $'b\x0c'", "a b\u{c}"),
        (r"a $'\x01'", "a ‹?›"),
        (r"a $'\177'", "a ‹?›"),
        (r"a b$'\z'c", "a b‹?›c"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn the_shells_own_marks() {
    check(Shell::Bash, &[("a \u{1}b", "!NotUnderstood; a \u{1}b")]);
    check(Shell::Bash, &[("a '\u{7f}'", "!NotUnderstood; a \u{7f}")]);
}

#[test]
fn tildes_behind_what_may_be_an_assignment() {
    let table = [
        ("a b+=~", "a b+=‹~›"),
        ("a b+=~/c:~", "a b+=‹~›/c:‹~›"),
        ("a b[0]=~", "a b‹[0]›=‹?›"),
        ("a b[0]+=~/c", "a b‹[0]›+=‹?›/c"),
        ("a b=c=~", "a b=c=~"),
        ("a -b=~", "a -b=~"),
        (r#"a "b"=~"#, "a b=~"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn characters_behind_a_continuation() {
    let table = [
        ("ls\\\né", "lsé"),
        ("ls\\\n\u{a0}", "ls\u{a0}"),
        ("ls \"a\\\né\"", "ls aé"),
        ("ls *\\\né", "ls ‹*›é; !FindsOptions@1"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn a_backslash_at_the_end() {
    check(Shell::Bash, &[("a b\\", "a b‹?›"), ("a\\", "a‹?›; !DynamicCommand")]);
    check(Shell::Bash, &[("a >&1\\", "a; >1‹?›")]);
}

#[test]
fn options_of_the_keyword_time() {
    let table = [
        ("time -p ls", "ls"),
        ("time -p -- ls", "ls"),
        ("time -- ls", "ls"),
        ("time -p -p ls", "-p ls"),
        ("time -- -p ls", "-p ls"),
        ("time -p -- -- ls", "-- ls"),
        ("time -x ls", "!UnknownOption; -x ls"),
        ("time '-p' ls", "-p ls"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn braces_closed_before_the_first_comma() {
    let table = [
        ("a {a},b}", "a a} b"),
        ("a {a},}", "a a}"),
        ("a x{},b}", "a x} xb"),
        ("a {},b}", "a {},b}"),
        ("a {}{b,c}", "a {}b {}c"),
        ("a {a}{b,c}", "a {a}b {a}c"),
        ("a {{b,c}", "a {b {c"),
        ("a {a}..b}", "a ‹?*›"),
        ("a {x{1..2}..b}", "a ‹?*›"),
    ];
    check(Shell::Bash, &table);
    let opened = format!("a {},}}", "{".repeat(5_000));
    check(Shell::Bash, &[(opened.as_str(), "a ‹?*›")]);
}

#[test]
fn parentheses_that_bash_counts_inside_of_expansions() {
    let table = [
        ("((${@/)}1))", "!Arithmetic"),
        ("a $((${x/(}1))", "a ‹?›; !Arithmetic"),
        ("a $[${x/]}1]", "a ‹?›; !Arithmetic"),
        ("a $[${x[1]} + 1]", "a ‹?›; !Arithmetic"),
        ("((\")\" + 1))", "!Arithmetic"),
        ("a $((${x[1]} + ${y:-2}))", "a ‹?›; !Arithmetic; !Arithmetic"),
        ("a $(( $(date +%s) ))", "a ‹?›; date +%s"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn keywords_behind_redirections_inside_of_substitutions() {
    let table = [
        ("a $(>f ! b)", "a ‹?*›; >f; !NotUnderstood; ! b; b"),
        ("a $(>f b)", "a ‹?*›; >f; b"),
        (">f ! b", ">f; ! b"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn expansions_behind_the_number_of_the_process() {
    let table = [
        (r#"a "$$("")""#, "a ‹?›(); !NotUnderstood"),
        (r#"a "$${""}""#, "a ‹?›{}; !NotUnderstood"),
        ("a $$ x$$y", "a ‹?› x‹?›y"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn a_lone_dash_of_env() {
    let table = [
        ("env - a", "[env - a]; !Alters; a"),
        ("env -- - a", "[env -- - a]; !Alters; a"),
        ("env - - a", "[env - - a]; !Alters; - a"),
        ("env - -u a", "[env - -u a]; !Alters; -u a"),
        ("env A=1 - a", "[env A=1 - a]; A=; - a"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn subscripts_of_descriptors_that_do_not_end() {
    check(Shell::Bash, &[("{x[}>f", "{x[}; >f"), ("{x[1]}>f a", "x=; >f; a")]);
}

/// Whether the line is unknown for this reason.
fn is_unknown(line: &str, why: DoubtReason) -> bool {
    let unknown = FactKind::Unknown { why, named: None };
    analyze(line, Shell::Bash).facts.iter().any(|fact| fact.what == unknown)
}

#[test]
fn code_in_the_subscript_of_a_descriptor_runs_whatever_is_quoted_in_it() {
    for line in [
        "a {y['$(rm x)']}>&1",
        "a {y['`rm x`']}>&1",
        "a {y[$'$(rm x)']}<b",
        "a {y['a]$(rm x)']}>>b",
        "a {y['a[$(rm x)]']}<&0",
        "a {y[\"\\$(rm x)\"]}>|b",
        "a {y['$(rm x)']\\\n}>&1",
        "a {y['$(rm x)']}\\\n>&1",
        ": {y['$(rm x)']}>&1",
        "{y['$(rm x)']}>&1 a",
        "x=1 {y['$(rm x)']}>&1 a",
        "a | { b {y['$(rm x)']}<>c; }",
        "{ a; } {y['$(rm x)']}>&1",
        "a {y[x]}>&1",
    ] {
        assert!(
            is_unknown(line, DoubtReason::Arithmetic)
                || is_unknown(line, DoubtReason::NotUnderstood),
            "{line}: {:?}",
            analyze(line, Shell::Bash)
        );
    }
    for line in
        ["a {y['$(rm x)']} >&1", "a {b,c}>d", "find . -exec a {} \\; >b", "a {}>b", "a {fd}>b"]
    {
        assert!(!is_unknown(line, DoubtReason::Arithmetic), "{line}");
    }
}

#[test]
fn quotes_that_old_versions_take_for_characters_hide_no_code() {
    for line in [
        r#"a "${x/b/'$(rm x)'}""#,
        r#"a "${x//b/'`rm x`'}""#,
        r#"a "${x/#b/c'$(rm x)'}""#,
        r#"a "${x/'$(rm x)'/b}""#,
        r#"a "${x/b/$'$(rm x)'}""#,
        r#"a "${x^'$(rm x)'}""#,
        r#"a "${x,,'$(rm x)'}""#,
    ] {
        assert!(is_unknown(line, DoubtReason::NotUnderstood), "{line}");
    }
    for line in [r#"a "${x#'b'}""#, r#"a "${x%%'$(rm x)'}""#, r#"a "${x/b/c}""#, "a ${x/b/'c'}"] {
        assert!(!is_unknown(line, DoubtReason::NotUnderstood), "{line}");
    }
}

#[test]
fn here_documents_inside_substitutions() {
    let table = [
        ("a \"$(cat <<E\nE\nb;c)\"", "a ‹?›; cat; b; !HereDocument; c"),
        ("a $(cat <<E;rm;x\nE\n)", "a ‹?*›; cat; !HereDocument; rm; x"),
        ("a $(cat <<E && b\nE\n)", "a ‹?*›; cat; !HereDocument; b"),
        ("a $(cat <<E | b\nE\n)", "a ‹?*›; cat; b"),
        ("a $( (cat <<E\nE\n) )", "a ‹?*›; cat; !HereDocument"),
        ("a $(cat <<E <<F\nE\nF\n)", "a ‹?*›; cat"),
        ("a <(cat <<E\nE\nb)", "a ‹?›; cat; b; !HereDocument"),
        ("a $(b $(cat <<E\nE\n); c)", "a ‹?*›; b ‹?*›; cat; c"),
        ("a `cat <<E\nE\nb;c`", "a ‹?*›; cat; b; c"),
    ];
    check(Shell::Bash, &table);
    check(Shell::Posix, &[("a $(cat <<E\nE\nb;c)", "a ‹?*›; cat; b; c")]);
}

#[test]
fn continuations_that_are_gone_before_quotes_are_read() {
    let table = [
        ("cat <<E\n$('\\\nrm' x)\nE", "cat; rm x"),
        ("cat <<'E'\n$('\\\nrm' x)\nE", "cat"),
        ("cat <<E\n\\\\\n$('rm' x)\nE", "cat; rm x"),
        ("a `'\\\nrm' x`", "a ‹?*›; rm x"),
        ("a $('\\\nrm' x)", "a ‹?*›; \\⏎rm x"),
    ];
    check(Shell::Bash, &table);
    check(Shell::Posix, &[("a `'\\\nrm' x`", "a ‹?*›; rm x")]);
}

#[test]
fn env_parts_its_words_at_more_than_blanks() {
    check(Shell::Bash, &[("env -S\u{b}rm", "[env -S\u{b}rm]; [env rm]; rm")]);
    check(Shell::Bash, &[("env -S 'a\rb\u{c}c'", "[env -S a\rb\u{c}c]; [env a b c]; a b c")]);
}

#[test]
fn words_that_are_not_what_they_look_like() {
    let table = [
        // An empty substitution is no word at all.
        ("a <()", "a ‹?›; !NotUnderstood"),
        // A variable without a name.
        ("env =b ls", "[env =b ls]; !NotUnderstood; =; ls"),
        // Of several marks the last counts.
        ("xargs -I{ -I} ls }", "[xargs -I{ -I} ls }]; !UnknownOption; ls }"),
        ("xargs -I{ -l", "[xargs -I{ -l]; !UnknownOption; echo"),
        ("a ~:", "a ‹?›:"),
        // Every variable is exported.
        ("bash -ca 'echo'", "[bash -ca echo]; !UnknownOption; echo"),
    ];
    check(Shell::Bash, &table);
}

#[test]
fn here_documents_inside_substitutions_compare_joined_lines() {
    let table = [
        (
            "echo \"$(cat <<EOF\nx\nEOF rm -rf build \\\n)\nEOF\n)\"",
            "echo ‹?›⏎EOF⏎); cat; !HereDocument; !HereDocument; rm -rf build",
        ),
        (
            "echo \"$(cat <<EOF\nx\nE\\\nOF rm -rf build)\"",
            "echo ‹?›; cat; !HereDocument; !HereDocument; rm -rf build",
        ),
        (
            "echo \"$(cat <<EOF\nx\nEOF\\\n rm -rf build)\"",
            "echo ‹?›; cat; !HereDocument; !HereDocument; rm -rf build",
        ),
        (
            "echo \"$(cat <<-EOF\nx\n\tE\\\n\tOF rm -rf build)\"",
            "echo ‹?›; cat; !HereDocument; !HereDocument; rm -rf build",
        ),
        (
            "cat <(cat <<EOF\nx\nEOF rm -rf build \\\n)",
            "cat ‹?›; cat; !HereDocument; !HereDocument; rm -rf build",
        ),
        ("a $(cat <<EOF\nx\\\nEOF)\nEOF\n)", "a ‹?*›; cat"),
        ("a $(cat <<'EOF'\nEO\\\nF)\nEOF\n)", "a ‹?*›; cat"),
        ("a <<EOF\nEOF b\\\n)\nEOF\nc", "a; c"),
    ];
    check(Shell::Bash, &table);
}
