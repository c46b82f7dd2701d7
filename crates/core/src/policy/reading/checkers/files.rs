//! Which files hold the settings of each checker, and who reads them.

use super::kinds::SettingUses;
use super::{javascript, python, rubocop, runners};

/// Where a checker finds its settings, and what they may say.
pub(super) struct KnownChecker {
    /// The names of the files.
    pub(super) names: &'static [&'static str],
    /// The same below the home.
    pub(super) of_user: &'static [&'static str],
    /// The options that name another.
    pub(super) options: &'static [&'static str],
    /// Whether those below what it looks at count.
    pub(super) below: bool,
    /// Whether it passes over what the `.gitignore` names where it runs.
    pub(super) reads_ignores: bool,
    /// Whether one that an option names is read by the ending of its name, also as code.
    pub(super) by_ending: bool,
    pub(super) read: fn(&str, &str) -> SettingUses,
}

const BLACK: KnownChecker = KnownChecker {
    names: &["pyproject.toml"],
    of_user: &[".config/black", ".black"],
    options: &["--config"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_black,
};

const MYPY: KnownChecker = KnownChecker {
    names: &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
    of_user: &[".config/mypy/config", ".mypy.ini"],
    options: &["--config-file"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_mypy,
};

const FLAKE8: KnownChecker = KnownChecker {
    names: &[".flake8", "setup.cfg", "tox.ini"],
    of_user: &[".flake8", ".config/flake8"],
    options: &["--config", "--append-config"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_flake8,
};

const ISORT: KnownChecker = KnownChecker {
    names: &[".isort.cfg", "pyproject.toml", "setup.cfg", "tox.ini", ".editorconfig"],
    of_user: &[".isort.cfg", ".editorconfig"],
    options: &["--sp", "--settings-path", "--settings-file", "--settings"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_isort,
};

const PYRIGHT: KnownChecker = KnownChecker {
    names: &["pyrightconfig.json", "pyproject.toml"],
    of_user: &[],
    options: &["-p", "--project"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_pyright,
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
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: python::of_pylint,
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
    of_user: &[],
    options: &["--config"],
    below: true,
    reads_ignores: true,
    by_ending: false,
    read: javascript::of_prettier,
};

pub(super) const ESLINT: KnownChecker = KnownChecker {
    names: &[
        ".eslintrc",
        ".eslintrc.json",
        ".eslintrc.yaml",
        ".eslintrc.yml",
        ".eslintignore",
        "package.json",
    ],
    of_user: &[],
    options: &["-c", "--config"],
    below: true,
    reads_ignores: false,
    by_ending: true,
    read: javascript::of_eslint,
};

const OXLINT: KnownChecker = KnownChecker {
    names: &[".oxlintrc.json", ".oxlintrc.jsonc"],
    of_user: &[],
    options: &["-c", "--config"],
    below: true,
    reads_ignores: false,
    by_ending: true,
    read: javascript::of_oxlint,
};

const RUBOCOP: KnownChecker = KnownChecker {
    names: &[".rubocop.yml", ".rubocop_todo.yml", ".rubocop", ".config/rubocop/config.yml"],
    of_user: &[".rubocop.yml", ".config/rubocop/config.yml"],
    options: &["-c", "--config"],
    below: true,
    reads_ignores: false,
    by_ending: false,
    read: rubocop::of_rubocop,
};

const JEST: KnownChecker = KnownChecker {
    names: &["jest.config.json", "package.json"],
    of_user: &[],
    options: &["-c", "--config"],
    below: false,
    reads_ignores: false,
    by_ending: true,
    read: runners::of_jest,
};

const MOCHA: KnownChecker = KnownChecker {
    names: &[".mocharc.json", ".mocharc.jsonc", ".mocharc.yaml", ".mocharc.yml", "package.json"],
    of_user: &[],
    options: &["--config"],
    below: false,
    reads_ignores: false,
    by_ending: true,
    read: runners::of_mocha,
};

const PHPUNIT: KnownChecker = KnownChecker {
    names: &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
    of_user: &[],
    options: &["-c", "--configuration"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: runners::of_phpunit,
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
    ],
    of_user: &[],
    options: &["-c"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: runners::of_pytest,
};

const RSPEC: KnownChecker = KnownChecker {
    names: &[".rspec", ".rspec-local"],
    of_user: &[],
    options: &["-O", "--options"],
    below: false,
    reads_ignores: false,
    by_ending: false,
    read: runners::of_words,
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
