//! Symlinks and settings of a project that lead a program to something that the project does not hold.

use crate::house::{link, own, started, tried, tried_in_both, unlink, verdict, with_secret};

#[test]
fn a_manager_of_versions_prints_the_secret_that_its_file_is_a_link_to() {
    let house = with_secret("led-versions");
    let lines = ["python --version", "python -V", "node --version", "ruby --version"];
    tried_in_both(&house, &[], &lines);
    for name in [".python-version", ".node-version", ".ruby-version", ".nvmrc"] {
        for target in ["prod.env", "../home/.ssh/id_rsa"] {
            link(&house, target, name);
            tried_in_both(&house, &lines, &["ls"]);
            unlink(&house, name);
        }
    }
    // The file of a folder above.
    house.put("project/.node-version", "20.1.0");
    link(&house, ".node-version", ".nvmrc");
    tried_in_both(&house, &[], &lines);
}

#[test]
fn a_module_of_python_is_not_loaded_through_a_link_out_of_the_project() {
    let house = with_secret("led-modules");
    let policy = started(&house, "developer", "project");
    let lines =
        ["python3 -m unittest", "python3 -m black --check a.py", "python3 -m compileall a.py"];
    tried(&policy, &[], &lines);
    for (target, name) in [
        ("../out/x.py", "struct.py"),
        ("prod.env", "token.py"),
        ("../out", "unittest"),
        ("../out/x.py", "unittest.py"),
    ] {
        link(&house, target, name);
        println!("{name} -> {target}");
        tried(&policy, &["python3 -m unittest"], &["ls"]);
        unlink(&house, name);
    }
    for (target, name) in
        [("../out/x.py", "black.py"), ("../out", "black"), ("../out/x.py", "re.py")]
    {
        link(&house, target, name);
        tried(&policy, &["python3 -m black --check a.py"], &["ls"]);
        unlink(&house, name);
    }
    // A folder of data that is no module of this name.
    link(&house, "../out", "data-sets");
    tried(&policy, &[], &lines);
}

#[test]
fn a_program_of_a_package_is_no_link_out_of_the_project() {
    let house = with_secret("led-packages");
    house.put("project/node_modules/prettier/bin/prettier.cjs", "x");
    link(&house, "../prettier/bin/prettier.cjs", "node_modules/.bin/prettier");
    let policy = started(&house, "developer", "project");
    let lines = ["npx --no-install prettier --check a.js"];
    tried(&policy, &[], &lines);
    unlink(&house, "node_modules/.bin/prettier");
    link(&house, "../../../out/x.sh", "node_modules/.bin/prettier");
    tried(&policy, &lines, &["ls"]);
    let (_, reason) = verdict(&policy, "bash", lines[0]);
    assert!(reason.contains("a symlink that leads out of the project"), "{reason}");
}

#[test]
fn npx_runs_the_program_of_the_own_package_before_any_other() {
    let house = with_secret("led-own-package");
    house.put("project/node_modules/.bin/prettier", "x");
    house.put("project/own.sh", "x");
    house.put("project/tools/other", "x");
    link(&house, "../out/x.sh", "b.sh");
    link(&house, "../out/x.sh", "prettier");
    link(&house, "../../../out/x.sh", "tools/in/prettier");
    let policy = started(&house, "developer", "project");
    let line = ["npx --no-install prettier --check a.js"];
    for package in [
        r#"{"name":"x","bin":{"prettier":"./b.sh"}}"#,
        r#"{"name":"x","bin":{"a/prettier":"b.sh"}}"#,
        r#"{"name":"x","bin":{"prettier/":"./b.sh"}}"#,
        r#"{"name":"x","bin":{"a\\prettier::":"./b.sh"}}"#,
        r#"{"name":"prettier/","bin":"./b.sh"}"#,
        r#"{"name":"x","bin":"","directories":{"bin":"tools"}}"#,
        r#"{"name":"x","bin":["./prettier/"]}"#,
        r#"{"name":"x","bin":{},"directories":{"bin":"tools"}}"#,
        r#"{"name":"prettier","bin":"./b.sh"}"#,
        r#"{"name":"@x/prettier","bin":"b.sh"}"#,
        r#"{"name":"x","bin":{"prettier":"../out/x.sh"}}"#,
        r#"{"name":"x","directories":{"bin":"tools"}}"#,
        r#"{"name":"x","bin":{"prettier":"./own.sh"}"#,
    ] {
        println!("{package}");
        house.put("project/package.json", package);
        tried(&policy, &line, &["ls"]);
    }
    unlink(&house, "tools/in/prettier");
    for package in [
        r#"{"name":"x","bin":{"prettier":"./own.sh"}}"#,
        r#"{"name":"x","bin":{"y":"./b.sh"}}"#,
        r#"{"name":"x","bin":"./b.sh"}"#,
        r#"{"name":"x","directories":{"bin":"tools"}}"#,
        r#"{"name":"x"}"#,
    ] {
        println!("{package}");
        house.put("project/package.json", package);
        tried(&policy, &[], &line);
    }
}

#[test]
fn a_virtual_environment_of_the_project_is_no_link_out_of_it() {
    let house = with_secret("led-environments");
    house.put("project/pyproject.toml", "[tool.poetry]\nname = \"p\"\n");
    house.put("project/envs/a/bin/pytest", "x");
    let policy = started(&house, "developer", "project");
    tried(&policy, &[], &["poetry run pytest"]);
    link(&house, "envs/a", ".venv");
    tried(&policy, &[], &["poetry run pytest"]);
    unlink(&house, ".venv");
    link(&house, "../out", ".venv");
    tried(&policy, &["poetry run pytest"], &["ls"]);
    unlink(&house, ".venv");
    // One program of it. The interpreter lies elsewhere.
    let lines = ["poetry run black --check a.py", "poetry run -q black --check a.py"];
    house.put("out/python3", "x");
    link(&house, "../../../out/python3", ".venv/bin/python");
    tried(&policy, &[], &[lines[0], "poetry run pytest"]);
    link(&house, "../../../out/x.sh", ".venv/bin/black");
    tried(&policy, &lines, &["poetry run pytest"]);
    unlink(&house, ".venv/bin/black");
    house.put("out/python-x", "x");
    house.put("out/lib/x.py", "x = 1\n");
    for (target, name) in [
        ("../../../out/python-x", ".venv/bin/pytest"),
        ("../../../out/python3", ".venv/bin/pytest"),
        ("../../out/lib", ".venv/lib"),
        ("../../../out/lib", ".venv/lib/python3.12"),
        ("../../../../out/lib", ".venv/lib/python3.12/site-packages"),
        ("../../../../../out/x.py", ".venv/lib/python3.12/site-packages/sitecustomize.py"),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &["poetry run pytest"], &["ls"]);
        unlink(&house, name);
    }
    house.put("project/.venv/lib/python3.12/site-packages/x.py", "x = 1\n");
    link(&house, "lib", ".venv/lib64");
    tried(&policy, &[], &["poetry run pytest"]);
}

#[test]
fn poetry_runs_what_its_own_settings_and_plugins_say() {
    let house = with_secret("led-poetry");
    house.put("project/pyproject.toml", "[tool.poetry]\nname = \"p\"\n");
    house.put("out/plugins/x.py", "x = 1\n");
    let policy = started(&house, "developer", "project");
    let lines =
        ["poetry run pytest", "poetry run black --check a.py", "cd src && poetry run mypy ."];
    let harmless = [
        "",
        "[virtualenvs]\nin-project = true\ncreate = false\n",
        "[virtualenvs]\npath = \"{cache-dir}/virtualenvs\"\n",
    ];
    for settings in harmless {
        house.put("project/poetry.toml", settings);
        tried(&policy, &[], &lines);
    }
    for settings in [
        "[virtualenvs]\npath = \"../venvs\"\n",
        "virtualenvs.path = \"../venvs\"\n",
        "virtualenvs = { \"p\\u0061th\" = \"../venvs\" }\n",
        "[virtualenvs]\npath = \"{cache-dir}/../venvs\"\n",
        "cache-dir = \"../cache\"\n",
        "data-dir = \"../data\"\n",
        "[virtualenvs\n",
    ] {
        println!("{settings}");
        house.put("project/poetry.toml", settings);
        tried(&policy, &lines, &["ls"]);
    }
    unlink(&house, "poetry.toml");
    for (target, name) in [
        ("../../out/plugins", ".poetry/plugins"),
        ("../../../out/plugins", ".poetry/plugins/lib"),
        ("../../../out/x.py", ".poetry/plugins/x.py"),
    ] {
        println!("{name}");
        link(&house, target, name);
        tried(&policy, &lines, &["ls"]);
        unlink(&house, name);
    }
    house.put("project/.poetry/plugins/x.py", "x = 1\n");
    tried(&policy, &[], &lines);
}

#[test]
fn yarn_runs_the_release_and_the_plugins_of_the_project() {
    let house = with_secret("led-yarn");
    house.put("project/package.json", "{\"name\":\"x\"}");
    house.put("project/.yarn/releases/yarn-4.cjs", "x");
    house.put("out/more/x.cjs", "x");
    let policy = started(&house, "developer", "project");
    let lines = ["yarn test", "cd src && yarn test"];
    tried(&policy, &[], &lines);
    for (target, name) in [
        ("../../../out/more/x.cjs", ".yarn/releases/yarn.cjs"),
        ("../../../out/more", ".yarn/plugins/@yarnpkg"),
        ("../../out/more", ".yarn/plugins"),
    ] {
        println!("{name}");
        link(&house, target, name);
        tried(&policy, &lines, &["ls"]);
        unlink(&house, name);
    }
}

#[test]
fn checkers_start_no_program_that_settings_of_the_project_name() {
    let house = with_secret("led-checkers");
    let policy = started(&house, "developer", "project");
    let lines = [
        "biome check --changed",
        "biome lint --changed",
        "biome ci --changed",
        "biome check --changed --vcs-default-branch=--output=x",
        "eslint --env-info",
        "npx --no-install eslint --env-info",
        "oxlint --type-aware",
        "oxlint --type-check",
    ];
    tried(&policy, &lines, &["biome check a.js", "biome check --staged", "oxlint a.js"]);
    house.put("project/.rubocop.yml", "Style/X:\n  Enabled: true\n");
    tried(&policy, &[], &["rubocop"]);
    house.put("project/.rubocop.yml", "# <%= system(\"touch x\") %>\nStyle/X:\n  Enabled: true\n");
    tried(&policy, &["rubocop"], &[]);
}

#[test]
fn programs_find_archives_by_wildcards_and_names_of_their_own() {
    let house = with_secret("led-archives");
    house.put("project/secrets/s.zip", "PK");
    link(&house, "secrets/s.zip", "w.zip");
    let policy = own(
        r#"{"effect":"allow","commands":["zipinfo","zipgrep","7z","cpio"]},{"effect":"deny","reads":["**/secrets/**"]}"#,
    );
    let lines = [
        "zipinfo 'w*'",
        "zipinfo '*'",
        "zipinfo -z 'w.z?p'",
        "zipinfo -1 'w?zip'",
        "7z l 'w*'",
        "7z l '*.zip'",
        "7z t 'w.z?p'",
        "zipgrep x 'w*'",
        "zipgrep -i x '*.zip'",
        "zipgrep x w",
        "cpio -oL < names",
        "cpio -o < names",
        "cpio --create --dereference < names",
        "cpio -pd sub < names",
    ];
    let allowed = ["zipinfo a.zip", "7z l a.zip", "zipgrep x a.zip", "zipgrep 'x*' a.zip"];
    tried(&started(&house, &policy, "project"), &lines, &allowed);
}
