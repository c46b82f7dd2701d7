//! Variables that reach a program which may take them for code, or for a path of its own.

use super::*;

const RULES: &str = r#"
[[rule]]
effect = "allow"
commands = ["make", "npm", "cargo", "./x.sh", "task", "ls", "cat", "echo", "read", "export", "unknown-tool", "bash x.sh",
  ":", "unset", "set", "shift", "times", "trap", "readonly", "break", "continue", "exit", "return"]
[[rule]]
effect = "allow"
env = ["*"]
"#;

#[test]
fn a_variable_with_code_in_it_does_not_reach_make() {
    runs(
        RULES,
        &[
            ("allow", "make test"),
            ("allow", "CI=1 make test"),
            ("allow", "CI= make test"),
            ("allow", "NODE_ENV=production npm test"),
            ("allow", "LC_ALL=en_US.UTF-8 make test"),
            ("allow", "env CI=1 timeout 5 make test"),
            ("allow", "export CI=1; make test"),
            ("ask", "CI='$(shell touch x)' make test"),
            ("ask", "CI='x; touch y' npm test"),
            ("ask", "CI=/tmp/x make build"),
            ("ask", "CI=a:b make build"),
            ("ask", "CI=a,b make build"),
            ("ask", "CI=-x make build"),
            ("ask", "CI=.. make build"),
            ("ask", "CI=$x make build"),
            ("ask", "CI=\"$(ls)\" make build"),
            ("ask", "CI+='$(x)' make build"),
            ("ask", "CI=1 NODE_ENV='$(x)' make build"),
            ("ask", "CI='$(x)' task build"),
            ("ask", "CI='$(x)' ./x.sh"),
            ("ask", "CI='$(x)' unknown-tool"),
            ("ask", "CI='$(x)' bash x.sh"),
            ("allow", "CI=1 bash x.sh"),
            ("ask", "env CI='$(x)' make test"),
            ("ask", "env -u A CI='$(x)' make test"),
            ("ask", "timeout 5 env CI=a/b make test"),
            ("ask", "CI='$(x)' timeout 5 make test"),
            ("ask", "CI='$(x)' sh -c 'ls; make test'"),
            ("ask", "ls | CI='$(x)' xargs make test"),
            ("ask", "export CI='$(x)'; make test"),
            ("ask", "export CI; CI='$(x)'; make test"),
            ("ask", "CI='$(x)'; make test"),
            ("ask", "while ls; do make test; CI='$(x)'; done"),
            ("ask", "for CI in 1 '$(x)'; do make test; done"),
            ("ask", "read CI; make test"),
            ("ask", ": ${CI:=a/b}; make test"),
        ],
    );
}

#[test]
fn a_name_of_everyday_reaches_no_program_that_may_have_it_too() {
    runs(
        RULES,
        &[
            ("allow", "out=x; make test"),
            ("allow", "for f in a b; do make test; done"),
            ("allow", "for dir in src tests; do ls \"$dir\"; done; make test"),
            ("allow", "dir=src ls"),
            ("ask", "out=x make build"),
            ("ask", "A=1 make build"),
            ("ask", "DIR=x npm test"),
            ("ask", "src=x cargo test"),
            ("ask", "name='x; touch y' make test"),
            ("ask", "src=/ ./x.sh"),
            ("ask", "env out=x make build"),
            ("ask", "export out=x; make build"),
            ("ask", "out=x; export out; make build"),
            ("ask", "for out in a b; do export out; make build; done"),
            ("ask", "out='$(touch x)' :; make test"),
            ("allow", ":; make test"),
            ("ask", "sh -c \"out='x' :; make test\""),
            ("ask", "out='$(touch x)' unset q; make test"),
            ("ask", "out='$(touch x)' set -e; make test"),
            ("ask", "out='$(touch x)' times; make test"),
            ("ask", "out='$(touch x)' readonly q; make test"),
            ("ask", "while :; do out=x break; done; make test"),
            ("ask", "out=x export q; make test"),
            ("ask", "bash --posix -c \"out='x' :; make test\""),
            ("ask", "bash -o posix -c 'make test'"),
            ("ask", "bash -o allexport -c 'out=x; make test'"),
            ("ask", "sh -o allexport -c 'out=x; make test'"),
            ("allow", "out=x echo a; make test"),
        ],
    );
}

#[test]
fn what_a_table_says_to_take_settings_is_handed_no_code_and_no_path() {
    runs(
        RULES,
        &[
            ("allow", "DEBUG='app:*' cargo test"),
            ("allow", "RUST_LOG=debug,hyper::proto=warn cargo test"),
            ("allow", "DATABASE_URL=postgres://me@localhost:5432/test cargo test"),
            ("allow", "export DEBUG='app:*'; cargo test; ls"),
            ("allow", "for CI in a:b c; do cargo test; done"),
            ("allow", "x='$(x)' ls"),
            ("allow", "TZ=Europe/Berlin ls"),
            ("allow", "LC_TIME=C ls"),
            ("allow", "BLOCK_SIZE=1 ls"),
            ("ask", "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=./x.sh' cat a.tar"),
            ("ask", "RSYNC_RSH=./x.sh ls"),
            ("ask", "DEBUG='$(x)' ls"),
            ("ask", "DEBUG='$(touch x)' cargo test"),
            ("ask", "DEBUG='`touch x`' cargo test"),
            ("ask", "DEBUG='a b' cargo test"),
            ("ask", "DEBUG=../x cargo test"),
            ("ask", "DEBUG=/tmp/x cargo test"),
            ("ask", "DEBUG=-x=y cargo test"),
            ("ask", "DEBUG=$x cargo test"),
            ("ask", "export DEBUG='$(x)'; cargo test"),
            ("ask", "for CI in a:b '$(x)'; do cargo test; done"),
            ("ask", "DEBUG='app:*' make test"),
            ("ask", "DEBUG='app:*' npm test"),
            ("ask", "DEBUG='app:*' ./cargo test"),
        ],
    );
}

#[test]
fn the_variables_of_the_tool_count_like_those_of_the_line() {
    calls(
        RULES,
        &[
            ("allow", "execute", r#"{"command":"make test","env":{"CI":"1"}}"#),
            ("allow", "execute", r#"{"command":"make test","env":{"CI":true,"PORT":3000}}"#),
            ("allow", "execute", r#"{"command":"ls","env":{"out":"/tmp/x"}}"#),
            ("ask", "execute", r#"{"command":"make test","env":{"CI":"$(shell touch x)"}}"#),
            ("ask", "execute", r#"{"command":"ls; make test","env":{"CI":"a/b"}}"#),
            ("ask", "execute", r#"{"command":"make test","env":{"CI":["x"]}}"#),
            ("ask", "execute", r#"{"command":"make test","env":{"out":"x"}}"#),
            ("ask", "execute", r#"{"command":"bash x.sh","env":{"CI":"a b"}}"#),
            ("ask", "execute", r#"{"command":["make","test"],"env":{"CI":"a/b"}}"#),
        ][..],
    );
}

#[test]
fn a_plain_word_is_a_path_where_nobody_knows_what_the_name_is_for() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["pip", "make", "npm", "cargo", "pytest", "ls", "cat", "git log", "bash -c", "echo", "timeout"]
[[rule]]
effect = "allow"
env = ["*", "PIP_PYTHON", "CC", "OPTARG"]
"#;
    runs(
        rules,
        &[
            ("ask", "PIP_PYTHON=evil pip list"),
            ("ask", "CC=evil make"),
            ("ask", "npm_config_script_shell=x npm test"),
            ("ask", "RUSTC_WRAPPER=evil cargo build"),
            ("ask", "PYTHONPATH=evil pytest"),
            ("ask", "GIT_EXTERNAL_DIFF=evil git log -p --ext-diff"),
            ("ask", "GIT_PAGER=evil git log"),
            ("ask", "NO_SUCH_NAME=1 pytest"),
            ("ask", "NO_SUCH_NAME= pytest"),
            // The loader of the system reads these for each program, and a folder needs no slash.
            ("ask", "LD_LIBRARY_PATH=lib ls"),
            ("ask", "PATH=evil ls"),
            ("ask", "PATH= cat x"),
            ("ask", "LD_LIBRARY_PATH=lib timeout 5 echo x"),
            ("ask", "env LD_LIBRARY_PATH=lib echo x"),
            ("ask", "BASH_ENV=evil bash -c 'echo x'"),
            ("ask", "export PATH=evil; ls"),
            ("ask", "PATH=evil; ls"),
            // A builtin is the shell itself.
            ("allow", "TOTAL=1; echo $TOTAL"),
            ("allow", "CI=1 pytest"),
            ("allow", "DATABASE_URL=postgres://me@localhost:5432/test pytest"),
            ("allow", "LOG_LEVEL=debug cargo build"),
            ("allow", "LC_ALL=C ls"),
        ],
    );
    calls(
        rules,
        &[
            ("ask", "execute", r#"{"command":"pip list","env":{"PIP_PYTHON":"evil"}}"#),
            ("ask", "execute", r#"{"command":"ls","env":{"PATH":"evil"}}"#),
            ("ask", "execute", r#"{"command":"echo x","env":{"BASH_ENV":"evil"}}"#),
            ("ask", "execute", r#"{"command":["echo","x"],"env":{"LD_LIBRARY_PATH":"lib"}}"#),
            ("allow", "execute", r#"{"command":"pytest","env":{"CI":"1"}}"#),
        ][..],
    );
}

#[test]
fn what_the_shell_sets_on_its_way_is_handed_on_like_an_assignment() {
    let rules = r#"
[[rule]]
effect = "allow"
commands = ["make", "let", "export", "getopts", "echo", ":", "true"]
[[rule]]
effect = "allow"
env = ["*"]
"#;
    runs(
        rules,
        &[
            ("ask", "let CI=-1; make"),
            ("ask", "let 'CI=-1'; make"),
            ("ask", "let CI--; make"),
            ("ask", ": $((CI=-1)); make"),
            ("ask", "((CI=-1)); make"),
            ("ask", ": ${x:CI=-1}; make"),
            ("ask", "CI=1; a[CI=-1]=2; make"),
            ("ask", "export OPTARG; getopts a: i -a '$(x)'; make"),
            ("ask", "getopts a: i -a '$(x)'; export OPTARG; make"),
            ("ask", "export OPTARG=x; make"),
            ("ask", "OPTARG=x make"),
            ("ask", "export REPLY; select i in a b; do make; done"),
            ("allow", "getopts a: i -a x; make"),
            ("allow", "let i=1; make"),
            ("allow", "i=0; let i++; ((i--)); make"),
        ],
    );
}

#[test]
fn a_variable_that_is_taken_away_may_have_kept_a_program_from_something() {
    runs(
        RULES,
        &[
            ("ask", "unset PATH; make test"),
            ("ask", "unset -v PATH && make test"),
            ("ask", "unset PATH; ls"),
            ("ask", "unset A PATH; ls"),
            ("ask", "env -u PATH make test"),
            ("ask", "env --unset=PATH make test"),
            ("ask", "env -u PATH ls"),
            ("ask", "timeout 5 env -u PATH make test"),
            ("ask", "PATH=; make test"),
            ("ask", "(unset PATH; make test)"),
            ("ask", "make() { local PATH; ls; }; make"),
            ("ask", "export -n PATH; make test"),
            ("ask", "unset npm_config_ignore_scripts; npm test"),
            ("ask", "env -u npm_config_ignore_scripts npm test"),
            ("allow", "unset npm_config_ignore_scripts; ls"),
            ("allow", "env -u npm_config_ignore_scripts ls"),
            ("allow", "unset CI; make test"),
            ("allow", "env -u CI make test"),
            ("allow", "unset x FILES; make test"),
            ("allow", "unset NODE_ENV LC_ALL; npm test"),
        ],
    );
}

const BUILDS: &str = r#"
[[rule]]
effect = "allow"
commands = ["make", "gmake", "bmake", "rake", "just", "task", "scons", "set", "find", "xargs", "dd"]
writes = ["${project}/**"]
[[rule]]
effect = "allow"
env = ["*"]
"#;

#[test]
fn a_word_may_turn_out_to_be_a_variable_of_the_program() {
    runs(
        BUILDS,
        &[
            ("allow", "make build"),
            ("allow", "make -j4 test-all"),
            ("allow", "for t in a b; do make \"$t\"; done"),
            ("allow", "make {build,test}"),
            ("allow", "make ~/x"),
            ("ask", "make CC=x"),
            ("ask", "make CC=*"),
            ("ask", "make C*"),
            ("ask", "make [C]*"),
            ("ask", "make {C,D}*"),
            ("ask", "make src/*"),
            ("ask", "make test C?"),
            ("ask", "gmake C*"),
            ("ask", "bmake C*"),
            ("ask", "for f in C*; do make \"$f\"; done"),
            ("ask", "x=C*; make $x"),
            ("ask", "set -- C*; make \"$@\""),
            ("ask", "make \"test-$x\""),
            ("ask", "find . -name 'C*' -exec make {} +"),
            ("ask", "ls | xargs make"),
            ("ask", "timeout 5 make C*"),
            ("ask", "sh -c 'make C*'"),
        ],
    );
}

#[test]
fn a_variable_of_a_runner_of_tasks_is_one() {
    let mut rows = Vec::new();
    let lines: Vec<String> = ["rake", "just", "task", "scons"]
        .iter()
        .flat_map(|program| {
            ["PATH=.:/usr/bin", "RUBYOPT=-r./evil", "CC=x", "build CC=x", "C*", "build \"$x\""]
                .map(|words| format!("{program} {words}"))
        })
        .collect();
    rows.extend(lines.iter().map(|line| ("ask", line.as_str())));
    rows.extend([
        ("allow", "rake build"),
        ("allow", "just test"),
        ("allow", "task a b"),
        ("allow", "scons -j4 all"),
    ]);
    runs(BUILDS, &rows);
}

#[test]
fn an_operand_of_dd_that_a_pattern_finds_may_name_any_file() {
    let rules = format!("{BUILDS}[[rule]]\neffect = 'deny'\nreads = ['**/.env']\n");
    runs(
        &rules,
        &[
            ("deny", "dd if=.env of=x"),
            ("allow", "dd if=a of=x"),
            ("ask", "dd i* of=x"),
            ("ask", "dd \"$x\" of=x"),
        ],
    );
}
