//! Programs that run programs written in a language: the script they are told to run is read, and what is no file is
//! unknown.

use super::spec::{Dynamic, Operands::*, Program, Row, Style, Use, flags, maybe, value};
use super::walk::{Operand, Walk};
use super::words;
use crate::shell::Why;

const INLINE: u8 = 0;
const HARMLESS: u8 = 1;

/// Options after the script are the script's.
const fn language(names: &'static [&'static str]) -> Program {
    Program::new(names, Look(script)).style(Style::Leading).dynamic(Dynamic::Leading).closed()
}

const ABOUT: Row = flags("", "version help", Use::Keep(HARMLESS));

pub(super) static PROGRAMS: &[Program] = &[
    language(&["python", "python2", "python3", "pypy", "pypy3", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"])
        .rows(&[
            value("cm", "", Use::Look(inline)),
            flags("i", "", Use::Runs),
            flags("bBdEhIOPqsSuvx?", "help-env help-xoptions help-all", Use::Nothing),
            flags("V", "", Use::Keep(HARMLESS)),
            value("WX", "check-hash-based-pycs", Use::Nothing),
            ABOUT,
        ]),
    language(&["perl", "perl5"]).rows(&[
        value("eE", "", Use::Look(inline)),
        // Code from a module, or a change of how files are read and written.
        value("MmIdDCx", "", Use::Runs),
        maybe("i", "", Use::Runs),
        maybe("0lF", "", Use::Nothing),
        flags("acfhnpsStTuUwWX", "", Use::Nothing),
        flags("vV", "", Use::Keep(HARMLESS)),
        ABOUT,
    ]),
    language(&["ruby", "jruby", "truffleruby"]).rows(&[
        value("e", "", Use::Look(inline)),
        value("rICE", "require", Use::Runs),
        maybe("ix", "", Use::Runs),
        maybe("0FKTW", "enable disable encoding external-encoding internal-encoding", Use::Nothing),
        flags("acdhlnpsSUwy", "verbose debug jit yjit", Use::Nothing),
        flags("v", "copyright", Use::Keep(HARMLESS)),
        ABOUT,
    ]),
    language(&["node", "nodejs"]).rows(&[
        value("ep", "eval print", Use::Look(inline)),
        value("rC", "require import loader experimental-loader conditions env-file env-file-if-exists", Use::Runs),
        flags("i", "interactive", Use::Runs),
        maybe("", "inspect inspect-brk inspect-port inspect-wait openssl-config icu-data-dir", Use::Runs),
        value("", "run", Use::Look(inline)),
        flags("", "test watch", Use::Look(inline)),
            maybe("", "watch-path max-old-space-size stack-trace-limit max-http-header-size trace-warnings trace-deprecation \
                   no-warnings no-deprecation enable-source-maps experimental-strip-types experimental-transform-types \
                   experimental-vm-modules expose-gc unhandled-rejections test-reporter test-name-pattern test-only \
                   throw-deprecation trace-uncaught test-concurrency experimental-test-coverage disable-warning", Use::Nothing),
        flags("c", "check", Use::Nothing),
        flags("v", "v8-options", Use::Keep(HARMLESS)),
        flags("h", "", Use::Keep(HARMLESS)),
        ABOUT,
    ]),
    language(&["php"]).rows(&[
        value("rBRE", "run process-begin process-code process-end", Use::Look(inline)),
        value("dcz", "define php-ini zend-extension", Use::Runs),
        value("fF", "file process-file", Use::Look(file)),
        value("St", "server docroot", Use::Runs),
        flags("anqsHw", "no-php-ini interactive", Use::Nothing),
        flags("vmihl", "info modules ini syntax-check", Use::Keep(HARMLESS)),
        ABOUT,
    ]),
    language(&["lua", "luajit", "lua5.1", "lua5.3", "lua5.4", "texlua"]).rows(&[
        value("e", "", Use::Look(inline)),
        value("ljO", "", Use::Runs),
        flags("i", "", Use::Runs),
        flags("EW", "", Use::Nothing),
        flags("v", "", Use::Keep(HARMLESS)),
    ]),
    // `-c` and what it runs is looked through elsewhere.
    Program::new(&["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash"], Look(script))
        .style(Style::Leading)
        .rows(&[
            value("", "rcfile init-file init-command", Use::RunsFile),
            flags("c", "command", Use::Keep(HARMLESS)),
            value("oO", "", Use::Nothing),
            ABOUT,
        ]),
    language(&["deno"]).rows(&[flags("V", "", Use::Keep(HARMLESS)), ABOUT]),
    language(&["tsx", "ts-node", "osh", "guile", "racket", "sbcl", "clojure", "scala", "groovy", "elixir", "erl", "escript", "julia",
               "Rscript", "swift", "kotlin", "runghc", "ocaml", "janet", "nim", "crystal", "pwsh", "powershell", "coffee"])
        .rows(&[ABOUT]),
    Program::new(&["java"], Look(java)).style(Style::OneDashLeading).dynamic(Dynamic::Leading).rows(&[
        value("", "cp classpath class-path p module-path", Use::Read),
        value("", "jar", Use::Look(file)),
        value("m", "module", Use::Look(inline)),
        flags("", "version showversion help", Use::Keep(HARMLESS)),
    ]),
    Program::new(&["make", "gmake", "bmake"], Look(make)).dynamic(Dynamic::Splitting).rows(&[
        value("f", "file makefile", Use::RunsFile),
        value("E", "eval", Use::Runs),
        // Other makefiles than those here.
        value("CI", "directory include-dir", Use::RunsFile),
        value("oW", "old-file assume-old what-if new-file assume-new", Use::Nothing),
        maybe("jlO", "jobs load-average max-load output-sync debug shuffle jobserver-auth", Use::Nothing),
        flags("bmBdehiknpqrRsStvw", "always-make environment-overrides ignore-errors keep-going", Use::Nothing),
        flags("", "just-print dry-run recon silent quiet touch trace version warn-undefined-variables", Use::Nothing),
    ]),
    Program::new(&["just", "task", "rake", "ninja", "ant", "gradle", "mvn", "cmake", "meson", "bazel", "tup", "scons", "invoke", "fab"],
        All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("fEC", "justfile file taskfile rakefile build-file directory dir project-dir settings toolchain", Use::RunsFile),
        value("PI", "shell shell-arg init-script bazelrc require", Use::Runs),
    ]),
];

/// Code that stands on the command line, or a module to run.
fn inline(walk: &mut Walk, part: super::walk::Part) {
    walk.apply(Use::Keep(INLINE), part, 0);
    walk.runs(part.arg, Why::RunsCode);
}

/// The script, named by an option.
fn file(walk: &mut Walk, part: super::walk::Part) {
    walk.apply(Use::Keep(HARMLESS), part, 0);
    walk.apply(Use::Read, part, 0);
}

/// The first operand is a file that is run; without one it is the standard input.
fn script(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let told = walk.kept(INLINE).is_some() || walk.kept(HARMLESS).is_some();
    match operands.first() {
        _ if told => {}
        Some(operand) if walk.place(operand.arg).literal() != Some("-") => {
            walk.operand_is(*operand, Use::Read)
        }
        _ => walk.unnamable(Why::Stdin),
    }
}

/// A class by its name, or a file of source text.
fn java(walk: &mut Walk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first()
        && walk.kept(HARMLESS).is_none()
    {
        walk.operand_is(*operand, Use::Read);
    }
}

/// Targets, and variables (`SHELL=…`, `CC=…`), which name programs.
fn make(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let sets = |operand: &&Operand| words::beginning(walk.place(operand.arg)).contains('=');
    let assignments: Vec<usize> = operands.iter().filter(sets).map(|operand| operand.arg).collect();
    for arg in assignments {
        walk.runs(arg, Why::RunsCode);
    }
}
