//! Package managers and compilers: what they fetch, and what they run of it.

use super::spec::{Operands::*, Use};
use super::walk::{Operand, Part, Walk};
use super::words;
use crate::shell::{Access, Why, Word};

/// Whether a word is an address.
fn is_address(word: &Word) -> bool {
    let begins = words::beginning(word);
    begins.contains("://") || begins.starts_with("git@") || begins.starts_with("github:")
}

pub(super) fn install(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        package(walk, operand);
    }
}

/// A package: an address, a file, or a name.
fn package(walk: &mut Walk, operand: Operand) {
    link(walk, Part { arg: operand.arg, skip: 0 });
}

pub(super) fn link(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    if is_address(&word) {
        // `name @ https://…`, `git+https://…`
        let skip = begins.rfind(" @ ").map_or(0, |at| at + 3);
        walk.apply(Use::Url, Part { arg: part.arg, skip: part.skip + skip }, 0);
    } else if begins.starts_with(['.', '/'])
        || begins.contains(".tar")
        || begins.ends_with(".whl")
        || begins.ends_with(".deb")
    {
        walk.apply(Use::ReadBelow, part, 0);
    }
}

/// The name of what is fetched: who allows that name allows to run it.
pub(super) fn fetched(walk: &mut Walk) {
    match std::mem::take(&mut walk.operands).first() {
        Some(operand) => {
            package(walk, *operand);
            walk.runs(operand.arg, Why::RunsCode);
        }
        None => walk.unnamable(Why::RunsCode),
    }
}

pub(super) fn npm(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = |at: usize| {
        operands.get(at).and_then(|operand: &Operand| walk.place(operand.arg).literal())
    };
    let last = walk.argv.len().saturating_sub(1);
    match (name(0), name(1)) {
        (Some("exec" | "x" | "dlx" | "create" | "init" | "innit"), _) => match operands.get(1) {
            Some(operand) => walk.runs(operand.arg, Why::RunsCode),
            None if name(0) == Some("init") => {}
            None => walk.unnamable(Why::RunsCode),
        },
        (Some("config" | "c"), Some("set" | "edit" | "delete"))
        | (Some("set" | "edit" | "explore"), _) => {
            walk.runs(last, Why::Settings);
        }
        (Some("run" | "run-script" | "test" | "t" | "start" | "stop" | "restart"), _) => {}
        _ => {
            for operand in operands.into_iter().skip(1) {
                package(walk, operand);
            }
        }
    }
}

pub(super) fn pip(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = |at: usize| {
        operands.get(at).and_then(|operand: &Operand| walk.place(operand.arg).literal())
    };
    match (name(0), name(1)) {
        (Some("config"), Some("set" | "edit" | "unset")) => {
            walk.runs(walk.argv.len().saturating_sub(1), Why::Settings);
        }
        (Some("run"), _) | (Some("tool"), Some("run")) => {
            let at = if name(0) == Some("run") { 1 } else { 2 };
            match operands.get(at) {
                Some(operand) => walk.runs(operand.arg, Why::RunsCode),
                None => walk.unnamable(Why::RunsCode),
            }
        }
        _ => {
            for operand in operands.into_iter().skip(1) {
                package(walk, operand);
            }
        }
    }
}

/// `poetry run x`, `pipx run x`, `bundle exec x`
pub(super) fn runner(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    let runs = matches!(name, Some("run" | "exec" | "shell" | "runpip" | "script" | "dlx"));
    match operands.get(1) {
        Some(operand) if runs => walk.runs(operand.arg, Why::RunsCode),
        None if runs => walk.unnamable(Why::RunsCode),
        _ => {
            for operand in operands.into_iter().skip(1) {
                package(walk, operand);
            }
        }
    }
}

pub(super) fn cargo(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(name, Some("new" | "init")) {
        for operand in operands.into_iter().skip(1) {
            walk.operand_is(operand, Use::WriteBelow);
        }
    }
}

/// `-C linker=program`
pub(super) fn codegen(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    if word.literal().is_none()
        || begins.starts_with("link")
        || begins.starts_with("llvm")
        || begins.starts_with("ar=")
    {
        walk.runs(part.arg, Why::RunsCode);
    }
}

pub(super) fn go(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    let sets = |word: &&Word| matches!(word.literal(), Some("-w" | "--w" | "-u" | "--u"));
    if name == Some("env") && walk.argv.iter().any(|word| sets(&word)) {
        walk.runs(walk.argv.len().saturating_sub(1), Why::Settings);
    }
    if matches!(name, Some("fmt" | "fix")) {
        walk.path(0, Access::Write, words::text(walk.place(0), "."), true);
    }
}

/// `@file` holds options.
pub(super) fn compile(walk: &mut Walk) {
    for at in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(at));
        let runs = ["@", "-fplugin", "-Wl,-plugin", "-B", "-specs", "--specs"];
        if runs.iter().any(|option| begins.starts_with(option)) {
            walk.runs(at, Why::RunsCode);
        } else if let Some(name) = begins.strip_prefix("-o")
            && (!name.is_empty() || walk.place(at).pieces.len() > 1)
        {
            walk.apply(Use::Write, Part { arg: at, skip: 2 }, 0);
        }
    }
    walk.lay_out(All(Use::Read), Use::Nothing);
}
