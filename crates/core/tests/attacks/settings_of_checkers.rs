//! Settings of checkers and formatters that say more than they look to, each as a real program took them.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::policy::{Effect, Policy};

use crate::house::{House, own, started, tried, verdict};

/// A project without symlinks and secrets.
pub(crate) fn house(name: &str) -> House {
    let house = House::new(name);
    fs::remove_dir_all(house.root.join("project")).unwrap();
    for (file, text) in [
        ("project/.git/HEAD", "ref: refs/heads/main"),
        ("project/.git/config", "[core]"),
        ("project/a.py", "hi = 1\n"),
        ("project/a.ts", "export {}\n"),
        ("project/src/a.js", "hi\n"),
    ] {
        house.put(file, text);
    }
    for folder in ["project/.git/objects", "project/.git/refs", "project/.git/hooks"] {
        fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    house
}

/// A file of settings with which these lines ask, and without which they run.
pub(crate) fn asks_with(house: &House, policy: &Policy, file: &str, text: &str, lines: &[&str]) {
    tried(policy, &[], lines);
    house.put(&format!("project/{file}"), text);
    let allowed: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| verdict(policy, "bash", line).0 == Effect::Allow)
        .collect();
    assert!(allowed.is_empty(), "{file}: {text}: {allowed:?}");
    fs::remove_file(house.root.join("project").join(file)).unwrap();
}

#[test]
fn isort_writes_a_file_beside_each_that_it_changes() {
    let house = house("isorted");
    house.put("project/b.py", "");
    house.put("project/secret/k.py", "");
    house.put("project/src/c.py", "");
    house.put("project/out.txt", "");
    let policy = started(&house, "developer", "project");
    let lines = ["isort a.py", "isort src", "isort .", "python -m isort a.py"];
    tried(&policy, &[], &lines);
    for (link, target, line) in [
        ("a.py.isorted", "../out/victim.txt", "isort a.py"),
        ("a.py.isorted", ".git/hooks/pre-commit", "isort ./a.py"),
        ("a.py.isorted", ".git/hooks/pre-commit", "isort *.py"),
        ("src/c.py.isorted", "../.git/hooks/pre-commit", "isort src"),
        ("src/c.py.isorted", "../../out/victim.txt", "isort ."),
    ] {
        let link = house.root.join("project").join(link);
        symlink(target, &link).unwrap();
        tried(&policy, &[line], &["isort -c a.py"]);
        fs::remove_file(&link).unwrap();
    }
    // Through symlinks to folders and to files, too.
    for (link, target) in [("sub/x", "../src"), ("sub/l.py", "../src/c.py")] {
        let link = house.root.join("project").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, &link).unwrap();
        tried(&policy, &[], &["isort sub"]);
        let made = house.root.join("project/src/c.py.isorted");
        symlink("../.git/hooks/pre-commit", &made).unwrap();
        tried(&policy, &["isort sub"], &["isort -c sub"]);
        fs::remove_file(&made).unwrap();
        fs::remove_file(&link).unwrap();
    }
    let denied =
        r#"{"version":1,"default":"allow","rule":[{"effect":"deny","writes":["**/secret/**"]}]}"#;
    symlink("secret/k.py", house.root.join("project/b.py.isorted")).unwrap();
    let denied = started(&house, denied, "project");
    assert_eq!(verdict(&denied, "bash", "isort b.py").0, Effect::Deny);
    assert_eq!(verdict(&denied, "bash", "isort a.py").0, Effect::Allow);
}

#[test]
fn rustfmt_with_a_backup_writes_another_file_beside_each() {
    let house = house("backup");
    house.put("project/a.rs", "fn main() {}\n");
    house.put("project/Cargo.toml", "[package]\nname = \"x\"\n");
    let policy = started(&house, "developer", "project");
    tried(
        &policy,
        &[],
        &["cargo fmt", "cargo fmt -- --config max_width=100,tab_spaces=2", "rustfmt --check a.rs"],
    );
    symlink(".git/hooks/pre-commit", house.root.join("project/a.tmp")).unwrap();
    tried(
        &policy,
        &[
            "cargo fmt -- --backup",
            "cargo fmt -- --config make_backup=true",
            "cargo fmt -- --config=max_width=100,make_backup=true",
        ],
        &["rustfmt --check a.rs"],
    );
}

#[test]
fn prettier_keeps_its_cache_in_a_file_of_the_nearest_package() {
    let house = house("prettier-cache");
    let policy = started(&house, "developer", "project");
    // Without a package it lies above the project, or in the folder for temporary files.
    tried(&policy, &["prettier --cache ."], &["prettier ."]);
    house.put("project/package.json", "{}");
    fs::create_dir_all(house.root.join("project/sub/package.json")).unwrap();
    tried(&policy, &["cd sub && prettier --cache ."], &[]);
    fs::remove_dir(house.root.join("project/sub/package.json")).unwrap();
    tried(&policy, &[], &["prettier --cache .", "cd src && prettier --cache ."]);
    let cache = house.root.join("project/node_modules/.cache/prettier/.prettier-cache");
    fs::create_dir_all(cache.parent().unwrap()).unwrap();
    symlink(house.at("out/victim.txt"), &cache).unwrap();
    tried(
        &policy,
        &["prettier --cache .", "prettier --cache a.ts", "cd src && prettier --cache ."],
        &["prettier ."],
    );
}

#[test]
fn settings_of_python_tools_are_known_by_their_whole_name_and_kind() {
    let house = house("python-settings");
    house.put("project/secret/k.ts", "");
    let policy = started(&house, "developer", "project");
    for (file, text, lines) in [
        (
            "mypy.ini",
            "[mypy]\ninstall_types = True\nnon_interactive = True",
            ["mypy a.py", "mypy ."],
        ),
        ("mypy.ini", "[mypy]\nfiles = l\n  k", ["mypy", "mypy a.py"]),
        ("mypy.ini", "[mypy]\nfiles = a.py,*/k.ts\npretty = true", ["mypy", "mypy a.py"]),
        ("mypy.ini", "[mypy]\nfiles = $HOME/x", ["mypy", "mypy a.py"]),
        ("mypy.ini", "[mypy]\nplugins = ../x.py", ["mypy", "mypy a.py"]),
        ("mypy.ini", "[mypy]\npdb = true", ["mypy", "mypy a.py"]),
        ("pyproject.toml", "[tool.mypy]\nlinecount_report = 1", ["mypy a.py", "mypy ."]),
        ("pyproject.toml", "[tool.mypy]\nany_exprs_report = true", ["mypy a.py", "mypy ."]),
        ("pyproject.toml", "[tool.mypy]\nfiles = ['l,k']\npretty = true", ["mypy", "mypy a.py"]),
        (
            ".pylintrc",
            "[DEFAULT]\nfoo-names=\n[MAIN]\njobs=%(foo-names)s--output-format=json:../p",
            ["pylint a.py", "pylint src"],
        ),
        (".pylintrc", "[MAIN]\nerrors-only=yes", ["pylint a.py", "pylint src"]),
        (".pylintrc", "[MAIN]\ninit-hook=import os", ["pylint a.py", "pylint src"]),
        (".pylintrc", "[REPORTS]\nevaluation=__import__('os')", ["pylint a.py", "pylint src"]),
        (
            "pyproject.toml",
            "[tool.pylint.main]\n\"output-format=json:../t-format\" = 'a.py'",
            ["pylint a.py", "pylint src"],
        ),
        (".flake8", "[flake8:local-plugins]\npaths = ../x", ["flake8", "flake8 a.py"]),
        (".isort.cfg", "[settings]\nadd_imports = import evil", ["isort .", "isort a.py"]),
        (
            "pyproject.toml",
            "[tool.isort]\nimport_heading_stdlib = \"x\\nimport evil\"",
            ["isort .", "isort a.py"],
        ),
        (".editorconfig", "[*.py]\nsomething_new = x", ["isort .", "isort a.py"]),
    ] {
        asks_with(&house, &policy, file, text, &lines);
    }
    // Code of the project is its own.
    symlink("../out/evil.py", house.root.join("project/led.py")).unwrap();
    house.put("out/evil.py", "");
    for (file, text, line) in [
        ("mypy.ini", "[mypy]\nplugins = led", "mypy a.py"),
        (".pylintrc", "[MAIN]\nload-plugins=x,led", "pylint src"),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, &[line], &[]);
        house.put(&format!("project/{file}"), text.replace("led", "own"));
        tried(&policy, &[], &[line]);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    house.put("project/evil/pylintrc", "[REPORTS]\noutput-format=json:../p");
    house.put("project/$PWD/evil/pylintrc", "[MAIN]\njobs=1");
    house.put("project/conf/pylintrc", "[MAIN]\njobs=1");
    tried(
        &policy,
        &["pylint --rcfile='$PWD/evil/pylintrc' a.py", "pylint --rcfile=evil/pylintrc a.py"],
        &["pylint --rcfile=conf/pylintrc a.py"],
    );
}

#[test]
fn what_a_deny_names_is_met_by_what_settings_name() {
    let house = house("denied-by-settings");
    for file in ["secret/k.py", "secret/k.ts", "secret/x.cfg"] {
        house.put(&format!("project/{file}"), "");
    }
    let denied = own(
        r#"{"effect":"allow","commands":["mypy","prettier","isort"],"writes":["/**"]},{"effect":"deny","reads":["**/secret/**"]}"#,
    );
    let policy = started(&house, &denied, "project");
    for (file, text, line) in [
        (
            ".prettierrc",
            r#"{"overrides":[{"files":"*.py","options":{"parser":"babel"}}]}"#,
            "prettier src",
        ),
        ("mypy.ini", "[mypy]\nfiles = a.py,*/k.ts", "mypy a.py"),
        ("mypy.ini", "[mypy]\nfiles = secret/k.ts", "mypy a.py"),
        ("mypy.ini", "[mypy]\nfiles = secret/x.cfg", "mypy a.py"),
        ("mypy.ini", "[mypy]\nfiles = */*.py", "mypy a.py"),
    ] {
        house.put(&format!("project/{file}"), text);
        let (effect, why) = verdict(&policy, "bash", line);
        assert_ne!(effect, Effect::Allow, "{text}: {why}");
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
}

#[test]
fn prettier_takes_no_other_files_for_sources_unasked() {
    let house = house("prettier-settings");
    house.put("project/prod.env", "TOKEN=x");
    house.put("project/target/a.js", "");
    house.put("project/.gitignore", "target\n");
    house.put("project/.prettierignore", "");
    let policy = started(&house, "developer", "project");
    let parser = |files: &str| {
        format!(r#"{{"overrides":[{{"files":"{files}","options":{{"parser":"babel"}}}}]}}"#)
    };
    for files in ["*.env|x.ts", "*.py", "*", "@(*.env).ts", "!x.ts", "*.{ts,env}", "\\\\*.ts"] {
        asks_with(&house, &policy, ".prettierrc", &parser(files), &["prettier ."]);
    }
    for text in [
        r#"{"plugins":["../x.mjs"]}"#,
        r#"{"plugins":["./x.mjs"]}"#,
        r#"{"somethingNew":true}"#,
        "semi: false\noverrides: [{files: x, options: {parser: babel}}]",
        "semi: false # x",
    ] {
        asks_with(&house, &policy, ".prettierrc", text, &["prettier ."]);
    }
    let line =
        ["prettier --ignore-path .prettierignore .", "prettier --ignore-path=.prettierignore ."];
    tried(&policy, &[], &line);
    house.put("project/target/.prettierrc", parser("*.env"));
    tried(&policy, &line, &["prettier ."]);
}

#[test]
fn eslint_loads_and_changes_what_its_settings_say() {
    let house = house("eslint-settings");
    house.put("outside-evil.js", "");
    house.put("project/node_modules/eslint-config-own/index.js", "");
    let policy = started(&house, "developer", "project");
    let lines = ["eslint src", "eslint ."];
    for (file, text) in [
        (
            ".eslintrc.yaml",
            "{\"settings\": {\"a\": 1, // : 1}, extends: ../outside-evil.js, globals: {\n}}",
        ),
        (".eslintrc.yml", "extends: ../outside-evil.js"),
        (".eslintrc.json", r#"{"root":true,"parser":"../outside-evil.js"}"#),
        (".eslintrc.json", r#"{"root":true,"parser":"../outside-evil"}"#),
        (".eslintrc.json", r#"{"overrides":[{"files":["*.env"]}]}"#),
        (".eslintrc.json", r#"{"overrides":[{"files":["*.js"],"parser":"../outside-evil.js"}]}"#),
        (".eslintrc.json", r#"{"somethingNew":"x"}"#),
        ("package.json", r#"{"eslintConfig":{"parser":"../outside-evil.js"}}"#),
    ] {
        asks_with(&house, &policy, file, text, &lines);
    }
    for name in ["eslint-config-x", "eslint-plugin-x", "@s/eslint-config", "x"] {
        let link = house.root.join("project/node_modules").join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(house.at("outside-evil.js"), &link).unwrap();
        for text in [
            r#"{"extends":"x"}"#,
            r#"{"plugins":["x"]}"#,
            r#"{"parser":"x"}"#,
            r#"{"extends":"@s"}"#,
        ] {
            house.put("project/.eslintrc.json", text);
            tried(&policy, &lines, &[]);
        }
        fs::remove_file(&link).unwrap();
    }
    house.put("project/.eslintrc.json", r#"{"extends":"own"}"#);
    tried(&policy, &[], &lines);
    // The line itself brings what they go on in.
    house.put("project/evil.json", r#"{"parser":"../outside-evil.js"}"#);
    house.put("project/.eslintrc.json", r#"{"extends":"./more.json"}"#);
    tried(
        &policy,
        &["cp evil.json more.json && eslint src", "cp evil.json x.json && eslint -c x.json src"],
        &["eslint src", "cp evil.json x.json && eslint src"],
    );
    // What it passes over by itself it takes in again.
    fs::create_dir_all(house.root.join("project/node_modules/p")).unwrap();
    symlink(house.at("outside-evil.js"), house.root.join("project/node_modules/p/l.js")).unwrap();
    let fix = ["eslint --fix .", "eslint . --fix", "eslint -f json ."];
    tried(
        &policy,
        &[
            "eslint --fix --ignore-pattern '!node_modules/*' .",
            "eslint --ignore-pattern='!node_modules/*' --fix .",
        ],
        &["eslint --fix --ignore-pattern 'dist/*' ."],
    );
    for (file, text) in [
        (".eslintrc.json", r#"{"ignorePatterns":["!node_modules/*"]}"#),
        (".eslintrc.json", r#"{"ignorePatterns":"!node_modules/*"}"#),
        (".eslintignore", "a\n!node_modules/*\n"),
        ("package.json", r#"{"eslintIgnore":["!node_modules/*"]}"#),
    ] {
        let _ = fs::remove_file(house.root.join("project/.eslintrc.json"));
        house.put(&format!("project/{file}"), text);
        tried(&policy, &fix, &["eslint ."]);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
}

#[test]
fn oxlint_loads_plugins_that_are_code() {
    let house = house("oxlint-settings");
    let policy = started(&house, "developer", "project");
    for text in [
        r#"{"jsPlugins":["../outside-ox.mjs"]}"#,
        r#"{"overrides":[{"files":["*.js"],"jsPlugins":["../outside-ox.mjs"]}]}"#,
    ] {
        asks_with(&house, &policy, ".oxlintrc.json", text, &["oxlint", "oxlint src"]);
        asks_with(&house, &policy, "src/.oxlintrc.json", text, &["oxlint src"]);
        house.put("project/conf/x.json", text);
        asks_with(
            &house,
            &policy,
            ".oxlintrc.json",
            r#"{"extends":["./conf/x.json"]}"#,
            &["oxlint src"],
        );
    }
}

#[test]
fn more_names_than_are_looked_through_are_asked_about_also_in_folders_of_products() {
    let house = house("many-products");
    house.put("project/src/b.py", "");
    for number in 0..20_001 {
        let file = house.root.join(format!("project/dist/{number}"));
        if number == 0 {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        fs::File::create(file).unwrap();
    }
    let allowed = own(r#"{"effect":"allow","commands":["**"]}"#);
    let policy = started(&house, &allowed, "project");
    let sorted = "clang-format -n src/a.js";
    tried(&policy, &["eslint .", "black --check .", "oxlint ."], &["eslint src", sorted]);
    house.put("project/.gitignore", "/dist\n");
    tried(&policy, &["eslint .", "oxlint . --no-ignore"], &["black --check ."]);
    fs::rename(house.root.join("project/dist"), house.root.join("project/node_modules")).unwrap();
    tried(&policy, &["black --check ."], &["eslint ."]);
    house.put("project/.gitignore", "/node_modules\n!.yarn/patches\n");
    tried(&policy, &[], &["black --check .", "eslint ."]);
}

#[test]
fn the_compiler_writes_to_plain_places_alone_unasked() {
    let house = house("compiler-places");
    fs::create_dir_all(house.root.join("project/src/a")).unwrap();
    let policy = started(&house, "developer", "project");
    let lines = ["tsc --noEmit", "tsc -b --noEmit"];
    let project = house.root.join("project");
    // Linked settings.
    house.put("project/real.json", r#"{"compilerOptions":{"incremental":true,"noEmit":true}}"#);
    symlink("../out/victim.txt", project.join("tsconfig.tsbuildinfo")).unwrap();
    symlink("real.json", project.join("tsconfig.json")).unwrap();
    tried(&policy, &lines, &["tsc --version"]);
    fs::remove_file(project.join("tsconfig.json")).unwrap();
    symlink("real.json", project.join("base.json")).unwrap();
    house.put("project/tsconfig.json", r#"{"extends":"./base.json","files":["a.ts"]}"#);
    tried(&policy, &lines, &["tsc --version"]);
    fs::remove_file(project.join("tsconfig.tsbuildinfo")).unwrap();
    // A drive, as tsc takes it on each system.
    symlink("../out", project.join("c:")).unwrap();
    house.put("project/conf/c:/x.tsbuildinfo", "");
    house.put(
        "project/conf/tsconfig.json",
        r#"{"compilerOptions":{"incremental":true,"tsBuildInfoFile":"c:/x.tsbuildinfo"},"files":["../a.ts"]}"#,
    );
    tried(&policy, &["tsc --noEmit -p conf"], &["tsc --version"]);
    house.put("project/sub/tsconfig.json", r#"{"references":[{"path":"c:/e"}],"files":[]}"#);
    house.put("project/sub/c:/e/tsconfig.json", "{}");
    tried(&policy, &["tsc -b sub --noEmit"], &["tsc --version"]);
    // Another case.
    fs::create_dir_all(project.join("out")).unwrap();
    symlink("../../out", project.join("out/a")).unwrap();
    house.put(
        "project/src/a/tsconfig.json",
        r#"{"compilerOptions":{"incremental":true,"rootDir":"../../SRC","outDir":"../../out"},"files":["a.ts"]}"#,
    );
    tried(&policy, &["tsc --noEmit -p src/a"], &["tsc --version"]);
    for options in [
        r#""incremental":true,"tsBuildInfoFile":"a.ts""#,
        r#""incremental":true,"outFile":"x.js""#,
        r#""incremental":true,"outDir":"x/$y""#,
        r#""incremental":true,"outDir":"x\\y""#,
    ] {
        house.put("project/tsconfig.json", format!("{{\"compilerOptions\":{{{options}}}}}"));
        tried(&policy, &lines, &["tsc --version"]);
    }
}

#[test]
fn a_folder_called_like_a_variable_of_the_compiler_is_one_to_older_versions() {
    let house = house("compiler-variable");
    let policy = started(&house, "developer", "project");
    house.put(
        "project/tsconfig.json",
        r#"{"compilerOptions":{"incremental":true,"tsBuildInfoFile":"${configDir}/x.tsbuildinfo"}}"#,
    );
    tried(&policy, &[], &["tsc --noEmit"]);
    symlink("../out", house.root.join("project/${configDir}")).unwrap();
    tried(&policy, &["tsc --noEmit", "tsc -b --noEmit"], &["tsc --version"]);
}

/// What projects of these kinds have, as their makers write it.
#[test]
fn the_usual_settings_of_projects_cost_no_question() {
    let house = house("usual-settings");
    let policy = started(&house, "developer", "project");
    house.put("project/vite.config.ts", "");
    for (files, lines) in USUAL {
        for (file, text) in *files {
            house.put(&format!("project/{file}"), text);
        }
        tried(&policy, &[], lines);
        for (file, _) in *files {
            fs::remove_file(house.root.join("project").join(file)).unwrap();
        }
    }
}

type UsualSettings = (&'static [(&'static str, &'static str)], &'static [&'static str]);

const USUAL: &[UsualSettings] = &[
    (
        &[
            (
                "tsconfig.json",
                r#"{"files":[],"references":[{"path":"./tsconfig.app.json"},{"path":"./tsconfig.node.json"}]}"#,
            ),
            (
                "tsconfig.app.json",
                r#"{"compilerOptions":{"tsBuildInfoFile":"./node_modules/.tmp/tsconfig.app.tsbuildinfo","target":"ES2022","useDefineForClassFields":true,"lib":["ES2022","DOM","DOM.Iterable"],"module":"ESNext","skipLibCheck":true,
                /* Bundler mode */ "moduleResolution":"bundler","allowImportingTsExtensions":true,"verbatimModuleSyntax":true,"moduleDetection":"force","noEmit":true,"jsx":"react-jsx",
                /* Linting */ "strict":true,"noUnusedLocals":true,"noUnusedParameters":true,"erasableSyntaxOnly":true,"noFallthroughCasesInSwitch":true,"noUncheckedSideEffectImports":true},"include":["src"]}"#,
            ),
            (
                "tsconfig.node.json",
                r#"{"compilerOptions":{"tsBuildInfoFile":"./node_modules/.tmp/tsconfig.node.tsbuildinfo","composite":true,"types":["node"],"noEmit":true},"include":["vite.config.ts"]}"#,
            ),
        ],
        &["tsc --noEmit", "tsc -b --noEmit", "tsc --noEmit -p tsconfig.app.json"],
    ),
    (
        &[(
            "tsconfig.json",
            r#"{"compilerOptions":{"target":"ES2017","lib":["dom","dom.iterable","esnext"],"allowJs":true,"skipLibCheck":true,"strict":true,"noEmit":true,"esModuleInterop":true,"module":"esnext","moduleResolution":"bundler","resolveJsonModule":true,"isolatedModules":true,"jsx":"preserve","incremental":true,"plugins":[{"name":"next"}],"paths":{"@/*":["./src/*"]}},"include":["next-env.d.ts","**/*.ts","**/*.tsx",".next/types/**/*.ts"],"exclude":["node_modules"]}"#,
        )],
        &["tsc --noEmit", "tsc --noEmit --pretty"],
    ),
    (
        &[(
            "tsconfig.json",
            "{\n  // Visit https://aka.ms/tsconfig\n  \"compilerOptions\": {\n    \"rootDir\": \"./src\",\n    \"outDir\": \"./dist\",\n    \"incremental\": true,\n    \"module\": \"nodenext\",\n    \"types\": [],\n    \"sourceMap\": true,\n    \"declaration\": true,\n    \"strict\": true,\n  }\n}\n",
        )],
        &["tsc --noEmit"],
    ),
    (
        &[(
            "pyproject.toml",
            r#"
[project]
name = "x"
[tool.black]
line-length = 100
target-version = ["py311", "py312"]
include = '\.pyi?$'
extend-exclude = '''
/(
  | migrations
)/
'''
[tool.isort]
profile = "black"
line_length = 100
known_first_party = ["x"]
known_django = "django"
sections = ["FUTURE", "STDLIB", "DJANGO", "THIRDPARTY", "FIRSTPARTY", "LOCALFOLDER"]
add_imports = ["from __future__ import annotations"]
skip = [".venv", "migrations"]
import_heading_stdlib = "Standard library"
[tool.mypy]
python_version = "3.11"
strict = true
files = ["src", "tests"]
exclude = ["build/", "(^|/)docs/"]
plugins = ["pydantic.mypy"]
warn_unreachable = true
enable_error_code = ["ignore-without-code"]
[[tool.mypy.overrides]]
module = ["tests.*", "x"]
disallow_untyped_defs = false
[tool.pydantic-mypy]
init_typed = true
[tool.ruff]
line-length = 100
[tool.ruff.lint]
select = ["E", "F"]
[tool.pylint.main]
jobs = 0
load-plugins = ["pylint.extensions.docparams"]
[tool.pylint."messages control"]
disable = ["C0111", "missing-docstring"]
[tool.pylint.format]
max-line-length = 100
"#,
        )],
        &["black .", "isort .", "mypy", "mypy src", "ruff check", "pylint src"],
    ),
    (
        &[
            (
                "setup.cfg",
                "[metadata]\nname = x\nversion = attr: x.y\n\n[flake8]\nmax-line-length = 88\nextend-ignore = E203, W503\nexclude = .git,__pycache__,build/*\nper-file-ignores =\n    __init__.py:F401\n    tests/*: S101,E501\nmax-complexity = 10\nselect = C,E,F,W,B,B950\n\n[isort]\nprofile = black\nmulti_line_output = 3\nknown_first_party = x\nskip_glob = */migrations/*\n\n[mypy]\npython_version = 3.11\nignore_missing_imports = True\nwarn_unused_ignores = 1\nfiles = src, tests\n\n[mypy-tests.*]\ndisallow_untyped_defs = False\n",
            ),
            ("tox.ini", "[testenv:flake8]\ndeps = flake8\ncommands = flake8 {posargs}\n"),
            (
                ".editorconfig",
                "root = true\n\n[*]\nindent_style = space\nindent_size = 4\nend_of_line = lf\ncharset = utf-8\ntrim_trailing_whitespace = true\ninsert_final_newline = true\n\n[*.md]\nx = y\n",
            ),
        ],
        &["flake8", "flake8 src", "isort .", "mypy", "python -m flake8 a.py"],
    ),
    (&[(".pylintrc", include_str!("generated.pylintrc"))], &["pylint src", "pylint a.py"]),
    (
        &[
            (
                ".eslintrc.json",
                r#"{"root":true,"env":{"browser":true,"es2021":true},"extends":["eslint:recommended","plugin:@typescript-eslint/recommended","next/core-web-vitals","prettier"],"parser":"@typescript-eslint/parser","parserOptions":{"ecmaVersion":"latest","project":"./tsconfig.json"},"plugins":["@typescript-eslint","react-refresh"],"ignorePatterns":["dist",".eslintrc.cjs"],"rules":{"quotes":["error","double"]},"settings":{"react":{"version":"detect"}},"overrides":[{"files":["**/*.test.ts","tests/**/*"],"rules":{"no-console":"off"}}]}"#,
            ),
            (".eslintignore", "dist\nnode_modules\n# x\n"),
            (
                ".prettierrc",
                r#"{"$schema":"https://json.schemastore.org/prettierrc","semi":false,"singleQuote":true,"printWidth":100,"trailingComma":"all","plugins":["prettier-plugin-tailwindcss"],"tailwindConfig":"./tailwind.config.js","overrides":[{"files":["*.md","*.mdx"],"options":{"proseWrap":"always","parser":"mdx"}},{"files":"*.{yml,yaml}","options":{"tabWidth":2}}]}"#,
            ),
            (
                ".oxlintrc.json",
                r#"{"$schema":"./node_modules/oxlint/configuration_schema.json","plugins":["react"],"categories":{"correctness":"warn"},"rules":{"eqeqeq":"warn"},"ignorePatterns":["dist"]}"#,
            ),
            ("package.json", r#"{"name":"x","scripts":{"test":"vitest"}}"#),
        ],
        &["eslint .", "eslint --fix src", "prettier --check .", "prettier --write src", "oxlint"],
    ),
    (
        &[
            (
                ".prettierrc.yaml",
                "# x\nsemi: false\nsingleQuote: true\noverrides:\n  - files: '*.md'\n    options:\n      parser: markdown\n",
            ),
            (
                ".eslintrc.yml",
                "root: true\nenv:\n  node: true\nextends:\n  - eslint:recommended\nrules:\n  no-console: off\n",
            ),
            (
                "package.json",
                r#"{"prettier":"@x/prettier-config","eslintConfig":{"extends":"react-app"}}"#,
            ),
            ("eslint.config.mjs", "export default []"),
        ],
        &["prettier .", "eslint .", "eslint -c eslint.config.mjs ."],
    ),
];
