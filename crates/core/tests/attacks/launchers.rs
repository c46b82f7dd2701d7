//! Settings of programs that start others: aliases, compilers, shells and places that a clone brings.

use crate::house::{House, own, started, tried};

fn house(name: &str) -> House {
    let house = House::new(name);
    std::fs::remove_dir_all(house.root.join("project")).unwrap();
    house.put("project/.git/HEAD", "ref: refs/heads/main");
    house.put("project/Cargo.toml", "[package]\nname = \"x\"\n");
    house.put("project/node_modules/.bin/prettier", "");
    house.put("project/package.json", "{}");
    house.put("project/src/lib.rs", "");
    house
}

const CARGO: &[&str] = &[
    "cargo fmt",
    "cargo fmt --check",
    "cargo clippy",
    "cargo nextest run",
    "cargo metadata",
    "cargo tree",
    "cargo build",
    "cargo test",
];

#[test]
fn cargo_runs_and_writes_what_the_settings_of_the_clone_say() {
    let house = house("cargo-settings");
    tried(&started(&house, "developer", "project"), &[], CARGO);
    for settings in [
        "[build]\nrustc = \"./evil.sh\"\n",
        "[build]\nrustc-wrapper = \"./evil.sh\"\n",
        "[build]\nrustc-workspace-wrapper = \"./evil.sh\"\n",
        "[build]\nrustdoc = \"./evil.sh\"\n",
        "[build]\ntarget-dir = \"../out\"\n",
        "[build]\nbuild-dir = \"{workspace-root}/../out\"\n",
        "[build]\ntarget = \"../x.json\"\n",
        "[build]\nrustflags = [\"-Clinker=./evil.sh\"]\n",
        "[build]\nrustflags = \"-C linker=./evil.sh\"\n",
        "[target.x86_64-unknown-linux-gnu]\nrunner = \"./evil.sh\"\n",
        "[target.x86_64-unknown-linux-gnu]\nlinker = \"./evil.sh\"\n",
        "[target.'cfg(all())']\nrustflags = [\"-C\", \"link-arg=-B../x\"]\n",
        "[env]\nLD_PRELOAD = \"./x.so\"\n",
        "paths = [\"../x\"]\n",
        "include = \"../x.toml\"\n",
        "[source.crates-io]\nreplace-with = \"x\"\n",
        "[registries.x]\nindex = \"https://x.example\"\n",
        "[http]\nproxy = \"x\"\n",
        "[credential-alias]\nx = \"./evil.sh\"\n",
        "[profile.dev]\ncodegen-backend = \"./x.so\"\n",
        "not = toml = \n",
    ] {
        for file in ["project/.cargo/config.toml", "project/.cargo/config", ".cargo/config.toml"] {
            house.put(file, settings);
            tried(&started(&house, "developer", "project"), CARGO, &["cargo --version"]);
            std::fs::remove_file(house.root.join(file)).unwrap();
        }
    }
    let checks = own(r#"{"effect":"allow","commands":["cargo fmt --check"]}"#);
    for (settings, asked, allowed) in [
        (
            "[alias]\nfmt = \"run\"\nb = [\"build\", \"--target-dir\", \"../out\"]\n",
            &["cargo fmt", "cargo fmt --check", "cargo b"][..],
            &["cargo check", "cargo build"][..],
        ),
        ("[alias]\nclippy = \"run\"\n", &["cargo clippy"], &["cargo fmt"]),
        ("[alias]\nxtask = \"run -p xtask --\"\n", &[], CARGO),
        (
            "[build]\njobs = 4\nincremental = true\ntarget = \"wasm32-unknown-unknown\"\n",
            &[],
            CARGO,
        ),
        (
            "[build]\nrustflags = [\"-D\", \"warnings\", \"-C\", \"target-cpu=native\"]\n",
            &[],
            CARGO,
        ),
        ("[build]\nrustflags = \"-Dwarnings --cfg tokio_unstable\"\n", &[], CARGO),
        (
            "[target.x86_64-unknown-linux-gnu]\nlinker = \"clang\"\nrustflags = [\"-C\", \"link-arg=-fuse-ld=lld\"]\n",
            &[],
            CARGO,
        ),
        ("[net]\nretry = 3\ngit-fetch-with-cli = true\n[term]\ncolor = \"always\"\n", &[], CARGO),
        ("[profile.dev]\ndebug = 1\n[profile.dev.package.'*']\nopt-level = 3\n", &[], CARGO),
    ] {
        house.put("project/.cargo/config.toml", settings);
        tried(&started(&house, "developer", "project"), asked, allowed);
        if asked.contains(&"cargo fmt --check") {
            tried(&started(&house, &checks, "project"), &["cargo fmt --check"], &[]);
        }
    }
    std::fs::remove_file(house.root.join("project/.cargo/config.toml")).unwrap();
    // Those of the user count as the user's.
    house.put("home/.cargo/config.toml", "[build]\nrustc-wrapper = \"sccache\"\n");
    house.put("home/work/Cargo.toml", "");
    tried(&started(&house, "developer", "home/work"), &[], &["cargo build", "cargo fmt"]);
    // Those that the line itself writes.
    tried(
        &started(&house, "developer", "project"),
        &["mkdir .cargo; cp x .cargo/config.toml; cargo fmt"],
        &[],
    );
}

#[test]
fn what_starts_a_program_of_a_package_heeds_the_settings_of_the_clone() {
    let house = house("npx-settings");
    let lines = ["npx --no-install prettier --check src", "npx --no-install prettier src"];
    tried(&started(&house, "developer", "project"), &[], &lines);
    let all = own(r#"{"effect":"allow","commands":["**"]}"#);
    let more = [
        "npx prettier --check src",
        "npm exec -- prettier --check src",
        "npm x -- prettier --check src",
        "pnpm exec prettier --check src",
        "pnpm prettier --check src",
        "pnpm dlx prettier --check src",
        "pnpx prettier --check src",
        "yarn exec prettier --check src",
        "yarn dlx prettier --check src",
        "yarn prettier --check src",
        "bunx prettier --check src",
        "bun x prettier --check src",
    ];
    for settings in ["logs-dir=../out", "cache=../out", "script-shell=./evil.sh"] {
        house.put("project/.npmrc", settings);
        tried(&started(&house, "developer", "project"), &lines, &[]);
        tried(&started(&house, &all, "project"), &lines, &[]);
        tried(&started(&house, &all, "project"), &more, &[]);
    }
    house.put("project/.npmrc", "save-exact=true\n");
    tried(&started(&house, "developer", "project"), &[], &lines);
}

#[test]
fn golangci_lint_writes_where_the_settings_of_the_clone_say() {
    let house = house("golangci-settings");
    house.put("project/go.mod", "module x");
    house.put("project/pkg/a.go", "package x");
    let lines = ["golangci-lint run", "golangci-lint run ./...", "golangci-lint run ./pkg/... pkg"];
    let policy = || started(&house, "developer", "project");
    tried(&policy(), &["golangci-lint run -c conf/x.yml"], &lines);
    for settings in [
        "output:\n  formats:\n    text:\n      path: ../out/gl.txt\n",
        "output:\n  formats:\n    - format: json\n      path: ../out/gl.txt\n",
        "output:\n  format: json:../out/x\n",
        "output: {formats: {text: {path: ../out/gl.txt}}}\n",
        "Output:\n  formats:\n    text:\n      path: x\n",
        "\"output\":\n  formats:\n    text:\n      path: x\n",
        "? output\n: formats: {}\n",
        "run:\n  timeout: 5m\r\noutput:\r  path: x\n",
        "run: &a\n  timeout: 5m\n",
        "run:\n  timeout: |\n    x\n",
        "run:\n  timeout: \"5m\noutput:\n  x\"\n",
        "run:\n\ttimeout: 5m\n",
        "linters-settings:\n  custom:\n    x:\n      path: ../x.so\n",
        "linters:\n  settings:\n    custom:\n      x:\n        path: ../x.so\n",
        "linters:\n  settings:\n    goheader:\n      template-path: prod.env\n",
        "linters:\n  settings:\n    gocritic:\n      settings:\n        ruleguard:\n          rules: ../x.go\n",
        "issues:\n  fix: true\n",
        "issues:\n  new-from-patch: ../x\n",
        "linters:\n  enable: [govet, {a: b}]\n",
        "run.timeout: 5m\n",
        "--- {output: {}}\n",
    ] {
        house.put("project/.golangci.yml", settings);
        tried(&policy(), &lines, &[]);
    }
    house.put("project/.golangci.toml", "");
    std::fs::remove_file(house.root.join("project/.golangci.yml")).unwrap();
    tried(&policy(), &lines, &[]);
    std::fs::remove_file(house.root.join("project/.golangci.toml")).unwrap();
    house.put("project/pkg/.golangci.yml", "output:\n  path: x\n");
    tried(&policy(), &lines[2..], &lines[..2]);
    std::fs::remove_file(house.root.join("project/pkg/.golangci.yml")).unwrap();
    for settings in [
        "",
        "---\nversion: \"2\"\n\nrun:\n  timeout: 5m # long\n  tests: false\n",
        "linters:\n  disable-all: true\n  enable:\n    - govet\n    - errcheck # all\n",
        "version: '2'\nlinters:\n  default: none\n  enable: [govet, staticcheck]\n  settings:\n    govet:\n      enable-all: true\n      disable:\n        - fieldalignment\n    revive:\n      rules:\n        - name: exported\n          arguments:\n            - \"checkPrivateReceivers\"\n    errcheck:\n      check-blank: true\n  exclusions:\n    rules:\n      - path: _test\\.go\n        linters:\n          - errcheck\n          - gosec\n",
        "linters-settings:\n  goimports:\n    local-prefixes: github.com/x/y\n  lll:\n    line-length: 140\nissues:\n  exclude-use-default: false\n  exclude-rules:\n    - path: '(.+)_test\\.go'\n      linters: [funlen, dupl]\n  max-same-issues: 0\n",
    ] {
        house.put("project/.golangci.yml", settings);
        let more = [
            "golangci-lint run -c .golangci.yml",
            "golangci-lint run --config=./.golangci.yml ./...",
        ];
        tried(&policy(), &[], &lines);
        tried(&policy(), &[], &more);
    }
}
