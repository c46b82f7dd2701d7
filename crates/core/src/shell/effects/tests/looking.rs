//! Options that say that a program only looks: each counts beside those alone that are known to leave it so.

use super::{of, word};
use crate::shell::effects::spec::{OperandUse, OptionName, OptionTakes, ProgramSpec};
use crate::shell::effects::{CommandEffects, tables};
use crate::shell::{FileAccess, Word};

/// An option of a program that takes its looking back, or could.
struct TakingBack {
    program: &'static str,
    looks: String,
    option: String,
    value: bool,
}

fn spelled(program: &ProgramSpec, name: OptionName) -> String {
    match name {
        OptionName::Short(letter) => format!("-{letter}"),
        OptionName::Long(name) if program.style.one_dash() => format!("-{name}"),
        OptionName::Long(name) => format!("--{name}"),
    }
}

/// All options of a program, and what each reading of them is used for.
fn options(program: &ProgramSpec) -> Vec<(OptionName, OptionTakes, OperandUse)> {
    let shorts = program.shorts.iter().map(|(letter, it)| (OptionName::Short(*letter), it));
    let longs = program.longs.iter().map(|(name, it)| (OptionName::Long(name), it));
    shorts.chain(longs).map(|(name, it)| (name, it.takes, it.uses)).collect()
}

fn takes_back() -> Vec<TakingBack> {
    let mut all = Vec::new();
    for (_, program) in tables().all() {
        let options = options(program);
        for (name, _, uses) in &options {
            let OperandUse::Looks(kind) = uses else { continue };
            for (other, takes, _) in &options {
                let looks = options.iter().any(|(known, _, uses)| {
                    known == other && matches!(uses, OperandUse::Looks(it) if it == kind)
                });
                if looks || program.beside.contains(&(kind, *other)) {
                    continue;
                }
                all.push(TakingBack {
                    program: program.path,
                    looks: spelled(program, *name),
                    option: spelled(program, *other),
                    value: *takes == OptionTakes::Value,
                });
            }
        }
    }
    all
}

/// Whether it writes, or nothing allows it unless a rule spells it out.
fn is_more_than_looking(effects: &CommandEffects) -> bool {
    let writes = effects.paths.iter().any(|used| used.access == FileAccess::Write);
    // Which settings there are only files tell.
    writes || effects.unknown.iter().any(|(_, why)| !why.is_about_settings())
}

fn line(words: &[&str]) -> Vec<Word> {
    words.iter().flat_map(|words| words.split(' ')).map(word).collect()
}

/// The words that call it.
fn call(path: &str) -> String {
    path.replace('.', " ")
}

#[test]
fn no_unlisted_option_stands_beside_one_that_only_looks() {
    let all = takes_back();
    let mut programs: Vec<&str> = all.iter().map(|it| it.program).collect();
    programs.dedup();
    assert!(programs.len() > 10, "{programs:?}");
    let mut wrong = Vec::new();
    for TakingBack { program, looks, option, value } in &all {
        // The operand is a member of an archive to tar, which writes where it stands.
        let call = call(program);
        let given = if *value { format!("{option} v") } else { option.clone() };
        let before = if *program == "tar" { "-x" } else { looks.as_str() };
        for words in [[&call, before, looks, &given, "f"], [&call, before, &given, looks, "f"]] {
            if !is_more_than_looking(&of(&line(&words))) {
                wrong.push(words.join(" "));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_keeps_a_program_looking_is_one_of_its_options() {
    let mut wrong = Vec::new();
    for (_, program) in tables().all() {
        let options = options(program);
        for (kind, name) in &program.beside {
            let has = options.iter().any(|(known, _, _)| known == name);
            let looks = options
                .iter()
                .any(|(_, _, uses)| matches!(uses, OperandUse::Looks(it) if it == kind));
            // Those of the program that it is a command of may stand before it.
            if !looks || !(has || program.path.contains('.') || program.path == "rustfmt") {
                wrong.push(format!("{}: {}", program.path, spelled(program, *name)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_only_looks_writes_nothing() {
    let lines = [
        "black --check -q src",
        "black --diff --check .",
        "ruff format --check src",
        "ruff -q format --diff src",
        "isort --check-only --diff .",
        "isort -c src",
        "rustfmt --check --edition 2024 src/lib.rs",
        "cargo fmt --all -- --check",
        "cargo fmt --check",
        "cargo fmt -- --check -q",
        "golangci-lint fmt --diff",
        "zig fmt --check src",
        "gzip -dc a.gz",
        "gzip -l a.gz",
        "bzip2 -tv a.bz2",
        "bzip2 -dkc a.bz2",
        "xz -dc -T0 a.xz",
        "xz -lv a.xz",
        "zstd -dc a.zst",
        "zstd -tq a.zst",
        "tar -xOf a.tar",
        "tar xzOf a.tgz",
    ];
    for text in lines {
        assert!(!is_more_than_looking(&of(&line(&[text]))), "{text}");
    }
}

#[test]
fn a_setting_beside_a_check_is_no_check() {
    let lines = [
        "rustfmt --check --config emit_mode=Files ../x.rs",
        "rustfmt --config=emit_mode=files --check ../x.rs",
        "rustfmt --check --config edition=2021,emit_mode=Files ../x.rs",
        "biome check --apply-unsafe ../x",
        "biome lint --apply-unsafe ../x",
        "ruff --config f.toml format --check ../x.py",
        "black --check --config f.toml ../x.py",
        "isort --diff ../x.py",
    ];
    for text in lines {
        let effects = of(&line(&[text]));
        let writes = |name: &str| {
            effects
                .paths
                .iter()
                .any(|used| used.access == FileAccess::Write && used.target.literal() == Some(name))
        };
        assert!(writes("../x.rs") || writes("../x") || writes("../x.py"), "{text}");
    }
}

/// What a program makes of its own beside what it changes.
const MADE: &str = "eslint-suppressions.json";

/// What a line writes with all that is below it, and does not read.
fn written_unread(text: &str) -> Vec<String> {
    let effects = of(&line(&[text]));
    let written = effects.paths.iter().filter(|it| it.access == FileAccess::Write && it.recursive);
    let is_read = |target: &Word| {
        let mut paths = effects.paths.iter();
        paths.any(|it| it.access == FileAccess::Read && it.recursive && it.target == *target)
    };
    let is_made = |target: &Word| target.literal() == Some(MADE);
    written
        .filter(|it| !is_read(&it.target) && !is_made(&it.target))
        .map(|it| format!("{text}: {:?}", it.target))
        .collect()
}

#[test]
fn what_is_changed_in_place_is_read() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (_, program) in tables().all() {
        let options = options(program);
        let changes = |uses: &OperandUse| matches!(uses, OperandUse::Keep("changes"));
        let stays = |uses: &OperandUse| matches!(uses, OperandUse::Looks("stays"));
        let mut given: Vec<String> = options
            .iter()
            .filter(|(_, takes, uses)| changes(uses) && *takes != OptionTakes::Value)
            .map(|(name, _, _)| spelled(program, *name))
            .collect();
        if options.iter().any(|(_, _, uses)| stays(uses)) {
            given.push(String::new());
        }
        for option in given {
            seen += 1;
            let call = call(program.path);
            for operand in ["", ".", "./", "src", "**/*.ts", "src/**/*.{js,ts}", "a b"] {
                let text = format!("{call} {option} {operand}");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                wrong.extend(written_unread(&text));
            }
        }
    }
    for text in [
        "cargo fmt",
        "cargo clippy --fix",
        "dotnet format",
        "go fmt ./...",
        "go vet -fix",
        "tsc",
        "tsc -p .",
    ] {
        wrong.extend(written_unread(text));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 20, "{seen}");
}
