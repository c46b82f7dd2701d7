//! Symlinks in the place of sources: compilers print the lines that they do not understand.

use crate::house::{link, started, tried, unlink, with_secret};

#[test]
fn a_compiler_prints_the_secret_that_a_source_is_a_link_to() {
    let house = with_secret("led-sources");
    let policy = started(&house, "developer", "project");
    let lines = [
        "cargo build",
        "cargo check",
        "cargo test",
        "cargo run",
        "cargo bench",
        "cargo doc",
        "cargo clippy",
    ];
    house.put("project/target/debug/x.rs", "x");
    tried(&policy, &[], &lines);
    for name in ["src/lib2.rs", "build.rs"] {
        for target in ["../prod.env", "../../home/.ssh/id_rsa", "prod.env"] {
            link(&house, target, name);
            if house.root.join("project").join(name).exists() {
                tried(&policy, &lines, &["cargo --version"]);
            }
            unlink(&house, name);
        }
    }
}

#[test]
fn what_builds_with_a_compiler_prints_the_secret_that_a_source_is_a_link_to() {
    let house = with_secret("linked-builds");
    let policy = started(&house, "developer", "project");
    for (name, lines, other) in [
        ("src/lib2.rs", &["cargo nextest run", "cargo nextest list"][..], "zig build"),
        ("src/main.zig", &["zig build", "zig test src/a.zig"], "swift build"),
        ("src/x.h", &["zig build", "swift build"], "dotnet build"),
        ("Sources/a/main.swift", &["swift build", "swift test"], "zig build"),
        ("src/A.cs", &["dotnet build", "dotnet test"], "zig build"),
        ("src/a.csproj", &["dotnet build", "dotnet test"], "zig build"),
        ("src/main/java/A.java", &["mvn test", "gradle build", "./gradlew test"], "zig build"),
    ] {
        let folder = house.at("project/").len();
        let depth = house.at(&format!("project/{name}"))[folder..].matches('/').count();
        tried(&policy, &[], lines);
        for target in ["prod.env", "../home/.ssh/id_rsa"] {
            link(&house, &format!("{}{target}", "../".repeat(depth)), name);
            tried(&policy, lines, &[other]);
            unlink(&house, name);
        }
    }
    // What is no source.
    link(&house, "../prod.env", "src/a.txt");
    tried(&policy, &[], &["zig build", "swift build", "dotnet build", "mvn test"]);
}
