//! Paths that a program expands itself, where no shell has: a place that no word tells.

use crate::house::{House, own, started, tried};

#[test]
fn a_program_expands_what_the_shell_leaves_alone() {
    let house = House::new("expanded");
    house.put("project/src/a.py", "a = 1\n");
    tried(
        &started(&house, "developer", "project"),
        &[
            "pytest --junitxml=~/j1.xml",
            "pytest --junitxml '~/j.xml'",
            "pytest --junitxml='$HOME/j.xml'",
            "pytest --junitxml='${HOME}/j.xml'",
            "pytest --junit-xml='x/$X'",
            "pytest '~/x'",
            "pytest '$HOME/x'",
            "python -m pytest --junitxml=~/j1.xml",
            "jest --coverageDirectory='<rootDir>/../x'",
            "jest --coverageDirectory '<rootDir>/x'",
            "pylint --output='~/x' src/a.py",
            "pylint --rcfile='$PWD/x' src/a.py",
            "mypy --junit-xml '~/x' src/a.py",
            "mypy --cache-dir='%USER%/x' src/a.py",
            "rubocop '~/x'",
            "rubocop -a '~/x'",
            "ruff check -o '~/x'",
            "black '~/x'",
            "eslint -o '~/x' src",
            "vitest --outputFile='{x}/y'",
            "go test -coverprofile='$HOME/x' ./...",
        ],
        &[
            "pytest --junitxml=out/j.xml",
            "prettier --check 'src/**/*.{ts,tsx}'",
            "eslint 'app/[id]/page.tsx'",
            "mocha --spec 'test/{a,b}/*.js'",
            "black src/a~b.py",
            "cat 'src/$a.py'",
            "pytest 'src/a.py::test_x[1-2]'",
            "go test -coverprofile=c.out ./...",
        ],
    );
    let all = own(r#"{"effect":"allow","commands":["**"],"writes":["${project}/**"]}"#);
    tried(
        &started(&house, &all, "project"),
        &["git archive -o '~/x' HEAD", "somewhere; tar -cf '~/x' src; git diff --output='~/x'"],
        &[],
    );
}

#[test]
fn a_folder_for_what_python_compiles_leads_elsewhere() {
    let house = House::without_links("compiled");
    house.put("project/src/a.py", "a = 1\n");
    house.put("project/src/b/c.py", "a = 1\n");
    let policy = || started(&house, "developer", "project");
    let lines = [
        "python -m compileall src/a.py",
        "python3 -m compileall -q src",
        "python -m py_compile src/a.py",
        "cd src && python -m compileall a.py",
    ];
    tried(&policy(), &[], &lines[..2]);
    std::os::unix::fs::symlink(house.at("out"), house.root.join("project/src/__pycache__"))
        .unwrap();
    tried(&policy(), &lines, &[]);
    std::fs::remove_file(house.root.join("project/src/__pycache__")).unwrap();
    std::os::unix::fs::symlink(house.at("out"), house.root.join("project/src/b/__pycache__"))
        .unwrap();
    tried(&policy(), &lines[1..2], &[]);
}

#[test]
fn a_link_that_names_no_place_was_made_here_under_a_name_that_is_denied() {
    let house = House::new("linked-here");
    let rules = own(
        r#"{"effect":"allow","commands":["ln **"],"writes":["${project}/**","/x/**"]},{"effect":"deny","writes":["${project}/.env"]}"#,
    );
    tried(
        &started(&house, &rules, "project"),
        &["ln -s /x/.env", "ln /x/.env"],
        &["ln -s /x/a b", "ln -s /x/a"],
    );
}
