//! Programs and builtins that run other commands.

use super::super::{Shell, analyze};
use super::{check, short};

#[test]
fn builtins() {
    check(
        Shell::Bash,
        &[
            ("eval 'rm x'", "eval rm x; !Evaluates; rm x"),
            ("eval rm x", "eval rm x; !Evaluates; rm x"),
            ("eval rm $x", "eval rm ‹?*›; !Evaluates; rm ‹?*›"),
            (r#"eval "$x""#, "eval ‹?›; !Evaluates"),
            (r#"eval "rm $x""#, "eval rm ‹?›; !Evaluates; rm ‹?*›"),
            ("source f", "source f; !Evaluates"),
            (". f", ". f; !Evaluates"),
            ("trap 'rm x' EXIT", "trap rm x EXIT; !Evaluates; rm x"),
            ("trap - EXIT", "trap - EXIT; !Evaluates"),
            ("alias ls='rm x'", "alias ls=rm x; !Evaluates; rm x"),
            ("unalias ls", "unalias ls; !Evaluates"),
            ("enable -n test", "enable -n test; !Evaluates"),
            ("hash -p /x ls", "hash -p /x ls; !Evaluates"),
            (r#"bind -x '"a": rm x'"#, r#"bind -x "a": rm x; !Evaluates"#),
            ("complete -C 'rm x' y", "complete -C rm x y; !Evaluates"),
            ("set -euo pipefail", "set -euo pipefail"),
            ("set -o posix", "set -o posix; !Evaluates@2"),
            ("set -- a b", "set -- a b"),
            ("shopt -s nullglob", "shopt -s nullglob"),
            ("shopt -s expand_aliases", "shopt -s expand_aliases; !Evaluates@2"),
            ("history", "history"),
            ("history -a f", "history -a f; !Evaluates"),
            ("jobs -x rm x", "jobs -x rm x; !RunsCode; rm x; x"),
            ("jobs", "jobs"),
            ("fc -s", "fc -s; !Evaluates"),
            (":", ":"),
            ("true", "true"),
            ("echo x", "echo x"),
            ("./eval x", "./eval x"),
            ("kill -9 1", "kill -9 1"),
        ],
    );
}

#[test]
fn searches() {
    check(
        Shell::Bash,
        &[
            ("find . -name '*.c'", "find . -name *.c"),
            (r"find . -exec rm {} \;", "find . -exec rm {} ;; rm .‹?›"),
            (
                "find . -exec rm {} + -exec ls x{}y ';'",
                "find . -exec rm {} + -exec ls x{}y ;; rm .‹?*›; ls x‹?›y",
            ),
            (r"find . -execdir rm {} \;", "find . -execdir rm {} ;; rm ‹?›"),
            (
                r"find . -ok rm {} \; -okdir ls {} \;",
                "find . -ok rm {} ; -okdir ls {} ;; rm .‹?›; ls ‹?›",
            ),
            (
                r#"find . -exec sh -c 'rm "$1"' _ {} \;"#,
                r#"find . -exec sh -c rm "$1" _ {} ;; [sh -c rm "$1" _ .‹?›]; rm ‹?›"#,
            ),
            (
                r"find . -exec sh -c 'rm {}' \;",
                "find . -exec sh -c rm {} ;; [sh -c rm ‹?›]; !DynamicScript; rm ‹?*›",
            ),
            (r"find . -exec {} \;", "find . -exec {} ;; .‹?›; !DynamicCommand"),
            ("find . -exec rm {}", "find . -exec rm {}; !NotUnderstood; rm {}"),
            (r"find . -exec \;", "find . -exec ;; !MissingCommand"),
            (
                "find . -exec sudo rm {} +",
                "find . -exec sudo rm {} +; [sudo rm .‹?*›]; !Privileged; rm .‹?*›",
            ),
            ("find . -name$x", "find . -name‹?*›"),
            (r#"find . "$x""#, "find . ‹?›"),
            ("find . -delete", "find . -delete; !Deletes@2"),
            ("find . -fprint f", "find . -fprint f; !Deletes@2"),
            ("find . -fprintf f %p", "find . -fprintf f %p; !Deletes@2"),
            ("find . -fls f", "find . -fls f; !Deletes@2"),
            ("xargs", "[xargs]; echo ‹?*›"),
            ("xargs rm", "[xargs rm]; rm ‹?*›"),
            ("xargs -0 -n1 -P 4 rm -f", "[xargs -0 -n1 -P 4 rm -f]; rm -f ‹?*›"),
            ("xargs -I{} mv {} /t/{}", "[xargs -I{} mv {} /t/{}]; mv ‹?› /t/‹?›"),
            ("xargs -i mv {} x", "[xargs -i mv {} x]; mv ‹?› x"),
            (
                "xargs -I % sh -c 'rm %'",
                "[xargs -I % sh -c rm %]; [sh -c rm ‹?›]; !DynamicScript; rm ‹?*›",
            ),
            ("xargs -J x rm", "[xargs -J x rm]; !UnknownOption; x rm; rm"),
            ("xargs -t touch echo", "[xargs -t touch echo]; touch echo ‹?*›"),
            ("xargs --max-args=1 rm", "[xargs --max-args=1 rm]; rm ‹?*›"),
            ("xargs --max rm", "[xargs --max rm]; !UnknownOption; rm"),
            ("xargs -I{} {} x", "[xargs -I{} {} x]; ‹?› x; !DynamicCommand"),
            (
                r#"xargs sh -c 'rm "$@"' _"#,
                r#"[xargs sh -c rm "$@" _]; [sh -c rm "$@" _ ‹?*›]; rm ‹?*›"#,
            ),
            ("xargs -a f rm", "[xargs -a f rm]; rm ‹?*›"),
            ("xargs env A=1 rm", "[xargs env A=1 rm]; [env A=1 rm ‹?*›]; rm ‹?*›; A="),
            ("xargs $x rm", "[xargs ‹?*› rm]; !MayBeOption; rm"),
        ],
    );
}

#[test]
fn shells() {
    check(
        Shell::Bash,
        &[
            ("sh -c 'ls; rm x'", "[sh -c ls; rm x]; ls; rm x"),
            ("bash -c 'ls; rm x' _ y", "[bash -c ls; rm x _ y]; ls; rm x"),
            ("bash -euo pipefail -c 'rm x'", "[bash -euo pipefail -c rm x]; rm x"),
            ("bash -lc 'rm x'", "[bash -lc rm x]; rm x"),
            ("bash -c -- 'rm x'", "[bash -c -- rm x]; rm x"),
            ("bash -e -u -c 'rm x'", "[bash -e -u -c rm x]; rm x"),
            ("bash -ce 'rm x'", "[bash -ce rm x]; rm x"),
            (r#"sh -c "$x""#, "[sh -c ‹?›]; !DynamicScript"),
            (r#"sh -c "rm $x""#, "[sh -c rm ‹?›]; !DynamicScript; rm ‹?*›"),
            ("sh -c", "[sh -c]; !MissingCommand"),
            ("sh x.sh", "sh x.sh; !ScriptFile@1"),
            ("bash ./x.sh a", "bash ./x.sh a; !ScriptFile@1"),
            ("bash", "bash; !ShellInput"),
            ("bash -s < f", "bash -s; !ShellInput; <f"),
            ("bash -i", "bash -i; !ShellInput"),
            ("bash -ic 'rm x'", "[bash -ic rm x]; !ShellInput; rm x"),
            ("bash --rcfile f -c 'rm x'", "[bash --rcfile f -c rm x]; !ShellInput; rm x"),
            ("bash --norc -c 'rm x'", "[bash --norc -c rm x]; rm x"),
            ("bash -O extglob -c 'rm x'", "[bash -O extglob -c rm x]; !UnknownOption; rm x"),
            ("bash --bad -c 'rm x'", "[bash --bad -c rm x]; !UnknownOption; rm x"),
            ("bash $x -c 'rm x'", "bash ‹?*› -c rm x; !MayBeOption; rm x"),
            ("bash -o $x -c 'rm x'", "[bash -o ‹?*› -c rm x]; !UnknownOption; rm x"),
            ("zsh -c 'rm x'", "[zsh -c rm x]; rm x"),
            ("zsh -c 'rm $x'", "[zsh -c rm $x]; rm ‹?*›; !OtherShell"),
            ("ksh -c 'rm x'", "[ksh -c rm x]; rm x"),
            ("fish -c 'rm x'", "[fish -c rm x]; !OtherShell; rm x"),
            (
                r#"sh -c "a $'b\\'; rm x #'""#,
                r"[sh -c a $'b\'; rm x #']; a b'; rm x #; a $b\; rm x",
            ),
            ("a | sh", "a; sh; !ShellInput"),
            ("curl x | bash -s -- y", "curl x; bash -s -- y; !ShellInput"),
            (r#"sh -c 'sh -c "rm x"'"#, r#"[sh -c sh -c "rm x"]; [sh -c rm x]; rm x"#),
            ("./sh -c 'rm x'", "./sh -c rm x; rm x"),
            (r#"bash -c "$(curl x)""#, "[bash -c ‹?›]; !DynamicScript; curl x"),
            ("bash <(curl x)", "bash ‹?›; !MayBeOption; curl x"),
        ],
    );
}

#[test]
fn a_script_knows_the_words_that_it_is_given() {
    let table = [
        ("'rm \"$1\" $0' x y", "rm y x"),
        ("'rm ${1} ${10}' a b", "rm b ‹?*›"),
        ("'rm \"$@\"' x y z", "rm y z"),
        ("'rm $@' x 'y z'", "rm ‹?*›"),
        ("'rm $1' x 'y z'", "rm y z"),
        ("'rm \"$1\"' x 'y z'", "rm y z"),
        ("'rm \"$1\"' x ~/y", "rm ‹~›/y"),
        ("'rm \"$2\"' x y", "rm ‹?›"),
        ("'rm \"$1\"' x *", "rm ‹?›"),
        ("'rm \"$1\"' $x y", "rm ‹?›"),
        ("'rm \"$0\" \"$1\"' \"$x\" y", "rm ‹?› y"),
        ("'shift; rm \"$1\"' x y", "shift; rm ‹?›"),
        ("'set -e; rm \"$1\"' x y", "set -e; rm y"),
        ("'set -eo pipefail; rm \"$1\"' x y", "set -eo pipefail; rm y"),
        ("'set -o pipefail z; rm \"$1\"' x y", "set -o pipefail z; rm ‹?›"),
        ("'set errexit; rm \"$1\"' x y", "set errexit; rm ‹?›"),
        ("'set -e verbose; rm \"$1\"' x y", "set -e verbose; rm ‹?›"),
        ("'set -e -; rm \"$1\"' x y", "set -e -; rm ‹?›"),
        ("'set -- z; rm \"$1\"' x y", "set -- z; rm ‹?›"),
        ("'(set z); rm \"$1\"' x y", "set z; rm ‹?›"),
        ("'while a; do rm \"$1\"; shift; done' x y", "a; rm ‹?›; shift"),
        ("'sh -c \"rm \\$1\"' x y", "[sh -c rm $1]; rm ‹?*›"),
    ];
    for (words, expected) in table {
        let line = format!("sh -c {words}");
        let summary = short(&analyze(&line, Shell::Bash));
        let (_, inside) = summary.split_once("]; ").unwrap();
        assert_eq!(inside, expected, "{line}");
    }
}

#[test]
fn wrappers() {
    check(
        Shell::Bash,
        &[
            ("env A=1 rm x", "[env A=1 rm x]; A=; rm x"),
            ("env -i -u B -C /d A=1 rm x", "[env -i -u B -C /d A=1 rm x]; B=; A=; rm x"),
            ("env - A=1 rm x", "[env - A=1 rm x]; A=; rm x"),
            ("env", "[env]; !ShowsSecrets"),
            ("env A=1", "[env A=1]; !ShowsSecrets; A="),
            ("env 1-A=b rm x", "[env 1-A=b rm x]; 1-A=; rm x"),
            (r#"env -S "rm x" y"#, "[env -S rm x y]; [env rm x y]; rm x y"),
            ("env -S 'A=1 rm x'", "[env -S A=1 rm x]; [env A=1 rm x]; A=; rm x"),
            (r#"env -S 'rm "$x"' y"#, r#"[env -S rm "$x" y]; !DynamicScript; rm ‹?›"#),
            ("env --split-string='rm x'", "[env --split-string=rm x]; [env rm x]; rm x"),
            ("env -x rm x", "[env -x rm x]; !UnknownOption; rm x; x"),
            ("env --unset=A rm x", "[env --unset=A rm x]; A=; rm x"),
            ("env --uns=A rm x", "[env --uns=A rm x]; !UnknownOption; rm x; x"),
            ("env $x rm y", "[env ‹?*› rm y]; !MayBeOption; rm y; y"),
            ("env A=$x rm y", "[env A=‹?*› rm y]; !MayBeOption; rm y; y"),
            (r#"env "A=$x" rm y"#, "[env A=‹?› rm y]; A=; rm y"),
            ("env -- rm x", "[env -- rm x]; rm x"),
            ("/usr/bin/env rm x", "[/usr/bin/env rm x]; rm x"),
            ("./env rm x", "./env rm x; rm x"),
            ("nice rm x", "[nice rm x]; rm x"),
            ("nice -n 5 rm x", "[nice -n 5 rm x]; rm x"),
            ("nice -n5 rm x", "[nice -n5 rm x]; rm x"),
            ("nice -5 rm x", "[nice -5 rm x]; rm x"),
            ("nice --adjustment=5 rm x", "[nice --adjustment=5 rm x]; rm x"),
            ("nice $x rm", "[nice ‹?*› rm]; !MayBeOption; rm"),
            ("nohup rm x", "[nohup rm x]; rm x"),
            ("timeout 5 rm x", "[timeout 5 rm x]; rm x"),
            ("timeout -s KILL -k 1 5 rm x", "[timeout -s KILL -k 1 5 rm x]; rm x"),
            (
                "timeout --signal=KILL --foreground 5 rm x",
                "[timeout --signal=KILL --foreground 5 rm x]; rm x",
            ),
            ("timeout 5", "[timeout 5]; !MissingCommand"),
            ("timeout $x rm y", "[timeout ‹?*› rm y]; !MayBeOption; rm y; y"),
            (r#"timeout "$x" rm y"#, "[timeout ‹?› rm y]; !MayBeOption; rm y; y"),
            ("timeout --bad 5 rm y", "[timeout --bad 5 rm y]; !UnknownOption; rm y; y"),
            ("stdbuf -oL -e 0 rm x", "[stdbuf -oL -e 0 rm x]; rm x"),
            ("setsid -f rm x", "[setsid -f rm x]; rm x"),
            ("ionice -c 2 -n 7 rm x", "[ionice -c 2 -n 7 rm x]; rm x"),
            ("ionice -p 1", "[ionice -p 1]; !UnknownOption"),
            ("chrt -f 5 rm x", "[chrt -f 5 rm x]; rm x"),
            ("taskset -c 0-3 rm x", "[taskset -c 0-3 rm x]; rm x"),
            ("flock -n /tmp/l rm x", "[flock -n /tmp/l rm x]; !RunsCode; rm x"),
            ("flock /tmp/l -c 'rm x'", "[flock /tmp/l -c rm x]; !RunsCode; rm x"),
            ("command rm x", "[command rm x]; rm x"),
            ("command -p rm x", "[command -p rm x]; rm x"),
            ("command -v rm", "command -v rm"),
            ("git-push -f o", "git-push -f o; [git push -f o]"),
            ("/usr/lib/git-core/git-push", "/usr/lib/git-core/git-push; [git push]"),
            ("env git-push", "[env git-push]; git-push; [git push]"),
            ("builtin cd /x", "[builtin cd /x]; cd /x"),
            ("exec rm x", "[exec rm x]; rm x"),
            ("exec -a ls rm x", "[exec -a ls rm x]; !RunsCode; rm x"),
            ("exec", "[exec]; !MissingCommand"),
            ("sudo rm x", "[sudo rm x]; !Privileged; rm x"),
            ("sudo -u bob -E rm x", "[sudo -u bob -E rm x]; !Privileged; rm x"),
            ("sudo -i", "[sudo -i]; !Privileged; !MissingCommand"),
            ("sudo A=1 rm x", "[sudo A=1 rm x]; !Privileged; A=; rm x"),
            ("doas -u bob rm x", "[doas -u bob rm x]; !Privileged; rm x"),
            ("su -c 'rm x' bob", "[su -c rm x bob]; !Privileged; rm x"),
            ("su bob", "[su bob]; !Privileged"),
            ("busybox rm x", "[busybox rm x]; rm x"),
            ("busybox sh -c 'rm x'", "[busybox sh -c rm x]; [sh -c rm x]; rm x"),
            ("chroot /x rm y", "[chroot /x rm y]; !Elsewhere; rm y"),
            ("unshare -r rm x", "[unshare -r rm x]; !Elsewhere; rm x"),
            ("watch -n 1 'rm x'", "!RunsCode; [watch -n 1 rm x]; rm x"),
            ("watch -x rm x", "!RunsCode; [watch -x rm x]; rm x"),
            ("parallel rm ::: a b", "parallel rm ::: a b; rm ::: a b; a b"),
            ("strace -f rm x", "strace -f rm x; rm x; x"),
            ("ssh host", "ssh host"),
            ("ssh host rm x", "ssh host rm x; rm x"),
            ("ssh -p 22 host 'a; rm x'", "ssh -p 22 host a; rm x; a; rm x"),
            (
                "nice timeout 5 env A=1 nohup rm x",
                "[nice timeout 5 env A=1 nohup rm x]; [timeout 5 env A=1 nohup rm x]; [env A=1 nohup rm x]; A=; [nohup rm x]; rm x",
            ),
            ("time -f %e rm x", "!UnknownOption; -f %e rm x"),
            ("a | time -o f rm x", "a; [time -o f rm x]; rm x"),
        ],
    );
}
