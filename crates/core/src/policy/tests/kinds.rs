//! What a program opens below a folder: files of its own kinds, and no others.
#![cfg(unix)]

use std::fs;

use super::links::Place;

const ALLOWS: &str = r#"
[[rule]]
effect = "allow"
commands = ["ruff", "mypy", "flake8", "black", "eslint", "biome check", "pyright", "rubocop", "go vet", "go test",
  "golangci-lint run", "pytest", "node --test", "uv build", "poetry build", "gem build", "npm pack", "cargo package",
  "pip install", "python -m ruff", "poetry run mypy", "isort", "prettier", "shfmt", "gofmt", "zig fmt", "go fmt", "cargo fmt",
  "biome format", "biome lint", "tsc", "ruff analyze", "oxlint", "pylint", "autopep8", "rustfmt", "shellcheck", "cp", "scp", "7z",
  "python -m black", "python -m mypy", "poetry run black"]
writes = ["${project}/**"]
"#;

/// Lines that go over the whole project, by an operand and without one.
const DOORS: &[(&str, &str)] = &[
    ("ruff check", "ruff check ."),
    ("ruff format --check", "ruff format --check ."),
    ("mypy", "mypy ."),
    ("flake8", "flake8 ."),
    ("eslint", "eslint ."),
    ("biome check", "biome check ."),
    ("pyright", "pyright ."),
    ("rubocop", "rubocop ."),
    ("go vet", "go vet ./..."),
    ("go test", "go test ./..."),
    ("golangci-lint run", "golangci-lint run ./..."),
    ("pytest", "pytest ."),
    ("node --test", "node --test ."),
    ("uv build", "uv build ."),
    ("npm pack", "npm pack ."),
];

fn place(name: &str, files: &[&str]) -> Place {
    let place = Place::new(name);
    for file in files {
        let path = place.at(&format!("project/{file}"));
        fs::create_dir_all(path.rsplit_once('/').unwrap().0).unwrap();
        fs::write(path, "").unwrap();
    }
    place
}

fn check(place: &Place, deny: &str, rows: &[(&str, &str)]) {
    let policy =
        place.policy(&format!("{ALLOWS}\n[[rule]]\neffect = 'deny'\nreads = ['{deny}']\n"));
    let rows: Vec<(&str, &str, &str)> =
        rows.iter().map(|(effect, line)| (*effect, "bash", *line)).collect();
    place.check(&policy, &rows);
}

#[test]
fn two_doors_to_a_folder_have_one_lock() {
    let place =
        place("doors", &["src/a.py", "secret/k.py", "secret/k.go", "secret/k.js", "secret/k.rb"]);
    for (bare, named) in DOORS {
        for deny in
            ["${project}/secret/**", "**/.env", "${project}/secret/k.py", "${project}/none/**"]
        {
            let policy =
                place.policy(&format!("{ALLOWS}\n[[rule]]\neffect = 'deny'\nreads = ['{deny}']\n"));
            let of = |line: &str| place.effect(&policy, line);
            assert_eq!(of(bare), of(named), "{bare} {deny}");
        }
    }
}

#[test]
fn a_program_opens_files_of_its_own_kinds_below_a_folder() {
    let place = place("kinds", &[".env", "src/a.py", "secret/k.py", "secret/k.txt", "secret/k.go"]);
    let opens_none = [
        ("allow", "ruff check ."),
        ("allow", "ruff check"),
        ("allow", "python -m ruff check ."),
        ("allow", "python -m ruff check"),
        ("allow", "poetry run mypy"),
        ("allow", "poetry run mypy ."),
        ("allow", "mypy ."),
        ("allow", "flake8"),
        ("allow", "black --check ."),
        ("allow", "eslint ."),
        ("allow", "go vet ./..."),
        ("allow", "golangci-lint run"),
        ("allow", "pytest ."),
        ("allow", "node --test ."),
        // It looks into each file without an ending, and goes by its first line.
        ("allow", "rubocop"),
        // All of the folder goes into what they make.
        ("ask", "uv build"),
        ("ask", "poetry build"),
        ("ask", "gem build a.gemspec"),
        ("ask", "npm pack"),
        ("ask", "npm pack ./src"),
        ("ask", "cargo package"),
        ("ask", "pip install -e ."),
        ("ask", "pip install ."),
        ("allow", "pip install -e src"),
        // Told to, they open others.
        ("ask", "flake8 --filename=*"),
        ("ask", "flake8 --filen=* ."),
        ("deny", "black --check --include=env ."),
        ("ask", "eslint --ext env ."),
        ("deny", "eslint --ext .env ."),
        ("deny", "ruff check --extension env:python ."),
        // A file that is named is opened, of any kind.
        ("deny", "ruff check .env"),
        ("deny", "mypy src .env"),
    ];
    check(&place, "**/.env", &opens_none);
    check(
        &place,
        "${project}/secret/**",
        &[
            ("deny", "ruff check"),
            ("deny", "ruff check ."),
            ("allow", "ruff check src"),
            ("ask", "mypy"),
            ("ask", "mypy ."),
            ("ask", "go vet ./..."),
            ("ask", "go vet"),
            ("ask", "golangci-lint run"),
            ("allow", "eslint ."),
            ("allow", "eslint"),
            ("ask", "uv build"),
        ],
    );
}

#[test]
fn a_symlink_of_such_a_name_is_what_it_leads_to() {
    let place = place("linked", &["src/a.py", "notes/n.txt"]);
    fs::write(place.at("project/.env"), "").unwrap();
    let lines = [("allow", "ruff check"), ("allow", "mypy ."), ("allow", "eslint")];
    check(&place, "**/.env", &lines);
    check(&place, "@outside/**", &lines);
    place.link("project/src/n.py", "project/notes/n.txt");
    check(&place, "**/.env", &lines);
    check(&place, "@outside/**", &lines);
    place.link("project/src/x.py", "project/.env");
    place.link("project/src/y.txt", "outside/file");
    check(&place, "**/.env", &[("deny", "ruff check"), ("deny", "mypy ."), ("allow", "eslint")]);
    // What is protected is it by any name.
    let asked =
        [("ask", "ruff check"), ("ask", "ruff check ."), ("ask", "mypy ."), ("allow", "eslint")];
    check(&place, "@outside/**", &asked);
    place.link("project/src/y.py", "outside/file");
    check(
        &place,
        "@outside/**",
        &[("deny", "ruff check"), ("deny", "mypy ."), ("allow", "eslint")],
    );
}

#[test]
fn where_there_are_too_many_names_to_look_at_their_kinds_still_count() {
    let names: Vec<String> = (0..600).map(|number| format!("node_modules/a/{number}.js")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = place("many", &names);
    check(
        &place,
        "**/.env",
        &[("allow", "ruff check"), ("allow", "eslint ."), ("ask", "npm pack"), ("ask", "rubocop")],
    );
    check(&place, "**/*secret*.js", &[("allow", "ruff check"), ("ask", "eslint .")]);
    check(&place, "${project}/secret/**", &[("ask", "ruff check"), ("ask", "eslint")]);
}

/// Programs that show, or change, all of their kinds.
const TAKE_ALL: &[&str] =
    &["black", "ruff", "prettier", "biome", "isort", "shfmt", "gofmt", "zig fmt"];

#[test]
fn what_a_formatter_writes_in_place_it_reads() {
    let place = place("formats", &["src/a.py"]);
    let secret = ["k.py", "k.ts", "k.sh", "k.go", "k.zig", "k.rs"];
    fs::create_dir_all(place.at("project/secret")).unwrap();
    secret
        .iter()
        .for_each(|name| fs::write(place.at(&format!("project/secret/{name}")), "").unwrap());
    let lines = [
        "black .",
        "black",
        "black --check .",
        "ruff format .",
        "ruff format",
        "ruff check --fix .",
        "ruff check --fix",
        "prettier --write .",
        "prettier --write '**/*.ts'",
        "eslint --fix .",
        "eslint --fix '**/*.ts'",
        "isort .",
        "shfmt -w .",
        "gofmt -w .",
        "go fmt ./...",
        "biome check --write .",
        "biome check --write",
        "biome format --write .",
        "zig fmt .",
        "cargo fmt",
        "cargo fmt --check",
        "autopep8 -i -r .",
        "python -m black .",
        "poetry run black .",
    ];
    // Of some it is known that they show, or change, all of their kinds.
    let takes_all = |line: &str| TAKE_ALL.iter().any(|name| line.contains(name));
    let met: Vec<(&str, &str)> =
        lines.iter().map(|line| (if takes_all(line) { "deny" } else { "ask" }, *line)).collect();
    check(&place, "${project}/secret/**", &met);
    check(&place, "${project}/secret/**", &[("deny", "black ./"), ("deny", "ruff format ./")]);
    let told: Vec<(&str, &str)> = lines.iter().map(|line| ("allow", *line)).collect();
    check(&place, "${project}/none/**", &told);
}

#[test]
fn a_linked_folder_is_what_it_leads_to() {
    let place = place("folders", &["src/a.py", "src2/a.py", "secret/k.py", "notes/n.py"]);
    let lines = [
        "isort --diff src2",
        "isort src2",
        "isort --check .",
        "black --diff src2",
        "black src2",
        "mypy --pretty src2",
        "timeout 5 black --diff src2",
        "env isort --diff src2",
        "sh -c 'black --check src2'",
        "python -m black --diff src2",
        "python -m mypy src2",
        "poetry run black --diff src2",
    ];
    let of = |effect: &'static str| lines.iter().map(|line| (effect, *line)).collect::<Vec<_>>();
    let leaves = [
        "ruff check src2",
        "ruff format --diff src2",
        "flake8 src2",
        "prettier --check src2",
        "shfmt -l src2",
        "autopep8 -r --diff src2",
        "eslint src2",
    ];
    let leaves: Vec<(&str, &str)> = leaves.iter().map(|line| ("allow", *line)).collect();
    // Outside of the project, so that nothing but the link leads there.
    place.link("project/src2/sd", "outside");
    fs::write(place.at("outside/k.py"), "").unwrap();
    check(
        &place,
        "@outside/**",
        &[
            ("deny", "black --check src2"),
            ("allow", "black --check src"),
            ("deny", "isort --check ."),
        ],
    );
    check(&place, "**/k.txt", &[("allow", "black --check src2")]);
    place.link("project/src2/sd", "project/secret");
    let deny = "${project}/secret/**";
    let takes_all = |line: &str| line.contains("black") || line.contains("isort");
    let met = |line: &'static str| (if takes_all(line) { "deny" } else { "ask" }, line);
    let asked: Vec<(&str, &str)> = lines.into_iter().map(met).collect();
    check(&place, deny, &asked);
    check(&place, deny, &leaves);
    // Through a link behind the link.
    place.link("project/notes/deep", "project/secret");
    place.link("project/src2/sd", "project/notes");
    check(&place, deny, &asked);
    check(&place, deny, &leaves);
    fs::remove_file(place.at("project/notes/deep")).unwrap();
    let notes: Vec<(&str, &str)> = of("allow")
        .into_iter()
        .filter(|(_, line)| line.contains("black") || line.contains("isort"))
        .filter(|(_, line)| !line.ends_with(" ."))
        .collect();
    check(&place, deny, &notes);
    // A link that goes round.
    place.link("project/notes/round", "project/src2");
    check(&place, deny, &notes);
}

#[test]
fn what_a_copy_follows_below_may_be_anything() {
    let place = place("follows", &["src4/a.txt", "secret/k.txt"]);
    place.link("project/src4/sd", "project/secret");
    check(
        &place,
        "${project}/secret/**",
        &[
            ("ask", "cp -rL src4 out"),
            ("ask", "cp -aL src4 out"),
            ("ask", "cp -Lr src4/. out"),
            ("ask", "cp -r --dereference src4 out"),
            ("ask", "cp -r --deref src4 out"),
            ("allow", "cp -r src4 out"),
            ("allow", "cp -rP src4 out"),
            ("allow", "cp -L src4/a.txt out"),
        ],
    );
    let policy = place.policy(
        "[[rule]]\neffect = 'allow'\ncommands = ['scp', '7z']\nwrites = ['${project}/**']\nurls = ['*']\n\
         [[rule]]\neffect = 'deny'\nreads = ['${project}/secret/**']\n",
    );
    place.check(
        &policy,
        &[("deny", "bash", "scp -r src4 host.example:x"), ("deny", "bash", "7z a x.7z src4")],
    );
}

#[test]
fn what_a_checker_goes_on_to_is_in_the_verdict() {
    let files = ["src/a.py", "src/a.ts", "src/m.rs", "secret/k.py", "secret/k.ts", "secret/k.rs"];
    let place = place("goes-on", &files);
    let lines = [
        "tsc --noEmit --pretty",
        "tsc --noEmit src/a.ts",
        "tsc --noEmit -p src",
        "tsc --showConfig",
        "ruff analyze graph",
        "ruff analyze graph .",
        "mypy --pretty src/a.py",
        "mypy src",
        "mypy -m src.a",
        "pylint src",
        "pyright src/a.py",
        "oxlint src",
        "biome lint src",
        "rustfmt --check src/m.rs",
        "rustfmt src/m.rs",
    ];
    let of = |line: &str| if line.starts_with("ruff") { "deny" } else { "ask" };
    let met: Vec<(&str, &str)> = lines.iter().map(|line| (of(line), *line)).collect();
    check(&place, "${project}/secret/**", &met);
    let allowed: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| !line.contains("--showConfig") && **line != "rustfmt src/m.rs")
        .map(|line| ("allow", *line))
        .collect();
    check(&place, "**/.env", &allowed);
    check(&place, "**/.env", &[("allow", "tsc --version"), ("allow", "mypy --version")]);
    check(
        &place,
        "${project}/secret/**",
        &[
            ("allow", "ruff check src"),
            ("allow", "black --check src"),
            ("allow", "ruff analyze graph src"),
        ],
    );
}

#[test]
fn settings_of_shellcheck_may_let_it_read_what_a_script_names() {
    let place = place("sourced", &["src/x.sh", "x.sh", ".env"]);
    let rows = |effect: &'static str| {
        [(effect, "shellcheck src/x.sh"), (effect, "shellcheck -f gcc x.sh src/*.sh")]
    };
    check(&place, "**/.env", &rows("allow"));
    fs::write(place.at("project/.shellcheckrc"), "# external-sources=true\ndisable=SC2034\n")
        .unwrap();
    check(&place, "**/.env", &rows("allow"));
    fs::write(place.at("project/.shellcheckrc"), "disable=SC2034\nexternal-sources=true\n")
        .unwrap();
    check(&place, "**/.env", &rows("ask"));
    fs::remove_file(place.at("project/.shellcheckrc")).unwrap();
    fs::write(place.at("project/src/shellcheckrc"), "external-sources = true\n").unwrap();
    check(&place, "**/.env", &rows("ask"));
    check(&place, "**/.env", &[("allow", "shellcheck x.sh"), ("ask", "shellcheck -x x.sh")]);
}
