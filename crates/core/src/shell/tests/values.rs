//! Values that are certain, put where they are used.

use super::super::Shell;
use super::check;

#[test]
fn literals_in_a_straight_line() {
    check(
        Shell::Bash,
        &[
            ("x=a; b $x", "x=; b a"),
            ("x=a; b \"$x/c\" ${x}d", "x=; b a/c ad"),
            ("x=a\nx=b\nc $x", "x=; x=; c b"),
            ("x=a && b $x", "x=; b a"),
            ("d && x=a && b $x", "d; x=; b a"),
            ("x=a y=b; c $x$y", "x=; y=; c ab"),
            ("x=a; y=$x/b; c $y", "x=; y=; c a/b"),
            ("export x=a; b $x", "[export x=a]; x=; b a"),
            ("x=~/a; b $x", "x=; b ‹~›/a"),
            ("x='-a -b'; c $x d", "x=; c -a -b d"),
            ("x='-a -b'; c \"$x\"", "x=; c -a -b"),
            ("x=' a '; c b$x d", "x=; c b a d"),
            ("x='*.c'; b $x", "x=; b ‹*›.c"),
            ("x='*.c'; b \"$x\"", "x=; b *.c"),
            ("x=*.c; b $x", "x=; b ‹*›.c"),
            ("x=; b $x c", "x=; b c"),
            ("x=; b \"$x\" c", "x=; b '' c"),
            ("x='git status'; $x -s", "x=; git status -s"),
            ("x=a; b > $x", "x=; b; >a"),
            ("x='a b'; c > $x", "x=; c; >‹?*›"),
            ("x=a; (b $x)", "x=; b a"),
            ("x=a; b $(c $x)", "x=; b ‹?*›; c a"),
            ("x=a; if b $x; then c $x; else d $x; fi", "x=; b a; c a; d a"),
            ("x=a; b | c $x", "x=; b; c a"),
            ("x=a; [[ -f $x ]] && b $x", "x=; b a"),
            ("x=rm; $x y", "x=; rm y"),
        ],
    );
}

#[test]
fn what_may_have_changed_is_not_known() {
    check(
        Shell::Bash,
        &[
            ("b $x; x=a", "b ‹?*›; x="),
            ("x=a b $x", "x=; b ‹?*›"),
            ("x=a b; c $x", "x=; b; c ‹?*›"),
            ("(x=a); b $x", "x=; b ‹?*›"),
            ("x=a | b $x", "x=; b ‹?*›"),
            ("x=a & b $x", "x=; b ‹?*›"),
            ("b && x=a; c $x", "b; x=; c ‹?*›"),
            ("b || x=a && c $x", "b; x=; c ‹?*›"),
            ("x=a; b && x=c; d $x", "x=; b; x=; d ‹?*›"),
            ("x=a; if b; then x=c; fi; d $x", "x=; b; x=; d ‹?*›"),
            ("x=a; case b in c) x=d;; *) e $x;; esac; f $x", "x=; x=; e ‹?*›; f ‹?*›"),
            ("x=a; while b; do c $x; x=d; done; e $x", "x=; b; c ‹?*›; x=; e ‹?*›"),
            ("x=a; for i in b c; do d $x; x=$i; done", "x=; i=; d ‹?*›; x="),
            ("x=a; x=$(b); c $x", "x=; x=; b; c ‹?*›"),
            ("x=a; read x; c $x", "x=; read x; x=; c ‹?*›"),
            ("x=a; unset x; c $x", "x=; unset x; x=; c ‹?*›"),
            ("x=a; sh -c 'b $x'", "x=; [sh -c b $x]; b ‹?*›"),
            ("x=a; f() { x=b; }; f; c $x", "x=; !Function; x=; f; c ‹?*›"),
            ("x=a; eval y; c $x", "x=; eval y; !Evaluates; y; c ‹?*›"),
            ("x=a; . f; c $x", "x=; . f; !Evaluates; c ‹?*›"),
            ("readonly x=a; x=b; c $x", "[readonly x=a]; x=; x=; c ‹?*›"),
            ("declare -u x=a; c $x", "[declare -u x=a]; x=; c ‹?*›"),
            ("x=a; x+=b; c $x", "x=; x=; c ‹?*›"),
            ("x=a; x[1]=b; c $x", "x=; x=; c ‹?*›"),
            ("x=a; x=(b c); d $x", "x=; x=; d ‹?*›"),
            ("IFS=a; x=bac; d $x \"$x\"", "IFS=; x=; d ‹?*› bac"),
            ("x=a; : ${x:=b}; c $x", "x=; : ‹?*›; x=; c ‹?*›"),
            ("PWD=a; b $PWD", "PWD=; b ‹?*›"),
            ("UID=a; b $UID", "UID=; !Arithmetic; b ‹?*›"),
            ("x='[a]'; b $x", "x=; b ‹?*›"),
        ],
    );
}

#[test]
fn loops_over_what_is_known() {
    check(
        Shell::Bash,
        &[
            ("for f in a b; do c $f; done", "f=; c a; c b"),
            ("for f in a b; do c $f; d; done", "f=; c a; c b; d"),
            ("for f in a b; do c $f; done; d $f", "f=; c a; c b; d ‹?*›"),
            (
                "for f in a b; do for g in c d; do e $f$g; done; done",
                "f=; g=; e ac; e ad; e bc; e bd",
            ),
            ("l='a b'; for f in $l; do c $f; done", "l=; f=; c a; c b"),
            ("for f in {1..3}; do c $f; done", "f=; c 1; c 2; c 3"),
            ("for f in 'a b' c; do d $f; done", "f=; d a b; d c"),
            ("for f in src/*.c; do c \"$f\" $f; done", "f=; c src/‹*›.c ‹?*›"),
            ("for f in *.c; do c \"$f\"; done", "f=; c ‹*›.c"),
            ("for f in a b; do f=c; d $f; done", "f=; f=; d c"),
            ("for f in $(a); do c $f; done", "f=; a; c ‹?*›"),
            ("for f in a $x; do c $f; done", "f=; c ‹?*›"),
            ("for f; do c $f; done", "f=; c ‹?*›"),
            ("select f in a b; do c $f; done", "f=; c ‹?*›"),
            ("while read f; do c $f; done", "read f; f=; c ‹?*›"),
        ],
    );
}

#[test]
fn sums_of_what_is_known_are_known() {
    check(
        Shell::Bash,
        &[
            ("a $((1+2*3)) $((2 - 5))", "a 7 -3"),
            ("i=3; a f$((i+1)) $(($i * 2)) \"$((${i}-1))\"", "i=; a f4 6 2"),
            ("i=-3; a $((i+1))", "i=; a -2"),
            ("for i in 10 20; do a $((i-4)),$((i+1)); done", "i=; a 6,11; a 16,21"),
            ("i=1; j=$((i+1)); a $j", "i=; j=; a 2"),
            // What could fail, and what is not known.
            ("i=08; a $((i+1))", "i=; a ‹?›"),
            ("i=-3; a $((5-$i))", "i=; a ‹?›"),
            ("i=; a $((i+1))", "i=; a ‹?›"),
            ("i=1; while a; do b $((i+1)); i=$((i+1)); done", "i=; a; b ‹?›; i="),
            ("a $((1/0)) $((08)) $((1 2))", "a ‹?› ‹?› ‹?›"),
            ("a $((999999999*999999999*999999999))", "a ‹?›"),
            ("IFS=1; a $((1)) \"$((1))\"", "IFS=; a ‹?*› 1"),
        ],
    );
}

#[test]
fn behind_arithmetic_that_may_fail_nothing_is_known() {
    check(
        Shell::Bash,
        &[
            ("x=rm; i=08; : $((i+1)); x=ls\n$x y", "x=; i=; : ‹?›; x=; ‹?*› y; !DynamicCommand"),
            ("x=rm; j=$((i+1)) x=ls\n$x y", "x=; j=; !Arithmetic; x=; ‹?*› y; !DynamicCommand"),
            ("x=a; i=1; j=$((i+1)); b $x $j", "x=; i=; j=; b a 2"),
        ],
    );
}

#[test]
fn what_expands_to_a_number_is_one_word() {
    check(
        Shell::Bash,
        &[
            ("a $? $$ $# $((1/1))", "a ‹?› ‹?› ‹?› ‹?›"),
            ("a $? $((1)); IFS=1", "a ‹?*› ‹?*›; IFS="),
            ("while b; do a $?; IFS=1; done", "b; a ‹?*›; IFS="),
            ("IFS=1; a $? $((1))", "IFS=; a ‹?*› ‹?*›"),
            ("i=1; while a; do b $i; i=$((i+1)); done", "i=; a; b ‹?›; i="),
        ],
    );
}
