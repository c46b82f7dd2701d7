//! Which files hold the settings of each checker, and who reads them.

use super::setting_use::SettingUses;
use super::{javascript, phpunit, python, rubocop, runners};

/// Where a checker finds its settings, and what they may say.
pub(super) struct KnownChecker {
    /// The names of the files.
    pub(super) names: &'static [&'static str],
    /// The same below the home.
    pub(super) of_user: &'static [&'static str],
    /// The options that name another.
    pub(super) options: &'static [&'static str],
    /// Whether those are never cut short.
    pub(super) exact: bool,
    /// The options whose patterns take in files that are left out elsewhere, where they begin with `!`.
    pub(super) taking_in: &'static [&'static str],
    /// The options whose values take the place of what it leaves out by itself.
    pub(super) leaving_out: &'static [&'static str],
    /// Whether those below what it looks at count.
    pub(super) below: bool,
    /// Whether it passes over what the `.gitignore` names where it runs.
    pub(super) reads_ignores: bool,
    /// Whether one that an option names is read by the ending of its name, also as code.
    pub(super) by_ending: bool,
    pub(super) read: fn(&str, &str) -> SettingUses,
}

/// What none of them has unless it says so.
const NONE: KnownChecker = KnownChecker {
    names: &[],
    of_user: &[],
    options: &[],
    exact: false,
    taking_in: &[],
    leaving_out: &[],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: |_, _| None,
};

const BLACK: KnownChecker = KnownChecker {
    names: &["pyproject.toml"],
    of_user: &[".config/black", ".black"],
    options: &["--config"],
    read: python::of_black,
    ..NONE
};

const MYPY: KnownChecker = KnownChecker {
    names: &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
    of_user: &[".config/mypy/config", ".mypy.ini"],
    options: &["--config-file"],
    read: python::of_mypy,
    ..NONE
};

const FLAKE8: KnownChecker = KnownChecker {
    names: &[".flake8", "setup.cfg", "tox.ini"],
    of_user: &[".flake8", ".config/flake8"],
    options: &["--config", "--append-config"],
    read: python::of_flake8,
    ..NONE
};

const ISORT: KnownChecker = KnownChecker {
    names: &[".isort.cfg", "pyproject.toml", "setup.cfg", "tox.ini", ".editorconfig"],
    of_user: &[".isort.cfg", ".editorconfig"],
    options: &["--sp", "--settings-path", "--settings-file", "--settings"],
    leaving_out: &["-s", "--skip"],
    read: python::of_isort,
    ..NONE
};

const PYRIGHT: KnownChecker = KnownChecker {
    names: &["pyrightconfig.json", "pyproject.toml"],
    options: &["-p", "--project"],
    read: python::of_pyright,
    ..NONE
};

const PYLINT: KnownChecker = KnownChecker {
    names: &[
        ".pylintrc",
        "pylintrc",
        ".pylintrc.toml",
        "pylintrc.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
    ],
    of_user: &[".pylintrc", ".config/pylintrc"],
    options: &["--rcfile"],
    read: python::of_pylint,
    ..NONE
};

const PRETTIER: KnownChecker = KnownChecker {
    names: &[
        ".prettierrc",
        ".prettierrc.json",
        ".prettierrc.json5",
        ".prettierrc.toml",
        ".prettierrc.yaml",
        ".prettierrc.yml",
        "package.json",
        "package.yaml",
    ],
    options: &["--config"],
    below: true,
    reads_ignores: true,
    read: javascript::of_prettier,
    ..NONE
};

const ESLINT: KnownChecker = KnownChecker {
    names: &[
        ".eslintrc",
        ".eslintrc.json",
        ".eslintrc.yaml",
        ".eslintrc.yml",
        ".eslintignore",
        "package.json",
    ],
    options: &["-c", "--config"],
    below: true,
    by_ending: true,
    taking_in: &["--ignore-pattern"],
    read: javascript::of_eslint,
    ..NONE
};

const OXLINT: KnownChecker = KnownChecker {
    names: &[".oxlintrc.json", ".oxlintrc.jsonc"],
    options: &["-c", "--config"],
    below: true,
    by_ending: true,
    read: javascript::of_oxlint,
    ..NONE
};

const RUBOCOP: KnownChecker = KnownChecker {
    names: &[".rubocop.yml", ".rubocop_todo.yml", ".rubocop", ".config/rubocop/config.yml"],
    of_user: &[".rubocop.yml", ".config/rubocop/config.yml"],
    options: &["-c", "--config"],
    below: true,
    read: rubocop::of_rubocop,
    ..NONE
};

const JEST: KnownChecker = KnownChecker {
    names: &["jest.config.json", "package.json"],
    options: &["-c", "--config"],
    by_ending: true,
    read: runners::of_jest,
    ..NONE
};

const MOCHA: KnownChecker = KnownChecker {
    names: &[".mocharc.json", ".mocharc.jsonc", ".mocharc.yaml", ".mocharc.yml", "package.json"],
    options: &["--config", "--package"],
    by_ending: true,
    read: runners::of_mocha,
    ..NONE
};

const PHPUNIT: KnownChecker = KnownChecker {
    names: &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
    options: &["-c", "--configuration"],
    read: phpunit::of_phpunit,
    ..NONE
};

const PYTEST: KnownChecker = KnownChecker {
    names: &[
        "pytest.toml",
        ".pytest.toml",
        "pytest.ini",
        ".pytest.ini",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        ".coveragerc",
    ],
    options: &["-c", "--config-file", "--cov-config"],
    exact: true,
    read: runners::of_pytest,
    ..NONE
};

const RSPEC: KnownChecker = KnownChecker {
    names: &[".rspec", ".rspec-local"],
    options: &["-O", "--options"],
    read: runners::of_rspec,
    ..NONE
};

/// The checker of this name.
pub(super) fn of_program(name: &str) -> Option<&'static KnownChecker> {
    Some(match name {
        "black" => &BLACK,
        "eslint" => &ESLINT,
        "flake8" => &FLAKE8,
        "isort" => &ISORT,
        "jest" => &JEST,
        "mocha" => &MOCHA,
        "mypy" => &MYPY,
        "oxlint" => &OXLINT,
        "prettier" => &PRETTIER,
        "phpunit" => &PHPUNIT,
        "pylint" => &PYLINT,
        "pyright" | "basedpyright" => &PYRIGHT,
        "pytest" | "py.test" => &PYTEST,
        "rspec" => &RSPEC,
        "rubocop" => &RUBOCOP,
        _ => return None,
    })
}
