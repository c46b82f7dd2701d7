//! Managers of versions: a program that is called by its name is a shim, and files of the project say what that runs.

use std::fs;
use std::os::unix::fs::symlink;

use crate::house::{House, own, started, tried};

const LINES: &[&str] = &["node --version", "python3 --version", "rg x src", "ls | jq ."];

#[test]
fn the_project_does_not_choose_the_program_behind_a_shim() {
    let house = House::new("shims");
    let policy = started(&house, "read-only", "project");
    let lines =
        ["node --version", "python3 --version", "rg x src", "ls | jq .", "cd sub && git status"];
    tried(&policy, &[], &lines);
    for version in ["nodejs/20.1.0", "python/3.12.1"] {
        fs::create_dir_all(house.root.join("home/.asdf/installs").join(version)).unwrap();
    }
    for (versions, plain) in [
        (".tool-versions", "nodejs 20.1.0 # x\npython 3.12.1 system\n"),
        ("mise.toml", "[tools]\nnodejs = \"20.1.0\"\npython = [\"3.12.1\"]\n[tasks]\nx = \"y\""),
        (".mise.toml", "[tools]\nnodejs = {version = \"20.1.0\"}"),
    ] {
        let file = format!("project/{versions}");
        house.put(&file, plain);
        tried(&policy, &[], &lines);
        for text in ["nodejs path:./evil", "[tools]\nnode = \"path:evil\"", "jq ref:main"] {
            house.put(&file, text);
            tried(&policy, &lines, &["cd sub"]);
        }
        fs::remove_file(house.root.join(file)).unwrap();
    }
}

#[test]
fn every_file_that_mise_reads_may_choose_a_program() {
    let house = House::new("mise");
    let policy = started(&house, "read-only", "project");
    let evil = "[tools]\nnode = \"path:./evil\"";
    for (file, text) in [
        (".config/mise/config.toml", evil),
        (".config/mise/conf.d/a.toml", evil),
        (".config/mise/config.ci.toml", evil),
        (".config/mise.toml", evil),
        (".config/mise.local.toml", evil),
        ("mise/config.toml", evil),
        (".mise/config.toml", evil),
        (".mise/conf.d/a.toml", evil),
        ("mise.local.toml", evil),
        (".mise.local.toml", evil),
        ("mise.ci.toml", evil),
        (".mise.ci.local.toml", evil),
        (".rtx.toml", evil),
        ("mise.toml", "[tools]\nnode = \"p\\u0061th:./evil\""),
        ("mise.toml", "[tools]\nnode = {path = \"./evil\"}"),
        ("mise.toml", "tools.node.version = \"path:./evil\""),
        ("mise.toml", "tools = {node = ['path:./evil']}"),
        ("mise.toml", "[tools]\n\"node\" = \"{{exec(command='x')}}\""),
        (".nvmrc", "path:./evil"),
        (".node-version", "path:./evil"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"path:./evil\""),
        ("Gemfile", "ruby \"path:./evil\""),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, LINES, &["cd sub"]);
        tried(&policy, &["cd sub && node --version"], &[]);
        let top = house.root.join("project").join(file.split('/').next().unwrap());
        if top.is_dir() { fs::remove_dir_all(top) } else { fs::remove_file(top) }.unwrap();
    }
    // What mise does besides is done by its shims alone.
    for text in ["[env]\nNODE_OPTIONS = \"-r ./x\"", "[alias.node]\n18 = \"path:./x\"", "[hooks]"] {
        house.put("project/mise.toml", text);
        tried(&policy, LINES, &["git status", "ls -la | sort"]);
    }
    house.put("project/mise.toml", "min_version = \"2024.1.1\"\n[tasks.x]\nrun = \"y\"");
    tried(&policy, &[], LINES);
}

#[test]
fn a_version_that_is_not_installed_is_fetched() {
    let house = House::new("fetched");
    let policy = started(&house, "read-only", "project");
    for (file, text, installed) in [
        (".tool-versions", "nodejs 18.0.0", ".local/share/mise/installs/node/18.0.0"),
        (".tool-versions", "golang 1.22", ".asdf/installs/golang/1.22"),
        ("mise.toml", "[tools]\nnode = \"18.0.0\"", ".local/share/mise/installs/node/18.0.0"),
        ("mise.toml", "[tools]\nnode = 18", ".local/share/mise/installs/node/18"),
        (".prototools", "node = \"18.0.0\"", ".proto/tools/node/18.0.0"),
        ("package.json", r#"{"volta":{"node":"18.0.0"}}"#, ".volta/tools/image/node/18.0.0"),
    ] {
        let file = format!("project/{file}");
        house.put(&file, text);
        tried(&policy, LINES, &["git status", "ls"]);
        let installed = house.root.join("home").join(installed);
        fs::create_dir_all(&installed).unwrap();
        tried(&policy, &[], LINES);
        fs::remove_dir_all(house.root.join("home")).unwrap();
        fs::remove_file(house.root.join(file)).unwrap();
    }
    // mise fetches what only asdf has.
    house.put("project/.tool-versions", "nodejs 18.0.0");
    for folder in [".asdf/installs/nodejs/18.0.0", ".local/share/mise/installs/node/20.0.0"] {
        fs::create_dir_all(house.root.join("home").join(folder)).unwrap();
    }
    tried(&policy, LINES, &[]);
}

#[test]
fn other_managers_of_versions_run_no_folder_of_the_project() {
    let house = House::new("managers");
    let policy = started(&house, "read-only", "project");
    for (file, text) in [
        (".java-version", "../../../../../../proc/self/cwd/evil"),
        (".perl-version", "../evil"),
        (".perl-version", "18#/../../evil"),
        (".python-version", "3.12\n/evil"),
        (".foo-version", "a/b"),
        (".prototools", "[plugins]\nnode = \"source:./evil.wasm\""),
        (".volta/hooks.json", "{}"),
        ("package.json", r#"{"volta":{"extends":"./x.json"}}"#),
    ] {
        house.put(&format!("project/{file}"), text);
        tried(&policy, &["java -version", "perl --version", "node --version"], &["cd sub"]);
        let top = house.root.join("project").join(file.split('/').next().unwrap());
        if top.is_dir() { fs::remove_dir_all(top) } else { fs::remove_file(top) }.unwrap();
    }
    for (file, text) in [
        (".java-version", "temurin-17.0.2"),
        (".nvmrc", "lts/iron\n"),
        (".node-version", "v20.1.0"),
        (".python-version", "# both\n3.12.1\n3.11 # old\n"),
        (".sdkmanrc", "java=17.0.2-tem"),
        ("Gemfile", "ruby file: \".ruby-version\"\n"),
    ] {
        house.put(&format!("project/{file}"), text);
    }
    tried(&policy, &[], LINES);
    // Another commit may bring one.
    tried(
        &started(&house, "developer", "project"),
        &["git switch --no-overwrite-ignore evil && node --version"],
        &["git switch -c x && node --version", "node --version && git add -A && git commit -m x"],
    );
    // The line itself may write such a file, even where a rule allows that.
    let wide = own(r#"{"effect":"allow","commands":["*"],"writes":["/**"]}"#);
    tried(
        &started(&house, &wide, "project"),
        &["echo ../evil > .perl-version; perl --version", "mv evil .config && perl --version"],
        &["echo ../evil > .perl-version; ls", "echo x > x; perl --version"],
    );
}

#[test]
fn corepack_fetches_no_package_manager_that_the_project_names() {
    let house = House::new("corepack");
    let policy = started(&house, "read-only", "project");
    let npm = ["npm --version", "npx --version", "cd sub && npm -v"];
    let others = ["node --version", "rg x src", "ls"];
    for text in [
        r#"{"packageManager":"npm@10.9.1"}"#,
        r#"{"packageManager":"npm@10.9.1+sha512.abc"}"#,
        r#"{"p\u0061ckageManager":"npm@https://a.example/x.tgz"}"#,
        r#"{"packageManager":["npm"]}"#,
        r#"{"devEngines":{"packageManager":{"name":"npm","version":"^10"}}}"#,
        r#"{"devEngines":{"packageManager":[{"name":"yarn"},{"name":"npm"}]}}"#,
    ] {
        house.put("project/package.json", text);
        tried(&policy, &npm, &others);
    }
    house.put("project/package.json", r#"{"packageManager":"npm@10.9.1"}"#);
    house.put("home/.cache/node/corepack/v1/npm/10.9.1/x", "");
    tried(&policy, &[], &npm);
    house.put("project/.corepack.env", "COREPACK_NPM_REGISTRY=http://a.example");
    tried(&policy, &npm, &others);
    fs::remove_file(house.root.join("project/.corepack.env")).unwrap();
    house.put("project/package.json", r#"{"packageManager":"pnpm@9.1.0","name":"x"}"#);
    tried(&policy, &[], &npm);
    let wide = own(r#"{"effect":"allow","commands":["*"]}"#);
    tried(&started(&house, &wide, "project"), &["pnpm --version"], &["yarn --version"]);
}

#[test]
fn rustup_runs_and_fetches_no_toolchain_that_the_project_names() {
    let house = House::new("rustup");
    let policy = started(&house, "developer", "project");
    let lines = ["cargo --version", "rustc --version", "cargo build", "rustup --version"];
    let others = ["node --version", "ls"];
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    for text in [
        "[toolchain]\npath = \"./evil\"",
        "[toolchain]\nchannel = \"nightly\"",
        "nightly\n",
        "[toolchain]\nchannel = \"1.80\"\ncomponents = [\"miri\"]",
        "[toolchain]\nchannel = \"1.80\"\ntargets = [\"wasm32-wasip1\"]",
        "[toolchain]\nchannel = \"1.80\"\nx = 1",
    ] {
        for file in ["rust-toolchain", "rust-toolchain.toml"] {
            house.put(&format!("project/{file}"), text);
            for channel in ["1.80", "nightly-2024-01-01"] {
                let folder = format!("home/.rustup/toolchains/{channel}-{host}/lib/rustlib");
                house.put(&format!("{folder}/components"), "rustfmt-preview-x\nrust-std-x\n");
            }
            tried(&policy, &lines, &others);
            fs::remove_file(house.root.join("project").join(file)).unwrap();
        }
    }
    for text in [
        "1.80\n",
        "[toolchain]\nchannel = \"1.80\"\ncomponents = [\"rustfmt\"]\nprofile = \"minimal\"",
    ] {
        house.put("project/rust-toolchain", text);
        tried(&policy, &[], &lines);
    }
}

#[test]
fn what_lies_above_the_project_is_looked_at() {
    let house = House::new("above");
    house.put("project/pkg/package.json", "{}");
    house.put("project/pkg/node_modules/.bin/eslint", "");
    let read = started(&house, "read-only", "project/pkg");
    let dev = started(&house, "developer", "project/pkg");
    tried(&read, &[], &["node --version"]);
    tried(&dev, &[], &["npm ls", "npx --no-install eslint"]);
    house.put("project/.tool-versions", "nodejs path:./evil");
    tried(&read, &["node --version"], &[]);
    fs::remove_file(house.root.join("project/.tool-versions")).unwrap();
    house.put("project/.npmrc", "registry=http://a.example/\n//a.example/:_authToken=${SECRET}");
    tried(&dev, &["npm ls"], &["node --test"]);
    fs::remove_file(house.root.join("project/.npmrc")).unwrap();
    // What lies in the home is the user's own, unless that is the project.
    house.put("home/code/x", "");
    house.put("home/.tool-versions", "nodejs path:/opt/node");
    house.put("home/.config/mise/config.toml", "[tools]\nnode = \"path:/opt/node\"");
    house.put("home/.npmrc", "registry=http://a.example/");
    tried(&started(&house, "read-only", "home/code"), &[], &["node --version", "npm --version"]);
    tried(&started(&house, "read-only", "home"), &["node --version"], &[]);
}

#[test]
fn a_lock_of_mise_says_where_a_version_is_fetched_from() {
    let house = House::new("locked");
    let policy = started(&house, "read-only", "project");
    fs::create_dir_all(house.root.join("home/.local/share/mise/installs/node/20")).unwrap();
    for lock in
        ["mise.lock", ".mise.lock", "mise.local.lock", ".config/mise/mise.lock", "mise/mise.lock"]
    {
        house.put("project/mise.toml", "[tools]\nnode = \"20\"");
        tried(&policy, &[], LINES);
        house.put(&format!("project/{lock}"), "[[tools.node]]\nversion = \"20.9.9\"");
        tried(&policy, LINES, &["git status"]);
        let top = house.root.join("project").join(lock.split('/').next().unwrap());
        if top.is_dir() { fs::remove_dir_all(top) } else { fs::remove_file(top) }.unwrap();
    }
}

#[test]
fn a_template_in_a_comment_of_tool_versions_runs_what_it_says() {
    let house = House::new("template");
    let policy = started(&house, "read-only", "project");
    fs::create_dir_all(house.root.join("home/.asdf/installs/nodejs/20.1.0")).unwrap();
    for text in [
        "# {{exec(command=\"touch P\")}}\nnodejs 20.1.0",
        "nodejs 20.1.0 # {% if x %}",
        "nodejs 20.1.0 {# x #}",
    ] {
        house.put("project/.tool-versions", text);
        tried(&policy, LINES, &["cd sub"]);
    }
    house.put("project/.tool-versions", "# x\nnodejs 20.1.0");
    tried(&policy, &[], LINES);
}

#[test]
fn a_project_that_is_a_symlink_has_above_it_what_its_folder_has() {
    let house = House::new("linked-root");
    house.put("real/.tool-versions", "nodejs path:../evil");
    fs::create_dir_all(house.root.join("real/sub")).unwrap();
    symlink("real/sub", house.root.join("l")).unwrap();
    tried(&started(&house, "read-only", "l"), LINES, &["cd ."]);
}
