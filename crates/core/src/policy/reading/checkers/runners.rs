//! What the settings of programs that run code of the project name outside of it. Such a program runs what lies in the project
//! anyway: what leads out of it is asked about.

use super::kinds::SettingUses;
use super::values::{SettingTable, SettingValue, of_jsonc, of_tool, whole};

/// The keys of jest whose values are patterns, compared with paths.
const PATTERNS: &[&str] = &[
    "collectCoverageFrom",
    "coveragePathIgnorePatterns",
    "forceCoverageMatch",
    "modulePathIgnorePatterns",
    "testMatch",
    "testPathIgnorePatterns",
    "testRegex",
    "transformIgnorePatterns",
    "unmockedModulePathPatterns",
    "watchPathIgnorePatterns",
];

/// Whether a text is a path that may lead out of the project: it begins at the root or in a home, or climbs. Behind the letters of an
/// option, too: which of them takes a value is not known.
pub(super) fn leads_out(text: &str) -> bool {
    let begins = |path: &str| {
        let below = path.trim_start_matches('/');
        let is_path = below.starts_with(|it: char| it.is_alphanumeric() || "._-@".contains(it));
        path.starts_with('~') || path.starts_with('/') && is_path
    };
    let leads = |text: &str| {
        // An address of the network is no path; one of files is.
        let text =
            ["http://", "https://"].iter().find_map(|it| text.strip_prefix(it)).unwrap_or(text);
        text.split(':').any(begins) || text.split(['/', '\\', ':', '<']).any(|part| part == "..")
    };
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    leads(text) || letters.char_indices().any(|(at, _)| letters.get(at..).is_some_and(leads))
}

/// Whether no value in it leads out.
pub(super) fn stays_in(value: &SettingValue) -> bool {
    match value {
        SettingValue::Text(text) => text.split([',', ' ', '=']).all(|part| !leads_out(part)),
        SettingValue::List(items) => items.iter().all(stays_in),
        SettingValue::Table(entries) => {
            entries.iter().all(|(key, value)| PATTERNS.contains(&key.as_str()) || stays_in(value))
        }
        SettingValue::Flag(_) | SettingValue::Number | SettingValue::Nothing => true,
    }
}

/// Whether no word of a text leads out, with its quotes and without them.
fn words_stay_in(text: &str) -> bool {
    let bare = text.replace(['"', '\'', '\\'], "");
    let ends = |it: char| it.is_whitespace() || "\"'=,[]{}()>`".contains(it);
    [text, &bare].iter().all(|text| text.split(ends).all(|word| !leads_out(word)))
}

/// Settings in a text of words.
pub(super) fn of_words(_: &str, text: &str) -> SettingUses {
    words_stay_in(text).then(Vec::new)
}

/// The settings of PHPUnit, which are XML.
pub(super) fn of_phpunit(_: &str, text: &str) -> SettingUses {
    // An entity may stand for any text.
    let is_plain = !text.contains("&#") && !text.contains("<!DOCTYPE");
    (is_plain && words_stay_in(text)).then(Vec::new)
}

pub(super) fn of_jest(name: &str, text: &str) -> SettingUses {
    of_node(name, text, "jest")
}

pub(super) fn of_mocha(name: &str, text: &str) -> SettingUses {
    // YAML knows escapes.
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    if is_yaml {
        of_words(name, text).filter(|_| !text.contains('\\'))
    } else {
        of_node(name, text, "mocha")
    }
}

/// Settings in JSON, or in a `package.json` with those of others.
fn of_node(name: &str, text: &str, tool: &str) -> SettingUses {
    let settings = of_jsonc(text)?;
    let fine = match name {
        "package.json" => {
            let own: SettingTable =
                whole(settings)?.into_iter().filter(|(key, _)| key == tool).collect();
            stays_in(&SettingValue::Table(own))
        }
        _ => stays_in(&settings),
    };
    fine.then(Vec::new)
}

pub(super) fn of_pytest(name: &str, text: &str) -> SettingUses {
    if name == "pyproject.toml" {
        return stays_in(&SettingValue::Table(of_tool(text, "pytest")?)).then(Vec::new);
    }
    // Others have settings there, too.
    let is_shared = ["setup.cfg", "tox.ini"].contains(&name);
    let mut counts = !is_shared;
    let mut own = String::new();
    for line in text.lines() {
        if is_shared && line.starts_with('[') {
            counts = line.contains("pytest");
        }
        if counts && !line.trim_start().starts_with(['#', ';']) {
            own.push_str(line);
            own.push('\n');
        }
    }
    words_stay_in(&own).then(Vec::new)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn what_settings_name_outside_of_the_project_is_told_from_the_rest() {
        check(
            of_pytest,
            &[
                (
                    "pytest.ini",
                    "[pytest]\naddopts = -ra -q --cov=src --import-mode=importlib\ntestpaths = tests\nfilterwarnings =\n    ignore::DeprecationWarning\nlog_format = %(asctime)s\n",
                ),
                ("tox.ini", "[testenv]\nchangedir = ../x\n[pytest]\naddopts = -v\n"),
                (
                    "pyproject.toml",
                    "[tool.pytest.ini_options]\naddopts = '-ra'\n[tool.x]\na = '../x'",
                ),
            ],
            &[
                ("pytest.ini", "[pytest]\naddopts = -c ../x.ini\n"),
                ("pytest.ini", "[pytest]\naddopts = --rootdir=/tmp/x\n"),
                ("pytest.ini", "[pytest]\naddopts = -vc/tmp/x.ini\n"),
                ("pytest.ini", "[pytest]\naddopts = -vc../x.ini\n"),
                ("pytest.ini", "[pytest]\npythonpath = //tmp\n"),
                ("pytest.ini", "[pytest]\naddopts = '-c' '.'./x.ini\n"),
                ("pytest.ini", "[pytest]\npythonpath = ..\n"),
                ("setup.cfg", "[tool:pytest]\npythonpath =\n  src\n  ~/x\n"),
                ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['src', '../x']"),
                ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-p x -c=../x'"),
            ],
        );
        check(
            of_jest,
            &[
                (
                    "package.json",
                    r#"{"files":["../x"],"jest":{"testPathIgnorePatterns":["/node_modules/"],"setupFiles":["./a.js"],"moduleNameMapper":{"^~/(.*)$":"<rootDir>/src/$1"}}}"#,
                ),
                ("jest.config.json", r#"{"preset":"ts-jest","testEnvironment":"node"}"#),
            ],
            &[
                ("package.json", r#"{"jest":{"setupFiles":["<rootDir>/../x.js"]}}"#),
                ("jest.config.json", r#"{"setupFiles":["\u002e./x.js"]}"#),
                ("jest.config.json", r#"{"globalSetup":"/tmp/x.js"}"#),
                ("jest.config.json", r#"{"setupFiles":["//tmp/x.js"]}"#),
                ("jest.config.json", r#"{"setupFiles":["file:///tmp/x.js"]}"#),
            ],
        );
        check(
            of_mocha,
            &[
                (".mocharc.json", r#"{"require":["ts-node/register"],"spec":"test/**/*.ts"}"#),
                (".mocharc.yml", "require:\n  - 'ts-node/register'\nspec: ./test\n"),
                ("package.json", r#"{"mocha":{"timeout":5000}}"#),
            ],
            &[
                (".mocharc.json", r#"{"require":["../outside.js"]}"#),
                (".mocharc.yml", "require: [../outside.js]\n"),
                (".mocharc.yml", "require: \"\\x2e./outside.js\"\n"),
                ("package.json", r#"{"mocha":{"require":"~/x.js"}}"#),
            ],
        );
        check(
            of_phpunit,
            &[(
                "phpunit.xml",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x -->\n<phpunit xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:noNamespaceSchemaLocation=\"vendor/phpunit/phpunit/phpunit.xsd\" bootstrap=\"vendor/autoload.php\">\n  <testsuites><testsuite name=\"a\"><directory>tests/Unit</directory></testsuite></testsuites>\n  <php><env name=\"A\" value=\"b\"/></php>\n</phpunit>\n",
            )],
            &[
                ("phpunit.xml", "<phpunit bootstrap=\"../x.php\">"),
                ("phpunit.xml", "<phpunit bootstrap='/tmp/x.php'>"),
                ("phpunit.xml", "<phpunit bootstrap=\"&#46;./x.php\">"),
                ("phpunit.xml", "<directory>../x</directory>"),
                ("phpunit.xml", "<directory>/tmp/x</directory>"),
            ],
        );
        check(
            of_words,
            &[(".rspec", "--require spec_helper\n--format documentation\n--color\n")],
            &[(".rspec", "--require /tmp/x"), (".rspec", "-r../x"), (".rspec", "-r ../x")],
        );
    }
}
