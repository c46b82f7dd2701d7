//! What the words of a command do that looked harmless: options that show, options that take the next word, words that are
//! handed on, launchers, and what a program leaves where it runs.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::call::Json;
use countersign_core::path::RealFiles;
use countersign_core::policy::Effect;

use crate::house::{House, ID, own, started, tried, verdict};
use crate::verdicts::judged;

#[test]
fn what_tells_of_the_contents_of_commits_reads_them() {
    let house = House::new("told");
    house.put("project/.git/refs/heads/main", ID);
    house.track(&[".env", "src/lib.rs"]);
    for name in ["read-only", "deny-env"] {
        tried(
            &started(&house, name, "project"),
            &[
                "git log -1 --check -- .",
                "git log -1 --check",
                "git show --check",
                "git diff --check",
                "git diff-tree --check HEAD~1 HEAD",
                "git log --oneline -Ghunter2",
                "git log --oneline -G hunter2",
                "git log -S hunter2 --name-only",
                "git log --pickaxe-regex -Shunter2 --format=%h",
                "git diff --stat -Ghunter2",
                "git diff --quiet -S hunter2",
                "git diff --numstat --ignore-matching-lines=^API",
                "git show --numstat -I^API",
                "git log --find-object=33887de29aef8045753f330ec488cb4133029d34",
                "git log -C --find-copies-harder --name-status",
                "git diff-tree -r -Ghunter2 --name-only HEAD~1 HEAD",
                "git stash list -Ghunter2",
                "git reflog -Ghunter2",
            ],
            &[
                "git log --oneline -3",
                "git log --stat -- src",
                "git log -1 --check -- src/lib.rs",
                "git log -Gmain -- src/lib.rs",
                "git diff --stat",
            ],
        );
    }
}

#[test]
fn git_that_is_asked_for_help_starts_a_reader_of_manuals() {
    let house = House::new("helped");
    let git = own(r#"{"effect":"allow","commands":["git","cargo"]}"#);
    for name in ["read-only", git.as_str()] {
        tried(
            &started(&house, name, "project"),
            &[
                "git --version --help",
                "git -v --help",
                "git --version --build-options --help",
                "git --help log",
                "git -h -w log",
                "git --no-pager --help log",
                "git help log",
                "git help -m log",
                "cargo help build",
            ],
            &["git --version"],
        );
    }
}

#[test]
fn an_optional_value_may_be_the_next_word() {
    let house = House::new("next");
    fs::create_dir_all(house.root.join("project/tests")).unwrap();
    let policy = own(
        r#"{"effect":"allow","commands":["pytest","python -m pytest"]},{"effect":"deny","writes":["${project}/keep/**"]}"#,
    );
    tried(
        &started(&house, &policy, "project"),
        &[
            "pytest --debug keep/x",
            "pytest -q --debug keep/x tests",
            "python -m pytest --debug=keep/x",
        ],
        &["pytest --debug", "pytest --debug log.txt", "pytest --debug -q", "pytest tests"],
    );
    let out = house.line("{out}/x");
    tried(
        &started(&house, "developer", "project"),
        &[&format!("pytest --debug {out}")],
        &["pytest --debug x"],
    );
}

#[test]
fn words_that_are_handed_on_to_what_is_not_known_are_asked_about() {
    let house = House::new("handed");
    tried(
        &started(&house, "developer", "project"),
        &[
            "cargo bench -- --save-baseline ../x",
            "cargo bench -- --baseline=/tmp/x",
            "cargo bench -- -s ../../x",
            "cargo bench -- --load-baseline a/../../b",
            "dotnet test -- RunConfiguration.TestAdaptersPaths=/tmp/x",
            "dotnet test --no-build -- MSTest.X=y",
            "dotnet test -- x",
        ],
        &[
            "cargo bench -- --save-baseline main",
            "cargo test -- --nocapture",
            "dotnet test --no-build",
        ],
    );
}

#[test]
fn a_launcher_is_no_way_past_a_deny() {
    let house = House::new("launchers");
    let wide = own(r#"{"effect":"allow","commands":["*"]},{"effect":"deny","commands":["rm"]}"#);
    tried(
        &started(&house, &wide, "project"),
        &[
            "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
            "ld.so /bin/rm x",
            "/lib/ld-musl-x86_64.so.1 /bin/rm x",
            "i386 rm x",
            "linux32 rm x",
            "x86_64 rm x",
            "setarch x86_64 rm x",
            "setarch -R rm x",
            "debconf rm x",
            "choom -n 0 -- rm x",
            "systemd-inhibit rm x",
            "env i386 rm x",
            "wall x",
            "write root",
        ],
        &["uname -m"],
    );
    let rule = own(r#"{"effect":"allow","commands":["i386"]},{"effect":"deny","commands":["rm"]}"#);
    tried(&started(&house, &rule, "project"), &["i386", "i386 ls", "i386 rm x"], &[]);
    for line in ["ld.so /bin/rm x", "i386 rm x", "setarch x86_64 rm x", "timeout 5 linux64 rm x"] {
        assert_eq!(
            verdict(&started(&house, &wide, "project"), "bash", line).0,
            Effect::Deny,
            "{line}"
        );
    }
}

#[test]
fn nohup_writes_a_file_where_its_output_goes_to_a_terminal() {
    let house = House::new("nohup");
    tried(
        &started(&house, "read-only", "project"),
        &["nohup ls", "nohup ls 2> /dev/null", "nohup ls > /dev/tty", "nohup ls > /dev/null >&2"],
        &["nohup ls > /dev/null", "nohup ls &> /dev/null", "nohup ls > /dev/null 2>&1"],
    );
    let denied = own(
        r#"{"effect":"allow","commands":["ls"]},{"effect":"deny","writes":["${project}/nohup.out"]}"#,
    );
    assert_eq!(verdict(&started(&house, &denied, "project"), "bash", "nohup ls &").0, Effect::Deny);
}

#[test]
fn a_compiler_writes_beside_its_sources() {
    let house = House::new("compiles");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    fs::create_dir_all(house.root.join("project/keep")).unwrap();
    let denied = own(
        r#"{"effect":"allow","commands":["tsc","npx --no-install tsc","mypy","ruff"]},{"effect":"deny","writes":["${project}/keep/**"]}"#,
    );
    house.put("project/node_modules/.bin/tsc", "");
    let lines = ["tsc", "tsc -p .", "tsc --noEmit false", "tsc src/a.ts", "npx --no-install tsc"];
    let still =
        ["tsc --noEmit", "tsc --noEmit -p .", "tsc --noEmit true", "tsc --version", "mypy src"];
    tried(&started(&house, &denied, "project"), &lines, &still);
    let developer = started(&house, "developer", "project");
    tried(&developer, &lines, &still);
    // Through a symlink that leads out it would write there.
    symlink("../../out", house.root.join("project/src/more")).unwrap();
    symlink("../out", house.root.join("project/.mypy_cache")).unwrap();
    tried(&developer, &["tsc", "tsc -p .", "mypy src"], &["tsc --noEmit"]);
}

#[test]
fn settings_of_ruff_have_it_change_nothing_unasked() {
    let house = House::new("linted");
    fs::create_dir_all(house.root.join("project/keep")).unwrap();
    let denied = own(
        r#"{"effect":"allow","commands":["ruff"]},{"effect":"deny","writes":["${project}/keep/**"]}"#,
    );
    let lines = ["ruff check", "ruff check src", "ruff check -n src", "ruff --quiet check ."];
    let own = ["ruff check --isolated src", "ruff --version"];
    for settings in
        ["fix = true", "fix-only = true", "cache-dir = '../out'", "extend = '../x.toml'"]
    {
        for (name, text) in [
            ("pyproject.toml", format!("[tool.ruff]\n{settings}\n")),
            ("ruff.toml", settings.to_owned()),
            (".ruff.toml", settings.to_owned()),
        ] {
            let file = format!("project/{name}");
            house.put(&file, &text);
            for policy in [denied.as_str(), "developer"] {
                tried(&started(&house, policy, "project"), &lines, &own);
            }
            fs::remove_file(house.root.join(file)).unwrap();
        }
    }
    house.put("project/pyproject.toml", "[tool.ruff]\nline-length = 100\nfix = false\n");
    for policy in [denied.as_str(), "developer"] {
        let made =
            ["echo 'fix = true' > ruff.toml && ruff check", "ruff check --config sub/r.toml"];
        tried(&started(&house, policy, "project"), &made, &lines);
    }
}

#[test]
fn settings_of_ruff_count_in_each_folder_that_it_looks_at() {
    let house = House::new("linted-below");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    for folder in ["project/src/deep", "project/node_modules/x", "out/py"] {
        fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    let policy = started(&house, "developer", "project");
    let (here, src) =
        (["ruff check", "ruff format --check", "python -m ruff check ."], "ruff check src");
    let others = ["ruff check --isolated", "ruff check sub", "ruff --version"];
    for settings in [
        "fix = true",
        "cache-dir = '../../../out'",
        "extend = '../../../out/x.toml'",
        "include = ['.env']",
        "extend-include = ['*.key']",
        "extension = { env = 'python' }",
        "lint.isort.required-imports = ['from evil import run']",
    ] {
        for (file, text) in [
            ("project/src/ruff.toml", settings.to_owned()),
            ("project/src/deep/.ruff.toml", settings.to_owned()),
            ("project/src/deep/pyproject.toml", format!("[tool.ruff]\n{settings}\n")),
        ] {
            house.put(file, text);
            tried(&policy, &here, &others);
            let lines = [
                src,
                "ruff format --diff src",
                "ruff format src",
                "ruff analyze graph src",
                "cd src && ruff check",
            ];
            let lines = if file.contains("deep") { &lines[..4] } else { &lines };
            tried(&policy, lines, &[]);
            fs::remove_file(house.root.join(file)).unwrap();
        }
        // Those of the user, and those above what lies outside.
        for file in ["home/.config/ruff/ruff.toml", "home/.config/ruff/.ruff.toml"] {
            house.put(file, settings);
            tried(&policy, &here, &["ruff --version"]);
            fs::remove_file(house.root.join(file)).unwrap();
        }
        house.put("out/ruff.toml", settings);
        tried(
            &policy,
            &["ruff check ../out", "ruff check ../out/py", "ruff check ../out/py/a.py"],
            &here,
        );
        fs::remove_file(house.root.join("out/ruff.toml")).unwrap();
        // It does not go into packages, unless it is told to.
        house.put("project/node_modules/x/ruff.toml", settings);
        tried(
            &policy,
            &["ruff check node_modules/x", "ruff check --exclude x", "ruff check --exclude=x"],
            &here,
        );
        house.put("project/ruff.toml", "exclude = ['a']");
        tried(&policy, &here, &others);
        for file in ["project/ruff.toml", "project/node_modules/x/ruff.toml"] {
            fs::remove_file(house.root.join(file)).unwrap();
        }
    }
    // The cache lies beside each of them, and is a write wherever symlinks lead.
    house.put("project/src/ruff.toml", "line-length = 100");
    for (cache, lines) in [
        ("project/.ruff_cache", &here[..]),
        ("project/src/.ruff_cache", &[src, "ruff format --check"]),
    ] {
        for target in [house.at("out"), house.at("project/.git/hooks")] {
            let link = house.root.join(cache);
            symlink(target, &link).unwrap();
            tried(
                &policy,
                lines,
                &["ruff check -n", "ruff format --check --no-cache", "ruff check -n src"],
            );
            fs::remove_file(&link).unwrap();
            tried(&policy, &[], lines);
        }
    }
    symlink("../out", house.root.join("project/.ruff_cache")).unwrap();
    tried(&policy, &["ruff check --isolated", "ruff check -- -n"], &["ruff check --isolated -n"]);
}

#[test]
fn what_a_formatter_goes_through_is_protected_as_if_it_were_named() {
    let house = House::new("gone-through");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    house.put("project/node_modules/.bin/prettier", "");
    let shows = [
        "prettier .",
        "prettier --check .",
        "biome check",
        "biome format .",
        "npx --no-install prettier .",
    ];
    let changes =
        ["prettier --write .", "prettier -w .", "biome check --write", "biome format --write ."];
    let python = ["black .", "black", "ruff format", "ruff check --fix ."];
    let src = ["prettier --write src", "biome check src", "black src", "ruff check --fix src"];
    let rules = r#"{"effect":"allow","commands":["prettier","biome","black","ruff","npx --no-install prettier"],"writes":["${project}/**"]}"#;
    let all = own(rules);
    let denied = own(&format!(r#"{rules},{{"effect":"deny","reads":["**/credentials.json"]}}"#));
    for name in ["developer", all.as_str()] {
        let policy = started(&house, name, "project");
        // `.env` and `server.key` are of no kind that they know.
        for lines in [&shows[..], &changes, &python, &src] {
            tried(&policy, &[], lines);
        }
        house.put("project/app/credentials.json", "{");
        tried(&policy, &shows, &python);
        tried(&policy, &changes, &src);
        assert_eq!(
            verdict(&started(&house, &denied, "project"), "bash", "prettier .").0,
            Effect::Deny
        );
        fs::remove_file(house.root.join("project/app/credentials.json")).unwrap();
        for file in [".vscode/settings.json", ".github/workflows/ci.yml", "app/.mcp.json"] {
            house.put(&format!("project/{file}"), "{}");
            tried(&policy, &changes[..2], &shows);
            tried(&policy, &[], &src);
            fs::remove_file(house.root.join("project").join(file)).unwrap();
        }
        house.put("project/.github/a.py", "");
        tried(&policy, &python, &shows);
        tried(&policy, &[], &changes);
        fs::remove_file(house.root.join("project/.github/a.py")).unwrap();
    }
}

#[test]
fn settings_name_no_file_to_a_checker_unasked() {
    let house = House::new("named-by-settings");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    let mypy = ["mypy", "mypy src", "python -m mypy src"];
    let black = ["black --diff .", "black .", "python -m black --check src"];
    let prettier = ["prettier .", "prettier --check .", "prettier --write ."];
    let rubocop = ["rubocop", "rubocop src"];
    let cases: &[(&str, &str, &[&str])] = &[
        ("mypy.ini", "[mypy]\nfiles = .env\npretty = True", &mypy),
        ("mypy.ini", "[mypy]\nfiles = ~/.ssh/id_rsa", &mypy),
        ("setup.cfg", "[mypy]\nfiles =\n  server.key", &mypy),
        ("mypy.ini", "[mypy]\ncache_dir = ../out", &mypy),
        ("pyproject.toml", "[tool.mypy]\njunit_xml = '.git/hooks/pre-commit'", &mypy),
        ("mypy.ini", "[mypy]\nlinecount_report = ../out", &mypy),
        ("pyproject.toml", "[tool.black]\ninclude = '(\\.env|server.key)$'", &black),
        (
            ".prettierrc",
            r#"{"overrides":[{"files":["server.key"],"options":{"parser":"babel"}}]}"#,
            &prettier,
        ),
        (".prettierrc", "parser: babel", &prettier),
        ("src/.prettierrc", r#"{"parser":"babel"}"#, &prettier),
        (".rubocop.yml", "AllCops:\n  Include:\n    - .env\n", &rubocop),
        ("src/.rubocop.yml", "AllCops:\n  CacheRootDirectory: ../../out\n", &rubocop),
    ];
    for name in [
        "developer",
        r#"{"version":1,"rule":[{"effect":"allow","commands":["mypy","python -m mypy","python -m black","black","prettier","rubocop"],"writes":["${project}/**"]},{"effect":"ask","writes":["/**","!${project}","!${project}/**"]}]}"#,
    ] {
        let policy = started(&house, name, "project");
        for (file, text, lines) in cases {
            tried(&policy, &[], lines);
            house.put(&format!("project/{file}"), text);
            tried(&policy, lines, &[]);
            fs::remove_file(house.root.join("project").join(file)).unwrap();
        }
    }
    let policy = started(&house, "developer", "project");
    for (file, text, lines) in [
        ("mypy.ini", "[mypy]\nfiles = src\nstrict = True\ncache_dir = .cache", &mypy[..]),
        ("pyproject.toml", "[tool.black]\nline-length = 100\n[tool.mypy]\nstrict = true", &black),
        (".prettierrc", "semi: false", &prettier),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, &[], lines);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    house.put("project/x.ini", "[mypy]\nfiles = .env");
    tried(&policy, &["mypy --config-file x.ini", "cp x.ini mypy.ini && mypy"], &[]);
    // What they keep beside them, where a symlink stands in its place.
    for (link, lines) in [
        (".eslintcache", ["eslint --cache src", "eslint src"]),
        ("eslint-suppressions.json", ["eslint --suppress-all src", "eslint src"]),
        ("node_modules/.cache/prettier", ["prettier --cache .", "prettier ."]),
        ("node_modules/.cache/prettier/.prettier-cache", ["prettier --cache .", "prettier ."]),
    ] {
        house.put("project/package.json", "{}");
        let link = house.root.join("project").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        tried(&policy, &[], &lines);
        symlink(house.at("out"), &link).unwrap();
        tried(&policy, &lines[..1], &lines[1..]);
        fs::remove_file(&link).unwrap();
    }
}

#[test]
fn what_deletes_or_searches_a_folder_meets_what_is_below_by_each_door() {
    let house = House::new("below");
    fs::create_dir_all(house.root.join("project/empty")).unwrap();
    house.put("project/app/deep/server.key", "SECRET");
    let denied = own(
        r#"{"effect":"allow","commands":["rm","grep"],"tools":["*"]},{"effect":"allow","commands":["rm","grep"]},{"effect":"allow","tools":["*"]},{"effect":"allow","writes":["/**"],"reads":["/**"]},{"effect":"deny","reads":["**/*.key"]},{"effect":"deny","writes":["**/*.key"]}"#,
    );
    let policy = started(&house, &denied, "project");
    let by_tool = |tool: &str, args: &str| {
        let args: Json = serde_json::from_str(args).unwrap();
        judged(&policy, tool, &args, &RealFiles).unwrap().effect
    };
    for line in ["rm -r app", "grep -r x app", "rm -rf app/deep"] {
        assert_eq!(verdict(&policy, "bash", line).0, Effect::Deny, "{line}");
    }
    for (tool, args) in [
        ("delete_file", r#"{"path":"app"}"#),
        ("delete_file", r#"{"path":"app/deep/"}"#),
        ("delete_file", r#"{"path":"app/deep/server.key"}"#),
        ("delete_directory", r#"{"path":"app"}"#),
        ("grep", r#"{"pattern":"x","path":"app"}"#),
        ("search_files", r#"{"pattern":"x","path":"."}"#),
    ] {
        assert_eq!(by_tool(tool, args), Effect::Deny, "{tool} {args}");
    }
    assert_eq!(by_tool("delete_file", r#"{"path":"src/lib.rs"}"#), Effect::Ask);
}

#[test]
fn a_device_is_no_harmless_thing_to_delete() {
    let house = House::new("devices");
    let policy = own(
        r#"{"effect":"allow","commands":["rm","mv","ln","chmod","tee","cp","echo","sed"]},{"effect":"allow","writes":["${project}/**"]}"#,
    );
    let policy = started(
        &house,
        &format!(
            "{}{}",
            &policy[..policy.len() - 2],
            r#",{"effect":"deny","writes":["/**","!${project}","!${project}/**"]}]}"#
        ),
        "project",
    );
    for line in [
        "rm /dev/null",
        "mv a /dev/null",
        "ln -sf a /dev/null",
        "chmod 600 /dev/null",
        "rm -f /dev/zero",
    ] {
        assert_eq!(verdict(&policy, "bash", line).0, Effect::Deny, "{line}");
    }
    tried(&policy, &[], &["echo x > /dev/null", "echo x | tee /dev/null"]);
    let args: Json = serde_json::from_str(r#"{"path":"/dev/null"}"#).unwrap();
    for (tool, expected) in [
        ("delete_file", Effect::Deny),
        ("delete_directory", Effect::Deny),
        ("read_file", Effect::Ask),
    ] {
        let effect = judged(&policy, tool, &args, &RealFiles).unwrap().effect;
        assert!(effect == expected || tool == "read_file", "{tool}: {effect:?}");
    }
}

#[test]
fn what_npm_is_told_by_the_project_counts() {
    let house = House::new("npm");
    let lines = ["npm ls", "npm root", "npm prefix", "npm ls --depth 0", "cd sub && npm ls"];
    let policy = started(&house, "developer", "project");
    for settings in ["", "save-exact=true\n# x\n", "fund = false\n\nengine-strict=true"] {
        house.put("project/.npmrc", settings);
        tried(&policy, &[], &lines);
    }
    for settings in [
        "registry=http://evil.example",
        "//evil.example/:_authToken=${NPM_TOKEN}",
        "script-shell=./evil",
        "node-options=--require ./evil.js",
        "logs-dir=../../home",
        "git=./evil",
        "globalconfig=./evil",
        "save-prefix=${HOME}",
    ] {
        house.put("project/.npmrc", settings);
        tried(&policy, &lines, &["npm --version"]);
    }
}

#[test]
fn npx_asks_a_server_for_what_is_not_installed() {
    let house = House::new("npx");
    let policy = started(&house, "developer", "project");
    let wide = own(r#"{"effect":"allow","commands":["npx"]}"#);
    let wide = started(&house, &wide, "project");
    let lines =
        ["npx --no-install eslint src", "npx --no mocha", "npx --no-install prettier --check ."];
    tried(&policy, &lines, &[]);
    tried(&wide, &lines, &[]);
    for name in ["eslint", "mocha", "prettier"] {
        house.put(&format!("project/node_modules/.bin/{name}"), "");
    }
    tried(&policy, &["npx --no-install eslint@9 src"], &lines);
    tried(&policy, &[], &["cd sub && npx --no-install eslint ."]);
}

#[test]
fn a_program_of_the_project_is_no_symlink_that_leads_out() {
    let house = House::new("linked");
    house.put("out/gradlew", "x");
    house.put("project/tool/mvnw", "x");
    symlink("../out/gradlew", house.root.join("project/gradlew")).unwrap();
    symlink("tool/mvnw", house.root.join("project/mvnw")).unwrap();
    tried(
        &started(&house, "developer", "project"),
        &["./gradlew test", "timeout 5 ./gradlew test"],
        &["./mvnw test", "cd tool && ./mvnw test"],
    );
    let own = own(r#"{"effect":"allow","commands":["sub/run","../out/gradlew","cd"]}"#);
    symlink("../../out/gradlew", house.root.join("project/sub/run")).unwrap();
    // A rule may name what lies elsewhere.
    tried(&started(&house, &own, "project"), &["sub/run"], &["../out/gradlew"]);
}

#[test]
fn settings_of_the_shell_and_of_git_in_a_line_are_no_way_round() {
    let house = House::new("way-round");
    house.put("project/sub/deep/.env", "API_KEY=hunter2");
    house.put("project/sub/deep/x.key", "SECRET");
    let wide = own(
        r#"{"effect":"allow","commands":["shopt","cat","set","git","echo","bash"],"env":["n","x"]},{"effect":"allow","env":["n","x"]},{"effect":"deny","reads":["**/*.key"]}"#,
    );
    tried(
        &started(&house, &wide, "project"),
        &[
            "shopt -s globstar; cat **",
            "shopt -s globstar; cat **/*.key",
            "shopt -s globstar; cat sub/**/x.*",
            "shopt -s dotglob; cat sub/deep/*",
            "bash -O globstar -c 'cat **'",
            "GIT_CONFIG_GLOBAL=x git log",
            "GIT_CONFIG_SYSTEM=x git log",
            "GIT_NO_LAZY_FETCH=0 git log",
            "n=0x1f; echo $((n[$(touch y)]))",
            "x='a[$(touch y)]'; n=x; echo $((n))",
            "cat <(cat sub/deep/x.key)",
        ],
        &["cat sub/deep/a.txt", "n=31; echo $((n))"],
    );
}
