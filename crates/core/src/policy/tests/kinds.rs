//! What a program opens below a folder: files of its own kinds, and no others.
#![cfg(unix)]

use std::fs;

use super::links::Place;

const ALLOWS: &str = r#"
[[rule]]
effect = "allow"
commands = ["ruff", "mypy", "flake8", "black", "eslint", "biome check", "pyright", "rubocop", "go vet", "go test",
  "golangci-lint run", "pytest", "node --test", "uv build", "poetry build", "gem build", "npm pack", "cargo package",
  "pip install", "python -m ruff", "poetry run mypy"]
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
        // It looks into each file without an ending.
        ("ask", "rubocop"),
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
        ("ask", "black --check --include=env ."),
        ("ask", "eslint --ext env ."),
        ("deny", "eslint --ext .env ."),
        ("ask", "ruff check --extension env:python ."),
        // By name it is opened whatever it is called.
        ("deny", "ruff check .env"),
        ("deny", "mypy src .env"),
    ];
    check(&place, "**/.env", &opens_none);
    check(
        &place,
        "${project}/secret/**",
        &[
            ("ask", "ruff check"),
            ("ask", "ruff check ."),
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
