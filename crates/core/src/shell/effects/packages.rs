//! Package managers and compilers: what they fetch, and what they run of it.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word};

/// Whether a word is an address.
fn is_address(word: &Word) -> bool {
    let begins = words::beginning(word);
    begins.contains("://") || begins.starts_with("git@") || begins.starts_with("github:")
}

/// Settings of npm that the project brings. No rule names them.
pub(super) fn npmrc(walk: &mut ArgumentWalk, _: ArgumentPart) {
    walk.unnamable(DoubtReason::SettingsOfNpm);
}

/// Settings of cargo that the project brings. No rule names them.
pub(super) fn cargo(walk: &mut ArgumentWalk, _: ArgumentPart) {
    // Behind the name of a command it is for that, which may be another one.
    if !(walk.argv.len() == 2 && walk.tells_of_itself()) {
        walk.unnamable(DoubtReason::SettingsOfCargo);
    }
}

/// Settings of golangci-lint that the project brings, and no other file of them. No rule names them.
pub(super) fn golangci(walk: &mut ArgumentWalk, _: ArgumentPart) {
    walk.unnamable(DoubtReason::SettingsOfGolangci);
}

/// The file of settings that is read without a word, or the command is unknown.
pub(super) fn usual_golangci(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let name = word.literal().map(|name| name.strip_prefix("./").unwrap_or(name));
    if !matches!(name, Some(".golangci.yml" | ".golangci.yaml")) {
        walk.runs(part.arg, DoubtReason::Settings);
    }
    walk.apply(OperandUse::Loads, part, 0);
}

/// All that the folder holds goes into the package, but for what its settings leave out.
pub(super) fn packed(walk: &mut ArgumentWalk, _: ArgumentPart) {
    walk.here(OperandUse::ReadBelow);
}

/// The same, of each folder that is named.
pub(super) fn packs(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, OperandUse::ReadBelow);
    }
}

/// A program of a package that is here. No rule says whether there is one.
pub(super) fn installed(walk: &mut ArgumentWalk, _: ArgumentPart) {
    walk.unnamable(DoubtReason::NotInstalled);
}

pub(super) fn install(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        package(walk, operand);
    }
}

/// It asks the server that lists packages, unless an option says otherwise.
pub(super) fn index(walk: &mut ArgumentWalk) {
    if walk.kept("offline").is_none() && !walk.tells_of_itself() {
        let server = words::text(walk.place(0), "https://pypi.org/simple/pip/");
        walk.effects.urls.push((0, server));
    }
}

/// A package: an address, a file, or a name.
fn package(walk: &mut ArgumentWalk, operand: WalkOperand) {
    link(walk, ArgumentPart { arg: operand.arg, skip: 0 });
}

pub(super) fn link(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    if is_address(&word) {
        // `name @ https://…`, `git+https://…`
        let skip = begins.rfind(" @ ").map_or(0, |at| at + 3);
        walk.apply(OperandUse::Url, ArgumentPart { arg: part.arg, skip: part.skip + skip }, 0);
    } else if begins.starts_with(['.', '/'])
        || begins.contains(".tar")
        || begins.ends_with(".whl")
        || begins.ends_with(".deb")
    {
        walk.apply(OperandUse::ReadBelow, part, 0);
    }
}

/// `poetry run x`, `pipx run x`, `bundle exec x`
pub(super) fn runner(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    let runs = matches!(name, Some("run" | "exec" | "shell" | "runpip" | "script" | "dlx"));
    if matches!(
        name,
        Some("build" | "archive" | "pack" | "make" | "upload" | "hex.build" | "hex.publish")
    ) {
        walk.here(OperandUse::ReadBelow);
    }
    match operands.get(1) {
        Some(operand) if runs => walk.runs(operand.arg, DoubtReason::RunsCode),
        None if runs => walk.unnamable(DoubtReason::RunsCode),
        _ => {
            for operand in operands.into_iter().skip(1) {
                package(walk, operand);
            }
        }
    }
}

/// `-C linker=program`
pub(super) fn codegen(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    if word.literal().is_none()
        || begins.starts_with("link")
        || begins.starts_with("llvm")
        || begins.starts_with("ar=")
    {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// Arguments of what the project runs: what they mean is the project's, but not files elsewhere.
pub(super) fn script(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        argument(walk, ArgumentPart { arg: operand.arg, skip: 0 });
    }
}

/// The name of a script of the project, and its arguments.
pub(super) fn named_script(walk: &mut ArgumentWalk) {
    if walk.operands.first().is_some_and(|name| !words::leads_outside(walk.place(name.arg))) {
        walk.operands.remove(0);
    }
    script(walk);
}

/// Names of tasks, or arguments of a program that the project makes: no code, and no files elsewhere.
pub(super) fn tasks(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        if words::leads_outside(walk.place(operand.arg)) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
}

/// An argument of what is not known: it, or a part of it, may be a file.
fn argument(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if words::leads_outside(&word) {
        return walk.runs(part.arg, DoubtReason::RunsCode);
    }
    let begins = words::beginning(&word);
    let value = begins.find('=').map(|at| at + 1);
    let attached = (begins.starts_with('-') && !begins.starts_with("--")).then_some(2);
    for skip in [Some(0), value, attached].into_iter().flatten().filter(|skip| *skip < begins.len())
    {
        walk.loads(ArgumentPart { skip: part.skip + skip, ..part }, 0, false);
    }
}

/// The same of all that stands behind an option.
pub(super) fn rest(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.ended = true;
    for arg in part.arg + 1..walk.argv.len() {
        argument(walk, ArgumentPart { arg, skip: 0 });
    }
}

/// Sources and directories whose code runs or decides what runs: the project's own.
pub(super) fn inside(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_loads(operand);
    }
}

/// The same; a version of a module is looked up.
pub(super) fn listed(walk: &mut ArgumentWalk) {
    for operand in walk.operands.clone() {
        if words::beginning(walk.place(operand.arg)).contains('@') {
            walk.runs(operand.arg, DoubtReason::Connects);
        }
    }
    inside(walk);
}

/// Steps of a build: those that build and test. Any other may install, delete, run or send what it likes.
pub(super) fn steps(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        if !matches!(walk.place(operand.arg).literal(), Some("test" | "check")) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
}

/// Phases are the project's; a goal of a plugin may be of any plugin, which is fetched.
pub(super) fn goals_of_maven(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        if walk.place(operand.arg).literal().is_none_or(|text| text.contains(':')) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
}

/// A setting is shown, or changed.
pub(super) fn settings(walk: &mut ArgumentWalk) {
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if !matches!(first, Some("get" | "list" | "ls")) {
        walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::Settings);
    }
}

/// A flag that changes settings.
pub(super) fn sets(walk: &mut ArgumentWalk, _: ArgumentPart) {
    walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::Settings);
}

/// `npm create x` fetches `create-x` and runs it.
pub(super) fn creates(walk: &mut ArgumentWalk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first() {
        walk.runs(operand.arg, DoubtReason::RunsCode);
    }
}

/// A target by its name, or a file that says how it is linked.
pub(super) fn target(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if !word.literal().is_some_and(|text| !text.contains('/') && !text.ends_with(".json")) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// Flags of the linker: which program links is one of them.
pub(super) fn linker(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let harmless = |text: &str| {
        let known = |flag: &str| {
            matches!(flag, "-s" | "-w" | "-X") || (!flag.starts_with('-') && flag.contains('='))
        };
        !text.contains(['\'', '"', '\\', '@']) && text.split_ascii_whitespace().all(known)
    };
    if !word.literal().is_some_and(harmless) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// The sources below are written, and those of packages that it is told. `./...` passes over folders whose names begin with a
/// dot; a word that names one does not.
pub(super) fn gofmt(walk: &mut ArgumentWalk) {
    let is_plain = |text: &str| {
        text.split('/').enumerate().all(|(at, name)| match name {
            "." => at == 0,
            "..." => true,
            name => name.starts_with(|first: char| first.is_ascii_alphanumeric()),
        })
    };
    for operand in walk.operands.clone() {
        if !walk.place(operand.arg).literal().is_some_and(is_plain) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
    inside(walk);
    super::checkers::changes_here(walk);
}

/// A property of a build, by whose name the project's own code goes.
pub(super) fn property(walk: &mut ArgumentWalk, part: ArgumentPart) {
    argument(walk, part);
}

/// Properties that choose tests. Others name programs and files.
const MAVEN: &[&str] = &[
    "skipTests",
    "skipITs",
    "skipUTs",
    "maven.test.skip",
    "maven.javadoc.skip",
    "maven.source.skip",
    "test",
    "it.test",
    "groups",
    "excludedGroups",
    "failIfNoTests",
    "surefire.failIfNoSpecifiedTests",
    "failIfNoSpecifiedTests",
    "surefire.useFile",
    "trimStackTrace",
    "style.color",
    "checkstyle.skip",
    "spotbugs.skip",
    "pmd.skip",
    "cpd.skip",
    "jacoco.skip",
    "enforcer.skip",
    "rat.skip",
    "license.skip",
    "spotless.check.skip",
    "maven.test.failure.ignore",
];

/// `-DNAME=value`
pub(super) fn maven(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let name = word.literal().map(|text| text.split_once('=').map_or(text, |(name, _)| name));
    if !name.is_some_and(|name| MAVEN.contains(&name)) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// A logger that comes along, with its settings.
pub(super) fn logger(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let name = words::beginning(&word).split(';').next().unwrap_or("");
    let known = matches!(name, "trx" | "html" | "console" | "junit" | "GitHubActions");
    if !known || words::leads_outside(&word) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// Goals that put things where they stay, or send them away.
const LEAVE: &[&str] =
    &["install", "uninstall", "deploy", "publish", "release", "package", "upload"];

/// A goal of a build.
pub(super) fn goal(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if word.literal().is_none_or(|text| LEAVE.iter().any(|name| text.contains(name))) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// What `cmake --build` hands to the tool behind it.
pub(super) fn goals(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        goal(walk, ArgumentPart { arg: operand.arg, skip: 0 });
        if words::beginning(walk.place(operand.arg)).contains('=') {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
}

/// What is in the `node_modules` of this folder goes.
pub(super) fn modules(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let folder = walk.word(part);
    let emptied = words::join(&folder, &words::text(&folder, "node_modules"));
    walk.lost(part.arg, emptied, true, FileLoss::Deleted);
}

/// What is in the `target` beside this file goes.
pub(super) fn target_beside(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let emptied = words::beside(&walk.word(part), "target");
    walk.lost(part.arg, emptied, true, FileLoss::Deleted);
}

/// A setting, which may name the folder that is emptied.
pub(super) fn target_elsewhere(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let emptied = words::unknown(&walk.word(part));
    walk.lost(part.arg, emptied, true, FileLoss::Deleted);
}

/// What `cmake -E` does, as the program does that it stands for. What follows is that one's own.
pub(super) fn cmake_tool(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.ended = true;
    walk.keep("tool", part);
    let from = part.arg + 1;
    let word = walk.word(part);
    let stands_for = match word.literal() {
        Some("rm" | "remove" | "remove_directory") => {
            for arg in from..walk.argv.len() {
                walk.apply(OperandUse::Deletes, ArgumentPart { arg, skip: 0 }, 0);
            }
            return;
        }
        Some("copy_directory" | "copy_directory_if_different" | "copy_directory_if_newer") => {
            walk.effects.moves = true;
            let last = walk.argv.len().saturating_sub(1);
            for arg in from..last {
                walk.apply(OperandUse::ReadBelow, ArgumentPart { arg, skip: 0 }, 0);
            }
            let destination = walk.word(ArgumentPart { arg: last, skip: 0 });
            return walk.lost(last, destination, true, FileLoss::Replaced);
        }
        Some("env" | "time" | "chdir") => {
            let is_command = |word: &Word| {
                let begins = words::beginning(word);
                !begins.starts_with('-') && !begins.contains('=')
            };
            let skipped = usize::from(word.literal() == Some("chdir"));
            let words = walk.argv.iter().enumerate().skip(from + skipped);
            if let Some((arg, _)) = words.into_iter().find(|(_, word)| is_command(word)) {
                walk.launch(ArgumentPart { arg, skip: 0 });
            }
            return;
        }
        Some("copy" | "copy_if_different" | "copy_if_newer") => "cp",
        Some("rename") => "mv",
        Some("create_symlink" | "create_hardlink") => "ln",
        Some("make_directory") => "mkdir",
        Some("touch" | "touch_nocreate") => "touch",
        Some("tar") => "tar",
        _ => return,
    };
    if let Some(program) = super::tables().program(stands_for) {
        let effects = super::walk::walk(program, walk.argv, walk.files, from);
        walk.add(effects);
    }
}

/// A folder to build in, or sources to make one from.
pub(super) fn cmake(walk: &mut ArgumentWalk) {
    if walk.kept("tool").is_some() {
        return;
    }
    match walk.kept("build") {
        Some(part) => {
            walk.loads(part, 0, false);
            // It makes its files again where a source is newer.
            walk.here(OperandUse::ReadBelow);
            walk.path(part.arg, FileAccess::Read, walk.word(part), true);
            if walk.kept("clears").is_some() {
                walk.path(0, FileAccess::Write, walk.word(part), true);
            }
            goals(walk);
        }
        None => {
            inside(walk);
            walk.here(OperandUse::WriteBelow);
        }
    }
}

/// Options of the preprocessor, the assembler and the linker that name no file which they would write or run.
const PASSED_ON: &str = "-D -U -rpath --rpath -rpath-link -soname --soname -h -z -s -E -Bstatic -Bdynamic -Bsymbolic \
    --as-needed --no-as-needed --gc-sections --start-group --end-group --whole-archive --no-whole-archive --build-id \
    --export-dynamic -export_dynamic -dead_strip --no-undefined --strip-all --strip-debug --hash-style --noexecstack \
    --fatal-warnings --enable-new-dtags --disable-new-dtags --warn-common --exclude-libs --eh-frame-hdr -pie -shared \
    -static -undefined -headerpad_max_install_names --wrap";

/// `@file` holds options, and so do words for the programs behind the compiler.
pub(super) fn compile(walk: &mut ArgumentWalk) {
    for at in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(at));
        let runs = ["@", "-fplugin", "-B", "-specs", "--specs"];
        if runs.iter().any(|option| begins.starts_with(option)) {
            walk.runs(at, DoubtReason::RunsCode);
        }
        // Behind it stands what the compiler tells itself, in another language, and code to load.
        if begins.starts_with("-cc1") {
            walk.unnamable(DoubtReason::RunsCode);
        }
        // What only the run will tell may be options too.
        let certain = walk.place(at).literal().is_some();
        let passed = ["-Wp,", "-Wa,", "-Wl,"].iter().find_map(|option| begins.strip_prefix(option));
        let harmless = |option: &str| {
            let name = option.split_once('=').map_or(option, |(name, _)| name);
            !option.starts_with(['-', '@'])
                || PASSED_ON.split(' ').any(|known| known == name)
                || ["-D", "-U", "-O"].iter().any(|letter| option.starts_with(letter))
        };
        if passed.is_some_and(|options| !certain || !options.split(',').all(harmless)) {
            walk.runs(at, DoubtReason::NotUnderstood);
        }
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
}
