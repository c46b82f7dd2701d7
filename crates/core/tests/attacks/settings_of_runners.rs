//! Settings that lead out of the project, or to other files than sources, in the files of more checkers and of what runs tests.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::policy::Effect;

use crate::house::{own, started, tried, verdict};
use crate::settings_of_checkers::{asks_with, house};

#[test]
fn pyright_shows_what_its_settings_take_for_sources() {
    let house = house("pyright-settings");
    house.put("project/prod.env", "PASSWORD=hunter2");
    house.put("project/more.json", r#"{"include":["prod.env"]}"#);
    let policy = started(&house, "developer", "project");
    for (file, text) in [
        ("pyrightconfig.json", r#"{"include":["prod.env"]}"#),
        ("pyrightconfig.json", r#"{"include":["*.env"]}"#),
        ("pyrightconfig.json", r#"{"include":["src", "../out"]}"#),
        ("pyrightconfig.json", r#"{"extraPaths":["/tmp/x"]}"#),
        ("pyrightconfig.json", r#"{"stubPath":"../out"}"#),
        ("pyrightconfig.json", r#"{"venvPath":"~/x"}"#),
        ("pyrightconfig.json", r#"{"executionEnvironments":[{"root":"../out"}]}"#),
        ("pyrightconfig.json", r#"{"extends":"more.json"}"#),
        ("pyrightconfig.json", r#"{"extends":"../more.json"}"#),
        ("pyrightconfig.json", r#"{"baselineFile":"x"}"#),
        ("pyproject.toml", "[tool.pyright]\ninclude = [\"prod.env\"]"),
        ("pyproject.toml", "[tool.basedpyright]\ninclude = [\"prod.env\"]"),
    ] {
        asks_with(&house, &policy, file, text, &["pyright", "cd src && pyright"]);
    }
    house.put(
        "project/pyrightconfig.json",
        r#"{"$schema":"x","include":["src"],"exclude":["**/node_modules","**/__pycache__"],"pythonVersion":"3.12","typeCheckingMode":"strict","reportMissingImports":"warning","reportUnusedImport":true,"venvPath":".","venv":".venv","executionEnvironments":[{"root":"src","extraPaths":["lib"]}]}"#,
    );
    tried(&policy, &["pyright prod.env"], &["pyright", "pyright src", "pyright --outputjson"]);
    house.put("project/notes.cfg", "PASSWORD=hunter2");
    house.put("project/pyrightconfig.json", r#"{"include":["notes.cfg"]}"#);
    let rules =
        r#"{"effect":"allow","commands":["pyright"]},{"effect":"deny","reads":["**/*.cfg"]}"#;
    let denied = started(&house, &own(rules), "project");
    assert_eq!(verdict(&denied, "bash", "pyright").0, Effect::Deny);
}

#[test]
fn eslint_takes_other_files_for_sources_by_patterns_that_end_in_a_brace() {
    let house = house("eslint-braces");
    house.put("project/prod.env", "PASSWORD=hunter2");
    let policy = started(&house, "developer", "project");
    let lines = ["eslint .", "eslint --fix ."];
    for files in [
        r#""{prod.env*,x*}""#,
        r#""*.{js,env*}""#,
        r#"["*.js","{prod.env*,x*}"]"#,
        r#""prod.env*""#,
        r#""{src,.}/*""#,
        r#""*.+(js|env)""#,
    ] {
        let text = format!(r#"{{"overrides":[{{"files":{files},"rules":{{}}}}]}}"#);
        asks_with(&house, &policy, ".eslintrc.json", &text, &lines);
    }
    house.put(
        "project/.eslintrc.json",
        r#"{"overrides":[{"files":["*.{ts,tsx}","tests/**/*","src/*.spec.js","scripts/a.mjs","{src,test}/**/*.ts","app/*"]}]}"#,
    );
    tried(&policy, &[], &lines);
}

#[test]
fn eslint_tells_parsers_and_plugins_what_they_load() {
    let house = house("eslint-told");
    let policy = started(&house, "developer", "project");
    for text in [
        r#"{"settings":{"import/resolver":{"/tmp/outside-res.js":{}}}}"#,
        r#"{"settings":{"import/parsers":{"../x.js":[".ts"]}}}"#,
        r#"{"settings":{"react":{"version":"../x"}}}"#,
        r#"{"parserOptions":{"parser":"../x.js"}}"#,
        r#"{"parserOptions":{"babelOptions":{"plugins":["../x.js"]}}}"#,
        r#"{"parserOptions":{"project":"../tsconfig.json"}}"#,
        r#"{"overrides":[{"files":"*.js","settings":{"a":"../x.js"}}]}"#,
        r#"{"rules":{"prettier/prettier":["error",{"plugins":["/tmp/x.js"]}]}}"#,
    ] {
        asks_with(&house, &policy, ".eslintrc.json", text, &["eslint a.js", "eslint src"]);
    }
    house.put(
        "project/.eslintrc.json",
        r#"{"parserOptions":{"ecmaVersion":2022,"sourceType":"module","ecmaFeatures":{"jsx":true},"project":["./tsconfig.json"]},"settings":{"react":{"version":"detect"},"x/y":true},"rules":{"no-restricted-imports":["error",{"patterns":["../*"]}],"spaced-comment":["error","always",{"markers":["/"]}],"prettier/prettier":["error",{"singleQuote":true}]}}"#,
    );
    tried(&policy, &[], &["eslint a.js", "eslint src"]);
}

#[test]
fn eslint_takes_configs_of_packages_above_the_project() {
    let house = house("eslint-above");
    let policy = started(&house, "developer", "project");
    house.put("project/.eslintrc.json", r#"{"extends":"up"}"#);
    tried(&policy, &[], &["eslint src"]);
    house.put("node_modules/eslint-config-up/index.js", "");
    tried(&policy, &["eslint src"], &[]);
    house.put("project/.eslintrc.json", r#"{"root":true}"#);
    tried(&policy, &[], &["eslint src"]);
}

#[test]
fn pylint_loads_compiled_modules_and_reporters_that_settings_name() {
    let house = house("pylint-loads");
    let policy = started(&house, "developer", "project");
    for text in [
        "[MAIN]\nextension-pkg-allow-list=evilx\n",
        "[MAIN]\nextension-pkg-whitelist=evilx\n",
        "[MAIN]\nsource-roots=evil\n",
        "[REPORTS]\noutput-format=evil.Reporter\n",
        "[REPORTS]\noutput-format=text,evil.Reporter\n",
    ] {
        asks_with(&house, &policy, ".pylintrc", text, &["pylint a.py", "pylint src"]);
    }
    house.put(
        "project/.pylintrc",
        "[MAIN]\nextension-pkg-allow-list=\nsource-roots=\n[REPORTS]\noutput-format=colorized,json2\n",
    );
    tried(&policy, &[], &["pylint a.py"]);
}

#[test]
fn what_runs_tests_takes_code_from_outside_by_its_settings() {
    let house = house("runners");
    let policy = started(&house, "developer", "project");
    for (file, text, lines) in [
        (".rubocop.yml", "require: [../outside.rb]\n", &["rubocop", "bundle exec rubocop"][..]),
        (".rubocop.yml", "require:\n  - /tmp/x.rb\n", &["rubocop", "rubocop src"]),
        (".rubocop.yml", "plugins: ../outside.rb\n", &["rubocop"]),
        (".rspec", "--require /tmp/x\n", &["rspec", "bundle exec rspec"]),
        (".rspec-local", "-r../x\n", &["rspec"]),
        (".mocharc.json", r#"{"require":["../outside.js"]}"#, &["mocha"]),
        (".mocharc.yml", "require: ../outside.js\n", &["mocha"]),
        ("package.json", r#"{"mocha":{"require":"../outside.js"}}"#, &["mocha"]),
        ("jest.config.json", r#"{"setupFiles":["../outside.js"]}"#, &["jest", "jest a"]),
        ("package.json", r#"{"jest":{"globalSetup":"/tmp/x.js"}}"#, &["jest"]),
        ("phpunit.xml", "<phpunit bootstrap=\"../x.php\"/>", &["phpunit"]),
        ("phpunit.xml.dist", "<phpunit bootstrap=\"/tmp/x.php\"/>", &["phpunit"]),
        ("pytest.ini", "[pytest]\naddopts = -c ../x.ini\n", &["pytest", "python -m pytest -q"]),
        ("setup.cfg", "[tool:pytest]\npythonpath = ..\n", &["pytest"]),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"--rootdir /tmp/x\"",
            &["pytest", "pytest tests"],
        ),
    ] {
        asks_with(&house, &policy, file, text, lines);
    }
    for (file, text, line) in [
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"-ra -q\"\ntestpaths = [\"tests\"]",
            "pytest",
        ),
        (
            "package.json",
            r#"{"jest":{"testPathIgnorePatterns":["/node_modules/","/dist/"]}}"#,
            "jest",
        ),
        (".rspec", "--require spec_helper\n--color\n", "rspec"),
        (".rubocop.yml", "require:\n  - rubocop-rails\nAllCops:\n  NewCops: enable\n", "rubocop"),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, &[], &[line]);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    // A symlink in their place is read by what it leads to.
    house.put("out/x.ini", "[pytest]\n");
    symlink(house.at("out/x.ini"), house.root.join("project/pytest.ini")).unwrap();
    tried(&policy, &["pytest"], &[]);
}
