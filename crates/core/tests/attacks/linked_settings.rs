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
    house.put("project/Makefile", "include ../out/x.mk\n");
    tried(&started(&house, "developer", "project"), &["make test"], &["ls"]);
}
