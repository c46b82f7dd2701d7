//! Lists, compound commands, redirections, here-documents, and other shells than bash.

use super::super::Shell;
use super::check;

#[test]
fn dash() {
    check(
        Shell::Posix,
        &[
            ("a <<E\n$(b)\nE\nc", "a; b; c"),
            ("((rm x))", "rm x"),
            (r"a $'b\'; rm x #'", r"a $b\; rm x"),
            (r#"echo "${x:-'}"; rm y; echo "'}""#, "echo ‹?›; !NotUnderstood; rm y; echo '}"),
            ("a &> f", "a; >f"),
            ("a >& f", "a"),
            ("A+=1 b", "A+=1 b"),
            ("A[1]=2 b", "A‹[1]›=2 b; !DynamicCommand"),
            ("A=(b) c", "A=; !NotUnderstood; b; c"),
            ("[[ a ]]", "[[ a ]]"),
            ("time rm x", "[time rm x]; rm x"),
            ("function f", "function f"),
            ("select x in a", "select x in a"),
            ("coproc a", "coproc a"),
            ("a {b,c}", "a {b,c}"),
            ("a <(b)", "a ‹?*›; !NotUnderstood; b"),
            ("a <<< b", "a ‹?*›; !NotUnderstood"),
            ("a $[1]", "a $‹[1]›"),
            (r#"a $"b""#, "a $b"),
            ("a |& b", "a; !NotUnderstood; b"),
            ("a {fd}>f", "a {fd}; >f"),
            ("a $((b) ; (c))", "a ‹?*›; !NotUnderstood; b; c"),
            ("case x in y) a;& esac", "a; !NotUnderstood"),
            ("for ((;;)) do a; done", "!NotUnderstood"),
            ("a=~/x b", "a=; b"),
            ("a b=~/x", "a b=‹?›/x"),
            (r#"a ~/x *.c "$b" $HOME"#, "a ‹~›/x ‹*›.c ‹?› ‹~›"),
            ("export A=$x", "[export A=‹?*›]; !DynamicScript; A="),
        ],
    );
}

#[test]
fn here_documents() {
    check(
        Shell::Bash,
        &[
            ("a <<E\nrm x\nE", "a"),
            ("a <<E\n$(rm x) `ls`\nE\nb", "a; rm x; ls; b"),
            ("a <<'E'\n$(rm x)\nE\nb", "a; b"),
            ("a <<\"E\"\n$(rm x)\nE\nb", "a; b"),
            ("a <<\\E\n$(rm x)\nE", "a"),
            ("a <<E\"O\"F\n$(rm x)\nEOF\nb", "a; b"),
            ("a <<-E\n\t$(b)\n\tE\nc", "a; b; c"),
            ("a <<-E\n\tx\n E\nrm x\nE", "a"),
            ("a <<E\nx\nE \nrm x\nE", "a"),
            ("a <<E; b\nx\nE\nc", "a; b; c"),
            ("a <<E | b\nx\nE", "a; b"),
            ("a <<E <<F\n$(b)\nE\n$(c)\nF\nd", "a; b; c; d"),
            ("a <<E\nrm x", "a; !HereDocument"),
            ("a <<E\nx\n\\\nE\nrm x", "a; !HereDocument; rm x"),
            ("a <<EF\nx\nE\\\nF\nrm x\nEF", "a; !HereDocument; rm x; EF"),
            ("a <<E\nx\\\nE\nb\nE\nc", "a; c"),
            ("a <<''\nrm x\n\nb", "a; b"),
            ("a <<$x\nrm\n$x\nb", "a; !HereDocument; b"),
            ("git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"", "git commit -m ‹?›; cat"),
            (
                "git commit -m \"$(cat <<'EOF'\nx\nEOF rm -rf build)\" y",
                "git commit -m ‹?› y; cat; !HereDocument; !HereDocument; rm -rf build",
            ),
            (
                "git commit -m \"$(cat <<'EOF'\nx\nEOFrm x)\"",
                "git commit -m ‹?›; cat; !HereDocument; rm x; !HereDocument",
            ),
            ("a $(cat <<E)\nrm x\nE", "a ‹?*›; cat; !HereDocument"),
            ("a <<E $(b\nc)\nx\nE", "a ‹?*›; b; !HereDocument; c"),
            ("(a <<E)\nx\nE\nb", "a; b"),
            ("a `cat <<E\n$(b)\nE\n` c", "a ‹?*› c; cat; b"),
            ("a <<E\n\"$(b)\" '$(c)' \\$(d) \\\\$(e)\nE", "a; b; c; e"),
            ("a <<E\n${x:-$(b)} $((1)) $y\nE", "a; b"),
            ("a <<E\n$(b\nE", "a; !HereDocument; b"),
            ("if a <<E; then\nx\nE\nb; fi", "a; b"),
        ],
    );
}

#[test]
fn lists() {
    check(
        Shell::Bash,
        &[
            ("git status -s", "git status -s"),
            ("ls; rm x", "ls; rm x"),
            ("ls;rm x&git status", "ls; rm x; git status"),
            ("a && b || c", "a; b; c"),
            ("a | b |& c", "a; b; c"),
            ("a\nb", "a; b"),
            ("a # rm x", "a"),
            ("a #\nrm x", "a; rm x"),
            ("a#b", "a#b"),
            ("! a | b", "a; b"),
            ("time a | b", "a; b"),
            ("time -p a", "a"),
            ("! time ! a", "a"),
            ("( a; { b; } ) > f", "a; b; >f"),
            ("{ a; b; }", "a; b"),
            ("{ { a; }; }", "a"),
            ("{a; }", "{a; !NotUnderstood"),
            ("if a; then b; elif c; then d; else e; fi", "a; b; c; d; e"),
            ("while a; do b; done", "a; b"),
            ("until a; do b; done < f", "a; b; <f"),
            ("for i in a $(b) c; do d; done", "i=; b; d"),
            ("for i; do a; done", "i=; a"),
            ("for i in a b\ndo c\ndone", "i=; c"),
            ("for ((i = 0; i < 3; i++)); do a; done", "i=; i=; a"),
            ("for i in a; { b; }", "i=; b"),
            ("select i in a; do b; done", "i=; b"),
            ("case $(a) in b) c;; (d|e) f;& g) h;;& *) i; esac", "a; c; f; h; i"),
            ("case a in esac", "!Nothing"),
            ("f() { rm x; }; f", "!Function; rm x; f"),
            ("f () ( rm x )", "!Function; rm x"),
            ("function f { rm x; }", "!Function; rm x"),
            ("function f () { rm x; }", "!Function; rm x"),
            ("coproc a b", "!NotUnderstood; a b"),
            ("coproc X { a; }", "!NotUnderstood; X=; a"),
            ("coproc a { b; }", "!NotUnderstood; a=; b"),
            ("i\\\nf a; then b; fi", "a; b"),
            ("a &\\\n& b", "a; b"),
            ("if a; then b", "a; b; !NotUnderstood"),
            ("a; fi", "a; !NotUnderstood"),
            ("a )", "a; !NotUnderstood"),
            ("a ( b )", "a ‹?*›; !NotUnderstood"),
            ("a;;b", "a; !NotUnderstood; b"),
            ("a; if\nrm x", "a; rm x; !NotUnderstood"),
            ("(a) b; rm x", "a; !NotUnderstood; rm x"),
            ("for 1 in a; do b; done", "1=; b"),
            ("do a; done", "!NotUnderstood"),
            (">f", ">f"),
            ("[[ -f x ]]", "!Nothing"),
            ("(( 1 ))", "!Nothing"),
            ("((a); b)", "a; b"),
            ("( (a) )", "a"),
            ("((a) ; (b))", "a; b"),
            ("!(a)", "a"),
        ],
    );
}

#[test]
fn redirections() {
    check(
        Shell::Bash,
        &[
            ("a > f", "a; >f"),
            ("a >f 2>&1 >>g >|h", "a; >f; >g; >h"),
            ("a < f <> g", "a; <f; <g; >g"),
            ("a &> f &>> g", "a; >f; >g"),
            ("a >& f", "a; >f"),
            ("a >&2 2>&- 3>&4- <&0", "a"),
            (r#"a > $x "$y""#, "a ‹?›; >‹?*›"),
            ("a > ~/f", "a; >‹~›/f"),
            ("a > {b,c}", "a; >‹?*›"),
            ("> f a", ">f; a"),
            ("2> f a b", ">f; a b"),
            ("a b>c", "a b; >c"),
            ("a 2>f", "a; >f"),
            ("a 22>f", "a; >f"),
            ("a x2>f", "a x2; >f"),
            ("a > f*", "a; >f‹*›"),
            (r#"a <<< "$(b)""#, "a; b"),
            ("a > >(b) < <(c)", "a; >‹?›; b; c"),
            ("a < /dev/tcp/h/80", "a; !Network; </dev/tcp/h/80"),
            ("a > /dev/udp/h/80", "a; !Network; >/dev/udp/h/80"),
            ("a >", "a ‹?*›; !NotUnderstood"),
            ("a > > b", "a ‹?*›; !NotUnderstood"),
            ("a >&$x", "a; >‹?*›"),
            ("if a; then b; fi > f < g", "a; b; >f; <g"),
            ("(a) 2> f", "a; >f"),
            ("{ a; } &> f", "a; >f"),
            ("a $(b > f)", "a ‹?*›; b; >f"),
            ("a>f;rm x", "a; >f; rm x"),
            ("a >$(b)", "a; >‹?*›; b"),
        ],
    );
}

#[test]
fn sh() {
    check(
        Shell::Sh,
        &[
            ("git status", "git status"),
            (r"a $'b\'; rm x #'", r"a b'; rm x #; a $b\; rm x"),
            ("((rm x))", "!Arithmetic; rm x; !Arithmetic"),
            ("a {b,c}", "a b c; a {b,c}"),
            ("a && b | c", "a; b; c"),
            ("ls &> f", "ls; >f; >f"),
        ],
    );
}

#[test]
fn zsh() {
    check(
        Shell::Zsh,
        &[
            ("git status -s && ls 'a b'", "git status -s; ls a b"),
            ("a $x", "a ‹?*›; !OtherShell"),
            ("a *.c", "a ‹*›.c; !OtherShell"),
            ("a > f", "a; !OtherShell; >f"),
            ("noglob a", "noglob a; !OtherShell"),
            ("=ls", "=ls; !OtherShell"),
            ("(a)", "!OtherShell; a"),
            ("a;; b", "a; !OtherShell; !NotUnderstood; b"),
        ],
    );
}
