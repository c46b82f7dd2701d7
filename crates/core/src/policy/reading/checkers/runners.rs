//! What the settings of programs that run tests may say. Such a program runs what lies in the project anyway: what they name has to lie
//! there, what they have it write is a write of its own, and words for its command line are read as those are.

use super::kinds::uses;
use super::setting_use::{SettingUse, SettingUses};
use super::values::{
    SettingTable, SettingValue, ini, of_jsonc, of_toml, of_yaml, split, taken, whole,
};

pub(super) fn of_pytest(name: &str, text: &str) -> SettingUses {
    let mut all = of_coverage(name, text)?;
    all.extend(of_pytest_settings(name, text)?);
    Some(all)
}

/// What is told of coverage, which a common plugin measures.
fn of_coverage(name: &str, text: &str) -> SettingUses {
    let settings = match name {
        "pyproject.toml" => {
            let all = taken(taken(of_toml(text)?, "tool")?, "coverage")?;
            let sections = all.into_iter().filter(|(section, _)| section != "paths");
            sections.map(|(_, section)| whole(section)).collect::<Option<Vec<_>>>()?.concat()
        }
        ".coveragerc" => ini(text, |section| !section.ends_with("paths"))?,
        "setup.cfg" | "tox.ini" => {
            ini(text, |section| section.starts_with("coverage:") && !section.ends_with("paths"))?
        }
        _ => SettingTable::new(),
    };
    uses("coverage", &settings)
}

fn of_pytest_settings(name: &str, text: &str) -> SettingUses {
    let settings = if name == ".coveragerc" {
        SettingTable::new()
    } else if name.ends_with(".toml") {
        let mut all = of_toml(text)?;
        if name == "pyproject.toml" {
            all = taken(all, "tool")?;
        }
        let (nested, mut own): (SettingTable, SettingTable) =
            taken(all, "pytest")?.into_iter().partition(|(key, _)| key == "ini_options");
        for (_, settings) in nested {
            own.extend(whole(settings)?);
        }
        own
    } else {
        ini(text, |section| matches!(section, "pytest" | "tool:pytest"))?
    };
    let lower = |(key, value): (String, SettingValue)| (key.to_ascii_lowercase(), value);
    uses("pytest", &settings.into_iter().map(lower).collect())
}

pub(super) fn of_jest(name: &str, text: &str) -> SettingUses {
    let settings = of_node(name, of_jsonc(text)?, "jest")?;
    uses("jest", &settings.into_iter().map(|(key, value)| (key, from_root(value))).collect())
}

/// The same with paths that are seen from the root, which is the folder of the settings or another one in the project.
fn from_root(value: SettingValue) -> SettingValue {
    match value {
        SettingValue::Text(text) => SettingValue::Text(text.replace("<rootDir>", ".")),
        SettingValue::List(items) => SettingValue::List(items.into_iter().map(from_root).collect()),
        SettingValue::Table(entries) => {
            let inner = entries.into_iter().map(|(key, value)| (key, from_root(value)));
            SettingValue::Table(inner.collect())
        }
        value => value,
    }
}

pub(super) fn of_mocha(name: &str, text: &str) -> SettingUses {
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    let settings = if is_yaml { of_yaml(text)? } else { of_jsonc(text)? };
    // Both forms of a name mean the same.
    let dashed = |(key, value): (String, SettingValue)| {
        let mut name = String::new();
        for char in key.chars() {
            if char.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(char.to_ascii_lowercase());
        }
        (name, value)
    };
    uses("mocha", &of_node(name, settings, "mocha")?.into_iter().map(dashed).collect())
}

/// Settings of its own, or in a `package.json` with those of others.
fn of_node(name: &str, settings: SettingValue, tool: &str) -> Option<SettingTable> {
    match settings {
        SettingValue::Nothing => Some(SettingTable::new()),
        settings if name == "package.json" => taken(whole(settings)?, tool),
        settings => whole(settings),
    }
}

/// The options of rspec, which are words. What it requires is code of the project or of its packages.
pub(super) fn of_rspec(_: &str, text: &str) -> SettingUses {
    // Templates are code.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words = split(&lines.collect::<Vec<_>>().join("\n")).filter(|_| !text.contains("<%"))?;
    let (mut required, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let attached = word.strip_prefix("--require=").or_else(|| word.strip_prefix("-r"));
        match attached {
            Some("") => required.push(words.next()?),
            Some(name) => required.push(name.to_owned()),
            None if word == "--require" => required.push(words.next()?),
            None => rest.push(word),
        }
    }
    let required = SettingValue::List(required.into_iter().map(SettingValue::Text).collect());
    let mut all = uses("rspec", &vec![("require".to_owned(), required)])?;
    all.push(SettingUse::Words(rest));
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::super::phpunit::of_phpunit;
    use super::super::tests::check_inside;
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does_or_not_at_all() {
        let words = |text: &str| split(text);
        let of = |words: &[&str]| Some(words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(" -a\n'b c'd \"\" "), of(&["-a", "b cd", ""]));
        for text in ["'a", "a\\ b", "$a", "'$a'", "a~b"] {
            assert_eq!(words(text), None, "{text}");
        }
    }

    #[test]
    fn what_settings_name_in_the_project_is_told_from_the_rest() {
        check_inside(
            of_pytest,
            &[
                (
                    "pytest.ini",
                    "[pytest]\naddopts = -ra -q --cov=src --import-mode=importlib\ntestpaths = tests\nfilterwarnings =\n    error\n    ignore::DeprecationWarning\n    ignore:a b.c:pkg.mod.SomeWarning\nlog_format = %(asctime)s\nxfail_strict = true\nmarkers =\n    slow: takes ../long\n",
                ),
                (
                    "tox.ini",
                    "[testenv]\nchangedir = ../x\n[pytest]\naddopts = -v\npython_files = test_*.py tests.py\n",
                ),
                (
                    "pyproject.toml",
                    "[tool.pytest.ini_options]\naddopts = '-ra'\npythonpath = ['src', '.']\nDJANGO_SETTINGS_MODULE = 'x.settings'\nminversion = '8.0'\nlog_cli = true\n[tool.x]\na = '../x'",
                ),
                ("pytest.toml", "[pytest]\nstrict = true\naddopts = ['-ra', '-q']"),
                (
                    ".coveragerc",
                    "[run]\nbranch = True\nsource = src\nomit =\n  */tests/*\nplugins = a.b\n[paths]\nsource =\n  src\n  /x/src\n[report]\nexclude_lines =\n    pragma: no cover\n    if __name__ == .__main__.:\nfail_under = 90\n[html]\ndirectory = htmlcov\n",
                ),
                (
                    "pyproject.toml",
                    "[tool.coverage.run]\nsource = ['x']\nparallel = true\n[tool.coverage.paths]\na = ['/x']\n[tool.coverage.report]\nexclude_also = ['if TYPE_CHECKING:']\nshow_missing = true\n",
                ),
            ],
            &[
                (".coveragerc", "[run]\ndata_file = ../x\n"),
                (".coveragerc", "[html]\ndirectory = $HOME/x\n"),
                (".coveragerc", "[run]\nsomething_new = x\n"),
                ("pyproject.toml", "[tool.coverage.xml]\noutput = '/tmp/x'"),
                ("setup.cfg", "[coverage:json]\noutput = ~/x\n"),
                ("pytest.ini", "[pytest]\npythonpath = //tmp\n"),
                ("pytest.ini", "[pytest]\npythonpath = ..\n"),
                ("pytest.ini", "[pytest]\naddopts = -v $X\n"),
                ("pytest.ini", "[pytest]\naddopts = --junitxml=~/x\n"),
                ("pytest.ini", "[pytest]\nlog_file = ~/x\n"),
                ("pytest.ini", "[pytest]\ncache_dir = $HOME/x\n"),
                ("pytest.ini", "[pytest]\ncache_dir = ../x\n"),
                ("pytest.ini", "[pytest]\npython_files = *.env\n"),
                ("pytest.ini", "[pytest]\nsomething_new = x\n"),
                ("setup.cfg", "[tool:pytest]\npythonpath =\n  src\n  ~/x\n"),
                ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['src', '../x']"),
                ("pyproject.toml", "[tool.pytest]\nlog_file = '/tmp/x'"),
            ],
        );
        check_inside(
            of_jest,
            &[
                (
                    "package.json",
                    r#"{"files":["../x"],"jest":{"testPathIgnorePatterns":["/node_modules/"],"setupFiles":["./a.js"],"moduleNameMapper":{"^~/(.*)$":"<rootDir>/src/$1","\\.css$":"identity-obj-proxy"}}}"#,
                ),
                ("jest.config.json", r#"{"preset":"ts-jest","testEnvironment":"node"}"#),
                (
                    "jest.config.json",
                    r#"{"roots":["<rootDir>/src","<rootDir>"],"transform":{"^.+\\.tsx?$":["ts-jest",{"tsconfig":"tsconfig.test.json"}]},"moduleFileExtensions":["ts","js","json"],"coverageThreshold":{"global":{"lines":80}},"reporters":["default",["jest-junit",{"outputName":"junit.xml"}]],"globals":{"ts-jest":{"diagnostics":false}},"projects":["<rootDir>/packages/*"],"coverageReporters":["text","lcov"],"testEnvironmentOptions":{"url":"http://localhost"},"collectCoverageFrom":["src/**/*.ts","!**/*.d.ts"],"watchPlugins":["jest-watch-typeahead/filename"]}"#,
                ),
            ],
            &[
                ("package.json", r#"{"jest":{"setupFiles":["<rootDir>/../x.js"]}}"#),
                ("jest.config.json", r#"{"setupFiles":["\u002e./x.js"]}"#),
                ("jest.config.json", r#"{"globalSetup":"/tmp/x.js"}"#),
                ("jest.config.json", r#"{"setupFiles":["//tmp/x.js"]}"#),
                ("jest.config.json", r#"{"setupFiles":["file:///tmp/x.js"]}"#),
                ("jest.config.json", r#"{"transform":{".*":["ts-jest",{"tsconfig":"../x"}]}}"#),
                ("jest.config.json", r#"{"reporters":[["jest-junit",{"outputFile":"/tmp/x"}]]}"#),
                ("jest.config.json", r#"{"moduleFileExtensions":["env"]}"#),
                ("jest.config.json", r#"{"coverageDirectory":"../x"}"#),
                ("jest.config.json", r#"{"projects":[{"setupFiles":["../x"]}]}"#),
                ("jest.config.json", r#"{"projects":["a/x.json"]}"#),
                ("jest.config.json", r#"{"preset":"./config"}"#),
                ("jest.config.json", r#"{"somethingNew":"x"}"#),
            ],
        );
        check_inside(
            of_mocha,
            &[
                (".mocharc.json", r#"{"require":["ts-node/register"],"spec":"test/**/*.ts"}"#),
                (".mocharc.yml", "require:\n  - 'ts-node/register'\nspec: ./test\n"),
                (
                    ".mocharc.json",
                    r#"{"extension":["ts"],"node-option":["import=tsx","no-warnings"],"timeout":"5s","reporter":"spec","recursive":true,"checkLeaks":true}"#,
                ),
                ("package.json", r#"{"mocha":{"timeout":5000}}"#),
            ],
            &[
                (".mocharc.json", r#"{"require":["../outside.js"]}"#),
                (".mocharc.json", r#"{"extension":["env"]}"#),
                (".mocharc.json", r#"{"spec":"*.env"}"#),
                (".mocharc.json", r#"{"spec":"{a,prod.env}"}"#),
                (".mocharc.json", r#"{"reporter-option":["output=../x"]}"#),
                (".mocharc.json", r#"{"reporterOptions":{"output":"/tmp/x"}}"#),
                (".mocharc.json", r#"{"node-option":["require=../x"]}"#),
                (".mocharc.yml", "require: [../outside.js]\n"),
                (".mocharc.yml", "require: \"\\x2e./outside.js\"\n"),
                ("package.json", r#"{"mocha":{"require":"~/x.js"}}"#),
            ],
        );
        check_inside(
            of_phpunit,
            &[(
                "phpunit.xml",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x -->\n<phpunit xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:noNamespaceSchemaLocation=\"vendor/phpunit/phpunit/phpunit.xsd\" bootstrap=\"vendor/autoload.php\" colors=\"true\" failOnRisky='true'>\n  <testsuites><testsuite name=\"Unit tests\"><directory suffix=\"Test.php\">./tests/Unit</directory></testsuite></testsuites>\n  <source><include><directory suffix=\".php\">src</directory></include></source>\n  <php><ini name=\"memory_limit\" value=\"-1\"/><env name=\"A\" value=\"b\"/><env name=\"DB\" value=\":memory:\" force=\"true\" /></php>\n</phpunit>\n",
            )],
            &[
                ("phpunit.xml", "<phpunit bootstrap=\"../x.php\">"),
                ("phpunit.xml", "<phpunit bootstrap='/tmp/x.php'>"),
                ("phpunit.xml", "<phpunit bootstrap=\"&#46;./x.php\">"),
                ("phpunit.xml", "<phpunit somethingNew=\"x\"/>"),
                ("phpunit.xml", "<phpunit bootstrap=x/>"),
                ("phpunit.xml", "<directory>../x</directory>"),
                ("phpunit.xml", "<directory>/tmp/x</directory>"),
                ("phpunit.xml", "<directory suffix=\".env\">.</directory>"),
                ("phpunit.xml", "<directory><![CDATA[../x]]></directory>"),
                ("phpunit.xml", "<php><ini name=\"auto_prepend_file\" value=\"x\"/></php>"),
                ("phpunit.xml", "<php><env name=\"A\" value=\"../x\"/></php>"),
                ("phpunit.xml", "<junit outputFile=\"../x\"/>"),
                ("phpunit.xml", "<!DOCTYPE x><phpunit/>"),
            ],
        );
        check_inside(
            of_rspec,
            &[(
                ".rspec",
                "--require spec_helper\n-r rails_helper\n--format documentation\n--color\n",
            )],
            &[
                (".rspec", "--require /tmp/x"),
                (".rspec", "-r../x"),
                (".rspec", "-r ../x"),
                (".rspec", "<%= x %>"),
            ],
        );
    }
}
