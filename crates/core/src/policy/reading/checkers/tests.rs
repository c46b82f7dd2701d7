//! Settings of each checker that are harmless, and others.

use super::javascript::of_prettier;
use super::python::{of_black, of_flake8, of_isort, of_mypy, of_pylint};
use super::setting_use::{SettingUse, SettingUses};

/// Texts that have a checker use nothing besides, and texts that do, or are not understood.
pub(super) fn check(
    read: fn(&str, &str) -> SettingUses, fine: &[(&str, &str)], others: &[(&str, &str)],
) {
    let is_fine = |name: &str, text: &str| {
        let is_own = |it: &SettingUse| {
            matches!(it, SettingUse::Git | SettingUse::Packages | SettingUse::Module(_))
        };
        read(name, text).is_some_and(|uses| uses.iter().all(is_own))
    };
    for (name, text) in fine {
        assert!(is_fine(name, text), "{text}");
    }
    for (name, text) in others {
        assert!(!is_fine(name, text), "{text}");
    }
}

/// The same of a program that also uses what lies in the project, and reads words as those of its command line.
pub(super) fn check_inside(
    read: fn(&str, &str) -> SettingUses, fine: &[(&str, &str)], others: &[(&str, &str)],
) {
    for (name, text) in fine {
        assert!(read(name, text).is_some(), "{text}");
    }
    for (name, text) in others {
        assert!(read(name, text).is_none(), "{text}");
    }
}

#[test]
fn settings_that_name_files_are_told_from_others() {
    let toml = "pyproject.toml";
    check(
        of_black,
        &[
            (toml, ""),
            (
                toml,
                "[tool.black]\nline-length = 100\ninclude = '\\.pyi?$'\ntarget-version = ['py311']",
            ),
            (toml, "[tool.ruff]\ninclude = ['x']"),
        ],
        &[
            (toml, "[tool.black]\ninclude = '(\\.env|server.key)$'"),
            (toml, "[tool.black]\ninclude = ''"),
            (toml, "[tool.black]\ncache-dir = '../x'"),
            (toml, "tool = 1"),
        ],
    );
    check(
        of_mypy,
        &[
            (
                "mypy.ini",
                "[mypy]\nstrict = True\npython_version = 3.11\nplugins =\n  a.b,\n  c\n[mypy-x.*]\nignore_errors = 1",
            ),
            ("setup.cfg", "[metadata]\nfiles = .env\n[mypy]\nexclude = x"),
            (
                toml,
                "[tool.mypy]\nstrict = true\nexclude = ['a']\n[[tool.mypy.overrides]]\nmodule = 'x'",
            ),
        ],
        &[
            ("mypy.ini", "[mypy]\nfiles = .env"),
            ("mypy.ini", "[mypy]\nfiles =\n  ~/.ssh/id_rsa"),
            ("mypy.ini", "[mypy]\ncache_dir=../o"),
            ("mypy.ini", "[mypy]\nTxt_Report: $HOME/x"),
            ("mypy.ini", "[mypy]\npython_executable = ./x"),
            ("mypy.ini", "[mypy]\n  exclude = x\n  files = .env"),
            ("mypy.ini", " [mypy] x\njunit_xml = ../x"),
            ("mypy.ini", "[mypy]\ncache_dir = l,k"),
            ("mypy.ini", "[DEFAULT]\njunit_xml = ../x\n[mypy]\nstrict = True"),
            ("setup.cfg", "[metadata]\n  [mypy]\n  junit_xml = ../x"),
            (toml, "[tool.mypy]\nlinecount_report = '../x'"),
            (toml, "[tool.mypy]\nfiles = ['*.key']"),
        ],
    );
    check(
        of_prettier,
        &[
            (".prettierrc", "{\"semi\": false}"),
            (".prettierrc", "semi: false\n"),
            (
                ".prettierrc.json",
                "{\"overrides\":[{\"files\":\"*.key\",\"options\":{\"semi\":true}}]}",
            ),
            (
                ".prettierrc.json",
                "{\"overrides\":[{\"files\":[\"*.{svg,md}\"],\"options\":{\"parser\":\"html\"}}]}",
            ),
            (".prettierrc.toml", "semi = false"),
            ("package.json", "{\"prettier\":\"@x/config\",\"overrides\":{\"parser\":\"1\"}}"),
        ],
        &[
            (".prettierrc", "{\"parser\": \"babel\"}"),
            (".prettierrc", "{\"p\\u0061rser\": \"babel\"}"),
            (".prettierrc.json5", "{p\\u0061rser: 'babel'}"),
            (".prettierrc", "{\"semi\": false, // : 1, parser: babel\n}"),
            (".prettierrc", "\"./o.json\""),
            ("package.json", "{\"prettier\":\"./o.json\"}"),
            ("package.yaml", "{\"prettier\":{\"parser\":\"babel\"}}"),
            ("package.yaml", "prettier:\n  parser: babel"),
            (".prettierrc", "overrides:\n- files: .env\n  options:\n    parser: babel"),
            (
                ".prettierrc",
                "{\"overrides\":[{\"files\":[\"server.key\"],\"options\":{\"parser\":\"babel\"}}]}",
            ),
            (
                ".prettierrc.toml",
                "[[overrides]]\nfiles = '*.tfvars'\n[overrides.options]\nparser = 'babel'",
            ),
            ("package.json", "{\"prettier\":{\"parser\":\"babel\"}}"),
        ],
    );
    check(
        of_flake8,
        &[
            (
                ".flake8",
                "[flake8]\nmax-line-length = 100\nextend-ignore = E203,\n  W503\nshow-source = true",
            ),
            (
                "setup.cfg",
                "[flake8]\nper-file-ignores =\n  # c\n  __init__.py:F401\n\n  a.py: E501\n[options]\noutput-file = x",
            ),
            ("tox.ini", "[testenv]\ncommands =\n  flake8 --x=1\n[flake8]\nfilename = *.py, *.pyi"),
        ],
        &[
            (".flake8", "[flake8]\nfilename = *.env,*.cfg"),
            (".flake8", "[flake8]\nfilename = *.env *.py"),
            (".flake8", " [flake8] x\nfilename = *.env"),
            (".flake8", "[flake8]\noutput-file = ../x"),
            (".flake8", "[flake8]\noutput_file = 1"),
            (".flake8", "[DEFAULT]\nfilename = .env\n[flake8]"),
            (".flake8", "[flake8]\nsomething-new = ../x"),
        ],
    );
    check(
        of_isort,
        &[
            (
                ".isort.cfg",
                "[settings]\nprofile = black\nknown_first_party = a,b\nmulti_line_output=3",
            ),
            (toml, "[tool.isort]\nprofile = 'black'\nskip = ['x']\nline_length = 100"),
            (".editorconfig", "root = true\n[*]\nindent_size = 4\n[*.py]\nprofile = black"),
        ],
        &[
            (".isort.cfg", "[settings]\nsupported_extensions=env,py"),
            ("tox.ini", "[tool.isort]\nsupported_extensions=env,py"),
            (toml, "[tool.isort]\nsupported-extensions = ['env']"),
            (toml, "[tool.isort]\nvirtual_env = '../x'"),
            (".editorconfig", "[*.py]\nsupported_extensions = env"),
        ],
    );
    check(
        of_pylint,
        &[
            (
                ".pylintrc",
                "[MASTER]\nload-plugins=a.b\ndocstring-min-length=-1\nignore-long-lines=^\\s*(# )?x$\n[REPORTS]\noutput-format=colorized\nimport-graph=\nspelling-store-unknown-words=no",
            ),
            ("setup.cfg", "[pylint.main]\njobs=4\n[tool]\noutput=x"),
            (
                toml,
                "[tool.pylint.main]\njobs = 2\n[tool.pylint.'messages control']\ndisable = ['C0111']",
            ),
        ],
        &[
            (".pylintrc", "[MASTER]\noutput-format=json:../x"),
            (".pylintrc", "[MASTER]\noutput=../x"),
            (".pylintrc", "[MAIN]\nerrors-only=--output-format=json:/x"),
            (toml, "[tool.pylint]\nerrors-only = '--output-format=json:/x'"),
            (toml, "[tool.pylint.reports]\noutput-format = 'json:../x'"),
            (toml, "[tool.pylint]\nimport-graph = '../x'"),
        ],
    );
}
