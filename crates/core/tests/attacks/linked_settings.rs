//! Symlinks in the place of settings that lie deeper than where a program runs: it prints what it does not understand of them.

use crate::house::{House, link, started, tried, unlink, with_secret};

/// Lines that ask while this file is a link to a secret, and are allowed otherwise.
fn asks(house: &House, name: &str, lines: &[&str]) {
    let policy = started(house, "developer", "project");
    tried(&policy, &[], lines);
    for target in ["prod.env", "../home/.ssh/id_rsa"] {
        link(house, &format!("{}{target}", "../".repeat(name.matches('/').count())), name);
        tried(&policy, lines, &["ls"]);
        unlink(house, name);
    }
}

#[test]
fn node_prints_the_package_beside_the_file_that_it_is_given() {
    let house = with_secret("beside-node");
    house.put("project/src/a.js", "x\n");
    asks(&house, "src/package.json", &["node --check src/a.js", "node --test src/a.js"]);
    asks(&house, "package.json", &["node --check src/a.js", "node --check a.js", "node --test"]);
    link(&house, "../prod.env", "src/package.json");
    tried(&started(&house, "developer", "project"), &[], &["node --check a.js"]);
}

#[test]
fn members_of_a_workspace_have_settings_of_their_own() {
    let house = with_secret("members");
    let npm = ["npm ls", "npm root", "npm test", "yarn test", "bun test", "npx --no-install tsc"];
    house.put("project/node_modules/.bin/tsc", "x");
    let policy = started(&house, "developer", "project");
    // Without a workspace there is no member.
    house.put("project/package.json", "{\"name\": \"p\"}");
    link(&house, "../../prod.env", "parts/a/package.json");
    tried(&policy, &[], &npm[..3]);
    unlink(&house, "parts/a/package.json");
    house.put("project/package.json", "{\"workspaces\": [\"parts/*\"]}");
    asks(&house, "parts/a/package.json", &npm[..3]);
    house.put("project/package.json", "{\"workspaces\": [\"parts/*\", \"dist\", \"deep/**\"]}");
    asks(&house, "dist/package.json", &npm[..3]);
    asks(&house, "deep/a/b/package.json", &npm[..3]);
    // Another folder is not a member.
    link(&house, "../prod.env", "other/package.json");
    tried(&policy, &[], &npm[..3]);
    unlink(&house, "other/package.json");
    // A member may have members.
    house.put("project/parts/b/package.json", "{\"workspaces\": [\"in\"]}");
    asks(&house, "parts/b/in/package.json", &npm[..3]);
    house.put("out/a/package.json", "{}");
    link(&house, "../../out/a", "parts/a");
    tried(&policy, &npm[..3], &["ls"]);
    unlink(&house, "parts/a");
    house.put("project/package.json", "{\"name\": \"p\"}");
    house.put("project/pnpm-workspace.yaml", "packages:\n  - parts/*\n");
    asks(&house, "parts/a/package.json", &["pnpm test", "pnpm run build"]);

    house.put("project/Cargo.toml", "[workspace]\nmembers = [\"a\"]\n");
    let cargo =
        ["cargo metadata", "cargo build", "cargo tree", "cargo fmt --check", "cargo nextest run"];
    asks(&house, "a/Cargo.toml", &cargo);
    // From a member the others are read, too.
    house.put("project/b/Cargo.toml", "[package]\n");
    link(&house, "../prod.env", "a/Cargo.toml");
    tried(&policy, &["cd b && cargo metadata"], &["ls"]);
    unlink(&house, "a/Cargo.toml");
    house.put("project/Cargo.toml", "[dependencies]\na = { path = \"a\" }\n");
    asks(&house, "a/Cargo.toml", &cargo);

    house.put("project/go.work", "go 1.22\nuse ./a\n");
    asks(&house, "a/go.mod", &["go build", "go vet", "go list"]);
    house.put("project/pom.xml", "<project><modules><module>m</module></modules></project>");
    asks(&house, "m/pom.xml", &["mvn test", "./mvnw compile"]);
    house.put("project/settings.gradle", "include ':app'\n");
    let gradle = ["gradle build", "./gradlew test"];
    asks(&house, "app/build.gradle", &gradle);
    asks(&house, "app/build.gradle.kts", &gradle);
    asks(&house, "gradle/libs.versions.toml", &gradle);
    house.put("project/Package.swift", "let a = Package.Dependency.package(path: \"a\")\n");
    asks(&house, "a/Package.swift", &["swift build"]);
}

#[test]
fn a_program_that_another_one_starts_reads_settings_below_what_it_is_given() {
    let house = with_secret("below-started");
    house.put("project/node_modules/.bin/prettier", "x");
    house.put("project/src/in/a.js", "x\n");
    let prettier = ["npx --no-install prettier --check src", "prettier --check src"];
    asks(&house, "src/.prettierrc", &prettier);
    asks(&house, "src/in/.prettierrc", &prettier);
    asks(&house, "src/in/ruff.toml", &["ruff check src", "python3 -m ruff check src"]);
}

#[test]
fn a_key_with_an_escape_names_a_member_nevertheless() {
    let house = with_secret("members-escaped");
    for settings in
        ["[dependencies.b]\n\"p\\u0061th\" = \"b\"\n", "[\"work\\u0073pace\"]\nmembers = [\"b\"]\n"]
    {
        house.put("project/Cargo.toml", settings);
        asks(&house, "b/Cargo.toml", &["cargo metadata", "cargo build", "cargo fmt --check"]);
    }
}

#[test]
fn a_member_may_lie_above_or_in_any_folder() {
    let house = with_secret("members-above");
    unlink(&house, "Cargo.toml");
    house.put("project/w/Cargo.toml", "[dependencies]\nb = { path = \"../b\" }\n");
    asks(&house, "b/Cargo.toml", &["cd w && cargo build", "cd w && cargo metadata"]);
    house.put("project/w/Cargo.toml", "[dependencies]\nb = { path = \"\\u002e./b\" }\n");
    asks(&house, "b/Cargo.toml", &["cd w && cargo build"]);
    house.put("project/w/Cargo.toml", "[dependencies]\nb = { path = \"node_modules/b\" }\n");
    asks(&house, "w/node_modules/b/Cargo.toml", &["cd w && cargo build"]);
    house.put("project/w/go.mod", "module x\nreplace y => ../b\n");
    asks(&house, "b/go.mod", &["cd w && go build ./..."]);
    house.put("project/w/pom.xml", "<project><modules><module>../b</module></modules></project>");
    asks(&house, "b/pom.xml", &["cd w && mvn test"]);
    let module = "<project><modules><module>&#46;&#46;/b</module></modules></project>";
    house.put("project/w/pom.xml", module);
    asks(&house, "b/pom.xml", &["cd w && mvn test"]);
}

#[test]
fn cargo_reads_settings_of_clippy_and_rustfmt_in_folders_below() {
    let house = with_secret("below-cargo");
    house.put("project/src/deep/x.rs", "\n");
    for name in ["src/rustfmt.toml", "src/.rustfmt.toml", "src/deep/rustfmt.toml"] {
        asks(&house, name, &["cargo fmt --check", "cargo fmt"]);
    }
    house.put("project/Cargo.toml", "[workspace]\nmembers = [\"a\"]\n");
    for name in ["a/clippy.toml", "a/.clippy.toml"] {
        asks(&house, name, &["cargo clippy", "cargo clippy --workspace", "cargo clippy -p a"]);
    }
    asks(&house, "a/src/rustfmt.toml", &["cargo fmt --check"]);
}

#[test]
fn cmake_builds_by_files_that_it_made_and_sources_say() {
    let house = with_secret("below-cmake");
    house.put("project/build/CMakeCache.txt", "x\n");
    house.put("project/sub/x.c", "x\n");
    let lines = ["cmake --build build"];
    for name in [
        "build/Makefile",
        "build/build.ninja",
        "build/CMakeFiles/Makefile2",
        "build/CMakeFiles/rules.ninja",
        "build/CMakeFiles/x.dir/build.make",
        "build/cmake_install.cmake",
        "CMakeLists.txt",
        "sub/CMakeLists.txt",
    ] {
        asks(&house, name, &lines);
        let up = "../".repeat(name.matches('/').count() + 1);
        link(&house, &format!("{up}out/x.py"), name);
        tried(&started(&house, "developer", "project"), &lines, &["ls"]);
        unlink(&house, name);
    }
    // Libraries have links from one name to another.
    house.put("project/build/libx.so.1", "x");
    link(&house, "libx.so.1", "build/libx.so");
    tried(&started(&house, "developer", "project"), &[], &lines);
}

#[test]
fn build_tools_read_settings_and_wrappers_beside_their_own() {
    let house = with_secret("beside-builds");
    for (name, lines) in [
        ("Directory.Build.rsp", ["dotnet build", "dotnet test"]),
        ("src/Directory.Build.props", ["dotnet build", "dotnet test"]),
        ("src/Directory.Build.rsp", ["dotnet build", "dotnet test"]),
        ("gradle/wrapper/gradle-wrapper.jar", ["./gradlew test", "./gradlew build"]),
        ("gradle/wrapper/gradle-wrapper.properties", ["./gradlew test", "./gradlew build"]),
        (".mvn/wrapper/maven-wrapper.properties", ["./mvnw test", "./mvnw compile"]),
        (".mvn/wrapper/maven-wrapper.jar", ["./mvnw test", "./mvnw compile"]),
        (".mvn/extensions.xml", ["mvn test", "./mvnw compile"]),
        (".pnp.cjs", ["yarn test", "yarn run build"]),
        (".pnp.loader.mjs", ["yarn test", "yarn run build"]),
    ] {
        asks(&house, name, &lines);
    }
    let up = "../out/x.sh";
    link(&house, up, ".pnp.cjs");
    tried(&started(&house, "developer", "project"), &["yarn test"], &["ls"]);
}

#[test]
fn bun_prints_settings_beside_each_test() {
    let house = with_secret("below-bun");
    house.put("project/sub/a.test.js", "x\n");
    for name in ["jsconfig.json", "sub/tsconfig.json", "sub/jsconfig.json", "sub/package.json"] {
        asks(&house, name, &["bun test"]);
    }
}

#[test]
fn oxlint_reads_settings_that_are_a_program() {
    let house = with_secret("oxlint");
    asks(&house, "oxlint.config.ts", &["oxlint", "oxlint a.js"]);
    link(&house, "../out/x.py", "oxlint.config.ts");
    tried(&started(&house, "developer", "project"), &["oxlint"], &["ls"]);
}

#[test]
fn a_makefile_includes_others() {
    let house = with_secret("makefiles");
    house.put("project/Makefile", "include sub/x.mk\n-include y.mk $(D)\ntest:\n\ttrue\n");
    house.put("out/x.mk", "x = 1\n");
    asks(&house, "sub/x.mk", &["make test", "make build check"]);
    asks(&house, "y.mk", &["make test"]);
    link(&house, "../out/x.mk", "y.mk");
    tried(&started(&house, "developer", "project"), &["make test"], &["ls"]);
    unlink(&house, "y.mk");
    // An included one is read as well.
    house.put("project/y.mk", "include z.mk\n");
    asks(&house, "z.mk", &["make test"]);
    // By any name.
    house.put("project/Makefile", "include .deps.mk a.yml\ntest:\n\ttrue\n");
    house.put("project/.deps.mk", "include b.mk\n");
    house.put("project/a.yml", "include c.mk\n");
    asks(&house, "b.mk", &["make test"]);
    asks(&house, "c.mk", &["make test"]);
    house.put("project/Makefile", "include ../out/x.mk\n");
    tried(&started(&house, "developer", "project"), &["make test"], &["ls"]);
}

#[test]
fn a_makefile_includes_names_with_escapes_and_loads_objects() {
    let house = with_secret("makefiles-escaped");
    let policy = started(&house, "developer", "project");
    for (text, asks) in [
        ("include a\\#b.mk\n", true),
        ("include a\\ b.mk\n", true),
        ("include ~/x.mk\n", true),
        ("include \\\r\n l.mk\n", true),
        ("$(eval include l.mk)\n", true),
        ("X := $(shell date)\n$(eval Y := 1)\n", false),
        ("include \"l.mk\"\n", true),
        ("load l.mk\n", true),
        ("-load l.mk(init)\n", true),
        ("include a.mk \\\n  b.mk\n", false),
        ("test: # include a\\#b.mk\n\techo 'a\\#b'\n", false),
    ] {
        println!("{text}");
        house.put("project/Makefile", text);
        link(&house, "prod.env", "l.mk");
        link(&house, "prod.env", "\"l.mk\"");
        let lines = ["make test"];
        if asks {
            tried(&policy, &lines, &["ls"])
        } else {
            tried(&policy, &[], &lines)
        }
        unlink(&house, "l.mk");
        unlink(&house, "\"l.mk\"");
    }
}

#[test]
fn members_lie_behind_a_link_or_where_an_absolute_path_says() {
    let house = with_secret("members-behind");
    house.put("out/crates/x/Cargo.toml", "[package]\n");
    house.put("project/Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    let policy = started(&house, "developer", "project");
    let lines = ["cargo build", "cargo test", "cargo fmt --check"];
    tried(&policy, &[], &lines);
    link(&house, "../out/crates", "crates");
    tried(&policy, &lines, &["ls"]);
    unlink(&house, "crates");
    house.put("project/Cargo.toml", "[package]\n");
    house.put(
        "project/w/Cargo.toml",
        format!("[dependencies]\nb = {{ path = \"{}\" }}\n", house.at("project/b")),
    );
    link(&house, "../prod.env", "b/Cargo.toml");
    tried(&policy, &["cd w && cargo build"], &["ls"]);
}
