//! Files of settings that no word of a command names: as symlinks, written by the line itself, and what they go on in.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};
use crate::skip::skipped;

/// A project without symlinks and secrets, and a home with one.
fn house(name: &str) -> House {
    let house = House::new(name);
    fs::remove_dir_all(house.root.join("project")).unwrap();
    for (file, text) in [
        ("home/.docker/config.json", "{\"auths\":{\"x\":\"SECRET{{{\"}}"),
        ("out/plain.txt", "plain [[["),
        ("project/.git/HEAD", "ref: refs/heads/main"),
        ("project/.git/config", "[core]"),
        ("project/src/a.py", "hi = 1\n"),
        ("project/src/a.js", "hi\n"),
        ("project/src/lib.rs", "// hi\n"),
        ("project/cfg/i", "!.env\n"),
    ] {
        house.put(file, text);
    }
    for folder in ["project/.git/objects", "project/.git/refs"] {
        fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    house
}

const PRESETS: [&str; 2] = ["read-only", "developer"];

/// Each program with a file that it reads.
const READ: &[(&str, &str)] = &[
    ("rg hi", ".ignore"),
    ("rg hi", ".rgignore"),
    ("rg hi", ".gitignore"),
    ("rg hi src", ".ignore"),
    ("rg hi src", "src/.ignore"),
    ("rg --files", "src/.gitignore"),
    ("rg -q hi", "src/.rgignore"),
    ("cd src && rg hi", ".ignore"),
    ("ag -D hi src", ".ignore"),
    ("tree --info", ".info"),
    ("tree --gitignore", "src/.gitignore"),
    ("mypy src/a.py", "mypy.ini"),
    ("mypy src/a.py", "setup.cfg"),
    ("python3 -m mypy src/a.py", "mypy.ini"),
    ("prettier --check src", ".prettierrc"),
    ("npx prettier --check src", ".prettierrc"),
    ("prettier --check src", "src/.editorconfig"),
    ("cargo tree", "Cargo.toml"),
    ("cargo tree", "Cargo.lock"),
    ("cargo check", ".cargo/config.toml"),
    ("cargo clippy", "clippy.toml"),
    ("cargo clippy", ".clippy.toml"),
    ("cargo nextest list", ".config/nextest.toml"),
    ("cargo fmt --check", "rustfmt.toml"),
    ("pyright", "pyproject.toml"),
    ("ruff check", "src/ruff.toml"),
    ("ruff check src", "ruff.toml"),
    ("black --check .", ".gitignore"),
    ("pylint src/a.py", ".pylintrc"),
    ("pytest", "setup.cfg"),
    ("jest", "jest.config.json"),
    ("clang-format -n src/a.js", ".clang-format"),
    ("biome check", "src/biome.json"),
    ("npm test", "package.json"),
    ("make", "Makefile"),
    ("find . -name '*.py' -exec rg hi {} +", ".ignore"),
    ("git ls-files | xargs rg hi", ".ignore"),
    ("timeout 5 rg hi src", "src/.ignore"),
    ("for i in 1; do rg hi; done", ".ignore"),
    ("sh -c 'rg hi'", ".ignore"),
    ("rg hi src/*", "src/.ignore"),
    ("rg hi src/a.py", ".ignore"),
    ("uv run ruff check", "ruff.toml"),
    ("poetry run mypy src/a.py", "mypy.ini"),
    ("bundle exec rubocop", ".rubocop.yml"),
    ("pnpm exec eslint src", ".eslintrc.json"),
    ("yarn exec prettier --check src", ".prettierrc"),
];

/// What a policy of all that is tried here says beside its deny.
fn denies(target: &str) -> String {
    own(&format!(
        r#"{{"effect":"allow","commands":["**"]}},{{"effect":"deny","reads":["{target}"]}}"#
    ))
}

#[test]
fn a_symlink_in_the_place_of_settings_is_read_by_what_they_tell() {
    let house = house("led-settings");
    house.put("project/cfg/own", "");
    house.put("project/cfg/own.json", "{}");
    let presets = PRESETS.map(|name| started(&house, name, "project"));
    let denied = started(&house, &denies("~/.docker/**"), "project");
    for (line, file) in READ {
        let link = house.root.join("project").join(file);
        let folder = link.parent().unwrap();
        let is_new = !folder.exists();
        fs::create_dir_all(folder).unwrap();
        let before = presets.each_ref().map(|policy| verdict(policy, "bash", line).0);
        let (effect, why) = verdict(&denied, "bash", line);
        assert_ne!(effect, Effect::Deny, "{line}: {why}");
        for (target, expected) in
            [("home/.docker/config.json", Effect::Deny), ("out/plain.txt", Effect::Ask)]
        {
            symlink(house.at(target), &link).unwrap();
            for policy in &presets {
                let (effect, why) = verdict(policy, "bash", line);
                assert_ne!(effect, Effect::Allow, "{line}, {file} -> {target}: {why}");
            }
            let (effect, why) = verdict(&denied, "bash", line);
            assert_eq!(effect, expected, "{line}, {file} -> {target}: {why}");
            // What the line writes besides makes no ask of a deny.
            let name = file.rsplit('/').next().unwrap();
            let more = format!("touch d/{name}; {line}");
            assert_eq!(verdict(&denied, "bash", &more).0, expected, "{more}");
            fs::remove_file(&link).unwrap();
        }
        // What stays in the project costs no question.
        let own = if file.ends_with(".json") { "project/cfg/own.json" } else { "project/cfg/own" };
        symlink(house.at(own), &link).unwrap();
        let after = presets.each_ref().map(|policy| verdict(policy, "bash", line).0);
        assert_eq!(after, before, "{line}, {file} -> {own}");
        fs::remove_file(&link).unwrap();
        if is_new {
            fs::remove_dir(folder).unwrap();
        }
    }
}

#[test]
fn a_folder_on_the_way_to_settings_is_a_symlink_as_well() {
    let house = house("led-folder");
    house.put("home/.docker/config.toml", "SECRET");
    let denied = started(&house, &denies("~/.docker/**"), "project");
    assert_ne!(verdict(&denied, "bash", "cargo check").0, Effect::Deny);
    symlink("../home/.docker", house.root.join("project/.cargo")).unwrap();
    assert_eq!(verdict(&denied, "bash", "cargo check").0, Effect::Deny);
    tried(&started(&house, "developer", "project"), &["cargo check"], &[]);
}

#[test]
fn what_the_user_set_up_is_no_clones() {
    let house = house("settings-of-user");
    house.put("home/work/p/.git/HEAD", "ref: refs/heads/main");
    house.put("home/work/p/src/a.py", "hi");
    for folder in ["objects", "refs"] {
        fs::create_dir_all(house.root.join("home/work/p/.git").join(folder)).unwrap();
    }
    symlink(house.at("out/plain.txt"), house.root.join("home/.ignore")).unwrap();
    tried(&started(&house, "read-only", "home/work/p"), &[], &["rg hi", "rg hi src"]);
}

#[test]
fn more_names_than_are_looked_through_are_asked_about() {
    let house = house("many-names");
    fs::create_dir_all(house.root.join("project/many")).unwrap();
    for number in 0..20_001 {
        fs::File::create(house.root.join(format!("project/many/{number}"))).unwrap();
    }
    let allowed = own(r#"{"effect":"allow","commands":["**"]}"#);
    let policy = started(&house, &allowed, "project");
    let asked = ["rg hi", "ruff check", "prettier --check .", "cargo check"];
    tried(&policy, &asked, &["rg hi src"]);
    // What `.gitignore` leaves out prettier passes over.
    fs::rename(house.root.join("project/many"), house.root.join("project/target")).unwrap();
    tried(&policy, &["prettier --check ."], &["rg hi src", "cargo check"]);
    house.put("project/.gitignore", "/target\n");
    tried(&policy, &["prettier --check ."], &["rg hi src"]);
    house.put("project/.gitignore", "# made\ntarget/\n");
    tried(&policy, &[], &["prettier --check .", "rg hi src"]);
}

#[test]
fn a_protected_file_in_the_place_of_settings_is_read() {
    let house = house("led-to-env");
    house.put("project/.env", "TOKEN=x");
    symlink(".env", house.root.join("project/src/.ignore")).unwrap();
    for name in PRESETS {
        tried(&started(&house, name, "project"), &["rg hi", "rg hi src"], &["ls src"]);
    }
    let (effect, why) =
        verdict(&started(&house, &denies("**/.env"), "project"), "bash", "rg hi src");
    assert_eq!(effect, Effect::Deny, "{why}");
}

#[test]
fn settings_that_the_line_itself_writes_are_not_known() {
    let house = house("brought-settings");
    house.put("project/.env", "TOKEN=x");
    house.put("project/package.json", "{}");
    let denied = own(
        r#"{"effect":"allow","commands":["**"],"writes":["${project}/**"]},{"effect":"deny","reads":["**/.env"]}"#,
    );
    for name in ["developer", denied.as_str()] {
        tried(
            &started(&house, name, "project"),
            &[
                "echo '!.env' > .ignore; rg T .",
                "echo '!.env' > src/.ignore; rg T .",
                "cp cfg/i .ignore && rg T",
                "cp cfg/i src/.rgignore && rg T",
                "cat cfg/i | tee .ignore; rg T .",
                "sed -i 's/a/!.env/' .gitignore; rg T .",
                "sed -n 'w .ignore' cfg/i; rg T .",
                "awk '{ print > \".ignore\" }' cfg/i; rg T .",
                "sort -o .ignore cfg/i; rg T .",
                "touch .ignore; rg T .",
                "echo '!.env' > .ignore & rg T .",
                "echo '!.env' | tee .ignore | rg T .",
                "for i in 1 2; do rg T .; echo '!.env' > .ignore; done",
                "mv cfg/i .ignore && rg T .",
                "git mv cfg/i .ignore && rg T .",
                "ln -s ../out/plain.txt .ignore && rg T .",
                "cp cfg/.ignore . && rg T .",
                "cp -r cfg/. . && rg T .",
                "cp -t . cfg/.ignore && rg T .",
                "cp cfg/p package.json; npm ls",
                "echo x > biome.json; biome check",
                "echo '{\"packageManager\":\"a\"}' > package.json; yarn test",
            ],
            &["echo x > a.txt; rg T src", "cp cfg/i cfg/j && rg T src"],
        );
    }
}

#[test]
fn files_of_patterns_of_the_user_take_hidden_files_in_again() {
    let house = house("patterns-of-user");
    house.put("project/.env", "TOKEN=x");
    let policy = started(&house, "read-only", "project");
    tried(&policy, &[], &["rg T ./"]);
    for (file, text) in [
        (".config/git/ignore", "!.env\n"),
        (".gitconfig", "[core]\n\texcludesFile = ~/patterns\n"),
        (".config/git/config", "[core]\n\texcludesfile = \"~/patterns\"\n"),
        (".gitconfig", "[core]\n\texcludesFile = patterns\n"),
    ] {
        house.put("home/patterns", "!.env\n");
        house.put(&format!("home/{file}"), text);
        tried(&policy, &["rg T ./", "rg T"], &["rg T src"]);
        house.put("home/patterns", "node_modules\n");
        if text.contains("~/") {
            tried(&policy, &[], &["rg T ./"]);
        }
        fs::remove_file(house.root.join("home").join(file)).unwrap();
    }
}

#[test]
fn what_settings_go_on_in_is_read() {
    let house = house("extended");
    let denied = denies("~/.docker/**");
    for (file, line) in [
        ("biome.json", "biome check"),
        ("src/biome.json", "biome check src"),
        ("src/biome.jsonc", "biome lint"),
        ("pyrightconfig.json", "pyright"),
        (".eslintrc.json", "eslint src"),
        (".eslintrc", "eslint src"),
    ] {
        let put = |text: &str| house.put(&format!("project/{file}"), text);
        let up = if file.starts_with("src") { "../.." } else { ".." };
        let harmless =
            ["{}", "{\"extends\":[\"./cfg/other.json\"]}", "{\"extends\":[\"a-package\"]}"];
        let before: Vec<_> = PRESETS
            .iter()
            .map(|name| verdict(&started(&house, name, "project"), "bash", line).0)
            .collect();
        for text in harmless {
            put(text);
            let after: Vec<_> = PRESETS
                .iter()
                .map(|name| verdict(&started(&house, name, "project"), "bash", line).0)
                .collect();
            assert_eq!(before, after, "{line}: {text}");
        }
        for text in [
            format!("{{\"extends\":[\"{up}/home/.docker/config.json\"]}}"),
            format!("{{\"extends\":\"{up}/home/.docker/config.json\"}}"),
            format!("{{\"extends\":[\"{}\"]}}", house.at("home/.docker/config.json")),
        ] {
            put(&text);
            let (effect, why) = verdict(&started(&house, &denied, "project"), "bash", line);
            assert_eq!(effect, Effect::Deny, "{line}: {text}: {why}");
            for name in PRESETS {
                let (effect, why) = verdict(&started(&house, name, "project"), "bash", line);
                assert_ne!(effect, Effect::Allow, "{name}: {line}: {text}: {why}");
            }
        }
        put("{\"extends\":[\"./more.json\"]}");
        let folder = Path::new(file).parent().unwrap().to_str().unwrap();
        let more = format!("project/{folder}/more.json");
        house.put(&more, format!("{{\"extends\":[\"{up}/home/.docker/config.json\"]}}"));
        let (effect, why) = verdict(&started(&house, &denied, "project"), "bash", line);
        assert_eq!(effect, Effect::Deny, "{line}, through another: {why}");
        fs::remove_file(house.root.join(more)).unwrap();
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    let key = format!("{{\"extends\":\"{}\"}}", "../home/.docker/config.json");
    for (file, text) in [
        (".eslintrc.json", format!("{{\"overrides\":[{key}]}}")),
        ("package.json", format!("{{\"eslintConfig\":{key}}}")),
        (".eslintrc.yml", "extends: ../home/.docker/config.json".to_owned()),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&started(&house, "developer", "project"), &["eslint src"], &["ls"]);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
}

#[test]
fn the_list_of_commits_that_git_blame_passes_over_is_read() {
    let house = house("ignored-revisions");
    house.put("home/.gitconfig", "[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n");
    house.put("project/.git-blame-ignore-revs", "");
    let denied =
        own(r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["~/.docker/**"]}"#);
    let lines = ["git blame src/a.py", "git annotate src/a.py", "cd src && git blame a.py"];
    tried(&started(&house, "read-only", "project"), &[], &lines[..1]);
    let link = house.root.join("project/.git-blame-ignore-revs");
    fs::remove_file(&link).unwrap();
    symlink("../home/.docker/config.json", &link).unwrap();
    for line in lines {
        let (effect, why) = verdict(&started(&house, &denied, "project"), "bash", line);
        assert_eq!(effect, Effect::Deny, "{line}: {why}");
        for name in PRESETS {
            assert_ne!(verdict(&started(&house, name, "project"), "bash", line).0, Effect::Allow);
        }
    }
    // Without that setting git reads no such file.
    fs::remove_file(house.root.join("home/.gitconfig")).unwrap();
    tried(&started(&house, "read-only", "project"), &[], &lines[..1]);
}

#[test]
fn programs_print_what_they_do_not_understand_of_such_a_file() {
    for (words, file) in [
        (&["rg", "hi"][..], ".ignore"),
        (&["rg", "hi", "src"], "src/.rgignore"),
        (&["tree", "--info"], ".info"),
        (&["mypy", "src/a.py"], "mypy.ini"),
        (&["ruff", "check", "--no-cache"], "src/ruff.toml"),
        (&["prettier", "--check", "src"], ".prettierrc"),
        (&["cargo", "tree"], "Cargo.toml"),
    ] {
        let house = house(&format!("printed-{}-{}", words[0], file.replace('/', "-")));
        house.put("home/.docker/config.json", "SECRET{{{ [a\n\tSECRET\n");
        let project = house.root.join("project");
        symlink(house.at("home/.docker/config.json"), project.join(file)).unwrap();
        let ran = Command::new(words[0]).args(&words[1..]).current_dir(&project).output();
        let Ok(output) = ran else {
            skipped(format!("{} is not on this machine", words[0]));
            continue;
        };
        let text = [output.stdout, output.stderr].concat();
        eprintln!(
            "{words:?} with {file}: printed {}",
            String::from_utf8_lossy(&text).contains("SECRET")
        );
        let line = words.join(" ");
        let denied = started(&house, &denies("~/.docker/**"), "project");
        assert_eq!(verdict(&denied, "bash", &line).0, Effect::Deny, "{line}");
    }
}

#[test]
fn settings_that_a_program_reads_otherwise_than_they_look_ask() {
    let house = house("otherwise");
    fs::create_dir_all(house.root.join("project/conf/deep/a/b")).unwrap();
    house.put("project/a.ts", "");
    let outside =
        r#"{"compilerOptions":{"incremental":true,"tsBuildInfoFile":"../../victim.txt"}}"#;
    house.put("project/conf/deep/real.json", outside);
    house.put("project/conf/deep/a/b/tsconfig.json", outside);
    symlink("conf/deep/real.json", house.root.join("project/link.json")).unwrap();
    symlink("conf/deep/a/b", house.root.join("project/pkg")).unwrap();
    house.put("project/base.json", "{}");
    house.put("project/node_modules/it/package.json", "{}");
    house.put("project/node_modules/it/sub.json", "{}");
    house.put("project/node_modules/it/sub/package.json", r#"{"tsconfig":"evil.json"}"#);
    house
        .put("project/node_modules/typed/package.json", r#"{"typesVersions":{"*":{"*":["x/*"]}}}"#);
    house.put("project/node_modules/typed/base.json", "{}");
    house.put(
        "project/node_modules/long/package.json",
        format!("{{\"a\":\"{}\"}}", "x".repeat(300_000)),
    );
    house.put("project/node_modules/long/base.json", "{}");
    let developer = started(&house, "developer", "project");
    let begins = |settings: &str| house.put("project/tsconfig.json", settings);
    begins(r#"{"extends":"./base.json","files":["a.ts"]}"#);
    tried(
        &developer,
        &[
            "tsc --noEmit -p link.json",
            "tsc --noEmit -p pkg",
            "tsc -b --noEmit pkg",
            "tsc --noEmit --noEmit false",
            "tsc -b --noEmit --noEmit false",
            "tsc -b -v",
            "tsc --build -v .",
            "tsc -b . --showConfig",
            "tsc --NoEmit --noemit FALSE",
            "cp evil.txt base.json && tsc --noEmit",
        ],
        &[
            "tsc --noEmit",
            "tsc --noEmit --noEmit",
            "echo '{}' > x.json && tsc --noEmit",
            "prettier --write . && tsc --noEmit",
            "eslint --fix . && tsc --noEmit",
        ],
    );
    for settings in [
        r#"{"extends":"./link.json","files":["a.ts"]}"#,
        r#"{"references":[{"path":"./pkg"}],"files":["a.ts"]}"#,
        r#"{"extends":"it/sub","files":["a.ts"]}"#,
        r#"{"extends":"typed/base.json","files":["a.ts"]}"#,
        r#"{"extends":"long/base.json","files":["a.ts"]}"#,
        "{\"files\":[\"a.ts\"], // \u{2028} \"compilerOptions\":{\"tsBuildInfoFile\":\"../x\",\"incremental\":true}\n}",
    ] {
        begins(settings);
        tried(&developer, &["tsc --noEmit", "tsc -b --noEmit"], &["tsc --version"]);
    }
    let evil = r#"{"compilerOptions":{"incremental":true,"tsBuildInfoFile":"../victim.txt"}}"#;
    for (file, text) in [
        ("conf/evil", evil),
        ("conf/evil.JSON", evil),
        ("conf/evil.json", evil),
        (r".\conf\evil.json", "{}"),
        (".evil/tsconfig.json", "{}"),
        ("node_modules/.evil/tsconfig.json", evil),
        ("node_modules/self/base.json", "{}"),
        ("node_modules/#x.json", "{}"),
    ] {
        house.put(&format!("project/{file}"), text);
    }
    for settings in [
        r#"{"extends":".\\conf\\evil.json","files":["a.ts"]}"#,
        r#"{"references":[{"path":".\\conf"}],"files":["a.ts"]}"#,
        r#"{"extends":".evil/tsconfig.json","files":["a.ts"]}"#,
        r#"{"references":[{"path":"./src","path":"./pkg"}],"files":["a.ts"]}"#,
        r##"{"extends":"#x.json","files":["a.ts"]}"##,
        "{\"files\":[\"a.ts\"],\"zz\":\"\n,'compilerOptions':{'incremental':true,'tsBuildInfoFile':'../x'},'y':\n\"}",
        r#"{"files":["a.ts"],"compilerOptions":{"incremental":true,"outDir":"./o1","rootDir":"${configDir}../../project/x"}}"#,
    ] {
        begins(settings);
        tried(&developer, &["tsc --noEmit", "tsc -b --noEmit"], &["tsc --version"]);
    }
    begins(r#"{"files":["a.ts"],"compilerOptions":{"generateTrace":"../trace"}}"#);
    tried(&developer, &["tsc --listFilesOnly", "tsc --noEmit"], &["tsc --showConfig"]);
    begins(r#"{"extends":"self/base.json","files":["a.ts"]}"#);
    tried(&developer, &[], &["tsc --noEmit"]);
    house.put(
        "project/package.json",
        r#"{"name":"self","exports":{"./base.json":"./conf/evil.json"}}"#,
    );
    tried(&developer, &["tsc --noEmit"], &["tsc --version"]);
    begins(r#"{"files":["a.ts"]}"#);
    tried(
        &developer,
        &[
            "tsc --noEmit -p conf/evil",
            "tsc --noEmit --project conf/evil.JSON",
            "tsc -b --noEmit conf/evil",
        ],
        &["tsc --noEmit", "tsc --noEmit a.ts"],
    );

    begins(r#"{"extends":"./base","files":["a.ts"]}"#);
    tried(&developer, &["cp evil.txt base && tsc --noEmit"], &["tsc --noEmit"]);
    house.put("project/base", "x".repeat(300_000));
    tried(&developer, &["tsc --noEmit"], &["tsc --version"]);
    house.put("project/base", [0xff, 0xfe, 0x7b, 0]);
    tried(&developer, &["tsc --noEmit"], &["tsc --version"]);

    for (file, text, line) in [
        ("mypy.ini", "[mypy]\nexclude = x\rjunit_xml = ../x", "mypy src/a.py"),
        ("mypy.ini", "[mypy]\n  exclude = x\n  junit_xml = ../x", "mypy src/a.py"),
        (".prettierrc.json5", "{a: 1, // \u{2028} \"parser\": \"babel\"\n}", "prettier ."),
        (".rubocop.yml", "# c\rAllCops:\r  Include: [\".env\"]", "rubocop"),
        (".rubocop", "-A --out /tmp/x", "rubocop"),
        (".flake8", "[flake8]\nfilename = *.env", "flake8"),
        (".flake8", "[flake8]\noutput-file = ../x", "python -m flake8 src"),
        (".isort.cfg", "[settings]\nsupported_extensions = env", "isort --check ."),
        (".pylintrc", "[MAIN]\noutput = ../x", "pylint src"),
        (
            "target/.prettierrc",
            r#"{"overrides":[{"files":"*.env","options":{"parser":"babel"}}]}"#,
            "prettier .",
        ),
        (".npmrc", "; x\rregistry=http://127.0.0.1:1/\rcache=/tmp/q\n", "npm ls"),
    ] {
        tried(&developer, &[], &[line]);
        house.put(&format!("project/{file}"), text);
        tried(&developer, &[line], &["ls"]);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
}
