//! Where text is evaluated. Each line of `runs` was run in bash, where it ran the command in the subscript.

use super::super::{DoubtReason, FactKind, Shell, analyze};
use super::{all_known, never_allowed};

#[test]
fn parameters_that_the_script_does_not_set() {
    never_allowed(
        DoubtReason::Arithmetic,
        &[
            "ls 'a[$(rm x)]'; ls $((_))",
            "bash -c 'ls $(($0))' 'a[$(rm x)]'",
            "bash -c '[[ $1 -eq 1 ]]; ls' x 'a[$(rm x)]'",
            "sh -c 'ls $(($1))' x 'a[$(rm x)]'",
            ": 'a[$(rm x)]'; echo $((_))",
            "set -e -- 'a[$(rm x)]'; echo $(($1))",
            "set -- 'a[$(rm x)]'; echo $((1+$1))",
            "set -- 'a[$(rm x)]'; echo $((${1}))",
            "set -- 'a[$(rm x)]'; echo $(($*))",
            "set -- 'a[$(rm x)]'; echo $((\"$@\"))",
            "[[ 'a[$(rm x)]' =~ .* ]]; echo $((BASH_REMATCH))",
            "[[ 'a[$(rm x)]' =~ .* ]]; echo $((${BASH_REMATCH[0]}))",
            "getopts a: i -a 'a[$(rm x)]'; echo $((OPTARG))",
            "OPTARG=1; getopts a: i -a 'a[$(rm x)]'; echo $((OPTARG))",
            "env i='a[$(rm x)]' bash -c 'echo $((i))'",
            "i=1; env i='a[$(rm x)]' bash -c 'echo $((i))'",
            "echo 'a[$(rm x)]' | xargs -d '\\n' bash -c 'echo $(($0))'",
            "find . -exec bash -c 'echo $(($1))' x {} +",
            "select i in 'a[$(rm x)]'; do echo $((i)); break; done",
            "select i in a; do echo $((REPLY)); break; done",
            "REPLY=1; select i in a; do echo $((REPLY)); break; done",
            "echo $((i))",
            "echo $((i)); i=1",
            "false && i=1; echo $((i))",
            "(i=1); echo $((i))",
            "i=1 | echo; echo $((i))",
            "i=1 & echo $((i))",
            "if a; then i=1; fi; echo $((i))",
            "for i; do echo $((i)); done",
            "for i in *; do echo $((i)); done",
            "i=1 bash -c 'echo $((i))'",
            "i=1 true; echo $((i))",
        ],
    );
}

#[test]
fn every_place_where_text_is_evaluated() {
    never_allowed(
        DoubtReason::Arithmetic,
        &[
            "x='a[$(rm y)]'; echo $((x))",
            "x='a[$(rm y)]'; ((x))",
            "x='a[$(rm y)]'; ((1 x))",
            "x='a[$(rm y)]'; echo $[x]",
            "x='a[$(rm y)]'; let x",
            "x='a[$(rm y)]'; let 'y = x'",
            "x='a[$(rm y)]'; [[ x -eq 1 ]]",
            "x='a[$(rm y)]'; [[ 1 -lt $x ]]",
            "x='a[$(rm y)]'; [[ \"$x\" -eq 1 ]]",
            "x='a[$(rm y)]'; [[ -v $x ]]",
            "x='a[$(rm y)]'; y=abc; echo ${y:x:1}",
            "x='a[$(rm y)]'; y=abc; echo ${y:$x}",
            "x='a[$(rm y)]'; y=abc; echo ${y[x]}",
            "x='a[$(rm y)]'; y=abc; echo ${y[$x]}",
            "x='a[$(rm y)]'; y[x]=1",
            "x='a[$(rm y)]'; y=([x]=1)",
            "x='a[$(rm y)]'; for ((;x;)); do break; done",
            "x='a[$(rm y)]'; for ((i=0;i<$x;i++)); do break; done",
            "x='a[$(rm y)]'; case $((x)) in 1) ;; esac",
            "x='a[$(rm y)]'; exec {fd[x]}>/dev/null",
            "a1='b[$(rm y)]'; i=1; echo $((a$i))",
            "a1='b[$(rm y)]'; i=1; echo $((a${i}))",
            "a1='b[$(rm y)]'; i=1; [[ a$i -eq 1 ]]",
            "ab='b[$(rm y)]'; i=; echo $((${i}ab))",
            "echo $(( $(<f) ))",
            "echo $(( `cat f` ))",
            "echo $(( $(wc -l *) ))",
            "echo $(( $(wc -l 'a[$(rm y)]') ))",
            "echo $(( $(date +a) ))",
            "echo $(( $(echo $x || wc -l) ))",
            "read x; echo $((x))",
            "printf -v x %s 'a[$(rm y)]'; echo $((x))",
            "mapfile x; echo $((x))",
            "x=1; x=$(cat f); echo $((x))",
            "x=1; echo $((x)); x=$1",
            "x=1; while a; do echo $((x)); x=$y; done",
            "x=1; f() { x=$1; }; echo $((x))",
            "x=1; : ${x:=$y}; echo $((x))",
            "echo $((${x:-$(cat f)}))",
            "x=12; echo $((${x/1/a}))",
            "x=1; x+=a; echo $((x))",
            "typeset -i x='a[$(rm y)]'",
            "declare -i x; x='a[$(rm y)]'",
            "declare -n r=x; r=1",
            "printf -v 'a[$(rm x)]' y",
            "read 'a[$(rm x)]'",
            "unset 'a[$(rm x)]'",
            "unset \"m[$k]\"",
            "test -v 'a[$(rm x)]'",
            "[ -v 'a[$(rm x)]' ]",
            "wait -p 'a[$(rm x)]' -n",
            "mapfile 'a[$(rm x)]'",
            "RANDOM='a[$(rm x)]'",
            "OPTIND='a[$(rm x)]'; getopts a i -a",
            "SECONDS=$x",
        ],
    );
    never_allowed(DoubtReason::RunsCode, &["mapfile -C 'rm x' -c 1 z"]);
    never_allowed(
        DoubtReason::Indirect,
        &["x='$(rm y)'; echo ${x@P}", "x='a[$(rm y)]'; echo ${!x}"],
    );
}

/// The text that `[[ ]]` compares as a number is known to be one, quoted parts included.
#[test]
fn an_operand_of_a_comparison_that_is_no_plain_number() {
    let operands = [
        "a[\"x\"]",
        "a['x']",
        "a[\\x]",
        "a[\"\"x]",
        "a[$'x']",
        "a[$\"x\"]",
        "a[3*x]",
        "a[*]+x",
        "a[?x]",
        "a[[x]]",
        "'a[x]'",
        "\"a[x]\"",
        "5+a[\"x\"]",
        "~x",
        "~+x",
        "~/x",
        "x",
        "\"x\"",
        "'x'",
        "\\x",
        "x+1",
        "\"1 + x\"",
        "1,x",
        "(x)",
        "$x",
        "${x}",
        "\"$x\"",
        "1$x",
        "${x}1",
        "a$x",
        "x$((1))",
        "$((1))x",
        "+x",
        "!x",
        "-x",
        "--x",
        "x++",
        "x=1",
        "${y:-$x}",
        "$(cat f)",
        "`cat f`",
        "<(cat f)",
        "x\\\n",
        "é",
        "1.5",
        "{x}",
        "{1,x}",
        "@(x)",
    ];
    let values =
        ["x='b[$(rm y)]'; ", "read x; ", "for x in 'b[$(rm y)]'; do ", "ls 'b[$(rm y)]'; x=$_; "];
    for (at, operand) in operands.iter().enumerate() {
        let value = values[at % values.len()];
        let done = if value.starts_with("for") { "; done" } else { "" };
        for operator in ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-e\\\nq"] {
            for test in [
                format!("{operand} {operator} 1"),
                format!("1 {operator} {operand}"),
                format!("! ( 1 {operator} {operand} )"),
                format!("-n a && {operand} {operator} 1 || a == b"),
            ] {
                let line = format!("{value}[[ {test} ]]{done}");
                let facts = analyze(&line, super::super::Shell::Bash).facts;
                let unknown = facts.iter().any(|fact| {
                    let FactKind::Unknown { why, named: None } = fact.what else { return false };
                    matches!(why, DoubtReason::Arithmetic | DoubtReason::NotUnderstood)
                });
                assert!(unknown, "{line}: {facts:#?}");
            }
        }
    }
    never_allowed(
        DoubtReason::Arithmetic,
        &[
            "ls 'b[$(rm x)]'; [[ a[\"_\"] -eq 1 ]]",
            "ls 'b[$(rm x)]'; [[ 1 -eq ~_ ]]",
            "ls 'b[$(rm x)]'; [[ a[3*_] -eq 1 ]]",
            "ls 'b[$(rm x)]'; [[ a[*]+_ -eq 1 ]]",
            "[[ 'b[$(rm x)]' =~ .* ]]; [[ a[\"BASH_REMATCH\"] -eq 1 ]]; ls",
            "if [[ a[\"x\"] -eq 1 ]]; then ls; fi",
            "bash -c 'ls \"b[\\$(rm y)]\"; [[ a[\"_\"] -eq 1 ]]'",
            "echo $((x.y))",
            "echo $((x#y))",
            "echo ${y:{x}}",
            "(( é ))",
        ],
    );
}

/// A minus and the name of a variable may spell an operator.
#[test]
fn an_operand_that_is_spelled_like_an_operator() {
    for name in ["eq", "ne", "lt", "le", "gt", "ge"] {
        for test in [
            format!("-{name} -eq 1"),
            format!("1 -lt -{name}"),
            format!("-{name} -{name} -{name}"),
            format!("! -{name} -{name} 1"),
            format!("( -{name} -{name} 1 )"),
            format!("! ( 1 -{name} -{name} )"),
            format!("a == b || -{name} -{name} 1"),
        ] {
            never_allowed(DoubtReason::Arithmetic, &[&format!("read {name}; [[ {test} ]]")]);
        }
    }
    never_allowed(
        DoubtReason::Arithmetic,
        &[
            "read x; [[ -n =~ && ( x -eq 1 ) ]]",
            "read x; [[ =~ && ( x -eq 1 ) ]]",
            "read x; [[ ( =~ ) && ( x -eq 1 ) ]]",
            "read x; [[ a == =~ || ( x -eq 1 ) ]]",
            "read x; [[ = && ( x -eq 1 ) ]]",
            "read x; [[ a == = || ( x -eq 1 ) ]]",
        ],
    );
}

/// A word of more parts than are kept is not known at all: it is no word of nothing, and no number.
#[test]
fn a_word_of_very_many_parts() {
    for parts in [150, 199, 200, 201, 202, 300] {
        let many = "$((x))".repeat(parts);
        let line = format!("x=a; x=$(cat f); [[ _+{many} -eq 1 ]]");
        let doubt = |line: &str| {
            let facts = analyze(line, super::super::Shell::Bash).facts;
            facts.iter().any(|fact| {
                matches!(fact.what, FactKind::Unknown { why: DoubtReason::Arithmetic, named: None })
            })
        };
        assert!(doubt(&line), "{parts}");
        assert!(doubt(&format!("[[ _+{} -eq 1 ]]", "$#".repeat(parts))), "{parts}");
        assert!(doubt(&format!("echo $((\"_+{}\"))", "$#".repeat(parts))), "{parts}");
        let line = format!("cat .env{}", "$z".repeat(parts));
        let facts = analyze(&line, super::super::Shell::Bash).facts;
        let argument = facts.iter().find_map(|fact| match &fact.what {
            FactKind::Command(command) => command.argv.get(1),
            _ => None,
        });
        assert!(argument.is_some_and(|word| word.literal().is_none()), "{parts}: {argument:?}");
    }
}

#[test]
fn numbers_are_known() {
    all_known(&[
        "x=1; echo $((x))",
        "x=1; y=2; echo $((x + $y * ${x}))",
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
        "i=0; while [[ $i -lt 3 ]]; do echo $i; ((i++)); done",
        "for ((i = 0, j = 3; i < j; i++)); do echo $i; done",
        "for i in 1 2 3; do echo $((i * 2)); done",
        "for i in {1..5}; do echo $((10#$i)); done",
        "n=$(wc -l < f); echo $((n / 2))",
        "start=$(date +%s); ls; echo $(( $(date +%s) - start ))",
        "echo $((RANDOM % 6)) $(($# + $?)) $(($$))",
        "[[ $# -eq 0 ]] && ls",
        "[[ ${#x} -gt 3 ]] && ls",
        "[[ 1 -eq 2 ]] || [[ -1 -lt '2' && \"3\" -ge \\4 ]]; ls",
        "x=1; [[ x -eq 1 && 'x' -eq $x ]]; [[ -$x -lt 1$x ]]; ls",
        "a=(1 2); [[ ${#a[@]} -gt ${a[0]} ]]; ls",
        "a=(1 2 3); echo ${a[0]} $((a[1]))",
        "x=abc; echo ${x:0:2} ${x: -1}",
        "export x=1; let y=x+1",
        "read -r x; [ \"$x\" = a ] && ls",
        "[ \"$x\" = a ] || [ -n \"$x\" ] || [ -z \"$x\" -a -f \"$y\" ]",
        "[ $# -eq 0 ] && [ $? -ne 1 ] && ls",
        "test ! \"$x\" && ls",
    ]);
}

#[test]
fn words_that_may_become_options_of_builtins() {
    never_allowed(
        DoubtReason::MayBeOption,
        &[
            "printf \"$x\" 'a[$(rm y)]'",
            "printf $x",
            "printf -\"$x\" a",
            "[ \"$x\" 'a[$(rm y)]' ]",
            "[ ! \"$x\" 'a[$(rm y)]' ]",
            "[ $x ]",
            "[ $x -lt 3 ]",
            "[ -f $x ]",
            "test $x = a",
            "test -n a -o \"$x\" \"$y\"",
            "wait \"$x\" 'a[$(rm y)]'",
            "read -r\"$x\"",
        ],
    );
    never_allowed(DoubtReason::Arithmetic, &["read \"$x\"", "unset \"$x\"", "mapfile \"$x\""]);
    never_allowed(DoubtReason::Evaluates, &["export \"$x\"", "declare \"$x\""]);
    all_known(&["echo \"$x\" $x", "cd \"$x\"", "printf '%s\\n' \"$x\" $y"]);
}

#[test]
fn a_character_of_several_bytes_behind_a_backslash_ends_as_a_line_does() {
    for quote in ["\\", "'"] {
        for character in ["é", "\u{202e}", "😀"] {
            for (open, close) in [("$((", "))"), ("((", "))"), ("${x:", "}")] {
                for end in ["", close] {
                    let line = format!("ls {open}{quote}{character}{end}");
                    let facts = analyze(&line, Shell::Bash).facts;
                    assert!(
                        facts.iter().any(|fact| matches!(fact.what, FactKind::Unknown { .. })),
                        "{line}"
                    );
                }
            }
        }
    }
}
