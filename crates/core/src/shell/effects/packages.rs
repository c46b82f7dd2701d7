//! Package managers and compilers: what they fetch, and what they run of it.

use super::spec::{Dynamic, Operands::*, Program, Style, Use, flags, value};
use super::walk::{Operand, Part, Walk};
use super::words;
use crate::shell::{Access, Why, Word};

pub(super) static PROGRAMS: &[Program] = &[
    // Fetches a program and runs it.
    Program::new(&["npx", "bunx", "uvx", "pnpx"], Look(fetched)).style(Style::Leading).dynamic(Dynamic::Leading).rows(&[
        value("c", "call shell script-shell node-options node-arg", Use::Runs),
        value("p", "package from with python registry index", Use::Runs),
        value("", "cache userconfig globalconfig prefix workspace", Use::Nothing),
        flags("yq", "yes no quiet no-install", Use::Nothing),
    ]),
    Program::new(&["npm", "pnpm", "yarn", "bun", "corepack"], Look(npm)).dynamic(Dynamic::Ignored).rows(&[
        value("", "script-shell node-options git shell editor viewer userconfig globalconfig init-module onload-script", Use::Runs),
        value("", "use-yarnrc require preload config", Use::RunsFile),
        value("", "registry proxy https-proxy", Use::Url),
        value("C", "prefix dir cwd", Use::Base),
        value("", "cache workspace tag otp access loglevel omit include filter depth", Use::Nothing),
    ]),
    Program::new(&["pip", "pip3", "uv"], Look(pip)).dynamic(Dynamic::Splitting).rows(&[
        value("", "python config-settings config-setting global-option install-option build-option config-file", Use::Runs),
        value("rc", "requirement requirements constraint constraints build-constraint", Use::Read),
        value("i", "index-url extra-index-url proxy index default-index", Use::Url),
        value("f", "find-links", Use::Look(link)),
        value("e", "editable", Use::Look(link)),
        value("td", "target dest prefix root src log report cache-dir wheel-dir", Use::WriteBelow),
        value("", "trusted-host cert client-cert timeout retries platform python-version implementation abi no-binary \
                   only-binary upgrade-strategy format progress-bar exists-action use-feature", Use::Nothing),
    ]),
    Program::new(&["pipx", "poetry", "pdm", "hatch", "conda", "mamba", "rye"], Look(runner)).dynamic(Dynamic::Ignored).rows(&[
        value("C", "directory project", Use::Base),
        value("", "spec python index-url", Use::Runs),
    ]),
    // Settings name the compiler, linkers and runners. After `--` the arguments are the program's.
    Program::new(&["cargo"], Look(cargo)).dynamic(Dynamic::Ignored).rows(&[
        value("", "config", Use::Runs),
        value("Z", "", Use::Runs),
        value("C", "", Use::Base),
        // What is built is written beside it.
        value("", "manifest-path lockfile-path", Use::Change),
        value("", "target-dir artifact-dir root out-dir", Use::WriteBelow),
        value("", "git index registry", Use::Url),
        value("pFj", "package features target bin example test bench profile jobs color message-format exclude", Use::Nothing),
    ]),
    Program::new(&["rustc"], All(Use::Read)).rows(&[
        value("o", "out-dir", Use::Write),
        value("C", "codegen", Use::Look(codegen)),
        value("L", "extern sysroot", Use::Nothing),
        value("", "edition crate-type crate-name emit print cfg target cap-lints explain color error-format", Use::Nothing),
        value("WADF", "warn allow deny forbid", Use::Nothing),
    ]),
    Program::new(&["go"], Look(go)).dynamic(Dynamic::Ignored).style(Style::OneDash).rows(&[
        value("", "toolexec exec vettool overlay modfile gccgoflags ldflags gcflags compiler fuzztool", Use::Runs),
        value("C", "C", Use::Base),
        value("o", "o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir pkgdir", Use::Write),
        value("", "run bench count timeout tags p mod parallel cpu covermode coverpkg benchtime f asmflags skip fuzz fuzztime \
                   shuffle list installsuffix buildmode", Use::Nothing),
    ]),
    Program::new(&["gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "gfortran", "cpp"], Look(compile))
        .style(Style::OneDash)
        .dynamic(Dynamic::Splitting)
        .rows(&[
            value("", "wrapper specs fplugin load-plugin Xclang B", Use::Runs),
            value("", "o MF dumpdir save-temps-dir", Use::Write),
            value("", "include imacros isystem iquote idirafter I L x l D U T u MT MQ Xlinker Xassembler Xpreprocessor arch \
                       target framework isysroot", Use::Nothing),
        ]),
    Program::new(&["ld", "gold", "lld", "as"], All(Use::Read)).rows(&[value("o", "output", Use::Write), value("", "plugin", Use::Runs)]),
    Program::new(&["apt", "apt-get", "aptitude", "apt-cache"], Look(install)).dynamic(Dynamic::Splitting).rows(&[
        value("oc", "option config-file", Use::Runs),
        value("ta", "target-release default-release host-architecture", Use::Nothing),
    ]),
    Program::new(&["dpkg", "dpkg-deb", "rpm"], All(Use::Read)).dynamic(Dynamic::Splitting).rows(&[
        value("", "root admindir instdir pre-invoke post-invoke status-logger define eval rcfile pipe load", Use::Runs),
        value("DE", "", Use::Nothing),
    ]),
    Program::new(&["dnf", "yum", "zypper", "apk", "pacman", "snap", "flatpak", "port"], Look(install)).rows(&[
        value("", "setopt config installroot root hookdir", Use::Runs),
        value("X", "repository repofrompath", Use::Url),
    ]),
    Program::new(&["brew"], Look(install)),
    Program::new(&["gem", "bundle", "composer", "mix", "cpan", "cpanm", "luarocks", "nuget", "dotnet"], Look(runner)).rows(&[
        value("", "source repository server", Use::Url),
        value("", "config-file gemfile working-dir", Use::RunsFile),
    ]),
];

/// Whether a word is an address.
fn is_address(word: &Word) -> bool {
    let begins = words::beginning(word);
    begins.contains("://") || begins.starts_with("git@") || begins.starts_with("github:")
}

fn install(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        package(walk, operand);
    }
}

/// A package: an address, a file, or a name.
fn package(walk: &mut Walk, operand: Operand) {
    link(walk, Part { arg: operand.arg, skip: 0 });
}

fn link(walk: &mut Walk, part: Part) {
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
fn fetched(walk: &mut Walk) {
    match std::mem::take(&mut walk.operands).first() {
        Some(operand) => {
            package(walk, *operand);
            walk.runs(operand.arg, Why::RunsCode);
        }
        None => walk.unnamable(Why::RunsCode),
    }
}

fn npm(walk: &mut Walk) {
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

fn pip(walk: &mut Walk) {
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
fn runner(walk: &mut Walk) {
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

fn cargo(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(name, Some("new" | "init")) {
        for operand in operands.into_iter().skip(1) {
            walk.operand_is(operand, Use::WriteBelow);
        }
    }
}

/// `-C linker=program`
fn codegen(walk: &mut Walk, part: Part) {
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

fn go(walk: &mut Walk) {
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
fn compile(walk: &mut Walk) {
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
