//! Test runners, linters and compilers of scripts: what they write, and what they load as code.

use super::spec::{Operands::*, Program, Row, Style, Use, flags, value};
use super::walk::{Part, Walk};
use crate::shell::Access;

const CHANGES: u8 = 0;
/// An option without which the operands are only read.
const fn when(short: &'static str, long: &'static str) -> Row {
    flags(short, long, Use::Keep(CHANGES))
}

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["tsc"], All(Use::Read)).style(Style::OneDash).rows(&[
        value(
            "",
            "outDir outFile out declarationDir tsBuildInfoFile generateTrace generateCpuProfile",
            Use::Write,
        ),
        value("", "p project rootDir baseUrl", Use::Read),
        flags("", "init", Use::Nothing),
    ]),
    Program::new(&["prettier"], Look(checks)).recursive().rows(&[
        when("w", "write"),
        value("", "plugin config", Use::Runs),
        value("", "ignore-path", Use::Read),
        value("", "cache-location", Use::Write),
        value("", "parser stdin-filepath log-level", Use::Nothing),
    ]),
    Program::new(&["black"], Look(formats)).recursive().rows(&[
        when("", "check diff"),
        value("ltc", "line-length target-version code include exclude extend-exclude", Use::Nothing),
        value("", "config", Use::Read),
    ]),
    Program::new(&["eslint", "oxlint"], Look(checks)).recursive().rows(&[
        when("", "fix fix-suggestions fix-dangerously init"),
        value("o", "output-file cache-location cache-file", Use::Write),
        value("", "rulesdir resolve-plugins-relative-to parser plugin", Use::Runs),
        value("cf", "config format", Use::Runs),
        value("", "ext rule env global max-warnings ignore-pattern", Use::Nothing),
    ]),
    Program::new(&["biome"], Look(checks)).recursive().rows(&[
        when("", "write fix apply apply-unsafe unsafe"),
        value("", "config-path log-path", Use::Write),
    ]),
    Program::new(&["jest", "vitest", "mocha"], All(Use::Read)).rows(&[
        value("", "outputFile output-file coverageDirectory cacheDirectory reporter-options", Use::Write),
        value(
            "cr",
            "config setupFiles setupFilesAfterEnv globalSetup globalTeardown transform runner resolver testEnvironment \
             require import loader environment reporters reporter",
            Use::Runs,
        ),
        value("", "rootDir root dir", Use::Read),
        value("tT", "testNamePattern testPathPattern", Use::Nothing),
    ]),
    Program::new(&["pytest"], All(Use::Read)).rows(&[
        value("p", "", Use::Runs),
        value("c", "config-file confcutdir", Use::RunsFile),
        value("", "junitxml junit-xml basetemp log-file resultlog debug", Use::Write),
        value("", "pastebin", Use::Runs),
        value("o", "override-ini", Use::Runs),
        value("kmnW", "maxfail tb durations deselect ignore cov cov-fail-under", Use::Nothing),
        value("", "rootdir", Use::Read),
    ]),
    Program::new(&["ruff", "isort", "autopep8", "rubocop"], Look(formats)).recursive().rows(&[
        value("", "output-file cache-dir", Use::Write),
        value("c", "config", Use::Read),
        value("r", "require", Use::Runs),
    ]),
    Program::new(&["mypy", "flake8", "pylint", "pyright"], All(Use::Read)).recursive().rows(&[
        value("o", "output output-file junit-xml cache-dir", Use::Write),
        value("", "html-report xml-report txt-report linecount-report any-exprs-report", Use::WriteBelow),
        value("", "python-executable load-plugins init-hook", Use::Runs),
        value("", "install-types", Use::Runs),
    ]),
];

/// Reads its operands, and changes them when told to.
fn checks(walk: &mut Walk) {
    operands(walk, walk.kept(CHANGES).is_some());
}

/// Changes its operands, unless told not to.
fn formats(walk: &mut Walk) {
    operands(walk, walk.kept(CHANGES).is_none());
}

fn operands(walk: &mut Walk, changes: bool) {
    for operand in std::mem::take(&mut walk.operands) {
        let here = walk.place(operand.arg).literal() == Some(".");
        if changes && here {
            // They go over the sources of a project, and that is what whoever allows the program means.
            let target = walk.word(Part { arg: operand.arg, skip: 0 });
            walk.path(0, Access::Write, target, true);
        } else {
            walk.operand_is(operand, if changes { Use::Change } else { Use::Read });
        }
    }
}
