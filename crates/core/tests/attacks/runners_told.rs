//! Settings of test runners that stand for words of their command lines, or name what they write: both count as if the line had them.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::policy::Effect;

use crate::house::{own, started, tried, verdict};
use crate::settings_of_checkers::{asks_with, house};

const PYTEST: &[&str] = &["pytest", "python -m pytest -q", "pytest tests"];

#[test]
fn words_that_settings_give_to_pytest_are_read_as_those_of_the_line() {
    let house = house("told-pytest");
    house.put("project/.env", "PASSWORD=hunter2");
    house.put("project/tests/test_a.py", "");
    let policy = started(&house, "developer", "project");
    for words in [
        // It puts the values of variables in.
        "--junitxml=$HOME/.bashrc",
        "--junitxml=${HOME}/.bashrc",
        "--junitxml ~/x",
        "--junitxml=.git/hooks/pre-commit",
        "--junitxml .git/hooks/pre-commit",
        "-v --junit-xml '.git/hooks/pre-commit'",
        "--junitxml=../x.xml",
        "--junitxml=/tmp/x.xml",
        "--log-file=.env",
        "--log-file .github/x",
        "--debug=.env",
        "--doctest-glob=*.env",
        "--doctest-glob '*.e?v'",
        "--cov-report=html:.git/hooks",
        "--cov-report xml:.env",
        "-p evilmod",
        "-pevilmod",
        "--pdb",
        "-c ../x.ini",
        "-c../x.ini",
        "-vc/tmp/x.ini",
        "--rootdir=/tmp/x",
        "--basetemp=src",
        "-o cache_dir=.git",
        "--override-ini log_file=.env",
        "-W error::evil.Warn",
        "@more",
        "../tests",
        "/tmp/tests",
        "--something-new",
        "-v \\\n --log-file=.env",
    ] {
        asks_with(&house, &policy, "pytest.ini", &format!("[pytest]\naddopts = {words}\n"), PYTEST);
        asks_with(&house, &policy, "tox.ini", &format!("[pytest]\naddopts =\n  {words}\n"), PYTEST);
        let toml = format!("[tool.pytest.ini_options]\naddopts = '''{words}'''\n");
        asks_with(&house, &policy, "pyproject.toml", &toml, PYTEST);
    }
    // pytest takes such a line for more of the value before it, and its section goes on.
    let hidden = "[pytest]\nmarkers = a\n[x#]\naddopts = --junitxml=../x.xml\n";
    asks_with(&house, &policy, "pytest.ini", hidden, PYTEST);
    let list = "[tool.pytest.ini_options]\naddopts = ['-v', '--log-file', '.env']\n";
    asks_with(&house, &policy, "pyproject.toml", list, PYTEST);
    asks_with(&house, &policy, "pytest.toml", "[pytest]\naddopts = ['-p', 'evil']\n", PYTEST);
    // The last of them takes the first word of the line.
    house.put("project/pytest.ini", "[pytest]\naddopts = --log-file\n");
    tried(&policy, &["pytest .env", "pytest .github/x"], &[]);
    for words in [
        "-ra -q --strict-markers --tb=short",
        "-vv --cov=src --cov-report=term-missing --cov-report=html:htmlcov",
        "--junitxml=reports/junit.xml -n auto --durations=10",
        "-p no:cacheprovider --doctest-modules --doctest-glob='*.rst'",
        "--ignore=docs -m 'not slow' -k \"not x\" tests",
        "-W error -W ignore::DeprecationWarning",
    ] {
        house.put("project/pytest.ini", format!("[pytest]\naddopts = {words}\n"));
        tried(&policy, &[], PYTEST);
    }
}

#[test]
fn files_that_settings_of_pytest_name_are_written_or_have_to_be_the_projects() {
    let house = house("told-pytest-keys");
    house.put("project/.env", "PASSWORD=hunter2");
    house.put("out/test_x.py", "");
    let policy = started(&house, "developer", "project");
    for setting in [
        "cache_dir = $HOME/.config/x",
        "cache_dir = .git/x",
        "cache_dir = ../x",
        "log_file = .env",
        "log_file = ~/.bashrc",
        "log_file = .github/workflows/c.yml",
        "python_files = *.env",
        "testpaths = ../out",
        "pythonpath = src:../out",
        "something_new = 1",
    ] {
        asks_with(&house, &policy, "pytest.ini", &format!("[pytest]\n{setting}\n"), &["pytest"]);
    }
    house.put("data/a.csv", "x");
    symlink("../data", house.root.join("project/linked")).unwrap();
    asks_with(&house, &policy, "pytest.ini", "[pytest]\ntestpaths = linked\n", &["pytest"]);
    house.put(
        "project/pytest.ini",
        "[pytest]\ntestpaths = tests src/*/tests\npythonpath = . src\ncache_dir = .cache/pytest\nlog_file = logs/tests.log\njunit_family = xunit2\nfilterwarnings =\n    error\n    ignore:some text:DeprecationWarning\n",
    );
    tried(&policy, &[], &["pytest", "cd src && pytest"]);
    // A deny of one's own holds for them, too.
    let rules = r#"{"effect":"allow","commands":["pytest"],"writes":["${project}/**"]},{"effect":"deny","writes":["**/logs/**"]}"#;
    let denied = started(&house, &own(rules), "project");
    assert_eq!(verdict(&denied, "bash", "pytest").0, Effect::Deny);
    house.put("project/pytest.ini", "[pytest]\naddopts = --junitxml=logs/x\n");
    assert_eq!(verdict(&denied, "bash", "pytest").0, Effect::Deny);
}

#[test]
fn files_that_settings_of_other_runners_name_are_written_or_have_to_be_the_projects() {
    let house = house("told-others");
    house.put("project/.env", "PASSWORD=hunter2");
    house.put("project/prod.env", "PASSWORD=hunter2");
    let policy = started(&house, "developer", "project");
    let (jest, mocha) = (&["jest", "jest a"][..], &["mocha", "mocha test"][..]);
    let (rspec, phpunit) = (&["rspec", "bundle exec rspec"][..], &["phpunit"][..]);
    for (file, text, lines) in [
        ("jest.config.json", r#"{"coverageDirectory":".git/hooks"}"#, jest),
        ("jest.config.json", r#"{"coverageDirectory":"<rootDir>/.git/hooks"}"#, jest),
        ("jest.config.json", r#"{"cacheDirectory":"/tmp/x"}"#, jest),
        (
            "jest.config.json",
            r#"{"reporters":[["jest-junit",{"outputFile":".git/hooks/x"}]]}"#,
            jest,
        ),
        ("jest.config.json", r#"{"coverageReporters":[["json",{"file":".env"}]]}"#, jest),
        ("jest.config.json", r#"{"projects":[{"coverageDirectory":".git"}]}"#, jest),
        ("jest.config.json", r#"{"moduleFileExtensions":["js","env"]}"#, jest),
        ("package.json", r#"{"jest":{"coverageDirectory":".github"}}"#, jest),
        (
            ".mocharc.json",
            r#"{"reporter":"xunit","reporter-option":["output=.git/hooks/pre-commit"]}"#,
            mocha,
        ),
        (
            ".mocharc.json",
            r#"{"reporter":"xunit","reporterOptions":{"output":".git/hooks/pre-commit"}}"#,
            mocha,
        ),
        (".mocharc.yml", "reporter-option:\n  - output=.git/hooks/pre-commit\n", mocha),
        (".mocharc.json", r#"{"spec":["prod.env"]}"#, mocha),
        (".mocharc.json", r#"{"spec":"*.env"}"#, mocha),
        (".mocharc.json", r#"{"extension":["env"]}"#, mocha),
        (".rspec", "--format html --out .git/hooks/pre-commit\n", rspec),
        (".rspec", "-o .env\n", rspec),
        (".rspec-local", "--deprecation-out=.github/x\n", rspec),
        (".rspec", "-I ../lib\n", rspec),
        (".rspec", "--something-new\n", rspec),
        ("phpunit.xml", "<phpunit cacheDirectory=\".git/hooks\"/>", phpunit),
        (
            "phpunit.xml",
            "<phpunit><logging><junit outputFile=\".git/hooks/x\"/></logging></phpunit>",
            phpunit,
        ),
        (
            "phpunit.xml",
            "<phpunit><coverage><report><html outputDirectory=\".github\"/></report></coverage></phpunit>",
            phpunit,
        ),
        (
            "phpunit.xml",
            "<phpunit><logging><log type=\"junit\" target=\".env\"/></logging></phpunit>",
            phpunit,
        ),
    ] {
        asks_with(&house, &policy, file, text, lines);
    }
    for (file, text, lines) in [
        (
            "jest.config.json",
            r#"{"coverageDirectory":"<rootDir>/coverage","reporters":["default",["jest-junit",{"outputDirectory":"reports"}]],"coverageReporters":["text","lcov"]}"#,
            jest,
        ),
        (
            ".mocharc.json",
            r#"{"reporter":"xunit","reporter-option":["output=reports/x.xml"],"spec":["test/**/*.spec.js"],"require":"./test/setup.js"}"#,
            mocha,
        ),
        (
            ".rspec",
            "--require spec_helper\n--format progress --out tmp/x.txt\n--order=random\n",
            rspec,
        ),
        (
            "phpunit.xml",
            "<phpunit bootstrap=\"vendor/autoload.php\" cacheDirectory=\".phpunit.cache\"><logging><junit outputFile=\"build/junit.xml\"/></logging></phpunit>",
            phpunit,
        ),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, &[], lines);
        fs::remove_file(house.root.join("project").join(file)).unwrap();
    }
    // What they load may be a symlink that leads out.
    symlink("../out", house.root.join("project/linked")).unwrap();
    for (file, text, lines) in [
        ("jest.config.json", r#"{"setupFiles":["./linked/x.js"]}"#, jest),
        (".mocharc.json", r#"{"require":"./linked/x.js"}"#, mocha),
        ("phpunit.xml", "<phpunit bootstrap=\"linked/x.php\"/>", phpunit),
    ] {
        asks_with(&house, &policy, file, text, lines);
    }
}

#[test]
fn other_settings_that_a_runner_goes_on_to_count() {
    let house = house("told-further");
    house.put("project/.env", "PASSWORD=hunter2");
    house.put("project/more.ini", "[pytest]\naddopts = --log-file=.env\n");
    house.put("project/more.json", r#"{"mocha":{"require":"../x.js"}}"#);
    let policy = started(&house, "developer", "project");
    tried(
        &policy,
        &[
            "pytest --config-file=more.ini",
            "pytest --config-file more.ini",
            "pytest -c more.ini",
            "pytest --cov --cov-config=more.ini",
            "mocha --package more.json",
            "isort --resolve-all-configs .",
        ],
        &["pytest --co -q", "pytest --cov=src --cov-report=term", "mocha --check-leaks"],
    );
    asks_with(&house, &policy, "pytest.ini", "[pytest]\naddopts = -c more.ini\n", &["pytest"]);
    asks_with(&house, &policy, ".mocharc.json", r#"{"package":"more.json"}"#, &["mocha"]);
    asks_with(&house, &policy, ".coveragerc", "[run]\ndata_file = .env\n", &["pytest --cov"]);
    let html = "[tool.coverage.html]\ndirectory = '.git/hooks'\n";
    asks_with(&house, &policy, "pyproject.toml", html, &["pytest --cov --cov-report=html"]);
    asks_with(&house, &policy, "tox.ini", "[coverage:html]\nextra_css = .env\n", &["pytest --cov"]);
    house.put("project/.coveragerc", "[run]\nbranch = true\n[html]\ndirectory = htmlcov\n");
    tried(&policy, &[], &["pytest --cov", "pytest --cov --cov-config=.coveragerc"]);
    // Projects of jest have settings of their own.
    for projects in [r#"["packages/a"]"#, r#"["<rootDir>/packages/*"]"#, r#"["."]"#] {
        house.put("project/jest.config.json", format!(r#"{{"projects":{projects}}}"#));
        tried(&policy, &[], &["jest"]);
        let own = "project/packages/a/jest.config.json";
        house.put(own, r#"{"setupFiles":["../../../x.js"]}"#);
        tried(&policy, &["jest"], &[]);
        fs::remove_file(house.root.join(own)).unwrap();
    }
}
